#include "sass/assumptions.h"

const hd_sass_assumption_row hd_sass_assumption_rows[HD_SASS_ASSUMPTIONS] = {
#define HD_SASS_ASSUMPTION(id, text, evidence, source) {#id, text, evidence, source},
#include "sass/assumptions.def"
#undef HD_SASS_ASSUMPTION
};

hd_sass_assumed hd_sass_published(void)
{
	unsigned set = 0;
	for (unsigned i = 0; i < HD_SASS_ASSUMPTIONS; i++)
		if (*hd_sass_assumption_rows[i].source)
			set |= 1u << i;
	return (hd_sass_assumed)set;
}

bool hd_sass_assumed_read(const char *text, hd_sass_assumed *set)
{
	unsigned found = 0;
	if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
		*set = *text == 'a' ? HD_SASS_ASSUME_ALL : 0;
		return true;
	}
	for (;; text++) {
		uint64_t number;
		size_t n = strcspn(text, ",");
		if (*text != 'A' || hd_read_number(text + 1, n - 1, HD_SASS_ASSUMPTIONS, &number) != HD_NUMBER_GOOD || number == 0)
			return false;
		found |= 1u << (number - 1);
		text += n;
		if (!*text)
			break;
	}
	*set = (hd_sass_assumed)found;
	return true;
}

void hd_sass_assumed_print(hd_text *text, hd_sass_assumed set)
{
	const char *between = "";
	for (uint64_t rest = set; rest; rest &= rest - 1) {
		hd_text_printf(text, "%sA%u", between, hd_lowest_bit(rest) + 1);
		between = ", ";
	}
}

void hd_sass_clauses_add(hd_sass_clauses *clauses, hd_sass_assumed any_of)
{
	for (size_t i = 0; i < clauses->list.n; i++)
		if (clauses->list.at[i] == any_of)
			return;
	hd_vec_push(&clauses->list, any_of);
}

static bool meets(const hd_sass_clauses *clauses, hd_sass_assumed set)
{
	for (size_t i = 0; i < clauses->list.n; i++)
		if (!(clauses->list.at[i] & set))
			return false;
	return true;
}

hd_sass_assumed hd_sass_clauses_least(const hd_sass_clauses *clauses)
{
	unsigned least = HD_SASS_ASSUME_ALL;
	for (unsigned set = 0; set <= HD_SASS_ASSUME_ALL; set++)
		if (hd_count_bits(set) < hd_count_bits(least) && meets(clauses, (hd_sass_assumed)set))
			least = set;
	return (hd_sass_assumed)least;
}

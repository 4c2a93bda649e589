#include "tally.h"

/* Of fewer programs than this the share is chance and is not judged. A sample of a few programs a family has so few. */
enum { ENOUGH = 100 };
/* The share of refuted programs that has to be wrong with some timing, in percent; 0: no claim. */
static const struct {
	const char *name;
	unsigned share;
} groups[FINDING_GROUPS] = {
    [GROUP_REGISTERS] = {"RAW, WAR, WAW", 75}, [GROUP_ORDER] = {"memory order", 10}, [GROUP_CALL] = {"call", 10},
    [GROUP_LAST_USE] = {"last use", 10},       [GROUP_FORM] = {"counter, type", 0},
};

void tally_init(tally *t)
{
	*t = (tally){0};
	for (unsigned i = 0; i < CAUSES; i++)
		t->example[i].n = TINY_LENGTH + 1;
}

static finding_group group_of(hd_hazard_kind kind)
{
	switch (kind) {
	case HD_HAZARD_MEMORY:
		return GROUP_ORDER;
	case HD_HAZARD_CALL:
		return GROUP_CALL;
	case HD_HAZARD_LAST_USE:
		return GROUP_LAST_USE;
	case HD_HAZARD_COUNTER:
	case HD_HAZARD_TYPE:
		return GROUP_FORM;
	default:
		return GROUP_REGISTERS;
	}
}

void tally_count(tally *t, const tiny *core, const verdict *v)
{
	t->programs++;
	if (v->proven) {
		t->proven++;
		t->unsound += v->wrong >= 0;
		return;
	}
	finding_group group = group_of(v->kind);
	t->refuted[group]++;
	t->ran[group] += v->ran;
	t->wrong[group] += v->wrong >= 0;
	if (!v->ran || v->wrong >= 0)
		return;
	t->never[v->cause]++;
	if (core->n < t->example[v->cause].n)
		t->example[v->cause] = *core;
}

void tally_add(tally *into, const tally *from)
{
	into->all += from->all;
	into->programs += from->programs;
	into->proven += from->proven;
	into->unsound += from->unsound;
	for (unsigned i = 0; i < FINDING_GROUPS; i++) {
		into->refuted[i] += from->refuted[i];
		into->ran[i] += from->ran[i];
		into->wrong[i] += from->wrong[i];
	}
	for (unsigned i = 0; i < CAUSES; i++) {
		into->never[i] += from->never[i];
		if (from->example[i].n < into->example[i].n)
			into->example[i] = from->example[i];
	}
}

void tally_head(void)
{
	printf("| family | of | programs | proven | refuted | refuted and run | wrong with some timing | %% | proven and WRONG |\n"
	       "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
}

static double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 100; }

static uint64_t sum(const uint64_t counts[FINDING_GROUPS])
{
	uint64_t all = 0;
	for (unsigned i = 0; i < FINDING_GROUPS; i++)
		all += counts[i];
	return all;
}

void tally_row(const tally *t, const char *name)
{
	printf("| %s | %llu | %llu | %llu | %llu | %llu | %llu | %.1f | %llu |\n", name, (unsigned long long)t->all, (unsigned long long)t->programs,
	       (unsigned long long)t->proven, (unsigned long long)sum(t->refuted), (unsigned long long)sum(t->ran), (unsigned long long)sum(t->wrong),
	       percent(sum(t->wrong), sum(t->ran)), (unsigned long long)t->unsound);
	fflush(stdout);
}

void tally_findings(const tally *t)
{
	printf("\n| first finding | refuted and run | wrong with some timing | %% | stated |\n|---|--:|--:|--:|--:|\n");
	for (unsigned i = 0; i < FINDING_GROUPS; i++)
		printf("| %s | %llu | %llu | %.1f | %u |\n", groups[i].name, (unsigned long long)t->ran[i], (unsigned long long)t->wrong[i],
		       percent(t->wrong[i], t->ran[i]), groups[i].share);
	printf("\n| refuted, right with every timing | programs |\n|---|--:|\n");
	for (unsigned i = 0; i < CAUSES; i++)
		printf("| %s | %llu |\n", cause_names[i], (unsigned long long)t->never[i]);
}

bool tally_holds(const tally *t)
{
	bool holds = t->unsound == 0;
	if (!holds)
		printf("\n%llu programs are proven and wrong\n", (unsigned long long)t->unsound);
	for (unsigned i = 0; i < FINDING_GROUPS; i++) {
		if (t->ran[i] < ENOUGH || 100 * t->wrong[i] >= groups[i].share * t->ran[i])
			continue;
		printf("\n%s: %.1f %% of the refuted programs are wrong with some timing, expected at least %u %%\n", groups[i].name,
		       percent(t->wrong[i], t->ran[i]), groups[i].share);
		holds = false;
	}
	return holds;
}

#include "front/limits.h"

typedef struct limit_row {
	const char *variable, *unit, *says;
	uint64_t scale, otherwise, most;
	size_t offset; /* of the field */
} limit_row;

static const limit_row rows[] = {
#define HD_PROCESS_LIMIT(id, field, variable, unit, scale, otherwise, most, says) \
	{variable, unit, says, scale, otherwise, most, offsetof(hd_process_limits, field)},
#include "front/limits.def"
};

static bool read_number(const char *text, uint64_t most, uint64_t *value)
{
	*value = 0;
	for (const char *at = text; *at; at++) {
		if (*at < '0' || *at > '9' || *value > most)
			return false;
		*value = *value * 10 + (uint64_t)(*at - '0');
	}
	return *text && *value <= most;
}

bool hd_limits_read(hd_process_limits *limits, hd_diag *diag)
{
	bool ok = true;
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		const limit_row *row = &rows[i];
		const char *text = getenv(row->variable);
		uint64_t value = row->otherwise;
		if (text && *text && !read_number(text, row->most, &value)) {
			hd_error(diag, (hd_pos){.file = row->variable}, "cannot be '%s', expected a number of %s from 1 to %llu, or 0 for no limit",
			         text, row->unit, (unsigned long long)row->most);
			ok = false;
		}
		*(uint64_t *)((char *)limits + row->offset) = value * row->scale;
	}
	return ok;
}

void hd_limits_error(hd_diag *diag, hd_pos pos, const char *what, hd_process_limit limit, const hd_process_limits *limits)
{
	hd_invariant(limit < HD_COUNT(rows), "limit %u", (unsigned)limit);
	const limit_row *row = &rows[limit];
	uint64_t value = *(const uint64_t *)((const char *)limits + row->offset) / row->scale;
	hd_error(diag, pos, "%s was ended: it %s %llu %s; the environment variable %s sets another limit, 0 none", what, row->says,
	         (unsigned long long)value, row->unit, row->variable);
}

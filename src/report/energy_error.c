#include "report/energy_error.h"

#include "config/state_bits.h"

#include <math.h>

#define CAUSE(name, doc) #name,
const char *const hd_energy_cause_names[HD_ENERGY_CAUSES] = {
#include "report/energy.def"
};
#define CAUSE(name, doc) doc,
const char *const hd_energy_cause_docs[HD_ENERGY_CAUSES] = {
#include "report/energy.def"
};

/* The uncertainty of each price in percent, and its cause. */
enum {
#define PRICE(key, percent, cause) PERCENT_##key = (percent), CAUSE_##key = HD_ENERGY_CAUSE_##cause,
#include "report/energy.def"
};

hd_energy_set hd_energy_set_of(hd_energy_unit unit) { return (hd_energy_set)1 << unit; }

hd_energy_set hd_energy_set_of_all(void) { return ((hd_energy_set)1 << HD_ENERGY_UNITS) - 1; }

hd_energy_set hd_energy_set_of_group(hd_energy_group group)
{
	hd_energy_set set = 0;
	for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++)
		set |= hd_energy_group_of[unit] == group ? hd_energy_set_of((hd_energy_unit)unit) : 0;
	return set;
}

hd_energy_error hd_energy_error_of(const hd_machine *m, const hd_stats *s)
{
	hd_energy_error error = {0};
	if (!s->run_cycles)
		return error;
#define EVENT(unit, key, count)                    \
	error.fj[HD_ENERGY_##unit][CAUSE_##key] += \
	    PERCENT_##key / 100.0 * (double)hd_energy_price(m, HD_ENERGY_##unit, m->energy_##key, (uint64_t)(count));
#include "report/energy.def"
	return error;
}

/* The errors of a set by cause. */
static void by_cause(const hd_energy_error *error, hd_energy_set set, double sums[HD_ENERGY_CAUSES])
{
	for (unsigned cause = 0; cause < HD_ENERGY_CAUSES; cause++) {
		sums[cause] = 0;
		for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++)
			sums[cause] += set >> unit & 1 ? error->fj[unit][cause] : 0;
	}
}

uint64_t hd_energy_error_sum(const hd_energy_error *error, hd_energy_set set)
{
	double sums[HD_ENERGY_CAUSES], squares = 0;
	by_cause(error, set, sums);
	for (unsigned cause = 0; cause < HD_ENERGY_CAUSES; cause++)
		squares += sums[cause] * sums[cause];
	return (uint64_t)(sqrt(squares) + 0.5);
}

double hd_energy_error_ratio(uint64_t a, const hd_energy_error *error_a, uint64_t b, const hd_energy_error *error_b)
{
	double in_a[HD_ENERGY_CAUSES], in_b[HD_ENERGY_CAUSES], squares = 0;
	if (!a || !b)
		return 0;
	by_cause(error_a, hd_energy_set_of_all(), in_a);
	by_cause(error_b, hd_energy_set_of_all(), in_b);
	for (unsigned cause = 0; cause < HD_ENERGY_CAUSES; cause++) {
		double relative = in_a[cause] / (double)a - in_b[cause] / (double)b;
		squares += relative * relative;
	}
	return (double)a / (double)b * sqrt(squares);
}

bool hd_energy_price_of(const char *key, unsigned *percent, hd_energy_cause *cause)
{
#define PRICE(name, percents, of)              \
	if (strcmp(key, #name) == 0) {         \
		*percent = (percents);         \
		*cause = HD_ENERGY_CAUSE_##of; \
		return true;                   \
	}
#include "report/energy.def"
	return false;
}

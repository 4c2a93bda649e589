#include "report/energy.h"

#include "config/state_bits.h"

#define UNIT(name, group, doc) #name,
const char *const hd_energy_names[HD_ENERGY_UNITS] = {
#include "report/energy.def"
};
#define UNIT(name, group, doc) doc,
const char *const hd_energy_docs[HD_ENERGY_UNITS] = {
#include "report/energy.def"
};
#define UNIT(name, group, doc) HD_ENERGY_GROUP_##group,
const hd_energy_group hd_energy_group_of[HD_ENERGY_UNITS] = {
#include "report/energy.def"
};
#define GROUP(name, doc) doc,
const char *const hd_energy_group_docs[HD_ENERGY_GROUPS] = {
#include "report/energy.def"
};

uint64_t hd_energy_price(const hd_machine *m, hd_energy_unit unit, uint64_t price, uint64_t count)
{
	/* register_file_scale is at most 10,000 and a sum below 2^64 / 100, so neither product overflows. */
	uint64_t sum = count * price, scale = m->energy_register_file_scale;
	return hd_energy_group_of[unit] == HD_ENERGY_GROUP_registers ? sum / 100 * scale + sum % 100 * scale / 100 : sum;
}

hd_energy hd_energy_of(const hd_machine *m, const hd_stats *s)
{
	hd_energy energy = {0};
	if (!s->run_cycles)
		return energy;
#define EVENT(unit, key, count) energy.fj[HD_ENERGY_##unit] += hd_energy_price(m, HD_ENERGY_##unit, m->energy_##key, (uint64_t)(count));
#include "report/energy.def"
	return energy;
}

uint64_t hd_energy_total(const hd_energy *energy)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		sum += energy->fj[i];
	return sum;
}

uint64_t hd_energy_of_group(const hd_energy *energy, hd_energy_group group)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		sum += hd_energy_group_of[i] == group ? energy->fj[i] : 0;
	return sum;
}

uint64_t hd_energy_registers(const hd_energy *energy) { return hd_energy_of_group(energy, HD_ENERGY_GROUP_registers); }

enum { FIRST_INTERVAL = 64 };

void hd_energy_series_begin(hd_energy_series *series, const hd_machine *machine, size_t most)
{
	hd_vec_free(&series->steps);
	*series = (hd_energy_series){.machine = machine, .interval = machine->energy_interval};
	if (!series->interval && most) {
		series->interval = FIRST_INTERVAL;
		series->most = most;
	}
}

static void add(hd_energy *sum, const hd_energy *energy)
{
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		sum->fj[i] += energy->fj[i];
}

/* Merges every two steps into one. */
static void halve(hd_energy_series *series)
{
	for (size_t i = 0; i < series->steps.n; i++) {
		hd_energy step = series->steps.at[i];
		if (i % 2)
			add(&series->steps.at[i / 2], &step);
		else
			series->steps.at[i / 2] = step;
	}
	series->steps.n = (series->steps.n + 1) / 2;
	series->interval *= 2;
}

void hd_energy_series_sample(void *context, uint64_t cycle, const hd_stats *stats)
{
	hd_energy_series *series = context;
	if (cycle <= series->cycles || !series->interval)
		return;
	hd_energy now = hd_energy_of(series->machine, stats), step;
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		step.fj[i] = now.fj[i] - series->so_far.fj[i];
	while (series->most && (cycle - 1) / series->interval >= series->most)
		halve(series);
	if ((cycle - 1) / series->interval < series->steps.n)
		add(&series->steps.at[(cycle - 1) / series->interval], &step);
	else
		hd_vec_push(&series->steps, step);
	series->so_far = now;
	series->cycles = cycle;
}

void hd_energy_series_free(hd_energy_series *series) { hd_vec_free(&series->steps); }

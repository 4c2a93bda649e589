#include "passes/emit/hint_table.h"

#include "passes/analysis/loop_weight.h"

enum { BYTES = 256, ONE_CYCLE = HD_HINT_DELAY << 4 | 1 };

unsigned hd_fit_nop(const uint8_t *table, unsigned n, unsigned cycles, unsigned *passed)
{
	unsigned best = 0;
	*passed = 1;
	for (unsigned i = 0; i < n; i++) {
		unsigned delay = table[i] & 15;
		if (table[i] >> 4 == HD_HINT_DELAY && delay <= cycles && delay > *passed) {
			best = i;
			*passed = delay;
		}
	}
	return best;
}

static unsigned nops_for(const uint8_t *table, unsigned n, unsigned cycles)
{
	unsigned nops = 0;
	for (unsigned passed; cycles; cycles -= passed, nops++)
		hd_fit_nop(table, n, cycles, &passed);
	return nops;
}

static unsigned capped(unsigned cost) { return hd_min_u32(cost, UINT8_MAX); }

/* The best entries for a delay: a longer one, or a shorter one and no-ops behind the instruction. */
static hd_table_fit fit_delay(const uint8_t *table, unsigned n, unsigned delay)
{
	unsigned passed, entry = hd_fit_nop(table, n, delay, &passed);
	hd_table_fit best = {
	    .entry = (uint8_t)entry, .after = (uint8_t)(delay - passed), .cost = (uint8_t)capped(2 * nops_for(table, n, delay - passed))};
	for (unsigned i = 0; i < n; i++) {
		unsigned longer = table[i] & 15;
		if (table[i] >> 4 == HD_HINT_DELAY && longer > delay && longer - delay < best.cost)
			best = (hd_table_fit){.entry = (uint8_t)i, .cost = (uint8_t)(longer - delay)};
	}
	return best;
}

/* The delay that a hint keeps behind its instruction. */
static unsigned delay_of(unsigned hint, const hd_machine *machine)
{
	switch (hint >> 4) {
	case HD_HINT_PAIR:
	case HD_HINT_WAIT:
		return 1;
	case HD_HINT_BOOST:
	case HD_HINT_LOWER:
		return machine->predecode_default_hint == HD_DEFAULT_WAIT ? 1 : hd_max_u32(machine->predecode_default_delay, 1);
	default:
		return hd_max_u32(hint & 15, 1);
	}
}

hd_table_fit hd_fit_hint(const uint8_t *table, unsigned n, unsigned hint, const hd_machine *machine)
{
	for (unsigned i = 0; i < n; i++)
		if (table[i] == hint)
			return (hd_table_fit){.entry = (uint8_t)i};
	hd_table_fit fit = fit_delay(table, n, delay_of(hint, machine));
	if (hint >> 4 == HD_HINT_WAIT) {
		fit.before = (uint8_t)(hint & 15);
		fit.cost = (uint8_t)capped(fit.cost + 2 * nops_for(table, n, hint & 15));
	} else if (hint >> 4 != HD_HINT_DELAY || !(hint & 15)) {
		fit.cost = (uint8_t)capped(fit.cost + 1u);
	}
	return fit;
}

/* How often instructions with each byte run, by the weights of their blocks. */
static void count_hints(const hd_ir_module *module, uint64_t *weight)
{
	for (size_t f = 0; f < module->functions.n; f++) {
		const hd_ir_function *function = module->functions.at[f];
		for (size_t b = 0; b < function->blocks.n; b++) {
			const hd_ir_block *block = function->blocks.at[b];
			for (size_t i = 0; i < block->insts.n; i++)
				weight[(block->insts.at[i]->hint << 4 | block->insts.at[i]->delay) & (BYTES - 1)] += hd_loop_weight(block);
		}
	}
}

static uint64_t cost_of(const uint8_t *table, unsigned n, const uint64_t *weight, const hd_machine *machine)
{
	uint64_t cost = 0;
	for (unsigned byte = 0; byte < BYTES; byte++)
		if (weight[byte])
			cost += weight[byte] * hd_fit_hint(table, n, byte, machine).cost;
	return cost;
}

void hd_choose_hint_table(const hd_ir_module *module, const hd_machine *machine, uint8_t table[HD_HINT_TABLE])
{
	uint64_t weight[BYTES] = {0};
	count_hints(module, weight);
	table[0] = ONE_CYCLE;
	for (unsigned n = 1; n < HD_HINT_TABLE; n++) {
		uint64_t least = UINT64_MAX;
		unsigned best = ONE_CYCLE;
		for (unsigned byte = 0; byte < BYTES; byte++) {
			if (!weight[byte])
				continue;
			table[n] = (uint8_t)byte;
			uint64_t cost = cost_of(table, n + 1, weight, machine);
			if (cost < least) {
				least = cost;
				best = byte;
			}
		}
		table[n] = (uint8_t)best;
	}
}

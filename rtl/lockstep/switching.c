#include "switching.h"

#include <inttypes.h>

enum { WINDOW = 64 /* cycles: long beside what an event sets going, short beside a run */, KINDS = SWITCHING_EVENTS };

/* The measures: gates in thousandths of a NAND2, flip-flops that a clock reaches with a clock gate for each bank, and flip-flops that change. */
enum { GATES, CLOCKED, CHANGED, MEASURES };

static uint8_t *values; /* of each net */
static uint32_t *first; /* gates that read net i: readers[first[i]] to readers[first[i + 1]] */
static uint32_t *readers;
static uint32_t **level; /* gates that must be evaluated, by level */
static uint32_t *n_level;
static bool *queued; /* by gate */
static uint8_t *bank_clocked;
static uint32_t *bank_size;
static bool counting, moved, hidden; /* a net has changed since the last rising edge, and since ports were last written */
static unsigned evaluations;         /* since the last rising edge */
static uint64_t sums[MEASURES], events[KINDS], cycles;
static uint64_t window[MEASURES], window_events[KINDS];
static double squares[KINDS][KINDS], products[KINDS][MEASURES]; /* sums over windows, for a fit by least squares */

unsigned switching_ones(const lockstep_port *port)
{
	unsigned n = 0;
	for (size_t i = 0; i < port->bytes; i++)
		n += hd_count_bits(((const uint8_t *)port->at)[i]);
	return n;
}

static unsigned bits_at(const lockstep_port *port, unsigned from, unsigned width)
{
	unsigned value = 0;
	for (unsigned bit = from; bit < from + width; bit++)
		value |= (((const uint8_t *)port->at)[bit / 8] >> bit % 8 & 1u) << (bit - from);
	return value;
}

unsigned switching_words(const lockstep_port *words, unsigned width, const lockstep_port *valid, const lockstep_port *by, unsigned operands)
{
	unsigned sum = 0;
	for (unsigned o = 0; (o + 1) * width <= 8 * words->bytes && o < 8 * valid->bytes && o / operands < 8 * by->bytes; o++)
		if (bits_at(valid, o, 1) && bits_at(by, o / operands, 1))
			sum += bits_at(words, o * width, width);
	return sum;
}

void switching_expect(const lockstep_port *port, unsigned at, unsigned width, uint64_t expected)
{
	if (port->bytes)
		lockstep_expect(port, at, width, expected);
}

static void change(uint32_t net)
{
	values[net] ^= 1;
	moved = hidden = true;
	for (uint32_t i = first[net]; i < first[net + 1]; i++) {
		uint32_t gate = readers[i], at = switching_gates[gate].level;
		if (!queued[gate]) {
			queued[gate] = true;
			level[at][n_level[at]++] = gate;
		}
	}
}

static unsigned output(const switching_gate *gate)
{
	unsigned number = 0;
	for (unsigned i = 0; i < SWITCHING_INPUTS; i++)
		number |= (unsigned)values[gate->in[i]] << i;
	return gate->function >> number & 1;
}

static void settle(void)
{
	for (unsigned at = 1; at <= switching_n_levels; at++) {
		for (uint32_t i = 0; i < n_level[at]; i++) {
			const switching_gate *gate = &switching_gates[level[at][i]];
			queued[level[at][i]] = false;
			if (output(gate) == values[gate->out])
				continue;
			if (counting)
				window[GATES] += gate->area;
			change(gate->out);
		}
		n_level[at] = 0;
	}
}

unsigned switching_checks(void) { return evaluations - 1; }

static uint8_t *byte_of(const switching_bit *bit) { return (uint8_t *)dut_ports[bit->port].at + bit->bit / 8; }

static void show(void)
{
	for (unsigned i = switching_n_inputs; hidden && i < switching_n_bits; i++) {
		const switching_bit *bit = &switching_bits[i];
		uint8_t *at = byte_of(bit);
		*at = (uint8_t)((*at & ~(1u << bit->bit % 8)) | (unsigned)values[bit->net] << bit->bit % 8);
	}
	hidden = false;
}

void dut_eval(void)
{
	evaluations++;
	for (unsigned i = 0; i < switching_n_inputs; i++) {
		const switching_bit *bit = &switching_bits[i];
		if ((*byte_of(bit) >> bit->bit % 8 & 1) != values[bit->net])
			change(bit->net);
	}
	settle();
	show();
}

static void end_window(void)
{
	for (unsigned i = 0; i < KINDS; i++) {
		for (unsigned j = 0; j < KINDS; j++)
			squares[i][j] += (double)window_events[i] * (double)window_events[j];
		for (unsigned j = 0; j < MEASURES; j++)
			products[i][j] += (double)window_events[i] * (double)window[j];
		events[i] += window_events[i];
	}
	memset(window_events, 0, sizeof window_events);
	for (unsigned j = 0; j < MEASURES; j++) {
		sums[j] += window[j];
		window[j] = 0;
	}
}

/* The rising edge. A bank is clocked when one of its flip-flops changes. */
void dut_clock(bool high)
{
	static uint32_t *changed;
	uint32_t n = 0;
	if (!high)
		return;
	if (!changed)
		changed = hd_xcalloc(switching_n_flip_flops + 1, sizeof *changed);
	switching_events(window_events);
	evaluations = 0;
	for (unsigned i = 0; moved && i < switching_n_flip_flops; i++)
		if (values[switching_flip_flops[i].d] != values[switching_flip_flops[i].q])
			changed[n++] = i;
	moved = false;
	for (uint32_t i = 0; i < n; i++) {
		const switching_flip_flop *flip_flop = &switching_flip_flops[changed[i]];
		bool counts = counting && flip_flop->bank < switching_n_banks;
		if (!bank_clocked[flip_flop->bank] && counts)
			window[CLOCKED] += bank_size[flip_flop->bank];
		bank_clocked[flip_flop->bank] = 1;
		window[CHANGED] += counts;
		change(flip_flop->q);
	}
	for (uint32_t i = 0; i < n; i++)
		bank_clocked[switching_flip_flops[changed[i]].bank] = 0;
	settle();
	show();
	counting = true; /* from the first cycle behind reset on */
	if (++cycles % WINDOW == 0)
		end_window();
}

void switching_print(FILE *out)
{
	end_window();
	fprintf(out, "switching {\"cycles\": %" PRIu64 ", \"gates\": %.3f, \"clocked\": %" PRIu64 ", \"changed\": %" PRIu64 ", \"events\": [", cycles,
	        (double)sums[GATES] / 1000, sums[CLOCKED], sums[CHANGED]);
	for (unsigned i = 0; i < switching_n_events; i++)
		fprintf(out, "%s%" PRIu64, i ? ", " : "", events[i]);
	fprintf(out, "], \"squares\": [");
	for (unsigned i = 0; i < switching_n_events * switching_n_events; i++)
		fprintf(out, "%s%.0f", i ? ", " : "", squares[i / switching_n_events][i % switching_n_events]);
	fprintf(out, "], \"products\": [");
	for (unsigned i = 0; i < switching_n_events; i++)
		fprintf(out, "%s%.3f, %.0f", i ? ", " : "", products[i][GATES] / 1000, products[i][CLOCKED]);
	fprintf(out, "]}\n");
}

static void print_at_exit(void) { switching_print(stdout); }

void dut_new(void)
{
	uint32_t *at = hd_xcalloc(switching_n_levels + 1, sizeof *at);
	values = hd_xcalloc(switching_n_nets, 1);
	values[1] = 1;
	first = hd_xcalloc(switching_n_nets + 2, sizeof *first);
	readers = hd_xcalloc(switching_n_gates * SWITCHING_INPUTS + 1, sizeof *readers);
	queued = hd_xcalloc(switching_n_gates + 1, sizeof *queued);
	level = hd_xcalloc(switching_n_levels + 1, sizeof *level);
	n_level = hd_xcalloc(switching_n_levels + 1, sizeof *n_level);
	bank_clocked = hd_xcalloc(switching_n_banks + 1, 1);
	bank_size = hd_xcalloc(switching_n_banks + 1, sizeof *bank_size);
	for (unsigned i = 0; i < switching_n_flip_flops; i++)
		bank_size[switching_flip_flops[i].bank]++;
	for (unsigned i = 0; i < switching_n_gates; i++) {
		at[switching_gates[i].level]++;
		for (unsigned j = 0; j < SWITCHING_INPUTS; j++)
			first[switching_gates[i].in[j] + 2]++;
	}
	for (unsigned i = 2; i < switching_n_nets + 2; i++)
		first[i] += first[i - 1];
	for (unsigned i = 0; i < switching_n_gates; i++)
		for (unsigned j = 0; j < SWITCHING_INPUTS; j++)
			readers[first[switching_gates[i].in[j] + 1]++] = i;
	for (unsigned i = 0; i <= switching_n_levels; i++)
		level[i] = hd_xcalloc(at[i] + 1, sizeof **level);
	free(at);
	for (unsigned i = 0; i < switching_n_gates; i++) {
		queued[i] = true;
		level[switching_gates[i].level][n_level[switching_gates[i].level]++] = i;
	}
	settle();
	atexit(print_at_exit);
}

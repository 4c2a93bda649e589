/* HW-8: what rtl/lockstep/switching.c counts, on a netlist by hand: a counter of two bits in one bank, with a flip-flop of its own that follows an
 * input. Another flip-flop that follows it is not counted. */
#include "../test.h"

#include <stdlib.h>

#include "../../rtl/lockstep/switching.h"

enum { IN = 2, LOW, HIGH, NOT_LOW, SUM, FOLLOWER, APART, NETS };
static uint32_t in, low, high;
lockstep_port dut_ports[] = {{"in", &in, sizeof in}, {"low", &low, sizeof low}, {"high", &high, sizeof high}, {"gone", &in, 0}};
const unsigned dut_n_ports = 4;
const switching_gate switching_gates[] = {
    {0x1, 1, 500, {LOW, 0}, NOT_LOW}, /* an inverter; its second input is always 0 */
    {0x6, 1, 2000, {LOW, HIGH}, SUM}, /* exclusive or */
};
const switching_flip_flop switching_flip_flops[] = {{NOT_LOW, LOW, 0}, {SUM, HIGH, 0}, {IN, FOLLOWER, 1}, {IN, APART, 2}};
const switching_bit switching_bits[] = {{IN, 0, 0}, {LOW, 1, 0}, {HIGH, 2, 0}};
const unsigned switching_n_gates = 2, switching_n_flip_flops = 4, switching_n_bits = 3, switching_n_inputs = 1, switching_n_nets = NETS,
               switching_n_levels = 1, switching_n_banks = 2, switching_n_events = 2;
static unsigned compared;

void switching_events(uint64_t events[SWITCHING_EVENTS])
{
	events[0] += switching_ones(&dut_ports[0]);
	events[1]++;
}

void lockstep_expect(const lockstep_port *port, unsigned first, unsigned width, uint64_t expected) { compared++; }

/* Ten cycles. Behind the first edge, which is that of the reset, nine are counted. */
TEST(gates_and_clocked_flip_flops_are_counted)
{
	dut_new();
	for (unsigned cycle = 0; cycle < 10; cycle++) {
		in = cycle % 4 == 3;
		dut_eval();
		assert_int_equal(low + 2 * high, cycle % 4);
		assert_int_equal(switching_checks(), 0);
		dut_clock(true);
		dut_clock(false);
		assert_int_equal(low + 2 * high, (cycle + 1) % 4);
	}
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	switching_print(out);
	fclose(out);
	/* The inverter changes nine times, the exclusive or at 0 and 2, where one of its inputs changes alone: four times. The bank of the counter
	 * has two flip-flops and is clocked nine times, and the follower changes four times. The lower bit changes nine times, the higher one five
	 * times. */
	assert_string_equal(text, "switching {\"cycles\": 10, \"gates\": 12.500, \"clocked\": 22, \"changed\": 18, \"events\": [2, 10], "
	                          "\"squares\": [4, 20, 20, 100], \"products\": [25.000, 44, 125.000, 220]}\n");
	free(text);
}

TEST(state_without_a_net_is_not_compared)
{
	switching_expect(&dut_ports[3], 0, 1, 1);
	assert_int_equal(compared, 0);
	switching_expect(&dut_ports[1], 0, 1, 1);
	assert_int_equal(compared, 1);
}

/* Two readers of two operands, of three bits each: the second reader is not valid, nor is the second operand of the first one. */
TEST(words_of_valid_operands_are_added)
{
	uint32_t words = 3 | 5 << 3 | 2 << 6 | 1 << 9, valid = 0xd, readers = 1;
	const lockstep_port port = {"words", &words, sizeof words}, of = {"valid", &valid, sizeof valid}, by = {"readers", &readers, sizeof readers};
	assert_int_equal(switching_words(&port, 3, &of, &by, 2), 3);
	readers = 3;
	assert_int_equal(switching_words(&port, 3, &of, &by, 2), 3 + 2 + 1);
	valid = 0xf;
	assert_int_equal(switching_words(&port, 3, &of, &by, 2), 3 + 5 + 2 + 1);
}

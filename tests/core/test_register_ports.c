/* LU-10, LU-12: the ports of the register file's banks alone. */
#include "core/execute/register_ports.h"
#include "../test.h"

static hd_stats stats;

static hd_register_ports with(uint32_t banks, uint32_t reads, uint32_t writes)
{
	hd_machine machine;
	hd_register_ports ports;
	hd_machine_default(&machine);
	machine.register_file_banks = banks;
	machine.register_file_read_ports = reads;
	machine.register_file_write_ports = writes;
	stats = (hd_stats){0};
	hd_ports_init(&ports, &machine, &stats);
	return ports;
}

/* Accesses beyond the ports of a bank take further cycles, rounded up. */
TEST(excess_takes_further_cycles)
{
	static const struct {
		unsigned ports, accesses, free_at;
	} rows[] = {{1, 1, 0}, {1, 2, 10}, {1, 3, 11}, {2, 2, 0}, {2, 3, 10}, {2, 4, 10}, {2, 5, 11}, {4, 5, 10}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		for (unsigned kind = 0; kind < 2; kind++) {
			hd_register_ports p = with(1, kind ? 4 : rows[i].ports, kind ? rows[i].ports : 4);
			hd_ports_use(&p, (hd_port_kind)kind, 0, 0, rows[i].accesses, 8);
			assert_int_equal(p.free_at, rows[i].free_at);
			assert_int_equal(stats.register_file_port_conflicts, rows[i].free_at ? rows[i].free_at - 9 : 0);
		}
	}
}

/* LU-12: reads and writes have ports of their own. */
TEST(reads_leave_write_ports_alone)
{
	hd_register_ports p = with(1, 1, 1);
	hd_ports_use(&p, HD_PORT_READ, 0, 0, 1, 8);
	hd_ports_use(&p, HD_PORT_WRITE, 0, 0, 1, 8);
	assert_int_equal(p.free_at, 0);
	hd_ports_use(&p, HD_PORT_WRITE, 0, 0, 1, 8);
	assert_int_equal(p.free_at, 10);
	hd_ports_use(&p, HD_PORT_READ, 0, 0, 1, 9); /* a new cycle */
	assert_int_equal(p.free_at, 10);
}

/* The bank is that of register and warp slot together, for any number of banks. */
TEST(warps_lie_shifted)
{
	for (unsigned banks = 3; banks <= 4; banks++) {
		hd_register_ports p = with(banks, 1, 1);
		hd_ports_use(&p, HD_PORT_READ, 0, 5, 1, 8);
		hd_ports_use(&p, HD_PORT_READ, 1, 5, 1, 8);
		assert_int_equal(p.free_at, 0);
		hd_ports_use(&p, HD_PORT_READ, 1, 4, 1, 8);
		assert_int_equal(p.free_at, 10);
		unsigned first[] = {4, 5 + banks - 2}, words[] = {1, 1};
		assert_true(hd_ports_taken(&p, 1, first, words, 1, 8));
		assert_false(hd_ports_taken(&p, 1, first, words, 1, 9));
		assert_false(hd_ports_taken(&p, 1, first + 1, words, 1, 8));
	}
}

/* LU-17: a wait is counted from the cycle on in which the ports alone held the instruction back, over all conflicts without a gap. */
TEST(waits_are_those_for_ports_alone)
{
	static const struct {
		uint64_t ready, waits;
	} rows[] = {{0, 2}, {8, 2}, {9, 2}, {10, 1}, {11, 0}, {12, 0}};
	uint64_t expected = 0;
	hd_register_ports p = with(1, 1, 1);
	hd_ports_use(&p, HD_PORT_READ, 0, 0, 3, 8);
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_ports_waited(&p, HD_PIPE_LSU, rows[i].ready, 11);
		expected += rows[i].waits;
		assert_int_equal(p.waited[HD_PIPE_LSU], expected);
	}
	hd_ports_use(&p, HD_PORT_WRITE, 0, 0, 3, 10);
	assert_int_equal(p.free_at, 13);
	hd_ports_waited(&p, HD_PIPE_ALU, 5, 13);
	assert_int_equal(p.waited[HD_PIPE_ALU], 4); /* from 9 on */
	hd_ports_use(&p, HD_PORT_READ, 0, 0, 2, 13);
	hd_ports_waited(&p, HD_PIPE_SFU, 5, 15);
	assert_int_equal(p.waited[HD_PIPE_SFU], 1); /* cycle 13 was open */
	for (unsigned twice = 0; twice < 2; twice++)
		hd_ports_finish(&p);
	assert_int_equal(stats.port_waits_lsu, expected);
	assert_int_equal(stats.port_waits_alu, 4);
	assert_int_equal(stats.port_waits_sfu, 1);
	assert_int_equal(stats.port_waits_tex, 0);
}

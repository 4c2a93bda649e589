/* The host interface (PD-38): bandwidth, latency and room of a direction, copies by the host, system memory behind the second level. */
#include "../test.h"

#include "memory/host.h"
#include "memory/l2.h"

static hd_machine with_host(uint32_t bytes_per_cycle, uint32_t latency, uint32_t queue)
{
	hd_machine m;
	hd_machine_default(&m);
	m.host_bytes_per_cycle = bytes_per_cycle;
	m.host_latency = latency;
	m.host_queue = queue;
	m.memory_l2_latency = 100;
	m.memory_dram_latency = 50;
	m.memory_dram_partitions = 1;
	m.memory_dram_cycles_per_sector = 2;
	return m;
}

TEST(a_direction_moves_its_bytes_one_after_the_other)
{
	hd_machine m = with_host(12, 300, 64);
	hd_host host;
	hd_host_init(&host, &m);
	uint64_t now = 1000;
	assert_int_equal(hd_host_move(&host, HD_TO_DEVICE, &now, 32), 1003 + 300);   /* 32 bytes at 12 a cycle: 3 cycles */
	assert_int_equal(hd_host_move(&host, HD_TO_DEVICE, &now, 32), 1006 + 300);   /* 64 bytes: 6 */
	assert_int_equal(hd_host_move(&host, HD_TO_DEVICE, &now, 32), 1008 + 300);   /* 96 bytes: exactly 8 */
	assert_int_equal(hd_host_move(&host, HD_FROM_DEVICE, &now, 32), 1003 + 300); /* the other direction is free */
	assert_int_equal(now, 1000);
	now = 2000; /* nothing is left of the time in which it was idle */
	assert_int_equal(hd_host_move(&host, HD_TO_DEVICE, &now, 32), 2003 + 300);
}

TEST(a_full_queue_holds_back_the_request)
{
	hd_machine m = with_host(4, 10, 2);
	hd_host host;
	hd_host_init(&host, &m);
	uint64_t now = 100;
	for (unsigned i = 0; i < 3; i++) { /* 8 cycles each: when the third comes, two wait */
		assert_int_equal(hd_host_move(&host, HD_FROM_DEVICE, &now, 32), 108 + 8 * i + 10);
		assert_int_equal(now, 100);
	}
	assert_int_equal(hd_host_move(&host, HD_FROM_DEVICE, &now, 32), 132 + 10);
	assert_int_equal(now, 108); /* 96 bytes less the 64 that may wait: 32 bytes, 8 cycles */
}

/* 12 bytes a cycle, and one sector may wait: 32 bytes must leave before the third, which takes them to the middle of the third cycle. */
TEST(room_comes_with_a_whole_cycle)
{
	hd_machine m = with_host(12, 10, 1);
	hd_host host;
	hd_host_init(&host, &m);
	uint64_t now = 100;
	hd_host_move(&host, HD_TO_DEVICE, &now, 32);
	hd_host_move(&host, HD_TO_DEVICE, &now, 32);
	assert_int_equal(now, 100);
	hd_host_move(&host, HD_TO_DEVICE, &now, 32);
	assert_int_equal(now, 103);
}

TEST(copies_take_their_bytes_and_the_latency)
{
	hd_machine m = with_host(16, 600, 1);
	assert_int_equal(hd_machine_copy_cycles(&m, 0), 0);
	assert_int_equal(hd_machine_copy_cycles(&m, 1), 601);
	assert_int_equal(hd_machine_copy_cycles(&m, 16), 601);
	assert_int_equal(hd_machine_copy_cycles(&m, 17), 602);
	m.host_bytes_per_cycle = 0;
	assert_int_equal(hd_machine_copy_cycles(&m, 17), 0);
}

/* A sector of system memory, in place of DRAM: 50 there, 2 of transfer, 300 of latency, 50 back. */
TEST(the_second_level_reads_system_memory)
{
	hd_machine m = with_host(16, 300, 64);
	hd_l2 *l2 = hd_l2_new(&m);
	hd_stats stats = {0};
	assert_int_equal(hd_l2_sector(l2, 1000, HD_SYSTEM_BASE, false, &stats), 1000 + 50 + 2 + 300 + 50);
	assert_int_equal(hd_l2_sector(l2, 2000, HD_SYSTEM_BASE, false, &stats), 2100); /* the second level holds it */
	assert_int_equal(hd_l2_sector(l2, 3000, HD_SYSTEM_BASE - 32, false, &stats), 3000 + 50 + 50 + 50);
	assert_int_equal(hd_l2_sector(l2, 4000, HD_OWN_BASE, false, &stats), 4000 + 50 + 50 + 50);
	assert_int_equal(stats.host_interface_sectors_read, 1);
	assert_int_equal(stats.memory_dram_reads, 2);
	hd_l2_free(l2);
}

/* A write goes to the host at once, so nothing is left to write back. */
TEST(the_second_level_writes_system_memory_through)
{
	hd_machine m = with_host(1, 300, 1);
	m.memory_l2_bytes = 16384;
	m.memory_l2_ways = 1;
	hd_l2 *l2 = hd_l2_new(&m);
	hd_stats stats = {0};
	assert_int_equal(hd_l2_sector(l2, 1000, HD_SYSTEM_BASE, true, &stats), 1050); /* taken, whenever it arrives */
	assert_int_equal(hd_l2_sector(l2, 1000, HD_SYSTEM_BASE, true, &stats), 1050);
	/* 64 bytes are before the interface, and one sector may wait: 32 cycles. A later request is behind it. */
	assert_int_equal(hd_l2_sector(l2, 1000, HD_SYSTEM_BASE, true, &stats), 1082);
	assert_int_equal(hd_l2_sector(l2, 1000, 128, true, &stats), 1082);
	assert_int_equal(stats.host_interface_sectors_written, 3);
	hd_l2_sector(l2, 5000, HD_SYSTEM_BASE + 16384, false, &stats); /* the same place in the cache */
	assert_int_equal(stats.memory_dram_writes, 0);
	hd_l2_sector(l2, 6000, 16384 + 128, false, &stats);
	assert_int_equal(stats.memory_dram_writes, 1);
	hd_l2_free(l2);
}

TEST(all_buffers_can_be_in_system_memory)
{
	hd_machine m = with_host(16, 300, 64);
	hd_stats stats = {0};
	m.host_system_memory = 1;
	hd_l2 *l2 = hd_l2_new(&m);
	hd_l2_sector(l2, 0, HD_GLOBAL_BASE, false, &stats);
	hd_l2_sector(l2, 0, HD_OWN_BASE, false, &stats); /* memory that the machine needs for itself is not */
	assert_int_equal(stats.host_interface_sectors_read, 1);
	assert_int_equal(stats.memory_dram_reads, 1);
	hd_l2_free(l2);
	m.host_system_memory = m.host_bytes_per_cycle = 0;
	l2 = hd_l2_new(&m);
	hd_l2_sector(l2, 0, HD_SYSTEM_BASE, false, &stats); /* without an interface it is as near as device memory */
	hd_l2_sector(l2, 0, HD_SYSTEM_BASE, true, &stats);
	assert_int_equal(stats.host_interface_sectors_read, 1);
	assert_int_equal(stats.host_interface_sectors_written, 0);
	hd_l2_free(l2);
}

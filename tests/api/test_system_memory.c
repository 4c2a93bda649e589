/* Copies over the host interface and buffers in system memory (PD-38), through the public interface. */
#include <stdio.h>
#include <string.h>
#include "../test.h"

#include "heddle/heddle.h"

/* Stores its parameter `value` where `out` points to. */
static const char text[] = ".kernel k\n.entry L1\n.registers 4\n.param_bytes 8\n.param out, 0, 8, 8, pointer, global\n.function k\nL1:\n"
                           "\tmov r2, c[0x40] {delay 1}\n\tmov r3, c[0x44] {delay 1}\n\tiadd r1, rz, #42 {delay 8}\n"
                           "\tstg.32 [r2:r3], r1\n\texit\n.end\n";

static heddle *built(void)
{
	static const char path[] = "heddle-system-memory.hasm";
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	heddle *h = heddle_new();
	bool ok = heddle_set(h, "multi_issue.window=1") && heddle_build(h, path, NULL);
	remove(path);
	if (!ok)
		fail_msg("%s", heddle_messages(h));
	return h;
}

static uint64_t stat(const heddle *h, const char *name)
{
	uint64_t value = 0;
	assert_true(heddle_stat(h, name, &value));
	return value;
}

static void run(heddle *h, uint64_t out)
{
	const heddle_arg args[] = {heddle_pointer(out)};
	const heddle_launch launch = {.grid = {1}, .block = {1}, .args = args, .n_args = 1};
	if (heddle_run(h, &launch) != HEDDLE_DONE)
		fail_msg("%s", heddle_messages(h));
}

TEST(copies_count_for_the_run_they_serve)
{
	heddle *h = built();
	uint32_t words[8] = {0};
	assert_true(heddle_set(h, "host.bytes_per_cycle=4") && heddle_set(h, "host.latency=100"));
	uint64_t out = heddle_buffer(h, "out", words, sizeof words);
	assert_true(heddle_write(h, out, words, 4));
	run(h, out);
	assert_int_equal(stat(h, "host_interface.to_device_bytes"), 36);
	assert_int_equal(stat(h, "host_interface.copy_cycles"), 108 + 101);
	assert_int_equal(stat(h, "host_interface.from_device_bytes"), 0);
	assert_true(heddle_read(h, out, words, 8));
	assert_int_equal(words[0], 42);
	assert_int_equal(stat(h, "host_interface.from_device_bytes"), 8);
	assert_int_equal(stat(h, "host_interface.copy_cycles"), 108 + 101 + 102);
	run(h, out); /* nothing was copied for this one */
	assert_int_equal(stat(h, "host_interface.to_device_bytes"), 0);
	assert_int_equal(stat(h, "host_interface.copy_cycles"), 0);
	assert_int_equal(stat(h, "host_interface.sectors_written"), 0);
	heddle_free(h);
}

TEST(system_memory_needs_no_copy)
{
	heddle *h = built();
	uint32_t word = 7;
	assert_true(heddle_set(h, "host.bytes_per_cycle=4"));
	uint64_t out = heddle_alloc_system(h, "out", 4);
	assert_true(out && heddle_write(h, out, &word, 4));
	run(h, out);
	assert_true(heddle_read(h, out, &word, 4));
	assert_int_equal(word, 42);
	assert_int_equal(
	    stat(h, "host_interface.to_device_bytes") + stat(h, "host_interface.from_device_bytes") + stat(h, "host_interface.copy_cycles"), 0);
	assert_int_equal(stat(h, "host_interface.sectors_written"), 1);
	/* A machine that has everything there. */
	uint64_t near = heddle_alloc(h, "near", 4);
	assert_true(heddle_set(h, "host.system_memory=true") && heddle_write(h, near, &word, 4));
	run(h, near);
	assert_int_equal(stat(h, "host_interface.to_device_bytes"), 0);
	assert_int_equal(stat(h, "host_interface.sectors_written"), 1);
	assert_int_equal(heddle_alloc_system(h, "huge", UINT64_C(1) << 40), 0);
	assert_non_null(strstr(heddle_messages(h), "for huge"));
	heddle_free(h);
}

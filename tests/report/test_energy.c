/* Energy (LU-9): exact sums of a documented table, by unit and over time; a mechanism that is off costs nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "base/output.h"
#include "api/api.h"
#include "config/keys.h"

/* Threads of a warp leave the loop one by one; shared and global memory, multiplications, a barrier. */
static const char source[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                             ".visible .entry k(.param .u64 x)\n{\n.reg .b32 %r<8>;\n.reg .f32 %f<6>;\n.reg .b64 %d<6>;\n.reg .pred %p<2>;\n"
                             ".shared .align 4 .b8 s[128];\n"
                             "ld.param.u64 %d1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
                             "mov.u32 %r4, s;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r4, %r4, %r5;\n"
                             "mov.u32 %r3, 0;\nLOOP:\nld.global.f32 %f2, [%d3];\nfma.rn.f32 %f3, %f2, %f2, %f2;\nadd.f32 %f3, %f3, %f2;\n"
                             "st.shared.f32 [%r4], %f3;\nld.shared.f32 %f4, [%r4];\n"
                             "st.global.f32 [%d3], %f4;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra LOOP;\nret;\n}\n";

static heddle *built(const char *preset, const char *const *settings)
{
	char path[64];
	hd_diag diag = {0};
	heddle *h = heddle_new();
	snprintf(path, sizeof path, "/tmp/heddle-energy-%ld.ptx", (long)getpid());
	assert_true(hd_write_file(path, source, sizeof source - 1, &diag));
	assert_true(heddle_config(h, preset));
	for (; settings && *settings; settings++)
		assert_true(heddle_set(h, *settings));
	if (!heddle_build(h, path, NULL))
		fail_msg("%s", heddle_messages(h));
	unlink(path);
	return h;
}

static void run(heddle *h)
{
	heddle_arg arg = heddle_pointer(heddle_alloc(h, "x", 256));
	heddle_launch launch = {.grid = {20}, .block = {32}, .args = &arg, .n_args = 1};
	if (heddle_run(h, &launch) != HEDDLE_DONE)
		fail_msg("%s", heddle_messages(h));
}

static uint64_t of(const heddle *h, const char *unit)
{
	char name[48];
	uint64_t value = 0;
	snprintf(name, sizeof name, "energy_fj.%s", unit);
	assert_true(heddle_stat(h, name, &value));
	return value;
}

/* By hand: what this run counted, times the table's figures. */
static void sums_are_exact(void **state)
{
	heddle *h = built("heddle", NULL);
	run(h);
	const hd_stats *s = hd_api_stats(h);
	uint64_t loops = 0, total;
	for (uint64_t lane = 0; lane < 32; lane++)
		loops += lane ? lane : 1;
	assert_int_equal(s->lanes_fma, 20 * 2 * loops);
	assert_int_equal(of(h, "register_read"), s->register_file_reads * 124800);
	assert_int_equal(of(h, "register_write"), s->register_file_writes * 148800);
	uint64_t out = s->register_file_compensation_reads + s->register_file_compensation_evictions;
	/* 5 cycles on the paths and in compensation registers of 8 pipelines */
	uint64_t compared = (s->register_file_reads + s->register_file_reads_forwarded) * 40;
	assert_int_equal(of(h, "forwarding"), s->register_file_reads_forwarded * 13800 + s->register_file_reads_across * 12200 + compared * 11);
	assert_int_equal(of(h, "compensation"), out * (2500 + 2 * 3100) + s->register_file_compensation_writes * (5800 + 2 * 10200));
	hd_energy all = hd_energy_of(hd_api_machine(h), s);
	assert_int_equal(hd_energy_registers(&all), of(h, "register_read") + of(h, "register_write") + of(h, "forwarding") + of(h, "compensation"));
	assert_true(s->register_file_reads_across > 0 && s->register_file_compensation_reads > 0);
	assert_int_equal(of(h, "alu"), s->lanes_alu * 950 + s->lanes_fma * 5200 + s->lanes_mul * 3900 + s->lanes_alu64 * 1900);
	assert_int_equal(of(h, "shared"), 20 * 2 * loops * 4600);
	assert_int_equal(of(h, "dram"), (s->memory_dram_reads + s->memory_dram_writes) * 1920000);
	assert_int_equal(of(h, "leakage"), s->run_cycles * (2 * 70000 + 126000));
	total = 0;
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++)
		total += of(h, hd_energy_names[i]);
	assert_int_equal(of(h, "total"), total);
	assert_true(total > 0 && s->register_file_compensation_writes > 0);
	assert_false(heddle_stat(h, "energy_fj.nothing", &total));
	/* Every lane's operation is in one class, and every class in one pipe. */
	assert_int_equal(s->run_thread_instructions, s->lanes_alu + s->lanes_fma + s->lanes_mul + s->lanes_alu64 + s->lanes_mul64 + s->lanes_coord +
	                                                 s->lanes_sfu + s->lanes_f64 + s->lanes_cvt + s->lanes_cvt64 + s->lanes_tex + s->lanes_latom +
	                                                 s->lanes_lsu + s->lanes_flow);
	assert_int_equal(s->run_warp_instructions, s->pipe_alu + s->pipe_coord + s->pipe_sfu + s->pipe_f64 + s->pipe_cvt + s->pipe_tex +
	                                               s->pipe_latom + s->pipe_lsu + s->pipe_flow);
	heddle_free(h);
}

/* Whatever the interval, the steps of each unit sum to its energy, the last one ends with the run, and nothing else changes. */
static void steps_sum_to_the_whole(void **state)
{
	static const char *const intervals[] = {"energy.interval=1", "energy.interval=7", "energy.interval=250", "energy.interval=1000000000"};
	heddle *quiet = built("heddle", NULL);
	run(quiet);
	assert_int_equal(hd_api_energy(quiet)->steps.n, 0);
	for (unsigned i = 0; i < HD_COUNT(intervals); i++) {
		const char *settings[] = {intervals[i], NULL};
		heddle *h = built("heddle", settings);
		for (unsigned again = 0; again < 2; again++) { /* a second run begins a new series */
			run(h);
			const hd_energy_series *series = hd_api_energy(h);
			uint64_t interval = hd_api_machine(h)->energy_interval, cycles = hd_api_stats(h)->run_cycles;
			assert_int_equal(series->steps.n, (cycles + interval - 1) / interval);
			assert_int_equal(series->cycles, cycles);
			for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++) {
				uint64_t sum = 0;
				for (size_t step = 0; step < series->steps.n; step++)
					sum += series->steps.at[step].fj[unit];
				assert_int_equal(sum, of(h, hd_energy_names[unit]));
			}
			/* Leakage is spent evenly: a full step has that of its cycles. */
			if (cycles > interval)
				assert_int_equal(series->steps.at[0].fj[HD_ENERGY_leakage], interval * (2 * 70000 + 126000));
			if (!again)
				assert_memory_equal(hd_api_stats(h), hd_api_stats(quiet), sizeof(hd_stats));
		}
		heddle_free(h);
	}
	heddle_free(quiet);
}

static void what_is_off_costs_nothing(void **state)
{
	static const char *const no_paths[] = {"last_use.path_b=0", "last_use.path_a=0", "last_use.compensation=0", NULL};
	static const char *const window[] = {"multi_issue.window=1", NULL};
	heddle *all = built("heddle", NULL), *baseline = built("baseline", NULL), *plain = built("heddle", no_paths),
	       *single = built("heddle", window);
	run(all);
	run(baseline);
	run(plain);
	run(single);
	assert_true(of(all, "fence") && of(all, "predecode") && of(all, "forwarding") && of(all, "compensation") && of(all, "divergence"));
	assert_int_equal(of(all, "scoreboard"), 0);
	assert_int_equal(of(single, "window"), 0);
	assert_true(of(all, "window") > 0);
	assert_int_equal(of(baseline, "fence"), 0);
	assert_int_equal(of(baseline, "predecode"), 0);
	assert_int_equal(of(baseline, "window"), 0);
	assert_true(of(baseline, "scoreboard") > 0 && of(baseline, "divergence") > 0);
	assert_int_equal(of(plain, "forwarding"), 0);
	assert_int_equal(of(plain, "compensation"), 0);
	assert_true(of(all, "register_write") < of(plain, "register_write"));
	heddle_free(all);
	heddle_free(baseline);
	heddle_free(plain);
	heddle_free(single);
}

/* The price of a file of compensation registers grows with its registers; slots that share it share them. The ways to an operand buffer and between
 * pipelines cost by their length, and every result in reach has a comparator. */
static void small_files_are_priced_by_size(void **state)
{
	static const struct {
		uint32_t registers, share;
		bool warp;
		uint64_t read, write, comparators;
	} rows[] = {{1, 1, false, 5600, 16000, 32}, {6, 1, false, 21100, 67000, 72}, {6, 1, true, 21100, 67000, 32},
	            {8, 2, true, 14900, 46600, 34}, {16, 16, true, 5600, 16000, 42}, {16, 4, true, 14900, 46600, 42}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine m;
		hd_machine_default(&m);
		m.last_use_compensation = rows[i].registers;
		m.last_use_compensation_of = rows[i].warp ? HD_OWNER_WARP : HD_OWNER_PIPE;
		m.last_use_compensation_share = rows[i].share;
		hd_stats s = {.run_cycles = 1, .register_file_compensation_reads = 60, .register_file_compensation_evictions = 40};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 100 * rows[i].read);
		s = (hd_stats){.run_cycles = 1, .register_file_compensation_writes = 100};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 100 * rows[i].write);
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_forwarding], rows[i].warp ? 100 * 13800 : 0);
		s = (hd_stats){.run_cycles = 1, .register_file_reads = 1, .register_file_reads_forwarded = 1};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_forwarding], 13800 + 2 * 11 * rows[i].comparators);
		s = (hd_stats){.run_cycles = 1,
		               .register_file_last_result_writes = 5,
		               .register_file_last_result_moves = 2,
		               .register_file_last_result_reads = 3};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 5 * 16000 + 5 * 5600);
	}
}

/* With every counter at 1 and every mechanism on, each key of section `energy` counts, in one unit, and docs/energy.md has a row for it. */
static void every_key_counts_and_is_documented(void **state)
{
	hd_stats stats;
	hd_text path = {0};
	hd_diag diag = {0};
	size_t size;
	const char *root = getenv("HEDDLE_SOURCE");
	for (size_t at = 0; at < sizeof stats; at += sizeof(uint64_t))
		memcpy((char *)&stats + at, &(uint64_t){1}, sizeof(uint64_t));
	hd_text_printf(&path, "%s/docs/energy.md", root ? root : ".");
	char *page = hd_read_file(path.at, 1 << 20, &size, &diag);
	assert_non_null(page);
	unsigned keys = 0;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (strncmp(key.path, "energy.", 7) != 0 || key.kind != HD_KEY_PJ)
			continue;
		unsigned units = 0;
		for (unsigned mode = 0; mode < 2; mode++) { /* fence counters and scoreboard are never both there */
			hd_machine machine, without;
			char value[HD_KEY_VALUE_MAX], row[128];
			hd_machine_default(&machine);
			machine.multi_issue_window = 4;
			machine.fence_mode = mode ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
			without = machine;
			assert_true(hd_key_store(&without, &key, "0", (hd_pos){0}, &diag));
			hd_energy a = hd_energy_of(&machine, &stats), b = hd_energy_of(&without, &stats);
			unsigned here = 0;
			for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++)
				here += a.fj[unit] != b.fj[unit];
			units = here > units ? here : units;
			hd_key_format(&machine, &key, value);
			snprintf(row, sizeof row, "| `%.40s` | %s |", key.path + 7, value);
			if (!strstr(page, row))
				fail_msg("docs/energy.md has no row %s", row);
		}
		if (units != 1)
			fail_msg("%s counts in %u units", key.path, units);
		keys++;
	}
	assert_true(keys > 40);
	free(page);
	hd_text_free(&path);
	hd_diag_free(&diag);
}

static void json_has_units_total_and_steps(void **state)
{
	static const char *const settings[] = {"energy.interval=500", "energy.alu=0.125", NULL};
	heddle *h = built("heddle", settings), *again = built("heddle", settings);
	run(h);
	run(again);
	char *text = heddle_report(h, HEDDLE_JSON), *other = heddle_report(again, HEDDLE_JSON), *page = heddle_report(h, HEDDLE_TEXT);
	assert_memory_equal(text, other, (size_t)(strstr(text, "\"host\"") - text));
	json_t *root = json_loads(text, 0, NULL), *units = json_object_get(root, "energy_pj"), *time = json_object_get(root, "energy_over_time");
	json_t *total = json_object_get(json_object_get(time, "pj"), "total");
	double sum = 0, steps = 0, whole = json_real_value(json_object_get(units, "total"));
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		json_t *unit = json_object_get(units, hd_energy_names[i]);
		assert_true(json_is_real(unit));
		assert_true(llround(json_real_value(unit) * 1000) == (long long)of(h, hd_energy_names[i]));
		sum += json_real_value(unit);
	}
	for (size_t i = 0; i < json_array_size(total); i++)
		steps += json_real_value(json_array_get(total, i));
	assert_int_equal(json_integer_value(json_object_get(time, "interval")), 500);
	assert_true(llround(sum * 1000) == llround(whole * 1000) && llround(steps * 1000) == llround(whole * 1000));
	assert_non_null(strstr(page, "Energy, in picojoule\n"));
	json_decref(root);
	free(text);
	free(other);
	free(page);
	heddle_free(h);
	heddle_free(again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(small_files_are_priced_by_size),
	    cmocka_unit_test(sums_are_exact),
	    cmocka_unit_test(steps_sum_to_the_whole),
	    cmocka_unit_test(what_is_off_costs_nothing),
	    cmocka_unit_test(every_key_counts_and_is_documented),
	    cmocka_unit_test(json_has_units_total_and_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Energy (LU-9): exact sums of a documented table, by unit and over time; a mechanism that is off costs nothing. */
#include "../test.h"
#include <jansson.h>
#include <math.h>
#include <unistd.h>

#include "base/output.h"
#include "api/api.h"
#include "config/keys.h"
#include "config/state_bits.h"
#include "report/energy_error.h"

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
TEST(sums_are_exact)
{
	heddle *h = built("heddle", NULL);
	run(h);
	const hd_stats *s = hd_api_stats(h);
	uint64_t loops = 0, total;
	for (uint64_t lane = 0; lane < 32; lane++)
		loops += lane ? lane : 1;
	assert_int_equal(s->lanes_fma, 20 * 2 * loops);
	assert_int_equal(of(h, "register_read"), s->register_file_reads * 124800 / 100 * 160);
	assert_int_equal(of(h, "register_write"), s->register_file_writes * 148800 / 100 * 160);
	uint64_t out = s->register_file_compensation_reads + s->register_file_compensation_evictions;
	/* 5 cycles on the paths and in compensation registers of 8 pipelines */
	uint64_t compared = (s->register_file_reads + s->register_file_reads_forwarded) * 40;
	uint64_t forwarding = s->register_file_reads_forwarded * 13800 + s->register_file_reads_across * 12200 + compared * 41;
	assert_true(forwarding * 160 / 100 - of(h, "forwarding") <= 2); /* every event is rounded down */
	assert_int_equal(of(h, "compensation"), (out * (2500 + 2 * 3100) + s->register_file_compensation_writes * (5800 + 2 * 10200)) / 100 * 160);
	hd_energy all = hd_energy_of(hd_api_machine(h), s);
	assert_int_equal(hd_energy_registers(&all), of(h, "register_read") + of(h, "register_write") + of(h, "forwarding") + of(h, "compensation"));
	assert_true(s->register_file_reads_across > 0 && s->register_file_compensation_reads > 0);
	assert_int_equal(of(h, "alu"), s->lanes_alu * 27000 + s->lanes_fma * 31200 + s->lanes_mul * 29900 + s->lanes_alu64 * 53900);
	assert_int_equal(of(h, "shared"), 20 * 2 * loops * 160000);
	assert_int_equal(of(h, "pipeline"), (s->run_issued + s->predecode_replays) * 240000);
	assert_int_equal(of(h, "dram"), (s->memory_dram_reads + s->memory_dram_writes) * 3900000);
	assert_int_equal(of(h, "clock"), s->run_issue_slots / 2 * 465000);
	assert_true(s->run_issue_slots / 2 <= 2 * s->run_cycles);
	assert_int_equal(of(h, "leakage"), s->run_cycles * (2 * 670000 + 126000));
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
TEST(steps_sum_to_the_whole)
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
				assert_int_equal(series->steps.at[0].fj[HD_ENERGY_leakage], interval * (2 * 670000 + 126000));
			if (!again)
				assert_memory_equal(hd_api_stats(h), hd_api_stats(quiet), sizeof(hd_stats));
		}
		heddle_free(h);
	}
	heddle_free(quiet);
}

TEST(what_is_off_costs_nothing)
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
TEST(small_files_are_priced_by_size)
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
		m.energy_register_file_scale = 100;
		m.last_use_compensation = rows[i].registers;
		m.last_use_compensation_of = rows[i].warp ? HD_OWNER_WARP : HD_OWNER_PIPE;
		m.last_use_compensation_share = rows[i].share;
		hd_stats s = {.run_cycles = 1, .register_file_compensation_reads = 60, .register_file_compensation_evictions = 40};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 100 * rows[i].read);
		s = (hd_stats){.run_cycles = 1, .register_file_compensation_writes = 100};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 100 * rows[i].write);
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_forwarding], rows[i].warp ? 100 * 13800 : 0);
		s = (hd_stats){.run_cycles = 1, .register_file_reads = 1, .register_file_reads_forwarded = 1};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_forwarding], 13800 + 2 * 41 * rows[i].comparators);
		s = (hd_stats){.run_cycles = 1,
		               .register_file_last_result_writes = 5,
		               .register_file_last_result_moves = 2,
		               .register_file_last_result_reads = 3};
		assert_int_equal(hd_energy_of(&m, &s).fj[HD_ENERGY_compensation], 5 * 16000 + 5 * 5600);
	}
}

/* Counter i of stats.def has the value 1000 + 7 i, so that no two sums of a few counters agree. */
static hd_stats distinct(void)
{
	hd_stats stats;
	uint64_t value = 1000;
	for (size_t at = 0; at < sizeof stats; at += sizeof value, value += 7)
		memcpy((char *)&stats + at, &value, sizeof value);
	return stats;
}

/* The energy in units of a key's price: every other price is 0, and this one is 1 fJ. */
static uint64_t events(const hd_machine *like, const hd_stats *stats, const char *name)
{
	hd_machine machine = *like;
	hd_diag diag = {0};
	bool found = false;
	machine.energy_register_file_scale = 100;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (strncmp(key.path, "energy.", 7) != 0 || key.kind != HD_KEY_PJ)
			continue;
		bool this = strcmp(key.path + 7, name) == 0;
		assert_true(hd_key_store(&machine, &key, this ? "0.001" : "0", (hd_pos){0}, &diag));
		found = found || this;
	}
	if (!found)
		fail_msg("no key energy.%s", name);
	hd_energy energy = hd_energy_of(&machine, stats);
	hd_diag_free(&diag);
	return hd_energy_total(&energy);
}

/* How often each event counts, by hand. A miss costs a look-up and a fill. What DRAM reads or takes passes the second level once more. */
TEST(every_event_counts_as_often_as_it_happens)
{
	hd_stats s = distinct();
	hd_machine fence, scoreboard;
	hd_machine_default(&fence);
	fence.multi_issue_window = 4;
	fence.fence_mode = HD_DEP_FENCE;
	fence.fence_wait_counters = true;
	fence.predecode_carrier = HD_CARRIER_LINE;
	fence.machine_clusters = 3;
	fence.machine_cores = 5;
	fence.machine_schedulers = 2;
	fence.predecode_issue_width = 2;
	scoreboard = fence;
	scoreboard.fence_mode = HD_DEP_SCOREBOARD;
	const struct {
		const char *key;
		uint64_t count;
	} rows[] = {
	    {"register_read", s.register_file_reads},
	    {"register_write", s.register_file_writes},
	    {"forward", s.register_file_reads_forwarded},
	    {"forward_across", s.register_file_reads_across + s.register_file_writes_across},
	    {"register_compare", (s.register_file_reads + s.register_file_reads_forwarded) * hd_result_comparators(&fence)},
	    {"compensation_read", s.register_file_compensation_reads + s.register_file_compensation_evictions},
	    {"compensation_read_entry", 2 * (s.register_file_compensation_reads + s.register_file_compensation_evictions)},
	    {"compensation_write", s.register_file_compensation_writes},
	    {"compensation_write_entry", 2 * s.register_file_compensation_writes},
	    {"last_result_read", s.register_file_last_result_reads + s.register_file_last_result_moves},
	    {"last_result_write", s.register_file_last_result_writes},
	    {"buffer_write", s.predecode_lines},
	    {"buffer_read", s.run_issued},
	    {"l1i", s.predecode_l1i_hits + s.predecode_l1i_misses + s.predecode_l1i_misses},
	    {"l15", s.predecode_l1i_misses + s.predecode_l15_misses + s.memory_constant_l15 + s.memory_constant_l15_misses},
	    {"predecode_line", s.predecode_lines},
	    {"predecode_hint", s.run_issued},
	    {"schedule", s.run_issue_slots / 2},
	    {"guess", s.predecode_predicted},
	    {"prediction", 0},
	    {"window_check", 3 * (s.multi_issue_sent_1 + s.multi_issue_sent_2 + s.multi_issue_sent_3 + s.multi_issue_sent_4_or_more)},
	    {"decode", s.predecode_decoded},
	    {"pipeline", s.run_issued + s.predecode_replays},
	    {"fence_update", 2 * s.fence_raised + 2 * s.fence_waits},
	    {"fence_check", s.run_issued + s.fence_descheduled},
	    {"queue", s.run_warp_instructions + s.run_dropped + s.predecode_squashed},
	    {"hazard_entry", s.fence_waits},
	    {"alu", s.lanes_alu},
	    {"fma", s.lanes_fma},
	    {"mul", s.lanes_mul},
	    {"alu64", s.lanes_alu64},
	    {"mul64", s.lanes_mul64},
	    {"coord", s.lanes_coord},
	    {"sfu", s.lanes_sfu},
	    {"f64", s.lanes_f64},
	    {"cvt", s.lanes_cvt},
	    {"cvt64", s.lanes_cvt64},
	    {"tex", s.lanes_tex},
	    {"latom", s.lanes_latom},
	    {"lsu", s.lanes_lsu},
	    {"flow", s.lanes_flow},
	    {"divergence", s.divergence_branches + s.divergence_resumes},
	    {"resume_check", s.run_issued},
	    {"stack_token", 2 * s.divergence_calls},
	    {"convergence_barrier", 0},
	    {"shared_word", s.memory_shared_words},
	    {"constant", s.memory_constant_hits + s.memory_constant_misses + s.memory_constant_misses},
	    {"l1", s.memory_l1_hits + s.memory_l1_misses + s.memory_l1_misses},
	    {"tlb", s.pages_tlb_hits + s.pages_tlb_misses + s.pages_tlb_misses},
	    {"tlb2", s.pages_tlb2_hits + s.pages_walks + s.pages_walks},
	    {"interconnect", s.memory_l2_hits + s.memory_l2_misses},
	    {"l2", s.memory_l2_hits + s.memory_l2_misses + s.memory_dram_reads + s.memory_dram_writes},
	    {"dram", s.memory_dram_reads + s.memory_dram_writes},
	    {"clock_core", s.run_issue_slots / 4},
	    {"leakage_core", s.run_cycles * 15},
	    {"leakage_shared", s.run_cycles},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++)
		if (events(&fence, &s, rows[i].key) != rows[i].count)
			fail_msg("%s counts %llu times, expected %llu", rows[i].key, (unsigned long long)events(&fence, &s, rows[i].key),
			         (unsigned long long)rows[i].count);
	assert_int_equal(events(&fence, &s, "scoreboard_check"), 0);
	assert_int_equal(events(&fence, &s, "scoreboard_update"), 0);
	assert_int_equal(events(&scoreboard, &s, "scoreboard_check"), s.run_issued + s.stall_scoreboard);
	assert_int_equal(events(&scoreboard, &s, "scoreboard_update"), s.run_issued);
	assert_int_equal(events(&scoreboard, &s, "fence_update") + events(&scoreboard, &s, "hazard_entry"), 0);
	fence.fence_wait_counters = false;
	assert_int_equal(events(&fence, &s, "fence_update"), 2 * s.fence_raised);
	fence.predecode_speculate = HD_SPECULATE_STATIC;
	assert_int_equal(events(&fence, &s, "prediction"), 0); /* no table */
	fence.predecode_speculate = HD_SPECULATE_COUNTERS;
	assert_int_equal(events(&fence, &s, "prediction"), s.predecode_predicted);
	fence.pages_tlb2_entries = 0;
	assert_int_equal(events(&fence, &s, "tlb2"), 0);
	/* PD-33: lines of 256 bits pay half. */
	fence.predecode_geometry = HD_GEOMETRY_COMPACT;
	assert_int_equal(events(&fence, &s, "buffer_write"), s.predecode_lines / 2);
	assert_int_equal(events(&fence, &s, "predecode_line"), s.predecode_lines / 2);
	assert_int_equal(events(&fence, &s, "l1i"), (s.predecode_l1i_hits + 2 * s.predecode_l1i_misses) / 2);
	assert_int_equal(events(&fence, &s, "l15"),
	                 (s.predecode_l1i_misses + s.predecode_l15_misses + s.memory_constant_l15 + s.memory_constant_l15_misses) / 2);
	fence.predecode_geometry = HD_GEOMETRY_FRONT;
	assert_int_equal(events(&fence, &s, "buffer_write"), s.predecode_lines);
	/* A functional run has no energy. */
	s.run_cycles = 0;
	assert_int_equal(events(&fence, &s, "alu"), 0);
}

/* The groups part the units. The register file is its file, forwarding and compensation registers; the factor is on these alone. */
TEST(groups_part_the_units)
{
	hd_stats s = distinct();
	hd_machine machine;
	uint64_t sum = 0;
	hd_machine_default(&machine);
	machine.energy_register_file_scale = 100;
	hd_energy plain = hd_energy_of(&machine, &s);
	machine.energy_register_file_scale = 250;
	hd_energy scaled = hd_energy_of(&machine, &s);
	for (unsigned group = 0; group < HD_ENERGY_GROUPS; group++)
		sum += hd_energy_of_group(&plain, (hd_energy_group)group);
	assert_int_equal(sum, hd_energy_total(&plain));
	assert_int_equal(hd_energy_registers(&plain), plain.fj[HD_ENERGY_register_read] + plain.fj[HD_ENERGY_register_write] +
	                                                  plain.fj[HD_ENERGY_forwarding] + plain.fj[HD_ENERGY_compensation]);
	assert_int_equal(plain.fj[HD_ENERGY_register_read] + plain.fj[HD_ENERGY_register_write],
	                 s.register_file_reads * 124800 + s.register_file_writes * 148800);
	assert_true(hd_energy_registers(&plain) * 5 - hd_energy_registers(&scaled) * 2 <= 2 * 10); /* every event is rounded down */
	assert_int_equal(hd_energy_total(&scaled) - hd_energy_registers(&scaled), hd_energy_total(&plain) - hd_energy_registers(&plain));
}

/* A picture of few steps: the interval doubles when there would be too many, and every two steps become one. An odd number leaves one alone. */
TEST(merged_steps_keep_their_sums)
{
	for (size_t most = 3; most <= 6; most++) {
		hd_machine machine;
		hd_stats s = {0};
		hd_energy_series series = {0};
		uint64_t drawn[64] = {0}, cycle = 0;
		hd_machine_default(&machine);
		hd_energy_series_begin(&series, &machine, most);
		for (unsigned i = 0; i < 50; i++) {
			cycle += 10 + i; /* always less than a step */
			s.run_cycles = cycle;
			s.lanes_alu += 1 + i * i;
			drawn[i] = (1 + i * i) * machine.energy_alu;
			hd_energy_series_sample(&series, cycle, &s);
			assert_int_equal(series.steps.n, (cycle - 1) / series.interval + 1);
			assert_true(series.steps.n <= most);
			uint64_t sums[8] = {0}, at = 0;
			for (unsigned k = 0; k <= i; k++) {
				at += 10 + k;
				sums[(at - 1) / series.interval] += drawn[k];
			}
			for (size_t step = 0; step < series.steps.n; step++)
				assert_int_equal(series.steps.at[step].fj[HD_ENERGY_alu], sums[step]);
		}
		/* 1,725 cycles in steps of 64 x 2^n: 27, 14, 7, 4, 2 */
		assert_int_equal(series.interval, most == 3 ? 1024 : 512);
		hd_energy_series_free(&series);
	}
}

/* With every counter at 2 and every mechanism on, each key of section `energy` counts, in one unit, and docs/energy.md has a row for it. */
TEST(every_key_counts_and_is_documented)
{
	hd_stats stats;
	hd_text path = {0};
	hd_diag diag = {0};
	size_t size;
	const char *root = getenv("HEDDLE_SOURCE");
	for (size_t at = 0; at < sizeof stats; at += sizeof(uint64_t))
		memcpy((char *)&stats + at, &(uint64_t){2}, sizeof(uint64_t));
	hd_text_printf(&path, "%s/docs/energy.md", root ? root : ".");
	char *page = hd_read_file(path.at, 1 << 20, &size, &diag);
	assert_non_null(page);
	unsigned keys = 0;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (strncmp(key.path, "energy.", 7) != 0 || key.kind != HD_KEY_PJ)
			continue;
		unsigned units = 0;
		for (unsigned mode = 0; mode < 6; mode++) { /* fence counters and scoreboard are never both there, nor two modes of divergence */
			hd_machine machine, without;
			char value[HD_KEY_VALUE_MAX], row[128];
			hd_machine_default(&machine);
			machine.multi_issue_window = 4;
			machine.predecode_speculate = HD_SPECULATE_COUNTERS;
			machine.fence_mode = mode & 1 ? HD_DEP_SCOREBOARD : HD_DEP_FENCE;
			machine.divergence_mode = (hd_divergence)(mode / 2);
			without = machine;
			assert_true(hd_key_store(&without, &key, "0", (hd_pos){0}, &diag));
			hd_energy a = hd_energy_of(&machine, &stats), b = hd_energy_of(&without, &stats);
			unsigned here = 0;
			for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++)
				here += a.fj[unit] != b.fj[unit];
			units = here > units ? here : units;
			hd_key_format(&machine, &key, value);
			unsigned percent = 0;
			hd_energy_cause cause;
			if (!hd_energy_price_of(key.path + 7, &percent, &cause) || !percent)
				fail_msg("src/report/energy.def has no uncertainty of %s", key.path);
			snprintf(row, sizeof row, "| `%.40s` | %s | %u | %s |", key.path + 7, value, percent, hd_energy_cause_names[cause]);
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

/* RC-16, RC-22: every mode pays for what it keeps, and not for what another one would. */
TEST(each_mode_of_divergence_pays_for_its_own)
{
	static const hd_stats stats = {.run_cycles = 1,
	                               .divergence_branches = 1000,
	                               .divergence_resumes = 300,
	                               .divergence_divergent = 70,
	                               .divergence_tokens = 11,
	                               .divergence_breaks = 5,
	                               .divergence_calls = 2};
	hd_machine m;
	hd_machine_default(&m);
	uint64_t resume = m.energy_divergence, token = m.energy_stack_token, barrier = m.energy_convergence_barrier,
	         per_mode[3] = {
	             [HD_DIV_RESUME] = 1300 * resume + 4 * token,
	             [HD_DIV_STACK] = (4 + 140 + 11 + 5) * token,
	             [HD_DIV_BARRIERS] = (4 + 140) * token + 11 * barrier,
	         };
	for (unsigned mode = 0; mode < 3; mode++) {
		m.divergence_mode = (hd_divergence)mode;
		hd_energy all = hd_energy_of(&m, &stats);
		for (unsigned unit = 0; unit < HD_ENERGY_UNITS; unit++)
			if (strcmp(hd_energy_names[unit], "divergence") == 0)
				assert_int_equal(all.fj[unit], per_mode[mode]);
	}
}

/* RC-22: a load of the PC pays for its resume check: one comparison with MINRC, or one with each lane's resume counter. */
TEST(each_load_of_the_pc_pays_for_its_resume_check)
{
	static const hd_stats stats = {.run_cycles = 1, .run_issued = 500};
	hd_machine m;
	hd_machine_default(&m);
	m.energy_resume_check = 7;
	for (unsigned mode = 0; mode < 3; mode++)
		for (unsigned minrc = 0; minrc < 2; minrc++)
			for (unsigned lane = 0; lane < 2; lane++) {
				m.divergence_mode = (hd_divergence)mode;
				m.divergence_minrc = minrc;
				m.divergence_comparators = (hd_comparators)lane;
				hd_energy all = hd_energy_of(&m, &stats);
				assert_int_equal(all.fj[HD_ENERGY_divergence], mode != HD_DIV_RESUME ? 0 : lane || !minrc ? 500 * 32 * 7 : 500 * 7);
			}
}

/* RC-22: with gated groups a register access pays for the groups with an active lane, and a pipe for all lanes of these. */
TEST(groups_without_an_active_lane_cost_nothing)
{
	static const hd_stats stats = {.run_cycles = 1,
	                               .register_file_reads = 10,
	                               .register_file_writes = 20,
	                               .register_file_reads_forwarded = 30,
	                               .lanes_alu = 40,
	                               .lane_groups_reads = 48,
	                               .lane_groups_writes = 56,
	                               .lane_groups_forwarded = 64,
	                               .lane_groups_alu = 11};
	hd_machine m;
	hd_machine_default(&m);
	m.energy_register_file_scale = 100;
	m.energy_register_compare = 0;
	for (unsigned gated = 0; gated <= 8; gated += 8) {
		m.energy_gated_groups = gated;
		hd_energy all = hd_energy_of(&m, &stats);
		assert_int_equal(all.fj[HD_ENERGY_register_read], (gated ? 6 : 10) * UINT64_C(124800));
		assert_int_equal(all.fj[HD_ENERGY_register_write], (gated ? 7 : 20) * UINT64_C(148800));
		assert_int_equal(all.fj[HD_ENERGY_forwarding], (gated ? 8 : 30) * UINT64_C(13800));
		assert_int_equal(all.fj[HD_ENERGY_alu], (gated ? 44 : 40) * UINT64_C(27000));
	}
}

TEST(json_has_units_total_and_steps)
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
	assert_non_null(strstr(page, "Energy, in picojoule, with one standard deviation\n"));
	/* The uncertainty has the keys of the energy, and goes through to the sum (spec/60: keys are added, none changes). */
	json_t *errors = json_object_get(root, "energy_uncertainty_pj");
	hd_energy_error error = hd_energy_error_of(hd_api_machine(h), hd_api_stats(h));
	double squares = 0;
	assert_int_equal(json_object_size(errors), json_object_size(units));
	for (unsigned i = 0; i < HD_ENERGY_UNITS; i++) {
		char name[64];
		uint64_t value = 0;
		json_t *unit = json_object_get(errors, hd_energy_names[i]);
		snprintf(name, sizeof name, "energy_uncertainty_fj.%s", hd_energy_names[i]);
		assert_true(heddle_stat(h, name, &value));
		assert_int_equal(value, hd_energy_error_sum(&error, hd_energy_set_of((hd_energy_unit)i)));
		assert_true(json_is_real(unit) && llround(json_real_value(unit) * 1000) == (long long)value);
		assert_true((value > 0) == (of(h, hd_energy_names[i]) > 0));
		squares += (double)value * (double)value;
	}
	uint64_t whole_error = 0;
	assert_true(heddle_stat(h, "energy_uncertainty_fj.total", &whole_error));
	assert_false(heddle_stat(h, "energy_uncertainty_fj.nothing", &whole_error));
	assert_false(heddle_stat(h, "energy_uncertainty_fj", &whole_error));
	assert_true(llround(json_real_value(json_object_get(errors, "total")) * 1000) == (long long)whole_error);
	/* Units share causes, so the sum's error is above the root of their squares, and below their sum. */
	assert_true((double)whole_error > sqrt(squares) && whole_error < of(h, "total"));
	char percent[32];
	snprintf(percent, sizeof percent, "+/- %3.0f %%", 100.0 * (double)whole_error / (double)of(h, "total"));
	char *total_line = strstr(strstr(page, "Energy, in picojoule"), "  total ");
	assert_non_null(total_line);
	assert_true(strstr(total_line, percent) && strstr(total_line, percent) < strchr(total_line, '\n'));
	char *dram_line = strstr(total_line, "  dram ");
	assert_non_null(dram_line);
	assert_true(strstr(dram_line, "+/-  65 %  DRAM\n") && strstr(dram_line, "+/-  65 %") < strchr(dram_line, '\n'));
	json_decref(root);
	free(text);
	free(other);
	free(page);
	heddle_free(h);
	heddle_free(again);
}

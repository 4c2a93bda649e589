/* Every issue slot belongs to one instruction: the profile's totals are the run's counters, cause by cause, and watching changes nothing. */
#include "../test.h"
#include <unistd.h>

#include "base/output.h"
#include "api/api.h"
#include "report/profile.h"

static const char source[] = ".version 6.0\n.target sm_60\n.address_size 64\n"
                             ".visible .entry k(.param .u64 x)\n{\n.reg .b32 %r<8>;\n.reg .b64 %d<6>;\n.reg .pred %p<2>;\n"
                             "ld.param.u64 %d1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\nadd.s64 %d3, %d1, %d2;\n"
                             "mov.u32 %r3, 0;\nLOOP:\nld.global.u32 %r2, [%d3];\nmul.lo.u32 %r2, %r2, 3;\nadd.u32 %r2, %r2, %r3;\n"
                             "st.global.u32 [%d3], %r2;\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra LOOP;\nret;\n}\n";

/* One machine: without a watcher, then with one. The kernel's threads leave the loop one by one; a barrier counts warps that still come, so the block
 * is one warp. */
static void totals_on(const char *machine, const char *path)
{
	heddle *h = heddle_new();
	assert_true(heddle_config(h, machine) && heddle_build(h, path, NULL));
	hd_stats quiet = {0};
	for (int watched = 0; watched < 2; watched++) {
		heddle_arg arg = heddle_pointer(heddle_alloc(h, "x", 256));
		heddle_launch launch = {.grid = {40}, .block = {32}, .args = &arg, .n_args = 1};
		hd_profile *p = watched ? hd_profile_new(hd_api_machine(h), hd_api_program(h)) : NULL;
		hd_api_watch(h, p ? &p->trace : NULL);
		if (heddle_run(h, &launch) != HEDDLE_DONE)
			fail_msg("%s", heddle_messages(h));
		const hd_stats *stats = hd_api_stats(h);
		if (!watched) {
			quiet = *stats;
			continue;
		}
		assert_int_equal(quiet.run_cycles, stats->run_cycles);
		assert_memory_equal(quiet.stall, stats->stall, sizeof quiet.stall);
		uint64_t lost[HD_STALL_COUNT] = {0}, sectors = 0, issued = 0, used = 0, dropped = 0, lanes = 0, all = 0, waits = 0, in_bins = 0;
		for (uint32_t pc = 0; pc <= p->program->n_slots; pc++) {
			const hd_profile_row *row = &p->rows[pc];
			issued += row->issued;
			used += row->slots;
			dropped += row->dropped;
			lanes += row->lanes;
			all += hd_profile_slots(row);
			sectors += row->sectors;
			for (unsigned i = 0; i < HD_STALL_COUNT; i++)
				lost[i] += row->lost[i];
			for (size_t i = 0; i < row->waits.n; i++) {
				waits += row->waits.at[i].slots;
				assert_int_equal(p->program->slots[row->waits.at[i].raiser].inst.primary, row->waits.at[i].counter);
			}
		}
		for (unsigned b = 0; b < HD_PROFILE_BINS; b++)
			for (unsigned i = 0; i <= HD_STALL_COUNT; i++)
				in_bins += p->slots[b][i];
		for (unsigned i = 0; i < HD_STALL_COUNT; i++)
			assert_int_equal(lost[i], stats->stall[i]);
		assert_int_equal(issued, stats->run_issued);
		assert_int_equal(dropped, stats->run_dropped);
		assert_int_equal(used, stats->run_slots_used);
		assert_int_equal(all, stats->run_issue_slots);
		assert_int_equal(in_bins, all);
		assert_true(sectors > 0 && sectors == stats->memory_sectors);
		assert_true(lanes > 0);
		assert_int_equal(issued == used, stats->run_issued == stats->run_slots_used);
		assert_int_equal(waits > 0, hd_api_machine(h)->fence_mode == HD_DEP_FENCE);
		hd_text text = {0};
		hd_profile_listing(p, &(hd_input){.path = "k.ptx"}, stats->run_cycles, &text);
		assert_int_equal(strstr(text.at, " for counter ") != NULL, waits > 0);
		hd_text_free(&text);
		hd_profile_free(p);
	}
	heddle_free(h);
}

TEST(totals_are_the_runs)
{
	static const char *const machines[] = {"heddle", "baseline", "baseline+multi-issue", "heddle+multi-issue", "heddle-predecode", "predecode"};
	char path[64];
	snprintf(path, sizeof path, "/tmp/heddle-profile-%ld.ptx", (long)getpid());
	hd_diag diag = {0};
	assert_true(hd_write_file(path, source, sizeof source - 1, &diag));
	for (unsigned i = 0; i < HD_COUNT(machines); i++)
		totals_on(machines[i], path);
	unlink(path);
	hd_diag_free(&diag);
}

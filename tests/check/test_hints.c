/* The proofs from hints and their limits (PD-5, PD-7, PD-8, PD-18, PD-22; HZ-27): each program is checked, and run on the machine and in the
 * interpreter. Proven programs must be right; these wrong ones are wrong in memory, too: nothing in the machine hides them. */
#include "../test.h"

#include "../run_object.h"
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"

enum { THREADS = 32, BYTES = THREADS * 4 };

/* r2:r3 = address of this thread's word; r0 = its number, r1 four times that; r5 = 7. All settled, for all pipes, by the branch that nobody takes. */
static const char head[] = ".kernel \"k\"\n.entry start\n.registers 16\n.shared 4096\n.param_bytes 8\n"
                           ".param \"out\", 0, 8, 8, pointer, global\n.function \"k\"\n"
                           "start: s2r r0, tid.x {p1.w}\n"
                           "mov r2, c[0x40] {w100000 p3.w delay 4}\n"
                           "mov r3, c[0x44] {p3.w delay 4}\n"
                           "shl r1, r0, #2 {w100000 p3.w delay 4}\n"
                           "iadd r2, r2, r1 {p3.w delay 4}\n"
                           "movi r5, 0x7 {p3.w delay 4}\n"
                           "@!pt bra start {w101000}\n";
static const char tail[] = "exit\n.end\n";

static hd_object *assemble(const char *geometry, const char *body)
{
	hd_text text = {0};
	hd_diag diag = {0};
	hd_text_printf(&text, ".geometry %s\n%s%s%s", geometry, head, body, tail);
	hd_object *object = hd_assemble(text.at, text.n, "hints", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_text_free(&text);
	hd_diag_free(&diag);
	return object;
}

static void run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t *out)
{
	hd_stats stats;
	memset(out, 0, BYTES);
	assert_true(run_object(object, machine, timed, 1, THREADS, out, BYTES, &stats));
}

/* Proven and right, or neither. */
static void expect_in(const char *geometry, const char *body, const char *const *settings, bool good)
{
	uint8_t oracle[BYTES], bytes[BYTES];
	hd_machine machine;
	hd_diag diag = {0};
	hd_check_report report;
	hd_object *object = assemble(geometry, body);
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	machine.predecode_issue_width = 2;
	machine.fence_classify = HD_CLASSIFY_LATENCY;
	machine.fence_threshold = 12; /* the counters below are written for it */
	for (; settings && *settings; settings++)
		assert_true(hd_machine_set(&machine, *settings, &diag));
	bool proven = hd_check(object, &machine, &report);
	if (proven != good) {
		hd_text text = {0};
		if (report.findings.n)
			hd_finding_print(&text, &report.findings.at[0], object, "hints");
		fail_msg("%s: %s: %s", body, proven ? "proven" : "not proven", text.at ? text.at : "");
	}
	run(object, &machine, false, oracle);
	run(object, &machine, true, bytes);
	if ((memcmp(oracle, bytes, BYTES) == 0) != good)
		fail_msg("%s: the machine's bytes are %s", body, good ? "wrong" : "right");
	hd_check_report_free(&report);
	hd_object_free(object);
}

static void expect(const char *body, const char *const *settings, bool good) { expect_in("line", body, settings, good); }

/* The latency of the alu is 4: every hint that carries a delay, with it and one cycle short. */
TEST(a_delay_one_too_short_is_wrong_and_objected_to)
{
	static const char *const hints[] = {"delay", "hold", "hold.replay", "hold.mem", "hold.replay.mem", "may_replay"};
	char body[200];
	for (unsigned i = 0; i < HD_COUNT(hints); i++) {
		for (unsigned cycles = 3; cycles < 5; cycles++) {
			snprintf(body, sizeof body, "iadd r5, r5, r0 {%s %u}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", hints[i],
			         cycles);
			expect(body, NULL, cycles == 4);
		}
	}
	/* A wait begins a cycle later. */
	expect("iadd r5, r5, r0\niadd r6, r5, #100 {wait 3 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, true);
	expect("iadd r5, r5, r0\niadd r6, r5, #100 {wait 2 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, false);
}

/* The number of a boost or a lower is no delay; that of a default neither: both are as the configuration says. */
TEST(what_is_no_delay)
{
	static const char *const four[] = {"predecode.default_delay=4", NULL}, *const wait[] = {"predecode.default_delay=4",
	                                                                                        "predecode.default_hint=wait", NULL};
	static const char *const hints[] = {"boost", "lower", "default"};
	char body[200];
	for (unsigned i = 0; i < HD_COUNT(hints); i++) {
		snprintf(body, sizeof body, "iadd r5, r5, r0 {%s 9}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", hints[i]);
		expect(body, NULL, false);
		expect(body, four, true);
	}
	/* As a wait, `default` holds back the instruction that has it; boost and lower then are not longer than a cycle. */
	expect("iadd r5, r5, r0 {delay 1}\niadd r6, r5, #100 {default p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", wait, true);
	expect("iadd r5, r5, r0 {default}\niadd r6, r5, #100 {delay 1 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", wait, false);
}

/* The second of a pair depends on the first, in its pipe (it is no pair then, but a distance of one), or in another without a counter. A counter that
 * it waits for in its queue covers it. Where pairs are not honoured its number is a delay. */
TEST(a_pair_whose_second_depends)
{
	static const char *const off[] = {"predecode.pair=false", NULL}, *const narrow[] = {"predecode.issue_width=1", NULL},
	                         *const window[] = {"multi_issue.window=2", NULL};
	static const char same[] = "iadd r5, r5, r0 {pair 4}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n";
	expect(same, NULL, true);
	expect("iadd r5, r5, r0 {pair 3}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, false);
	expect(same, off, true);
	expect(same, narrow, true);
	expect(same, window, true);
	static const char late[] = "fex2 r8, rz {pair}\niadd r5, r5, r0 {delay 4}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n";
	expect(late, NULL, true);
	/* Their distance from the pair counts from the second on. */
	expect("iadd r5, r5, r0 {pair}\nfex2 r8, rz {delay 3}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, false);
	expect("iadd r5, r5, r0 {pair}\nfex2 r8, rz {delay 4}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, true);
	expect("iadd r5, r5, r0 {pair}\nshfl.bfly r6, r5, rz, rz {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, false);
	expect("iadd r5, r5, r0 {p1.w pair}\nshfl.bfly r6, r5, rz, rz {w100000 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, true);
}

/* A plain hold has waited for all of memory; with .mem it has waited for nothing, and with a window neither. */
TEST(a_hold_settles_memory)
{
	static const char *const off[] = {"predecode.hold=false", NULL}, *const window[] = {"multi_issue.window=2", NULL};
	static const struct {
		const char *hint;
		bool good;
	} rows[] = {{"hold 4", true}, {"hold.replay 4", true}, {"hold.mem 4", false}, {"hold.replay.mem 4", false}, {"delay 4", false}};
	char body[300];
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		snprintf(body, sizeof body, "sts.32 [rz], r0 {delay 4}\nlds.32 r5, [rz]\niadd r6, r5, #100 {%s p4.w}\nstg.32 [r2:r3], r6 {w000100}\n",
		         rows[i].hint);
		expect(body, NULL, rows[i].good);
		expect(body, off, false);
		expect(body, window, false);
	}
	/* The instruction behind a hold is covered, too. */
	expect("lds.32 r5, [r1]\nfex2 r8, rz {hold 1}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", NULL, true);
}

/* PD-10, PD-16: refused and replayed, with conflicts of banks, and right with the counters that it would need anyhow; without them wrong. */
TEST(replays_need_no_more_than_the_counters)
{
	expect("shl r7, r0, #4 {delay 4}\nfadd r8, rz, rz {p4.w}\nsts.32 [r7], r0 {w000100 may_replay 1}\nlds.32 r6, [r7] {p5.w may_replay 1}\n"
	       "stg.32 [r2:r3], r6 {w000010}\n",
	       NULL, true);
	expect("shl r7, r0, #4 {delay 4}\nfadd r8, rz, rz {p4.w}\nsts.32 [r7], r0 {w000100 may_replay 1}\nlds.32 r6, [r7] {may_replay 1}\n"
	       "stg.32 [r2:r3], r6\n",
	       NULL, false);
}

/* PD-24: two hints of an entry hold together. What none of them promises is not proven, and is wrong. */
TEST(two_hints_hold_together)
{
	static const char *const combined[] = {"predecode.geometry=combined", NULL},
	                         *const off[] = {"predecode.geometry=combined", "predecode.pair=false", NULL},
	                         *const by_default[] = {"predecode.geometry=combined", "predecode.default_delay=4", NULL};
	static const struct {
		const char *hints;
		bool good;
	} rows[] = {
	    {"delay 4 may_replay", true},  {"delay 3 may_replay", false}, {"may_replay delay 4", true}, {"delay 1 hold.mem 4", true},
	    {"delay 3 hold.mem 3", false}, {"lower 9 delay 4", true},     {"delay 4 lower 9", true},    {"lower 9 delay 3", false},
	    {"delay 3 boost 9", false},    {"boost 9 lower 9", false},    {"default 9 delay 4", true},  {"delay 3 default 9", false},
	    {"delay 4 wait 2", true},      {"wait 4 delay 3", false},     {"pair 2 delay 4", true}, /* of one pipe: no pair */
	    {"delay 2 pair 4", true},      {"pair 3 delay 2", false},     {"pair 3 lower 9", false},    {"lower 9 pair 4", true},
	};
	char body[200];
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		snprintf(body, sizeof body, "iadd r5, r5, r0 {%s}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", rows[i].hints);
		expect_in("combined", body, combined, rows[i].good);
		expect_in("combined", body, off, rows[i].good);
	}
	/* The second of a pair in another pipe needs a counter, whatever stands beside `pair`. */
	expect_in("combined", "iadd r5, r5, r0 {delay 4 pair}\nshfl.bfly r6, r5, rz, rz {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", combined, false);
	expect_in("combined", "iadd r5, r5, r0 {p1.w delay 4 pair}\nshfl.bfly r6, r5, rz, rz {w100000 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n",
	          combined, true);
	/* A wait of the reader, beside another hint. */
	expect_in("combined", "iadd r5, r5, r0\niadd r6, r5, #100 {lower 3 wait 3 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", combined, true);
	expect_in("combined", "iadd r5, r5, r0\niadd r6, r5, #100 {wait 1 wait 2 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", combined, false);
	expect_in("combined", "iadd r5, r5, r0\niadd r6, r5, #100 {wait 3 hold.mem p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", combined, true);
	/* A plain hold waits for memory, whichever hint it is. */
	expect_in("combined", "stg.32 [r2:r3], r5\nldg.32 r6, [r2:r3]\niadd r6, r6, #1 {delay 1 hold p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", combined,
	          true);
	expect_in("combined", "stg.32 [r2:r3], r5\nldg.32 r6, [r2:r3]\niadd r6, r6, #1 {hold.mem delay 1 p4.w}\nstg.32 [r2:r3], r6 {w000100}\n",
	          combined, false);
	/* The pair issues in one cycle whichever hint says so: what is behind it comes a cycle later, or as much as the delay where it is split. */
	static const char behind[] =
	    "iadd r5, r5, r0 {delay 3 pair}\nfex2 r8, rz {delay 1}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n";
	expect_in("combined", behind, combined, false);
	expect_in("combined", behind, off, true);
	/* The delay of `default` counts neither for a boost or lower beside another hint nor for a second `default`. */
	expect_in("combined", "iadd r5, r5, r0 {lower 9 delay 3}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", by_default, false);
	expect_in("combined", "iadd r5, r5, r0 {delay 3 default}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", by_default, false);
	expect_in("combined", "iadd r5, r5, r0 {lower 9 boost 9}\niadd r6, r5, #100 {p4.w}\nstg.32 [r2:r3], r6 {w000100}\n", by_default, true);
}

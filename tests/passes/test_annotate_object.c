/* Annotations of finished machine code (HZ-33): marks made by hand stay, orders are kept, what is wrong is refused. */
#include "../test.h"

#include "check/check.h"
#include "passes/passes.h"

#define ONE "multi_issue.window=1 multi_issue.types=opcode" /* plain delays */
#define HEAD ".counters 6\n.kernel \"k\"\n.entry start\n.registers 40\n.param_bytes 16\n.function \"k\"\nstart: s2r r0, tid.x\nshl r1, r0, #2\n"

static hd_object *annotate(const char *text, const char *settings, bool strip, hd_diag *diag)
{
	hd_machine machine;
	hd_machine_default(&machine);
	for (char one[100]; settings && sscanf(settings, "%99s", one) == 1; settings = strchr(settings, ' ') ? strchr(settings, ' ') + 1 : NULL)
		if (!hd_machine_set(&machine, one, diag))
			fail_msg("%s", diag->text.at);
	hd_object *in = hd_assemble(text, strlen(text), "t.hasm", diag);
	if (!in)
		fail_msg("%s", diag->text.at);
	hd_object *out = hd_annotate_object(in, &machine, strip, "t.hasm", diag);
	assert_int_equal(out == NULL, diag->errors > 0);
	if (out) {
		hd_check_report report;
		assert_true(hd_object_validate(out, "t.hasm", diag));
		if (!hd_check(out, &machine, &report)) {
			hd_text finding = {0};
			hd_finding_print(&finding, &report.findings.at[0], out, "t.hasm");
			fail_msg("%s", finding.at);
		}
		hd_check_report_free(&report);
	}
	hd_object_free(in);
	return out;
}

static hd_object *annotated(const char *text, const char *settings, bool strip)
{
	hd_diag diag = {0};
	hd_object *out = annotate(text, settings, strip, &diag);
	if (!out)
		fail_msg("%s", diag.text.at);
	return out;
}

/* The n-th instruction with that mnemonic, and its pre-decode byte. */
static hd_inst find(const hd_object *o, const char *mnemonic, unsigned n, unsigned *byte)
{
	hd_inst inst = {0};
	for (uint32_t word = 0; word < o->code.n; word++) {
		const char *why;
		if (!hd_object_begins(o, word) || !hd_line_get(o->geometry, o->code.at, word, &inst, &why) ||
		    strcmp(hd_ops[inst.op].mnemonic, mnemonic) != 0 || n--)
			continue;
		if (byte)
			*byte = hd_object_hint(o, word);
		return inst;
	}
	fail_msg("no %s", mnemonic);
	return inst;
}

static void refused(const char *text, const char *settings, const char *why)
{
	hd_diag diag = {0};
	assert_null(annotate(text, settings, false, &diag));
	if (!strstr(diag.text.at, why))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
}

TEST(plain_code_gets_counters_and_delays)
{
	hd_object *o = annotated(
	    HEAD "imulw.u32 r2:r3, r0, #4\niadd64 r4:r5, r2:r3, c[0x40]\nldg.32 r6, [r4:r5]\niadd r7, r6, #1\nstg.32 [r4:r5], r7\nexit\n.end\n", NULL,
	    false);
	hd_inst load = find(o, "ldg", 0, NULL), add = find(o, "iadd", 0, NULL);
	assert_true(load.primary && !load.release);
	assert_true(add.wait >> (load.primary - 1) & 1);
	assert_non_null(o->machine);
	assert_int_equal(o->kernels.at[0].registers, 40);
	hd_object_free(o);
}

TEST(marks_stay)
{
	static const char text[] =
	    HEAD "imulw.u32 r2:r3, r0, #4 {p3.w}\niadd64 r4:r5, r2:r3, c[0x40] {delay 9}\nldg.32 r6, [r4:r5] {p5.w boost 2}\n"
	         "iadd r7, r1, #1 {w010000}\niadd r8, r6, r7\niadd r9, r8, r8 {pass}\niadd r10, r9, r9\niadd r12, r10.lu, r10.lu\nexit\n.end\n";
	unsigned byte;
	hd_object *o = annotated(text, ONE, false);
	assert_int_equal(find(o, "imulw.u32", 0, NULL).primary, 3);
	assert_int_equal(find(o, "ldg", 0, &byte).primary, 5);
	assert_int_equal(byte >> 4, HD_HINT_BOOST);
	find(o, "iadd64", 0, &byte);
	assert_true(byte >> 4 == HD_HINT_DELAY && (byte & 15) >= 9);
	assert_true(find(o, "iadd", 0, NULL).wait >> 1 & 1);
	hd_object_free(o);
	o = annotated(text, ONE, true); /* forgotten */
	assert_false(find(o, "iadd", 0, NULL).wait >> 1 & 1);
	find(o, "iadd64", 0, &byte);
	assert_true((byte & 15) < 9);
	find(o, "ldg", 0, &byte);
	assert_int_not_equal(byte >> 4, HD_HINT_BOOST);
	hd_object_free(o);
}

/* A delay by hand grows where a dependence needs more. */
TEST(a_delay_that_is_too_short_grows)
{
	unsigned byte;
	hd_object *o = annotated(HEAD "iadd r2, r1, #1 {delay 2}\niadd r3, r2, #1\nexit\n.end\n", ONE, false);
	find(o, "iadd", 0, &byte);
	assert_int_equal(byte, HD_HINT_DELAY << 4 | 4);
	hd_object_free(o);
}

/* No register orders the two accesses. */
TEST(orders_are_kept)
{
	static const char plain[] = HEAD "first: stg.32 [r2:r3], r1\nsecond: ldg.32 r4, [r2:r3]\nexit\n.end\n";
	static const char ordered[] = HEAD "first: stg.32 [r2:r3], r1\nsecond: ldg.32 r4, [r2:r3]\nexit\n.end\n.order first, second\n";
	static const char loop[] = HEAD
	    "back: nop\nfirst: stg.32 [r2:r3], r1\niadd r5, r5, #1\nsecond: ldg.32 r4, [r2:r3]\n@p0 bra back\nexit\n.end\n.order first, second\n";
	hd_object *o = annotated(plain, NULL, false);
	assert_false(find(o, "ldg", 0, NULL).wait & 1u << (find(o, "stg", 0, NULL).primary + 31) % 32);
	hd_object_free(o);
	o = annotated(ordered, NULL, true);
	hd_inst store = find(o, "stg", 0, NULL);
	assert_true(store.primary && !store.release);
	assert_true(find(o, "ldg", 0, NULL).wait >> (store.primary - 1) & 1);
	assert_int_equal(o->orders.n, 1);
	assert_true(o->orders.at[0].first < o->orders.at[0].second);
	hd_object_free(o);
	/* The first one does not wait for itself of the turn before. */
	o = annotated(loop, NULL, false);
	store = find(o, "stg", 0, NULL);
	assert_true(store.primary && !(store.wait >> (store.primary - 1) & 1));
	hd_object_free(o);
	refused(ordered, "fence.mode=scoreboard", "which knows no .order");
}

/* RC-21: a flag stays, with `strip`, too, even on a no-op, and lanes that wait there are thought of: r1 of the other side is no longer on its way. */
TEST(flags_of_tokens_stay)
{
	static const char text[] = HEAD "isetp.eq p0, r0, rz\npush M\n@p0 bra L\nldg.32 r1, [r2:r3]\nM: nop {h4}\niadd r4, r1, r1\nexit\n"
	                                "L: mov r5, r1\nbra M\n.end\n";
	for (unsigned strip = 0; strip < 2; strip++) {
		hd_object *o = annotated(text, "divergence.mode=stack divergence.pop=flag", strip);
		assert_int_equal(find(o, "nop", 0, NULL).hint3, HD_MEETS);
		assert_int_equal(find(o, "iadd", 0, NULL).hint3, 0);
		assert_int_not_equal(find(o, "mov", 0, NULL).wait, 0);
		hd_object_free(o);
		o = annotated(text, "divergence.mode=stack", true);
		assert_int_equal(find(o, "iadd", 0, NULL).hint3, 0);
		hd_object_free(o);
	}
}

TEST(marks_that_cannot_stay_are_refused)
{
	refused(HEAD "ldg.32 r6, [r2:r3] {p5.r}\niadd r7, r6, #1\nexit\n.end\n", NULL,
	        "word 3, `ldg.32 r6, [r2:r3]`: the release by its reads (.r) is too early");
	refused(HEAD "fex2 r6, r1 {pass}\niadd r7, r6, #1\nexit\n.end\n", NULL, "the mark `pass` is impossible");
	refused(HEAD "fex2 r6, r1 {p5.w}\nexit\n.end\n", "fence.counters=4", "more than the 4 fence counters");
	/* The branch that waits for the counter of its own instruction needs a word. */
	refused(".kernel \"k\"\n.entry start\n.registers 9\n.function \"k\"\nstart: movi r1, 4\nldg.32 r2, [r4:r5] {p5.w}\nldg.32 r4, [r2:r3] "
	        "{p5.w}\nbrx r1\n.target\nexit\n.end\n",
	        NULL, "the target of indirect jumps at word 5 moves to 6");
}

/* Another number of counters, another geometry, another machine: code moves, and entries and branches with it. */
TEST(code_moves_between_machines)
{
	static const char text[] = ".kernel \"k\"\n.entry start\n.registers 9\n.param_bytes 8\n.function "
	                           "\"f\"\nnop\nnop\nnop\nret\n.end\n.ss\n.function \"k\"\nnop\nnop\nstart: s2r r0, tid.x\n"
	                           "loop: imulw.u32 r2:r3, r0, #4\niadd64 r4:r5, r2:r3, c[0x40]\nldg.32 r6, [r4:r5]\niadd r0, r6, #1\nisetp.lt p0, "
	                           "r0, #9\n@p0 bra loop\nexit\n.end\n";
	static const char *const settings[] = {"fence.counters=3", "predecode.geometry=wide", "predecode.geometry=short",
	                                       "predecode.carrier=instruction", "divergence.mode=barriers"};
	for (unsigned i = 0; i < HD_COUNT(settings); i++) {
		hd_object *o = annotated(text, settings[i], true);
		const hd_function *f = hd_object_function(o, o->kernels.at[0].entry);
		assert_string_equal(f->name, "k");
		hd_inst first;
		const char *why;
		assert_true(hd_line_get(o->geometry, o->code.at, o->kernels.at[0].entry, &first, &why));
		assert_int_equal(first.op, HD_OP_S2R);
		hd_object_free(o);
	}
}

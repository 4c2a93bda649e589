/* Hint registers (PD-25, HZ-27): each program is checked, and run on the machine and in the interpreter. What is proven must be right; these wrong
 * ones are wrong in memory, too. */
#include "../test.h"

#include "../run_object.h"
#include "check/check.h"

enum { THREADS = 32, BYTES = THREADS * 4 };

/* r2:r3 = address of this thread's word; r0 = its number; r5 = 7. Nothing of it needs a hint. */
static const char head[] = ".kernel \"k\"\n.entry start\n.registers 16\n.shared 4096\n.param_bytes 8\n"
                           ".param \"out\", 0, 8, 8, pointer, global\n.function \"k\"\n"
                           "start: s2r r0, tid.x {p1.w}\n"
                           "mov r2, c[0x40] {w100000 p3.w}\n"
                           "mov r3, c[0x44] {p3.w}\n"
                           "shl r1, r0, #2 {p3.w}\n"
                           "movi r5, 0x7 {p3.w}\n"
                           "@!pt bra start {w101000}\n"
                           "iadd r2, r2, r1 {p3.w}\n"
                           "@!pt bra start {w001000}\n";
/* The result, which needs nothing either, when r5 has been written. */
static const char tail[] = "stg.32 [r2:r3], r6 {w001000}\nexit\n.end\n";

typedef enum verdict {
	WRONG,  /* not proven, and wrong */
	PROVEN, /* proven, and right */
	DOUBT,  /* not proven, although this run is right */
} verdict;

static void expect(const char *body, const char *setting, verdict expected)
{
	bool good = expected == PROVEN;
	uint8_t oracle[BYTES] = {0}, bytes[BYTES] = {0};
	hd_text text = {0}, why = {0};
	hd_diag diag = {0};
	hd_machine machine;
	hd_check_report report;
	hd_stats stats;
	hd_text_printf(&text, "%s%s%s", head, body, tail);
	hd_object *object = hd_assemble(text.at, text.n, "hints", &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	machine.predecode_carrier = HD_CARRIER_REGISTER;
	machine.fence_classify = HD_CLASSIFY_LATENCY;
	machine.fence_threshold = 12;
	assert_true(!setting || hd_machine_set(&machine, setting, &diag));
	bool proven = hd_check(object, &machine, &report);
	if (report.findings.n)
		hd_finding_print(&why, &report.findings.at[0], object, "hints");
	if (proven != good)
		fail_msg("%s: %s: %s", body, proven ? "proven" : "not proven", why.at ? why.at : "");
	assert_true(run_object(object, &machine, false, 1, THREADS, oracle, BYTES, &stats));
	assert_true(run_object(object, &machine, true, 1, THREADS, bytes, BYTES, &stats));
	if ((memcmp(oracle, bytes, BYTES) == 0) != (expected != WRONG))
		fail_msg("%s: the machine's bytes are %s", body, expected != WRONG ? "wrong" : "right");
	hd_text_free(&text);
	hd_text_free(&why);
	hd_check_report_free(&report);
	hd_object_free(object);
}

#define PRODUCE "iadd r5, r5, r0\n"
#define CONSUME "iadd r6, r5, #100 {p3.w}\n"

/* The latency of the alu is 4. The bytes of the line count for nothing. */
TEST(a_delay_from_a_register_proves)
{
	expect("hints 1, 0x00000014\nnop\n" PRODUCE CONSUME, NULL, PROVEN);
	expect("hints 1, 0x00000013\nnop\n" PRODUCE CONSUME, NULL, WRONG);
	expect("nop\nnop\niadd r5, r5, r0 {delay 4}\n" CONSUME, NULL, WRONG);
	expect("hints 3, 0x14000000\n" PRODUCE "nop\nnop\nnop\n" CONSUME, NULL, PROVEN); /* by itself */
	expect("hints 1, 0x14000000\nnop\nnop\nnop\nnop\n" PRODUCE CONSUME, NULL, PROVEN);
	expect("hints 1, 0x14000000\nnop\nnop\nnop\nnop\nnop\n" PRODUCE CONSUME, NULL, WRONG); /* behind the four */
	expect("hints 2, 0x00001400\nnop\nnop\n" PRODUCE CONSUME, NULL, WRONG);                /* the byte is that of the consumer */
	expect("hints 1, 0x00000014\nnop\n" PRODUCE CONSUME, "predecode.default_delay=4", PROVEN);
	expect("nop\n" PRODUCE CONSUME, "predecode.default_delay=4", PROVEN);
	expect("hints 1, 0x00000013\nnop\n" PRODUCE CONSUME, "predecode.default_delay=4", WRONG);
}

TEST(a_byte_counts_only_when_it_is_written)
{
	expect("hints 0, 0x00000014\n" PRODUCE CONSUME, NULL, WRONG);
	expect("hints 1, 0x00000014\nnop\n" PRODUCE CONSUME, "latency.nop.latency=2", WRONG);
	expect("hints 2, 0x00000014\nnop\nnop\n" PRODUCE CONSUME, "latency.nop.latency=2", PROVEN);
	/* It is written before the instruction issues, but not when the instruction becomes the next. */
	expect("hints 3, 0x00000013\nnop\nnop\nhints 1, 0x00000014\nnop\n" PRODUCE CONSUME, "latency.nop.latency=2", DOUBT);
}

TEST(the_warp_has_two_registers)
{
	expect("hints 2, 0x00000014\nhints 9, 0x11111111\nnop\n" PRODUCE CONSUME, NULL, PROVEN);
	expect("hints 3, 0x00000014\nhints 9, 0x11111111\nhints 9, 0x11111111\nnop\n" PRODUCE CONSUME, NULL, WRONG);
	/* Of two bytes the newer one counts, once it is written. */
	expect("hints 2, 0x00000011\nhints 1, 0x00000014\nnop\n" PRODUCE CONSUME, NULL, PROVEN);
	expect("hints 2, 0x00000014\nhints 1, 0x00000011\nnop\n" PRODUCE CONSUME, NULL, WRONG);
	expect("hints 2, 0x00000014\nnop\nhints 0, 0x00000011\n" PRODUCE CONSUME, NULL, DOUBT);
}

/* The second of a pair becomes the next in the first one's cycle. */
TEST(a_pair_takes_no_time)
{
	/* a: s2r with the byte `pair`, which the second register holds; b: the producer, whose byte is written a cycle later. */
	expect("hints 2, 0x00000031\nnop\nhints 1, 0x00000014\ns2r r8, laneid {p2.w}\n" PRODUCE CONSUME, "predecode.issue_width=2", WRONG);
	expect("hints 2, 0x00000011\nnop\nhints 1, 0x00000014\ns2r r8, laneid {p2.w}\n" PRODUCE CONSUME, "predecode.issue_width=2", PROVEN);
}

/* Another block's bytes are both possible: 3 cycles are too few, 4 are enough. */
TEST(of_several_bytes_the_least_counts)
{
	static const char body[] =
	    "isetp.ne p0, r0, r0 {p3.w}\nhints 4, 0x000000%02x\nhints 3, 0x000000%02x\n@p0 bra next {w001000}\nnop\nnop\nnext:\n" PRODUCE CONSUME;
	for (unsigned i = 0; i < 3; i++) {
		char text[400];
		snprintf(text, sizeof text, body, i == 1 ? 0x13 : 0x14, i == 2 ? 0x13 : 0x14);
		expect(text, "predecode.default_delay=4", i == 0 ? PROVEN : i == 1 ? DOUBT : WRONG);
	}
}

/* A byte that another block wrote may be there or not: both must be right. */
TEST(another_block_promises_nothing)
{
	expect("isetp.ne p0, r0, r0 {p3.w}\nhints 3, 0x00000014\n@p0 bra next {w001000}\nnop\nnop\nnext:\n" PRODUCE CONSUME, NULL, DOUBT);
	/* A byte of another block may be too short: the register of the loop's last turn. */
	expect("isetp.ne p0, r0, r0 {p3.w}\nnext:\n" PRODUCE CONSUME "hints 14, 0x00000011\n@p0 bra next {w001000}\n", "predecode.default_delay=4",
	       PROVEN);
}

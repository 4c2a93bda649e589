/* The order of instructions that the list scheduler chooses. */
#include "../ir_builder.h"
#include "../run_pass.h"
#include "passes/schedule/schedule.h"

/* One block of virtual registers; `setting` may be NULL, or several with a space between them. */
static void expect(const char *vregs, const char *body, const char *setting, const char *expected)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_text in = {0}, out = {0};
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	for (const char *at = setting; at && *at; at += strcspn(at, " "), at += *at == ' ') {
		hd_text one = {0};
		hd_text_put(&one, at, strcspn(at, " "));
		assert_true(hd_machine_set(&machine, one.at, &diag));
		hd_text_free(&one);
	}
	hd_text_printf(&in, ".kernel \"k\"\n%sb0:\n%s.exit\n", vregs, body);
	hd_text_printf(&out, "b0:\n%s.exit\n", expected);
	ir_builder b = ir_read(in.at);
	run_pass(hd_pass_schedule, b.m, &machine);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

#define FEW ".vregs 1 1 1 1 1 1 0\n"
#define ALLOCATED ".allocated 32\n"

/* The load is on the critical path. */
TEST(long_latencies_begin_early)
{
	expect(FEW, "iadd %0 = %1, %1\niadd %2 = %0, %0\nlds{sub=4} %3 = %1\niadd %4 = %3, %2\n", NULL,
	       "lds{sub=4} %3 = %1\niadd %0 = %1, %1\niadd %2 = %0, %0\niadd %4 = %3, %2\n");
}

/* Instructions that need not wait come before one that does, whatever their paths are. */
TEST(what_is_ready_goes)
{
	expect(FEW, "iadd %0 = %1, %1\niadd %2 = %0, %0\niadd %3 = %2, %2\niadd %4 = %1, 0x1\niadd %5 = %1, 0x2\n", NULL,
	       "iadd %0 = %1, %1\niadd %4 = %1, 0x1\niadd %5 = %1, 0x2\niadd %2 = %0, %0\niadd %3 = %2, %2\n");
}

/* Otherwise the condition of a branch would come first. */
TEST(short_blocks_stay)
{
	static const char *const blocks[] = {"iadd %0 = %1, %1\nisetp{cmp=eq} %p2 = %1, 0x1\n",
	                                     "iadd %0 = %1, %1\nnop\nisetp{cmp=eq} %p2 = %1, 0x1\n"};
	for (unsigned i = 0; i < 2; i++) {
		hd_text text = {0};
		hd_text_printf(&text, ".kernel \"k\"\n.vregs 1 1 0\nb0:\n%s.branch %%p2 b0 b1\nb1:\n.exit\n", blocks[i]);
		ir_builder b = ir_read(text.at);
		run_pass(hd_pass_schedule, b.m, NULL);
		assert_int_equal(ir_block(&b, 0)->insts.at[0]->op == HD_OP_ISETP, i);
		ir_free(&b);
		hd_text_free(&text);
	}
}

/* When too many words are live, what frees most comes first. */
TEST(pressure_decides)
{
	enum { PAIRS = 10 };
	hd_text vregs = {0}, body = {0}, late = {0}, soon = {0};
	hd_text_printf(&vregs, ".vregs 1 0");
	for (unsigned i = 0; i < PAIRS; i++) {
		hd_text_printf(&vregs, " 4");
		hd_text_printf(&body, "lds{sub=6 offset=%u} %%%u:4 = %%0\n", 16 * i + 16, 2 + i);
	}
	for (unsigned i = 0; i < PAIRS; i++)
		hd_text_printf(&body, "stl{sub=6 offset=%u} %%0, %%%u:4\n", 16 * i + 16, 2 + i);
	hd_text_printf(&vregs, "\n");
	for (unsigned i = 0; i < PAIRS; i++)
		hd_text_printf(&late, "lds{sub=6 offset=%u} %%%u:4 = %%0\n", 16 * i + 16, 2 + i);
	for (unsigned i = 0; i < PAIRS; i++)
		hd_text_printf(&late, "stl{sub=6 offset=%u} %%0, %%%u:4\n", 16 * i + 16, 2 + i);
	expect(vregs.at, body.at, NULL, late.at); /* 64 registers a thread: 41 words fit */
	/* 24 registers: from 12 words on. */
	for (unsigned i = 0; i < 3; i++)
		hd_text_printf(&soon, "lds{sub=6 offset=%u} %%%u:4 = %%0\n", 16 * i + 16, 2 + i);
	for (unsigned i = 3; i < PAIRS; i++)
		hd_text_printf(&soon, "stl{sub=6 offset=%u} %%0, %%%u:4\nlds{sub=6 offset=%u} %%%u:4 = %%0\n", 16 * (i - 3) + 16, 2 + i - 3,
		               16 * i + 16, 2 + i);
	for (unsigned i = PAIRS - 3; i < PAIRS; i++)
		hd_text_printf(&soon, "stl{sub=6 offset=%u} %%0, %%%u:4\n", 16 * i + 16, 2 + i);
	expect(vregs.at, body.at, "machine.registers=24576", soon.at);
	hd_text_free(&vregs);
	hd_text_free(&body);
	hd_text_free(&late);
	hd_text_free(&soon);
}

/* Where four quads beside those of long_block's first part are defined, and where they are read. */
typedef enum place { NOWHERE, OUTSIDE, FIRST_PART, SECOND_PART, NEXT_BLOCK } place;

enum { QUADS = 10, OTHERS = 4, PART = 300 };

static void put_others(hd_text *out, const char *format, place here, place wanted)
{
	for (unsigned i = 0; here == wanted && i < OTHERS; i++)
		hd_text_printf(out, format, 2 + QUADS + i);
}

/* A block that is scheduled in two parts of PART instructions. In the first one ten quads are loaded, then stored; the rest is one chain. */
static void long_block(hd_text *out, place defined, place read)
{
	hd_text_printf(out, ".function \"f\"\n.vregs 1 1");
	for (unsigned i = 0; i < QUADS + OTHERS; i++)
		hd_text_printf(out, " 4");
	hd_text_printf(out, "\n.params %%0, %%1");
	put_others(out, ", %%%u:4", OUTSIDE, defined);
	hd_text_printf(out, "\n.results %%1");
	put_others(out, ", %%%u:4", OUTSIDE, read);
	hd_text_printf(out, "\nb0:\n");
	put_others(out, "lds{sub=6} %%%u:4 = %%0\n", FIRST_PART, defined);
	for (unsigned i = 0; i < QUADS; i++)
		hd_text_printf(out, "lds{sub=6 offset=%u} %%%u:4 = %%0\n", 16 * i + 16, 2 + i);
	for (unsigned i = 0; i < QUADS; i++)
		hd_text_printf(out, "stl{sub=6 offset=%u} %%0, %%%u:4\n", 16 * i + 16, 2 + i);
	for (unsigned i = 2 * QUADS + (defined == FIRST_PART ? OTHERS : 0); i < PART; i++)
		hd_text_printf(out, "iadd %%1 = %%1, 0x1\n");
	put_others(out, "lds{sub=6} %%%u:4 = %%0\n", SECOND_PART, defined);
	for (unsigned i = (defined == SECOND_PART ? OTHERS : 0) + (read == SECOND_PART ? OTHERS : 0); i < PART; i++)
		hd_text_printf(out, "iadd %%1 = %%1, 0x1\n");
	put_others(out, "stl{sub=6} %%0, %%%u:4\n", SECOND_PART, read);
	hd_text_printf(out, "%s", read == NEXT_BLOCK ? ".jump b1\nb1:\n" : "");
	put_others(out, "stl{sub=6} %%0, %%%u:4\n", NEXT_BLOCK, read);
	hd_text_printf(out, ".ret\n");
}

/* Is the first part scheduled for few live words? Then a store comes before the last load. */
static bool stores_early(place defined, place read)
{
	hd_machine machine;
	hd_text text = {0};
	size_t first_store = PART, last_load = 0;
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	long_block(&text, defined, read);
	ir_builder b = ir_read(text.at);
	assert_int_equal(ir_block(&b, 0)->insts.n, 2 * PART);
	run_pass(hd_pass_schedule, b.m, &machine);
	for (size_t i = PART; i-- > 0;) {
		unsigned op = ir_block(&b, 0)->insts.at[i]->op;
		if (op == HD_OP_STL)
			first_store = i;
		if (op == HD_OP_LDS && !last_load)
			last_load = i;
	}
	ir_free(&b);
	hd_text_free(&text);
	return first_store < last_load;
}

/* Parts of a long block are scheduled with the words that are live between them. 42 words of the first part fit (52), with the 16 others 58 do not.
 */
TEST(long_blocks_are_live_between_their_parts)
{
	assert_false(stores_early(NOWHERE, NOWHERE));
	assert_true(stores_early(OUTSIDE, SECOND_PART));
	assert_true(stores_early(FIRST_PART, SECOND_PART)); /* they lie in this block alone */
	assert_true(stores_early(OUTSIDE, OUTSIDE));        /* the terminator reads them */
	assert_true(stores_early(FIRST_PART, NEXT_BLOCK));
	assert_false(stores_early(SECOND_PART, OUTSIDE));
	assert_false(stores_early(SECOND_PART, NEXT_BLOCK));
	assert_false(stores_early(SECOND_PART, SECOND_PART));
}

/* PD-7, after allocation: of equals, one that can make a pair. */
TEST(pairs_stand_together)
{
	static const char body[] = "iadd r0 = r1, 0x1\niadd r2 = r1, 0x2\nfrcp r4 = r1\nfrcp r5 = r1\n";
	expect(ALLOCATED, body, "last_use.schedule=false", body);
	expect(ALLOCATED, body, "predecode.issue_width=2 latency.sfu.interval=1",
	       "frcp r4 = r1\niadd r0 = r1, 0x1\nfrcp r5 = r1\niadd r2 = r1, 0x2\n");
}

/* A pipe that is busy takes no instruction, so others come into the gaps: the SFU takes one every fourth cycle, and the load/store pipe every second.
 * With an interval of one the longer path comes first. */
TEST(other_pipes_fill_the_gaps_of_a_busy_one)
{
	static const char sfu[] = "frcp %0 = %1\nfrcp %2 = %1\niadd %3 = %1, 0x1\niadd %4 = %1, 0x2\n",
	                  lsu[] = "lds{sub=4} %0 = %1\nlds{sub=4 offset=4} %2 = %1\nlds{sub=4 offset=8} %3 = %1\niadd %4 = %1, 0x1\n"
	                          "iadd %5 = %1, 0x2\n";
	expect(FEW, sfu, "latency.sfu.interval=1", sfu);
	expect(FEW, sfu, NULL, "frcp %0 = %1\niadd %3 = %1, 0x1\niadd %4 = %1, 0x2\nfrcp %2 = %1\n");
	static const char mul[] = "imul r0 = r1, r1\nimul r2 = r1, r1\nfrcp r4 = r1\n",
	                  virtual[] = "imul %0 = %1, %1\nimul %2 = %1, %1\nfrcp %3 = %1\n";
	expect(FEW, virtual, "latency.sfu.latency=5", "imul %0 = %1, %1\nfrcp %3 = %1\nimul %2 = %1, %1\n");
	expect(ALLOCATED, mul, "latency.sfu.latency=5", mul); /* the ALU counts as free after allocation */
	expect(FEW, lsu, "latency.lsu.interval=1", lsu);
	expect(FEW, lsu, NULL,
	       "lds{sub=4} %0 = %1\niadd %4 = %1, 0x1\nlds{sub=4 offset=4} %2 = %1\niadd %5 = %1, 0x2\nlds{sub=4 offset=8} %3 = %1\n");
}

/* LU-3, after allocation: of equals, one that reads from the forwarding paths. */
TEST(last_uses_come_early)
{
	static const char body[] =
	    "iadd r0 = r1, 0x1\niadd r2 = r1, 0x2\niadd r3 = r1, 0x3\niadd r4 = r1, 0x4\niadd r5 = r8, 0x5\niadd r6 = r0, 0x6\n";
	expect(ALLOCATED, body, "last_use.schedule=false",
	       "iadd r0 = r1, 0x1\niadd r2 = r1, 0x2\niadd r3 = r1, 0x3\niadd r4 = r1, 0x4\niadd r5 = r8, 0x5\niadd r6 = r0, 0x6\n");
	expect(ALLOCATED, body, NULL,
	       "iadd r0 = r1, 0x1\niadd r2 = r1, 0x2\niadd r3 = r1, 0x3\niadd r4 = r1, 0x4\niadd r6 = r0, 0x6\niadd r5 = r8, 0x5\n");
}

/* After allocation, an instruction that reads from forwarding paths now does not wait for its busy pipe. */
TEST(a_busy_pipe_does_not_end_forwarding)
{
	static const char body[] = "iadd r5 = r8, 0x1\nlds{sub=4} r0 = r9\nlds{sub=4 offset=4} r1 = r9\niadd r6 = r5, 0x2\nlds{sub=4} r3 = r5\n"
	                           "iadd r7 = r3, 0x3\niadd r10 = r8, 0x4\n";
	expect(ALLOCATED, body, NULL,
	       "iadd r5 = r8, 0x1\nlds{sub=4} r0 = r9\niadd r10 = r8, 0x4\nlds{sub=4 offset=4} r1 = r9\nlds{sub=4} r3 = r5\niadd r6 = r5, 0x2\n"
	       "iadd r7 = r3, 0x3\n");
}

/* A block begins with free pipes. */
TEST(each_block_begins_with_free_pipes)
{
	static const char text[] = ".kernel \"k\"\n" FEW "b0:\nfrcp %0 = %1\nnop\niadd %2 = %1, 0x1\n.jump b1\n"
	                           "b1:\nfrcp %3 = %1\niadd %4 = %1, 0x1\niadd %5 = %1, 0x2\n.exit\n";
	hd_machine machine;
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	ir_builder b = ir_read(text);
	run_pass(hd_pass_schedule, b.m, &machine);
	assert_int_equal(ir_block(&b, 1)->insts.at[0]->op, HD_OP_FRCP);
	ir_free(&b);
}

/* HZ-23, HZ-25: which dependences need a fence counter. A hazard is written as PRODUCER>CONSUMER, with r if the producer's read resolves it. */
#include "../ir_builder.h"
#include "passes/analysis/hazards.h"

static void expect_on(const ir_builder *b, const hd_machine *machine, const char *expected)
{
	hd_text found = {0};
	hd_hazards *h = hd_hazards_find(b->f, machine);
	hd_text_put(&found, "", 0);
	for (size_t i = 0; i < h->edges.n; i++)
		hd_text_printf(&found, "%s%u>%u%s", i ? " " : "", h->edges.at[i].producer, h->edges.at[i].consumer,
		               h->edges.at[i].by_read ? "r" : "");
	assert_string_equal(found.at, expected);
	for (size_t i = 0; i < h->edges.n; i++)
		assert_true(h->primary[h->edges.at[i].producer]);
	hd_text_free(&found);
	hd_hazards_free(h);
}

/* On a machine that issues in order. */
static void expect(const ir_builder *b, const char *expected)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	expect_on(b, &machine, expected);
}

TEST(between_pipes)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_IADD, r(1), r(2), r(3));   /* 0 */
	ir_put(&b, HD_OP_FRCP, r(4), r(1), none);   /* 1: RAW */
	ir_put(&b, HD_OP_MOVI, r(5), imm(1), none); /* 2 */
	ir_put(&b, HD_OP_FRCP, r(5), r(6), none);   /* 3: WAW */
	ir_put(&b, HD_OP_FRCP, r(7), r(8), none);   /* 4 */
	ir_put(&b, HD_OP_MOVI, r(8), imm(1), none); /* 5: WAR */
	expect(&b, "0>1 2>3 4>5r");
	ir_free(&b);
}

/* Who needs the write of a producer and its read needs the write. */
TEST(the_write_of_two_hazards)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_FRCP, r(1), r(2), none); /* 0 */
	ir_put(&b, HD_OP_IADD, r(2), r(1), r(1)); /* 1 */
	expect(&b, "0>1");
	ir_free(&b);
}

/* Delays order what has a fixed latency of 15 cycles at most, unless delays cannot reach the scheduler; reads of one pipe are in order. */
TEST(inside_a_pipe)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_FRCP, r(1), r(2), none); /* 0 */
	ir_put(&b, HD_OP_FRCP, r(3), r(1), none); /* 1: RAW */
	ir_put(&b, HD_OP_FRCP, r(2), r(4), none); /* 2: WAR */
	ir_put(&b, HD_OP_LDG, r(5), rr(6), none); /* 3 */
	ir_put(&b, HD_OP_LDG, r(8), rr(4), none); /* 4: RAW behind an unknown latency */
	expect_on(&b, &machine, "3>4");
	machine.latency[HD_CLASS_SFU].latency = HD_MAX_DELAY + 1;
	expect_on(&b, &machine, "0>1 3>4");
	machine.latency[HD_CLASS_SFU].latency = HD_MAX_DELAY;
	expect_on(&b, &machine, "3>4");
	machine.predecode_carrier = HD_CARRIER_NONE;
	expect_on(&b, &machine, "0>1 3>4");
	ir_free(&b);
}

/* HZ-25: what a queue waited for, what is behind in it has waited for; and what entered the producer's pipe before it is done, too. */
TEST(waits_settle_more_than_their_producer)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_IADD, r(1), r(2), r(3)); /* 0 */
	ir_put(&b, HD_OP_IADD, r(4), r(2), r(3)); /* 1 */
	ir_put(&b, HD_OP_FRCP, r(5), r(4), none); /* 2 waits for 1 */
	ir_put(&b, HD_OP_FRCP, r(6), r(1), none); /* 3: 0 entered before 1 */
	ir_put(&b, HD_OP_FRCP, r(7), r(4), none); /* 4: behind 2 */
	ir_put(&b, HD_OP_I2F, r(8), r(1), none);  /* 5: another queue */
	expect(&b, "1>2 0>5");
	/* HZ-16: a guarded producer may be dropped before older results are written. */
	ir_block(&b, 0)->insts.at[1]->guard = p(0);
	expect(&b, "1>2 0>3 0>5");
	ir_free(&b);
}

/* ... unless it takes longer than the producer: it may be written later, or in the cycle behind. */
TEST(slower_writes_are_not_settled)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.multi_issue_window = 1;
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_IMUL, r(1), r(2), r(3)); /* 0 */
	ir_put(&b, HD_OP_IADD, r(4), r(2), r(3)); /* 1 */
	ir_put(&b, HD_OP_FRCP, r(5), r(4), none); /* 2 waits for 1 */
	ir_put(&b, HD_OP_FRCP, r(6), r(1), none); /* 3 */
	uint32_t add = machine.latency[HD_CLASS_ALU].latency;
	machine.latency[HD_CLASS_MUL].latency = add + 1; /* it entered a cycle before, at least */
	expect_on(&b, &machine, "1>2");
	machine.latency[HD_CLASS_MUL].latency = add + 2;
	expect_on(&b, &machine, "1>2 0>3");
	ir_free(&b);
}

/* A wait for the read of an instruction says nothing about its write. */
TEST(a_read_settles_no_write)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_FRCP, r(5), r(8), none);   /* 0 */
	ir_put(&b, HD_OP_MOVI, r(8), imm(1), none); /* 1: WAR */
	ir_put(&b, HD_OP_IADD, r(6), r(5), r(5));   /* 2: RAW */
	expect(&b, "0>1r 0>2");
	ir_free(&b);
}

/* An instruction issued behind the producer is not settled by a wait for it; nor is one of another block. */
TEST(later_instructions_are_not_settled)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_IADD, r(1), r(2), r(3)); /* 0 */
	ir_put(&b, HD_OP_IADD, r(4), r(2), r(3)); /* 1 */
	ir_put(&b, HD_OP_FRCP, r(5), r(1), none); /* 2 waits for 0 */
	ir_put(&b, HD_OP_FRCP, r(6), r(4), none); /* 3 */
	expect(&b, "0>2 1>3");
	ir_free(&b);
	b = ir_new_allocated(2);
	ir_put(&b, HD_OP_IADD, r(1), r(2), r(3)); /* 0 */
	ir_put(&b, HD_OP_IADD, r(4), r(2), r(3)); /* 1 */
	ir_jump(&b, 0, 1);
	b.block = 1;
	ir_put(&b, HD_OP_FRCP, r(5), r(4), none); /* 2 waits for 1 */
	ir_put(&b, HD_OP_FRCP, r(6), r(1), none); /* 3 */
	expect(&b, "1>2 0>3");
	ir_free(&b);
}

/* A wait in the decoder holds back everything behind it, unless the window sends past it (MI-2). */
TEST(the_decoder_waits_for_all_pipes)
{
	hd_machine machine;
	hd_machine_default(&machine);
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_LDG, r(1), rr(2), none);
	ir_put(&b, HD_OP_IADD, r(4), r(1), r(1));
	ir_put(&b, HD_OP_FRCP, r(5), r(1), none);
	machine.multi_issue_pass_waits = false;
	expect_on(&b, &machine, "0>1");
	machine.multi_issue_pass_waits = true;
	expect_on(&b, &machine, "0>1 0>2");
	ir_free(&b);
}

TEST(memory_and_barriers)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_STG, none, rr(2), r(4));    /* 0 */
	ir_put(&b, HD_OP_STL, none, r(5), r(4));     /* 1: other threads do not see it */
	ir_put(&b, HD_OP_ATOMS, r(6), r(5), r(4));   /* 2 */
	ir_put(&b, HD_OP_LDS, r(7), r(5), none);     /* 3: shared memory, another pipe */
	ir_put(&b, HD_OP_STS, none, r(5), r(4));     /* 4: the pipe of 3 */
	ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none); /* 5 */
	expect(&b, "2>3 4>5 3>5 0>5");
	ir_free(&b);
}

/* Fences and launches wait for accesses, a barrier for those, too: they are in another pipe. */
TEST(fences_and_barriers)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_STG, none, rr(2), r(4));    /* 0 */
	ir_put(&b, HD_OP_MEMBAR, none, none, none);  /* 1 */
	ir_put(&b, HD_OP_MEMBAR, none, none, none);  /* 2: in order behind 1 */
	ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none); /* 3 */
	ir_put(&b, HD_OP_STG, none, rr(2), r(4));    /* 4 */
	ir_put(&b, HD_OP_LAUNCH, r(6), rr(2), none); /* 5 */
	ir_put(&b, HD_OP_QPUSH, r(7), r(5), rr(2));  /* 6: in order behind 5 */
	ir_put(&b, HD_OP_BAR, none, r(HD_RZ), none); /* 7 */
	expect(&b, "0>1 2>3 1>3 4>5 6>7 5>7");
	ir_free(&b);
}

TEST(calls_wait_for_everything)
{
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_LDG, r(1), rr(2), none);
	ir_put(&b, HD_OP_FRCP, r(4), r(5), none);
	ir_put(&b, HD_OP_CALL, none, none, none)->callee = 0;
	ir_put(&b, HD_OP_IADD, r(6), r(1), r(4));
	expect(&b, "1>2 0>2");
	ir_free(&b);
}

/* Along physical edges: from the other side of a branch, and around a loop. */
TEST(across_blocks)
{
	ir_builder b = ir_new_allocated(4);
	ir_put_bra(&b, 2, p(0)); /* 0 */
	ir_branch(&b, 0, p(0), 2, 1);
	b.block = 1;
	ir_put(&b, HD_OP_LDG, r(1), rr(2), none); /* 1 */
	ir_put_bra(&b, 3, none);                  /* 2 */
	ir_jump(&b, 1, 3);
	b.block = 2;
	ir_put(&b, HD_OP_MOVI, r(1), imm(7), none); /* 3 */
	ir_jump(&b, 2, 3);
	expect(&b, "1>3");
	ir_free(&b);

	b = ir_new_allocated(2);
	ir_put(&b, HD_OP_FRCP, r(2), r(1), none); /* 0: reads what 1 wrote in the iteration before */
	ir_put(&b, HD_OP_IADD, r(1), r(3), r(3)); /* 1 */
	ir_put_bra(&b, 0, p(0));
	ir_branch(&b, 0, p(0), 0, 1);
	expect(&b, "1>0 0>1r");
	ir_free(&b);

	/* A read, too, is open behind its block. */
	b = ir_new_allocated(2);
	ir_put(&b, HD_OP_FRCP, r(4), r(1), none); /* 0 */
	ir_jump(&b, 0, 1);
	b.block = 1;
	ir_put(&b, HD_OP_MOVI, r(1), imm(7), none); /* 1 */
	expect(&b, "0>1r");
	ir_free(&b);

	/* ... through another block. */
	b = ir_new_allocated(3);
	ir_put(&b, HD_OP_MOVI, r(9), imm(1), none); /* 0 */
	ir_jump(&b, 0, 1);
	b.block = 1;
	ir_put(&b, HD_OP_FRCP, r(2), r(1), none); /* 1 */
	ir_put(&b, HD_OP_IADD, r(1), r(3), r(3)); /* 2 */
	ir_put_bra(&b, 0, p(0));
	ir_branch(&b, 1, p(0), 0, 2);
	expect(&b, "2>1 1>2r");
	ir_free(&b);
}

/* While a consumer waits: primaries that may be outstanding, needed or not. */
TEST(what_may_be_outstanding)
{
	hd_machine machine;
	hd_machine_default(&machine);
	ir_builder b = ir_new_allocated(1);
	ir_put(&b, HD_OP_LDG, r(1), rr(2), none); /* 0 */
	ir_put(&b, HD_OP_LDG, r(4), rr(2), none); /* 1 */
	ir_put(&b, HD_OP_LDG, r(9), rr(2), none); /* 2: no primary */
	ir_put(&b, HD_OP_IADD, r(5), r(1), r(1)); /* 3 */
	ir_put(&b, HD_OP_IADD, r(6), r(4), r(4)); /* 4 */
	hd_hazards *h = hd_hazards_find(b.f, &machine);
	assert_int_equal(h->consumers.n, 2);
	assert_int_equal(h->consumers.at[0], 3);
	assert_int_equal(h->outstanding_first.at[1], 1);
	assert_int_equal(h->outstanding.at[0], 1);
	assert_int_equal(h->outstanding_first.at[2], 1);
	hd_hazards_free(h);
	ir_free(&b);
}

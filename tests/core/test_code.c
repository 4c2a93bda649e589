/* The static rows that scheduler, decoder and pipelines read. */
#include "rig.h"

#include "core/code.h"

static hd_code *code_of(rig *r, bool window)
{
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
	return hd_code_new(&r->machine, &r->program, window);
}

/* PD-1: the word behind the last of a line is the scheduling word of the next, which is no instruction. */
TEST(scheduling_words_are_passed_over)
{
	rig *r = rig_new(1);
	for (unsigned i = 0; i < 8; i++)
		rig_put(r, movi(1, 1), delay(1));
	hd_code *code = code_of(r, false);
	assert_int_equal(code->n_words, 16);
	assert_int_equal(hd_code_next(code, 1), 2);
	assert_int_equal(hd_code_next(code, 7), 9);
	assert_false(hd_code_target(code, 0));
	assert_false(hd_code_target(code, 8));
	assert_true(hd_code_target(code, 9));
	assert_false(hd_code_target(code, 16));
	assert_false(hd_code_target(code, UINT64_C(1) << 32 | 9));
	assert_int_equal(code->at[16].kind, HD_KIND_BAD);
	hd_code_free(code);
	rig_free(r);
}

/* HZ-21: the decoder looks at high-latency counters, the queue at the others. Of a nop, which enters no queue, the decoder looks at all. */
TEST(waits_are_split_between_decoder_and_queue)
{
	rig *r = rig_new(1);
	uint32_t high = hd_machine_high_mask(&r->machine);
	hd_inst add = alu(HD_OP_IADD, 1, 2, 3, HD_RZ), nop = inst_(HD_OP_NOP);
	add.wait = nop.wait = 0x3f;
	uint32_t a = rig_put(r, primary(add, 1), delay(1)), b = rig_put(r, primary(nop, 1), delay(1));
	hd_code *code = code_of(r, false);
	assert_true(high && high != 0x3f);
	assert_int_equal(code->at[a].at_issue, 0x3f & high);
	assert_int_equal(code->at[a].at_queue, 0x3f & ~high);
	assert_int_equal(code->at[a].primary, 1);
	assert_int_equal(code->at[b].at_issue, 0x3f);
	assert_int_equal(code->at[b].at_queue, 0);
	assert_int_equal(code->at[b].primary, 0); /* a nop is never outstanding */
	hd_code_free(code);
	rig_free(r);
}

TEST(kinds_latencies_and_registers_are_those_of_the_instruction)
{
	rig *r = rig_new(1);
	uint32_t add = rig_put(r, alu(HD_OP_IADD64, 20, 10, 12, HD_RZ), delay(3)), ld = rig_put(r, load(HD_OP_LDG, 4, 2, 0), delay(0)),
	         clock = rig_put(r, sreg(5, HD_SREG_CLOCK), delay(1)), jump = rig_put(r, branch(HD_OP_BRA, 1), delay(1));
	hd_code *code = code_of(r, false);
	assert_int_equal(code->at[add].kind, HD_KIND_PURE);
	assert_int_equal(code->at[add].latency, r->machine.latency[HD_CLASS_ALU64].latency);
	assert_int_equal(code->at[add].reads, 4);
	assert_int_equal(code->at[add].writes, 2);
	assert_int_equal(code->at[add].delay, 3);
	assert_int_equal(code->at[ld].kind, HD_KIND_MEMORY);
	assert_int_equal(code->at[ld].delay, 1); /* PD-5: never less than 1 */
	assert_int_equal(code->at[clock].kind, HD_KIND_SREG);
	assert_int_equal(code->at[jump].kind, HD_KIND_FLOW);
	assert_int_equal(code->registers, 22);
	assert_null(code->window);
	assert_null(code->footprint);
	hd_code_free(code);
	rig_free(r);
}

/* The scoreboard ignores annotations, and only the scoreboard has a table of registers. */
TEST(the_baseline_ignores_annotations)
{
	rig *r = rig_new(1);
	uint32_t at = rig_put(r, waits(primary(alu(HD_OP_IADD, 1, 2, 3, HD_RZ), 2), 1), delay(9));
	r->machine.fence_mode = HD_DEP_SCOREBOARD;
	hd_code *code = code_of(r, false);
	assert_non_null(code->footprint);
	assert_int_equal(code->at[at].primary, 0);
	assert_int_equal(code->at[at].at_issue | code->at[at].at_queue, 0);
	assert_int_equal(code->at[at].delay, 1);
	hd_code_free(code);
	rig_free(r);
}

/* PD-7: a pair needs two units, and a second instruction that may follow at once. */
TEST(impossible_pairs_are_delays)
{
	rig *r = rig_new(1);
	uint8_t pair = (uint8_t)(HD_HINT_PAIR << 4 | 1);
	r->machine.predecode_issue_width = 2;
	uint32_t good = rig_put(r, movi(1, 1), pair);
	rig_put(r, alu(HD_OP_FEX2, 2, 3, HD_RZ, HD_RZ), delay(1));
	uint32_t same = rig_put(r, movi(4, 1), pair);
	rig_put(r, movi(5, 1), delay(1));
	uint32_t late = rig_put(r, movi(6, 1), pair);
	rig_put(r, alu(HD_OP_FEX2, 7, 3, HD_RZ, HD_RZ), hold_back(3));
	hd_code *code = code_of(r, false);
	assert_true(code->at[good].effects & HD_EFFECT_PAIR);
	assert_false(code->at[same].effects & HD_EFFECT_PAIR);
	assert_false(code->at[late].effects & HD_EFFECT_PAIR);
	hd_code_free(code);
	rig_free(r);
}

/* The order of accesses, which replays keep: by space, where the operation tells it and no other thread waits for the access. */
TEST(accesses_are_ordered_by_space)
{
	static const struct {
		uint8_t op, mod, order;
	} of[] = {{HD_OP_LDG, 0, HD_SPACE_GLOBAL | HD_ORDER_PLAIN},
	          {HD_OP_LDG, HD_CACHE_VOLATILE, HD_SPACE_NONE},
	          {HD_OP_STS, 0, HD_SPACE_SHARED},
	          {HD_OP_STS, HD_CACHE_VOLATILE, HD_SPACE_NONE},
	          {HD_OP_LDL, HD_CACHE_VOLATILE, HD_SPACE_LOCAL},
	          {HD_OP_LDC, 0, HD_SPACE_CONST | HD_ORDER_PLAIN},
	          {HD_OP_LDK, 0, HD_SPACE_NONE | HD_ORDER_PLAIN},
	          {HD_OP_LD, 0, HD_SPACE_NONE | HD_ORDER_PLAIN},
	          {HD_OP_ATOMG, 0, HD_SPACE_NONE},
	          {HD_OP_CASS, 0, HD_SPACE_NONE},
	          {HD_OP_IADD, 0, HD_SPACE_NONE}};
	rig *r = rig_new(1);
	uint32_t at[HD_COUNT(of)];
	for (unsigned i = 0; i < HD_COUNT(of); i++) {
		hd_inst inst = alu((hd_op)of[i].op, HD_RZ, 2, 4, HD_RZ);
		inst.mod = of[i].mod;
		at[i] = rig_put(r, inst, delay(1));
	}
	hd_code *code = code_of(r, false);
	for (unsigned i = 0; i < HD_COUNT(of); i++)
		assert_int_equal(code->at[at[i]].order, of[i].order);
	hd_code_free(code);
	rig_free(r);
}

/* Where the compiler places `hints`, and with what (PD-25). */
#include "annotate_rig.h"
#include "passes/annotate/hint_writes.h"

static fixture start_with_registers(const char *setting)
{
	fixture x = start(1);
	hd_diag diag = {0};
	x.machine.multi_issue_window = 1;
	x.machine.predecode_carrier = HD_CARRIER_REGISTER;
	assert_true(!setting || hd_machine_set(&x.machine, setting, &diag));
	return x;
}

/* Appends one instruction for each of the words of `hints`: "4" a delay, "w3" a wait, "h2" a hold, "m1" may_replay, "p1" a pair, "x1" an exit, "X1"
 * one of no lane. */
static void put_hints(fixture *x, const char *hints)
{
	for (unsigned d = 1; *hints; d++, hints += strcspn(hints, " "), hints += strspn(hints, " ")) {
		bool exits = *hints == 'x' || *hints == 'X';
		hd_ir_inst *inst = exits ? put(x, 0, HD_OP_EXIT, none, none, none) : put(x, 0, HD_OP_IADD, r(d), r(40), r(41));
		if (exits)
			inst->guard = hd_opd_pred(*hints == 'x' ? 0 : HD_PT, *hints == 'X');
		hd_hint hint = *hints == 'w'   ? HD_HINT_WAIT
		               : *hints == 'h' ? HD_HINT_HOLD_REPLAY_MEM
		               : *hints == 'm' ? HD_HINT_MAY_REPLAY
		               : *hints == 'p' ? HD_HINT_PAIR
		                               : HD_HINT_DELAY;
		inst->hint = (uint8_t)hint;
		inst->delay = (uint8_t)atoi(hints + strcspn(hints, "0123456789"));
	}
}

/* The block as text: "i" an instruction, "n" a nop, "H2:00000014" a `hints`; with the number of a delay that is left. */
static void expect(const char *hints, const char *setting, const char *expected)
{
	fixture x = start_with_registers(setting);
	hd_text got = {0};
	put_hints(&x, hints);
	hd_place_hint_writes(x.b.m, x.b.f, &x.machine);
	for (size_t i = 0; i < x.b.f->blocks.at[0]->insts.n; i++) {
		const hd_ir_inst *inst = x.b.f->blocks.at[0]->insts.at[i];
		if (inst->op == HD_OP_HINTS)
			hd_text_printf(&got, "%sH%d:%08x", i ? " " : "", inst->offset, (uint32_t)inst->s[0].imm);
		else
			hd_text_printf(&got, "%s%s%u", i ? " " : "", inst->op == HD_OP_NOP ? "n" : "i", inst->delay);
	}
	if (strcmp(got.at, expected) != 0)
		fail_msg("%s: %s, expected %s", hints, got.at, expected);
	hd_text_free(&got);
	stop(&x);
}

TEST(a_group_of_four_has_its_bytes_in_time)
{
	expect("1 4 5 1 4 1", NULL, "H1:14001514 i1 i4 i5 i1 i4 i1"); /* the second is the first that can have a byte */
	expect("1 1 1 4 5", NULL, "i1 i1 H1:00001514 i1 i4 i5");
	expect("1 1 1 1 9", NULL, "i1 i1 i1 H1:00000019 i1 i9");
	expect("1 1 w9 1", NULL, "i1 H1:00000029 i1 i9 i1");
	expect("1 1 1 4 5", "latency.nop.latency=3", "H3:00001514 i1 i1 i1 i4 i5");
	expect("1 1 1 1 1", NULL, "i1 i1 i1 i1 i1");
}

/* The next group's `hints` stands before the group, so that all four bytes are for instructions, and takes a cycle of the delay before it. */
TEST(groups_follow_each_other)
{
	expect("1 4 4 4 4 4 4", NULL, "H2:14141414 i1 H4:00001414 i4 i4 i4 i4 i4 i4");
	expect("1 4 4 4 4 4 4 4 4 4", NULL, "H2:13141414 i1 H5:14141414 i4 i4 i4 i3 H4:00000014 i4 i4 i4 i4 i4");
	expect("1 4 1 1 4 1 1 4 4", NULL, "H1:14000014 i1 i4 i1 i1 i4 i1 H1:00001414 i1 i4 i4");
}

/* At the beginning of a block there is no room: nops stand for the number, behind the instruction, or before it for a wait. */
TEST(nops_stand_for_numbers_without_room)
{
	expect("4", NULL, "i1 n1 n1 n1");
	expect("w2", NULL, "n1 n1 i1");
	expect("h2", NULL, "i1 n1");
	expect("4 5 5", NULL, "i1 n1 H1:00001515 n1 i5 i5"); /* a nop becomes the `hints` */
}

/* Other lanes of the warp may run behind it, or a function. They take the registers. */
TEST(groups_end_at_a_flow_instruction)
{
	expect("1 4 x1 1 5 1", NULL, "H1:00000014 i1 i4 i1 H1:00000015 i1 i5 i1");
	expect("1 4 x1 5 5 1", NULL, "H1:00000014 i1 i4 i1 i1 n1 n1 H1:00000015 n1 i5 i1"); /* no room behind it, as in a new block */
	expect("1 4 X1 5 5 1", NULL, "H1:15150014 i1 i4 i1 i5 i5 i1");
}

/* A `hints` takes a slot, as one nop does: it is placed when it saves more. */
TEST(a_group_must_be_worth_its_slot)
{
	expect("1 1 1 2 1", NULL, "i1 i1 i1 i1 n1 i1");
	expect("1 1 1 3 1", NULL, "i1 i1 H1:00000013 i1 i3 i1");
	expect("1 1 1 2 2", NULL, "i1 i1 H1:00001212 i1 i2 i2");
	expect("1 1 1 h1 h1", NULL, "i1 i1 i1 i1 i1");
	expect("1 1 m1 1", NULL, "i1 i1 i1 i1");
	expect("1 1 m1 m1", NULL, "i1 H1:0000a1a1 i1 i1 i1");
	expect("1 1 1 4 1", "predecode.default_delay=4", "H1:11001111 i4 i1 i1 i4 i1");
	expect("4 4 4 4 4", "predecode.default_delay=4", "i4 i4 i4 i4 i4");
}

TEST(other_machines_have_none)
{
	expect("1 4 4", "predecode.carrier=line", "i1 i4 i4");
	/* Beside a scoreboard hints have no effect. */
	expect("1 4 4", "fence.mode=scoreboard", "i1 i4 i4");
}

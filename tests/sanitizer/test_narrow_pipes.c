/* The sanitizer on narrow pipes (HZ-7, HZ-9, HZ-16): lanes are read and written one part after the other, so a hazard can concern some of them. The
 * guard is read in the first cycle of the entry, for all lanes. In reports an instruction has the cycle of its first part's entry and that of its
 * last part's write. */
#include "hazards.h"

/* Pipes that take four lanes a cycle: eight cycles an instruction. r0 = number of the lane. */
static rig *begin_narrow(hd_pipe pipe, unsigned lanes)
{
	rig *r = begin(1, 1);
	r->machine.lanes[pipe] = lanes;
	for (unsigned i = 0; i < 7; i++) /* a line: what is narrow in begin() is over */
		rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

static hd_inst convert(unsigned d, unsigned a) { return alu(HD_OP_I2I, d, a, HD_RZ, HD_RZ); }

/* The moves are written in cycles 5 to 12; the conversion reads all lanes in cycle 7. */
TEST(a_value_that_comes_in_parts)
{
	rig *r = begin_narrow(HD_PIPE_ALU, 4);
	rig_put(r, movi(8, 5), delay(6));
	rig_put(r, convert(9, 8), delay(15));
	hazards(r, "RAW r8/fffff000 h 0 1 12, i 6 7 13");
	r = begin_narrow(HD_PIPE_ALU, 4);
	rig_put(r, movi(8, 5), delay(11));
	rig_put(r, convert(9, 8), delay(15));
	hazards(r, "");
}

/* In one pipe each part of the reader comes behind its part of the producer. */
TEST(parts_that_follow_each_other)
{
	for (unsigned distance = 4; distance <= 8; distance += 4) {
		rig *r = begin_narrow(HD_PIPE_ALU, 4);
		rig_put(r, movi(8, 5), delay(distance));
		rig_put(r, alui(HD_OP_IADD, 9, 8, 1), delay(15));
		hazards(r, "");
	}
}

/* Unlike a guard: it is there for the first part alone when the pipe is free again. */
TEST(a_guard_that_comes_in_parts)
{
	for (unsigned distance = 8; distance <= 12; distance++) {
		rig *r = begin_narrow(HD_PIPE_ALU, 4);
		rig_put(r, setpi(HD_CMP_GE, 3, 0, 0), delay(distance));
		rig_put(r, guarded(movi(8, 1), 3, 0), delay(15));
		static const char *const expected[] = {"RAW p3/fff00000 h 0 1 12, i 8 9 20", "RAW p3/ff000000 h 0 1 12, i 9 10 21",
		                                       "RAW p3/f0000000 h 0 1 12, i 10 11 22", "", ""};
		hazards(r, expected[distance - 8]);
	}
}

/* The reader's parts enter in cycles 1 to 8, the write of all lanes comes in cycle 7: from then on they read the new value. */
TEST(operands_that_are_read_in_parts)
{
	rig *r = begin_narrow(HD_PIPE_CVT, 4);
	rig_put(r, convert(9, 8), delay(2));
	rig_put(r, movi(8, 5), delay(15));
	hazards(r, "WAR r8/ff000000 h 0 1 14, i 2 3 7");
	r = begin_narrow(HD_PIPE_CVT, 4);
	rig_put(r, convert(9, 8), delay(4));
	rig_put(r, movi(8, 5), delay(15));
	hazards(r, "");
}

/* The earlier value lands from cycle 7 on, the later one in cycle 9: parts before that are right. */
TEST(results_that_are_written_in_parts)
{
	rig *r = begin_narrow(HD_PIPE_CVT, 4);
	rig_put(r, convert(8, 0), delay(4));
	rig_put(r, movi(8, 5), delay(15));
	hazards(r, "WAW r8/fffff000 h 0 1 14, i 4 5 9");
}

/* LU-5: each part drops its own. */
TEST(a_last_use_in_parts)
{
	for (unsigned flag = 0; flag < 2; flag++) {
		rig *r = begin_narrow(HD_PIPE_ALU, 16);
		hd_inst use = alui(HD_OP_IADD, 9, 8, 1);
		use.last_use = (uint8_t)flag;
		rig_put(r, movi(8, 5), delay(4));
		rig_put(r, use, delay(4));
		rig_put(r, alui(HD_OP_IADD, 11, 8, 1), delay(15));
		hazards(r, flag ? "last use r8 i 0 1 6, j 4 5 10" : "");
	}
}

/* Other lanes, and memory: collected, and sent on in the last cycle of the entry. */
TEST(operands_that_are_collected)
{
	rig *r = begin_narrow(HD_PIPE_LSU, 4);
	rig_put(r, store(HD_OP_STS, 1, 0, 8), delay(2));
	rig_put(r, movi(8, 5), delay(15));
	hazards(r, "WAR r8/ff000000 h 0 1 36, i 2 3 7");
}

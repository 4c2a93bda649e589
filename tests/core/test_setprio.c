/* The instruction setprio (PD-31), issue by issue. */
#include "timeline.h"

/* PD-31: warp 0 is first until the order follows its own lower priority; then warp 1 is. Warp 1 lowers its priority to the same value and stays
 * first. By age the instruction changes nothing. */
TEST(an_instruction_changes_the_order)
{
	static const char *const expected[] = {"0:0a 1:0b 2:0c 3:0d 4:0e 5:0f 6:0g 7:0h 9:1a 10:1b 11:1c 12:1d 13:1e 14:1f 15:1g 16:1h",
	                                       "0:0a 1:0b 2:0c 3:1a 4:1b 5:1c 6:1d 7:1e 8:1f 9:1g 10:1h 12:0d 13:0e 14:0f 15:0g 16:0h"};
	for (unsigned by_program = 0; by_program < 2; by_program++) {
		rig *r = begin(2, 1);
		hd_inst low = inst_(HD_OP_SETPRIO);
		low.a = 1;
		r->machine.predecode_priority = by_program ? HD_PRIORITY_PROGRAM : HD_PRIORITY_AGE;
		rig_put(r, low, delay(1));
		for (unsigned i = 0; i < 7; i++)
			rig_put(r, plain(5 + i), delay(1));
		rig_exit(r);
		expect(r, 8, expected[by_program]);
		assert_int_equal(r->stats.predecode_priorities, 2);
		rig_free(r);
	}
}

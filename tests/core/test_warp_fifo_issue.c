/* The scheduler's view of a warp with a FIFO (PD-34), issue by issue. */
#include "timeline.h"

/* The scheduler sees what the FIFO holds: with one entry no pair forms, and with a rate of one the warp issues every cycle all the same. */
TEST(the_scheduler_sees_the_fifo_alone)
{
	static const struct {
		unsigned fifo, rate;
		const char *expected;
		unsigned pairs;
	} rows[] = {
	    {0, 2, "0:0a 0:0b 1:0c 1:0d 2:0e 2:0f", 3},
	    {8, 8, "0:0a 0:0b 1:0c 1:0d 2:0e 2:0f", 3},
	    {1, 1, "0:0a 1:0b 2:0c 3:0d 4:0e 5:0f", 0},
	    {2, 1, "0:0a 0:0b 1:0c 2:0d 3:0e 4:0f", 1}, /* the FIFO is full after a pause, and then an entry comes in a cycle */
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		rig *r = begin(1, 2);
		r->machine.predecode_fifo = rows[i].fifo;
		r->machine.predecode_fifo_rate = rows[i].rate;
		r->machine.predecode_data_buffer = 64;
		for (unsigned k = 0; k < 6; k++)
			rig_put(r, k % 2 ? coord(6 + k) : plain(6 + k), k % 2 ? delay(1) : with(HD_HINT_PAIR, 0));
		rig_exit(r);
		expect(r, 6, rows[i].expected);
		assert_int_equal(r->stats.predecode_pairs, rows[i].pairs);
		rig_free(r);
	}
}

/* RC-17: which lanes of a warp are late for a `bar`: those of the running activation that wait, and may come to a `bar` at the PC or below before any
 * other one. The table of such bars is tested in tests/launch/test_first_bars.c, whole programs in tests/regressions/programs. */
#include "core/flow/flow.h"
#include "../test.h"

enum { WORDS = 64 };

TEST(lanes_wait_above_a_bar)
{
	uint32_t first_bars[WORDS], where;
	hd_warp_flow warp = {.stack = NULL};
	hd_code code = {.first_bars = first_bars, .n_words = WORDS};
	hd_flow flow = {.code = &code, .membership = HD_MEMBER_FLAG};
	memset(first_bars, 0xff, sizeof first_bars);
	first_bars[21] = 10;
	first_bars[31] = 11;
	first_bars[41] = 12;
	hd_flow_start(&warp, 1, 0xff);
	warp.rc[0] = 51; /* can come to none */
	warp.rc[1] = 41;
	warp.rc[2] = 21;
	warp.rc[3] = 31;
	static const uint32_t late[] = {[9] = 0, [10] = 0x04, [11] = 0x0c, [12] = 0x0e, [13] = 0x0e};
	for (warp.pc = 9; warp.pc <= 13; warp.pc++) {
		assert_int_equal(hd_flow_late_for_bar(&flow, &warp, &where), late[warp.pc]);
		assert_int_equal(where, late[warp.pc] ? 21 : HD_INF);
	}
	warp.members = 0xf2; /* the others wait in a caller */
	assert_int_equal(hd_flow_late_for_bar(&flow, &warp, &where), 0x02);
	assert_int_equal(where, 41);
	flow.membership = HD_MEMBER_ENTRY;
	warp.begin = 30;
	warp.end = HD_INF;
	assert_int_equal(hd_flow_late_for_bar(&flow, &warp, &where), 0x0a);
	assert_int_equal(where, 31);
}

/* The state of a core's units, as a watcher gets it in each cycle: single units in programs made by hand. test_random.c compares
 * all of it with the events of random runs. */
#include "rig.h"
#include "units_model.h"

enum { ADDRESSES = 32 /* of the programs */ };

typedef struct looker {
	hd_trace trace; /* first */
	hd_unit_watch watch;
	uint64_t cycles, before;
	uint64_t stored; /* registers */
	unsigned held, forwarded, parked, called, raised, chosen, buffered;
	int64_t high, deepest;
	int64_t read[ADDRESSES], fifo_gap[ADDRESSES], hazard_gap[ADDRESSES], spaced[ADDRESSES]; /* the last ones */
	bool gap;
} looker;

static void ignore(hd_trace *trace, const hd_trace_event *event) { (void)trace, (void)event; }

static void look(hd_unit_watch *watch, const hd_units *units)
{
	looker *l = (looker *)(void *)((char *)watch - offsetof(looker, watch));
	const hd_unit_warp *warp = units->warp;
	l->gap |= l->before && units->cycle != l->before + 1;
	l->before = units->cycle;
	l->cycles++;
	for (uint32_t i = 0; i < units->count[HD_UNITS_hazard]; i++) {
		const hd_unit_hazard *hazard = &units->hazard[i];
		l->held += hazard->number[0] && hazard->held[0] == 2 && hazard->wait[0] == 2;
		if (hazard->number[0]) {
			l->hazard_gap[hazard->pc[0]] = hazard->gap[0];
			l->spaced[hazard->pc[0]] = hazard->spaced[0];
		}
	}
	for (uint32_t i = 0; i < units->count[HD_UNITS_entry]; i++)
		if (units->entry[i].number[0])
			l->fifo_gap[units->entry[i].pc[0]] = units->entry[i].gap[0];
	for (uint32_t i = 0; i < units->count[HD_UNITS_read]; i++) {
		l->forwarded += units->read[i].number[0] && units->read[i].place[0] == HD_UNIT_PATH_B;
		if (units->read[i].number[0])
			l->read[units->read[i].pc[0]] = (int64_t)units->cycle;
	}
	for (uint32_t i = 0; i < units->count[HD_UNITS_write]; i++)
		l->stored |= (uint64_t)(units->write[i].number[0] != 0) << units->write[i].reg[0];
	for (uint32_t i = 0; i < units->count[HD_UNITS_buffer]; i++)
		l->buffered += units->buffer[i].number[0] != 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		l->parked += warp->live[0] && warp->resume[lane] != -1 && warp->resume[lane] == warp->minrc[0];
	l->called += warp->live[0] && warp->depth[0] == 1 && warp->back[0] > 0 && warp->back[1] == -1;
	l->high = warp->counter[1] > l->high ? warp->counter[1] : l->high;
	l->raised += warp->counter[1] && warp->outstanding[0] & 2;
	l->chosen += units->look[0].number[0] && units->look[0].outcome[0] == HD_UNIT_SENT;
}

static looker watched(rig *r, uint64_t first, uint64_t last)
{
	looker l = {.trace = {.event = ignore}, .watch = {.first = first, .last = last, .cycle = look}};
	l.trace.units = &l.watch;
	r->options.trace = &l.trace;
	assert_true(rig_run(r));
	r->options.trace = NULL;
	return l;
}

/* A secondary waits in the hazard queue of its pipe for counter 2, which its primary raised. */
static rig *secondary(void)
{
	rig *r = rig_new(64);
	hd_inst wait = alui(HD_OP_IADD, 6, 5, 1);
	wait.wait = 2;
	rig_put(r, primary(alu(HD_OP_FEX2, 5, 4, HD_RZ, HD_RZ), 2), delay(1));
	rig_put(r, wait, delay(1));
	rig_put(r, alui(HD_OP_IADD, 7, 4, 1), delay(1));
	rig_put(r, inst_(HD_OP_EXIT), delay(1));
	return r;
}

TEST(a_secondary_shows_in_the_hazard_queue)
{
	rig *r = secondary();
	r->machine.fence_high_latency = 0;
	looker l = watched(r, 1, UINT64_MAX);
	assert_true(l.held > 1);
	assert_true(l.high > 0);
	assert_true(l.raised >= l.held); /* the flag stands as long as the secondary waits */
	assert_int_equal(l.chosen, 4);
	assert_false(l.gap);
	rig_free(r);
}

TEST(counted_distances_show_in_both_queues)
{
	rig *r = rig_new(64);
	hd_inst wait = alui(HD_OP_IADD, 6, 5, 1);
	wait.wait = 2;
	rig_put(r, alui(HD_OP_IADD, 8, 4, 1), delay(2));                       /* 1 */
	rig_put(r, primary(alu(HD_OP_FEX2, 5, 4, HD_RZ, HD_RZ), 2), delay(1)); /* 2 */
	rig_put(r, wait, delay(2));                                            /* 3 */
	rig_put(r, alui(HD_OP_IADD, 7, 4, 1), delay(1));                       /* 4 */
	rig_put(r, inst_(HD_OP_EXIT), delay(1));
	r->machine.fence_high_latency = 0;
	looker l = watched(r, 1, UINT64_MAX);
	assert_int_equal(l.fifo_gap[3], 3);
	assert_int_equal(l.fifo_gap[4], 2);
	assert_int_equal(l.hazard_gap[3], 3);
	assert_int_equal(l.hazard_gap[4], 2);
	assert_int_equal(l.spaced[3], l.read[1] + 3);
	assert_int_equal(l.spaced[4], l.read[3] + 2);
	rig_free(r);
}

/* Only the cycles of the range are seen, each of them once, although the machine would skip most. */
TEST(the_range_is_seen_cycle_by_cycle)
{
	rig *r = secondary();
	looker all = watched(r, 1, UINT64_MAX);
	assert_true(all.cycles > 20);
	looker some = watched(r, 10, 19);
	assert_int_equal(some.cycles, 10);
	assert_int_equal(some.before, 19);
	assert_false(some.gap);
	looker none = watched(r, UINT64_MAX - 1, UINT64_MAX);
	assert_int_equal(none.cycles, 0);
	rig_free(r);
}

TEST(forwarding_and_writes_show)
{
	rig *r = rig_new(64);
	for (unsigned i = 0; i < 6; i++)
		rig_put(r, alui(HD_OP_IADD, 5, 5, 1), delay(r->machine.latency[HD_CLASS_ALU].latency));
	rig_put(r, alu(HD_OP_IADD64, 10, 6, 8, HD_RZ), delay(1));
	rig_put(r, inst_(HD_OP_EXIT), delay(1));
	r->machine.last_use_path_b = 1;
	looker l = watched(r, 1, UINT64_MAX);
	assert_int_equal(l.forwarded, 5);
	assert_true(l.stored == (1u << 5 | 3u << 10));
	rig_free(r);
}

TEST(lanes_that_wait_show_with_minrc)
{
	rig *r = rig_new(64);
	hd_inst compare = setpi(HD_CMP_LT, 0, 4, 7), jump = guarded(branch(HD_OP_BRA, 0), 0, 0);
	compare.wait = 1;
	jump.wait = 2;
	rig_put(r, primary(sreg(4, HD_SREG_LANEID), 1), delay(1));
	rig_put(r, primary(compare, 2), delay(1));
	uint32_t skip = rig_put(r, jump, delay(1));
	rig_put(r, alui(HD_OP_IADD, 5, 5, 1), delay(15)); /* with the next one it keeps the PC before the place where lanes wait */
	rig_put(r, alui(HD_OP_IADD, 5, 5, 1), delay(15));
	r->slots[skip].inst.imm = (int32_t)rig_here(r);
	rig_put(r, inst_(HD_OP_EXIT), delay(1));
	looker l = watched(r, 1, UINT64_MAX);
	assert_true(l.parked >= 7 && l.parked % 7 == 0);
	rig_free(r);
}

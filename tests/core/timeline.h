/* When instructions issue, against a timeline that is written out. One scheduler; the instructions that count begin at word 9 and are called a, b, c
 * ... in the order of the program; "0:0a 3:1b 3:0C" = warp 0 issues a in the first cycle, warp 1 its b three cycles later, and in the same cycle warp
 * 0's c issues again as a replay. Warp 1 comes to word 9 one cycle after warp 0. */
#ifndef HD_TEST_TIMELINE_H
#define HD_TEST_TIMELINE_H

#include "rig.h"

typedef struct watch {
	hd_trace trace;
	hd_text got;
	uint64_t first;
	uint32_t until; /* words from here on do not count */
} watch;

static inline void event(hd_trace *trace, const hd_trace_event *e)
{
	watch *w = (watch *)trace;
	if ((e->kind != HD_TRACE_ISSUE && e->kind != HD_TRACE_REPLAY) || e->pc < 9 || e->pc >= w->until)
		return;
	w->first = w->first ? w->first : e->cycle;
	hd_text_printf(&w->got, "%s%llu:%u%c", w->got.n ? " " : "", (unsigned long long)(e->cycle - w->first), e->slot,
	               (e->kind == HD_TRACE_REPLAY ? 'A' : 'a') + (int)(e->pc - 9 - (e->pc - 9) / 8));
}

/* `n` instructions count, and then come `exit` and the end. */
static inline void expect(rig *r, unsigned n, const char *expected)
{
	watch w = {.trace = {.event = event}, .until = 9 + n + (n - 1) / 7};
	r->options.trace = &w.trace;
	assert_true(rig_run(r));
	if (strcmp(w.got.at ? w.got.at : "", expected) != 0)
		fail_msg("%s, expected %s", w.got.at ? w.got.at : "nothing", expected);
	assert_int_equal(rig_stalls(&r->stats) + r->stats.run_slots_used, r->stats.run_issue_slots);
	assert_int_equal(r->stats.stall_other, 0);
	hd_text_free(&w.got);
	/* And not otherwise when every cycle is looked at. */
	hd_stats skipped = r->stats;
	r->options.trace = NULL;
	r->options.tick_every_cycle = true;
	assert_true(rig_run(r));
	assert_memory_equal(&skipped, &r->stats, sizeof skipped);
}

/* A line first, in which r2:r3 becomes the address of out (all threads the same), r0 the number of the thread, r1 four times that, and fetch is far
 * ahead. */
static inline rig *begin(unsigned warps, unsigned width)
{
	rig *r = rig_new(1024);
	r->machine.machine_schedulers = 1;
	r->machine.predecode_issue_width = width;
	r->machine.predecode_buffer = 64;
	r->machine.predecode_prefetch = 8;
	r->launch.block[0] = 32 * warps;
	r->kernel.shared_bytes = 8192;
	rig_put(r, sreg(0, HD_SREG_TIDX), delay(15));
	rig_put(r, movc(2, 16), delay(15));
	rig_put(r, movc(3, 17), delay(15));
	rig_put(r, alui(HD_OP_SHL, 1, 0, 2), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	rig_put(r, inst_(HD_OP_NOP), delay(15));
	return r;
}

static inline uint8_t with(hd_hint hint, unsigned number) { return (uint8_t)(hint << 4 | number); }
/* Two hints in an entry (PD-24). */
static inline uint16_t both(unsigned first, unsigned second) { return (uint16_t)(first | second << 8); }
static inline hd_inst plain(unsigned d) { return movi(d, 1); }
static inline hd_inst sfu(unsigned d) { return alu(HD_OP_FEX2, d, HD_RZ, HD_RZ, HD_RZ); }
static inline hd_inst coord(unsigned d) { return sreg(d, HD_SREG_LANEID); }

static inline void end(rig *r, unsigned n, const char *expected)
{
	rig_exit(r);
	expect(r, n, expected);
	rig_free(r);
}

#endif

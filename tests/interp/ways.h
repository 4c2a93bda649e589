/* A program with its warps side by side (team.c) and each of them alone. */
#ifndef HD_TEST_WAYS_H
#define HD_TEST_WAYS_H

#include "rig.h"

enum { WORDS = OUT_BYTES / 4 };

typedef struct outcome {
	bool ok;
	uint32_t words[WORDS];
	hd_stats stats;
	hd_text message;
	hd_trap_kind kind;
	uint32_t warp, lane, pc;
} outcome;

static inline void run_one_way(rig *r, bool alone, uint64_t limit, outcome *o)
{
	hd_task task = {.launch = r->launch};
	hd_interp_options options = {.call_depth = 16, .grid_depth = 1, .max_instructions = limit, .warps_alone = alone};
	hd_interp *interp = hd_interp_new(r->program);
	hd_trap trap;
	uint8_t *bytes = hd_memory_at(r->memory, r->out, OUT_BYTES);
	memset(bytes, 0, OUT_BYTES);
	memset(o, 0, sizeof *o);
	o->ok = hd_interp_run_again(interp, &task, 1, r->memory, &options, &o->stats, &trap);
	if (!o->ok) {
		hd_trap_print(&o->message, &trap, &r->launch, r->memory);
		o->kind = trap.kind;
		o->warp = trap.warp;
		o->lane = trap.lane;
		o->pc = trap.pc;
	}
	hd_trap_free(&trap);
	hd_interp_free(interp);
	memcpy(o->words, bytes, OUT_BYTES);
}

/* Both ways. A program without a data race leaves no difference. */
static inline void expect_same(rig *r, outcome *team)
{
	outcome alone;
	rig_run(r);
	run_one_way(r, true, 0, &alone);
	run_one_way(r, false, 0, team);
	assert_true(alone.ok);
	assert_true(team->ok);
	assert_memory_equal(team->words, alone.words, sizeof alone.words);
	assert_memory_equal(&team->stats, &alone.stats, sizeof alone.stats);
}

#endif

/* A core that the test drives by hand: it calls one stage, or ticks the core cycle by cycle, and looks at the state in between.
 * The program and the machine come from a rig (rig.h). */
#ifndef HD_TEST_STAGE_RIG_H
#define HD_TEST_STAGE_RIG_H

#include "rig.h"

#include "core/core.h"
#include "core/execute/operands.h"
#include "core/execute/pipeline.h"
#include "core/issue/micro_scheduler.h"
#include "core/residency/residency.h"

typedef struct stage_rig {
	rig *rig;
	hd_task task;
	hd_tasks tasks;
	hd_watch watch;
	hd_core_signal signal;
	hd_context context;
	hd_code *code;
	hd_icache l15;
	hd_core *core;
	hd_scheduler *s; /* the first */
	hd_grid *grid;
	hd_cta *cta; /* of stage_start */
} stage_rig;

/* Makes the core for the program and the machine of `r`, which the stage rig then owns. No CTA runs yet. The kernel ends with an exit. */
static inline stage_rig *stage_new_of(rig *r, uint32_t schedulers)
{
	stage_rig *t = hd_xaligned(sizeof *t);
	hd_machine *machine = &r->machine;
	hd_diag diag = {0};
	t->rig = r;
	rig_exit(r);
	machine->machine_schedulers = schedulers;
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = (r->words + 7) & ~7u};
	r->launch.program = &r->program;
	r->launch.kernel = &r->kernel;
	r->launch.params = r->params;
	t->task = (hd_task){.launch = r->launch};
	t->tasks.machine = machine;
	assert_true(
	    hd_tasks_init(&t->tasks, &t->task, 1, (hd_task_limits){machine->grids_depth, machine->grids_pending, machine->grids_entries}, &diag));
	uint32_t window = hd_machine_has_window(machine) ? machine->multi_issue_window : 0;
	t->code = hd_code_new(machine, &r->program, window > 0);
	t->watch.from = HD_NEVER;
	t->context = (hd_context){.machine = machine,
	                          .tasks = &t->tasks,
	                          .code = t->code,
	                          .memory = r->memory,
	                          .l2 = hd_l2_new(machine),
	                          .stats = &r->stats,
	                          .trap = &r->trap,
	                          .signal = &t->signal,
	                          .cores = 1,
	                          .window = window,
	                          .trace = r->options.trace,
	                          .watch = &t->watch,
	                          .eager = r->options.tick_every_cycle};
	hd_icache_init(&t->l15, machine->fetch_l15_lines, 8);
	hd_core_size size = {.ctas = 8, .warps = schedulers * machine->machine_warps, .registers = 64};
	t->core = hd_core_new(&t->context, 0, size, &t->l15);
	t->s = t->core->scheduler;
	t->grid = t->tasks.at.at[0];
	return t;
}

/* The same with one scheduler. */
static inline stage_rig *stage_new(rig *r) { return stage_new_of(r, 1); }

/* Starts the next CTA in cycle 1. Its warps have the whole program in their instruction buffers, so that they can issue at once. */
static inline hd_cta *stage_start(stage_rig *t)
{
	uint32_t at[3];
	uint64_t number, item;
	hd_tasks_give(&t->tasks, t->grid, 1, at, &number, &item);
	hd_core_start(t->core, 1, t->grid, at, number, item);
	t->cta = &t->core->ctas[number];
	for (uint32_t i = 0; i < t->core->n_schedulers; i++) {
		hd_fetch *fetch = &t->core->scheduler[i].fetch;
		for (unsigned warp = 0; warp < HD_WARP_SLOTS; warp++)
			fetch->have[warp] = t->rig->words;
		fetch->starved = 0;
	}
	return t->cta;
}

static inline void stage_free(stage_rig *t)
{
	hd_core_free(t->core);
	hd_icache_free(&t->l15);
	hd_l2_free(t->context.l2);
	hd_code_free(t->code);
	hd_tasks_free(&t->tasks);
	rig_free(t->rig);
	free(t);
}

/* Ticks every cycle of `from` to `to`, inclusive. */
static inline void stage_ticks(stage_rig *t, uint64_t from, uint64_t to)
{
	for (uint64_t now = from; now <= to; now++)
		assert_true(hd_core_tick(t->core, now));
}

/* Writes a register for all lanes of a warp. */
static inline void stage_set(stage_rig *t, unsigned warp, unsigned reg, uint32_t value)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		t->s->registers.at[warp][reg].v[lane] = value;
}

/* Registers reg and reg + 1 become the address of word `word` of the out buffer, in all lanes. */
static inline void stage_set_address(stage_rig *t, unsigned warp, unsigned reg, uint32_t word)
{
	uint64_t address = t->rig->out + UINT64_C(4) * word;
	stage_set(t, warp, reg, (uint32_t)address);
	stage_set(t, warp, reg + 1, (uint32_t)(address >> 32));
}

/* A latch of the instruction at `pc` of a warp, for lanes `mask`, as if it had left its queue. */
static inline hd_flight *stage_flight(stage_rig *t, unsigned warp, uint32_t pc, uint32_t mask)
{
	hd_sent sent = {.pc = pc, .mask = t->s->flow[warp].active, .warp = (uint8_t)warp};
	hd_flight *flight = hd_new_flight(t->core, 0, &sent, mask, hd_own_units(t->core, mask));
	memset(&flight->out, 0, sizeof flight->out);
	return flight;
}

#endif

/* The state of a core, for the units that make it up. Struct-of-arrays by warp slot; sets of warp slots are bit masks. */
#ifndef HD_CORE_STATE_H
#define HD_CORE_STATE_H

#include "core/flow/barriers.h"
#include "core/core.h"
#include "core/issue/counted.h"
#include "core/issue/decode.h"
#include "core/execute/events.h"
#include "core/issue/fence_counters.h"
#include "core/fetch/fetch.h"
#include "core/flow/flow.h"
#include "core/observe/livelock.h"
#include "core/issue/macro_scheduler.h"
#include "core/execute/queue.h"
#include "core/execute/register_file.h"
#include "core/execute/replay.h"
#include "core/issue/scoreboard.h"
#include "core/issue/wait_counters.h"
#include "core/issue/window.h"
#include "core/execute/write_controller.h"

enum { HD_MAX_SCHEDULERS = 8, HD_SENT_MAX = 4 };

typedef struct hd_cta {
	bool used;
	bool stopping; /* its warps issue nothing more: its state is to be saved (preempt.h) */
	bool away;     /* its state lies elsewhere; it only takes its room */
	uint32_t at[3];
	uint64_t number;
	hd_grid *grid;
	uint64_t item;     /* a queue's entry */
	uint64_t slots[2]; /* set of warp slots of the core: number * schedulers + scheduler */
	hd_demand demand;
	uint32_t warps;   /* it began with */
	uint64_t begun;   /* which of the core's, for choosing the youngest */
	uint32_t running; /* warps with a thread left */
	uint32_t held;    /* warps whose slot is not free yet */
	uint32_t waiting; /* warps at a barrier */
	hd_barriers barriers;
	uint8_t *shared; /* shared_room bytes of the host, at least what it needs */
	size_t shared_room;
} hd_cta;

/* What is looked at only when an instruction executes. */
typedef struct hd_warp {
	_Alignas(64) hd_cta *cta;
	uint32_t number;       /* in its CTA */
	uint32_t in_flight;    /* instructions dispatched and not finished (PD-17): in queues, pipes and the replay buffer */
	uint32_t memory;       /* of them, those of memory */
	uint32_t barrier_pc;   /* of the barrier at which it waits */
	bool over;             /* it has no thread left */
	const hd_vec32 *words; /* of its grid's constant bank */
	uint64_t local_id;
	uint8_t *local;
} hd_warp;

/* Lane groups resolved by operand reads and drops of this cycle: they count from the next cycle on, whatever the order of the pipes (HZ-8). */
typedef struct hd_release {
	uint8_t warp, counter, groups;
} hd_release;

typedef struct hd_scheduler {
	/* Sets of warp slots. A warp can be picked when it is live and in none of the others, nor starved (fetch), nor its queue full. */
	uint32_t live;     /* has a thread left */
	uint32_t deciding; /* a flow instruction is not decided */
	uint32_t decided;  /* in this cycle, while somebody watches for livelocks; not a reason to wait */
	uint32_t at_barrier;
	uint32_t descheduled; /* waits for counters (HZ-18, HZ-21) */
	uint32_t for_waiters; /* of those: for wait counters */
	uint32_t for_room;    /* of those: until the counter of the next instruction, a primary, is no longer full */
	uint32_t blocked;     /* baseline: the scoreboard refused its next instruction, and nothing of the warp has changed since */
	uint32_t asleep;      /* delay or wait of a hint */
	uint32_t for_memory;  /* the hold hint of its next instruction waits for memory (PD-8) */
	/* Sets of those whose next instruction asks for something. */
	uint32_t holds, passing; /* PD-8: to be first; before a replay, too */
	/* PD-9 */
	uint32_t adjusting; /* a boost or lower was issued, and the next instruction is not at the head of its FIFO yet */
	uint32_t rising;    /* of those, the boosts */
	uint32_t lowered;   /* yield to all others */
	uint64_t neutral;   /* first of lowered[] to end */
	uint8_t span[HD_WARP_SLOTS];
	uint32_t for_constant;           /* a constant operand of the next instruction was not there when it was last looked at */
	uint32_t stalled;                /* windows in which nothing can be sent until wake[], or until something of the warp or of held_by changes */
	uint32_t held_by[HD_PIPE_COUNT]; /* at least those of them in which an instruction has to wait for room in the pipe's queue */
	uint64_t wake_first;             /* first of the sleepers' wake[] */
	uint64_t wake[HD_WARP_SLOTS];
	uint16_t watch[HD_WARP_SLOTS];     /* counters that a descheduled warp waits for */
	uint16_t next_pipe[HD_WARP_SLOTS]; /* bit of the pipe of the warp's next instruction (MI-1) */
	uint32_t full;                     /* pipes whose FIFO is full */
	uint32_t occupied;                 /* pipes whose queue is not empty */
	/* When nothing could issue: why, and until when that stays so unless touched. */
	bool touched;
	hd_stall idle_cause;
	uint64_t idle_until;
	uint64_t pipe_free[HD_PIPE_COUNT]; /* from when the entry takes an instruction */
	uint64_t stall[HD_STALL_COUNT];
	uint64_t used; /* issue slots in which something was sent; with stall[] all that were offered */
	uint64_t sent[HD_SENT_MAX + 1];
	uint32_t n_releases;
	hd_release release[2 * HD_PIPE_COUNT];
	hd_scoreboard *scoreboard; /* baseline, else NULL */
	hd_fence fence;
	hd_waiters waiters;
	hd_macro macro;
	hd_fetch fetch;
	hd_register_file registers;
	hd_write_controller results;
	hd_queue queue[HD_PIPE_COUNT];
	hd_replays replay;
	hd_warp warp[HD_WARP_SLOTS];
	hd_warp_flow flow[HD_WARP_SLOTS];
	hd_counted counted;
	hd_windows window; /* of warps with more than one instruction a cycle */
} hd_scheduler;

struct hd_core {
	const hd_context *context;
	const hd_static *code;
	const hd_window_row *window_rows; /* NULL without a window */
	uint32_t window;                  /* candidates (MI-2); 0 = none: the next instruction alone */
	uint32_t hold;                    /* multi_issue.hold */
	const hd_needs *needs;            /* baseline: a scoreboard keeps the order; else NULL */
	hd_stats *stats;
	hd_trace *trace;                                    /* NULL: nobody watches */
	uint32_t serial;                                    /* instructions issued while somebody watches */
	uint32_t number, n_schedulers, width, low_counters; /* low_counters: mask */
	bool wait_counters, stopped, holds;
	uint64_t last;    /* cycle accounted for last */
	uint64_t offered; /* issue slots */
	bool watched;     /* some scheduler's `decided` is not empty */
	hd_past *past;    /* livelock.c; NULL until it has watched */
	/* Instructions that entered a pipe, and their active lanes, by latency class: the statistics' groups `pipe` and `lanes` are made of them. */
	uint64_t entered[HD_CLASS_COUNT], lanes[HD_CLASS_COUNT];
	hd_core_signal *signal;
	uint64_t born;
	hd_core_size size;
	uint32_t resident, n_ended, n_stopped;
	hd_supply supply;
	hd_demand used;
	uint64_t begun;         /* CTAs */
	uint64_t free_slots[2]; /* set of warp slots, as of hd_cta */
	hd_cta *ctas;
	hd_grid **ended;     /* grids of the CTAs that ended, n_ended */
	uint8_t *stopped_at; /* CTAs that have stopped and wait to be saved, n_stopped */
	hd_scheduler *scheduler;
	hd_lsu *lsu;
	struct hd_constants *constants; /* NULL without a constant cache */
	hd_flow flow;
	hd_fetch_port port;
	hd_fetch *buffers[HD_MAX_SCHEDULERS];
	hd_events events;
	hd_pool pool;
	struct {
		hd_flight *first, *last; /* on the way to the memory stage, in order */
	} stage[2];                      /* LSU, LATOM */
	hd_vec32 *registers;
	hd_activation *activations;
	hd_tokens *tokens; /* of each warp, for the baseline's flow unit */
	struct hd_local {
		uint8_t *at;
		size_t room;
	} * local; /* of each warp slot */
};

/* core.c */
/* Stops the run: names the place; `text` (may be NULL) becomes the trap's. */
void hd_core_stop(hd_core *core, uint64_t now, hd_trap_kind kind, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, char *text);
void hd_core_fill_place(const hd_core *core, uint64_t now, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, hd_trap *trap);
/* Everything up to cycle `to` is accounted for: nothing happened in it. */
void hd_core_catch_up(hd_core *core, uint64_t to);
/* Takes room for a CTA and its warp slots. */
hd_cta *hd_core_take(hd_core *core, hd_grid *grid, const hd_demand *demand);
void hd_core_give(hd_core *core, hd_cta *cta);
/* Puts a warp into a slot: everything of it that is new in every case. */
hd_scheduler *hd_core_place_warp(hd_core *core, hd_cta *cta, uint32_t slot, uint32_t number, unsigned *warp);
/* The n-th warp slot of a CTA. */
uint32_t hd_core_slot(const hd_cta *cta, uint32_t n);
/* A warp of a stopping CTA has nothing in flight any more (preempt.c). */
void hd_core_warp_stopped(hd_core *core, hd_scheduler *s, unsigned warp);
/* What the program says of a warp's priority (PD-12). */
static inline int64_t hd_core_priority(const hd_core *core, const hd_cta *cta, uint32_t number)
{
	const hd_kernel *kernel = cta->grid->launch.kernel;
	int64_t middle = INT64_C(1) << (core->context->machine->predecode_priority_bits - 1);
	int64_t value = (kernel->priority ? kernel->priority : middle) + (int64_t)kernel->priority_step * number;
	return value > 0 ? value : 1;
}
/* One instruction less in flight; frees the slot of a warp that has ended. */
void hd_core_retire(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row);
/* A warp has no thread left. */
void hd_core_end_warp(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

/* micro_scheduler.c: one cycle of a scheduler's issue slots (PD-13). */
void hd_micro_tick(hd_core *core, unsigned scheduler, uint64_t now);
/* The warp goes on at flow[].pc in cycle `now` at the earliest: puts its next instruction before the scheduler. */
void hd_micro_next(hd_core *core, hd_scheduler *s, unsigned warp, uint64_t now);

/* First cycle from which the constant operand of the warp's instruction `row` is there; `now` when it is. Only with a constant cache (PD-21). */
uint64_t hd_micro_constant(hd_core *core, hd_scheduler *s, unsigned warp, const hd_static *row, uint64_t now);

/* window.c: sends what can be sent of a warp's window in this cycle; *n = how many. The warp is live, not deciding, waiting or starved. */
hd_window_result hd_window_send(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, unsigned *n, hd_verdict *verdict, uint64_t *until);

/* pipeline.c */
/* `sent` leaves its queue for the pipe in this cycle: active logic, operand read, execution into the latch. */
void hd_pipeline_enter(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now);
/* For the replay buffer: one that has an entry already enters; a replay goes through the pipe once more, with its operands; whether the ports of the
 * register file that it would read by are taken in this cycle. */
void hd_pipeline_enter_reserved(hd_core *core, unsigned scheduler, const hd_sent *sent, uint64_t now);
void hd_pipeline_reenter(hd_core *core, hd_scheduler *s, hd_flight *flight, uint64_t now);
bool hd_pipeline_ports_taken(const hd_core *core, const hd_scheduler *s, const hd_sent *sent, uint64_t now);
uint64_t hd_pipeline_memory_accepts(const hd_core *core, unsigned pipe, uint64_t accept, uint64_t now);
/* First cycle from which the pipe takes an instruction, as far as known in cycle `now`. */
static inline uint64_t hd_pipeline_accepts(const hd_core *core, const hd_scheduler *s, unsigned pipe, uint64_t now)
{
	uint64_t accept = s->pipe_free[pipe] > s->results.ports_free ? s->pipe_free[pipe] : s->results.ports_free;
	if (pipe == HD_PIPE_LSU && hd_replay_full(&s->replay))
		return HD_NEVER; /* until one is served */
	return pipe == HD_PIPE_LSU || pipe == HD_PIPE_LATOM ? hd_pipeline_memory_accepts(core, pipe, accept, now) : accept;
}
/* Memory stages: performs what has reached them. */
void hd_pipeline_memory(hd_core *core, uint64_t now);
/* First cycle in which a memory stage has something to do. */
uint64_t hd_pipeline_memory_next(const hd_core *core);

/* spawn.c: LAUNCH and QPUSH at the memory stage (PD-19), the lanes one after the other. As hd_lsu_access. */
bool hd_core_spawn(hd_core *core, const hd_cta *cta, uint64_t now, const hd_access *access, hd_access_result *result, hd_trap *trap);

/* monitor.c (HZ-9) */
/* `groups` lane groups of an instruction have been written, at the beginning of cycle `now`. */
void hd_monitor_written(hd_core *core, unsigned scheduler, unsigned warp, unsigned counter, unsigned groups, uint64_t now);
/* `groups` have been read, or dropped, in this cycle; takes effect with hd_monitor_commit. */
static inline void hd_monitor_read(hd_scheduler *s, unsigned warp, unsigned counter, unsigned groups)
{
	s->release[s->n_releases++] = (hd_release){(uint8_t)warp, (uint8_t)counter, (uint8_t)groups};
}
void hd_monitor_commit(hd_core *core, unsigned scheduler, uint64_t now);
/* Wait counters of a warp fell to zero. */
void hd_monitor_waiters(hd_scheduler *s, unsigned warp);
/* At the end of a cycle: stops the run if a fence counter is out of its range (HZ-8). */
void hd_monitor_judge(hd_core *core, unsigned scheduler, uint64_t now);

/* Cycles after which the next instruction may follow `row`, which has just been sent (PD-5). A delay of more than a cycle counts from when the queue
 * can hand on what was sent: what came sooner would only stand in the FIFO, as its distance is kept there (docs/timing.md, rule 2). */
static inline uint64_t hd_delay_behind(const hd_scheduler *s, const hd_static *row)
{
	if (row->delay < 2 || row->kind == HD_KIND_FLOW || row->kind == HD_KIND_NOP)
		return row->delay;
	return row->delay + hd_queue_ahead(&s->queue[row->pipe]);
}

/* Something changed that may let instructions of `warps` be sent: those whose windows wait are looked at again. */
static inline void hd_unstall(hd_scheduler *s, uint32_t warps)
{
	s->touched |= (s->stalled & warps) != 0;
	s->stalled &= ~warps;
}

/* The queue of a pipe has changed. A look at a constant operand moves its line in the cache, so there no look is left out. */
static inline void hd_unstall_pipe(const hd_core *core, hd_scheduler *s, unsigned pipe)
{
	hd_unstall(s, core->constants ? ~0u : s->held_by[pipe]);
	s->held_by[pipe] = 0;
}

/* Baseline: operands were read; results can be relied upon; the instruction left the machine. The warp is looked at again. */
static inline void hd_score(hd_core *core, hd_scheduler *s, unsigned warp, uint32_t pc, void (*what)(hd_scoreboard *, unsigned, const hd_needs *))
{
	what(s->scoreboard, warp, &core->needs[pc]);
	s->touched |= s->blocked >> warp & 1;
	s->blocked &= ~(1u << warp);
	hd_unstall(s, 1u << warp);
}

/* decide.c: a flow instruction is decided at the end of its pipe. */
void hd_decide(hd_core *core, unsigned scheduler, hd_flight *flight, uint64_t now);

#endif

/* The state of a core: only the types that its stages work on. Arrays are indexed by warp slot. Sets of warp slots are bit masks. Each stage has its
 * own header. */
#ifndef HD_CORE_STATE_H
#define HD_CORE_STATE_H

#include "core/flow/barriers.h"
#include "core/context.h"
#include "core/issue/counted.h"
#include "core/issue/decode.h"
#include "core/execute/entries.h"
#include "core/execute/events.h"
#include "core/issue/fence_counters.h"
#include "core/fetch/fetch.h"
#include "core/issue/hint_registers.h"
#include "core/flow/flow.h"
#include "core/issue/macro_scheduler.h"
#include "core/execute/queue.h"
#include "core/execute/register_file.h"
#include "core/execute/replay_buffer.h"
#include "core/execute/shared_queue.h"
#include "core/issue/scoreboard.h"
#include "core/issue/wait_counters.h"
#include "core/issue/windows.h"
#include "core/issue/window_rows.h"
#include "core/execute/write_controller.h"
#include "memory/requests.h"

typedef struct hd_unit_view hd_unit_view;       /* observe/units.c */
typedef struct hd_narrow hd_narrow;             /* execute/narrow_entry.h */
typedef struct hd_past hd_past;                 /* observe/livelock.c */
typedef struct hd_shared_pipes hd_shared_pipes; /* execute/shared_pipes.h */
typedef struct hd_speculation hd_speculation;   /* issue/speculation.h */

struct hd_issue_cycle; /* issue/micro_scheduler.h */

enum { HD_SENT_MAX = 4 };

/* A stage of a core's cycle. False: the cycle stops behind it, or in it when it has to wait for the shared side (memory/requests.h). */
typedef bool hd_stage(hd_core *core, uint64_t now);

typedef struct hd_cta {
	bool used;
	bool stopping;    /* its warps issue nothing more, because its state will be saved (preempt.h) */
	bool swapped_out; /* its state is elsewhere; it only occupies room in the core */
	uint32_t at[3];
	uint64_t number;
	hd_grid *grid;
	uint64_t item;     /* entry of a queue */
	uint64_t slots[2]; /* set of warp slots of the core: number * schedulers + scheduler */
	hd_demand demand;
	uint32_t warps;   /* number of warps at the beginning */
	uint64_t begins;  /* cycle in which it is to begin (grids.cta_latency); 0: it has begun */
	uint64_t begun;   /* serial number of its beginning in the core, which selects the youngest CTA */
	uint32_t running; /* warps that have a thread left */
	uint32_t leaving; /* warps that have none, and instructions in flight */
	uint32_t held;    /* warps whose slot is not free yet */
	uint32_t waiting; /* warps at a barrier */
	hd_barriers barriers;
	hd_child_grids *child_grids; /* child grids (PD-32); NULL before the first */
	uint8_t *shared;             /* shared_room bytes of the host; the CTA needs at most these */
	size_t shared_room;
} hd_cta;

/* The fields of a warp that are used only when an instruction executes. */
typedef struct hd_warp {
	_Alignas(64) hd_cta *cta;
	uint32_t number;       /* in its CTA */
	uint32_t in_flight;    /* instructions that are dispatched and not finished (PD-17): in queues, pipes and the replay buffer */
	uint32_t memory;       /* memory instructions among them */
	uint32_t barrier_pc;   /* PC of the barrier at which the warp waits */
	bool ended;            /* it has no thread left */
	const hd_vec32 *words; /* constant bank of its grid */
	uint64_t local_id;
	uint8_t *local;
} hd_warp;

/* Units of fence counters that were resolved in this cycle by operand reads and drops. They count from the next cycle on, independent of the order of
 * the pipes (HZ-8). */
typedef struct hd_release {
	uint8_t warp, counter, units;
} hd_release;

typedef struct hd_scheduler {
	/* Sets of warp slots: warp_sets.def. */
#define WARP_SET(name, which) uint32_t name;
#include "core/warp_sets.def"
#undef WARP_SET
	uint64_t neutral; /* first cycle in which the lowering of a warp of lowered[] ends */
	uint8_t span[HD_WARP_SLOTS];
	uint32_t held_by[HD_PIPE_COUNT];   /* a superset of the window_waits in which an instruction waits for room in the pipe's queue */
	uint32_t for_place[HD_PIPE_COUNT]; /* the window_waits that wait for a place in this queue and for nothing else */
	uint32_t awaited;                  /* pipes whose for_place is not empty */
	uint64_t wake_first;               /* the least wake[] of the sleepers */
	uint64_t wake[HD_WARP_SLOTS];
	uint16_t watch[HD_WARP_SLOTS];     /* counters that a descheduled warp waits for */
	uint16_t next_pipe[HD_WARP_SLOTS]; /* bit of the pipe of the warp's next instruction (MI-1) */
	uint32_t full;                     /* pipes whose FIFO is full */
	uint32_t occupied;                 /* pipes whose queue is not empty */
	uint32_t entering;                 /* narrow pipes with an instruction in their entry */
	/* Valid while nothing can issue and `touched` is false: the cause, and the first cycle in which it may end. */
	bool touched;
	hd_stall idle_cause;
	uint64_t idle_until;
	uint64_t pipe_free[HD_PIPE_COUNT]; /* cycle from which the pipe's entry takes an instruction */
	uint64_t stall[HD_STALL_COUNT];
	hd_entries entries;
	uint64_t used; /* issue slots in which an instruction was sent; these and stall[] add up to all offered slots */
	uint64_t sent[HD_SENT_MAX + 1];
	uint32_t n_releases;
	hd_release release[2 * HD_PIPE_COUNT * HD_MAX_COPIES];
	hd_scoreboard *scoreboard;   /* baseline, else NULL */
	hd_hint_registers *hints;    /* with predecode.carrier: register, else NULL */
	hd_speculation *speculation; /* with predecode.speculate, else NULL */
	hd_shared_queue *shared;     /* one queue for all pipes (MI-12), else NULL */
	hd_fence fence;
	hd_waiters waiters;
	hd_macro macro;
	hd_fetch fetch;
	hd_register_file registers;
	hd_write_controller results;
	hd_queue queue[HD_PIPE_COUNT];
	hd_narrow *narrow; /* instructions in the entry of narrow pipes; NULL without such pipes */
	hd_replays replay;
	hd_warp warp[HD_WARP_SLOTS];
	hd_warp_flow flow[HD_WARP_SLOTS];
	hd_counted counted;
	hd_windows window; /* of machines with more than one instruction of a warp in a cycle */
} hd_scheduler;

/* A memory instruction whose data depend on requests without an answer (PA-2). */
typedef struct hd_unanswered {
	hd_flight *flight;
	bool whole;             /* all its lanes are served */
	uint64_t since, order;  /* cycle of its memory stage; hd_events_reserve */
	uint64_t done;          /* as far as it is known */
	uint32_t awaited, most; /* hd_requests.awaited: the first, and their number */
} hd_unanswered;

struct hd_core {
	const hd_context *context;
	const hd_static *code;
	const hd_slot *slots;             /* of the program, indexed as `code` */
	const hd_window_row *window_rows; /* NULL without a window */
	uint32_t window;                  /* number of candidates (MI-2); 0 = no window: only the next instruction */
	uint32_t hold;                    /* multi_issue.hold */
	bool eligible_places;             /* multi_issue.places */
	bool usual_entry;                 /* fence counters, active logic, no narrow pipes, no gated groups, and no observer */
	bool plain;                       /* a window of several, fence counters, no speculation, hint registers, constant cache or observer */
	const hd_footprint *footprint;    /* baseline: a scoreboard keeps the order; else NULL */
	hd_stats *stats;
	struct hd_observers *observers; /* observe/observers.h; NULL: nobody observes the core */
	struct hd_tracing *tracing;     /* observe/tracing.c */
	hd_recorder *recorder;          /* observe/recording.c; NULL: no recorder, or another core is recorded */
	hd_unit_view *view;             /* observe/units.c */
	uint32_t serial;                /* number of the latest instruction that an observer saw issue */
	uint32_t number, n_schedulers, width;
	uint32_t chain;             /* instructions of a warp that pairs join in one cycle (PD-29) */
	uint32_t unit_lanes, units; /* of what fence counters count: lanes of a unit, units of a primary (HZ-31) */
	uint32_t decoded_at_issue;  /* 1, or 0 where instructions are decoded ahead of the scheduler (PD-39) */
	bool return_groups;         /* memory.return_groups */
	uint32_t status_period;     /* fence.status_period (HZ-36) */
	bool active_logic;          /* HZ-16 */
	uint32_t idle_lanes;        /* lanes whose units fall with the others although they are not active: all without active logic (HZ-30) */
	bool wait_counters, stopped;
	/* A warp's turn to issue: with or without a window, or past undecided branches. False: the run was stopped. */
	bool (*issue)(hd_core *core, unsigned scheduler, unsigned warp, uint64_t now, struct hd_issue_cycle *cycle);
	hd_stage *rest;            /* of the present cycle: the whole, or where a cycle goes on that could not be completed */
	hd_stage *queue_stage;     /* instructions leave their queues */
	uint32_t wanting;          /* not 0: warps want lines of instructions */
	hd_shared_pipes *pipes;    /* pipes with several schedulers or copies (HZ-37, MI-14); NULL without such pipes */
	bool shared_queue;         /* each scheduler has one queue for all pipes (MI-12) */
	uint32_t refusing;         /* pipes that can refuse instructions at their entry (PD-26) */
	uint32_t replaying_stages; /* pipes whose memory stage can refuse (PD-16) */
	uint64_t last;             /* last cycle that is accounted for */
	uint64_t offered;          /* issue slots */
	bool watched;              /* some scheduler's `decided` is not empty */
	hd_past *past;             /* observe/livelock.c; NULL until the first detection */
	/* Number of instructions that entered a pipe, and of their active lanes, by latency class. The statistics' groups `pipe` and `lanes` are
	 * computed from them. */
	uint32_t gated_lanes; /* lanes of a group that is gated apart (RC-22); 0 = groups are not counted */
	uint64_t entered[HD_CLASS_COUNT], lanes[HD_CLASS_COUNT], groups[HD_CLASS_COUNT];
	hd_core_signal *signal;
	uint64_t born;
	hd_core_size size;
	uint32_t resident, n_ended, n_stopped; /* resident: CTAs that have begun and not ended */
	uint32_t taken;                        /* CTAs with room */
	uint64_t next_begin;                   /* cycle in which the next CTA begins; HD_NEVER: none is to begin */
	hd_supply supply;
	hd_demand used;
	uint64_t begun;         /* CTAs */
	uint64_t free_slots[2]; /* set of warp slots, as of hd_cta */
	hd_cta *ctas;
	struct hd_ended {
		uint64_t cycle;
		uint32_t cta;
	} * ended;             /* CTAs that ended, in order, n_ended; they have their room until the device has fetched them */
	hd_grid **ended_grids; /* hd_core_ended */
	uint8_t *stopped_at;   /* CTAs that have stopped and wait for saving, n_stopped */
	hd_scheduler *scheduler;
	hd_lsu *lsu;
	hd_outbox *outbox;              /* NULL: accesses take effect at once */
	uint64_t forgot;                /* grids that had begun when the first cache was last emptied for one (MT-2) */
	struct hd_constants *constants; /* NULL without a constant cache */
	hd_mmu *mmu;                    /* NULL without pages */
	hd_flow flow;
	hd_fetch_port port;
	hd_fetch *buffers[HD_MAX_SCHEDULERS];
	hd_events events;
	hd_pool pool;
	uint32_t stage_latency[2]; /* cycles from entry to the memory stage: LSU, LATOM */
	hd_requests *requests;     /* hd_context.requests */
	bool defers;               /* accesses can be done without knowing when: in windows of time, and with memory.slices */
	HD_VEC(hd_unanswered) unanswered;
	bool interrupted;    /* the first flight at the LSU's stage has arrived, and stopped for the shared side */
	hd_flight *awaiting; /* with memory.slices: those that wait for answers */
	struct {
		hd_flight *first, *last; /* on the way to the memory stage, in order */
	} stage[2];                      /* LSU, LATOM */
	hd_vec32 *registers;
	hd_activation *activations;
	hd_tokens *tokens; /* of each warp, for the baseline's flow unit */
	hd_sync *syncs;    /* of each warp; NULL: the program has no `wsync` */
	struct hd_local {
		uint8_t *at;
		size_t room;
	} * local; /* of each warp slot */
};

/* A warp's number in the constant cache: its slot in the core (hd_core_warp_at). */
static inline unsigned hd_constant_reader(const hd_core *core, const hd_scheduler *s, unsigned warp)
{
	return warp * core->n_schedulers + (unsigned)(s - core->scheduler);
}

#endif

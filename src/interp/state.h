/* State of a functional run, which the files of this room share. */
#ifndef HD_INTERP_STATE_H
#define HD_INTERP_STATE_H

#include "interp/interp.h"
#include "launch/sync.h"

enum { HD_ORACLE_BARRIERS = 16 };

typedef enum hd_oracle_kind {
	HD_ORACLE_PURE,
	HD_ORACLE_SREG,
	HD_ORACLE_NOP,
	HD_ORACLE_MEMORY,
	HD_ORACLE_WATCHED, /* memory, shuffles and compile.races with an observer */
	HD_ORACLE_FLOW,
	HD_ORACLE_BAD, /* no instruction */
} hd_oracle_kind;

/* The memory that block.c accesses for an instruction. */
typedef enum hd_oracle_block {
	HD_ORACLE_BLOCK_NONE, /* block.c cannot run it */
	HD_ORACLE_BLOCK_GLOBAL,
	HD_ORACLE_BLOCK_GLOBAL_CONSTANT,
	HD_ORACLE_BLOCK_SHARED,
	HD_ORACLE_BLOCK_LOCAL,
	HD_ORACLE_BLOCK_BANK,
} hd_oracle_block;

/* A set of registers. */
typedef struct hd_oracle_registers {
	uint64_t bits[HD_REGISTERS / 64];
} hd_oracle_registers;

/* One decoded instruction. A source is `fixed` (constant, immediate, zero register), or else register `src`. */
typedef struct hd_oracle_op {
	hd_sem_team_fn *fn;
	hd_sem_fn *alone; /* for rows: NULL where lanes are not computed alike, or from predicates */
	const hd_inst *inst;
	const hd_access_op *access; /* of a memory instruction */
	const hd_vec32 *fixed[3];
	uint8_t src[3], words[3];
	uint8_t kind, guard, guard_flip; /* guard_flip: 1 = the guard is negated */
	uint8_t dwords, dst, dpred;
	uint8_t always;            /* the guard holds for every lane */
	uint8_t block;             /* hd_oracle_block */
	bool constant;             /* it reads no register */
	bool doubtful;             /* with an observer: a load whose value not every lane may use (doubt.c) */
	hd_oracle_registers names; /* that it reads or writes */
	uint32_t next;             /* address of the next instruction in sequence, without scheduling words (PD-1) */
} hd_oracle_op;

/* One call that has not returned. Lanes with the same call stack share its frames. */
typedef struct hd_oracle_frame {
	uint32_t back;    /* where its lanes return to */
	uint32_t members; /* lanes that called (RC-8) */
	uint32_t outside; /* lanes of the calling activation, including those that have returned to it */
} hd_oracle_frame;

/* A warp. Every lane that has not exited is in one activation (a nesting of calls) at one PC. Only lanes of the innermost activation run, those at
 * its lowest address first. `here` are the lanes of that activation; `active` are those of them at `pc`; each other lane is at its lane_pc.
 * `next_stop` is the lowest lane_pc (UINT32_MAX: there are no other lanes). */
typedef struct hd_oracle_warp {
	hd_vec32 *registers;
	uint32_t predicates[HD_PREDS + 1]; /* the last one is always true */
	uint32_t pc, active, here, alive, next_stop;
	uint32_t lane_pc[HD_LANES];
	hd_oracle_frame *frames;
	uint32_t depth, frames_cap;
	uint32_t number;
	uint32_t lanes; /* that exist, which are alive when a CTA begins */
	uint8_t *local; /* HD_LANES areas of the kernel's local_bytes */
	size_t local_room;
	hd_sync sync;   /* lanes at a `wsync`: they are not chosen */
	hd_vec32 named; /* with an observer: the lanes that each lane named last */
	int barrier;    /* number of the barrier at which it waits, -1 = none */
	bool joins;     /* the barrier is complete, and it waits for child grids (PD-32) */
	uint32_t barrier_pc;
	bool done;
	bool ran;                  /* since hd_oracle_cta last asked */
	uint8_t coordinates_known; /* bit i: coordinates[i] holds tid.x, tid.y or tid.z */
	hd_vec32 coordinates[3];
} hd_oracle_warp;

enum { HD_ORACLE_WARPS = 32 /* of a CTA at most */ };

/* Some warps of a CTA, which execute an instruction one after the other. */
typedef struct hd_oracle_list {
	uint32_t n;
	hd_oracle_warp *warp[HD_ORACLE_WARPS];
	uint32_t at[HD_ORACLE_WARPS]; /* registers: vectors behind those of the CTA's first warp */
	uint32_t mask[HD_ORACLE_WARPS], alive[HD_ORACLE_WARPS];
	uint32_t *predicates[HD_ORACLE_WARPS];
} hd_oracle_list;

/* The warps that run together (team.c). Their `pc` is stale meanwhile. The masks of `all` are their active lanes. */
typedef struct hd_oracle_team {
	uint32_t first, candidates; /* warps of the CTA that may take part */
	hd_oracle_list all, guarded;
	uint32_t pc, next_stop; /* next_stop: the lowest address at which a lane of a candidate waits */
	uint32_t lanes;         /* active ones of all */
	bool whole, full;       /* all warps that have not ended, with all their lanes; these are HD_LANES each */
} hd_oracle_team;

/* Registers and predicates that hold what was loaded, or what was computed from it. */
typedef struct hd_oracle_value {
	hd_oracle_registers registers;
	uint8_t predicates;
} hd_oracle_value;

/* A load, or a shuffle of lanes that are not there, of which the observer has not heard yet, because no lane of `lanes` has used its value (doubt.c).
 */
typedef struct hd_oracle_doubt {
	uint32_t lanes;
	hd_oracle_value value;
	hd_order_event event;
	uint64_t address[HD_LANES];
} hd_oracle_doubt;

enum { HD_ORACLE_DOUBTS = 64 };

typedef struct hd_oracle_entry {
	uint32_t entry; /* of a kernel */
	hd_oracle_registers registers;
} hd_oracle_entry;

typedef struct hd_oracle_past hd_oracle_past;

typedef enum hd_oracle_stop {
	HD_ORACLE_MORE,    /* its share of instructions is used up */
	HD_ORACLE_WAITS,   /* at a barrier; of several warps: none can go on */
	HD_ORACLE_DONE,    /* all lanes have exited */
	HD_ORACLE_TRAPPED, /* oracle->trap says why */
} hd_oracle_stop;

/* The name of a function in the path for which a file is compiled. */
#define HD_ORACLE_NAME(name, path) hd_oracle_##name##_##path
#define HD_ORACLE_NAME_OF(name, path) HD_ORACLE_NAME(name, path)
#define HD_ORACLE_PATH(name) HD_ORACLE_NAME_OF(name, HD_PATH)

struct hd_oracle;

/* block.c: an instruction whose op->block is not HD_ORACLE_BLOCK_NONE, for the warps of the list from `first` on. Returns the number of the first
 * warp for which nothing was done (list->n: none); hd_oracle_access has to do that one. */
typedef uint32_t hd_oracle_block_fn(struct hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, uint32_t first);
/* block.c: the same for all warps of the list, whose lanes are all in the masks. Lane i of warp k accesses address[k] + i * step; the step is 0 or
 * the access's size. `loaded`, for loads with the step 0: word j of warp k goes to loaded[j].v[k], and not into registers. False: nothing was done.
 */
typedef bool hd_oracle_rows_fn(struct hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, const uint64_t *address, uint32_t step,
                               hd_vec32 *loaded);

/* The functions that are built for several hosts. */
typedef struct hd_oracle_path {
	hd_oracle_block_fn *block;
	hd_oracle_rows_fn *rows;
	/* rows.c: executes an instruction on rows, if it can; or else has the vectors written that the instruction reads. */
	bool (*row_execute)(struct hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list, bool whole, bool full);
	void (*row_spread)(struct hd_oracle *o); /* rows.c: writes the vectors of all registers that are rows */
} hd_oracle_path;
extern const hd_oracle_path hd_oracle_path_generic, hd_oracle_path_v3, hd_oracle_path_v4;

typedef struct hd_oracle {
	const hd_oracle_path *path;
	const hd_program *program;
	hd_tasks *tasks;
	hd_grid *grid;           /* the grid that runs now */
	const hd_launch *launch; /* launch of the grid */
	hd_memory *memory;
	hd_memory_hits hits;
	hd_bank *bank; /* of the grid that runs now; it never moves, because operands point into it */
	hd_oracle_op *ops;
	uint32_t n_ops;
	uint32_t n_registers, call_depth;
	HD_VEC(hd_oracle_entry) zeros;
	hd_oracle_registers cleared; /* those that begin as zeros in the grid that runs now */
	hd_stats *stats;
	hd_trap *trap;
	uint32_t cta[3];
	uint64_t item; /* the CTA's entry of a queue */
	hd_oracle_warp *warps;
	uint32_t n_warps, room; /* warps of the CTA; warps that there is room for */
	hd_vec32 *registers;    /* of all warps: `stride` vectors each */
	uint32_t stride;
	struct { /* rows.c, of the CTA */
		hd_oracle_registers is;
		bool any;       /* false: there is none */
		hd_vec32 *base; /* of each register: lane 0 of each warp */
		uint32_t *step;
	} row;
	bool together; /* the warps of a CTA may run as a team (hd_oracle_may_team) */
	bool alone;    /* the option warps_alone */
	hd_oracle_team team;
	uint8_t *shared;
	uint32_t shared_bytes, shared_room;
	uint32_t arrived[HD_ORACLE_BARRIERS], came[HD_ORACLE_BARRIERS]; /* warps that arrived in this phase: their number and their set */
	uint32_t begun;                                                 /* barriers at which a warp has arrived in this phase */
	uint32_t ended;                                                 /* warps of the CTA that are done */
	bool for_all[HD_ORACLE_BARRIERS];                               /* the phase is one of a barrier for the whole CTA */
	uint32_t joins;                                                 /* barriers at which a warp joins in this phase (PD-32) */
	bool joining;                                                   /* warps wait for child grids */
	hd_child_grids *child_grids;                                    /* child grids of the CTA; NULL before the first */
	hd_vec32 zero[4];
	uint32_t threads; /* of the host, for the CTAs of a grid */
	bool unordered;   /* the option */
	bool beside;      /* other threads run CTAs of the grid, whose atomics meet in memory */
	hd_order *order;  /* the observer; NULL: none */
	hd_oracle_doubt *doubts;
	uint32_t n_doubts;
	uint32_t share; /* instructions of a warp before the next warp's turn, so that warps may wait for each other without barriers */
	bool watching;  /* livelock.c needs `changed` */
	bool changed;   /* since livelock.c last compared, a byte of memory changed its value or a clock was read */
} hd_oracle;

/* interp.c: fills `run`, `ops` and `n_ops` from the program, and `n_registers`, one more than the highest register that the program names anywhere.
 * `program` and `bank` must be set: operations point into the bank. The caller frees `ops`. */
void hd_oracle_prepare(hd_oracle *o);

/* The limits that end a run from outside. */
typedef struct hd_oracle_watch {
	uint64_t limit; /* UINT64_MAX: none */
	uint64_t next_poll, ctas_done, ctas;
	bool (*poll)(void *, uint64_t, uint64_t, uint64_t);
	void *context;
} hd_oracle_watch;

enum { HD_ORACLE_POLL_EVERY = 1 << 18 /* instructions */, HD_ORACLE_SHARE = 1 << 14 };

/* interp.c: room for the warps and the shared memory of a CTA of the launch, which grows to the largest and is used again. */
void hd_oracle_make_room(hd_oracle *o);
void hd_oracle_free_room(hd_oracle *o);
/* interp.c: runs the CTA with the coordinates o->cta. False: o->trap says why. */
bool hd_oracle_cta(hd_oracle *o, hd_oracle_past *past, hd_oracle_watch *watch);

/* Its parts. The CTA begins: its warps are at the kernel's entry. */
void hd_oracle_begin(hd_oracle *o);
/* A round: every warp that can run has a turn, in a team or alone. False: the CTA has to end. *ran: there was such a warp. */
bool hd_oracle_round(hd_oracle *o, hd_oracle_watch *watch, bool *ran);
/* The number of warps that have not ended. */
uint32_t hd_oracle_left(const hd_oracle *o);
/* RC-17: no remaining warp can ever continue. The trap names the first of them, and its text describes all. Returns false. */
bool hd_oracle_deadlock(hd_oracle *o, bool spins);

/* cooperative.c: runs all CTAs of a grid in turns, for one whose CTAs wait for each other. The oracle has turned to the grid. False: o->trap says
 * why. */
bool hd_oracle_cooperate(hd_oracle *o, hd_grid *grid, hd_oracle_watch *watch);

/* parallel.c: runs all CTAs that the grid has left on several threads of the host, with the same result as one after the other, where atomics are not
 * unordered. Requires hd_oracle_may_parallel. */
bool hd_oracle_parallel(hd_oracle *o, hd_grid *grid, hd_oracle_watch *watch);
/* True when the order of CTAs does not matter to the grid, unless it has a data race: no clock, no launches, no limit to instructions, and, where
 * atomics are ordered, no atomics on memory that CTAs share and no volatile loads of it. */
bool hd_oracle_may_parallel(const hd_oracle *o, const hd_oracle_watch *watch);
/* True for an atomic, and for an access that may see what another CTA does at the same time. */
static inline bool hd_oracle_is_strong(const hd_access_op *op)
{
	return op->kind == HD_ACCESS_ATOMIC || op->kind == HD_ACCESS_CAS || op->cache == HD_CACHE_VOLATILE || op->cache == HD_CACHE_GLOBAL;
}
/* zeros.c: the registers that begin as zeros, for the kernel at `entry`. Valid until the next call. */
const hd_oracle_registers *hd_oracle_zeros(hd_oracle *o, uint32_t entry);
/* interp.c: sets up a warp at the kernel's entry. */
void hd_oracle_start(hd_oracle *o, hd_oracle_warp *w, uint32_t number);
/* team.c: runs the warps of the CTA from `first` on for at most `share` instructions in all: always those of them that are at the lowest address, one
 * instruction for each, then the next instruction. HD_ORACLE_DONE: all have ended. A warp's own steps do not depend on the others, but for memory. */
hd_oracle_stop hd_oracle_run(hd_oracle *o, uint32_t first, uint32_t n, uint64_t share);
/* team.c: false when the code that the launch can reach depends on the order of the warps' steps by itself, or may wait for another warp: clocks,
 * launches, locks, volatile loads. */
bool hd_oracle_may_team(const hd_oracle *o);
/* flow.c: one instruction of the flow unit; lanes `taken` of the active ones execute it. */
hd_oracle_stop hd_oracle_flow(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t taken);
/* flow.c: the active lanes go on to `next`, the next address in sequence. */
void hd_oracle_step(hd_oracle *o, hd_oracle_warp *w, uint32_t next);
/* special.c: S2R for the lanes of `mask`. */
void hd_oracle_special(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask);
/* interp.c: fills the trap's place; returns HD_ORACLE_TRAPPED. */
hd_oracle_stop hd_oracle_trap(hd_oracle *o, const hd_oracle_warp *w, hd_trap_kind kind, uint32_t pc, unsigned lane);

/* access.c: one memory instruction for the lanes of `mask`, which is not 0. False with kind, lane, address, bytes and store of o->trap filled. */
bool hd_oracle_access(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask);

/* access.c: the same, or another instruction of HD_ORACLE_WATCHED, and tells the observer; the caller computes shuffles. `pc`: address of the
 * instruction. */
bool hd_oracle_access_watched(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask, uint32_t pc);

/* True for an instruction that compile.races adds for the race detector alone: a vote whose result nobody wants. */
static inline bool hd_oracle_reports(const hd_inst *inst)
{
	return (inst->op == HD_OP_BALLOT && inst->d == HD_RZ) || (inst->op == HD_OP_VOTE && inst->mod == HD_VOTE_UNI && inst->d == HD_PT);
}
void hd_oracle_report(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask, uint32_t pc);
/* doubt.c: marks the loads whose value not every lane may use. */
void hd_oracle_find_doubtful(hd_oracle *o);
/* doubt.c: lanes are about to load from these addresses, which an event without lane and address describes. */
void hd_oracle_doubt_access(hd_oracle *o, const hd_oracle_op *op, const hd_order_event *e, const uint64_t *address, uint32_t lanes);
/* doubt.c: lanes are about to execute a shuffle, perhaps of lanes that are not there or that they do not name. */
void hd_oracle_doubt_shuffle(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_warp *w, uint32_t mask, uint32_t pc);
/* doubt.c: the warps are about to execute the instruction: tells the observer of loads and shuffles whose value it uses. */
void hd_oracle_settle(hd_oracle *o, const hd_oracle_op *op, const hd_oracle_list *list);

/* order.c: sets o->order for a run that begins, and marks the instructions that access memory accordingly. */
void hd_oracle_observe(hd_oracle *o, hd_order *order);
/* order.c: tell the observer, which there must be. hd_oracle_report_lane fills in the warp, the instruction and the lane. */
void hd_oracle_report_grid(hd_oracle *o, const hd_grid *grid);
void hd_oracle_report_cta(hd_oracle *o, hd_order_kind kind);
void hd_oracle_report_arrival(hd_oracle *o, const hd_oracle_warp *w, const hd_inst *bar, uint32_t mask);
void hd_oracle_report_sync(hd_oracle *o, const hd_oracle_warp *w, uint32_t lanes);
void hd_oracle_report_open(hd_oracle *o, unsigned barrier);
void hd_oracle_report_join(hd_oracle *o, hd_order_kind kind);
void hd_oracle_report_child(hd_oracle *o, const hd_oracle_warp *w, unsigned lane, uint32_t handle, hd_order_begin begin);

hd_oracle_block_fn hd_oracle_access_block_generic, hd_oracle_access_block_v3, hd_oracle_access_block_v4;
hd_oracle_rows_fn hd_oracle_access_rows_generic, hd_oracle_access_rows_v3, hd_oracle_access_rows_v4;

/* spawn.c: LAUNCH and QPUSH, with the same contract. */
bool hd_oracle_spawn(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask);

/* barrier.c: true, with a trap, when other lanes of the activation may come to the BAR at w->pc, or to a lower one, only later (first_bars.h). */
bool hd_oracle_late_for_barrier(hd_oracle *o, const hd_oracle_warp *w, uint32_t mask);
/* barrier.c: the warp, at `pc`, arrives at the barrier of a BAR with lanes `mask`. True when it must wait. */
bool hd_oracle_barrier(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t pc, uint32_t mask);
/* A warp has ended: opens barriers that no other warp was missing from. */
void hd_oracle_barriers_end(hd_oracle *o);
/* The child grids have ended: the warps that waited for them go on. */
void hd_oracle_end_join(hd_oracle *o);
/* Text for a trap: the place of every remaining warp and of every lane of it. The caller frees. */
char *hd_oracle_whereabouts(const hd_oracle *o);

/* livelock.c: called at the end of a round, in which each warp that can run had a share of instructions. True when the CTA spins for ever.
 * `progress`: a warp has ended in this round. */
hd_oracle_past *hd_oracle_past_new(void);
void hd_oracle_past_free(hd_oracle_past *past);
bool hd_oracle_spins(hd_oracle *o, hd_oracle_past *past, bool progress);

/* Address after `pc` in sequence, without scheduling words (PD-1). */
static inline uint32_t hd_oracle_next(const hd_oracle *o, uint32_t pc) { return o->ops[pc].next; }

/* All bits of each lane in the mask, and none of the others. The loop has a form that compilers vectorise. */
static inline void hd_oracle_spread(uint32_t mask, hd_vec32 *set)
{
	static const _Alignas(64) uint32_t bits[HD_LANES] = {
	    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
	    1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
	    1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
	};
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		set->v[lane] = (mask & bits[lane]) == bits[lane] ? UINT32_MAX : 0;
}

/* Writes the lanes whose bits are set. */
static inline void hd_oracle_merge(hd_vec32 *restrict to, const hd_vec32 *restrict from, const hd_vec32 *restrict set)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		to->v[lane] = (from->v[lane] & set->v[lane]) | (to->v[lane] & ~set->v[lane]);
}

static inline const hd_vec32 *hd_oracle_source(const hd_oracle_op *op, const hd_oracle_warp *w, unsigned i)
{
	return op->fixed[i] ? op->fixed[i] : w->registers + op->src[i];
}

#endif

/* State of an untimed run of machine code, which the files of this room share. */
#ifndef HD_SM_STATE_H
#define HD_SM_STATE_H

#include "sm/op.h"
#include "sm/sm.h"

enum {
	HD_SM_CTA_BARRIERS = 16,
	HD_SM_WARPS = 32,
	HD_SM_SHARE = 4096, /* instructions of a warp before the next one's turn, so that warps can wait for each other without barriers */
	HD_SM_GROUP = 512,  /* of lanes of a warp that spin, before lanes elsewhere have a turn */
};

struct hd_sm_code {
	const hd_sm_image *image;
	const hd_sm_kernel *kernel;
	const hd_kernel *described;
	uint32_t n;
	hd_sm_op *ops;      /* by place / HD_SASS_BYTES */
	uint32_t registers; /* one more than the highest that is named */
};

/* Why a lane does not run. */
typedef enum hd_sm_wait { HD_SM_RUNS, HD_SM_AT_MEET, HD_SM_AT_WARPSYNC, HD_SM_AT_COLLECTIVE, HD_SM_AT_BARRIER } hd_sm_wait;

typedef struct hd_sm_warp {
	hd_vec32 *r;                             /* registers; HD_SASS_RZ and the next one are zeros */
	hd_vec32 u[HD_SASS_URZ + 3];             /* uniform ones, the same value in all lanes; zeros from HD_SASS_URZ on */
	uint32_t p[8], up[8];                    /* a bit a lane; the last one is always true */
	uint32_t pc[HD_LANES];                   /* of each lane that is not in `active`, in instructions */
	uint32_t apart;                          /* lanes that go on from WARPSYNC with those of the same mask alone */
	uint32_t alive, blocked, aside;          /* aside: has had its turn, until all others have had theirs */
	uint32_t now, active, stop;              /* the group that runs, and the lowest place at which another one waits */
	uint32_t streak;                         /* instructions of this group since the last choice */
	uint8_t wait[HD_LANES];                  /* hd_sm_wait */
	uint8_t at[HD_LANES];                    /* number of the barrier that it waits at */
	uint32_t with[HD_LANES];                 /* WARPSYNC: lanes that it waits for */
	uint32_t back[HD_LANES];                 /* place behind a collective */
	uint32_t meet[HD_SM_BARRIERS][HD_LANES]; /* convergence barriers: lanes that meet, as each of them knows it */
	uint32_t reduced;                        /* result of the last barrier's reduction */
	uint32_t number, lanes;
	uint8_t *local; /* HD_LANES areas */
} hd_sm_warp;

typedef struct hd_sm_cta_barrier {
	uint32_t expected;        /* threads; 0: all of the CTA */
	uint32_t arrived;         /* threads that do not wait (BAR.ARV) */
	uint32_t count, all, any; /* reduction: lanes whose predicate held */
} hd_sm_cta_barrier;

typedef struct hd_sm_machine {
	const hd_sm_code *code;
	const hd_launch *launch;
	hd_memory *memory;
	hd_memory_hits hits;
	const hd_sm_options *options;
	hd_stats *stats;
	hd_trap *trap;
	uint8_t *bank[HD_SM_BANKS];              /* HD_SM_BANK_BYTES and some zeros each */
	const hd_vec32 *(*fixed)[HD_SM_SOURCES]; /* of each op: operands that are the same for all lanes; NULL: read at execution */
	hd_vec32 *vectors;                       /* that `fixed` points to */
	hd_vec32 zero[2];
	uint32_t cta[3];
	uint32_t n_warps;
	hd_sm_warp *warps;
	hd_vec32 *registers;
	uint8_t *local, *shared;
	uint32_t local_bytes, shared_bytes;
	hd_sm_cta_barrier barrier[HD_SM_CTA_BARRIERS];
	uint64_t next_poll, ctas_done, ctas;
} hd_sm_machine;

/* A trap at the current instruction. Returns false. */
bool hd_sm_fault(hd_sm_machine *m, hd_sm_warp *w, hd_trap_kind kind, unsigned lane);
/* The lanes of `among` in which the predicate holds. */
static inline uint32_t hd_sm_predicate_of(const hd_sm_warp *w, hd_sm_predicate p)
{
	uint32_t value = p.uniform ? w->up[p.reg & 7] : w->p[p.reg & 7];
	return p.invert ? ~value : value;
}
/* A source's words, signs applied. `room` holds the result where it is computed. */
const hd_vec32 *hd_sm_read(hd_sm_machine *m, const hd_sm_warp *w, const hd_sm_op *op, unsigned source, hd_vec32 room[2]);
/* Writes the result registers of the lanes in the mask. */
void hd_sm_write(hd_sm_warp *w, const hd_sm_op *op, uint32_t mask, const hd_vec32 *d);

/* access.c: memory. False: a trap. */
bool hd_sm_access(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask);

/* flow.c: chooses the group of lanes that runs. False: none can. */
bool hd_sm_choose(hd_sm_warp *w);
/* Executes a flow instruction for the active lanes, of which the guard holds in `mask`. False: a trap. */
bool hd_sm_flow(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask);
/* Lets lanes go whose barrier of the CTA is complete. True: some went. */
bool hd_sm_release_barriers(hd_sm_machine *m);

#endif

/* The state of the race detector, for its files. */
#ifndef HD_RACES_STATE_H
#define HD_RACES_STATE_H

#include "sanitizer/races.h"
#include "sanitizer/shadow.h"

enum { HD_RACE_WARPS = 32, HD_RACE_THREADS = HD_RACE_WARPS * HD_LANES, HD_RACE_BARRIERS = 16 };

/* The accesses that a fence has made ready for release by a later strong store. */
typedef struct hd_race_release {
	hd_clock *clock; /* with the thread's own accesses once `own` is set */
	uint64_t time;   /* 0: there was no fence */
	bool own;
} hd_race_release;

enum { HD_RACE_CTA, HD_RACE_DEVICE, HD_RACE_SCOPES };

typedef struct hd_race_thread {
	hd_clock *knows;
	hd_race_release release[HD_RACE_SCOPES]; /* by the scope of the fence */
	hd_clock *pending[HD_RACE_SCOPES];       /* what strong loads have seen; a fence of that scope makes it known */
} hd_race_thread;

typedef struct hd_race_barrier {
	hd_clock *clock;                                                       /* of all that have arrived */
	uint32_t lanes[HD_RACE_WARPS];                                         /* that wait, and those of their warps that have ended */
	uint32_t takers[HD_RACE_WARPS];                                        /* that wait */
	uint32_t came[HD_RACE_WARPS], alive[HD_RACE_WARPS], pc[HD_RACE_WARPS]; /* that came, and those that were left then; where takers wait */
} hd_race_barrier;

/* A CTA that runs, or waits for child grids. */
typedef struct hd_race_cta {
	struct hd_race_cta *below; /* the CTA that waits for this one */
	const hd_launch *launch;
	uint32_t number, root, grid, n_warps;
	uint64_t begin, since; /* since: when the CTA began, or went on after its children */
	hd_clock *own;         /* spans in which it ran */
	uint64_t join;         /* when its children began */
	hd_race_thread *threads;
	hd_race_barrier barriers[HD_RACE_BARRIERS];
	uint32_t copying[HD_RACE_WARPS], copy[HD_RACE_WARPS]; /* lanes that have not waited since they began a copy, and its place */
	uint64_t events;                                      /* for which they wait until the next barrier, + 1 */
	hd_shadow shared;
	hd_san_table flags; /* of shared memory */
} hd_race_cta;

/* A place that a strong store released something to. */
typedef struct hd_race_flag {
	hd_clock *clock[HD_RACE_SCOPES]; /* CTA: what threads of that CTA acquire; DEVICE: what others do */
	uint32_t cta;
} hd_race_flag;

/* A grid that a thread launched, or a queue into which threads push. */
typedef struct hd_race_child {
	hd_clock *clock;
	hd_order_begin begin;
} hd_race_child;

/* A launch by the host, with all grids below it. */
typedef struct hd_race_root {
	bool begun;
	hd_clock *start, *ran;
} hd_race_root;

/* CTAs with numbers from `first` on, in the order of the grid. */
typedef struct hd_race_row {
	uint32_t first, grid;
	const hd_kernel *kernel;
	uint32_t size[3], block[3], base[3], lanes;
	uint64_t place; /* of the first, x fastest */
} hd_race_row;

struct hd_races {
	hd_order order;
	const hd_program *program;
	const hd_memory *memory;
	hd_races_options options;
	bool stopped;         /* there was no memory for what orders accesses */
	uint64_t time, begin; /* begin: of the run */
	uint32_t n_ctas;
	hd_race_cta *cta; /* that runs */
	hd_clocks clocks;
	hd_shadow global;
	hd_san_table flags, children;
	uint64_t n_flags;
	HD_VEC(hd_race_root) roots;
	HD_VEC(hd_race_row) rows;
	hd_races_found found;
	size_t latest; /* in the list: the race found last */
};

/* race_barriers.c: the barrier of a whole CTA opens. */
void hd_races_check_barrier(hd_races *r, const hd_race_barrier *b);
/* race_barriers.c: a lane names those that are to take part. */
void hd_races_check_members(hd_races *r, const hd_order_event *e);
/* race_barriers.c: a lane uses what a shuffle took from a lane that was not there. */
void hd_races_check_shuffle(hd_races *r, const hd_order_event *e);
/* race_barriers.c: a lane begins a copy with its work-group, or waits. */
void hd_races_check_events(hd_races *r, const hd_order_event *e);
/* race_barriers.c: the CTA ends. */
void hd_races_check_copies(hd_races *r);
/* race_list.c: the coordinates of the CTA of that number. */
void hd_races_place_cta(const hd_races *r, uint32_t number, uint32_t cta[3]);
/* race_list.c: the access races with that of a thread that the cell remembers. */
void hd_races_report(hd_races *r, const hd_order_event *e, const hd_shadow_access *now, const hd_shadow_race *with, uint64_t address);

#endif

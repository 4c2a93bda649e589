/* The accesses of a run of the interpreter to memory that threads share, and their order: the interface between the interpreter and an observer that
 * looks for data races (sanitizer/races.h). The interpreter calls `event` for each event if there is an observer. Events come in the order in which
 * they take effect. An observer never changes what the interpreter does. */
#ifndef HD_ORDER_H
#define HD_ORDER_H

#include "launch/launch.h"

typedef enum hd_order_kind {
	HD_ORDER_RUN,  /* a run begins; all runs before it have ended */
	HD_ORDER_GRID, /* a grid begins to run, or goes on: `grid`, `root`, `after` */
	/* A CTA of the grid begins: `grid`, `root`, `cta`, `launch`. It runs until its END; when child grids run before that, their events come in
	 * between. */
	HD_ORDER_CTA,
	HD_ORDER_END,
	HD_ORDER_ACCESS, /* lane `lane` is about to access memory at `address`; one event a lane */
	HD_ORDER_FENCE,  /* lanes `mask` execute a MEMBAR of scope `scope` (hd_scope), or leave a `wsync` together: scope WARP */
	/* Lanes `mask` of the warp come to barrier `barrier`. `alive`: lanes of the warp that have not exited. `waits`: the warp goes on only behind
	 * OPEN. */
	HD_ORDER_ARRIVE,
	/* The barrier is complete. `warps`: those that wait at it and continue. `ended`: those in which no lane is left. */
	HD_ORDER_OPEN,
	HD_ORDER_MEMBERS, /* lanes `mask` execute an operation together, and lane `lane` says that `names` are to */
	HD_ORDER_SHUFFLE, /* lane `lane` uses what a shuffle took from a lane that was not there */
	HD_ORDER_EVENTS,  /* lane `lane` waits for `names` events of copies; UINT32_MAX: it begins to copy with its work-group */
	HD_ORDER_LAUNCH,  /* lane `lane` has launched grid `grid` or pushed an entry into it, a queue; `begin`: behind what the grid begins */
	HD_ORDER_JOIN,    /* all warps of the CTA that wait at a join wait now for child grids, which run next */
	HD_ORDER_JOINED,  /* these child grids have ended; `warps`: the warps that go on */
} hd_order_kind;

typedef enum hd_order_begin {
	HD_ORDER_NOW,
	HD_ORDER_TAIL,  /* the end of its parent */
	HD_ORDER_WAITS, /* events, or the end of CTAs, of any launches of this run (a command of a device queue) */
} hd_order_begin;

typedef struct hd_order_event {
	hd_order_kind kind;
	uint32_t pc, warp, lane, mask, alive, warps, ended, names;
	uint64_t address; /* generic */
	uint8_t bytes;
	bool loads, stores; /* ACCESS: an atomic does both */
	bool strong;        /* ACCESS: atomic, or volatile, relaxed or stronger */
	bool same;          /* ACCESS: it stores the bytes that are there already */
	bool waits;
	hd_order_begin begin;
	bool whole; /* ARRIVE, OPEN: the barrier is one of the whole CTA, not of a number of threads */
	uint8_t scope, barrier;
	uint32_t grid;         /* handle */
	uint32_t root;         /* index of the host's launch that the grid belongs to */
	const uint32_t *after; /* GRID: indices of the host's launches that have ended before it; n_after */
	uint32_t n_after;
	uint32_t cta[3];
	const hd_launch *launch; /* valid until END */
} hd_order_event;

typedef struct hd_order {
	void (*event)(struct hd_order *order, const hd_order_event *event);
} hd_order;

#endif

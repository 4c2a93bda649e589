/* The state of a core's units, cycle by cycle: for who looks into the machine (the explorer). units.def lists what there is. The machine fills an
 * hd_units and calls `cycle` when an observer brings a watcher (hd_trace.units), and does nothing otherwise. A watcher never changes what the machine
 * does.
 *
 * All values are in one array of cells, so that a consumer can compare two cycles without knowing what a cell means; the groups are views of it. */
#ifndef HD_UNITS_H
#define HD_UNITS_H

#include "launch/launch.h"

enum {
	HD_UNIT_WARPS = 16,    /* slots of a scheduler */
	HD_UNIT_CALLS = 8,     /* callers of a warp that are shown */
	HD_UNIT_LOOKS = 16,    /* picks of a scheduler in a cycle */
	HD_UNIT_FLIGHTS = 256, /* of a core; a power of two */
	HD_UNIT_RESULTS = 64,  /* of a scheduler; a power of two */
	HD_UNIT_READS = 24,    /* of a scheduler in a cycle */
	HD_UNIT_WRITES = 24,
};

/* In the place of an hd_stall. */
enum hd_unit_readiness {
	HD_UNIT_READY = -1,  /* the warp could be picked */
	HD_UNIT_EMPTY = -2,  /* there is no warp in the slot */
	HD_UNIT_WINDOW = -3, /* nothing of its candidate window can be sent before something changes; such a slot is lost as `delay` */
};

/* The outcome for a warp that was picked. */
typedef enum hd_unit_outcome {
	HD_UNIT_SENT,
	HD_UNIT_SENT_BACK, /* the decoder sent it back: its warp is de-scheduled (HZ-18, HZ-21) */
	HD_UNIT_CONSTANT,  /* a constant operand is absent */
	HD_UNIT_REGISTER,  /* baseline: the scoreboard refused it */
	HD_UNIT_SECOND,    /* the second one of a strict pair cannot issue (PD-29) */
	HD_UNIT_BRANCH,    /* behind an undecided branch, and it may not go on before the decision (PD-27) */
	HD_UNIT_NONE,      /* no instruction of its candidate window could be sent */
	HD_UNIT_STOPPED,   /* the run stopped */
} hd_unit_outcome;

/* Where a value is: in the order of its way (LU-4). */
typedef enum hd_unit_place { HD_UNIT_PATH_B, HD_UNIT_PATH_A, HD_UNIT_LAST_RESULT, HD_UNIT_COMPENSATION, HD_UNIT_FILE } hd_unit_place;

enum hd_unit_effects {
	HD_UNIT_HOLD = 1,      /* its next instruction goes before those of other warps (PD-8) */
	HD_UNIT_LOWERED = 2,   /* it yields to all others (PD-9) */
	HD_UNIT_FOLLOWING = 4, /* it goes first in the next cycle (PD-30) */
	HD_UNIT_GUESSING = 8,  /* it has gone on behind an undecided branch (PD-27) */
};

/* The instances of a group, as structures of cells: hd_unit_warp and so on. */
#define UNITS_BEGIN(group, text) typedef struct hd_unit_##group {
#define UNIT(group, name, count, text) int64_t name[count];
#define UNITS_END(group) \
	}                \
	hd_unit_##group;
#include "launch/units.def"

typedef enum hd_unit_group {
#define UNITS_BEGIN(group, text) HD_UNITS_##group,
#define UNIT(group, name, count, text)
#define UNITS_END(group)
#include "launch/units.def"
	HD_UNITS_COUNT,
} hd_unit_group;

typedef struct hd_unit_field {
	const char *name, *text;
	uint32_t at, count; /* cells from the beginning of the instance; length */
} hd_unit_field;

typedef struct hd_unit_group_info {
	const char *name, *text;
	const hd_unit_field *fields;
	uint32_t n_fields, cells; /* cells of an instance */
} hd_unit_group_info;

extern const hd_unit_group_info hd_unit_groups[HD_UNITS_COUNT];

/* How many instances of a group each of its owners has. */
typedef struct hd_unit_sizes {
	uint32_t schedulers, banks;
	uint32_t entries, hazards; /* of the largest queue */
	uint32_t buffers;          /* registers of the operand buffers of a scheduler, last-result registers included */
	uint32_t replays;
} hd_unit_sizes;

typedef struct hd_units {
	uint32_t core;
	uint64_t cycle;
	hd_unit_sizes sizes;
	uint32_t count[HD_UNITS_COUNT]; /* instances of each group; those of a scheduler are together, and of these those of a pipe */
	uint32_t first[HD_UNITS_COUNT]; /* cell of the first one */
	uint32_t n;                     /* cells */
	int64_t *cells;
	uint32_t hidden; /* instances of this cycle for which a group had no room */
#define UNITS_BEGIN(group, text) hd_unit_##group *group;
#define UNIT(group, name, count, text)
#define UNITS_END(group)
#include "launch/units.def"
} hd_units;

void hd_units_init(hd_units *units, const hd_unit_sizes *sizes);
void hd_units_free(hd_units *units);

/* Who looks at a core in the cycles `first` to `last`. `cycle` is called behind each of these cycles in which the core holds a CTA. */
typedef struct hd_unit_watch {
	uint32_t core;
	uint64_t first, last;
	void (*cycle)(struct hd_unit_watch *watch, const hd_units *units);
} hd_unit_watch;

#endif

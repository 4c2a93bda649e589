/* The use of a run's issue slots by instruction: an observer of the timed machine (launch/trace.h), and the annotated listing of its counts. The
 * totals equal the counters of the run. Every slot belongs to one instruction, or to none for `no_warp`. */
#ifndef HD_PROFILE_H
#define HD_PROFILE_H

#include "config/machine.h"
#include "launch/trace.h"
#include "report/source.h"

enum { HD_PROFILE_BINS = 128, HD_PROFILE_WARPS = 64 };

/* The activity of a resident warp. */
typedef enum hd_warp_state {
	HD_WARP_RUNS,  /* in none of the other states */
	HD_WARP_WAITS, /* de-scheduled for a counter */
	HD_WARP_BARRIER,
	HD_WARP_STATES
} hd_warp_state;

/* The timeline of a warp slot. */
typedef struct hd_profile_lane {
	bool resident, used; /* used: a warp was resident at some time */
	hd_warp_state state;
	uint64_t since;
	uint32_t cycles[HD_PROFILE_BINS][HD_WARP_STATES];
	uint32_t issued[HD_PROFILE_BINS];
	bool begins[HD_PROFILE_BINS]; /* a warp began */
} hd_profile_lane;

/* Slots that were lost because a fence counter, which instruction `raiser` raised, had not cleared. */
typedef struct hd_profile_wait {
	uint32_t raiser;
	uint32_t counter; /* number of the counter, from 1 */
	uint64_t slots;
} hd_profile_wait;

typedef struct hd_profile_row {
	uint64_t issued, dropped, lanes; /* lanes: sum of the active lanes of its executions */
	uint64_t slots;                  /* issue slots that it used; fewer than `issued` where it shared slots (MI) */
	uint64_t descheduled;            /* how often its warp was de-scheduled before its issue */
	uint64_t queue_cycles;           /* cycles between issue and entry into the pipe */
	uint64_t pipe_cycles;            /* cycles between entry and result */
	uint64_t sectors;                /* 32-byte sectors of global and local memory that its accesses needed */
	uint64_t lost[HD_STALL_COUNT];
	HD_VEC(hd_profile_wait) waits;
} hd_profile_row;

typedef struct hd_profile {
	hd_trace trace; /* must be the first member: the machine gets its address */
	const hd_program *program;
	uint32_t cores;
	hd_profile_row *rows; /* by word address, and one row for slots that belong to no instruction */
	uint32_t *raiser;     /* by warp slot and counter: the instruction that last raised the counter */
	/* Slots over time, in bins of `bin` cycles. When the bins do not suffice, their length doubles. Column HD_STALL_COUNT counts the used slots.
	 */
	uint64_t bin;
	uint64_t slots[HD_PROFILE_BINS][HD_STALL_COUNT + 1];
	uint64_t warps[HD_PROFILE_BINS]; /* resident warps, summed over the cycles of the bin */
	uint64_t resident, since;
	uint64_t accesses[HD_PROFILE_BINS];      /* memory instructions performed */
	hd_profile_lane lanes[HD_PROFILE_WARPS]; /* the first warp slots, ordered by core, scheduler and slot */
	uint32_t schedulers, slots_each;         /* of a core; of a scheduler */
	uint64_t last;                           /* cycle of the last event */
} hd_profile;

hd_profile *hd_profile_new(const hd_machine *machine, const hd_program *program); /* the program outlives it */
void hd_profile_free(hd_profile *profile);

/* The number of slots that an instruction used or lost, and of those that it lost. */
uint64_t hd_profile_slots(const hd_profile_row *row);
uint64_t hd_profile_lost(const hd_profile_row *row);
/* The share of a run's cycles that `slots` of its `all` slots are. The shares of all rows add up to the cycles. */
double hd_profile_share(uint64_t slots, uint64_t all, uint64_t cycles);
/* Adds the counts of a row to a sum, which has no waits. */
void hd_profile_add(hd_profile_row *sum, const hd_profile_row *row);

/* Extends the timelines up to the last event. Call it before reading them. */
void hd_profile_settle(hd_profile *profile);

/* -- the annotated listing ------------------------------------------------------------------------------------------------------------------ */
/* The callbacks that write a listing. The order is: `file` for each source file; its lines with `line` (sum NULL: no code); after each line an
 * `instruction` for each of its instructions. If there are instructions without a line, `file` with NULL and these instructions follow. `none` and
 * `all` come last. */
typedef struct hd_listing {
	void *context;
	void (*file)(void *context, const char *path);
	void (*line)(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum);
	void (*instruction)(void *context, uint32_t pc, const hd_profile_row *row);
	void (*none)(void *context, const hd_profile_row *row);
} hd_listing;
/* `input` is what was built. */
void hd_profile_list(const hd_profile *profile, const hd_input *input, const hd_listing *listing);
/* The number of slots of all rows. */
uint64_t hd_profile_total(const hd_profile *profile);

/* Writes the source lines with their totals, each followed by its machine instructions. Instructions without a source line come at the end. Source
 * files that cannot be read are left out. `input` is what was built, `cycles` are those of the run. */
void hd_profile_listing(const hd_profile *profile, const hd_input *input, uint64_t cycles, hd_text *out);

#endif

/* Where the issue slots of a run went, by instruction: an observer of the timed machine (launch/trace.h), and the annotated listing of its counts.
 * Totals equal the counters of the run: every slot belongs to one instruction, or to none for `no_warp`. */
#ifndef HD_PROFILE_H
#define HD_PROFILE_H

#include "config/machine.h"
#include "launch/trace.h"

enum { HD_PROFILE_BINS = 128, HD_PROFILE_WARPS = 64 };

/* The activity of a resident warp. */
typedef enum hd_warp_state {
	HD_WARP_RUNS,  /* none of the others */
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

/* Slots lost because a fence counter that `raiser` raised had not cleared. */
typedef struct hd_profile_wait {
	uint32_t raiser;
	uint32_t counter; /* number of the counter, from 1 */
	uint64_t slots;
} hd_profile_wait;

typedef struct hd_profile_row {
	uint64_t issued, dropped, lanes; /* lanes: number active in the executed instructions */
	uint64_t slots;                  /* issue slots that it took; fewer than `issued` where it shares slots (MI) */
	uint64_t descheduled;            /* how often its warp was de-scheduled before it */
	uint64_t queue_cycles;           /* between issue and pipe */
	uint64_t pipe_cycles;            /* between pipe and result */
	uint64_t lost[HD_STALL_COUNT];
	HD_VEC(hd_profile_wait) waits;
} hd_profile_row;

typedef struct hd_profile {
	hd_trace trace; /* first: what the machine is given */
	const hd_program *program;
	uint32_t cores;
	hd_profile_row *rows; /* by word address; one more for slots that belong to no instruction */
	uint32_t *raiser;     /* instruction that last raised each counter of each warp slot */
	/* Over time: bins of `bin` cycles. When there are too few bins, the bins double. Column HD_STALL_COUNT: used. */
	uint64_t bin;
	uint64_t slots[HD_PROFILE_BINS][HD_STALL_COUNT + 1];
	uint64_t warps[HD_PROFILE_BINS]; /* resident warps, summed over the cycles of the bin */
	uint64_t resident, since;
	uint64_t accesses[HD_PROFILE_BINS];      /* memory instructions performed */
	hd_profile_lane lanes[HD_PROFILE_WARPS]; /* the first warp slots, by core, scheduler, slot */
	uint32_t schedulers, slots_each;         /* of a core; of a scheduler */
	uint64_t last;                           /* cycle of the last event */
} hd_profile;

hd_profile *hd_profile_new(const hd_machine *machine, const hd_program *program); /* the program outlives it */
void hd_profile_free(hd_profile *profile);

/* All slots that an instruction is charged with: issued, and lost. */
uint64_t hd_profile_slots(const hd_profile_row *row);

/* Brings the timelines up to the last event. To be called before they are read. */
void hd_profile_settle(hd_profile *profile);

/* -- the annotated listing ------------------------------------------------------------------------------------------------------------------ */
/* The callbacks that write a listing. The order: `file` for each source file, then its lines with `line` (sum NULL: no code), each followed by an
 * `instruction` for each of its instructions; then, if there are any, `file` with NULL and the instructions without a line; `none` and `all` at
 * the end. */
typedef struct hd_listing {
	void *context;
	void (*file)(void *context, const char *path);
	void (*line)(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum);
	void (*instruction)(void *context, uint32_t pc, const hd_profile_row *row);
	void (*none)(void *context, const hd_profile_row *row);
} hd_listing;
/* `input` is the file that was built. */
void hd_profile_list(const hd_profile *profile, const char *input, const hd_listing *listing);
/* Slots of all rows. */
uint64_t hd_profile_total(const hd_profile *profile);

/* Source lines with their totals, each followed by its machine instructions; instructions without a source line come at the end. Source files that
 * cannot be read are left out. `input` is the file that was built. */
void hd_profile_listing(const hd_profile *profile, const char *input, hd_text *out);

#endif

/* The race detector (MT-5), an observer of the interpreter (launch/order.h). It names pairs of accesses to global or shared memory of which one
 * writes, not both are atomic or otherwise strong, and that nothing orders: neither the program order of a thread, nor a barrier, nor a launch or
 * join, nor fences with a flag between them. docs/sanitizer.md has the rules, the source of the algorithm and what it misses. */
#ifndef HD_RACES_H
#define HD_RACES_H

#include "launch/order.h"

/* One of the two accesses. */
typedef struct hd_race_access {
	uint32_t word; /* word address of the instruction */
	bool loads, stores, strong;
	const hd_kernel *kernel;
	uint32_t cta[3], thread[3], warp, lane;
} hd_race_access;

typedef struct hd_race {
	hd_race_access first, second; /* of the first time, in the order in which the interpreter came to them */
	uint64_t address;             /* generic address of the first byte */
	char *place;                  /* what lies there: "'out' + 64", "allocation ..."; owned; NULL: unknown */
	uint64_t count;               /* pairs of accesses by these two instructions */
} hd_race;

/* A barrier of a whole CTA that opened without some of its threads, an operation of other lanes than its mask names, a wait of threads for different
 * numbers of events, a copy that threads never wait for, or a
 * value that a shuffle takes from a lane that is not there. */
typedef struct hd_race_barrier_fault {
	enum {
		HD_RACE_ENDED,
		HD_RACE_ELSEWHERE,
		HD_RACE_OTHER_BARRIER,
		HD_RACE_NAMED,
		HD_RACE_NOT_NAMED,
		HD_RACE_SHUFFLE,
		HD_RACE_COUNTS,
		HD_RACE_COPY
	} kind;
	uint32_t word, other_word; /* the barrier; where `lanes` wait, or the same */
	const hd_kernel *kernel;
	uint32_t cta[3], warp, lanes; /* of the first time: those that did not come */
	uint64_t count;
} hd_race_barrier_fault;

enum { HD_RACES_MAX = 100 };

typedef struct hd_races_found {
	HD_VEC(hd_race) list; /* in the order of discovery; any two differ in their instructions or in the space */
	uint64_t total;       /* all of them, repeats included */
	HD_VEC(hd_race_barrier_fault) faults;
	uint64_t barriers;  /* faults, repeats included */
	uint64_t unwatched; /* accesses that were not looked at, because the memory for the detector was used up */
	uint64_t widened;   /* how often knowledge was rounded up, so that a race may be missing */
} hd_races_found;

typedef struct hd_races_options {
	uint64_t bytes;      /* of the host that it may take; 0: HD_RACES_BYTES */
	bool uniform_writes; /* two stores race even when the second one changes nothing */
} hd_races_options;
#define HD_RACES_BYTES (UINT64_C(1) << 30)

typedef struct hd_races hd_races;
/* Serves one run, or several in sequence. Program and memory must outlive it; memory gives the names of allocations. */
hd_races *hd_races_new(const hd_program *program, const hd_memory *memory, const hd_races_options *options);
void hd_races_free(hd_races *races); /* NULL is allowed */
hd_order *hd_races_observer(hd_races *races);
/* The list is valid until the next event. */
const hd_races_found *hd_races_found_of(hd_races *races);
/* Bytes of the host that it takes now. */
uint64_t hd_races_bytes(const hd_races *races);

/* "global memory at 0x1000000040 ('out' + 64)". */
void hd_race_place(hd_text *out, const hd_race *race);
/* "read", "write", "atomic" and so on. */
const char *hd_race_access_name(const hd_race_access *access);
/* Whole lines: the first "FILE:LINE:COLUMN: error: kernel 'K': data race on ...", then a line for each access, then how often. */
void hd_race_print(hd_text *out, const hd_race *race, const hd_program *program);
void hd_race_barrier_print(hd_text *out, const hd_race_barrier_fault *fault, const hd_program *program);
/* The first `most` races and barriers, a line about the others, and one about what was not watched. */
void hd_races_print(hd_text *out, const hd_races_found *found, size_t most, const hd_program *program);

#endif

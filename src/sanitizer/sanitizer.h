/* The hazard sanitizer: a watcher of the timed machine (launch/trace.h) that names every value that a run used before it was there, and every value
 * that was overwritten before it was used, whether the bytes were right or not. It follows the program order of each warp, lane by lane:
 *
 *  - registers and predicates: who has entered a pipe and not written yet, who wrote last, who read last, what a last-use flag dropped;
 *  - global and shared memory: accesses of one warp, and accesses of two warps of a CTA that a barrier orders, byte by byte.
 *
 * It judges one run: what another timing would break is the checker's subject. docs/sanitizer.md says what it sees and what it does not. */
#ifndef HD_SANITIZER_H
#define HD_SANITIZER_H

#include "launch/trace.h"

typedef enum hd_violation_kind {
	HD_VIOLATION_RAW,      /* read of a value that is not there yet: first = who makes it, second = who read */
	HD_VIOLATION_WAR,      /* overwritten before it was read: first = who reads, second = who wrote */
	HD_VIOLATION_WAW,      /* a later value overwritten by an earlier one: first = whose value came late, second = whose value is lost */
	HD_VIOLATION_LAST_USE, /* read of a value that was dropped (LU-5): first = who has the last-use flag, second = who read */
	HD_VIOLATION_ORDER,    /* two accesses of one warp to the same bytes, one of them a write: first was performed after second */
	HD_VIOLATION_BARRIER,  /* the same of two warps of a CTA, with a barrier in between: first was outstanding at it */
} hd_violation_kind;

/* An instruction that was issued. */
typedef struct hd_moment {
	uint32_t word;   /* its word address */
	uint32_t number; /* in its core, as in traces; UINT32_MAX when another run has begun since */
	/* Cycles; 0: not (yet), or not known any more. */
	uint64_t issued, entered; /* into its pipe: operands are read */
	uint64_t performed;       /* its access took effect on memory */
	uint64_t done;            /* its result is written */
} hd_moment;

/* `first` stands before `second` in the order of the program; of two warps, a barrier stands between them. */
typedef struct hd_violation {
	hd_violation_kind kind;
	int resource;     /* register 0 to 254, 256 + predicate, -1: memory */
	uint64_t address; /* memory: generic address of the first byte that both touch */
	uint32_t lanes;   /* concerned, of the later to happen */
	hd_moment first, second;
	uint32_t core, scheduler, slot, cta[3], warp; /* warp: number in the CTA; of `second` with BARRIER */
	uint32_t first_warp;                          /* BARRIER: the other one */
	uint64_t count;                               /* times that these two instructions violated this; all else is about the first time */
	uint32_t latest[3];                           /* when they did so last: core, numbers of the two */
} hd_violation;

enum { HD_VIOLATIONS_MAX = 100 };

typedef struct hd_violations {
	HD_VEC(hd_violation) list; /* the first HD_VIOLATIONS_MAX that differ in kind, instructions or register, as they were found */
	uint64_t total;            /* all, repeats counted */
} hd_violations;

typedef struct hd_sanitizer hd_sanitizer;
/* The program outlives it. For one run, or several of that program one after the other. */
hd_sanitizer *hd_sanitizer_new(const hd_program *program);
void hd_sanitizer_free(hd_sanitizer *sanitizer); /* NULL is allowed */
/* What the machine is given. */
hd_trace *hd_sanitizer_watcher(hd_sanitizer *sanitizer);
/* What it has found so far; valid until the next event. */
const hd_violations *hd_sanitizer_found(const hd_sanitizer *sanitizer);

/* "RAW", "WAR", "WAW", "last use", "memory order", "barrier". */
const char *hd_violation_name(hd_violation_kind kind);
/* What it is on: "r5", "p2", "shared memory at 0x40", "global memory at 0x1000000000". */
void hd_violation_resource(hd_text *out, const hd_violation *violation);
/* "FILE:LINE:COLUMN: error: kernel 'K': RAW on r5: ..." ("error: ..." without a line table), then a line for each of the instructions, with word
 * address and cycles, and one with CTA, warp, lanes and core. Whole lines. */
void hd_violation_print(hd_text *out, const hd_violation *violation, const hd_program *program);
/* The first `most` of the list, and a line about those that are not printed. */
void hd_violations_print(hd_text *out, const hd_violations *violations, size_t most, const hd_program *program);

#endif

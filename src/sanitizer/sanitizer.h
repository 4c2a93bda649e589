/* The hazard sanitizer, a watcher of the timed machine (launch/trace.h). It names every value that a run read before it was written, and every value
 * that was overwritten before it was read, even if the bytes were right. It follows the program order of each warp, lane by lane:
 *
 * - registers and predicates: the instructions that entered a pipe and have not written, the last writer, the last reader, and the values that a
 *   last-use flag dropped;
 * - global and shared memory, byte by byte: accesses of one warp, and accesses of two warps of a CTA that a barrier orders;
 * - fences, which are to wait for earlier accesses of their warp.
 *
 * It judges one run. The checker judges other timings. docs/sanitizer.md says what the sanitizer finds and what it does not find. */
#ifndef HD_SANITIZER_H
#define HD_SANITIZER_H

#include "launch/trace.h"

typedef enum hd_violation_kind {
	HD_VIOLATION_RAW,      /* a value was read before it was written: first = the writer, second = the reader */
	HD_VIOLATION_WAR,      /* a value was overwritten before it was read: first = the reader, second = the writer */
	HD_VIOLATION_WAW,      /* an earlier value overwrote a later one: first = the late writer, second = the writer of the lost value */
	HD_VIOLATION_LAST_USE, /* a dropped value was read (LU-5): first = the instruction with the last-use flag, second = the reader */
	HD_VIOLATION_ORDER,    /* two accesses of one warp to the same bytes, one of them a write: first was performed after second */
	HD_VIOLATION_BARRIER,  /* the same for two warps of a CTA with a barrier between: first was outstanding at the barrier */
	HD_VIOLATION_FENCE,    /* second is a fence for which first is to be done, and was not */
} hd_violation_kind;

/* An instruction that issued. */
typedef struct hd_moment {
	uint32_t word;   /* word address */
	uint32_t number; /* its number in the core, as in traces; UINT32_MAX once another run has begun */
	/* Cycles. 0: has not happened yet, or is no longer known. */
	uint64_t issued, entered; /* `entered`: the pipe read the operands */
	uint64_t performed;       /* the access took effect on memory */
	uint64_t done;            /* the result was written */
} hd_moment;

/* `first` is earlier than `second` in program order. For two warps, a barrier orders them. */
typedef struct hd_violation {
	hd_violation_kind kind;
	int resource;     /* register 0 to 254, 256 + predicate, -1: memory */
	uint64_t address; /* memory: generic address of the first byte that both accesses touch */
	uint32_t lanes;   /* the lanes concerned, of the instruction that acted second in time */
	hd_moment first, second;
	uint32_t core, scheduler, slot, cta[3], warp; /* `warp`: number in the CTA; for BARRIER the warp of `second` */
	uint32_t first_warp;                          /* BARRIER: the warp of `first` */
	uint64_t count;     /* how often these two instructions violated this rule; the other fields describe the first time */
	uint32_t latest[3]; /* the latest time: core, and the numbers of the two instructions */
} hd_violation;

enum { HD_VIOLATIONS_MAX = 100 };

typedef struct hd_violations {
	HD_VEC(hd_violation) list; /* in the order of discovery, at most HD_VIOLATIONS_MAX; any two differ in kind, instructions or resource */
	uint64_t total;            /* all violations, repeats included */
} hd_violations;

typedef struct hd_sanitizer hd_sanitizer;
/* A sanitizer serves one run of the program or several runs in sequence. The program must outlive it. */
hd_sanitizer *hd_sanitizer_new(const hd_program *program);
void hd_sanitizer_free(hd_sanitizer *sanitizer); /* NULL is allowed */
/* The watcher to give to the machine. */
hd_trace *hd_sanitizer_watcher(hd_sanitizer *sanitizer);
/* The violations so far. The list is valid until the next event. */
const hd_violations *hd_sanitizer_found(const hd_sanitizer *sanitizer);

/* "RAW", "WAR", "WAW", "last use", "memory order", "barrier", "fence". */
const char *hd_violation_name(hd_violation_kind kind);
/* The resource of a violation: "r5", "p2", "shared memory at 0x40", "global memory at 0x1000000000", of a fence "memory". */
void hd_violation_resource(hd_text *out, const hd_violation *violation);
/* Appends whole lines. The first one is "FILE:LINE:COLUMN: error: kernel 'K': RAW on r5: ...", or "error: ..." without a line table. A line for each
 * instruction follows, with word address and cycles. The last line names CTA, warp, lanes and core. */
void hd_violation_print(hd_text *out, const hd_violation *violation, const hd_program *program);
/* Prints the first `most` violations of the list, and a line about the others. */
void hd_violations_print(hd_text *out, const hd_violations *violations, size_t most, const hd_program *program);

#endif

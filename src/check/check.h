/* The checker (HZ-27). It takes an encoded program and proves that every register and memory dependence is covered on every physical path. A
 * dependence is covered by a fence counter, by a sufficient delay or by the order of a pipeline (docs/timing.md). If a dependence is not covered, the
 * checker names the two instructions, the register and the path. On a machine with a scoreboard no dependence needs cover; last-use flags and types
 * are still proven. It reads objects only. It shares no code with the passes that annotate. */
#ifndef HD_CHECK_H
#define HD_CHECK_H

#include "config/machine.h"
#include "object/object.h"

typedef enum hd_hazard_kind {
	HD_HAZARD_RAW,
	HD_HAZARD_WAR,
	HD_HAZARD_WAW,
	HD_HAZARD_MEMORY,   /* the order of memory accesses, at a barrier, at a fence or between two pipes */
	HD_HAZARD_ORDER,    /* an order of the programmer (HZ-33) */
	HD_HAZARD_CALL,     /* an instruction may be outstanding at a call, a return or an indirect jump */
	HD_HAZARD_COUNTER,  /* a counter that the machine does not have, or of the wrong latency set (HZ-20) */
	HD_HAZARD_TYPE,     /* the pre-decode byte names a type other than the instruction's (MI-1) */
	HD_HAZARD_REUSE,    /* a counter is raised while the producer may wait for it in a queue (HZ-35); equal: nothing is known in its function */
	HD_HAZARD_LAST_USE, /* a last-use flag is not proven (LU-3); the consumer has the flag, and the producer is the reason */
} hd_hazard_kind;

typedef struct hd_finding {
	hd_hazard_kind kind;
	uint32_t producer, consumer; /* word addresses; equal for findings about one instruction */
	int resource;                /* register 0..254, 256 + predicate, or -1 */
	uint32_t missing;            /* cycles that the delay lacks; 0 where no delay could cover the dependence */
	HD_VEC(uint32_t) path;       /* word addresses from producer to consumer; between them the first instruction of each block on the way */
} hd_finding;

/* A note is worth knowing but is no error. */
typedef enum hd_note_kind {
	HD_NOTE_ROOM,  /* a counter may have no room for the primary at `word`; the decoder then holds the warp back (HZ-18) */
	HD_NOTE_APART, /* `word` reads other lanes, and behind `branch` nothing makes lanes meet before it */
} hd_note_kind;

typedef struct hd_note {
	hd_note_kind kind;
	uint32_t word;
	uint32_t counter; /* ROOM: from 1 */
	uint32_t room;    /* ROOM: primaries that the counter can count */
	uint32_t loop;    /* ROOM: first word of the shortest loop around `word`, 0 = none */
	uint32_t branch;  /* APART */
} hd_note;

typedef struct hd_check_report {
	HD_VEC(hd_finding) findings;             /* at most HD_MAX_FINDINGS */
	uint64_t total;                          /* all findings, including those beyond the limit */
	uint64_t dependences;                    /* dependences that were judged */
	uint64_t by_counter, by_delay, by_order; /* what covers them */
	bool by_scoreboard;                      /* a scoreboard keeps registers and memory in order, so no dependence was judged */
	HD_VEC(hd_note) notes;                   /* filled whether or not the program is proven */
	uint64_t last_uses;                      /* number of last-use flags; a flag without a finding is proven */
	uint64_t gave_up;                        /* the number of steps after which the checker stopped without an answer; 0: it did not */
} hd_check_report;
enum { HD_MAX_FINDINGS = 100 };
/* Steps of work of one proof. Objects come from outside, and the work for some grows with the square of their size. */
#define HD_CHECK_STEPS UINT64_C(2000000000)

/* True when every dependence is covered. The object must be valid (hd_object_validate). The caller frees the report. */
bool hd_check(const hd_object *object, const hd_machine *machine, hd_check_report *report);
/* The same with another bound on the work. It bounds the memory, too: about two bytes a step. */
bool hd_check_within(const hd_object *object, const hd_machine *machine, uint64_t steps, hd_check_report *report);
void hd_check_report_free(hd_check_report *report);
/* Appends a finding as text: "FILE: error: RAW on r5 is not covered: ...". The text names source lines where the object has them. */
void hd_finding_print(hd_text *out, const hd_finding *finding, const hd_object *object, const char *file);
/* Appends the line that says that the checker gave up. Requires report->gave_up. */
void hd_gave_up_print(hd_text *out, const hd_check_report *report, const char *file);
/* Appends a note as text: "FILE: note: counter 5 may have no room for ...". */
void hd_note_print(hd_text *out, const hd_note *note, const hd_object *object, const char *file);

#endif

/* The checker (HZ-27): proves of any encoded program that every register and memory dependence is covered on every physical path, by a fence counter,
 * by a sufficient delay or by a pipeline's own order, as docs/timing.md states; or names the two instructions, the register and the path. It reads
 * objects only, and shares no code with the passes that annotate. */
#ifndef HD_CHECK_H
#define HD_CHECK_H

#include "config/machine.h"
#include "object/object.h"

typedef enum hd_hazard_kind {
	HD_HAZARD_RAW,
	HD_HAZARD_WAR,
	HD_HAZARD_WAW,
	HD_HAZARD_MEMORY,   /* a barrier or fence, or two memories' order */
	HD_HAZARD_CALL,     /* something is outstanding at a call, a return or an indirect jump */
	HD_HAZARD_COUNTER,  /* a counter that the machine does not have, or of the wrong latency set (HZ-20) */
	HD_HAZARD_TYPE,     /* the pre-decode byte names another type than the instruction's (MI-1) */
	HD_HAZARD_LAST_USE, /* a last-use flag that is not proven (LU-3): consumer bears it, producer is what stands in the way */
} hd_hazard_kind;

typedef struct hd_finding {
	hd_hazard_kind kind;
	uint32_t producer, consumer; /* word addresses; producer = consumer for findings about one instruction */
	int resource;                /* register 0..254, 256 + predicate, or -1 */
	uint32_t missing;            /* cycles by which the delay is too short, where a delay could cover it; else 0 */
	HD_VEC(uint32_t) path;       /* word addresses from producer to consumer: the first instruction of each block on the way */
} hd_finding;

/* What is worth knowing and no error. */
typedef enum hd_note_kind {
	HD_NOTE_ROOM, /* a counter may have no room for the primary at `word`; the decoder then holds the warp back (HZ-18) */
} hd_note_kind;

typedef struct hd_note {
	hd_note_kind kind;
	uint32_t word;
	uint32_t counter; /* from 1 */
	uint32_t room;    /* primaries that it can count */
	uint32_t loop;    /* first word of the loop around it, 0 = none */
} hd_note;

typedef struct hd_check_report {
	HD_VEC(hd_finding) findings;             /* at most HD_MAX_FINDINGS */
	uint64_t total;                          /* all that were found */
	uint64_t dependences;                    /* pairs of instructions that depend and were looked at */
	uint64_t by_counter, by_delay, by_order; /* how they are covered */
	HD_VEC(hd_note) notes;                   /* whether or not all is proven */
	uint64_t last_uses;                      /* last-use flags, proven where there is no finding */
} hd_check_report;
enum { HD_MAX_FINDINGS = 100 };

/* True when everything is proven. The object must be valid (hd_object_validate). The caller frees the report. */
bool hd_check(const hd_object *object, const hd_machine *machine, hd_check_report *report);
void hd_check_report_free(hd_check_report *report);
/* One finding as text: "FILE: error: RAW on r5 is not covered: ..." with source lines where the object has them. */
void hd_finding_print(hd_text *out, const hd_finding *finding, const hd_object *object, const char *file);
/* One note as text: "FILE: note: counter 5 may have no room for ...". */
void hd_note_print(hd_text *out, const hd_note *note, const hd_object *object, const char *file);

#endif

/* The checker of real code (SA-4 to SA-7). It proves that stall counts and counters cover every dependence of a function, under named assumptions, or
 * names two instructions and a way between them, or says what it does not know. It reads the machine code alone. */
#ifndef HD_SASS_CHECK_H
#define HD_SASS_CHECK_H

#include "sass/assumptions.h"
#include "sass/graph.h"
#include "sass/latency.h"

typedef enum hd_sass_verdict { HD_SASS_PROVEN, HD_SASS_REFUTED, HD_SASS_UNKNOWN } hd_sass_verdict;
/* "proven", "refuted", "unknown" */
const char *hd_sass_verdict_name(hd_sass_verdict verdict);

/* The reason why nothing covers a dependence. */
typedef enum hd_sass_lack {
	HD_SASS_LACK_CYCLES,     /* the first instruction has a fixed latency, and the second issues too early */
	HD_SASS_LACK_COUNTER,    /* the first instruction raises no counter that would help */
	HD_SASS_LACK_WAIT,       /* nothing on the way waits for the counter */
	HD_SASS_LACK_STALL,      /* the wait issues one cycle behind the raise and does not see it (S2) */
	HD_SASS_LACK_ASSUMPTION, /* it is covered under an assumption that is not allowed */
} hd_sass_lack;

typedef struct hd_sass_finding {
	hd_sass_hazard hazard;
	hd_sass_lack lack;
	uint32_t producer, consumer; /* instructions */
	uint8_t file, first, count;  /* the registers */
	uint8_t counters;            /* those of the producer that would help, a bit each */
	uint32_t missing;            /* cycles, for HD_SASS_LACK_CYCLES */
	uint32_t needed;             /* cycles between the issues, by the table */
	uint8_t source;              /* of that figure: hd_sass_latency_source */
	hd_sass_assumed under;       /* for HD_SASS_LACK_ASSUMPTION: any of these would do */
	HD_VEC(uint32_t) path;       /* producer, the first instruction of each block on the way, consumer */
} hd_sass_finding;

/* The cover of a dependence of instruction `second` on `first` (SA-11). */
typedef enum hd_sass_cover_kind {
	HD_SASS_COVER_DISTANCE,   /* `age` cycles, of which `needed` are needed */
	HD_SASS_COVER_WAIT,       /* the wait of instruction `at` ends the access */
	HD_SASS_COVER_GUARD,      /* no lane executes both */
	HD_SASS_COVER_ASSUMPTION, /* any of `any_of` */
} hd_sass_cover_kind;
typedef struct hd_sass_cover {
	uint32_t first, second, at; /* instructions */
	uint16_t resource;          /* register: pending.h */
	uint8_t hazard, kind;       /* hd_sass_hazard, hd_sass_cover_kind */
	int32_t age, needed;
	hd_sass_assumed any_of;
} hd_sass_cover;
typedef HD_VEC(hd_sass_cover) hd_sass_cover_list;

/* Hears of what covers each dependence, for --slack. */
typedef struct hd_sass_observer {
	/* Every dependence that is covered, and by what. With it the analysis forgets no access that a wait ended: the first wait is named. May be
	 * NULL. */
	void (*cover)(void *context, const hd_sass_cover *cover);
	/* May be NULL. A distance of `age` cycles between two issues covers a dependence on `resource` (pending.h) that needs `needed` of them. */
	void (*distance)(void *context, uint32_t first, uint32_t second, unsigned resource, int needed, int age, bool same_block);
	/* May be NULL. A dependence hangs on an access of `producer` that the wait of instruction `at` alone ends: it needs one of the bits
	 * `counters`. 0: a distance covers the dependence, too, so that one of the two may go. */
	void (*wait)(void *context, uint32_t at, uint32_t producer, unsigned counters);
	void *context;
} hd_sass_observer;

typedef struct hd_sass_options {
	hd_sass_assumed assume;           /* what the proof may lean on */
	uint64_t steps;                   /* bound on the work for one function; 0: HD_SASS_STEPS */
	const hd_sass_observer *observer; /* may be NULL */
} hd_sass_options;

enum { HD_SASS_MAX_FINDINGS = 100, HD_SASS_MAX_DOUBTS = 100 };
/* Some seconds. A step is a visit of an access; storing one counts more, so that the bound on steps bounds the memory, too. */
#define HD_SASS_STEPS UINT64_C(700000000)

typedef struct hd_sass_result {
	hd_sass_verdict verdict;
	hd_sass_assumed needed;           /* the least set that the proof leans on; of a function that is not proven: what was leaned on so far */
	HD_VEC(hd_sass_finding) findings; /* at most HD_SASS_MAX_FINDINGS, one for two instructions and a hazard */
	uint64_t n_findings;              /* all */
	hd_sass_doubt_list doubts;        /* at most HD_SASS_MAX_DOUBTS */
	uint64_t n_doubts;                /* all */
	uint32_t instructions, blocks;
	uint64_t by_stall;      /* dependences that a distance covers */
	uint64_t by_counter;    /* accesses that a wait ends, which covers all that depends on them */
	uint64_t by_assumption; /* dependences that an assumption covers */
	uint64_t by_guard;      /* pairs in which no lane executes both */
} hd_sass_result;

/* Checks one function. The caller frees the result. */
hd_sass_verdict hd_sass_check(const hd_sass_code *code, const hd_sass_options *options, hd_sass_result *result);
void hd_sass_result_free(hd_sass_result *result);

/* Registers of a finding: "R4", "R4..R7", "P0". */
void hd_sass_registers_print(hd_text *text, unsigned file, unsigned first, unsigned count);
/* A finding, or a doubt, in sentences, each line indented: "RAW on R4: ..." */
void hd_sass_finding_print(hd_text *text, const hd_sass_code *code, const hd_sass_finding *finding);
void hd_sass_doubt_print(hd_text *text, const hd_sass_code *code, const hd_sass_doubt *doubt);
/* "instruction", "branch", "target", "return", "end", "latency", "work", "call", "empty" */
const char *hd_sass_doubt_name(hd_sass_doubt_kind kind);
/* "0x0120 `IADD3 R4, R2, R3, RZ` (file.cu:12)" */
void hd_sass_place_print(hd_text *text, const hd_sass_code *code, uint32_t at);
/* The source line of an instruction. False when the file has none. */
bool hd_sass_line_of(const hd_sass_code *code, uint32_t at, const char **file, uint32_t *line);

#endif

/* State shared by the units of the assembler, and the reading of labels and directives. */
#ifndef HD_OBJECT_ASSEMBLER_H
#define HD_OBJECT_ASSEMBLER_H

#include "object/scan.h"

typedef struct hd_label {
	char *name;
	uint32_t word;
	uint64_t hash;
} hd_label;

/* The meaning of a label: the target of the instruction at `word`, the entry of kernel number `word`, or an end of order number `word`. */
typedef enum hd_reference_kind { HD_LABEL_TARGET, HD_LABEL_ENTRY, HD_LABEL_ORDER_FIRST, HD_LABEL_ORDER_SECOND } hd_reference_kind;

/* A use of a label. */
typedef struct hd_reference {
	char *name;
	uint32_t word;
	hd_reference_kind kind;
	hd_pos pos;
} hd_reference;

typedef struct hd_assembler {
	hd_scan scan;
	hd_object *o;
	HD_VEC(hd_label) labels;
	HD_VEC(hd_reference) references;
	HD_VEC(hd_pos) places;  /* position in the text of each word of code */
	hd_pos counters, split; /* positions of the numbers of .counters and .high_latency */
	hd_text machine;        /* what .machine says so far */
	bool open;              /* inside a .function */
	bool stop;              /* a limit was passed: assembly ends */
} hd_assembler;

/* Reports an error at the scanner's place. Returns false. */
bool hd_assembler_refuse(hd_assembler *a, const char *text);

/* Ends the line of code before, and puts the scheduling word of the next one where the geometry has one there. Returns true. */
bool hd_assembler_put_ss(hd_assembler *a);

/* Address of the next instruction. */
uint32_t hd_assembler_next_instruction(const hd_assembler *a);

/* Reads a directive, which begins with a dot, and its operands. Returns false after an error. */
bool hd_assembler_directive(hd_assembler *a);

#endif

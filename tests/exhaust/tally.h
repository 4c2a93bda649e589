/* Counts the verdicts of a family on a machine, and prints them. */
#ifndef TALLY_H
#define TALLY_H

#include "trial.h"

/* Findings that are stated, and judged, together. */
typedef enum finding_group { GROUP_REGISTERS, GROUP_ORDER, GROUP_CALL, GROUP_LAST_USE, GROUP_FORM, FINDING_GROUPS } finding_group;

typedef struct tally {
	uint64_t all;                       /* programs of the family, as far as they were counted */
	uint64_t programs, proven, unsound; /* unsound: proven, and wrong */
	/* Refuted programs by their first finding; those of them that ran; those of these that were wrong with some timing. */
	uint64_t refuted[FINDING_GROUPS], ran[FINDING_GROUPS], wrong[FINDING_GROUPS];
	uint64_t never[CAUSES]; /* refuted, and right with every timing */
	tiny example[CAUSES];   /* the shortest of them; n = TINY_LENGTH + 1: none */
} tally;

void tally_init(tally *t);
void tally_count(tally *t, const tiny *core, const verdict *v);
void tally_add(tally *into, const tally *from);
void tally_head(void);
void tally_row(const tally *t, const char *name);
/* The groups of findings and the causes. */
void tally_findings(const tally *t);
/* False, and a message: something proven was wrong, or fewer of the refuted programs than stated were. */
bool tally_holds(const tally *t);

#endif

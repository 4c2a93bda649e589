/* A litmus test as PTX. A thread reads its record, which says what it is, and so any thread of any CTA can be any thread of any copy of the test. */
#ifndef LITMUS_PROGRAM_H
#define LITMUS_PROGRAM_H

#include "litmus.h"

enum { LITMUS_STRESSES = LITMUS_THREADS, LITMUS_IDLE }; /* roles beside those of the test's threads */

/* The work of thread ctaid * ntid + tid. */
typedef struct litmus_record {
	uint32_t role;                    /* a thread of the test, LITMUS_STRESSES or LITMUS_IDLE */
	uint32_t warm;                    /* bit l: loads location l before it begins, so the core has its line and its page */
	uint32_t delay[LITMUS_ACCESSES];  /* rounds of a loop before each access; before the first alone if the program is tight */
	uint32_t times;                   /* of stress accesses */
	uint64_t place[LITMUS_LOCATIONS]; /* addresses of the locations; with offsets the first one's alone. Stress: of 128 bytes */
	uint64_t results;                 /* where the words of the registers go */
	uint64_t barrier;                 /* address of the count of the copy's barrier of the grid */
} litmus_record;

typedef struct litmus_variant {
	bool tight;      /* no delays between accesses, so they are one straight line */
	uint32_t offset; /* bytes from one location to the next, which the program knows; 0: it does not */
	bool settled;    /* values of stores and results have registers of their own, so nothing but a fence waits for an access */
} litmus_variant;

/* The first and the last line of each access in the text, and of acquire and release with it. */
typedef struct litmus_lines {
	uint32_t first[LITMUS_THREADS][LITMUS_ACCESSES], last[LITMUS_THREADS][LITMUS_ACCESSES];
} litmus_lines;

/* Appends the module with the kernel `litmus`. Its parameters: the address of the records, 0, which the compiler does not know, and the lanes of a
 * warp. */
void litmus_program(const litmus_test *test, litmus_variant variant, hd_text *text, litmus_lines *lines);

#endif

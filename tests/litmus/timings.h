/* Runs of a litmus test. A launch has many copies of the test, each with its own places and delays; everything is drawn from a seed. */
#ifndef LITMUS_TIMINGS_H
#define LITMUS_TIMINGS_H

#include "device/device.h"
#include "program.h"

enum { LITMUS_COPIES = 16 /* of the test in a launch */ };

typedef struct litmus_machine {
	char name[32];
	hd_machine machine;
} litmus_machine;

/* The machines of litmus.def, and then `drawn` ones of which any key may be drawn. */
typedef struct litmus_machines {
	litmus_machine *at;
	unsigned n, named;
} litmus_machines;
litmus_machines litmus_machines_new(unsigned drawn);
void litmus_machines_free(litmus_machines *machines);

/* A compiled test on one machine. */
typedef struct litmus_runner {
	const litmus_test *test;
	const hd_machine *machine;
	litmus_variant variant;
	litmus_lines lines;
	unsigned late; /* a thread of the test plus 1: launches make its first access as late as they can; 0: of any thread, or of none */
	hd_object *object;
	hd_program *program;
	hd_memory *memory;
	hd_region *storage; /* hd_run_options.storage */
	uint64_t arena, records, results;
} litmus_runner;

/* Compiles. Ends the process with a message if the compiler refuses the program. */
litmus_runner litmus_runner_new(const litmus_test *test, litmus_variant variant, const hd_machine *machine);
void litmus_runner_free(litmus_runner *runner);
/* One launch: the outcomes of its copies. False when the run ends with a trap; *why then has its text. */
bool litmus_launch(litmus_runner *runner, uint64_t seed, uint16_t outcome[LITMUS_COPIES], hd_text *why);
/* Draws the variant of a program. */
litmus_variant litmus_draw_variant(uint64_t *state);

#endif

/* The output of `heddle run` without --report: a short answer to "what happened, what came out, where did the time go". */
#ifndef HD_CLI_RESULT_H
#define HD_CLI_RESULT_H

#include "cli/launching.h"

/* Appends the title: kernel, machine, cycles, instructions, and how the run ended unless it is done. */
void hd_result_title(hd_text *out, const hd_report *report, bool color);
/* Appends a line for each array that the kernel can write: its file, its type and the first values. `kernel` gives the names of parameters. Arrays
 * that go to no file are read from the memory of `h`; without `h` they are left out. */
void hd_result_outputs(hd_text *out, const hd_launching *launching, const hd_kernel *kernel, heddle *h);
/* Appends the three causes that took the most issue slots. Nothing for a run without time. */
void hd_result_time(hd_text *out, const hd_report *report, bool color);

#endif

/* A run of an example in its smallest size that the hazard sanitizer watches, and the proof of its program. */
#ifndef KERNELS_WATCHED_RUN_H
#define KERNELS_WATCHED_RUN_H

#include "backend_heddle.h"

/* Runs the example, timed or functional. False and errors in diag if it fails or the sanitizer finds something. The caller frees `out` with
 * ex_run_free in both cases. */
bool watched_run(const ex_example *example, const hd_machine *machine, const hd_object *object, bool functional, ex_run *out, hd_diag *diag);
/* True when the checker proves the example's program for the machine; otherwise an error in diag. */
bool is_proven(const ex_example *example, const hd_object *object, const hd_machine *machine, hd_diag *diag);

#endif

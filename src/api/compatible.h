/* Whether an object may run on a machine other than the one that it was compiled for. Annotations rely on latencies, pipes and hints of a machine;
 * on another one they can be wrong, and the run then gives wrong numbers without a word. */
#ifndef HD_API_COMPATIBLE_H
#define HD_API_COMPATIBLE_H

#include "config/machine.h"
#include "object/object.h"

/* True in four cases: the object was compiled for a machine on which annotations may rely in the same way (config/record.h); it does not say for
 * which machine it was compiled, so that its author answers for it (assembly written by hand); the machine needs no annotations; or the checker
 * proves the annotations for the machine. Otherwise false, and an error that names `file`, what differs, what the checker found first, and `way`,
 * with which the user can run the object all the same. */
bool hd_compatible(const hd_object *object, const hd_machine *machine, const char *file, const char *way, hd_diag *diag);

#endif

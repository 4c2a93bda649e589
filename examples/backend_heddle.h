/* Runs examples on Heddle, in the functional interpreter or on the machine. */
#ifndef HEDDLE_BACKEND_HEDDLE_H
#define HEDDLE_BACKEND_HEDDLE_H

#include "config/machine.h"
#include "device/device.h"
#include "example.h"
#include "launch/launch.h"
#include "launch/order.h"
#include "launch/trace.h"

/* Compiles a source (.cl, .cu, .ptx) to an object for a machine. `serial`: each instruction waits for the one before it. NULL and errors in diag on
 * failure. */
hd_object *ex_heddle_compile(const char *source, const hd_machine *machine, bool serial, hd_diag *diag);
/* The same in two steps, for many machines. The first one makes PTX text, which the caller frees. The second one makes an object of it. */
char *ex_heddle_ptx(const char *source, size_t *size, hd_diag *diag);
hd_object *ex_heddle_compile_ptx(const char *ptx, size_t size, const char *source, const hd_machine *machine, bool serial, hd_diag *diag);

/* Makes a device with empty memory and loads the program. `object` and `machine` must outlive it. */
ex_backend *ex_heddle_new(const hd_object *object, const hd_machine *machine, bool functional, hd_diag *diag);
void ex_heddle_free(ex_backend *backend);
/* The settings of the launches that follow. */
hd_run_options *ex_heddle_options(ex_backend *backend);
/* The sums over all launches. */
const hd_stats *ex_heddle_stats(const ex_backend *backend);
/* The program as it was loaded, and the observer of the timed launches that follow. */
const hd_program *ex_heddle_program(const ex_backend *backend);
void ex_heddle_watch(ex_backend *backend, hd_trace *trace);
/* How the last launch ended. */
hd_trap_kind ex_heddle_ended(const ex_backend *backend);
/* The observer of the functional launches that follow, and the memory of all launches. */
void ex_heddle_order(ex_backend *backend, hd_order *order);
const hd_memory *ex_heddle_memory(const ex_backend *backend);
/* Seconds of the host that all launches took. */
double ex_heddle_seconds(const ex_backend *backend);

#endif

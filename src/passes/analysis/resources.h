/* The reads and writes of an allocated instruction, as numbered resources: registers 0 to 254, predicates from HD_RES_PRED on. */
#ifndef HD_RESOURCES_H
#define HD_RESOURCES_H

#include "config/machine.h"
#include "ir/ir.h"

enum {
	HD_RES_ORDER =
	    255, /* HD_RZ is no resource; what orders of the programmer stand for (HZ-33): the first one writes it, the second one reads it */
	HD_RES_PRED = 256,
	HD_RES_COUNT = HD_RES_PRED + 8,
	HD_MAX_RESOURCES = 40, /* of one instruction, each way: a call reads 32 argument registers, an address and its guard */
};

/* An instruction's part in the order of memory that fence counters must keep (docs/timing.md, "Memory"). */
enum hd_order {
	HD_ORDER_NONE,
	HD_ORDER_ACCESS = 1, /* an access that other threads can observe, or whose result depends on them: fences wait for it */
	HD_ORDER_FENCE = 2,  /* a fence, of threads that wait for it or begin behind it: it waits for accesses, and for fences of another pipe */
	HD_ORDER_SHARED = 4, /* may touch shared memory */
};

typedef struct hd_resource_use {
	uint16_t reads[HD_MAX_RESOURCES], writes[HD_MAX_RESOURCES]; /* a resource may occur twice */
	uint8_t n_reads, n_writes;
	uint8_t order;         /* mask of hd_order */
	uint8_t pipe;          /* hd_pipe */
	uint8_t klass;         /* hd_class */
	bool variable;         /* its latency is not fixed */
	bool drains;           /* a call, or the end of a function that is called: nothing of the warp is outstanding when it issues */
	uint16_t latency;      /* cycles after which the result is there in every lane (hd_machine_latency) */
	uint16_t lane_latency; /* cycles from the entry of a lane to that lane's result; less than `latency` in a narrow pipe alone */
	/* Cycles that a delay lets pass between the instruction and a reader in its pipe: `latency`, or, where it writes a predicate, those after
	 * which the last lane's result is there. A guard is read for all lanes in the first cycle of an entry (HZ-16). */
	uint16_t delay_latency;
} hd_resource_use;

/* Where the function ends or other lanes run, the warp may go on in another function. */
static inline bool hd_may_leave_function(const hd_ir_function *function) { return !function->kernel || function->switches; }

/* `may_leave`: of hd_may_leave_function. An `exit` then drains, because the warp may go on in a caller, which takes nothing of the function for
 * outstanding (docs/timing.md, "Calls"). So does an instruction at which convergence barriers switch to other lanes.
 * Requires: an operation of ops.def whose operands are physical registers. The zero register and the predicate "always" are no resources. */
void hd_resource_use_of(const hd_ir_inst *inst, bool may_leave, const hd_machine *machine, hd_resource_use *out);

/* PD-7, PD-22: can two consecutive instructions issue in one cycle? They can if they go to different pipes, the first is no flow instruction, the
 * second does not drain, and neither depends on the other by a register, by the order of memory or by a fence counter. `a` and `b` are what they use.
 * Requires: fence counters are assigned. */
bool hd_can_pair(const hd_ir_inst *first, const hd_resource_use *a, const hd_ir_inst *second, const hd_resource_use *b);

#endif

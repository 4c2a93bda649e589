/* What an allocated IR instruction reads and writes, as numbered resources: registers 0..254, predicates from HD_RES_PRED. */
#ifndef HD_ACCESS_H
#define HD_ACCESS_H

#include "config/machine.h"
#include "ir/ir.h"

enum { HD_RES_PRED = 256, HD_RES_COUNT = HD_RES_PRED + 8, HD_MAX_ACCESS = 40 /* a call reads all 32 argument registers, an address and its guard */ };

/* Part in the order of memory that fence counters must keep (docs/timing.md, "Memory"). */
enum hd_order {
	HD_ORDER_NONE,
	HD_ORDER_ACCESS = 1, /* an access that other threads can see or be seen by: bar and membar wait for it */
	HD_ORDER_FENCE = 2,  /* bar, membar */
	HD_ORDER_SHARED = 4, /* may touch shared memory */
};

typedef struct hd_accesses {
	uint16_t reads[HD_MAX_ACCESS], writes[HD_MAX_ACCESS];
	uint8_t n_reads, n_writes;
	uint8_t order; /* mask of hd_order */
	uint8_t pipe;  /* hd_pipe */
	uint8_t klass;
	bool variable;    /* no fixed latency */
	bool drain;       /* call, return: everything is settled before it */
	uint16_t latency; /* of its class */
} hd_accesses;

/* Requires: an instruction of ops.def whose operands are physical registers. */
void hd_accesses_of(const hd_ir_inst *inst, const hd_machine *machine, hd_accesses *out);

/* PD-7, PD-22: two in sequence, of different pipelines, that have nothing to do with each other. Counters are assigned. */
bool hd_pairable(const hd_ir_inst *first, const hd_accesses *a, const hd_ir_inst *second, const hd_accesses *b);

#endif

/* Random programs in the IR: several pipelines, divergent branches, loops, switches, calls, shared and local memory, atomics, barriers. Every
 * thread ends, reads and writes its own words only (or shared words behind a barrier), and updates those of others in ways that commute, so all legal
 * orders give one result. Of four programs one has many predicates and guards, two access memory at addresses that differ from lane to lane. */
#ifndef HD_RANDOM_IR_H
#define HD_RANDOM_IR_H

#include "ir/ir.h"

enum { RANDOM_THREADS = 96, RANDOM_CTAS = 3, RANDOM_WORDS = 34 /* of global memory a thread */, RANDOM_OWN = 32 /* of them its own */ };

/* One kernel "random" with one parameter, the address of RANDOM_CTAS * RANDOM_THREADS * RANDOM_WORDS words. The same seed gives the same
 * program everywhere. */
hd_ir_module *random_ir(uint64_t seed);

#endif

/* Lockstep of a module of rtl/ with its C unit (HW-4). A bench drives both with the same inputs in each cycle and compares outputs and state. The
 * generated file dut.cpp wraps the verilated module. Benches reach its ports and state by name. */
#ifndef RTL_LOCKSTEP_H
#define RTL_LOCKSTEP_H

#include "base/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A port of the module, or a signal that holds state. Bits are numbered from 0, as in the module. */
typedef struct lockstep_port {
	const char *name;
	void *at;     /* in the verilated module */
	size_t bytes; /* 1, 2, 4, 8 or a larger multiple of 4 */
} lockstep_port;

/* dut.cpp: the verilated module. */
extern lockstep_port dut_ports[];
extern const unsigned dut_n_ports;
void dut_new(void);
void dut_eval(void);
void dut_clock(bool level);

#ifdef __cplusplus
}
#endif

/* Defined by each bench. */
typedef struct lockstep_bin {
	const char *name; /* of what the stimulus must reach; NULL: out of reach in this size */
	uint64_t hits;
} lockstep_bin;
extern lockstep_bin bench_bins[];
extern const unsigned bench_n_bins;
void bench_start(void); /* finds the ports, and sets up the C unit in its state after reset */
void bench_cycle(void); /* one cycle; calls lockstep_clock once */

/* Ends the program with a message if the module has no such port. */
lockstep_port *lockstep_find(const char *name);
/* A variable of the bench and its port. */
typedef struct lockstep_name {
	lockstep_port **port;
	const char *name;
} lockstep_name;
#define LOCKSTEP_PORT(name)  \
	{                    \
		&name, #name \
	}
void lockstep_find_all(const lockstep_name *names, size_t n);
/* Bits [first, first + width) of a port; width 1 to 64. */
void lockstep_put(lockstep_port *port, unsigned first, unsigned width, uint64_t value);
uint64_t lockstep_get(const lockstep_port *port, unsigned first, unsigned width);
/* Sets all bits of a port to 0. */
void lockstep_zero(lockstep_port *port);
/* Compares bits of a port with what the C unit says. The first difference ends the program: it prints cycle, port and both values, and writes the
 * last cycles to a VCD file. */
void lockstep_expect(const lockstep_port *port, unsigned first, unsigned width, uint64_t expected);
/* The combinational outputs for the inputs that were put. */
void lockstep_eval(void);
/* Keeps the values of the ports for the VCD file, and passes a rising edge of the clock. */
void lockstep_clock(void);
/* A cycle with `reset`. */
void lockstep_reset(void);
static inline void lockstep_cover(unsigned bin) { bench_bins[bin].hits++; }
static inline void lockstep_cover_if(unsigned bin, bool condition) { bench_bins[bin].hits += condition; }

/* Random numbers of the run; the seed is an argument of the program. */
uint64_t lockstep_random(void);
static inline uint32_t lockstep_below(uint32_t n) { return (uint32_t)(lockstep_random() % n); }
static inline bool lockstep_chance(uint32_t percent) { return lockstep_below(100) < percent; }

#endif

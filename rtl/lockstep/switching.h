/* A module after synthesis, gate by gate, in the place of the verilated one (lockstep.h). It counts what switches, for the energy model (HW-8). The
 * bench drives it and compares its ports and state with the C unit as ever, so the gates whose switching is counted are equal to the model on that
 * very run.
 *
 * No gate has a delay: each net takes its last value of the cycle at once, and there are no glitches. rtl/energy.py writes the netlist as C. */
#ifndef RTL_SWITCHING_H
#define RTL_SWITCHING_H

#include "lockstep.h"

#include <stdio.h>

enum { SWITCHING_INPUTS = 4, SWITCHING_EVENTS = 3 };

typedef struct switching_gate {
	uint16_t function;             /* truth table: bit i is the output for the inputs with the number i, input 0 the lowest bit */
	uint16_t level;                /* 1 for a gate whose inputs are ports and flip-flops, else above those of its inputs */
	uint32_t area;                 /* in thousandths of a NAND2; 0: it is not counted */
	uint32_t in[SWITCHING_INPUTS]; /* nets; net 0 is 0 and net 1 is 1 */
	uint32_t out;
} switching_gate;

typedef struct switching_flip_flop {
	uint32_t d, q; /* nets */
	uint32_t bank; /* flip-flops of a bank share a clock gate; switching_n_banks: it is not counted */
} switching_flip_flop;

/* A bit of a port or of the state, in the order of dut_ports. */
typedef struct switching_bit {
	uint32_t net, port, bit;
} switching_bit;

/* The generated netlist. */
extern const switching_gate switching_gates[];
extern const switching_flip_flop switching_flip_flops[];
extern const switching_bit switching_bits[]; /* inputs before everything else */
extern const unsigned switching_n_gates, switching_n_flip_flops, switching_n_bits, switching_n_inputs, switching_n_nets, switching_n_levels,
    switching_n_banks, switching_n_events;
/* Adds the events of this cycle, by kind. Called before the rising edge, when the outputs are those of the inputs. */
void switching_events(uint64_t events[SWITCHING_EVENTS]);

/* As lockstep_expect, which the bench calls by this name. State that no output depends on is not in the netlist, has no bytes here, and is not
 * compared. */
void switching_expect(const lockstep_port *port, unsigned first, unsigned width, uint64_t expected);
/* The number of ones in a port. */
unsigned switching_ones(const lockstep_port *port);
/* The sum of the operands' sizes, `width` bits each, of those that are valid and whose reader, in `by`, is; a reader has
 * `operands`. */
unsigned switching_words(const lockstep_port *words, unsigned width, const lockstep_port *valid, const lockstep_port *by, unsigned operands);
/* How often the bench has looked at the outputs in this cycle before its end. */
unsigned switching_checks(void);
/* Prints the switching since the first rising edge, as a line "switching {...}" in JSON; the program calls it at its end. `squares` and `products`
 * are sums over windows of cycles: of the products of two numbers of events, and of the number of events with gates, and with clocked flip-flops. */
void switching_print(FILE *out);

#endif

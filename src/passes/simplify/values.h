/* Which virtual registers are in SSA form, with the dominator tree that decides it.
 *
 * A virtual register is a *value* when it has one definition, of all its words, without a guard, which dominates every use. What holds at the
 * definition of a value holds at its uses. */
#ifndef HD_VALUES_H
#define HD_VALUES_H

#include "ir/ir.h"

typedef struct hd_definition {
	hd_ir_inst *inst;  /* NULL for a parameter */
	uint32_t block;    /* of the definition */
	uint32_t position; /* in that block, counted from 1; a parameter's is 0 */
	bool is_value;
} hd_definition;

typedef struct hd_values {
	hd_ir_function *function;
	hd_definition *of; /* by virtual register; if there are several, the last one */
	uint32_t *order;   /* reachable blocks in reverse post-order */
	uint32_t reachable;
	uint32_t *dominator; /* by block: the immediate one; the entry's is itself */
	uint32_t *rank;      /* by block: its place in `order` */
	uint32_t *number;    /* by block: those that it dominates have its number and the ones behind ... */
	uint32_t *dominated; /* ... and there are so many of them, itself included */
} hd_values;

/* Links the function's blocks. The result is valid until control flow, or a definition, changes; the caller frees it with hd_values_free. */
hd_values hd_values_new(hd_ir_function *function);
void hd_values_free(hd_values *values);

/* Does block `above` dominate block `below`, or is it the same? Both are reachable. */
bool hd_dominates(const hd_values *values, uint32_t above, uint32_t below);
/* Is the operand a register or predicate that is a value? */
bool hd_is_value(const hd_values *values, const hd_opd *o);
/* The definition of a value, if the operand is the whole register, no parameter and no predicate; else NULL. */
hd_ir_inst *hd_definition_of(const hd_values *values, const hd_opd *o);

#endif

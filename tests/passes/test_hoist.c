/* What keeps registers free of accesses to memory: constants in loops (hoist_constants.c), steps of addresses (address_steps.c), results that nobody
 * reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../run_pass.h"
#include "passes/allocate/allocate.h"
#include "passes/lower/legalise.h"
#include "passes/schedule/layout.h"

/* b1 and b2 are a loop, b2 one in it. `inner` stands in b2. */
static hd_ir_module *nest(const char *inner)
{
	hd_text text = {0};
	hd_diag diag = {0};
	hd_text_printf(&text,
	               ".file \"k.cl\"\n.kernel \"k\" @0:1:0\n.info 0 4 0 0 0 0\n.vregs 0 1 1 1 1\n"
	               "b0:\n\ts2r{sreg=tid.x} %%1 = @0:1:1\n\tisetp{cmp=eq} %%p0 = %%1, 0x0 @0:1:1\n\t.jump b1 @0:1:1\n"
	               "b1:\n\tsts{sub=4} %%1, 0x11 @0:2:1\n\t.jump b2 @0:2:1\n"
	               "b2:\n%s\t.branch %%p0 b2 b3 @0:3:1\n"
	               "b3:\n\t.branch %%p0 b1 b4 @0:4:1\n"
	               "b4:\n\tsts{sub=4} %%1, 0x44 @0:5:1\n\t.exit @0:5:1\n",
	               inner);
	hd_ir_module *m = hd_ir_parse(text.at, text.n, "nest", &diag);
	if (!m)
		fail_msg("%s", diag.text.at);
	hd_text_free(&text);
	return m;
}

static unsigned count(const hd_ir_module *m, unsigned block, unsigned op, uint64_t imm)
{
	unsigned n = 0;
	const hd_ir_block *b = m->functions.at[0]->blocks.at[block];
	for (size_t k = 0; k < b->insts.n; k++)
		n += b->insts.at[k]->op == op && b->insts.at[k]->s[0].imm == imm;
	return n;
}

static void legalise(hd_ir_module *m) { run_pass(hd_pass_legalise, m, NULL); }

/* To the block before all loops; what stands in none stays. */
static void constants_of_accesses_leave_loops(void **state)
{
	hd_ir_module *m = nest("\tatoms %3 = %1, 0x22 @0:3:1\n\tsts{sub=4} %1, 0x33 @0:3:1\n");
	legalise(m);
	assert_int_equal(count(m, 0, HD_OP_MOVI, 0x11), 1);
	assert_int_equal(count(m, 0, HD_OP_MOVI, 0x22), 1);
	assert_int_equal(count(m, 0, HD_OP_MOVI, 0x33), 1);
	assert_int_equal(count(m, 1, HD_OP_MOVI, 0x11), 0);
	assert_int_equal(count(m, 2, HD_OP_MOVI, 0x22), 0);
	assert_int_equal(count(m, 2, HD_OP_MOVI, 0x33), 0);
	assert_int_equal(count(m, 4, HD_OP_MOVI, 0x44), 1);
	hd_ir_module_free(m);
}

/* A register that gets other values, too, is no constant; nor one that is set in some lanes alone. */
static void what_is_no_constant_stays(void **state)
{
	static const char *const inner[] = {
	    "\tmovi %2 = 0x22 @0:3:1\n\tsts{sub=4} %1, %2 @0:3:1\n\tiadd %2 = %2, %1 @0:3:1\n\tsts{sub=4} %1, %2 @0:3:1\n",
	    "\t@%p0 movi %2 = 0x22 @0:3:1\n\tsts{sub=4} %1, %2 @0:3:1\n",
	};
	for (unsigned i = 0; i < 2; i++) {
		hd_ir_module *m = nest(inner[i]);
		legalise(m);
		assert_int_equal(count(m, 2, HD_OP_MOVI, 0x22), 1);
		assert_int_equal(count(m, 0, HD_OP_MOVI, 0x22), 0);
		hd_ir_module_free(m);
	}
}

/* No more than 16 registers. */
static void not_all_registers_are_taken(void **state)
{
	hd_text text = {0};
	unsigned moved = 0, stayed = 0;
	for (unsigned i = 0; i < 40; i++)
		hd_text_printf(&text, "\tsts{sub=4} %%1, 0x%x @0:3:1\n", 0x100 + i);
	hd_ir_module *m = nest(text.at);
	legalise(m);
	for (unsigned i = 0; i < 40; i++) {
		moved += count(m, 0, HD_OP_MOVI, 0x100 + i);
		stayed += count(m, 2, HD_OP_MOVI, 0x100 + i);
	}
	assert_int_equal(moved + stayed, 40);
	assert_int_equal(moved, 15); /* and 0x11 of b1 */
	hd_text_free(&text);
	hd_ir_module_free(m);
}

/* An atomic for its effect alone writes no register: a loop need not wait for its own result of the turn before. */
static void results_that_nobody_reads_have_no_register(void **state)
{
	for (unsigned read = 0; read < 2; read++) {
		hd_ir_module *m = nest(read ? "\tatoms %3 = %1, 0x22 @0:3:1\n\tsts{sub=4} %1, %3 @0:3:1\n" : "\tatoms %3 = %1, 0x22 @0:3:1\n");
		legalise(m);
		run_pass(hd_pass_layout, m, NULL);
		run_pass(hd_pass_allocate, m, NULL);
		const hd_ir_function *f = m->functions.at[0];
		unsigned atomics = 0;
		for (size_t b = 0; b < f->blocks.n; b++) {
			for (size_t k = 0; k < f->blocks.at[b]->insts.n; k++) {
				const hd_ir_inst *inst = f->blocks.at[b]->insts.at[k];
				if (inst->op != HD_OP_ATOMS)
					continue;
				atomics++;
				assert_int_equal(inst->d[0].reg == HD_RZ, !read);
			}
		}
		assert_int_equal(atomics, 1);
		hd_ir_module_free(m);
	}
}

/* `store [a]; a += c` becomes `a += c; store [a - c]`, where the store waits for data made in its block. */
static void steps_of_addresses_go_before_stores(void **state)
{
	static const struct {
		const char *inner;
		unsigned step; /* where it is to stand */
		int offset;    /* of the store */
	} rows[] = {
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4} %2, %3 @0:3:1\n\tiadd %2 = %2, 0x40 @0:3:1\n", 1, -64},
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4 offset=8} %2, %3 @0:3:1\n\tiadd %2 = %2, 0xffffffc0 @0:3:1\n", 1, 72},
	    /* the data is there */
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4} %2, %1 @0:3:1\n\tiadd %2 = %2, 0x40 @0:3:1\n", 2, 0},
	    /* the address is stored, too */
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4} %2, %2 @0:3:1\n\tiadd %2 = %2, 0x40 @0:3:1\n", 2, 0},
	    /* somebody else needs the old value */
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4} %2, %3 @0:3:1\n\tiadd %4 = %2, 0x1 @0:3:1\n\tiadd %2 = %2, 0x40 @0:3:1\n", 3, 0},
	    /* the offset has no room */
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4 offset=32767} %2, %3 @0:3:1\n\tiadd %2 = %2, 0xffffffff @0:3:1\n", 2, 32767},
	    /* no step: another register */
	    {"\tlds{sub=4} %3 = %1 @0:3:1\n\tsts{sub=4} %2, %3 @0:3:1\n\tiadd %2 = %4, 0x40 @0:3:1\n", 2, 0},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		hd_ir_module *m = nest(rows[i].inner);
		legalise(m);
		const hd_ir_block *b = m->functions.at[0]->blocks.at[2];
		unsigned step = 0;
		int offset = -1;
		for (unsigned k = 0; k < b->insts.n; k++) {
			if (b->insts.at[k]->op == HD_OP_IADD && b->insts.at[k]->d[0].reg == 2)
				step = k;
			if (b->insts.at[k]->op == HD_OP_STS)
				offset = b->insts.at[k]->offset;
		}
		if (step != rows[i].step || offset != rows[i].offset)
			fail_msg("row %u: the step is at %u, the offset %d", i, step, offset);
		hd_ir_module_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(constants_of_accesses_leave_loops),   cmocka_unit_test(what_is_no_constant_stays),
	    cmocka_unit_test(not_all_registers_are_taken),         cmocka_unit_test(results_that_nobody_reads_have_no_register),
	    cmocka_unit_test(steps_of_addresses_go_before_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

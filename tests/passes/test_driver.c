/* The pipeline: names and order of passes, what can be dumped, what is refused, what stays the caller's. */
#include "../ir_builder.h"
#include "passes/passes.h"

static const char kernel[] =
    ".kernel \"k\"\n.info 0 0 0 0 0 0\n.vregs 1 1\nb0:\n	s2r{sreg=tid.x} %0 =\n	iadd %1 = %0, 0x1\n	sts{sub=4} %0, %1\n	.exit\n";

static hd_object *compile(const char *text, const hd_machine *machine, const char *dump_after, hd_text *dump, hd_diag *diag)
{
	hd_ir_module *m = hd_ir_parse(text, strlen(text), "test.ir", diag);
	if (!m)
		fail_msg("%s", diag->text.at);
	hd_object *o = hd_compile_module(m, &(hd_compile_options){.machine = machine, .dump_after = dump_after, .dump = dump}, diag);
	hd_ir_module_free(m);
	return o;
}

TEST(names)
{
	static const char *const expected[] = {"read",     "switches", "expand",   "simplify",   "critical-sections", "legalise", "if-convert",
	                                       "schedule", "layout",   "allocate", "reschedule", "reconverge",        "branches", "annotate"};
	for (size_t i = 0; i < HD_COUNT(expected); i++)
		assert_string_equal(hd_pass_name(i), expected[i]);
	for (size_t i = HD_COUNT(expected); i < HD_COUNT(expected) + 3; i++)
		assert_null(hd_pass_name(i));
}

/* The module as it is then, which can be read back; the object stays the same. */
TEST(each_can_be_dumped)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	hd_object *plain = compile(kernel, &machine, NULL, NULL, &diag);
	assert_non_null(plain);
	for (size_t i = 0; hd_pass_name(i); i++) {
		const char *name = hd_pass_name(i);
		hd_text dump = {0};
		hd_object *o = compile(kernel, &machine, name, &dump, &diag);
		assert_memory_equal(o->code.at, plain->code.at, plain->code.n * sizeof *plain->code.at);
		ir_builder b = ir_read(dump.at);
		if (i == 0)
			assert_string_equal(dump.at, kernel);
		assert_int_equal(b.f->laid_out, strcmp(name, "branches") == 0 || strcmp(name, "annotate") == 0);
		assert_int_equal(b.f->allocated, i >= 9);
		assert_int_equal(strstr(dump.at, "hint=") != NULL, strcmp(name, "annotate") == 0);
		ir_free(&b);
		hd_object_free(o);
		hd_text_free(&dump);
	}
	hd_text none_of_them = {0};
	hd_object_free(compile(kernel, &machine, "no-such-pass", &none_of_them, &diag));
	assert_int_equal(none_of_them.n, 0);
	hd_object_free(plain);
}

/* The input's fault, not the program's. */
TEST(a_bad_module_is_an_error)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	hd_ir_module *m = hd_ir_parse(kernel, strlen(kernel), "test.ir", &diag);
	m->functions.at[0]->blocks.at[0]->insts.at[1]->s[0].reg = 9;
	assert_null(hd_compile_module(m, &(hd_compile_options){.machine = &machine}, &diag));
	assert_non_null(strstr(diag.text.at, "virtual register 9"));
	hd_ir_module_free(m);
	hd_diag_free(&diag);
}

TEST(refused_programs)
{
	static const char recursive[] = ".kernel \"k\"\nb0:\n	call.f{to=2}\n	.exit\n.function \"f\"\nb0:\n	call.f{to=2}\n	.ret\n";
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	machine.divergence_mode = HD_DIV_RESUME;
	machine.divergence_membership = HD_MEMBER_FLAG;
	hd_object *o = compile(recursive, &machine, NULL, NULL, &diag);
	assert_non_null(o);
	hd_object_free(o);
	machine.divergence_membership = HD_MEMBER_RANGE;
	assert_null(compile(recursive, &machine, NULL, NULL, &diag));
	assert_non_null(strstr(diag.text.at, "recursion"));
	hd_diag_free(&diag);
}

/* Annotation chooses a split of the counters; the caller's machine is not touched by it. */
TEST(the_machine_stays)
{
	hd_text loads = {0};
	hd_text_printf(&loads, ".kernel \"k\"\n.vregs 1 1 1 1 1 1\nb0:\n");
	for (unsigned i = 0; i < 6; i++)
		hd_text_printf(&loads, "	ldg{sub=4 offset=%u} %%%u = c[0x40]:2\n", 4 * i, i);
	for (unsigned i = 0; i < 6; i++)
		hd_text_printf(&loads, "	stg{sub=4 offset=%u} c[0x48]:2, %%%u\n", 4 * i, i);
	hd_text_printf(&loads, "	.exit\n");
	hd_machine machine, before;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	machine.fence_split = HD_SPLIT_PROGRAM;
	before = machine;
	hd_object *o = compile(loads.at, &machine, NULL, NULL, &diag);
	assert_non_null(o);
	assert_memory_equal(&machine, &before, sizeof machine);
	assert_int_not_equal(o->split, 0);
	assert_int_not_equal(o->split - 1, machine.fence_high_latency);
	hd_object_free(o);
	hd_text_free(&loads);
}

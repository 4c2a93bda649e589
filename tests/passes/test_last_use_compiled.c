/* Last-use flags as the compiler sets them: LU-1 and LU-2 on the specification's own example, the four-part dot product; LU-3 beyond an expansion. */
#include "../test.h"

#include "check/check.h"
#include "passes/passes.h"

static const char dot[] = ".kernel \"k\" @0:1:0\n.info 0 8 0 0 0 0\n.param \"x\" 0 8 8 global 1\n.vregs 2 4 4 1\nb0:\n"
                          "	mov64 %0:2 = c[0x40]:2\n"
                          "	ldg{sub=6} %1:4 = %0:2\n"
                          "	ldg{sub=6 offset=16} %2:4 = %0:2\n"
                          "	dp4 %3 = %1, %1.1, %1.2, %1.3, %2, %2.1, %2.2, %2.3\n"
                          "	stg{sub=4} %0:2, %3\n"
                          "	.exit\n";

static hd_object *compiled(const char *text, const hd_machine *machine)
{
	hd_diag diag = {0};
	hd_ir_module *module = hd_ir_parse(text, strlen(text), "x.ir", &diag);
	if (!module)
		fail_msg("%s", diag.text.at);
	hd_compile_options options = {.machine = machine};
	hd_object *object = hd_compile_module(module, &options, &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_ir_module_free(module);
	hd_check_report report;
	assert_true(hd_check(object, machine, &report));
	hd_check_report_free(&report);
	return object;
}

/* The next line of `text` that begins with `mnemonic`; moves *text behind it. */
static const char *find(const char **text, const char *mnemonic)
{
	char begin[32];
	snprintf(begin, sizeof begin, "\n\t%s ", mnemonic);
	const char *at = strstr(*text, begin);
	if (!at)
		fail_msg("no %s in %s", mnemonic, *text);
	*text = at + 2;
	return at + 2;
}

/* LU-1, LU-2: R0 = X*X, R1 = Y*Y, R2 = Z*Z + (LU)R0, R3 = W*W + (LU)R1, R4 = (LU)R2 + (LU)R3, in this order. */
TEST(the_dot_product_of_the_specification)
{
	hd_machine machine;
	hd_machine_default(&machine);
	hd_object *object = compiled(dot, &machine);
	hd_text text = {0};
	hd_disassemble(object, &text);
	unsigned r[5], last[2];
	const char *at = text.at;
	assert_int_equal(sscanf(find(&at, "fmul"), "fmul r%u,", &r[0]), 1);
	assert_int_equal(sscanf(find(&at, "fmul"), "fmul r%u,", &r[1]), 1);
	for (unsigned i = 0; i < 2; i++) {
		char lu[4] = "";
		const char *line = strstr(find(&at, "ffma"), ", ");
		assert_int_equal(sscanf(at, "ffma r%u,", &r[2 + i]), 1);
		line = strchr(strstr(line + 2, ", ") + 2, ','); /* the third source */
		assert_int_equal(sscanf(line, ", r%u.%3s", &last[i], lu), 2);
		assert_int_equal(last[i], r[i]);
		assert_memory_equal(lu, "lu", 2);
	}
	unsigned c, d;
	assert_int_equal(sscanf(find(&at, "fadd"), "fadd r%u, r%u.lu, r%u.lu ", &r[4], &c, &d), 3);
	assert_int_equal(c, r[2]);
	assert_int_equal(d, r[3]);
	hd_text_free(&text);
	hd_object_free(object);
}

static unsigned flags_in(const hd_object *object)
{
	hd_text text = {0};
	unsigned n = 0;
	hd_disassemble(object, &text);
	for (const char *at = text.at; (at = strstr(at, ".lu")); at += 3)
		n++;
	hd_text_free(&text);
	return n;
}

/* LU-3, LU-4: more paths find more to skip: none without flags, then those of one pipe, then those across pipes and from memory. */
TEST(more_paths_find_more)
{
	hd_machine machine;
	unsigned found[3];
	for (unsigned i = 0; i < 3; i++) {
		hd_machine_default(&machine);
		machine.last_use_flags = i > 0;
		machine.last_use_across = i > 1;
		hd_object *object = compiled(dot, &machine);
		found[i] = flags_in(object);
		hd_object_free(object);
	}
	assert_int_equal(found[0], 0);
	assert_true(found[1] >= 4 && found[1] < found[2]);
}

/* Addresses of variables: shared memory of each kernel, and the data segment with its initial bytes (src/ptx/layout.c). */
#include "ptx/ptx.h"
#include "../test.h"

static hd_ir_module *read_module(const char *text, hd_diag *diag)
{
	hd_text whole = {0};
	hd_text_printf(&whole, ".version 6.3\n.target sm_70\n.address_size 64\n%s", text);
	hd_ir_module *module = hd_ptx_read(whole.at, whole.n, "t.ptx", diag);
	hd_text_free(&whole);
	return module;
}

static void expect_error(const char *text, const char *message)
{
	hd_diag diag = {0};
	assert_null(read_module(text, &diag));
	assert_non_null(diag.text.at);
	assert_string_equal(diag.text.at, message);
	hd_diag_free(&diag);
}

/* A kernel that names these variables, because only those that a kernel reaches have an address. */
#define USES(name) ".visible .entry k()\n{\n.reg .b64 %rd<4>;\nmov.u64 %rd1, " name ";\nst.global.u64 [%rd1], %rd1;\nret;\n}\n"

static void expect_data(const char *variables, const uint8_t *bytes, size_t n)
{
	hd_diag diag = {0};
	hd_text text = {0};
	hd_text_printf(&text, "%s%s", variables, USES("v"));
	hd_ir_module *module = read_module(text.at, &diag);
	if (!module)
		fail_msg("%s", diag.text.at);
	assert_int_equal(module->data.n, n);
	assert_memory_equal(module->data.at, bytes, n);
	hd_ir_module_free(module);
	hd_text_free(&text);
	hd_diag_free(&diag);
}

TEST(initial_values_have_the_type_of_the_variable)
{
	static const uint8_t f32[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40},
	                     f64[] = {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0x40}, u16[] = {1, 0, 0xfe, 0xff},
	                     rest_is_zero[] = {7, 0, 0};
	/* A single, a double and an integer make the same kind of float. */
	expect_data(".global .align 4 .f32 v[3] = {0f3F800000, 0d4000000000000000, 3};\n", f32, sizeof f32);
	expect_data(".global .align 8 .f64 v[2] = {0f3F800000, 2};\n", f64, sizeof f64);
	expect_data(".global .align 2 .u16 v[2] = {1, -2};\n", u16, sizeof u16);
	expect_data(".global .b8 v[3] = {7};\n", rest_is_zero, sizeof rest_is_zero);
	expect_error(".global .u64 v = 0f3F800000;\n" USES("v"), "t.ptx:4:18: error: a float value in a variable of type .u64\n");
}

TEST(addresses_become_relocations)
{
	hd_diag diag = {0};
	hd_ir_module *module = read_module(".global .align 4 .u32 a[4] = {1, 2, 3, 4};\n.global .align 8 .u64 v[2] = {a, a+8};\n" USES("v"), &diag);
	if (!module)
		fail_msg("%s", diag.text.at);
	assert_int_equal(module->relocs.n, 2);
	assert_int_equal(module->relocs.at[1].offset - module->relocs.at[0].offset, 8);
	assert_int_equal(module->relocs.at[1].addend - module->relocs.at[0].addend, 8);
	hd_ir_module_free(module);
	hd_diag_free(&diag);
}

TEST(bad_addresses_are_refused)
{
	expect_error(".global .u64 v = nowhere;\n" USES("v"), "t.ptx:4:18: error: nowhere is not declared, expected a variable or a function\n");
	expect_error(".global .u32 a;\n.global .u32 v = a;\n" USES("v"),
	             "t.ptx:5:18: error: the address of a in a variable of type .u32, expected 64 bits\n");
	expect_error(".shared .u32 a;\n.global .u64 v = a;\n" USES("v"),
	             "t.ptx:5:18: error: a has no address when the module is loaded, expected a defined .global or .const variable\n");
	expect_error(".global .u32 a;\n.global .b8 v[2] = {0xFF(a), 0xFF00(a)};\n" USES("v"),
	             "t.ptx:5:21: error: a part of the address of a, expected all eight bytes of it in order\n");
	expect_error(".extern .func f();\n.global .u64 v = f;\n" USES("v"),
	             "t.ptx:5:18: error: function f is declared but not defined in this file\n");
	expect_error(".func f()\n{\nret;\n}\n.global .u64 v = f+4;\n" USES("v"),
	             "t.ptx:8:18: error: the address of f cannot be taken here, expected a function without an addend\n");
	expect_error(".global .u64 v = k+8;\n" USES("v"),
	             "t.ptx:4:18: error: the address of k cannot be taken here, expected a function without an addend\n");
}

TEST(too_much_is_refused)
{
	expect_error(".shared .b8 v[16777217];\n" USES("v"), "t.ptx:4:13: error: shared memory ends at 16777216 bytes, v does not fit\n");
	expect_error(".extern .shared .align 4 .u32 v[4];\n" USES("v"),
	             "t.ptx:4:31: error: shared variable v is declared .extern with a size, expected a definition or v[]\n");
	expect_error(".global .u32 v;\n.entry most(.param .align 4 .b8 a[32764]) { ret; }\n.entry l(.param .u64 a, .param .align 4 .b8 b[32760]) { "
	             "ret; }\n" USES("v"),
	             "t.ptx:6:45: error: parameter b ends at byte 32768, a kernel's parameters have at most 32764 bytes\n");
	expect_error(
	    ".global .b8 v[];\n" USES("v"),
	    "t.ptx:4:13: error: v has no size, expected name[N]\nt.ptx:8:15: error: mov.u64: variable v is declared but not defined in this file\n");
}

/* A variable that two kernels reach lies above what either has of its own, and dynamic shared memory behind both (the function names one address). */
TEST(shared_variables_of_two_kernels)
{
	static const char text[] =
	    ".shared .align 4 .b8 a[20];\n.shared .align 4 .b8 b[100];\n.shared .align 4 .b8 c[4];\n.extern .shared .align 16 .b8 d[];\n"
	    ".func f()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, d;\nst.shared.u32 [c], %r1;\nst.shared.u32 [d], %r1;\nret;\n}\n"
	    ".visible .entry k()\n{\n.reg .b32 %r<4>;\nst.shared.u32 [a], %r1;\ncall f;\nret;\n}\n"
	    ".visible .entry l()\n{\n.reg .b32 %r<4>;\nst.shared.u32 [b], %r1;\ncall f;\nret;\n}\n"
	    ".visible .entry m()\n{\n.reg .b32 %r<4>;\nst.shared.u32 [a], %r1;\nret;\n}\n";
	hd_diag diag = {0};
	hd_ir_module *module = read_module(text, &diag);
	if (!module)
		fail_msg("%s", diag.text.at);
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		if (!f->kernel)
			continue;
		/* c at 100, behind b; d at 112, the next multiple of 16. */
		assert_int_equal(f->info.shared_bytes, strcmp(f->info.name, "m") == 0 ? 20 : 112);
	}
	hd_ir_module_free(module);
	hd_diag_free(&diag);
}

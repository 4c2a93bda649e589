/* The reader's refusals and their words: every error of a file is reported with its place, and dead code may hold anything. */
#include "ptx/ptx.h"
#include "../test.h"

static const char header[] = ".version 6.3\n.target sm_70\n.address_size 64\n";

/* All messages for a text (after the three lines of the header, so that its first line is 4). */
static char *errors_of(const char *text, unsigned *count)
{
	hd_diag diag = {0};
	hd_text whole = {0};
	hd_text_printf(&whole, "%s%s", header, text);
	hd_ir_module *module = hd_ptx_read(whole.at, whole.n, "t.ptx", &diag);
	assert_int_equal(module == NULL, diag.errors > 0);
	if (module)
		assert_true(hd_ir_validate(module, &diag));
	hd_ir_module_free(module);
	hd_text_free(&whole);
	*count = diag.errors;
	return diag.text.at;
}

static void expect(const char *text, const char *messages)
{
	unsigned count;
	char *got = errors_of(text, &count);
	assert_string_equal(got ? got : "", messages);
	free(got);
}

/* One instruction in a kernel; its position is line 12, column 1. */
static void expect_instruction(const char *instruction, const char *message)
{
	hd_text text = {0};
	hd_text_printf(
	    &text,
	    ".extern .func ext(.param .b32 a);\n.func f(.param .b32 a)\n{\nret;\n}\n.entry k(.param .u64 p0, .param .u8 p1)\n{\n"
	    ".reg .pred %%p<4>; .reg .b16 %%rs<4>; .reg .b32 %%r<4>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>; .reg .f64 %%fd<4>;\n%s\nret;\n}\n",
	    instruction);
	hd_text wanted = {0};
	hd_text_printf(&wanted, "t.ptx:12:%s\n", message);
	expect(text.at, wanted.at);
	hd_text_free(&text);
	hd_text_free(&wanted);
}

/* Fourteen different mistakes, syntax and meaning mixed: each is reported at its place. */
TEST(many_errors_in_one_file)
{
	(void)state;
	expect(".entry k(.param .u64 p0)\n"
	       "{\n"
	       "\t.reg .b32 %r<4>;\n"
	       "\t.reg .b64 %rd<4>;\n"
	       "\tadd.s32 %r1, %r2;\n"
	       "\tfrobnicate.b32 %r1, %r2;\n"
	       "\tadd.q32 %r1, %r2, %r3;\n"
	       "\tadd.s32 %r1, %r9, %r2;\n"
	       "\tadd.s32 %rd1, %r1, %r2;\n"
	       "\tadd.s32 %r1, , %r2;\n"
	       "\tld.global.u32 %r1, [%r2];\n"
	       "\tbra nowhere;\n"
	       "\tmul.s32 %r1, %r2, %r3;\n"
	       "\tsetp.eq.s32 %r1, %r2, %r3;\n"
	       "\tmov.u32 %r1, 0x;\n"
	       "\tld.param.u64 %rd1, [p0+4];\n"
	       "\tmov.u32 %r1, %tid.q;\n"
	       "\tcvt.s32.f32 %r1, %r2;\n"
	       "}\n",
	       "t.ptx:13:15: error: expected a register, a number, an address or a name, found ','\n"
	       "t.ptx:18:15: error: expected a register, a number, an address or a name, found a number without digits\n"
	       "t.ptx:20:19: error: expected ',' or ';', found '.q'\n"
	       "t.ptx:8:2: error: add.s32: 2 operands, expected 3\n"
	       "t.ptx:9:2: error: frobnicate.b32: this instruction is not supported\n"
	       "t.ptx:10:2: error: add.q32: suffix .q32 is unknown\n"
	       "t.ptx:11:15: error: add.s32: %r9 is not a declared register\n"
	       "t.ptx:12:10: error: add.s32: %rd1 has 64 bits, expected at most 32 bits\n"
	       "t.ptx:14:22: error: ld.global.u32: %r2 cannot hold an address here, expected 64 bits\n"
	       "t.ptx:16:2: error: mul.s32: expected one of the suffixes .lo .hi .wide\n"
	       "t.ptx:17:14: error: setp.eq.s32: %r1 has at most 32 bits, expected a predicate\n"
	       "t.ptx:19:21: error: ld.param.u64: bytes 4 to 11 of p0, which has 8\n"
	       "t.ptx:21:2: error: cvt.s32.f32: expected one of the suffixes .rni .rzi .rmi .rpi\n"
	       "t.ptx:15:6: error: label nowhere is not defined in this function\n");
}

TEST(wrong_operands)
{
	(void)state;
	expect_instruction("add.s32 %r1, %r2, %rd1;", "19: error: add.s32: %rd1 has 64 bits, expected at most 32 bits");
	expect_instruction("add.s32 %r1, 0f3F800000, %r2;", "14: error: add.s32: a float, expected an integer");
	expect_instruction("add.f32 %f1, %f2, 1;", "19: error: add.f32: an integer, expected a float such as 0f3F800000");
	expect_instruction("add.f32 5, %f2, %f1;", "9: error: add.f32: expected a register");
	expect_instruction("selp.b32 %r1, %r2, %r3, %r1;", "25: error: selp.b32: %r1 has at most 32 bits, expected a predicate");
	expect_instruction("ld.global.u32 %r1, %rd1;", "20: error: ld.global.u32: expected an address in brackets");
	expect_instruction("ld.global.v2.f32 {%rd1, %rd2}, [%rd3];", "19: error: ld.global.v2.f32: %rd1 has 64 bits, expected at most 32 bits");
	expect_instruction("ld.global.v2.u32 {%r1}, [%rd1];", "19: error: ld.global.v2.u32: expected a vector of 2 elements");
	expect_instruction("ld.global.u32 {%r1, %r2}, [%rd1];", "15: error: ld.global.u32: a vector without .v2 or .v4");
	expect_instruction("mov.b64 %rd1, {%r1, %r2, %r3};", "15: error: mov.b64: 3 elements in a value of type .b64");
	expect_instruction("mov.u32 %r1, %nothing;", "14: error: mov.u32: %nothing is neither a declared register nor a special register");
	expect_instruction("mov.u64 %rd1, nothing;", "15: error: mov.u64: nothing is not a declared register");
	expect_instruction("heddle.join 0;",
	                   "1: error: heddle.join: expected heddle.join, alone or with a constant from 0 to 15 and a number of threads");
	expect_instruction("heddle.join 16, 32;",
	                   "1: error: heddle.join: expected heddle.join, alone or with a constant from 0 to 15 and a number of threads");
	expect_instruction("bar.sync 16;", "10: error: bar.sync: expected the number of a barrier, a constant from 0 to 15");
	expect_instruction("st.const.u32 [%rd1], %r1;", "1: error: st.const.u32: constant memory cannot be stored to");
	expect_instruction("st.param.u64 [p0], %rd1;", "14: error: st.param.u64: the parameters of a kernel cannot be stored to");
	expect_instruction("ld.param.u32 %r1, [p0+6];", "19: error: ld.param.u32: bytes 6 to 9 of p0, which has 8");
	expect_instruction("@%r1 ret;", "2: error: ret: %r1 has at most 32 bits, expected a predicate");
}

TEST(wrong_suffixes)
{
	(void)state;
	expect_instruction("add.s8 %r1, %r2, %r3;",
	                   "1: error: add.s8: type .s8 is not supported here, expected one of .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 "
	                   ".u16x2 .s16x2");
	expect_instruction("add %r1, %r2, %r3;", "1: error: add: a type is missing, expected one of .b16 .b32 .b64 .u16 .u32 .u64 .s16 .s32 .s64 "
	                                         ".u16x2 .s16x2");
	expect_instruction("add.wide.s32 %r1, %r2, %r3;", "1: error: add.wide.s32: suffix .wide has no meaning here or is not supported");
	expect_instruction("add.rn.rz.f32 %f1, %f2, %f3;", "1: error: add.rn.rz.f32: more than one rounding mode");
	expect_instruction("mul.s32 %r1, %r2, %r3;", "1: error: mul.s32: expected one of the suffixes .lo .hi .wide");
	expect_instruction("setp.s32 %p1, %r2, %r3;", "1: error: setp.s32: expected one comparison, such as .eq, for type .s32");
	expect_instruction("setp.ltu.s32 %p1, %r2, %r3;", "1: error: setp.ltu.s32: this comparison does not exist for type .s32");
	expect_instruction("cvt.s32.f32 %r1, %f1;", "1: error: cvt.s32.f32: expected one of the suffixes .rni .rzi .rmi .rpi");
	expect_instruction("tex.2d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [tx, {%r1, %r2}];", "1: error: tex.2d.v4.f32.s32: the machine has no textures");
	expect_instruction("prmt.b32.f4e.rc8 %r1, %r2, %r3, %r1;", "1: error: prmt.b32.f4e.rc8: more than one mode");
	expect_instruction("redux.sync.s32 %r1, %r2, %r3;", "1: error: redux.sync.s32: expected one of the suffixes .add .min .max .and .or .xor");
}

/* Hardware of newer architectures that the machine lacks: the message names it. */
TEST(hardware_that_the_machine_lacks)
{
	(void)state;
	expect_instruction("tex.1d.v4.f32.s32 {%f1, %f1, %f1, %f1}, [%rd1, {%r1}];", "1: error: tex.1d.v4.f32.s32: the machine has no textures");
	expect_instruction("tld4.r.2d.v4.f32.f32 {%f1, %f1, %f1, %f1}, [%rd1, {%f1, %f2}];",
	                   "1: error: tld4.r.2d.v4.f32.f32: the machine has no textures");
	expect_instruction("sust.b.1d.b32.trap [%rd1, {%r1}], {%r2};", "1: error: sust.b.1d.b32.trap: the machine has no surfaces");
	expect_instruction("setmaxnreg.inc.sync.aligned.u32 96;",
	                   "1: error: setmaxnreg.inc.sync.aligned.u32: the machine has no registers that warps pass on to each other");
	expect_instruction(
	    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1, %f2, %f3, %f1}, {%r1, %r2, %r3, %r1}, {%r1, %r2}, {%f1, %f2, %f3, %f1};",
	    "1: error: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32: the machine has no tensor instructions");
	expect_instruction("wgmma.fence.sync.aligned;", "1: error: wgmma.fence.sync.aligned: the machine has no tensor instructions");
	expect_instruction("cp.async.ca.shared.global [%r1], [%rd1], 16;",
	                   "1: error: cp.async.ca.shared.global: the machine has no asynchronous copies");
	expect_instruction("mbarrier.init.shared.b64 [%r1], 32;", "1: error: mbarrier.init.shared.b64: the machine has no barriers in shared memory");
	expect_instruction("barrier.cluster.arrive;", "1: error: barrier.cluster.arrive: the machine has no clusters of thread blocks");
	expect_instruction("mapa.shared::cluster.u32 %r1, %r2, 0;",
	                   "1: error: mapa.shared::cluster.u32: the machine has no clusters of thread blocks");
	expect_instruction("barrier.sync;", "1: error: barrier.sync: expected the number of a barrier");
}

TEST(wrong_parts)
{
	(void)state;
	expect_instruction("add.s32 %r1, %r2.b1, %r3;", "14: error: add.s32: %r2.b1: a part of a register has no meaning here");
	expect_instruction("vadd.s32.s32.s32 %r1, %r2.b4, %r3;", "23: error: vadd.s32.s32.s32: %r2.b4: this part does not fit the instruction");
	expect_instruction("vadd.s32.s32.s32 %r1, %r2.h2, %r3;", "23: error: vadd.s32.s32.s32: %r2.h2: this part does not fit the instruction");
	expect_instruction("vadd.s32.s32.s32 %r1, %r2.b10, %r3;", "23: error: vadd.s32.s32.s32: %r2.b10: this part does not fit the instruction");
	expect_instruction("vadd.s32.s32.s32 %r1, %r2.q1, %r3;", "23: error: vadd.s32.s32.s32: %r2.q1: expected a part such as .b0 or .h1");
	expect_instruction("vadd.s32.s32.s32 %r1.b10, %r2, %r3, %r3;",
	                   "18: error: vadd.s32.s32.s32: %r1.b10: this part does not fit the instruction");
	expect_instruction("vadd4.s32.s32.s32 %r1.h1, %r2, %r3, %r3;",
	                   "19: error: vadd4.s32.s32.s32: %r1.h1: this part does not fit the instruction");
	expect_instruction("vadd4.s32.s32.s32 %r1, %r2.b8000, %r3, %r3;",
	                   "24: error: vadd4.s32.s32.s32: %r2.b8000: this part does not fit the instruction");
	expect_instruction("vadd2.s32.s32.s32 %r1, %r2.b10, %r3, %r3;",
	                   "24: error: vadd2.s32.s32.s32: %r2.b10: this part does not fit the instruction");
	expect_instruction("vadd2.s32.s32.s32.min %r1, %r2, %r3, %r3;",
	                   "1: error: vadd2.s32.s32.s32.min: expected four operands, and .add or nothing behind the types");
	expect_instruction("vadd.s32.s32.s32.add %r1.b0, %r2, %r3, %r3;",
	                   "1: error: vadd.s32.s32.s32.add: expected four operands, and either a part of the destination or one of .add .min .max");
	expect_instruction("vadd.s32.s32.s32 %r1, %r2, %r3, %r3;", "1: error: vadd.s32.s32.s32: expected three operands");
	expect_instruction("vshl.u32.u32.u32 %r1, %r2, %r3;", "1: error: vshl.u32.u32.u32: expected .wrap or .clamp");
	expect_instruction("vset.u32.u32 %r1, %r2, %r3;", "1: error: vset.u32.u32: expected one of the suffixes .eq .ne .lt .le .gt .ge");
	expect_instruction("vadd.s32.s32.s32.add.max %r1, %r2, %r3, %r3;", "1: error: vadd.s32.s32.s32.add.max: more than one of .add .min .max");
	expect_instruction("atom.shared.add.v2.f32 {%f1, %f2}, [%r1], {%f1, %f2};",
	                   "1: error: atom.shared.add.v2.f32: expected .global with a vector");
	expect_instruction("atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f1, %f2, %f3};",
	                   "44: error: atom.global.add.v2.f32: expected vectors of 2 elements");
	expect_instruction("max.xorsign.f32 %f1, %f2, %f3;", "1: error: max.xorsign.f32: expected .xorsign.abs or neither");
	expect_instruction("cvt.rn.e4m3x2.f32 %rs1, %f1, %f2;",
	                   "1: error: cvt.rn.e4m3x2.f32: expected cvt.rn.satfinite to .e4m3x2 or .e5m2x2 from two .f32 or one .f16x2");
}

TEST(wrong_calls)
{
	(void)state;
	expect_instruction("call f, (%r1, %r2);", "1: error: call: 0 results and 2 arguments, the function's prototype has 0 and 1");
	expect_instruction("call ext, (%r1);", "6: error: call: function ext is not defined in this file");
	expect_instruction("call vprintf, (%r1);", "6: error: call: function vprintf is not defined in this file");
	expect_instruction("call _Z11read_imagef, (%r1);", "6: error: call: _Z11read_imagef: images and samplers are not part of the machine");
	expect_instruction("call %rd1, (%r1);", "1: error: call: expected the name of a .callprototype for an indirect call");
	expect_instruction("{ .param .b64 x; call f, (x); }", "27: error: call: x has 8 bytes, the function's prototype says 4");
	expect_instruction("mov.u64 %rd1, ext;", "15: error: mov.u64: function ext is declared but not defined in this file");
}

TEST(wrong_declarations)
{
	(void)state;
	expect(".global .u32 a[3] = {1, 2, 3, 4};\n.entry k()\n{\n.reg .b64 %r1;\nmov.u64 %r1, a;\nret;\n}\n",
	       "t.ptx:4:21: error: 4 values for a, which has room for 3\n");
	expect(".global .align 3 .u32 a;\n.entry k()\n{\nret;\n}\n", "t.ptx:4:16: error: an alignment of 3, expected a power of two\n");
	expect(".global .u32 a[99999999999];\n.entry k()\n{\n.reg .b64 %r1;\nmov.u64 %r1, a;\nret;\n}\n",
	       "t.ptx:4:16: error: a is larger than the 134217728 bytes that a variable may have\n");
	expect(".entry k()\n{\n.reg .b32 %r1;\n.reg .b32 %r1;\nret;\n}\n", "t.ptx:7:11: error: %r1 is declared twice, first in line 6\n");
	expect(".entry k()\n{\na:\na:\nbra a;\n}\n", "t.ptx:7:1: error: label a is defined twice in this function\n");
	expect(
	    ".entry k(.param .texref t)\n{\nret;\n}\n",
	    "t.ptx:4:17: error: expected the type of the variable (textures, samplers and surfaces are not part of the machine), found '.texref'\n");
	expect(".func f()\n{\nret;\n}\n", "t.ptx: error: there is no kernel in this file, expected at least one .entry with a body\n");
	expect(".entry k()\n{\nret;\n", "t.ptx:7:1: error: expected '}' at the end of the function, found the end of the file\n");
	expect("hello\n.entry k()\n{\nret;\n}\n", "t.ptx:4:1: error: expected a function, a variable or a directive, found 'hello'\n");
	expect("/* never\n.entry k()\n", "t.ptx:4:1: error: expected a function, a variable or a directive, found a comment that is never closed\n");
}

/* Only what a kernel reaches must make sense. */
TEST(dead_code_may_hold_anything)
{
	(void)state;
	expect(".func dead(.param .b32 a)\n{\n.reg .b32 %r<3>;\ntex.1d.v4.s32 {%r1, %r1, %r1, %r1}, [t, {%r2}];\nnonsense.b17 %zz, [a+1], {1, 2}, "
	       "q;\ncall missing, (a);\n}\n"
	       ".entry k()\n{\nret;\n}\n",
	       "");
}

/* No input makes it stop early or run away: nesting, long lists, large numbers. */
TEST(limits)
{
	(void)state;
	hd_text text = {0};
	unsigned count;
	char *got;
	hd_text_printf(&text, ".entry k()\n{\n");
	for (unsigned i = 0; i < 100000; i++)
		hd_text_put(&text, "{", 1);
	got = errors_of(text.at, &count);
	assert_true(count > 0);
	free(got);
	hd_text_free(&text);
	hd_text_printf(&text, ".entry k()\n{\nmov.b32 ");
	for (unsigned i = 0; i < 100000; i++)
		hd_text_put(&text, "{", 1);
	got = errors_of(text.at, &count);
	assert_true(count > 0);
	free(got);
	hd_text_free(&text);
	hd_text_printf(&text, ".entry k()\n{\n.reg .b32 %%r<100000000>;\nmov.u32 %%r99999999, 1;\nret;\n}\n");
	got = errors_of(text.at, &count);
	assert_int_equal(count, 0);
	free(got);
	hd_text_free(&text);
}

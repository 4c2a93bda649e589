/* A kernel's priorities (PD-12, PD-22), through the whole compiler. Each kernel gives on the machine the bytes of the interpreter. */
#include "../ir_builder.h"
#include "../run_object.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/annotate/priorities.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { THREADS = 256, CTAS = 4, BYTES = THREADS * CTAS * 4, MOST_SETTINGS = 6 };

#define HEADER ".version 6.3\n.target sm_70\n.address_size 64\n.entry k(.param .u64 .ptr .global .align 4 pout)\n"
#define BODY                                                                                                         \
	"{\n.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<20>; .shared .align 4 .b8 s[1024];\n" \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 256, %r1;\n"                               \
	"ld.param.u64 %rd1, [pout]; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"                          \
	"cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000; mov.u32 %r4, 0;\n"
#define SFU "ex2.approx.ftz.f32 %f3, %f2; rcp.approx.ftz.f32 %f2, %f3; lg2.approx.ftz.f32 %f2, %f2; ex2.approx.ftz.f32 %f2, %f2;\n"
#define ALU "fma.rn.f32 %f2, %f2, 0f3F000000, %f1; xor.b32 %r5, %r4, %r1; add.s32 %r6, %r5, 3; or.b32 %r1, %r6, 1;\n"
#define LSU "shl.b32 %r7, %r1, 2; and.b32 %r7, %r7, 1020; mov.u32 %r8, s; add.s32 %r8, %r8, %r7;\n" /* address of an own word, mostly */
#define LOOP "L: \n"
#define AGAIN "add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, 8; @%p1 bra L;\n"
#define END "mov.b32 %r9, %f2; xor.b32 %r9, %r9, %r1; st.global.u32 [%rd3], %r9; ret;\n}\n"
#define OWN HEADER ".reqntid 256, 1, 1\n" BODY

static hd_object *compile(const char *text, hd_machine *machine, const char *const *settings)
{
	hd_diag diag = {0};
	hd_machine_default(machine);
	machine->multi_issue_window = 1;
	for (unsigned i = 0; i < MOST_SETTINGS && settings[i]; i++)
		assert_true(hd_machine_set(machine, settings[i], &diag));
	assert_true(hd_machine_validate(machine, NULL, &diag));
	hd_ir_module *module = hd_ptx_read(text, strlen(text), "chosen.ptx", &diag);
	if (!module)
		fail_msg("%s", diag.text.at);
	hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = machine}, &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_ir_module_free(module);
	hd_diag_free(&diag);
	return object;
}

static void run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t *out)
{
	hd_stats stats;
	memset(out, 0, BYTES);
	assert_true(run_object(object, machine, timed, CTAS, THREADS, out, BYTES, &stats));
}

static void right(const hd_object *object, const hd_machine *machine)
{
	static uint8_t oracle[BYTES], bytes[BYTES];
	run(object, machine, false, oracle);
	run(object, machine, true, bytes);
	assert_memory_equal(oracle, bytes, BYTES);
}

/* Compiled, and read back from the assembly that it prints as. */
static void expect_priority(const char *text, const char *const *settings, uint32_t base, int32_t step)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_text listing = {0};
	hd_object *object = compile(text, &machine, settings);
	const hd_kernel *k = hd_object_kernel(object, "k");
	if (k->priority != base || k->priority_step != step)
		fail_msg("%s: priority %u, %d; expected %u, %d", text, k->priority, k->priority_step, base, step);
	hd_disassemble(object, &listing);
	assert_int_equal(strstr(listing.at, ".priority") != NULL, base != 0);
	hd_object *again = hd_assemble(listing.at, listing.n, "chosen", &diag);
	if (!again)
		fail_msg("%s", diag.text.at);
	assert_int_equal(hd_object_kernel(again, "k")->priority, base);
	assert_int_equal(hd_object_kernel(again, "k")->priority_step, step);
	right(again, &machine);
	hd_object_free(again);
	hd_object_free(object);
	hd_text_free(&listing);
}

static const char *const program[MOST_SETTINGS] = {"predecode.priority=program", "predecode.strict_order=true"};

/* PD-12, PD-22: eight warps over the middle half of 64 or 1024 priorities. */
TEST(a_kernel_that_a_slow_unit_limits_spreads_its_warps)
{
	static const char *const ten[MOST_SETTINGS] = {"predecode.priority=program", "predecode.strict_order=true", "predecode.priority_bits=10"},
	                         *const fast[MOST_SETTINGS] = {"predecode.priority=program", "predecode.strict_order=true", "latency.sfu.interval=1"};
	expect_priority(OWN LOOP SFU AGAIN END, program, 47, -4);
	expect_priority(OWN LOOP SFU AGAIN END, ten, 767, -64);
	expect_priority(OWN LOOP SFU ALU AGAIN END, program, 47, -4);
	/* A table in which the unit takes an instruction a cycle: it limits nothing. */
	expect_priority(OWN LOOP SFU ALU AGAIN END, fast, 0, 0);
	expect_priority(OWN LSU LOOP
	                "st.shared.u32 [%r8], %r1; ld.shared.u32 %r9, [%r8]; st.shared.u32 [%r8], %r9; ld.shared.u32 %r9, [%r8];\n" AGAIN END,
	                program, 47, -4);
	/* Of unknown size: 32 warps at most, which 64 priorities just hold. */
	expect_priority(HEADER BODY LOOP SFU AGAIN END, program, 47, -1);
}

TEST(a_kernel_of_the_widest_unit_does_not)
{
	static const char *const age[MOST_SETTINGS] = {"predecode.priority=age", "predecode.strict_order=true"};
	expect_priority(OWN LOOP ALU AGAIN END, program, 0, 0);
	/* By age nothing is asked of the program. */
	expect_priority(OWN LOOP SFU AGAIN END, age, 0, 0);
}

/* PD-31 */
TEST(what_the_source_states_stays)
{
	expect_priority(OWN ".pragma \"heddle.priority 20, 3\";\n" LOOP SFU AGAIN END, program, 20, 3);
}

/* A strict order is slower on the examples (docs/predecode.md), so the compiler writes none unless the machine description wants it. */
TEST(there_is_none_by_default)
{
	static const char *const plain[MOST_SETTINGS] = {"predecode.priority=program"};
	expect_priority(OWN LOOP SFU AGAIN END, plain, 0, 0);
}

/* PD-9, PD-22: a lowered warp would lose its place in a strict order. */
TEST(a_strict_order_has_no_lowers)
{
	static const char *const orders[][MOST_SETTINGS] = {{"predecode.priority=program"},
	                                                    {"predecode.priority=program", "predecode.strict_order=true"}};
	for (unsigned strict = 0; strict < 2; strict++) {
		hd_machine machine;
		hd_text listing = {0};
		hd_object *object =
		    compile(OWN LOOP "ex2.approx.ftz.f32 %f3, %f1; rcp.approx.ftz.f32 %f4, %f1; add.f32 %f2, %f3, %f4;\n" SFU AGAIN END, &machine,
		            orders[strict]);
		hd_disassemble(object, &listing);
		assert_int_equal(hd_object_kernel(object, "k")->priority_step != 0, strict);
		assert_int_equal(strstr(listing.at, "lower ") == NULL, strict);
		right(object, &machine);
		hd_object_free(object);
		hd_text_free(&listing);
	}
}

/* The work in the loop counts, not the amount of text. */
TEST(loops_weigh)
{
	expect_priority(OWN SFU SFU SFU SFU LOOP ALU ALU AGAIN END, program, 0, 0);
	expect_priority(OWN ALU ALU ALU ALU LOOP SFU AGAIN END, program, 47, -4);
}

/* One warp has a place below the others, too; a function has no warps. */
TEST(small_kernels_and_functions)
{
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		hd_machine machine;
		hd_machine_default(&machine);
		machine.predecode_priority = HD_PRIORITY_PROGRAM;
		machine.predecode_strict_order = true;
		ir_builder b = {.m = hd_ir_module_new()};
		ir_add_function(&b, "f", kernel, 1)->allocated = true;
		b.f->info.required_block[0] = b.f->info.required_block[1] = b.f->info.required_block[2] = 1;
		ir_put(&b, HD_OP_FRCP, r(1), r(2), none);
		hd_choose_priorities(b.f, &machine);
		assert_int_equal(b.f->info.priority, kernel ? 47 : 0);
		assert_int_equal(b.f->info.priority_step, kernel ? -1 : 0);
		ir_free(&b);
	}
}

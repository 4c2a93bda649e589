/* Hints (PD-7 to PD-10, PD-22) through the whole compiler: each has its switch, and the bytes stay those of the interpreter. */
#include "../test.h"

#include "../run_object.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { THREADS = 256, CTAS = 4, BYTES = THREADS * CTAS * 4, MOST_SETTINGS = 6 };

#define HEADER ".version 6.3\n.target sm_70\n.address_size 64\n.entry k(.param .u64 .ptr .global .align 4 pout)\n"
#define BODY                                                                                                         \
	"{\n.reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<9>; .reg .f32 %f<20>; .shared .align 4 .b8 s[1024];\n" \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r3, %r2, 256, %r1;\n"                               \
	"ld.param.u64 %rd1, [pout]; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"                          \
	"cvt.rn.f32.u32 %f1, %r1; mov.f32 %f2, 0f3F800000; mov.u32 %r4, 0;\n"
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

/* Through the whole compiler: each hint is there, goes when it is switched off, and all give the same bytes. */
TEST(every_hint_has_its_switch)
{
	static const char text[] = OWN "ld.global.u32 %r10, [%rd3];\n"
	                               "rcp.approx.ftz.f32 %f3, %f1; rsqrt.approx.ftz.f32 %f4, %f1; min.s32 %r5, %r1, %r2; max.s32 %r6, %r1, %r3;\n"
	                               "fma.rn.f32 %f5, %f1, %f1, %f1; mul.rn.f32 %f5, %f5, %f5;\n"
	                               "add.f32 %f5, %f5, %f3; add.f32 %f5, %f5, %f4;\n"
	                               "xor.b32 %r5, %r5, %r6; xor.b32 %r5, %r5, %r10;\n"
	                               "mov.b32 %r9, %f5; xor.b32 %r9, %r9, %r5; st.global.u32 [%rd3], %r9; ret;\n"
	                               "}\n";
	static const struct {
		const char *part, *off;
	} hints[] = {{"pair 1}", "predecode.pair=false"},
	             {"hold.replay.mem ", "predecode.hold=false"},
	             {"lower ", "predecode.boost=false"},
	             {"may_replay ", "predecode.replay=0"}};
	for (unsigned i = 0; i < 2 * HD_COUNT(hints); i++) {
		const char *settings[MOST_SETTINGS] = {"predecode.issue_width=2", "predecode.priority=program", i & 1 ? hints[i / 2].off : NULL};
		hd_machine machine;
		hd_text listing = {0};
		hd_object *object = compile(text, &machine, settings);
		hd_disassemble(object, &listing);
		for (unsigned k = 0; k < HD_COUNT(hints); k++) {
			bool off = i & 1 && k == i / 2;
			if ((strstr(listing.at, hints[k].part) != NULL) == off)
				fail_msg("%s is %s with %s:\n%s", hints[k].part, off ? "there" : "missing", i & 1 ? settings[2] : "all", listing.at);
		}
		right(object, &machine);
		hd_object_free(object);
		hd_text_free(&listing);
	}
}

/* PD-10, PD-24: with a candidate window loads may be refused, too. With one place for misses some are. */
TEST(loads_are_refused_under_a_window)
{
	static const char text[] = OWN "ld.global.u32 %r10, [%rd3]; ld.global.u32 %r11, [%rd3+1024]; ld.global.u32 %r12, [%rd3+2048];\n"
	                               "add.s32 %r10, %r10, %r11; add.s32 %r10, %r10, %r12; add.s32 %r10, %r10, %r1;\n"
	                               "and.b32 %r13, %r3, 1020; setp.eq.s32 %p1, %r2, 3; @!%p1 bra E; st.global.u32 [%rd3], %r10;\nE: ret;\n"
	                               "}\n";
	for (unsigned off = 0; off < 2; off++) {
		const char *settings[MOST_SETTINGS] = {"multi_issue.window=4", "memory.l1_misses=1", off ? "predecode.replay=0" : NULL};
		static uint8_t out[BYTES + 4096];
		hd_machine machine;
		hd_text listing = {0};
		hd_stats stats;
		hd_object *object = compile(text, &machine, settings);
		hd_disassemble(object, &listing);
		assert_int_equal(strstr(listing.at, "may_replay ") != NULL, !off);
		assert_true(run_object(object, &machine, true, CTAS, THREADS, out, sizeof out, &stats));
		assert_int_equal(stats.predecode_replays != 0, !off);
		hd_object_free(object);
		hd_text_free(&listing);
	}
}

/* The number of instructions of the loaded program that have a second hint. */
static unsigned loaded_second_hints(const hd_object *object)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	unsigned n = 0;
	assert_non_null(program);
	for (uint32_t i = 0; i < program->n_slots; i++)
		n += program->slots[i].predecode >> 8 != 0;
	hd_program_free(program);
	hd_memory_free(memory);
	return n;
}

/* PD-24: where an entry holds two hints, a load opens a pair and is refused. With one place for misses some are. */
TEST(two_hints_an_entry)
{
	static const char text[] = OWN "ld.global.u32 %r10, [%rd3]; ld.global.u32 %r11, [%rd3+1024]; add.s32 %r13, %r1, %r2;\n"
	                               "ld.global.u32 %r12, [%rd3+2048]; xor.b32 %r14, %r1, %r3;\n"
	                               "add.s32 %r10, %r10, %r11; add.s32 %r10, %r10, %r12; add.s32 %r10, %r10, %r13; add.s32 %r10, %r10, %r14;\n"
	                               "setp.eq.s32 %p1, %r2, 3; @!%p1 bra E; st.global.u32 [%rd3], %r10;\nE: ret;\n"
	                               "}\n";
	static const char *const windows[] = {"multi_issue.window=1", "multi_issue.window=4"};
	for (unsigned i = 0; i < 2; i++) {
		const char *settings[MOST_SETTINGS] = {"predecode.geometry=combined", "memory.l1_misses=1", "predecode.issue_width=2",
		                                       "predecode.priority=program", windows[i]};
		static uint8_t oracle[BYTES + 4096], out[BYTES + 4096];
		hd_machine machine;
		hd_text listing = {0};
		hd_stats stats;
		hd_object *object = compile(text, &machine, settings);
		hd_disassemble(object, &listing);
		assert_int_equal(strstr(listing.at, "pair 1 may_replay}") != NULL, i == 0);
		memset(oracle, 0, sizeof oracle);
		memset(out, 0, sizeof out);
		assert_true(run_object(object, &machine, false, CTAS, THREADS, oracle, sizeof oracle, &stats));
		assert_true(run_object(object, &machine, true, CTAS, THREADS, out, sizeof out, &stats));
		assert_memory_equal(oracle, out, sizeof out);
		assert_true(stats.predecode_replays != 0);
		assert_int_equal(stats.predecode_pairs != 0, i == 0);
		assert_int_equal(loaded_second_hints(object) != 0, i == 0);
		hd_object_free(object);
		hd_text_free(&listing);
	}
}

/* PD-31: from PTX to the machine, in single issue and with a window. */
TEST(a_kernel_sets_its_priority)
{
	static const char text[] = OWN "heddle.setprio 12; add.s32 %r9, %r1, %r2; heddle.setprio 3; st.global.u32 [%rd3], %r9; ret;\n}\n";
	static const char *const windows[] = {"multi_issue.window=1", "multi_issue.window=4"}, *const modes[] = {"fence.mode=fence",
	                                                                                                         "fence.mode=scoreboard"};
	for (unsigned i = 0; i < 4; i++) {
		const char *settings[MOST_SETTINGS] = {windows[i & 1], modes[i / 2], "predecode.priority=program"};
		static uint8_t out[BYTES];
		hd_machine machine;
		hd_text listing = {0};
		hd_stats stats;
		hd_object *object = compile(text, &machine, settings);
		hd_disassemble(object, &listing);
		const char *first = strstr(listing.at, "setprio 12"), *second = strstr(listing.at, "setprio 3 ");
		assert_true(first && second && first < second);
		right(object, &machine);
		assert_true(run_object(object, &machine, true, CTAS, THREADS, out, BYTES, &stats));
		assert_int_equal(stats.predecode_priorities, 2 * CTAS * THREADS / 32);
		hd_object_free(object);
		hd_text_free(&listing);
	}
}

/* PD-31: a pragma before the body or in it, and the compiler's choice does not replace it. The number of a warp counts. */
TEST(a_kernel_states_the_priority_of_its_warps)
{
	static const struct {
		const char *pragma, *listed;
	} rows[] = {{".pragma \"heddle.priority 47, -4\";", ".priority 47, -4"},
	            {".pragma \"nounroll\", \"heddle.priority 12\";", ".priority 12, 0"},
	            {".pragma \"heddle.priority 0, 3\";", ".priority 0, 3"},
	            {".pragma \"heddle.prior\", \"nounroll\";", NULL}};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_text text = {0}, listing = {0};
		hd_machine machine;
		const char *settings[MOST_SETTINGS] = {"multi_issue.window=1", "predecode.priority=program"};
		hd_text_printf(&text, "%s%s st.global.u32 [%%rd3], %%r1; ret;\n}\n", OWN, rows[i].pragma);
		hd_object *object = compile(text.at, &machine, settings);
		hd_disassemble(object, &listing);
		assert_true(rows[i].listed ? strstr(listing.at, rows[i].listed) != NULL : !strstr(listing.at, ".priority"));
		right(object, &machine);
		hd_object_free(object);
		hd_text_free(&text);
		hd_text_free(&listing);
	}
}

TEST(a_stated_priority_has_a_base_and_a_step)
{
	static const char *const wrong[] = {"heddle.priority ",        "heddle.priority 1024", "heddle.priority -1",
	                                    "heddle.priority 3, 2000", "heddle.priority 3 x",  "heddle.priority 3,"};
	for (unsigned i = 0; i < HD_COUNT(wrong); i++) {
		hd_text text = {0};
		hd_diag diag = {0};
		hd_text_printf(&text, "%s.pragma \"%s\"; ret;\n}\n", OWN, wrong[i]);
		assert_null(hd_ptx_read(text.at, text.n, "wrong.ptx", &diag));
		assert_non_null(strstr(diag.text.at, "heddle.priority BASE"));
		hd_diag_free(&diag);
		hd_text_free(&text);
	}
}

TEST(a_priority_is_a_constant_up_to_15)
{
	static const char *const wrong[] = {OWN "heddle.setprio 16; ret;\n}\n", OWN "heddle.setprio %r1; ret;\n}\n"};
	for (unsigned i = 0; i < HD_COUNT(wrong); i++) {
		hd_diag diag = {0};
		assert_null(hd_ptx_read(wrong[i], strlen(wrong[i]), "wrong.ptx", &diag));
		assert_non_null(strstr(diag.text.at, "heddle.setprio with a constant from 0 to 15"));
		hd_diag_free(&diag);
	}
}

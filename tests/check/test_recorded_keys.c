/* The record of a machine (config/record.h) has every key on which annotations rely (HZ-27): with any other key at its least and its greatest value
 * the checker says the same of a program, and the program computes the same. */
#include "../test.h"

#include "../run_object.h"
#include "check/check.h"
#include "config/record.h"
#include "passes/passes.h"
#include "ptx/ptx.h"

enum { THREADS = 64, BYTES = THREADS * 64 };

/* Pipes of every kind, a loop whose lanes part, shared memory with a barrier, loads that are outstanding together. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global p)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<32>;\n"
    ".reg .f32 %f<8>;\n.reg .f64 %d<8>;\n.reg .b64 %rd<8>;\n.shared .align 4 .b8 s[256];\nld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"
    "mul.wide.u32 %rd2, %r1, 64;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\nmov.u32 %r3, %r1;\nmov.u32 %r9, s;\nand.b32 %r4, %r1, 7;\nL:\n"
    "ld.global.u32 %r10, [%rd3+4];\nld.global.u32 %r11, [%rd3+8];\nld.global.u32 %r12, [%rd3+12];\nxor.b32 %r3, %r3, %r10;\n"
    "mad.lo.u32 %r3, %r3, 5, %r2;\nadd.u32 %r3, %r3, %r11;\nxor.b32 %r3, %r3, %r12;\ncvt.rn.f32.u32 %f1, %r3;\nrsqrt.approx.f32 %f2, %f1;\n"
    "fma.rn.f32 %f3, %f2, %f1, %f2;\ncvt.f64.f32 %d1, %f3;\nfma.rn.f64 %d2, %d1, %d1, %d1;\ncvt.rzi.u32.f64 %r5, %d2;\nadd.u32 %r3, %r3, %r5;\n"
    "setp.gt.u32 %p2, %r3, 1000;\n@%p2 bra M;\nmul.lo.u32 %r3, %r3, 77;\natom.shared.add.u32 %r6, [%r9], %r4;\nM:\nadd.u32 %r2, %r2, 1;\n"
    "setp.lt.u32 %p1, %r2, %r4;\n@%p1 bra L;\nmul.wide.u32 %rd4, %r3, %r1;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r7, %r7, %r9;\nbar.sync 0;\n"
    "st.shared.u32 [%r7], %r3;\nbar.sync 0;\nld.shared.u32 %r8, [%r9+60];\nadd.u32 %r8, %r8, %r3;\nst.global.u32 [%rd3], %r8;\n"
    "st.global.u64 [%rd3+16], %rd4;\nret;\n}\n";

/* Machines whose annotations rely on different things. */
static const char *const bases[][4] = {
    {"multi_issue.window=4"},
    {"multi_issue.window=1", "predecode.issue_width=2"},
    {"multi_issue.window=1", "predecode.carrier=instruction", "lanes.sfu=8"},
    {"multi_issue.window=4", "multi_issue.pass_waits=true"},
    {"multi_issue.window=1", "predecode.carrier=none", "divergence.mode=stack"},
    {"multi_issue.window=1", "predecode.default_hint=wait", "predecode.default_delay=3"},
    {"register_file.read_latency=2", "register_file.write_latency=1"}, /* LU-11 */
};

static hd_machine base_of(unsigned which)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	for (unsigned i = 0; i < 4 && bases[which][i]; i++)
		assert_true(hd_machine_set(&machine, bases[which][i], &diag));
	assert_true(hd_machine_validate(&machine, "base", &diag));
	return machine;
}

static hd_object *compiled(const hd_machine *machine)
{
	hd_diag diag = {0};
	hd_ir_module *module = hd_ptx_read(ptx, sizeof ptx - 1, "recorded.ptx", &diag);
	hd_object *object = module ? hd_compile_module(module, &(hd_compile_options){.machine = machine}, &diag) : NULL;
	if (!object)
		fail_msg("%s", diag.text.at);
	hd_ir_module_free(module);
	return object;
}

/* False when the run does not end, as it may without room or without wait counters. */
static bool run(const hd_object *object, const hd_machine *machine, bool timed, uint8_t out[BYTES])
{
	hd_stats stats;
	for (unsigned i = 0; i < BYTES; i++)
		out[i] = (uint8_t)(i % 7);
	return run_object(object, machine, timed, 1, THREADS, out, BYTES, &stats);
}

/* The least and the greatest value of an unrecorded key; false when the machine then makes no sense. */
static bool with_extreme(hd_machine *machine, const hd_key *key, bool greatest)
{
	hd_diag diag = {0};
	bool number = key->kind == HD_KEY_U32 || key->kind == HD_KEY_PJ;
	uint32_t value = number ? (greatest ? key->maximum : key->minimum) : greatest;
	memcpy((char *)machine + key->offset, &value, sizeof value);
	bool ok = hd_machine_validate(machine, "extreme", &diag);
	hd_diag_free(&diag);
	return ok;
}

static void same_verdict(const hd_object *object, const hd_machine *machine, const hd_check_report *expected, const hd_key *key)
{
	hd_check_report r;
	hd_check(object, machine, &r);
	if (r.total != expected->total || r.dependences != expected->dependences || r.by_counter != expected->by_counter ||
	    r.by_delay != expected->by_delay || r.by_order != expected->by_order || r.last_uses != expected->last_uses)
		fail_msg("the checker reads %s, which is not recorded", key->path);
	hd_check_report_free(&r);
}

TEST(no_other_key_has_a_part_in_a_proof)
{
	unsigned checks = 0, runs = 0;
	for (unsigned which = 0; which < HD_COUNT(bases); which++) {
		const hd_machine base = base_of(which);
		hd_object *object = compiled(&base);
		uint8_t right[BYTES], timed[BYTES];
		hd_check_report expected;
		assert_true(hd_check(object, &base, &expected));
		assert_true(run(object, &base, false, right));
		for (unsigned i = 0; i < 2 * hd_key_count(); i++) {
			const hd_key key = hd_key_at(i / 2);
			hd_machine machine = base;
			if (hd_machine_records(&base, &key) || !with_extreme(&machine, &key, i & 1))
				continue;
			same_verdict(object, &machine, &expected, &key);
			checks++;
			if (key.kind == HD_KEY_PJ || !run(object, &machine, true, timed))
				continue;
			if (memcmp(timed, right, BYTES) != 0)
				fail_msg("annotations rely on %s, which is not recorded", key.path);
			runs++;
		}
		hd_check_report_free(&expected);
		hd_object_free(object);
	}
	/* Most of these machines make sense, and most runs end. */
	assert_true(checks > 1000);
	assert_true(runs > 700);
}

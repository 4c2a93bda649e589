/* Small programs in assembly: what the checker says of them, and whether the machine shows that it is right. A run has one CTA of two warps; it
 * is compared with the interpreter under several timings, none of which a program may rely on. Registers begin with junk. */
#ifndef HD_TEST_CHECK_PROGRAMS_H
#define HD_TEST_CHECK_PROGRAMS_H

#include "../test.h"

#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"

enum { PROGRAM_THREADS = 64, PROGRAM_WORDS = 1024 /* of the buffer `out` and of `in` */ };

/* The beginning of a body: r0 = number of the thread, r1 = 4 times that, r2:r3 = address of its word of `out`, r4:r5 of its word of `in`; all settled
 * for every pipe by a branch that nobody takes. All counters are free again. It waits for memory, too, so that the rest is in the instruction cache
 * then. */
#define PROGRAM_SIGNATURE                                                                                     \
	".registers 40\n.shared 1024\n.local 16\n.param_bytes 16\n.param \"out\", 0, 8, 8, pointer, global\n" \
	".param \"in\", 8, 8, 8, pointer, global\n.call_depth 4\n.function \"k\"\n"
#define PROGRAM_START                                                                                     \
	"START: s2r r0, tid.x {p6.w delay.coord 1}\nimulw.u32 r8:r9, r0, #4 {w000001 p1.w delay.alu 1}\n" \
	"shl r1, r0, #2 {w000001 p2.w delay.alu 1}\niadd64 r2:r3, r8:r9, c[0x40] {w100000 p3.w}\n"        \
	"iadd64 r4:r5, r8:r9, c[0x48] {w100000 p4.w}\nldg.32 r9, [r4:r5] {w000100 p5.w}\n@!pt bra START {w111110}\n"
#define PROGRAM_MACHINE "multi_issue.window=1 multi_issue.types=opcode predecode.prefetch=16"

typedef struct program {
	const char *what;
	/* Instructions behind PROGRAM_START; what stands from "FUNCTION:" on is a function "f" of its own. */
	const char *body;
	/* All findings, in order, separated by "; ": "RAW r9 ldg -> stg", "WAR p0 stg -> isetp", "memory sts -> bar", "call sts -> exit", "counter
	 * ldg", "type iadd", "last use r1 iadd -> stg"; "" = proven. */
	const char *findings;
	/* "KEY=VALUE KEY=VALUE" on top of the default machine with single issue, or NULL. */
	const char *settings;
	int high;            /* counters for high latency of the program's six */
	bool harmless;       /* it is objected to, and no timing here shows why; the test says why */
	bool one_warp;       /* the run has one warp only: the threads of two would race */
	uint32_t targets[4]; /* word addresses, 0 = no more */
} program;

/* Initializers: { PROVEN("...", BODY), .high = 2 } */
#define PROVEN(name, instructions) .what = name, .body = instructions, .findings = ""
#define OBJECTED(name, instructions, found) .what = name, .body = instructions, .findings = found

/* Timings that no program may rely on, on top of any machine. */
static const char *const program_timings[] = {
    "",
    "memory.l1_latency=150 memory.shared_latency=90 memory.constant_latency=70 memory.l2_latency=400",
    "memory.l1_latency=1 memory.shared_latency=1 memory.constant_latency=1 machine.schedulers=8",
    ("latency.alu.interval=9 latency.fma.interval=9 latency.mul.interval=9 latency.alu64.interval=9 latency.coord.interval=9 latency.sfu.interval=16 "
     "latency.f64.interval=16 latency.cvt.interval=16"),
    "latency.lsu.interval=24 latency.latom.interval=2 latency.sfu.interval=30",
};

static inline void program_set(hd_machine *machine, const char *settings)
{
	hd_diag diag = {0};
	char one[100];
	int length;
	for (; settings && sscanf(settings, "%99s%n", one, &length) == 1; settings += length) {
		if (!hd_machine_set(machine, one, &diag))
			fail_msg("%s", diag.text.at);
	}
	if (!hd_machine_validate(machine, NULL, &diag))
		fail_msg("%s", diag.text.at);
}

static inline hd_object *program_assemble(const program *p)
{
	hd_text text = {0};
	hd_diag diag = {0};
	const char *function = strstr(p->body, "FUNCTION:");
	int kernel = function ? (int)(function - p->body) : (int)strlen(p->body);
	hd_text_printf(&text, ".counters 6\n.high_latency %d\n.kernel \"k\"\n.entry START\n%s%s%.*s.end\n", p->high, PROGRAM_SIGNATURE, PROGRAM_START,
	               kernel, p->body);
	if (function)
		hd_text_printf(&text, ".ss\n.function \"f\"\n%s.end\n", function);
	hd_object *object = hd_assemble(text.at, text.n, p->what, &diag);
	if (!object)
		fail_msg("%s: %s\n%s", p->what, diag.text.at, text.at);
	for (unsigned i = 0; i < 4 && p->targets[i]; i++)
		hd_vec_push(&object->targets, p->targets[i]);
	hd_text_free(&text);
	hd_diag_free(&diag);
	return object;
}

/* The findings of a report as in program.findings. */
static inline char *program_findings(const hd_object *object, const hd_check_report *report)
{
	static const char *const kinds[] = {
	    [HD_HAZARD_RAW] = "RAW",           [HD_HAZARD_WAR] = "WAR",         [HD_HAZARD_WAW] = "WAW",   [HD_HAZARD_MEMORY] = "memory",
	    [HD_HAZARD_CALL] = "call",         [HD_HAZARD_COUNTER] = "counter", [HD_HAZARD_TYPE] = "type", [HD_HAZARD_ORDER] = "order",
	    [HD_HAZARD_LAST_USE] = "last use", [HD_HAZARD_REUSE] = "reuse"};
	hd_text text = {0};
	hd_text_printf(&text, "%s", "");
	for (size_t i = 0; i < report->findings.n; i++) {
		const hd_finding *f = &report->findings.at[i];
		hd_inst first, second;
		const char *why;
		assert_true(hd_line_get(object->geometry, object->code.at, f->producer, &first, &why));
		assert_true(hd_line_get(object->geometry, object->code.at, f->consumer, &second, &why));
		hd_text_printf(&text, "%s%s ", i ? "; " : "", kinds[f->kind]);
		if (f->resource >= 0)
			hd_text_printf(&text, "%c%d ", f->resource >= 256 ? 'p' : 'r', f->resource % 256);
		hd_text_printf(&text, "%s", hd_ops[first.op].mnemonic);
		if (f->producer != f->consumer)
			hd_text_printf(&text, " -> %s", hd_ops[second.op].mnemonic);
	}
	return text.at;
}

/* False: trapped, or did not end. */
static inline bool program_run(const hd_object *object, const hd_machine *machine, bool timed, unsigned threads, uint32_t *out)
{
	enum { MOST = 200000 };
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *loaded = hd_program_new(object, memory, &diag);
	if (!loaded)
		fail_msg("%s", diag.text.at);
	uint64_t address[2] = {hd_memory_alloc(memory, PROGRAM_WORDS * 4, "out"), hd_memory_alloc(memory, PROGRAM_WORDS * 4, "in")};
	uint32_t *in = hd_memory_at(memory, address[1], PROGRAM_WORDS * 4);
	uint64_t random = 1;
	memset(hd_memory_at(memory, address[0], PROGRAM_WORDS * 4), 0, PROGRAM_WORDS * 4);
	for (unsigned i = 0; i < PROGRAM_WORDS; i++)
		in[i] = (uint32_t)hd_random(&random) | 1;
	hd_launch launch = {.program = loaded,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {1, 1, 1},
	                    .block = {threads, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)address};
	hd_trap trap = {0};
	hd_stats stats = {0};
	hd_run_options options = {.max_cycles = MOST, .junk = true};
	bool ok = timed ? hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	                : hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = MOST},
	                                &stats, &trap);
	memcpy(out, hd_memory_at(memory, address[0], PROGRAM_WORDS * 4), PROGRAM_WORDS * 4);
	hd_trap_free(&trap);
	hd_program_free(loaded);
	hd_memory_free(memory);
	return ok;
}

/* Some timing gives other bytes than the interpreter, or a trap, or no end. */
static inline bool program_goes_wrong(const hd_object *object, const hd_machine *machine, const program *p)
{
	static uint32_t oracle[PROGRAM_WORDS], out[PROGRAM_WORDS];
	unsigned threads = p->one_warp ? HD_LANES : PROGRAM_THREADS;
	if (!program_run(object, machine, false, threads, oracle))
		fail_msg("%s: does not end in the interpreter", p->what);
	for (unsigned t = 0; t < HD_COUNT(program_timings); t++) {
		hd_machine other = *machine;
		program_set(&other, program_timings[t]);
		if (!program_run(object, &other, true, threads, out) || memcmp(oracle, out, sizeof out) != 0)
			return true;
	}
	return false;
}

/* The checker's findings are those expected. What is proven is right under all timings; what is not goes wrong under one, unless it is `harmless`. */
static inline void program_object_expect(const program *p, const hd_object *object)
{
	hd_machine machine;
	hd_check_report report;
	hd_machine_default(&machine);
	program_set(&machine, PROGRAM_MACHINE);
	program_set(&machine, p->settings);
	bool proven = hd_check(object, &machine, &report);
	char *found = program_findings(object, &report);
	if (strcmp(found, p->findings) != 0) {
		hd_text text = {0};
		for (size_t i = 0; i < report.findings.n; i++)
			hd_finding_print(&text, &report.findings.at[i], object, p->what);
		fail_msg("%s:\nexpected \"%s\"\nfound \"%s\"\n%s", p->what, p->findings, found, text.at ? text.at : "");
	}
	assert_int_equal(proven, p->findings[0] == '\0');
	bool wrong = program_goes_wrong(object, &machine, p);
	if (proven && wrong)
		fail_msg("%s: proven, and wrong", p->what);
	if (!proven && !p->harmless && !wrong)
		fail_msg("%s: objected to, and right under every timing", p->what);
	free(found);
	hd_check_report_free(&report);
}

static inline void program_expect(const program *p)
{
	hd_object *object = program_assemble(p);
	program_object_expect(p, object);
	hd_object_free(object);
}

/* A program of tests/regressions/programs, as it stands in its file; the first word that `replace` finds in it becomes `by`, unless `replace` is
 * NULL. */
static inline void program_file_expect(const char *file, const char *replace, const char *by, const program *p)
{
	const char *folder = getenv("HEDDLE_SOURCE");
	char path[1000];
	size_t size;
	hd_diag diag = {0};
	hd_text text = {0};
	snprintf(path, sizeof path, "%s/tests/regressions/programs/%s", folder ? folder : ".", file);
	char *source = hd_read_file(path, 1 << 20, &size, &diag);
	if (!source)
		fail_msg("%s", diag.text.at);
	const char *at = replace ? strstr(source, replace) : source;
	assert_non_null(at);
	hd_text_printf(&text, "%.*s%s%s", (int)(at - source), source, replace ? by : "", at + (replace ? strlen(replace) : 0));
	hd_object *object = hd_assemble(text.at, text.n, file, &diag);
	if (!object)
		fail_msg("%s", diag.text.at);
	program_object_expect(p, object);
	hd_object_free(object);
	hd_text_free(&text);
	free(source);
}

static inline void programs_expect(const program *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		program_expect(&list[i]);
}

#endif

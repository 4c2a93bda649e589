/* stress [--presets] [FIRST [COUNT]]: random programs, each compiled for several machines, in serial mode and with few registers. The checker must
 * prove all of them (HZ-27: no false alarm), the timed machine must give the interpreter's bytes, and all compilations of one program the same ones.
 * With --presets each program is compiled for every preset instead, and launched as one CTA; the interpreter runs one of the compilations, in turn.
 */
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "random_ir.h"
#include "sanitizer/sanitizer.h"

enum { BYTES = RANDOM_CTAS * RANDOM_THREADS * RANDOM_WORDS * 4 };

typedef struct variant {
	const char *name;
	const char *settings[8];
	bool serial;
} variant;

static const variant variants[] = {
    {"default", {NULL}, false},
    {"serial", {NULL}, true},
    {"two counters", {"fence.counters=2", "fence.high_latency=1", NULL}, false},
    {"three counters, no split", {"fence.counters=3", "fence.high_latency=0", NULL}, false},
    /* PD-1: the other line geometries, HZ-1: more counters than a word names */
    {"wide lines, seven counters", {"predecode.geometry=wide", "fence.counters=7", "fence.high_latency=3", NULL}, false},
    {"wide lines, sixteen counters", {"predecode.geometry=wide", "fence.counters=16", "fence.high_latency=8", NULL}, false},
    {"short lines", {"predecode.geometry=short", NULL}, false},
    {"short lines, twelve counters, window of four",
     {"predecode.geometry=short", "fence.counters=12", "fence.high_latency=5", "multi_issue.window=4", NULL},
     false},
    {"wide lines, eight counters, no carrier, serial", {"predecode.geometry=wide", "fence.counters=8", "predecode.carrier=none", NULL}, true},
    {"wide lines, stack", {"predecode.geometry=wide", "fence.counters=8", "divergence.mode=stack", NULL}, false},
    {"sixteen registers", {"machine.registers=2048", NULL}, false},
    {"queues of one", {"queue.alu.fifo=1", "queue.alu.hazard=1", "queue.lsu.fifo=1", "queue.lsu.hazard=1", "machine.schedulers=1", NULL}, false},
    {"slow units",
     {"latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=15", "latency.sfu.interval=8", "fence.threshold=12", NULL},
     false},
    {"latencies beyond a delay", {"latency.sfu.latency=30", "latency.f64.latency=40", "fence.threshold=35", NULL}, false},
    {"stack (RC-16)", {"divergence.mode=stack", NULL}, false},
    {"stack, serial", {"divergence.mode=stack", NULL}, true},
    /* HZ-26 */
    {"counters inside pipelines", {"fence.within_pipeline=true", NULL}, false},
    {"three-bit carrier", {"predecode.carrier=instruction", NULL}, false},
    {"no carrier", {"predecode.carrier=none", NULL}, false},
    {"scoreboard", {"fence.mode=scoreboard", NULL}, false},
    {"baseline", {"fence.mode=scoreboard", "predecode.carrier=none", "divergence.mode=stack", "last_use.flags=false", NULL}, false},
    /* PD-7 to PD-16, PD-22 */
    {"pairs", {"predecode.issue_width=2", NULL}, false},
    {"pairs of slow units, small queues",
     {"predecode.issue_width=4", "latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=13", "fence.threshold=12",
      "queue.alu.fifo=1"},
     false},
    {"replays",
     {"memory.l1_misses=1", "predecode.replay=2", "memory.shared_banks=4", "register_file.read_ports=1", "predecode.issue_width=2", NULL},
     false},
    {"delays alone", {"predecode.hold=false", "predecode.boost=false", "predecode.replay=0", "predecode.default_delay=3", NULL}, false},
    {"default waits, priorities by the program",
     {"predecode.default_hint=wait", "predecode.default_delay=2", "predecode.priority=program", NULL},
     false},
    {"four-wide issue", {"predecode.issue_width=4", NULL}, false},
    {"window of two", {"multi_issue.window=2", NULL}, false},
    {"window of four, two counters", {"multi_issue.window=4", "fence.counters=2", "fence.high_latency=1", NULL}, false},
    {"window of four, slow units",
     {"multi_issue.window=4", "latency.alu.latency=9", "latency.fma.latency=15", "latency.cvt.latency=15", "fence.threshold=12", NULL},
     false},
    {"window of three, waits passed, nothing held",
     {"multi_issue.window=3", "multi_issue.pass_waits=true", "multi_issue.hold=255", "multi_issue.spread=0", NULL},
     false},
    {"window of six, two counters, all held",
     {"multi_issue.window=6", "fence.counters=2", "fence.high_latency=1", "multi_issue.hold=0", NULL},
     false},
    {"window of eight", {"multi_issue.window=8", NULL}, false},
    {"window of eight, waits passed", {"multi_issue.window=8", "multi_issue.pass_waits=true", "multi_issue.spread=20", NULL}, false},
    {"window of eight, small queues",
     {"multi_issue.window=8", "queue.alu.fifo=1", "queue.alu.hazard=1", "queue.lsu.fifo=1", "predecode.issue_width=2", NULL},
     false},
    {"window of eight, serial", {"multi_issue.window=8", NULL}, true},
    {"window of eight, scoreboard", {"multi_issue.window=8", "fence.mode=scoreboard", NULL}, false},
    {"window of four, stack, scoreboard", {"multi_issue.window=4", "divergence.mode=stack", "fence.mode=scoreboard", NULL}, false},
    {"window of eight, three-bit carrier", {"multi_issue.window=8", "predecode.carrier=instruction", NULL}, false},
    {"window of eight, no carrier", {"multi_issue.window=8", "predecode.carrier=none", NULL}, false},
};

static int fail(uint64_t seed, const variant *v, const char *what, const char *text)
{
	printf("seed %llu, %s: %s%s%s\n", (unsigned long long)seed, v->name, what, text ? ": " : "", text ? text : "");
	return 1;
}

static int run_one(uint64_t seed, const variant *v, const hd_object *object, const hd_machine *machine, bool timed, uint32_t ctas, uint8_t *out)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(64 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, BYTES, "out");
	if (!program)
		return fail(seed, v, "does not load", diag.text.at);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {ctas, 1, 1},
	                    .block = {RANDOM_THREADS, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_sanitizer *sanitizer = timed ? hd_sanitizer_new(program) : NULL;
	hd_run_options options = {.max_cycles = 20000000, .junk = true}; /* a value read too early is not right by chance */
	options.trace = timed ? hd_sanitizer_watcher(sanitizer) : NULL;
	bool ok = timed ? hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	                : hd_interp_run(&launch, memory, machine->divergence_call_depth, 20000000, NULL, NULL, &stats, &trap);
	int bad = 0;
	if (!ok) {
		hd_text text = {0};
		hd_trap_print(&text, &trap, &launch, memory);
		bad = fail(seed, v, timed ? "the machine trapped" : "the interpreter trapped", text.at);
		hd_text_free(&text);
	}
	if (timed && hd_sanitizer_found(sanitizer)->total) {
		hd_text text = {0};
		hd_violation_print(&text, &hd_sanitizer_found(sanitizer)->list.at[0], program);
		bad = fail(seed, v, "a hazard was violated", text.at);
		hd_text_free(&text);
	}
	hd_sanitizer_free(sanitizer);
	uint64_t lost = stats.stall_other;
	if (timed && ok && lost)
		bad |= fail(seed, v, "issue slots without a cause", NULL);
	memcpy(out, hd_memory_at(memory, address, BYTES), BYTES);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return bad;
}

static int check_one(uint64_t seed, const variant *v, const hd_object *object, const hd_machine *machine)
{
	hd_check_report report;
	int bad = 0;
	if (!hd_check(object, machine, &report)) {
		hd_text text = {0};
		hd_finding_print(&text, &report.findings.at[0], object, "random");
		bad = fail(seed, v, "not proven", text.at);
		hd_text_free(&text);
	}
	hd_check_report_free(&report);
	return bad;
}

/* Other hints at random places: where the checker proves the program with one, it stays. What is proven must be right, whatever the hints say. */
static int other_hints(uint64_t seed, const variant *v, const hd_object *object, const hd_machine *machine, const uint8_t *oracle)
{
	static uint8_t timed[BYTES];
	uint64_t state = seed * 31 + 7;
	size_t bytes;
	hd_diag diag = {0};
	unsigned char *file = hd_object_write(object, &bytes);
	hd_object *other = hd_object_read(file, bytes, "random", &diag);
	int bad = 0;
	free(file);
	if (!other)
		return fail(seed, v, "does not read back", diag.text.at);
	for (unsigned tries = 0; tries < 12; tries++) {
		hd_object *kept = other;
		uint32_t changed = 0;
		struct {
			uint32_t word;
			unsigned hint;
		} old[16];
		for (; changed < HD_COUNT(old); changed++) {
			uint32_t word = (uint32_t)(hd_random(&state) % kept->code.n);
			unsigned hint = (unsigned)(hd_random(&state) % HD_HINT_COUNT);
			if (hd_is_ss(kept->geometry, word))
				break;
			old[changed].word = word;
			old[changed].hint = hd_line_hint(kept->geometry, kept->code.at, word);
			hd_line_put_hint(kept->geometry, kept->code.at, word, hint << 4 | (old[changed].hint & 15));
		}
		hd_check_report report;
		bool proven = hd_check(kept, machine, &report);
		hd_check_report_free(&report);
		for (uint32_t i = changed; !proven && i-- > 0;)
			hd_line_put_hint(kept->geometry, kept->code.at, old[i].word, old[i].hint);
	}
	bad = run_one(seed, v, other, machine, true, RANDOM_CTAS, timed);
	if (!bad && memcmp(oracle, timed, BYTES) != 0)
		bad = fail(seed, v, "proven with other hints, and the machine differs from the interpreter", NULL);
	hd_object_free(other);
	hd_diag_free(&diag);
	return bad;
}

static int try_seed(uint64_t seed)
{
	static uint8_t first[BYTES], oracle[BYTES], timed[BYTES];
	for (size_t i = 0; i < HD_COUNT(variants); i++) {
		const variant *v = &variants[i];
		hd_machine machine;
		hd_diag diag = {0};
		hd_machine_default(&machine);
		for (size_t k = 0; v->settings[k]; k++) {
			if (!hd_machine_set(&machine, v->settings[k], &diag))
				return fail(seed, v, "setting", diag.text.at);
		}
		hd_ir_module *module = random_ir(seed);
		hd_compile_options options = {.machine = &machine, .serial = v->serial};
		hd_object *object = hd_compile_module(module, &options, &diag);
		hd_ir_module_free(module);
		if (!object)
			return fail(seed, v, "does not compile", diag.text.at);
		/* The compiler's limits are over, the program is to fit. */
		hd_machine wide = machine;
		wide.machine_registers = 65536;
		int bad = check_one(seed, v, object, &machine) | run_one(seed, v, object, &wide, false, RANDOM_CTAS, oracle) |
		          run_one(seed, v, object, &wide, true, RANDOM_CTAS, timed);
		if (!bad && memcmp(oracle, timed, BYTES) != 0)
			bad = fail(seed, v, "the machine differs from the interpreter", NULL);
		/* What was compiled for a window that passes waits is right on every one, whether waits are passed there or not (docs/timing.md,
		 * rules 7 and 8). */
		for (uint32_t window = 1; !bad && strcmp(v->name, "window of eight, waits passed") == 0 && window <= 8; window++) {
			hd_machine other = wide;
			other.multi_issue_window = window;
			other.multi_issue_pass_waits = window % 2;
			bad = check_one(seed, v, object, &other) | run_one(seed, v, object, &other, true, RANDOM_CTAS, timed);
			if (!bad && memcmp(oracle, timed, BYTES) != 0)
				bad = fail(seed, v, "another window gives another result", NULL);
		}
		if (!bad && !v->serial && i % 3 == seed % 3)
			bad = other_hints(seed, v, object, &wide, oracle);
		if (i == 0)
			memcpy(first, oracle, BYTES);
		else if (!bad && memcmp(first, oracle, BYTES) != 0)
			bad = fail(seed, v, "another result than the first compilation's", NULL);
		hd_object_free(object);
		hd_diag_free(&diag);
		if (bad)
			return bad;
	}
	return 0;
}

static int try_presets(uint64_t seed, const hd_machine *machines, unsigned presets)
{
	static uint8_t oracle[BYTES], timed[BYTES], first[BYTES];
	int bad = 0;
	for (unsigned i = 0; i < presets && !bad; i++) {
		variant v = {.name = hd_machine_presets[i]};
		hd_diag diag = {0};
		hd_ir_module *module = random_ir(seed);
		hd_compile_options options = {.machine = &machines[i]};
		hd_object *object = hd_compile_module(module, &options, &diag);
		if (!object)
			bad = fail(seed, &v, "does not compile", diag.text.at);
		bad = bad || check_one(seed, &v, object, &machines[i]) || run_one(seed, &v, object, &machines[i], true, 1, timed);
		if (!bad && i == 0)
			memcpy(first, timed, BYTES);
		if (!bad && memcmp(first, timed, BYTES) != 0)
			bad = fail(seed, &v, "another result than with the first preset", NULL);
		if (!bad && i == seed % presets) {
			bad = run_one(seed, &v, object, &machines[i], false, 1, oracle);
			if (!bad && memcmp(oracle, timed, BYTES) != 0)
				bad = fail(seed, &v, "the machine differs from the interpreter", NULL);
		}
		if (object)
			hd_object_free(object);
		hd_ir_module_free(module);
		hd_diag_free(&diag);
	}
	return bad;
}

int main(int argc, char **argv)
{
	bool presets = argc > 1 && strcmp(argv[1], "--presets") == 0;
	argc -= presets;
	argv += presets;
	uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
	unsigned bad = 0, n = 0;
	hd_machine machines[16];
	hd_diag diag = {0};
	for (; hd_machine_presets[n]; n++)
		hd_invariant(n < HD_COUNT(machines) && hd_machine_load(&machines[n], hd_machine_presets[n], &diag), "preset %u: %s", n, diag.text.at);
	for (uint64_t seed = from; seed < from + count && bad < 5; seed++)
		bad += (unsigned)(presets ? try_presets(seed, machines, n) : try_seed(seed));
	printf("%llu random programs from seed %llu, %s: %u wrong\n", (unsigned long long)count, (unsigned long long)from,
	       presets ? "on every preset" : "on every variant of the machine", bad);
	return bad != 0;
}

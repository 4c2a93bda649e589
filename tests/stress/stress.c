/* stress [--presets | --drawn | --print] [--narrow] [--machine FILE] [--set KEY=VALUE]... [FIRST [COUNT]]: random programs, each compiled for several
 * machines, in serial mode and with few registers. The checker must prove all of them (HZ-27: no false alarm), the timed machine must give the
 * interpreter's bytes, the hazard sanitizer must be silent, and all compilations of one program must give the same bytes. Registers begin with junk:
 * a value that was read too early is not right by chance.
 *
 * Each program runs on every machine of machines.c and on two random ones; with --presets, the long mode, on every preset, on machines with a window
 * of 1 and on the two random ones, as one CTA, and the interpreter runs one of the compilations, in turn. --narrow: also on machines with pipes that
 * take less than 32 lanes in a cycle. --drawn: each program on one machine of which every key may be drawn (draw.h); --print prints the descriptions
 * of these machines instead. --machine, --set: on the described machine alone. */
#include "check/check.h"
#include "device/device.h"
#include "draw.h"
#include "interp/interp.h"
#include "machines.h"
#include "passes/passes.h"
#include "random_ir.h"
#include "sanitizer/sanitizer.h"
#include "../result_balance.h"

enum { CYCLES_MAX = 1000000000 };
enum { BYTES = RANDOM_CTAS * RANDOM_THREADS * RANDOM_WORDS * 4 };

/* One program on one machine. */
typedef struct trial {
	uint64_t seed;
	const char *name;
	hd_machine machine;
	bool serial;
	uint32_t ctas;
} trial;

static struct {
	uint64_t proven, runs; /* compilations that the checker proved, runs of the machine */
	uint64_t hazards;      /* runs in which the sanitizer found something */
} counts;

static int fail(const trial *t, const char *what, const char *text)
{
	printf("seed %llu, %s: %s%s%s\n", (unsigned long long)t->seed, t->name, what, text ? ": " : "", text ? text : "");
	return 1;
}

/* Reports the first hazard that the sanitizer found. */
static int silent(const trial *t, const hd_sanitizer *sanitizer, const hd_program *program)
{
	hd_text text = {0};
	if (!hd_sanitizer_found(sanitizer)->total)
		return 0;
	counts.hazards++;
	hd_violation_print(&text, &hd_sanitizer_found(sanitizer)->list.at[0], program);
	fail(t, "a hazard was violated", text.at);
	hd_text_free(&text);
	return 1;
}

static int run_one(const trial *t, const hd_object *object, bool timed, uint8_t *out)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(64 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, BYTES, "out");
	if (!program)
		return fail(t, "does not load", diag.text.at);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {t->ctas, 1, 1},
	                    .block = {RANDOM_THREADS, 1, 1},
	                    .lanes = t->machine.machine_lanes,
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_sanitizer *sanitizer = hd_sanitizer_new(program);
	balance results = balance_begin(program, hd_sanitizer_watcher(sanitizer));
	hd_run_options options = {.max_cycles = CYCLES_MAX, .junk = true, .trace = &results.trace};
	bool ok = timed ? hd_device_run(&t->machine, &launch, memory, &options, &stats, &trap)
	                : hd_interp_run(&launch, memory,
	                                &(hd_interp_options){.call_depth = t->machine.divergence_call_depth, .max_instructions = CYCLES_MAX}, &stats,
	                                &trap);
	int bad = silent(t, sanitizer, program);
	const char *wrong = balance_close(&results, &stats, balance_is_whole(&t->machine));
	if (timed && ok && wrong)
		bad |= fail(t, "results", wrong);
	if (!ok) {
		hd_text text = {0};
		hd_trap_print(&text, &trap, &launch, memory);
		bad |= fail(t, timed ? "the machine trapped" : "the interpreter trapped", text.at);
		hd_text_free(&text);
	}
	if (timed && ok && stats.stall_other)
		bad |= fail(t, "issue slots without a cause", NULL);
	counts.runs += timed;
	memcpy(out, hd_memory_at(memory, address, BYTES), BYTES);
	hd_sanitizer_free(sanitizer);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return bad;
}

static int check_one(const trial *t, const hd_object *object)
{
	hd_check_report report;
	int bad = 0;
	if (!hd_check(object, &t->machine, &report)) {
		hd_text text = {0};
		hd_finding_print(&text, &report.findings.at[0], object, "random");
		bad = fail(t, "not proven", text.at);
		hd_text_free(&text);
	}
	counts.proven += !bad;
	hd_check_report_free(&report);
	return bad;
}

static int same(const trial *t, const uint8_t *a, const uint8_t *b, const char *otherwise)
{
	return memcmp(a, b, BYTES) == 0 ? 0 : fail(t, otherwise, NULL);
}

enum { CHANGES = 16 };

/* Other hints at random places; they stay if the checker proves the program with them. */
static void change_hints(const trial *t, hd_object *object, uint64_t *state)
{
	struct {
		uint32_t word;
		unsigned hint;
	} old[CHANGES];
	uint32_t changed = 0;
	for (; changed < CHANGES; changed++) {
		uint32_t word = (uint32_t)(hd_random(state) % object->code.n);
		unsigned hint = (unsigned)(hd_random(state) % HD_HINT_COUNT);
		if (!hd_object_begins(object, word))
			break;
		old[changed].word = word;
		old[changed].hint = hd_object_hint(object, word);
		if (!hd_object_put_hint(object, word, (old[changed].hint & ~0xf0u) | hint << 4))
			break;
	}
	hd_check_report report;
	bool proven = hd_check(object, &t->machine, &report);
	hd_check_report_free(&report);
	for (uint32_t i = changed; !proven && i-- > 0;)
		hd_object_put_hint(object, old[i].word, old[i].hint);
}

/* A proven program must be right, whatever the hints say. */
static int other_hints(const trial *t, const hd_object *object, const uint8_t *oracle)
{
	static uint8_t timed[BYTES];
	uint64_t state = t->seed * 31 + 7;
	size_t bytes;
	hd_diag diag = {0};
	unsigned char *file = hd_object_write(object, &bytes);
	hd_object *other = hd_object_read(file, bytes, "random", &diag);
	int bad;
	free(file);
	if (!other)
		return fail(t, "does not read back", diag.text.at);
	for (unsigned tries = 0; tries < 12; tries++)
		change_hints(t, other, &state);
	bad = run_one(t, other, true, timed);
	if (!bad && memcmp(oracle, timed, BYTES) != 0)
		bad = fail(t, "proven with other hints, and the machine differs from the interpreter", NULL);
	hd_object_free(other);
	hd_diag_free(&diag);
	return bad;
}

/* HZ-33: the machine code without its annotations, annotated anew, is proven and right. */
static int annotated_anew(const trial *t, const hd_object *object, const uint8_t *oracle)
{
	static uint8_t timed[BYTES];
	hd_diag diag = {0};
	hd_object *other = hd_annotate_object(object, &t->machine, true, "random", &diag);
	if (!other)
		return fail(t, "is not annotated anew", diag.text.at);
	int bad = check_one(t, other) || run_one(t, other, true, timed) || same(t, oracle, timed, "annotated anew, it has another result");
	hd_object_free(other);
	hd_diag_free(&diag);
	return bad;
}

/* Code compiled for a window that passes waits is right on every window, whether waits are passed there or not (docs/timing.md, rules 7 and 8). */
static int other_windows(const trial *t, const hd_object *object, const uint8_t *oracle)
{
	static uint8_t timed[BYTES];
	int bad = 0;
	for (uint32_t window = 1; !bad && window <= 8; window++) {
		trial other = *t;
		other.machine.multi_issue_window = window;
		other.machine.multi_issue_pass_waits = window % 2;
		bad = check_one(&other, object) | run_one(&other, object, true, timed) |
		      same(&other, oracle, timed, "another window gives another result");
	}
	return bad;
}

/* Without an observer. False: a trap. */
static bool run_alone(const trial *t, const hd_object *object, const hd_run_options *options, uint8_t *out, hd_stats *stats)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(64 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, BYTES, "out");
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {t->ctas, 1, 1},
	                    .block = {RANDOM_THREADS, 1, 1},
	                    .lanes = t->machine.machine_lanes,
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_trap trap = {0};
	bool ok = hd_device_run(&t->machine, &launch, memory, options, stats, &trap);
	memcpy(out, hd_memory_at(memory, address, BYTES), BYTES);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return ok;
}

/* PA-1, PA-2: several clusters in windows of time, on some threads of the host, have the bytes, cycles and statistics of a run cycle by cycle. */
static int side_by_side(const trial *t, const hd_object *object)
{
	static uint8_t slow[BYTES], fast[BYTES];
	static hd_stats slow_stats, fast_stats;
	trial other = *t;
	hd_machine *m = &other.machine;
	m->machine_clusters = 2 + (uint32_t)(t->seed % 3);
	m->grids_clusters_1 = m->grids_clusters_2 = m->grids_clusters_3 = 0;
	m->memory_l2_latency = hd_max_u32(m->memory_l2_latency, 128 + (uint32_t)(t->seed * 37 % 300));
	m->memory_values = HD_VALUES_TRAVEL;
	m->memory_constant_bytes = m->pages_kib = m->memory_return_groups = m->predecode_refetch = m->predecode_replay_misses = 0;
	hd_run_options options = {.max_cycles = CYCLES_MAX, .junk = true, .cycle_by_cycle = true};
	bool ok = run_alone(&other, object, &options, slow, &slow_stats);
	options.cycle_by_cycle = false;
	options.threads = 1 + (uint32_t)(t->seed % 4);
	ok = run_alone(&other, object, &options, fast, &fast_stats) && ok;
	if (!ok)
		return fail(t, "a trap with several clusters", NULL);
	if (memcmp(&slow_stats, &fast_stats, sizeof slow_stats) != 0)
		return fail(t, "windows of time change the statistics", NULL);
	return same(t, slow, fast, "windows of time change the result");
}

static hd_object *compile(const trial *t)
{
	hd_diag diag = {0};
	hd_ir_module *module = random_ir(t->seed);
	hd_compile_options options = {.machine = &t->machine, .serial = t->serial};
	hd_object *object = hd_compile_module(module, &options, &diag);
	if (!object)
		fail(t, "does not compile", diag.text.at);
	hd_ir_module_free(module);
	hd_diag_free(&diag);
	return object;
}

/* Compiles, proves and runs it. *expected: the interpreter's bytes, from here on if there are none yet. `interpret`: this compilation, too. Programs
 * move values across lanes, so a machine with narrower warps (RC-23) has bytes of its own, and is compared with the interpreter alone. */
static int attempt(const trial *t, const uint8_t **expected, bool interpret, bool hints)
{
	static uint8_t first[2][BYTES], oracle[BYTES], timed[BYTES];
	const uint8_t *own = NULL;
	bool narrower = t->machine.machine_lanes != HD_LANES;
	hd_object *object = compile(t);
	if (narrower)
		expected = &own;
	if (!object)
		return 1;
	/* The compiler's limits are over, the program is to fit. */
	trial wide = *t;
	wide.machine.machine_registers = 65536;
	int bad = check_one(t, object) | run_one(&wide, object, true, timed);
	if (interpret || !*expected)
		bad |= run_one(&wide, object, false, oracle) | same(t, oracle, timed, "the machine differs from the interpreter");
	if (!*expected)
		*expected = memcpy(first[narrower], oracle, BYTES);
	bad = bad || same(t, *expected, timed, "another result than the first compilation's");
	if (!bad && strcmp(t->name, "window of eight, waits passed") == 0)
		bad = other_windows(&wide, object, *expected);
	if (!bad && interpret)
		bad = side_by_side(&wide, object);
	if (!bad && hints)
		bad = other_hints(&wide, object, *expected) || annotated_anew(&wide, object, *expected);
	hd_object_free(object);
	return bad;
}

/* Two random machines, one of them with a window of 1. */
static int try_random_machines(uint64_t seed, uint32_t ctas, bool narrow, const uint8_t **expected)
{
	int bad = 0;
	for (unsigned single = 0; single < 2 && !bad; single++) {
		hd_text settings = {0};
		trial t = {.seed = seed, .ctas = ctas};
		stress_machine_random(2 * seed + single, single, narrow, &t.machine, &settings);
		t.name = settings.at;
		bad = attempt(&t, expected, true, false);
		hd_text_free(&settings);
	}
	return bad;
}

static int try_seed(uint64_t seed, bool narrow)
{
	const uint8_t *expected = NULL;
	for (unsigned i = 0; i < stress_machine_count; i++) {
		hd_diag diag = {0};
		if (stress_machines[i].narrow && !narrow)
			continue;
		trial t = {.seed = seed, .name = stress_machines[i].name, .serial = stress_machines[i].serial, .ctas = RANDOM_CTAS};
		if (!stress_machine_load(&stress_machines[i], &t.machine, &diag))
			return fail(&t, "setting", diag.text.at);
		if (attempt(&t, &expected, true, !t.serial && i % 3 == seed % 3))
			return 1;
	}
	return try_random_machines(seed, RANDOM_CTAS, narrow, &expected);
}

/* The presets, and the default machine with a window of 1: alone, and with an issue width. */
static int try_presets(uint64_t seed, bool narrow, const hd_machine *presets, unsigned n)
{
	const uint8_t *expected = NULL;
	trial t = {.seed = seed, .ctas = 1};
	for (unsigned i = 0; i < n; i++) {
		t.name = hd_machine_presets[i];
		t.machine = presets[i];
		if (attempt(&t, &expected, i == seed % n, false))
			return 1;
	}
	for (uint32_t width = 1; width <= 4; width *= width == 1 ? 2 + 2 * (seed % 2) : 4) {
		t.name = width == 1 ? "window of one" : width == 2 ? "window of one, two-wide" : "window of one, four-wide";
		hd_machine_default(&t.machine);
		t.machine.multi_issue_window = 1;
		t.machine.predecode_issue_width = width;
		if (attempt(&t, &expected, false, false))
			return 1;
	}
	return try_random_machines(seed, 1, narrow, &expected);
}

static int try_machine(uint64_t seed, const hd_machine *machine)
{
	const uint8_t *expected = NULL;
	trial t = {.seed = seed, .name = machine->name, .machine = *machine, .ctas = RANDOM_CTAS};
	return attempt(&t, &expected, true, false);
}

static int try_drawn(uint64_t seed, bool print)
{
	hd_machine machine;
	hd_text text = {0};
	stress_draw_machine(seed, &machine);
	if (!print)
		return try_machine(seed, &machine);
	hd_machine_print(&machine, &text);
	fputs(text.at, stdout);
	hd_text_free(&text);
	return 0;
}

typedef struct options {
	enum { EVERY_MACHINE, PRESETS, DRAWN, PRINT, ONE_MACHINE } mode;
	bool narrow;
	hd_machine machine;     /* ONE_MACHINE */
	hd_machine presets[16]; /* PRESETS */
	unsigned n_presets;
	uint64_t from, count;
} options;

static void read_options(options *o, int argc, char **argv)
{
	hd_diag diag = {0};
	hd_machine_default(&o->machine);
	for (; argc > 1 && argv[1][0] == '-'; argc--, argv++) {
		bool machine = strcmp(argv[1], "--machine") == 0, set = strcmp(argv[1], "--set") == 0;
		o->narrow |= strcmp(argv[1], "--narrow") == 0;
		if (strcmp(argv[1], "--presets") == 0)
			o->mode = PRESETS;
		if (strcmp(argv[1], "--drawn") == 0)
			o->mode = DRAWN;
		if (strcmp(argv[1], "--print") == 0)
			o->mode = PRINT;
		if (argc < 3 || !(machine || set))
			continue;
		hd_invariant(set ? hd_machine_set(&o->machine, argv[2], &diag) : hd_machine_load(&o->machine, argv[2], &diag), "%s", diag.text.at);
		o->mode = ONE_MACHINE;
		argc--, argv++;
	}
	o->from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	o->count = argc > 2 ? strtoull(argv[2], NULL, 10) : 60;
	for (; hd_machine_presets[o->n_presets]; o->n_presets++) {
		unsigned n = o->n_presets;
		hd_invariant(n < HD_COUNT(o->presets) && hd_machine_load(&o->presets[n], hd_machine_presets[n], &diag), "preset %u: %s", n,
		             diag.text.at);
	}
}

static int try_one(const options *o, uint64_t seed)
{
	switch (o->mode) {
	case ONE_MACHINE:
		return try_machine(seed, &o->machine);
	case PRESETS:
		return try_presets(seed, o->narrow, o->presets, o->n_presets);
	case DRAWN:
	case PRINT:
		return try_drawn(seed, o->mode == PRINT);
	default:
		return try_seed(seed, o->narrow);
	}
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"on every machine", "on every preset", "each on a drawn machine", "", "on one machine"};
	static options o;
	uint64_t done = 0;
	unsigned bad = 0;
	read_options(&o, argc, argv);
	for (; done < o.count && bad < 5; done++)
		bad += (unsigned)try_one(&o, o.from + done);
	if (o.mode != PRINT)
		printf(
		    "%llu random programs from seed %llu, %s: %llu compilations proven, %llu runs, %llu with a hazard violated, %u programs wrong\n",
		    (unsigned long long)done, (unsigned long long)o.from, modes[o.mode], (unsigned long long)counts.proven,
		    (unsigned long long)counts.runs, (unsigned long long)counts.hazards, bad);
	return bad != 0;
}

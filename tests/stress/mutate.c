/* HZ-27, LU-3. Changes one annotation at a time: takes away a bit of a wait mask, a cycle of a delay or a primary's number, exchanges a primary's
 * counter, lets go of it too early, or adds a last-use flag. Each time the checker is asked, and the timed machine runs. What the checker still
 * proves must give the interpreter's bytes, and the hazard sanitizer must be silent there: a single program that is proven and wrong is a failure. So
 * is one with wrong bytes in which the sanitizer sees no hazard. Counted: how many mutations were objected to and gave wrong bytes (or trapped, or
 * hung); how many the run did not come by, as no finding names instructions that were issued; how many were objected to but did no harm in these
 * runs; how many were harmless and proven so; and of each, how many the sanitizer names in some run ("seen").
 *
 * mutate [FIRST [COUNT [EACH [KIND]]]]: random programs, EACH mutations of each. KIND: that one alone (0 to 5, in the order of the table).
 * mutate --examples [EACH [EXAMPLE]]: the examples in their second size; of each kind EACH mutations of each program, or as many as there are.
 * mutate --table: both, as the table of docs/checker.md.
 *
 * A mutation that does no harm runs again with other timing: luck of one schedule is not that of another. Registers begin with junk, so that a value
 * that was read too early is not right by chance. Of the flags without harm it is said why: nothing was dropped for it, as its reader came when the
 * value was written already; or what was dropped was not asked for in this run. */
#include "backend_heddle.h"
#include "device/device.h"
#include "interp/interp.h"
#include "machines.h"
#include "mutant.h"
#include "passes/passes.h"
#include "random_ir.h"

enum { BYTES = RANDOM_CTAS * RANDOM_THREADS * RANDOM_WORDS * 4 };

/* -- random programs -------------------------------------------------------------------------------------------------------------------- */

static bool run_random(const subject *s, const hd_machine *machine, bool timed, uint8_t *out, outcome *o)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(64 << 20);
	hd_program *program = hd_program_new(s->object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, BYTES, "out");
	hd_invariant(program, "a mutated program does not load: %s", diag.text.at);
	hd_launch launch = {.program = program,
	                    .kernel = &s->object->kernels.at[0],
	                    .grid = {RANDOM_CTAS, 1, 1},
	                    .block = {RANDOM_THREADS, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_stats stats = {0};
	hd_trap trap = {0};
	watch w = watch_begin(program, o);
	hd_run_options options = {.max_cycles = s->limit, .trace = &w.trace, .junk = true};
	bool ok =
	    timed ? hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	          : hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = 20000000},
	                          &stats, &trap);
	memcpy(out, hd_memory_at(memory, address, BYTES), BYTES);
	o->skipped = stats.register_file_writes_skipped;
	watch_end(&w, program, o);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return ok;
}

static bool random_right(const subject *s, const hd_machine *machine, outcome *o)
{
	static uint8_t out[BYTES];
	return run_random(s, machine, true, out, o) && memcmp(out, s->context, BYTES) == 0;
}

/* In turn: single issue, of 1, 2 and 4 in a cycle; windows 2 to 8, every other one passes waits; random machines, every other one with a window of 1;
 * presets with fence counters. Every other machine has an operand buffer. */
static void machine_of(uint64_t seed, hd_machine *machine)
{
	static const char *const presets[] = {"heddle", "fence"};
	uint64_t turn = seed / 4;
	hd_diag diag = {0};
	hd_text settings = {0};
	hd_machine_default(machine);
	switch (seed % 4) {
	case 0:
		machine->multi_issue_window = 1;
		machine->predecode_issue_width = 1u << turn % 3;
		machine->divergence_mode = turn % 2 ? HD_DIV_STACK : HD_DIV_RESUME;
		break;
	case 1:
		stress_machine_random(seed, turn % 2, false, machine, &settings);
		hd_text_free(&settings);
		break;
	case 2:
		machine->multi_issue_window = 2 + (uint32_t)(turn % 7);
		machine->multi_issue_pass_waits = turn % 2;
		break;
	default:
		hd_invariant(hd_machine_load(machine, presets[turn % HD_COUNT(presets)], &diag), "%s", diag.text.at);
		break;
	}
	if (seed % 4 != 1 && turn % 2) { /* a value that a wrong flag drops is in an operand buffer for longer than on a path */
		machine->last_use_compensation_of = HD_OWNER_WARP;
		machine->last_use_compensation = 1 + turn % 7;
	}
}

static void try_seed(uint64_t seed, unsigned each, unsigned only, tally tallies[MUTATIONS])
{
	static uint8_t oracle[BYTES];
	char name[32];
	hd_machine machine;
	hd_diag diag = {0};
	uint64_t random = seed;
	outcome o = {0};
	machine_of(seed, &machine);
	hd_ir_module *module = random_ir(seed);
	snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
	subject s = {.object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, &diag),
	             .name = name,
	             .limit = 3000000,
	             .right = random_right,
	             .context = oracle};
	hd_ir_module_free(module);
	hd_invariant(s.object, "%s does not compile", name);
	mutant_machines(&s, &machine);
	hd_invariant(run_random(&s, &machine, false, oracle, &o), "%s traps", name);
	mutant_expect_right(&s);
	for (unsigned n = 0; n < each; n++) {
		mutation_saved saved;
		uint32_t word = (uint32_t)(hd_random(&random) % s.object->code.n);
		mutation kind = (mutation)(only < MUTATIONS ? only : n % MUTATIONS);
		if (!mutation_make(s.object, word, kind, hd_random(&random), &saved))
			continue;
		mutant_judge(&s, kind, word, &tallies[kind]);
		mutation_take_back(s.object, &saved);
	}
	free(s.issued);
	hd_object_free(s.object);
	hd_diag_free(&diag);
}

/* -- examples ----------------------------------------------------------------------------------------------------------------------------- */

typedef struct example_context {
	const ex_example *example;
	const ex_run *oracle;
} example_context;

static bool run_example(const subject *s, const hd_machine *machine, bool functional, ex_run *run, hd_stats *stats, outcome *o)
{
	hd_diag diag = {0};
	const example_context *c = s->context;
	ex_backend *backend = ex_heddle_new(s->object, machine, functional, &diag);
	hd_invariant(backend, "a mutated program does not load: %s", diag.text.at);
	if (s->limit)
		ex_heddle_options(backend)->max_cycles = s->limit;
	ex_heddle_options(backend)->junk = true;
	watch w = watch_begin(ex_heddle_program(backend), o);
	ex_heddle_watch(backend, &w.trace);
	bool ok = ex_run_example(run, c->example, 1, backend, &diag);
	*stats = *ex_heddle_stats(backend);
	o->skipped = stats->register_file_writes_skipped;
	watch_end(&w, ex_heddle_program(backend), o);
	ex_heddle_free(backend);
	hd_diag_free(&diag);
	return ok;
}

static bool example_right(const subject *s, const hd_machine *machine, outcome *o)
{
	hd_diag diag = {0};
	hd_stats stats;
	ex_run run;
	bool ok = run_example(s, machine, false, &run, &stats, o) &&
	          ex_same_outputs(((const example_context *)s->context)->oracle, "the interpreter", &run, "the machine", &diag);
	ex_run_free(&run);
	hd_diag_free(&diag);
	return ok;
}

/* Of the places in what the run executes where the mutation can be made, `each` at equal distances, or all. */
static void mutate_kind(const subject *s, mutation kind, unsigned each, tally *t)
{
	HD_VEC(uint32_t) places = {0};
	mutation_saved saved;
	uint64_t random = kind;
	for (uint32_t word = 0; word < s->object->code.n; word++) {
		if (!s->issued[word] || !mutation_make(s->object, word, kind, 0, &saved))
			continue;
		mutation_take_back(s->object, &saved);
		hd_vec_push(&places, word);
	}
	size_t n = places.n < each ? places.n : each;
	for (size_t i = 0; i < n; i++) {
		uint32_t word = places.at[(2 * i + 1) * places.n / (2 * n)];
		if (!mutation_make(s->object, word, kind, hd_random(&random), &saved))
			continue;
		mutant_judge(s, kind, word, t);
		mutation_take_back(s->object, &saved);
	}
	hd_vec_free(&places);
}

static void try_example(const ex_example *example, unsigned number, unsigned each, tally tallies[MUTATIONS])
{
	const char *folder = getenv("HEDDLE_SOURCE");
	hd_machine machine;
	hd_diag diag = {0};
	hd_text source = {0};
	ex_run oracle;
	hd_stats stats;
	outcome o = {0};
	example_context context = {example, &oracle};
	hd_machine_default(&machine);
	if (number % 2) { /* single issue, of 1, 2 and 4 in a cycle */
		machine.multi_issue_window = 1;
		machine.predecode_issue_width = 1u << number / 2 % 3;
	}
	hd_text_printf(&source, "%s/examples/%s", folder ? folder : ".", example->source);
	subject s = {
	    .object = ex_heddle_compile(source.at, &machine, false, &diag), .name = example->name, .right = example_right, .context = &context};
	hd_invariant(s.object, "%s", diag.text.at);
	mutant_machines(&s, &machine);
	hd_invariant(run_example(&s, &machine, true, &oracle, &stats, &o), "%s traps", example->name);
	mutant_expect_right(&s);
	s.limit = 100000 + 40 * stats.run_warp_instructions;
	for (unsigned kind = 0; kind < MUTATIONS; kind++)
		mutate_kind(&s, (mutation)kind, each, &tallies[kind]);
	ex_run_free(&oracle);
	free(s.issued);
	hd_object_free(s.object);
	hd_text_free(&source);
	hd_diag_free(&diag);
}

/* ------------------------------------------------------------------------------------------------------------------------------------------ */

static void print_rows(const char *programs, const tally tallies[MUTATIONS])
{
	for (unsigned k = 0; k < MUTATIONS; k++)
		if (tallies[k].wrong + tallies[k].missed + tallies[k].silent + tallies[k].harmless + tallies[k].unsound > 0)
			printf("| %s | %s | %u | %u | %u | %u | %u | %u | %u | %u | %u |\n", mutation_names[k], programs, tallies[k].wrong,
			       tallies[k].seen_wrong, tallies[k].missed, tallies[k].seen_missed, tallies[k].silent, tallies[k].seen_silent,
			       tallies[k].harmless, tallies[k].unsound, tallies[k].seen_proven);
}

int main(int argc, char **argv)
{
	bool table = argc > 1 && strcmp(argv[1], "--table") == 0, examples = table || (argc > 1 && strcmp(argv[1], "--examples") == 0);
	unsigned long number[4] = {1, 10, 80, MUTATIONS};
	unsigned unsound = 0, unseen = 0, wrong = 0, objected = 0, each = !table && argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20;
	tally of_examples[MUTATIONS] = {{0}}, of_random[MUTATIONS] = {{0}};
	for (int i = 0; i < 4 && i + 1 < argc && !examples; i++)
		number[i] = strtoul(argv[i + 1], NULL, 10);
	if (table) {
		number[1] = 40;
		number[2] = 120;
	}
	for (unsigned e = 0; examples && ex_examples[e]; e++) {
		if (table || argc < 4 || strcmp(argv[3], ex_examples[e]->name) == 0)
			try_example(ex_examples[e], e, each, of_examples);
	}
	for (uint64_t seed = number[0]; (table || !examples) && seed < number[0] + number[1]; seed++)
		try_seed(seed, (unsigned)number[2], (unsigned)number[3], of_random);
	printf("| mutation | programs | objected, wrong | seen | objected, not met | seen | objected, no harm | seen | proven, right | proven, WRONG "
	       "| proven, SEEN |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	if (examples)
		print_rows("examples", of_examples);
	if (table || !examples)
		print_rows("random", of_random);
	const tally *flags = examples ? &of_examples[MUTATION_LAST_USE] : &of_random[MUTATION_LAST_USE];
	if (!table)
		printf("\nof the flags objected to that did no harm, %u dropped nothing, %u what was not asked for in these runs\n",
		       flags->dropped_nothing, flags->silent - flags->dropped_nothing);
	for (unsigned k = 0; k < MUTATIONS; k++) {
		unsound += of_examples[k].unsound + of_random[k].unsound + of_examples[k].seen_proven + of_random[k].seen_proven;
		unseen += of_examples[k].wrong + of_random[k].wrong - of_examples[k].seen_wrong - of_random[k].seen_wrong;
		wrong += of_examples[k].wrong + of_random[k].wrong;
		objected += of_examples[k].silent + of_random[k].silent + of_examples[k].wrong + of_random[k].wrong;
	}
	/* Many objections and not a single wrong result: then the runs would say nothing. */
	return unsound != 0 || unseen != 0 || (wrong == 0 && objected > 100);
}

/* HZ-27, LU-3. mutate [FIRST [COUNT [EACH [KIND]]]]: takes one annotation at a time away from random programs: a bit of a wait mask, a cycle of a
 * delay, a primary's number; or adds a last-use flag. Each time the checker is asked, and the timed machine runs. What the checker still proves must
 * give the right bytes: a single program that is proven and wrong is a failure. Printed: how many mutations were objected to and gave wrong bytes (or
 * trapped, or hung), how many were objected to but did no harm in this run, how many were harmless and proven so. Of the flags without harm it says
 * why: nothing was dropped for it, as its reader came when the value was written already; or what was dropped was not asked for in this run. KIND:
 * that one alone. */
#include "check/check.h"
#include "device/device.h"
#include "interp/interp.h"
#include "passes/passes.h"
#include "random_ir.h"

enum { BYTES = RANDOM_CTAS * RANDOM_THREADS * RANDOM_WORDS * 4 };

typedef struct tally {
	unsigned wrong, silent, harmless, unsound;
	unsigned dropped_nothing; /* of `silent` */
} tally;

static const char *const kinds[] = {"wait bit removed", "delay shortened", "primary removed", "release by read", "last use added"};
enum { KINDS = HD_COUNT(kinds) };

/* Different from the oracle, trapped, or did not end. *skipped: register writes that last-use flags saved. */
static bool goes_wrong(const hd_object *object, const hd_machine *machine, const uint8_t *oracle, bool timed, uint8_t *out, uint64_t *skipped)
{
	hd_diag diag = {0};
	hd_memory *memory = hd_memory_new(64 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	uint64_t address = hd_memory_alloc(memory, BYTES, "out");
	hd_invariant(program, "a mutated program does not load: %s", diag.text.at);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[0],
	                    .grid = {RANDOM_CTAS, 1, 1},
	                    .block = {RANDOM_THREADS, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)&address};
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_run_options options = {.max_cycles = 3000000};
	bool ok = timed ? hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	                : hd_interp_run(&launch, memory, machine->divergence_call_depth, 20000000, NULL, NULL, &stats, &trap);
	bool wrong = !ok || (oracle && memcmp(oracle, hd_memory_at(memory, address, BYTES), BYTES) != 0);
	if (out)
		memcpy(out, hd_memory_at(memory, address, BYTES), BYTES);
	*skipped = stats.register_file_writes_skipped;
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return wrong;
}

/* Makes mutation `kind` of word; false if there is nothing to take away. */
static bool mutate(hd_object *object, uint32_t word, unsigned kind, uint64_t random)
{
	hd_inst inst;
	const char *why;
	unsigned byte = hd_line_hint(object->geometry, object->code.at, word), delay = byte & 15;
	hd_invariant(hd_line_get(object->geometry, object->code.at, word, &inst, &why), "word %u: %s", word, why);
	switch (kind) {
	case 0: {
		unsigned bits = (unsigned)__builtin_popcount(inst.wait);
		if (!bits)
			return false;
		uint16_t left = inst.wait;
		for (unsigned skip = (unsigned)(random % bits); skip > 0; skip--)
			left &= (uint16_t)(left - 1);
		inst.wait &= (uint16_t) ~(left & -left);
		break;
	}
	case 1: {
		if (delay < (byte >> 4 == HD_HINT_WAIT ? 1u : 2u))
			return false;
		hd_line_put_hint(object->geometry, object->code.at, word, byte - 1);
		return true;
	}
	case 2:
		if (!inst.primary)
			return false;
		inst.primary = 0;
		break;
	case 3:
		if (!inst.primary || inst.release)
			return false;
		inst.release = 1;
		break;
	default: {
		/* On a register source that has none. */
		hd_use uses[HD_MAX_USES];
		unsigned n = hd_inst_reads(&inst, uses), left = 0;
		for (unsigned i = 0; i < n; i++)
			left += uses[i].operand < 3 && uses[i].words && !(inst.last_use >> uses[i].operand & 1);
		if (!left)
			return false;
		left = (unsigned)(random % left);
		for (unsigned i = 0; i < n; i++) {
			if (uses[i].operand < 3 && uses[i].words && !(inst.last_use >> uses[i].operand & 1) && left-- == 0)
				inst.last_use |= (uint8_t)(1u << uses[i].operand);
		}
		break;
	}
	}
	hd_line_put(object->geometry, object->code.at, word, &inst);
	return hd_line_get(object->geometry, object->code.at, word, &inst, &why);
}

static unsigned try_seed(uint64_t seed, unsigned each, unsigned only, tally tallies[KINDS])
{
	static uint8_t oracle[BYTES];
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	/* Single issue, and the windows 2 to 8: every other one passes waits. */
	machine.multi_issue_window = seed % 3 ? 1 + (uint32_t)(seed % 8) : 1;
	machine.multi_issue_pass_waits = seed % 2;
	hd_ir_module *module = random_ir(seed);
	hd_compile_options options = {.machine = &machine};
	hd_object *object = hd_compile_module(module, &options, &diag);
	hd_ir_module_free(module);
	hd_invariant(object, "seed %llu does not compile", (unsigned long long)seed);
	uint64_t usual, skipped;
	hd_invariant(!goes_wrong(object, &machine, NULL, false, oracle, &usual), "seed %llu traps", (unsigned long long)seed);
	hd_invariant(!goes_wrong(object, &machine, oracle, true, NULL, &usual), "seed %llu is wrong as it is", (unsigned long long)seed);
	unsigned unsound = 0;
	uint64_t random = seed;
	for (unsigned n = 0; n < each; n++) {
		uint32_t word = (uint32_t)(hd_random(&random) % object->code.n);
		unsigned kind = only < KINDS ? only : n % KINDS;
		uint32_t ss = word - word % hd_geometries[object->geometry].group;
		uint64_t line = object->code.at[ss], bits = object->code.at[word];
		if (word == ss)
			continue;
		if (!mutate(object, word, kind, hd_random(&random))) {
			object->code.at[ss] = line;
			object->code.at[word] = bits;
			continue;
		}
		hd_check_report report;
		bool proven = hd_check(object, &machine, &report);
		hd_check_report_free(&report);
		bool wrong = goes_wrong(object, &machine, oracle, true, NULL, &skipped);
		tally *t = &tallies[kind];
		if (!proven && wrong) {
			t->wrong++;
		} else if (!proven) {
			t->silent++;
			t->dropped_nothing += skipped == usual;
		} else if (!wrong) {
			t->harmless++;
		} else {
			t->unsound++;
			unsound++;
			printf("seed %llu: %s at word %u: proven, and wrong\n", (unsigned long long)seed, kinds[kind], word);
		}
		object->code.at[ss] = line;
		object->code.at[word] = bits;
	}
	hd_object_free(object);
	hd_diag_free(&diag);
	return unsound;
}

int main(int argc, char **argv)
{
	uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1, count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
	unsigned each = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 80, only = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : KINDS;
	unsigned unsound = 0, objected = 0;
	tally tallies[KINDS] = {{0}};
	for (uint64_t seed = from; seed < from + count; seed++)
		unsound += try_seed(seed, each, only, tallies);
	printf("%-18s %10s %10s %10s %10s\n", "mutation", "objected,", "objected,", "proven,", "proven,");
	printf("%-18s %10s %10s %10s %10s\n", "", "wrong", "no harm", "right", "WRONG");
	for (unsigned k = 0; k < KINDS; k++) {
		printf("%-18s %10u %10u %10u %10u\n", kinds[k], tallies[k].wrong, tallies[k].silent, tallies[k].harmless, tallies[k].unsound);
		objected += tallies[k].wrong;
	}
	printf("of the flags objected to that did no harm, %u dropped nothing, %u what was not asked for in this run\n",
	       tallies[KINDS - 1].dropped_nothing, tallies[KINDS - 1].silent - tallies[KINDS - 1].dropped_nothing);
	/* Without a single wrong result the test would say nothing. */
	return unsound != 0 || objected == 0;
}

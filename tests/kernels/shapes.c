/* shapes [--write]: the instructions that each mechanism of divergence issues for the shapes of control flow in shapes.cl, against the least possible
 * (report/least.h). Every mechanism must give the interpreter's bytes, the checker must prove every program, and no mechanism may issue more, in
 * relation to the least, than the table below says: a baseline that got weaker would flatter the other mechanism. --write prints the table. */
#include "backend_heddle.h"
#include "check/check.h"
#include "interp/interp.h"
#include "report/least.h"

enum { THREADS = 64, OUT_WORDS = 2 * THREADS, MODES = 3, SLACK = 100 };

static const char *const modes[MODES] = {"divergence.mode=resume", "divergence.mode=stack", "divergence.mode=barriers"};

/* The least possible, and the instructions with each mode, each for its own program. */
static const struct {
	const char *kernel;
	uint64_t least[MODES], issued[MODES];
} table[] = {
#include "shapes.def"
};

typedef struct measure {
	uint64_t least, issued;
	uint8_t bytes[2][4 * OUT_WORDS];
} measure;

static bool run(const hd_object *object, size_t kernel, const hd_machine *machine, bool timed, measure *m, hd_diag *diag)
{
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = hd_program_new(object, memory, diag);
	if (!program) {
		hd_memory_free(memory);
		return false;
	}
	uint64_t out = hd_memory_alloc(memory, 4 * OUT_WORDS, "out"), in = hd_memory_alloc(memory, 4 * THREADS, "in");
	uint64_t parameters[2] = {out, strcmp(object->kernels.at[kernel].name, "guard") == 0 ? 40 : in};
	uint8_t *words = (uint8_t *)(uintptr_t)hd_memory_at(memory, in, 4 * THREADS);
	memset((uint8_t *)(uintptr_t)hd_memory_at(memory, out, 4 * OUT_WORDS), 0, 4 * OUT_WORDS);
	for (unsigned i = 0; i < THREADS; i++)
		memcpy(words + 4 * i, &(uint32_t){i * 7}, 4);
	hd_launch launch = {.program = program,
	                    .kernel = &object->kernels.at[kernel],
	                    .grid = {1, 1, 1},
	                    .block = {THREADS, 1, 1},
	                    .work_dim = 1,
	                    .params = (const uint8_t *)parameters};
	hd_stats stats = {0};
	hd_trap trap = {0};
	hd_least least;
	hd_least_init(&least, program);
	hd_run_options options = {.max_cycles = 10000000, .trace = &least.trace};
	bool ok =
	    timed ? hd_device_run(machine, &launch, memory, &options, &stats, &trap)
	          : hd_interp_run(&launch, memory, &(hd_interp_options){.call_depth = machine->divergence_call_depth, .max_instructions = 10000000},
	                          &stats, &trap);
	hd_least_end(&least);
	if (!ok)
		hd_error(diag, (hd_pos){.file = launch.kernel->name}, "%s: %s", timed ? "timed" : "interpreter", trap.text ? trap.text : "a trap");
	if (timed) {
		m->least = least.least;
		m->issued = stats.run_warp_instructions;
	}
	memcpy(m->bytes[timed], hd_memory_at(memory, out, 4 * OUT_WORDS), 4 * OUT_WORDS);
	hd_trap_free(&trap);
	hd_program_free(program);
	hd_memory_free(memory);
	return ok;
}

static bool prove(const hd_object *object, const hd_machine *machine, hd_diag *diag)
{
	hd_check_report report;
	bool ok = hd_check(object, machine, &report);
	hd_text text = {0};
	if (!ok && report.findings.n)
		hd_finding_print(&text, &report.findings.at[0], object, "shapes.cl");
	if (!ok)
		hd_error(diag, (hd_pos){.file = "shapes.cl"}, "not proven: %s", text.at ? text.at : "");
	hd_text_free(&text);
	hd_check_report_free(&report);
	return ok;
}

static bool judge(const char *kernel, unsigned mode, const measure *m)
{
	for (size_t i = 0; i < HD_COUNT(table); i++) {
		if (strcmp(table[i].kernel, kernel) != 0)
			continue;
		/* issued / least may be 1 % above the ratio of the table. */
		uint64_t expected = table[i].issued[mode] * m->least, found = m->issued * table[i].least[mode];
		if (found > expected + expected / SLACK)
			printf("%s, %s: %llu instructions, least %llu; expected %llu of %llu\n", kernel, modes[mode], (unsigned long long)m->issued,
			       (unsigned long long)m->least, (unsigned long long)table[i].issued[mode], (unsigned long long)table[i].least[mode]);
		return found <= expected + expected / SLACK;
	}
	printf("%s is not in the table\n", kernel);
	return false;
}

static bool run_all(const char *source, bool write, hd_diag *diag)
{
	size_t size;
	char *ptx = ex_heddle_ptx(source, &size, diag);
	hd_object *object[MODES] = {NULL};
	hd_machine machine[MODES];
	measure *m = hd_xcalloc(MODES, sizeof *m);
	bool ok = ptx != NULL;
	for (unsigned mode = 0; mode < MODES && ok; mode++) {
		hd_machine_default(&machine[mode]);
		ok = hd_machine_set(&machine[mode], modes[mode], diag) &&
		     (object[mode] = ex_heddle_compile_ptx(ptx, size, source, &machine[mode], false, diag)) &&
		     prove(object[mode], &machine[mode], diag);
	}
	for (size_t k = 0; ok && k < object[0]->kernels.n; k++) {
		const char *name = object[0]->kernels.at[k].name;
		for (unsigned mode = 0; mode < MODES; mode++) {
			ok &=
			    run(object[mode], k, &machine[mode], false, &m[mode], diag) && run(object[mode], k, &machine[mode], true, &m[mode], diag);
			if (memcmp(m[mode].bytes[0], m[mode].bytes[1], sizeof m[mode].bytes[0]) ||
			    memcmp(m[mode].bytes[1], m[0].bytes[0], sizeof m[0].bytes[0]))
				hd_error(diag, (hd_pos){.file = name}, "%s: not the interpreter's bytes", modes[mode]);
			if (!write)
				ok &= judge(name, mode, &m[mode]);
		}
		if (write) {
			printf("{\"%s\", {", name);
			for (unsigned mode = 0; mode < MODES; mode++)
				printf("%s%llu", mode ? ", " : "", (unsigned long long)m[mode].least);
			for (unsigned mode = 0; mode < MODES; mode++)
				printf("%s%llu", mode ? ", " : "}, {", (unsigned long long)m[mode].issued);
			printf("}},\n");
		}
	}
	for (unsigned mode = 0; mode < MODES; mode++)
		if (object[mode])
			hd_object_free(object[mode]);
	free(m);
	free(ptx);
	return ok && !diag->errors;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text source = {0};
	hd_diag diag = {0};
	hd_text_printf(&source, "%s/tests/kernels/shapes.cl", root ? root : ".");
	bool ok = run_all(source.at, argc > 1 && strcmp(argv[1], "--write") == 0, &diag);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	hd_text_free(&source);
	return ok ? 0 : 1;
}

/* heddle-examples [--machine NAME]... [--size N] [--cuda] [--opencl] [--output FILE] EXAMPLE: every size of one example, everywhere.
 *
 * Interpreter, machine (each named machine; the default one without --machine), the machine again with the hazard sanitizer, which must be silent,
 * the program compiled in serial mode, and an OpenCL platform if there is one. Checked: every output against the host reference; machine =
 * interpreter and serial = not serial, byte for byte; the statistics of two runs of the machine, byte for byte.
 *
 * --cuda runs the example's CUDA kernels; --opencl runs on an OpenCL platform alone (the one that EX_OPENCL_PLATFORM names). --output, with --opencl,
 * writes the bytes of all outputs to FILE, size after size, as the example's CUDA program does. Exit status 0 all right, 1 something differs, 2 bad
 * usage, 77 (skipped) --opencl without a platform. */
#include "backend_heddle.h"
#include "backend_opencl.h"
#include "base/output.h"
#include "check/check.h"
#include "sanitizer/sanitizer.h"

enum { MACHINES_MAX = 16 };

typedef struct options {
	const char *machines[MACHINES_MAX];
	unsigned n_machines;
	int size;
	bool cuda, opencl;
	const char *source, *output;
} options;

static bool run_heddle(ex_run *run, const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, bool functional,
                       hd_stats *stats, hd_diag *diag)
{
	*run = (ex_run){0};
	ex_backend *backend = ex_heddle_new(object, machine, functional, diag);
	if (!backend)
		return false;
	bool ok = ex_run_example(run, example, size, backend, diag);
	*stats = *ex_heddle_stats(backend);
	if (!ok)
		hd_error(diag, (hd_pos){.file = example->name}, "size %s: the above happened %s %s", example->sizes[size],
		         functional ? "in the interpreter, program for" : "on machine", machine->name);
	ex_heddle_free(backend);
	return ok;
}

/* HZ-27: right bytes are not enough. */
static bool silent(const hd_sanitizer *sanitizer, const hd_program *program, const char *name, hd_diag *diag)
{
	const hd_violations *found = hd_sanitizer_found(sanitizer);
	hd_text text = {0};
	if (!found->total)
		return true;
	hd_violations_print(&text, found, 1, program);
	hd_error(diag, (hd_pos){.file = name}, "%llu times a hazard was violated; the first: %s", (unsigned long long)found->total, text.at);
	hd_text_free(&text);
	return false;
}

static bool run_watched(ex_run *run, const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, hd_stats *stats,
                        hd_diag *diag)
{
	*run = (ex_run){0};
	ex_backend *backend = ex_heddle_new(object, machine, false, diag);
	if (!backend)
		return false;
	hd_sanitizer *sanitizer = hd_sanitizer_new(ex_heddle_program(backend));
	ex_heddle_watch(backend, hd_sanitizer_watcher(sanitizer));
	bool ok = ex_run_example(run, example, size, backend, diag) && silent(sanitizer, ex_heddle_program(backend), example->name, diag);
	*stats = *ex_heddle_stats(backend);
	hd_sanitizer_free(sanitizer);
	ex_heddle_free(backend);
	return ok;
}

static bool same_stats(const ex_example *example, unsigned size, const hd_stats *a, const hd_stats *b, hd_diag *diag)
{
#define STAT(group, counter, doc)                                                                                                           \
	if (a->group##_##counter != b->group##_##counter) {                                                                                 \
		hd_error(diag, (hd_pos){.file = example->name}, "size %s: " #group "." #counter " is %llu in one run and %llu in the next", \
		         example->sizes[size], (unsigned long long)a->group##_##counter, (unsigned long long)b->group##_##counter);         \
		return false;                                                                                                               \
	}
#include "launch/stats.def"
#undef STAT
	return true;
}

/* One size on one machine. */
static bool check_size(const ex_example *example, unsigned size, const hd_machine *machine, const hd_object *object, const hd_object *serial,
                       hd_diag *diag)
{
	ex_run interp, timed, again, slow;
	hd_stats interp_stats, stats, again_stats, slow_stats;
	bool ok = run_heddle(&interp, example, size, object, machine, true, &interp_stats, diag);
	ok = run_heddle(&timed, example, size, object, machine, false, &stats, diag) && ok;
	ok = run_watched(&again, example, size, object, machine, &again_stats, diag) && ok;
	ok = run_heddle(&slow, example, size, serial, machine, false, &slow_stats, diag) && ok;
	if (ok) {
		ok = ex_same_outputs(&interp, "the interpreter", &timed, "the machine", diag);
		ok = ex_same_outputs(&timed, "the machine", &again, "the same machine, watched", diag) && ok;
		ok = ex_same_outputs(&timed, "the machine", &slow, "the machine in serial mode", diag) && ok;
		ok = same_stats(example, size, &stats, &again_stats, diag) && ok;
		/* With the stack (RC-16) sides meet elsewhere than in the interpreter, which goes by addresses. */
		if (machine->divergence_mode == HD_DIV_RESUME && interp_stats.run_warp_instructions != stats.run_warp_instructions) {
			hd_error(diag, (hd_pos){.file = example->name}, "size %s: %llu warp instructions in the interpreter, %llu on the machine",
			         example->sizes[size], (unsigned long long)interp_stats.run_warp_instructions,
			         (unsigned long long)stats.run_warp_instructions);
			ok = false;
		}
	}
	if (ok)
		printf("%-14s %-12s %-12s %10llu warp instructions, %10llu cycles\n", example->name, example->sizes[size], machine->name,
		       (unsigned long long)stats.run_warp_instructions, (unsigned long long)stats.run_cycles);
	ex_run_free(&interp);
	ex_run_free(&timed);
	ex_run_free(&again);
	ex_run_free(&slow);
	return ok;
}

/* One size when told; otherwise all, but under the sanitizers (HEDDLE_SANITIZED, set by tools/test.sh) not the largest. */
static bool wanted_size(const options *o, const ex_example *example, unsigned size)
{
	if (o->size >= 0)
		return (unsigned)o->size == size;
	return example->sizes[size + 1] || !getenv("HEDDLE_SANITIZED");
}

/* HZ-27: what runs here by luck alone does not pass. */
static bool proven(const ex_example *example, const hd_object *object, const hd_machine *machine, hd_diag *diag)
{
	hd_check_report report = {0};
	bool ok = hd_check(object, machine, &report);
	if (!ok) {
		hd_text text = {0};
		if (report.findings.n)
			hd_finding_print(&text, &report.findings.at[0], object, example->name);
		hd_error(diag, (hd_pos){.file = example->name}, "%llu dependences are not covered; the first: %s", (unsigned long long)report.total,
		         text.at ? text.at : "");
		hd_text_free(&text);
	}
	hd_check_report_free(&report);
	return ok;
}

static bool check_machine(const options *o, const ex_example *example, const char *name, hd_diag *diag)
{
	hd_machine machine;
	if (!hd_machine_load(&machine, name, diag))
		return false;
	hd_object *object = ex_heddle_compile(o->source, &machine, false, diag),
	          *serial = object ? ex_heddle_compile(o->source, &machine, true, diag) : NULL;
	bool ok = object && serial && proven(example, object, &machine, diag) && proven(example, serial, &machine, diag);
	for (unsigned size = 0; ok && example->sizes[size]; size++)
		if (wanted_size(o, example, size))
			ok = check_size(example, size, &machine, object, serial, diag);
	if (object)
		hd_object_free(object);
	if (serial)
		hd_object_free(serial);
	return ok;
}

/* 0, 1 or 77. */
static int check_opencl(const options *o, const ex_example *example, hd_text *bytes, hd_diag *diag)
{
	const char *why;
	for (unsigned size = 0; example->sizes[size]; size++) {
		if (!wanted_size(o, example, size))
			continue;
		ex_backend *backend = ex_opencl_new(o->source, getenv("EX_OPENCL_PLATFORM"), diag, &why);
		if (!backend && why) {
			printf("%-14s skipped: %s\n", example->name, why);
			return 77;
		}
		ex_run run = {0};
		bool ok = backend && ex_run_example(&run, example, size, backend, diag);
		if (ok)
			printf("%-14s %-12s %-12s agrees with the reference\n", example->name, example->sizes[size], "OpenCL");
		for (size_t i = 0; i < run.outputs.n; i++)
			hd_text_put(bytes, (const char *)run.outputs.at[i].bytes, run.outputs.at[i].n);
		ex_run_free(&run);
		ex_opencl_free(backend);
		if (!ok)
			return 1;
	}
	return 0;
}

static int usage(const char *what)
{
	fprintf(stderr, "%s\nusage: heddle-examples [--machine NAME]... [--size N] [--cuda] [--opencl] [--output FILE] EXAMPLE\nexamples:", what);
	for (const ex_example *const *e = ex_tested; *e; e++)
		fprintf(stderr, " %s", (*e)->name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	options o = {.size = -1};
	const ex_example *example = NULL;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--machine") == 0 && i + 1 < argc && o.n_machines < MACHINES_MAX)
			o.machines[o.n_machines++] = argv[++i];
		else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
			o.size = atoi(argv[++i]);
		else if (strcmp(argv[i], "--output") == 0 && i + 1 < argc)
			o.output = argv[++i];
		else if (strcmp(argv[i], "--cuda") == 0)
			o.cuda = true;
		else if (strcmp(argv[i], "--opencl") == 0)
			o.opencl = true;
		else if (argv[i][0] == '-' || example)
			return usage("bad argument");
		else if (!(example = ex_find(argv[i])))
			return usage("no example of this name");
	}
	if (!example || (o.cuda && (!example->cuda || o.opencl)) || (o.output && !o.opencl))
		return usage("an example must be named, --cuda wants one that has CUDA kernels, and --output goes with --opencl");
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text source = {0};
	hd_diag diag = {0};
	hd_text_printf(&source, "%s/examples/%s", root ? root : ".", o.cuda ? example->cuda : example->source);
	o.source = source.at;
	int status = 0;
	if (o.opencl) {
		hd_text bytes = {0};
		status = check_opencl(&o, example, &bytes, &diag);
		if (status == 0 && o.output && !hd_write_file(o.output, bytes.at, bytes.n, &diag))
			status = 1;
		hd_text_free(&bytes);
	} else {
		if (!o.n_machines)
			o.machines[o.n_machines++] = NULL;
		for (unsigned i = 0; i < o.n_machines && status == 0; i++)
			status = check_machine(&o, example, o.machines[i], &diag) ? 0 : 1;
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	hd_text_free(&source);
	return status;
}

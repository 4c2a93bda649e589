/* heddle-reports [--size N] [EXAMPLE]...: the cost of observation. Simulation speed (warp instructions a second of processor time) of the examples
 * without an observer, with the profile of listings and pages, with the hazard sanitizer, and with each trace, written to /dev/null and limited to a
 * thousand cycles. The table of docs/reports.md. */
#include "backend_heddle.h"
#include "report/profile.h"
#include "sanitizer/sanitizer.h"
#include "trace/trace_file.h"

typedef enum watch { NOBODY, PROFILE, HAZARDS, KONATA, PERFETTO, VCD, LIMITED, WATCHES } watch;
static const char *const names[WATCHES] = {"nobody", "profile", "hazards", "konata", "perfetto", "vcd", "konata, 1000 cycles"};

typedef struct watched {
	ex_backend *inner;
	watch kind;
	const hd_machine *machine;
} watched;

static bool create(void *self, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag)
{
	watched *w = self;
	return w->inner->create(w->inner->state, buffer, name, bytes, initial, diag);
}

static bool read_buffer(void *self, unsigned buffer, void *into, size_t bytes, hd_diag *diag)
{
	watched *w = self;
	return w->inner->read(w->inner->state, buffer, into, bytes, diag);
}

static bool write_buffer(void *self, unsigned buffer, const void *from, size_t bytes, hd_diag *diag)
{
	watched *w = self;
	return w->inner->write(w->inner->state, buffer, from, bytes, diag);
}

static bool launch(void *self, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag)
{
	static const hd_trace_format formats[WATCHES] = {
	    [KONATA] = HD_TRACE_KONATA, [PERFETTO] = HD_TRACE_PERFETTO, [VCD] = HD_TRACE_VCD, [LIMITED] = HD_TRACE_KONATA};
	watched *w = self;
	const hd_program *program = ex_heddle_program(w->inner);
	hd_profile *profile = w->kind == PROFILE ? hd_profile_new(w->machine, program) : NULL;
	hd_sanitizer *sanitizer = w->kind == HAZARDS ? hd_sanitizer_new(program) : NULL;
	hd_trace_limits limits = hd_trace_no_limits;
	if (w->kind == LIMITED)
		limits.last = 1000;
	FILE *nowhere = w->kind >= KONATA ? fopen("/dev/null", "w") : NULL;
	hd_trace_file *file = nowhere ? hd_trace_open(formats[w->kind], nowhere, "/dev/null", &limits, w->machine, program, diag) : NULL;
	ex_heddle_watch(w->inner, profile ? &profile->trace : sanitizer ? hd_sanitizer_watcher(sanitizer) : file ? hd_trace_watcher(file) : NULL);
	bool ok = w->inner->launch(w->inner->state, kernel, shape, args, n, diag);
	ex_heddle_watch(w->inner, NULL);
	hd_profile_free(profile);
	hd_sanitizer_free(sanitizer);
	ok &= hd_trace_close(file, diag);
	if (nowhere)
		fclose(nowhere);
	return ok;
}

static bool measure(const ex_example *example, unsigned size, watch kind, const hd_object *object, const hd_machine *machine, double *seconds,
                    uint64_t *instructions, hd_diag *diag)
{
	watched w = {.inner = ex_heddle_new(object, machine, false, diag), .kind = kind, .machine = machine};
	ex_backend outer = {.state = &w, .create = create, .read = read_buffer, .write = write_buffer, .launch = launch};
	ex_run run = {0};
	bool ok = w.inner && ex_run_example(&run, example, size, &outer, diag);
	if (ok) {
		*seconds += ex_heddle_seconds(w.inner);
		*instructions += ex_heddle_stats(w.inner)->run_warp_instructions;
	}
	ex_run_free(&run);
	ex_heddle_free(w.inner);
	return ok;
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"matmul-tiled", "nbody", "histogram", "bfs", "sha256"};
	const char *root = getenv("HEDDLE_EXAMPLES");
	int first = argc > 2 && strcmp(argv[1], "--size") == 0 ? 3 : 1;
	unsigned size = first == 3 ? (unsigned)atoi(argv[2]) : 1, n = first < argc ? (unsigned)(argc - first) : HD_COUNT(usual);
	double seconds[WATCHES] = {0};
	uint64_t instructions[WATCHES] = {0};
	hd_machine machine;
	hd_diag diag = {0};
	bool ok = true;
	hd_machine_default(&machine);
	for (unsigned i = 0; ok && i < n; i++) {
		const ex_example *example = ex_find(first < argc ? argv[first + (int)i] : usual[i]);
		if (!example || size >= EX_SIZES_MAX || !example->sizes[size]) {
			fprintf(stderr, "usage: heddle-reports [--size N] [EXAMPLE]...\n");
			return 2;
		}
		hd_text source = {0};
		hd_text_printf(&source, "%s/%s", root ? root : "examples", example->source);
		hd_object *object = ex_heddle_compile(source.at, &machine, false, &diag);
		for (unsigned kind = 0; ok && kind < WATCHES; kind++)
			ok = object && measure(example, size, (watch)kind, object, &machine, &seconds[kind], &instructions[kind], &diag);
		if (object)
			hd_object_free(object);
		hd_text_free(&source);
	}
	printf("| who watches | million warp instructions a second | against nobody |\n|---|---:|---:|\n");
	for (unsigned kind = 0; ok && kind < WATCHES; kind++)
		printf("| %s | %.2f | %.2f |\n", names[kind], (double)instructions[kind] / seconds[kind] / 1e6, seconds[NOBODY] / seconds[kind]);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

/* races [--size N] [NAME]...: every example in the interpreter with the race detector (MT-5), in OpenCL C and in CUDA where it has both. No example
 * has a race; outputs and statistics are those of a run without the detector. Prints what the detector costs. */
#include "backend_heddle.h"
#include "sanitizer/races.h"

typedef struct totals {
	double plain, watched;
} totals;

/* One run. False and errors in diag if it fails or has a race. */
static bool run_once(const ex_example *example, unsigned size, const hd_object *object, const hd_machine *machine, bool watched, ex_run *out,
                     hd_stats *stats, double *seconds, hd_diag *diag)
{
	*out = (ex_run){0};
	ex_backend *backend = ex_heddle_new(object, machine, true, diag);
	if (!backend)
		return false;
	hd_races *races = watched ? hd_races_new(ex_heddle_program(backend), ex_heddle_memory(backend), &(hd_races_options){0}) : NULL;
	ex_heddle_order(backend, races ? hd_races_observer(races) : NULL);
	bool ok = ex_run_example(out, example, size, backend, diag);
	if (races && (hd_races_found_of(races)->total || hd_races_found_of(races)->barriers || hd_races_found_of(races)->unwatched)) {
		hd_races_print(&diag->text, hd_races_found_of(races), HD_RACES_MAX, ex_heddle_program(backend));
		ok = false;
	}
	*stats = *ex_heddle_stats(backend);
	*seconds = ex_heddle_seconds(backend);
	hd_races_free(races);
	ex_heddle_free(backend);
	return ok;
}

static bool check(const ex_example *example, unsigned size, const char *source, totals *sum, hd_diag *diag)
{
	hd_machine machine;
	hd_machine_default(&machine);
	machine.compile_races = true;
	hd_object *object = ex_heddle_compile(source, &machine, false, diag);
	ex_run plain = {0}, watched = {0};
	hd_stats plain_stats, watched_stats;
	double plain_seconds = 0, watched_seconds = 0;
	bool ok = object && run_once(example, size, object, &machine, false, &plain, &plain_stats, &plain_seconds, diag) &&
	          run_once(example, size, object, &machine, true, &watched, &watched_stats, &watched_seconds, diag);
	ok = ok && ex_same_outputs(&plain, "without the detector", &watched, "with it", diag);
	if (ok && memcmp(&plain_stats, &watched_stats, sizeof plain_stats) != 0) {
		hd_error(diag, (hd_pos){.file = example->name}, "the detector changes statistics");
		ok = false;
	}
	sum->plain += plain_seconds;
	sum->watched += watched_seconds;
	printf("%-44s %s, %.3f s and %.3f s with the detector\n", source + strlen(source) - hd_min_u64(strlen(source), 44), ok ? "no race" : "FAILED",
	       plain_seconds, watched_seconds);
	fflush(stdout);
	ex_run_free(&plain);
	ex_run_free(&watched);
	if (object)
		hd_object_free(object);
	return ok;
}

static bool check_example(const ex_example *example, unsigned size, const char *root, totals *sum, hd_diag *diag)
{
	const char *const sources[] = {example->source, example->cuda};
	bool ok = true;
	for (unsigned i = 0; i < HD_COUNT(sources); i++) {
		hd_text path = {0};
		if (!sources[i])
			continue;
		hd_text_printf(&path, "%s/examples/%s", root, sources[i]);
		ok = check(example, size, path.at, sum, diag) && ok;
		hd_text_free(&path);
	}
	return ok;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	hd_diag diag = {0};
	totals sum = {0};
	bool ok = true;
	int first = 1;
	unsigned size = 0;
	if (argc > 2 && strcmp(argv[1], "--size") == 0) {
		size = (unsigned)atoi(argv[2]);
		first = 3;
	}
	for (unsigned i = 0; ex_tested[i]; i++) {
		bool wanted = argc <= first;
		for (int a = first; a < argc; a++)
			wanted |= strcmp(argv[a], ex_tested[i]->name) == 0;
		for (unsigned s = 0; wanted && s <= size; s++)
			if (s == size && ex_tested[i]->sizes[s])
				ok = check_example(ex_tested[i], size, root ? root : ".", &sum, &diag) && ok;
	}
	printf("all: %.3f s and %.3f s with the detector\n", sum.plain, sum.watched);
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

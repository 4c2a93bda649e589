/* subsets FIRST STEP: every example (from number FIRST on, each STEP-th) in its smallest size, on all 32 subsets of the five mechanisms. The bytes of
 * every output must be those of the interpreter, every issue slot must have been issued or lost to one cause, and the hazard sanitizer must be
 * silent. Programs are compiled for each subset, and the checker proves them. Under the sanitizers each example runs on a fourth of the subsets; a
 * neighbouring example runs on the next fourth. */
#include "backend_heddle.h"
#include "check/check.h"
#include "config/mechanisms.h"
#include "sanitizer/sanitizer.h"

enum { SUBSETS = 1 << HD_MECHANISMS };

typedef struct subject {
	const ex_example *example;
	const char *source;
	char *ptx;
	size_t size;
	ex_run expected;
} subject;

static bool run(subject *s, const hd_machine *machine, const hd_object *object, bool functional, ex_run *out, hd_stats *stats, hd_diag *diag)
{
	*out = (ex_run){0};
	ex_backend *backend = ex_heddle_new(object, machine, functional, diag);
	if (!backend)
		return false;
	hd_sanitizer *sanitizer = hd_sanitizer_new(ex_heddle_program(backend));
	ex_heddle_watch(backend, hd_sanitizer_watcher(sanitizer));
	bool ok = ex_run_example(out, s->example, 0, backend, diag);
	*stats = *ex_heddle_stats(backend);
	if (hd_sanitizer_found(sanitizer)->total) {
		hd_violations_print(&diag->text, hd_sanitizer_found(sanitizer), 1, ex_heddle_program(backend));
		ok = false;
	}
	hd_sanitizer_free(sanitizer);
	ex_heddle_free(backend);
	return ok;
}

static bool proven(const subject *s, const hd_object *object, const hd_machine *machine, hd_diag *diag)
{
	hd_check_report report = {0};
	bool ok = hd_check(object, machine, &report);
	if (!ok)
		hd_error(diag, (hd_pos){.file = s->example->name}, "%llu dependences are not covered", (unsigned long long)report.total);
	hd_check_report_free(&report);
	return ok;
}

static bool on_subset(subject *s, unsigned set, hd_diag *diag)
{
	hd_machine machine;
	hd_mechanism_subset(&machine, set);
	hd_object *object = ex_heddle_compile_ptx(s->ptx, s->size, s->source, &machine, false, diag);
	ex_run got = {0};
	hd_stats stats = {0};
	bool ok = object && hd_machine_validate(&machine, NULL, diag) && proven(s, object, &machine, diag);
	ok = ok && (s->expected.example || run(s, &machine, object, true, &s->expected, &stats, diag));
	ok = ok && run(s, &machine, object, false, &got, &stats, diag);
	ok = ok && ex_same_outputs(&s->expected, "the interpreter", &got, machine.name, diag);
	if (!ok)
		hd_error(diag, (hd_pos){.file = s->example->name}, "the above is about machine %s", machine.name);
	ex_run_free(&got);
	if (object)
		hd_object_free(object);
	return ok;
}

static bool on_subsets(const ex_example *example, unsigned number, const char *root, hd_diag *diag)
{
	hd_text source = {0};
	hd_text_printf(&source, "%s/examples/%s", root, example->source);
	subject s = {.example = example, .source = source.at};
	unsigned ran = 0, every = getenv("HEDDLE_SANITIZED") ? 4 : 1;
	s.ptx = ex_heddle_ptx(s.source, &s.size, diag);
	bool ok = s.ptx != NULL;
	for (unsigned set = 0; ok && set < SUBSETS; set++) {
		if ((set + number) % every)
			continue;
		ok = on_subset(&s, set, diag);
		ran++;
	}
	printf("%-14s %s on %u subsets\n", example->name, ok ? "the same bytes" : "FAILED", ran);
	fflush(stdout);
	ex_run_free(&s.expected);
	free(s.ptx);
	hd_text_free(&source);
	return ok;
}

int main(int argc, char **argv)
{
	const char *root = getenv("HEDDLE_SOURCE");
	unsigned first = argc == 3 ? (unsigned)atoi(argv[1]) : 0, step = argc == 3 ? (unsigned)atoi(argv[2]) : 1;
	hd_diag diag = {0};
	bool ok = true;
	if ((argc != 1 && argc != 3) || !step) {
		fprintf(stderr, "usage: subsets [FIRST STEP]\n");
		return 2;
	}
	for (unsigned i = 0; ex_tested[i]; i++)
		if (i >= first && (i - first) % step == 0)
			ok = on_subsets(ex_tested[i], i / step, root ? root : ".", &diag) && ok;
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

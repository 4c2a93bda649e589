/* subsets FIRST STEP: every example (from number FIRST on, each STEP-th) in its smallest size, on all 32 subsets of the five mechanisms. The bytes of
 * every output must be those of the interpreter, every issue slot must have been issued or lost to one cause, and the hazard sanitizer must be
 * silent. Programs are compiled for each subset, and the checker proves them. Under the sanitizers each example runs on a fourth of the subsets; a
 * neighbouring example runs on the next fourth. */
#include "config/mechanisms.h"
#include "watched_run.h"

enum { SUBSETS = 1 << HD_MECHANISMS };

typedef struct subject {
	const ex_example *example;
	const char *source;
	char *ptx;
	size_t size;
	ex_run expected;
} subject;

static bool on_subset(subject *s, unsigned set, hd_diag *diag)
{
	hd_machine machine;
	hd_mechanism_subset(&machine, set);
	hd_object *object = ex_heddle_compile_ptx(s->ptx, s->size, s->source, &machine, false, diag);
	ex_run got = {0};
	bool ok = object && hd_machine_validate(&machine, NULL, diag) && is_proven(s->example, object, &machine, diag);
	ok = ok && (s->expected.example || watched_run(s->example, &machine, object, true, &s->expected, diag));
	ok = ok && watched_run(s->example, &machine, object, false, &got, diag);
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

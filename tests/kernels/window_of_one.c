/* MI-10: a candidate window of one is single issue, in every statistic, on every example in its smallest size, with fence counters and with the
 * scoreboard. The machine has no hints that only single issue honours: those about two consecutive instructions or about other warps (PD-7 to PD-9).
 */
#include "backend_heddle.h"

static bool run(const ex_example *example, const hd_object *object, const hd_machine *machine, bool window, hd_stats *stats, hd_diag *diag)
{
	ex_run run = {0};
	ex_backend *backend = ex_heddle_new(object, machine, false, diag);
	if (!backend)
		return false;
	ex_heddle_options(backend)->window_of_one = window;
	bool ok = ex_run_example(&run, example, 0, backend, diag);
	*stats = *ex_heddle_stats(backend);
	ex_run_free(&run);
	ex_heddle_free(backend);
	return ok;
}

static bool same(const hd_stats *single, const hd_stats *window, hd_pos pos, hd_diag *diag)
{
	bool ok = true;
#define STAT(group, counter, doc)                                                                                       \
	if (single->group##_##counter != window->group##_##counter) {                                                   \
		hd_error(diag, pos, #group "." #counter " is %llu in single issue and %llu with a window of one",       \
		         (unsigned long long)single->group##_##counter, (unsigned long long)window->group##_##counter); \
		ok = false;                                                                                             \
	}
#include "launch/stats.def"
#undef STAT
	return ok;
}

static bool check(const ex_example *example, const char *mode, hd_diag *diag)
{
	static const char *const plain[] = {"multi_issue.window=1", "predecode.pair=false", "predecode.hold=false", "predecode.boost=false"};
	hd_machine machine;
	hd_stats single, window;
	hd_text path = {0};
	bool ok = true;
	hd_machine_default(&machine);
	for (unsigned i = 0; i < HD_COUNT(plain); i++)
		ok = ok && hd_machine_set(&machine, plain[i], diag);
	hd_text_printf(&path, "%s/examples/%s", getenv("HEDDLE_SOURCE"), example->source);
	/* The program of the machine with counters runs on both. */
	hd_object *object = ok ? ex_heddle_compile(path.at, &machine, false, diag) : NULL;
	ok = object && hd_machine_set(&machine, mode, diag) && run(example, object, &machine, false, &single, diag) &&
	     run(example, object, &machine, true, &window, diag) && same(&single, &window, (hd_pos){.file = example->name}, diag);
	if (object)
		hd_object_free(object);
	hd_text_free(&path);
	return ok;
}

int main(void)
{
	hd_diag diag = {0};
	bool ok = true;
	for (unsigned e = 0; ex_examples[e]; e++) {
		ok = check(ex_examples[e], "fence.mode=fence", &diag) && ok;
		ok = check(ex_examples[e], "fence.mode=scoreboard", &diag) && ok;
	}
	if (diag.text.at)
		fputs(diag.text.at, stderr);
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

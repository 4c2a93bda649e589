#include "watched_run.h"

#include "check/check.h"
#include "sanitizer/sanitizer.h"

bool watched_run(const ex_example *example, const hd_machine *machine, const hd_object *object, bool functional, ex_run *out, hd_diag *diag)
{
	*out = (ex_run){0};
	ex_backend *backend = ex_heddle_new(object, machine, functional, diag);
	if (!backend)
		return false;
	hd_sanitizer *sanitizer = hd_sanitizer_new(ex_heddle_program(backend));
	ex_heddle_watch(backend, hd_sanitizer_watcher(sanitizer));
	bool ok = ex_run_example(out, example, 0, backend, diag);
	if (hd_sanitizer_found(sanitizer)->total) {
		hd_violations_print(&diag->text, hd_sanitizer_found(sanitizer), 1, ex_heddle_program(backend));
		ok = false;
	}
	hd_sanitizer_free(sanitizer);
	ex_heddle_free(backend);
	return ok;
}

bool is_proven(const ex_example *example, const hd_object *object, const hd_machine *machine, hd_diag *diag)
{
	hd_check_report report = {0};
	bool ok = hd_check(object, machine, &report);
	if (!ok)
		hd_error(diag, (hd_pos){.file = example->name}, "%llu dependences are not covered", (unsigned long long)report.total);
	hd_check_report_free(&report);
	return ok;
}

#include "api/compatible.h"

#include "check/check.h"
#include "config/record.h"

enum { DIFFERENCES_MAX = 3 /* of a message */ };

static bool same_machine(const hd_object *object, const hd_machine *machine)
{
	hd_text record = {0};
	hd_machine_record(machine, &record);
	bool same = strcmp(record.at, object->machine) == 0;
	hd_text_free(&record);
	return same;
}

static void refuse(const hd_object *object, const hd_machine *machine, const hd_check_report *report, const char *file, const char *way,
                   hd_diag *diag)
{
	hd_text what = {0};
	unsigned differences = hd_machine_record_differences(machine, object->machine, DIFFERENCES_MAX, &what);
	if (!differences)
		hd_text_printf(&what, "the object names keys that no machine of this version has");
	if (differences > DIFFERENCES_MAX)
		hd_text_printf(&what, "; %u more keys differ", differences - DIFFERENCES_MAX);
	hd_error(diag, (hd_pos){.file = file},
	         "is compiled for another machine, and not proven for this one (findings: %llu): %s; compile it anew, or run it all the same with %s",
	         (unsigned long long)report->total, what.at, way);
	hd_text_free(&what);
	if (report->findings.n && diag->errors < HD_DIAG_MAX) {
		hd_finding_print(&diag->text, &report->findings.at[0], object, file);
		diag->errors++;
	}
	if (report->gave_up && diag->errors < HD_DIAG_MAX) {
		hd_gave_up_print(&diag->text, report, file);
		diag->errors++;
	}
}

bool hd_compatible(const hd_object *object, const hd_machine *machine, const char *file, const char *way, hd_diag *diag)
{
	if (!object->machine || same_machine(object, machine))
		return true;
	hd_check_report report;
	bool proven = hd_check(object, machine, &report);
	if (!proven)
		refuse(object, machine, &report, file, way, diag);
	hd_check_report_free(&report);
	return proven;
}

#include "check/report.h"

#include "check/effects.h"
#include "check/room.h"

hd_finding *hd_report_add(hd_check_report *r, hd_hazard_kind kind, uint32_t producer, uint32_t consumer, int resource, uint32_t missing)
{
	for (size_t i = 0; i < r->findings.n; i++) {
		if (r->findings.at[i].producer == producer && r->findings.at[i].consumer == consumer)
			return NULL;
	}
	r->total++;
	if (r->findings.n >= HD_MAX_FINDINGS)
		return NULL;
	hd_vec_push(&r->findings, (hd_finding){.kind = kind, .producer = producer, .consumer = consumer, .resource = resource, .missing = missing});
	return &r->findings.at[r->findings.n - 1];
}

void hd_check_report_free(hd_check_report *r)
{
	for (size_t i = 0; i < r->findings.n; i++)
		hd_vec_free(&r->findings.at[i].path);
	hd_vec_free(&r->findings);
	hd_vec_free(&r->notes);
	*r = (hd_check_report){0};
}

static void print_source(hd_text *out, const hd_object *object, uint32_t word)
{
	const char *file;
	uint32_t line, column;
	if (hd_object_line(object, word, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
}

static void print_place(hd_text *out, const hd_object *object, uint32_t word)
{
	hd_inst inst;
	const char *why;
	if (word < object->code.n && hd_object_begins(object, word) && hd_line_get(object->geometry, object->code.at, word, &inst, &why)) {
		hd_text_printf(out, "`");
		hd_inst_print(out, &inst);
		hd_text_printf(out, "` at %u", word);
	} else {
		hd_text_printf(out, "word %u", word);
	}
	print_source(out, object, word);
}

static void print_last_use(hd_text *out, const hd_finding *f, const hd_object *object)
{
	hd_text_printf(out, "the last use of r%d in ", f->resource);
	print_place(out, object, f->consumer);
	if (f->producer == f->consumer) {
		hd_text_printf(out, " is not proven: no instruction of its pipeline and block makes the value (LU-3)\n");
		return;
	}
	hd_text_printf(out, " is not proven because of ");
	print_place(out, object, f->producer);
	hd_text_printf(out, " (LU-3)\n");
}

static void print_reuse(hd_text *out, const hd_finding *f, const hd_object *object)
{
	print_place(out, object, f->consumer);
	hd_text_printf(out, " raises a counter for which ");
	if (f->producer == f->consumer)
		hd_text_printf(out, "an instruction before a call or in a caller");
	else
		print_place(out, object, f->producer);
	hd_text_printf(out, " may still wait in its queue: a deadlock without wait counters (HZ-35)\n");
}

static void print_hazard(hd_text *out, const hd_finding *f, const hd_object *object)
{
	static const char *const names[] = {
	    [HD_HAZARD_ORDER] = ".order",        [HD_HAZARD_RAW] = "RAW",  [HD_HAZARD_WAR] = "WAR", [HD_HAZARD_WAW] = "WAW",
	    [HD_HAZARD_MEMORY] = "memory order", [HD_HAZARD_CALL] = "call"};
	hd_text_printf(out, "%s", names[f->kind]);
	if (f->resource >= HD_RESOURCE_PREDICATE)
		hd_text_printf(out, " on p%d", f->resource - HD_RESOURCE_PREDICATE);
	else if (f->resource >= 0)
		hd_text_printf(out, " on r%d", f->resource);
	hd_text_printf(out, " is not covered: ");
	print_place(out, object, f->producer);
	hd_text_printf(out, f->kind == HD_HAZARD_CALL ? " may be outstanding at " : " and then ");
	print_place(out, object, f->consumer);
	if (f->missing)
		hd_text_printf(out, "; %u cycles are missing, or a counter", f->missing);
	else if (f->path.n)
		hd_text_printf(out, "; no counter waits for it");
	if (!f->path.n) {
		hd_text_printf(out, "; a scoreboard knows no such order\n");
		return;
	}
	hd_text_printf(out, "; path");
	for (size_t i = 0; i < f->path.n; i++)
		hd_text_printf(out, "%s%u", i ? " -> " : " ", f->path.at[i]);
	hd_text_printf(out, "\n");
}

void hd_finding_print(hd_text *out, const hd_finding *f, const hd_object *object, const char *file)
{
	const hd_function *function = hd_object_function(object, f->consumer);
	hd_text_printf(out, "%s: error: %s%s", file, function ? function->name : "", function ? ": " : "");
	switch (f->kind) {
	case HD_HAZARD_COUNTER:
		print_place(out, object, f->consumer);
		hd_text_printf(out, " names a counter that this machine does not have, or of the other latency set (HZ-20)\n");
		break;
	case HD_HAZARD_TYPE:
		print_place(out, object, f->consumer);
		hd_text_printf(out, " has a pre-decode byte of another type than its own (MI-1)\n");
		break;
	case HD_HAZARD_REUSE:
		print_reuse(out, f, object);
		break;
	case HD_HAZARD_LAST_USE:
		print_last_use(out, f, object);
		break;
	default:
		print_hazard(out, f, object);
		break;
	}
}

void hd_gave_up_print(hd_text *out, const hd_check_report *report, const char *file)
{
	hd_text_printf(
	    out,
	    "%s: error: is not proven: the checker gave up after %llu steps; the work can grow with the square of the instructions of a function\n",
	    file, (unsigned long long)report->gave_up);
}

static void print_apart(hd_text *out, const hd_note *note, const hd_object *object)
{
	print_place(out, object, note->word);
	hd_text_printf(out, " reads other lanes, and those that part at ");
	print_place(out, object, note->branch);
	hd_text_printf(out, " need not meet before it on this machine: the interpreter may give another result\n");
}

void hd_note_print(hd_text *out, const hd_note *note, const hd_object *object, const char *file)
{
	const hd_function *function = hd_object_function(object, note->word);
	hd_text_printf(out, "%s: note: %s%s", file, function ? function->name : "", function ? ": " : "");
	if (note->kind == HD_NOTE_APART) {
		print_apart(out, note, object);
		return;
	}
	hd_text_printf(out, "counter %u may have no room for ", note->counter);
	print_place(out, object, note->word);
	hd_text_printf(out, ": more than %u of its primaries can be outstanding", note->room);
	if (note->loop) {
		hd_text_printf(out, ", in the loop at %u", note->loop);
		print_source(out, object, note->loop);
	}
	hd_text_printf(out, "; the decoder then holds the warp back (HZ-18)\n");
}

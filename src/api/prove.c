/* The checker's findings on the program, as data (heddle/heddle.h). */
#include "api/state.h"

/* In the order of hd_hazard_kind. */
static const char *const kinds[] = {"raw", "war", "waw", "memory", "order", "call", "counter", "type", "reuse", "last_use"};
_Static_assert(HD_COUNT(kinds) == HD_HAZARD_LAST_USE + 1, "a name for each kind of finding");

heddle_verdict heddle_check(heddle *h, heddle_proof *proof)
{
	hd_check_report *r = &h->proof;
	if (proof)
		*proof = (heddle_proof){0};
	if (!hd_api_has_own_code(h) || !hd_machine_validate(&h->machine, h->machine.name, &h->diag))
		return HEDDLE_UNDECIDED;
	hd_check_report_free(r);
	bool proven = hd_check(h->object, &h->machine, r);
	if (proof)
		*proof = (heddle_proof){.findings = r->total,
		                        .dependences = r->dependences,
		                        .by_counter = r->by_counter,
		                        .by_delay = r->by_delay,
		                        .by_order = r->by_order,
		                        .last_uses = r->last_uses,
		                        .by_scoreboard = r->by_scoreboard};
	if (r->gave_up) {
		hd_gave_up_print(&h->diag.text, r, h->path);
		h->diag.errors++;
	}
	return proven ? HEDDLE_PROVEN : r->total ? HEDDLE_REFUTED : HEDDLE_UNDECIDED;
}

static void place(const heddle *h, uint32_t word, heddle_place *to)
{
	uint32_t column;
	*to = (heddle_place){.word = word};
	if (!hd_object_line(h->object, word, &to->file, &to->line, &column))
		to->file = NULL;
}

bool heddle_finding_at(heddle *h, unsigned index, heddle_finding *finding)
{
	if (index >= h->proof.findings.n)
		return false;
	const hd_finding *from = &h->proof.findings.at[index];
	*finding = (heddle_finding){
	    .kind = kinds[from->kind], .resource = from->resource, .missing = from->missing, .path = from->path.at, .n_path = (unsigned)from->path.n};
	place(h, from->producer, &finding->producer);
	place(h, from->consumer, &finding->consumer);
	hd_text_free(&h->text);
	hd_finding_print(&h->text, from, h->object, h->path);
	finding->text = h->text.at;
	return true;
}

/* The list of violations and its text. */
#include "sanitizer/state.h"

static hd_violation *find(hd_violations *found, hd_violation_kind kind, int resource, uint32_t first, uint32_t second)
{
	for (size_t i = 0; i < found->list.n; i++) {
		hd_violation *v = &found->list.at[i];
		if (v->kind == kind && v->resource == resource && v->first.word == first && v->second.word == second)
			return v;
	}
	return NULL;
}

/* The list already has this violation: it happened again, or it concerns other lanes of the same access. */
static void repeat(hd_violations *found, hd_violation *v, uint32_t lanes, const uint32_t latest[3])
{
	if (memcmp(v->latest, latest, sizeof v->latest) == 0) {
		v->lanes |= v->count == 1 ? lanes : 0;
		return;
	}
	memcpy(v->latest, latest, sizeof v->latest);
	v->count++;
	found->total++;
}

hd_violation *hd_san_report(hd_sanitizer *s, const hd_san_warp *warp, hd_violation_kind kind, int resource, uint32_t lanes, const hd_moment *first,
                            const hd_moment *second)
{
	hd_violations *found = &s->found;
	const uint32_t latest[3] = {warp->core, first->number, second->number};
	hd_violation *v = find(found, kind, resource, first->word, second->word);
	if (v) {
		repeat(found, v, lanes, latest);
		return NULL;
	}
	found->total++;
	if (found->list.n == HD_VIOLATIONS_MAX)
		return NULL;
	hd_vec_push(&found->list, (hd_violation){.kind = kind, .resource = resource, .first = *first, .second = *second, .count = 1});
	v = &found->list.at[found->list.n - 1];
	v->lanes = lanes;
	memcpy(v->latest, latest, sizeof v->latest);
	v->core = warp->core;
	v->scheduler = warp->scheduler;
	v->slot = warp->slot;
	v->warp = v->first_warp = warp->number;
	memcpy(v->cta, warp->cta->at, sizeof v->cta);
	return v;
}

void hd_san_end_run(hd_sanitizer *s)
{
	for (size_t i = 0; i < s->found.list.n; i++) {
		hd_violation *v = &s->found.list.at[i];
		memset(v->latest, 0xff, sizeof v->latest);
		v->first.number = v->second.number = UINT32_MAX;
	}
}

void hd_san_complete(hd_sanitizer *s, const hd_san_warp *warp, const hd_moment *moment)
{
	for (size_t i = 0; i < s->found.list.n; i++) {
		hd_violation *v = &s->found.list.at[i];
		if (v->core != warp->core)
			continue;
		if (!v->first.done && v->first.number == moment->number)
			v->first = *moment;
		if (!v->second.done && v->second.number == moment->number)
			v->second = *moment;
	}
}

const char *hd_violation_name(hd_violation_kind kind)
{
	static const char *const names[] = {"RAW", "WAR", "WAW", "last use", "memory order", "barrier", "fence"};
	return names[kind];
}

void hd_violation_resource(hd_text *out, const hd_violation *v)
{
	bool shared = hd_window(v->address) == HD_SPACE_SHARED;
	if (v->resource >= 256)
		hd_text_printf(out, "p%d", v->resource - 256);
	else if (v->resource >= 0)
		hd_text_printf(out, "r%d", v->resource);
	else if (v->kind == HD_VIOLATION_FENCE)
		hd_text_printf(out, "memory");
	else
		hd_text_printf(out, "%s memory at 0x%llx", shared ? "shared" : "global",
		               (unsigned long long)(shared ? v->address - HD_WINDOW_SHARED : v->address));
}

static const char *what(const hd_violation *v)
{
	switch (v->kind) {
	case HD_VIOLATION_RAW:
		return "a value was read that was not there yet";
	case HD_VIOLATION_WAR:
		return "a value was overwritten before it was read";
	case HD_VIOLATION_WAW:
		return "an earlier value was written over a later one";
	case HD_VIOLATION_LAST_USE:
		return "a value was read that a last-use flag had dropped";
	case HD_VIOLATION_ORDER:
		return "two accesses of a warp took effect against the order of the program";
	case HD_VIOLATION_FENCE:
		return "a fence took effect before the end of what it is to wait for";
	default:
		return "an access was outstanding at a barrier, and took effect after one from behind it";
	}
}

/* Appends the instruction's action and its cycle. */
static void put_done(hd_text *out, const hd_violation *v, bool first)
{
	const hd_moment *m = first ? &v->first : &v->second;
	bool reads = first ? v->kind == HD_VIOLATION_WAR : v->kind == HD_VIOLATION_RAW || v->kind == HD_VIOLATION_LAST_USE;
	if (v->kind == HD_VIOLATION_LAST_USE && first)
		hd_text_printf(out, ", and dropped the value then");
	else if (reads)
		hd_text_printf(out, ", and read it then");
	else if (v->resource < 0)
		hd_text_printf(out, ", took effect in %llu", (unsigned long long)m->performed);
	else if (m->done)
		hd_text_printf(out, ", wrote it in %llu", (unsigned long long)m->done);
	else
		hd_text_printf(out, ", and never wrote it");
}

static void put_moment(hd_text *out, const hd_violation *v, bool first, const hd_program *program)
{
	const hd_moment *m = first ? &v->first : &v->second;
	const char *file;
	uint32_t line, column;
	hd_text_printf(out, "  `");
	hd_inst_print(out, &program->slots[m->word].inst);
	hd_text_printf(out, "` at word %u", m->word);
	if (hd_object_line(program->object, m->word, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
	if (v->kind == HD_VIOLATION_BARRIER)
		hd_text_printf(out, " of warp %u", first ? v->first_warp : v->warp);
	if (!m->issued) {
		hd_text_printf(out, ": long done\n");
		return;
	}
	hd_text_printf(out, ": issued in cycle %llu, ", (unsigned long long)m->issued);
	if (m->entered) {
		hd_text_printf(out, "entered in %llu", (unsigned long long)m->entered);
		put_done(out, v, first);
	} else {
		hd_text_printf(out, "never entered");
	}
	hd_text_printf(out, "\n");
}

void hd_violation_print(hd_text *out, const hd_violation *v, const hd_program *program)
{
	const hd_function *function = hd_object_function(program->object, v->second.word);
	const char *file;
	uint32_t line, column;
	if (hd_object_line(program->object, v->second.word, &file, &line, &column)) {
		hd_text_printf(out, "%s:%u:", file, line);
		if (column)
			hd_text_printf(out, "%u:", column);
		hd_text_put(out, " ", 1);
	}
	hd_text_printf(out, "error: ");
	if (function)
		hd_text_printf(out, "'%s': ", function->name);
	hd_text_printf(out, "%s on ", hd_violation_name(v->kind));
	hd_violation_resource(out, v);
	hd_text_printf(out, ": %s\n", what(v));
	put_moment(out, v, true, program);
	put_moment(out, v, false, program);
	hd_text_printf(out, "  CTA (%u,%u,%u), warp %u, lanes 0x%08x, core %u, scheduler %u, slot %u; %llu time%s\n", v->cta[0], v->cta[1], v->cta[2],
	               v->warp, v->lanes, v->core, v->scheduler, v->slot, (unsigned long long)v->count, v->count == 1 ? "" : "s");
}

void hd_violations_print(hd_text *out, const hd_violations *violations, size_t most, const hd_program *program)
{
	uint64_t listed = 0;
	for (size_t i = 0; i < violations->list.n && i < most; i++) {
		hd_violation_print(out, &violations->list.at[i], program);
		listed += violations->list.at[i].count;
	}
	if (listed < violations->total)
		hd_text_printf(out, "error: %llu further violations are not listed here\n", (unsigned long long)(violations->total - listed));
}

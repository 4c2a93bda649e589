/* Registers and predicates. The rules concern lanes and program order, not cycles. "Earlier" and "later" mean program order. An event is wrong when
 * it happens after an event of a later instruction that depends on it, or before an event of an earlier instruction on which it depends.
 *
 *   R1  A reader enters. An earlier instruction will write the operand and has not written it: the value does not exist yet (RAW).
 *   R2  An instruction becomes certain to write. A later instruction has already read the destination: it read too early (RAW).
 *   R3  A reader enters. A later instruction has already written the operand: it wrote too early (WAR).
 *   R4  A result is written. A later instruction has already written the destination: its value is lost (WAW).
 *   R5  A reader enters. A last-use flag dropped the operand, and no instruction has written it since (LU-5).
 *
 * The lanes that an instruction writes are known at its issue if it has no guard, and at its entry if it has one.
 *
 * R1 and R2 do not apply when a third instruction between the two has written the resource meanwhile, because the reader does not need the earlier
 *    value. */
#include "sanitizer/state.h"

static void note(hd_san_latest *latest, uint64_t *others, uint64_t order, uint32_t lanes)
{
	if (order >= latest->order) {
		if (!lanes)
			return;
		for (uint32_t left = latest->lanes & ~lanes; left; left &= left - 1)
			others[__builtin_ctz(left)] = latest->order;
		latest->order = order;
		latest->lanes = lanes;
		return;
	}
	for (uint32_t left = lanes & ~latest->lanes; left; left &= left - 1) {
		uint64_t *other = &others[__builtin_ctz(left)];
		*other = *other < order ? order : *other;
	}
}

static uint64_t order_in(const hd_san_latest *latest, const uint64_t *others, unsigned lane)
{
	return latest->lanes >> lane & 1 ? latest->order : others[lane];
}

/* The lanes of `lanes` whose latest instruction is later than `after` and earlier than `before`. */
static uint32_t between(const hd_san_latest *latest, const uint64_t *others, uint64_t after, uint64_t before, uint32_t lanes)
{
	uint32_t found = 0;
	if (latest->order <= after)
		return 0;
	for (uint32_t left = lanes; left; left &= left - 1) {
		uint64_t order = order_in(latest, others, (unsigned)__builtin_ctz(left));
		found |= order > after && order < before ? left & -left : 0;
	}
	return found;
}

static int resource_of(const hd_sanitizer *s, unsigned i) { return i < s->registers ? (int)i : 256 + (int)(i - s->registers); }

static void report(hd_sanitizer *s, hd_san_warp *warp, hd_violation_kind kind, unsigned i, const hd_moment *first, const hd_moment *second,
                   uint32_t lanes)
{
	hd_san_report(s, warp, kind, resource_of(s, i), lanes, first, second);
}

static bool writes(const hd_sanitizer *s, uint32_t word, unsigned i)
{
	const hd_san_inst *inst = &s->insts[word];
	for (unsigned k = 0; k < inst->n_writes; k++)
		if (i >= inst->writes[k].first && i < (unsigned)inst->writes[k].first + inst->writes[k].words)
			return true;
	return false;
}

/* R1. Returns the lanes that were reported. */
static uint32_t read_too_early(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *reader, unsigned i, uint32_t lanes)
{
	uint32_t bad = 0;
	while (lanes) {
		hd_san_record *maker = NULL;
		for (size_t k = 0; k < warp->live.n; k++) {
			hd_san_record *other = &warp->live.at[k];
			if (other->order < reader->order && other->unwritten & lanes && writes(s, other->moment.word, i) &&
			    (!maker || other->order > maker->order))
				maker = other;
		}
		if (!maker)
			break;
		uint32_t of = maker->unwritten & lanes;
		lanes &= ~of;
		of &= ~between(&warp->written[i], warp->written_lanes[i], maker->order, reader->order, of);
		if (of)
			report(s, warp, HD_VIOLATION_RAW, i, &maker->moment, &reader->moment, of);
		bad |= of;
	}
	return bad;
}

static void read_one(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *reader, unsigned i, uint32_t lanes)
{
	uint32_t bad = 0;
	if (warp->pending[i])
		bad = read_too_early(s, warp, reader, i, lanes);
	if (warp->written[i].order > reader->order) { /* R3 */
		uint32_t lost = between(&warp->written[i], warp->written_lanes[i], reader->order, UINT64_MAX, lanes & ~bad);
		if (lost) {
			hd_moment by = hd_san_moment(warp, order_in(&warp->written[i], warp->written_lanes[i], (unsigned)__builtin_ctz(lost)));
			report(s, warp, HD_VIOLATION_WAR, i, &reader->moment, &by, lost);
		}
		bad |= lost;
	}
	uint32_t dropped = warp->dropped[i] & lanes & ~bad;
	if (dropped) { /* R5 */
		hd_moment by = hd_san_moment(warp, warp->dropper[i]);
		report(s, warp, HD_VIOLATION_LAST_USE, i, &by, &reader->moment, dropped);
	}
	note(&warp->read[i], warp->read_lanes[i], reader->order, lanes);
}

/* R2: reports the lanes of the writer's resource that a later instruction has already read. */
static void was_read(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *writer, unsigned i)
{
	const hd_san_latest *read = &warp->read[i];
	uint32_t early = between(read, warp->read_lanes[i], writer->order, UINT64_MAX, writer->lanes), first = 0;
	uint64_t order = 0;
	for (uint32_t left = early; left; left &= left - 1) {
		unsigned lane = (unsigned)__builtin_ctz(left);
		uint64_t by = order_in(read, warp->read_lanes[i], lane);
		if (between(&warp->written[i], warp->written_lanes[i], writer->order, by, 1u << lane))
			continue;
		order = first ? order : by;
		first |= order == by ? 1u << lane : 0;
	}
	if (!first)
		return;
	hd_moment by = hd_san_moment(warp, order);
	report(s, warp, HD_VIOLATION_RAW, i, &writer->moment, &by, first);
}

/* The instruction is certain to write its results in record->lanes. */
static void will_write(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, const hd_san_inst *inst)
{
	record->unwritten = record->lanes;
	for (unsigned k = 0; k < inst->n_writes; k++) {
		const hd_san_use *use = &inst->writes[k];
		for (unsigned i = use->first; i < (unsigned)use->first + use->words; i++) {
			if (warp->read[i].order > record->order)
				was_read(s, warp, record, i);
			warp->pending[i]++;
		}
	}
}

static void will_not_write(hd_san_warp *warp, const hd_san_inst *inst)
{
	for (unsigned k = 0; k < inst->n_writes; k++) {
		const hd_san_use *use = &inst->writes[k];
		for (unsigned i = use->first; i < (unsigned)use->first + use->words; i++)
			warp->pending[i]--;
	}
}

void hd_san_issue(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record)
{
	const hd_san_inst *inst = &s->insts[record->moment.word];
	record->lanes = record->active;
	if (!inst->guarded)
		will_write(s, warp, record, inst);
}

static void read_guard(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, const hd_san_inst *inst)
{
	for (unsigned k = 0; k < inst->n_reads; k++)
		if (inst->reads[k].guard)
			read_one(s, warp, record, inst->reads[k].first, record->active);
}

void hd_san_enter(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record)
{
	const hd_san_inst *inst = &s->insts[record->moment.word];
	read_guard(s, warp, record, inst);
	if (inst->guarded)
		will_write(s, warp, record, inst);
}

void hd_san_read(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes)
{
	const hd_san_inst *inst = &s->insts[record->moment.word];
	for (unsigned k = 0; k < inst->n_reads; k++) {
		const hd_san_use *use = &inst->reads[k];
		for (unsigned i = use->first; !use->guard && i < (unsigned)use->first + use->words; i++)
			read_one(s, warp, record, i, lanes);
	}
}

void hd_san_squash(hd_sanitizer *s, hd_san_warp *warp, const hd_san_record *record)
{
	const hd_san_inst *inst = &s->insts[record->moment.word];
	if (!inst->guarded)
		will_not_write(warp, inst);
}

void hd_san_drop(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record)
{
	read_guard(s, warp, record, &s->insts[record->moment.word]);
	hd_san_squash(s, warp, record); /* without a guard: no lane was active */
}

static void write_one(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, unsigned i, uint32_t lanes)
{
	hd_san_latest *written = &warp->written[i];
	uint32_t lost = between(written, warp->written_lanes[i], record->order, UINT64_MAX, lanes);
	if (lost) { /* R4 */
		hd_moment by = hd_san_moment(warp, order_in(written, warp->written_lanes[i], (unsigned)__builtin_ctz(lost)));
		report(s, warp, HD_VIOLATION_WAW, i, &record->moment, &by, lost);
	}
	note(written, warp->written_lanes[i], record->order, lanes);
	warp->dropped[i] &= ~lanes;
}

void hd_san_write(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record, uint32_t lanes)
{
	const hd_san_inst *inst = &s->insts[record->moment.word];
	for (unsigned k = 0; k < inst->n_writes; k++) {
		const hd_san_use *use = &inst->writes[k];
		for (unsigned i = use->first; i < (unsigned)use->first + use->words; i++)
			write_one(s, warp, record, i, lanes);
	}
	record->unwritten &= ~lanes;
}

void hd_san_done(hd_sanitizer *s, hd_san_warp *warp, hd_san_record *record)
{
	hd_san_write(s, warp, record, record->unwritten);
	will_not_write(warp, &s->insts[record->moment.word]);
}

void hd_san_skip(hd_sanitizer *s, hd_san_warp *warp, const hd_trace_event *e)
{
	uint64_t maker, dropper;
	if (!hd_san_order(warp, e->maker, &maker) || !hd_san_order(warp, e->number, &dropper))
		return;
	for (unsigned i = e->reg; i < (unsigned)e->reg + e->words && i < s->registers; i++) {
		/* If a later value has already replaced the value in a lane, no reader misses it. */
		uint32_t lanes = between(&warp->written[i], warp->written_lanes[i], maker - 1, maker + 1, e->mask);
		warp->dropped[i] |= lanes;
		warp->dropper[i] = lanes ? dropper : warp->dropper[i];
	}
}

/* Operations of other lanes than their masks name, copies without a wait, and barriers of a whole CTA that not all of its threads come to together:
 * some have ended or are elsewhere, or warps meet at different instructions. The machine counts warps and goes on; the languages promise nothing. */
#include "sanitizer/races_state.h"

static void note(hd_races *r, hd_race_barrier_fault fault)
{
	hd_races_found *found = &r->found;
	found->barriers++;
	hd_races_place_cta(r, r->cta->number, fault.cta);
	for (size_t i = 0; i < found->faults.n; i++) {
		hd_race_barrier_fault *f = &found->faults.at[i];
		if (f->kind == fault.kind && f->word == fault.word && f->other_word == fault.other_word) {
			f->count++;
			if (f->kind >= HD_RACE_NAMED && f->warp == fault.warp && memcmp(f->cta, fault.cta, sizeof f->cta) == 0)
				f->lanes |= fault.lanes; /* they come one by one */
			return;
		}
	}
	if (found->faults.n == HD_RACES_MAX)
		return;
	fault.kernel = r->cta->launch->kernel;
	fault.count = 1;
	hd_vec_push(&found->faults, fault);
}

void hd_races_check_barrier(hd_races *r, const hd_race_barrier *b)
{
	const hd_race_cta *cta = r->cta;
	uint32_t first = 0;
	while (first < cta->n_warps && !b->takers[first])
		first++;
	if (first == cta->n_warps)
		return;
	bool missing[2] = {false, false};
	for (uint32_t w = 0; w < cta->n_warps; w++) {
		uint32_t absent = hd_warp_lanes(cta->launch, w) & ~b->came[w], ended = b->came[w] ? absent & ~b->alive[w] : absent;
		hd_race_barrier_fault fault = {.word = b->pc[first], .other_word = b->pc[first], .warp = w};
		if (b->takers[w] && b->pc[w] != b->pc[first]) {
			fault.kind = HD_RACE_OTHER_BARRIER;
			fault.other_word = b->pc[w];
			fault.lanes = b->takers[w];
			note(r, fault);
		}
		for (unsigned k = 0; k < 2; k++) { /* the first warp of each kind stands for all of one barrier */
			fault.kind = k ? HD_RACE_ELSEWHERE : HD_RACE_ENDED;
			fault.lanes = k ? absent & ~ended : ended;
			fault.other_word = fault.word;
			if (fault.lanes && !missing[k])
				note(r, fault);
			missing[k] |= fault.lanes != 0;
		}
	}
}

/* Lanes that have ended may be named, as CUDA has it. */
void hd_races_check_members(hd_races *r, const hd_order_event *e)
{
	uint32_t own = 1u << e->lane, lanes[] = {e->names & ~e->mask & e->alive, own & ~e->names};
	hd_race_barrier_fault fault = {.word = e->pc, .other_word = e->pc, .warp = e->warp};
	for (unsigned k = 0; k < 2; k++) {
		fault.kind = k ? HD_RACE_NOT_NAMED : HD_RACE_NAMED;
		fault.lanes = lanes[k];
		if (lanes[k])
			note(r, fault);
	}
}

static void note_lane(hd_races *r, const hd_order_event *e, int kind)
{
	note(r, (hd_race_barrier_fault){.kind = kind, .word = e->pc, .other_word = e->pc, .warp = e->warp, .lanes = 1u << e->lane});
}

void hd_races_check_shuffle(hd_races *r, const hd_order_event *e) { note_lane(r, e, HD_RACE_SHUFFLE); }

void hd_races_check_events(hd_races *r, const hd_order_event *e)
{
	hd_race_cta *cta = r->cta;
	uint32_t own = 1u << e->lane;
	if (e->names == UINT32_MAX) {
		cta->copying[e->warp] |= own;
		cta->copy[e->warp] = e->pc;
		return;
	}
	if (e->names)
		cta->copying[e->warp] &= ~own;
	if (cta->events && cta->events != e->names + UINT64_C(1))
		note_lane(r, e, HD_RACE_COUNTS);
	else
		cta->events = e->names + UINT64_C(1);
}

void hd_races_check_copies(hd_races *r)
{
	const hd_race_cta *cta = r->cta;
	for (uint32_t w = 0; w < cta->n_warps; w++)
		if (cta->copying[w])
			note(r, (hd_race_barrier_fault){
			            .kind = HD_RACE_COPY, .word = cta->copy[w], .other_word = cta->copy[w], .warp = w, .lanes = cta->copying[w]});
}

static void put_place(hd_text *out, uint32_t word, const hd_program *program)
{
	const char *file;
	uint32_t line, column;
	hd_text_printf(out, "`");
	hd_inst_print(out, &program->slots[word].inst);
	hd_text_printf(out, "` at word %u", word);
	if (hd_object_line(program->object, word, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
}

void hd_race_barrier_print(hd_text *out, const hd_race_barrier_fault *f, const hd_program *program)
{
	static const struct {
		const char *fault, *lanes;
	} what[] = {
	    {"not all threads of the CTA come to this barrier", "have ended"},
	    {"not all threads of the CTA come to this barrier", "are elsewhere"},
	    {"not all threads of the CTA come to this barrier", "wait at another one, "},
	    {"the mask of this operation is not that of its lanes", "are named and elsewhere"},
	    {"the mask of this operation is not that of its lanes", "are there and do not name themselves"},
	    {"this shuffle takes values of lanes that are not there or not named", "use them"},
	    {"not all threads of the CTA wait here for as many events", "wait for another number of them"},
	    {"no wait_group_events is behind this copy", "end without one"},
	};
	const char *file;
	uint32_t line, column;
	if (hd_object_line(program->object, f->word, &file, &line, &column))
		hd_text_printf(out, "%s:%u:%u: ", file, line, column);
	hd_text_printf(out, "error: '%s': %s", hd_kernel_name(f->kernel), what[f->kind].fault);
	if (f->kind < HD_RACE_NAMED) {
		hd_text_printf(out, ": ");
		put_place(out, f->word, program);
	}
	hd_text_printf(out, "\n  CTA (%u,%u,%u), warp %u: lanes 0x%08x %s", f->cta[0], f->cta[1], f->cta[2], f->warp, f->lanes, what[f->kind].lanes);
	if (f->kind == HD_RACE_OTHER_BARRIER)
		put_place(out, f->other_word, program);
	hd_text_printf(out, "\n  %llu time%s\n", (unsigned long long)f->count, f->count == 1 ? "" : "s");
}

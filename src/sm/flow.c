/* Control flow (SR-7). Each lane has a PC; of the lanes of a warp that can run, those at the lowest place do. Convergence barriers are sets of lanes,
 * which each lane has for itself, as the code moves them in registers of lanes. A group that yields, or spins for long, lets all others have a turn.
 */
#include "sm/state.h"

static void park(hd_sm_warp *w)
{
	for (uint32_t rest = w->active; rest; rest &= rest - 1)
		w->pc[hd_lowest_bit(rest)] = w->now;
	w->active = 0;
}

/* The lowest place of these lanes that is not below `least`. */
static uint32_t lowest(const hd_sm_warp *w, uint32_t lanes, uint32_t least)
{
	uint32_t place = UINT32_MAX;
	for (uint32_t rest = lanes; rest; rest &= rest - 1)
		if (w->pc[hd_lowest_bit(rest)] >= least)
			place = hd_min_u32(place, w->pc[hd_lowest_bit(rest)]);
	return place;
}

bool hd_sm_choose(hd_sm_warp *w)
{
	park(w);
	uint32_t can = w->alive & ~w->blocked, first = 0;
	if (!can)
		return false;
	if (!(can & ~w->aside))
		w->aside = 0;
	can &= ~w->aside;
	w->now = lowest(w, can, 0);
	for (uint32_t rest = can; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (w->pc[lane] != w->now)
			continue;
		first = w->active ? first : lane;
		bool other = (w->apart >> first & 1) != (w->apart >> lane & 1) || (w->apart >> lane & 1 && w->with[lane] != w->with[first]);
		w->active |= (uint32_t)!other << lane;
	}
	w->apart &= ~w->active;
	w->stop = lowest(w, can & ~w->active, w->now + 1);
	w->streak = 0;
	return true;
}

static void block(hd_sm_warp *w, uint32_t mask, hd_sm_wait why)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		w->wait[hd_lowest_bit(rest)] = (uint8_t)why;
	w->blocked |= mask;
}

static void let_go(hd_sm_warp *w, uint32_t mask)
{
	w->blocked &= ~mask;
	w->aside &= ~mask;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		w->wait[hd_lowest_bit(rest)] = HD_SM_RUNS;
}

/* Lanes that wait for the same reason as `lane`, and at the same barrier. */
static uint32_t beside(const hd_sm_warp *w, unsigned lane)
{
	uint32_t same = 0;
	for (uint32_t rest = w->blocked; rest; rest &= rest - 1) {
		unsigned other = hd_lowest_bit(rest);
		same |= (uint32_t)(w->wait[other] == w->wait[lane] && (w->wait[lane] != HD_SM_AT_MEET || w->at[other] == w->at[lane])) << other;
	}
	return same;
}

/* Lets lanes go for which nobody is missing any more: at BSYNC, WARPSYNC and collectives. */
static void release(hd_sm_warp *w)
{
	for (uint32_t rest = w->blocked; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (!(w->blocked >> lane & 1) || w->wait[lane] == HD_SM_AT_BARRIER)
			continue;
		uint32_t wanted = (w->wait[lane] == HD_SM_AT_MEET ? w->meet[w->at[lane]][lane] : w->with[lane]) & w->alive;
		if (wanted & ~beside(w, lane))
			continue;
		if (w->wait[lane] == HD_SM_AT_COLLECTIVE) {
			/* They execute what follows the first one's instruction together. */
			uint32_t first = lowest(w, wanted, 0);
			for (uint32_t all = wanted; all; all &= all - 1)
				w->pc[hd_lowest_bit(all)] = first;
		}
		let_go(w, wanted | 1u << lane);
	}
}

/* The active lanes in `mask` go to `place`, the others on. */
static bool go(hd_sm_machine *m, hd_sm_warp *w, uint32_t mask, uint64_t place)
{
	m->stats->divergence_branches++;
	if (!mask) {
		w->now++;
		return true;
	}
	if (place % HD_SASS_BYTES || place / HD_SASS_BYTES >= m->code->n) {
		m->trap->address = place;
		return hd_sm_fault(m, w, HD_TRAP_PC, hd_lowest_bit(mask));
	}
	uint32_t target = (uint32_t)(place / HD_SASS_BYTES), others = w->alive & ~w->blocked & ~w->active;
	if (mask == w->active && target <= w->stop) {
		bool spins = target <= w->now && w->streak > HD_SM_GROUP && others;
		w->now = target;
		if (spins) {
			park(w);
			w->aside |= mask;
		}
		return true;
	}
	m->stats->divergence_divergent += mask != w->active;
	w->now++;
	park(w);
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		w->pc[hd_lowest_bit(rest)] = target;
	return true;
}

/* The place of an address in the code of the kernel. */
static uint64_t place_of(const hd_sm_machine *m, uint64_t address)
{
	uint64_t base = HD_SM_CODE + m->code->kernel->number * HD_SM_CODE_STEP;
	return address - base;
}

static bool outside(hd_sm_machine *m, hd_sm_warp *w, uint64_t address, unsigned lane)
{
	const hd_sm_image *image = m->code->image;
	m->trap->address = address;
	hd_sm_fault(m, w, HD_TRAP_PC, lane);
	if (address >= HD_SM_OUTSIDE && (address - HD_SM_OUTSIDE) / 16 < image->outside.n) {
		hd_text text = {0};
		hd_text_printf(&text, "%s  it calls '%s', which the file does not have\n", m->trap->text,
		               image->outside.at[(address - HD_SM_OUTSIDE) / 16]);
		free(m->trap->text);
		m->trap->text = text.at;
	}
	return false;
}

/* Each lane to the place in its registers: relative to the function (CALL.REL, RET.REL), to the next instruction (BRX), or absolute (CALL.ABS). */
static bool go_to_register(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 room[2];
	const hd_vec32 *a = op->n_sources ? hd_sm_read(m, w, op, 0, room) : m->zero;
	bool absolute = op->kind == HD_SM_BRANCH_ABSOLUTE;
	uint64_t base = op->target + (op->kind == HD_SM_BRANCH_FROM ? (uint64_t)(w->now + 1) * HD_SASS_BYTES : 0);
	uint64_t place[HD_LANES];
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t value = a[0].v[lane] | (uint64_t)a[1].v[lane] << 32;
		place[lane] = base + value;
		if (absolute || place[lane] >= HD_SM_CODE)
			place[lane] = place_of(m, place[lane]);
		if (place[lane] % HD_SASS_BYTES || place[lane] / HD_SASS_BYTES >= m->code->n)
			return outside(m, w, base + value, lane);
	}
	if (!mask) {
		w->now++;
		return true;
	}
	unsigned first = hd_lowest_bit(mask);
	bool same = true;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		same = same && place[hd_lowest_bit(rest)] == place[first];
	if (same)
		return go(m, w, mask, place[first]);
	m->stats->divergence_branches++;
	m->stats->divergence_divergent++;
	w->now++;
	park(w);
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		w->pc[hd_lowest_bit(rest)] = (uint32_t)(place[hd_lowest_bit(rest)] / HD_SASS_BYTES);
	return true;
}

/* Takes lanes out of the sets of a convergence barrier. */
static void leave(hd_sm_warp *w, unsigned barrier, uint32_t mask)
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		w->meet[barrier][lane] &= ~mask;
	release(w);
}

static void move_mask(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 room[2], d;
	if (op->kind == HD_SM_MASK_GET) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			d.v[lane] = w->meet[op->barrier][lane];
		hd_sm_write(w, op, mask, &d);
	}
	const hd_vec32 *a = op->kind == HD_SM_MASK_SET ? hd_sm_read(m, w, op, 0, room) : m->zero;
	if (op->kind == HD_SM_MASK_SET || op->m[0])
		for (uint32_t rest = mask; rest; rest &= rest - 1)
			w->meet[op->barrier][hd_lowest_bit(rest)] = a->v[hd_lowest_bit(rest)];
}

/* WARPSYNC: waits for the lanes of a mask; with a target, they execute up to ENDCOLLECTIVE together, and each goes on at its own target. */
static bool warp_sync(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 room[2];
	const hd_vec32 *a = op->n_sources ? hd_sm_read(m, w, op, 0, room) : NULL;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		w->with[lane] = a ? a->v[lane] : UINT32_MAX;
		if (op->has_target)
			w->back[lane] = (uint32_t)hd_min_u64(op->target / HD_SASS_BYTES, UINT32_MAX);
	}
	w->apart |= mask;
	w->now++;
	park(w);
	block(w, mask, op->has_target ? HD_SM_AT_COLLECTIVE : HD_SM_AT_WARPSYNC);
	release(w);
	return true;
}

static bool end_collective(hd_sm_machine *m, hd_sm_warp *w, uint32_t mask)
{
	park(w);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (w->back[lane] >= m->code->n) {
			m->trap->address = (uint64_t)w->back[lane] * HD_SASS_BYTES;
			return hd_sm_fault(m, w, HD_TRAP_PC, lane);
		}
		w->pc[lane] = w->back[lane];
	}
	return true;
}

static uint32_t dead(const hd_sm_warp *w) { return HD_LANES - hd_count_bits(w->alive); }

static bool barrier(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	enum { SYNC, ARRIVE, REDUCE };
	uint32_t number = (uint32_t)op->number[0], threads = (uint32_t)op->number[1];
	if (!mask) {
		w->now++;
		return true;
	}
	if (op->n_sources) {
		hd_vec32 room[2];
		uint32_t value = hd_sm_read(m, w, op, 0, room)->v[hd_lowest_bit(mask)];
		number = value & 15;
		threads = op->n_sources > 1 ? value >> 16 & 0xfff : threads;
	}
	hd_sm_cta_barrier *b = &m->barrier[number & 15];
	b->expected = threads;
	if (op->n_predicates) {
		uint32_t yes = hd_sm_predicate_of(w, op->predicate[0]) & mask;
		b->count += hd_count_bits(yes);
		b->any |= yes != 0;
		b->all |= yes != mask; /* the opposite: somebody said no */
	}
	w->now++;
	if (op->m[0] == ARRIVE) {
		b->arrived += hd_count_bits(mask) + dead(w);
		return true;
	}
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		w->at[hd_lowest_bit(rest)] = (uint8_t)(number & 15);
		w->with[hd_lowest_bit(rest)] = op->n_predicates ? 1u + op->m[1] : 0;
	}
	park(w);
	block(w, mask, HD_SM_AT_BARRIER);
	return true;
}

static uint32_t lanes_at(const hd_sm_warp *w, unsigned number)
{
	uint32_t lanes = 0;
	for (uint32_t rest = w->blocked; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		lanes |= (uint32_t)(w->wait[lane] == HD_SM_AT_BARRIER && w->at[lane] == number) << lane;
	}
	return lanes;
}

bool hd_sm_release_barriers(hd_sm_machine *m)
{
	bool released = false;
	for (unsigned number = 0; number < HD_SM_CTA_BARRIERS; number++) {
		hd_sm_cta_barrier *b = &m->barrier[number];
		uint32_t waiting = 0, credit = b->arrived, alive = 0;
		for (uint32_t i = 0; i < m->n_warps; i++) {
			uint32_t lanes = lanes_at(&m->warps[i], number);
			waiting += hd_count_bits(lanes);
			credit += lanes ? hd_count_bits(lanes) + dead(&m->warps[i]) : 0;
			alive += hd_count_bits(m->warps[i].alive);
		}
		if (!waiting || (b->expected ? credit < b->expected : waiting < alive))
			continue;
		for (uint32_t i = 0; i < m->n_warps; i++) {
			hd_sm_warp *w = &m->warps[i];
			uint32_t lanes = lanes_at(w, number);
			if (!lanes)
				continue;
			uint32_t reduction = w->with[hd_lowest_bit(lanes)];
			if (reduction)
				w->reduced = reduction == 1 ? b->count : reduction == 2 ? !b->all : b->any;
			let_go(w, lanes);
		}
		*b = (hd_sm_cta_barrier){0};
		released = true;
	}
	return released;
}

/* BRA with a uniform register, a mask of lanes: .CONV goes when all of them that live are here with their guard, .DIV when they are not. The guard is
 * part of the question: ptxas writes `@!P0 BRA.CONV` where P0 says that the masks of the lanes differ. */
static bool branch(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	enum { CONVERGED = 3 };
	if (op->n_sources) {
		hd_vec32 room[2];
		uint32_t wanted = hd_sm_read(m, w, op, 0, room)->v[0] & w->alive;
		bool together = mask && (wanted & ~mask) == 0;
		mask = together == (op->m[0] == CONVERGED) ? w->active : 0;
	}
	return go(m, w, mask, op->target);
}

bool hd_sm_flow(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	if (op->kind != HD_SM_BARRIER)
		for (unsigned i = 0; i < op->n_predicates; i++)
			mask &= hd_sm_predicate_of(w, op->predicate[i]);
	switch ((hd_sm_kind)op->kind) {
	case HD_SM_BRANCH:
		return branch(m, w, op, mask);
	case HD_SM_BRANCH_TO:
	case HD_SM_BRANCH_FROM:
	case HD_SM_BRANCH_ABSOLUTE:
		if (op->n_sources)
			return go_to_register(m, w, op, mask);
		return go(m, w, mask, op->kind == HD_SM_BRANCH_ABSOLUTE ? place_of(m, op->target) : op->target);
	case HD_SM_EXIT:
		w->now++;
		park(w);
		w->alive &= ~mask;
		release(w);
		return true;
	case HD_SM_TRAP:
		return mask ? hd_sm_fault(m, w, HD_TRAP_INSTRUCTION, hd_lowest_bit(mask)) : (w->now++, true);
	case HD_SM_YIELD:
		w->now++;
		park(w);
		w->aside |= mask;
		return true;
	case HD_SM_SET:
		for (uint32_t rest = mask; rest; rest &= rest - 1)
			w->meet[op->barrier][hd_lowest_bit(rest)] = mask;
		w->now++;
		return true;
	case HD_SM_MEET:
		for (uint32_t rest = mask; rest; rest &= rest - 1)
			w->at[hd_lowest_bit(rest)] = op->barrier;
		w->now++;
		park(w);
		block(w, mask, HD_SM_AT_MEET);
		release(w);
		return true;
	case HD_SM_LEAVE:
		w->now++;
		leave(w, op->barrier, mask);
		return true;
	case HD_SM_MASK_GET:
	case HD_SM_MASK_SET:
		move_mask(m, w, op, mask);
		w->now++;
		return true;
	case HD_SM_WARPSYNC:
		return warp_sync(m, w, op, mask);
	case HD_SM_COLLECTIVE_END:
		return end_collective(m, w, mask);
	case HD_SM_BARRIER:
		return barrier(m, w, op, mask);
	default:
		hd_panic("kind %u is no flow", op->kind);
	}
}

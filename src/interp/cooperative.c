/* Grids whose CTAs wait for each other (cooperative launches): all of them have begun, and they take turns, a round each. What is a CTA's own is a
 * copy of the oracle, which is in the oracle while the CTA has its turn.
 *
 * A CTA that repeats a state while another one changes memory does not spin for ever. So `epoch` counts the turns in which a byte of memory changed
 * or a clock was read, and each CTA is notified whether there was one since its last turn. The grid spins for ever (RC-17) when each CTA that is left
 * has repeated a state since the last such turn. */
#include "interp/state.h"

enum { SHARE = 1 << 10 /* most of what a CTA does that waits is lost */ };

typedef struct resident {
	hd_oracle own;
	hd_oracle_past *past;
	uint64_t epoch; /* of its last turn */
	uint32_t left;
	bool spins; /* in that turn */
} resident;

typedef struct company {
	hd_oracle *o;
	hd_grid *grid;
	hd_oracle_watch *watch;
	resident *all;
	uint64_t n, left, epoch;
} company;

/* Room of its own for each CTA, and its warps at the entry. */
static void admit(company *c)
{
	hd_oracle *o = c->o;
	for (uint64_t i = 0; i < c->n; i++) {
		resident *r = &c->all[i];
		uint64_t number;
		hd_tasks_give(o->tasks, c->grid, o->stats->run_warp_instructions, o->cta, &number, &o->item);
		if (i) { /* the first one has what the oracle has */
			o->warps = NULL;
			o->registers = NULL;
			o->row.base = NULL;
			o->row.step = NULL;
			o->shared = NULL;
			o->room = o->shared_room = 0;
			hd_oracle_make_room(o);
		}
		hd_oracle_begin(o);
		r->own = *o;
		r->past = hd_oracle_past_new();
		r->left = o->n_warps;
	}
}

static bool is_watched(const company *c)
{
	for (uint64_t i = 0; i < c->n; i++)
		if (c->all[i].left && c->all[i].own.watching)
			return true;
	return false;
}

static void put_aside(company *c, resident *r)
{
	r->own = *c->o;
	/* Child grids may have added theirs to what all share. */
	for (uint64_t i = 0; i < c->n; i++)
		memcpy(&c->all[i].own.zeros, &c->o->zeros, sizeof c->o->zeros);
}

/* A turn. False: the grid has to end. */
static bool turn(company *c, resident *r, bool watched)
{
	hd_oracle *o = c->o;
	bool ran;
	*o = r->own;
	o->watching |= watched;
	o->changed = false;
	bool ok = hd_oracle_round(o, c->watch, &ran);
	if (!ok)
		return false;
	c->epoch += o->changed || !watched;
	o->watching = r->own.watching;
	o->changed = c->epoch != r->epoch;
	uint32_t now = hd_oracle_left(o);
	r->spins = ran && hd_oracle_spins(o, r->past, now < r->left);
	r->epoch = c->epoch;
	if (!ran && now)
		return hd_oracle_deadlock(o, false);
	r->left = now;
	if (now)
		return true;
	hd_child_grids_leave(o->tasks, o->child_grids, o->stats->run_warp_instructions);
	c->watch->ctas_done++;
	c->left--;
	c->epoch++; /* its memory stays, and others may wait for what it did last */
	hd_tasks_done(o->tasks, c->grid, o->stats->run_warp_instructions);
	return true;
}

/* Each CTA that is left has repeated a state in its last turn: one in whose turn memory changed has not. */
static resident *stuck(const company *c)
{
	resident *first = NULL;
	for (uint64_t i = 0; i < c->n; i++) {
		resident *r = &c->all[i];
		if (!r->left)
			continue;
		if (!r->spins)
			return NULL;
		first = first ? first : r;
	}
	return first;
}

static bool run(company *c)
{
	while (c->left) {
		bool watched = is_watched(c);
		for (uint64_t i = 0; i < c->n; i++) {
			resident *r = &c->all[i];
			if (!r->left)
				continue;
			bool ok = turn(c, r, watched);
			put_aside(c, r);
			if (!ok)
				return false;
		}
		resident *r = stuck(c);
		if (!r)
			continue;
		*c->o = r->own;
		return hd_oracle_deadlock(c->o, true);
	}
	return true;
}

bool hd_oracle_cooperate(hd_oracle *o, hd_grid *grid, hd_oracle_watch *watch)
{
	company c = {.o = o, .grid = grid, .watch = watch, .n = grid->total};
	c.left = c.n;
	c.all = hd_xaligned(c.n * sizeof *c.all);
	o->share = SHARE;
	admit(&c);
	bool ok = run(&c);
	hd_oracle_past *past;
	for (uint64_t i = 0; i < c.n; i++) {
		past = c.all[i].past;
		*o = c.all[i].own;
		hd_oracle_past_free(past);
		if (i + 1 < c.n)
			hd_oracle_free_room(o);
	}
	free(c.all);
	o->share = HD_ORACLE_SHARE;
	return ok;
}

#include "sass/slack.h"

#include "sass/fix.h"
#include "sass/pending.h"

enum { STALL_MAX = 15, FAR = 1 << 20 };

typedef struct distance {
	uint32_t first, second;
	uint16_t resource;
	uint8_t needed, age;
} distance;

typedef struct finder {
	hd_sass_slack *slack;
	const hd_sass_code *code;
	const hd_sass_graph *graph;
	uint8_t *needed_waits;   /* by instruction */
	HD_VEC(distance) across; /* from block to block */
	uint32_t *pred_first, *pred;
	int *length;         /* cycles of each block */
	int *before, *after; /* by block, for one distance; FAR: not on a way */
	HD_VEC(uint32_t) touched, work;
} finder;

static int step_of(const finder *f, uint32_t at) { return hd_sass_step(f->code->at[at].control); }

static void bound(finder *f, uint32_t at, int margin)
{
	if (margin < f->slack->stall[at])
		f->slack->stall[at] = (uint8_t)margin;
}

static void on_distance(void *context, uint32_t first, uint32_t second, unsigned resource, int needed, int age, bool same_block)
{
	finder *f = context;
	int margin = age - needed;
	if (margin >= STALL_MAX)
		return;
	if (!same_block) {
		hd_vec_push(&f->across, (distance){first, second, (uint16_t)resource, (uint8_t)needed, (uint8_t)age});
		return;
	}
	for (uint32_t i = first; i < second; i++)
		bound(f, i, margin);
}

static void on_wait(void *context, uint32_t at, uint32_t producer, unsigned counters)
{
	finder *f = context;
	const hd_sass_instruction *x = &f->code->at[at];
	unsigned helpful = x->control.wait_mask & counters;
	if (hd_count_bits(helpful) == 1) /* of two bits each can go */
		f->needed_waits[at] |= (uint8_t)helpful;
	if (at == producer + 1) /* L2 */
		bound(f, producer, hd_max_u32(2, (uint32_t)step_of(f, producer)) - 2);
	if (x->depbar.present) /* pending.h, S4 */
		bound(f, at, hd_max_u32(4, (uint32_t)step_of(f, at)) - 4);
}

static int cycles_between(const finder *f, uint32_t from, uint32_t to)
{
	int sum = 0;
	for (uint32_t i = from; i < to; i++)
		sum += step_of(f, i);
	return sum;
}

static void find_predecessors(finder *f)
{
	const hd_sass_graph *g = f->graph;
	f->pred_first = hd_xcalloc((size_t)g->n + 2, sizeof *f->pred_first);
	f->pred = hd_xcalloc((size_t)g->succ_first[g->n] + 1, sizeof *f->pred);
	for (uint32_t i = 0; i < g->succ_first[g->n]; i++)
		f->pred_first[g->succ[i] + 2]++;
	for (uint32_t b = 2; b < g->n + 2; b++)
		f->pred_first[b] += f->pred_first[b - 1];
	for (uint32_t b = 0; b < g->n; b++)
		for (uint32_t i = g->succ_first[b]; i < g->succ_first[b + 1]; i++)
			f->pred[f->pred_first[g->succ[i] + 1]++] = b;
}

/* A block on whose way the register is overwritten for good. */
static bool overwrites(const finder *f, uint32_t block, unsigned resource)
{
	for (uint32_t i = f->graph->begin[block]; i < f->graph->begin[block + 1]; i++) {
		const hd_sass_instruction *x = &f->code->at[i];
		for (unsigned k = 0; k < x->accesses && hd_sass_unguarded(x); k++) {
			int first = hd_sass_resource(x->access[k].file, x->access[k].first);
			if (x->access[k].write && first >= 0 && (int)resource >= first && (int)resource < first + x->access[k].count)
				return true;
		}
	}
	return false;
}

/* Least cycles from the end of `from` to the beginning of each block (or, backward, from the end of each block to the beginning of `from`), through
 * blocks that leave the register alone, up to `limit`. */
static void spread(finder *f, uint32_t from, bool backward, unsigned resource, int limit, int *least)
{
	const hd_sass_graph *g = f->graph;
	const uint32_t *first = backward ? f->pred_first : g->succ_first, *next = backward ? f->pred : g->succ;
	f->work.n = 0;
	for (uint32_t i = first[from]; i < first[from + 1]; i++) {
		if (least[next[i]] == 0)
			continue;
		least[next[i]] = 0;
		hd_vec_push(&f->touched, next[i]);
		hd_vec_push(&f->work, next[i]);
	}
	for (size_t w = 0; w < f->work.n; w++) {
		uint32_t b = f->work.at[w];
		int reached = least[b] + f->length[b];
		if (reached > limit || overwrites(f, b, resource))
			continue;
		for (uint32_t i = first[b]; i < first[b + 1]; i++) {
			if (least[next[i]] <= reached)
				continue;
			least[next[i]] = reached;
			hd_vec_push(&f->touched, next[i]);
			hd_vec_push(&f->work, next[i]);
		}
	}
}

/* L1, from block to block. */
static void bound_across(finder *f, const distance *d)
{
	const hd_sass_graph *g = f->graph;
	uint32_t from = g->block_of[d->first], to = g->block_of[d->second];
	int tail = cycles_between(f, d->first, g->begin[from + 1]), head = cycles_between(f, g->begin[to], d->second);
	int limit = d->needed + STALL_MAX - tail - head, margin = d->age - d->needed;
	for (uint32_t i = d->first; i < g->begin[from + 1]; i++)
		bound(f, i, margin);
	for (uint32_t i = g->begin[to]; i < d->second; i++)
		bound(f, i, margin);
	f->touched.n = 0;
	if (limit > 0) {
		spread(f, from, false, d->resource, limit, f->before);
		spread(f, to, true, d->resource, limit, f->after);
	}
	for (size_t k = 0; k < f->touched.n; k++) {
		uint32_t b = f->touched.at[k];
		if (f->before[b] < FAR && f->after[b] < FAR && !overwrites(f, b, d->resource)) {
			int through = tail + f->before[b] + f->length[b] + f->after[b] + head - d->needed;
			for (uint32_t i = g->begin[b]; through < STALL_MAX && i < g->begin[b + 1]; i++)
				bound(f, i, through > 0 ? through : 0);
		}
	}
	for (size_t k = 0; k < f->touched.n; k++)
		f->before[f->touched.at[k]] = f->after[f->touched.at[k]] = FAR;
}

static void sum_up(finder *f)
{
	hd_sass_slack *s = f->slack;
	for (uint32_t i = 0; i < s->n; i++) {
		if (!f->graph->reached[f->graph->block_of[i]])
			continue;
		unsigned waits = f->code->at[i].control.wait_mask;
		s->redundant[i] = (uint8_t)(waits & ~f->needed_waits[i]);
		s->cycles += (uint64_t)step_of(f, i);
		s->waits += hd_count_bits(waits);
		s->redundant_waits += hd_count_bits(s->redundant[i]);
	}
}

void hd_sass_slack_find(hd_sass_slack *slack, const hd_sass_code *code, const hd_sass_options *options)
{
	uint64_t steps = options->steps ? options->steps : HD_SASS_STEPS;
	hd_sass_doubt_list doubts = {0};
	hd_sass_graph g;
	hd_sass_result result;
	finder f = {.slack = slack, .code = code, .graph = &g};
	hd_sass_observer observer = {.distance = on_distance, .wait = on_wait, .context = &f};
	hd_sass_options watched = *options;
	*slack = (hd_sass_slack){.n = code->n, .stall = hd_xcalloc((size_t)code->n + 1, 1), .redundant = hd_xcalloc((size_t)code->n + 1, 1)};
	hd_sass_graph_init(&g, code, &steps, &doubts);
	f.needed_waits = hd_xcalloc((size_t)code->n + 1, 1);
	for (uint32_t i = 0; i < code->n; i++)
		slack->stall[i] = (uint8_t)(code->at[i].control.stall ? step_of(&f, i) - 1 : 0);
	watched.observer = &observer;
	hd_sass_check(code, &watched, &result);
	find_predecessors(&f);
	f.length = hd_xcalloc((size_t)g.n + 1, sizeof *f.length);
	f.before = hd_xcalloc((size_t)g.n + 1, sizeof *f.before);
	f.after = hd_xcalloc((size_t)g.n + 1, sizeof *f.after);
	for (uint32_t b = 0; b < g.n; b++) {
		f.length[b] = cycles_between(&f, g.begin[b], g.begin[b + 1]);
		f.before[b] = f.after[b] = FAR;
	}
	for (size_t i = 0; i < f.across.n; i++)
		bound_across(&f, &f.across.at[i]);
	sum_up(&f);
	slack->won = hd_sass_cycles_won(code, options);
	free(f.needed_waits);
	free(f.length);
	free(f.before);
	free(f.after);
	free(f.pred_first);
	free(f.pred);
	hd_vec_free(&f.across);
	hd_vec_free(&f.touched);
	hd_vec_free(&f.work);
	hd_vec_free(&doubts);
	hd_sass_result_free(&result);
	hd_sass_graph_free(&g);
}

void hd_sass_slack_free(hd_sass_slack *slack)
{
	free(slack->stall);
	free(slack->redundant);
	*slack = (hd_sass_slack){0};
}

void hd_sass_slack_print(hd_text *text, const hd_sass_code *code, const hd_sass_slack *slack)
{
	for (uint32_t i = 0; i < slack->n; i++) {
		hd_text_printf(text, "  0x%04x ", i * HD_SASS_BYTES);
		hd_sass_print_control(code->at[i].control, text);
		hd_text_printf(text, " slack %-2u", slack->stall[i]);
		hd_text_printf(text, " waits not needed: ");
		for (uint64_t rest = slack->redundant[i]; rest; rest &= rest - 1)
			hd_text_printf(text, "SB%u ", hd_lowest_bit(rest));
		hd_text_printf(text, "%s ", slack->redundant[i] ? "" : "-");
		hd_sass_print(&code->at[i], text);
		hd_text_printf(text, "\n");
	}
	hd_text_printf(text, "  %llu cycles of stalls, %llu could be won; %llu waits, %llu not needed by registers\n",
	               (unsigned long long)slack->cycles, (unsigned long long)slack->won, (unsigned long long)slack->waits,
	               (unsigned long long)slack->redundant_waits);
}

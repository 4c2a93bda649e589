#include "sass/cover.h"

#include "sass/analysis.h"

static void take(void *context, const hd_sass_cover *cover)
{
	hd_sass_cover_list *list = context;
	hd_vec_push(list, *cover);
}

static int compare(const void *left, const void *right)
{
	const hd_sass_cover *a = left, *b = right;
#define BY(field)                 \
	if (a->field != b->field) \
		return a->field < b->field ? -1 : 1;
	BY(first)
	BY(second)
	BY(resource)
	BY(hazard)
	BY(kind)
	BY(at)
#undef BY
	return 0;
}

hd_sass_verdict hd_sass_covers_find(hd_sass_cover_list *covers, const hd_sass_code *code, const hd_sass_options *options)
{
	hd_sass_observer observer = {.cover = take, .context = covers};
	hd_sass_options watched = *options;
	hd_sass_result result;
	watched.observer = &observer;
	hd_sass_verdict verdict = hd_sass_check(code, &watched, &result);
	hd_sass_result_free(&result);
	size_t n = 0;
	if (covers->n)
		qsort(covers->at, covers->n, sizeof *covers->at, compare);
	for (size_t i = 0; i < covers->n; i++)
		if (!n || compare(&covers->at[n - 1], &covers->at[i]))
			covers->at[n++] = covers->at[i];
	covers->n = n;
	return verdict;
}

static int by_place(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return (a > b) - (a < b);
}

static void take_outstanding(hd_sass_places *producers, const hd_sass_state *s, unsigned mask)
{
	for (unsigned r = 0; r < HD_SASS_RESOURCES; r++)
		for (uint32_t i = s->head[r]; i != UINT32_MAX; i = s->pool.at[i].next)
			if (s->pool.at[i].counters & mask)
				hd_vec_push(producers, s->pool.at[i].producer);
}

void hd_sass_outstanding(hd_sass_places *producers, const hd_sass_code *code, uint32_t at, unsigned mask)
{
	uint64_t steps = HD_SASS_STEPS;
	hd_sass_graph g;
	hd_sass_analysis a;
	hd_sass_doubt_list doubts = {0};
	hd_sass_graph_init(&g, code, &steps, &doubts);
	hd_sass_analysis_init(&a, &g, HD_SASS_KEEPS);
	uint32_t block = g.block_of[at];
	if (g.reached[block]) {
		hd_sass_state_begin(&a.state, &a.in[block]);
		for (uint32_t i = g.begin[block]; i < at; i++) {
			hd_sass_state_wait(&a.state, i);
			hd_sass_state_issue(&a.state, i);
		}
		take_outstanding(producers, &a.state, mask);
	}
	hd_sass_analysis_free(&a);
	hd_sass_graph_free(&g);
	hd_vec_free(&doubts);
	size_t n = 0;
	if (producers->n)
		qsort(producers->at, producers->n, sizeof *producers->at, by_place);
	for (size_t i = 0; i < producers->n; i++)
		if (!n || producers->at[n - 1] != producers->at[i])
			producers->at[n++] = producers->at[i];
	producers->n = n;
}

void hd_sass_cover_print(hd_text *text, const hd_sass_code *code, const hd_sass_cover *c)
{
	static const char *const hazards[HD_SASS_HAZARDS] = {"RAW", "WAW", "WAR"};
	unsigned number, file = hd_sass_resource_file(c->resource, &number);
	(void)code;
	hd_text_printf(text, "%s on ", hazards[c->hazard]);
	hd_sass_registers_print(text, file, number, 1);
	hd_text_printf(text, " at 0x%04x: ", (unsigned)c->second * HD_SASS_BYTES);
	switch ((hd_sass_cover_kind)c->kind) {
	case HD_SASS_COVER_DISTANCE:
		hd_text_printf(text, "%d cycles, of which %d are needed", c->age, c->needed);
		break;
	case HD_SASS_COVER_WAIT:
		hd_text_printf(text, "the wait of 0x%04x", (unsigned)c->at * HD_SASS_BYTES);
		break;
	case HD_SASS_COVER_GUARD:
		hd_text_printf(text, "opposite guards");
		break;
	case HD_SASS_COVER_ASSUMPTION:
		hd_sass_assumed_print(text, c->any_of);
		break;
	}
}

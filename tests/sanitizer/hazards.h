/* The sanitizer's findings in a program annotated by hand, against a line that is written out. Instructions are called a, b, c ... in the order of
 * the program from word 9 on (core/timeline.h); cycles count from the issue of the first instruction of a violation:
 *
 *   "RAW r8 a 0 1 5, b 2 3 7"      a issued in 0, entered in 1, wrote in 5; b issued in 2, entered in 3, ...
 *   "RAW r8/0000ffff ... x3"       not all lanes; three times
 *
 * Memory has the cycle in which an access took effect in the place of the last one. "-" stands for a cycle that is not known. */
#ifndef HD_TEST_HAZARDS_H
#define HD_TEST_HAZARDS_H

#include "../core/timeline.h"
#include "sanitizer/sanitizer.h"

static inline void put_cycle(hd_text *text, uint64_t cycle, uint64_t from)
{
	if (cycle)
		hd_text_printf(text, " %lld", (long long)(cycle - from));
	else
		hd_text_printf(text, " -");
}

static inline void put_instruction(hd_text *text, const hd_moment *m, bool memory, uint64_t from)
{
	if (m->word < 9)
		hd_text_printf(text, "w%u", m->word);
	else
		hd_text_printf(text, "%c", 'a' + (int)(m->word - 9 - (m->word - 9) / 8));
	put_cycle(text, m->issued, from);
	put_cycle(text, m->entered, from);
	put_cycle(text, memory ? m->performed : m->done, from);
}

static inline void put_violation(hd_text *text, const hd_violation *v)
{
	hd_text on = {0};
	hd_violation_resource(&on, v);
	hd_text_printf(text, "%s%s %s", text->n ? "; " : "", hd_violation_name(v->kind), on.at);
	if (v->lanes != ~0u)
		hd_text_printf(text, "/%08x", v->lanes);
	hd_text_printf(text, " ");
	put_instruction(text, &v->first, v->resource < 0, v->first.issued);
	hd_text_printf(text, ", ");
	put_instruction(text, &v->second, v->resource < 0, v->first.issued);
	if (v->count > 1)
		hd_text_printf(text, " x%llu", (unsigned long long)v->count);
	hd_text_free(&on);
}

/* Runs the program to its `exit`, which this adds, without a watcher and with the sanitizer: the statistics are the same, byte for byte. */
static inline void hazards(rig *r, const char *expected)
{
	rig_exit(r);
	r->options.trace = NULL;
	assert_true(rig_run(r));
	hd_stats alone = r->stats;
	hd_sanitizer *sanitizer = hd_sanitizer_new(&r->program);
	r->options.trace = hd_sanitizer_watcher(sanitizer);
	assert_true(rig_run(r));
	assert_memory_equal(&alone, &r->stats, sizeof alone);
	const hd_violations *found = hd_sanitizer_found(sanitizer);
	hd_text got = {0};
	uint64_t total = 0;
	for (size_t i = 0; i < found->list.n; i++) {
		put_violation(&got, &found->list.at[i]);
		total += found->list.at[i].count;
	}
	if (strcmp(got.at ? got.at : "", expected) != 0)
		fail_msg("found \"%s\", expected \"%s\"", got.at ? got.at : "", expected);
	assert_int_equal(found->total, total);
	/* Another run begins with nothing outstanding: it violates the same hazards once more. */
	const size_t kinds = found->list.n;
	assert_true(rig_run(r));
	assert_int_equal(found->list.n, kinds);
	assert_int_equal(found->total, 2 * total);
	hd_text_free(&got);
	hd_sanitizer_free(sanitizer);
	r->options.trace = NULL;
	rig_free(r);
}

#endif

/* The cover of a dependence is named (SA-11): each kind, the first of several waits, and the accesses that a wait can end. */
#include "words.h"

#include "sass/cover.h"

typedef struct answer {
	hd_sass_cover_list list;
	hd_sass_verdict verdict;
} answer;

static answer covers_under(words *w, hd_sass_assumed assume)
{
	answer a = {0};
	hd_sass_options options = {.assume = assume};
	exit_(w);
	stall(w, 5);
	a.verdict = hd_sass_covers_find(&a.list, code_of(w), &options);
	return a;
}
static answer covers(words *w) { return covers_under(w, HD_SASS_ASSUME_ALL); }

static const hd_sass_cover *pair_of(const answer *a, uint32_t first, uint32_t second, hd_sass_hazard hazard)
{
	for (size_t i = 0; i < a->list.n; i++)
		if (a->list.at[i].first == first && a->list.at[i].second == second && a->list.at[i].hazard == hazard)
			return &a->list.at[i];
	return NULL;
}

static void finish(words *w, answer *a)
{
	hd_vec_free(&a->list);
	end(w);
}

TEST(sa_11_a_distance_is_named)
{
	(void)state;
	words w = begin(80);
	iadd3(&w, 4, 2, 3);
	stall(&w, 6);
	iadd3(&w, 5, 4, 3);
	answer a = covers(&w);
	const hd_sass_cover *c = pair_of(&a, 0, 1, HD_SASS_RAW);
	hd_text text = {0};
	assert_int_equal(a.verdict, HD_SASS_PROVEN);
	assert_non_null(c);
	assert_int_equal(c->kind, HD_SASS_COVER_DISTANCE);
	assert_int_equal(c->age, 6);
	assert_int_equal(c->needed, 4);
	hd_sass_cover_print(&text, &w.code, c);
	assert_string_equal(text.at, "RAW on R4 at 0x0010: 6 cycles, of which 4 are needed");
	hd_text_free(&text);
	finish(&w, &a);
}

static size_t rows_of(const answer *a, uint32_t first, uint32_t second)
{
	size_t n = 0;
	for (size_t i = 0; i < a->list.n; i++)
		n += a->list.at[i].first == first && a->list.at[i].second == second;
	return n;
}

/* A fixed latency that is an assumption is covered by it, and by no distance. */
TEST(sa_11_a_fixed_latency_may_be_assumed)
{
	(void)state;
	words w = begin(80);
	hmma(&w, 4, 8, 12, 16);
	stall(&w, 15);
	nop(&w);
	stall(&w, 15);
	nop(&w);
	stall(&w, 15);
	iadd3(&w, 20, 4, 4);
	answer a = covers(&w);
	assert_int_equal(a.verdict, HD_SASS_PROVEN);
	assert_int_equal(rows_of(&a, 0, 3), 1);
	assert_int_equal(pair_of(&a, 0, 3, HD_SASS_RAW)->kind, HD_SASS_COVER_ASSUMPTION);
	finish(&w, &a);
}

/* Two instructions wait; the first is named. A register that is read twice has one row. */
TEST(sa_11_the_first_wait_is_named)
{
	(void)state;
	words w = begin(80);
	ldg(&w, 4, 8);
	raise_write(&w, 1);
	stall(&w, 2);
	nop(&w);
	wait_for(&w, 1 << 1);
	iadd3(&w, 5, 4, 4);
	wait_for(&w, 1 << 1);
	stall(&w, 5);
	iadd3(&w, 6, 4, 3);
	answer a = covers(&w);
	const hd_sass_cover *c = pair_of(&a, 0, 2, HD_SASS_RAW);
	hd_text text = {0};
	assert_int_equal(a.verdict, HD_SASS_PROVEN);
	assert_non_null(c);
	assert_int_equal(c->kind, HD_SASS_COVER_WAIT);
	assert_int_equal(c->at, 1);
	assert_non_null(pair_of(&a, 0, 3, HD_SASS_RAW));
	assert_int_equal(pair_of(&a, 0, 3, HD_SASS_RAW)->at, 1);
	assert_int_equal(rows_of(&a, 0, 2), 1);
	hd_sass_cover_print(&text, &w.code, c);
	assert_string_equal(text.at, "RAW on R4 at 0x0020: the wait of 0x0010");
	hd_text_free(&text);
	finish(&w, &a);
}

TEST(sa_11_an_assumption_is_named)
{
	(void)state;
	words w = begin(80);
	mufu(&w, 4, 8);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 8, 2, 3);
	answer a = covers(&w);
	const hd_sass_cover *c = pair_of(&a, 0, 1, HD_SASS_WAR);
	hd_text text = {0};
	assert_non_null(c);
	assert_int_equal(c->kind, HD_SASS_COVER_ASSUMPTION);
	assert_true(c->any_of & HD_SASS_ASSUME(SLOW_READS));
	hd_sass_cover_print(&text, &w.code, c);
	assert_string_equal(text.at, "WAR on R8 at 0x0010: A10");
	hd_text_free(&text);
	hd_vec_free(&a.list);
	a = (answer){0};
	hd_sass_options none = {.assume = 0};
	assert_int_equal(hd_sass_covers_find(&a.list, code_of(&w), &none), HD_SASS_REFUTED); /* and then nothing covers it */
	assert_null(pair_of(&a, 0, 1, HD_SASS_WAR));
	finish(&w, &a);
}

TEST(sa_11_opposite_guards_are_named)
{
	(void)state;
	words w = begin(80);
	ldg(&w, 4, 8);
	guard(&w, 1);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 5, 4, 3);
	guard(&w, 1 | NOT);
	answer a = covers(&w);
	const hd_sass_cover *c = pair_of(&a, 0, 1, HD_SASS_RAW);
	hd_text text = {0};
	assert_non_null(c);
	assert_int_equal(c->kind, HD_SASS_COVER_GUARD);
	hd_sass_cover_print(&text, &w.code, c);
	assert_string_equal(text.at, "RAW on R4 at 0x0010: opposite guards");
	hd_text_free(&text);
	finish(&w, &a);
}

/* The accesses that a wait can end: by counter, each instruction once, also behind another wait; none of what a write has ended. */
TEST(sa_11_outstanding_accesses)
{
	(void)state;
	words w = begin(80);
	hd_sass_places places = {0};
	ldg(&w, 4, 8);
	raise_write(&w, 1);
	ldg(&w, 5, 10);
	raise_write(&w, 2);
	stall(&w, 2);
	nop(&w);
	wait_for(&w, 1 << 1);
	iadd3(&w, 6, 4, 5);
	wait_for(&w, 1 << 1 | 1 << 2);
	exit_(&w);
	stall(&w, 5);
	hd_sass_outstanding(&places, code_of(&w), 3, 1 << 1);
	assert_int_equal(places.n, 1);
	assert_int_equal(places.at[0], 0);
	places.n = 0;
	hd_sass_outstanding(&places, code_of(&w), 3, 1 << 1 | 1 << 2);
	assert_int_equal(places.n, 2);
	assert_int_equal(places.at[1], 1);
	places.n = 0;
	hd_sass_outstanding(&places, code_of(&w), 0, 0x3f);
	assert_int_equal(places.n, 0);
	hd_vec_free(&places);
	end(&w);
}

/* A function that code of other sections calls too: what it has loaded has arrived when it returns (A9 is about the other side). */
static hd_sass_verdict returns_with(unsigned mask, hd_sass_assumed *needed)
{
	words w = begin(80);
	exit_(&w);
	stall(&w, 5);
	ldg(&w, 4, 8);
	raise_write(&w, 0);
	stall(&w, 2);
	ret(&w, 20);
	wait_for(&w, mask);
	stall(&w, 5);
	w.labels[0] = (hd_sass_label){.name = "f", .offset = HD_SASS_BYTES, .size = 2 * HD_SASS_BYTES};
	w.n_labels = 1;
	hd_sass_verdict v = check(&w);
	*needed = w.result.needed;
	end(&w);
	return v;
}

TEST(sa_6_results_arrive_before_a_return)
{
	(void)state;
	hd_sass_assumed needed;
	assert_int_equal(returns_with(1 << 0, &needed), HD_SASS_PROVEN);
	assert_int_equal(needed, HD_SASS_ASSUME(CALL_SETTLED));
	assert_int_equal(returns_with(0, &needed), HD_SASS_REFUTED);
}

/* After however many cycles: that a matrix product is over is an assumption. */
TEST(sa_5_an_assumed_latency_is_named_for_ever)
{
	(void)state;
	words w = begin(80);
	hmma(&w, 4, 8, 12, 16);
	for (unsigned i = 0; i < 5; i++) {
		stall(&w, 15);
		nop(&w);
	}
	iadd3(&w, 20, 4, 4);
	exit_(&w);
	stall(&w, 5);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	assert_int_equal(w.result.needed, HD_SASS_ASSUME(MATRIX_FIXED));
	end(&w);
}

/* The ways of control through real code (SA-6). */
#include "words.h"

typedef struct built {
	words *w;
	hd_sass_graph g;
	hd_sass_doubt_list doubts;
	uint64_t steps;
} built;

static void build(built *b, words *w)
{
	*b = (built){.w = w, .steps = UINT64_MAX};
	hd_sass_graph_init(&b->g, code_of(w), &b->steps, &b->doubts);
}
static void drop(built *b)
{
	hd_sass_graph_free(&b->g);
	hd_vec_free(&b->doubts);
	end(b->w);
}
static bool leads(const built *b, uint32_t from, uint32_t to)
{
	uint32_t block = b->g.block_of[from], target = b->g.block_of[to];
	assert_int_equal(b->g.begin[target], to);
	for (uint32_t i = b->g.succ_first[block]; i < b->g.succ_first[block + 1]; i++)
		if (b->g.succ[i] == target)
			return true;
	return false;
}
static unsigned ways(const built *b, uint32_t from)
{
	uint32_t block = b->g.block_of[from];
	return b->g.succ_first[block + 1] - b->g.succ_first[block];
}

TEST(sa_6_branches)
{
	(void)state;
	words w = begin(80);
	built b;
	bra(&w, 3); /* 0 */
	guard(&w, 2 | NOT);
	bra(&w, 4); /* 1 */
	nop(&w);    /* 2: never reached */
	nop(&w);    /* 3 */
	exit_(&w);  /* 4 */
	guard(&w, 1);
	exit_(&w); /* 5 */
	nop(&w);   /* 6 */
	build(&b, &w);
	assert_true(leads(&b, 0, 3) && leads(&b, 0, 1));
	assert_int_equal(ways(&b, 0), 2);
	assert_true(leads(&b, 1, 4));
	assert_int_equal(ways(&b, 1), 1);
	assert_true(leads(&b, 4, 5));
	assert_int_equal(ways(&b, 5), 0);
	assert_false(b.g.reached[b.g.block_of[2]]);
	assert_false(b.g.reached[b.g.block_of[6]]);
	assert_true(b.g.reached[b.g.block_of[5]]);
	assert_int_equal(b.doubts.n, 0);
	drop(&b);
}

/* Guards that always or never hold. */
TEST(sa_6_never)
{
	(void)state;
	words w = begin(80);
	built b;
	bra(&w, 2);
	guard(&w, 7 | NOT);
	exit_(&w);
	exit_(&w);
	build(&b, &w);
	assert_true(leads(&b, 0, 1));
	assert_int_equal(ways(&b, 0), 1);
	drop(&b);
}

TEST(sa_6_indirect)
{
	(void)state;
	static const uint64_t to[] = {0x30, 0x20};
	for (unsigned listed = 0; listed < 2; listed++) {
		words w = begin(80);
		built b;
		if (listed)
			w.targets = (hd_sass_targets){.offset = 0, .at = to, .n = 2};
		brx(&w, 2);
		for (unsigned i = 0; i < 3; i++)
			exit_(&w);
		build(&b, &w);
		assert_int_equal(ways(&b, 0), listed ? 2 : 0);
		assert_int_equal(b.doubts.n, listed ? 0 : 1);
		if (listed)
			assert_true(leads(&b, 0, 3) && leads(&b, 0, 2));
		else
			assert_int_equal(b.doubts.at[0].kind, HD_SASS_DOUBT_BRANCH);
		drop(&b);
	}
}

/* BSYNC goes where the BSSY that reaches it says; with two of them to both. */
TEST(sa_6_convergence)
{
	(void)state;
	words w = begin(80);
	built b;
	bssy(&w, 0, 6); /* 0 */
	bra(&w, 3);     /* 1 */
	guard(&w, 0);
	bssy(&w, 0, 7); /* 2 */
	nop(&w);        /* 3 */
	bsync(&w, 0);   /* 4 */
	exit_(&w);      /* 5: never reached */
	nop(&w);        /* 6 */
	bssy(&w, 1, 9); /* 7 */
	bsync(&w, 1);   /* 8 */
	exit_(&w);      /* 9 */
	build(&b, &w);
	assert_true(leads(&b, 4, 6) && leads(&b, 4, 7));
	assert_int_equal(ways(&b, 4), 2);
	assert_false(b.g.reached[b.g.block_of[5]]);
	assert_true(leads(&b, 8, 9));
	assert_int_equal(ways(&b, 8), 1);
	assert_int_equal(b.doubts.n, 0);
	drop(&b);
}

/* A return goes behind each call of its function, and nowhere else. */
TEST(sa_6_calls)
{
	(void)state;
	words w = begin(80);
	built b;
	call(&w, 4); /* 0 */
	call(&w, 4); /* 1 */
	call(&w, 6); /* 2 */
	exit_(&w);   /* 3 */
	nop(&w);     /* 4 */
	ret(&w, 20); /* 5 */
	call(&w, 4); /* 6 */
	ret(&w, 22); /* 7 */
	build(&b, &w);
	assert_true(leads(&b, 0, 4) && leads(&b, 2, 6) && leads(&b, 6, 4));
	assert_int_equal(ways(&b, 0), 1);
	assert_true(leads(&b, 5, 1) && leads(&b, 5, 2) && leads(&b, 5, 7));
	assert_int_equal(ways(&b, 5), 3);
	assert_true(leads(&b, 7, 3));
	assert_int_equal(ways(&b, 7), 1);
	assert_int_equal(b.doubts.n, 0);
	drop(&b);
}

/* Behind a trap that no guard stops lies another function. */
TEST(sa_6_traps)
{
	(void)state;
	words w = begin(80);
	built b;
	call(&w, 5); /* 0 */
	trap(&w);    /* 1 */
	guard(&w, 0);
	exit_(&w);   /* 2 */
	bra(&w, 2);  /* 3: nothing comes here */
	trap(&w);    /* 4 */
	ret(&w, 20); /* 5 */
	build(&b, &w);
	assert_true(leads(&b, 5, 1) && leads(&b, 1, 2));
	assert_int_equal(ways(&b, 4), 0);
	assert_int_equal(b.doubts.n, 0);
	drop(&b);
}

static void expect_doubt(words *w, hd_sass_doubt_kind kind, uint32_t at)
{
	built b;
	build(&b, w);
	assert_int_equal(b.doubts.n, 1);
	assert_int_equal(b.doubts.at[0].kind, kind);
	assert_int_equal(b.doubts.at[0].at, at);
	drop(&b);
}

TEST(sa_6_what_cannot_be_followed)
{
	(void)state;
	words w = begin(80);
	bra(&w, 9);
	exit_(&w);
	expect_doubt(&w, HD_SASS_DOUBT_TARGET, 0);
	w = begin(80);
	nop(&w);
	nop(&w);
	expect_doubt(&w, HD_SASS_DOUBT_END, 1);
	w = begin(80);
	nop(&w);
	ret(&w, 20);
	expect_doubt(&w, HD_SASS_DOUBT_RETURN, 1);
	w = begin(80);
	exit_(&w);
	bra(&w, 9); /* control never comes here */
	built b;
	build(&b, &w);
	assert_int_equal(b.doubts.n, 0);
	drop(&b);
}

/* A label to which nothing calls is entered from outside. */
TEST(sa_6_labels)
{
	(void)state;
	words w = begin(80);
	built b;
	exit_(&w);
	exit_(&w);
	w.labels[0] = (hd_sass_label){.name = "f", .offset = 16, .size = 16};
	w.n_labels = 1;
	build(&b, &w);
	assert_true(b.g.entered[b.g.block_of[1]] && b.g.reached[b.g.block_of[1]]);
	drop(&b);
}

/* Irreducible loops and deep nests end, and the work stays near the size of the code. */
TEST(sa_6_irreducible)
{
	(void)state;
	for (unsigned n = 200; n <= 20000; n *= 10) {
		words w = begin(80);
		uint64_t seed = n;
		for (unsigned i = 0; i < n; i++) {
			if (i % 5 == 4) {
				uint32_t to = i < 40 ? (uint32_t)(hd_random(&seed) % 80) : i - 40 + (uint32_t)(hd_random(&seed) % 80);
				bra(&w, to < n ? to : n - 1);
				guard(&w, (unsigned)(hd_random(&seed) % 7));
			} else if (i % 5 == 2) {
				stg(&w, (unsigned)(hd_random(&seed) % 200), (unsigned)(hd_random(&seed) % 200));
				raise_read(&w, (unsigned)(hd_random(&seed) % 6));
			} else {
				iadd3(&w, (unsigned)(hd_random(&seed) % 200), 2, 3);
			}
		}
		exit_(&w);
		hd_sass_options options = {.assume = HD_SASS_ASSUME_ALL, .steps = (uint64_t)n * 20000};
		w.checked = true;
		hd_sass_check(code_of(&w), &options, &w.result);
		for (size_t i = 0; i < w.result.doubts.n; i++)
			assert_int_not_equal(w.result.doubts.at[i].kind, HD_SASS_DOUBT_WORK);
		end(&w);
	}
}

TEST(sa_6_empty)
{
	(void)state;
	words w = begin(80);
	assert_int_equal(check(&w), HD_SASS_UNKNOWN);
	assert_int_equal(w.result.doubts.at[0].kind, HD_SASS_DOUBT_EMPTY);
	end(&w);
}

/* Slack, waits that no register needs, and the least control fields (SA-8). */
#include "words.h"

static hd_sass_options all(void) { return (hd_sass_options){.assume = HD_SASS_ASSUME_ALL}; }

static hd_sass_slack slack_of(words *w)
{
	hd_sass_slack slack;
	hd_sass_options options = all();
	assert_int_equal(check(w), HD_SASS_PROVEN);
	hd_sass_slack_find(&slack, code_of(w), &options);
	return slack;
}

TEST(sa_8_in_a_block)
{
	(void)state;
	words w = begin(80);
	iadd3(&w, 4, 2, 3);
	stall(&w, 6);
	iadd3(&w, 6, 2, 3);
	stall(&w, 3);
	iadd3(&w, 5, 4, 3); /* 9 cycles behind the first, 4 are needed */
	stall(&w, 4);
	iadd3(&w, 7, 5, 3);
	exit_(&w);
	hd_sass_slack s = slack_of(&w);
	assert_int_equal(s.stall[0], 5);
	assert_int_equal(s.stall[1], 2); /* 5 of margin, but a stall is 1 at least */
	assert_int_equal(s.stall[2], 0);
	assert_int_equal(s.stall[3], 0);
	assert_int_equal(s.cycles, 6 + 3 + 4 + 1 + 1);
	assert_int_equal(s.won, 5);
	hd_sass_slack_free(&s);
	end(&w);
}

/* From block to block: both ways count, each with its own margin. */
TEST(sa_8_between_blocks)
{
	(void)state;
	words w = begin(80);
	iadd3(&w, 4, 2, 3); /* 0 */
	stall(&w, 2);
	bra(&w, 3); /* 1 */
	stall(&w, 5);
	guard(&w, 0);
	nop(&w); /* 2 */
	stall(&w, 4);
	iadd3(&w, 5, 4, 3); /* 3: 7 cycles by the branch, 11 through 2 */
	exit_(&w);
	hd_sass_slack s = slack_of(&w);
	assert_int_equal(s.stall[0], 1);
	assert_int_equal(s.stall[1], 3);
	assert_int_equal(s.stall[2], 3);
	hd_sass_slack_free(&s);
	end(&w);
	w = begin(80);
	iadd3(&w, 4, 2, 3); /* 0 */
	bra(&w, 3);         /* 1 */
	stall(&w, 3);
	guard(&w, 0);
	nop(&w); /* 2: on the way through it nothing is tight */
	stall(&w, 9);
	iadd3(&w, 5, 4, 3); /* 3 */
	exit_(&w);
	s = slack_of(&w);
	assert_int_equal(s.stall[1], 0);
	assert_int_equal(s.stall[2], 8);
	hd_sass_slack_free(&s);
	end(&w);
}

/* A way through several blocks: each counts with what lies before and behind it. */
TEST(sa_8_long_ways)
{
	(void)state;
	words w = begin(80);
	isetp(&w, 0, 4); /* 0 */
	bra(&w, 4);      /* 1 */
	stall(&w, 13);
	guard(&w, 1);
	nop(&w); /* 2 */
	stall(&w, 3);
	bra(&w, 4); /* 3 */
	stall(&w, 2);
	guard(&w, 2);
	nop(&w); /* 4: 14 cycles by the branch, 19 through 2 and 3 */
	stall(&w, 2);
	iadd3(&w, 5, 4, 3); /* 5: 16 or 21, of which 13 are needed */
	guard(&w, 0);
	exit_(&w);
	hd_sass_slack s = slack_of(&w);
	assert_int_equal(s.stall[1], 3);
	assert_int_equal(s.stall[2], 2);
	assert_int_equal(s.stall[3], 1);
	assert_int_equal(s.stall[4], 1);
	hd_sass_slack_free(&s);
	end(&w);
	w = begin(80);
	isetp(&w, 0, 4); /* 0 */
	bra(&w, 2);      /* 1 */
	stall(&w, 2);
	nop(&w); /* 2 */
	stall(&w, 4);
	bra(&w, 4); /* 3 */
	stall(&w, 4);
	nop(&w); /* 4 */
	stall(&w, 4);
	bra(&w, 6); /* 5 */
	stall(&w, 1);
	iadd3(&w, 5, 4, 3); /* 6: 16 cycles, of which 13 are needed */
	guard(&w, 0);
	exit_(&w);
	s = slack_of(&w);
	assert_int_equal(s.stall[2], 3);
	assert_int_equal(s.stall[3], 3);
	assert_int_equal(s.stall[4], 3);
	hd_sass_slack_free(&s);
	end(&w);
}

TEST(sa_8_waits)
{
	(void)state;
	words w = begin(80);
	ldg(&w, 4, 2); /* 0 */
	raise_write(&w, 0);
	stall(&w, 2);
	ldg(&w, 5, 2); /* 1 */
	raise_write(&w, 1);
	stall(&w, 3);
	iadd3(&w, 9, 5, 3); /* 2: needs SB1, waits for both */
	wait_for(&w, 3);
	iadd3(&w, 10, 4, 3); /* 3: waits for SB0, too */
	wait_for(&w, 1);
	exit_(&w);
	hd_sass_slack s = slack_of(&w);
	assert_int_equal(s.redundant[2], 1);
	assert_int_equal(s.redundant[3], 1);
	assert_int_equal(s.waits, 3);
	assert_int_equal(s.redundant_waits, 2);
	assert_int_equal(s.stall[1], 1); /* the wait must see the raise */
	hd_sass_slack_free(&s);
	end(&w);
}

/* The slack that --slack gives is exact: a stall may fall by it, and by no cycle more; a wait that is not needed may go, and no other. */
TEST(sa_8_slack_is_exact)
{
	(void)state;
	unsigned checked = 0;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint64_t random = seed;
		words w = begin(80);
		unsigned n = 14;
		for (unsigned i = 0; i < n; i++) {
			unsigned r[3];
			for (unsigned k = 0; k < 3; k++)
				r[k] = 4 + (unsigned)(hd_random(&random) % 6);
			switch (hd_random(&random) % 7) {
			case 0:
				ldg(&w, r[0], r[1] & ~1u);
				raise_write(&w, (unsigned)(hd_random(&random) % 2));
				raise_read(&w, 2);
				break;
			case 1:
				lds(&w, r[0], r[1]);
				raise_write(&w, (unsigned)(hd_random(&random) % 2));
				break;
			case 2:
				isetp(&w, 0, r[0]);
				break;
			case 3:
				bra(&w, (uint32_t)(hd_random(&random) % n));
				guard(&w, 0);
				break;
			case 4:
				ffma(&w, r[0], r[1], r[2], r[1]);
				break;
			default:
				iadd3(&w, r[0], r[1], r[2]);
				break;
			}
			if (hd_random(&random) % 4 == 0)
				guard(&w, 0);
			stall(&w, 4 + (unsigned)(hd_random(&random) % 12));
			if (hd_random(&random) % 2)
				wait_for(&w, 7);
		}
		exit_(&w);
		stall(&w, 5);
		if (check(&w) != HD_SASS_PROVEN) {
			end(&w);
			continue;
		}
		checked++;
		hd_sass_slack s = slack_of(&w);
		uint64_t steps = UINT64_MAX;
		hd_sass_graph g;
		hd_sass_doubt_list doubts = {0};
		hd_sass_graph_init(&g, &w.code, &steps, &doubts);
		for (uint32_t i = 0; i < w.code.n; i++) {
			hd_sass_control *c = &w.code.at[i].control, old = *c;
			if (!g.reached[g.block_of[i]])
				continue;
			c->stall = (uint8_t)(old.stall - s.stall[i]);
			assert_int_equal(check(&w), HD_SASS_PROVEN);
			c->stall--;
			if (c->stall)
				assert_int_equal(check(&w), HD_SASS_REFUTED);
			*c = old;
			for (unsigned b = 0; b < 3; b++) {
				c->wait_mask = (uint8_t)(old.wait_mask & ~(1u << b));
				if (old.wait_mask >> b & 1)
					assert_int_equal(check(&w), s.redundant[i] >> b & 1 ? HD_SASS_PROVEN : HD_SASS_REFUTED);
				*c = old;
			}
		}
		hd_sass_options options = all();
		uint64_t won = hd_sass_fix_code(&w.code, &options);
		assert_int_equal(won, s.won);
		assert_int_equal(check(&w), HD_SASS_PROVEN);
		hd_sass_graph_free(&g);
		hd_vec_free(&doubts);
		hd_sass_slack_free(&s);
		end(&w);
	}
	assert_true(checked > 30);
}

/* Straight-line code: what is left is the longest chain of distances. */
TEST(sa_8_fix_straight_line)
{
	(void)state;
	words w = begin(80);
	hd_sass_options options = all();
	iadd3(&w, 4, 2, 3);
	stall(&w, 15);
	imad(&w, 5, 4, 3);
	stall(&w, 15);
	iadd3(&w, 6, 2, 3);
	stall(&w, 15);
	iadd3(&w, 7, 5, 6);
	stall(&w, 5);
	exit_(&w);
	stall(&w, 5);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	hd_sass_code *code = &w.code;
	hd_sass_fix_code(code, &options);
	assert_int_equal(code->at[0].control.stall, 5); /* ALU to FMA */
	assert_int_equal(code->at[1].control.stall, 1);
	assert_int_equal(code->at[2].control.stall, 4); /* FMA to ALU: 5 from the second */
	assert_int_equal(code->at[3].control.stall, 1);
	assert_int_equal(code->at[4].control.stall, 5); /* EXIT keeps its stall */
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	end(&w);
	w = begin(80); /* a pause keeps its 0 and holds what comes behind it */
	isetp(&w, 0, 4);
	stall(&w, 3);
	errbar(&w);
	pause_(&w);
	iadd3(&w, 5, 4, 3);
	guard(&w, 0);
	exit_(&w);
	stall(&w, 5);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	hd_sass_slack s = slack_of(&w);
	assert_int_equal(s.stall[1], 0);
	hd_sass_slack_free(&s);
	hd_sass_fix_code(code, &options);
	assert_int_equal(code->at[0].control.stall, 1);
	assert_int_equal(code->at[1].control.stall, 0);
	assert_true(code->at[1].control.yield);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	end(&w);
}

/* A distance that no one stall can hold. */
TEST(sa_8_fix_long_distance)
{
	(void)state;
	words w = begin(80);
	hd_sass_options options = all();
	isetp(&w, 0, 4);
	stall(&w, 15);
	iadd3(&w, 6, 2, 3);
	stall(&w, 15);
	iadd3(&w, 7, 2, 3);
	guard(&w, 0);
	exit_(&w);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	assert_int_equal(hd_sass_fix_code(&w.code, &options), 30 - 13);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	end(&w);
}

TEST(sa_8_fix_waits)
{
	(void)state;
	words w = begin(80);
	hd_sass_options options = all();
	ldg(&w, 4, 2);
	raise_write(&w, 0);
	stall(&w, 2);
	iadd3(&w, 9, 3, 3);
	wait_for(&w, 1); /* one of the two is enough */
	iadd3(&w, 10, 4, 3);
	wait_for(&w, 3);
	stg(&w, 20, 22);
	wait_for(&w, 32); /* no register needs it, but memory may */
	exit_(&w);
	wait_for(&w, 32);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	hd_sass_fix_code(&w.code, &options);
	assert_int_equal(w.code.at[1].control.wait_mask, 0);
	assert_int_equal(w.code.at[2].control.wait_mask, 1);
	assert_int_equal(w.code.at[3].control.wait_mask, 32);
	assert_int_equal(w.code.at[4].control.wait_mask, 32);
	assert_int_equal(check(&w), HD_SASS_PROVEN);
	end(&w);
}

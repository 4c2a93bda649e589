/* The fixed point that all analyses of the checker share (HZ-27): which blocks a way to a block has passed, on graphs made by hand. */
#include "../test.h"

#include "check/forward.h"

enum { BLOCKS = 6 };

/* 0 goes to 1; 1 to 2 and 3; 2 back to 1; 3 to itself and to 4; 4 to 0, with nothing new; nothing goes to 5, which goes to 4. */
static uint32_t first[BLOCKS + 1] = {0, 1, 3, 4, 6, 7, 8}, successors[8] = {1, 2, 3, 1, 3, 4, 0, 4};
static const hd_code_graph graph = {.n = BLOCKS, .succ_first = first, .succ = successors, .n_succ = 8};

typedef struct passed {
	uint32_t in[BLOCKS]; /* bit b: a way to here passes block b */
	uint32_t out;
	uint32_t from;         /* the block that was run last */
	unsigned runs[BLOCKS]; /* of each block */
	uint32_t roots;        /* blocks that are run though nothing changed */
} passed;

static void run(void *analysis, uint32_t block)
{
	passed *p = analysis;
	p->out = p->in[block] | 1u << block;
	p->from = block;
	p->runs[block]++;
}

static bool join(void *analysis, uint32_t from, uint32_t to)
{
	passed *p = analysis;
	uint32_t before = p->in[to];
	assert_int_equal(from, p->from);
	p->in[to] |= p->out;
	return p->in[to] != before;
}

static bool begins(void *analysis, uint32_t block) { return ((passed *)analysis)->roots >> block & 1; }

static void expect(const passed *p, const uint32_t in[BLOCKS])
{
	for (uint32_t b = 0; b < BLOCKS; b++) {
		if (p->in[b] != in[b])
			fail_msg("block %u: 0x%x, expected 0x%x", b, p->in[b], in[b]);
	}
}

TEST(what_holds_is_found_on_all_ways)
{
	passed p = {0};
	const uint32_t in[BLOCKS] = {0x3f, 0x3f, 0x3f, 0x3f, 0x3f, 0};
	hd_forward_solve(&graph, &(hd_forward){.run = run, .join = join, .analysis = &p});
	expect(&p, in);
}

TEST(an_analysis_says_where_it_begins)
{
	passed p = {.roots = 1};
	const uint32_t in[BLOCKS] = {0x1f, 0x1f, 0x1f, 0x1f, 0x1f, 0};
	hd_forward_solve(&graph, &(hd_forward){.run = run, .join = join, .begins = begins, .analysis = &p});
	expect(&p, in);
	assert_int_equal(p.runs[5], 0);
}

/* A block is run again only when what holds at its beginning changed: at most once a bit, and once more. */
TEST(no_block_is_run_without_need)
{
	passed p = {0};
	hd_forward_solve(&graph, &(hd_forward){.run = run, .join = join, .analysis = &p});
	assert_int_equal(p.runs[5], 1);
	for (uint32_t b = 0; b < BLOCKS; b++)
		assert_in_range(p.runs[b], 1, BLOCKS + 1);
}

/* The only way around is a block's own. */
TEST(a_block_that_follows_itself_is_run_again)
{
	uint32_t own_first[] = {0, 1}, own[] = {0};
	const hd_code_graph loop = {.n = 1, .succ_first = own_first, .succ = own, .n_succ = 1};
	passed p = {0};
	hd_forward_solve(&loop, &(hd_forward){.run = run, .join = join, .analysis = &p});
	assert_int_equal(p.in[0], 1);
	assert_int_equal(p.runs[0], 2);
}

/* When a counter is used again: primaries that are still outstanding (HZ-34), secondaries that still wait in a queue (HZ-35). */
#include "annotate_rig.h"
#include "passes/annotate/counter_reuse.h"

enum { MOST = 6 };

/* The default machine: counters 1 to 4 are for low latency, 5 and 6 for high. */
typedef struct inst {
	hd_op op;
	uint8_t counter;
	uint32_t waits; /* bit k = counter k */
} inst;

#define ALU HD_OP_IADD
#define SFU HD_OP_FRCP
#define CVT HD_OP_I2F
#define LSU HD_OP_LDG
#define FLOW HD_OP_BAR
#define W(k) (1u << (k))

typedef struct made {
	fixture x;
	hd_hazards *h;
	uint8_t counter[4 * MOST];
	uint32_t waits[4 * MOST];
	bool found[4 * MOST];
} made;

static void add(made *m, unsigned block, const inst *list, unsigned n, unsigned *at)
{
	for (unsigned i = 0; i < n && list[i].op; i++) {
		bool flow = list[i].op == FLOW;
		put(&m->x, block, list[i].op, flow ? none : r(10 + *at),
		    flow                ? r(HD_RZ)
		    : list[i].op == LSU ? rr(8)
		                        : r(2),
		    list[i].op == ALU ? r(3) : none);
		m->counter[*at] = list[i].counter;
		m->waits[(*at)++] = list[i].waits;
	}
}

/* One block; or, with `loop`, a block that leads to itself before one that ends. */
static made make(const inst *list, unsigned n, bool loop)
{
	made m = {.x = start(loop ? 2 : 1)};
	unsigned at = 0;
	add(&m, 0, list, n, &at);
	if (loop)
		branch(&m.x, 0, 0, 1);
	link_blocks(&m.x);
	m.h = hd_hazards_find(m.x.b.f, &m.x.machine);
	return m;
}

static void drop(made *m)
{
	hd_hazards_free(m->h);
	stop(&m->x);
}

static uint32_t mask_of(const made *m)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < m->h->n; i++)
		mask |= (uint32_t)m->found[i] << i;
	return mask;
}

static hd_counter_use use_of(const made *m) { return (hd_counter_use){.counter = m->counter, .waits = m->waits}; }

TEST(primaries_share_until_a_wait)
{
	static const struct {
		inst list[MOST];
		bool loop;
		uint32_t expected;
	} rows[] = {
	    {{{ALU, 1, 0}, {CVT, 2, 0}}, false, 0},
	    {{{ALU, 1, 0}, {CVT, 1, 0}}, false, 2},
	    {{{ALU, 1, 0}, {SFU, 0, W(1)}, {CVT, 1, 0}}, false, 0},
	    {{{ALU, 1, 0}, {SFU, 0, W(2)}, {CVT, 1, 0}}, false, 4},
	    {{{ALU, 1, 0}, {CVT, 1, W(1)}, {CVT, 1, 0}}, false, 4}, /* it waits, and raises again */
	    {{{ALU, 1, 0}, {SFU, 0, W(1)}}, true, 0},
	    {{{SFU, 0, W(1)}, {ALU, 1, 0}}, true, 0},
	    {{{ALU, 1, 0}, {SFU, 2, 0}}, true, 3}, /* of the turn before */
	    {{{ALU, 1, 0}, {HD_OP_CALL, 0, 0}, {CVT, 1, 0}}, false, 0},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		made m = make(rows[i].list, MOST, rows[i].loop);
		hd_counter_use use = use_of(&m);
		hd_find_shared_counters(m.h, &use, m.found);
		if (mask_of(&m) != rows[i].expected)
			fail_msg("row %u: 0x%x, expected 0x%x", i, mask_of(&m), rows[i].expected);
		drop(&m);
	}
}

TEST(a_secondary_may_wait_until_something_proves_that_it_left)
{
	static const struct {
		const char *what;
		inst list[MOST];
		uint32_t expected, passed; /* with multi_issue.pass_waits */
		bool loop;
	} rows[] = {
	    {"raised again", {{ALU, 1, 0}, {SFU, 0, W(1)}, {ALU, 1, 0}}, 4, 4, false},
	    {"another counter", {{ALU, 1, 0}, {SFU, 0, W(1)}, {ALU, 2, 0}}, 0, 0, false},
	    {"a wait in the decoder for the secondary", {{ALU, 1, 0}, {SFU, 5, W(1)}, {ALU, 0, W(5)}, {ALU, 1, 0}}, 0, 8, false},
	    {"for one behind it", {{ALU, 1, 0}, {SFU, 0, W(1)}, {SFU, 5, 0}, {ALU, 0, W(5)}, {ALU, 1, 0}}, 0, 16, false},
	    {"for one before it", {{ALU, 1, 0}, {SFU, 5, 0}, {SFU, 0, W(1)}, {ALU, 0, W(5)}, {ALU, 1, 0}}, 16, 16, false},
	    {"for one in another pipe", {{ALU, 1, 0}, {SFU, 0, W(1)}, {LSU, 5, 0}, {ALU, 0, W(5)}, {ALU, 1, 0}}, 16, 16, false},
	    {"a wait in the flow unit", {{ALU, 1, 0}, {SFU, 2, W(1)}, {FLOW, 0, W(2)}, {ALU, 1, 0}}, 0, 0, false},
	    {"a wait in a queue proves nothing", {{ALU, 1, 0}, {SFU, 2, W(1)}, {CVT, 0, W(2)}, {ALU, 1, 0}}, 8, 8, false},
	    {"in the flow unit nothing waits in a queue", {{ALU, 1, 0}, {FLOW, 0, W(1)}, {ALU, 1, 0}}, 0, 0, false},
	    {"nor for high latency", {{ALU, 5, 0}, {SFU, 0, W(5)}, {ALU, 5, 0}}, 0, 0, false},
	    {"a loop", {{ALU, 1, 0}, {SFU, 0, W(1)}}, 1, 1, true},
	    {"a loop that waits", {{ALU, 1, 0}, {SFU, 2, W(1)}, {FLOW, 0, W(2)}}, 0, 0, true},
	    {"two wait", {{SFU, 0, W(1)}, {CVT, 0, W(2)}, {CVT, 3, 0}, {FLOW, 0, W(3)}, {ALU, 1, 0}, {ALU, 2, 0}}, 16, 16, false},
	    {"a call", {{ALU, 1, 0}, {HD_OP_CALL, 0, 0}, {ALU, 5, 0}}, 1, 1, false},
	};
	for (unsigned i = 0; i < 2 * HD_COUNT(rows); i++) {
		made m = make(rows[i / 2].list, MOST, rows[i / 2].loop);
		hd_counter_use use = use_of(&m);
		uint32_t expected = i % 2 ? rows[i / 2].passed : rows[i / 2].expected;
		m.x.machine.multi_issue_pass_waits = i % 2;
		assert_int_equal(hd_find_unsafe_reuse(m.h, &use, &m.x.machine, m.found), expected != 0);
		if (mask_of(&m) != expected)
			fail_msg("%s: 0x%x, expected 0x%x", rows[i / 2].what, mask_of(&m), expected);
		assert_false(hd_find_unsafe_reuse(m.h, &use, &m.x.machine, m.found)); /* nothing new */
		drop(&m);
	}
}

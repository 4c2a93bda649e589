/* The accesses that a warp may have under way: which stay open, and how sets of them are joined (HZ-23). */
#include "../test.h"

#include "passes/analysis/open_accesses.h"

enum { MANY = 20 };

static hd_resource_use use(hd_pipe pipe, int write, int read)
{
	hd_resource_use a = {.pipe = (uint8_t)pipe};
	if (write >= 0)
		a.writes[a.n_writes++] = (uint16_t)write;
	if (read >= 0)
		a.reads[a.n_reads++] = (uint16_t)read;
	return a;
}

static bool has(const hd_inst_list *list, uint32_t inst)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == inst)
			return true;
	return false;
}

/* All pipes are open for what was issued; a certain write replaces all accesses to its register, a guarded one none. */
TEST(a_certain_write_replaces)
{
	hd_resource_use uses[] = {use(HD_PIPE_SFU, 5, 1), use(HD_PIPE_LSU, -1, 5), use(HD_PIPE_ALU, 5, 2), use(HD_PIPE_ALU, 5, 2)};
	hd_open_accesses s = hd_open_new(uses, HD_COUNT(uses), false);
	hd_open_issue(&s, 0, true);
	hd_open_issue(&s, 1, true);
	assert_int_equal(s.writes[0], HD_ALL_PIPES);
	assert_int_equal(s.reads[0], HD_ALL_PIPES);
	assert_int_equal(s.writes[1], 0);
	assert_int_equal(s.reads[1], HD_ALL_PIPES);
	hd_open_issue(&s, 2, false);
	assert_true(hd_open_writes(&s, 0, 5));
	assert_true(hd_open_reads(&s, 1, 5));
	assert_int_equal(hd_open_on_resource(&s, 5)->n, 3);
	hd_open_issue(&s, 3, true);
	assert_false(hd_open_writes(&s, 0, 5));
	assert_false(hd_open_reads(&s, 1, 5));
	assert_int_equal(s.writes[0], 0);
	assert_int_equal(s.reads[0], HD_ALL_PIPES); /* of another register */
	assert_int_equal(s.reads[1], 0);
	assert_int_equal(hd_open_on_resource(&s, 5)->n, 1);
	assert_true(has(hd_open_on_resource(&s, 5), 3));
	assert_true(has(hd_open_all(&s), 0));
	assert_false(has(hd_open_all(&s), 1));
	assert_false(has(hd_open_all(&s), 2)); /* its read of r2 was replaced by a read, its write by a write */
	hd_open_free(&s);
}

/* Of one register: a certain read replaces reads of its pipe alone, and no writes. */
TEST(a_certain_read_replaces_those_of_its_pipe)
{
	hd_resource_use uses[] = {use(HD_PIPE_LSU, -1, 1), use(HD_PIPE_ALU, 7, 1), use(HD_PIPE_LSU, -1, 1), use(HD_PIPE_LSU, -1, 1),
	                          use(HD_PIPE_LSU, 1, -1)};
	hd_open_accesses s = hd_open_new(uses, HD_COUNT(uses), false);
	hd_open_issue(&s, 4, true);
	hd_open_issue(&s, 0, true);
	hd_open_issue(&s, 1, true);
	hd_open_issue(&s, 2, false);
	assert_int_equal(s.reads[0], HD_ALL_PIPES);
	hd_open_issue(&s, 3, true);
	assert_int_equal(s.reads[0], 0);
	assert_int_equal(s.reads[2], 0);
	assert_int_equal(s.reads[1], HD_ALL_PIPES);
	assert_int_equal(s.writes[4], HD_ALL_PIPES);
	assert_true(has(hd_open_of_pipe(&s, HD_PIPE_LSU), 3));
	assert_false(has(hd_open_of_pipe(&s, HD_PIPE_LSU), 0));
	hd_open_free(&s);
}

/* The instruction's own read of what it overwrites is no access of its own. */
TEST(its_own_write_replaces_its_read)
{
	hd_resource_use uses[] = {use(HD_PIPE_ALU, 3, 3)};
	hd_open_accesses s = hd_open_new(uses, 1, false);
	hd_open_issue(&s, 0, true);
	assert_int_equal(s.writes[0], HD_ALL_PIPES);
	assert_int_equal(s.reads[0], 0);
	hd_open_clear(&s);
	assert_int_equal(s.writes[0], 0);
	hd_open_issue(&s, 0, false);
	assert_int_equal(s.reads[0], HD_ALL_PIPES);
	hd_open_free(&s);
}

/* An access to memory stays open when its register is replaced, where the order of memory matters. */
TEST(the_order_of_memory_keeps)
{
	for (unsigned matters = 0; matters < 2; matters++) {
		hd_resource_use uses[] = {use(HD_PIPE_LSU, 4, -1), use(HD_PIPE_ALU, 4, -1), use(HD_PIPE_LSU, 6, -1)};
		uses[0].order = HD_ORDER_ACCESS;
		uses[0].variable = uses[2].variable = true;
		uses[2].order = HD_ORDER_SHARED | HD_ORDER_ACCESS;
		hd_open_accesses s = hd_open_new(uses, HD_COUNT(uses), matters);
		hd_open_issue(&s, 0, true);
		hd_open_issue(&s, 2, true);
		hd_open_issue(&s, 1, true);
		assert_int_equal(s.writes[0], matters ? HD_ALL_PIPES : 0);
		assert_int_equal(has(hd_open_ordered(&s), 0), matters);
		assert_true(has(hd_open_ordered(&s), 2));
		assert_false(has(hd_open_of_pipe(&s, HD_PIPE_LSU), 0)); /* no wait for another instruction closes it */
		assert_true(has(hd_open_of_pipe(&s, HD_PIPE_LSU), 2));
		hd_open_free(&s);
	}
}

/* An instruction with more accesses than there are slots is never replaced. */
TEST(many_accesses_stay)
{
	hd_resource_use uses[] = {use(HD_PIPE_LSU, 40, -1), use(HD_PIPE_ALU, 3, -1)};
	for (uint16_t i = 0; i < MANY; i++)
		uses[0].reads[uses[0].n_reads++] = i;
	hd_open_accesses s = hd_open_new(uses, HD_COUNT(uses), false);
	hd_open_issue(&s, 0, true);
	hd_open_issue(&s, 1, true);
	assert_int_equal(s.reads[0], HD_ALL_PIPES);
	assert_true(hd_open_reads(&s, 0, 3));
	assert_false(hd_open_writes(&s, 0, 3));
	hd_open_free(&s);
}

/* A state goes into a set and comes back; an instruction that issues again is in it once, and the set ascends. */
TEST(a_state_survives_a_set)
{
	hd_resource_use uses[] = {use(HD_PIPE_ALU, 1, -1), use(HD_PIPE_SFU, 2, -1), use(HD_PIPE_LSU, 3, 9)};
	hd_open_accesses s = hd_open_new(uses, HD_COUNT(uses), false);
	hd_open_set set = {0};
	hd_open_issue(&s, 1, true);
	hd_open_issue(&s, 2, true);
	s.writes[2] = 0x3;
	hd_open_store(&s, &set);
	assert_int_equal(set.n, 2);
	hd_open_load(&s, &set);
	assert_int_equal(s.writes[1], HD_ALL_PIPES);
	assert_int_equal(s.writes[2], 0x3);
	hd_open_issue(&s, 0, true);
	s.writes[1] = s.reads[1] = 0;
	hd_open_issue(&s, 1, true);
	hd_open_store(&s, &set);
	assert_int_equal(set.n, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(set.at[i].inst, i);
	hd_open_load(&s, &(hd_open_set){0});
	assert_int_equal(hd_open_all(&s)->n, 0);
	assert_int_equal(s.writes[0] | s.writes[1] | s.writes[2] | s.reads[2], 0);
	hd_open_set_free(&set);
	hd_open_free(&s);
}

static hd_open_set set_of(const hd_open_fact *facts, size_t n)
{
	hd_open_set set = {.at = hd_xcalloc(n, sizeof *facts), .n = n, .cap = n};
	memcpy(set.at, facts, n * sizeof *facts);
	return set;
}

TEST(sets_are_joined)
{
	hd_open_set into = {0}, a = set_of((hd_open_fact[]){{2, 1, 0, 4}, {5, 1, 1, 1}, {9, 2, 0, 1}}, 3);
	hd_open_set b = set_of((hd_open_fact[]){{1, 1, 1, 1}, {5, 4, 2, 2}, {11, 1, 1, 1}}, 3);
	assert_true(hd_open_set_join(&into, &a));
	assert_false(hd_open_set_join(&into, &a));
	assert_true(hd_open_set_join(&into, &b));
	assert_int_equal(into.n, 5);
	static const hd_open_fact expected[] = {{1, 1, 1, 1}, {2, 1, 0, 4}, {5, 5, 3, 3}, {9, 2, 0, 1}, {11, 1, 1, 1}};
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(into.at[i].inst, expected[i].inst);
		assert_int_equal(into.at[i].writes, expected[i].writes);
		assert_int_equal(into.at[i].reads, expected[i].reads);
		assert_int_equal(into.at[i].current, expected[i].current);
	}
	b.at[1] = (hd_open_fact){5, 5, 3, 8}; /* only `current` is new */
	assert_true(hd_open_set_join(&into, &b));
	assert_int_equal(into.at[2].current, 11);
	assert_false(hd_open_set_join(&into, &b));
	hd_open_set_free(&into);
	hd_open_set_free(&a);
	hd_open_set_free(&b);
}

/* The call graph: calls in order, an indirect call as edges to all functions whose address is taken, callees before callers, cycles. */
#include "../ir_builder.h"
#include "passes/analysis/call_graph.h"

/* 0 calls 1 and 2, 1 calls 2, 2 calls nothing; 3 and 4 call each other; 5 calls itself and through a pointer. */
static const char program[] = ".kernel \"main\"\n.vregs 1\nb0:\n	call.f{to=2}\n	call.f{to=3}\n	.exit\n"
                              ".function \"one\"\nb0:\n	call.f{to=3}\n	.ret\n"
                              ".function \"two\"\n.address_taken\nb0:\n	.ret\n"
                              ".function \"three\"\nb0:\n	call.f{to=5}\n	.ret\n"
                              ".function \"four\"\n.address_taken\nb0:\n	.jump b1\nb1:\n	call.f{to=4}\n	.ret\n"
                              ".function \"five\"\n.vregs 1\nb0:\n	call.f{to=6}\n	call.f %0\n	.ret\n";

TEST(calls_are_listed_in_order)
{
	static const uint32_t callees[6][3] = {{1, 2}, {2}, {0}, {4}, {3}, {5, 2, 4}};
	static const size_t n[6] = {2, 1, 0, 1, 1, 3};
	ir_builder b = ir_read(program);
	hd_call_graph g = hd_call_graph_new(b.m);
	assert_int_equal(g.functions, 6);
	for (unsigned f = 0; f < 6; f++) {
		assert_int_equal(g.calls[f].n, n[f]);
		for (unsigned i = 0; i < n[f]; i++)
			assert_int_equal(g.calls[f].at[i].callee, callees[f][i]);
	}
	/* Both edges of the indirect call name one instruction. */
	assert_ptr_equal(g.calls[5].at[1].inst, g.calls[5].at[2].inst);
	assert_int_equal(hd_callee(g.calls[5].at[1].inst), HD_INDIRECT_CALL);
	hd_call_graph_free(&g);
	ir_free(&b);
}

TEST(callees_come_before_callers)
{
	ir_builder b = ir_read(program);
	bool *recursive;
	uint32_t *order = hd_call_order(b.m, &recursive), place[6];
	for (uint32_t i = 0; i < 6; i++)
		place[order[i]] = i;
	assert_true(place[2] < place[1] && place[1] < place[0]);
	for (unsigned f = 0; f < 6; f++)
		assert_int_equal(recursive[f], f >= 3);
	free(order);
	free(recursive);
	ir_free(&b);
}

/* RC-20: through pointers, too. */
TEST(callers_come_before_callees)
{
	ir_builder b = ir_read(".kernel \"first\"\nb0:\n	call.f{to=3}\n	.exit\n"
	                       ".kernel \"second\"\nb0:\n	call.f{to=5}\n	call.f{to=4}\n	.exit\n"
	                       ".function \"pointer\"\n.vregs 1\nb0:\n	call.f %0\n	.ret\n"
	                       ".function \"middle\"\nb0:\n	call.f{to=3}\n	.ret\n"
	                       ".function \"leaf\"\n.address_taken\nb0:\n	.ret\n");
	uint32_t *order = hd_callers_first(b.m), place[5] = {9, 9, 9, 9, 9};
	for (uint32_t i = 0; i < 5; i++)
		place[order[i]] = i;
	assert_true(place[0] < place[2] && place[1] < place[4] && place[1] < place[3] && place[3] < place[2] && place[2] < place[4] && place[4] < 5);
	free(order);
	ir_free(&b);
}

/* A function that only leads to a cycle is not in it. */
TEST(a_caller_of_a_cycle_is_not_recursive)
{
	ir_builder b = ir_read(".kernel \"main\"\nb0:\n	call.f{to=2}\n	.exit\n.function \"a\"\nb0:\n	call.f{to=3}\n	.ret\n"
	                       ".function \"b\"\nb0:\n	call.f{to=2}\n	call.f{to=4}\n	.ret\n.function \"c\"\nb0:\n	.ret\n"
	                       ".function \"d\"\n.address_taken\n.vregs 1\nb0:\n	call.f %0\n	.ret\n");
	bool *recursive;
	free(hd_call_order(b.m, &recursive));
	assert_false(recursive[0] || recursive[3] || recursive[4]); /* an indirect call does not count */
	assert_true(recursive[1] && recursive[2]);
	free(recursive);
	ir_free(&b);
}

TEST(only_calls_have_callees)
{
	ir_builder b = ir_new(1);
	assert_int_equal(hd_callee(ir_put(&b, HD_OP_IADD, r(1), r(2), r(3))), HD_NO_CALL);
	ir_put(&b, HD_OP_CALL, none, none, none)->callee = 7;
	assert_int_equal(hd_callee(ir_block(&b, 0)->insts.at[1]), 7);
	assert_int_equal(hd_callee(ir_put(&b, HD_OP_CALLX, none, r(1), none)), HD_INDIRECT_CALL);
	ir_free(&b);
}

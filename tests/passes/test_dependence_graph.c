/* The edges between the instructions of a block, FROM>TO by latency, and critical paths. */
#include "../ir_builder.h"
#include "passes/schedule/dependence_graph.h"

typedef struct fixture {
	ir_builder b;
	hd_machine m;
	hd_dependence_graph g;
} fixture;

static fixture read(const char *body)
{
	hd_text text = {0};
	fixture x;
	hd_text_printf(&text, ".kernel \"k\"\n.vregs 1 1 1 1 1 2 0\nb0:\n%s", body);
	x.b = ir_read(text.at);
	hd_machine_default(&x.m);
	x.g = hd_dependence_graph_new(x.b.f, &x.m);
	hd_text_free(&text);
	hd_dependence_graph_build(&x.g, ir_block(&x.b, 0));
	return x;
}

static void stop(fixture *x)
{
	hd_dependence_graph_free(&x->g);
	ir_free(&x->b);
}

/* The longest latency of an edge; 0: there is none. */
static uint32_t edge(const fixture *x, uint32_t from, uint32_t to)
{
	uint32_t most = 0;
	for (uint32_t e = x->g.nodes.at[from].first_edge; e; e = x->g.edges.at[e].next)
		if (x->g.edges.at[e].to == to)
			most = hd_max_u32(most, x->g.edges.at[e].latency);
	return most;
}

TEST(registers)
{
	fixture x = read("movi %0 = 0x1\niadd %1 = %0, %0\nmovi %0 = 0x2\nfrcp %2 = %3\nmovi %3 = 0x1\nmovi %0 = 0x3\n.exit\n");
	uint32_t alu = x.m.latency[HD_CLASS_ALU].latency;
	assert_int_equal(edge(&x, 0, 1), alu); /* RAW */
	assert_int_equal(edge(&x, 0, 2), 1);   /* WAW */
	assert_int_equal(edge(&x, 1, 2), 1);   /* WAR */
	assert_int_equal(edge(&x, 3, 4), 1);
	assert_int_equal(edge(&x, 0, 3), 0);
	assert_int_equal(edge(&x, 1, 5), 0); /* the writer in between orders them */
	assert_int_equal(edge(&x, 2, 5), 1);
	assert_int_equal(x.g.nodes.at[1].predecessors, 2); /* it reads %0 twice */
	assert_int_equal(x.g.nodes.at[3].predecessors, 0);
	assert_int_equal(x.g.nodes.at[3].pipe, HD_PIPE_SFU);
	stop(&x);
}

/* The words of a pair are apart; a guard is read. */
TEST(words_and_guards)
{
	fixture x = read("movi %5 = 0x1\nmovi %5.1 = 0x2\niadd %0 = %5.1, 0x1\nisetp{cmp=eq} %p6 = %0, 0x1\n@%p6 movi %1 = 0x1\n.exit\n");
	assert_int_equal(edge(&x, 0, 2), 0);
	assert_true(edge(&x, 1, 2) > 0);
	assert_true(edge(&x, 3, 4) > 0);
	stop(&x);
}

/* A primary has one release: what overwrites the address of a load waits as if for the data. */
TEST(the_address_of_a_load)
{
	fixture x = read("ldg{sub=4} %0 = %5:2\nmov64 %5:2 = 0x0:2\nstg{sub=4} %5:2, %1\nmov64 %5:2 = 0x1:2\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), x.g.nodes.at[0].latency + x.m.memory_l1_latency);
	assert_int_equal(edge(&x, 2, 3), 1);
	stop(&x);
}

TEST(memory)
{
	fixture x = read("lds{sub=4} %0 = %1\n"           /* 0 */
	                 "sts{sub=4 offset=4} %1, %2\n"   /* 1: another word than 0 */
	                 "sts{sub=5 offset=0} %1, %5:2\n" /* 2: overlaps both */
	                 "ldl{sub=4} %3 = %1\n"           /* 3: another space */
	                 "ld{sub=4} %4 = %5:2\n"          /* 4: any space */
	                 "ldc{sub=4} %0 = %1\n"           /* 5: nothing writes constants */
	                 ".exit\n");
	assert_int_equal(edge(&x, 0, 1), 0);
	assert_int_equal(edge(&x, 0, 2), 1);
	assert_int_equal(edge(&x, 1, 2), 1);
	assert_int_equal(edge(&x, 2, 3), 0);
	assert_int_equal(edge(&x, 2, 4), 1);
	assert_int_equal(edge(&x, 3, 4), 0); /* two loads */
	assert_int_equal(edge(&x, 2, 5), 0);
	stop(&x);
	x = read("sts{sub=4 offset=8} %1, %2\nlds{sub=4} %0 = %1\nst{sub=4} %5:2, %2\nldc{sub=4} %3 = %1\nlds{sub=4} %4 = %1\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 0);
	assert_int_equal(edge(&x, 2, 3), 0);
	assert_int_equal(edge(&x, 2, 4), 1); /* a store to any space, and one of them */
	stop(&x);
	/* Another value of the same register is another address. */
	x = read("sts{sub=4} %1, %2\niadd %1 = %1, 0x4\nlds{sub=4 offset=4} %0 = %1\n.exit\n");
	assert_int_equal(edge(&x, 0, 2), 1);
	stop(&x);
}

TEST(order)
{
	fixture x = read("ldg{sub=4} %0 = %5:2\nbar 0x0\nldg{sub=4} %1 = %5:2\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	assert_int_equal(edge(&x, 1, 2), 1);
	stop(&x);
	x = read("ldg{sub=4} %0 = %5:2\nmembar{sub=1}\nldg{sub=4} %1 = %5:2\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	assert_int_equal(edge(&x, 1, 2), 1);
	stop(&x);
	x = read("s2r{sreg=clock} %0 =\nldg{sub=4 mod=3} %1 = %5:2\ns2r{sreg=clock} %2 =\ns2r{sreg=tid.x} %3 =\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	assert_int_equal(edge(&x, 1, 2), 1);
	assert_int_equal(edge(&x, 2, 3), 0);
	stop(&x);
	x = read("ldg{sub=4 mod=3} %0 = %5:2\nldg{sub=4 mod=3} %1 = %5:2\nldg{sub=4} %2 = %5:2\nldg{sub=4} %3 = %5:2\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	assert_int_equal(edge(&x, 2, 3), 0);
	stop(&x);
	/* Stores keep their order, wherever they go. */
	x = read("sts{sub=4} %1, %2\nstl{sub=4} %1, %2\n.exit\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	stop(&x);
	/* Nothing moves over a call. */
	x = read("movi %0 = 0x1\ncall.f{to=2}\nmovi %1 = 0x1\n.exit\n.function \"f\"\nb0:\n.ret\n");
	assert_int_equal(edge(&x, 0, 1), 1);
	assert_int_equal(edge(&x, 1, 2), 1);
	stop(&x);
}

/* A cycle at the end; a latency for each dependence; the condition of the branch is needed early. */
TEST(critical_paths)
{
	fixture x =
	    read("iadd %0 = %0, %1\niadd %2 = %0, %1\nisetp{cmp=eq} %p6 = %1, 0x1\n.branch %p6 b0 b1\nb1:\nmovi %3 = 0x1\niadd %0 = %0, %2\n.exit\n");
	uint32_t alu = x.m.latency[HD_CLASS_ALU].latency;
	assert_int_equal(x.g.nodes.at[1].height, 1);
	assert_int_equal(x.g.nodes.at[0].height, 1 + alu);
	assert_int_equal(x.g.nodes.at[2].height, alu + 3);
	/* A second block begins anew. */
	hd_dependence_graph_build(&x.g, ir_block(&x.b, 1));
	assert_int_equal(x.g.nodes.n, 2);
	assert_int_equal(x.g.nodes.at[1].predecessors, 0);
	stop(&x);
}

TEST(numbers_of_words)
{
	ir_builder b = ir_new_allocated(1);
	uint32_t first = 99;
	hd_opd pair = rr(6), zero = r(HD_RZ), always = p(HD_PT), predicate = p(2), constant = imm(1), part = hd_opd_sub(6, 1, 1);
	assert_int_equal(hd_word_range(b.f, &pair, &first), 2);
	assert_int_equal(first, 6);
	assert_int_equal(hd_word_range(b.f, &predicate, &first), 1);
	assert_int_equal(first, 258);
	assert_int_equal(hd_word_range(b.f, &zero, &first), 0);
	assert_int_equal(hd_word_range(b.f, &always, &first), 0);
	assert_int_equal(hd_word_range(b.f, &constant, &first), 0);
	b.f->allocated = false;
	assert_int_equal(hd_word_range(b.f, &part, &first), 1);
	assert_int_equal(first, 25);
	ir_free(&b);
}

/* Registers of every body: %rd1 and %rd2 are addresses in two buffers, of which each thread has a word and two words, %r1 is the thread's number, %f1
 * and %r2 collect results, which the end of the kernel stores. Registers from 10 on are the body's own. */
#include "shapes.h"

/* A generator of fixed sequence, so that a shape of one size is always the same program. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#define PUT(...) hd_text_printf(out, __VA_ARGS__)

static void loads(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++)
		PUT("ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f1, %%f1, %%f%u;\n", 10 + i, 4 * i, 10 + i);
}

static void stores(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 3; i++)
		PUT("ld.global.f32 %%f%u, [%%rd1+%u];\nadd.f32 %%f1, %%f1, %%f%u;\nst.global.f32 [%%rd2+%u], %%f1;\n", 10 + i, 4 * i, 10 + i, 4 * i);
}

/* Pointers that step through both arrays. */
static void steps(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++) {
		PUT("ld.global.f32 %%f%u, [%%rd1];\nst.global.f32 [%%rd2], %%f%u;\n", 10 + i, 10 + i);
		PUT("add.s64 %%rd1, %%rd1, 4;\nadd.s64 %%rd2, %%rd2, 4;\n");
	}
}

/* No two addresses can be told apart, as each has a register of its own. */
static void scatter(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("mad.wide.u32 %%rd%u, %%r2, 4, %%rd1;\nld.global.u32 %%r%u, [%%rd%u];\nand.b32 %%r2, %%r%u, 255;\nst.global.u32 [%%rd%u], "
		    "%%r2;\n",
		    10 + i, 10 + i, 10 + i, 10 + i, 10 + i);
}

static void atomics(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++)
		PUT("atom.global.add.u32 %%r%u, [%%rd1+%u], 1;\nxor.b32 %%r2, %%r2, %%r%u;\n", 10 + i, 4 * (i & 1023), 10 + i);
}

static void barriers(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("st.shared.u32 [tile+%u], %%r2;\nbar.sync 0;\nld.shared.u32 %%r%u, [tile+%u];\nadd.u32 %%r2, %%r2, %%r%u;\n", 4 * (i & 255),
		    10 + i, 4 * ((i + 7) & 255), 10 + i);
}

static void chain(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		PUT("mad.lo.u32 %%r%u, %%r%u, %u, %%r1;\n", 10 + i, i ? 9 + i : 1, 2 * i + 1);
	PUT("mov.u32 %%r2, %%r%u;\n", 9 + n);
}

/* Many independent chains that are short. */
static void parallel(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("add.u32 %%r%u, %%r1, %u;\nmul.lo.u32 %%r%u, %%r%u, %%r%u;\nxor.b32 %%r%u, %%r%u, %%r1;\nadd.u32 %%r2, %%r2, %%r%u;\n",
		    10 + 3 * i, i, 11 + 3 * i, 10 + 3 * i, 10 + 3 * i, 12 + 3 * i, 11 + 3 * i, 12 + 3 * i);
}

/* Half of the values are alive at once; they are used in the reverse order. */
static void pressure(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++)
		PUT("ld.global.f32 %%f%u, [%%rd1+%u];\n", 10 + i, 4 * i);
	PUT("st.global.f32 [%%rd2], %%f10;\n");
	for (unsigned i = n / 2; i-- > 0;)
		PUT("fma.rn.f32 %%f1, %%f1, %%f%u, %%f%u;\n", 10 + i, 10 + i);
}

/* Each division is about 30 instructions of the machine. */
static void divisions(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 30; i++)
		PUT("add.u32 %%r%u, %%r2, %u;\ndiv.u32 %%r2, %%r%u, %%r1;\n", 10 + i, i + 7, 10 + i);
}

static void ifs(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("and.b32 %%r%u, %%r2, %u;\nsetp.ne.u32 %%p%u, %%r%u, 0;\n@%%p%u bra L%u;\nadd.u32 %%r2, %%r2, %u;\nL%u:\n", 10 + i, 1u << i % 16,
		    i, 10 + i, i, i, i + 3, i);
}

/* Instructions under guards, which replace nothing. */
static void guarded(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("setp.gt.u32 %%p1, %%r2, %u;\n@%%p1 add.u32 %%r2, %%r2, %%r1;\n@!%%p1 ld.global.u32 %%r3, [%%rd1+%u];\n@%%p1 xor.b32 %%r3, %%r3, "
		    "%%r2;\n",
		    i, 4 * i);
}

static void nested(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("setp.gt.u32 %%p%u, %%r1, %u;\n@%%p%u bra L%u;\nadd.u32 %%r2, %%r2, %u;\n", i, i, i, i, i + 1);
	for (unsigned i = n / 4; i-- > 0;)
		PUT("L%u:\nxor.b32 %%r2, %%r2, %u;\n", i, i + 2);
}

/* Every block may go to any other of a neighbourhood or of all; the number of rounds is bounded. */
static void gotos(hd_text *out, unsigned n)
{
	uint32_t state = n;
	unsigned blocks = n / 5 + 1;
	for (unsigned i = 0; i < blocks; i++) {
		PUT("B%u:\nadd.u32 %%r2, %%r2, %u;\nadd.u32 %%r3, %%r3, 1;\nsetp.gt.u32 %%p1, %%r3, 64;\n@%%p1 bra DONE;\n", i, i + 1);
		PUT("and.b32 %%r4, %%r2, %u;\nsetp.ne.u32 %%p2, %%r4, 0;\n@%%p2 bra B%u;\n", 1u << i % 8, next_random(&state) % blocks);
	}
	PUT("DONE:\n");
}

static void switches(hd_text *out, unsigned n)
{
	unsigned cases = n / 3 + 1;
	PUT("rem.u32 %%r3, %%r1, %u;\nts: .branchtargets ", cases);
	for (unsigned i = 0; i < cases; i++)
		PUT("%sC%u", i ? ", " : "", i);
	PUT(";\nbrx.idx %%r3, ts;\n");
	for (unsigned i = 0; i < cases; i++)
		PUT("C%u:\nadd.u32 %%r2, %%r1, %u;\nmul.lo.u32 %%r2, %%r2, %%r1;\nbra.uni OUT;\n", i, 3 * i);
	PUT("OUT:\n");
}

static void loops(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 5; i++)
		PUT("mov.u32 %%r%u, 0;\nL%u:\nadd.u32 %%r2, %%r2, %%r%u;\nadd.u32 %%r%u, %%r%u, 1;\nsetp.lt.u32 %%p%u, %%r%u, 3;\n@%%p%u bra L%u;\n",
		    10 + i, i, 10 + i, 10 + i, 10 + i, i, 10 + i, i, i);
}

/* Loops inside each other; each runs twice at most, as a common counter ends all. */
static void loop_nest(hd_text *out, unsigned n)
{
	unsigned depth = n / 5;
	for (unsigned i = 0; i < depth; i++)
		PUT("mov.u32 %%r%u, 0;\nL%u:\nadd.u32 %%r2, %%r2, %%r%u;\n", 10 + i, i, 10 + i);
	for (unsigned i = depth; i-- > 0;)
		PUT("add.u32 %%r%u, %%r%u, 1;\nadd.u32 %%r3, %%r3, 1;\nsetp.lt.u32 %%p%u, %%r3, %u;\n@%%p%u bra L%u;\n", 10 + i, 10 + i, i, 2 * depth,
		    i, i);
}

/* Values of the beginning, each of which one later block reads. */
static void far_values(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("ld.global.u32 %%r%u, [%%rd1+%u];\n", 10 + i, 4 * i);
	for (unsigned i = 0; i < n / 4; i++)
		PUT("setp.gt.u32 %%p%u, %%r2, %u;\n@%%p%u bra L%u;\nadd.u32 %%r2, %%r2, %%r%u;\nL%u:\n", i, i, i, i, 10 + i, i);
}

/* Each thread takes a lock of its own again and again. */
static void locks(hd_text *out, unsigned n)
{
	PUT("st.global.u32 [%%rd1], 0;\n");
	for (unsigned i = 0; i < n / 5; i++)
		PUT("L%u:\natom.global.exch.b32 %%r%u, [%%rd1], 1;\nsetp.ne.u32 %%p%u, %%r%u, 0;\n@%%p%u bra L%u;\nadd.u32 %%r2, %%r2, %%r%u;\n"
		    "st.global.u32 [%%rd1], 0;\n",
		    i, 10 + i, i, 10 + i, i, i, 10 + i);
}

static void calls(hd_text *out, unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++)
		PUT("{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %%r2;\ncall.uni (r), leaf%u, (a);\nld.param.b32 %%r%u, [r];\n}\nadd.u32 "
		    "%%r2, %%r%u, "
		    "%%r1;\n",
		    i % 16, 10 + i, 10 + i);
}

static void leaves(hd_text *out, unsigned n)
{
	(void)n;
	for (unsigned i = 0; i < 16; i++)
		PUT(".func (.param .b32 r) leaf%u(.param .b32 a)\n{\n.reg .u32 %%x;\nld.param.b32 %%x, [a];\nmad.lo.u32 %%x, %%x, %u, "
		    "5;\nst.param.b32 [r], "
		    "%%x;\nret;\n}\n",
		    i, 2 * i + 1);
}

const shape shapes[] = {
    {"loads", "loads from one array and a sum", loads, NULL, false},
    {"stores", "loads from one array and stores to another", stores, NULL, true},
    {"steps", "copies through pointers that step", steps, NULL, true},
    {"scatter", "loads and stores whose addresses can't be compared", scatter, NULL, true},
    {"atomics", "atomic additions", atomics, NULL, true},
    {"barriers", "stores to shared memory, barriers, loads", barriers, NULL, true},
    {"chain", "one chain of dependent arithmetic", chain, NULL, false},
    {"parallel", "many short chains of arithmetic", parallel, NULL, false},
    {"pressure", "half of all values alive at once", pressure, NULL, false},
    {"divisions", "divisions of integers", divisions, NULL, false},
    {"ifs", "one if behind the other", ifs, NULL, false},
    {"guarded", "instructions under guards", guarded, NULL, false},
    {"nested", "each if inside the one before", nested, NULL, false},
    {"gotos", "jumps to any block", gotos, NULL, false},
    {"switch", "one switch", switches, NULL, false},
    {"loops", "one loop behind the other", loops, NULL, false},
    {"loop-nest", "each loop inside the one before", loop_nest, NULL, false},
    {"locks", "loops that wait for a lock", locks, NULL, false},
    {"far-values", "values of the first block, each read in a later one", far_values, NULL, false},
    {"calls", "calls of functions", calls, leaves, false},
};
const size_t shape_count = HD_COUNT(shapes);

void shape_write(hd_text *out, const shape *s, unsigned n)
{
	PUT(".version 7.0\n.target sm_70\n.address_size 64\n");
	if (s->functions)
		s->functions(out, n);
	PUT(".visible .entry shape(.param .u64 input, .param .u64 output)\n{\n.reg .u32 %%r<%u>;\n.reg .u64 %%rd<%u>;\n.reg .f32 %%f<%u>;\n.reg "
	    ".pred "
	    "%%p<%u>;\n.shared .align 4 .b8 tile[2048];\n",
	    n + 20, n + 20, n + 20, n + 20);
	PUT("ld.param.u64 %%rd3, [input];\nld.param.u64 %%rd4, [output];\nmov.u32 %%r1, %%tid.x;\nmul.wide.u32 %%rd5, %%r1, 4;\nadd.u64 %%rd1, "
	    "%%rd3, "
	    "%%rd5;\nadd.u64 %%rd2, %%rd4, %%rd5;\nadd.u64 %%rd2, %%rd2, %%rd5;\nmov.f32 %%f1, 0f00000000;\nmov.u32 %%r2, %%r1;\nmov.u32 %%r3, 0;\n");
	s->body(out, n);
	PUT("st.global.u32 [%%rd2], %%r2;\nst.global.f32 [%%rd2+4], %%f1;\nret;\n}\n");
}

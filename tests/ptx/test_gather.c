/* Where lanes that a mask names (.sync) have to gather from several branches, and where they run together anyway (src/ptx/gather.c): a table of PTX,
 * and the `wsync` and `xlane` that come out in the kernel and in a function that it calls. */
#include "ptx/ptx.h"
#include "../test.h"

#define SHUFFLE "shfl.sync.idx.b32 %r1, %r2, 3, 31, -1;\n"
#define CALL "call.uni f, ();\n"
#define BOTH(a, b) "@%p1 bra A;\n" a "bra.uni E;\nA:\n" b "E:\n"

typedef struct row {
	const char *what, *target, *function, *kernel; /* bodies */
	unsigned wsyncs, xlanes;                       /* in the kernel */
	unsigned in_function;                          /* `wsync`, in f and g */
} row;

static const row rows[] = {
    /* Nothing separates the lanes. */
    {"one after the other", "sm_70", "", SHUFFLE SHUFFLE, 0, 0, 0},
    {"under a guard", "sm_70", "", "@%p1 " SHUFFLE, 0, 0, 0},
    {"one side only", "sm_70", "", BOTH("", SHUFFLE), 0, 0, 0},
    {"before, on one side and behind", "sm_70", "", SHUFFLE BOTH(SHUFFLE, "") SHUFFLE, 0, 0, 0},
    {"both sides lead to one", "sm_70", "", BOTH("add.u32 %r2, %r2, 1;\n", "add.u32 %r2, %r2, 2;\n") SHUFFLE, 0, 0, 0},
    {"in a loop and behind it", "sm_70", "", "L:\n" SHUFFLE "setp.lt.u32 %p2, %r1, %r2;\n@%p2 bra L;\n" SHUFFLE, 0, 0, 0},
    {"two branches, one side each", "sm_70", "", BOTH(SHUFFLE, "") "@%p2 bra B;\n" SHUFFLE "B:\n", 0, 0, 0},
    {"votes of who is there", "sm_70", "", BOTH("activemask.b32 %r1;\n", "activemask.b32 %r2;\n"), 0, 0, 0},
    /* Before sm_70 lanes that run together are meant. */
    {"both sides, sm_60", "sm_60", "", BOTH(SHUFFLE, SHUFFLE), 0, 0, 0},
    /* Lanes may have to meet from both sides: each operation has a `wsync` before it and behind. */
    {"both sides", "sm_70", "", BOTH(SHUFFLE, SHUFFLE), 4, 2, 0},
    {"both sides, sm_90", "sm_90", "", BOTH(SHUFFLE, SHUFFLE), 4, 2, 0},
    {"then all of the function", "sm_70", "", SHUFFLE BOTH(SHUFFLE, SHUFFLE), 6, 3, 0},
    {"one side returns", "sm_70", "", "@%p1 bra A;\n" SHUFFLE "ret;\nA:\n" SHUFFLE, 4, 2, 0},
    {"three sides", "sm_70", "", "@%p1 bra A;\n@%p2 bra B;\n" SHUFFLE "bra.uni E;\nA:\n" SHUFFLE "bra.uni E;\nB:\n" SHUFFLE "E:\n", 6, 3, 0},
    {"a table of branches", "sm_70", "", "t: .branchtargets A, B;\nbrx.idx %r2, t;\nA:\n" SHUFFLE "bra.uni E;\nB:\n" SHUFFLE "E:\n", 4, 2, 0},
    {"deep in each side", "sm_70", "", "@%p1 bra A;\n@%p2 bra C;\n" SHUFFLE "C:\nbra.uni E;\nA:\n@%p2 bra E;\n" SHUFFLE "E:\n", 4, 2, 0},
    {"sides in a loop", "sm_70", "", "L:\n" BOTH(SHUFFLE, SHUFFLE) "setp.lt.u32 %p2, %r1, %r2;\n@%p2 bra L;\n", 4, 2, 0},
    {"a loop on a side", "sm_70", "", BOTH("L:\n" SHUFFLE "setp.lt.u32 %p2, %r1, %r2;\n@%p2 bra L;\n", SHUFFLE), 4, 2, 0},
    {"a side that never ends", "sm_70", "", "@%p1 bra A;\nL:\n" SHUFFLE "bra.uni L;\nA:\n" SHUFFLE, 4, 2, 0},
    /* The result of each operation. */
    {"barriers", "sm_70", "", BOTH("bar.warp.sync -1;\n", "bar.warp.sync -1;\n"), 2, 0, 0},
    {"ballots", "sm_70", "", BOTH("vote.sync.ballot.b32 %r1, %p2, -1;\n", "vote.sync.ballot.b32 %r1, %p2, -1;\n"), 4, 4, 0},
    {"all and any", "sm_70", "", BOTH("vote.sync.all.pred %p3, %p2, -1;\n", "vote.sync.any.pred %p3, %p2, -1;\n"), 4, 6, 0},
    {"matches", "sm_70", "", BOTH("match.any.sync.b32 %r1, %r2, -1;\n", "match.all.sync.b32 %r1|%p3, %r2, -1;\n"), 4, 6, 0},
    {"sums", "sm_80", "", BOTH("redux.sync.add.s32 %r1, %r2, -1;\n", "redux.sync.min.u32 %r1, %r2, -1;\n"), 4, 4, 0},
    {"two kinds", "sm_70", "", BOTH(SHUFFLE, "bar.warp.sync -1;\n"), 3, 1, 0},
    /* Functions: one that gathers, or is called where lanes are apart, has its own; others have none. */
    {"a call", "sm_70", SHUFFLE, CALL, 0, 0, 0},
    {"a call on both sides", "sm_70", SHUFFLE, BOTH(CALL, CALL), 0, 0, 2},
    {"a call on one side, an operation on the other", "sm_70", SHUFFLE, BOTH(CALL, SHUFFLE), 2, 1, 2},
    {"the function has the branch", "sm_70", BOTH(SHUFFLE, SHUFFLE), CALL SHUFFLE, 0, 0, 4},
    {"a call within a call on both sides", "sm_70", "call.uni g, ();\n", BOTH(CALL, CALL), 0, 0, 2},
    {"calls of a function without one", "sm_70", "add.u32 %r1, %r1, 1;\n", BOTH(CALL, CALL), 0, 0, 0},
    {"calls by address", "sm_70", SHUFFLE,
     "mov.u64 %rd1, f;\n" BOTH("p: .callprototype _ ();\ncall %rd1, (), p;\n", "q: .callprototype _ ();\ncall %rd1, (), q;\n"), 0, 0, 2},
};

/* In the kernel, or in the functions that are none. */
static unsigned count(const hd_ir_module *module, bool kernel, hd_op op)
{
	unsigned n = 0;
	for (size_t k = 0; k < module->functions.n; k++) {
		const hd_ir_function *f = module->functions.at[k];
		for (size_t b = 0; f->kernel == kernel && b < f->blocks.n; b++)
			for (size_t i = 0; i < f->blocks.at[b]->insts.n; i++)
				n += f->blocks.at[b]->insts.at[i]->op == op;
	}
	return n;
}

TEST(the_table)
{
	static const char registers[] = ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>;\nmov.u32 %r2, %tid.x; setp.lt.u32 %p1, %r2, 7;\n"
	                                "setp.eq.u32 %p2, %r2, 5;\n";
	bool ok = true;
	for (size_t i = 0; i < 2 * HD_COUNT(rows); i++) {
		const row *r = &rows[i / 2];
		hd_diag diag = {0};
		hd_text text = {0};
		hd_text_printf(&text, ".version 7.8\n.target %s\n.address_size 64\n", r->target);
		/* The functions in both orders: what is found of one goes on to the other. */
		const char *bodies[] = {SHUFFLE, r->function};
		hd_text_printf(&text, ".func %c();\n.func %c();\n", "gf"[i & 1], "fg"[i & 1]);
		for (size_t k = 0; k < 2; k++)
			hd_text_printf(&text, ".func %c()\n{\n%s%sret;\n}\n", "gf"[k], registers, bodies[k]);
		hd_text_printf(&text, ".entry k()\n{\n%s%sret;\n}\n", registers, r->kernel);
		hd_ir_module *module = hd_ptx_read(text.at, text.n, r->what, &diag);
		if (!module || !hd_ir_validate(module, &diag))
			fail_msg("%s", diag.text.at);
		unsigned wsyncs = count(module, true, HD_OP_WSYNC), xlanes = count(module, true, HD_OP_XLANE);
		unsigned others = count(module, false, HD_OP_WSYNC);
		if (wsyncs != r->wsyncs || xlanes != r->xlanes || others != r->in_function) {
			print_error("%s: wsync %u, xlane %u, wsync in the function %u; expected %u, %u, %u\n", r->what, wsyncs, xlanes, others,
			            r->wsyncs, r->xlanes, r->in_function);
			ok = false;
		}
		hd_ir_module_free(module);
		hd_text_free(&text);
		hd_diag_free(&diag);
	}
	assert_true(ok);
}

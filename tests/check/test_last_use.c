/* The proof of last-use flags (LU-3), flag by flag: what no lane, path, call or replay needs any more is accepted, what one may still need is
 * refused, and the instruction in the way is named. Programs are assembly, as somebody could have written it. */
#include "../test.h"

#include "check/check.h"
#include "object/object.h"

typedef struct example {
	const char *what;
	const char *code; /* of the kernel, then of functions */
	bool right;
} example;

/* Everything else is covered by waiting long: delays of 15, and counter 1 where pipes differ. */
static const example examples[] = {
    {"used once, in its pipe", "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nexit\n", true},
    {"read again", "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\niadd r5, r1, r3 {delay 15}\nexit\n", false},
    {"written again before it is read", "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nmov r1, r3 {delay 15}\niadd r5, r1, r3\nexit\n",
     true},
    {"written again by the reader", "iadd r1, r2, r3 {delay 15}\niadd r1, r1.lu, r3 {delay 15}\niadd r5, r1, r3\nexit\n", true},
    {"written again for some lanes only",
     "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\n@p0 mov r1, r3 {delay 15}\niadd r5, r1, r3\nexit\n", false},
    {"written again for the lanes that read",
     "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\n@p0 mov r1, r3 {delay 15}\n@p0 iadd r5, r1, r3\nexit\n", true},
    {"the reader under a predicate, the maker not", "iadd r1, r2, r3 {delay 15}\n@p0 iadd r4, r1.lu, r3 {delay 15}\nexit\n", false},
    {"both under one predicate", "@p0 iadd r1, r2, r3 {delay 15}\n@p0 iadd r4, r1.lu, r3 {delay 15}\nexit\n", true},
    {"under a predicate and its opposite", "@p0 iadd r1, r2, r3 {delay 15}\n@!p0 iadd r4, r1.lu, r3 {delay 15}\nexit\n", false},
    {"the predicate changed in between", "@p0 iadd r1, r2, r3 {delay 15}\nisetp.eq p0, r2, r3 {delay 15}\n@p0 iadd r4, r1.lu, r3 {delay 15}\nexit\n",
     false},
    {"made under a predicate, read by all", "@p0 iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nexit\n", true},
    {"not made in the block", "iadd r1, r2, r3 {delay 15}\n@p0 bra L {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nL:\nexit\n", false},
    {"read on the other way",
     "iadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\n@p0 bra L {delay 15}\niadd r5, r4, r3 {delay 15}\nexit\nL:\niadd r5, r1, r3 {delay "
     "15}\nexit\n",
     false},
    {"in a loop, made anew each time", "L:\niadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\n@p0 bra L {delay 15}\nexit\n", true},
    {"in a loop, read at its start",
     "L:\niadd r5, r1, r3 {delay 15}\niadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\n@p0 bra L {delay 15}\nexit\n", false},
    /* The else side reads r1, which its own lanes were given before the branch: the then side's r1 is of other lanes. */
    {"the other side has its own",
     "mov r1, r3 {delay 15}\n@p0 bra L {delay 15}\niadd r1, r2, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nexit\nL:\niadd r5, r1, r3 {delay "
     "15}\nexit\n",
     true},
    {"a barrier in between", "iadd r1, r2, r3 {delay 15}\nbar.sync 0\niadd r4, r1.lu, r3 {delay 15}\nexit\n", false},
    {"another pipe", "iadd r1, r2, r3 {p1.w delay 15}\nfex2 r4, r1.lu {w100000 delay 15}\nexit\n", true},
    {"a reader in between, in a third pipe",
     "iadd r1, r2, r3 {p1.w delay 15}\ni2f.f32.u32 r6, r1 {w100000 delay 15}\nfex2 r4, r1.lu {w100000 delay 15}\nexit\n", false},
    {"a reader in between, in the pipe of the last",
     "iadd r1, r2, r3 {p1.w delay 15}\nfex2 r6, r1 {w100000 delay 15}\nfex2 r4, r1.lu {w100000 delay 15}\nexit\n", true},
    {"from memory, to memory: a replay has its operands with it",
     "ldg.32 r1, [r2:r3] {p5.w delay 15}\nstg.32 [r2:r3], r1.lu {w000010 delay 15}\nexit\n", true},
    {"a pair", "iadd64 r6:r7, r2:r3, r2:r3 {delay 15}\niadd64 r8:r9, r6:r7.lu, r2:r3 {delay 15}\nexit\n", true},
    {"a pair, one half of which is read again",
     "iadd64 r6:r7, r2:r3, r2:r3 {delay 15}\niadd64 r8:r9, r6:r7.lu, r2:r3 {delay 15}\niadd r4, r7, r3\nexit\n", false},
    {"a half of a pair", "iadd64 r6:r7, r2:r3, r2:r3 {delay 15}\niadd r4, r6.lu, r3 {delay 15}\niadd r5, r7.lu, r3 {delay 15}\nexit\n", true},
    {"a pair of two results", "iadd r6, r2, r3 {delay 1}\niadd r7, r2, r3 {delay 15}\niadd64 r8:r9, r6:r7.lu, r2:r3 {delay 15}\nexit\n", true},
    {"a pair, half of it from before", "@p0 bra L {delay 15}\nL:\niadd r6, r2, r3 {delay 15}\niadd64 r8:r9, r6:r7.lu, r2:r3 {delay 15}\nexit\n",
     false},
    {"a call that reads it",
     "iadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\ncall F {w100000 delay 15}\nexit\nF:\niadd r5, r1, r3 {p1.w delay 15}\nret "
     "{w100000 delay 15}\n",
     false},
    {"a call that does not",
     "iadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\ncall F {w100000 delay 15}\nexit\nF:\niadd r5, r4, r3 {p1.w delay 15}\nret "
     "{w100000 delay 15}\n",
     true},
    {"read behind the call",
     "iadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\ncall F {w100000 delay 15}\niadd r5, r1, r3 {p1.w delay 15}\nexit\nF:\nret "
     "{w100000 delay 15}\n",
     false},
    {"in a function whose caller reads it",
     "call F {w100000 delay 15}\niadd r5, r1, r3 {p1.w delay 15}\nexit\nF:\niadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\nret "
     "{w100000 delay 15}\n",
     false},
    {"in a function whose caller's caller reads it",
     "call G {w100000 delay 15}\niadd r5, r1, r3 {p1.w delay 15}\nexit\nF:\niadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\nret "
     "{w100000 delay 15}\n.end\n.function \"g\"\nG: call F {w100000 delay 15}\nret {w100000 delay 15}\n",
     false},
    {"in a function whose caller does not",
     "call F {w100000 delay 15}\niadd r5, r4, r3 {p1.w delay 15}\nexit\nF:\niadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\nret "
     "{w100000 delay 15}\n",
     true},
};

/* With indirect branches and calls. `target`: the word to which they may go, 0 = nowhere. */
static const struct {
	example is;
	uint32_t target;
} indirect[] = {
#define MAKE "mov r7, r3 {p1.w}\niadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\n"
#define READ_IN_F "F:\niadd r5, r1, r3 {p1.w delay 15}\nret {w100000 delay 15}\n"
#define MAKE_IN_F "F:\niadd r1, r2, r3 {p1.w delay 15}\niadd r4, r1.lu, r3 {p1.w delay 15}\nret {w100000 delay 15}\n"
    /* The branch is word 4. */
    {{"a branch behind what writes it again", MAKE "brx r7 {w100000}\nmov r1, r3 {delay 15}\niadd r5, r1, r3\nexit\n", false}, 6},
    {{"a branch to what writes it again", MAKE "brx r7 {w100000}\nmov r1, r3 {delay 15}\niadd r5, r1, r3\nexit\n", true}, 5},
    {{"a reader to which no branch goes", MAKE "brx r7 {w100000}\niadd r5, r1, r3\nexit\n", true}, 0},
    {{"a guarded branch, and what follows", MAKE "@p0 brx r7 {w100000}\niadd r5, r1, r3\nexit\n", false}, 0},
    {{"a reader in another function is no target of a branch", MAKE "brx r7 {w100000}\nexit\n" READ_IN_F, true}, 6},
    /* The function is at word 7. */
    {{"a call of what reads it", MAKE "callx r7 {w100000}\nmov r1, r3 {delay 15}\nexit\n" READ_IN_F, false}, 7},
    {{"a function that is not called", MAKE "callx r7 {w100000}\nmov r1, r3 {delay 15}\nexit\n" READ_IN_F, true}, 0},
    {{"a call of what does not read it", MAKE "callx r7 {w100000}\niadd r5, r4, r3\nexit\nF:\nret\n", true}, 7},
    {{"read behind the call", MAKE "callx r7 {w100000}\niadd r5, r1, r3\nexit\nF:\nret\n", false}, 7},
    /* The function is at word 5. */
    {{"in a function that is called, read behind the call",
      "mov r7, r3 {p1.w}\ncallx r7 {w100000}\niadd r5, r1, r3 {p1.w delay 15}\nexit\n" MAKE_IN_F, false},
     5},
    {{"in a function that is not called", "mov r7, r3 {p1.w}\ncallx r7 {w100000}\niadd r5, r1, r3 {p1.w delay 15}\nexit\n" MAKE_IN_F, true}, 0},
};

/* The code between labels F and the end is a function of its own. */
static char *program(const char *code)
{
	hd_text text = {0};
	const char *function = strstr(code, "F:\n");
	int kernel = function ? (int)(function - code) : (int)strlen(code);
	hd_text_printf(&text, ".kernel \"k\"\n.entry K\n.registers 32\n.call_depth 4\n.function \"k\"\nK:\n%.*s.end\n", kernel, code);
	if (function)
		hd_text_printf(&text, ".function \"f\"\n%s.end\n", function);
	return text.at;
}

static void look_at(const example *is, uint32_t target)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_check_report report;
	char *text = program(is->code);
	hd_machine_default(&machine);
	hd_object *object = hd_assemble(text, strlen(text), "x.hasm", &diag);
	if (!object)
		fail_msg("%s: %s\n%s", is->what, diag.text.at, text);
	if (target)
		hd_vec_push(&object->targets, target);
	bool ok = hd_check(object, &machine, &report);
	hd_text found = {0};
	bool others = false;
	for (size_t k = 0; k < report.findings.n; k++) {
		hd_finding_print(&found, &report.findings.at[k], object, "x.hasm");
		others |= report.findings.at[k].kind != HD_HAZARD_LAST_USE;
	}
	if (ok != is->right || others || report.last_uses == 0)
		fail_msg("%s: %s, %llu flags\n%s%s", is->what, ok ? "accepted" : "refused", (unsigned long long)report.last_uses, text,
		         found.at ? found.at : "");
	hd_text_free(&found);
	hd_check_report_free(&report);
	hd_object_free(object);
	free(text);
}

TEST(flag_by_flag)
{
	for (unsigned i = 0; i < HD_COUNT(examples); i++)
		look_at(&examples[i], 0);
}

/* MI-14: a reader in between enters before the flagged one only if they have one pipe. */
TEST(pipes_are_those_of_the_machine)
{
	static const char *const texts[] = {"iadd r1, r2, r3 {delay 15}\nfadd r5, r1, r3 {delay 15}\niadd r4, r1.lu, r3 {delay 15}\nexit\n",
	                                    "iadd r1, r2, r3 {delay 15}\niadd r5, r1, r3 {delay 15}\nfadd r4, r1.lu, r3 {delay 15}\nexit\n"};
	for (unsigned i = 0; i < 4; i++) {
		unsigned apart = i & 1;
		char *text = program(texts[i / 2]);
		hd_machine machine;
		hd_diag diag = {0};
		hd_check_report report;
		hd_machine_default(&machine);
		machine.pipe[HD_CLASS_FMA] = apart ? HD_PIPE_TEX : HD_PIPE_ALU;
		hd_object *object = hd_assemble(text, strlen(text), "x.hasm", &diag);
		hd_check(object, &machine, &report);
		unsigned n = 0;
		for (size_t k = 0; k < report.findings.n; k++)
			n += report.findings.at[k].kind == HD_HAZARD_LAST_USE;
		assert_int_equal(n, apart);
		hd_check_report_free(&report);
		hd_object_free(object);
		free(text);
	}
}

TEST(with_indirect_branches_and_calls)
{
	for (unsigned i = 0; i < HD_COUNT(indirect); i++)
		look_at(&indirect[i].is, indirect[i].target);
}

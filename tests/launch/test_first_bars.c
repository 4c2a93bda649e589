/* Which `bar` lanes can come to first (RC-17). */
#include "launch/first_bars.h"
#include "../test.h"

#define NO "no"

/* `expected`: at each label of the text, in the order of the code, the label of the first `bar`. */
static void expect(const char *body, const char *places, const char *expected)
{
	hd_diag diag = {0};
	hd_text text = {0}, got = {0};
	hd_text_printf(&text, ".kernel \"k\"\n.entry S\n.registers 32\n.function \"k\"\nS:\tnop\n%s.end\n", body);
	hd_object *object = hd_assemble(text.at, text.n, "t.hasm", &diag);
	if (!object)
		fail_msg("%s\n%s", diag.text.at, text.at);
	hd_memory *memory = hd_memory_new(1 << 20);
	hd_program *program = hd_program_new(object, memory, &diag);
	if (!program)
		fail_msg("%s", diag.text.at);
	/* A place is a number of instructions behind S. */
	uint32_t words[64], n = 0;
	for (uint32_t word = 0; word < program->n_slots && n < 64; word++)
		if (!program->slots[word].is_ss && (n || program->slots[word].inst.op == HD_OP_NOP))
			words[n++] = word;
	for (const char *at = places; *at; at++) {
		unsigned k = (unsigned)(*at - 'a') + 1;
		hd_text_printf(&got, "%s%c:", got.n ? " " : "", *at);
		uint32_t bar = program->first_bars ? program->first_bars[words[k]] : HD_NO_BAR, which = 0;
		while (which < n && words[which] != bar)
			which++;
		if (bar == HD_NO_BAR)
			hd_text_printf(&got, "-");
		else
			hd_text_printf(&got, "%c", 'a' + (int)which - 1);
	}
	if (strcmp(got.at, expected) != 0)
		fail_msg("%s\n%s, expected %s", text.at, got.at, expected);
	hd_text_free(&got);
	hd_text_free(&text);
	hd_program_free(program);
	hd_memory_free(memory);
	hd_object_free(object);
}

/* Letters count the instructions behind the first `nop`. */
TEST(along_the_ways)
{
	expect("movi r0, 1\nexit\n", "ab", "a:- b:-");
	expect("movi r0, 1\nbar.sync 0\nmovi r0, 2\nbar.sync 0\nmovi r0, 3\nexit\n", "abcdef", "a:b b:b c:d d:d e:- f:-");
	/* a branch: to its target, and behind it under a guard; brk is one */
	expect("bra X\nbar.sync 0\nX: movi r0, 1\nbar.sync 0\nexit\n", "abc", "a:d b:b c:d");
	expect("@p0 bra X\nbar.sync 0\nX: movi r0, 1\nbar.sync 0\nexit\n", "abc", "a:b b:b c:d");
	expect("@p0 brk X\nexit\nX: movi r0, 1\nbar.sync 0\nexit\n", "abc", "a:d b:- c:d");
	expect("@!pt bra X\nexit\nX: movi r0, 1\nbar.sync 0\nexit\n", "ab", "a:- b:-");
	/* a loop: behind the lower bar comes the higher one, and the branch back leads to the lower one */
	expect("L: movi r0, 1\nbar.sync 0\nmovi r0, 1\n@p0 bra M\nbar.sync 0\nM: movi r0, 2\n@p1 bra L\nexit\n", "abcdefgh",
	       "a:b b:b c:b d:b e:e f:b g:b h:-");
	/* lanes whose guard does not hold pass a bar; one that no lane executes is none */
	expect("movi r0, 1\n@p0 bar.sync 0\nmovi r0, 1\nL: bar.sync 0\nexit\n", "abcd", "a:b b:b c:d d:d");
	expect("bar.sync 0\nL: @p0 bar.sync 0\n@p1 bra S\nexit\n", "abcd", "a:a b:a c:a d:-");
	expect("@!pt bar.sync 0\nmovi r0, 1\nbar.sync 0\nexit\n", "ab", "a:c b:c");
	/* instructions that end lanes */
	expect("trap\nbar.sync 0\nexit\n", "a", "a:-");
	expect("@p0 exit\nbar.sync 0\nexit\n", "a", "a:b");
}

TEST(into_subroutines_and_over_tables)
{
	expect("call F\nbar.sync 0\nexit\n.end\n.function \"f\"\nF: movi r0, 1\nbar.sync 0\nret\n", "abde", "a:b b:b d:e e:e");
	expect("call F\nexit\n.end\n.function \"f\"\nF: movi r0, 1\nbar.sync 0\nmovi r0, 1\nret\n", "abcdef", "a:d b:- c:d d:d e:- f:-");
	/* indirect branches go to targets of their function, indirect calls to subroutines */
	expect("brx r0\nexit\n.target\nT: movi r0, 1\nbar.sync 0\nexit\n", "abc", "a:d b:- c:d");
	expect("brx r0\nexit\nexit\n.end\n.function \"f\"\n.target\nF: movi r0, 1\nbar.sync 0\nret\n", "ab", "a:- b:-");
	expect("callx r0\nexit\n.end\n.function \"f\"\n.target\nF: movi r0, 1\nbar.sync 0\nret\n", "abc", "a:d b:- c:d");
	expect("callx r0\nexit\n.target\nT: bar.sync 0\nexit\n.end\n.function \"f\"\n.target\nF: movi r0, 1\nret\n", "abc", "a:- b:- c:c");
}

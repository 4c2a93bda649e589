/* The proof of an assignment: it sees two values in one place, and a value that a call changes. */
#include "allocation_rig.h"
#include "passes/allocate/verify.h"

/* Places of %0, %1, ...; NULL: no conflict. */
static void expect(const char *text, const uint16_t *places, const hd_clobber *clobber, bool stack, const char *conflict)
{
	rig x;
	hd_text why = {0};
	rig_start(&x, text, 32);
	x.a.stack = stack;
	if (clobber)
		x.clobbers[1] = *clobber;
	for (size_t v = 0; v < x.a.info.n; v++)
		x.a.info.at[v].place = places[v];
	bool ok = hd_verify_allocation(&x.a, &why);
	if (ok != (conflict == NULL) || (conflict && strcmp(why.at, conflict) != 0))
		fail_msg("%s, expected %s", ok ? "accepted" : why.at, conflict ? conflict : "nothing");
	hd_text_free(&why);
	rig_stop(&x);
}

#define PLACES(...) ((const uint16_t[]){__VA_ARGS__})

TEST(one_value_in_one_place)
{
	static const char text[] =
	    ".kernel \"k\"\n.vregs 1 2 1\nb0:\nmovi %0 = 0x1\nmov64 %1:2 = c[0x40]:2\nstg{sub=4} %1:2, %0\nmovi %2 = 0x1\nsts{sub=4} %2, %2\n.exit\n";
	expect(text, PLACES(0, 2, 0), NULL, false, NULL);
	expect(text, PLACES(0, 2, 3), NULL, false, NULL);
	expect(text, PLACES(3, 2, 0), NULL, false, "k, block 0, instruction 1: register 3 is written while it holds %0");
	expect(text, PLACES(0, 2, HD_RZ), NULL, false, NULL);
}

TEST(predicates)
{
	static const char text[] =
	    ".kernel \"k\"\n.vregs 0 0 1\nb0:\nisetp{cmp=eq} %p0 = %2, 0x1\nisetp{cmp=eq} %p1 = %2, 0x2\n@%p1 nop\n.branch %p0 b0 b1\nb1:\n.exit\n";
	expect(text, PLACES(256, 257, 0), NULL, false, NULL);
	expect(text, PLACES(256, 256, 0), NULL, false, "k, block 0, instruction 1: predicate 0 is written while it holds %0");
}

/* Also around a loop, and at the second word of a pair. */
TEST(paths)
{
	static const char text[] = ".kernel \"k\"\n.vregs 2 1 0\nb0:\nmov64 %0:2 = c[0x40]:2\n.jump b1\nb1:\nmovi %1 = 0x1\nsts{sub=4} %1, "
	                           "%0.1\n.branch %p2 b1 b2\nb2:\n.exit\n";
	expect(text, PLACES(4, 6, 256), NULL, false, NULL);
	expect(text, PLACES(4, 4, 256), NULL, false, NULL); /* the first word is dead */
	expect(text, PLACES(4, 5, 256), NULL, false, "k, block 1, instruction 0: register 5 is written while it holds %0");
}

TEST(calls)
{
	static const char text[] =
	    ".kernel \"k\"\n.vregs 1 1\nb0:\nmovi %0 = 0x1\ncall{to=2} %1 =\nsts{sub=4} %0, %1\n.exit\n.function \"f\"\nb0:\n.ret\n";
	const hd_clobber c = {.registers = {1u << 4 | 1u << 0}};
	expect(text, PLACES(5, 4), &c, false, NULL); /* the result may be where the call writes */
	expect(text, PLACES(4, 5), &c, false, "k, block 0, instruction 1: register 4 is written while it holds %0");
	expect(text, PLACES(0, 4), &c, false, "k, block 0, instruction 1: register 0 is written while it holds %0");
	expect(text, PLACES(HD_STACK_POINTER, 4), &c, true, NULL); /* the callee restores it */
	expect(".kernel \"k\"\n.vregs 1 1\nb0:\nmovi %0 = 0x1\ncallx %1\nsts{sub=4} %0, %0\n.exit\n", PLACES(9, 1), NULL, false,
	       "k, block 0, instruction 1: register 9 is written while it holds %0");
}

/* HZ-3: an instruction that would wait for the counter that it raises. */
#include "../ir_builder.h"
#include "passes/annotate/waiting_branches.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.allocated 16\n.laid_out\n%s", body);
	ir_builder b = ir_read(in.at);
	hd_insert_waiting_branches(b.m, b.f);
	ir_expect(&b, expected);
	ir_free(&b);
	hd_text_free(&in);
}

/* The branch waits for that counter alone, under the guard "never", and leads to its own block. */
static void a_branch_waits_in_its_place(void **state)
{
	expect("b0:\niadd r1 = r2, r3\n.jump b1\nb1:\niadd r1 = r2, r3\niadd{primary=2 wait=7} r1 = r2, r3 @0:4:2\niadd r4 = r2, r3\n.exit\n",
	       "b0:\niadd r1 = r2, r3\n.jump b1\nb1:\niadd r1 = r2, r3\n@!p7 bra{to=2 wait=2} @0:4:2\niadd{primary=2 wait=5} r1 = r2, r3 "
	       "@0:4:2\niadd r4 = r2, r3\n.exit\n");
}

static void others_stay(void **state)
{
	static const char text[] = "b0:\niadd{primary=2 wait=5} r1 = r2, r3\niadd{wait=2} r1 = r2, r3\niadd{primary=1} r1 = r2, r3\n.exit\n";
	expect(text, text);
}

static void several_in_one_block(void **state)
{
	expect("b0:\niadd{primary=1 wait=1} r1 = r2, r3\niadd{primary=16 wait=32768} r1 = r2, r3\n.exit\n",
	       "b0:\n@!p7 bra{to=1 wait=1}\niadd{primary=1} r1 = r2, r3\n@!p7 bra{to=1 wait=32768}\niadd{primary=16} r1 = r2, r3\n.exit\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_branch_waits_in_its_place),
	    cmocka_unit_test(others_stay),
	    cmocka_unit_test(several_in_one_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

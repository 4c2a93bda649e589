/* RC-10: a machine that tells the threads of a subroutine by addresses refuses recursion, and says which calls lead back. */
#include "../ir_builder.h"
#include "passes/analysis/recursion.h"

/* NULL: accepted. */
static void expect(const char *text, hd_divergence mode, hd_membership membership, const char *message)
{
	hd_machine machine;
	hd_diag diag = {0};
	hd_machine_default(&machine);
	machine.divergence_mode = mode;
	machine.divergence_membership = membership;
	ir_builder b = ir_read(text);
	bool ok = hd_refuse_recursion(b.m, &(hd_pass_context){.machine = &machine, .diag = &diag});
	assert_int_equal(ok, message == NULL);
	if (message && !strstr(diag.text.at, message))
		fail_msg("%s", diag.text.at);
	hd_diag_free(&diag);
	ir_free(&b);
}

static const char two[] = ".file \"a.cl\"\n.kernel \"main\"\nb0:\n	call.f{to=2} @0:1:1\n	.exit\n"
                          ".function \"odd\"\nb0:\n	call.f{to=3} @0:2:5\n	.ret\n"
                          ".function \"even\"\nb0:\n	call.f{to=2} @0:3:7\n	.ret\n";

TEST(the_calls_are_named)
{
	expect(two, HD_DIV_RESUME, HD_MEMBER_ENTRY,
	       "recursion: 'odd' calls 'even', which calls 'odd'; with divergence.membership = entry no layout has all callers before their callees "
	       "(RC-20), expected flag");
	expect(two, HD_DIV_RESUME, HD_MEMBER_RANGE, "a.cl:3:7: error: recursion: 'odd' calls 'even', which calls 'odd'; with");
}

TEST(other_machines_take_it)
{
	expect(two, HD_DIV_RESUME, HD_MEMBER_FLAG, NULL);
	expect(two, HD_DIV_STACK, HD_MEMBER_RANGE, NULL);
}

TEST(programs_without_recursion_are_taken)
{
	expect(".kernel \"main\"\nb0:\n	call.f{to=2}\n	call.f{to=3}\n	.exit\n.function \"a\"\nb0:\n	call.f{to=3}\n	.ret\n"
	       ".function \"b\"\nb0:\n	.ret\n",
	       HD_DIV_RESUME, HD_MEMBER_RANGE, NULL);
}

/* A kernel that does not recurse makes the file worth to be compiled; the other one is refused when it is launched. */
TEST(one_kernel_without_recursion_is_enough)
{
	hd_text text = {0};
	hd_text_printf(&text, "%s.kernel \"other\"\nb0:\n\t.exit\n", two);
	expect(text.at, HD_DIV_RESUME, HD_MEMBER_RANGE, NULL);
	hd_text_free(&text);
	hd_text_printf(&text, "%s.kernel \"other\"\nb0:\n\tcall.f{to=3}\n\t.exit\n", two);
	expect(text.at, HD_DIV_RESUME, HD_MEMBER_RANGE, "recursion: 'odd' calls 'even'");
	hd_text_free(&text);
}

/* A function may be called through a pointer if its address is taken. The shortest way is told. */
TEST(pointers_may_lead_back)
{
	static const char text[] = ".kernel \"main\"\nb0:\n	call.f{to=2}\n	.exit\n"
	                           ".function \"a\"\n.vregs 1\n%sb0:\n	call.f{to=3}\n	call.f %%0\n	.ret\n"
	                           ".function \"b\"\nb0:\n	.ret\n";
	hd_text taken = {0}, not_taken = {0};
	hd_text_printf(&taken, text, ".address_taken\n");
	hd_text_printf(&not_taken, text, "");
	expect(taken.at, HD_DIV_RESUME, HD_MEMBER_RANGE, "a: error: recursion: 'a' calls through a pointer what may be 'a'; with");
	expect(not_taken.at, HD_DIV_RESUME, HD_MEMBER_RANGE, NULL);
	hd_text_free(&taken);
	hd_text_free(&not_taken);
}

/* Several units in one text, each from .version on: what they know of each other, and what each has for itself. */
#include "run.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"
#define KERNEL ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>;\nld.param.u64 %rd2, [pout];\n"
#define CALL(name) "{\n.param .b32 r0;\ncall (r0), " name ", ();\nld.param.b32 %r1, [r0];\n}\n"

static void expect(const char *text, uint32_t first, uint32_t second)
{
	uint32_t in = 0, out[2] = {0};
	run_ptx(text, "k", 1, &in, sizeof in, out, sizeof out, NULL, 0);
	assert_int_equal(out[0], first);
	assert_int_equal(out[1], second);
}

static const char both[] = KERNEL CALL("f") "st.global.u32 [%rd2], %r1;\nld.global.u32 %r1, [v];\nst.global.u32 [%rd2+4], %r1;\nret;\n}\n";

static char *join(const char *a, const char *b)
{
	hd_text text = {0};
	hd_text_printf(&text, "%s%s", a, b);
	return text.at;
}

TEST(a_unit_uses_what_another_one_defines)
{
	char *text = join(HEAD ".extern .func (.param .b32 r) f();\n.extern .global .u32 v;\n", both);
	char *whole = join(text, HEAD ".visible .global .u32 v = 9;\n.visible .func (.param .b32 r) f()\n{\nst.param.u32 [r], 5;\nret;\n}\n");
	expect(whole, 5, 9);
	free(whole);
	whole = join(HEAD ".visible .global .u32 v = 9;\n.visible .func (.param .b32 r) f()\n{\nst.param.u32 [r], 5;\nret;\n}\n", text);
	expect(whole, 5, 9);
	free(whole);
	free(text);
}

/* Both have f, v and a string that nobody else knows. The names of the first unit mean the same in it behind the second one. */
TEST(names_of_a_unit_are_its_own)
{
	static const char other[] =
	    ".global .u32 v = 11;\n.func (.param .b32 r) f()\n{\nst.param.u32 [r], 12;\nret;\n}\n"
	    ".visible .entry other(.param .u64 p)\n{\n.reg .b32 %r<3>; .reg .b64 %rd<3>;\n" CALL(
	        "f") "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r1;\nld.global.u32 %r1, [v];\nst.global.u32 [%rd1+4], %r1;\nret;\n}\n";
	static const char first[] = HEAD ".global .u32 v = 1;\n.func (.param .b32 r) f()\n{\nst.param.u32 [r], 2;\nret;\n}\n";
	char *text = join(first, both), *second = join(HEAD, other), *whole = join(text, second), *turned = join(second, text);
	expect(whole, 2, 1);
	expect(turned, 2, 1);
	free(text);
	free(second);
	free(whole);
	free(turned);
}

TEST(the_first_weak_definition_counts)
{
	static const char weak[] = ".weak .global .u32 v = %d;\n.weak .func (.param .b32 r) f()\n{\nst.param.u32 [r], %d;\nret;\n}\n";
	hd_text text = {0};
	hd_text_printf(&text, HEAD);
	hd_text_printf(&text, weak, 3, 4);
	hd_text_printf(&text, HEAD);
	hd_text_printf(&text, weak, 5, 6);
	hd_text_put(&text, both, sizeof both - 1);
	expect(text.at, 4, 3);
	hd_text_free(&text);
}

TEST(two_strong_definitions_are_refused)
{
	static const char strong[] = HEAD ".visible .func f()\n{\nret;\n}\n";
	char *text = join(strong, strong);
	hd_diag diag = {0};
	assert_null(hd_ptx_read(text, strlen(text), "t.ptx", &diag));
	assert_non_null(strstr(diag.text.at, ": error: f is defined twice, first in line 4"));
	hd_diag_free(&diag);
	free(text);
}

/* ptxas takes them; the reader once skipped the lines of .version and .target, and with them whole texts of one line. */
TEST(directives_of_the_head_may_share_a_line)
{
	static const char head[] = ".version 7.8 .target sm_75, debug .address_size 64 ";
	hd_text text = {0};
	hd_text_printf(&text,
	               "%s.visible .global .u32 v = 9;\n%s.extern .global .u32 v; .visible .func (.param .b32 r) f() { st.param.u32 [r], 5; ret; }\n",
	               head, head);
	hd_text_printf(&text, "%s", both);
	expect(text.at, 5, 9);
	hd_text_free(&text);
	static const char *const wrong[][2] = {
	    {".version x", "u.ptx:1:10: error: expected a version, found 'x'\n"},
	    {".version 7.8 .target", "u.ptx:1:21: error: expected a target, found the end of the file\n"},
	    {".version 7.8 .target sm_75, .visible .entry k() { ret; }", "u.ptx:1:29: error: expected a target, found '.visible'\n"}};
	for (unsigned i = 0; i < HD_COUNT(wrong); i++) {
		hd_diag diag = {0};
		assert_null(hd_ptx_read(wrong[i][0], strlen(wrong[i][0]), "u.ptx", &diag));
		assert_string_equal(diag.text.at, wrong[i][1]);
		hd_diag_free(&diag);
	}
}

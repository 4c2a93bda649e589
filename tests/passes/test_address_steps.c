/* `store [a]; a += c` becomes `a += c; store [a - c]`, where the store waits for data of its block (HZ-4). */
#include "../ir_builder.h"
#include "passes/lower/address_steps.h"

#define LOAD "lds{sub=4} %2 = %0\n"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".kernel \"k\"\n.vregs 1 1 1 2 0\nb0:\n%s.exit\n", body);
	hd_text_printf(&out, "b0:\n%s.exit\n", expected);
	ir_builder b = ir_read(in.at);
	hd_move_address_steps(b.f);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void stays(const char *body) { expect(body, body); }

TEST(the_step_goes_before_the_store)
{
	expect(LOAD "sts{sub=4} %1, %2\niadd %1 = %1, 0x40\n", LOAD "iadd %1 = %1, 0x40\nsts{sub=4 offset=-64} %1, %2\n");
	expect(LOAD "sts{sub=4 offset=8} %1, %2\niadd %1 = %1, 0xffffffc0\n", LOAD "iadd %1 = %1, 0xffffffc0\nsts{sub=4 offset=72} %1, %2\n");
	expect(LOAD "stg{sub=4} %3:2, %2\niadd64 %3:2 = %3:2, 0x8:2\n", LOAD "iadd64 %3:2 = %3:2, 0x8:2\nstg{sub=4 offset=-8} %3:2, %2\n");
}

TEST(several_stores_are_passed)
{
	expect(LOAD "sts{sub=4} %1, %2\nmov %0 = %2\nsts{sub=4 offset=4} %1, %2\niadd %1 = %1, 0x8\n",
	       LOAD "iadd %1 = %1, 0x8\nsts{sub=4 offset=-8} %1, %2\nmov %0 = %2\nsts{sub=4 offset=-4} %1, %2\n");
}

TEST(data_that_is_there_needs_no_move)
{
	stays(LOAD "sts{sub=4} %1, %0\niadd %1 = %1, 0x40\n");
	stays("sts{sub=4} %1, %2\n" LOAD "iadd %1 = %1, 0x40\n");
}

TEST(the_old_address_has_other_readers)
{
	stays("iadd %1 = %1, %0\nsts{sub=4} %1, %1\niadd %1 = %1, 0x40\n");
	stays(LOAD "atoms %0 = %1, %2\niadd %1 = %1, 0x40\n");
	stays(LOAD "sts{sub=4} %1, %2\niadd %0 = %1, 0x1\niadd %1 = %1, 0x40\n");
	stays(LOAD "sts{sub=4} %1, %2\nlds{sub=4} %0 = %1\niadd %1 = %1, 0x40\n");
}

TEST(offsets_have_limits)
{
	stays(LOAD "sts{sub=4 offset=32767} %1, %2\niadd %1 = %1, 0xffffffff\n");
	stays(LOAD "sts{sub=4 offset=-32768} %1, %2\niadd %1 = %1, 0x1\n");
	stays(LOAD "sts{sub=4} %1, %2\niadd %1 = %1, 0x8000\n");
}

TEST(no_step)
{
	stays(LOAD "sts{sub=4} %1, %2\niadd %1 = %0, 0x40\n");
	stays(LOAD "sts{sub=4} %1, %2\niadd %1 = %1, %0\n");
	stays(LOAD "sts{sub=4} %1, %2\n@%p4 iadd %1 = %1, 0x40\n");
	stays(LOAD "sts{sub=4} %3, %2\niadd %3.1 = %3.1, 0x40\n");
	stays(LOAD "sts{sub=4} %1, %2\nisub %1 = %1, 0x40\n");
}

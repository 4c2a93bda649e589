/* Instructions without effects whose results have no readers. */
#include "../ir_builder.h"
#include "passes/simplify/dead_code.h"

static void expect(const char *body, const char *expected)
{
	hd_text in = {0}, out = {0};
	hd_text_printf(&in, ".function \"f\"\n.vregs 1 1 1 1 0 0\n.params %%0\n.results %%1\nb0:\n%s", body);
	hd_text_printf(&out, "b0:\n%s", expected);
	ir_builder b = ir_read(in.at);
	hd_remove_dead_code(b.f);
	ir_expect(&b, out.at);
	ir_free(&b);
	hd_text_free(&in);
	hd_text_free(&out);
}

static void stays(const char *body) { expect(body, body); }

TEST(chains_go_at_once)
{
	expect("mov %1 = %0\nmov %2 = %0\niadd %3 = %2, %2\n.ret\n", "mov %1 = %0\n.ret\n");
	/* ... also across blocks. */
	expect("mov %1 = %0\nmov %3 = %2\n.jump b1\nb1:\nmov %2 = %0\n.ret\n", "mov %1 = %0\n.jump b1\nb1:\n.ret\n");
}

TEST(all_readers_count)
{
	stays("mov %1 = %0\n.ret\n"); /* a result */
	stays("mov %1 = %0\nisetp{cmp=eq} %p4 = %0, 0x1\n.branch %p4 b1 b1\nb1:\n.ret\n");
	stays("mov %1 = %0\nisetp{cmp=eq} %p4 = %0, 0x1\n@%p4 mov %1 = %0\n.ret\n");
	stays("mov %1 = %0\nmov %2 = %0\n.switch %2 b1 b1\nb1:\n.ret\n");
}

TEST(effects_stay)
{
	stays("mov %1 = %0\nsts{sub=4} %0, %0\natoms %2 = %0, %0\nlds{sub=4 mod=3} %3 = %0\nbar 0x0\n.ret\n");
	stays("mov %1 = %0\ncall.f{to=1} %2 = %0\n.ret\n");
	expect("mov %1 = %0\nlds{sub=4} %3 = %0\n.ret\n", "mov %1 = %0\n.ret\n");
}

/* Two destinations: one reader is enough. */
TEST(carries)
{
	stays("mov %1 = %0\niaddc %2, %p4 = %0, %0, _\nsts{sub=4} %0, %2\n.ret\n");
	stays("mov %1 = %0\niaddc %2, %p4 = %0, %0, _\n@%p4 sts{sub=4} %0, %0\n.ret\n");
	expect("mov %1 = %0\niaddc %2, %p4 = %0, %0, _\n.ret\n", "mov %1 = %0\n.ret\n");
	expect("mov %1 = %0\niaddc _, _ = %0, %0, _\n.ret\n", "mov %1 = %0\n.ret\n");
}

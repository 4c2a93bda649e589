/* Names of source files in PTX (.file), and the lines that name them. */
#include "ptx/ptx.h"
#include "../test.h"

/* The file of a kernel whose PTX has this between the quotes. */
static void expect_file(const char *written, const char *path)
{
	hd_diag diag = {0};
	hd_text text = {0};
	hd_text_printf(
	    &text,
	    ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<3>;\n.loc 1 7 2\nmov.u32 %%r1, %%tid.x;\n"
	    "st.shared.u32 [%%r1], %%r1;\nret;\n}\n\t.file\t1 \"%s\"\n",
	    written);
	hd_ir_module *module = hd_ptx_read(text.at, text.n, "t.ptx", &diag);
	if (!module)
		fail_msg("%s: %s", written, diag.text.at);
	assert_int_equal(module->files.n, 1);
	assert_string_equal(module->files.at[0], path);
	hd_ir_module_free(module);
	hd_text_free(&text);
	hd_diag_free(&diag);
}

TEST(a_name_is_what_clang_meant)
{
	expect_file("a/b.cl", "a/b.cl");
	expect_file("/folder\" \"a b.cl", "a b.cl"); /* the second of two */
	expect_file("\\303\\274.cl", "\xc3\xbc.cl");
	expect_file("a\\\"b\\\"", "a\"b\"");
	expect_file("a\\\\b", "a\\b");
	expect_file("a\\\\303", "a\\303");
	expect_file("\\3741", "\374"
	                      "1");
}

/* Other compilers do not escape. */
TEST(what_is_no_escape_stands_for_itself)
{
	expect_file("C:\\work\\new.cu", "C:\\work\\new.cu");
	expect_file("\\30.cl", "\\30.cl");
	expect_file("\\37", "\\37");
	expect_file("\\389", "\\389");
	expect_file("\\000.cl", "\\000.cl");
	expect_file("\\777.cl", "\\777.cl");
}

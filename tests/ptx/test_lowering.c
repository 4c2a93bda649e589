/* Every instruction family against the IR that it must become: lowering/FAMILY holds snippets of PTX (lines that begin in the first column),
 * each followed by the IR that is expected (lines that begin with a tab). Each snippet stands alone in a kernel with registers of every
 * kind; what comes out must also pass the validator and compile. HEDDLE_REBASE=1 writes what came out back into the files, to be read before it is
 * committed. */
#include "base/output.h"
#include "passes/passes.h"
#include "ptx/ptx.h"
#include "../test.h"

static const char prologue[] =
    ".version 6.3\n.target sm_70\n.address_size 64\n"
    ".global .align 4 .u32 gv = 7;\n.const .align 8 .b8 cv[40];\n.shared .align 4 .b8 sv[64];\n.extern .shared .align 16 .b8 dyn[];\n"
    ".func (.param .b32 rr) callee(.param .b32 aa, .param .b64 bb)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r1, [aa];\n"
    "st.param.b32 [rr], %r1;\nret;\n}\n"
    ".entry other(.param .u64 o0)\n{\nret;\n}\n"
    ".entry k(.param .u64 .ptr .global .align 4 p0, .param .u32 p1, .param .align 8 .b8 p2[24], .param .u8 p3, .param .f64 p4)\n{\n"
    ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .f64 %fd<9>;\n.reg .b16 %h<9>;\n"
    ".reg .b128 %q<4>;\n.local .align 8 .b8 depot[32];\n";

/* The body of the kernel, without line numbers and directives of the function. */
static char *lower(const char *snippet, hd_diag *diag)
{
	hd_text text = {0}, ir = {0}, out = {0};
	hd_machine machine;
	hd_text_printf(&text, "%s%s\nret;\n}\n", prologue, snippet);
	hd_ir_module *module = hd_ptx_read(text.at, text.n, "snippet.ptx", diag);
	hd_text_free(&text);
	if (!module || !hd_ir_validate(module, diag)) {
		hd_ir_module_free(module);
		return NULL;
	}
	hd_machine_default(&machine);
	hd_ir_print(module, &ir);
	hd_object *object = hd_compile_module(module, &(hd_compile_options){.machine = &machine}, diag);
	if (!object)
		fail_msg("%s%s", snippet, diag->text.at);
	hd_object_free(object);
	hd_ir_module_free(module);
	const char *line = strstr(ir.at, ".kernel \"k\"");
	line = strstr(line, "\nb0:\n") + 5;
	for (const char *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		const char *stop = line;
		while (stop < end && !(stop[0] == ' ' && stop[1] == '@' && stop[2] >= '0' && stop[2] <= '9'))
			stop++;
		if (*line == '.')
			break;
		hd_text_printf(&out, "%s%.*s\n", *line == '\t' ? "" : "\t", (int)(stop - line), line);
	}
	hd_text_free(&ir);
	return out.at;
}

static char *family_path(const char *family)
{
	hd_text path = {0};
	const char *root = getenv("HEDDLE_SOURCE");
	hd_text_printf(&path, "%s/tests/ptx/lowering/%s", root ? root : ".", family);
	return path.at;
}

/* The next operand of one register in the snippet, from `at` on, that stands in no list; NULL after the last. */
static const char *next_register(const char *at, const char *snippet, size_t *length)
{
	int depth = 0;
	char before = 0;
	for (const char *c = snippet; *c; c++) {
		depth += strchr("{[(", *c) ? 1 : strchr("}])", *c) ? -1 : 0;
		if (*c == '%' && c >= at && depth == 0 && !strchr("|!-@", before)) {
			*length = 1 + strspn(c + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
			if (strchr(",;", c[*length]) && c[*length])
				return c;
		}
		before = *c == ' ' ? before : *c;
	}
	return NULL;
}

/* Compiles the snippet with `text` in the place of some of its characters. What comes out is the IR, or NULL with an error that has a place. */
static char *lower_with(const char *snippet, const char *at, size_t length, const char *text)
{
	hd_diag diag = {0};
	hd_text changed = {0};
	hd_text_printf(&changed, "%.*s%s%s", (int)(at - snippet), snippet, text, at + length);
	char *got = lower(changed.at, &diag);
	if (!got && (!diag.text.at || !strstr(diag.text.at, "snippet.ptx:")))
		fail_msg("%s: %s", changed.at, diag.text.at ? diag.text.at : "no message");
	hd_text_free(&changed);
	hd_diag_free(&diag);
	return got;
}

/* Braces around any operand of one element mean nothing. A sink or a constant in the place of any operand is taken, or an error. */
static void check_operands(const char *snippet, const char *expected)
{
	size_t length = 0;
	for (const char *at = snippet; (at = next_register(at, snippet, &length)); at += length) {
		char braces[80];
		snprintf(braces, sizeof braces, "{ %.*s }", (int)length, at);
		char *got = lower_with(snippet, at, length, braces);
		if (!got || strcmp(got, expected) != 0)
			fail_msg("%swith %s gives\n%sexpected\n%s", snippet, braces, got ? got : "an error\n", expected);
		free(got);
		free(lower_with(snippet, at, length, "_"));
		free(lower_with(snippet, at, length, "3"));
		free(lower_with(snippet, at, length, "-0x80000001"));
		free(lower_with(snippet, at, length, "0f3F800000"));
	}
}

static void check_family(const char *family)
{
	hd_diag diag = {0};
	size_t size;
	char *path = family_path(family), *file = hd_read_file(path, 1 << 20, &size, &diag);
	hd_text fresh = {0};
	unsigned snippets = 0, wrong = 0;
	assert_non_null(file);
	for (const char *at = file; *at;) {
		hd_text snippet = {0}, expected = {0};
		while (*at == '\n' || *at == '#') {
			const char *end = strchr(at, '\n');
			hd_text_put(&fresh, at, (size_t)(end + 1 - at));
			at = end + 1;
		}
		while (*at && *at != '\n' && *at != '\t') {
			const char *end = strchr(at, '\n');
			hd_text_put(&snippet, at, (size_t)(end + 1 - at));
			at = end + 1;
		}
		while (*at == '\t') {
			const char *end = strchr(at, '\n');
			hd_text_put(&expected, at, (size_t)(end + 1 - at));
			at = end + 1;
		}
		if (!snippet.at)
			break;
		char *got = lower(snippet.at, &diag);
		snippets++;
		if (!got || strcmp(got, expected.at ? expected.at : "") != 0) {
			print_error("%s:\n%sgives\n%s%sexpected\n%s\n", family, snippet.at, got ? got : "", diag.text.at ? diag.text.at : "",
			            expected.at ? expected.at : "");
			wrong++;
		} else {
			check_operands(snippet.at, got);
		}
		hd_text_printf(&fresh, "%s%s", snippet.at, got ? got : "");
		free(got);
		hd_diag_free(&diag);
		hd_text_free(&snippet);
		hd_text_free(&expected);
	}
	if (getenv("HEDDLE_REBASE"))
		assert_true(hd_write_file(path, fresh.at, fresh.n, &diag));
	else
		assert_int_equal(wrong, 0);
	assert_true(snippets > 3);
	hd_text_free(&fresh);
	free(file);
	free(path);
	hd_diag_free(&diag);
}

static void family(void **state) { check_family(*state); }

int main(void)
{
#define FAMILY(which)                                                              \
	{                                                                          \
		.name = which, .test_func = family, .initial_state = (void *)which \
	}
	const struct CMUnitTest tests[] = {FAMILY("integer"),   FAMILY("carry"), FAMILY("float"),   FAMILY("half"),   FAMILY("bits"),
	                                   FAMILY("predicate"), FAMILY("move"),  FAMILY("convert"), FAMILY("memory"), FAMILY("atomic"),
	                                   FAMILY("param"),     FAMILY("call"),  FAMILY("control"), FAMILY("warp"),   FAMILY("guard")};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

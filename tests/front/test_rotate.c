/* Rotations of 64 bits in clang's PTX get the missing reduction of their amount; everything else stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "front/rotate.h"

static void expect(const char *text, const char *expected)
{
	size_t size = strlen(text);
	char *got = hd_front_mend_rotations(hd_xstrdup(text), &size);
	assert_string_equal(got, expected);
	assert_int_equal(size, strlen(expected));
	free(got);
}

#define BEFORE "\tmov.u64 \t%rd1, 5;\n\t{\n"
#define BEHIND "\n\tshr.b64 \t%rhs, %rd2, %amt2;\n\tadd.u64 \t%rd3, %lhs, %rhs;\n\t}\n"

static void a_rotation_is_corrected_in_as_many_lines(void **state)
{
	expect(BEFORE "\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2, %r7;\n\tsub.u32 \t%amt2, 64, %r7;" BEHIND, BEFORE
	       "\t.reg .u32 %amt2; .reg .u32 %amt; and.b32 %amt, %r7, 63;\n\tshl.b64 \t%lhs, %rd2, %amt;\n\tsub.u32 \t%amt2, 64, %amt;" BEHIND);
	expect("\t.reg .u32 %amt2;\n\tshr.b64 \t%lhs, %rd2, 9;\n\tsub.u32 \t%amt2, 64, 9;\n",
	       "\t.reg .u32 %amt2; .reg .u32 %amt; and.b32 %amt, 9, 63;\n\tshr.b64 \t%lhs, %rd2, %amt;\n\tsub.u32 \t%amt2, 64, %amt;\n");
}

static void other_text_stays(void **state)
{
	expect("", "");
	expect(BEFORE, BEFORE);
	expect("\t.reg .u32 %amt2;\n", "\t.reg .u32 %amt2;\n");
	/* amounts that differ, another width, a line that ends early */
	expect("\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2, %r7;\n\tsub.u32 \t%amt2, 64, %r8;\n",
	       "\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2, %r7;\n\tsub.u32 \t%amt2, 64, %r8;\n");
	expect("\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2, %r7;\n\tsub.u32 \t%amt2, 32, %r7;\n",
	       "\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2, %r7;\n\tsub.u32 \t%amt2, 32, %r7;\n");
	expect("\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2\n", "\t.reg .u32 %amt2;\n\tshl.b64 \t%lhs, %rd2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_rotation_is_corrected_in_as_many_lines),
	    cmocka_unit_test(other_text_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

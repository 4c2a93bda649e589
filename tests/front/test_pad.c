/* Initialisers whose padding clang's back end leaves out are written with types that it prints right; all other text stays. tests/front/constants.py
 * compares what comes out with gcc's bytes. */
#include "../test.h"

#include "front/pad.h"

/* Behind a line with a pointer. */
static void expect(const char *text, const char *expected)
{
	static const char head[] = "define void @f(ptr %p)\n";
	hd_text module = {0};
	hd_text_printf(&module, "%s%s", head, text);
	char *got = hd_front_mend_module(module.at);
	if (expected) {
		assert_non_null(got);
		assert_string_equal(got + strlen(head), expected);
	} else {
		assert_null(got);
	}
	free(got);
	hd_text_free(&module);
}

TEST(vectors_of_three_become_vectors_of_four)
{
	expect("@a = constant [1 x <3 x float>] [<3 x float> <float 1.0, float 2.0, float 3.0>], align 16\n",
	       "@a = constant [1 x <4 x float>] [<4 x float> <float 1.0, float 2.0, float 3.0, float zeroinitializer>], align 16\n");
	expect("@\"a global b\" = global <{ i8, <6 x i16> }> <{ i8 1, <6 x i16> zeroinitializer }>\n",
	       "@\"a global b\" = global <{ i8, <8 x i16> }> <{ i8 1, <8 x i16> zeroinitializer }>\n");
}

TEST(types_that_are_named_get_a_copy)
{
	expect("%struct.S = type { <3 x i8>, i8 }\n%\"a b\" = type { %struct.S }\n@a = constant %\"a b\" { %struct.S { <3 x i8> <i8 1, i8 2, i8 3>, "
	       "i8 4 } }\n",
	       "%struct.S.padded = type { <4 x i8>, i8 }\n%struct.S = type { <3 x i8>, i8 }\n%\"a b.padded\" = type { %struct.S.padded }\n%\"a b\" = "
	       "type { "
	       "%struct.S }\n@a = constant %\"a b.padded\" { %struct.S.padded { <4 x i8> <i8 1, i8 2, i8 3, i8 zeroinitializer>, i8 4 } }\n");
}

TEST(pointers_become_arrays_of_one)
{
	expect("@a = constant { ptr, <4 x i32>, ptr addrspace(4) } { ptr getelementptr (i8, ptr @b, i64 4), <4 x i32> zeroinitializer, ptr "
	       "addrspace(4) null }\n",
	       "@a = constant { [1 x ptr], <4 x i32>, [1 x ptr addrspace(4)] } { [1 x ptr] [ptr getelementptr (i8, ptr @b, i64 4)], <4 x i32> "
	       "zeroinitializer, "
	       "[1 x ptr addrspace(4)] [ptr addrspace(4) null] }\n");
}

TEST(halves_are_compared_as_floats)
{
	expect("  %3 = fcmp fast oeq <2 x half> %1, <half 0xH3C00, half 0xH0000>, !dbg !2\n",
	       "  %heddle.a0 = fpext <2 x half> %1 to <2 x float>\n  %heddle.b0 = fpext <2 x half> <half 0xH3C00, half 0xH0000> to <2 x float>\n"
	       "  %3 = fcmp fast oeq <2 x float> %heddle.a0, %heddle.b0, !dbg !2\n");
	expect("  %3 = fcmp oeq half %1, %2\n  %4 = fcmp une <2 x float> %5, %6\n  %7 = fadd <2 x half> %1, %2\n", NULL);
}

TEST(other_text_stays)
{
	expect("", NULL);
	expect("@a = constant [2 x ptr] [ptr @b, ptr @c]\n@b = global <4 x i32> zeroinitializer\n", NULL);
	expect("@a = constant [9 x i8] c\"<3 x i32>\"\n  %1 = load <3 x float>, ptr @a\n", NULL);
	expect("@llvm.used = appending global [1 x ptr] [ptr @a]\n%t = type { <4 x i32> }\n", NULL);
	/* lines that end early */
	expect("@a = constant <3 x", NULL);
	expect("@a = constant <3 x i8> <i8 1, i8 \"", "@a = constant <4 x i8> <i8 1, i8 \"");
	expect("@a = constant { <3 x i8>, ptr } { (", "@a = constant { <4 x i8>, [1 x ptr] } { (");
}

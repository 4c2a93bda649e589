/* Options that relax arithmetic become those that mark the instructions of the source. */
#include "../test.h"

#include "front/relax.h"

/* `options` and `expected` are words with a blank between them. */
static void expect(const char *options, bool cuda, const char *expected)
{
	char text[256];
	const char *list[16] = {NULL};
	hd_front_words words = {0};
	hd_text got = {0};
	size_t n = 0;
	snprintf(text, sizeof text, "%s", options);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
		list[n++] = word;
	hd_front_relax(n ? list : NULL, cuda, &words);
	for (size_t i = 0; i < words.n; i++)
		hd_text_printf(&got, "%s%s", i ? " " : "", words.at[i]);
	assert_string_equal(got.at ? got.at : "", expected);
	hd_text_free(&got);
	hd_vec_free(&words);
}

#define FUSE "-Xclang -ffp-contract=fast-honor-pragmas"
#define UNSAFE "-Xclang -mreassociate -freciprocal-math -fno-signed-zeros"

TEST(options_mark_instructions)
{
	expect("", false, "");
	expect("", true, FUSE);
	expect("-DX=1 -cl-mad-enable -cl-finite-math-only", false, "-DX=1 -cl-mad-enable -cl-finite-math-only");
	expect("-cl-unsafe-math-optimizations -w", false, UNSAFE " -w " FUSE);
	expect("-cl-fast-relaxed-math", false, UNSAFE " -ffinite-math-only -D__FAST_RELAXED_MATH__=1 " FUSE);
	expect("-ffast-math", true, UNSAFE " -ffinite-math-only -D__FAST_MATH__=1 " FUSE);
	expect("-ffp-model=fast", true, UNSAFE " -ffinite-math-only -D__FAST_MATH__=1 " FUSE);
}

TEST(the_last_word_on_fused_products_counts)
{
	expect("-ffp-contract=off", true, "-ffp-contract=off");
	expect("-ffp-contract=fast", false, "-ffp-contract=fast " FUSE);
	expect("-funsafe-math-optimizations -ffp-contract=on", false, UNSAFE " -ffp-contract=on");
}

TEST(options_of_nvcc)
{
	expect("-ftz=true", false, "-ftz=true"); /* OpenCL C has none: clang refuses it */
	expect("-fmad=false -prec-div=true", true, "-ffp-contract=off");
	expect("-ftz=true -fmad=true", true, "-fgpu-flush-denormals-to-zero " FUSE);
	expect("-ftz=false -prec-sqrt=false", true, "-DHEDDLE_FAST_SQRT " FUSE);
	expect("-use_fast_math", true, "-DHEDDLE_FAST_MATH -fgpu-flush-denormals-to-zero -fapprox-func -DHEDDLE_FAST_SQRT " FUSE);
	/* A switch counts wherever it stands. */
	expect("-ftz=false -fmad=false -use_fast_math -prec-div=true", true, "-DHEDDLE_FAST_MATH -DHEDDLE_FAST_SQRT -ffp-contract=off");
}

static const char *quotient_of(const char *a, const char *b) { return hd_front_quotient((const char *const[]){a, b, NULL}); }

TEST(marked_quotients_are_divided_in_the_mode)
{
	assert_null(hd_front_quotient(NULL));
	assert_null(quotient_of("-use_fast_math", "-prec-div=true"));
	assert_string_equal(quotient_of("-prec-div=false", NULL), "full");
	assert_string_equal(quotient_of("-prec-div=false", "-ftz=true"), "full.ftz");
	assert_string_equal(quotient_of("-ftz=false", "-use_fast_math"), "approx");
	assert_string_equal(quotient_of("-use_fast_math", NULL), "approx.ftz");
	char *text = hd_front_mend_quotients("@s = constant [26 x i8] c\" = fdiv afn float 1, 2, 3\"\n"
	                                     "  %1 = fdiv contract afn float %a, 3.000000e+00, !dbg !7\n"
	                                     "  %2 = fdiv afn float 1.000000e+00, %1\n"
	                                     "  %3 = fdiv contract float %a, %1, !dbg !7\n"
	                                     "  %4 = fdiv afn double %d, %e\n"
	                                     "  %5 = fdiv afn float %a",
	                                     "full.ftz");
	assert_string_equal(text, "@s = constant [26 x i8] c\" = fdiv afn float 1, 2, 3\"\n"
	                          "  %1 = call float asm \"div.full.ftz.f32 $0, $1, $2;\", \"=f,f,f\"(float %a, float 3.000000e+00), !dbg !7\n"
	                          "  %2 = call float asm \"rcp.approx.ftz.f32 $0, $1;\", \"=f,f\"(float %1)\n"
	                          "  %3 = fdiv contract float %a, %1, !dbg !7\n"
	                          "  %4 = fdiv afn double %d, %e\n"
	                          "  %5 = fdiv afn float %a");
	free(text);
}

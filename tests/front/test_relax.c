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
}

TEST(the_last_word_on_fused_products_counts)
{
	expect("-ffp-contract=off", true, "-ffp-contract=off");
	expect("-ffp-contract=fast", false, "-ffp-contract=fast " FUSE);
	expect("-funsafe-math-optimizations -ffp-contract=on", false, UNSAFE " -ffp-contract=on");
}

#include "front/relax.h"

enum { WORDS_MAX = 7 };

#define UNSAFE "-Xclang", "-mreassociate", "-freciprocal-math", "-fno-signed-zeros"
static const struct {
	const char *option, *means[WORDS_MAX];
} relaxed[] = {
    {"-cl-unsafe-math-optimizations", {UNSAFE}},
    {"-cl-fast-relaxed-math", {UNSAFE, "-ffinite-math-only", "-D__FAST_RELAXED_MATH__=1"}},
    {"-funsafe-math-optimizations", {UNSAFE}},
    {"-ffast-math", {UNSAFE, "-ffinite-math-only", "-D__FAST_MATH__=1"}},
};

static const char *const *meaning(const char *option)
{
	for (size_t i = 0; i < HD_COUNT(relaxed); i++)
		if (strcmp(option, relaxed[i].option) == 0)
			return relaxed[i].means;
	return NULL;
}

void hd_front_relax(const char *const *options, bool cuda, hd_front_words *out)
{
	static const char contract[] = "-ffp-contract=";
	bool fuses = cuda;
	for (; options && *options; options++) {
		const char *const *words = meaning(*options);
		for (size_t i = 0; words && i < WORDS_MAX && words[i]; i++)
			hd_vec_push(out, words[i]);
		if (!words)
			hd_vec_push(out, *options);
		if (strncmp(*options, contract, sizeof contract - 1) == 0)
			fuses = strcmp(*options + sizeof contract - 1, "fast") == 0;
		fuses = fuses || words;
	}
	if (fuses) {
		hd_vec_push(out, "-Xclang");
		hd_vec_push(out, "-ffp-contract=fast-honor-pragmas");
	}
}

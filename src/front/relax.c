#define _GNU_SOURCE /* memmem */
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
    {"-ffp-model=fast", {UNSAFE, "-ffinite-math-only", "-D__FAST_MATH__=1"}},
};

static const char *const *meaning(const char *option)
{
	for (size_t i = 0; i < HD_COUNT(relaxed); i++)
		if (strcmp(option, relaxed[i].option) == 0)
			return relaxed[i].means;
	return NULL;
}

/* nvcc's options for device code. A switch that is given counts, wherever -use_fast_math stands. */
typedef enum nvcc_switch { FMAD, FTZ, PREC_DIV, PREC_SQRT, SWITCHES } nvcc_switch;
static const char *const switches[SWITCHES] = {"-fmad=", "-ftz=", "-prec-div=", "-prec-sqrt="};
static const char fast_math[] = "-use_fast_math";

typedef struct nvcc {
	bool fast;
	const char *said[SWITCHES]; /* "true", "false", or NULL */
} nvcc;

/* False for a word that is none of nvcc's. */
static bool take_nvcc(nvcc *n, const char *word)
{
	for (unsigned i = 0; i < SWITCHES; i++) {
		size_t length = strlen(switches[i]);
		if (strncmp(word, switches[i], length) == 0) {
			n->said[i] = word + length;
			return true;
		}
	}
	n->fast = n->fast || strcmp(word, fast_math) == 0;
	return strcmp(word, fast_math) == 0;
}

/* Whether the options relax what the switch is about. */
static bool relaxes(const nvcc *n, nvcc_switch i)
{
	bool yes = i == FMAD || i == FTZ;
	return n->said[i] ? (strcmp(n->said[i], "true") == 0) == yes : i == FMAD || n->fast;
}

static void put_nvcc(const nvcc *n, hd_front_words *out)
{
	if (n->fast)
		hd_vec_push(out, "-DHEDDLE_FAST_MATH"); /* lib/heddle_cuda.h */
	if (relaxes(n, FTZ))
		hd_vec_push(out, "-fgpu-flush-denormals-to-zero");
	if (relaxes(n, PREC_DIV))
		hd_vec_push(out, "-fapprox-func"); /* the mark for hd_front_mend_quotients */
	if (relaxes(n, PREC_SQRT))
		hd_vec_push(out, "-DHEDDLE_FAST_SQRT");
}

void hd_front_relax(const char *const *options, bool cuda, hd_front_words *out)
{
	static const char contract[] = "-ffp-contract=";
	bool fuses = cuda;
	nvcc n = {0};
	for (; options && *options; options++) {
		if (cuda && take_nvcc(&n, *options)) {
			fuses = relaxes(&n, FMAD);
			continue;
		}
		const char *const *words = meaning(*options);
		for (size_t i = 0; words && i < WORDS_MAX && words[i]; i++)
			hd_vec_push(out, words[i]);
		if (!words)
			hd_vec_push(out, *options);
		if (strncmp(*options, contract, sizeof contract - 1) == 0)
			fuses = strcmp(*options + sizeof contract - 1, "fast") == 0;
		fuses = fuses || words;
	}
	put_nvcc(&n, out);
	if (fuses) {
		hd_vec_push(out, "-Xclang");
		hd_vec_push(out, "-ffp-contract=fast-honor-pragmas");
	} else if (cuda && !relaxes(&n, FMAD)) {
		hd_vec_push(out, "-ffp-contract=off");
	}
}

const char *hd_front_quotient(const char *const *options)
{
	static const char *const modes[] = {"full", "full.ftz", "approx", "approx.ftz"};
	nvcc n = {0};
	for (; options && *options; options++)
		take_nvcc(&n, *options);
	return relaxes(&n, PREC_DIV) ? modes[2 * n.fast + relaxes(&n, FTZ)] : NULL;
}

/* The operands of a marked quotient of floats in the line at `line`, at *left and *right, and where the line goes on. NULL: there is none. */
static const char *quotient(const char *line, const char **left, const char **right)
{
	static const char operation[] = " = fdiv ", type[] = " float ";
	size_t length = strcspn(line, "\n");
	const char *at = strncmp(line, "  %", 3) == 0 ? memmem(line, length, operation, sizeof operation - 1) : NULL;
	const char *operands = at ? memmem(line, length, type, sizeof type - 1) : NULL, *mark = at ? memmem(line, length, " afn ", 5) : NULL;
	if (!operands || !mark || mark > operands)
		return NULL;
	*left = operands + sizeof type - 1;
	*right = memmem(*left, length - (size_t)(*left - line), ", ", 2);
	*right = *right ? *right + 2 : NULL;
	return *right ? *right + strcspn(*right, ",\n") : NULL;
}

char *hd_front_mend_quotients(const char *module, const char *mode)
{
	static const char one[] = "1.000000e+00, ";
	hd_text out = {0};
	for (const char *line = module, *next; *line; line = next) {
		const char *left, *right, *rest = quotient(line, &left, &right);
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (rest) {
			const char *equals = strstr(line, " = ");
			hd_text_put(&out, line, (size_t)(equals - line));
			if (strncmp(left, one, sizeof one - 1) == 0)
				hd_text_printf(&out, " = call float asm \"rcp.approx%s.f32 $0, $1;\", \"=f,f\"(", strstr(mode, ".ftz") ? ".ftz" : "");
			else
				hd_text_printf(&out, " = call float asm \"div.%s.f32 $0, $1, $2;\", \"=f,f,f\"(float %.*s", mode, (int)(right - left),
				               left);
			hd_text_printf(&out, "float %.*s)", (int)(rest - right), right);
			line = rest;
		}
		hd_text_put(&out, line, (size_t)(next - line));
	}
	hd_text_put(&out, "", 0);
	return out.at;
}

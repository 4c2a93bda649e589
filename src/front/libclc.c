#include "front/libclc.h"

#include "base/base.h"

/* Beginnings of names, up to a character that no name has or to the end of the word: a guess need not be exact. */
static const char *const beginnings[] = {"as_", "async_", "atom_", "atomic_", "convert_", "fast_", "half_", "is", "shuffle", "vload", "vstore"};
static const char *const words[] = {"abs",
                                    "abs_diff",
                                    "acos",
                                    "acosh",
                                    "acospi",
                                    "add_sat",
                                    "all",
                                    "any",
                                    "asin",
                                    "asinh",
                                    "asinpi",
                                    "atan",
                                    "atan2",
                                    "atan2pi",
                                    "atanh",
                                    "atanpi",
                                    "barrier",
                                    "bitselect",
                                    "cbrt",
                                    "ceil",
                                    "clamp",
                                    "clz",
                                    "copysign",
                                    "cos",
                                    "cosh",
                                    "cross",
                                    "degrees",
                                    "distance",
                                    "dot",
                                    "erf",
                                    "erfc",
                                    "exp",
                                    "exp10",
                                    "exp2",
                                    "expm1",
                                    "fabs",
                                    "fdim",
                                    "floor",
                                    "fma",
                                    "fmax",
                                    "fmin",
                                    "fmod",
                                    "frexp",
                                    "hadd",
                                    "hypot",
                                    "ilogb",
                                    "length",
                                    "log",
                                    "log10",
                                    "log1p",
                                    "log2",
                                    "logb",
                                    "mad",
                                    "mad24",
                                    "mad_sat",
                                    "max",
                                    "maxmag",
                                    "mem_fence",
                                    "min",
                                    "minmag",
                                    "mix",
                                    "modf",
                                    "mul24",
                                    "mul_hi",
                                    "normalize",
                                    "popcount",
                                    "pow",
                                    "pown",
                                    "powr",
                                    "prefetch",
                                    "radians",
                                    "read_mem_fence",
                                    "rhadd",
                                    "rint",
                                    "rootn",
                                    "rotate",
                                    "round",
                                    "select",
                                    "sign",
                                    "signbit",
                                    "sin",
                                    "sincos",
                                    "sinh",
                                    "smoothstep",
                                    "sqrt",
                                    "step",
                                    "sub_sat",
                                    "tan",
                                    "tanh",
                                    "trunc",
                                    "upsample",
                                    "wait_group_events",
                                    "work_group_barrier",
                                    "write_mem_fence"};

static bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static bool known(const char *word, size_t n)
{
	for (size_t i = 0; i < HD_COUNT(beginnings); i++)
		if (n >= strlen(beginnings[i]) && memcmp(word, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (n == strlen(words[i]) && memcmp(word, words[i], n) == 0)
			return true;
	return false;
}

bool hd_libclc_likely(const char *source, size_t size)
{
	for (size_t i = 0, n; i < size; i += n ? n : 1) {
		for (n = 0; i + n < size && in_word(source[i + n]);)
			n++;
		/* A call: names of variables and words of comments do not count. */
		size_t next = i + n;
		while (n && next < size && strchr(" \t\n", source[next]) && source[next])
			next++;
		if (n && next < size && source[next] == '(' && known(source + i, n))
			return true;
	}
	return false;
}

/* A function of the PTX: its name, and whether a body follows. */
typedef struct function {
	const char *name;
	size_t n;
	bool defined;
} function;

static const char *after_list(const char *at)
{
	at += strspn(at, " \t\n");
	if (*at != '(')
		return at;
	at += strcspn(at, ")");
	return at + (*at == ')');
}

/* The next function from *at on, which moves behind its head. False at the end. */
static bool next_function(const char **at, function *f)
{
	static const char word[] = ".func";
	const char *found = strstr(*at, word);
	if (!found)
		return false;
	/* The result's parameter, the name, the parameters. */
	f->name = after_list(found + sizeof word - 1);
	f->name += strspn(f->name, " \t\n");
	f->n = 0;
	while (in_word(f->name[f->n]) || f->name[f->n] == '$')
		f->n++;
	*at = after_list(f->name + f->n);
	f->defined = (*at)[strcspn(*at, ";{")] == '{';
	return true;
}

static bool defined_in(const char *ptx, const function *wanted)
{
	function f;
	while (next_function(&ptx, &f))
		if (f.defined && f.n == wanted->n && memcmp(f.name, wanted->name, f.n) == 0)
			return true;
	return false;
}

static bool holds(const char *source, size_t size, const char *word)
{
	size_t n = strlen(word);
	const char *end = source + size, *at = source;
	while ((size_t)(end - at) >= n && (at = memchr(at, word[0], (size_t)(end - at) - n + 1))) {
		if (memcmp(at, word, n) == 0)
			return true;
		at++;
	}
	return false;
}

bool hd_half_likely(const char *source, size_t size) { return holds(source, size, "cl_khr_fp16") || holds(source, size, "#include"); }

bool hd_libclc_missing(const char *ptx)
{
	static const char ours[] = "__heddle_", print[] = "printf";
	const char *at = ptx;
	function f;
	while (next_function(&at, &f)) {
		bool machine = strncmp(f.name, ours, sizeof ours - 1) == 0 || (f.n == sizeof print - 1 && memcmp(f.name, print, f.n) == 0);
		if (!f.defined && !machine && !defined_in(ptx, &f))
			return true;
	}
	return false;
}

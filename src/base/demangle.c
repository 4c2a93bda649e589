#include "base/demangle.h"

enum { SUBSTITUTIONS_MAX = 128, ARGUMENTS_MAX = 32, DEPTH_MAX = 32, NAME_MAX_BYTES = 512 };

typedef struct reader {
	hd_arena *arena;
	const char *at;
	const char *substitutions[SUBSTITUTIONS_MAX];
	unsigned n_substitutions, n_arguments, depth;
	const char *arguments[ARGUMENTS_MAX]; /* of the template that was read last */
	bool is_template;                     /* the name that was read last ends with template arguments */
	bool failed;
} reader;

static const char *type(reader *r);

static const char *fail(reader *r)
{
	r->failed = true;
	return "";
}

/* Too long a text fails, because substitutions can double it again and again. */
static const char *made(reader *r, const char *text) { return strlen(text) > NAME_MAX_BYTES ? fail(r) : text; }

static bool take(reader *r, char c)
{
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static void remember(reader *r, const char *text)
{
	if (r->n_substitutions == SUBSTITUTIONS_MAX)
		fail(r);
	else
		r->substitutions[r->n_substitutions++] = text;
}

/* <number>: decimal digits. */
static unsigned number(reader *r)
{
	unsigned value = 0;
	if (*r->at < '0' || *r->at > '9')
		fail(r);
	while (*r->at >= '0' && *r->at <= '9' && value <= NAME_MAX_BYTES)
		value = value * 10 + (unsigned)(*r->at++ - '0');
	return value;
}

/* <source-name>: its length, then the name. */
static const char *source_name(reader *r)
{
	unsigned n = number(r);
	if (r->failed || n == 0 || n > NAME_MAX_BYTES || strnlen(r->at, n) < n)
		return fail(r);
	const char *name = hd_arena_strndup(r->arena, r->at, n);
	r->at += n;
	return strncmp(name, "_GLOBAL__N_", 11) == 0 ? "(anonymous namespace)" : name;
}

/* The number behind S or T: _ is 0, 0_ is 1 and so on, in base 36. */
static unsigned sequence(reader *r)
{
	unsigned value = 0;
	if (take(r, '_'))
		return 0;
	for (; (*r->at >= '0' && *r->at <= '9') || (*r->at >= 'A' && *r->at <= 'Z'); r->at++)
		if (value < SUBSTITUTIONS_MAX)
			value = value * 36 + (unsigned)(*r->at <= '9' ? *r->at - '0' : *r->at - 'A' + 10);
	if (!take(r, '_'))
		fail(r);
	return value + 1;
}

/* Behind S: an earlier part of the name. */
static const char *substitution(reader *r)
{
	unsigned i = sequence(r);
	return i < r->n_substitutions ? r->substitutions[i] : fail(r);
}

/* Behind T: an argument of the template. */
static const char *template_parameter(reader *r)
{
	unsigned i = sequence(r);
	return i < r->n_arguments ? r->arguments[i] : fail(r);
}

/* Behind L: a value, as in scale<4>. */
static const char *literal(reader *r)
{
	char kind = *r->at;
	const char *of = type(r);
	bool negative = take(r, 'n');
	const char *digits = r->at;
	size_t n = strspn(digits, "0123456789");
	r->at += n;
	if (r->failed || n == 0 || !take(r, 'E'))
		return fail(r);
	if (kind == 'b')
		return *digits == '0' ? "false" : "true";
	bool plain = kind == 'i' || kind == 'j' || kind == 'l' || kind == 'm';
	return hd_arena_printf(r->arena, "%s%s%s%s%.*s", plain ? "" : "(", plain ? "" : of, plain ? "" : ")", negative ? "-" : "",
	                       (int)hd_min_u64(n, 32), digits);
}

/* Behind I: the arguments of a template, up to E. */
static const char *template_arguments(reader *r)
{
	const char *list[ARGUMENTS_MAX], *text = "";
	unsigned n = 0, packs = 0;
	while (!r->failed && (*r->at != 'E' || packs)) {
		if (take(r, 'J')) { /* a pack: its elements stand in the list */
			packs++;
			continue;
		}
		if (take(r, 'E')) {
			packs--;
			continue;
		}
		const char *argument = take(r, 'L') ? literal(r) : type(r);
		if (n == ARGUMENTS_MAX)
			return fail(r);
		list[n++] = argument;
		text = made(r, hd_arena_printf(r->arena, "%s%s%s", text, *text ? ", " : "", argument));
	}
	take(r, 'E');
	memcpy(r->arguments, list, n * sizeof *list);
	r->n_arguments = n;
	return hd_arena_printf(r->arena, "<%s>", text);
}

/* Behind N: the parts of a name in namespaces and classes, up to E. */
static const char *nested_name(reader *r)
{
	const char *text = "";
	while (*r->at == 'r' || *r->at == 'V' || *r->at == 'K')
		r->at++; /* qualifiers of a member function */
	r->is_template = false;
	while (!r->failed && !take(r, 'E')) {
		r->is_template = false;
		if (take(r, 'S')) {
			text = take(r, 't') ? "std" : substitution(r);
			continue;
		}
		if (*text && take(r, 'I')) {
			text = made(r, hd_arena_printf(r->arena, "%s%s", text, template_arguments(r)));
			r->is_template = true;
		} else {
			text = made(r, hd_arena_printf(r->arena, "%s%s%s", text, *text ? "::" : "", source_name(r)));
		}
		if (*r->at != 'E')
			remember(r, text);
	}
	return *text ? text : fail(r);
}

/* The name `text` with the template arguments that may stand behind it. */
static const char *with_arguments(reader *r, const char *text)
{
	r->is_template = false;
	if (*r->at == 'I') {
		remember(r, text);
		r->at++;
		text = made(r, hd_arena_printf(r->arena, "%s%s", text, template_arguments(r)));
		r->is_template = true;
	}
	return text;
}

/* <name>, without the parameters of a function. */
static const char *function_name(reader *r)
{
	if (take(r, 'N'))
		return nested_name(r);
	take(r, 'L'); /* internal linkage */
	const char *text = source_name(r);
	return with_arguments(r, text);
}

static const char *builtin(char c)
{
	static const char *const names[26] = {
	    ['v' - 'a'] = "void",
	    ['b' - 'a'] = "bool",
	    ['c' - 'a'] = "char",
	    ['a' - 'a'] = "signed char",
	    ['h' - 'a'] = "unsigned char",
	    ['s' - 'a'] = "short",
	    ['t' - 'a'] = "unsigned short",
	    ['i' - 'a'] = "int",
	    ['j' - 'a'] = "unsigned int",
	    ['l' - 'a'] = "long",
	    ['m' - 'a'] = "unsigned long",
	    ['x' - 'a'] = "long long",
	    ['y' - 'a'] = "unsigned long long",
	    ['n' - 'a'] = "__int128",
	    ['o' - 'a'] = "unsigned __int128",
	    ['w' - 'a'] = "wchar_t",
	    ['f' - 'a'] = "float",
	    ['d' - 'a'] = "double",
	};
	return c >= 'a' && c <= 'z' ? names[c - 'a'] : NULL;
}

/* "const float *", "float *const". */
static const char *qualified(reader *r, const char *word)
{
	const char *text = type(r);
	bool pointer = *text && strchr("*&", text[strlen(text) - 1]);
	return pointer ? hd_arena_printf(r->arena, "%s%s", text, word) : hd_arena_printf(r->arena, "%s %s", word, text);
}

/* "float *", "float **". */
static const char *pointer_to(reader *r, const char *mark)
{
	const char *text = type(r);
	bool pointer = *text && strchr("*&", text[strlen(text) - 1]);
	return hd_arena_printf(r->arena, "%s%s%s", text, pointer ? "" : " ", mark);
}

/* Reads a part of a class's name. Its template arguments are not those of the function whose parameter it is. */
static const char *of_class(reader *r, const char *(*read)(reader *r))
{
	const char *outer[ARGUMENTS_MAX];
	unsigned n = r->n_arguments;
	bool is_template = r->is_template;
	memcpy(outer, r->arguments, sizeof outer);
	const char *text = read(r);
	memcpy(r->arguments, outer, sizeof outer);
	r->n_arguments = n;
	r->is_template = is_template;
	return text;
}

static const char *class_arguments(reader *r) { return of_class(r, template_arguments); }

/* Behind St: a name of std. */
static const char *standard_name(reader *r)
{
	const char *text = made(r, hd_arena_printf(r->arena, "std::%s", source_name(r)));
	return with_arguments(r, text);
}

static const char *compound(reader *r)
{
	char c = *r->at++;
	switch (c) {
	case 'P':
		return pointer_to(r, "*");
	case 'R':
		return pointer_to(r, "&");
	case 'O':
		return pointer_to(r, "&&");
	case 'K':
		return qualified(r, "const");
	case 'V':
		return qualified(r, "volatile");
	case 'r':
		return qualified(r, "__restrict");
	case 'T':
		return template_parameter(r);
	default:
		r->at--;
		return c == 'N' || (c >= '0' && c <= '9') ? of_class(r, function_name) : fail(r);
	}
}

static const char *type(reader *r)
{
	const char *plain = builtin(*r->at), *text;
	if (r->failed || ++r->depth > DEPTH_MAX)
		return fail(r);
	if (!plain) {
		bool standard = r->at[0] == 'S' && r->at[1] == 't';
		text = !standard && take(r, 'S') ? substitution(r) : NULL;
		if (text && take(r, 'I')) {
			text = made(r, hd_arena_printf(r->arena, "%s%s", text, class_arguments(r)));
			remember(r, text);
		}
		if (!text) {
			r->at += standard ? 2 : 0;
			text = made(r, standard ? of_class(r, standard_name) : compound(r));
			remember(r, text);
		}
	} else {
		text = plain;
		r->at++;
	}
	r->depth--;
	return text;
}

bool hd_demangle(const char *symbol, hd_demangled *result)
{
	*result = (hd_demangled){0};
	if (strncmp(symbol, "_Z", 2) != 0)
		return false;
	reader r = {.arena = &result->arena, .at = symbol + 2};
	result->name = function_name(&r);
	if (r.failed) {
		hd_demangled_free(result);
		return false;
	}
	if (r.is_template)
		type(&r); /* the type of the result */
	while (!r.failed && *r.at && *r.at != '.' && result->n_params < HD_DEMANGLED_PARAMS_MAX)
		result->params[result->n_params++] = type(&r);
	result->whole = !r.failed && (!*r.at || *r.at == '.');
	if (!result->whole || (result->n_params == 1 && strcmp(result->params[0], "void") == 0))
		result->n_params = 0;
	return true;
}

void hd_demangled_free(hd_demangled *result)
{
	hd_arena_free(&result->arena);
	*result = (hd_demangled){0};
}

char *hd_demangled_signature(const hd_demangled *demangled, hd_arena *arena)
{
	hd_text text = {0};
	hd_text_printf(&text, "%s(", demangled->name);
	for (unsigned i = 0; i < demangled->n_params; i++)
		hd_text_printf(&text, "%s%s", i ? ", " : "", demangled->params[i]);
	hd_text_printf(&text, ")");
	char *kept = hd_arena_strndup(arena, text.at, text.n);
	hd_text_free(&text);
	return kept;
}

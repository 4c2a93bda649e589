#include "front/pad.h"
#include "front/front.h"

enum { ELEMENTS_MAX = 1 << 16, DEPTH_MAX = 64 };
static const char copy[] = ".padded";

static unsigned padded(unsigned long n)
{
	unsigned power = 1;
	while (power < n)
		power *= 2;
	return power;
}

/* The number of elements where a vector's type begins (`<3 x float>`), else 0; *at moves behind the `x`. */
static unsigned long vector_type(const char **at)
{
	char *end = NULL;
	if (**at != '<' || (*at)[1] < '1' || (*at)[1] > '9')
		return 0;
	unsigned long n = strtoul(*at + 1, &end, 10);
	if (strncmp(end, " x ", 3) != 0 || n > ELEMENTS_MAX)
		return 0;
	*at = end + 3;
	return n;
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' || c == '-';
}

/* Behind the quoted text at `at`, in the line. */
static const char *behind_quotes(const char *at)
{
	for (at++; *at && *at != '"' && *at != '\n'; at++)
		;
	return at + (*at == '"');
}

/* The copy's name of the type at `at` (`%struct.S`, `%"class.a b"`). Returns the place behind it. */
static const char *put_type(const char *at, hd_text *out)
{
	const char *end = at + 1;
	bool quoted = *end == '"';
	if (quoted)
		end = behind_quotes(end);
	else
		while (in_name(*end))
			end++;
	hd_text_put(out, at, (size_t)(end - at) - quoted);
	hd_text_printf(out, "%s%s", copy, quoted ? "\"" : "");
	return end;
}

/* Behind the parentheses at `at`, in the line. */
static const char *behind_parentheses(const char *at)
{
	unsigned depth = 0;
	do {
		depth += *at == '(';
		depth -= *at == ')';
		at = *at == '"' ? behind_quotes(at) : at + 1;
	} while (depth && *at && *at != '\n');
	return at;
}

/* A pointer's type, or with its value, as an array of one. The back end pads behind arrays, and not behind pointers. */
static const char *put_pointer(const char *at, hd_text *out)
{
	const char *end = at + 3, *value;
	if (strncmp(end, " addrspace(", 11) == 0)
		end = behind_parentheses(end + 10);
	hd_text_printf(out, "[1 x %.*s]", (int)(end - at), at);
	value = end + (*end == ' ');
	if (!*value || strchr(",}]>\n", *value))
		return end;
	hd_text_printf(out, " [%.*s ", (int)(end - at), at);
	for (end = value; *end && !strchr(",}]\n", *end);)
		end = *end == '(' ? behind_parentheses(end) : *end == '"' ? behind_quotes(end) : end + 1;
	while (end[-1] == ' ')
		end--;
	hd_text_put(out, value, (size_t)(end - value));
	hd_text_put(out, "]", 1);
	return end;
}

/* The brackets that are open where an initialiser is read: vectors of values, and all else that '<' begins. */
typedef struct level {
	bool values;
	unsigned long n;
	size_t begin; /* of the first value, in the output */
} level;

/* The zeros behind the values of a vector. */
static void put_zeros(const level *l, hd_text *out)
{
	size_t n = strcspn(out->at + l->begin, " ");
	char *type = hd_xmalloc(n + 1);
	memcpy(type, out->at + l->begin, n);
	type[n] = '\0';
	for (unsigned long i = l->n; i < padded(l->n); i++)
		hd_text_printf(out, ", %s zeroinitializer", type);
	free(type);
}

static bool is_pointer(const char *at) { return strncmp(at, "ptr", 3) == 0 && !in_name(at[3]) && !in_name(at[-1]) && at[-1] != '@'; }

/* Writes a type, or a type and its initialiser, to the line's end with padding. Expressions in parentheses stay. */
static const char *put_padded(const char *at, hd_text *out)
{
	level open[DEPTH_MAX];
	unsigned depth = 0;
	while (*at && *at != '\n') {
		const char *from = at;
		unsigned long n = vector_type(&at);
		if (n) {
			hd_text_printf(out, "<%u x ", padded(n));
			open[depth++ % DEPTH_MAX] = (level){0};
		} else if (*at == '%') {
			at = put_type(at, out);
		} else if (is_pointer(at)) {
			at = put_pointer(at, out);
		} else if (*at == '"' || *at == '(') {
			at = *at == '"' ? behind_quotes(at) : behind_parentheses(at);
			hd_text_put(out, from, (size_t)(at - from));
		} else {
			if (*at == '<')
				open[depth++ % DEPTH_MAX] = (level){.values = at[1] != '{', .n = 1, .begin = out->n + 1};
			else if (*at == '>' && depth && open[--depth % DEPTH_MAX].values)
				put_zeros(&open[depth % DEPTH_MAX], out);
			else if (*at == ',' && depth)
				open[(depth - 1) % DEPTH_MAX].n++;
			hd_text_put(out, at++, 1);
		}
	}
	return at;
}

/* Where the type of the variable begins whose line this is, else NULL. */
static const char *type_of(const char *line)
{
	static const char *const words[] = {" constant ", " global "};
	const char *end = strchr(line, '\n'), *at = line[1] == '"' ? behind_quotes(line + 1) : line, *type = NULL;
	for (size_t i = 0; *line == '@' && strncmp(line, "@llvm.", 6) != 0 && i < HD_COUNT(words); i++) {
		const char *found = strstr(at, words[i]);
		if (found && (!end || found < end) && (!type || found + strlen(words[i]) < type))
			type = found + strlen(words[i]);
	}
	return type;
}

/* The parts of a line that the back end prints wrong: vectors that are not full; pointers where there are vectors, which may be aligned to more. */
static bool needs_padding(const char *at, bool vectors)
{
	bool pointers = false;
	while (*at && *at != '\n') {
		unsigned long n = vector_type(&at);
		if (n && n != padded(n))
			return true;
		vectors = vectors || n;
		pointers = pointers || is_pointer(at);
		at = *at == '"' ? behind_quotes(at) : at + (n == 0);
	}
	return pointers && vectors;
}

static bool is_type(const char *line)
{
	const char *end = line + strcspn(line, "\n"), *at = *line == '%' ? strstr(line, " = type ") : NULL;
	return at && at < end && strncmp(at + 8, "opaque", 6) != 0;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* Whether a type that the module names has a vector. */
static bool names_vectors(const char *module)
{
	for (const char *line = module; *line; line = next_line(line))
		for (const char *at = line; is_type(line) && *at && *at != '\n'; at++)
			if (vector_type(&at))
				return true;
	return false;
}

/* Where the operands begin of a line that compares vectors of halves, else NULL. */
static const char *half_comparison(const char *line)
{
	const char *end = line + strcspn(line, "\n"), *compare = *line == ' ' ? strstr(line, " = fcmp ") : NULL;
	const char *type = compare && compare < end ? strchr(compare, '<') : NULL, *behind = type;
	return type && type < end && vector_type(&behind) && strncmp(behind, "half> ", 6) == 0 ? behind + 6 : NULL;
}

/* The operands, as text, up to the comma behind them. */
static const char *behind_operand(const char *at)
{
	unsigned depth = 0;
	for (; *at && *at != '\n' && (depth || *at != ','); at++) {
		depth += *at == '<' || *at == '(';
		depth -= depth && (*at == '>' || *at == ')');
	}
	return at;
}

static void put_comparison(const char *line, const char *operands, unsigned number, hd_text *out)
{
	const char *type = operands, *first = behind_operand(operands), *rest = behind_operand(first + (*first == ','));
	while (*type != '<')
		type--;
	int type_length = (int)(operands - type - (int)strlen("half> "));
	hd_text_printf(out, "  %%heddle.a%u = fpext %.*shalf> %.*s to %.*sfloat>\n", number, type_length, type, (int)(first - operands), operands,
	               type_length, type);
	hd_text_printf(out, "  %%heddle.b%u = fpext %.*shalf>%.*s to %.*sfloat>\n", number, type_length, type, (int)(rest - first - 1), first + 1,
	               type_length, type);
	hd_text_printf(out, "%.*s%.*sfloat> %%heddle.a%u, %%heddle.b%u", (int)(type - line), line, type_length, type, number, number);
	hd_text_put(out, rest, (size_t)(next_line(rest) - rest));
}

static bool needs_mending(const char *module, bool vectors)
{
	for (const char *line = module; *line; line = next_line(line)) {
		const char *type = type_of(line);
		if ((type && needs_padding(type, vectors)) || half_comparison(line))
			return true;
	}
	return false;
}

char *hd_front_mend_module(const char *module)
{
	bool vectors = names_vectors(module);
	unsigned comparisons = 0;
	if (!strstr(module, " ptr ") && !strstr(module, "(ptr ")) /* no pointers, so no constants in memory */
		return NULL;
	if (!needs_mending(module, vectors))
		return NULL;
	hd_text out = {0};
	for (const char *line = module, *next; *line; line = next) {
		const char *type = type_of(line), *operands = half_comparison(line);
		next = next_line(line);
		if (operands && *behind_operand(operands) == ',') {
			put_comparison(line, operands, comparisons++, &out);
			continue;
		}
		if (type && needs_padding(type, vectors)) {
			hd_text_put(&out, line, (size_t)(type - line));
			line = put_padded(type, &out);
		} else if (is_type(line)) {
			put_padded(put_type(line, &out), &out);
			hd_text_put(&out, "\n", 1);
		}
		hd_text_put(&out, line, (size_t)(next - line));
	}
	return out.at;
}

char *hd_front_compile_module(const char *text, bool cuda, size_t *size, hd_diag *diag)
{
	static const char *const how[] = {"-x", "ir", "-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes", "-target", NULL, NULL};
	const char *arguments[HD_COUNT(how)];
	memcpy(arguments, how, sizeof how);
	arguments[HD_COUNT(how) - 2] = cuda ? "nvptx64-nvidia-cuda" : "nvptx64-nvidia-nvcl";
	const char *at = strchr(text, '\n') + 1; /* behind the line that says where clang printed it */
	hd_memory_file file = {.name = "module.cl", .bytes = at, .size = strlen(at)};
	hd_front_options options = {.arguments = arguments, .debug_lines = true, .without_builtins = true, .files = &file, .n_files = 1};
	return hd_front_compile(file.name, &options, size, diag);
}

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

/* What is open where an initialiser is read: vectors of values, and all else that '<' begins. */
typedef struct level {
	bool values;
	unsigned brackets; /* parentheses around it: commas within more of them are not its own */
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

/* Writes a type, or a type and its initialiser, to the line's end with vectors padded. */
static const char *put_padded(const char *at, hd_text *out)
{
	level open[DEPTH_MAX];
	unsigned depth = 0, brackets = 0;
	while (*at && *at != '\n') {
		const char *from = at;
		unsigned long n = vector_type(&at);
		if (n) {
			hd_text_printf(out, "<%u x ", padded(n));
			open[depth++ % DEPTH_MAX] = (level){0};
			continue;
		}
		if (*at == '%') {
			at = put_type(at, out);
			continue;
		}
		if (*at == '"') {
			at = behind_quotes(at);
			hd_text_put(out, from, (size_t)(at - from));
			continue;
		}
		if (*at == '<')
			open[depth++ % DEPTH_MAX] = (level){.values = at[1] != '{', .brackets = brackets, .n = 1, .begin = out->n + 1};
		else if (*at == '>' && depth && open[--depth % DEPTH_MAX].values)
			put_zeros(&open[depth % DEPTH_MAX], out);
		else if (*at == '(')
			brackets++;
		else if (*at == ')')
			brackets -= brackets > 0;
		else if (*at == ',' && depth && brackets == open[(depth - 1) % DEPTH_MAX].brackets)
			open[(depth - 1) % DEPTH_MAX].n++;
		hd_text_put(out, at++, 1);
	}
	return at;
}

/* Where the type of the variable begins whose line this is, else NULL. */
static const char *type_of(const char *line)
{
	static const char *const words[] = {" constant ", " global "};
	const char *end = strchr(line, '\n'), *at = line[1] == '"' ? behind_quotes(line + 1) : line, *type = NULL;
	for (size_t i = 0; *line == '@' && i < HD_COUNT(words); i++) {
		const char *found = strstr(at, words[i]);
		if (found && (!end || found < end) && (!type || found + strlen(words[i]) < type))
			type = found + strlen(words[i]);
	}
	return type;
}

static bool needs_padding(const char *at)
{
	while (*at && *at != '\n') {
		unsigned long n = vector_type(&at);
		if (n && n != padded(n))
			return true;
		at = *at == '"' ? behind_quotes(at) : at + (n == 0);
	}
	return false;
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

char *hd_front_pad_constants(const char *module)
{
	bool needed = false;
	for (const char *line = module; *line && !needed; line = next_line(line)) {
		const char *type = type_of(line);
		needed = type && needs_padding(type);
	}
	if (!needed)
		return NULL;
	hd_text out = {0};
	for (const char *line = module, *next; *line; line = next) {
		const char *type = type_of(line);
		next = next_line(line);
		if (type && needs_padding(type)) {
			hd_text_put(&out, line, (size_t)(type - line));
			line = put_padded(type, &out);
		} else if (is_type(line)) {
			const char *body = put_type(line, &out);
			put_padded(body, &out);
			hd_text_put(&out, "\n", 1);
		}
		hd_text_put(&out, line, (size_t)(next - line));
	}
	return out.at;
}

char *hd_front_pad(char *ptx, const char *module, bool cuda, size_t *size, hd_diag *diag)
{
	static const char *const how[] = {"-x", "ir", "-Wno-unused-command-line-argument", "-Xclang", "-disable-llvm-passes", "-target", NULL, NULL};
	const char *arguments[HD_COUNT(how)];
	char *text = hd_front_pad_constants(module);
	if (!text)
		return ptx;
	memcpy(arguments, how, sizeof how);
	arguments[HD_COUNT(how) - 2] = cuda ? "nvptx64-nvidia-cuda" : "nvptx64-nvidia-nvcl";
	const char *at = strchr(text, '\n') + 1; /* behind the line that says where clang printed it */
	hd_memory_file file = {.name = "module.cl", .bytes = at, .size = strlen(at)};
	hd_front_options options = {.arguments = arguments, .debug_lines = true, .without_builtins = true, .files = &file, .n_files = 1};
	free(ptx);
	ptx = hd_front_compile(file.name, &options, size, diag);
	free(text);
	return ptx;
}

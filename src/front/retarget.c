/* The text is taken word by word. Strings, comments and names stay, but for the names of built-in functions and of LLVM's own, which hold address
 * spaces. Two functions may have one name then, and a second declaration disappears. */
#include "front/retarget.h"

#include <limits.h>

enum { CAST_MAX = 4096 /* characters of a cast, beyond which it stays as it is */ };

typedef struct symbol {
	const char *name; /* the new one */
	size_t line;      /* where its line begins; 0 for a definition, so that it comes first */
	bool kernel;      /* a definition of one */
} symbol;

typedef struct retargeting {
	hd_arena arena;
	hd_text out;
	const char *text;
	HD_VEC(symbol) symbols; /* sorted by name, then line */
} retargeting;

/* The target's number of SPIR's address space: private, global, constant, local and generic memory, and global memory of device or host. -1 for any
 * other number. Private and generic pointers are the same on the target. */
static int target_space(unsigned long space)
{
	static const int target[] = {0, 1, 4, 3, 0, 1, 1};
	return space < HD_COUNT(target) ? target[space] : -1;
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' || c == '-';
}

static size_t name_length(const char *at)
{
	size_t n = 0;
	while (in_name(at[n]))
		n++;
	return n;
}

static bool begins(const char *at, const char *word) { return strncmp(at, word, strlen(word)) == 0; }

static bool is_number(const char *name) { return *name && !name[strspn(name, "0123456789")]; }

/* -- names ------------------------------------------------------------------------------------------------------------------------------------- */
/* Replaces the number of a space behind each `mark` in a name. A space of number 0 has no `mark`, unless `zero`. */
static const char *with_spaces(retargeting *r, const char *name, const char *mark, bool zero)
{
	hd_text out = {0};
	size_t n = strlen(mark);
	for (const char *at = name; *at;) {
		bool digit = begins(at, mark) && at[n] >= '0' && at[n] <= '9' && !(at[n + 1] >= '0' && at[n + 1] <= '9' && zero);
		int space = digit ? target_space((unsigned long)(at[n] - '0')) : -1;
		if (space > 0 || (space == 0 && zero))
			hd_text_printf(&out, "%s%d", mark, space);
		else if (space < 0)
			hd_text_put(&out, at, 1);
		at += space < 0 ? 1 : n + 1;
	}
	const char *result = hd_arena_strndup(&r->arena, out.at ? out.at : "", out.n);
	hd_text_free(&out);
	return result;
}

/* The name that a function has which the module only declares. llvm.memcpy.p4i8.p1i8.i64 has the spaces of pointers (clang mends what else such a
 * name may hold). So has _Z5fractfPU3AS4f. A type with a space counts among those that a later S0_ may stand for, whether the number is written or
 * not, so these stay. */
static const char *new_name(retargeting *r, const char *at, size_t n)
{
	const char *name = hd_arena_strndup(&r->arena, at, n);
	/* clang's PTX names the parameters of a function without a name otherwise where it declares them than where it reads them. */
	if (is_number(name))
		return hd_arena_printf(&r->arena, "__heddle_il_%s", name);
	if (begins(name, "llvm."))
		return with_spaces(r, name, ".p", true);
	/* These take pointers to ranges here; where clang calls them, it gives and takes ranges by value (lib/heddle_queue.cl). */
	if (begins(name, "_Z10ndrange_"))
		return hd_arena_printf(&r->arena, "__heddle_il_%s", name + sizeof "_Z10" - 1);
	if (strcmp(name, "__enqueue_kernel_basic") == 0)
		return "__heddle_il_enqueue_kernel_basic";
	return begins(name, "_Z") ? with_spaces(r, name, "U3AS", false) : name;
}

static int by_name(const void *a, const void *b)
{
	const symbol *x = a, *y = b;
	int order = strcmp(x->name, y->name);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static const symbol *find(const retargeting *r, const char *name)
{
	size_t from = 0, to = r->symbols.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (strcmp(r->symbols.at[middle].name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from < r->symbols.n && strcmp(r->symbols.at[from].name, name) == 0 ? &r->symbols.at[from] : NULL;
}

/* The name of the function that a line defines or declares. */
static const char *name_of_line(const char *line, size_t *n)
{
	const char *at = line;
	while (*at && *at != '\n' && *at != '@')
		at++;
	*n = *at == '@' ? name_length(at + 1) : 0;
	return at + 1;
}

static void collect(retargeting *r)
{
	for (const char *line = r->text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		bool defines = begins(line, "define ");
		size_t n = 0;
		const char *name = defines || begins(line, "declare ") ? name_of_line(line, &n) : NULL;
		if (n && defines)
			hd_vec_push(&r->symbols, (symbol){hd_arena_strndup(&r->arena, name, n), 0, begins(line, "define spir_kernel ")});
		else if (n)
			hd_vec_push(&r->symbols, (symbol){new_name(r, name, n), (size_t)(line - r->text) + 1, false});
	}
	if (r->symbols.n)
		qsort(r->symbols.at, r->symbols.n, sizeof *r->symbols.at, by_name);
}

/* True for a declaration that would be the second one of its name. */
static bool repeats(retargeting *r, const char *line)
{
	size_t n;
	const char *name = name_of_line(line, &n);
	const symbol *first = n ? find(r, new_name(r, name, n)) : NULL;
	return first && first->line != (size_t)(line - r->text) + 1;
}

static const char *put_name(retargeting *r, const char *at)
{
	size_t n = name_length(at + 1);
	const char *old = hd_arena_strndup(&r->arena, at + 1, n);
	const symbol *same = find(r, old);
	const char *name = same && !same->line && !is_number(old) ? old : new_name(r, at + 1, n);
	hd_text_printf(&r->out, "@%s", name);
	return at + 1 + n;
}

/* -- types ------------------------------------------------------------------------------------------------------------------------------------- */
/* The number of "addrspace(N)"; *end is behind it. -1 if it is none that we know. */
static int read_space(const char *at, const char **end)
{
	at += sizeof "addrspace(" - 1;
	char *behind = NULL;
	unsigned long space = *at >= '0' && *at <= '9' ? strtoul(at, &behind, 10) : ULONG_MAX;
	*end = behind && *behind == ')' ? behind + 1 : at;
	return behind && *behind == ')' ? target_space(space) : -1;
}

/* Behind the type at `at` of a pointer or a vector of them; *space is the space that it points to. NULL if there is no such type. */
static const char *pointer_type(const char *at, int *space)
{
	bool is_vector = *at == '<';
	if (is_vector)
		at += 1 + strspn(at + 1, "0123456789 x");
	if (!begins(at, "ptr") || in_name(at[3]))
		return NULL;
	at += 3;
	*space = 0;
	if (begins(at, " addrspace("))
		*space = read_space(at + 1, &at);
	if (!is_vector)
		return at;
	return *at == '>' ? at + 1 : NULL;
}

/* The cast at `at` (addrspacecast) leaves the space as it is on the target. */
static bool keeps_space(const char *at)
{
	int from, to, depth = 0;
	at += sizeof "addrspacecast" - 1;
	at += strspn(at, " (");
	const char *end = at + CAST_MAX;
	at = pointer_type(at, &from);
	for (; at && *at && *at != '\n' && at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0 && begins(at, " to "))
			return pointer_type(at + 4, &to) && from == to && from >= 0;
	}
	return false;
}

/* -- words ------------------------------------------------------------------------------------------------------------------------------------- */
/* The call of a kernel by the module, which llvm-spirv writes as that of any function: LLVM takes a call with another calling convention than the
 * function's for one that never happens. */
static bool calls_kernel(retargeting *r, const char *at)
{
	static const char call[] = "spir_func void @";
	if (!begins(at, call))
		return false;
	const char *name = at + sizeof call - 1;
	const symbol *callee = find(r, hd_arena_strndup(&r->arena, name, name_length(name)));
	return callee && callee->kernel;
}

static const char *put_word(retargeting *r, const char *at, bool *kernel)
{
	static const char kernels[] = "spir_kernel", functions[] = "spir_func", cast[] = "addrspacecast", space[] = "addrspace";
	size_t n = name_length(at);
	if (n == sizeof space - 1 && begins(at, "addrspace(")) {
		const char *end;
		int number = read_space(at, &end);
		if (number >= 0) {
			if (number)
				hd_text_printf(&r->out, "addrspace(%d)", number);
			return end;
		}
	} else if (n == sizeof kernels - 1 && begins(at, kernels)) {
		hd_text_printf(&r->out, "ptx_kernel");
		*kernel = true;
		return at + n;
	} else if (n == sizeof functions - 1 && begins(at, functions)) {
		hd_text_printf(&r->out, "%s", calls_kernel(r, at) ? "ptx_kernel" : "");
		return at + n;
	} else if (n == sizeof cast - 1 && begins(at, cast) && keeps_space(at)) {
		hd_text_printf(&r->out, "bitcast");
		return at + n;
	}
	hd_text_put(&r->out, at, n);
	return at + n;
}

static const char *put_string(retargeting *r, const char *at)
{
	size_t n = 1 + strcspn(at + 1, "\"\n");
	n += at[n] == '"';
	hd_text_put(&r->out, at, n);
	return at + n;
}

/* Puts a line, which may be the head of a function. */
static const char *put_line(retargeting *r, const char *at)
{
	static const char plain[] = "define spir_func ", exported[] = "define dso_local ", attribute[] = " \"uniform-work-group-size\"=\"false\"";
	bool head = begins(at, "define "), kernel = false;
	int depth = 0;
	if (begins(at, plain)) {
		hd_text_put(&r->out, exported, sizeof exported - 1);
		at += sizeof plain - 1;
	}
	while (*at && *at != '\n') {
		char c = *at;
		if (c == ';') {
			size_t n = strcspn(at, "\n");
			hd_text_put(&r->out, at, n);
			at += n;
		} else if (c == '"') {
			at = put_string(r, at);
		} else if (c == '@' && at[1] != '"') {
			at = put_name(r, at);
		} else if ((c == '%' || c == '!') && in_name(at[1])) {
			size_t n = 1 + name_length(at + 1);
			hd_text_put(&r->out, at, n);
			at += n;
		} else if (in_name(c)) {
			at = put_word(r, at, &kernel);
		} else {
			depth += (c == '(') - (c == ')');
			hd_text_put(&r->out, at++, 1);
			/* Behind the parameters. */
			if (head && kernel && c == ')' && depth == 0) {
				hd_text_put(&r->out, attribute, sizeof attribute - 1);
				kernel = false;
			}
		}
	}
	return at;
}

char *hd_retarget(const char *text)
{
	retargeting r = {.text = text};
	collect(&r);
	for (const char *at = text; *at;) {
		if (begins(at, "declare ") && repeats(&r, at))
			at += strcspn(at, "\n");
		else
			at = put_line(&r, at);
		if (*at == '\n')
			hd_text_put(&r.out, at++, 1);
	}
	hd_vec_free(&r.symbols);
	hd_arena_free(&r.arena);
	return r.out.at ? r.out.at : hd_xstrdup("");
}

#include "front/source_names.h"
#include "base/demangle.h"
#include "front/module_text.h"

static char *keep(hd_ir_module *module, const char *text) { return hd_arena_strndup(&module->arena, text, strlen(text)); }

/* -- types ----------------------------------------------------------------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t n, const char *word) { return strlen(word) == n && memcmp(text, word, n) == 0; }

/* The number that a word of a C type names. `long` has 64 bits in OpenCL C and in CUDA. */
static hd_element element_of_word(const char *text, size_t n)
{
	static const struct {
		const char *name;
		hd_element element;
	} rows[] = {
	    {"bool", HD_ELEMENT_U8},   {"char", HD_ELEMENT_I8},           {"signed char", HD_ELEMENT_I8},   {"unsigned char", HD_ELEMENT_U8},
	    {"uchar", HD_ELEMENT_U8},  {"short", HD_ELEMENT_I16},         {"ushort", HD_ELEMENT_U16},       {"unsigned short", HD_ELEMENT_U16},
	    {"int", HD_ELEMENT_I32},   {"uint", HD_ELEMENT_U32},          {"unsigned int", HD_ELEMENT_U32}, {"long", HD_ELEMENT_I64},
	    {"ulong", HD_ELEMENT_U64}, {"unsigned long", HD_ELEMENT_U64}, {"long long", HD_ELEMENT_I64},    {"longlong", HD_ELEMENT_I64},
	    {"half", HD_ELEMENT_F16},  {"__half", HD_ELEMENT_F16},        {"ulonglong", HD_ELEMENT_U64},    {"unsigned long long", HD_ELEMENT_U64},
	    {"float", HD_ELEMENT_F32}, {"double", HD_ELEMENT_F64}};
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (is_word(text, n, rows[i].name))
			return rows[i].element;
	return HD_ELEMENT_UNKNOWN;
}

/* Steps over qualifiers. */
static const char *unqualified(const char *text)
{
	static const char *const words[] = {"const ", "volatile ", "__restrict ", "restrict "};
	for (size_t i = 0; i < HD_COUNT(words); i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return unqualified(text + strlen(words[i]));
	return text;
}

hd_element hd_front_element(const char *type)
{
	const char *base = unqualified(type), *star = strchr(base, '*');
	if (!star || strchr(star + 1, '*'))
		return HD_ELEMENT_UNKNOWN;
	const char *vector = strstr(base, " __attribute__((ext_vector_type(");
	size_t n = (size_t)((vector && vector < star ? vector : star) - base);
	while (n && base[n - 1] == ' ')
		n--;
	hd_element element = element_of_word(base, n);
	/* float4, uchar16 */
	size_t letters = n;
	while (letters && base[letters - 1] >= '0' && base[letters - 1] <= '9')
		letters--;
	return element || letters == n ? element : element_of_word(base, letters);
}

/* -- OpenCL C: the metadata of the kernel -------------------------------------------------------------------------------------------------------- */

/* "const float *" of the type "float*" and the qualifier "restrict const". */
static char *qualified_type(hd_ir_module *module, const char *type, const char *qualifier)
{
	const char *star = strchr(type, '*');
	int n = (int)(star ? (size_t)(star - type) : strlen(type));
	return hd_arena_printf(&module->arena, "%s%s%.*s%s%s", strstr(qualifier, "const") ? "const " : "",
	                       strstr(qualifier, "volatile") ? "volatile " : "", n, type, star ? " " : "", star ? star : "");
}

static void name_opencl(hd_ir_module *module, hd_kernel *kernel, const hd_module_text *text, const char *line)
{
	const char *names = hd_module_text_node(text, line, "!kernel_arg_name"), *types = hd_module_text_node(text, line, "!kernel_arg_type"),
	           *base_types = hd_module_text_node(text, line, "!kernel_arg_base_type"),
	           *qualifiers = hd_module_text_node(text, line, "!kernel_arg_type_qual"),
	           *accesses = hd_module_text_node(text, line, "!kernel_arg_access_qual");
	for (size_t i = 0; i < kernel->params.n; i++) {
		hd_param *param = &kernel->params.at[i];
		char *name = hd_module_text_string(names, i), *type = hd_module_text_string(types, i), *base = hd_module_text_string(base_types, i),
		     *qualifier = hd_module_text_string(qualifiers, i), *access = hd_module_text_string(accesses, i);
		if (*name)
			param->name = keep(module, name);
		bool pipe = strcmp(qualifier, "pipe") == 0;
		if (pipe)
			param->source_type = hd_arena_printf(&module->arena, "%s pipe %s", access, type);
		else if (*type)
			param->source_type = qualified_type(module, type, qualifier);
		param->element = (uint8_t)(pipe ? HD_ELEMENT_UNKNOWN : hd_front_element(base));
		free(name);
		free(type);
		free(base);
		free(qualifier);
		free(access);
	}
}

/* -- CUDA: names in the line that defines the function, types in its mangled name ------------------------------------------------------------------
 */

/* The end of a parameter of a `define` line: its comma, or the parenthesis behind the last one. */
static const char *parameter_end(const char *at)
{
	int depth = 0;
	bool quoted = false;
	for (; *at && *at != '\n'; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted && strchr("(<[{", *at))
			depth++;
		else if (!quoted && depth && strchr(")>]}", *at))
			depth--;
		else if (!quoted && !depth && (*at == ',' || *at == ')'))
			break;
	}
	return at;
}

static void name_cuda(hd_ir_module *module, hd_kernel *kernel, const char *line, const hd_demangled *mangled)
{
	const char *at = line + strcspn(line, "@\n");
	at += *at == '@' && at[1] == '"' ? 2 + strcspn(at + 2, "\"\n") : strcspn(at, "(\n");
	at += strcspn(at, "(\n");
	for (size_t i = 0; i < kernel->params.n && *at && *at != '\n' && *at != ')'; i++) {
		hd_param *param = &kernel->params.at[i];
		const char *begin = at + 1 + strspn(at + 1, " "), *end = parameter_end(begin), *name = end;
		while (name > begin && name[-1] != ' ' && name[-1] != '%')
			name--;
		bool named = name > begin && name[-1] == '%' && *name != '"' && !(*name >= '0' && *name <= '9');
		param->name = named ? hd_arena_strndup(&module->arena, name, (size_t)(end - name)) : keep(module, "(unnamed)");
		if (mangled && i < mangled->n_params) {
			param->source_type = keep(module, mangled->params[i]);
			param->element = (uint8_t)hd_front_element(mangled->params[i]);
		}
		at = end;
	}
}

/* -- all --------------------------------------------------------------------------------------------------------------------------------------------
 */

static const char *define_of(const hd_module_text *text, const char *symbol)
{
	for (const char *line = hd_module_text_define(text, NULL); line; line = hd_module_text_define(text, line)) {
		char *name = hd_module_text_symbol(line);
		bool found = strcmp(name, symbol) == 0;
		free(name);
		if (found)
			return line;
	}
	return NULL;
}

static void name_kernel(hd_ir_module *module, hd_ir_function *function, const hd_module_text *text, const hd_demangled *mangled)
{
	const char *line = text ? define_of(text, function->name) : NULL;
	if (mangled)
		function->info.source_name = keep(module, mangled->name);
	if (line && hd_module_text_node(text, line, "!kernel_arg_type"))
		name_opencl(module, &function->info, text, line);
	else if (line)
		name_cuda(module, &function->info, line, mangled);
	for (unsigned i = 0; !text && mangled && i < mangled->n_params && mangled->n_params == function->info.params.n; i++) {
		function->info.params.at[i].source_type = keep(module, mangled->params[i]);
		function->info.params.at[i].element = (uint8_t)hd_front_element(mangled->params[i]);
	}
}

/* A function's name for people, and the same with its parameters; the symbol where these are not understood. */
typedef struct named {
	char **name;
	char *full;
} named;

static int by_name(const void *a, const void *b) { return strcmp(*((const named *)a)->name, *((const named *)b)->name); }

/* Functions of one name, which are overloads, get their parameters into it. */
static void tell_apart(named *all, size_t n)
{
	qsort(all, n, sizeof *all, by_name);
	for (size_t begin = 0, end; begin < n; begin = end) {
		for (end = begin + 1; end < n && by_name(&all[begin], &all[end]) == 0;)
			end++;
		for (size_t i = begin; end - begin > 1 && i < end; i++)
			*all[i].name = all[i].full;
	}
}

void hd_front_name_sources(hd_ir_module *module, const char *text)
{
	HD_VEC(named) names = {0};
	hd_module_text all = hd_module_text_of(text ? text : "");
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *function = module->functions.at[i];
		hd_demangled mangled;
		char *symbol = function->name;
		bool cxx = hd_demangle(symbol, &mangled);
		if (function->kernel)
			name_kernel(module, function, text ? &all : NULL, cxx ? &mangled : NULL);
		else if (cxx)
			function->name = keep(module, mangled.name);
		if (cxx) {
			char **name = function->kernel ? &function->info.source_name : &function->name;
			char *full = mangled.whole ? hd_demangled_signature(&mangled, &module->arena) : symbol;
			hd_vec_push(&names, ((named){.name = name, .full = full}));
			hd_demangled_free(&mangled);
		}
	}
	if (names.n)
		tell_apart(names.at, names.n);
	hd_vec_free(&names);
	/* Elements belong to 64-bit pointers only. */
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_kernel *kernel = &module->functions.at[i]->info;
		for (size_t p = 0; p < kernel->params.n; p++)
			if (kernel->params.at[p].size != 8)
				kernel->params.at[p].element = HD_ELEMENT_UNKNOWN;
	}
}

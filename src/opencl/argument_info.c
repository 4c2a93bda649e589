/* Argument information. PTX has none, so clang runs a second time. The driver reads the metadata of kernels in LLVM's text form. */
#include "opencl/driver.h"

/* The text of metadata node `number`, at its opening brace; NULL if there is none. */
static const char *node(const char *ir, unsigned number)
{
	char head[32];
	snprintf(head, sizeof head, "\n!%u = !{", number);
	const char *at = strstr(ir, head);
	return at ? at + strlen(head) - 1 : NULL;
}

/* The node that `key` names in the line at `line`; NULL if there is no such key. */
static const char *attached(const char *ir, const char *line, const char *key)
{
	size_t n = strcspn(line, "\n");
	const char *at = strstr(line, key);
	if (!at || at >= line + n)
		return NULL;
	at += strlen(key);
	return *at == ' ' && at[1] == '!' ? node(ir, (unsigned)strtoul(at + 2, NULL, 10)) : NULL;
}

/* Item `index` of a node of strings; the caller frees. */
static char *item_text(const char *list, size_t index)
{
	for (const char *at = list; at && *at && *at != '\n' && *at != '}'; at++) {
		if (*at != '!' || at[1] != '"')
			continue;
		const char *begin = at + 2;
		size_t n = strcspn(begin, "\"\n");
		if (index-- == 0) {
			hd_text text = {0};
			hd_text_put(&text, begin, n);
			return text.at;
		}
		at = begin + n;
		if (!*at)
			break;
	}
	return hd_xstrdup("");
}

/* Item `index` of a node of `i32 N`; false past the end. */
static bool item_number(const char *list, size_t index, unsigned *number)
{
	const char *end = list ? strchr(list, '\n') : NULL;
	const char *at = list;
	do {
		at = at ? strstr(at, "i32 ") : NULL;
		if (!at || (end && at > end))
			return false;
		at += 4;
	} while (index--);
	*number = (unsigned)strtoul(at, NULL, 10);
	return true;
}

/* Writes the attribute of a vec_type_hint node. The node has an undefined value of LLVM's type, and says whether its integers are signed. */
static void put_vector_hint(const char *list, hd_text *text)
{
	static const struct {
		const char *llvm, *with_sign, *without;
	} types[] = {{"i8", "char", "uchar"},  {"i16", "short", "ushort"},  {"i32", "int", "uint"},
	             {"i64", "long", "ulong"}, {"float", "float", "float"}, {"double", "double", "double"}};
	unsigned lanes = 1, sign = 0;
	char type[16] = "";
	if (sscanf(list, "{<%u x %15[a-z0-9]>", &lanes, type) != 2 && sscanf(list, "{%15[a-z0-9] ", type) != 1)
		return;
	const char *tail = strstr(list, ", i32 ");
	sign = tail && tail < strchr(list, '\n') && tail[6] == '1';
	for (size_t i = 0; i < HD_COUNT(types); i++) {
		if (strcmp(type, types[i].llvm) != 0)
			continue;
		hd_text_printf(text, "%s__attribute__((vec_type_hint(%s", text->n ? " " : "", sign ? types[i].with_sign : types[i].without);
		hd_text_printf(text, lanes > 1 ? "%u)))" : ")))", lanes);
	}
}

static char *attributes(const char *ir, const char *line)
{
	static const char *const names[][2] = {{"!reqd_work_group_size", "reqd_work_group_size"}, {"!work_group_size_hint", "work_group_size_hint"}};
	hd_text text = {0};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		const char *list = attached(ir, line, names[i][0]);
		unsigned n[3];
		if (list && item_number(list, 0, &n[0]) && item_number(list, 1, &n[1]) && item_number(list, 2, &n[2]))
			hd_text_printf(&text, "%s__attribute__((%s(%u,%u,%u)))", text.n ? " " : "", names[i][1], n[0], n[1], n[2]);
	}
	const char *hint = attached(ir, line, "!vec_type_hint");
	if (hint)
		put_vector_hint(hint, &text);
	return text.at ? text.at : hd_xstrdup("");
}

void hc_required_blocks(const char *ir, hd_object *object)
{
	for (const char *line = strstr(ir, "\ndefine "); line; line = strstr(line + 1, "\ndefine ")) {
		const char *list = attached(ir, line + 1, "!reqd_work_group_size"), *at = list ? strchr(line, '@') : NULL;
		hd_text name = {0};
		if (!at)
			continue;
		hd_text_put(&name, at + 1, strcspn(at + 1, "(\n"));
		for (size_t i = 0; i < object->kernels.n; i++)
			for (unsigned d = 0; d < 3 && strcmp(object->kernels.at[i].name, name.at) == 0; d++)
				item_number(list, d, &object->kernels.at[i].required_block[d]);
		hd_text_free(&name);
	}
}

static void read_kernel(const char *ir, const char *line, hc_arg_info *info)
{
	const char *spaces = attached(ir, line, "!kernel_arg_addr_space"), *types = attached(ir, line, "!kernel_arg_type"),
	           *access = attached(ir, line, "!kernel_arg_access_qual"), *qualifiers = attached(ir, line, "!kernel_arg_type_qual"),
	           *names = attached(ir, line, "!kernel_arg_name");
	const char *at = strchr(line, '@');
	unsigned space;
	*info = (hc_arg_info){.attributes = attributes(ir, line)};
	hd_text name = {0};
	hd_text_put(&name, at + 1, strcspn(at + 1, "(\n"));
	info->kernel = name.at;
	while (item_number(spaces, info->n_args, &space)) {
		size_t i = info->n_args++;
		info->args = hd_xrealloc(info->args, info->n_args * sizeof *info->args);
		info->args[i].space = space;
		info->args[i].name = item_text(names, i);
		info->args[i].type = item_text(types, i);
		info->args[i].access = item_text(access, i);
		info->args[i].qualifier = item_text(qualifiers, i);
	}
}

/* Reads the argument information from clang's metadata. Called without hc_lock. */
static hc_arg_info *ask(cl_program program, size_t *n)
{
	hc_source source = {.text = program->source, .options = program->options};
	hd_text log = {0};
	hc_arg_info *list = NULL;
	char *own = program->units.n ? NULL : hc_compile_unit(&source, false, &log), *ir = program->units.n ? program->units.at[0] : own;
	*n = 0;
	for (const char *line = ir && *ir ? ir : NULL; line; line = strstr(line + 1, "\ndefine ")) {
		const char *begin = *line == '\n' ? line + 1 : line, *mark = strstr(begin, "!kernel_arg_addr_space"), *name = strchr(begin, '@');
		if (strncmp(begin, "define ", 7) != 0 || !mark || !name || mark > begin + strcspn(begin, "\n") || name > mark)
			continue;
		list = hd_xrealloc(list, (*n + 1) * sizeof *list);
		read_kernel(ir, begin, &list[(*n)++]);
	}
	free(own);
	hd_text_free(&log);
	return list;
}

const hc_arg_info *hc_argument_info(cl_program program, const char *kernel)
{
	pthread_mutex_lock(&hc_lock);
	bool known = program->info_known;
	pthread_mutex_unlock(&hc_lock);
	if (!known && program->source) {
		size_t n;
		hc_arg_info *list = ask(program, &n);
		pthread_mutex_lock(&hc_lock);
		if (!program->info_known) {
			program->info = list;
			program->n_info = n;
			program->info_known = true;
			list = NULL;
		}
		pthread_mutex_unlock(&hc_lock);
		if (list) { /* another thread was faster */
			struct _cl_program other = {.info = list, .n_info = n};
			hc_argument_info_free(&other);
		}
	}
	for (size_t i = 0; i < program->n_info; i++)
		if (strcmp(program->info[i].kernel, kernel) == 0)
			return &program->info[i];
	return NULL;
}

void hc_argument_info_free(cl_program program)
{
	for (size_t i = 0; i < program->n_info; i++) {
		hc_arg_info *info = &program->info[i];
		for (size_t a = 0; a < info->n_args; a++) {
			free(info->args[a].name);
			free(info->args[a].type);
			free(info->args[a].access);
			free(info->args[a].qualifier);
		}
		free(info->args);
		free(info->kernel);
		free(info->attributes);
	}
	free(program->info);
	program->info = NULL;
	program->n_info = 0;
	program->info_known = false;
}

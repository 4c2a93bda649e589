/* Argument information. PTX has none, so clang runs a second time. The driver reads the metadata of kernels in LLVM's text form. */
#include "opencl/driver.h"

#include "front/module_text.h"

/* Writes the attribute of a vec_type_hint node. The node has an undefined value of LLVM's type, and says whether its integers are signed. */
static void put_vector_hint(const char *list, hd_text *text)
{
	static const struct {
		const char *llvm, *with_sign, *without;
	} types[] = {{"i8", "char", "uchar"},  {"i16", "short", "ushort"},  {"i32", "int", "uint"},        {"i64", "long", "ulong"},
	             {"half", "half", "half"}, {"float", "float", "float"}, {"double", "double", "double"}};
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

static char *attributes(const hd_module_text *ir, const char *line)
{
	static const char *const names[][2] = {{"!reqd_work_group_size", "reqd_work_group_size"}, {"!work_group_size_hint", "work_group_size_hint"}};
	hd_text text = {0};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		const char *list = hd_module_text_node(ir, line, names[i][0]);
		unsigned n[3];
		if (list && hd_module_text_number(list, 0, &n[0]) && hd_module_text_number(list, 1, &n[1]) && hd_module_text_number(list, 2, &n[2]))
			hd_text_printf(&text, "%s__attribute__((%s(%u,%u,%u)))", text.n ? " " : "", names[i][1], n[0], n[1], n[2]);
	}
	const char *hint = hd_module_text_node(ir, line, "!vec_type_hint");
	if (hint)
		put_vector_hint(hint, &text);
	return text.at ? text.at : hd_xstrdup("");
}

void hc_required_blocks(const char *ir, hd_object *object)
{
	hd_module_text module = hd_module_text_of(ir);
	for (const char *line = NULL; (line = hd_module_text_define(&module, line));) {
		const char *list = hd_module_text_node(&module, line, "!reqd_work_group_size");
		char *name = list ? hd_module_text_symbol(line) : NULL;
		for (size_t i = 0; name && i < object->kernels.n; i++)
			for (unsigned d = 0; d < 3 && strcmp(object->kernels.at[i].name, name) == 0; d++)
				hd_module_text_number(list, d, &object->kernels.at[i].required_block[d]);
		free(name);
	}
}

static void read_kernel(const hd_module_text *ir, const char *line, hc_arg_info *info)
{
	const char *spaces = hd_module_text_node(ir, line, "!kernel_arg_addr_space"), *types = hd_module_text_node(ir, line, "!kernel_arg_type"),
	           *access = hd_module_text_node(ir, line, "!kernel_arg_access_qual"),
	           *qualifiers = hd_module_text_node(ir, line, "!kernel_arg_type_qual"), *names = hd_module_text_node(ir, line, "!kernel_arg_name");
	unsigned space;
	*info = (hc_arg_info){.attributes = attributes(ir, line), .kernel = hd_module_text_symbol(line)};
	while (hd_module_text_number(spaces, info->n_args, &space)) {
		size_t i = info->n_args++;
		info->args = hd_xrealloc(info->args, info->n_args * sizeof *info->args);
		info->args[i].space = space;
		info->args[i].name = hd_module_text_string(names, i);
		info->args[i].type = hd_module_text_string(types, i);
		info->args[i].access = hd_module_text_string(access, i);
		info->args[i].qualifier = hd_module_text_string(qualifiers, i);
	}
}

/* Reads the argument information from clang's metadata. Called without hr_lock. */
static hc_arg_info *ask(cl_program program, size_t *n)
{
	hc_source source = {.text = program->source, .options = program->options};
	hd_text log = {0};
	hc_arg_info *list = NULL;
	const char *kept = program->units.n ? program->units.at[0].text : program->il_text;
	char *own = kept ? NULL : hc_compile_text(&source, &log);
	const char *ir = kept ? kept : own;
	*n = 0;
	hd_module_text module = hd_module_text_of(ir ? ir : "");
	for (const char *line = NULL; (line = hd_module_text_define(&module, line));) {
		if (!hd_module_text_node(&module, line, "!kernel_arg_addr_space"))
			continue;
		list = hd_xrealloc(list, (*n + 1) * sizeof *list);
		read_kernel(&module, line, &list[(*n)++]);
	}
	free(own);
	hd_text_free(&log);
	return list;
}

const hc_arg_info *hc_argument_info(cl_program program, const char *kernel)
{
	pthread_mutex_lock(&hr_lock);
	bool known = program->info_known;
	pthread_mutex_unlock(&hr_lock);
	if (!known && (program->source || program->il_text)) {
		size_t n;
		hc_arg_info *list = ask(program, &n);
		pthread_mutex_lock(&hr_lock);
		if (!program->info_known) {
			program->info = list;
			program->n_info = n;
			program->info_known = true;
			list = NULL;
		}
		pthread_mutex_unlock(&hr_lock);
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

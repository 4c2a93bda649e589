#include "object/object.h"

/* State that the checks of one object share. */
typedef struct validator {
	const hd_object *object;
	const char *file;
	const hd_pos *places; /* position in the text of each word; NULL without a text */
	hd_diag *diag;
	hd_inst *insts;     /* by word; all zero for scheduling words */
	uint32_t *function; /* by word: index of its function + 1, 0 outside of all functions */
	hd_bits first;      /* words: first instructions of functions that can be called (no kernel begins in them) */
	hd_bits entries;    /* words: entries of kernels */
	hd_bits entered;    /* words that control can reach from another word than the one before */
} validator;

static bool is_instruction(const hd_object *object, uint32_t word) { return word < object->code.n && hd_object_begins(object, word); }

static hd_pos place_of(const validator *v, uint32_t word) { return v->places ? v->places[word] : (hd_pos){.file = v->file}; }

static const char *function_name(const validator *v, uint32_t word)
{
	return v->function[word] ? v->object->functions.at[v->function[word] - 1].name : "the code outside of functions";
}

/* PD-33: what text cannot say of words of 32 bits. */
static bool validate_halves(const validator *v)
{
	const hd_object *object = v->object;
	unsigned before = v->diag->errors;
	for (uint32_t word = 0; word < object->code.n && v->diag->errors < before + HD_DIAG_MAX; word++) {
		uint32_t next = hd_after(object->geometry, word);
		bool empty = hd_line_word(object->geometry, object->code.at, word) == HD_WORD_EMPTY;
		if (object->code.at[word] > UINT32_MAX)
			hd_error(v->diag, place_of(v, word), "word %u has more than 32 bits", word);
		else if (empty && (next >= object->code.n || hd_line_length(object->geometry, object->code.at, next) == 1))
			hd_error(v->diag, place_of(v, word), "word %u is empty, but no instruction of two words is behind it", word);
	}
	return v->diag->errors == before;
}

static bool validate_lines(const validator *v)
{
	const hd_object *object = v->object;
	unsigned line = hd_geometries[object->geometry].line_words, before = v->diag->errors;
	if (object->code.n % line != 0 || object->code.n > HD_MAX_CODE) {
		hd_error(v->diag, (hd_pos){.file = v->file}, "%zu words of code are not whole lines of %u, or more than %d", object->code.n, line,
		         HD_MAX_CODE);
		return false;
	}
	for (uint32_t word = 0; word < object->code.n && v->diag->errors < before + HD_DIAG_MAX; word++) {
		const char *why;
		uint64_t bits = object->code.at[word];
		if (hd_is_ss(object->geometry, word)) {
			if ((why = hd_line_wrong(object->geometry, object->code.at, word)))
				hd_error(v->diag, place_of(v, word), "word %u (0x%016llx) %s", word, (unsigned long long)bits, why);
		} else if (hd_object_begins(object, word) && !hd_line_get(object->geometry, object->code.at, word, &v->insts[word], &why)) {
			hd_error(v->diag, place_of(v, word), "word %u (0x%016llx) is no instruction: %s", word, (unsigned long long)bits, why);
		}
	}
	return v->diag->errors == before && (!hd_is_compact(object->geometry) || validate_halves(v));
}

static hd_word word_at(const hd_object *object, uint32_t word) { return hd_line_word(object->geometry, object->code.at, word); }

/* The end of the code, or a word that text can name: no second half of an instruction, and no scheduling word behind an empty word. */
static bool is_boundary(const hd_object *object, uint32_t word)
{
	return word >= object->code.n || (word_at(object, word) != HD_WORD_HALF &&
	                                  (word == 0 || word_at(object, word) != HD_WORD_SS || word_at(object, word - 1) != HD_WORD_EMPTY));
}

static bool validate_functions(const validator *v)
{
	const hd_object *object = v->object;
	unsigned before = v->diag->errors;
	for (size_t i = 0; i < object->functions.n; i++) {
		const hd_function *f = &object->functions.at[i];
		if (f->begin > f->end || f->end > object->code.n || !is_boundary(object, f->begin) || !is_boundary(object, f->end) ||
		    (i && f->begin < object->functions.at[i - 1].end))
			hd_error(v->diag, (hd_pos){.file = v->file}, "function %s covers words %u to %u, out of order or outside the code", f->name,
			         f->begin, f->end);
	}
	for (size_t i = 0; i < object->targets.n; i++) {
		uint32_t word = object->targets.at[i];
		if (!is_instruction(object, word) || (i && word <= object->targets.at[i - 1]))
			hd_error(v->diag, (hd_pos){.file = v->file},
			         "the indirect target %u is no instruction of this program, or listed out of order", word);
	}
	return v->diag->errors == before;
}

/* HZ-33 */
static bool validate_orders(const validator *v)
{
	const hd_object *object = v->object;
	unsigned before = v->diag->errors;
	uint8_t *seconds = hd_xcalloc(object->code.n + 1, 1);
	if (object->orders.n > HD_ORDERS_MAX)
		hd_error(v->diag, (hd_pos){.file = v->file}, "%zu orders of instructions, expected at most %d", object->orders.n, HD_ORDERS_MAX);
	for (size_t i = 0; i < object->orders.n && v->diag->errors == before; i++) {
		uint32_t first = object->orders.at[i].first, second = object->orders.at[i].second;
		if (!is_instruction(object, first) || !is_instruction(object, second) || !v->function[first] ||
		    v->function[first] != v->function[second])
			hd_error(v->diag, (hd_pos){.file = v->file}, "the order of words %u and %u names no two instructions of one function", first,
			         second);
		else if (seconds[second]++ >= HD_ORDERS_EACH)
			hd_error(v->diag, place_of(v, second), "word %u comes second in too many orders, expected at most %d", second,
			         HD_ORDERS_EACH);
	}
	free(seconds);
	return v->diag->errors == before;
}

static void validate_target(validator *v, uint32_t word)
{
	const hd_inst *inst = &v->insts[word];
	uint32_t target = (uint32_t)inst->imm;
	if (!is_instruction(v->object, target))
		hd_error(v->diag, place_of(v, word), "word %u: the target %d is no instruction, expected one of this program", word, inst->imm);
	else if (inst->op == HD_OP_CALL && !hd_bits_has(&v->first, target))
		hd_error(v->diag, place_of(v, word), "word %u: a call to word %u, expected the first instruction of a function that is no kernel's",
		         word, target);
	else if (inst->op != HD_OP_CALL && v->function[target] != v->function[word])
		hd_error(v->diag, place_of(v, word), "word %u: a branch from %s into %s, expected a target in the same function", word,
		         function_name(v, word), function_name(v, target));
	else
		hd_bits_add(&v->entered, target);
}

/* Marks targets first and looks for falls through afterwards. Control never reaches the padding behind the last instruction of a function. */
static bool validate_flow(validator *v)
{
	const hd_object *object = v->object;
	unsigned before = v->diag->errors;
	for (size_t i = 0; i < object->kernels.n; i++)
		if (is_instruction(object, object->kernels.at[i].entry))
			hd_bits_add(&v->entries, object->kernels.at[i].entry);
	size_t entry = 0; /* the first entry of a kernel that is not below the function; functions are in order */
	for (size_t i = 0; i < object->functions.n; i++) {
		const hd_function *f = &object->functions.at[i];
		entry = entry < f->begin || i == 0 ? hd_bits_next(&v->entries, f->begin) : entry;
		uint32_t first = hd_function_first(object, f);
		for (uint32_t word = f->begin; word < f->end; word++)
			v->function[word] = (uint32_t)i + 1;
		if (first < f->end && entry >= f->end)
			hd_bits_add(&v->first, first);
	}
	hd_bits_copy(&v->entered, &v->first);
	for (size_t i = 0; i < object->targets.n; i++)
		hd_bits_add(&v->entered, object->targets.at[i]);
	hd_bits_or(&v->entered, &v->entries);
	for (uint32_t word = 0; word < object->code.n && v->diag->errors < before + HD_DIAG_MAX; word++) {
		const hd_inst *inst = &v->insts[word];
		if (!hd_object_begins(object, word))
			continue;
		if (hd_ops[inst->op].format == HD_F_BRANCH)
			validate_target(v, word);
		if (inst->primary > object->counters || inst->wait >> object->counters)
			hd_error(v->diag, place_of(v, word), "word %u: a fence counter that the program does not have, expected one of its %u", word,
			         object->counters);
	}
	bool reached = false;
	for (uint32_t word = 0; word < object->code.n && v->diag->errors < before + HD_DIAG_MAX; word++) {
		if (!hd_object_begins(object, word))
			continue;
		uint32_t next = hd_object_after(object, word);
		reached = (reached || hd_bits_has(&v->entered, word)) && hd_falls_through(&v->insts[word]);
		if (reached && (next >= object->code.n || v->function[next] != v->function[word]))
			hd_error(
			    v->diag, place_of(v, word),
			    "word %u: control falls out of %s, expected exit, ret, trap, bra, brk or brx without a guard as its last instruction",
			    word, function_name(v, word));
	}
	return v->diag->errors == before;
}

static bool validate_code(const hd_object *object, const char *file, const hd_pos *places, hd_diag *diag)
{
	validator v = {.object = object, .file = file, .places = places, .diag = diag};
	v.insts = hd_xcalloc(object->code.n + 1, sizeof *v.insts);
	v.function = hd_xcalloc(object->code.n + 1, sizeof *v.function);
	v.first = hd_bits_new(object->code.n + 1);
	v.entered = hd_bits_new(object->code.n + 1);
	v.entries = hd_bits_new(object->code.n + 1);
	bool ok = validate_lines(&v) && validate_functions(&v) && validate_flow(&v) && validate_orders(&v);
	free(v.insts);
	free(v.function);
	hd_bits_free(&v.first);
	hd_bits_free(&v.entered);
	hd_bits_free(&v.entries);
	return ok;
}

static bool validate_kernel(const hd_object *object, const hd_kernel *kernel, const char *file, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	unsigned before = diag->errors;
	const char *name = kernel->name ? kernel->name : "";
	if (!name[0])
		hd_error(diag, pos, "a kernel without a name");
	if (!is_instruction(object, kernel->entry))
		hd_error(diag, pos, "kernel %s begins at word %u, which is no instruction", name, kernel->entry);
	if (kernel->registers > HD_RZ)
		hd_error(diag, pos, "kernel %s needs %u registers, a thread has %d", name, kernel->registers, HD_RZ);
	if (kernel->param_bytes > HD_PARAM_BYTES_MAX)
		hd_error(diag, pos, "kernel %s has %u bytes of parameters, at most %d fit", name, kernel->param_bytes, HD_PARAM_BYTES_MAX);
	else if (object->literals.n && HD_BANK_PARAMS + kernel->param_bytes > 4 * (HD_CONST_WORDS - object->literals.n))
		hd_error(diag, pos, "the parameters of kernel %s meet the literals of the program", name);
	if (kernel->shared_bytes > 1u << 24 || kernel->local_bytes > 1u << 24)
		hd_error(diag, pos, "kernel %s needs %u bytes of shared and %u of local memory, more than a window", name, kernel->shared_bytes,
		         kernel->local_bytes);
	if (kernel->priority > HD_PRIORITY_MAX || kernel->priority_step > HD_PRIORITY_MAX || kernel->priority_step < -HD_PRIORITY_MAX)
		hd_error(diag, pos, "kernel %s has the priority %u and a step of %d, expected at most %d", name, kernel->priority,
		         kernel->priority_step, HD_PRIORITY_MAX);
	for (size_t i = 0; i < kernel->params.n; i++) {
		const hd_param *param = &kernel->params.at[i];
		if (param->offset > kernel->param_bytes || kernel->param_bytes - param->offset < param->size)
			hd_error(diag, pos, "parameter %zu of kernel %s lies outside its %u bytes", i, name, kernel->param_bytes);
		if (param->space > HD_SPACE_LOCAL || param->pointer > 1 || param->type >= HD_PARAM_TYPES || (param->pointer && param->type) ||
		    (param->pointer && param->size != 8) || param->element >= HD_ELEMENTS || (param->element && param->size != 8))
			hd_error(diag, pos, "parameter %zu of kernel %s has an unknown kind", i, name);
	}
	return diag->errors == before;
}

/* Lines KEY=VALUE of the characters that assembly takes, at least one. */
static bool is_machine_text(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
	if (!*text || strlen(text) > HD_MACHINE_TEXT_MAX)
		return false;
	while (*text) {
		size_t key = strspn(text, letters), value = text[key] == '=' ? strspn(text + key + 1, letters) : 0;
		if (!key || !value || text[key + 1 + value] != '\n')
			return false;
		text += key + 1 + value + 1;
	}
	return true;
}

static int by_name(const void *left, const void *right)
{
	const hd_kernel *const *a = left, *const *b = right;
	return strcmp((*a)->name ? (*a)->name : "", (*b)->name ? (*b)->name : "");
}

/* Kernels are found by name. */
static void validate_names(const hd_object *object, const char *file, hd_diag *diag)
{
	size_t n = object->kernels.n;
	const hd_kernel **sorted = hd_xcalloc(n + 1, sizeof(hd_kernel *));
	for (size_t i = 0; i < n; i++)
		sorted[i] = &object->kernels.at[i];
	qsort(sorted, n, sizeof(hd_kernel *), by_name);
	for (size_t i = 1; i < n; i++)
		if (by_name(&sorted[i - 1], &sorted[i]) == 0)
			hd_error(diag, (hd_pos){.file = file}, "two kernels have the name '%s'", sorted[i]->name ? sorted[i]->name : "");
	free(sorted);
}

bool hd_object_validate(const hd_object *object, const char *file, hd_diag *diag) { return hd_object_validate_text(object, file, NULL, diag); }

bool hd_object_validate_text(const hd_object *object, const char *file, const hd_pos *places, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	unsigned before = diag->errors;
	if (object->geometry >= HD_GEOMETRY_COUNT) {
		hd_error(diag, pos, "line geometry %u, expected 0 to %d", object->geometry, HD_GEOMETRY_COUNT - 1);
		return false;
	}
	const hd_geometry_info *geometry = &hd_geometries[object->geometry];
	if (object->counters < 2 || object->counters > geometry->counters) {
		hd_error(diag, pos, "%u fence counters in lines of geometry %s, expected 2 to %u", object->counters, geometry->name,
		         geometry->counters);
		return false;
	}
	if (object->hint_table.n && object->hint_table.n != hd_object_table_size(object)) {
		hd_error(diag, pos, "a table of %zu hints, expected none or %zu", object->hint_table.n, hd_object_table_size(object));
		return false;
	}
	if (object->split > object->counters) {
		hd_error(diag, pos, "%u of %u fence counters for high latency, expected at least one for low", object->split - 1, object->counters);
		return false;
	}
	if (object->machine && !is_machine_text(object->machine)) {
		hd_error(diag, pos, "the machine of the object is no list of KEY=VALUE of at most %d bytes", HD_MACHINE_TEXT_MAX);
		return false;
	}
	if (object->literals.n > HD_CONST_WORDS - HD_BANK_PARAMS / 4) {
		hd_error(diag, pos, "%zu literals, at most %d fit", object->literals.n, HD_CONST_WORDS - HD_BANK_PARAMS / 4);
		return false;
	}
	if (object->data.n > HD_DATA_MAX) {
		hd_error(diag, pos, "%zu bytes of data, at most %d are possible", object->data.n, HD_DATA_MAX);
		return false;
	}
	if (!validate_code(object, file, places, diag))
		return false;
	for (size_t i = 0; i < object->kernels.n; i++)
		validate_kernel(object, &object->kernels.at[i], file, diag);
	validate_names(object, file, diag);
	for (size_t i = 0; i < object->relocs.n; i++) {
		if (object->relocs.at[i].offset > object->data.n || object->data.n - object->relocs.at[i].offset < 8)
			hd_error(diag, pos, "relocation %zu at byte %u lies outside the %zu bytes of data", i, object->relocs.at[i].offset,
			         object->data.n);
	}
	for (size_t i = 0; i < object->variables.n; i++) {
		const hd_variable *v = &object->variables.at[i];
		if (v->offset > object->data.n || object->data.n - v->offset < v->size)
			hd_error(diag, pos, "variable '%.80s' at byte %u lies outside the %zu bytes of data", v->name, v->offset, object->data.n);
	}
	for (size_t i = 0; i < object->lines.n; i++) {
		if (object->lines.at[i].word >= object->code.n || !is_boundary(object, object->lines.at[i].word) ||
		    object->lines.at[i].file >= object->files.n || (i && object->lines.at[i].word < object->lines.at[i - 1].word)) {
			hd_error(diag, pos, "entry %zu of the line table is out of order or names no file or no word", i);
			break;
		}
	}
	return diag->errors == before;
}

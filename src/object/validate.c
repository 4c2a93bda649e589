#include "object/object.h"

static bool is_instruction(const hd_object *object, uint32_t word) { return word < object->code.n && !hd_is_ss(object->geometry, word); }

static bool validate_code(const hd_object *object, const char *file, hd_diag *diag)
{
	hd_pos pos = {.file = file};
	unsigned line = hd_geometries[object->geometry].line_words;
	if (object->code.n % line != 0 || object->code.n > HD_MAX_CODE) {
		hd_error(diag, pos, "%zu words of code are not whole lines of %u, or more than %d", object->code.n, line, HD_MAX_CODE);
		return false;
	}
	unsigned before = diag->errors;
	for (uint32_t word = 0; word < object->code.n && diag->errors < before + HD_DIAG_MAX; word++) {
		hd_inst inst;
		const char *why;
		uint64_t bits = object->code.at[word];
		if (hd_is_ss(object->geometry, word)) {
			if ((why = hd_line_wrong(object->geometry, object->code.at, word)))
				hd_error(diag, pos, "word %u (0x%016llx) %s", word, (unsigned long long)bits, why);
			continue;
		}
		if (!hd_line_get(object->geometry, object->code.at, word, &inst, &why))
			hd_error(diag, pos, "word %u (0x%016llx) is no instruction: %s", word, (unsigned long long)bits, why);
		else if (hd_ops[inst.op].format == HD_F_BRANCH && !is_instruction(object, (uint32_t)inst.imm))
			hd_error(diag, pos, "word %u: the target %d is no instruction of this program", word, inst.imm);
		else if (inst.primary > object->counters || inst.wait >> object->counters)
			hd_error(diag, pos, "word %u names a fence counter beyond the %u of this program", word, object->counters);
	}
	return diag->errors == before;
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
		hd_error(diag, pos, "kernel %s wants %u registers, a thread has %d", name, kernel->registers, HD_RZ);
	if (kernel->param_bytes > HD_BANK_PRINT - HD_BANK_PARAMS)
		hd_error(diag, pos, "kernel %s has %u bytes of parameters, at most %d fit", name, kernel->param_bytes,
		         HD_BANK_PRINT - HD_BANK_PARAMS);
	else if (object->literals.n && HD_BANK_PARAMS + kernel->param_bytes > 4 * (HD_CONST_WORDS - object->literals.n))
		hd_error(diag, pos, "the parameters of kernel %s meet the literals of the program", name);
	if (kernel->shared_bytes > 1u << 24 || kernel->local_bytes > 1u << 24)
		hd_error(diag, pos, "kernel %s wants %u bytes of shared and %u of local memory, more than a window", name, kernel->shared_bytes,
		         kernel->local_bytes);
	if (kernel->priority > HD_PRIORITY_MAX || kernel->priority_step > HD_PRIORITY_MAX || kernel->priority_step < -HD_PRIORITY_MAX)
		hd_error(diag, pos, "kernel %s has the priority %u and a step of %d, expected at most %d", name, kernel->priority,
		         kernel->priority_step, HD_PRIORITY_MAX);
	for (size_t i = 0; i < kernel->params.n; i++) {
		const hd_param *param = &kernel->params.at[i];
		if (param->offset > kernel->param_bytes || kernel->param_bytes - param->offset < param->size)
			hd_error(diag, pos, "parameter %zu of kernel %s lies outside its %u bytes", i, name, kernel->param_bytes);
		if (param->space > HD_SPACE_LOCAL || param->pointer > 1 || param->type >= HD_PARAM_TYPES || (param->pointer && param->type) ||
		    (param->pointer && param->size != 8))
			hd_error(diag, pos, "parameter %zu of kernel %s has an unknown kind", i, name);
	}
	return diag->errors == before;
}

bool hd_object_validate(const hd_object *object, const char *file, hd_diag *diag)
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
	if (object->split > object->counters) {
		hd_error(diag, pos, "%u of %u fence counters for high latency, expected at least one for low", object->split - 1, object->counters);
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
	if (!validate_code(object, file, diag))
		return false;
	for (size_t i = 0; i < object->kernels.n; i++)
		validate_kernel(object, &object->kernels.at[i], file, diag);
	for (size_t i = 0; i < object->functions.n; i++) {
		const hd_function *f = &object->functions.at[i];
		if (f->begin > f->end || f->end > object->code.n || (i && f->begin < object->functions.at[i - 1].end))
			hd_error(diag, pos, "function %s covers words %u to %u, out of order or outside the code", f->name, f->begin, f->end);
	}
	for (size_t i = 0; i < object->relocs.n; i++) {
		if (object->relocs.at[i].offset > object->data.n || object->data.n - object->relocs.at[i].offset < 8)
			hd_error(diag, pos, "relocation %zu at byte %u lies outside the %zu bytes of data", i, object->relocs.at[i].offset,
			         object->data.n);
	}
	for (size_t i = 0; i < object->lines.n; i++) {
		if (object->lines.at[i].word >= object->code.n || object->lines.at[i].file >= object->files.n ||
		    (i && object->lines.at[i].word < object->lines.at[i - 1].word)) {
			hd_error(diag, pos, "entry %zu of the line table is out of order or names no file or no word", i);
			break;
		}
	}
	return diag->errors == before;
}

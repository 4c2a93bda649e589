/* Addresses of variables: shared memory for each kernel, the data segment for the whole module. */
#include "ptx/lower.h"

enum { MAX_SHARED = 1 << 24, NULL_BYTES = 16 };

static uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }

static bool any_kernel(const hd_bits *set)
{
	for (size_t i = 0; i < (set->bits + 63) / 64; i++)
		if (set->w[i])
			return true;
	return false;
}

uint32_t ptx_dynamic_shared(const ptx_lower *lw, const ptx_func *func)
{
	const hd_bits *set = &lw->func_kernels[func->index];
	uint32_t kernel = func->kernel;
	if (!func->entry)
		for (kernel = 0; kernel < lw->kernels && !hd_bits_has(set, kernel);)
			kernel++;
	return kernel < lw->kernels ? lw->shared_dynamic[kernel] : 0;
}

static bool has_shared(const ptx_lower *lw, uint32_t kernel)
{
	for (size_t v = 0; v < lw->ast->vars.n; v++)
		if (lw->ast->vars.at[v]->space == PTX_S_SHARED && hd_bits_has(&lw->var_kernels[v], kernel))
			return true;
	for (size_t f = 0; f < lw->ast->funcs.n; f++) {
		const ptx_func *func = lw->ast->funcs.at[f];
		for (size_t i = 0; func->entry && func->kernel == kernel && i < func->proto.params.n; i++)
			if (func->proto.params.at[i]->points == PTX_S_SHARED)
				return true;
	}
	return false;
}

/* The first bytes of shared memory stay empty in a kernel of OpenCL that may ask for the null pointer: otherwise what lies there would be it. Other
 * kernels keep all bytes. */
static void leave_null(ptx_lower *lw)
{
	for (uint32_t k = 0; lw->ast->opencl && k < lw->kernels; k++) {
		size_t f = 0;
		while (f < lw->ast->funcs.n && !(lw->ast->funcs.at[f]->asks_null && hd_bits_has(&lw->func_kernels[f], k)))
			f++;
		if (f < lw->ast->funcs.n && has_shared(lw, k))
			lw->shared_static[k] = NULL_BYTES;
	}
}

/* A variable has one address in all kernels that reach it, because a function's code can name only one. So the variable lies above everything that
 * any of these kernels has. Dynamic shared memory begins after the static part of each kernel; for code that several kernels share, after the
 * static parts of all of them. */
void ptx_place_shared(ptx_lower *lw)
{
	uint32_t n = lw->kernels;
	bool again = true;
	lw->shared_static = hd_xcalloc(n, sizeof(uint32_t));
	lw->shared_dynamic = hd_xcalloc(n, sizeof(uint32_t));
	bool *dynamic = hd_xcalloc(n, sizeof(bool));
	leave_null(lw);
	for (size_t v = 0; v < lw->ast->vars.n; v++) {
		ptx_var *var = lw->ast->vars.at[v];
		const hd_bits *set = &lw->var_kernels[v];
		uint64_t at = 0;
		if (var->space != PTX_S_SHARED || !any_kernel(set))
			continue;
		var->placed = true;
		for (uint32_t k = 0; k < n; k++) {
			if (hd_bits_has(set, k) && var->unsized)
				dynamic[k] = true;
			if (hd_bits_has(set, k) && lw->shared_static[k] > at)
				at = lw->shared_static[k];
		}
		if (var->unsized)
			continue;
		if (var->external)
			ptx_report(lw, var->sym.pos, "shared variable %.80s is declared .extern with a size, expected a definition or %.80s[]",
			           var->sym.name->text, var->sym.name->text);
		at = round_up(at, var->align ? var->align : 1);
		if (at + var->bytes > MAX_SHARED) {
			ptx_report(lw, var->sym.pos, "shared memory ends at %u bytes, %.80s does not fit", (unsigned)MAX_SHARED, var->sym.name->text);
			continue;
		}
		var->offset = (uint32_t)at;
		for (uint32_t k = 0; k < n; k++)
			if (hd_bits_has(set, k))
				lw->shared_static[k] = (uint32_t)(at + var->bytes);
	}
	/* Kernels that share code with a use of dynamic shared memory also share its address. */
	for (uint32_t k = 0; k < n; k++)
		lw->shared_dynamic[k] = (uint32_t)round_up(lw->shared_static[k], 16);
	while (again) {
		again = false;
		for (size_t f = 0; f < lw->ast->funcs.n; f++) {
			const ptx_func *func = lw->ast->funcs.at[f];
			const hd_bits *set = &lw->func_kernels[f];
			uint32_t at = 0;
			if (!func->dynamic || (func->entry && !lw->called[f]))
				continue;
			for (uint32_t k = 0; k < n; k++)
				if (hd_bits_has(set, k) && lw->shared_dynamic[k] > at)
					at = lw->shared_dynamic[k];
			for (uint32_t k = 0; k < n; k++)
				if (hd_bits_has(set, k) && lw->shared_dynamic[k] != at) {
					lw->shared_dynamic[k] = at;
					again = true;
				}
		}
	}
	for (uint32_t k = 0; k < n; k++)
		if (dynamic[k])
			lw->shared_static[k] = lw->shared_dynamic[k];
	free(dynamic);
}

/* -- the data segment ------------------------------------------------------------------------------------------------------------------- */

static void put(ptx_lower *lw, uint64_t offset, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		lw->ir->data.at[offset + i] = (uint8_t)(value >> (8 * i));
}

/* Eight bytes at `offset` that hold an address. */
static void put_address(ptx_lower *lw, uint64_t offset, const ptx_init *init)
{
	ptx_symbol *symbol = ptx_resolved(init->name->symbol);
	if (symbol && symbol->kind == PTX_SYM_FUNC) {
		const ptx_func *func = (const ptx_func *)symbol;
		if (!func->defined)
			ptx_report(lw, init->pos, "function %.80s is declared but not defined in this file", init->name->text);
		else if (func->ir < 0 || init->value != 0)
			ptx_report(lw, init->pos, "the address of %.80s cannot be taken here, expected a function without an addend",
			           init->name->text);
		else
			hd_vec_push(&lw->ir->code_refs, (hd_ir_code_ref){(uint32_t)offset, (uint32_t)func->ir, 8});
		return;
	}
	if (!symbol || symbol->kind != PTX_SYM_VAR) {
		ptx_report(lw, init->pos, "%.80s is not declared, expected a variable or a function", init->name->text);
		return;
	}
	const ptx_var *var = (const ptx_var *)symbol;
	if (!var->placed || (var->space != PTX_S_GLOBAL && var->space != PTX_S_CONST)) {
		ptx_report(lw, init->pos, "%.80s has no address when the module is loaded, expected a defined .global or .const variable",
		           init->name->text);
		return;
	}
	hd_vec_push(&lw->ir->relocs, (hd_reloc){(uint32_t)offset, (int64_t)(var->offset + init->value)});
}

/* Of a double that is a half: clang writes `.b16 x = 0d3FF8000000000000`. */
static uint64_t half_bits(uint64_t bits)
{
	int exponent = (int)(bits >> 52 & 2047) - 1023;
	uint64_t sign = bits >> 63 << 15, mantissa = bits >> 42 & 1023;
	if (exponent > 15)
		return sign | 31 << 10 | mantissa;
	if (exponent >= -14)
		return sign | (uint64_t)(exponent + 15) << 10 | mantissa;
	return sign | (exponent < -25 ? 0 : (1024 | mantissa) >> (-14 - exponent));
}

static uint64_t float_bits(ptx_lower *lw, const ptx_init *init, ptx_type type)
{
	double d;
	float f;
	uint32_t word;
	uint64_t bits = init->value;
	if (init->kind == PTX_I_F64 && type == PTX_F32) {
		memcpy(&d, &init->value, 8);
		f = (float)d;
		memcpy(&word, &f, 4);
		return word;
	}
	if (init->kind == PTX_I_F32 && type == PTX_F64) {
		word = (uint32_t)init->value;
		memcpy(&f, &word, 4);
		d = f;
		memcpy(&bits, &d, 8);
		return bits;
	}
	if (init->kind == PTX_I_F64 && (type == PTX_B16 || type == PTX_F16))
		return half_bits(init->value);
	if (ptx_types[type].bits != (init->kind == PTX_I_F32 ? 32 : 64))
		ptx_report(lw, init->pos, "a float value in a variable of type .%s", ptx_types[type].name);
	return bits;
}

static void fill(ptx_lower *lw, const ptx_var *var)
{
	unsigned element = ptx_types[var->type].bits / 8;
	for (size_t i = 0; i < var->init.n; i++) {
		const ptx_init *init = &var->init.at[i];
		uint64_t at = var->offset + (uint64_t)i * element;
		if (init->kind == PTX_I_SYMBOL && init->masked) {
			unsigned byte = 0;
			while (byte < 8 && i + byte < var->init.n && var->init.at[i + byte].masked && var->init.at[i + byte].name == init->name &&
			       var->init.at[i + byte].value == init->value && var->init.at[i + byte].shift == 8 * byte)
				byte++;
			if (element != 1 || byte < 8) {
				ptx_report(lw, init->pos, "a part of the address of %.80s, expected all eight bytes of it in order",
				           init->name->text);
				return;
			}
			put_address(lw, at, init);
			i += 7;
		} else if (init->kind == PTX_I_SYMBOL) {
			if (element != 8) {
				ptx_report(lw, init->pos, "the address of %.80s in a variable of type .%s, expected 64 bits", init->name->text,
				           ptx_types[var->type].name);
				return;
			}
			put_address(lw, at, init);
		} else if (init->kind == PTX_I_INT && (var->type == PTX_F32 || var->type == PTX_F64)) {
			/* A decimal integer that initialises a float stands for its value. */
			ptx_init as_double = *init;
			double d = (double)(int64_t)init->value;
			as_double.kind = PTX_I_F64;
			memcpy(&as_double.value, &d, 8);
			put(lw, at, float_bits(lw, &as_double, (ptx_type)var->type), element);
		} else {
			put(lw, at, init->kind == PTX_I_INT ? init->value : float_bits(lw, init, (ptx_type)var->type), hd_min_u32(element, 8));
		}
	}
}

/* A host program may ask for a visible variable that no kernel uses, unless the loader would have to work out its value. */
static bool is_wanted(const ptx_lower *lw, const ptx_var *var)
{
	bool visible = var->visible;
	for (size_t i = 0; i < var->init.n && visible; i++)
		visible = var->init.at[i].kind != PTX_I_SYMBOL;
	return visible || any_kernel(&lw->var_kernels[var->index]);
}

void ptx_place_data(ptx_lower *lw)
{
	uint64_t end = 0;
	for (size_t v = 0; v < lw->ast->vars.n; v++) {
		ptx_var *var = lw->ast->vars.at[v];
		if ((var->space != PTX_S_GLOBAL && var->space != PTX_S_CONST) || var->external || !is_wanted(lw, var))
			continue;
		/* libclc declares byte arrays and reads them sixteen bytes at a time. */
		uint64_t align = var->bytes >= 16 && var->align < 16 ? 16 : var->align ? var->align : 1;
		uint64_t at = round_up(end, align);
		if (var->unsized || at + var->bytes > PTX_MAX_BYTES) {
			ptx_report(lw, var->sym.pos, "%.80s %s", var->sym.name->text,
			           var->unsized ? "has no size, expected name[N]" : "does not fit the data segment any more");
			continue;
		}
		var->offset = (uint32_t)at;
		var->placed = true;
		end = at + var->bytes;
	}
	if (end) {
		free(lw->ir->data.at);
		lw->ir->data.at = hd_xcalloc(1, end);
		lw->ir->data.n = lw->ir->data.cap = end;
	}
	for (size_t v = 0; v < lw->ast->vars.n; v++) {
		const ptx_var *var = lw->ast->vars.at[v];
		if (var->placed && (var->space == PTX_S_GLOBAL || var->space == PTX_S_CONST))
			fill(lw, var);
		if (var->placed && var->visible && (var->space == PTX_S_GLOBAL || var->space == PTX_S_CONST)) {
			const char *name = hd_arena_strndup(&lw->ir->arena, var->sym.name->text, var->sym.name->length);
			hd_vec_push(&lw->ir->variables, (hd_variable){(char *)name, var->offset, (uint32_t)var->bytes, var->managed});
		}
	}
}

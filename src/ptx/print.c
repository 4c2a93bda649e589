/* printf of OpenCL C: clang emits a call of that name with the actual arguments. The call becomes a record in the launch's print buffer
 * (api/print.h): an atomic addition reserves the bytes, stores fill them. A record without room goes to the place behind the buffer that nobody
 * reads, so that the code needs no branch; the result is then -1. */
#include "ptx/lower.h"

enum { ARGUMENTS_MAX = 64 };

static uint32_t padded(uint64_t bytes, uint32_t to) { return (uint32_t)((bytes + to - 1) / to * to); }

static void store(ptx_fn *fn, hd_opd base, uint32_t at, hd_opd value)
{
	hd_ir_inst *inst = ptx_emit(fn, HD_OP_STG, 0, 2);
	inst->sub = value.words == 2 ? HD_SIZE_64 : HD_SIZE_32;
	inst->s[0] = base;
	inst->s[1] = value;
	inst->offset = (int32_t)at;
}

static hd_opd from_bank(ptx_fn *fn, uint32_t at)
{
	hd_opd value = ptx_temp(fn, 2);
	hd_ir_inst *inst = ptx_emit1(fn, HD_OP_LDC, value, ptx_imm(0));
	inst->sub = HD_SIZE_64;
	inst->offset = (int32_t)at;
	return value;
}

/* Word `word` of an argument: from its register, or from the frame for a large argument. */
static hd_opd word_of(ptx_fn *fn, const ptx_var *var, uint32_t word)
{
	if (var->home->kind == PTX_HOME_WORDS)
		return var->bytes == 8 ? hd_opd_sub(var->home->reg, word, 1) : hd_opd_reg(var->home->reg + word, 1);
	hd_opd value = ptx_temp(fn, 1);
	ptx_emit1(fn, HD_OP_LDL, value, (hd_opd){.kind = HD_OPD_FRAME, .words = 1, .imm = var->home->at + 4 * word})->sub = HD_SIZE_32;
	return value;
}

static const ptx_var *usable(const ptx_opd *opd)
{
	const ptx_symbol *symbol = opd->kind == PTX_O_SYMBOL ? opd->sym : NULL;
	const ptx_var *var = symbol && symbol->kind == PTX_SYM_VAR ? (const ptx_var *)symbol : NULL;
	bool ok = var && var->space == PTX_S_PARAM && var->home && (var->home->kind == PTX_HOME_WORDS || var->home->kind == PTX_HOME_FRAME);
	return ok && var->bytes && var->bytes <= 128 ? var : NULL;
}

void ptx_print(ptx_fn *fn, const ptx_opd *results, const ptx_opd *arguments)
{
	const ptx_var *vars[ARGUMENTS_MAX], *result = results && results->n == 1 ? usable(&results->list[0]) : NULL;
	unsigned n = arguments ? arguments->n : 0;
	if (n < 1 || n > ARGUMENTS_MAX || !result || result->bytes != 4 || result->home->kind != PTX_HOME_WORDS) {
		ptx_wrong(fn, fn->pos, "printf has a result of 4 bytes and 1 to %d arguments, the first of them its format", ARGUMENTS_MAX);
		return;
	}
	uint32_t bytes = HD_PRINT_HEAD + padded(n - 1, 4);
	for (unsigned i = 0; i < n; i++) {
		vars[i] = usable(&arguments->list[i]);
		if (!vars[i] || (i == 0 && vars[i]->bytes != 8)) {
			ptx_wrong(fn, arguments->list[i].pos, "expected a .param variable of this function, %s",
			          i ? "of at most 128 bytes" : "of 8 bytes: the format's address");
			return;
		}
		bytes += i ? padded(vars[i]->bytes, 4) : 0;
	}
	bytes = padded(bytes, 8);
	if (bytes > HD_PRINT_RECORD_MAX) {
		ptx_wrong(fn, fn->pos, "printf with %u bytes of arguments, expected at most %d", bytes, HD_PRINT_RECORD_MAX);
		return;
	}
	hd_opd buffer = from_bank(fn, HD_BANK_PRINT), room = from_bank(fn, HD_BANK_PRINT + 8), begin = ptx_temp(fn, 2), at = ptx_temp(fn, 2);
	ptx_emit2(fn, HD_OP_ATOMG, begin, buffer, ptx_imm64(bytes))->sub = HD_ATOM_ADD | HD_ATOM_U64 << 4;
	hd_opd end = ptx_make2(fn, HD_OP_IADD64, 2, begin, ptx_imm64(bytes));
	hd_opd fits = ptx_compare(fn, HD_OP_ISETP64, HD_CMP_LS, end, room);
	ptx_select(fn, at, begin, room, fits);
	hd_opd base = ptx_make2(fn, HD_OP_IADD64, 2, buffer, at);
	uint32_t next = HD_PRINT_BEGIN;
	store(fn, base, next, ptx_imm(bytes));
	store(fn, base, next + 4, ptx_imm(n - 1));
	store(fn, base, next + 8, hd_opd_reg(vars[0]->home->reg, 2));
	next += HD_PRINT_HEAD;
	for (unsigned i = 1; i < n; i += 4, next += 4) {
		uint32_t sizes = 0;
		for (unsigned k = 0; k < 4 && i + k < n; k++)
			sizes |= (uint32_t)vars[i + k]->bytes << (8 * k);
		store(fn, base, next, ptx_imm(sizes));
	}
	for (unsigned i = 1; i < n; i++)
		for (uint32_t word = 0; word < padded(vars[i]->bytes, 4) / 4; word++, next += 4)
			store(fn, base, next, word_of(fn, vars[i], word));
	ptx_select(fn, hd_opd_reg(result->home->reg, 1), ptx_imm(0), ptx_imm(UINT32_MAX), fits);
}

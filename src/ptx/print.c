/* printf of OpenCL C: clang emits a call of that name with the address of the format and with what is stored to the arguments: one variable for each,
 * or one that packs all of them. The call becomes a record in the launch's print buffer (api/print.h): an atomic addition reserves the bytes, stores
 * fill them. A record without room goes to the place behind the buffer that nobody reads, so that the code needs no branch; the result is then -1. */
#include "ptx/lower.h"

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

void ptx_print_argument(ptx_fn *fn, const ptx_var *var, uint64_t byte, ptx_type type, hd_opd value)
{
	uint64_t begin = 0;
	for (size_t i = 0; i < fn->printed.n; i++)
		begin += fn->printed.at[i].var == var ? fn->printed.at[i].bytes : 0;
	if (byte != begin) {
		ptx_wrong(fn, fn->pos, "expected stores to %.80s from its beginning on, without gaps: it is an argument of printf",
		          var->sym.name->text);
		return;
	}
	hd_opd kept = ptx_temp(fn, ptx_words(type));
	ptx_move(fn, kept, value);
	hd_vec_push(&fn->printed, (ptx_printed){var, ptx_bits(type) / 8, kept});
}

/* Arguments of the call, in their order: what was stored to all of them. False and an error if something is missing. */
static bool take_arguments(ptx_fn *fn, const ptx_opd *arguments, ptx_printed *list, size_t *n)
{
	*n = 0;
	for (unsigned i = 0; i < arguments->n; i++) {
		const ptx_opd *opd = &arguments->list[i];
		const ptx_symbol *symbol = opd->kind == PTX_O_SYMBOL ? opd->sym : NULL;
		const ptx_var *var = symbol && symbol->kind == PTX_SYM_VAR ? (const ptx_var *)symbol : NULL;
		uint64_t bytes = 0;
		for (size_t k = 0; var && k < fn->printed.n; k++) {
			if (fn->printed.at[k].var != var)
				continue;
			bytes += fn->printed.at[k].bytes;
			list[(*n)++] = fn->printed.at[k];
		}
		if (!bytes || bytes != var->bytes || (i == 0 && (*n != 1 || bytes != 8))) {
			ptx_wrong(fn, opd->pos, "expected a .param variable of this function%s, whose bytes were all stored",
			          i ? "" : " of 8 bytes, the format's address");
			return false;
		}
	}
	return true;
}

static void put_record(ptx_fn *fn, hd_opd base, uint32_t bytes, const ptx_printed *list, size_t n)
{
	uint32_t next = HD_PRINT_BEGIN;
	store(fn, base, next, ptx_imm(bytes));
	store(fn, base, next + 4, ptx_imm((uint32_t)n - 1));
	store(fn, base, next + 8, list[0].value);
	next += HD_PRINT_HEAD;
	for (size_t i = 1; i < n; i += 4, next += 4) {
		uint32_t sizes = 0;
		for (size_t k = 0; k < 4 && i + k < n; k++)
			sizes |= list[i + k].bytes << (8 * k);
		store(fn, base, next, ptx_imm(sizes));
	}
	for (size_t i = 1; i < n; i++)
		for (uint32_t word = 0; word < list[i].value.words; word++, next += 4)
			store(fn, base, next, list[i].value.words > 1 ? ptx_part(list[i].value, word, 1) : list[i].value);
}

void ptx_print(ptx_fn *fn, const ptx_opd *results, const ptx_opd *arguments)
{
	const ptx_symbol *symbol = results && results->n == 1 && results->list[0].kind == PTX_O_SYMBOL ? results->list[0].sym : NULL;
	const ptx_var *result = symbol && symbol->kind == PTX_SYM_VAR ? (const ptx_var *)symbol : NULL;
	if (!arguments || !arguments->n || !result || result->bytes != 4 || !result->home || result->home->kind != PTX_HOME_WORDS) {
		ptx_wrong(fn, fn->pos, "printf has a result of 4 bytes and 1 argument or more, the first of them its format");
		return;
	}
	size_t n;
	ptx_printed *list = hd_xcalloc((fn->printed.n + 1) * arguments->n, sizeof *list);
	if (!take_arguments(fn, arguments, list, &n)) {
		free(list);
		return;
	}
	uint32_t bytes = HD_PRINT_HEAD + padded(n - 1, 4);
	for (size_t i = 1; i < n; i++)
		bytes += 4 * list[i].value.words;
	bytes = padded(bytes, 8);
	if (bytes > HD_PRINT_RECORD_MAX) {
		ptx_wrong(fn, fn->pos, "printf with %u bytes of arguments, expected at most %d", bytes, HD_PRINT_RECORD_MAX);
		free(list);
		return;
	}
	hd_opd buffer = from_bank(fn, HD_BANK_PRINT), room = from_bank(fn, HD_BANK_PRINT + 8), begin = ptx_temp(fn, 2), at = ptx_temp(fn, 2);
	ptx_emit2(fn, HD_OP_ATOMG, begin, buffer, ptx_imm64(bytes))->sub = HD_ATOM_ADD | HD_ATOM_U64 << 4;
	hd_opd end = ptx_make2(fn, HD_OP_IADD64, 2, begin, ptx_imm64(bytes));
	hd_opd fits = ptx_compare(fn, HD_OP_ISETP64, HD_CMP_LS, end, room);
	ptx_select(fn, at, begin, room, fits);
	put_record(fn, ptx_make2(fn, HD_OP_IADD64, 2, buffer, at), bytes, list, n);
	ptx_select(fn, hd_opd_reg(result->home->reg, 1), ptx_imm(0), ptx_imm(UINT32_MAX), fits);
	fn->printed.n = 0;
	free(list);
}

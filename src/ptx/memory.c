/* Loads, stores, fences. Parameters are in param.c, atomics in atomic.c. */
#include "ptx/lower.h"

#define ACCESSIBLE                                                                                                                              \
	(PTX_SET_BITS | PTX_SET(B8) | PTX_SET(U8) | PTX_SET(S8) | PTX_SET(B128) | PTX_SET_INT | PTX_SET_FLOAT | PTX_SET(F16) | PTX_SET(F16X2) | \
	 PTX_SET(BF16) | PTX_SET(BF16X2))

ptx_space ptx_space_suffix(ptx_fn *fn)
{
	bool global = ptx_mod_used(fn, PTX_M_GLOBAL), constant = ptx_mod_used(fn, PTX_M_CONST), shared = ptx_mod_used(fn, PTX_M_SHARED);
	bool local = ptx_mod_used(fn, PTX_M_LOCAL), param = ptx_mod_used(fn, PTX_M_PARAM);
	if (global + constant + shared + local + param > 1)
		ptx_wrong(fn, fn->pos, "more than one state space");
	return global ? PTX_S_GLOBAL : constant ? PTX_S_CONST : shared ? PTX_S_SHARED : local ? PTX_S_LOCAL : param ? PTX_S_PARAM : PTX_S_NONE;
}

static const char *space_name(ptx_space space)
{
	static const char *const names[] = {"generic", "register", ".global", ".shared", ".const", ".local", ".param"};
	return names[space];
}

/* -- addresses ------------------------------------------------------------------------------------------------------------------------- */

bool ptx_address(ptx_fn *fn, const ptx_opd *opd, ptx_space *space, bool offsets, hd_opd *base, int32_t *offset)
{
	int64_t rest = (int64_t)opd->imm;
	ptx_symbol *symbol = opd->kind == PTX_O_ADDRESS && opd->n == 1 ? ptx_symbol_of(&opd->list[0]) : NULL;
	bool wide;
	*offset = 0;
	if (opd->kind != PTX_O_ADDRESS || opd->n > 1) {
		ptx_wrong(fn, opd->pos, "expected an address in brackets");
		return false;
	}
	if (symbol && symbol->kind == PTX_SYM_VAR) {
		const ptx_var *var = (const ptx_var *)symbol;
		ptx_space own = var->space == PTX_S_CONST || var->space == PTX_S_GLOBAL ? PTX_S_GLOBAL : (ptx_space)var->space;
		ptx_space asked = *space == PTX_S_CONST ? PTX_S_GLOBAL : *space;
		if (asked != PTX_S_NONE && asked != own) {
			ptx_wrong(fn, opd->list[0].pos, "%.80s is a %s variable, expected a %s one", var->sym.name->text,
			          space_name((ptx_space)var->space), space_name(*space));
			return false;
		}
		*space = own;
	}
	wide = *space == PTX_S_NONE || *space == PTX_S_GLOBAL || *space == PTX_S_CONST;
	if (opd->n == 0) {
		*base = wide ? ptx_imm64((uint64_t)rest) : ptx_imm((uint32_t)rest);
		rest = 0;
	} else if (symbol && symbol->kind == PTX_SYM_REG) {
		ptx_type declared;
		if (!ptx_register(fn, &opd->list[0], base, &declared))
			return false;
		if (base->kind != HD_OPD_REG || base->words == 4 || (wide && base->words != 2)) {
			ptx_wrong(fn, opd->list[0].pos, "%.80s cannot hold an address here, expected 64 bits", opd->list[0].name->text);
			return false;
		}
		if (!wide)
			*base = ptx_part(*base, 0, 1);
	} else if (symbol && symbol->kind == PTX_SYM_VAR && *space == PTX_S_LOCAL && symbol->depth) {
		if (!ptx_frame_operand(fn, opd->pos, (ptx_var *)symbol, (uint64_t)rest, base))
			return false;
		rest = 0;
	} else if (symbol && symbol->kind == PTX_SYM_VAR && *space == PTX_S_GLOBAL && ((ptx_var *)symbol)->placed &&
	           (int64_t)((ptx_var *)symbol)->offset + rest == (int16_t)(((ptx_var *)symbol)->offset + rest)) {
		/* A place near the beginning of the data segment is relative to the segment's address in the constant bank. */
		*base = hd_opd_const(HD_BANK_DATA, 2);
		rest += ((ptx_var *)symbol)->offset;
	} else {
		*base = ptx_address_of(fn, &opd->list[0]);
		if (fn->bad)
			return false;
		if (!wide)
			*base = ptx_part(*base, 0, 1);
	}
	if (base->kind == HD_OPD_IMM) {
		base->imm = wide ? base->imm + (uint64_t)rest : (uint32_t)(base->imm + (uint64_t)rest);
		rest = 0;
	}
	if (rest != (int16_t)rest || (rest && !offsets)) {
		*base = wide ? ptx_make2(fn, HD_OP_IADD64, 2, *base, ptx_imm64((uint64_t)rest))
		             : ptx_make2(fn, HD_OP_IADD, 1, *base, ptx_imm((uint32_t)rest));
		rest = 0;
	}
	*offset = (int32_t)rest;
	return true;
}

/* -- loads and stores of vectors --------------------------------------------------------------------------------------------------------- */

static unsigned size_of(ptx_type type, unsigned bytes)
{
	switch (bytes) {
	case 1:
		return ptx_signed(type) ? HD_SIZE_S8 : HD_SIZE_U8;
	case 2:
		return ptx_signed(type) ? HD_SIZE_S16 : HD_SIZE_U16;
	case 4:
		return HD_SIZE_32;
	case 8:
		return HD_SIZE_64;
	default:
		return HD_SIZE_128;
	}
}

static const ptx_opd *element(const ptx_opd *opd, unsigned lanes, unsigned i) { return lanes == 1 ? opd : &opd->list[i]; }

static bool vector_fits(ptx_fn *fn, const ptx_opd *opd, unsigned lanes)
{
	if (lanes == 1 ? opd->kind != PTX_O_VECTOR : opd->kind == PTX_O_VECTOR && opd->n == lanes)
		return true;
	ptx_wrong(fn, opd->pos, lanes == 1 ? "a vector without .v2 or .v4" : "expected a vector of %u elements", lanes);
	return false;
}

/* A plain scalar register of the loaded width can be the destination itself. */
static bool direct(ptx_fn *fn, const ptx_opd *into, ptx_type type, hd_opd *d)
{
	ptx_type declared;
	if (into->kind == PTX_O_SINK) {
		*d = ptx_none();
		return true;
	}
	return ptx_register(fn, into, d, &declared) && declared != PTX_PRED && d->words == ptx_words(type);
}

void ptx_load(ptx_fn *fn, const ptx_access *access, const ptx_opd *into, ptx_type type, unsigned lanes)
{
	unsigned bytes = ptx_bits(type) / 8, at = 0;
	hd_opd base = access->base;
	if (!vector_fits(fn, into, lanes))
		return;
	if (lanes * bytes > 16 && base.kind == HD_OPD_REG) {
		/* The first part may overwrite the register of the address. */
		base = ptx_temp(fn, access->base.words);
		ptx_move(fn, base, access->base);
	}
	while (at < lanes && !fn->bad) {
		/* Transfers as many elements at once as fit 16 bytes. */
		unsigned n = lanes - at;
		while (n * bytes > 16)
			n /= 2;
		hd_ir_inst *inst = ptx_emit(fn, access->op, 1, 1);
		inst->mod = access->mod;
		inst->s[0] = base;
		inst->offset = access->offset + (int32_t)(at * bytes);
		inst->sub = (uint8_t)(n == 1 ? size_of(type, bytes) : size_of(PTX_B8, n * bytes));
		if (n == 1 && direct(fn, element(into, lanes, at), type, &inst->d[0])) {
			at++;
			continue;
		}
		hd_opd all = ptx_temp(fn, n * bytes > 8 ? 4 : n * bytes > 4 ? 2 : 1);
		inst->d[0] = all;
		for (unsigned i = 0; i < n && !fn->bad; i++) {
			unsigned position = i * bytes;
			hd_opd part = all;
			if (bytes >= 4)
				part = ptx_part(all, position / 4, bytes / 4);
			else if (n > 1)
				part = ptx_extract(fn, all.words == 1 ? all : ptx_part(all, position / 4, 1), position % 4 * 8, bytes * 8,
				                   ptx_signed(type));
			ptx_store_wide(fn, element(into, lanes, at + i), part, type, true);
		}
		at += n;
	}
}

/* The low part of a source register that may be wider than the type. */
static hd_opd stored(ptx_fn *fn, const ptx_opd *opd, ptx_type type)
{
	ptx_type declared;
	hd_opd reg;
	if (opd->kind == PTX_O_REG && ptx_register(fn, opd, &reg, &declared) && declared != PTX_PRED && reg.words > ptx_words(type))
		return ptx_part(reg, 0, ptx_words(type));
	return ptx_source(fn, opd, type);
}

/* How many elements from `at` on one store writes: a power of two at its own alignment, of 16 bytes at most, without a sink. */
static unsigned stored_at_once(const ptx_opd *from, unsigned lanes, unsigned at, unsigned bytes)
{
	unsigned n = at ? at & -at : lanes, clear = 0;
	while (at + clear < lanes && element(from, lanes, at + clear)->kind != PTX_O_SINK)
		clear++;
	while (n * bytes > 16 || n > clear)
		n /= 2;
	return n;
}

void ptx_store(ptx_fn *fn, const ptx_access *access, const ptx_opd *from, ptx_type type, unsigned lanes)
{
	unsigned bytes = ptx_bits(type) / 8, at = 0;
	if (!vector_fits(fn, from, lanes))
		return;
	while (at < lanes) {
		unsigned n = stored_at_once(from, lanes, at, bytes);
		hd_opd value, word = {0};
		if (n == 0) { /* a sink: its bytes stay as they are */
			at++;
			continue;
		}
		if (n == 1) {
			value = stored(fn, element(from, lanes, at), type);
		} else {
			value = ptx_temp(fn, n * bytes > 8 ? 4 : n * bytes > 4 ? 2 : 1);
			for (unsigned i = 0; i < n; i++) {
				unsigned position = i * bytes;
				hd_opd part = value.words == 1 ? value : ptx_part(value, position / 4, hd_max_u32(bytes / 4, 1));
				hd_opd x = stored(fn, element(from, lanes, at + i), type);
				if (fn->bad)
					return;
				if (bytes >= 4) {
					ptx_move(fn, part, x);
					continue;
				}
				x = ptx_extend(fn, x, bytes == 1 ? PTX_U8 : PTX_U16);
				if (position % 4)
					x = ptx_make2(fn, HD_OP_SHL, 1, x, ptx_imm(position % 4 * 8));
				word = position % 4 ? ptx_make2(fn, HD_OP_OR, 1, word, x) : x;
				if ((position + bytes) % 4 == 0 || i + 1 == n)
					ptx_move(fn, part, word);
			}
		}
		hd_ir_inst *inst = ptx_emit(fn, access->op, 0, 2);
		inst->mod = access->mod;
		inst->s[0] = access->base;
		inst->s[1] = value;
		inst->offset = access->offset + (int32_t)(at * bytes);
		inst->sub = (uint8_t)size_of(PTX_B8, n * bytes);
		at += n;
	}
}

/* -- ordering and caches ------------------------------------------------------------------------------------------------------------------ */

void ptx_order(ptx_fn *fn, unsigned scope)
{
	ptx_emit(fn, HD_OP_MEMBAR, 0, 0);
	hd_ir_block *block = fn->f->blocks.at[fn->block];
	block->insts.at[block->insts.n - 1]->sub = (uint8_t)scope;
}

/* 0 CTA, 1 device, 2 system, in the encoding of MEMBAR; `otherwise` without a suffix */
static unsigned take_scope(ptx_fn *fn, unsigned otherwise)
{
	bool cta = ptx_mod_used(fn, PTX_M_CTA), cluster = ptx_mod_used(fn, PTX_M_CLUSTER), gpu = ptx_mod_used(fn, PTX_M_GPU);
	bool gl = ptx_mod_used(fn, PTX_M_GL), sys = ptx_mod_used(fn, PTX_M_SYS);
	return cta ? 0 : cluster || gpu || gl ? 1 : sys ? 2 : otherwise;
}

ptx_ordering ptx_take_ordering(ptx_fn *fn)
{
	ptx_ordering o = {.mod = HD_CACHE_ALL};
	bool is_volatile = ptx_mod_used(fn, PTX_M_VOLATILE), relaxed = ptx_mod_used(fn, PTX_M_RELAXED), both = ptx_mod_used(fn, PTX_M_ACQ_REL);
	o.acquire = ptx_mod_used(fn, PTX_M_ACQUIRE) || both;
	o.release = ptx_mod_used(fn, PTX_M_RELEASE) || both;
	o.scope = take_scope(fn, 1);
	(void)ptx_mod_used(fn, PTX_M_WEAK);
	(void)ptx_mod_used(fn, PTX_M_CA);
	(void)ptx_mod_used(fn, PTX_M_WB);
	(void)ptx_mod_used(fn, PTX_M_NC);
	(void)ptx_mod_used(fn, PTX_M_UNIFIED);
	(void)ptx_mod_used(fn, PTX_M_L1);
	(void)ptx_mod_used(fn, PTX_M_L2);
	if (ptx_mod_used(fn, PTX_M_CG))
		o.mod = HD_CACHE_GLOBAL;
	if (ptx_mod_used(fn, PTX_M_CS) || ptx_mod_used(fn, PTX_M_LU))
		o.mod = HD_CACHE_STREAM;
	if (is_volatile || ptx_mod_used(fn, PTX_M_CV) || ptx_mod_used(fn, PTX_M_WT))
		o.mod = HD_CACHE_VOLATILE;
	/* Stores of other CTAs are visible only beyond the L1. In the scope of a CTA the L1 would do, but these accesses keep their order, too. */
	if (relaxed || o.acquire || o.release)
		o.mod = HD_CACHE_VOLATILE;
	return o;
}

/* Shared memory has no cache. There the mark of a volatile access says only that it keeps its order. */
static uint8_t cache_of(ptx_space space, uint8_t mod)
{
	bool cached = space != PTX_S_SHARED && space != PTX_S_LOCAL;
	return cached || (space == PTX_S_SHARED && mod == HD_CACHE_VOLATILE) ? mod : HD_CACHE_ALL;
}

unsigned ptx_take_lanes(ptx_fn *fn) { return ptx_mod_used(fn, PTX_M_V2) ? 2 : ptx_mod_used(fn, PTX_M_V4) ? 4 : ptx_mod_used(fn, PTX_M_V8) ? 8 : 1; }

static void do_load(ptx_fn *fn, const ptx_inst *inst, bool uniform)
{
	ptx_space space = ptx_space_suffix(fn);
	ptx_ordering o = ptx_take_ordering(fn);
	unsigned lanes = ptx_take_lanes(fn);
	ptx_type type = ptx_type_at(fn, 0, ACCESSIBLE);
	ptx_access access = {.mod = o.mod};
	/* PD-37: a uniform load reads what nothing writes during the launch, as a load of a constant does. */
	bool constant = space == PTX_S_CONST || (space == PTX_S_GLOBAL && uniform);
	if (inst->nopds > 2) {
		ptx_wrong(fn, inst->opds[2].pos, "a cache policy is not supported, expected two operands");
		return;
	}
	if (fn->bad)
		return;
	if (space == PTX_S_PARAM) {
		ptx_load_param(fn, inst, type, lanes);
		return;
	}
	if (!ptx_address(fn, &inst->opds[1], &space, true, &access.base, &access.offset))
		return;
	access.op = (uint16_t)(constant ? HD_OP_LDK : ptx_row_of(space, HD_OP_LD, HD_OP_LDG, HD_OP_LDS, HD_OP_LDL));
	access.mod = cache_of(space, o.mod);
	ptx_load(fn, &access, &inst->opds[0], type, lanes);
	if (o.acquire)
		ptx_order(fn, o.scope);
}

void ptx_do_ld(ptx_fn *fn, const ptx_inst *inst) { do_load(fn, inst, false); }
void ptx_do_ldu(ptx_fn *fn, const ptx_inst *inst) { do_load(fn, inst, true); }

void ptx_do_st(ptx_fn *fn, const ptx_inst *inst)
{
	ptx_space space = ptx_space_suffix(fn);
	ptx_ordering o = ptx_take_ordering(fn);
	unsigned lanes = ptx_take_lanes(fn);
	ptx_type type = ptx_type_at(fn, 0, ACCESSIBLE);
	ptx_access access = {.mod = o.mod};
	if (inst->nopds > 2) {
		ptx_wrong(fn, inst->opds[2].pos, "a cache policy is not supported, expected two operands");
		return;
	}
	if (fn->bad)
		return;
	if (space == PTX_S_PARAM) {
		ptx_store_param(fn, inst, type, lanes);
		return;
	}
	if (space == PTX_S_CONST) {
		ptx_wrong(fn, fn->pos, "constant memory cannot be stored to");
		return;
	}
	if (o.release)
		ptx_order(fn, o.scope);
	if (!ptx_address(fn, &inst->opds[0], &space, true, &access.base, &access.offset))
		return;
	access.op = (uint16_t)ptx_row_of(space, HD_OP_ST, HD_OP_STG, HD_OP_STS, HD_OP_STL);
	access.mod = cache_of(space, o.mod);
	ptx_store(fn, &access, &inst->opds[1], type, lanes);
}

void ptx_do_fence(ptx_fn *fn, const ptx_inst *inst)
{
	(void)inst;
	(void)ptx_mod_used(fn, PTX_M_SC);
	(void)ptx_mod_used(fn, PTX_M_ACQ_REL);
	(void)ptx_mod_used(fn, PTX_M_ACQUIRE);
	(void)ptx_mod_used(fn, PTX_M_RELEASE);
	ptx_order(fn, take_scope(fn, 2));
}

/* heddle.setprio level (docs/predecode.md) */
static void set_priority(ptx_fn *fn, const ptx_inst *inst)
{
	const ptx_opd *level = inst->opds; /* NULL without operands */
	if (inst->nopds != 1 || level->kind != PTX_O_INT || level->imm > 15)
		ptx_wrong(fn, fn->pos, "expected heddle.setprio with a constant from 0 to 15");
	else
		ptx_emit(fn, HD_OP_SETPRIO, 0, 0)->offset = (int32_t)level->imm;
}

/* heddle.join (docs/grids.md): a barrier of the CTA that waits for its child grids, too. It is barrier 0, as the one of OpenCL C and CUDA is.
 * heddle.join a, b: barrier a, for b threads. */
static void join(ptx_fn *fn, const ptx_inst *inst)
{
	const ptx_opd *number = inst->opds; /* NULL without operands */
	if (inst->nopds && (inst->nopds != 2 || number->kind != PTX_O_INT || number->imm > 15)) {
		ptx_wrong(fn, fn->pos, "expected heddle.join, alone or with a constant from 0 to 15 and a number of threads");
		return;
	}
	hd_opd threads = inst->nopds ? ptx_source(fn, &inst->opds[1], PTX_U32) : ptx_none();
	hd_ir_inst *emitted = ptx_emit(fn, HD_OP_BAR, 0, 1);
	emitted->mod = HD_BAR_JOIN;
	emitted->offset = inst->nopds ? (int32_t)number->imm : 0;
	emitted->s[0] = threads;
}

/* Heddle's own: heddle.launch.b32 d, [a]; heddle.push.b64 d, queue, value; heddle.join (docs/grids.md); heddle.setprio; heddle.events n,
 * for the race detector; the operations of steps.c. */
void ptx_do_heddle(ptx_fn *fn, const ptx_inst *inst)
{
	if (ptx_do_steps(fn, inst))
		return;
	if (ptx_mod_used(fn, PTX_M_SETPRIO)) {
		set_priority(fn, inst);
		return;
	}
	if (ptx_mod_used(fn, PTX_M_JOIN)) {
		join(fn, inst);
		return;
	}
	if (inst->nopds == 1 && ptx_mod_used(fn, PTX_M_EVENTS)) {
		ptx_emit1(fn, HD_IR_EVENTS, ptx_none(), ptx_source(fn, inst->opds, PTX_U32))->nd = 0;
		return;
	}
	bool launch = ptx_mod_used(fn, PTX_M_LAUNCH), push = ptx_mod_used(fn, PTX_M_PUSH);
	ptx_type_at(fn, 0, launch ? PTX_SET(B32) : PTX_SET(B64));
	if (launch == push || inst->nopds != (launch ? 2 : 3)) {
		ptx_wrong(fn, fn->pos, "expected heddle.launch.b32 with two operands or heddle.push.b64 with three");
		return;
	}
	ptx_space space = PTX_S_NONE;
	int32_t offset;
	hd_opd a;
	if (push) {
		a = ptx_source(fn, &inst->opds[1], PTX_U32);
		hd_opd b = ptx_source(fn, &inst->opds[2], PTX_U64);
		ptx_emit2(fn, HD_OP_QPUSH, ptx_dest(fn, &inst->opds[0], PTX_B32), a, b);
	} else if (ptx_address(fn, &inst->opds[1], &space, false, &a, &offset)) {
		ptx_emit1(fn, HD_OP_LAUNCH, ptx_dest(fn, &inst->opds[0], PTX_B32), a);
	}
}

/* Memory: lanes in ascending order within an instruction, instructions in the order of the program. */
#include "sm/half.h"
#include "sm/state.h"

typedef struct access {
	unsigned bytes;
	bool store;
	uint64_t address[HD_LANES];
	uint8_t *at[HD_LANES];
} access;

/* Address `which` of the instruction, for each lane. */
static void addresses(const hd_sm_warp *w, const hd_sass_value *v, uint16_t space, uint64_t address[HD_LANES])
{
	bool small = space & (HD_SASS_SHARED | HD_SASS_LOCAL) && !(space & HD_SASS_GENERIC);
	const hd_vec32 *a = &w->r[v->reg];
	uint64_t uniform = 0;
	if (v->has_uniform && !v->descriptor)
		uniform = w->u[v->uniform_reg].v[0] | (small ? 0 : (uint64_t)w->u[v->uniform_reg + 1].v[0] << 32);
	for (unsigned i = 0; i < HD_LANES; i++) {
		uint64_t value = a[0].v[i];
		if (v->wide && v->reg != HD_SASS_RZ)
			value |= (uint64_t)a[1].v[i] << 32;
		value = (value << v->scale) + uniform + (uint64_t)v->number;
		address[i] = small ? (uint32_t)value : value;
	}
}

static bool fault(hd_sm_machine *m, hd_sm_warp *w, const access *x, hd_trap_kind kind, unsigned lane)
{
	m->trap->address = x->address[lane];
	m->trap->bytes = x->bytes;
	m->trap->store = x->store;
	m->trap->shared = m->shared_bytes;
	m->trap->local = m->local_bytes;
	return hd_sm_fault(m, w, kind, lane);
}

/* The bytes of a lane; NULL: there are none. */
static uint8_t *locate(hd_sm_machine *m, const hd_sm_warp *w, const access *x, uint16_t space, unsigned lane)
{
	uint64_t address = x->address[lane];
	if (space & HD_SASS_GENERIC) {
		hd_space window = hd_window(address);
		space = window == HD_SPACE_SHARED ? HD_SASS_SHARED : window == HD_SPACE_LOCAL ? HD_SASS_LOCAL : HD_SASS_GLOBAL;
		address -= space == HD_SASS_SHARED ? HD_WINDOW_SHARED : space == HD_SASS_LOCAL ? HD_WINDOW_LOCAL : 0;
	}
	if (space == HD_SASS_SHARED)
		return address + x->bytes <= m->shared_bytes ? m->shared + address : NULL;
	if (space == HD_SASS_LOCAL)
		return address + x->bytes <= m->local_bytes ? w->local + (size_t)lane * m->local_bytes + address : NULL;
	return hd_memory_at_with(m->memory, &m->hits, address, x->bytes);
}

static bool locate_all(hd_sm_machine *m, hd_sm_warp *w, access *x, uint16_t space, uint32_t mask)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (x->address[lane] & (x->bytes - 1))
			return fault(m, w, x, HD_TRAP_ALIGNMENT, lane);
		x->at[lane] = locate(m, w, x, space, lane);
		if (!x->at[lane]) {
			/* The trap's text tells windows by the address. */
			if (space == HD_SASS_SHARED)
				x->address[lane] += HD_WINDOW_SHARED;
			else if (space == HD_SASS_LOCAL)
				x->address[lane] += HD_WINDOW_LOCAL;
			return fault(m, w, x, HD_TRAP_ADDRESS, lane);
		}
	}
	return true;
}

static void count(hd_sm_machine *m, uint16_t space, bool store, bool atomic)
{
	if (space & HD_SASS_SHARED)
		m->stats->memory_shared_accesses++;
	else if (space & HD_SASS_LOCAL)
		m->stats->memory_local_accesses++;
	else if (atomic)
		m->stats->memory_global_atomics++;
	else if (store)
		m->stats->memory_global_stores++;
	else
		m->stats->memory_global_loads++;
}

static bool load(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	access x = {.bytes = hd_size_bytes(op->m[0])};
	hd_vec32 d[4];
	addresses(w, &op->memory[0], op->space, x.address);
	if (!locate_all(m, w, &x, op->space, mask))
		return false;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4] = {0};
		hd_load_lane(x.at[lane], op->m[0], word);
		for (unsigned k = 0; k < op->words && k < 4; k++)
			d[k].v[lane] = word[k];
	}
	hd_sm_write(w, op, mask, d);
	return true;
}

static bool store(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	access x = {.bytes = hd_size_bytes(op->m[0]), .store = true};
	addresses(w, &op->memory[0], op->space, x.address);
	if (!locate_all(m, w, &x, op->space, mask))
		return false;
	bool zero = op->source[0].reg == HD_SASS_RZ;
	const hd_vec32 *s = &w->r[op->source[0].reg];
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4] = {0};
		for (unsigned k = 0; !zero && k < op->source[0].words && k < 4; k++)
			word[k] = s[k].v[lane];
		hd_store_lane(x.at[lane], op->m[0], word);
	}
	return true;
}

/* -- constant banks -------------------------------------------------------------------------------------------------------------- */

static bool constant(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	const hd_sass_value *v = &op->memory[0];
	access x = {.bytes = hd_size_bytes(op->m[0])};
	hd_vec32 d[2];
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t base = v->reg == HD_SASS_RZ ? 0 : v->uniform ? w->u[v->reg].v[lane] : w->r[v->reg].v[lane], word[4] = {0};
		x.address[lane] = (uint32_t)(base + (uint32_t)v->number);
		if (x.address[lane] & (x.bytes - 1))
			return fault(m, w, &x, HD_TRAP_ALIGNMENT, lane);
		if (v->bank >= HD_SM_BANKS || !m->bank[v->bank] || x.address[lane] + x.bytes > HD_SM_BANK_BYTES)
			return fault(m, w, &x, HD_TRAP_ADDRESS, lane);
		hd_load_lane(m->bank[v->bank] + x.address[lane], op->m[0], word);
		d[0].v[lane] = word[0];
		d[1].v[lane] = word[1];
	}
	m->stats->memory_constant_accesses++;
	hd_sm_write(w, op, mask, d);
	return true;
}

/* -- atomics ----------------------------------------------------------------------------------------------------------------------- */

/* ATOMIC's values as hd_atom_op's. Those of FLOAT_REDUCE are the first of them. */
static hd_atom_op operation(const hd_sm_op *op)
{
	static const uint8_t operations[] = {HD_ATOM_ADD, HD_ATOM_MIN, HD_ATOM_MAX, HD_ATOM_INC, HD_ATOM_DEC,
	                                     HD_ATOM_AND, HD_ATOM_OR,  HD_ATOM_XOR, HD_ATOM_EXCH};
	return (hd_atom_op)operations[op->m[0] % HD_COUNT(operations)];
}

enum { HALVES = HD_ATOM_TYPE_COUNT, BRAINS };
/* ATOMIC_TYPE: .U32 .S32 .64 .F32 .F16x2 .S64 .F64; FLOAT_VECTOR: 0 .F16x2, 3 .BF16x2, 9 .F32, 15 .F64. */
static unsigned type_of(const hd_sm_op *op)
{
	static const uint8_t types[] = {HD_ATOM_U32, HD_ATOM_S32, HD_ATOM_U64, HD_ATOM_F32, HALVES, HD_ATOM_S64, HD_ATOM_F64};
	if (op->kind == HD_SM_ATOMIC_FLOAT)
		return op->m[1] == 0 ? HALVES : op->m[1] == 3 ? BRAINS : op->m[1] == 9 ? HD_ATOM_F32 : HD_ATOM_F64;
	return types[op->m[1] % HD_COUNT(types)];
}

static uint64_t combined(hd_atom_op how, unsigned type, bool global, uint64_t old, uint64_t value)
{
	if (type < HD_ATOM_TYPE_COUNT)
		return hd_sem_atomic(how, (hd_atom_type)type, global, old, value);
	uint64_t r = 0;
	for (unsigned k = 0; k < 32; k += 16) {
		bool brain = type == BRAINS;
		double a = hd_sm_of_half(old >> k & 0xffff, brain), b = hd_sm_of_half(value >> k & 0xffff, brain);
		double sum = how == HD_ATOM_MIN ? b < a || a != a ? b : a : how == HD_ATOM_MAX ? b > a || a != a ? b : a : a + b;
		r |= (uint64_t)hd_sm_to_half(sum, brain, HD_RN) << k;
	}
	return r;
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
	return bytes == 8 ? hd_load_word(at) | (uint64_t)hd_load_word(at + 4) << 32 : hd_load_word(at);
}

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
	hd_store_word(at, (uint32_t)value);
	if (bytes == 8)
		hd_store_word(at + 4, (uint32_t)(value >> 32));
}

static uint64_t value_of(const hd_sm_warp *w, const hd_sm_source *s, unsigned bytes, unsigned lane)
{
	if (s->reg == HD_SASS_RZ)
		return 0;
	return w->r[s->reg].v[lane] | (bytes == 8 ? (uint64_t)w->r[s->reg + 1].v[lane] << 32 : 0);
}

static bool is_wide(unsigned type) { return type == HD_ATOM_U64 || type == HD_ATOM_S64 || type == HD_ATOM_F64; }

static bool atomic(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	unsigned type = type_of(op);
	bool cas = op->kind == HD_SM_CAS, wide = cas ? op->m[1] == 2 || op->m[1] == 5 : is_wide(type), test = cas && op->m[0];
	hd_atom_op how = cas ? HD_ATOM_EXCH : operation(op);
	access x = {.bytes = wide ? 8 : 4, .store = true};
	hd_vec32 d[2];
	addresses(w, &op->memory[0], op->space, x.address);
	if (!locate_all(m, w, &x, op->space, mask))
		return false;
	bool shared = op->space == HD_SASS_SHARED;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t old = get(x.at[lane], x.bytes), give = old;
		if (cas) {
			bool same = old == value_of(w, &op->source[0], x.bytes, lane);
			if (same)
				put(x.at[lane], x.bytes, value_of(w, &op->source[1], x.bytes, lane));
			give = test ? same : old;
		} else {
			/* ATOMS.POPC.INC counts lanes. */
			uint64_t value = op->n_sources ? value_of(w, &op->source[0], x.bytes, lane) : 1;
			bool global = !shared && (op->space != HD_SASS_GENERIC || hd_window(x.address[lane]) == HD_SPACE_GLOBAL);
			put(x.at[lane], x.bytes, combined(how, type, global, old, value));
		}
		d[0].v[lane] = (uint32_t)give;
		d[1].v[lane] = (uint32_t)(give >> 32);
	}
	hd_sm_write(w, op, mask, d);
	if (op->n_results && op->result[0].reg != HD_SASS_PT) /* it was performed, in whatever memory */
		w->p[op->result[0].reg & 7] |= mask;
	return true;
}

/* -- matrices and copies ----------------------------------------------------------------------------------------------------------- */

/* Eight rows of eight halves each, whose addresses are those of eight lanes; a lane has two halves of a row, or of a column (.MT88). */
static bool matrix(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	bool transposed = op->m[0], stores = op->kind == HD_SM_MATRIX_STORE;
	unsigned n = 1u << op->m[1], lanes = 8 * n;
	access x = {.bytes = 16, .store = stores};
	hd_vec32 d[4];
	addresses(w, &op->memory[0], op->space, x.address);
	if (!locate_all(m, w, &x, op->space, lanes == 32 ? UINT32_MAX : (1u << lanes) - 1))
		return false;
	for (unsigned k = 0; k < n; k++)
		for (unsigned lane = 0; lane < HD_LANES; lane++) {
			uint32_t word = stores && op->source[0].reg != HD_SASS_RZ ? w->r[op->source[0].reg + k].v[lane] : 0;
			if (!stores)
				d[k].v[lane] = 0;
			for (unsigned half = 0; half < 2; half++) {
				unsigned row = lane / 4, column = lane % 4 * 2 + half;
				uint8_t *at = x.at[8 * k + (transposed ? column : row)] + 2 * (transposed ? row : column);
				if (stores) {
					at[0] = (uint8_t)(word >> 16 * half);
					at[1] = (uint8_t)(word >> (16 * half + 8));
				} else {
					d[k].v[lane] |= (uint32_t)(at[0] | at[1] << 8) << 16 * half;
				}
			}
		}
	if (!stores)
		hd_sm_write(w, op, mask, d);
	return true;
}

/* From global to shared memory, at once. A lane whose predicate does not hold gives zeros. */
static bool copy(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	static const uint8_t sizes[8] = {4, 4, 4, 4, 4, 8, 16, 4};
	access to = {.bytes = sizes[op->m[0] & 7], .store = true}, from = {.bytes = to.bytes};
	uint32_t yes = op->n_predicates ? hd_sm_predicate_of(w, op->predicate[0]) : UINT32_MAX;
	addresses(w, &op->memory[0], HD_SASS_SHARED, to.address);
	addresses(w, &op->memory[1], HD_SASS_GLOBAL, from.address);
	if (!op->m[1])
		mask &= yes;
	if (!locate_all(m, w, &to, HD_SASS_SHARED, mask) || !locate_all(m, w, &from, HD_SASS_GLOBAL, mask & yes))
		return false;
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (yes >> lane & 1)
			memcpy(to.at[lane], from.at[lane], to.bytes);
		else
			memset(to.at[lane], 0, to.bytes);
	}
	return true;
}

/* Whether an address lies in a window: .G .L .S */
static bool query(hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	static const uint8_t spaces[4] = {HD_SPACE_GLOBAL, HD_SPACE_LOCAL, HD_SPACE_SHARED, HD_SPACE_GLOBAL};
	uint64_t address[HD_LANES];
	uint32_t p = 0;
	addresses(w, &op->memory[0], HD_SASS_GENERIC, address);
	for (unsigned i = 0; i < HD_LANES; i++)
		p |= (uint32_t)(hd_window(address[i]) == (hd_space)spaces[op->m[0]]) << i;
	unsigned reg = op->result[0].reg;
	if (reg != HD_SASS_PT)
		w->p[reg & 7] = (w->p[reg & 7] & ~mask) | (p & mask);
	return true;
}

bool hd_sm_access(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	switch ((hd_sm_kind)op->kind) {
	case HD_SM_LOAD:
		count(m, op->space, false, false);
		return load(m, w, op, mask);
	case HD_SM_STORE:
		count(m, op->space, true, false);
		return store(m, w, op, mask);
	case HD_SM_ATOMIC:
	case HD_SM_ATOMIC_FLOAT:
	case HD_SM_CAS:
		count(m, op->space, true, true);
		return atomic(m, w, op, mask);
	case HD_SM_CONSTANT:
		return constant(m, w, op, mask);
	case HD_SM_MATRIX_LOAD:
	case HD_SM_MATRIX_STORE:
		count(m, op->space, op->kind == HD_SM_MATRIX_STORE, false);
		return matrix(m, w, op, mask);
	case HD_SM_COPY:
		count(m, HD_SASS_GLOBAL, false, false);
		return copy(m, w, op, mask);
	case HD_SM_QUERY:
		return query(w, op, mask);
	default:
		hd_panic("kind %u is no access", op->kind);
	}
}

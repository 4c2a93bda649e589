/* Memory of the interpreter: instructions access bytes in the order of the program, and lanes in ascending order within one instruction. */
#include "interp/state.h"
#include "launch/bounds.h"
#include "launch/live.h"

typedef struct access {
	const hd_access_op *op;
	unsigned kind; /* hd_access_kind, or HOST_ATOMIC */
	unsigned size, bytes, words;
	bool store;
	uint32_t mask;
	uint64_t address[HD_LANES];
	uint8_t *at[HD_LANES]; /* host bytes */
	uint32_t outside; /* lanes outside of every buffer, where that is no trap (launch/bounds.h): no longer in `mask`; o->trap is of the first */
	uint32_t live;    /* with the kind HOST_ATOMIC: lanes whose access is an atomic operation of the host (launch/live.h) */
} access;

/* Takes the place of the access's kind when a lane accesses live memory, or what other threads of the host may access at the same time, so
 * that nothing else has to ask. */
enum { HOST_ATOMIC = HD_ACCESS_PUSH + 1 };

static bool fault(hd_oracle *o, const access *x, hd_trap_kind kind, unsigned lane, uint64_t address)
{
	o->trap->kind = kind;
	o->trap->lane = lane;
	o->trap->address = address;
	o->trap->bytes = x->bytes;
	o->trap->store = x->store;
	return false;
}

/* Global lanes one by one: they lie in several allocations, or one of them is at fault. */
static bool locate_singly(hd_oracle *o, access *x, uint32_t mask)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (x->address[lane] & (x->bytes - 1))
			return fault(o, x, HD_TRAP_ALIGNMENT, lane, x->address[lane]);
		bool live = false;
		if ((x->at[lane] = hd_memory_at(o->memory, x->address[lane], x->bytes)))
			continue;
		if (!(x->at[lane] = hd_memory_any_at(o->memory, x->address[lane], x->bytes, &live))) {
			hd_trap_kind kind = hd_memory_fault(o->memory, x->address[lane]);
			bool warns = kind == HD_TRAP_ADDRESS && hd_memory_bounds(o->memory);
			if (!warns || !x->outside)
				fault(o, x, kind, lane, x->address[lane]);
			if (!warns)
				return false;
			x->outside |= 1u << lane;
			continue;
		}
		x->live = (x->kind == HOST_ATOMIC ? x->live : 0) | 1u << lane;
		x->kind = HOST_ATOMIC;
	}
	return true;
}

/* Nearly always the allocation of the first lane holds all lanes. This function checks all lanes at once, without branches. It computes host
 * places of lanes outside the mask as integers and never uses them. */
static bool locate_global(hd_oracle *o, access *x, uint32_t mask)
{
	uint64_t base = 0, size = 0, outside = 0;
	uint8_t *bytes = hd_memory_find_with(o->memory, &o->hits, x->address[hd_lowest_bit(mask)], &base, &size);
	if (!bytes || size < x->bytes)
		return locate_singly(o, x, mask);
	uint64_t last = size - x->bytes, low_bits = x->bytes - 1;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t offset = x->address[lane] - base;
		outside |= (uint64_t)((offset > last) | ((offset & low_bits) != 0)) << lane; /* bases are aligned */
		x->at[lane] = (uint8_t *)((uintptr_t)bytes + (uintptr_t)offset);
	}
	return !(outside & mask) || locate_singly(o, x, mask);
}

typedef struct area {
	uint8_t *bytes;
	uint64_t size;
	uint64_t stride; /* from the area of a lane to that of the next (local memory) */
	uint64_t window; /* addresses count from it */
} area;

/* Lanes of a space with areas of its own. */
static bool locate(hd_oracle *o, access *x, uint32_t mask, const area *a, bool generic)
{
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t offset = x->address[lane] - (generic ? a->window : 0);
		if (offset & (x->bytes - 1))
			return fault(o, x, HD_TRAP_ALIGNMENT, lane, offset + a->window);
		if (offset > a->size || a->size - offset < x->bytes)
			return fault(o, x, HD_TRAP_ADDRESS, lane, offset + a->window);
		x->at[lane] = a->bytes + lane * a->stride + offset;
	}
	return true;
}

static bool locate_space(hd_oracle *o, const hd_oracle_warp *w, access *x, hd_space space, uint32_t mask, bool generic)
{
	uint32_t local = o->launch->kernel->local_bytes;
	hd_stats *stats = o->stats;
	switch (space) {
	case HD_SPACE_SHARED:
		stats->memory_shared_accesses++;
		return locate(o, x, mask, &(area){.bytes = o->shared, .size = o->shared_bytes, .window = HD_WINDOW_SHARED}, generic);
	case HD_SPACE_LOCAL:
		stats->memory_local_accesses++;
		return locate(o, x, mask, &(area){w->local, local, local, HD_WINDOW_LOCAL}, generic);
	case HD_SPACE_CONST:
		stats->memory_constant_accesses++;
		return locate(o, x, mask, &(area){.bytes = (uint8_t *)(uintptr_t)o->bank->raw, .size = o->bank->bytes}, false);
	default:
		if (x->op->constant)
			stats->memory_constant_accesses++;
		else if (x->kind == HD_ACCESS_LOAD)
			stats->memory_global_loads++;
		else if (x->kind == HD_ACCESS_STORE)
			stats->memory_global_stores++;
		else
			stats->memory_global_atomics++;
		if (!locate_global(o, x, mask))
			return false;
		if (o->beside && hd_oracle_is_strong(x->op)) {
			x->live = (x->kind == HOST_ATOMIC ? x->live : 0) | mask;
			x->kind = HOST_ATOMIC;
		}
		return true;
	}
}

static bool locate_all(hd_oracle *o, const hd_oracle_warp *w, access *x)
{
	hd_space space = (hd_space)x->op->space;
	if (space != HD_SPACE_NONE)
		return locate_space(o, w, x, space, x->mask, false);
	uint32_t in[HD_SPACE_LOCAL + 1] = {0};
	for (uint32_t rest = x->mask; rest; rest &= rest - 1)
		in[hd_window(x->address[hd_lowest_bit(rest)])] |= rest & -rest;
	for (unsigned s = HD_SPACE_GLOBAL; s <= HD_SPACE_LOCAL; s++)
		if (in[s] && !locate_space(o, w, x, (hd_space)s, in[s], true))
			return false;
	return true;
}

static void load(const access *x, hd_vec32 *to, unsigned words)
{
	if (x->size == HD_SIZE_32) {
		for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
			unsigned lane = hd_lowest_bit(rest);
			const uint8_t *p = x->at[lane];
			uint32_t value = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
			if (words)
				to->v[lane] = value;
		}
		return;
	}
	for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4];
		hd_load_lane(x->at[lane], x->size, word);
		for (unsigned k = 0; k < words; k++)
			to[k].v[lane] = word[k];
	}
}

static void put(hd_oracle *o, const access *x, unsigned lane, const uint32_t word[4])
{
	uint8_t bytes[16];
	if (!o->watching) {
		hd_store_lane(x->at[lane], x->size, word);
		return;
	}
	hd_store_lane(bytes, x->size, word);
	o->changed |= memcmp(bytes, x->at[lane], x->bytes) != 0;
	memcpy(x->at[lane], bytes, x->bytes);
}

static void store(hd_oracle *o, const access *x, const hd_vec32 *from)
{
	if (x->size == HD_SIZE_32 && !o->watching) {
		for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
			unsigned lane = hd_lowest_bit(rest);
			uint32_t value = from->v[lane];
			uint8_t *p = x->at[lane];
			p[0] = (uint8_t)value;
			p[1] = (uint8_t)(value >> 8);
			p[2] = (uint8_t)(value >> 16);
			p[3] = (uint8_t)(value >> 24);
		}
		return;
	}
	for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4];
		for (unsigned k = 0; k < x->words; k++)
			word[k] = from[k].v[lane];
		put(o, x, lane, word);
	}
}

static inline uint64_t joined(const uint32_t *word, unsigned words) { return word[0] | (words > 1 ? (uint64_t)word[1] << 32 : 0); }

/* Atomics and compare-and-swap: one lane after the other, the lowest first. */
static void change(hd_oracle *o, const access *x, const hd_vec32 *b, const hd_vec32 *c, hd_vec32 *to, unsigned words)
{
	for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4], other[4] = {b[0].v[lane], x->words > 1 ? b[1].v[lane] : 0};
		hd_load_lane(x->at[lane], x->size, word);
		uint64_t old = joined(word, x->words), operand = joined(other, x->words), made;
		if (x->kind == HD_ACCESS_CAS) {
			uint64_t swap = c[0].v[lane] | (x->words > 1 ? (uint64_t)c[1].v[lane] << 32 : 0);
			made = old == (x->size == HD_SIZE_U16 ? operand & 0xffff : operand) ? swap : old;
		} else {
			made = hd_sem_atomic((hd_atom_op)x->op->atom, (hd_atom_type)x->op->type, hd_is_global(x->op, x->address[lane]), old, operand);
		}
		put(o, x, lane, (uint32_t[4]){(uint32_t)made, (uint32_t)(made >> 32)});
		for (unsigned k = 0; k < words; k++)
			to[k].v[lane] = word[k];
	}
}

static uint64_t operand_of(const hd_vec32 *from, unsigned lane, unsigned words)
{
	return joined((uint32_t[2]){from[0].v[lane], words > 1 ? from[1].v[lane] : 0}, words);
}

/* Some lanes access live memory. To the detection of livelocks that is a change: the host, or another thread, may write what a warp waits for. */
static void access_live(hd_oracle *o, const access *x, const hd_oracle_warp *w, const hd_oracle_op *op, hd_vec32 *to)
{
	unsigned kind = x->op->kind;
	const hd_vec32 *b = kind == HD_ACCESS_LOAD ? NULL : hd_oracle_source(op, w, 1),
	               *c = kind == HD_ACCESS_CAS ? hd_oracle_source(op, w, 2) : NULL;
	o->changed = true;
	for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		if (!(x->live >> lane & 1)) {
			access alone = *x;
			alone.mask = 1u << lane;
			alone.kind = kind;
			if (kind == HD_ACCESS_LOAD)
				load(&alone, to, op->dwords);
			else if (kind == HD_ACCESS_STORE)
				store(o, &alone, b);
			else
				change(o, &alone, b, c, to, op->dwords);
			continue;
		}
		uint32_t data[4] = {0}, word[4] = {0};
		for (unsigned k = 0; kind == HD_ACCESS_STORE && k < x->words; k++)
			data[k] = b[k].v[lane];
		hd_live_access live = {.op = x->op, .data = data};
		if (kind == HD_ACCESS_ATOMIC || kind == HD_ACCESS_CAS)
			live.b = operand_of(b, lane, x->words);
		if (c)
			live.c = operand_of(c, lane, x->words);
		hd_live_perform(&live, x->at[lane], word);
		for (unsigned k = 0; kind != HD_ACCESS_STORE && k < op->dwords; k++)
			to[k].v[lane] = word[k];
	}
}

/* The trap that the lanes outside of every buffer would be becomes a warning. They read zeros and take no further part. */
static void leave_out(hd_oracle *o, const hd_oracle_warp *w, const hd_oracle_op *op, access *x)
{
	hd_vec32 *to = w->registers + op->dst;
	hd_oracle_trap(o, w, HD_TRAP_ADDRESS, (uint32_t)(op - o->ops), o->trap->lane);
	hd_bounds_note(hd_memory_bounds(o->memory), o->trap, o->launch, o->memory);
	*o->trap = (hd_trap){0};
	x->mask &= ~x->outside;
	for (uint32_t rest = x->kind == HD_ACCESS_STORE ? 0 : x->outside; rest; rest &= rest - 1)
		for (unsigned k = 0; k < op->dwords; k++)
			to[k].v[hd_lowest_bit(rest)] = 0;
}

/* Fills x. False after a trap. */
static bool prepare(hd_oracle *o, const hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask, access *x)
{
	x->op = op->access;
	x->kind = x->op->kind;
	x->size = x->op->size;
	x->bytes = hd_size_bytes(x->size);
	x->words = hd_max_u32(x->bytes / 4, 1);
	x->store = x->kind != HD_ACCESS_LOAD;
	x->mask = mask;
	x->outside = 0;
	const hd_vec32 *a = hd_oracle_source(op, w, 0);
	if (x->op->wide) {
		uint64_t offset = (uint64_t)(int64_t)x->op->offset;
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			x->address[lane] = (a[0].v[lane] | (uint64_t)a[1].v[lane] << 32) + offset;
	} else {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			x->address[lane] = a->v[lane] + (uint32_t)x->op->offset;
	}
	if (!locate_all(o, w, x))
		return false;
	if (x->outside)
		leave_out(o, w, op, x);
	return true;
}

static void perform(hd_oracle *o, const access *x, const hd_oracle_warp *w, const hd_oracle_op *op)
{
	hd_vec32 *to = w->registers + op->dst;
	if (x->kind == HD_ACCESS_LOAD)
		load(x, to, op->dwords);
	else if (x->kind == HD_ACCESS_STORE)
		store(o, x, hd_oracle_source(op, w, 1));
	else if (x->kind == HOST_ATOMIC)
		access_live(o, x, w, op, to);
	else
		change(o, x, hd_oracle_source(op, w, 1), hd_oracle_source(op, w, 2), to, op->dwords);
}

bool hd_oracle_access(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask)
{
	if (op->access->kind == HD_ACCESS_FENCE)
		return true;
	if (op->access->kind >= HD_ACCESS_LAUNCH)
		return hd_oracle_spawn(o, w, op, mask);
	access x;
	if (!prepare(o, w, op, mask, &x))
		return false;
	perform(o, &x, w, op);
	return true;
}

/* -- with an observer ---------------------------------------------------------------------------------------------------------------------- */

/* The generic address of the lane's bytes. False for memory that no other thread can access, or change. */
static bool is_common(const access *x, unsigned lane, uint64_t *address)
{
	hd_space space = (hd_space)x->op->space;
	*address = x->address[lane] + (space == HD_SPACE_SHARED ? HD_WINDOW_SHARED : 0);
	return space == HD_SPACE_NONE ? hd_window(*address) != HD_SPACE_LOCAL : space != HD_SPACE_LOCAL && space != HD_SPACE_CONST;
}

/* A store of the bytes that are there already. */
static bool changes_nothing(const access *x, const hd_oracle_op *op, const hd_oracle_warp *w, unsigned lane)
{
	uint32_t word[4] = {0};
	uint8_t bytes[16];
	if (x->kind != HD_ACCESS_STORE)
		return false;
	const hd_vec32 *from = hd_oracle_source(op, w, 1);
	for (unsigned k = 0; k < x->words; k++)
		word[k] = from[k].v[lane];
	hd_store_lane(bytes, x->size, word);
	return memcmp(bytes, x->at[lane], x->bytes) == 0;
}

/* One lane after the other, so that the observer sees each access before it takes effect. */
bool hd_oracle_access_watched(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask, uint32_t pc)
{
	const hd_inst *inst = op->inst;
	hd_order_event e = {.kind = HD_ORDER_ACCESS, .pc = pc, .warp = w->number, .mask = mask};
	access x;
	if (hd_oracle_reports(inst)) {
		hd_oracle_report(o, w, op, mask, pc);
		return true;
	}
	if (inst->op == HD_OP_SHFL) {
		hd_oracle_doubt_shuffle(o, op, w, mask, pc);
		return true;
	}
	if (inst->op == HD_OP_MEMBAR) {
		e.kind = HD_ORDER_FENCE;
		e.scope = inst->sub;
		o->order->event(o->order, &e);
		return true;
	}
	const hd_op_info *info = &hd_ops[inst->op];
	if (hd_op_spawns(info))
		return hd_oracle_spawn(o, w, op, mask);
	if (!prepare(o, w, op, mask, &x))
		return false;
	e.bytes = (uint8_t)x.bytes;
	e.loads = info->flags & HD_OPF_LOAD;
	e.stores = info->flags & HD_OPF_STORE;
	e.strong = info->flags & HD_OPF_ATOMIC || x.op->cache == HD_CACHE_VOLATILE;
	uint32_t doubtful = 0;
	uint64_t address[HD_LANES];
	for (uint32_t rest = op->doubtful ? x.mask : 0; rest; rest &= rest - 1)
		if (is_common(&x, hd_lowest_bit(rest), &address[hd_lowest_bit(rest)]))
			doubtful |= rest & -rest;
	if (doubtful)
		hd_oracle_doubt_access(o, op, &e, address, doubtful);
	for (uint32_t rest = x.mask; rest; rest &= rest - 1) {
		e.lane = hd_lowest_bit(rest);
		if (!op->doubtful && is_common(&x, e.lane, &e.address)) {
			e.same = changes_nothing(&x, op, w, e.lane);
			o->order->event(o->order, &e);
		}
		x.mask = rest & -rest;
		perform(o, &x, w, op);
	}
	return true;
}

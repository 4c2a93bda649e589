#include "memory/part.h"

#include "launch/bounds.h"

bool hd_part_fault(hd_trap *trap, hd_trap_kind kind, unsigned lane, uint64_t address, unsigned bytes, bool store)
{
	trap->kind = kind;
	trap->lane = lane;
	trap->address = address;
	trap->bytes = bytes;
	trap->store = store;
	trap->text = NULL;
	return false;
}

/* Traps at the first lane of `p` whose address is not aligned, or else at the first lane whose bytes are not below `size`. */
static bool fault_of(const hd_part *p, uint64_t size, hd_trap *trap)
{
	unsigned bytes = p->bytes;
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if (address & (bytes - 1))
			return hd_part_fault(trap, HD_TRAP_ALIGNMENT, lane, address + hd_part_window(p->space), bytes, p->store);
	}
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if (address > size || size - address < bytes)
			return hd_part_fault(trap, HD_TRAP_ADDRESS, lane, address + hd_part_window(p->space), bytes, p->store);
	}
	return true;
}

bool hd_part_locate(const hd_lanes *lanes, const hd_memory *memory, hd_memory_hits *hits, const hd_access *access, hd_part *p, hd_trap *trap)
{
	unsigned bytes = p->bytes;
	hd_span span = lanes->span(p->address);
	uint64_t least = span.least, most = span.most;
	if (span.bits & (bytes - 1))
		return fault_of(p, UINT64_MAX, trap);
	if (p->space == HD_SPACE_GLOBAL) {
		/* Usually all lanes lie in one allocation. */
		uint8_t *all = most - least < UINT64_C(1) << 40 ? hd_memory_at_with(memory, hits, least, most - least + bytes) : NULL;
		if (all) {
			lanes->places(p->at, p->address, p->mask, all, least, 0); /* others may be on their way */
			return true;
		}
		for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
			unsigned lane = hd_lowest_bit(rest);
			p->at[lane] = hd_memory_at_with(memory, hits, p->address[lane], bytes);
			if (!p->at[lane])
				return hd_part_fault(trap, hd_memory_fault(memory, p->address[lane]), lane, p->address[lane], bytes, p->store);
		}
		return true;
	}
	uint32_t size = p->space == HD_SPACE_SHARED ? access->shared_bytes : p->space == HD_SPACE_LOCAL ? access->local_bytes : access->bank->bytes;
	size_t apart = p->space == HD_SPACE_LOCAL ? access->local_bytes : 0;
	if (most > size || size - most < bytes)
		return fault_of(p, size, trap);
	lanes->places(p->at, p->address, ~0u, p->base, 0, apart);
	return true;
}

/* Lanes outside of the mask have the address of a lane inside, if there is one. */
static void repeat_address(const hd_lanes *lanes, hd_part *p)
{
	if (p->mask && p->mask != ~0u)
		lanes->repeat(p->address, p->mask);
}

bool hd_part_locate_live(const hd_lanes *lanes, hd_memory *memory, hd_part *p, bool *live, uint32_t *outside, hd_trap *trap)
{
	unsigned bytes = p->bytes;
	if (p->space != HD_SPACE_GLOBAL || trap->kind == HD_TRAP_ALIGNMENT)
		return false;
	*outside = 0;
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if ((p->at[lane] = hd_memory_any_at(memory, address, bytes, live)))
			continue;
		hd_trap_kind kind = hd_memory_fault(memory, address);
		bool warns = kind == HD_TRAP_ADDRESS && hd_memory_bounds(memory);
		if (!warns || !*outside)
			hd_part_fault(trap, kind, lane, address, bytes, p->store);
		if (!warns)
			return false;
		*outside |= 1u << lane;
	}
	p->mask &= ~*outside;
	repeat_address(lanes, p);
	return true;
}

unsigned hd_part_split(const hd_lanes *lanes, const hd_access *access, hd_part parts[3])
{
	const hd_access_op *op = access->op;
	hd_space fixed = (hd_space)op->space;
	bool generic = fixed == HD_SPACE_NONE;
	uint64_t *address = parts[0].address;
	uint32_t in[3] = {0}; /* global, shared, local */
	if (op->wide)
		lanes->wide(address, access->address, (uint64_t)(int64_t)op->offset);
	else
		lanes->narrow(address, access->address, (uint32_t)op->offset);
	if (!generic)
		in[fixed == HD_SPACE_SHARED ? 1 : fixed == HD_SPACE_LOCAL ? 2 : 0] = access->mask;
	for (uint32_t rest = generic ? access->mask : 0; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		hd_space space = hd_window(address[lane]);
		in[space == HD_SPACE_SHARED ? 1 : space == HD_SPACE_LOCAL ? 2 : 0] |= 1u << lane;
		address[lane] -= hd_part_window(space);
	}
	static const hd_space of[3] = {HD_SPACE_GLOBAL, HD_SPACE_SHARED, HD_SPACE_LOCAL};
	unsigned n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!in[i])
			continue;
		hd_part *p = &parts[n++];
		p->space = i == 0 ? (generic ? HD_SPACE_GLOBAL : fixed) : of[i];
		p->mask = in[i];
		p->sectors = NULL;
		p->base = p->space == HD_SPACE_SHARED ? access->shared : p->space == HD_SPACE_LOCAL ? access->local : NULL;
		if (p->space == HD_SPACE_CONST)
			p->base = (uint8_t *)(uintptr_t)access->bank->raw;
		if (n > 1)
			memcpy(p->address, address, sizeof p->address);
	}
	for (unsigned i = 0; i < n; i++)
		repeat_address(lanes, &parts[i]);
	return n;
}

void hd_part_sectors(const hd_lanes *lanes, const hd_part *p, hd_sectors *out)
{
	if (p->sectors)
		hd_sectors_within(p->sectors, p->mask, out);
	else
		hd_coalesce(lanes, p->address, p->mask, out);
}

#include "launch/live.h"
#include "memory/coalesce.h"
#include "memory/constant.h"
#include "memory/l2.h"
#include "memory/mmu.h"
#include "memory/room.h"

#include <stdlib.h>

/* The addresses of local memory in the address space of the caches. The words of the lanes are interleaved, so lanes at one offset coalesce. */
#define LOCAL_BASE (UINT64_C(1) << 59)

struct hd_lsu {
	hd_tags l1;
	hd_constants *constants; /* NULL: constant loads always hit */
	hd_l2 *l2;
	hd_mmu *mmu; /* NULL: addresses need no translation */
	hd_memory *memory;
	hd_watch *watch;      /* NULL: no livelock detection */
	const bool *watching; /* watch->on; never without a watch */
	uint32_t l1_latency, shared_latency, constant_latency, l2_latency, shared_banks;
	uint64_t free_at[2];          /* memory stages: LSU (the first copy that is free), LATOM */
	uint64_t copy[HD_MAX_COPIES]; /* of the LSU's stage (MI-14): the same for each */
	uint32_t copies;
	hd_room misses;                       /* sectors that loads wait for */
	bool lane_by_lane;                    /* memory.return_groups */
	hd_room writes;                       /* sectors of stores and atomics that are not performed yet */
	bool refuse_constants, replay_misses; /* the keys of predecode (PD-26) */
};

static const bool unwatched = false;

hd_lsu *hd_lsu_new(const hd_machine *m, hd_l2 *l2, hd_memory *memory, hd_constants *constants)
{
	hd_lsu *lsu = hd_xcalloc(1, sizeof *lsu);
	hd_tags_init(&lsu->l1, m->memory_l1_bytes, m->memory_l1_ways);
	lsu->l2 = l2;
	lsu->constants = constants;
	lsu->memory = memory;
	lsu->watching = &unwatched;
	lsu->l1_latency = m->memory_l1_latency;
	lsu->shared_latency = m->memory_shared_latency;
	lsu->copies = m->copies[HD_PIPE_LSU];
	lsu->constant_latency = m->memory_constant_latency;
	lsu->l2_latency = m->memory_l2_latency;
	lsu->shared_banks = m->memory_shared_banks;
	lsu->lane_by_lane = m->memory_return_groups;
	lsu->refuse_constants = m->predecode_refuse_constants;
	lsu->replay_misses = m->predecode_replay_misses;
	hd_room_init(&lsu->misses, m->memory_l1_misses);
	hd_room_init(&lsu->writes, m->memory_l1_writes);
	return lsu;
}

void hd_lsu_free(hd_lsu *lsu)
{
	if (!lsu)
		return;
	hd_tags_free(&lsu->l1);
	hd_room_free(&lsu->misses);
	hd_room_free(&lsu->writes);
	free(lsu);
}

void hd_lsu_translate(hd_lsu *lsu, hd_mmu *mmu) { lsu->mmu = mmu; }

void hd_lsu_watch(hd_lsu *lsu, hd_watch *watch)
{
	lsu->watch = watch;
	lsu->watching = watch ? &watch->on : &unwatched;
}

uint64_t hd_lsu_free_at(const hd_lsu *lsu, hd_pipe pipe) { return lsu->free_at[pipe == HD_PIPE_LATOM]; }

/* The stage that takes the next access: of copies the one that has been free for the longest time. */
static uint64_t *next_stage(hd_lsu *lsu, unsigned stage_of)
{
	if (stage_of || lsu->copies == 1)
		return &lsu->free_at[stage_of];
	uint64_t *next = lsu->copy;
	for (uint32_t i = 1; i < lsu->copies; i++)
		if (lsu->copy[i] < *next)
			next = &lsu->copy[i];
	return next;
}

/* A stage is taken until cycle `until`. */
static void hold_stage(hd_lsu *lsu, uint64_t *stage, uint64_t until)
{
	*stage = until;
	if (lsu->copies > 1)
		lsu->free_at[0] = *next_stage(lsu, 0);
}

void hd_lsu_turn_away(hd_lsu *lsu, hd_pipe pipe, uint64_t now) { hold_stage(lsu, next_stage(lsu, pipe == HD_PIPE_LATOM), now + 1); }

/* The lanes of one access that access one space. */
typedef struct part {
	hd_space space;
	uint32_t mask;
	uint64_t address[HD_LANES]; /* without the base of the window; lanes outside of the mask have the address of the lowest lane inside */
	uint8_t *base;              /* shared memory, constant bank, local memory; NULL: global */
	uint8_t *at[HD_LANES];      /* host bytes of each lane */
} part;

static bool fault(hd_trap *trap, hd_trap_kind kind, unsigned lane, uint64_t address, unsigned bytes, bool store)
{
	trap->kind = kind;
	trap->lane = lane;
	trap->address = address;
	trap->bytes = bytes;
	trap->store = store;
	trap->text = NULL;
	return false;
}

/* The base of the space's window. Traps name generic addresses. */
static uint64_t window_of(hd_space space) { return space == HD_SPACE_SHARED ? HD_WINDOW_SHARED : space == HD_SPACE_LOCAL ? HD_WINDOW_LOCAL : 0; }

/* Traps at the first lane of `p` whose address is not aligned, or else at the first lane whose bytes are not below `size`. */
static bool fault_of(const part *p, uint64_t size, unsigned bytes, bool store, hd_trap *trap)
{
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if (address & (bytes - 1))
			return fault(trap, HD_TRAP_ALIGNMENT, lane, address + window_of(p->space), bytes, store);
	}
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if (address > size || size - address < bytes)
			return fault(trap, HD_TRAP_ADDRESS, lane, address + window_of(p->space), bytes, store);
	}
	return true;
}

/* Finds the host bytes of each lane of `p`. False with a trap for the first lane that has none. A lane outside of the mask has the address of a lane
 * inside. */
static bool locate(hd_lsu *lsu, const hd_access *access, part *p, unsigned bytes, bool store, hd_trap *trap)
{
	uint64_t least = UINT64_MAX, most = 0, bits = 0;
	for (unsigned lane = 0; lane < HD_LANES; lane++) {
		uint64_t address = p->address[lane];
		bits |= address;
		least = hd_min_u64(address, least);
		most = hd_max_u64(address, most);
	}
	if (bits & (bytes - 1))
		return fault_of(p, UINT64_MAX, bytes, store, trap);
	if (p->space == HD_SPACE_GLOBAL) {
		/* Usually all lanes lie in one allocation. */
		uint8_t *all = most - least < UINT64_C(1) << 40 ? hd_memory_at(lsu->memory, least, most - least + bytes) : NULL;
		for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
			unsigned lane = hd_lowest_bit(rest);
			p->at[lane] = all ? all + (p->address[lane] - least) : hd_memory_at(lsu->memory, p->address[lane], bytes);
			if (!p->at[lane])
				return fault(trap, hd_memory_fault(lsu->memory, p->address[lane]), lane, p->address[lane], bytes, store);
		}
		return true;
	}
	uint32_t size = p->space == HD_SPACE_SHARED ? access->shared_bytes : p->space == HD_SPACE_LOCAL ? access->local_bytes : access->bank->bytes;
	size_t apart = p->space == HD_SPACE_LOCAL ? access->local_bytes : 0;
	if (most > size || size - most < bytes)
		return fault_of(p, size, bytes, store, trap);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		p->at[lane] = p->base + p->address[lane] + lane * apart;
	return true;
}

/* The same where `locate` found no place: some lanes may access live memory. On success *trap means nothing. */
static bool locate_live(hd_lsu *lsu, part *p, unsigned bytes, bool *live, hd_trap *trap)
{
	if (p->space != HD_SPACE_GLOBAL || trap->kind == HD_TRAP_ALIGNMENT)
		return false;
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint64_t address = p->address[lane];
		if (!(p->at[lane] = hd_memory_any_at(lsu->memory, address, bytes, live)))
			return fault(trap, hd_memory_fault(lsu->memory, address), lane, address, bytes, trap->store);
	}
	return true;
}

static void perform_live(hd_watch *watch, uint64_t now, const hd_access *access, hd_format format, unsigned size, const part *p,
                         hd_access_result *result)
{
	unsigned words = hd_max_u32(hd_size_bytes(size) / 4, 1);
	bool two = words == 2;
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t data[4] = {0}, word[4] = {0};
		for (unsigned w = 0; format == HD_F_ST && w < words; w++)
			data[w] = access->data[w].v[lane];
		hd_live_access live = {.inst = access->inst, .format = format, .size = size, .data = data};
		if (format == HD_F_ATOM || format == HD_F_CAS)
			live.b = access->data[0].v[lane] | (two ? (uint64_t)access->data[1].v[lane] << 32 : 0);
		if (format == HD_F_CAS)
			live.c = access->swap[0].v[lane] | (two ? (uint64_t)access->swap[1].v[lane] << 32 : 0);
		hd_live_perform(&live, p->at[lane], word);
		for (unsigned w = 0; format != HD_F_ST && w < words; w++)
			result->data[w].v[lane] = word[w];
	}
	if (watch)
		hd_watch_progress(watch, now); /* the host may change what a warp waits for */
}

/* Loads and stores whole words, as most accesses do. */
static void move_words(const hd_access *access, bool store, unsigned words, const part *p, hd_access_result *result)
{
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint8_t *at = p->at[lane];
		for (unsigned w = 0; w < words; w++) {
			if (store)
				hd_store_word(at + 4 * w, access->data[w].v[lane]);
			else
				result->data[w].v[lane] = hd_load_word(at + 4 * w);
		}
	}
}

/* Applies one operation to the bytes of each lane. */
static void perform(const hd_access *access, hd_format format, unsigned size, const part *p, hd_access_result *result)
{
	const hd_inst *inst = access->inst;
	unsigned words = hd_max_u32(hd_size_bytes(size) / 4, 1);
	if (size >= HD_SIZE_32 && (format == HD_F_LD || format == HD_F_ST)) {
		move_words(access, format == HD_F_ST, words, p, result);
		return;
	}
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		uint32_t word[4] = {0};
		if (format == HD_F_LD) {
			hd_load_lane(p->at[lane], size, word);
		} else if (format == HD_F_ST) {
			for (unsigned w = 0; w < words; w++)
				word[w] = access->data[w].v[lane];
			hd_store_lane(p->at[lane], size, word);
			continue;
		} else {
			hd_load_lane(p->at[lane], size, word);
			uint64_t old = word[0] | (words == 2 ? (uint64_t)word[1] << 32 : 0), value;
			uint64_t b = access->data[0].v[lane] | (words == 2 ? (uint64_t)access->data[1].v[lane] << 32 : 0);
			if (format == HD_F_CAS) {
				uint64_t c = access->swap[0].v[lane] | (words == 2 ? (uint64_t)access->swap[1].v[lane] << 32 : 0);
				if (size == HD_SIZE_U16)
					b &= 0xffff;
				value = old == b ? c : old;
			} else {
				value = hd_sem_atomic((hd_atom_op)(inst->sub & 15), (hd_atom_type)(inst->sub >> 4), old, b);
			}
			uint32_t fresh[4] = {(uint32_t)value, (uint32_t)(value >> 32)};
			hd_store_lane(p->at[lane], size, fresh);
		}
		for (unsigned w = 0; w < words; w++)
			result->data[w].v[lane] = word[w];
	}
}

/* Like `perform`. It also compares the bytes before and after, for livelock detection. */
static void perform_watched(hd_watch *watch, uint64_t now, const hd_access *access, hd_format format, unsigned size, const part *p,
                            hd_access_result *result)
{
	uint8_t before[HD_LANES][16];
	unsigned bytes = hd_size_bytes(size);
	for (uint32_t rest = p->mask; rest; rest &= rest - 1)
		memcpy(before[hd_lowest_bit(rest)], p->at[hd_lowest_bit(rest)], bytes);
	perform(access, format, size, p, result);
	for (uint32_t rest = p->mask; rest; rest &= rest - 1)
		if (memcmp(before[hd_lowest_bit(rest)], p->at[hd_lowest_bit(rest)], bytes) != 0)
			hd_watch_progress(watch, now);
}

/* Loads a sector through the first cache. Returns the cycle in which the sector is present. *stage advances while the miss table is full. */
static uint64_t l1_load(hd_lsu *lsu, uint64_t *stage, uint64_t address, hd_stats *stats)
{
	unsigned sector = hd_sector_of(address);
	hd_cache_line *line = hd_tags_find(&lsu->l1, address);
	if (line && (line->valid >> sector & 1)) {
		stats->memory_l1_hits++;
		uint64_t hit = *stage + lsu->l1_latency;
		return line->ready[sector] > hit ? line->ready[sector] : hit;
	}
	stats->memory_l1_misses++;
	*stage = hd_room_from(&lsu->misses, *stage);
	uint64_t at = address, late = hd_mmu_late(lsu->mmu, *stage, &at, stats);
	uint64_t ready = hd_l2_sector(lsu->l2, *stage, at, false, stats) + late;
	hd_room_take(&lsu->misses, ready);
	if (!line) {
		hd_cache_line victim; /* never dirty: the cache writes through */
		line = hd_tags_place(&lsu->l1, address, &victim);
	}
	line->valid |= (uint8_t)(1u << sector);
	line->ready[sector] = ready;
	return ready;
}

/* True when the lanes go to the constant cache, or to the constant bank that is always there. */
static bool is_constant(const hd_lsu *lsu, const part *p, const hd_inst *inst)
{
	return p->space == HD_SPACE_CONST || (inst->op == HD_OP_LDK && lsu->constants);
}

static uint32_t lanes_of_sector(const part *p, uint64_t sector)
{
	uint32_t lanes = 0;
	for (uint32_t rest = p->mask; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		lanes |= (uint32_t)((p->address[lane] & ~(uint64_t)(HD_SECTOR_BYTES - 1)) == sector) << lane;
	}
	return lanes;
}

/* Reduces p->mask of a load that may be refused (PD-15) to the lanes whose sectors are present or find a place in the miss table now. */
static void refuse_misses(const hd_lsu *lsu, part *p, bool bypass, uint64_t now, hd_access_result *result)
{
	hd_sectors sectors;
	uint32_t room = hd_room_free_at(&lsu->misses, now, HD_LANES), serve = 0;
	if (room >= HD_LANES)
		return;
	hd_coalesce(p->address, p->mask, &sectors);
	for (unsigned i = 0; i < sectors.n; i++) {
		const hd_cache_line *line = bypass ? NULL : hd_tags_peek(&lsu->l1, sectors.at[i]);
		if (line && line->valid >> hd_sector_of(sectors.at[i]) & 1) {
			serve |= lanes_of_sector(p, sectors.at[i]);
		} else if (room) {
			serve |= lanes_of_sector(p, sectors.at[i]);
			room--;
		}
	}
	result->left = p->mask & ~serve;
	if (!result->left)
		return;
	result->why = HD_REFUSED_MISSES;
	result->retry = hd_room_from(&lsu->misses, now + 1);
	p->mask = serve;
}

/* predecode.replay_misses: reduces p->mask to the lanes whose sectors are in the first cache now, and requests the other sectors for the replay, as
 * far as the miss table has room (PD-26). */
static void refuse_absent(hd_lsu *lsu, part *p, uint64_t now, hd_access_result *result, hd_stats *stats)
{
	hd_sectors sectors;
	uint32_t serve = 0;
	uint64_t there = 0;
	hd_coalesce(p->address, p->mask, &sectors);
	for (unsigned i = 0; i < sectors.n; i++) {
		const hd_cache_line *line = hd_tags_peek(&lsu->l1, sectors.at[i]);
		unsigned sector = hd_sector_of(sectors.at[i]);
		bool requested = line && (line->valid >> sector & 1);
		if (requested && line->ready[sector] <= now) {
			serve |= lanes_of_sector(p, sectors.at[i]);
		} else if (requested) {
			there = hd_max_u64(line->ready[sector], there);
		} else if (hd_room_free_at(&lsu->misses, now, 1)) {
			uint64_t stage = now, ready = l1_load(lsu, &stage, sectors.at[i], stats);
			there = hd_max_u64(ready, there);
		}
	}
	result->left = p->mask & ~serve;
	if (!result->left)
		return;
	result->why = there ? HD_REFUSED_L1 : HD_REFUSED_MISSES;
	result->retry = there ? there : hd_room_from(&lsu->misses, now + 1);
	p->mask = serve;
}

/* Reduces p->mask of an access to shared memory that may be refused (PD-15, PD-26) to the lanes of the first pass, if banks conflict. */
static void refuse_banks(const hd_lsu *lsu, part *p, unsigned bytes, bool atomic, uint64_t now, hd_access_result *result)
{
	uint32_t address[HD_LANES], rest = p->mask;
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = (uint32_t)p->address[lane];
	uint32_t first = hd_bank_pass(address, rest, bytes, lsu->shared_banks, atomic);
	result->left = rest & ~first;
	if (!result->left)
		return;
	result->times = 0;
	for (rest = result->left; rest; result->times++)
		rest &= ~hd_bank_pass(address, rest, bytes, lsu->shared_banks, atomic);
	result->why = atomic ? HD_REFUSED_ATOMICS : HD_REFUSED_BANKS;
	result->retry = now + 1;
	p->mask = first;
}

static uint32_t lanes_at(const part *p, uint32_t mask, uint64_t address)
{
	uint32_t lanes = 0;
	for (uint32_t rest = mask; rest; rest &= rest - 1)
		lanes |= (uint32_t)(p->address[hd_lowest_bit(rest)] == address) << hd_lowest_bit(rest);
	return lanes;
}

/* predecode.refuse_constants: reduces p->mask of a constant load to the lanes of the first address, and to none before the line of that address is
 * there (PD-26). */
static void refuse_constants(hd_lsu *lsu, const hd_bank *bank, part *p, uint64_t now, hd_access_result *result, hd_stats *stats)
{
	uint64_t address = p->address[hd_lowest_bit(p->mask)], there = now;
	if (lsu->constants)
		there = hd_constants_request(lsu->constants, now, bank ? hd_constants_bank(bank, address) : address, stats);
	uint32_t serve = there > now ? 0 : lanes_at(p, p->mask, address);
	result->left = p->mask & ~serve;
	if (!result->left)
		return;
	if (serve) {
		result->times = 0;
		for (uint32_t rest = result->left; rest; result->times++)
			rest &= ~lanes_at(p, rest, p->address[hd_lowest_bit(rest)]);
	}
	result->why = HD_REFUSED_CONSTANTS;
	result->retry = serve ? now + 1 : there;
	p->mask = serve;
}

/* Refuses what an access with may_refuse cannot have in this cycle (PD-15, PD-26). Only an access to a single space can be refused. Global atomics,
 * accesses to local memory and stores to global memory are never refused. They wait for room at the stage. */
static void refuse(hd_lsu *lsu, const hd_access *access, hd_format format, part *p, unsigned bytes, uint64_t now, hd_access_result *result,
                   hd_stats *stats)
{
	const hd_inst *inst = access->inst;
	bool bypass = inst->mod == HD_CACHE_GLOBAL || inst->mod == HD_CACHE_VOLATILE;
	if (p->space == HD_SPACE_SHARED) {
		bool atomic = format != HD_F_LD && format != HD_F_ST;
		if (!atomic || hd_ops[inst->op].pipe == HD_PIPE_LATOM)
			refuse_banks(lsu, p, bytes, atomic, now, result);
	} else if (is_constant(lsu, p, inst)) {
		if (lsu->refuse_constants)
			refuse_constants(lsu, p->space == HD_SPACE_CONST ? access->bank : NULL, p, now, result, stats);
	} else if (format == HD_F_LD && p->space == HD_SPACE_GLOBAL && lsu->replay_misses && !bypass) {
		refuse_absent(lsu, p, now, result, stats);
	} else if (format == HD_F_LD && p->space == HD_SPACE_GLOBAL) {
		refuse_misses(lsu, p, bypass, now, result);
	}
}

/* Computes the time of the sectors of global or local lanes. *stage advances by the cycles in which the memory stage is busy. Returns the cycle in
 * which the last sector is done. `lane_done`, by lane, may be NULL. */
static uint64_t price_sectors(hd_lsu *lsu, const part *p, hd_format format, unsigned cache, uint64_t now, uint64_t *stage, uint64_t *lane_done,
                              hd_stats *stats)
{
	hd_sectors sectors;
	hd_coalesce(p->address, p->mask, &sectors);
	stats->memory_sectors += sectors.n;
	bool bypass = cache == HD_CACHE_GLOBAL || cache == HD_CACHE_VOLATILE;
	unsigned times =
	    format == HD_F_LD || format == HD_F_ST ? 1 : hd_same_address(p->address, p->mask); /* operations on the most frequent address */
	uint64_t done = now;
	for (unsigned i = 0; i < sectors.n; i++) {
		uint64_t at, address = sectors.at[i];
		if (format == HD_F_LD && !bypass) {
			at = l1_load(lsu, stage, address, stats);
		} else if (format == HD_F_LD) {
			*stage = hd_room_from(&lsu->misses, *stage);
			uint64_t late = hd_mmu_late(lsu->mmu, *stage, &address, stats);
			at = hd_l2_sector(lsu->l2, *stage, address, false, stats) + late;
			hd_room_take(&lsu->misses, at);
		} else {
			*stage = hd_room_from(&lsu->writes, *stage);
			uint64_t late = hd_mmu_late(lsu->mmu, *stage, &address, stats);
			at = hd_l2_sector(lsu->l2, *stage, address, true, stats) + late;
			/* An atomic: the second level reads, changes and keeps the sector, and returns the old value. */
			if (format != HD_F_ST)
				at = hd_l2_sector(lsu->l2, *stage, address, false, stats) + late + times - 1;
			hd_room_take(&lsu->writes, at);
		}
		done = hd_max_u64(at, done);
		for (uint32_t left = lane_done ? p->mask : 0; left; left &= left - 1)
			if ((p->address[hd_lowest_bit(left)] & ~UINT64_C(31)) == sectors.at[i])
				lane_done[hd_lowest_bit(left)] = at;
	}
	*stage += sectors.lines ? sectors.lines : 1;
	return done;
}

static uint64_t price_shared(const hd_lsu *lsu, const part *p, unsigned bytes, bool atomic, uint64_t *stage, hd_stats *stats)
{
	uint32_t address[HD_LANES];
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = (uint32_t)p->address[lane];
	unsigned passes = hd_bank_passes(address, p->mask, bytes, lsu->shared_banks, atomic);
	stats->memory_bank_conflicts += passes - 1;
	stats->memory_shared_words += (uint64_t)__builtin_popcount(p->mask) * ((bytes + 3) / 4) * (atomic ? 2 : 1);
	*stage += passes;
	return *stage - 1 + lsu->shared_latency;
}

/* Computes the time of a constant load. The load is served one address a cycle and looks up the line of an address in its cycle. The data comes
 * constant_latency cycles after all lines are present. `bank` is NULL if the addresses are not those of the constant bank. */
static uint64_t price_constant(hd_lsu *lsu, const hd_bank *bank, const part *p, uint64_t *stage, hd_stats *stats)
{
	uint32_t rest = p->mask;
	uint64_t there = *stage;
	while (rest) {
		uint64_t address = p->address[hd_lowest_bit(rest)];
		stats->memory_constant_passes++;
		if (lsu->constants) {
			uint64_t line = hd_constants_line(lsu->constants, *stage, bank ? hd_constants_bank(bank, address) : address, stats);
			there = hd_max_u64(line, there);
		}
		for (uint32_t others = rest; others; others &= others - 1) {
			unsigned lane = hd_lowest_bit(others);
			if (p->address[lane] == address)
				rest &= ~(1u << lane);
		}
		++*stage;
	}
	return (there > *stage - 1 ? there : *stage - 1) + lsu->constant_latency;
}

/* Splits the lanes by space. Returns the number of parts. */
static unsigned split(const hd_access *access, part parts[3])
{
	const hd_inst *inst = access->inst;
	hd_space fixed = HD_SPACE_GLOBAL;
	bool generic = false;
	switch (inst->op) {
	case HD_OP_LD:
	case HD_OP_ST:
	case HD_OP_ATOM:
	case HD_OP_CAS:
		generic = true;
		break;
	case HD_OP_LDS:
	case HD_OP_STS:
	case HD_OP_ATOMS:
	case HD_OP_CASS:
		fixed = HD_SPACE_SHARED;
		break;
	case HD_OP_LDL:
	case HD_OP_STL:
		fixed = HD_SPACE_LOCAL;
		break;
	case HD_OP_LDC:
		fixed = HD_SPACE_CONST;
		break;
	default:
		break;
	}
	uint64_t *address = parts[0].address;
	uint32_t in[3] = {0}; /* global, shared, local */
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		address[lane] = access->address[0].v[lane];
	if (hd_ops[inst->op].a == HD_W_D) {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			address[lane] = (address[lane] | (uint64_t)access->address[1].v[lane] << 32) + (uint64_t)(int64_t)inst->imm;
	} else {
		for (unsigned lane = 0; lane < HD_LANES; lane++)
			address[lane] = (uint32_t)(address[lane] + (uint32_t)inst->imm);
	}
	if (!generic)
		in[fixed == HD_SPACE_SHARED ? 1 : fixed == HD_SPACE_LOCAL ? 2 : 0] = access->mask;
	for (uint32_t rest = generic ? access->mask : 0; rest; rest &= rest - 1) {
		unsigned lane = hd_lowest_bit(rest);
		hd_space space = hd_window(address[lane]);
		in[space == HD_SPACE_SHARED ? 1 : space == HD_SPACE_LOCAL ? 2 : 0] |= 1u << lane;
		address[lane] -= window_of(space);
	}
	static const hd_space of[3] = {HD_SPACE_GLOBAL, HD_SPACE_SHARED, HD_SPACE_LOCAL};
	unsigned n = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (!in[i])
			continue;
		part *p = &parts[n++];
		p->space = i == 0 ? (generic ? HD_SPACE_GLOBAL : fixed) : of[i];
		p->mask = in[i];
		p->base = p->space == HD_SPACE_SHARED ? access->shared : p->space == HD_SPACE_LOCAL ? access->local : NULL;
		if (p->space == HD_SPACE_CONST)
			p->base = (uint8_t *)(uintptr_t)access->bank->raw;
		if (n > 1)
			memcpy(p->address, address, sizeof p->address);
	}
	for (unsigned i = 0; i < n; i++)
		for (uint32_t others = ~parts[i].mask; others; others &= others - 1)
			parts[i].address[hd_lowest_bit(others)] = parts[i].address[hd_lowest_bit(parts[i].mask)];
	return n;
}

static void count(hd_space space, hd_op op, hd_format format, hd_stats *stats)
{
	if (space == HD_SPACE_SHARED)
		stats->memory_shared_accesses++;
	else if (space == HD_SPACE_LOCAL)
		stats->memory_local_accesses++;
	else if (space == HD_SPACE_CONST || op == HD_OP_LDK)
		stats->memory_constant_accesses++;
	else if (format == HD_F_LD)
		stats->memory_global_loads++;
	else if (format == HD_F_ST)
		stats->memory_global_stores++;
	else
		stats->memory_global_atomics++;
}

static unsigned access_size(const hd_inst *inst, hd_format format)
{
	static const uint8_t of_type[HD_ATOM_TYPE_COUNT] = {HD_SIZE_32, HD_SIZE_32, HD_SIZE_64, HD_SIZE_64, HD_SIZE_32, HD_SIZE_64};
	static const uint8_t of_cas[4] = {HD_SIZE_32, HD_SIZE_64, HD_SIZE_U16, HD_SIZE_32};
	if (format == HD_F_ATOM)
		return of_type[inst->sub >> 4];
	return format == HD_F_CAS ? of_cas[inst->mod & 3] : inst->sub;
}

void hd_lsu_busy(hd_lsu *lsu, uint64_t until)
{
	uint64_t *stage = next_stage(lsu, 0);
	hold_stage(lsu, stage, hd_max_u64(until, *stage));
}

const uint8_t *hd_lsu_bytes(hd_lsu *lsu, const hd_access *access, unsigned lane, uint64_t address, uint32_t bytes, uint32_t align, hd_trap *trap)
{
	hd_space space = hd_window(address);
	uint64_t offset = address - window_of(space);
	if (address % align) {
		fault(trap, HD_TRAP_ALIGNMENT, lane, address, align, false);
		return NULL;
	}
	const uint8_t *at = NULL;
	if (space == HD_SPACE_GLOBAL)
		at = hd_memory_any_at(lsu->memory, address, bytes, &(bool){false});
	else if (space == HD_SPACE_SHARED && offset <= access->shared_bytes && bytes <= access->shared_bytes - offset)
		at = access->shared + offset;
	else if (space == HD_SPACE_LOCAL && offset <= access->local_bytes && bytes <= access->local_bytes - offset)
		at = access->local + (size_t)lane * access->local_bytes + offset;
	if (!at)
		fault(trap, space == HD_SPACE_GLOBAL ? hd_memory_fault(lsu->memory, address) : HD_TRAP_ADDRESS, lane, address, bytes, false);
	return at;
}

bool hd_lsu_access(hd_lsu *lsu, uint64_t now, const hd_access *access, hd_access_result *result, hd_stats *stats, hd_trap *trap)
{
	const hd_inst *inst = access->inst;
	hd_format format = (hd_format)hd_ops[inst->op].format;
	unsigned stage_of = hd_ops[inst->op].pipe == HD_PIPE_LATOM;
	hd_invariant(now >= lsu->free_at[stage_of], "memory stage %u entered at %llu, free at %llu", stage_of, (unsigned long long)now,
	             (unsigned long long)lsu->free_at[stage_of]);
	result->done = now + 1;
	result->left = 0;
	result->why = HD_REFUSED_NOT;
	result->times = 1;
	uint64_t *entry = next_stage(lsu, stage_of);
	hold_stage(lsu, entry, now + 1);
	if (inst->op == HD_OP_MEMBAR) {
		result->done = now + (hd_scope_in_core(inst->sub) ? 1 : lsu->l2_latency);
		return true;
	}
	unsigned size = access_size(inst, format), bytes = hd_size_bytes(size);
	bool store = format != HD_F_LD;
	part parts[3];
	bool live = false;
	unsigned n = split(access, parts);
	for (unsigned i = 0; i < n; i++) {
		if (!locate(lsu, access, &parts[i], bytes, store, trap) && !locate_live(lsu, &parts[i], bytes, &live, trap))
			return false;
	}
	if (access->may_refuse && n == 1) {
		refuse(lsu, access, format, &parts[0], bytes, now, result, stats);
		if (!parts[0].mask)
			return true;
	}
	uint64_t stage = now;
	for (unsigned i = 0; i < n; i++) {
		part *p = &parts[i];
		if (live && p->space == HD_SPACE_GLOBAL)
			perform_live(lsu->watch, now, access, format, size, p, result);
		else if (store && *lsu->watching)
			perform_watched(lsu->watch, now, access, format, size, p, result);
		else
			perform(access, format, size, p, result);
		if (!access->again)
			count(p->space, (hd_op)inst->op, format, stats);
		uint64_t done, *lane_done = lsu->lane_by_lane ? result->lane_done : NULL;
		if (p->space == HD_SPACE_SHARED) {
			done = price_shared(lsu, p, bytes, format == HD_F_ATOM || format == HD_F_CAS, &stage, stats);
		} else if (is_constant(lsu, p, inst)) {
			done = price_constant(lsu, p->space == HD_SPACE_CONST ? access->bank : NULL, p, &stage, stats);
		} else {
			if (p->space == HD_SPACE_LOCAL) {
				for (unsigned lane = 0; lane < HD_LANES; lane++)
					p->address[lane] = LOCAL_BASE + access->local_id * access->local_bytes * HD_LANES +
					                   (p->address[lane] & ~UINT64_C(3)) * HD_LANES + lane * 4 + (p->address[lane] & 3);
			}
			done = price_sectors(lsu, p, format, format == HD_F_LD || format == HD_F_ST ? inst->mod : HD_CACHE_ALL, stage, &stage,
			                     lane_done, stats);
			/* A store to local memory is done here, because no other thread can see it. */
			if (p->space == HD_SPACE_LOCAL && format == HD_F_ST)
				done = stage;
			else
				lane_done = NULL; /* it is filled */
		}
		for (uint32_t left = lane_done ? p->mask : 0; left; left &= left - 1)
			lane_done[hd_lowest_bit(left)] = done;
		result->done = hd_max_u64(done, result->done);
	}
	hold_stage(lsu, entry, hd_max_u64(stage, now + 1));
	return true;
}

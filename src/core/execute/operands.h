/* Reads operands at the entry of a pipe: registers, forwarding paths, constant bank, predicates, special registers. */
#ifndef HD_CORE_OPERANDS_H
#define HD_CORE_OPERANDS_H

#include "core/state.h"

/* S2R: the value of the special register. The function may compute it in *value. */
const hd_vec32 *hd_special_operand(const hd_core *core, const hd_warp *warp, hd_sreg which, uint64_t now, hd_vec32 *value);

/* Reads operand i (0 a, 1 b, 2 c), which field `reg` names. */
static inline const hd_vec32 *hd_read_operand(hd_scheduler *s, hd_reading *reading, const hd_slot *slot, unsigned i, unsigned reg)
{
	if (slot->registers >> i & 1)
		return reading->value[i] = hd_wc_read(&s->results, reading, i, reg, slot->words[i], slot->inst.last_use >> i & 1);
	return slot->inst.ksel == i + 1 && !slot->imm ? s->warp[reading->warp].words + reg : hd_zero;
}

static inline uint32_t hd_read_predicate(const hd_scheduler *s, unsigned warp, unsigned field)
{
	return hd_rf_guard(&s->registers, warp, field & 7, field >> 3 & 1);
}

/* For hd_read_operands: predicates, a special register, values of other lanes. */
void hd_read_others(const hd_core *core, const hd_scheduler *s, unsigned warp, const hd_slot *slot, hd_sem_in *in, uint64_t now, hd_vec32 *value);

/* Reads all operands of an instruction that does not access memory, except in->mask. The pointers in `in` are valid until hd_wc_end_reading. A
 * special register may use *value. */
static inline void hd_read_operands(const hd_core *core, hd_scheduler *s, hd_reading *reading, const hd_slot *slot, hd_sem_in *in, hd_vec32 *value)
{
	const hd_inst *inst = &slot->inst;
	in->a = hd_read_operand(s, reading, slot, 0, inst->a);
	in->b = slot->imm ? slot->imm : hd_read_operand(s, reading, slot, 1, inst->b);
	in->c = hd_read_operand(s, reading, slot, 2, inst->c);
	if (slot->others)
		hd_read_others(core, s, reading->warp, slot, in, reading->now, value);
}

/* Number of lane groups with a lane in the mask. */
static inline uint32_t hd_groups_of(uint32_t mask)
{
	if (mask == ~0u)
		return HD_LANES / HD_GROUP_LANES;
	mask |= mask >> 1;
	mask |= mask >> 2;
	return (mask & 0x11111111u) * 0x11111111u >> 28;
}

/* The number of units of fence counters with a lane in `now` and none in `later`: those that are done with `now`, where lanes of an instruction end
 * one after the other (HZ-31). */
uint32_t hd_units_done(const hd_core *core, uint32_t now, uint32_t later);

/* The number of units with a lane in the mask. */
static inline uint32_t hd_units_of(const hd_core *core, uint32_t mask)
{
	return core->unit_lanes == HD_GROUP_LANES ? hd_groups_of(mask) : hd_units_done(core, mask, 0);
}

/* The units of an instruction that executes for the lanes of the mask. */
static inline uint32_t hd_own_units(const hd_core *core, uint32_t mask) { return hd_units_of(core, mask | core->idle_lanes); }

/* Makes the latch of an instruction that enters its pipe with these lanes. No operand is read yet. */
static inline hd_flight *hd_new_flight(hd_core *core, unsigned scheduler, const hd_sent *sent, uint32_t mask, unsigned units)
{
	hd_flight *flight = hd_pool_flight(&core->pool);
	flight->pc = sent->pc;
	flight->mask = mask;
	flight->active = sent->mask;
	flight->number = sent->number;
	flight->may_refuse = sent->may_refuse;
	flight->scheduler = (uint8_t)scheduler;
	flight->warp = sent->warp;
	flight->units = (uint8_t)units;
	flight->memory = NULL;
	flight->announced = 0;
	flight->of = NULL;
	return flight;
}

/* Makes the access of a memory instruction, without its operands. The access holds everything that the memory stage needs. */
static inline hd_memory_operands *hd_new_access(hd_core *core, const hd_scheduler *s, unsigned warp, const hd_slot *slot, uint32_t mask)
{
	const hd_warp *owner = &s->warp[warp];
	hd_memory_operands *memory = hd_pool_operands(&core->pool);
	hd_access *access = &memory->access;
	access->op = &slot->access;
	access->mask = mask;
	access->shared = owner->cta->shared;
	access->shared_bytes = (uint32_t)owner->cta->demand.shared;
	access->local = owner->local;
	access->local_bytes = owner->cta->grid->launch.kernel->local_bytes;
	access->local_id = owner->local_id;
	access->bank = owner->cta->grid->bank;
	access->may_refuse = access->again = false;
	memory->result.kept = false;
	memory->result.promised = 0;
	return memory;
}

#endif

/* The observer that sends the events of launch/record.h: what goes into the units of one scheduler, and comes out (HW-4). */
#ifndef HD_CORE_RECORDING_H
#define HD_CORE_RECORDING_H

#include "core/observe/observers.h"

/* For a new core. */
void hd_recording_attach(hd_core *core, hd_recorder *recorder);

/* True when operand 0 to 2 is read from a register: it is no constant, no immediate and not RZ. */
static inline bool hd_operand_is_register(const hd_slot *slot, unsigned i)
{
	unsigned reg = i == 0 ? slot->inst.a : i == 1 ? slot->inst.b : slot->inst.c;
	return slot->words[i] && reg != HD_RZ && !(slot->imm ? i == 1 : slot->inst.ksel == i + 1);
}

#endif

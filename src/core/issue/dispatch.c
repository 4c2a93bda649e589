#include "core/issue/dispatch.h"

#include "core/execute/shared_pipes.h"
#include "core/issue/readiness.h"
#include "core/observe/observers.h"

void hd_execute_in_decoder(hd_core *core, unsigned scheduler, unsigned warp, const hd_static *row, uint32_t pc, uint64_t now)
{
	hd_scheduler *s = &core->scheduler[scheduler];
	uint64_t counted = hd_counted_issue(&s->counted, warp, row);
	HD_RECORD_EVENT(core, s, COUNTED, warp, counted);
	if (row->effects & HD_EFFECT_PRIORITY) {
		hd_macro_set_priority(&s->macro, warp, row->cycles);
		HD_RECORD_EVENT(core, s, MACRO_SET, warp, row->cycles);
		core->stats->predecode_priorities++;
	}
	if (row->writes_hints && s->hints) {
		const hd_inst *inst = &core->slots[pc].inst;
		uint32_t next = hd_instruction_number(core->context->machine->predecode_geometry, pc) + 1;
		hd_hints_write(s->hints, warp, next + inst->a, (uint32_t)inst->imm, now + hd_machine_hints_written(core->context->machine));
		core->stats->predecode_hint_writes++;
	}
}

void hd_dispatch_full(hd_core *core, hd_scheduler *s, unsigned pipe)
{
	if (core->pipes && core->pipes->shared >> pipe & 1) {
		hd_shared_pipes_send(core, s, pipe);
		return;
	}
	if (!s->shared) {
		s->full |= 1u << pipe;
		return;
	}
	hd_shared_queue_push(s->shared, pipe);
	if (hd_shared_queue_full(s->shared))
		s->full = (1u << HD_PIPE_COUNT) - 1;
}

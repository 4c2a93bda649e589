#include "core/observe/stop.h"

void hd_core_fill_place(const hd_core *core, uint64_t now, unsigned scheduler, unsigned warp, uint32_t pc, unsigned lane, hd_trap *trap)
{
	const hd_warp *owner = &core->scheduler[scheduler].warp[warp];
	const hd_launch *launch = &(owner->cta ? owner->cta->grid : core->context->tasks->at.at[0])->launch;
	trap->kernel = hd_kernel_name(launch->kernel);
	trap->shared = hd_launch_shared(launch);
	trap->local = launch->kernel->local_bytes;
	trap->pc = pc;
	trap->core = core->number;
	trap->warp = owner->number;
	trap->lane = lane;
	trap->cycle = now;
	uint32_t thread = owner->number * hd_launch_lanes(launch) + lane;
	trap->thread[0] = thread % launch->block[0];
	trap->thread[1] = thread / launch->block[0] % launch->block[1];
	trap->thread[2] = thread / launch->block[0] / launch->block[1];
	if (owner->cta)
		hd_trap_place(trap, launch, owner->cta->at);
}

void hd_core_stop(hd_core *core, uint64_t now, const hd_stop *stop)
{
	hd_trap *trap = core->context->trap;
	if (core->stopped) { /* the first trap of a cycle counts */
		free(stop->text);
		return;
	}
	core->stopped = true;
	*trap = (hd_trap){.kind = stop->kind, .text = stop->text};
	hd_core_fill_place(core, now, stop->scheduler, stop->warp, stop->pc, stop->lane, trap);
}

void hd_core_print_place(const hd_core *core, uint32_t pc, hd_text *text)
{
	const hd_object *object = core->context->tasks->program->object;
	const hd_function *function = hd_object_function(object, pc);
	const char *file;
	uint32_t line, column;
	hd_text_printf(text, "word 0x%x", pc);
	if (function)
		hd_text_printf(text, " in '%s'", function->name);
	if (hd_object_line(object, pc, &file, &line, &column))
		hd_text_printf(text, " (%s:%u)", file, line);
}

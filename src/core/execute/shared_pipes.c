#include "core/execute/shared_pipes.h"

#include "core/state.h"

hd_shared_pipes *hd_shared_pipes_new(const hd_machine *machine)
{
	if (!hd_machine_has_pipe_stage(machine))
		return NULL;
	hd_shared_pipes *pipes = hd_xaligned(sizeof *pipes);
	pipes->shared = machine->machine_shared_pipes;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		pipes->copies[pipe] = (uint8_t)machine->copies[pipe];
		pipes->several |= (uint32_t)(machine->copies[pipe] > 1) << pipe;
		hd_queue_init(&pipes->queue[pipe], machine->queue[pipe],
		              hd_machine_has_scoreboard(machine) ? 0 : hd_machine_spacing(machine, (hd_pipe)pipe), NULL);
	}
	return pipes;
}

void hd_shared_pipes_free(hd_shared_pipes *pipes)
{
	for (unsigned pipe = 0; pipes && pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_free(&pipes->queue[pipe], NULL);
	free(pipes);
}

void hd_shared_pipes_warp(hd_shared_pipes *pipes, unsigned scheduler, unsigned warp)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		hd_queue_warp(&pipes->queue[pipe], scheduler * HD_WARP_SLOTS + warp);
}

void hd_shared_pipes_send(hd_core *core, hd_scheduler *s, unsigned pipe)
{
	hd_shared_pipes *pipes = core->pipes;
	hd_queue *own = &s->queue[pipe], *queue = &pipes->queue[pipe];
	unsigned scheduler = (unsigned)(s - core->scheduler);
	hd_sent sent = own->fifo[own->fifo_head];
	own->fifo_n = 0;
	sent.warp = (uint8_t)(scheduler * HD_WARP_SLOTS + sent.warp);
	hd_queue_append(queue, &sent);
	pipes->last[pipe] = (uint8_t)scheduler;
	if (!hd_queue_full(queue))
		return;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		core->scheduler[i].full |= 1u << pipe;
		core->scheduler[i].touched = true;
	}
}

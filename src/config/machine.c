#include "config/machine.h"

#include <stdio.h>

void hd_machine_default(hd_machine *machine)
{
	*machine = (hd_machine){
	    .name = "heddle",
#define KEY(section, key, kind, initial, ...) .section##_##key = initial,
#include "config/machine.def"
#undef KEY
#define CLASS(id, pipe, name, cycles, every) .latency[HD_CLASS_##id] = {cycles, every},
	    HD_CLASSES(CLASS)
#undef CLASS
	};
	for (int pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		machine->queue[pipe] = (hd_queue_sizes){.fifo = 4, .hazard = 8};
}

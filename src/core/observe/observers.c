#include "core/observe/observers.h"

#include "core/state.h"

#define CORE_EVENT(name, parameters, arguments)              \
	void hd_event_##name parameters                      \
	{                                                    \
		const hd_observers *all = core->observers;   \
		for (uint32_t i_ = 0; i_ < all->n; i_++)     \
			if (all->of[i_]->name)               \
				all->of[i_]->name arguments; \
	}
#include "core/observe/core_events.def"
#undef CORE_EVENT

void hd_observe(hd_core *core, const hd_observer *observer)
{
	if (!core->observers)
		core->observers = hd_xcalloc(1, sizeof *core->observers);
	core->observers->of[core->observers->n++] = observer;
	core->plain = core->usual_entry = false;
}

uint64_t hd_observers_cycle(const hd_core *core, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < core->observers->n; i++) {
		if (!core->observers->of[i]->cycle)
			continue;
		uint64_t wanted = core->observers->of[i]->cycle(core, now);
		next = hd_min_u64(wanted, next);
	}
	return next;
}

void hd_observers_detach(hd_core *core)
{
	for (uint32_t i = 0; core->observers && i < core->observers->n; i++)
		if (core->observers->of[i]->detach)
			core->observers->of[i]->detach(core);
	free(core->observers);
	core->observers = NULL;
}

/* How a core's stages report what they do. A stage reports an event of core_events.def to all observers of the core and knows none of them: tracing,
 * units and recording subscribe to the events that they need. A core without observers has none of this but a test of core->observers, which is NULL
 * then. */
#ifndef HD_CORE_OBSERVERS_H
#define HD_CORE_OBSERVERS_H

#include "core/execute/events.h"
#include "core/execute/queue.h"
#include "core/flow/barriers.h"
#include "core/flow/flow.h"
#include "core/issue/decode.h"
#include "core/issue/scoreboard.h"
#include "launch/record.h"
#include "launch/trace.h"

typedef struct hd_core hd_core;
typedef struct hd_scheduler hd_scheduler;
struct hd_reading;
struct hd_operand_buffer;
struct hd_buffer_register;

/* What an observer subscribes to; NULL: not to this event. */
typedef struct hd_observer {
#define CORE_EVENT(name, parameters, arguments) void(*name) parameters;
#include "core/observe/core_events.def"
#undef CORE_EVENT
	/* Cycle `now` is over. Returns the first later cycle that the observer wants to see, UINT64_MAX = none. */
	uint64_t (*cycle)(const hd_core *core, uint64_t now);
	/* The core ends. */
	void (*detach)(hd_core *core);
} hd_observer;

enum { HD_OBSERVERS_MAX = 3 };

/* Those of a core, in the order in which they receive an event. */
typedef struct hd_observers {
	uint32_t n;
	const hd_observer *of[HD_OBSERVERS_MAX];
} hd_observers;

#define CORE_EVENT(name, parameters, arguments) void hd_event_##name parameters;
#include "core/observe/core_events.def"
#undef CORE_EVENT
/* Reports event `name` of core_events.def, where there is an observer. */
#define HD_EVENT(core_, name, ...)                             \
	do {                                                   \
		if ((core_)->observers)                        \
			hd_event_##name((core_), __VA_ARGS__); \
	} while (0)
/* Reports the event `record`: the values of a scheduler's unit, in the order of record.def. */
#define HD_RECORD_EVENT(core_, s_, kind_, ...)                                                                   \
	do {                                                                                                     \
		if ((core_)->observers) {                                                                        \
			const uint64_t values_[] = {__VA_ARGS__};                                                \
			hd_event_record((core_), (s_), HD_RECORD_##kind_, values_, (unsigned)HD_COUNT(values_)); \
		}                                                                                                \
	} while (0)

/* Adds an observer. */
void hd_observe(hd_core *core, const hd_observer *observer);
/* Cycle `now` is over: the first later cycle that an observer wants to see, UINT64_MAX = none. */
uint64_t hd_observers_cycle(const hd_core *core, uint64_t now);
/* The core ends. */
void hd_observers_detach(hd_core *core);

#endif

/* The observer that sends the events of launch/trace.h (RC-24). */
#ifndef HD_CORE_TRACING_H
#define HD_CORE_TRACING_H

#include "core/observe/observers.h"

/* For a new core. The write controllers, too, report to its observers from then on. */
void hd_tracing_attach(hd_core *core, hd_trace *trace);

#endif

/* Clusters, and windows of time in which each of them runs by itself (PA-2, docs/memory.md).
 *
 * Two things bound a window. What a core asks of the second level is answered half of memory.l2_latency later at the earliest, and packets arrive as
 * much later (MT-1). So a window of that length begins with the arrival of all packets that arrive within it, then every cluster runs by itself, and
 * then the shared side prices the requests of the window in the order in which they were made (memory/requests.h). Where a cluster needs the shared
 * side at once it stops, and goes on when all clusters have come as far and everything before is priced: for a line of instructions that its L1.5
 * cache lacks, for an access to several spaces, and for the end of a CTA, whose place the task manager gives away in the next cycle. With a
 * grids.cta_latency as long as a window that CTA begins after the window, and the end is only noted. So a run with windows has the cycles and
 * statistics of one without. Only a run that ends with a trap differs: the other clusters finish the window.
 *
 * With slices (memory.slices) the shared side is ahead of the clusters: the slices are simulated up to the end of the window first, and each core
 * takes an answer in the cycle in which its slice has given it. Nothing is priced afterwards, and only ends of CTAs stop a cluster.
 *
 * There are windows only where nothing else couples the clusters, as hd_windows_length and hd_windows_end say. Other cycles are simulated one by one
 * (device.c). */
#ifndef HD_WINDOWS_H
#define HD_WINDOWS_H

#include "base/team.h"
#include "device/device.h"
#include "device/event_log.h"
#include "device/manager.h"
#include "memory/requests.h"

typedef enum hd_cluster_state {
	HD_CLUSTER_DONE,    /* nothing happens before the end of the window */
	HD_CLUSTER_RUNS,    /* it can go on by itself from the cycle `now` */
	HD_CLUSTER_STOPPED, /* the tick of a core needs the shared side (hd_requests.stops) */
	HD_CLUSTER_ENDED,   /* CTAs have ended in the cycle `now`, which is complete */
	HD_CLUSTER_TRAPPED,
} hd_cluster_state;

typedef struct hd_cluster {
	_Alignas(64) hd_context context;
	hd_stats stats;
	hd_trap trap;
	hd_watch watch; /* what the cluster changes in a window: progress, and what is to be added to the counts of warps */
	hd_requests requests;
	hd_icache l15;
	hd_core **core; /* its part of the device's arrays */
	hd_core_signal *signal;
	uint32_t first, cores; /* number of the first core; cores */
	/* In a window: */
	hd_cluster_state state;
	bool ended;      /* CTAs have ended in the cycle `now`; with hd_windows.notes: in the window */
	uint32_t turn;   /* the core that is next in the cycle `now` */
	uint64_t now;    /* cycle */
	uint64_t last;   /* in which something happened last */
	uint32_t served; /* requests that are priced */
} hd_cluster;

typedef struct hd_windows {
	hd_cluster *cluster;
	uint32_t clusters, cores;
	hd_manager *manager;
	hd_tasks *tasks;
	hd_crossbar *crossbar;
	hd_outbox *const *outbox; /* of each core */
	hd_watch *watch;
	hd_trace *trace;             /* the observer, or NULL */
	uint32_t length;             /* cycles; 0: there are no windows */
	uint32_t ahead;              /* cycles by which an answer is later than its request at least */
	uint32_t serial;             /* number of windows so far */
	uint32_t threads;            /* of the host */
	bool notes;                  /* no CTA that the task manager begins reaches a core in the window of that decision (grids.cta_latency) */
	struct hd_merge_entry *heap; /* of clusters, by the (cycle, core) of the next request */
	hd_event_logs *logs;         /* NULL: nobody observes */
	hd_team *team;
	/* In a window: */
	uint64_t end, limit; /* cycles: of the window; clusters run by themselves until then */
} hd_windows;

/* The most cycles of a window; 0 where there are none. Without slices, what waits for a memory stage, or comes again, sets out so early that it
 * arrives with the answer that it waits for. So a window is shorter by that way than a request is ahead of its answer. */
uint32_t hd_windows_length(const hd_machine *machine, const hd_task *list, uint32_t n, const hd_code *code, const hd_run_options *options);
/* The other members outlive it and are set by the caller. */
void hd_windows_init(hd_windows *windows);
void hd_windows_free(hd_windows *windows);
/* The end of a window that begins in cycle `from`, in which a core is to tick; at most `limit`. At most `from` + 1: there is no window now. */
uint64_t hd_windows_end(const hd_windows *windows, uint64_t from, uint64_t limit);
/* Simulates the cycles before `end`. *now receives the last one in which something happened. False: some clusters have trapped; *trap is that of the
 * least (cycle, core). */
bool hd_windows_run(hd_windows *windows, uint64_t end, uint64_t *now, hd_trap *trap);

#endif

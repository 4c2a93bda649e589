#include "core/account.h"

#include "core/observe/observers.h"

/* Accounts for the cycles from the first one without an account up to `to`. */
void hd_core_catch_up(hd_core *core, uint64_t to)
{
	if (core->last + 1 > to)
		return;
	uint64_t from = core->last + 1, cycles = to - core->last;
	core->last = to;
	if (!core->resident)
		return;
	core->offered += cycles * core->n_schedulers * core->width;
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		s->stall[s->idle_cause] += cycles * core->width;
		HD_EVENT(core, lost, s, s->idle_cause, cycles * core->width, from, cycles);
		s->sent[0] += cycles;
		hd_macro_advance(&s->macro, from, to);
	}
}

/* Offsets of the statistics that a core counts by latency class: those of the class, and those of the pipe that runs it (MI-14). */
typedef struct class_counters {
	size_t lanes, groups;
} class_counters;
typedef struct pipe_counters {
	size_t entered, busy;
} pipe_counters;

#define COUNTERS(class, name) [HD_CLASS_##class] = {offsetof(hd_stats, lanes_##name), offsetof(hd_stats, lane_groups_##name)}
static const class_counters counters_of[HD_CLASS_COUNT] = {
    COUNTERS(ALU, alu),     COUNTERS(FMA, fma),     COUNTERS(MUL, mul), COUNTERS(ALU64, alu64), COUNTERS(MUL64, mul64),
    COUNTERS(COORD, coord), COUNTERS(SFU, sfu),     COUNTERS(F64, f64), COUNTERS(CVT, cvt),     COUNTERS(CVT64, cvt64),
    COUNTERS(TEX, tex),     COUNTERS(LATOM, latom), COUNTERS(LSU, lsu), COUNTERS(FLOW, flow),
};
#undef COUNTERS
#define COUNTERS(pipe, name) [HD_PIPE_##pipe] = {offsetof(hd_stats, pipe_##name), offsetof(hd_stats, pipe_busy_##name)}
static const pipe_counters counters_of_pipe[HD_PIPE_COUNT] = {
    COUNTERS(ALU, alu), COUNTERS(COORD, coord), COUNTERS(SFU, sfu), COUNTERS(F64, f64),   COUNTERS(CVT, cvt),
    COUNTERS(TEX, tex), COUNTERS(LATOM, latom), COUNTERS(LSU, lsu), COUNTERS(FLOW, flow),
};
#undef COUNTERS

static void count_classes(hd_core *core)
{
	char *stats = (char *)core->stats;
	const hd_machine *machine = core->context->machine;
	for (unsigned i = 0; i < HD_CLASS_COUNT; i++) {
		if (!core->entered[i]) /* class nop enters no pipe and has no counters */
			continue;
		const pipe_counters *pipe = &counters_of_pipe[hd_machine_pipe(machine, (hd_class)i)];
		*(uint64_t *)(void *)(stats + pipe->entered) += core->entered[i];
		*(uint64_t *)(void *)(stats + pipe->busy) += core->entered[i] * hd_machine_interval(machine, (hd_class)i);
		*(uint64_t *)(void *)(stats + counters_of[i].lanes) += core->lanes[i];
		*(uint64_t *)(void *)(stats + counters_of[i].groups) += core->groups[i];
		core->stats->run_thread_instructions += core->lanes[i];
		core->entered[i] = core->lanes[i] = core->groups[i] = 0;
	}
}

void hd_account_finish(hd_core *core, uint64_t now)
{
	hd_stats *stats = core->stats;
	uint64_t accounted = 0;
	hd_core_catch_up(core, now ? now - 1 : 0);
	count_classes(core);
	for (uint32_t i = 0; i < core->n_schedulers; i++) {
		hd_scheduler *s = &core->scheduler[i];
		stats->multi_issue_sent_0 += s->sent[0];
		stats->multi_issue_sent_1 += s->sent[1];
		stats->multi_issue_sent_2 += s->sent[2];
		stats->multi_issue_sent_3 += s->sent[3];
		stats->multi_issue_sent_4_or_more += s->sent[4];
		for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++) {
			stats->stall[cause] += s->stall[cause];
			accounted += s->stall[cause];
		}
		accounted += s->used;
		stats->run_slots_used += s->used;
		hd_entries_finish(&s->entries, stats);
		hd_ports_finish(&s->results.ports);
		memset(s->stall, 0, sizeof s->stall);
		memset(s->sent, 0, sizeof s->sent);
		s->used = 0;
	}
	/* Every issue slot of every cycle has exactly one cause, in every run and on every core. */
	hd_invariant(accounted == core->offered, "core %u offered %llu issue slots and accounts for %llu", core->number,
	             (unsigned long long)core->offered, (unsigned long long)accounted);
	stats->run_issue_slots += core->offered;
	stats->run_issued = stats->divergence_issued_all + stats->divergence_issued_some + stats->divergence_issued_none;
	core->offered = 0;
}

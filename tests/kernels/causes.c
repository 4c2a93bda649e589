/* Why a warp is not picked is decided in one place (hd_cause), and three faces tell it: the statistics of a run, the events of its trace and the
 * state of its units. Examples on every preset, cycle by cycle and warp slot by warp slot: the faces agree, on lost slots and on what each warp waits
 * for. */
#include "backend_heddle.h"
#include "launch/units.h"

enum { RANKS = HD_STALL_COUNT };

typedef struct faces {
	hd_trace trace; /* first */
	hd_unit_watch watch;
	uint64_t total[HD_STALL_COUNT];                             /* by the events of all cores */
	hd_trace_event lost[HD_MAX_SCHEDULERS][HD_STALL_COUNT + 4]; /* of this cycle, on core 0 */
	unsigned n[HD_MAX_SCHEDULERS];
	uint8_t row[HD_MAX_SCHEDULERS][HD_WARP_SLOTS]; /* the cause of each warp's wait by HD_TRACE_WAIT, of core 0; HD_STALL_COUNT: none */
	uint32_t issued[HD_MAX_SCHEDULERS];            /* warps, in this cycle */
	uint32_t ready[HD_MAX_SCHEDULERS];             /* warps that waited for nothing in the cycle before, and did not issue */
	bool wide;                                     /* a window of several instructions */
	uint64_t compared, named[HD_STALL_COUNT], waits[HD_STALL_COUNT + 1]; /* warp slots; those that wait in idle cycles and in all, by cause */
	char wrong[200];
} faces;

/* The order of causes from the one closest to issue: of several warps, the slot is lost for the lowest one. */
static const uint8_t rank[RANKS] = {
    [HD_STALL_QUEUE_FULL] = 0,   [HD_STALL_UNIT_BUSY] = 0,     [HD_STALL_SCOREBOARD] = 1, [HD_STALL_PAIR] = 2,   [HD_STALL_CONSTANT] = 3,
    [HD_STALL_DELAY] = 4,        [HD_STALL_HOLD] = 5,          [HD_STALL_FLOW] = 6,       [HD_STALL_FETCH] = 7,  [HD_STALL_WAIT_COUNTER] = 8,
    [HD_STALL_COUNTER_FULL] = 9, [HD_STALL_HIGH_LATENCY] = 10, [HD_STALL_BARRIER] = 11,   [HD_STALL_OTHER] = 12, [HD_STALL_NO_WARP] = 13,
};

static void event(hd_trace *trace, const hd_trace_event *e)
{
	faces *f = (faces *)trace;
	if (e->core == 0 && (e->kind == HD_TRACE_BEGIN || e->kind == HD_TRACE_END))
		f->row[e->scheduler][e->slot] = HD_STALL_COUNT;
	if (e->core == 0 && e->kind == HD_TRACE_WAIT)
		f->row[e->scheduler][e->slot] = e->cause;
	if (e->core == 0 && e->kind == HD_TRACE_ISSUE)
		f->issued[e->scheduler] |= 1u << e->slot;
	if (e->kind != HD_TRACE_LOST)
		return;
	f->total[e->cause] += e->slots;
	if (e->core == 0 && f->n[e->scheduler] < HD_COUNT(f->lost[0]))
		f->lost[e->scheduler][f->n[e->scheduler]++] = *e;
}

static void differs(faces *f, const hd_units *units, unsigned s, const hd_trace_event *e, const char *what)
{
	if (!*f->wrong)
		snprintf(f->wrong, sizeof f->wrong, "cycle %llu, scheduler %u: a slot of warp %u is lost for `%s`, %s",
		         (unsigned long long)units->cycle, s, e->slot, hd_stalls[e->cause].name, what);
}

static int64_t cause_of(int64_t why) { return why == HD_UNIT_WINDOW ? HD_STALL_DELAY : why; }

/* A slot that is lost for want of a warp: no warp is closer to issue than the cause says, and it is the first one in order that has the cause. */
static void compare_idle(faces *f, const hd_units *units, unsigned s, const hd_trace_event *e)
{
	unsigned first = HD_TRACE_NO_WARP;
	for (unsigned i = 0; i < HD_UNIT_WARPS; i++) {
		unsigned slot = (unsigned)units->scheduler[s].order[i];
		int64_t cause = cause_of(units->warp[s * HD_UNIT_WARPS + slot].why[0]);
		if (cause < 0)
			continue;
		f->named[cause]++;
		if (rank[cause] < rank[e->cause])
			differs(f, units, s, e, "and another warp is closer to issue");
		if (cause == e->cause && first == HD_TRACE_NO_WARP)
			first = slot;
	}
	if (first != e->slot)
		differs(f, units, s, e, "which waits for something else, or is not the first one that does");
}

/* Beside picks: the warp had the cause before, or could be picked then. */
static void compare_rest(faces *f, const hd_units *units, unsigned s, const hd_trace_event *e)
{
	int64_t why = e->slot == HD_TRACE_NO_WARP ? HD_UNIT_READY : cause_of(units->warp[s * HD_UNIT_WARPS + e->slot].why[0]);
	bool picked = why == HD_UNIT_READY;
	for (unsigned i = 0; i < HD_UNIT_LOOKS; i++)
		picked |= units->look[s * HD_UNIT_LOOKS + i].number[0] && units->look[s * HD_UNIT_LOOKS + i].warp[0] == e->slot;
	if (!picked && why != e->cause)
		differs(f, units, s, e, "for which it did not wait");
}

/* The cause that a warp's turn gives for it; HD_STALL_COUNT: it can be picked. */
static int64_t found_by(const hd_units *units, unsigned s, unsigned slot)
{
	int64_t cause = cause_of(units->warp[s * HD_UNIT_WARPS + slot].why[0]);
	for (unsigned i = 0; i < HD_UNIT_LOOKS; i++) {
		const hd_unit_look *look = &units->look[s * HD_UNIT_LOOKS + i];
		if (!look->number[0] || look->warp[0] != slot)
			continue;
		cause = look->outcome[0] == HD_UNIT_REGISTER   ? HD_STALL_SCOREBOARD
		        : look->outcome[0] == HD_UNIT_SECOND   ? HD_STALL_PAIR
		        : look->outcome[0] == HD_UNIT_CONSTANT ? HD_STALL_CONSTANT
		                                               : HD_STALL_COUNT + 1; /* of a window: many */
	}
	return cause < 0 ? HD_STALL_COUNT : cause;
}

/* A warp that could be picked may lose its pipe to one that is, and the scoreboard is asked for those that are picked. */
static bool may_come(const faces *f, unsigned s, int64_t row)
{
	return row == HD_STALL_SCOREBOARD || (f->issued[s] && (row == HD_STALL_QUEUE_FULL || row == HD_STALL_UNIT_BUSY));
}

/* Every warp: one that issues waits for nothing, and in a cycle without an issue every warp waits. What it waits for is what the scheduler saw. */
static void compare_rows(faces *f, const hd_units *units, unsigned s, bool idle)
{
	for (unsigned slot = 0; slot < HD_UNIT_WARPS; slot++) {
		int64_t row = f->row[s][slot], seen = found_by(units, s, slot);
		const char *what = NULL;
		if (!units->warp[s * HD_UNIT_WARPS + slot].live[0])
			continue;
		f->waits[row] += 1;
		if (f->issued[s] >> slot & 1)
			what = row == HD_STALL_COUNT ? NULL : "waits and issues";
		else if (idle && row == HD_STALL_COUNT)
			what = "does not wait, and nobody issues";
		else if (seen <= HD_STALL_COUNT && row != seen && !(seen == HD_STALL_COUNT && may_come(f, s, row)))
			what = "waits for something else than its scheduler saw";
		else if (!f->wide && row == HD_STALL_SCOREBOARD && f->ready[s] >> slot & 1)
			what = "could be picked a cycle before, and only its own instructions write its registers";
		f->ready[s] = (f->ready[s] & ~(1u << slot)) | (uint32_t)(row == HD_STALL_COUNT && !(f->issued[s] >> slot & 1)) << slot;
		if (what && !*f->wrong)
			snprintf(f->wrong, sizeof f->wrong, "cycle %llu, scheduler %u: warp %u (`%s`) %s (%lld)", (unsigned long long)units->cycle, s,
			         slot, row < HD_STALL_COUNT ? hd_stalls[row].name : "ready", what, (long long)seen);
	}
}

static void cycle(hd_unit_watch *watch, const hd_units *units)
{
	faces *f = (faces *)(void *)((char *)watch - offsetof(faces, watch));
	for (unsigned s = 0; s < units->sizes.schedulers; s++) {
		uint64_t slots[HD_STALL_COUNT] = {0};
		bool idle = !units->scheduler[s].ready[0] && !units->look[s * HD_UNIT_LOOKS].number[0];
		for (unsigned i = 0; i < f->n[s]; i++) {
			const hd_trace_event *e = &f->lost[s][i];
			slots[e->cause] += e->slots;
			if (e->cause != HD_STALL_REPLAY && e->cause != HD_STALL_NO_WARP)
				(idle ? compare_idle : compare_rest)(f, units, s, e);
		}
		for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
			if (slots[cause] != (uint64_t)units->scheduler[s].lost[cause])
				differs(f, units, s, &(hd_trace_event){.cause = (uint8_t)cause}, "by another number of slots in statistics");
		compare_rows(f, units, s, idle);
		f->n[s] = 0;
		f->issued[s] = 0;
		f->compared += HD_UNIT_WARPS;
	}
}

static bool check(const ex_example *example, const char *preset, faces *all, hd_diag *diag)
{
	hd_machine machine;
	bool ok = hd_machine_load(&machine, preset, diag);
	hd_text path = {0};
	hd_text_printf(&path, "%s/examples/%s", getenv("HEDDLE_SOURCE"), example->source);
	hd_object *object = ok ? ex_heddle_compile(path.at, &machine, false, diag) : NULL;
	ex_backend *backend = object ? ex_heddle_new(object, &machine, false, diag) : NULL;
	ex_run run = {0};
	faces *f = hd_xcalloc(1, sizeof *f);
	f->wide = machine.multi_issue_window > 1;
	memset(f->row, HD_STALL_COUNT, sizeof f->row);
	f->trace.event = event;
	f->watch = (hd_unit_watch){.first = 1, .last = UINT64_MAX, .cycle = cycle};
	f->trace.units = &f->watch;
	if (backend)
		ex_heddle_watch(backend, &f->trace);
	ok = backend && ex_run_example(&run, example, 0, backend, diag);
	for (unsigned cause = 0; ok && cause < HD_STALL_COUNT; cause++) {
		all->named[cause] += f->named[cause];
		all->waits[cause] += f->waits[cause];
		if (f->total[cause] != ex_heddle_stats(backend)->stall[cause]) {
			hd_error(diag, (hd_pos){.file = example->name}, "%s: %llu slots of `%s` by the trace, %llu by the statistics", preset,
			         (unsigned long long)f->total[cause], hd_stalls[cause].name,
			         (unsigned long long)ex_heddle_stats(backend)->stall[cause]);
			ok = false;
		}
	}
	if (*f->wrong)
		hd_error(diag, (hd_pos){.file = example->name}, "%s: %s", preset, f->wrong);
	all->compared += f->compared;
	ok = ok && !*f->wrong;
	free(f);
	ex_run_free(&run);
	if (backend)
		ex_heddle_free(backend);
	if (object)
		hd_object_free(object);
	hd_text_free(&path);
	return ok;
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"saxpy", "matmul-tiled", "reduce", "divergent", "histogram", "sha256"};
	faces all = {0};
	hd_diag diag = {0};
	bool ok = true;
	for (unsigned p = 0; hd_machine_presets[p]; p++)
		for (unsigned i = 0; ex_tested[i]; i++) {
			bool wanted = false;
			for (unsigned n = 0; n < HD_COUNT(names) && argc < 2; n++)
				wanted |= strcmp(ex_tested[i]->name, names[n]) == 0;
			for (int a = 1; a < argc; a++)
				wanted |= strcmp(ex_tested[i]->name, argv[a]) == 0;
			ok = (!wanted || check(ex_tested[i], hd_machine_presets[p], &all, &diag)) && ok;
		}
	fputs(diag.text.at ? diag.text.at : "", stdout);
	printf("%llu warp slots compared, of idle schedulers those that wait for", (unsigned long long)all.compared);
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		if (all.named[cause])
			printf(" %s %llu", hd_stalls[cause].name, (unsigned long long)all.named[cause]);
	printf("; of all schedulers");
	for (unsigned cause = 0; cause < HD_STALL_COUNT; cause++)
		if (all.waits[cause])
			printf(" %s %llu", hd_stalls[cause].name, (unsigned long long)all.waits[cause]);
	printf("\n");
	hd_diag_free(&diag);
	return !ok;
}

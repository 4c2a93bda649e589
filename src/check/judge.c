/* P is an earlier instruction that may be outstanding. C is the instruction that issues.
 *
 *   J1  P and C depend when P writes what C reads (RAW) or writes (WAW), or when P reads what C writes (WAR). This concerns registers and predicates.
 *       The guard is a source.
 *   J2  A counter covers RAW and WAW when P has written for C's pipe, and WAR when P has read for C's pipe (settle.c).
 *   J3  Distance covers RAW in one pipe of fixed latency when at least latency(P) cycles are counted between P and C. The two enter that far apart
 *       (rule 2), and P's result is visible when C reads at its entry. In a narrow pipe the lanes of both enter in the same order. C's guard is read
 *       for all lanes when the first lanes enter (HZ-16), so it needs the result of P's last lanes.
 *   J4  Distance covers WAW in one pipe of fixed latency when it is greater than latency(P) - latency(C), because C then writes after P in each lane.
 *       At least one cycle lies between two entries. In a narrow pipe the lanes of both enter in the same order, so latency(C) is the latency of a
 *       lane.
 *   J5  The order of a pipe covers WAR in one pipe. P enters before C (rule 1) and reads at its entry. C writes after its entry.
 *   J6  Distance covers nothing on a machine with counters inside pipelines (HZ-26) or without a carrier for delays (PD-3).
 *   J7  A fence (`bar`, `membar`, `launch`, `qpush`) needs every earlier access that other threads can see to be performed, and every earlier fence
 *       of another pipe: `bar` is in none that reaches memory, so it needs the others. An access to shared memory needs the accesses of the other
 *       pipe that reaches shared memory (LSU or LATOM) to be performed. One pipe performs its accesses and fences in order (timing.md, Memory).
 *   J8  At a call, a return, an indirect jump and an exit of a subroutine no instruction is outstanding for any pipe (timing.md, Calls). Distance
 *       does not count, because the following code is unknown.
 *   J9  When no lane executes both P and C, their registers and predicates depend only if one of them writes the guard of the other, because a guard
 *       is read for all active lanes. No lane executes both when their guards exclude each other at C (guards.c) and P's guard has not been written
 *       since P issued. This rule excuses nothing that lanes share: neither memory (J7, J8) nor orders (J12).
 *   J10 A last use in C drops the values of the lanes that read it. Every earlier reader R of the register in another pipe must have read for C's
 *       pipe. Where C's value has a producer in the block, which last_use.c requires, WAR between R and that producer ensures this, unless J9 excuses
 *       R. J9 excuses only a guarded R. So J10 judges a guarded R again: R must have read, or no lane executes both R and C.
 *   J11 A scoreboard orders P and C whatever the program says, with guards or without, so J1 to J10 hold by hardware. (J10: the producer of C's value
 *       issues after R has read.) The type of the pre-decode byte is judged, and last_use.c judges last uses. A scoreboard knows no order of the
 *       programmer.
 *   J12 An order of the programmer (HZ-33) is kept like RAW: the second instruction reads what the first one writes. It is no WAW and no WAR: neither
 *       two that come first nor a second one and the next first one are ordered. */
#include "check/judge.h"

#include "check/report.h"

/* P's accesses that nothing has replaced (T6). */
typedef struct accesses {
	uint16_t reads[HD_MAX_RESOURCES], writes[HD_MAX_RESOURCES];
	unsigned n_reads, n_writes;
} accesses;

/* The state of P and C when C is judged. */
typedef struct pair {
	const hd_judge *judge;
	uint32_t producer, consumer;
	const hd_effects *p, *c;
	accesses left;          /* P's */
	bool unwritten, unread; /* P has not written, has not read, for C's pipe */
	bool same_pipe, by_distance;
	bool exclusive; /* no lane executes both P and C */
	uint32_t elapsed;
} pair;

static void complain(const pair *x, hd_hazard_kind kind, int resource, uint32_t missing)
{
	hd_report_add(x->judge->report, kind, x->producer, x->consumer, resource, missing);
}

/* A resource that is in both lists, or -1. With exclusive guards only the guard of the reader and orders count (J9). */
static int shared_resource(const pair *x, const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb, uint32_t reader)
{
	const uint16_t guard = (uint16_t)(HD_RESOURCE_PREDICATE + x->judge->graph->insts[reader].guard);
	for (unsigned i = 0; i < na; i++) {
		if ((!x->exclusive || a[i] == guard || a[i] >= HD_RESOURCE_ORDER) && hd_common_resource(&a[i], 1, b, nb) >= 0)
			return a[i];
	}
	return -1;
}

/* P writes what C reads or writes. `needed` is the distance that covers the dependence. */
static void judge_write(const pair *x, hd_hazard_kind kind, int resource, uint32_t needed)
{
	hd_check_report *r = x->judge->report;
	r->dependences++;
	if (!x->unwritten)
		r->by_counter++;
	else if (x->by_distance && x->elapsed >= needed)
		r->by_delay++;
	else
		complain(x, kind, resource, x->by_distance ? needed - x->elapsed : 0);
}

/* P reads what C writes. */
static void judge_overwrite(const pair *x, int resource)
{
	hd_check_report *r = x->judge->report;
	r->dependences++;
	if (x->same_pipe)
		r->by_order++; /* J5 */
	else if (!x->unread)
		r->by_counter++;
	else
		complain(x, HD_HAZARD_WAR, resource, 0);
}

static unsigned keep_unreplaced(uint16_t *out, const uint16_t *resources, unsigned n, uint32_t replaced)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < n; i++)
		if (!(replaced >> i & 1))
			out[kept++] = resources[i];
	return kept;
}

static void judge_registers(const pair *x)
{
	const hd_effects *p = x->p, *c = x->c;
	const accesses *left = &x->left;
	const uint16_t guard = (uint16_t)(HD_RESOURCE_PREDICATE + x->judge->graph->insts[x->consumer].guard);
	int raw = shared_resource(x, left->writes, left->n_writes, c->reads, c->n_reads, x->consumer);
	bool by_guard = hd_common_resource(left->writes, left->n_writes, &guard, 1) >= 0;
	int waw = x->exclusive ? -1 : hd_common_resource(left->writes, left->n_writes, c->writes, c->n_writes);
	int war = shared_resource(x, left->reads, left->n_reads, c->writes, c->n_writes, x->producer);
	if (raw >= HD_RESOURCE_ORDER)
		judge_write(x, HD_HAZARD_ORDER, -1, p->latency); /* J12 */
	else if (raw >= 0)
		judge_write(x, HD_HAZARD_RAW, by_guard ? guard : raw, by_guard ? p->guard_latency : p->latency); /* J3 */
	if (waw >= 0 && waw < HD_RESOURCE_ORDER)
		judge_write(x, HD_HAZARD_WAW, waw, p->latency >= c->lane_latency ? p->latency - c->lane_latency + 1u : 1u); /* J4 */
	if (war >= 0 && war < HD_RESOURCE_ORDER)
		judge_overwrite(x, war);
}

/* J7 */
static void judge_memory(const pair *x)
{
	hd_check_report *r = x->judge->report;
	bool fenced = x->c->fence && (x->p->ordered_by_fences || (x->p->fence && !x->same_pipe));
	bool across = x->c->shared_memory && x->p->shared_memory && !x->same_pipe;
	if (!fenced && !across)
		return;
	r->dependences++;
	if (x->unwritten)
		complain(x, HD_HAZARD_MEMORY, -1, 0);
	else
		r->by_counter++;
}

/* J10. `flagged` holds the registers of C's last uses. */
static void judge_last_use(const pair *x, const uint16_t *flagged, unsigned n)
{
	int reg = hd_common_resource(x->left.reads, x->left.n_reads, flagged, n);
	bool guarded = !hd_is_unguarded(&x->judge->graph->insts[x->producer]);
	if (reg >= 0 && guarded && x->unread && !x->same_pipe && !x->exclusive)
		complain(x, HD_HAZARD_LAST_USE, reg, 0);
}

static unsigned last_uses(const hd_judge *j, uint32_t word, uint16_t flagged[HD_MAX_RESOURCES])
{
	const hd_inst *inst = &j->graph->insts[word];
	hd_use uses[HD_MAX_USES];
	unsigned found = 0;
	if (!inst->last_use || !j->machine->last_use_flags)
		return 0;
	for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;) {
		for (unsigned w = 0; uses[n].operand < 3 && w < uses[n].words && (inst->last_use >> uses[n].operand & 1); w++)
			flagged[found++] = (uint16_t)(uses[n].reg + w);
	}
	return found;
}

/* HZ-20: the machine has the counter, and the counter is of the latency set of the primary's class. */
static bool counters_exist(const hd_machine *machine, const hd_inst *inst)
{
	uint32_t lowest, highest;
	if (inst->wait >> machine->fence_counters)
		return false;
	hd_machine_counters(machine, hd_machine_high_latency(machine, (hd_class)hd_ops[inst->op].klass), &lowest, &highest);
	if (machine->fence_deadlock_free) /* any primary may have a counter for which nothing waits in a queue (HZ-35) */
		highest = machine->fence_counters;
	return !inst->primary || (inst->primary >= lowest && inst->primary <= highest);
}

void hd_judge_type(const hd_judge *j, uint32_t word)
{
	if (j->effects[word].mistyped)
		hd_report_add(j->report, HD_HAZARD_TYPE, word, word, -1, 0);
}

void hd_judge_instruction(const hd_judge *j, const hd_facts *facts, const hd_guards *guards, uint32_t word)
{
	const hd_effects *c = &j->effects[word];
	const hd_inst *inst = &j->graph->insts[word];
	uint16_t flagged[HD_MAX_RESOURCES];
	unsigned n_flagged = last_uses(j, word, flagged);
	if (!counters_exist(j->machine, inst))
		hd_report_add(j->report, HD_HAZARD_COUNTER, word, word, -1, 0);
	hd_judge_type(j, word);
	for (size_t i = 0; i < facts->list.n; i++) {
		const hd_fact *fact = &facts->list.at[i];
		const hd_effects *p = &j->effects[fact->word];
		bool by_register = (p->writes_any & (c->reads_any | c->writes_any)) || (p->reads_any & c->writes_any);
		if (!by_register && !c->fence && !c->shared_memory && !c->drains && !n_flagged)
			continue;
		bool same = p->pipe == c->pipe;
		pair x = {.judge = j,
		          .producer = fact->word,
		          .consumer = word,
		          .p = p,
		          .c = c,
		          .unwritten = fact->unwritten >> c->pipe & 1,
		          .unread = fact->unread >> c->pipe & 1,
		          .same_pipe = same,
		          .by_distance = same && !p->variable_latency && !hd_machine_within_pipeline(j->machine), /* J6 */
		          .exclusive = !fact->guard_changed && hd_guards_exclude(guards, &j->graph->insts[fact->word], inst),
		          .elapsed = hd_facts_elapsed(facts, fact)};
		x.left.n_reads = keep_unreplaced(x.left.reads, p->reads, p->n_reads, fact->replaced_reads);
		x.left.n_writes = keep_unreplaced(x.left.writes, p->writes, p->n_writes, fact->replaced_writes);
		if (by_register)
			judge_registers(&x);
		judge_memory(&x);
		if (n_flagged)
			judge_last_use(&x, flagged, n_flagged);
		if (c->drains && (fact->unwritten || fact->unread)) /* J8 */
			complain(&x, HD_HAZARD_CALL, -1, 0);
	}
}

/* P is an earlier instruction of which something may be outstanding, C the one that is issued.
 *
 *   J1  They depend when P writes what C reads (RAW) or writes (WAW), or reads what C writes (WAR): registers and predicates, the guard among the
 * sources. J2  A counter covers RAW and WAW when P has written, WAR when P has read, for C's pipe (settle.c). J3  Distance covers RAW in one pipe of
 * fixed latency: at least latency(P) cycles are counted between the two. They enter that far apart (rule 2), and C reads at its entry, when P's
 * result is visible. J4  Distance covers WAW there when it is greater than latency(P) - latency(C), so that C writes after P; at least one cycle lies
 * between two entries. J5  The order of a pipe covers WAR in one pipe: P enters before C (rule 1) and reads then; C writes later than it enters. J6
 * No distance counts where the machine has counters inside pipelines, too (HZ-26), or no carrier for delays (PD-3). J7  `bar` and `membar` need every
 * earlier access that others can see to be performed. Accesses to shared memory need it of those of the other pipe that goes there (LSU and LATOM);
 * inside one pipe accesses are performed in order (timing.md, Memory). J8  At a call, a return or an indirect jump nothing is outstanding for any
 * pipe (timing.md, Calls). No distance counts: the code behind is not known.
 */
#include "check/judge.h"

#include "check/path.h"
#include "check/report.h"

static void complain(const hd_judge *j, hd_hazard_kind kind, uint32_t producer, uint32_t consumer, int resource, uint32_t missing)
{
	hd_finding *finding = hd_report_add(j->report, kind, producer, consumer, resource, missing);
	if (finding)
		hd_path_find(j->graph, j->in, finding);
}

/* What is known of P and C when C is judged. */
typedef struct pair {
	uint32_t producer, consumer;
	const hd_effects *p, *c;
	bool unwritten, unread; /* for C's pipe */
	bool same_pipe, by_distance;
	uint32_t elapsed;
} pair;

/* J1 to J4 for what P writes and C reads or writes. `needed`: the distance that covers it. */
static void judge_write(const hd_judge *j, const pair *x, hd_hazard_kind kind, int resource, uint32_t needed)
{
	hd_check_report *r = j->report;
	r->dependences++;
	if (!x->unwritten)
		r->by_counter++;
	else if (x->by_distance && x->elapsed >= needed)
		r->by_delay++;
	else
		complain(j, kind, x->producer, x->consumer, resource, x->by_distance ? needed - x->elapsed : 0);
}

static void judge_registers(const hd_judge *j, const pair *x)
{
	const hd_effects *p = x->p, *c = x->c;
	hd_check_report *r = j->report;
	int resource = hd_common_resource(p->writes, p->n_writes, c->reads, c->n_reads);
	if (resource >= 0)
		judge_write(j, x, HD_HAZARD_RAW, resource, p->latency); /* J3 */
	resource = hd_common_resource(p->writes, p->n_writes, c->writes, c->n_writes);
	if (resource >= 0)
		judge_write(j, x, HD_HAZARD_WAW, resource, p->latency >= c->latency ? p->latency - c->latency + 1u : 1u); /* J4 */
	resource = hd_common_resource(p->reads, p->n_reads, c->writes, c->n_writes);
	if (resource < 0)
		return;
	r->dependences++;
	if (x->same_pipe)
		r->by_order++; /* J5 */
	else if (!x->unread)
		r->by_counter++;
	else
		complain(j, HD_HAZARD_WAR, x->producer, x->consumer, resource, 0);
}

static void judge_pair(const hd_judge *j, const hd_facts *facts, const hd_fact *fact, uint32_t word)
{
	const hd_effects *p = &j->effects[fact->word], *c = &j->effects[word];
	if ((p->writes_any & (c->reads_any | c->writes_any)) || (p->reads_any & c->writes_any)) {
		bool same = p->pipe == c->pipe;
		judge_registers(j, &(pair){.producer = fact->word,
		                           .consumer = word,
		                           .p = p,
		                           .c = c,
		                           .unwritten = fact->unwritten >> c->pipe & 1,
		                           .unread = fact->unread >> c->pipe & 1,
		                           .same_pipe = same,
		                           .by_distance = same && !p->variable_latency && !hd_machine_within_pipeline(j->machine), /* J6 */
		                           .elapsed = hd_facts_elapsed(facts, fact)});
	}
	if ((c->fence && p->ordered_by_fences) || (c->shared_memory && p->shared_memory && p->pipe != c->pipe)) { /* J7 */
		j->report->dependences++;
		if (fact->unwritten >> c->pipe & 1)
			complain(j, HD_HAZARD_MEMORY, fact->word, word, -1, 0);
		else
			j->report->by_counter++;
	}
	if (c->drains && (fact->unwritten || fact->unread)) /* J8 */
		complain(j, HD_HAZARD_CALL, fact->word, word, -1, 0);
}

/* HZ-20: a counter that the machine has, of the set that the primary's class calls for. */
static bool counters_exist(const hd_machine *machine, const hd_inst *inst)
{
	uint32_t lowest, highest;
	if (inst->wait >> machine->fence_counters)
		return false;
	hd_machine_counters(machine, hd_machine_high_latency(machine, (hd_class)hd_ops[inst->op].klass), &lowest, &highest);
	return !inst->primary || (inst->primary >= lowest && inst->primary <= highest);
}

void hd_judge_instruction(const hd_judge *j, const hd_facts *facts, uint32_t word)
{
	if (!counters_exist(j->machine, &j->graph->insts[word]))
		hd_report_add(j->report, HD_HAZARD_COUNTER, word, word, -1, 0);
	if (j->effects[word].mistyped)
		hd_report_add(j->report, HD_HAZARD_TYPE, word, word, -1, 0);
	for (size_t i = 0; i < facts->list.n; i++)
		judge_pair(j, facts, &facts->list.at[i], word);
}

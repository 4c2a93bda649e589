/* A forward analysis over the physical graph. It collects the facts at the entry of every block (facts.h) until they no longer change. A last pass
 * then judges every instruction by these facts. */
#include "check/check.h"

#include "check/apart.h"
#include "check/forward.h"
#include "check/judge.h"
#include "check/last_use.h"
#include "check/path.h"
#include "check/report.h"
#include "check/reuse.h"
#include "check/room.h"
#include "check/settle.h"

typedef struct checker {
	const hd_machine *machine;
	const hd_code_graph *graph;
	const hd_effects *effects; /* by word */
	hd_fact_list *in;          /* by block: at its entry */
	hd_fact_list *out;         /* by block: at its end; filled by the last pass */
	hd_facts facts;            /* before the current instruction */
	hd_guards guards;          /* before the current instruction; valid in the last pass only */
} checker;

static void step(checker *c, uint32_t word, const hd_judge *judge)
{
	const hd_effects *fx = &c->effects[word];
	if (!hd_spend_steps(c->graph, 1 + c->facts.list.n))
		return;
	hd_facts_wait(&c->facts, fx);
	hd_settle(&c->facts, c->graph, c->effects, c->machine, word);
	if (judge && fx->pipe != HD_PIPE_NONE)
		hd_judge_instruction(judge, &c->facts, &c->guards, word);
	hd_facts_issue(&c->facts, word, c->effects, &c->graph->insts[word]);
	hd_facts_pass(&c->facts, fx);
}

/* Judges the block's instructions if `judge` is not NULL. c->guards must then hold the guards at the entry of the block. */
static void run_block(checker *c, uint32_t block, const hd_judge *judge)
{
	const hd_code_graph *g = c->graph;
	hd_facts_begin(&c->facts, &c->in[block], g->begin[block]);
	for (uint32_t word = g->begin[block]; word < g->begin[block + 1]; word++) {
		if (hd_is_scheduling_word(g, word))
			continue;
		step(c, word, judge);
		if (judge)
			hd_guards_step(&c->guards, g, word);
	}
}

static void run(void *analysis, uint32_t block)
{
	checker *c = analysis;
	run_block(c, block, NULL);
	hd_facts_end(&c->facts);
}

static bool join(void *analysis, uint32_t from, uint32_t to)
{
	checker *c = analysis;
	if (!hd_spend_steps(c->graph, 1 + c->in[to].n + c->facts.list.n))
		return false;
	hd_entry_waits waits = hd_entry_waits_of(c->graph, c->effects, from, to);
	size_t before = c->in[to].n;
	bool changed = hd_facts_join(&c->in[to], &c->facts, &waits);
	return hd_spend_steps(c->graph, HD_STEPS_OF_STORING * (c->in[to].n - before)) && changed;
}

/* Judges every instruction. Finds the path of each finding. */
static void judge_all(checker *c, hd_check_report *r)
{
	const hd_code_graph *g = c->graph;
	const hd_judge judge = {.graph = g, .effects = c->effects, .machine = c->machine, .report = r};
	hd_guards *guards = hd_guards_new(g);
	for (uint32_t b = 0; b < g->n; b++) {
		c->guards = guards[b];
		run_block(c, b, &judge);
		hd_facts_end(&c->facts);
		for (size_t i = 0; i < c->facts.list.n && hd_spend_steps(g, HD_STEPS_OF_STORING); i++)
			hd_vec_push(&c->out[b], c->facts.list.at[i]);
	}
	for (size_t i = 0; i < r->findings.n; i++) {
		hd_finding *f = &r->findings.at[i];
		if (f->kind != HD_HAZARD_COUNTER && f->kind != HD_HAZARD_TYPE)
			hd_path_find(g, c->effects, c->in, c->out, f);
	}
	free(guards);
}

static void doubt_last_use(void *context, uint32_t word, uint32_t other, int reg)
{
	hd_finding *finding = hd_report_add(context, HD_HAZARD_LAST_USE, other, word, reg, 0);
	if (finding)
		hd_vec_push(&finding->path, word);
}

static void judge_dependences(const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, hd_check_report *r)
{
	checker c = {.machine = machine,
	             .graph = g,
	             .effects = effects,
	             .in = hd_xcalloc((size_t)g->n + 1, sizeof *c.in),
	             .out = hd_xcalloc((size_t)g->n + 1, sizeof *c.out)};
	hd_facts_init(&c.facts, g->words);
	hd_forward_solve(g, &(hd_forward){.run = run, .join = join, .analysis = &c});
	if (hd_spend_steps(g, 0))
		judge_all(&c, r);
	if (hd_spend_steps(g, 0))
		hd_find_room(g, effects, machine, r);
	if (machine->fence_deadlock_free && hd_spend_steps(g, 0))
		hd_find_reuse(g, effects, machine, r);
	for (uint32_t b = 0; b < g->n; b++) {
		hd_vec_free(&c.in[b]);
		hd_vec_free(&c.out[b]);
	}
	free(c.in);
	free(c.out);
	hd_facts_free(&c.facts);
}

/* The machine has a scoreboard (J11). */
static void judge_types(const hd_code_graph *g, const hd_effects *effects, const hd_machine *machine, hd_check_report *r)
{
	const hd_judge judge = {.graph = g, .effects = effects, .machine = machine, .report = r};
	r->by_scoreboard = true;
	for (uint32_t word = 0; word < g->words && hd_spend_steps(g, 1); word++)
		if (!hd_is_scheduling_word(g, word) && effects[word].pipe != HD_PIPE_NONE)
			hd_judge_type(&judge, word);
	for (size_t i = 0; i < g->object->orders.n && hd_spend_steps(g, 1); i++)
		hd_report_add(r, HD_HAZARD_ORDER, g->object->orders.at[i].first, g->object->orders.at[i].second, -1, 0);
}

bool hd_check(const hd_object *object, const hd_machine *machine, hd_check_report *report)
{
	return hd_check_within(object, machine, HD_CHECK_STEPS, report);
}

bool hd_check_within(const hd_object *object, const hd_machine *configured, uint64_t steps, hd_check_report *r)
{
	const hd_machine machine = hd_machine_split(configured, object->counters, object->split);
	uint64_t left = steps;
	hd_code_graph *g = hd_code_graph_new(object, hd_meeting_of(&machine), &left);
	hd_effects *effects = hd_effects_new(g, &machine);
	*r = (hd_check_report){0};
	if (hd_machine_has_scoreboard(&machine))
		judge_types(g, effects, &machine, r);
	else
		judge_dependences(g, effects, &machine, r);
	hd_find_apart(g, hd_meeting_of(&machine), r);
	if (machine.last_use_flags && hd_spend_steps(g, 0))
		r->last_uses = hd_check_last_uses(g, &machine, doubt_last_use, r);
	free(effects);
	hd_code_graph_free(g);
	r->gave_up = left ? 0 : steps;
	return r->total == 0 && left;
}

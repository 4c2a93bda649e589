#include "passes/schedule/schedule.h"

#include "passes/schedule/dependence_graph.h"
#include "passes/schedule/forwarding.h"
#include "passes/schedule/pressure.h"

enum {
	MIN_BLOCK = 3,        /* instructions: shorter blocks stay as they are */
	MAX_SEQUENCE = 512,   /* instructions: longer blocks are scheduled in parts, as the work grows with the square of the length */
	PRESSURE_MARGIN = 12, /* registers: pressure counts from so many below the limit on */
};

typedef struct scheduler {
	const hd_ir_function *f;
	hd_dependence_graph graph;
	hd_pressure pressure; /* before allocation */
	hd_bits live;         /* before allocation: what is live behind the current sequence */
	uint32_t limit;       /* live words that cost no occupancy; 0 = after allocation */
	bool pairs;           /* two instructions of different pipes may issue in a cycle */
	/* of the current sequence: a block, or a part of one */
	hd_forwarding *forwarding;             /* or NULL */
	HD_VEC(uint32_t) ready;                /* nodes all of whose predecessors are placed */
	uint32_t cycle;                        /* the next one */
	uint32_t remaining;                    /* instructions */
	uint8_t last_pipe;                     /* of the instruction before */
	uint32_t unit_free[HD_PIPE_COUNT + 1]; /* by pipe: the cycle in which its entry takes another instruction */
} scheduler;

static const hd_dependence_node *ready_node(const scheduler *s, size_t i) { return &s->graph.nodes.at[s->ready.at[i]]; }

/* The ready instruction that lowers pressure most; among equals, the first in the old order. */
static size_t pick_for_pressure(scheduler *s)
{
	size_t best = 0;
	int best_growth = 0;
	for (size_t i = 0; i < s->ready.n; i++) {
		int growth = hd_pressure_growth(&s->pressure, ready_node(s, i)->inst);
		if (i == 0 || growth < best_growth || (growth == best_growth && s->ready.at[i] < s->ready.at[best])) {
			best = i;
			best_growth = growth;
		}
	}
	return best;
}

/* The first cycle in which ready instruction i can issue and enter its pipe. An instruction that reads from forwarding paths now does not stay behind
 * a busy pipe: its operands would have to be written to the register file meanwhile. */
static uint32_t start_of(const scheduler *s, size_t i)
{
	const hd_dependence_node *node = ready_node(s, i);
	uint32_t start = hd_max_u32(node->earliest, s->cycle), entry = s->unit_free[node->pipe];
	if (entry <= start || (s->forwarding && hd_forwarding_gain(s->forwarding, s->ready.at[i], start)))
		return start;
	return entry;
}

/* Does ready instruction i come before k? */
static bool is_better(const scheduler *s, size_t i, size_t k)
{
	const hd_dependence_node *a = ready_node(s, i), *b = ready_node(s, k);
	uint32_t start_a = start_of(s, i), start_b = start_of(s, k);
	bool pairs_a = a->pipe != s->last_pipe, pairs_b = b->pipe != s->last_pipe;
	if (start_a != start_b)
		return start_a < start_b;
	if (a->height != b->height)
		return a->height > b->height;
	if (s->pairs && pairs_a != pairs_b) /* PD-7: it can make a pair with the instruction before */
		return pairs_a;
	return s->ready.at[i] < s->ready.at[k];
}

static size_t pick_by_critical_path(const scheduler *s)
{
	size_t best = 0;
	for (size_t i = 1; i < s->ready.n; i++)
		if (is_better(s, i, best))
			best = i;
	return best;
}

/* The cycle in which the block ends at best: instructions remain, and critical paths. */
static uint32_t expected_end(const scheduler *s)
{
	uint32_t end = s->cycle + s->remaining;
	for (size_t i = 0; i < s->ready.n; i++) {
		const hd_dependence_node *a = ready_node(s, i);
		end = hd_max_u32(end, hd_max_u32(a->earliest, s->cycle) + a->height);
	}
	return end;
}

/* Of the instructions that can come in this cycle as well as `best`, the one that reads most from forwarding paths. As well: it is as urgent, or
 * `best` can wait a cycle, as the block takes longer anyway. A memory instruction does not wait: its latency is not known. */
static size_t pick_for_forwarding(const scheduler *s, size_t best)
{
	const hd_dependence_node *first = ready_node(s, best);
	if (first->earliest > s->cycle || hd_ir_info(first->inst->op)->flags & HD_OPF_MEM)
		return best;
	uint32_t end = expected_end(s);
	size_t choice = best;
	unsigned gain = hd_forwarding_gain(s->forwarding, s->ready.at[best], s->cycle);
	for (size_t i = 0; i < s->ready.n; i++) {
		const hd_dependence_node *a = ready_node(s, i);
		if (a->earliest > s->cycle || (a->height != first->height && s->cycle + 1 + first->height > end))
			continue;
		unsigned other = hd_forwarding_gain(s->forwarding, s->ready.at[i], s->cycle);
		if (other > gain) {
			gain = other;
			choice = i;
		}
	}
	return choice;
}

static size_t pick(scheduler *s)
{
	bool tight = s->limit && s->pressure.live > (int)s->limit;
	size_t best = tight ? pick_for_pressure(s) : pick_by_critical_path(s);
	return s->forwarding ? pick_for_forwarding(s, best) : best;
}

/* Node n comes next: its successors may become ready. */
static void place(scheduler *s, uint32_t n)
{
	const hd_dependence_node *at = &s->graph.nodes.at[n];
	s->cycle = hd_max_u32(s->cycle, at->earliest);
	/* After allocation the ALU counts as free. Otherwise others would come between 64-bit additions and the loads that read their addresses from
	 * forwarding paths. */
	if (at->pipe < HD_PIPE_FLOW && !(s->f->allocated && at->pipe == HD_PIPE_ALU))
		s->unit_free[at->pipe] =
		    hd_max_u32(s->unit_free[at->pipe], s->cycle) + hd_machine_spread(s->graph.machine, (hd_class)hd_ops[at->inst->op].klass);
	if (s->forwarding)
		hd_forwarding_issue(s->forwarding, n, s->cycle);
	if (s->limit)
		hd_pressure_advance(&s->pressure, at->inst);
	s->last_pipe = at->pipe;
	for (uint32_t e = at->first_edge; e; e = s->graph.edges.at[e].next) {
		const hd_dependence_edge *edge = &s->graph.edges.at[e];
		hd_dependence_node *to = &s->graph.nodes.at[edge->to];
		to->earliest = hd_max_u32(to->earliest, s->cycle + edge->latency);
		if (--to->predecessors == 0)
			hd_vec_push(&s->ready, edge->to);
	}
	s->cycle++;
	s->remaining--;
}

/* `part`: the block, with some of its instructions. `last`: no others follow. */
static void schedule_sequence(scheduler *s, hd_ir_block *part, bool last)
{
	const hd_machine *machine = s->graph.machine;
	hd_bits behind = s->live;
	if (last && s->limit) /* local registers end before */
		behind.bits = s->pressure.liveness.global_bits;
	hd_dependence_graph_build(&s->graph, part);
	if (s->limit)
		hd_pressure_start(&s->pressure, &part->insts, &behind);
	s->forwarding = s->f->allocated ? hd_forwarding_new(machine, part) : NULL;
	s->cycle = 0;
	memset(s->unit_free, 0, sizeof s->unit_free);
	s->remaining = (uint32_t)part->insts.n;
	s->ready.n = 0;
	for (uint32_t n = 0; n < s->graph.nodes.n; n++) {
		if (s->graph.nodes.at[n].predecessors == 0)
			hd_vec_push(&s->ready, n);
	}
	size_t out = 0;
	while (s->ready.n) {
		size_t i = pick(s);
		uint32_t n = s->ready.at[i];
		s->ready.at[i] = s->ready.at[--s->ready.n];
		part->insts.at[out++] = s->graph.nodes.at[n].inst;
		place(s, n);
	}
	hd_invariant(out == part->insts.n, "a cycle among the instructions of a block of %s", s->f->name);
	hd_forwarding_free(s->forwarding);
}

/* From the last part to the first, as liveness goes. Nothing moves from one part to another. */
static void schedule_block(scheduler *s, uint32_t number)
{
	const hd_ir_block *block = s->f->blocks.at[number];
	size_t n = block->insts.n, parts = n / MAX_SEQUENCE + (n % MAX_SEQUENCE != 0);
	if (n < MIN_BLOCK)
		return;
	if (s->limit)
		hd_live_out(&s->pressure.liveness, number, &s->live);
	for (size_t i = parts; i-- > 0;) {
		size_t first = n * i / parts, end = n * (i + 1) / parts;
		hd_ir_block part = *block;
		part.insts = (hd_ir_insts){.at = block->insts.at + first, .n = end - first, .cap = end - first};
		schedule_sequence(s, &part, end == n);
		if (!s->limit || i == 0)
			continue;
		if (end == n)
			hd_live_before_terminator(&s->pressure.liveness, block, &s->live);
		for (size_t k = end; k-- > first;)
			hd_live_before(&s->pressure.liveness, block->insts.at[k], &s->live);
	}
}

bool hd_pass_schedule(hd_ir_module *module, const hd_pass_context *context)
{
	const hd_machine *machine = context->machine;
	uint32_t full_occupancy = machine->machine_registers / (machine->machine_schedulers * machine->machine_warps * machine->machine_lanes);
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_ir_function *f = module->functions.at[i];
		scheduler s = {.f = f, .graph = hd_dependence_graph_new(f, machine), .pairs = hd_machine_pairs(machine) && f->allocated};
		if (!f->allocated) {
			s.limit = full_occupancy > 2 * PRESSURE_MARGIN ? full_occupancy - PRESSURE_MARGIN : PRESSURE_MARGIN;
			s.pressure = hd_pressure_new(f);
			s.live = hd_live_set(&s.pressure.liveness);
		}
		for (uint32_t b = 0; b < f->blocks.n; b++)
			schedule_block(&s, b);
		if (!f->allocated) {
			hd_pressure_free(&s.pressure);
			hd_bits_free(&s.live);
		}
		hd_dependence_graph_free(&s.graph);
		hd_vec_free(&s.ready);
	}
	return true;
}

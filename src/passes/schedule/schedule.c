/* List scheduling inside blocks, before allocation (virtual registers; watches pressure) and after it (physical registers).
 *
 *  - A graph of the block's instructions: register dependences, the order of memory and of side effects, calls and flow as walls.
 *  - Cycle by cycle, among the instructions whose operands are ready, the one with the longest way to the end of the block; when the live registers
 *    pass the limit, the one that frees most.
 *  - An instruction that overwrites a source of a load counts as its reader: a primary has one release, and where a load's result is also
 *    waited for, the overwriting instruction would have to wait as long (docs/timing.md). */
#include "passes/analysis/liveness.h"
#include "passes/schedule/forwarding.h"
#include "passes/analysis/latency_estimate.h"
#include "passes/passes.h"
#include "passes/schedule/recent_pipes.h"

typedef struct node {
	hd_ir_inst *inst;
	uint32_t height;    /* cycles from its issue to the end of the block, at best */
	uint32_t earliest;  /* cycle in which its operands are ready */
	uint32_t waiting;   /* predecessors not yet scheduled */
	uint32_t first_out; /* edges, linked; 0 = none */
	uint32_t latency;   /* to a consumer in its own pipe or another */
	bool done;
	uint8_t pipe;
} node;

typedef struct edge {
	uint32_t to, latency, next;
} edge;

typedef struct resource {
	uint32_t stamp;     /* block for which the rest is valid */
	uint32_t writer;    /* node + 1 */
	uint32_t readers;   /* linked list of reads since, index into `reads` */
	uint32_t uses_left; /* pressure: reads not yet scheduled */
	bool live, live_out, counted;
} resource;

typedef struct read_link {
	uint32_t node, next;
} read_link;

typedef struct scheduler {
	const hd_machine *machine;
	const hd_ir_function *f;
	HD_VEC(node) nodes;
	HD_VEC(edge) edges;
	HD_VEC(read_link) reads;
	HD_VEC(uint32_t) memory; /* memory nodes of the block so far */
	resource *resources;     /* 4 a virtual register; or physical registers and predicates */
	uint32_t stamp;
	bool pairs;        /* two of different pipes may issue in a cycle */
	uint8_t pair_pipe; /* of the instruction before */
	uint32_t limit;    /* live words aimed at; 0 = no matter */
	hd_liveness live;  /* empty after allocation */
	hd_spread spread;
} scheduler;

enum { PHYSICAL_PREDICATE = 256, PHYSICAL = 264 };

/* Resources of an operand: first and count. */
static uint32_t span(const scheduler *s, const hd_opd *o, uint32_t *first)
{
	if (o->kind != HD_OPD_REG && o->kind != HD_OPD_PRED)
		return 0;
	if (s->f->allocated) {
		if (o->kind == HD_OPD_PRED) {
			*first = PHYSICAL_PREDICATE + o->reg;
			return o->reg < HD_PREDS;
		}
		*first = o->reg + o->sub;
		return o->reg == HD_RZ ? 0 : o->words;
	}
	*first = o->reg * 4 + o->sub;
	return o->kind == HD_OPD_PRED ? 1 : o->words;
}

static resource *resource_at(scheduler *s, uint32_t r)
{
	resource *found = &s->resources[r];
	if (found->stamp != s->stamp)
		*found = (resource){.stamp = s->stamp};
	return found;
}

static void add_edge(scheduler *s, uint32_t from, uint32_t to, uint32_t latency)
{
	if (from == to)
		return;
	if (s->edges.n == 0)
		hd_vec_push(&s->edges, (edge){0}); /* 0 ends a list */
	hd_vec_push(&s->edges, (edge){to, latency, s->nodes.at[from].first_out});
	s->nodes.at[from].first_out = (uint32_t)s->edges.n - 1;
	s->nodes.at[to].waiting++;
}

static uint8_t pipe_of(const hd_ir_inst *inst) { return inst->op < HD_OP_COUNT ? hd_ops[inst->op].pipe : HD_PIPE_NONE; }

static bool is_wall(const hd_ir_inst *inst)
{
	return inst->op == HD_IR_CALLF || (inst->op < HD_OP_COUNT && hd_ops[inst->op].flags & HD_OPF_FLOW && inst->op != HD_OP_BAR);
}

static unsigned flags_of(const hd_ir_inst *inst) { return hd_ir_info(inst->op)->flags; }

static bool is_clock(const hd_ir_inst *inst) { return inst->op == HD_OP_S2R && inst->sub >= HD_SREG_CLOCK; }

/* Things whose order among themselves is kept: barriers, fences, clocks, volatile accesses. */
static bool is_ordered(const hd_ir_inst *inst)
{
	if (inst->op == HD_OP_BAR || inst->op == HD_OP_MEMBAR || is_clock(inst))
		return true;
	unsigned format = hd_ir_info(inst->op)->format;
	return inst->op < HD_OP_COUNT && (format == HD_F_LD || format == HD_F_ST) && inst->mod == HD_CACHE_VOLATILE;
}

static char space_of(const hd_ir_inst *inst)
{
	switch (inst->op) {
	case HD_OP_LDG:
	case HD_OP_STG:
	case HD_OP_ATOMG:
	case HD_OP_CASG:
		return 'g';
	case HD_OP_LDS:
	case HD_OP_STS:
	case HD_OP_ATOMS:
	case HD_OP_CASS:
		return 's';
	case HD_OP_LDL:
	case HD_OP_STL:
		return 'l';
	case HD_OP_LDC:
	case HD_OP_LDK:
		return 'c';
	default:
		return '?';
	}
}

static bool same_operand(const hd_opd *a, const hd_opd *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->sub == b->sub && a->words == b->words && a->imm == b->imm;
}

/* Whether two memory instructions may touch one byte. `redefined`: the base of the earlier one was written since. */
static bool may_alias(const hd_ir_inst *a, const hd_ir_inst *b, bool redefined)
{
	char sa = space_of(a), sb = space_of(b);
	if (sa == 'c' || sb == 'c')
		return false;
	if (sa != '?' && sb != '?' && sa != sb)
		return false;
	unsigned fa = hd_ops[a->op].format, fb = hd_ops[b->op].format;
	if (redefined || sa != sb || (fa != HD_F_LD && fa != HD_F_ST) || (fb != HD_F_LD && fb != HD_F_ST) || !same_operand(&a->s[0], &b->s[0]))
		return true;
	int64_t first = a->offset, second = b->offset;
	return first < second + (int64_t)hd_size_bytes(b->sub) && second < first + (int64_t)hd_size_bytes(a->sub);
}

static void register_edges(scheduler *s, uint32_t n)
{
	hd_ir_inst *inst = s->nodes.at[n].inst;
	const hd_opd *sources[HD_MAX_USES * 4];
	unsigned count = 0;
	for (unsigned i = 0; i < inst->ns && count < HD_COUNT(sources) - 1; i++)
		sources[count++] = &inst->s[i];
	sources[count++] = &inst->guard;
	for (unsigned i = 0; i < count; i++) {
		uint32_t first = 0, words = span(s, sources[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			resource *at = resource_at(s, r);
			if (at->writer)
				add_edge(s, at->writer - 1, n, s->nodes.at[at->writer - 1].latency);
			if (s->reads.n == 0)
				hd_vec_push(&s->reads, (read_link){0});
			hd_vec_push(&s->reads, (read_link){n, at->readers});
			at->readers = (uint32_t)s->reads.n - 1;
		}
	}
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = span(s, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			resource *at = resource_at(s, r);
			if (at->writer)
				add_edge(s, at->writer - 1, n, 1);
			for (uint32_t k = at->readers; k; k = s->reads.at[k].next) {
				uint32_t reader = s->reads.at[k].node;
				bool load = flags_of(s->nodes.at[reader].inst) & HD_OPF_VAR && s->nodes.at[reader].inst->nd > 0;
				add_edge(s, reader, n, load ? s->nodes.at[reader].latency + s->machine->memory_l1_latency : 1);
			}
			/* Guarded: the old value lives on in other lanes, so an earlier writer stays one too; the edge above orders them. */
			at->writer = n + 1;
			at->readers = 0;
		}
	}
}

/* True when the base register of the earlier memory node was written after it. */
static bool base_redefined(scheduler *s, uint32_t earlier)
{
	uint32_t first = 0, words = span(s, &s->nodes.at[earlier].inst->s[0], &first);
	for (uint32_t r = first; r < first + words; r++) {
		if (resource_at(s, r)->writer > earlier + 1)
			return true;
	}
	return false;
}

static void order_edges(scheduler *s, uint32_t n, uint32_t *wall, uint32_t *side)
{
	hd_ir_inst *inst = s->nodes.at[n].inst;
	unsigned flags = flags_of(inst);
	if (is_wall(inst)) {
		for (uint32_t i = *wall; i < n; i++)
			add_edge(s, i, n, 1);
		*wall = n;
		s->memory.n = 0;
		*side = n + 1;
		return;
	}
	if (*wall || (n > 0 && is_wall(s->nodes.at[0].inst)))
		add_edge(s, *wall, n, 1);
	bool ordered = is_ordered(inst);
	if (flags & HD_OPF_SIDE || ordered) {
		if (*side)
			add_edge(s, *side - 1, n, 1);
		*side = n + 1;
	}
	if (!(flags & HD_OPF_MEM) && !ordered)
		return;
	for (size_t i = s->memory.n; i-- > 0;) {
		uint32_t m = s->memory.at[i];
		hd_ir_inst *earlier = s->nodes.at[m].inst;
		bool both_order = ordered || is_ordered(earlier);
		bool stores = (flags | flags_of(earlier)) & HD_OPF_STORE;
		if (both_order || (stores && may_alias(earlier, inst, base_redefined(s, m))))
			add_edge(s, m, n, 1);
	}
	hd_vec_push(&s->memory, n);
}

static void heights(scheduler *s, const hd_ir_block *block)
{
	for (uint32_t n = (uint32_t)s->nodes.n; n-- > 0;) {
		node *at = &s->nodes.at[n];
		at->height = 1;
		/* What decides the branch at the end should be early. */
		for (unsigned i = 0; i < at->inst->nd; i++) {
			if (block->term == HD_TERM_BRANCH && at->inst->d[i].kind == HD_OPD_PRED && at->inst->d[i].reg == block->pred.reg)
				at->height = at->latency + 3;
		}
		for (uint32_t e = at->first_out; e; e = s->edges.at[e].next) {
			uint32_t through = s->edges.at[e].latency + s->nodes.at[s->edges.at[e].to].height;
			at->height = through > at->height ? through : at->height;
		}
	}
}

/* Words by which scheduling the instruction changes what is alive. */
static int growth(scheduler *s, const hd_ir_inst *inst)
{
	int change = 0;
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = span(s, &inst->d[i], &first);
		if (inst->d[i].kind != HD_OPD_REG)
			continue;
		for (uint32_t r = first; r < first + words; r++)
			change += !resource_at(s, r)->live;
	}
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = span(s, &inst->s[i], &first);
		if (inst->s[i].kind != HD_OPD_REG)
			continue;
		for (uint32_t r = first; r < first + words; r++) {
			resource *at = resource_at(s, r);
			change -= at->live && at->uses_left == 1 && !at->live_out;
		}
	}
	return change;
}

/* Updates liveness for a scheduled instruction; the change in live words. */
static int retire(scheduler *s, const hd_ir_inst *inst)
{
	int change = 0;
	for (unsigned i = 0; i < inst->ns; i++) {
		uint32_t first = 0, words = span(s, &inst->s[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			resource *at = resource_at(s, r);
			if (at->uses_left > 0 && --at->uses_left == 0 && at->live && !at->live_out) {
				at->live = false;
				change -= inst->s[i].kind == HD_OPD_REG;
			}
		}
	}
	for (unsigned i = 0; i < inst->nd; i++) {
		uint32_t first = 0, words = span(s, &inst->d[i], &first);
		for (uint32_t r = first; r < first + words; r++) {
			resource *at = resource_at(s, r);
			if (!at->live && (at->uses_left > 0 || at->live_out)) {
				at->live = true;
				change += inst->d[i].kind == HD_OPD_REG;
			}
		}
	}
	return change;
}

/* Words of a resource range that are alive and were not counted yet. */
static int count_live(scheduler *s, uint32_t first, uint32_t words)
{
	int live = 0;
	for (uint32_t r = first; r < first + words; r++) {
		resource *at = resource_at(s, r);
		live += at->live && !at->counted;
		at->counted = true;
	}
	return live;
}

/* Prepares pressure: uses in the block, what is live at its start and end. Returns the words live at the start. */
static int start_pressure(scheduler *s, const hd_ir_block *block, uint32_t number)
{
	const hd_bits *end = &s->live.out[number];
	int live = 0;
	for (size_t w = 0; w < (end->bits + 63) / 64; w++) {
		for (uint64_t bits = end->w[w]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits), v = s->live.owner[bit];
			if (s->f->vregs.at[v].words == 0)
				continue;
			resource *at = resource_at(s, v * 4 + bit - s->live.first[v]);
			at->live = at->live_out = true;
		}
	}
	for (size_t n = block->insts.n; n-- > 0;) {
		const hd_ir_inst *inst = block->insts.at[n];
		for (unsigned i = 0; i < inst->nd; i++) {
			uint32_t first = 0, words = span(s, &inst->d[i], &first);
			for (uint32_t r = first; r < first + words && inst->guard.kind == HD_OPD_NONE; r++)
				resource_at(s, r)->live = false;
		}
		for (unsigned i = 0; i < inst->ns; i++) {
			uint32_t first = 0, words = span(s, &inst->s[i], &first);
			for (uint32_t r = first; r < first + words; r++) {
				resource *at = resource_at(s, r);
				at->live = true;
				at->uses_left++;
			}
		}
	}
	for (size_t w = 0; w < (end->bits + 63) / 64; w++) {
		for (uint64_t bits = end->w[w]; bits; bits &= bits - 1) {
			uint32_t bit = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits), v = s->live.owner[bit];
			if (s->f->vregs.at[v].words != 0)
				live += count_live(s, v * 4 + bit - s->live.first[v], 1);
		}
	}
	for (size_t n = 0; n < block->insts.n; n++) {
		const hd_ir_inst *inst = block->insts.at[n];
		for (unsigned i = 0; i < inst->ns; i++) {
			uint32_t first = 0, words = span(s, &inst->s[i], &first);
			if (inst->s[i].kind == HD_OPD_REG)
				live += count_live(s, first, words);
		}
	}
	return live;
}

static uint32_t pick(scheduler *s, const uint32_t *ready, size_t n, uint32_t cycle, bool tight)
{
	size_t best = 0;
	int best_growth = 0;
	for (size_t i = 0; i < n; i++) {
		const node *a = &s->nodes.at[ready[i]], *b = &s->nodes.at[ready[best]];
		if (tight) {
			int grows = growth(s, a->inst);
			if (i == 0 || grows < best_growth || (grows == best_growth && ready[i] < ready[best])) {
				best = i;
				best_growth = grows;
			}
			continue;
		}
		/* PD-7: of two that are worth the same, the one that can make a pair with what stands before it. */
		bool pairs_a = a->pipe != s->pair_pipe, pairs_b = b->pipe != s->pair_pipe;
		uint32_t wait_a = a->earliest > cycle ? a->earliest - cycle : 0, wait_b = b->earliest > cycle ? b->earliest - cycle : 0;
		uint32_t near_a = a->height + hd_spread_bonus(&s->spread, a->pipe), near_b = b->height + hd_spread_bonus(&s->spread, b->pipe);
		if (wait_a != wait_b                 ? wait_a < wait_b
		    : near_a != near_b               ? near_a > near_b
		    : s->pairs && pairs_a != pairs_b ? pairs_a
		                                     : ready[i] < ready[best])
			best = i;
	}
	return (uint32_t)best;
}

/* Of what could go in this cycle as well as the best, the one that finds most of its operands on the forwarding paths. As well: it is as urgent, or
 * the best one can wait a cycle, as the block takes longer anyway. What goes to memory does not wait: nobody knows how long that takes. */
static size_t pick_near(const scheduler *s, const hd_near *near, const uint32_t *ready, size_t n, size_t best, uint32_t cycle, uint32_t remaining)
{
	const node *first = &s->nodes.at[ready[best]];
	uint32_t end = cycle + remaining;
	if (first->earliest > cycle || flags_of(first->inst) & HD_OPF_MEM)
		return best;
	for (size_t i = 0; i < n; i++) {
		const node *a = &s->nodes.at[ready[i]];
		uint32_t last = (a->earliest > cycle ? a->earliest : cycle) + a->height;
		end = last > end ? last : end;
	}
	size_t choice = best;
	unsigned gain = hd_near_gain(near, ready[best], cycle);
	for (size_t i = 0; i < n; i++) {
		const node *a = &s->nodes.at[ready[i]];
		if (a->earliest > cycle || (a->height != first->height && cycle + 1 + first->height > end))
			continue;
		unsigned other = hd_near_gain(near, ready[i], cycle);
		if (other > gain) {
			gain = other;
			choice = i;
		}
	}
	return choice;
}

static void schedule_block(scheduler *s, hd_ir_block *block, uint32_t number)
{
	if (block->insts.n < 3)
		return;
	s->stamp++;
	s->nodes.n = s->edges.n = s->reads.n = s->memory.n = 0;
	for (size_t i = 0; i < block->insts.n; i++)
		hd_vec_push(&s->nodes, (node){.inst = block->insts.at[i],
		                              .pipe = pipe_of(block->insts.at[i]),
		                              .latency = hd_expected_latency(s->machine, block->insts.at[i]->op)});
	uint32_t wall = 0, side = 0;
	for (uint32_t n = 0; n < s->nodes.n; n++) {
		order_edges(s, n, &wall, &side);
		register_edges(s, n);
	}
	heights(s, block);
	s->stamp++;
	int live = s->limit ? start_pressure(s, block, number) : 0;

	HD_VEC(uint32_t) ready = {0};
	for (uint32_t n = 0; n < s->nodes.n; n++) {
		if (s->nodes.at[n].waiting == 0)
			hd_vec_push(&ready, n);
	}
	uint32_t cycle = 0;
	hd_near *near = s->f->allocated ? hd_near_new(s->machine, block) : NULL;
	size_t out = 0;
	hd_spread_start(&s->spread, s->machine);
	while (ready.n) {
		bool tight = s->limit && live > (int)s->limit;
		size_t which = pick(s, ready.at, ready.n, cycle, tight);
		if (near)
			which = pick_near(s, near, ready.at, ready.n, which, cycle, (uint32_t)(block->insts.n - out));
		uint32_t n = ready.at[which];
		ready.at[which] = ready.at[--ready.n];
		node *at = &s->nodes.at[n];
		cycle = at->earliest > cycle ? at->earliest : cycle;
		block->insts.at[out++] = at->inst;
		if (near)
			hd_near_issue(near, n, cycle);
		hd_spread_put(&s->spread, at->pipe);
		s->pair_pipe = at->pipe;
		if (s->limit)
			live += retire(s, at->inst);
		for (uint32_t e = at->first_out; e; e = s->edges.at[e].next) {
			node *to = &s->nodes.at[s->edges.at[e].to];
			uint32_t when = cycle + s->edges.at[e].latency;
			to->earliest = when > to->earliest ? when : to->earliest;
			if (--to->waiting == 0)
				hd_vec_push(&ready, s->edges.at[e].to);
		}
		cycle++;
	}
	hd_invariant(out == block->insts.n, "a cycle among the instructions of block %u of %s", number, s->f->name);
	hd_vec_free(&ready);
	hd_near_free(near);
}

bool hd_pass_schedule(hd_ir_module *module, const hd_machine *machine, hd_diag *diag)
{
	(void)diag; /* cannot fail */
	/* Registers a thread may have when the core is full of warps: pressure up to there costs nothing. */
	uint32_t full = machine->machine_registers / (machine->machine_schedulers * machine->machine_warps * HD_LANES);
	for (size_t i = 0; i < module->functions.n; i++) {
		hd_ir_function *f = module->functions.at[i];
		scheduler s = {.machine = machine, .f = f, .pairs = hd_machine_pairs(machine) && f->allocated};
		s.resources = hd_xcalloc(f->allocated ? PHYSICAL : f->vregs.n * 4 + 4, sizeof *s.resources);
		if (!f->allocated) {
			s.limit = full > 24 ? full - 12 : 12;
			s.live = hd_liveness_new(f);
		}
		for (uint32_t b = 0; b < f->blocks.n; b++)
			schedule_block(&s, f->blocks.at[b], b);
		if (!f->allocated)
			hd_liveness_free(&s.live);
		free(s.resources);
		hd_vec_free(&s.nodes);
		hd_vec_free(&s.edges);
		hd_vec_free(&s.reads);
		hd_vec_free(&s.memory);
	}
	return true;
}

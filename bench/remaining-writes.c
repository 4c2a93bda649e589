/* heddle-remaining-writes [--size N] [--set KEY=VALUE]... [EXAMPLE]...
 * Which results are still written to the register file (LU-5, LU-6), by the reason in the program; a table of docs/last-use.md is its output. The
 * observer counts the results of each instruction and the writes that last uses leave out. The program tells the rest:
 *
 *   late      a reader in the block has the flag, but when it read, the value had left the paths, or it read for fewer lanes
 *   across    no reader has the flag, and a later block may read the value
 *   no flag   the last reader is in the block and has no flag: its guard is narrower, a reader in another pipeline lies before it, or it is out of
 *             reach
 *   unread    nothing reads the value
 *
 * In reach: of all results, those of *across* that a flag beyond the end of the block could keep out of the register file. The instruction that reads
 * the value last is in a later block, or in a later turn of the loop. It reads the value for all of its lanes, and enters before the value leaves the
 * paths and compensation registers. In this run that operand of this instruction never reads a value that is read again. This is a bound from above:
 * the registers have endless room, and a compiler must be right for all runs.
 *
 * The means are over regular kernels and over unstructured ones apart. */
#include "backend_heddle.h"
#include "kernel_kinds.h"

#include "check/graph.h"

enum { LATE, ACROSS, NO_FLAG, UNREAD, CLASSES, MOST_SETTINGS = 16 };

typedef struct live_set {
	bool at[HD_REGISTERS];
} live_set;

/* An instruction under way: its word, and how many flow instructions its warp had issued before it. */
typedef struct issued {
	uint32_t word, flows;
} issued;

/* The value that a register of a warp has: who made it, and who read it last. */
typedef struct held_value {
	issued maker;
	uint64_t made, read; /* cycles */
	uint32_t mask, read_mask, reader;
	unsigned operand;           /* of the last reader */
	bool live, across, skipped; /* across: the last reader is beyond the end of the block */
} held_value;

typedef struct counting {
	hd_trace trace;
	const hd_code_graph *graph;
	const hd_machine *machine;
	held_value *values;             /* by core, scheduler, warp slot and register */
	uint32_t *flows;                /* by core, scheduler and warp slot */
	uint64_t (*in_reach)[3];        /* by word and operand of the last reader */
	bool (*not_last)[3];            /* it once read a value that was read again */
	uint64_t *results;              /* by word: executions that make a result */
	uint64_t (*skipped)[4];         /* by word and register of the result: writes that are left out */
	HD_VEC(issued) maker[HD_LANES]; /* by core, by number of the instruction */
} counting;

/* The registers that an instruction writes; 0 words = none. */
static hd_use destination(const hd_inst *inst)
{
	hd_use uses[HD_MAX_USES];
	for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
		if (uses[n].words)
			return uses[n];
	return (hd_use){0};
}

static size_t warp_of(const counting *c, const hd_trace_event *e)
{
	return ((size_t)e->core * c->machine->machine_schedulers + e->scheduler) * HD_WARP_SLOTS + e->slot;
}

/* The register gets another value, or its warp ends. */
static void end_value(counting *c, held_value *v)
{
	const hd_machine *m = c->machine;
	uint64_t reach = m->last_use_path_b + m->last_use_path_a + m->last_use_compensation;
	if (v->live && v->across && !v->skipped && v->read < v->made + reach && !(v->mask & ~v->read_mask))
		c->in_reach[v->reader][v->operand]++;
	v->live = false;
}

static void read_operands(counting *c, held_value *values, issued reader, const hd_trace_event *e)
{
	const hd_inst *inst = &c->graph->insts[e->pc];
	hd_use uses[HD_MAX_USES];
	for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
		for (unsigned i = 0; i < uses[n].words; i++) {
			held_value *v = &values[uses[n].reg + i];
			if (v->live && v->across && (v->reader != e->pc || v->read != e->cycle))
				c->not_last[v->reader][v->operand] = true;
			bool forwards = uses[n].operand < 3 && hd_machine_forwards(c->machine, hd_machine_op_pipe(c->machine, inst->op));
			v->across = forwards &&
			            (reader.flows != v->maker.flows || hd_block_at(c->graph, reader.word) != hd_block_at(c->graph, v->maker.word));
			v->read = e->cycle;
			v->reader = e->pc;
			v->operand = uses[n].operand;
			v->read_mask = e->mask;
		}
}

static void event(hd_trace *trace, const hd_trace_event *e)
{
	counting *c = (counting *)trace;
	if (e->core >= HD_COUNT(c->maker) || e->slot == HD_TRACE_NO_WARP)
		return;
	size_t warp = warp_of(c, e);
	held_value *values = &c->values[warp * HD_REGISTERS];
	if (e->kind == HD_TRACE_ISSUE) {
		while (c->maker[e->core].n <= e->number)
			hd_vec_push(&c->maker[e->core], ((issued){0, 0}));
		c->maker[e->core].at[e->number] = (issued){e->pc, c->flows[warp]};
		c->flows[warp] += hd_ops[c->graph->insts[e->pc].op].pipe == HD_PIPE_FLOW;
	} else if (e->kind == HD_TRACE_ENTER) {
		read_operands(c, values, c->maker[e->core].at[e->number], e);
	} else if (e->kind == HD_TRACE_DONE && e->mask && hd_ops[c->graph->insts[e->pc].op].pipe != HD_PIPE_FLOW) {
		hd_use made = destination(&c->graph->insts[e->pc]);
		c->results[e->pc]++;
		for (unsigned i = 0; i < made.words; i++) {
			end_value(c, &values[made.reg + i]);
			values[made.reg + i] =
			    (held_value){.maker = c->maker[e->core].at[e->number], .made = e->cycle, .mask = e->mask, .live = true};
		}
	} else if (e->kind == HD_TRACE_SKIP) {
		uint32_t word = c->maker[e->core].at[e->maker].word;
		hd_use made = destination(&c->graph->insts[word]);
		for (unsigned i = 0; i < made.words; i++)
			c->skipped[word][i] += made.reg + i >= e->reg && made.reg + i < (unsigned)e->reg + e->words;
		for (unsigned i = 0; i < e->words; i++)
			values[e->reg + i].skipped = true;
	} else if (e->kind == HD_TRACE_END) {
		for (unsigned r = 0; r < HD_REGISTERS; r++)
			end_value(c, &values[r]);
	}
}

/* Backward through a block. A call may read every register. */
static void before_block(const hd_code_graph *g, uint32_t block, live_set *live)
{
	for (uint32_t word = g->begin[block + 1]; word-- > g->begin[block];) {
		const hd_inst *inst = &g->insts[word];
		hd_use uses[HD_MAX_USES];
		if (hd_is_scheduling_word(g, word))
			continue;
		for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
			for (unsigned i = 0; i < uses[n].words && hd_is_unguarded(inst); i++)
				live->at[uses[n].reg + i] = false;
		for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;)
			for (unsigned i = 0; i < uses[n].words; i++)
				live->at[uses[n].reg + i] = true;
		if (inst->op == HD_OP_CALL || inst->op == HD_OP_CALLX || inst->op == HD_OP_RET)
			memset(live, true, sizeof *live);
	}
}

static void join(live_set *live, const live_set *of)
{
	for (unsigned r = 0; r < HD_REGISTERS; r++)
		live->at[r] |= of->at[r];
}

/* The registers that the successors of a block may read, along the path of a lane. */
static void after_block(const hd_code_graph *g, uint32_t block, const live_set *in, live_set *live)
{
	const hd_inst *last = &g->insts[hd_block_last(g, block)];
	bool ends = (last->op == HD_OP_EXIT || last->op == HD_OP_TRAP || last->op == HD_OP_BRA || last->op == HD_OP_BRX) && hd_is_unguarded(last);
	size_t at = 0;
	memset(live, 0, sizeof *live);
	if ((last->op == HD_OP_BRA || last->op == HD_OP_BRK) && !hd_is_never(last))
		join(live, &in[hd_block_at(g, (uint32_t)last->imm)]);
	for (uint32_t to; last->op == HD_OP_BRX && (to = hd_next_listed_target(g, block, &at)) != UINT32_MAX;)
		join(live, &in[to]);
	if (!ends && block + 1 < g->n)
		join(live, &in[block + 1]);
}

static live_set *liveness(const hd_code_graph *g)
{
	live_set *in = hd_xcalloc((size_t)g->n + 1, sizeof *in);
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = g->n; b-- > 0;) {
			live_set live;
			after_block(g, b, in, &live);
			before_block(g, b, &live);
			again |= memcmp(&live, &in[b], sizeof live) != 0;
			in[b] = live;
		}
	}
	return in;
}

/* Why the value of a register that `word` makes may be written. */
static unsigned class_of(const hd_code_graph *g, const live_set *in, uint32_t word, unsigned reg)
{
	uint32_t block = hd_block_at(g, word);
	bool read = false, replaced = false;
	live_set live;
	for (uint32_t w = word + 1; w < g->begin[block + 1] && !replaced; w++) {
		const hd_inst *inst = &g->insts[w];
		hd_use uses[HD_MAX_USES];
		if (hd_is_scheduling_word(g, w))
			continue;
		for (unsigned n = hd_inst_reads(inst, uses); n-- > 0;) {
			if (!uses[n].words || reg < uses[n].reg || reg >= (unsigned)uses[n].reg + uses[n].words)
				continue;
			read = true;
			if (uses[n].operand < 3 && inst->last_use >> uses[n].operand & 1)
				return LATE;
		}
		for (unsigned n = hd_inst_writes(inst, uses); n-- > 0;)
			replaced |= uses[n].words && reg >= uses[n].reg && reg < (unsigned)uses[n].reg + uses[n].words && hd_is_unguarded(inst);
	}
	after_block(g, block, in, &live);
	return !replaced && live.at[reg] ? ACROSS : read ? NO_FLAG : UNREAD;
}

typedef struct sums {
	uint64_t results, left[CLASSES], in_reach;
} sums;

static void add_up(const counting *c, sums *s)
{
	const hd_code_graph *g = c->graph;
	live_set *in = liveness(g);
	*s = (sums){0};
	for (uint32_t word = 0; word < g->words; word++) {
		for (unsigned i = 0; i < 3; i++)
			s->in_reach += c->not_last[word][i] ? 0 : c->in_reach[word][i];
		if (hd_is_scheduling_word(g, word) || !c->results[word])
			continue;
		hd_use made = destination(&g->insts[word]);
		for (unsigned i = 0; i < made.words; i++) {
			s->results += c->results[word];
			s->left[class_of(g, in, word, made.reg + i)] += c->results[word] - hd_min_u64(c->skipped[word][i], c->results[word]);
		}
	}
	free(in);
}

static bool measure(const ex_example *example, int wanted, const hd_machine *machine, const char *examples, sums *s, hd_diag *diag)
{
	hd_text source = {0};
	unsigned size = 0;
	bool ok = false;
	while (example->sizes[size + 1] && (wanted < 0 || size < (unsigned)wanted))
		size++;
	hd_text_printf(&source, "%s/%s", examples, example->source);
	hd_object *object = ex_heddle_compile(source.at, machine, false, diag);
	ex_backend *backend = object ? ex_heddle_new(object, machine, false, diag) : NULL;
	if (backend) {
		ex_run done;
		hd_code_graph *graph = hd_code_graph_new(object, hd_meeting_of(machine), NULL);
		counting c = {.trace.event = event, .graph = graph, .machine = machine};
		size_t warps = (size_t)HD_LANES * machine->machine_schedulers * HD_WARP_SLOTS;
		c.values = hd_xcalloc(warps * HD_REGISTERS, sizeof *c.values);
		c.flows = hd_xcalloc(warps, sizeof *c.flows);
		c.in_reach = hd_xcalloc((size_t)graph->words + 1, sizeof *c.in_reach);
		c.not_last = hd_xcalloc((size_t)graph->words + 1, sizeof *c.not_last);
		c.results = hd_xcalloc((size_t)graph->words + 1, sizeof *c.results);
		c.skipped = hd_xcalloc((size_t)graph->words + 1, sizeof *c.skipped);
		ex_heddle_watch(backend, &c.trace);
		ok = ex_run_example(&done, example, size, backend, diag);
		add_up(&c, s);
		ex_run_free(&done);
		for (unsigned core = 0; core < HD_COUNT(c.maker); core++)
			hd_vec_free(&c.maker[core]);
		free(c.values);
		free(c.flows);
		free(c.in_reach);
		free(c.not_last);
		free(c.results);
		free(c.skipped);
		hd_code_graph_free(graph);
		ex_heddle_free(backend);
	}
	if (object)
		hd_object_free(object);
	hd_text_free(&source);
	return ok;
}

int main(int argc, char **argv)
{
	const char *examples = getenv("HEDDLE_EXAMPLES");
	int wanted = -1, first = 1;
	kind_sums columns[CLASSES + 2] = {0};
	hd_diag diag = {0};
	hd_machine machine;
	hd_machine_default(&machine);
	bool ok = true;
	for (; ok && first + 1 < argc && argv[first][0] == '-'; first += 2) {
		if (strcmp(argv[first], "--size") == 0)
			wanted = atoi(argv[first + 1]);
		else
			ok = strcmp(argv[first], "--set") == 0 && hd_machine_set(&machine, argv[first + 1], &diag);
	}
	ok = ok && hd_machine_validate(&machine, NULL, &diag);
	if (!ok || (first < argc && argv[first][0] == '-')) {
		fprintf(stderr, "%susage: heddle-remaining-writes [--size N] [--set KEY=VALUE]... [EXAMPLE]...\n", diag.text.at ? diag.text.at : "");
		return 2;
	}
	printf("| example | results that are written %% | of these: late | across | no flag | unread | of all: across, in reach "
	       "|\n|---|--:|--:|--:|--:|--:|--:|\n");
	for (const ex_example *const *e = ex_examples; ok && *e; e++) {
		bool named = first == argc;
		sums s;
		for (int i = first; i < argc; i++)
			named = named || strcmp(argv[i], (*e)->name) == 0;
		if (!named)
			continue;
		ok = measure(*e, wanted, &machine, examples ? examples : "examples", &s, &diag);
		if (!ok)
			break;
		uint64_t left = s.left[LATE] + s.left[ACROSS] + s.left[NO_FLAG] + s.left[UNREAD];
		double share[CLASSES + 2] = {100 * (double)left / (double)s.results};
		share[CLASSES + 1] = 100 * (double)s.in_reach / (double)s.results;
		for (unsigned i = 0; i < CLASSES; i++)
			share[1 + i] = left ? 100 * (double)s.left[i] / (double)left : 0;
		printf("| %s |", (*e)->name);
		for (unsigned i = 0; i < HD_COUNT(columns); i++) {
			printf(" %.1f |", share[i]);
			kind_add(&columns[i], *e, share[i]);
		}
		printf("\n");
		fflush(stdout);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		if (!columns[0].n[kind])
			continue;
		printf("| **%s, mean of %u** |", kind_name(kind), columns[0].n[kind]);
		for (unsigned i = 0; i < HD_COUNT(columns); i++)
			printf(" %.1f |", kind_mean(&columns[i], kind));
		printf("\n");
	}
	if (!ok)
		fprintf(stderr, "%s\n", diag.text.at ? diag.text.at : "failed");
	hd_diag_free(&diag);
	return ok ? 0 : 1;
}

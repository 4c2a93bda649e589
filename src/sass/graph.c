#include "sass/graph.h"

enum { BARRIERS = 16 };

void hd_sass_code_init(hd_sass_code *code, unsigned architecture, const hd_sass_function *function)
{
	*code = (hd_sass_code){.architecture = architecture, .n = (uint32_t)(function->size / HD_SASS_BYTES), .function = function};
	code->at = hd_xcalloc((size_t)code->n + 1, sizeof *code->at);
	for (uint32_t i = 0; i < code->n; i++)
		hd_sass_decode(architecture, function->code + (size_t)i * HD_SASS_BYTES, (uint64_t)i * HD_SASS_BYTES, &code->at[i]);
}

void hd_sass_code_free(hd_sass_code *code)
{
	free(code->at);
	*code = (hd_sass_code){0};
}

typedef HD_VEC(uint32_t) block_list;

typedef struct call {
	uint32_t block, callee; /* blocks; callee UINT32_MAX: outside of the section */
} call;

/* The target of a convergence barrier at a place: the block where lanes meet. */
enum { NOTHING = -1, SEVERAL = -2, ANYTHING = -3 };
typedef struct meeting {
	int32_t target[BARRIERS];
} meeting;

typedef struct builder {
	hd_sass_graph *g;
	hd_sass_doubt_list *doubts;
	block_list *edges; /* by block */
	HD_VEC(call) calls;
	block_list meets[BARRIERS + 1]; /* targets of the BSSY of each barrier; the last list has all */
	meeting *in;                    /* by block */
	bool *dirty;
} builder;

static void doubt(builder *b, hd_sass_doubt_kind kind, uint32_t at) { hd_vec_push(b->doubts, (hd_sass_doubt){.kind = kind, .at = at, .other = at}); }

static bool spend(const hd_sass_graph *g, uint64_t n)
{
	hd_flow_graph flow = {.steps = g->steps};
	return hd_flow_spend(&flow, n);
}

static bool add_edge(builder *b, uint32_t from, uint32_t to)
{
	block_list *list = &b->edges[from];
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == to)
			return false;
	if (spend(b->g, 1 + list->n))
		hd_vec_push(list, to);
	return true;
}

/* The index of the instruction at an offset; UINT32_MAX when the function has none there. */
static uint32_t instruction_at(const hd_sass_code *code, uint64_t offset)
{
	return offset % HD_SASS_BYTES == 0 && offset / HD_SASS_BYTES < code->n ? (uint32_t)(offset / HD_SASS_BYTES) : UINT32_MAX;
}

static const hd_sass_relocation *relocation_at(const hd_sass_function *f, uint64_t offset)
{
	size_t low = 0, high = f->n_relocations;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->relocations[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->n_relocations && f->relocations[low].offset == offset ? &f->relocations[low] : NULL;
}

/* The target of a call or branch: an instruction of the function, or UINT32_MAX for one outside of it. */
static uint32_t target_of(const hd_sass_code *code, const hd_sass_instruction *x)
{
	const hd_sass_function *f = code->function;
	const hd_sass_relocation *relocation = relocation_at(f, x->address);
	if (!relocation)
		return x->has_target ? instruction_at(code, x->target) : UINT32_MAX;
	for (size_t i = 0; i < f->n_labels; i++)
		if (strcmp(f->labels[i].name, relocation->symbol) == 0)
			return instruction_at(code, f->labels[i].offset);
	return UINT32_MAX;
}

static const hd_sass_targets *listed_targets(const hd_sass_function *f, uint64_t offset)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i].offset == offset)
			return &f->targets[i];
	return NULL;
}

/* True for an instruction behind which control does not simply go on. */
static bool ends_block(const hd_sass_instruction *x)
{
	switch ((hd_sass_flow)x->flow) {
	case HD_SASS_BRANCH:
	case HD_SASS_BRANCH_INDIRECT:
	case HD_SASS_JUMP:
	case HD_SASS_CALL:
	case HD_SASS_CALL_INDIRECT:
	case HD_SASS_RETURN:
	case HD_SASS_EXIT:
	case HD_SASS_TRAP:
	case HD_SASS_SYNC:
		return true;
	case HD_SASS_WARPSYNC:
		return x->has_target;
	default:
		return false;
	}
}

static void mark(const hd_sass_code *code, bool *leader, uint32_t at)
{
	if (at < code->n)
		leader[at] = true;
}

static void find_blocks(hd_sass_graph *g)
{
	const hd_sass_code *code = g->code;
	const hd_sass_function *f = code->function;
	bool *leader = hd_xcalloc((size_t)code->n + 1, sizeof *leader);
	mark(code, leader, 0);
	for (size_t i = 0; i < f->n_labels; i++)
		mark(code, leader, instruction_at(code, f->labels[i].offset));
	for (size_t i = 0; i < f->n_targets; i++)
		for (size_t k = 0; k < f->targets[i].n; k++)
			mark(code, leader, instruction_at(code, f->targets[i].at[k]));
	for (uint32_t i = 0; i < code->n; i++) {
		const hd_sass_instruction *x = &code->at[i];
		if (ends_block(x))
			mark(code, leader, i + 1);
		if (ends_block(x) || x->flow == HD_SASS_SET_CONVERGENCE)
			mark(code, leader, target_of(code, x));
	}
	g->begin = hd_xcalloc((size_t)code->n + 2, sizeof *g->begin);
	g->block_of = hd_xcalloc((size_t)code->n + 1, sizeof *g->block_of);
	for (uint32_t i = 0; i < code->n; i++) {
		if (leader[i])
			g->begin[g->n++] = i;
		g->block_of[i] = g->n - 1;
	}
	g->begin[g->n] = code->n;
	free(leader);
}

static int barrier_of(const hd_sass_instruction *x, bool written)
{
	for (unsigned i = 0; i < x->accesses; i++)
		if (x->access[i].file == HD_SASS_CONVERGENCE && (!written || x->access[i].write))
			return x->access[i].first % BARRIERS;
	return -1;
}

/* A branch without guard that no register decides. */
static bool always_taken(const hd_sass_instruction *x)
{
	if (!hd_sass_unguarded(x))
		return false;
	for (unsigned i = 0; i < x->accesses; i++)
		if (!x->access[i].write && x->access[i].role != HD_SASS_ADDRESS && x->access[i].file != HD_SASS_CONVERGENCE)
			return false;
	return true;
}

static void fall(builder *b, uint32_t block)
{
	if (block + 1 < b->g->n)
		add_edge(b, block, block + 1);
	else
		doubt(b, HD_SASS_DOUBT_END, b->g->begin[block + 1] - 1);
}

static void go(builder *b, uint32_t block, uint32_t instruction, uint32_t from)
{
	if (instruction == UINT32_MAX)
		doubt(b, HD_SASS_DOUBT_TARGET, from);
	else
		add_edge(b, block, b->g->block_of[instruction]);
}

static void go_indirectly(builder *b, uint32_t block, const hd_sass_instruction *x, uint32_t at)
{
	const hd_sass_code *code = b->g->code;
	const hd_sass_targets *targets = listed_targets(code->function, x->address);
	if (!targets || !targets->n) {
		doubt(b, HD_SASS_DOUBT_BRANCH, at);
		return;
	}
	for (size_t i = 0; i < targets->n; i++)
		go(b, block, instruction_at(code, targets->at[i]), at);
}

/* The edges that one instruction decides. Returns and BSYNC follow later. A call gets the step over it, which stays only when it leaves the section.
 */
static void local_edges(builder *b, uint32_t block)
{
	const hd_sass_code *code = b->g->code;
	uint32_t at = b->g->begin[block + 1] - 1;
	const hd_sass_instruction *x = &code->at[at];
	if (hd_sass_never(x) || !ends_block(x)) {
		fall(b, block);
		return;
	}
	switch ((hd_sass_flow)x->flow) {
	case HD_SASS_BRANCH:
	case HD_SASS_JUMP:
	case HD_SASS_WARPSYNC:
		go(b, block, target_of(code, x), at);
		if (!always_taken(x) || x->flow == HD_SASS_WARPSYNC)
			fall(b, block);
		break;
	case HD_SASS_BRANCH_INDIRECT:
		go_indirectly(b, block, x, at);
		if (!hd_sass_unguarded(x))
			fall(b, block);
		break;
	case HD_SASS_CALL:
	case HD_SASS_CALL_INDIRECT: {
		uint32_t callee = target_of(code, x);
		hd_vec_push(&b->calls, (call){block, callee == UINT32_MAX ? callee : b->g->block_of[callee]});
		b->g->call_out[block] = callee == UINT32_MAX;
		if (callee != UINT32_MAX)
			go(b, block, callee, at);
		fall(b, block);
		break;
	}
	default: /* EXIT, BPT.TRAP, RET, BSYNC */
		if (!hd_sass_unguarded(x))
			fall(b, block);
		break;
	}
}

static bool join_meeting(meeting *into, const meeting *from)
{
	bool changed = false;
	for (unsigned i = 0; i < BARRIERS; i++) {
		int32_t a = into->target[i], b = from->target[i];
		int32_t joined = a == b || b == NOTHING ? a : a == NOTHING ? b : a == ANYTHING || b == ANYTHING ? ANYTHING : SEVERAL;
		changed |= joined != a;
		into->target[i] = joined;
	}
	return changed;
}

static void pass_block(const builder *b, uint32_t block, meeting *state)
{
	const hd_sass_code *code = b->g->code;
	*state = b->in[block];
	for (uint32_t i = b->g->begin[block]; i < b->g->begin[block + 1]; i++) {
		const hd_sass_instruction *x = &code->at[i];
		int barrier = barrier_of(x, true);
		if (barrier < 0 || x->flow == HD_SASS_SYNC || x->flow == HD_SASS_BREAK)
			continue;
		uint32_t target = x->flow == HD_SASS_SET_CONVERGENCE ? target_of(code, x) : UINT32_MAX;
		state->target[barrier] = target != UINT32_MAX ? (int32_t)b->g->block_of[target] : ANYTHING;
	}
}

/* F4 */
static void sync_edges(builder *b, uint32_t block, const meeting *state)
{
	const hd_sass_instruction *x = &b->g->code->at[b->g->begin[block + 1] - 1];
	int barrier = x->flow == HD_SASS_SYNC && !hd_sass_never(x) ? barrier_of(x, false) : -1;
	if (barrier < 0)
		return;
	int32_t target = state->target[barrier];
	const block_list *list = &b->meets[target == ANYTHING ? BARRIERS : barrier];
	if (target >= 0)
		add_edge(b, block, (uint32_t)target);
	for (size_t i = 0; (target == SEVERAL || target == ANYTHING) && i < list->n; i++)
		add_edge(b, block, list->at[i]);
}

static void list_meetings(builder *b)
{
	const hd_sass_code *code = b->g->code;
	for (uint32_t i = 0; i < code->n; i++) {
		const hd_sass_instruction *x = &code->at[i];
		int barrier = x->flow == HD_SASS_SET_CONVERGENCE ? barrier_of(x, true) : -1;
		uint32_t target = barrier >= 0 ? target_of(code, x) : UINT32_MAX;
		if (x->flow == HD_SASS_SET_CONVERGENCE && target == UINT32_MAX)
			doubt(b, HD_SASS_DOUBT_TARGET, i);
		if (target == UINT32_MAX)
			continue;
		hd_vec_push(&b->meets[barrier], b->g->block_of[target]);
		hd_vec_push(&b->meets[BARRIERS], b->g->block_of[target]);
	}
}

static void converge(builder *b)
{
	hd_sass_graph *g = b->g;
	list_meetings(b);
	b->in = hd_xcalloc((size_t)g->n + 1, sizeof *b->in);
	b->dirty = hd_xcalloc((size_t)g->n + 1, sizeof *b->dirty);
	for (uint32_t block = 0; block < g->n; block++) {
		for (unsigned i = 0; i < BARRIERS; i++)
			b->in[block].target[i] = NOTHING;
		b->dirty[block] = true;
	}
	for (bool again = true; again;) {
		again = false;
		for (uint32_t block = 0; block < g->n && spend(g, 1); block++) {
			meeting state;
			if (!b->dirty[block])
				continue;
			b->dirty[block] = false;
			pass_block(b, block, &state);
			sync_edges(b, block, &state);
			for (size_t i = 0; i < b->edges[block].n && spend(g, 1); i++) {
				uint32_t next = b->edges[block].at[i];
				if (join_meeting(&b->in[next], &state)) {
					b->dirty[next] = true;
					again |= next <= block;
				}
			}
		}
	}
	free(b->in);
	free(b->dirty);
}

/* Marks the blocks of a subroutine: what it reaches when calls are stepped over. */
static void walk(const builder *b, uint32_t entry, uint32_t *seen, uint32_t mark, block_list *reached)
{
	const hd_sass_graph *g = b->g;
	reached->n = 0;
	hd_vec_push(reached, entry);
	seen[entry] = mark;
	for (size_t i = 0; i < reached->n && spend(g, 1); i++) {
		uint32_t block = reached->at[i];
		const hd_sass_instruction *last = &g->code->at[g->begin[block + 1] - 1];
		bool calls = last->flow == HD_SASS_CALL || last->flow == HD_SASS_CALL_INDIRECT;
		for (size_t k = 0; k < b->edges[block].n; k++) {
			uint32_t next = b->edges[block].at[k];
			if (seen[next] == mark || (calls && next != block + 1))
				continue;
			seen[next] = mark;
			hd_vec_push(reached, next);
		}
	}
}

static bool returns(const hd_sass_graph *g, uint32_t block)
{
	const hd_sass_instruction *x = &g->code->at[g->begin[block + 1] - 1];
	return x->flow == HD_SASS_RETURN && !hd_sass_never(x);
}

/* F3 */
static void return_edges(builder *b)
{
	hd_sass_graph *g = b->g;
	uint32_t *seen = hd_xcalloc((size_t)g->n + 1, sizeof *seen), round = 0;
	bool *called = hd_xcalloc((size_t)g->n + 1, sizeof *called);
	HD_VEC(call) found = {0}; /* a return, and a block behind a call */
	block_list reached = {0};
	for (size_t c = 0; c < b->calls.n; c++) {
		uint32_t callee = b->calls.at[c].callee;
		if (callee == UINT32_MAX || called[callee])
			continue;
		called[callee] = true;
		walk(b, callee, seen, ++round, &reached);
		for (size_t i = 0; i < reached.n; i++) {
			for (size_t k = 0; returns(g, reached.at[i]) && k < b->calls.n && spend(g, 1); k++)
				if (b->calls.at[k].callee == callee && b->calls.at[k].block + 1 < g->n)
					hd_vec_push(&found, (call){reached.at[i], b->calls.at[k].block + 1});
		}
	}
	for (uint32_t block = 0; block < g->n; block++) {
		bool kernel = g->code->function->kernel && block == 0;
		if (!g->entered[block] || (kernel && called[block]))
			continue;
		walk(b, block, seen, ++round, &reached);
		for (size_t i = 0; i < reached.n; i++) {
			if (returns(g, reached.at[i]) && kernel)
				doubt(b, HD_SASS_DOUBT_RETURN, g->begin[reached.at[i] + 1] - 1);
			g->return_out[reached.at[i]] |= returns(g, reached.at[i]) && !kernel;
		}
	}
	for (size_t c = 0; c < b->calls.n; c++) { /* the steps over calls go */
		uint32_t block = b->calls.at[c].block;
		block_list *list = &b->edges[block];
		bool guarded = !hd_sass_unguarded(&g->code->at[g->begin[block + 1] - 1]);
		if (b->calls.at[c].callee == UINT32_MAX || guarded)
			continue;
		for (size_t i = 0; i < list->n; i++)
			if (list->at[i] == block + 1 && b->calls.at[c].callee != block + 1)
				list->at[i--] = list->at[--list->n];
	}
	for (size_t i = 0; i < found.n; i++)
		add_edge(b, found.at[i].block, found.at[i].callee);
	hd_vec_free(&found);
	hd_vec_free(&reached);
	free(seen);
	free(called);
}

static void find_entries(builder *b)
{
	hd_sass_graph *g = b->g;
	const hd_sass_function *f = g->code->function;
	bool *called = hd_xcalloc((size_t)g->n + 1, sizeof *called);
	for (size_t i = 0; i < b->calls.n; i++)
		if (b->calls.at[i].callee != UINT32_MAX)
			called[b->calls.at[i].callee] = true;
	for (size_t i = 0; i < f->n_labels; i++) {
		uint32_t at = instruction_at(g->code, f->labels[i].offset);
		if (at < g->code->n && !called[g->block_of[at]])
			g->entered[g->block_of[at]] = true;
	}
	g->entered[0] = true;
	free(called);
}

static void find_reached(hd_sass_graph *g)
{
	block_list work = {0};
	for (uint32_t block = 0; block < g->n; block++)
		if (g->entered[block]) {
			g->reached[block] = true;
			hd_vec_push(&work, block);
		}
	while (work.n) {
		uint32_t block = work.at[--work.n];
		for (uint32_t i = g->succ_first[block]; i < g->succ_first[block + 1]; i++)
			if (!g->reached[g->succ[i]]) {
				g->reached[g->succ[i]] = true;
				hd_vec_push(&work, g->succ[i]);
			}
	}
	hd_vec_free(&work);
}

static void collect(builder *b)
{
	hd_sass_graph *g = b->g;
	HD_VEC(uint32_t) all = {0};
	g->succ_first = hd_xcalloc((size_t)g->n + 1, sizeof *g->succ_first);
	for (uint32_t block = 0; block < g->n; block++) {
		g->succ_first[block] = (uint32_t)all.n;
		for (size_t i = 0; i < b->edges[block].n; i++)
			hd_vec_push(&all, b->edges[block].at[i]);
		hd_vec_free(&b->edges[block]);
	}
	g->succ_first[g->n] = (uint32_t)all.n;
	g->succ = all.at;
}

/* Doubts about places that control never reaches are no doubts. */
static void keep_reached(const hd_sass_graph *g, hd_sass_doubt_list *doubts, size_t from)
{
	size_t kept = from;
	for (size_t i = from; i < doubts->n; i++)
		if (g->reached[g->block_of[doubts->at[i].at]])
			doubts->at[kept++] = doubts->at[i];
	doubts->n = kept;
}

void hd_sass_graph_init(hd_sass_graph *g, const hd_sass_code *code, uint64_t *steps, hd_sass_doubt_list *doubts)
{
	builder b = {.g = g, .doubts = doubts};
	size_t first = doubts->n;
	*g = (hd_sass_graph){.code = code, .steps = steps};
	find_blocks(g);
	g->reached = hd_xcalloc((size_t)g->n + 1, sizeof *g->reached);
	g->entered = hd_xcalloc((size_t)g->n + 1, sizeof *g->entered);
	g->call_out = hd_xcalloc((size_t)g->n + 1, sizeof *g->call_out);
	g->return_out = hd_xcalloc((size_t)g->n + 1, sizeof *g->return_out);
	b.edges = hd_xcalloc((size_t)g->n + 1, sizeof *b.edges);
	for (uint32_t block = 0; block < g->n; block++)
		local_edges(&b, block);
	converge(&b);
	find_entries(&b);
	return_edges(&b);
	collect(&b);
	find_reached(g);
	keep_reached(g, doubts, first);
	free(b.edges);
	hd_vec_free(&b.calls);
	for (unsigned i = 0; i <= BARRIERS; i++)
		hd_vec_free(&b.meets[i]);
}

void hd_sass_graph_free(hd_sass_graph *g)
{
	free(g->begin);
	free(g->block_of);
	free(g->succ_first);
	free(g->succ);
	free(g->reached);
	free(g->entered);
	free(g->call_out);
	free(g->return_out);
	*g = (hd_sass_graph){0};
}

/* A forward may-analysis over the physical graph. A fact says of one earlier instruction P: which pipelines' next instruction may still come
 * before P's write, which before P's reads, and how many issue cycles have passed at least since P was issued. */
#include "check/check.h"

#include "check/graph.h"
#include "check/last_use.h"

enum {
	RES_PRED = 256,
	RES_COUNT = 264,
	MAX_RES = 24,
	ALL_PIPES = (1 << HD_PIPE_COUNT) - 1,
	MAX_SPACING = 63, /* docs/timing.md, rule 2 */
};

typedef struct effects {
	uint16_t reads[MAX_RES], writes[MAX_RES];
	uint8_t n_reads, n_writes;
	uint64_t reads_any, writes_any; /* a bit for every 64th resource: without a common one two lists cannot meet */
	bool visible;                   /* a memory access that a barrier or fence must wait for */
	bool shared;                    /* may touch shared memory */
	bool fence;                     /* waits for the visible ones */
	bool settles;                   /* call, return, indirect jump: nothing may be outstanding */
	bool varies;                    /* no fixed latency */
	uint8_t pipe;
	uint16_t latency;
	bool mistyped;     /* the scheduler believes it to be of another type */
	uint8_t spacing;   /* least issue cycles from this instruction to the next */
	uint8_t wait;      /* least cycles by which it is itself held back */
	bool after_memory; /* issues when every earlier memory instruction of the warp is done (PD-8) */
	bool everyone;     /* spacing and wait hold for the next instruction of any pipe, not for its own pipe's alone */
} effects;

typedef struct fact {
	uint32_t word;
	uint16_t writes, reads; /* pipelines for which it is still open */
	uint8_t pipe, primary;  /* of the instruction */
	uint32_t since;         /* reading of its pipe's clock when it was issued; at the entry of a block: cycles elapsed, at most MAX_SPACING */
} fact;

typedef HD_VEC(fact) fact_list;

/* By pipeline: in the current block, the instruction behind which a fact was no longer open; 0 = before the block. */
typedef struct closing {
	uint32_t no_write[HD_PIPE_COUNT], no_read[HD_PIPE_COUNT];
} closing;

typedef struct checker {
	const hd_machine *machine;
	hd_code_graph *g;
	effects *fx;   /* by word */
	fact_list *in; /* by block */
	fact_list now;
	HD_VEC(closing) closed; /* of each fact in `now` */
	uint32_t *place;        /* by word: index into `now` + 1 */
	uint32_t begin;         /* of the current block */
	uint32_t clock[HD_PIPE_COUNT];
	bool closes; /* a fact was closed for all pipelines since the last step */
	hd_check_report *report;
	bool judge;       /* the last pass: report */
	unsigned overlap; /* cycles by which the delay before the next instruction goes beyond one */
} checker;

static void put_uses(uint16_t *list, uint8_t *n, const hd_use *uses, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (uses[i].words == 0)
			list[(*n)++] = (uint16_t)(RES_PRED + uses[i].reg);
		for (unsigned w = 0; w < uses[i].words && *n < MAX_RES; w++)
			list[(*n)++] = (uint16_t)(uses[i].reg + w);
	}
}

static uint64_t any_of(const uint16_t *list, unsigned n)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < n; i++)
		any |= UINT64_C(1) << (list[i] & 63);
	return any;
}

static bool one_of(uint8_t op, const uint8_t *list, size_t n) { return memchr(list, op, n) != NULL; }

/* docs/timing.md, "Hints". */
static void hint_of(const hd_machine *m, unsigned hint, unsigned cycles, effects *fx)
{
	bool in_order = m->multi_issue_window == 1;
	unsigned initial = m->predecode_default_hint == HD_DEFAULT_WAIT || !m->predecode_default_delay ? 1 : m->predecode_default_delay;
	if (hint == HD_HINT_DEFAULT) {
		cycles = m->predecode_default_delay;
		hint = m->predecode_default_hint == HD_DEFAULT_WAIT ? HD_HINT_WAIT : HD_HINT_DELAY;
	}
	fx->spacing = (uint8_t)(cycles ? cycles : 1);
	switch (hint) {
	case HD_HINT_WAIT:
		fx->spacing = 1;
		fx->wait = (uint8_t)cycles;
		break;
	case HD_HINT_PAIR: /* nothing else issues in one cycle */
		if (in_order && m->predecode_pair && m->predecode_issue_width > 1)
			fx->spacing = 0;
		break;
	case HD_HINT_HOLD:
	case HD_HINT_HOLD_REPLAY:
		fx->after_memory = in_order && m->predecode_hold;
		break;
	case HD_HINT_BOOST:
	case HD_HINT_LOWER:
		fx->spacing = (uint8_t)initial;
		break;
	default:
		break;
	}
}

static void effects_of(const hd_machine *m, const hd_inst *inst, uint8_t predecode, effects *fx)
{
	static const uint8_t private_memory[] = {HD_OP_LDC, HD_OP_LDK, HD_OP_LDL, HD_OP_STL},
	                     global[] = {HD_OP_LDG, HD_OP_STG, HD_OP_ATOMG, HD_OP_CASG}, settling[] = {HD_OP_CALL, HD_OP_CALLX, HD_OP_RET, HD_OP_BRX};
	const hd_op_info *info = &hd_ops[inst->op];
	hd_use uses[HD_MAX_USES];
	*fx = (effects){.pipe = info->pipe, .varies = (info->flags & HD_OPF_VAR) != 0, .latency = (uint16_t)m->latency[info->klass].latency};
	put_uses(fx->reads, &fx->n_reads, uses, hd_inst_reads(inst, uses));
	put_uses(fx->writes, &fx->n_writes, uses, hd_inst_writes(inst, uses));
	fx->reads_any = any_of(fx->reads, fx->n_reads);
	fx->writes_any = any_of(fx->writes, fx->n_writes);
	bool memory = (info->flags & HD_OPF_MEM) && inst->op != HD_OP_MEMBAR && !one_of(inst->op, private_memory, sizeof private_memory);
	fx->visible = memory;
	fx->shared = (memory && !one_of(inst->op, global, sizeof global)) || inst->op == HD_OP_MEMBAR;
	fx->fence = inst->op == HD_OP_BAR || inst->op == HD_OP_MEMBAR;
	fx->settles = one_of(inst->op, settling, sizeof settling);
	unsigned type = hd_machine_typed_hints(m) ? hd_hint_type(predecode >> 4) : 0;
	fx->mistyped = type && type != hd_hint_typed(info->pipe);
	if (m->predecode_carrier == HD_CARRIER_LINE)
		hint_of(m, predecode >> 4, predecode & 15, fx);
	else if (m->predecode_carrier == HD_CARRIER_INSTRUCTION)
		hint_of(m, inst->hint3 ? HD_HINT_DELAY : HD_HINT_DEFAULT, inst->hint3, fx);
	else
		fx->spacing = 1;
	fx->everyone = m->multi_issue_window == 1 || info->pipe == HD_PIPE_FLOW || info->pipe == HD_PIPE_NONE; /* sent alone */
	if (info->pipe == HD_PIPE_FLOW)
		fx->spacing = (uint8_t)(1 + fx->latency < MAX_SPACING ? 1 + fx->latency : MAX_SPACING);
}

static fact *fact_of(checker *c, uint32_t word) { return c->place[word] ? &c->now.at[c->place[word] - 1] : NULL; }

static void age(checker *c, const effects *fx, unsigned cycles)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		if (fx->everyone || pipe == fx->pipe)
			c->clock[pipe] += cycles;
	}
}

static uint32_t elapsed_since(const checker *c, const fact *f)
{
	uint32_t elapsed = c->clock[f->pipe] - f->since;
	return elapsed < MAX_SPACING ? elapsed : MAX_SPACING;
}

static hd_finding *report(checker *c, hd_hazard_kind kind, uint32_t producer, uint32_t consumer, int resource, uint32_t missing)
{
	hd_check_report *r = c->report;
	for (size_t i = 0; i < r->findings.n; i++) {
		hd_finding *old = &r->findings.at[i];
		if (old->producer == producer && old->consumer == consumer)
			return NULL;
	}
	r->total++;
	if (r->findings.n >= HD_MAX_FINDINGS)
		return NULL;
	hd_vec_push(&r->findings, (hd_finding){.kind = kind, .producer = producer, .consumer = consumer, .resource = resource, .missing = missing});
	return &r->findings.at[r->findings.n - 1];
}

static uint32_t block_of(const checker *c, uint32_t word)
{
	uint32_t lo = 0, hi = c->g->n;
	while (lo + 1 < hi) {
		uint32_t middle = (lo + hi) / 2;
		if (c->g->begin[middle] <= word)
			lo = middle;
		else
			hi = middle;
	}
	return lo;
}

/* Shortest way from producer to consumer on which the producer stays open: breadth first over blocks that have the fact at their entry. */
static void find_path(const checker *c, hd_finding *finding)
{
	uint32_t from = block_of(c, finding->producer), to = block_of(c, finding->consumer);
	hd_vec_push(&finding->path, finding->producer);
	if (from != to || finding->producer >= finding->consumer) {
		uint32_t *came = hd_xcalloc((size_t)c->g->n + 1, sizeof *came), *queue = hd_xcalloc((size_t)c->g->n + 1, sizeof *queue);
		uint32_t head = 0, tail = 0;
		bool found = false;
		queue[tail++] = from;
		while (head < tail && !found) {
			uint32_t b = queue[head++];
			for (uint32_t s = c->g->succ_first[b]; s < c->g->succ_first[b + 1] && !found; s++) {
				uint32_t next = c->g->succ[s];
				bool open = false;
				for (size_t i = 0; i < c->in[next].n; i++)
					open |= c->in[next].at[i].word == finding->producer;
				if (!open || came[next])
					continue;
				came[next] = b + 1;
				if (tail <= c->g->n)
					queue[tail++] = next;
				found = next == to;
			}
		}
		HD_VEC(uint32_t) back = {0};
		for (uint32_t b = to, steps = 0; found && steps <= c->g->n; b = came[b] - 1, steps++) {
			hd_vec_push(&back, c->g->begin[b]);
			if (came[b] - 1 == from)
				break;
		}
		for (size_t i = back.n; i-- > 0;)
			hd_vec_push(&finding->path, back.at[i]);
		hd_vec_free(&back);
		free(came);
		free(queue);
	}
	if (finding->path.at[finding->path.n - 1] != finding->consumer)
		hd_vec_push(&finding->path, finding->consumer);
}

static void complain(checker *c, hd_hazard_kind kind, const fact *f, uint32_t consumer, int resource, uint32_t missing)
{
	hd_finding *finding = report(c, kind, f->word, consumer, resource, missing);
	if (finding)
		find_path(c, finding);
}

static void close_for(checker *c, size_t at, uint16_t pipes, bool write, uint32_t word)
{
	fact *f = &c->now.at[at];
	closing *closed = &c->closed.at[at];
	for (unsigned open = f->reads & pipes; open; open &= open - 1)
		closed->no_read[__builtin_ctz(open)] = word;
	f->reads &= (uint16_t)~pipes;
	if (write) {
		for (unsigned open = f->writes & pipes; open; open &= open - 1)
			closed->no_write[__builtin_ctz(open)] = word;
		f->writes &= (uint16_t)~pipes;
	}
	c->closes |= !f->reads && !f->writes;
}

/* What the end of producer `p` (a fact of this block) tells about everything else, in one block, where nothing separates them:
 *  - what entered P's pipe before P has read, and, with fixed latencies, written; a guarded P may be dropped: that tells of entries only;
 *  - what was settled for P's pipe when P was sent is settled, since P went through its queue behind that wait. */
static void settle_around(checker *c, const fact *p, uint32_t word, uint16_t pipes)
{
	const hd_inst *inst = &c->g->insts[p->word];
	const effects *fx = &c->fx[p->word];
	bool certain = inst->guard == HD_PT && !inst->guard_neg && !inst->release;
	for (size_t k = 0; k < c->now.n; k++) {
		const fact *o = &c->now.at[k];
		const closing *closed = &c->closed.at[k];
		if (o->word >= p->word && o->word < word)
			continue; /* P itself, or sent after it */
		if (o->pipe == fx->pipe) {
			const effects *ofx = &c->fx[o->word];
			close_for(c, k, pipes, certain && !ofx->varies && ofx->latency <= fx->latency + 1u, word);
		}
		if (!(o->reads >> fx->pipe & 1) && closed->no_read[fx->pipe] <= p->word)
			close_for(c, k, pipes, !(o->writes >> fx->pipe & 1) && closed->no_write[fx->pipe] <= p->word, word);
	}
}

/* What the consumer's wait mask proves. */
static void settle(checker *c, uint32_t word, const hd_inst *inst, const effects *fx)
{
	uint32_t high = hd_machine_high_mask(c->machine);
	for (size_t i = 0; i < c->now.n; i++) {
		const fact *f = &c->now.at[i];
		if (!f->primary || !(inst->wait >> (f->primary - 1) & 1))
			continue;
		bool everyone = ((high >> (f->primary - 1) & 1) && !hd_machine_passes_waits(c->machine)) || fx->pipe == HD_PIPE_FLOW;
		uint16_t pipes = everyone ? ALL_PIPES : (uint16_t)(1u << fx->pipe);
		close_for(c, i, pipes, !c->g->insts[f->word].release, word);
		if (f->word < word && f->word >= c->begin)
			settle_around(c, f, word, pipes);
	}
}

static bool lists_meet(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb, int *where)
{
	for (unsigned i = 0; i < na; i++) {
		for (unsigned k = 0; k < nb; k++) {
			if (a[i] == b[k]) {
				*where = a[i];
				return true;
			}
		}
	}
	return false;
}

static void judge_pair(checker *c, const fact *f, uint32_t word, const effects *fx)
{
	const effects *p = &c->fx[f->word];
	hd_check_report *r = c->report;
	bool write_open = f->writes >> fx->pipe & 1, read_open = f->reads >> fx->pipe & 1, same = p->pipe == fx->pipe;
	bool by_distance = same && !p->varies && !hd_machine_within_pipeline(c->machine);
	uint32_t elapsed = elapsed_since(c, f);
	int where = -1;
	if ((p->writes_any & (fx->reads_any | fx->writes_any)) == 0 && (p->reads_any & fx->writes_any) == 0 && !fx->fence && !fx->shared &&
	    !fx->settles)
		return;
	if (lists_meet(p->writes, p->n_writes, fx->reads, fx->n_reads, &where)) {
		r->dependences++;
		if (!write_open)
			r->by_counter++;
		else if (by_distance && elapsed >= p->latency)
			r->by_delay++;
		else
			complain(c, HD_HAZARD_RAW, f, word, where, by_distance ? p->latency - elapsed : 0);
	}
	if (lists_meet(p->writes, p->n_writes, fx->writes, fx->n_writes, &where)) {
		r->dependences++;
		uint32_t apart = p->latency >= fx->latency ? p->latency - fx->latency + 1u : 1u;
		if (!write_open)
			r->by_counter++;
		else if (by_distance && !fx->varies && elapsed >= apart)
			r->by_delay++;
		else if (same && !p->varies && fx->varies && elapsed >= p->latency)
			r->by_delay++;
		else
			complain(c, HD_HAZARD_WAW, f, word, where, by_distance ? apart - elapsed : 0);
	}
	if (lists_meet(p->reads, p->n_reads, fx->writes, fx->n_writes, &where)) {
		r->dependences++;
		if (same)
			r->by_order++;
		else if (!read_open)
			r->by_counter++;
		else
			complain(c, HD_HAZARD_WAR, f, word, where, 0);
	}
	bool ordered = (fx->fence && p->visible) || (fx->shared && p->shared && !same);
	if (ordered) {
		r->dependences++;
		if (!write_open)
			r->by_counter++;
		else
			complain(c, HD_HAZARD_MEMORY, f, word, -1, 0);
	}
	if (fx->settles && ((f->writes | f->reads) != 0) && !(by_distance && elapsed >= MAX_SPACING && !f->reads))
		complain(c, HD_HAZARD_CALL, f, word, -1, 0);
}

static void judge(checker *c, uint32_t word, const hd_inst *inst, const effects *fx)
{
	uint32_t lo, hi, mask = (1u << c->machine->fence_counters) - 1;
	if (inst->wait & ~mask || inst->primary > c->machine->fence_counters) {
		report(c, HD_HAZARD_COUNTER, word, word, -1, 0);
	} else if (inst->primary) {
		hd_machine_counters(c->machine, hd_machine_high_latency(c->machine, (hd_class)hd_ops[inst->op].klass), &lo, &hi);
		if (inst->primary < lo || inst->primary > hi)
			report(c, HD_HAZARD_COUNTER, word, word, -1, 0);
	}
	if (fx->mistyped)
		report(c, HD_HAZARD_TYPE, word, word, -1, 0);
	if (inst->primary && inst->wait >> (inst->primary - 1) & 1)
		report(c, HD_HAZARD_SELF, word, word, -1, 0);
	for (size_t i = 0; i < c->now.n; i++)
		judge_pair(c, &c->now.at[i], word, fx);
}

static void keep(checker *c, size_t from, size_t to)
{
	if (from == to)
		return;
	c->now.at[to] = c->now.at[from];
	c->closed.at[to] = c->closed.at[from];
	c->place[c->now.at[to].word] = (uint32_t)to + 1;
}

static void step(checker *c, uint32_t word)
{
	const hd_inst *inst = &c->g->insts[word];
	const effects *fx = &c->fx[word];
	/* A wait begins when the instruction is the next one, a cycle after the one before it: what that one's delay lasts longer counts once. */
	age(c, fx, fx->wait > c->overlap ? fx->wait - c->overlap : 0);
	for (size_t i = 0; fx->after_memory && i < c->now.n; i++) {
		if (hd_ops[c->g->insts[c->now.at[i].word].op].flags & HD_OPF_MEM)
			close_for(c, i, ALL_PIPES, true, word);
	}
	if (fx->pipe != HD_PIPE_NONE) {
		if (inst->wait)
			settle(c, word, inst, fx);
		if (c->judge)
			judge(c, word, inst, fx);
	}
	/* What is settled for all and can no longer be told apart by time is no fact any more. */
	bool goes = c->closes || fx->settles || c->place[word];
	size_t kept = goes ? 0 : c->now.n;
	for (size_t i = 0; goes && i < c->now.n; i++) {
		const fact *f = &c->now.at[i];
		if (fx->settles || (!f->writes && !f->reads) || f->word == word)
			c->place[f->word] = 0;
		else
			keep(c, i, kept++);
	}
	c->now.n = c->closed.n = kept;
	c->closes = false;
	bool leaves = fx->pipe != HD_PIPE_NONE && fx->pipe != HD_PIPE_FLOW && (fx->n_reads || fx->n_writes || fx->visible || fx->shared);
	if (leaves) {
		hd_vec_push(&c->now, (fact){.word = word,
		                            .writes = fx->n_writes || fx->visible || fx->shared ? ALL_PIPES : 0,
		                            .reads = fx->n_reads ? ALL_PIPES : 0,
		                            .pipe = fx->pipe,
		                            .primary = inst->primary,
		                            .since = c->clock[fx->pipe]});
		hd_vec_push(&c->closed, (closing){0});
		c->place[word] = (uint32_t)c->now.n;
	}
	age(c, fx, fx->spacing);
	c->overlap = c->machine->multi_issue_window > 1 || fx->pipe == HD_PIPE_FLOW || fx->spacing == 0 ? 0 : fx->spacing - 1u;
}

/* Delay of the instruction before the block beyond one cycle, if control can fall into the block from it. */
static unsigned overlap_into(const checker *c, uint32_t block)
{
	uint32_t word = c->g->begin[block];
	if (word == 0 || c->machine->multi_issue_window > 1)
		return 0;
	word -= hd_is_scheduling_word(c->g, word - 1) && word > 1 ? 2 : 1;
	const effects *fx = &c->fx[word];
	return hd_is_scheduling_word(c->g, word) || fx->pipe == HD_PIPE_FLOW || fx->spacing == 0 ? 0 : fx->spacing - 1u;
}

static void run_block(checker *c, uint32_t block)
{
	for (size_t i = 0; i < c->now.n; i++)
		c->place[c->now.at[i].word] = 0;
	c->now.n = c->closed.n = 0;
	c->begin = c->g->begin[block];
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		c->clock[pipe] = MAX_SPACING;
	for (size_t i = 0; i < c->in[block].n; i++) {
		hd_vec_push(&c->now, c->in[block].at[i]);
		c->now.at[i].since = MAX_SPACING - c->now.at[i].since;
		hd_vec_push(&c->closed, (closing){0});
		c->place[c->in[block].at[i].word] = (uint32_t)c->now.n;
	}
	c->overlap = overlap_into(c, block);
	for (uint32_t word = c->g->begin[block]; word < c->g->begin[block + 1]; word++) {
		if (!hd_is_scheduling_word(c->g, word))
			step(c, word);
	}
}

/* After its end the facts of a block are as at the entry of those to come. */
static void leave(checker *c)
{
	for (size_t i = 0; i < c->now.n; i++)
		c->now.at[i].since = elapsed_since(c, &c->now.at[i]);
}

static bool join(checker *c, uint32_t block)
{
	fact_list *in = &c->in[block];
	bool changed = false;
	size_t known = in->n, both = 0;
	for (size_t i = 0; i < known; i++) {
		fact *old = &in->at[i];
		const fact *new = fact_of(c, old->word);
		if (!new)
			continue;
		both++;
		changed |= (new->writes & ~old->writes) || (new->reads & ~old->reads) || new->since < old->since;
		old->writes |= new->writes;
		old->reads |= new->reads;
		old->since = old->since < new->since ? old->since : new->since;
	}
	if (both == c->now.n)
		return changed;
	/* New ones: those of `now` that the list lacks. */
	for (size_t i = 0; i < known; i++)
		c->place[in->at[i].word] |= UINT32_C(1) << 31;
	for (size_t i = 0; i < c->now.n; i++) {
		if (c->place[c->now.at[i].word] >> 31)
			continue;
		hd_vec_push(in, c->now.at[i]);
		changed = true;
	}
	for (size_t i = 0; i < known; i++)
		c->place[in->at[i].word] &= ~(UINT32_C(1) << 31);
	return changed;
}

static void solve(checker *c)
{
	bool *dirty = hd_xcalloc((size_t)c->g->n + 1, sizeof *dirty);
	for (uint32_t b = 0; b < c->g->n; b++)
		dirty[b] = true;
	for (bool again = true; again;) {
		again = false;
		for (uint32_t b = 0; b < c->g->n; b++) {
			if (!dirty[b])
				continue;
			dirty[b] = false;
			run_block(c, b);
			leave(c);
			for (uint32_t s = c->g->succ_first[b]; s < c->g->succ_first[b + 1]; s++) {
				uint32_t next = c->g->succ[s];
				if (join(c, next)) {
					dirty[next] = true;
					again |= next <= b;
				}
			}
		}
	}
	free(dirty);
}

static void doubt_last_use(void *context, uint32_t word, uint32_t other, int reg)
{
	hd_finding *finding = report(context, HD_HAZARD_LAST_USE, other, word, reg, 0);
	if (finding)
		hd_vec_push(&finding->path, word);
}

bool hd_check(const hd_object *object, const hd_machine *configured, hd_check_report *r)
{
	const hd_machine mine = hd_machine_split(configured, object->counters, object->split), *machine = &mine;
	*r = (hd_check_report){0};
	checker c = {.machine = machine, .g = hd_code_graph_new(object, machine->divergence_mode == HD_DIV_STACK), .report = r};
	c.fx = hd_xcalloc((size_t)c.g->words + 1, sizeof *c.fx);
	c.in = hd_xcalloc((size_t)c.g->n + 1, sizeof *c.in);
	c.place = hd_xcalloc((size_t)c.g->words + 1, sizeof *c.place);
	for (uint32_t word = 0; word < c.g->words; word++) {
		if (!hd_is_scheduling_word(c.g, word))
			effects_of(machine, &c.g->insts[word], (uint8_t)hd_line_hint(object->geometry, object->code.at, word), &c.fx[word]);
	}
	/* Two of one pipe are never a pair: what follows is as far away as the number says. */
	for (uint32_t word = 0; word < c.g->words; word++) {
		uint32_t next = hd_after(object->geometry, word);
		if (hd_is_scheduling_word(c.g, word) || c.fx[word].spacing || next >= c.g->words || c.fx[next].pipe != c.fx[word].pipe)
			continue;
		unsigned number = hd_line_hint(object->geometry, object->code.at, word) & 15;
		c.fx[word].spacing = (uint8_t)(number ? number : 1);
	}
	solve(&c);
	c.judge = true;
	for (uint32_t b = 0; b < c.g->n; b++)
		run_block(&c, b);
	if (machine->last_use_flags)
		r->last_uses = hd_check_last_uses(c.g, doubt_last_use, &c);
	for (uint32_t b = 0; b < c.g->n; b++)
		hd_vec_free(&c.in[b]);
	free(c.in);
	free(c.fx);
	free(c.place);
	hd_vec_free(&c.now);
	hd_vec_free(&c.closed);
	hd_code_graph_free(c.g);
	return r->total == 0;
}

void hd_check_report_free(hd_check_report *r)
{
	for (size_t i = 0; i < r->findings.n; i++)
		hd_vec_free(&r->findings.at[i].path);
	hd_vec_free(&r->findings);
	*r = (hd_check_report){0};
}

static void print_place(hd_text *out, const hd_object *object, uint32_t word)
{
	hd_inst inst;
	const char *why, *file;
	uint32_t line, column;
	if (word < object->code.n && !hd_is_ss(object->geometry, word) && hd_line_get(object->geometry, object->code.at, word, &inst, &why)) {
		hd_text_printf(out, "`");
		hd_inst_print(out, &inst);
		hd_text_printf(out, "` at %u", word);
	} else {
		hd_text_printf(out, "word %u", word);
	}
	if (hd_object_line(object, word, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
}

void hd_finding_print(hd_text *out, const hd_finding *f, const hd_object *object, const char *file)
{
	static const char *const names[] = {"RAW", "WAR", "WAW", "memory order", "call", "own counter", "counter", "type", "last use"};
	const hd_function *function = hd_object_function(object, f->consumer);
	hd_text_printf(out, "%s: error: %s%s", file, function ? function->name : "", function ? ": " : "");
	if (f->kind == HD_HAZARD_SELF) {
		print_place(out, object, f->consumer);
		hd_text_printf(out, " waits for the counter that it raises itself (HZ-3)\n");
		return;
	}
	if (f->kind == HD_HAZARD_COUNTER) {
		print_place(out, object, f->consumer);
		hd_text_printf(out, " names a counter that this machine does not have, or of the other latency set (HZ-20)\n");
		return;
	}
	if (f->kind == HD_HAZARD_TYPE) {
		print_place(out, object, f->consumer);
		hd_text_printf(out, " has a pre-decode byte of another type than its own (MI-1)\n");
		return;
	}
	if (f->kind == HD_HAZARD_LAST_USE) {
		hd_text_printf(out, "the last use of r%d in ", f->resource);
		print_place(out, object, f->consumer);
		if (f->producer == f->consumer) {
			hd_text_printf(out, " is not proven: no instruction of its pipeline and block makes the value (LU-3)\n");
			return;
		}
		hd_text_printf(out, " is not proven because of ");
		print_place(out, object, f->producer);
		hd_text_printf(out, " (LU-3)\n");
		return;
	}
	hd_text_printf(out, "%s", names[f->kind]);
	if (f->resource >= RES_PRED)
		hd_text_printf(out, " on p%d", f->resource - RES_PRED);
	else if (f->resource >= 0)
		hd_text_printf(out, " on r%d", f->resource);
	hd_text_printf(out, " is not covered: ");
	print_place(out, object, f->producer);
	hd_text_printf(out, f->kind == HD_HAZARD_CALL ? " may be outstanding at " : " and then ");
	print_place(out, object, f->consumer);
	if (f->missing)
		hd_text_printf(out, "; %u cycles are missing, or a counter", f->missing);
	else
		hd_text_printf(out, "; no counter waits for it");
	hd_text_printf(out, "; path");
	for (size_t i = 0; i < f->path.n; i++)
		hd_text_printf(out, "%s%u", i ? " -> " : " ", f->path.at[i]);
	hd_text_printf(out, "\n");
}

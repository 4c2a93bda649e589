#include "sass/fix.h"

#include "sass/analysis.h"

enum { STALL_MAX = 15, YIELD_ABOVE = 11, ROUNDS_MAX = 64, DROP_WORK_MAX = 10000000 /* instructions that are checked anew for M3 */ };

typedef struct fixer {
	const hd_sass_code *code; /* with the fields that it has */
	hd_sass_code trial;       /* with the fields that it gets */
	const hd_sass_graph *graph;
	hd_sass_analysis analysis; /* of `code`; its state runs over `trial` */
	hd_sass_graph trial_graph;
	uint8_t *floor;        /* by instruction: its least stall */
	int *behind;           /* by instruction: cycles from its issue to the end of its block, at least */
	int *ahead;            /* by instruction: cycles from the beginning of its block to its issue, at least */
	uint8_t *needed_waits; /* by instruction: bits of its wait mask that a register needs, each alone */
} fixer;

/* M2 */
static bool is_held(const hd_sass_instruction *x)
{
	return !x->row || x->flow != HD_SASS_NEXT || x->latency_class == HD_SASS_CLASS_BARRIER || x->latency_class == HD_SASS_CLASS_BRANCH ||
	       x->latency_class == HD_SASS_CLASS_NONE || x->depbar.present;
}

static int cycles(const hd_sass_code *code, uint32_t from, uint32_t to)
{
	int sum = 0;
	for (uint32_t i = from; i < to; i++)
		sum += hd_sass_step(code->at[i].control);
	return sum;
}

static void set_stall(hd_sass_instruction *x, int stall)
{
	x->control.stall = (uint8_t)stall;
	x->control.yield |= stall > YIELD_ABOVE;
}

/* M1: distances from block to block. */
static void on_distance(void *context, uint32_t first, uint32_t second, unsigned resource, int needed, int age, bool same_block)
{
	fixer *f = context;
	const hd_sass_graph *g = f->graph;
	(void)resource;
	if (same_block)
		return;
	int tail = cycles(f->code, first, g->begin[g->block_of[first] + 1]), head = cycles(f->code, g->begin[g->block_of[second]], second);
	f->behind[first] =
	    (int)hd_max_u32((uint32_t)f->behind[first], hd_max_u32(1, (uint32_t)(tail - hd_min_u32((uint32_t)tail, (uint32_t)(age - needed)))));
	f->ahead[second] = (int)hd_max_u32((uint32_t)f->ahead[second], (uint32_t)head);
}

/* The earliest cycle in which instruction `at` may issue, by the registers that it touches. */
static int earliest(const fixer *f, uint32_t at)
{
	const hd_sass_state *s = &f->analysis.state;
	const hd_sass_instruction *x = &f->code->at[at];
	int least = f->ahead[at];
	for (unsigned i = 0; i < x->accesses; i++) {
		for (unsigned k = 0; k < x->access[i].count; k++) {
			int resource = hd_sass_resource(x->access[i].file, x->access[i].first + k);
			for (uint32_t n = resource < 0 ? UINT32_MAX : s->head[resource]; n != UINT32_MAX; n = s->pool.at[n].next) {
				const hd_sass_pending *p = &s->pool.at[n];
				if (p->variable || (!p->write && !x->access[i].write))
					continue;
				hd_sass_hazard hazard = !p->write ? HD_SASS_WAR : x->access[i].write ? HD_SASS_WAW : HD_SASS_RAW;
				hd_sass_distance d = f->analysis.latencies->at[hazard][p->timing][hd_sass_timing_of(x, &x->access[i], k)];
				int needed = d.cycles + (p->guard == HD_SASS_PT ? 0 : d.guarded), age_before = -p->time;
				if (p->time < 0 && age_before + cycles(f->code, f->graph->begin[f->graph->block_of[at]], at) < needed)
					continue; /* opposite guards: it was no dependence before */
				least = p->time + needed > least ? p->time + needed : least;
			}
		}
	}
	return least;
}

/* Gives instructions before `at` of the block `more` cycles. False when they have no room. */
static bool give(fixer *f, uint32_t begin, uint32_t at, int more)
{
	for (uint32_t i = at; i-- > begin && more > 0;) {
		int now = f->trial.at[i].control.stall, room = now ? STALL_MAX - now : 0, /* none is a pause */ take = more < room ? more : room;
		f->floor[i] = (uint8_t)(now + take);
		more -= take;
	}
	return more <= 0;
}

/* M1. False when the block keeps its fields. */
static bool tighten(fixer *f, uint32_t block)
{
	const hd_sass_graph *g = f->graph;
	uint32_t begin = g->begin[block], end = g->begin[block + 1];
	hd_sass_state *s = &f->analysis.state;
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		bool again = false;
		int *issued = hd_xcalloc((size_t)(end - begin) + 1, sizeof *issued);
		for (uint32_t i = begin; i < end; i++)
			set_stall(&f->trial.at[i], f->floor[i]);
		hd_sass_state_begin(s, &f->analysis.in[block]);
		for (uint32_t i = begin; i < end && !again; i++) {
			int least = earliest(f, i);
			bool sees = i > begin && (hd_sass_raised(f->code->at[i - 1].control) & f->code->at[i].control.wait_mask);
			if (sees && issued[i - 1 - begin] + 2 > least)
				least = issued[i - 1 - begin] + 2;
			if (least > s->clock) {
				int stall = i > begin ? f->trial.at[i - 1].control.stall + least - s->clock : STALL_MAX + 1;
				if (stall <= STALL_MAX) {
					set_stall(&f->trial.at[i - 1], stall);
					s->clock = least;
				} else {
					again = true;
					if (i == begin || !give(f, begin, i, least - s->clock)) {
						free(issued);
						return false;
					}
				}
			}
			issued[i - begin] = s->clock;
			if (!again) {
				hd_sass_state_wait(s, i);
				hd_sass_state_issue(s, i);
			}
		}
		int more = 0;
		for (uint32_t i = begin; i < end && !again; i++)
			if (f->behind[i] && issued[i - begin] + f->behind[i] - s->clock > more)
				more = issued[i - begin] + f->behind[i] - s->clock;
		free(issued);
		if (again)
			continue;
		if (more == 0)
			return true;
		if (f->trial.at[end - 1].control.stall + more <= STALL_MAX) {
			set_stall(&f->trial.at[end - 1], f->trial.at[end - 1].control.stall + more);
			return true;
		}
		if (!give(f, begin, end, more))
			return false;
	}
	return false;
}

static void restore(fixer *f, uint32_t block)
{
	for (uint32_t i = f->graph->begin[block]; i < f->graph->begin[block + 1]; i++)
		f->trial.at[i].control = f->code->at[i].control;
}

/* M4. True when the trial is proven under no more assumptions than `needed`; otherwise blocks of findings have their old fields. */
static bool accept(fixer *f, const hd_sass_options *options, hd_sass_assumed needed)
{
	hd_sass_result r;
	hd_sass_options plain = *options;
	plain.observer = NULL;
	plain.assume = needed;
	bool proven = hd_sass_check(&f->trial, &plain, &r) == HD_SASS_PROVEN;
	for (size_t i = 0; i < r.findings.n; i++)
		for (size_t k = 0; k < r.findings.at[i].path.n; k++)
			restore(f, f->graph->block_of[r.findings.at[i].path.at[k]]);
	for (size_t i = 0; !r.findings.n && !proven && i < f->graph->n; i++)
		restore(f, (uint32_t)i);
	hd_sass_result_free(&r);
	return proven;
}

static void prove_trial(fixer *f, const hd_sass_options *options, hd_sass_assumed needed)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++)
		if (accept(f, options, needed))
			return;
	for (uint32_t b = 0; b < f->graph->n; b++)
		restore(f, b);
}

static void tighten_all(fixer *f)
{
	const hd_sass_graph *g = f->graph;
	for (uint32_t i = 0; i < f->code->n; i++)
		f->floor[i] = is_held(&f->code->at[i]) ? f->code->at[i].control.stall : 1;
	for (uint32_t b = 0; b < g->n; b++) {
		bool kept = g->reached[b] && tighten(f, b);
		if (!kept || cycles(&f->trial, g->begin[b], g->begin[b + 1]) >= cycles(f->code, g->begin[b], g->begin[b + 1]))
			restore(f, b);
	}
}

static void on_wait(void *context, uint32_t at, uint32_t producer, unsigned counters)
{
	fixer *f = context;
	(void)producer;
	f->needed_waits[at] |= (uint8_t)counters;
}

static bool is_proven(fixer *f, const hd_sass_options *options, hd_sass_assumed needed)
{
	hd_sass_result r;
	hd_sass_options plain = *options;
	plain.observer = NULL;
	plain.assume = needed;
	bool proven = hd_sass_check(&f->trial, &plain, &r) == HD_SASS_PROVEN;
	hd_sass_result_free(&r);
	return proven;
}

/* M3. Two waits may each be there for the other, so they go one by one. */
static void drop_waits(fixer *f, const hd_sass_options *options, hd_sass_assumed needed)
{
	hd_sass_result r;
	hd_sass_observer observer = {.wait = on_wait, .context = f};
	hd_sass_options watched = *options;
	uint64_t work = DROP_WORK_MAX;
	watched.observer = &observer;
	watched.assume = needed;
	hd_sass_check(&f->trial, &watched, &r);
	hd_sass_result_free(&r);
	for (uint32_t i = 0; i < f->code->n; i++) {
		hd_sass_instruction *x = &f->trial.at[i];
		unsigned idle = x->control.wait_mask & ~f->needed_waits[i];
		if (!idle || is_held(x) || x->memory || !f->graph->reached[f->graph->block_of[i]])
			continue;
		for (unsigned left = idle; left && work >= f->code->n; left &= left - 1) {
			unsigned bit = left & (0u - left);
			work -= f->code->n;
			x->control.wait_mask &= (uint8_t)~bit;
			if (!is_proven(f, options, needed))
				x->control.wait_mask |= (uint8_t)bit;
		}
	}
}

/* `waits`: M3, too. */
static uint64_t fix(const hd_sass_code *code, const hd_sass_options *options, bool waits, hd_sass_control *fields)
{
	uint64_t steps = options->steps ? options->steps : HD_SASS_STEPS, won = 0;
	hd_sass_doubt_list doubts = {0};
	hd_sass_graph g;
	hd_sass_result result;
	fixer f = {.code = code, .trial = *code, .graph = &g};
	hd_sass_observer observer = {.distance = on_distance, .context = &f};
	hd_sass_options watched = *options;
	watched.observer = &observer;
	f.trial.at = hd_xcalloc((size_t)code->n + 1, sizeof *code->at);
	if (code->n)
		memcpy(f.trial.at, code->at, code->n * sizeof *code->at);
	hd_sass_graph_init(&g, code, &steps, &doubts);
	f.floor = hd_xcalloc((size_t)code->n + 1, sizeof *f.floor);
	f.needed_waits = hd_xcalloc((size_t)code->n + 1, 1);
	f.behind = hd_xcalloc((size_t)code->n + 1, sizeof *f.behind);
	f.ahead = hd_xcalloc((size_t)code->n + 1, sizeof *f.ahead);
	hd_sass_check(code, &watched, &result);
	hd_sass_analysis_init(&f.analysis, &g, false);
	f.trial_graph = g;
	f.trial_graph.code = &f.trial;
	f.analysis.state.graph = &f.trial_graph;
	if (result.verdict == HD_SASS_PROVEN)
		tighten_all(&f);
	prove_trial(&f, options, result.needed);
	if (waits && result.verdict == HD_SASS_PROVEN)
		drop_waits(&f, options, result.needed);
	for (uint32_t i = 0; i < code->n; i++) {
		fields[i] = f.trial.at[i].control;
		if (g.n && g.reached[g.block_of[i]])
			won += (uint64_t)hd_sass_step(code->at[i].control) - (uint64_t)hd_sass_step(fields[i]);
	}
	hd_sass_analysis_free(&f.analysis);
	hd_sass_result_free(&result);
	hd_sass_graph_free(&g);
	hd_vec_free(&doubts);
	free(f.trial.at);
	free(f.floor);
	free(f.needed_waits);
	free(f.behind);
	free(f.ahead);
	return won;
}

uint64_t hd_sass_cycles_won(const hd_sass_code *code, const hd_sass_options *options)
{
	hd_sass_control *fields = hd_xcalloc((size_t)code->n + 1, sizeof *fields);
	uint64_t won = fix(code, options, false, fields);
	free(fields);
	return won;
}

uint64_t hd_sass_fix_code(hd_sass_code *code, const hd_sass_options *options)
{
	hd_sass_control *fields = hd_xcalloc((size_t)code->n + 1, sizeof *fields);
	uint64_t won = fix(code, options, true, fields);
	for (uint32_t i = 0; i < code->n; i++)
		code->at[i].control = fields[i];
	free(fields);
	return won;
}

static void put_fields(const hd_sass_code *code, uint8_t *bytes)
{
	for (uint32_t i = 0; i < code->n; i++) {
		uint64_t high = hd_sass_control_encode(code->at[i].high, code->at[i].control);
		for (unsigned k = 0; k < 8; k++)
			bytes[(size_t)i * HD_SASS_BYTES + 8 + k] = (uint8_t)(high >> 8 * k);
	}
}

/* Everything that is selected must be proven before a byte changes. */
static bool may_fix(const hd_sass_binary *binary, const char *name, const hd_sass_proof_options *o, size_t size, hd_diag *diag)
{
	hd_sass_proof proof;
	bool may = hd_sass_prove(binary, name, o, &proof, diag);
	for (size_t i = 0; may && i < proof.functions.n; i++) {
		const hd_sass_proof_function *p = &proof.functions.at[i];
		uint64_t offset = p->cubin->file_offset + p->function->file_offset;
		if (p->result.verdict != HD_SASS_PROVEN)
			hd_error(diag, (hd_pos){.file = name}, "nothing is fixed: %s (sm_%u) is %s", p->function->pretty, p->cubin->architecture,
			         hd_sass_verdict_name(p->result.verdict));
		else if (p->cubin->compressed)
			hd_error(diag, (hd_pos){.file = name}, "nothing is fixed: the entry of %s (sm_%u) is compressed, expected a cubin",
			         p->function->pretty, p->cubin->architecture);
		else if (offset > size || p->function->size > size - offset)
			hd_error(diag, (hd_pos){.file = name}, "nothing is fixed: the code of %s lies outside of the file", p->function->pretty);
		may = !diag->errors;
	}
	hd_sass_proof_free(&proof);
	return may;
}

bool hd_sass_fix_file(const hd_sass_binary *binary, const char *name, const hd_sass_proof_options *o, uint8_t *bytes, size_t size, uint64_t *won,
                      hd_diag *diag)
{
	hd_sass_options options = {.assume = o->assume, .steps = o->steps};
	hd_sass_proof_options proof = *o;
	*won = 0;
	proof.slack = false;
	if (!may_fix(binary, name, &proof, size, diag))
		return false;
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t k = 0; k < cubin->n_functions; k++) {
			hd_sass_code code;
			if (!hd_sass_selected(&o->selection, cubin, &cubin->functions[k]))
				continue;
			hd_sass_code_init(&code, cubin->architecture, &cubin->functions[k]);
			*won += hd_sass_fix_code(&code, &options);
			put_fields(&code, bytes + cubin->file_offset + cubin->functions[k].file_offset);
			hd_sass_code_free(&code);
		}
	}
	return true;
}

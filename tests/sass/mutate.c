/* Mutations of control fields (SA-11): `sass-mutate [OPTION]... FILE.cubin...` changes one field at a time and checks again.
 *
 * Four kinds: an instruction loses its write barrier, its read barrier, one bit of its wait mask, or one cycle of its stall below what --slack leaves
 * it. A mutation is found when the checker refutes the function. Otherwise it is redundant, and every dependence that hung on the field is covered by
 * what cover.h names. Where a table
 * is missing (sm_90) it may be a new doubt: the function is unknown for one reason more. What is none of these is a fault of the checker: the exit
 * status is 1 then. */
#include <inttypes.h>

#include "sass/cover.h"
#include "sass/proof.h"

enum { FILE_MAX = 1 << 30 };

typedef enum kind { WRITE_BARRIER, READ_BARRIER, WAIT_BIT, STALL, KINDS } kind;
static const char *const kind_names[KINDS] = {"write barrier removed", "read barrier removed", "wait bit cleared", "stall too low by one"};

/* Why a mutation is redundant. A mutation counts under the first that fits one of its dependences. */
typedef enum reason { BY_WAIT, BY_ASSUMPTION, BY_DISTANCE, BY_GUARD, BY_TWIN, BY_NOTHING, BY_NO_ACCESS, BY_UNREACHED, REASONS } reason;
static const char *const reason_names[REASONS] = {"another wait",
                                                  "an assumption",
                                                  "a distance",
                                                  "opposite guards",
                                                  "a later twin",
                                                  "nothing depends on it",
                                                  "no access is outstanding",
                                                  "control never comes here"};

typedef struct tally {
	uint64_t found[KINDS], neither[KINDS], unknown[KINDS], redundant[KINDS][REASONS];
	uint64_t assumed[KINDS][HD_SASS_ASSUMPTIONS]; /* under which assumption a redundant one is covered: the first of its row */
	uint64_t functions, skipped, instructions;
} tally;

typedef struct trial {
	const char *file;
	hd_sass_code *code;
	hd_sass_options options;
	hd_sass_verdict base;
	uint64_t doubts;           /* of the function as it is */
	hd_sass_cover_list covers; /* of the function as it is */
	tally *tally;
	uint64_t every, count; /* tries one mutation of so many */
	bool verbose;
	const bool *reached; /* by instruction */
} trial;

static hd_sass_verdict verdict_of(const trial *t, uint64_t *doubts)
{
	hd_sass_result result;
	hd_sass_verdict verdict = hd_sass_check(t->code, &t->options, &result);
	*doubts = result.n_doubts;
	hd_sass_result_free(&result);
	return verdict;
}

static void set_control(hd_sass_instruction *x, hd_sass_control control)
{
	x->control = control;
	x->high = hd_sass_control_encode(x->high, control);
}

static bool same_pair(const hd_sass_cover *a, const hd_sass_cover *b)
{
	return a->first == b->first && a->second == b->second && a->resource == b->resource && a->hazard == b->hazard;
}

/* The row of the pair in `now`, or of the pair with a twin of its first instruction; NULL when the pair has gone. */
static const hd_sass_cover *cover_of(const hd_sass_cover_list *now, const hd_sass_cover *was, bool *twin)
{
	const hd_sass_cover *other = NULL;
	for (size_t i = 0; i < now->n; i++) {
		const hd_sass_cover *c = &now->at[i];
		if (same_pair(c, was)) {
			*twin = false;
			return c;
		}
		if (c->second == was->second && c->resource == was->resource && c->hazard == was->hazard)
			other = c;
	}
	*twin = true;
	return other;
}

static reason reason_of(const hd_sass_cover *c, bool twin)
{
	static const reason reasons[] = {[HD_SASS_COVER_DISTANCE] = BY_DISTANCE,
	                                 [HD_SASS_COVER_WAIT] = BY_WAIT,
	                                 [HD_SASS_COVER_GUARD] = BY_GUARD,
	                                 [HD_SASS_COVER_ASSUMPTION] = BY_ASSUMPTION};
	return twin ? BY_TWIN : reasons[c->kind];
}

static void say(const trial *t, kind k, uint32_t at, const hd_sass_places *producers, const hd_sass_cover_list *now, const char *outcome)
{
	hd_text text = {0};
	if (!t->verbose)
		return;
	hd_text_printf(&text, "%s %s 0x%04x %s: %s", t->file, t->code->function->name, (unsigned)at * HD_SASS_BYTES, kind_names[k], outcome);
	for (size_t p = 0; p < producers->n; p++) {
		hd_text_printf(&text, "\n    0x%04x", (unsigned)producers->at[p] * HD_SASS_BYTES);
		for (size_t i = 0; i < now->n; i++) {
			if (now->at[i].first != producers->at[p])
				continue;
			hd_text_printf(&text, "\n        ");
			hd_sass_cover_print(&text, t->code, &now->at[i]);
		}
	}
	printf("%s\n", text.at);
	hd_text_free(&text);
}

/* Every pair of the producers has a cover still. REASONS: one has none. */
static reason explain(trial *t, kind k, const hd_sass_places *producers, const hd_sass_cover_list *now)
{
	reason best = BY_NOTHING;
	for (size_t i = 0; i < t->covers.n; i++) {
		const hd_sass_cover *was = &t->covers.at[i];
		bool twin, asked = false;
		for (size_t p = 0; p < producers->n; p++)
			asked |= producers->at[p] == was->first;
		if (!asked)
			continue;
		const hd_sass_cover *c = cover_of(now, was, &twin);
		if (!c)
			return REASONS;
		reason r = reason_of(c, twin);
		if (r == BY_ASSUMPTION && best != BY_ASSUMPTION && best != BY_WAIT)
			t->tally->assumed[k][hd_lowest_bit(c->any_of)]++;
		best = r < best ? r : best;
	}
	return best;
}

static void judge_redundant(trial *t, kind k, uint32_t at, const hd_sass_places *producers)
{
	hd_sass_cover_list now = {0};
	reason r = REASONS;
	if (!t->reached[at])
		r = BY_UNREACHED;
	else if (k == WAIT_BIT && !producers->n)
		r = BY_NO_ACCESS;
	else if (hd_sass_covers_find(&now, t->code, &t->options) == t->base)
		r = explain(t, k, producers, &now);
	if (r == REASONS && t->base == HD_SASS_UNKNOWN) /* said already, of another pair */
		t->tally->unknown[k]++;
	else if (r == REASONS)
		t->tally->neither[k]++;
	else
		t->tally->redundant[k][r]++;
	say(t, k, at, producers, &now, r == REASONS ? "NEITHER" : reason_names[r]);
	hd_vec_free(&now);
}

static void attempt(trial *t, kind k, uint32_t at, hd_sass_control control, const hd_sass_places *producers)
{
	hd_sass_instruction *x = &t->code->at[at];
	hd_sass_control old = x->control;
	if (t->count++ % t->every)
		return;
	set_control(x, control);
	uint64_t doubts;
	hd_sass_verdict verdict = verdict_of(t, &doubts);
	if (verdict == HD_SASS_REFUTED)
		t->tally->found[k]++;
	else if (doubts > t->doubts)
		t->tally->unknown[k]++;
	else
		judge_redundant(t, k, at, producers);
	set_control(x, old);
}

static void mutate_instruction(trial *t, uint32_t at, const hd_sass_slack *slack)
{
	hd_sass_control c = t->code->at[at].control;
	hd_sass_places own = {0};
	hd_vec_push(&own, at);
	if (c.write_barrier < HD_SASS_BARRIERS) {
		hd_sass_control m = c;
		m.write_barrier = HD_SASS_NO_BARRIER;
		attempt(t, WRITE_BARRIER, at, m, &own);
	}
	if (c.read_barrier < HD_SASS_BARRIERS) {
		hd_sass_control m = c;
		m.read_barrier = HD_SASS_NO_BARRIER;
		attempt(t, READ_BARRIER, at, m, &own);
	}
	for (unsigned bit = 0; bit < HD_SASS_BARRIERS; bit++) {
		hd_sass_control m = c;
		hd_sass_places producers = {0};
		if (!(c.wait_mask >> bit & 1))
			continue;
		m.wait_mask &= (uint8_t) ~(1u << bit);
		hd_sass_outstanding(&producers, t->code, at, 1u << bit);
		attempt(t, WAIT_BIT, at, m, &producers);
		hd_vec_free(&producers);
	}
	if (slack->n && t->reached[at] && c.stall > slack->stall[at] + 1 && (c.stall < 12 || c.yield)) {
		hd_sass_control m = c;
		m.stall = (uint8_t)(c.stall - slack->stall[at] - 1);
		attempt(t, STALL, at, m, &own);
	}
	hd_vec_free(&own);
}

static bool *reached_of(const hd_sass_code *code)
{
	bool *reached = hd_xcalloc(code->n + 1, sizeof *reached);
	uint64_t steps = HD_SASS_STEPS;
	hd_sass_doubt_list doubts = {0};
	hd_sass_graph g;
	hd_sass_graph_init(&g, code, &steps, &doubts);
	for (uint32_t i = 0; i < code->n; i++)
		reached[i] = g.reached[g.block_of[i]];
	hd_sass_graph_free(&g);
	hd_vec_free(&doubts);
	return reached;
}

/* The checker has no opinion of a function that it refutes. Of one that it cannot prove for want of a table it has one on counters. */
static void mutate_function(trial *t, const hd_sass_cubin *cubin, const hd_sass_function *function, uint64_t limit)
{
	hd_sass_code code;
	hd_sass_slack slack = {0};
	hd_sass_code_init(&code, cubin->architecture, function);
	t->code = &code;
	t->options = (hd_sass_options){.assume = HD_SASS_ASSUME_DEFAULT};
	t->base = verdict_of(t, &t->doubts);
	if (t->base == HD_SASS_REFUTED) {
		t->tally->skipped++;
		hd_sass_code_free(&code);
		return;
	}
	bool *reached = reached_of(&code);
	t->reached = reached;
	t->tally->functions++;
	t->tally->instructions += code.n;
	t->every = limit && code.n > limit ? code.n / limit + 1 : 1;
	hd_sass_covers_find(&t->covers, &code, &t->options);
	if (t->base == HD_SASS_PROVEN)
		hd_sass_slack_find(&slack, &code, &t->options);
	for (uint32_t i = 0; i < code.n; i++)
		mutate_instruction(t, i, &slack);
	if (t->base == HD_SASS_PROVEN)
		hd_sass_slack_free(&slack);
	hd_vec_free(&t->covers);
	t->covers = (hd_sass_cover_list){0};
	free(reached);
	hd_sass_code_free(&code);
}

static bool mutate_file(const char *path, tally *sums, uint64_t limit, bool verbose)
{
	size_t n;
	hd_diag diag = {0};
	uint8_t *bytes = (uint8_t *)hd_read_file(path, FILE_MAX, &n, &diag);
	hd_sass_binary *binary = bytes ? hd_sass_binary_open(bytes, n, path, &diag) : NULL;
	if (!binary)
		fprintf(stderr, "%s", diag.text.at);
	for (size_t i = 0; binary && i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t f = 0; f < cubin->n_functions; f++) {
			trial t = {.file = path, .tally = sums, .verbose = verbose};
			mutate_function(&t, cubin, &cubin->functions[f], limit);
		}
	}
	bool ok = binary != NULL;
	if (binary)
		hd_sass_binary_free(binary);
	free(bytes);
	hd_diag_free(&diag);
	return ok;
}

static uint64_t redundant_of(const tally *t, kind k)
{
	uint64_t sum = 0;
	for (unsigned r = 0; r < REASONS; r++)
		sum += t->redundant[k][r];
	return sum;
}

static void print(const tally *t)
{
	printf("%" PRIu64 " functions, %" PRIu64 " instructions; %" PRIu64 " refuted functions left out\n", t->functions, t->instructions,
	       t->skipped);
	printf("| mutation | tried | found | redundant | neither | a new doubt |\n|---|--:|--:|--:|--:|--:|\n");
	for (unsigned k = 0; k < KINDS; k++) {
		uint64_t redundant = redundant_of(t, (kind)k);
		printf("| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n", kind_names[k],
		       t->found[k] + redundant + t->neither[k] + t->unknown[k], t->found[k], redundant, t->neither[k], t->unknown[k]);
	}
	printf("\n| redundant by |");
	for (unsigned k = 0; k < KINDS; k++)
		printf(" %s |", kind_names[k]);
	printf("\n|---|--:|--:|--:|--:|\n");
	for (unsigned r = 0; r < REASONS; r++) {
		printf("| %s |", reason_names[r]);
		for (unsigned k = 0; k < KINDS; k++)
			printf(" %" PRIu64 " |", t->redundant[k][r]);
		printf("\n");
	}
	for (unsigned a = 0; a < HD_SASS_ASSUMPTIONS; a++) {
		printf("| of these A%u |", a + 1);
		for (unsigned k = 0; k < KINDS; k++)
			printf(" %" PRIu64 " |", t->assumed[k][a]);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	tally t = {0};
	uint64_t limit = 0;
	bool verbose = false, ok = true;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--limit") == 0 && i + 1 < argc)
			limit = strtoull(argv[++i], NULL, 10); /* mutations of so many instructions of a function */
		else if (strcmp(argv[i], "--verbose") == 0)
			verbose = true;
		else
			ok &= mutate_file(argv[i], &t, limit, verbose);
	}
	print(&t);
	for (unsigned k = 0; k < KINDS; k++)
		ok &= !t.neither[k];
	return ok ? 0 : 1;
}

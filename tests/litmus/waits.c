#include "waits.h"

#include "model.h"

enum { MOST_MACHINES = 64 };

/* -- a program without a wait --------------------------------------------------------------------------------------------------------------- */

/* The slot of an access; n_slots if there is none. */
static uint32_t slot_of(const litmus_runner *r, unsigned thread, unsigned access)
{
	for (uint32_t i = 0; i < r->program->n_slots; i++) {
		const hd_slot *slot = &r->program->slots[i];
		hd_op op = (hd_op)slot->inst.op;
		const char *file;
		uint32_t line, column;
		bool global = op == HD_OP_LDG || op == HD_OP_STG || op == HD_OP_ATOMG || op == HD_OP_CASG;
		bool wanted = !slot->is_ss && (litmus_is_barrier(&r->test->access[thread][access]) ? op == HD_OP_BAR : global);
		if (wanted && hd_object_line(r->object, i, &file, &line, &column) && line >= r->lines.first[thread][access] &&
		    line <= r->lines.last[thread][access])
			return i;
	}
	return r->program->n_slots;
}

bool litmus_forget(litmus_runner *runner, unsigned thread)
{
	hd_slot *slots = runner->program->slots;
	uint32_t first = slot_of(runner, thread, 0), second = slot_of(runner, thread, 1), n = runner->program->n_slots;
	hd_invariant(first < second && second < n, "%s: the accesses of thread %u are not found", runner->test->shape->name, thread);
	bool barrier = slots[second].inst.op == HD_OP_BAR, fence = barrier, waits = false;
	for (uint32_t i = first + 1; i < second && barrier; i++) /* a barrier waits for the fence before it, or the access */
		if (!slots[i].is_ss && slots[i].inst.op == HD_OP_MEMBAR)
			first = i;
	unsigned counter = slots[first].inst.primary;
	uint16_t wait = counter ? (uint16_t)(1u << (counter - 1)) : 0;
	for (uint32_t i = first + 1; i <= second; i++) {
		if (slots[i].is_ss)
			continue;
		fence |= slots[i].inst.op == HD_OP_MEMBAR;
		waits |= fence && slots[i].inst.wait & wait;
		slots[i].inst.wait &= (uint16_t)~wait;
	}
	for (uint32_t i = second + 1; i < n; i++) {
		if (slots[i].is_ss || slots[i].inst.primary == counter)
			continue;
		slots[i].inst.wait |= wait;
		break;
	}
	return waits;
}

/* -- outcomes ------------------------------------------------------------------------------------------------------------------------------- */

/* A thread's wait on one machine. */
typedef struct place {
	unsigned runs, forbidden, kept; /* copies; those with a forbidden outcome without and with the wait */
	bool waits;
} place;

typedef struct site {
	const litmus_waiting *w;
	litmus_test test;
	unsigned thread;
	litmus_outcomes allowed;
	place at[MOST_MACHINES];
} site;

static unsigned forbidden(site *s, litmus_runner *r, uint64_t seed)
{
	uint16_t outcome[LITMUS_COPIES];
	hd_text why = {0};
	unsigned n = 0;
	if (!litmus_launch(r, seed, outcome, &why))
		hd_panic("%s: %s", s->test.shape->name, why.at);
	for (unsigned copy = 0; copy < LITMUS_COPIES; copy++)
		n += !litmus_has(&s->allowed, outcome[copy]);
	hd_text_free(&why);
	return n;
}

/* Launches on one machine. True when a forbidden outcome has appeared without the wait. */
static bool try_machine(site *s, unsigned m)
{
	litmus_variant settled = {.tight = true, .settled = true};
	const hd_machine *machine = &s->w->machines->at[m].machine;
	litmus_runner with = litmus_runner_new(&s->test, settled, machine), without = litmus_runner_new(&s->test, settled, machine);
	uint64_t state = s->w->seed;
	place *at = &s->at[m];
	with.late = without.late = s->thread + 1;
	at->waits = litmus_forget(&without, s->thread);
	for (unsigned i = 0; i < s->w->launches && at->waits && (s->w->count || !at->forbidden); i++) {
		uint64_t seed = hd_random(&state);
		at->runs += LITMUS_COPIES;
		at->forbidden += forbidden(s, &without, seed);
		if (s->w->count)
			at->kept += forbidden(s, &with, seed);
	}
	litmus_runner_free(&with);
	litmus_runner_free(&without);
	return at->forbidden;
}

/* -- all of them ---------------------------------------------------------------------------------------------------------------------------- */

/* True when the test allows more if nothing orders the two accesses of the thread. */
static bool is_needed(const litmus_test *test, unsigned thread, const litmus_outcomes *allowed)
{
	static litmus_outcomes more;
	litmus_test forgetful = *test;
	forgetful.forgotten = (uint8_t)(1u << thread);
	litmus_allowed(&forgetful, &more);
	for (unsigned i = 0; i < HD_COUNT(more.bits); i++)
		if (more.bits[i] & ~allowed->bits[i])
			return true;
	return false;
}

static const char *kind_of(const litmus_access *access)
{
	if (litmus_is_barrier(access))
		return "B";
	return access->strength >= LITMUS_ATOMIC ? "A" : access->kind == LITMUS_LOAD ? "R" : access->kind == LITMUS_STORE ? "W" : "A";
}

static void print_site(const site *s, unsigned kept)
{
	const litmus_access *access = s->test.access[s->thread];
	printf("| %s, %s | %u, %s %s | %u |", s->test.shape->name, s->test.form->name, s->thread, kind_of(&access[0]), kind_of(&access[1]), kept);
	for (unsigned m = 0; m < s->w->machines->named; m++) {
		if (s->at[m].waits)
			printf(" %.1f |", s->at[m].runs ? 1000.0 * s->at[m].forbidden / s->at[m].runs : 0);
		else
			printf(" |");
	}
	printf("\n");
}

/* Returns the number of failures. */
static unsigned try_wait(site *s)
{
	bool found = false;
	unsigned kept = 0, failures = 0;
	for (unsigned m = s->w->machines->named; m-- > 0 && (s->w->count || !found);) {
		found |= try_machine(s, m);
		kept += s->at[m].kept;
	}
	char name[128];
	litmus_name(&s->test, name);
	if (!found) {
		fprintf(stderr, "%s: nobody misses the wait of thread %u\n", name, s->thread);
		failures++;
	}
	if (kept) {
		fprintf(stderr, "%s: a forbidden outcome with the wait of thread %u\n", name, s->thread);
		failures++;
	}
	if (s->w->count)
		print_site(s, kept);
	return failures;
}

static void print_head(const litmus_waiting *w)
{
	printf("| test | thread | with |");
	for (unsigned m = 0; m < w->machines->named; m++)
		printf(" %s |", w->machines->at[m].name);
	printf("\n|---|---|--:|");
	for (unsigned m = 0; m < w->machines->named; m++)
		printf("--:|");
	printf("\n");
}

/* With barriers: what is taken out is a wait of a barrier. A store that no fence waits for comes late, or a fence leaves something old in the first
 * cache, for weak loads behind the barrier. More than three threads seldom meet. */
static bool shows(const litmus_test *test, unsigned thread)
{
	const litmus_access *access = test->access[thread];
	bool fenced = test->form->fence || access[0].strength == LITMUS_ATOMIC_SYNCHRONISING, store = access[0].kind == LITMUS_STORE && !fenced;
	bool old = access[0].kind == LITMUS_LOAD && test->form->outer == LITMUS_WEAK && test->mask < 1u << litmus_shift_location(0);
	bool taken = access[1].kind == LITMUS_SYNC || access[1].kind == LITMUS_ARRIVE;
	return !test->barriers || (test->n_threads == 3 && taken && (store || old));
}

unsigned litmus_try_waits(const litmus_waiting *w)
{
	static site s;
	unsigned failures = 0, sites = 0;
	if (w->count)
		print_head(w);
	for (unsigned form = 0; form < litmus_form_count; form++) {
		for (unsigned shape = 0; shape < litmus_shape_count; shape++) {
			s = (site){.w = w};
			bool made = w->chosen(w->context, shape) && litmus_make(&s.test, shape, form, LITMUS_GPU, LITMUS_APART);
			made =
			    made || (w->chosen(w->context, shape) && litmus_make(&s.test, shape, form, LITMUS_GPU, LITMUS_PAIRS) && s.test.barriers);
			if (!made)
				continue;
			litmus_allowed(&s.test, &s.allowed);
			for (s.thread = 0; s.thread < s.test.n_threads; s.thread++) {
				if (s.test.n[s.thread] < 2 || s.test.access[s.thread][1].depends || !shows(&s.test, s.thread) ||
				    !is_needed(&s.test, s.thread, &s.allowed))
					continue;
				failures += try_wait(&s);
				sites++;
			}
		}
	}
	printf("%u waits taken out, %u failures\n", sites, failures);
	return failures;
}

#include "litmus.h"

const litmus_shape litmus_shapes[] = {
#define SHAPE(...) {__VA_ARGS__},
#include "litmus.def"
#undef SHAPE
};
const unsigned litmus_shape_count = HD_COUNT(litmus_shapes);

const litmus_form litmus_forms[] = {
#define FORM(name, outer, inner, fence, scoped) {name, LITMUS_##outer, LITMUS_##inner, LITMUS_##fence, scoped},
#include "litmus.def"
#undef FORM
};
const unsigned litmus_form_count = HD_COUNT(litmus_forms);

const char *const litmus_scope_names[] = {"cta", "gpu", "sys"};
const char *const litmus_place_names[] = {"warp", "CTA", "pairs", "apart"};

static unsigned location(char name) { return (unsigned)(name - 'x'); }

static void put_access(litmus_test *test, const char *word, size_t n)
{
	unsigned thread = test->n_threads - 1;
	litmus_access *access = &test->access[thread][test->n[thread]++];
	static const char kinds[] = "RWAXBPG";
	const char *kind = strchr(kinds, word[0]);
	hd_invariant(kind && n >= 1 && test->n[thread] <= LITMUS_ACCESSES, "%s: %s", test->shape->name, word);
	*access = (litmus_access){.kind = (litmus_kind)(kind - kinds), .reg = -1};
	if (litmus_is_barrier(access)) {
		access->value = access->kind == LITMUS_GRID ? LITMUS_GRID_BARRIER : (uint8_t)(word[1] - '0');
		test->barriers = true;
		return;
	}
	hd_invariant(n >= 2 && location(word[1]) < LITMUS_LOCATIONS, "%s: %s", test->shape->name, word);
	access->location = (uint8_t)location(word[1]);
	access->value = access->kind == LITMUS_ADD ? 1 : access->kind == LITMUS_LOAD ? 0 : (uint8_t)(word[2] - '0');
	access->depends = word[n - 1] == 'd';
	if (access->kind != LITMUS_STORE)
		access->reg = (int8_t)test->n_registers++;
	test->n_locations = hd_max_u32(test->n_locations, access->location + 1u);
	hd_invariant(test->n_registers <= LITMUS_REGISTERS, "%s: registers", test->shape->name);
}

static void parse_program(litmus_test *test)
{
	test->n_threads = 1;
	for (const char *at = test->shape->program; *at;) {
		size_t n = strcspn(at, " ");
		if (*at == '|')
			test->n_threads++;
		else
			put_access(test, at, n);
		at += n + strspn(at + n, " ");
	}
}

static void parse_outcome(litmus_test *test)
{
	for (const char *at = test->shape->outcome; *at;) {
		size_t n = strcspn(at, " ");
		unsigned shift = at[0] == 'r' ? litmus_shift_register((unsigned)(at[1] - '0')) : litmus_shift_location(location(at[0]));
		test->wanted |= (uint16_t)((unsigned)(at[n - 1] - '0') << shift);
		test->mask |= (uint16_t)(3u << shift);
		at += n + strspn(at + n, " ");
	}
}

static void strengthen(litmus_test *test)
{
	for (unsigned t = 0; t < test->n_threads; t++) {
		for (unsigned i = 0; i < test->n[t]; i++) {
			litmus_access *access = &test->access[t][i];
			bool inner = test->n[t] == 1 || (access->kind == LITMUS_LOAD ? i + 1 < test->n[t] : i > 0);
			access->strength = inner ? test->form->inner : test->form->outer;
			if (access->kind < LITMUS_ADD || litmus_is_barrier(access))
				continue;
			/* An atomic is never weak. */
			litmus_strength s = access->strength;
			bool both = s == LITMUS_SYNCHRONISING || s == LITMUS_ATOMIC_HALF || s == LITMUS_ATOMIC_SYNCHRONISING;
			access->strength = both ? LITMUS_ATOMIC_SYNCHRONISING : LITMUS_ATOMIC;
		}
	}
}

/* Of atomics that load there are too many candidates where a location has more than four accesses. */
static bool too_many_stores(const litmus_test *test)
{
	unsigned n[LITMUS_LOCATIONS] = {0}, most = 0;
	for (unsigned t = 0; t < test->n_threads; t++)
		for (unsigned i = 0; i < test->n[t]; i++)
			if (!litmus_is_barrier(&test->access[t][i]))
				most = hd_max_u32(most, ++n[test->access[t][i].location]);
	return test->form->inner >= LITMUS_ATOMIC && most > 4;
}

/* Barriers of a CTA count warps, and their threads are in one CTA. */
static bool barriers_meet(const litmus_test *test)
{
	for (unsigned t = 0; t < test->n_threads; t++) {
		for (unsigned i = 0; i < test->n[t]; i++) {
			const litmus_access *barrier = &test->access[t][i];
			unsigned first;
			if (litmus_is_barrier(barrier) &&
			    (test->place == LITMUS_IN_WARP || (barrier->kind != LITMUS_GRID && litmus_company(test, t, barrier, &first) < 2)))
				return false;
		}
	}
	return true;
}

bool litmus_make(litmus_test *test, unsigned shape, unsigned form, litmus_scope scope, litmus_place place)
{
	*test = (litmus_test){.shape = &litmus_shapes[shape], .form = &litmus_forms[form], .scope = scope, .place = place};
	parse_program(test);
	parse_outcome(test);
	strengthen(test);
	if ((test->n_threads == 1 && place != LITMUS_APART) || too_many_stores(test) || !barriers_meet(test))
		return false;
	return (test->form->scoped || scope == LITMUS_GPU) && (place != LITMUS_PAIRS || test->n_threads > 2);
}

void litmus_name(const litmus_test *test, char name[128])
{
	snprintf(name, 128, "%s, %s%s%s, %s", test->shape->name, test->form->name, test->form->scoped ? "." : "",
	         test->form->scoped ? litmus_scope_names[test->scope] : "", litmus_place_names[test->place]);
}

bool litmus_together(const litmus_test *test, unsigned one, unsigned other)
{
	return one == other || (test->place == LITMUS_PAIRS ? one / 2 == other / 2 : test->place != LITMUS_APART);
}

litmus_scope litmus_scope_of(const litmus_test *test, const litmus_access *access)
{
	return access && (access->strength == LITMUS_VOLATILE || access->strength == LITMUS_RELAXED_SYS) ? LITMUS_SYS : test->scope;
}

bool litmus_fenced(const litmus_test *test, unsigned thread, unsigned i)
{
	const litmus_access *access = test->access[thread];
	return i > 0 && (!litmus_is_barrier(&access[i - 1]) || access[i].kind == LITMUS_STORE);
}

unsigned litmus_company(const litmus_test *test, unsigned thread, const litmus_access *barrier, unsigned *first)
{
	unsigned n = 0;
	*first = thread;
	for (unsigned t = test->n_threads; t-- > 0;) {
		bool comes = false;
		for (unsigned i = 0; i < test->n[t]; i++)
			comes |= litmus_is_barrier(&test->access[t][i]) && test->access[t][i].value == barrier->value;
		if (!comes || !litmus_together(test, t, thread))
			continue;
		*first = t;
		n++;
	}
	return n;
}

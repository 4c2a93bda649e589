/* heddle-gpu-litmus-tests: a line of JSON for each litmus test of tests/litmus whose threads are in CTAs of their own or in warps of one CTA: the
 * accesses, the outcome of the shape, and all outcomes that the memory model allows (model.h). bench/gpu/litmus.py runs them on a GPU. */
#include "litmus.h"
#include "model.h"

#include <stdio.h>

static const char *const kinds[] = {"load", "store", "add", "exchange"};
static const char *const strengths[] = {"weak", "cg", "volatile", "relaxed", "relaxed.sys", "synchronising", "atomic", "half", "acq_rel"};
static const char *const fences[] = {"", "acq_rel", "sc", "membar", "mixed"};

static void print(const litmus_test *test)
{
	litmus_outcomes allowed;
	printf("{\"shape\":\"%s\",\"form\":\"%s\",\"scope\":\"%s\",\"place\":\"%s\",\"fence\":\"%s\",\"shown\":%s,\"registers\":%u,\"locations\":%u,"
	       "\"wanted\":%u,\"mask\":%u,\"threads\":[",
	       test->shape->name, test->form->name, litmus_scope_names[test->scope], litmus_place_names[test->place], fences[test->form->fence],
	       test->shape->shown ? "true" : "false", test->n_registers, test->n_locations, test->wanted, test->mask);
	for (unsigned t = 0; t < test->n_threads; t++) {
		printf("%s[", t ? "," : "");
		for (unsigned i = 0; i < test->n[t]; i++) {
			const litmus_access *a = &test->access[t][i];
			printf("%s[\"%s\",\"%s\",\"%s\",%u,%u,%s,%d]", i ? "," : "", kinds[a->kind], strengths[a->strength],
			       litmus_scope_names[litmus_scope_of(test, a)], a->location, a->value, a->depends ? "true" : "false", a->reg);
		}
		printf("]");
	}
	printf("],\"allowed\":[");
	litmus_allowed(test, &allowed);
	const char *comma = "";
	for (unsigned o = 0; o < LITMUS_OUTCOMES; o++) {
		if (litmus_has(&allowed, o)) {
			printf("%s%u", comma, o);
			comma = ",";
		}
	}
	printf("]}\n");
}

int main(void)
{
	static const litmus_place places[] = {LITMUS_IN_CTA, LITMUS_APART};
	for (unsigned s = 0; s < litmus_shape_count; s++)
		for (unsigned f = 0; f < litmus_form_count; f++)
			for (unsigned scope = 0; scope < LITMUS_SCOPES; scope++)
				for (unsigned p = 0; p < HD_COUNT(places); p++) {
					litmus_test test;
					if (litmus_make(&test, s, f, (litmus_scope)scope, places[p]))
						print(&test);
				}
	return 0;
}

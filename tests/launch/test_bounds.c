/* Accesses outside of every buffer as warnings: each place once, from any thread. */
#include "../test.h"
#include <pthread.h>

#include "launch/bounds.h"

static hd_program program = {0};
static hd_object object = {0};
static hd_kernel kernel = {.name = (char *)"k"};

static void note_of(hd_bounds *bounds, const uint32_t cta[3], const uint32_t thread[3])
{
	hd_launch launch = {.program = &program, .kernel = &kernel};
	hd_trap trap = {.kind = HD_TRAP_ADDRESS, .kernel = "k", .address = HD_GLOBAL_BASE, .bytes = 4};
	memcpy(trap.cta, cta, sizeof trap.cta);
	memcpy(trap.thread, thread, sizeof trap.thread);
	hd_bounds_note(bounds, &trap, &launch, NULL);
}

static void note(hd_bounds *bounds, const char *name, uint32_t pc, bool store)
{
	hd_launch launch = {.program = &program, .kernel = &kernel};
	hd_trap trap = {.kind = HD_TRAP_ADDRESS, .kernel = name, .pc = pc, .address = HD_GLOBAL_BASE, .bytes = 4, .store = store};
	hd_bounds_note(bounds, &trap, &launch, NULL);
}

static unsigned taken(hd_bounds *bounds, const char *words)
{
	hd_text text = {0};
	unsigned n = 0;
	hd_bounds_take(bounds, &text);
	for (const char *at = text.at; at && (at = strstr(at, words)); at++)
		n++;
	hd_text_free(&text);
	return n;
}

TEST(each_place_once)
{
	hd_bounds *bounds = hd_bounds_new();
	(void)state;
	program.object = &object;
	note(bounds, "k", 3, false);
	note(bounds, "k", 3, false);
	note(bounds, "k", 4, true);
	note(bounds, "other", 3, false);
	assert_int_equal(taken(bounds, "warning: kernel '"), 3);
	assert_int_equal(taken(bounds, "warning"), 0);
	note(bounds, "k", 4, true);
	assert_int_equal(taken(bounds, "warning"), 0);
	note(bounds, "k", 5, true);
	assert_int_equal(taken(bounds, "is outside of every buffer; nothing is written\n"), 1);
	note(bounds, "k", 6, false);
	assert_int_equal(taken(bounds, "is outside of every buffer; zeros are read\n"), 1);
	hd_bounds_free(bounds);
	hd_bounds_free(NULL);
}

/* The first thread of the first CTA, whoever comes first. */
TEST(first_thread)
{
	static const uint32_t order[4][2][3] = {{{0, 0, 1}, {0, 0, 0}}, {{9, 0, 0}, {9, 1, 0}}, {{1, 1, 0}, {0, 0, 0}}, {{9, 0, 0}, {2, 1, 0}}};
	(void)state;
	program.object = &object;
	for (unsigned turn = 0; turn < 4; turn++) {
		hd_bounds *bounds = hd_bounds_new();
		hd_text text = {0};
		for (unsigned i = 0; i < 4; i++)
			note_of(bounds, order[(i + turn) % 4][0], order[(i + turn) % 4][1]);
		note_of(bounds, order[1][0], order[1][1]);
		hd_bounds_take(bounds, &text);
		assert_non_null(strstr(text.at, "CTA (9,0,0), thread (2,1,0), "));
		assert_null(strstr(text.at, "CTA (1,1,0)"));
		hd_text_free(&text);
		note_of(bounds, (const uint32_t[3]){0}, (const uint32_t[3]){0});
		assert_int_equal(taken(bounds, "warning"), 0);
		hd_bounds_free(bounds);
	}
}

/* Places come by name and word address. */
TEST(in_order)
{
	hd_bounds *bounds = hd_bounds_new();
	hd_text text = {0};
	(void)state;
	program.object = &object;
	note(bounds, "k", 0x30, false);
	note(bounds, "j", 0x40, false);
	note(bounds, "k", 0x10, false);
	note(bounds, "l", 0x5, false);
	note(bounds, "k", 0x20, false);
	hd_bounds_take(bounds, &text);
	const char *at = text.at;
	for (unsigned i = 0; i < 5; i++)
		assert_non_null(at = strstr(at, (const char *[]){"word 0x40", "word 0x10", "word 0x20", "word 0x30", "word 0x5"}[i]));
	hd_text_free(&text);
	hd_bounds_free(bounds);
}

static void *notes(void *bounds)
{
	for (uint32_t pc = 0; pc < 100; pc++)
		note(bounds, "k", pc % 10, false);
	return NULL;
}

TEST(threads)
{
	hd_bounds *bounds = hd_bounds_new();
	pthread_t other[4];
	(void)state;
	program.object = &object;
	for (int i = 0; i < 4; i++)
		pthread_create(&other[i], NULL, notes, bounds);
	for (int i = 0; i < 4; i++)
		pthread_join(other[i], NULL);
	assert_int_equal(taken(bounds, "warning"), 10);
	hd_bounds_free(bounds);
}

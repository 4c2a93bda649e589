#include "timings.h"

#include "../stress/draw.h"
#include "api/build.h"

enum {
	PAGE = 4096,
	WINDOW = 4 * PAGE, /* bytes for the locations of a copy */
	CTA_WARPS = LITMUS_THREADS * LITMUS_COPIES / 2,
	CTAS = 7,
	STRESS_WARPS = 6, /* of a CTA, beside a test with barriers */
	STRESS_BYTES = 4096,
	MOST_CYCLES = 10000000,
};

/* -- machines ------------------------------------------------------------------------------------------------------------------------------- */

static void set_all(hd_machine *machine, const char *settings)
{
	hd_diag diag = {0};
	hd_machine_default(machine);
	for (const char *at = settings; *at;) {
		char setting[80];
		size_t n = strcspn(at, " ");
		snprintf(setting, sizeof setting, "%.*s", (int)n, at);
		hd_invariant(hd_machine_set(machine, setting, &diag), "%s: %s", setting, diag.text.at);
		at += n + strspn(at + n, " ");
	}
	hd_invariant(hd_machine_validate(machine, NULL, &diag), "%s: %s", settings, diag.text.at);
}

litmus_machines litmus_machines_new(unsigned drawn)
{
	static const struct {
		const char *name, *settings;
	} rows[] = {
#define MACHINE(...) {__VA_ARGS__},
#include "litmus.def"
#undef MACHINE
	};
	litmus_machines all = {.n = HD_COUNT(rows) + drawn, .named = HD_COUNT(rows)};
	all.at = hd_xaligned(all.n * sizeof *all.at);
	for (unsigned i = 0; i < all.named; i++) {
		snprintf(all.at[i].name, sizeof all.at[i].name, "%s", rows[i].name);
		set_all(&all.at[i].machine, rows[i].settings);
	}
	/* Cores enough for the warps of a launch, whatever else is drawn. */
	uint64_t seed = 1;
	for (unsigned i = all.named; i < all.n; seed++) {
		hd_diag diag = {0};
		stress_draw_machine(seed, &all.at[i].machine);
		all.at[i].machine.machine_schedulers = hd_max_u32(all.at[i].machine.machine_schedulers, 2);
		all.at[i].machine.machine_warps = HD_WARP_SLOTS;
		all.at[i].machine.machine_registers = hd_max_u32(all.at[i].machine.machine_registers, 65536);
		snprintf(all.at[i].name, sizeof all.at[i].name, "drawn %llu", (unsigned long long)seed);
		i += hd_machine_validate(&all.at[i].machine, NULL, &diag);
		hd_diag_free(&diag);
	}
	return all;
}

void litmus_machines_free(litmus_machines *machines) { free(machines->at); }

/* -- a program ------------------------------------------------------------------------------------------------------------------------------ */

static uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)((hd_random(state) >> 16) % n); }

litmus_variant litmus_draw_variant(uint64_t *state)
{
	static const uint32_t offsets[] = {0, 0, 0, 4, 32, 128, 4096};
	return (litmus_variant){.tight = below(state, 2), .offset = offsets[below(state, HD_COUNT(offsets))]};
}

/* Of a launch. */
static uint32_t most_threads(const litmus_test *test)
{
	return (test->barriers ? (2 * LITMUS_COPIES + 3) * (2 + STRESS_WARPS) : CTAS * CTA_WARPS) * HD_LANES;
}

litmus_runner litmus_runner_new(const litmus_test *test, litmus_variant variant, const hd_machine *machine)
{
	litmus_runner r = {.test = test, .variant = variant, .machine = machine};
	hd_text text = {0};
	hd_diag diag = {0};
	litmus_program(test, variant, &text, &r.lines);
	r.object = hd_build("litmus.ptx", &(hd_build_options){.machine = machine, .text = text.at, .text_size = text.n}, &diag);
	r.memory = hd_memory_new(UINT64_C(1) << 26);
	r.storage = hd_region_new(0);
	r.program = r.object ? hd_program_new(r.object, r.memory, &diag) : NULL;
	if (!r.program) {
		fprintf(stderr, "%s%s\n", text.at, diag.text.at);
		exit(1);
	}
	r.arena = hd_memory_alloc(r.memory, LITMUS_COPIES * WINDOW + STRESS_BYTES + PAGE, "locations");
	r.arena = (r.arena + PAGE - 1) / PAGE * PAGE;
	r.records = hd_memory_alloc(r.memory, most_threads(test) * sizeof(litmus_record), "records");
	r.results = hd_memory_alloc(r.memory, LITMUS_COPIES * (LITMUS_REGISTERS + 1) * 4, "results");
	hd_text_free(&text);
	hd_diag_free(&diag);
	return r;
}

void litmus_runner_free(litmus_runner *runner)
{
	hd_program_free(runner->program);
	hd_object_free(runner->object);
	hd_memory_free(runner->memory);
	hd_region_free(runner->storage);
}

/* -- a launch ------------------------------------------------------------------------------------------------------------------------------- */

typedef struct drawing {
	litmus_runner *r;
	uint64_t state;
	uint32_t ctas, warps, lanes; /* of a CTA; of a warp */
	litmus_record *records;
	uint64_t place[LITMUS_COPIES][LITMUS_LOCATIONS];
} drawing;

/* Locations: in one sector, in lines of their own, or in pages of their own. */
static void draw_places(drawing *d)
{
	for (unsigned copy = 0; copy < LITMUS_COPIES; copy++) {
		uint64_t base = d->r->arena + copy * (uint64_t)WINDOW;
		uint32_t kind = below(&d->state, 4);
		if (d->r->machine->pages_kib && (d->r->late || below(&d->state, 2)))
			kind = 1;
		for (unsigned l = 0; l < LITMUS_LOCATIONS; l++) {
			uint32_t at = kind == 0   ? 4 * l
			              : kind == 1 ? PAGE * l + below(&d->state, PAGE / 4) * 4
			                          : (l * 10 + below(&d->state, 10)) * 128 + 4 * below(&d->state, 32);
			d->place[copy][l] = base + at;
		}
		for (unsigned l = 1; l < LITMUS_LOCATIONS && d->r->variant.offset; l++)
			d->place[copy][l] = d->place[copy][0] + l * d->r->variant.offset;
	}
}

/* Of a test with barriers: each copy has CTAs of its own, whose warps it counts. */
static uint32_t slot_of_its_own(const drawing *d, unsigned copy, unsigned thread, const uint8_t order[LITMUS_THREADS])
{
	unsigned cta, warp;
	switch (d->r->test->place) {
	case LITMUS_IN_CTA:
		cta = copy;
		warp = order[thread];
		break;
	case LITMUS_PAIRS:
		cta = copy * 2 + (thread / 2 ^ (order[0] & 1));
		warp = thread % 2 ^ (order[1] & 1);
		break;
	default:
		cta = copy * d->r->test->n_threads + order[thread];
		warp = 0;
		break;
	}
	return (cta * d->warps + warp) * d->lanes;
}

/* Where thread `thread` of a copy runs. Threads of copies that share a warp have the same role there, unless the test is in one warp. */
static uint32_t slot_of(const drawing *d, unsigned copy, unsigned thread, const uint8_t order[LITMUS_THREADS])
{
	unsigned n = d->r->test->n_threads, cta, warp, lane;
	if (d->r->test->barriers)
		return slot_of_its_own(d, copy, thread, order);
	switch (d->r->test->place) {
	case LITMUS_IN_WARP:
		cta = copy % 2;
		warp = copy / 2;
		lane = order[thread];
		break;
	case LITMUS_IN_CTA:
		cta = copy % 2;
		warp = copy / 2 * n + order[thread];
		lane = 0;
		break;
	case LITMUS_PAIRS:
		cta = thread / 2 ^ (order[0] & 1);
		warp = copy * 2 + thread % 2;
		lane = 0;
		break;
	default:
		cta = order[thread];
		warp = copy / 2;
		lane = copy % 2;
		break;
	}
	return (cta * d->warps + warp) * d->lanes + lane;
}

static void draw_order(drawing *d, unsigned n, uint8_t order[LITMUS_THREADS])
{
	for (unsigned i = 0; i < LITMUS_THREADS; i++)
		order[i] = (uint8_t)i;
	for (unsigned i = n; i > 1; i--) {
		unsigned k = below(&d->state, i);
		uint8_t swapped = order[i - 1];
		order[i - 1] = order[k];
		order[k] = swapped;
	}
}

static uint32_t draw_delay(drawing *d)
{
	static const uint32_t most[] = {1, 4, 16, 64};
	return below(&d->state, most[below(&d->state, HD_COUNT(most))]);
}

/* The locations that the core of each thread has in its first cache and first TLB. */
typedef struct warmth {
	uint32_t thread[LITMUS_THREADS];
} warmth;

/* In half of the copies one thread lacks one location and has the others, so this access takes longest. */
static warmth draw_warm(drawing *d)
{
	enum { ALL = (1u << LITMUS_LOCATIONS) - 1 };
	warmth warm;
	bool one = d->r->late || below(&d->state, 2);
	for (unsigned t = 0; t < LITMUS_THREADS; t++)
		warm.thread[t] = one ? ALL : below(&d->state, 2) ? below(&d->state, ALL + 1) : below(&d->state, 2) * ALL;
	if (d->r->late)
		warm.thread[d->r->late - 1] &= ~(1u << d->r->test->access[d->r->late - 1][0].location);
	else if (one)
		warm.thread[below(&d->state, d->r->test->n_threads)] &= ~(1u << below(&d->state, d->r->test->n_locations));
	return warm;
}

static void draw_copies(drawing *d)
{
	const litmus_test *test = d->r->test;
	uint8_t order[LITMUS_THREADS];
	uint32_t delay[LITMUS_THREADS] = {0};
	for (unsigned copy = 0; copy < LITMUS_COPIES; copy++) {
		/* Two copies in one warp go together. */
		if (test->place != LITMUS_APART || copy % 2 == 0 || test->barriers) {
			draw_order(d, test->n_threads, order);
			for (unsigned t = 0; t < LITMUS_THREADS; t++)
				delay[t] = draw_delay(d);
		}
		warmth warm = draw_warm(d);
		for (unsigned t = 0; t < test->n_threads; t++) {
			litmus_record *record = &d->records[slot_of(d, copy, t, order)];
			hd_invariant(record->role == LITMUS_IDLE, "a place is taken twice");
			*record = (litmus_record){.role = t, .warm = warm.thread[t], .delay = {delay[t]}};
			for (unsigned i = 1; i < LITMUS_ACCESSES; i++)
				record->delay[i] = below(&d->state, 2) ? 0 : draw_delay(d);
			memcpy(record->place, d->place[copy], sizeof record->place);
			record->results = d->r->results + copy * LITMUS_REGISTERS * 4;
			record->barrier = d->r->results + (LITMUS_COPIES * LITMUS_REGISTERS + copy) * 4;
		}
	}
}

/* The last CTAs have nothing else to do. Beside a test with barriers each CTA has warps for it. */
static void draw_stress(drawing *d)
{
	bool barriers = d->r->test->barriers;
	uint32_t warps = below(&d->state, 3) ? below(&d->state, 5) : 0;
	if (barriers)
		warps *= d->ctas / 2;
	for (uint32_t i = 0; i < warps; i++) {
		uint32_t last = barriers ? (below(&d->state, d->ctas) + 1) * d->warps - below(&d->state, STRESS_WARPS) : d->ctas * d->warps - i;
		uint32_t slot = (last - 1) * d->lanes;
		for (uint32_t lane = 0; lane < 1 + below(&d->state, d->lanes); lane++) {
			litmus_record *record = &d->records[slot + lane];
			if (record->role != LITMUS_IDLE)
				continue;
			*record = (litmus_record){.role = LITMUS_STRESSES, .times = 1 + below(&d->state, barriers ? 8 : 40)};
			record->place[0] = d->r->arena + LITMUS_COPIES * (uint64_t)WINDOW + below(&d->state, STRESS_BYTES / 128) * UINT64_C(128);
		}
	}
}

static drawing draw(litmus_runner *r, uint64_t seed)
{
	unsigned n = r->test->n_threads;
	drawing d = {.r = r, .state = seed, .lanes = r->machine->machine_lanes};
	d.warps = r->test->place == LITMUS_IN_CTA ? LITMUS_COPIES / 2 * n : r->test->place == LITMUS_PAIRS ? LITMUS_COPIES * 2 : LITMUS_COPIES / 2;
	d.ctas = r->test->place == LITMUS_APART ? n : 2;
	if (r->test->barriers) {
		d.ctas = LITMUS_COPIES * (r->test->place == LITMUS_IN_CTA ? 1 : d.ctas);
		d.warps = (r->test->place == LITMUS_IN_CTA ? n : r->test->place == LITMUS_PAIRS ? 2 : 1) + STRESS_WARPS;
	}
	d.ctas += below(&d.state, 3);
	hd_invariant(d.ctas * d.warps * d.lanes <= most_threads(r->test), "%s: too many threads", r->test->shape->name);
	d.records = hd_memory_at(r->memory, r->records, most_threads(r->test) * sizeof *d.records);
	for (uint32_t i = 0; i < d.ctas * d.warps * d.lanes; i++)
		d.records[i] = (litmus_record){.role = LITMUS_IDLE};
	draw_places(&d);
	draw_copies(&d);
	draw_stress(&d);
	return d;
}

static uint32_t *word(litmus_runner *r, uint64_t address) { return hd_memory_at(r->memory, address, 4); }

static unsigned outcome_of(const drawing *d, unsigned copy)
{
	unsigned outcome = 0;
	for (unsigned i = 0; i < d->r->test->n_registers; i++)
		outcome |= (*word(d->r, d->r->results + (copy * LITMUS_REGISTERS + i) * 4) & 3) << litmus_shift_register(i);
	for (unsigned l = 0; l < d->r->test->n_locations; l++)
		outcome |= (*word(d->r, d->place[copy][l]) & 3) << litmus_shift_location(l);
	return outcome;
}

bool litmus_launch(litmus_runner *runner, uint64_t seed, uint16_t outcome[LITMUS_COPIES], hd_text *why)
{
	drawing d = draw(runner, seed);
	uint8_t params[16] = {0};
	hd_stats stats = {0};
	hd_trap trap = {0};
	for (unsigned copy = 0; copy < LITMUS_COPIES; copy++)
		for (unsigned l = 0; l < LITMUS_LOCATIONS; l++)
			*word(runner, d.place[copy][l]) = 0;
	memset(word(runner, runner->results), 0, LITMUS_COPIES * (LITMUS_REGISTERS + 1) * 4);
	memcpy(params, &runner->records, 8);
	memcpy(params + 12, &d.lanes, 4);
	hd_launch launch = {.program = runner->program,
	                    .kernel = &runner->object->kernels.at[0],
	                    .grid = {d.ctas, 1, 1},
	                    .block = {d.warps * d.lanes, 1, 1},
	                    .work_dim = 1,
	                    .params = params,
	                    .lanes = d.lanes};
	const hd_run_options options = {.max_cycles = MOST_CYCLES, .storage = runner->storage};
	bool ok = hd_device_run(runner->machine, &launch, runner->memory, &options, &stats, &trap);
	if (!ok)
		hd_text_printf(why, "%s", trap.text ? trap.text : "trap");
	hd_trap_free(&trap);
	for (unsigned copy = 0; copy < LITMUS_COPIES; copy++)
		outcome[copy] = (uint16_t)outcome_of(&d, copy);
	return ok;
}

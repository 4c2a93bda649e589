/* The list of races and its text. */
#include "sanitizer/races_state.h"

/* -- finding out who it was ------------------------------------------------------------------------------------------------------------------ */

/* The row of the CTA, which there is. */
static const hd_race_row *row_of(const hd_races *r, uint32_t cta)
{
	size_t low = 0, high = r->rows.n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (r->rows.at[middle].first <= cta)
			low = middle + 1;
		else
			high = middle;
	}
	return &r->rows.at[low - 1];
}

void hd_races_place_cta(const hd_races *r, uint32_t number, uint32_t cta[3])
{
	const hd_race_row *row = row_of(r, number);
	uint64_t place = row->place + (number - row->first);
	cta[0] = (uint32_t)(place % row->size[0]) + row->base[0];
	cta[1] = (uint32_t)(place / row->size[0] % row->size[1]) + row->base[1];
	cta[2] = (uint32_t)(place / row->size[0] / row->size[1]) + row->base[2];
}

static hd_race_access describe(const hd_races *r, const hd_shadow_access *a, uint32_t thread)
{
	const hd_race_row *row = row_of(r, a->cta);
	hd_race_access d = {.word = hd_shadow_pc(a), .warp = thread / HD_LANES, .lane = thread % HD_LANES, .kernel = row->kernel};
	uint32_t t = d.warp * row->lanes + d.lane;
	d.loads = a->kind & HD_SHADOW_LOADS;
	d.stores = a->kind & HD_SHADOW_STORES;
	d.strong = a->kind & HD_SHADOW_STRONG;
	hd_races_place_cta(r, a->cta, d.cta);
	d.thread[0] = t % row->block[0];
	d.thread[1] = t / row->block[0] % row->block[1];
	d.thread[2] = t / row->block[0] / row->block[1];
	return d;
}

/* The parameter of the launch that points into the allocation. */
static const hd_param *parameter_of(const hd_launch *launch, uint64_t base, uint64_t size)
{
	for (size_t i = 0; i < launch->kernel->params.n; i++) {
		const hd_param *param = &launch->kernel->params.at[i];
		uint64_t value;
		if (param->size != sizeof value || param->offset + sizeof value > launch->kernel->param_bytes || !launch->params)
			continue;
		memcpy(&value, launch->params + param->offset, sizeof value);
		if (value - base < size)
			return param;
	}
	return NULL;
}

static char *place_of(const hd_races *r, uint64_t address)
{
	hd_memory_hits hits = {0};
	hd_text text = {0};
	uint64_t base, size;
	const char *name;
	if (hd_window(address) == HD_SPACE_SHARED || !hd_memory_find_with(r->memory, &hits, address, &base, &size))
		return NULL;
	const hd_param *param = parameter_of(r->cta->launch, base, size);
	if (param)
		hd_text_printf(&text, "'%s' + %llu", param->name, (unsigned long long)(address - base));
	else if (hd_memory_describe(r->memory, address, &name, &base, &size) && name)
		hd_text_printf(&text, "'%s' + %llu", name, (unsigned long long)(address - base));
	else
		hd_text_printf(&text, "%llu bytes into an allocation of %llu", (unsigned long long)(address - base), (unsigned long long)size);
	return text.at;
}

/* -- the list -------------------------------------------------------------------------------------------------------------------------------- */

static bool is_pair(const hd_race *race, uint32_t first, uint32_t second, hd_space space)
{
	return race->first.word == first && race->second.word == second && hd_window(race->address) == space;
}

static hd_race *find(hd_races *r, uint32_t first, uint32_t second, hd_space space)
{
	hd_races_found *found = &r->found;
	if (r->latest < found->list.n && is_pair(&found->list.at[r->latest], first, second, space))
		return &found->list.at[r->latest];
	for (size_t i = 0; i < found->list.n; i++) {
		if (is_pair(&found->list.at[i], first, second, space)) {
			r->latest = i;
			return &found->list.at[i];
		}
	}
	return NULL;
}

void hd_races_report(hd_races *r, const hd_order_event *e, const hd_shadow_access *now, const hd_shadow_race *with, uint64_t address)
{
	uint32_t first = hd_shadow_pc(&with->other), thread = now->thread;
	hd_race *race = find(r, first, e->pc, hd_window(address));
	r->found.total++;
	if (race) {
		race->count++;
		return;
	}
	if (r->found.list.n == HD_RACES_MAX)
		return;
	hd_vec_push(&r->found.list, (hd_race){.address = address, .count = 1, .place = place_of(r, address)});
	race = &r->found.list.at[r->found.list.n - 1];
	race->first = describe(r, &with->other, with->thread);
	race->second = describe(r, now, thread);
}

/* -- text ------------------------------------------------------------------------------------------------------------------------------------ */

const char *hd_race_access_name(const hd_race_access *a)
{
	if (a->loads && a->stores)
		return "atomic";
	return a->stores ? a->strong ? "volatile write" : "write" : a->strong ? "volatile read" : "read";
}

void hd_race_place(hd_text *out, const hd_race *race)
{
	bool shared = hd_window(race->address) == HD_SPACE_SHARED;
	hd_text_printf(out, "%s memory at 0x%llx", shared ? "shared" : "global",
	               (unsigned long long)(shared ? race->address - HD_WINDOW_SHARED : race->address));
	if (race->place)
		hd_text_printf(out, " (%s)", race->place);
}

static void put_access(hd_text *out, const hd_race_access *a, const hd_program *program)
{
	const char *file;
	uint32_t line, column;
	hd_text_printf(out, "  %s by `", hd_race_access_name(a));
	hd_inst_print(out, &program->slots[a->word].inst);
	hd_text_printf(out, "` at word %u", a->word);
	if (hd_object_line(program->object, a->word, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
	hd_text_printf(out, ": kernel '%s', CTA (%u,%u,%u), thread (%u,%u,%u), warp %u, lane %u\n", hd_kernel_name(a->kernel), a->cta[0], a->cta[1],
	               a->cta[2], a->thread[0], a->thread[1], a->thread[2], a->warp, a->lane);
}

void hd_race_print(hd_text *out, const hd_race *race, const hd_program *program)
{
	const char *file;
	uint32_t line, column;
	if (hd_object_line(program->object, race->second.word, &file, &line, &column)) {
		hd_text_printf(out, "%s:%u:", file, line);
		if (column)
			hd_text_printf(out, "%u:", column);
		hd_text_put(out, " ", 1);
	}
	hd_text_printf(out, "error: '%s': data race on ", hd_kernel_name(race->second.kernel));
	hd_race_place(out, race);
	hd_text_printf(out, ": nothing orders these two accesses\n");
	put_access(out, &race->first, program);
	put_access(out, &race->second, program);
	hd_text_printf(out, "  %llu time%s\n", (unsigned long long)race->count, race->count == 1 ? "" : "s");
}

void hd_races_print(hd_text *out, const hd_races_found *found, size_t most, const hd_program *program)
{
	uint64_t listed = 0;
	for (size_t i = 0; i < found->list.n && i < most; i++) {
		hd_race_print(out, &found->list.at[i], program);
		listed += found->list.at[i].count;
	}
	for (size_t i = 0; i < found->faults.n && i < most; i++)
		hd_race_barrier_print(out, &found->faults.at[i], program);
	if (listed < found->total)
		hd_text_printf(out, "error: %llu further races are not listed here\n", (unsigned long long)(found->total - listed));
	if (found->unwatched)
		hd_text_printf(out, "warning: %llu accesses were not looked at for races, because the memory for that was used up\n",
		               (unsigned long long)found->unwatched);
}

/* The explorer: a trace that is a page. It sees every event of the run, and passes it on to the units that make the blocks of the page. */
#include "explore/code.h"
#include "explore/follow.h"
#include "explore/index.h"
#include "explore/levels.h"
#include "explore/page.h"
#include "explore/tiles.h"
#include "explore/warps.h"
#include "trace/unit_log.h"
#include "trace/trace_writer.h"

typedef struct explorer {
	hd_blocks blocks;
	hd_follow *follow;
	hd_levels levels;
	hd_tiles *tiles;
	hd_warps *warps;
	hd_profile *profile;
	bool *begun; /* by kernel */
	hd_explore_index index;
	hd_unit_log *units;
} explorer;

static bool is_flow(const hd_program *program, uint32_t pc) { return pc < program->n_slots && program->slots[pc].pipe == HD_PIPE_FLOW; }

static void count(explorer *x, const hd_program *program, const hd_trace_event *e)
{
	if (e->kind == HD_TRACE_LOST) {
		x->index.lost[e->cause] += e->slots;
		x->index.cycles = hd_max_u64(e->cycle + e->cycles, x->index.cycles);
		return;
	}
	x->index.cycles = hd_max_u64(e->cycle + 1, x->index.cycles);
	x->index.executed += e->kind == HD_TRACE_ENTER && (e->mask || is_flow(program, e->pc));
	if (e->kind != HD_TRACE_ISSUE)
		return;
	x->index.instructions++;
	x->index.used += e->slots;
}

static void note_kernel(explorer *x, const hd_program *program, const hd_trace_event *e)
{
	for (size_t i = 0; e->kind == HD_TRACE_BEGIN && i < program->object->kernels.n; i++)
		x->begun[i] |= program->object->kernels.at[i].entry == e->pc;
}

/* The part of the event that lies in the traced cycles: a stretch of lost slots may begin before them or end behind them. */
static bool cut_to_window(const hd_trace_file *f, hd_trace_event *e)
{
	if (e->kind != HD_TRACE_LOST)
		return hd_trace_in_range(f, e->cycle);
	uint64_t end = e->cycle + e->cycles - 1, each = e->slots / e->cycles;
	if (end < f->limits.first || e->cycle > f->limits.last)
		return false;
	e->cycle = hd_max_u64(e->cycle, f->limits.first);
	e->cycles = hd_min_u64(end, f->limits.last) - e->cycle + 1;
	e->slots = e->cycles * each;
	return true;
}

/* A wait that is over, as far as it lies in the traced cycles. */
static void put_wait(const hd_trace_file *f, hd_wait wait, bool wanted)
{
	const explorer *x = f->state;
	wait.since = hd_max_u64(wait.since, f->limits.first);
	wait.until = f->limits.last < wait.until ? f->limits.last + 1 : wait.until;
	if (wanted && wait.cause != HD_NO_CAUSE && wait.since < wait.until)
		hd_tiles_wait(x->tiles, &wait);
}

static void watch(hd_trace_file *f, const hd_trace_event *e)
{
	explorer *x = f->state;
	hd_trace_event part = *e;
	const hd_waited *waited = hd_follow_event(x->follow, e);
	count(x, f->program, e);
	note_kernel(x, f->program, e);
	x->profile->trace.event(&x->profile->trace, e);
	hd_levels_event(&x->levels, e, waited);
	if (waited->ended)
		hd_warps_add(x->warps, hd_follow_place(x->follow, e), &waited->warp, e->cycle);
	if (!x->index.cut && x->blocks.written > f->limits.page_bytes && e->kind == HD_TRACE_ISSUE) {
		x->index.cut = true;
		f->limits.last = hd_min_u64(e->cycle ? e->cycle - 1 : 0, f->limits.last);
	}
	bool wanted = hd_trace_wants(f, e->core, e->scheduler, e->slot == HD_TRACE_NO_WARP ? f->limits.slot : e->slot);
	put_wait(f, waited->wait, wanted);
	hd_tiles_event(x->tiles, &part, &waited->reason, wanted && cut_to_window(f, &part));
}

static void put_json(explorer *x, hd_block_kind kind, hd_text *json)
{
	hd_block_put(&x->blocks, (hd_block_row){.kind = kind, .last = x->index.cycles}, json->at, json->n);
	hd_text_free(json);
	*json = (hd_text){0};
}

static void end_warps(hd_trace_file *f)
{
	explorer *x = f->state;
	uint32_t slots = f->machine->machine_warps, schedulers = f->machine->machine_schedulers;
	for (size_t place = 0; place < hd_follow_places(x->follow); place++) {
		const hd_waited *waited = hd_follow_end(x->follow, place, x->index.cycles);
		uint32_t scheduler = (uint32_t)(place / slots);
		put_wait(f, waited->wait, hd_trace_wants(f, scheduler / schedulers, scheduler % schedulers, (uint32_t)(place % slots)));
		hd_levels_end_warp(&x->levels, place, x->index.cycles, waited);
		if (waited->ended)
			hd_warps_add(x->warps, place, &waited->warp, x->index.cycles);
	}
}

/* The units of a core, in the cycles for which there is room. */
static void put_units(explorer *x, hd_text *json)
{
	hd_block_row row = {.kind = HD_BLOCK_UNITS};
	row.count = hd_unit_log_cycles(x->units, &row.first, &row.last);
	if (row.count) {
		hd_unit_log_json(x->units, x->index.machine, json);
		hd_block_put(&x->blocks, row, json->at, json->n);
		hd_text_free(json);
	}
	hd_unit_log_free(x->units);
}

static void end(hd_trace_file *f)
{
	explorer *x = f->state;
	hd_text json = {0};
	end_warps(f);
	hd_tiles_end(x->tiles, x->index.cycles);
	hd_warps_end(x->warps);
	hd_levels_write(&x->levels, &x->blocks);
	put_units(x, &json);
	hd_explore_code(x->profile, &(hd_input){f->input, f->input_text}, &json);
	put_json(x, HD_BLOCK_CODE, &json);
	x->index.first = f->limits.first;
	x->index.last = f->limits.last;
	x->index.message = f->message;
	hd_explore_write_index(&x->index, &json);
	put_json(x, HD_BLOCK_INDEX, &json);
	hd_explore_end_run(f->out);
	if (f->format == HD_TRACE_EXPLORE)
		hd_explore_end(f->out);
	hd_profile_free(x->profile);
	hd_levels_free(&x->levels);
	hd_follow_free(x->follow);
	hd_blocks_free(&x->blocks);
	free(x->begun);
	free(x);
}

static const char *title_of(const hd_object *object)
{
	const char *file = object->files.n ? object->files.at[0] : NULL, *folder = file ? strrchr(file, '/') : NULL;
	if (file)
		return folder ? folder + 1 : file;
	return object->kernels.n ? hd_kernel_name(&object->kernels.at[0]) : "run";
}

bool hd_trace_explore(hd_trace_file *f, hd_diag *diag)
{
	explorer *x = hd_xcalloc(1, sizeof *x);
	x->blocks.out = f->out;
	x->follow = hd_follow_new(f->machine, f->program);
	hd_levels_begin(&x->levels, f->machine);
	x->tiles = hd_tiles_new(&x->blocks, x->follow, f->program, f->machine->machine_schedulers);
	x->warps = hd_warps_new(&x->blocks);
	x->profile = hd_profile_new(f->machine, f->program);
	x->begun = hd_xcalloc(f->program->object->kernels.n + 1, sizeof *x->begun);
	x->index = (hd_explore_index){.machine = f->machine, .program = f->program, .levels = &x->levels, .blocks = &x->blocks, .begun = x->begun};
	x->units = hd_unit_log_new(f->limits.core == HD_TRACE_ALL ? 0 : f->limits.core, f->limits.first, f->limits.last, HD_UNIT_LOG_BYTES);
	f->trace.units = hd_unit_log_watch(x->units);
	f->state = x;
	f->watch = watch;
	f->end = end;
	if (f->format == HD_TRACE_EXPLORE)
		hd_explore_begin(f->out, title_of(f->program->object));
	hd_explore_begin_run(f->out);
	(void)diag;
	return true;
}

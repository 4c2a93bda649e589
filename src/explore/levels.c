#include "explore/levels.h"

enum { SUBLEVEL = 2 /* log2 of the bins that are one bin of the next coarser level */ };

void hd_levels_begin(hd_levels *l, const hd_machine *machine)
{
	*l = (hd_levels){
	    .cores = hd_machine_cores(machine), .schedulers = machine->machine_schedulers, .slots = machine->machine_warps, .bins = HD_LEVEL_BINS};
	l->schedulers_at = hd_xcalloc((size_t)l->cores * l->schedulers, sizeof(hd_level_cell *));
	l->slots_at = hd_xcalloc((size_t)l->cores * l->schedulers * l->slots, sizeof(hd_level_cell *));
}

static void add_cell(hd_level_cell *to, const hd_level_cell *from)
{
	for (unsigned i = 0; i < HD_LEVEL_COLUMNS; i++)
		to->count[i] += from->count[i];
}

/* Two bins become one. */
static void fold_row(hd_level_cell *row, uint32_t bins)
{
	for (uint32_t i = 0; i < bins; i++) {
		hd_level_cell sum = row[i];
		row[i] = (hd_level_cell){0};
		add_cell(&row[i / 2], &sum);
	}
}

static void fold_all(hd_level_cell **rows, size_t n, uint32_t bins)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i])
			fold_row(rows[i], bins);
}

static void fold(hd_levels *l)
{
	size_t n = (size_t)l->cores * l->schedulers;
	fold_all(l->schedulers_at, n, l->bins);
	fold_all(l->slots_at, n * l->slots, l->bins);
	l->shift++;
}

/* Gives back the upper half of the bins, which are empty then. */
static void halve(hd_levels *l)
{
	size_t n = (size_t)l->cores * l->schedulers;
	fold(l);
	l->bins /= 2;
	for (size_t i = 0; i < n * (l->slots + 1); i++) {
		hd_level_cell **row = i < n ? &l->schedulers_at[i] : &l->slots_at[i - n];
		if (*row)
			*row = hd_xrealloc(*row, l->bins * sizeof **row);
	}
}

static hd_level_cell *cell_of(hd_levels *l, hd_level_cell **row, uint64_t cycle)
{
	while (cycle >> l->shift >= l->bins)
		fold(l);
	if (!*row) {
		while ((uint64_t)(l->n_rows + 1) * l->bins > HD_LEVEL_CELLS && l->bins > HD_LEVEL_COARSEST)
			halve(l);
		l->n_rows++;
		*row = hd_xcalloc(l->bins, sizeof **row);
	}
	l->last = hd_max_u64(cycle, l->last);
	return &(*row)[cycle >> l->shift];
}

/* Adds `each` for each cycle from `from` up to but not including `to`. */
static void add(hd_levels *l, hd_level_cell **row, unsigned column, uint64_t from, uint64_t to, uint64_t each)
{
	if (to <= from)
		return;
	cell_of(l, row, to - 1);
	for (uint64_t at = from, end; at < to; at = end) {
		end = hd_min_u64(((at >> l->shift) + 1) << l->shift, to);
		(*row)[at >> l->shift].count[column] += (uint32_t)((end - at) * each);
	}
}

void hd_levels_end_warp(hd_levels *l, size_t place, uint64_t end, const hd_waited *waited)
{
	if (waited->ended)
		add(l, &l->slots_at[place], HD_LEVEL_MORE, waited->warp.begun, end, 1);
	if (waited->wait.cause != HD_NO_CAUSE)
		add(l, &l->slots_at[place], waited->wait.cause, waited->wait.since, waited->wait.until, 1);
}

void hd_levels_event(hd_levels *l, const hd_trace_event *e, const hd_waited *waited)
{
	size_t at = (size_t)e->core * l->schedulers + e->scheduler;
	hd_level_cell **scheduler = &l->schedulers_at[at], **slot = e->slot < l->slots ? &l->slots_at[at * l->slots + e->slot] : NULL;
	if (slot)
		hd_levels_end_warp(l, at * l->slots + e->slot, e->cycle, waited);
	switch (e->kind) {
	case HD_TRACE_ISSUE:
		cell_of(l, scheduler, e->cycle)->count[HD_LEVEL_USED] += (uint32_t)e->slots;
		cell_of(l, scheduler, e->cycle)->count[HD_LEVEL_MORE]++;
		cell_of(l, slot, e->cycle)->count[HD_LEVEL_USED]++;
		break;
	case HD_TRACE_LOST:
		add(l, scheduler, e->cause, e->cycle, e->cycle + e->cycles, e->slots / e->cycles);
		break;
	default:
		break;
	}
}

/* -- writing -------------------------------------------------------------------------------------------------------------------------------- */

static uint32_t sum_of(const hd_level_cell *row, uint32_t first, uint32_t n, unsigned column)
{
	uint32_t sum = 0;
	for (uint32_t i = first; i < first + n; i++)
		sum += row[i].count[column];
	return sum;
}

static void put_row(hd_text *bytes, const hd_level_cell *row, uint32_t bins, unsigned more)
{
	uint32_t columns = 0;
	for (uint32_t i = 0; i < bins; i++)
		for (unsigned column = 0; column < HD_LEVEL_COLUMNS; column++)
			columns |= (uint32_t)(row[i].count[column] != 0) << column;
	hd_put_number(bytes, columns);
	for (; columns; columns &= columns - 1)
		for (uint32_t i = 0; i < bins; i += 1u << more)
			hd_put_number(bytes, sum_of(row, i, hd_min_u32(1u << more, bins - i), hd_lowest_bit(columns)));
}

static void write_level(const hd_levels *l, uint32_t bins, unsigned more, hd_blocks *blocks)
{
	hd_text bytes = {0};
	size_t n = (size_t)l->cores * l->schedulers;
	uint32_t width = 1u << more;
	hd_put_number(&bytes, l->shift + more);
	hd_put_number(&bytes, (bins + width - 1) / width);
	for (size_t i = 0; i < n * (l->slots + 1); i++) {
		const hd_level_cell *row = i < n ? l->schedulers_at[i] : l->slots_at[i - n];
		if (row)
			put_row(&bytes, row, bins, more);
	}
	hd_block_put(blocks, (hd_block_row){HD_BLOCK_LEVEL, 0, l->last, (bins + width - 1) / width}, bytes.at, bytes.n);
	hd_text_free(&bytes);
}

void hd_levels_write(const hd_levels *l, hd_blocks *blocks)
{
	uint32_t bins = (uint32_t)(l->last >> l->shift) + 1;
	unsigned more = 0;
	while (bins >> more > HD_LEVEL_COARSEST)
		more += SUBLEVEL;
	for (;; more -= SUBLEVEL) {
		write_level(l, bins, more, blocks);
		if (!more)
			return;
	}
}

void hd_levels_free(hd_levels *l)
{
	size_t n = (size_t)l->cores * l->schedulers;
	for (size_t i = 0; i < n * (l->slots + 1); i++)
		free(i < n ? l->schedulers_at[i] : l->slots_at[i - n]);
	free(l->schedulers_at);
	free(l->slots_at);
}

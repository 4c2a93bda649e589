#include "sanitizer/shadow.h"

enum { WORDS = HD_SHADOW_PAGE / 4 };

static size_t bytes_of(const hd_shadow_page *page)
{
	return sizeof *page + sizeof(hd_shadow_cell) * (page->bytes ? HD_SHADOW_PAGE : WORDS) + 2 * sizeof(struct hd_san_entry);
}

void hd_shadow_free(hd_shadow *shadow)
{
	for (size_t i = 0; i < shadow->pages.room; i++) {
		hd_shadow_page *page = shadow->pages.at[i].value;
		if (page)
			free(page->cells);
		free(page);
	}
	hd_san_table_free(&shadow->pages);
	*shadow = (hd_shadow){0};
}

/* A cell a byte: each has what its word had. */
static void split(hd_shadow_page *page)
{
	hd_shadow_cell *cells = hd_xcalloc(HD_SHADOW_PAGE, sizeof *cells);
	for (unsigned i = 0; i < HD_SHADOW_PAGE; i++)
		cells[i] = page->cells[i / 4];
	free(page->cells);
	page->cells = cells;
	page->bytes = true;
}

hd_shadow_page *hd_shadow_page_at(hd_shadow *shadow, uint64_t address, bool part, uint64_t room)
{
	uint64_t number = address / HD_SHADOW_PAGE;
	hd_shadow_page *page = shadow->latest_page;
	if (!page || shadow->latest != number)
		page = hd_san_table_find(&shadow->pages, number);
	if (page && (page->bytes || !part)) {
		shadow->latest = number;
		shadow->latest_page = page;
		return page;
	}
	if (room < shadow->bytes + sizeof(hd_shadow_cell) * HD_SHADOW_PAGE)
		return NULL;
	if (page) {
		shadow->bytes -= bytes_of(page);
		split(page);
	} else {
		page = hd_xcalloc(1, sizeof *page);
		page->bytes = part;
		page->cells = hd_xcalloc(part ? HD_SHADOW_PAGE : WORDS, sizeof *page->cells);
		*hd_san_table_at(&shadow->pages, number) = page;
	}
	shadow->bytes += bytes_of(page);
	shadow->latest = number;
	shadow->latest_page = page;
	return page;
}

/* -- a cell ------------------------------------------------------------------------------------------------------------------------------- */

/* The thread of the slot that the access does not follow; UINT32_MAX: it follows all. */
static uint32_t unordered(const hd_shadow_access *old, const hd_shadow_access *now, const hd_clock *clock)
{
	uint32_t threads[2] = {old->thread, (old->thread & ~31u) | old->other};
	for (unsigned i = 0; i < (old->other == HD_SHADOW_NOBODY ? 1u : 2u); i++) {
		bool own = old->cta == now->cta && threads[i] == now->thread;
		if (!own && !hd_clock_knows(clock, hd_shadow_time(old), old->cta, threads[i] >> 5, threads[i] & 31))
			return threads[i];
	}
	return UINT32_MAX;
}

/* Two accesses of which one stores conflict, unless both are strong. */
static bool conflict(uint8_t a, uint8_t b) { return (a | b) & HD_SHADOW_STORES && !(a & b & HD_SHADOW_STRONG); }

/* Whatever races with `old` races with `now`, too, when `now` follows `old`. */
static bool replaces(uint8_t now, uint8_t old)
{
	if (now & HD_SHADOW_STORES)
		return !(now & HD_SHADOW_STRONG) || old & HD_SHADOW_STRONG;
	return !(old & HD_SHADOW_STORES) && (!(now & HD_SHADOW_STRONG) || old & HD_SHADOW_STRONG);
}

/* The same instruction, executed for the same memory by several lanes. */
static bool joins(hd_shadow_access *old, const hd_shadow_access *now)
{
	if (old->when != now->when || old->cta != now->cta || old->kind != now->kind || (old->thread ^ now->thread) & ~31)
		return false;
	if (old->thread != now->thread && old->other == HD_SHADOW_NOBODY)
		old->other = now->thread & 31;
	return true;
}

/* How much is lost with the slot when the access takes its place; the least loss is taken. Stores count most. Of the others, two of different CTAs
 * are kept, and of one CTA two of different warps. */
static uint64_t loss(const hd_shadow_access *old, const hd_shadow_access *now, bool follows)
{
	uint64_t rank = follows ? 0 : old->cta != now->cta ? 3 : (old->thread ^ now->thread) & ~31 ? 2 : 1;
	bool other_kind = (old->kind & HD_SHADOW_STORES) > (now->kind & HD_SHADOW_STORES);
	return (uint64_t)other_kind << 63 | rank << 60 | hd_shadow_time(old);
}

unsigned hd_shadow_access_cell(hd_shadow_cell *cell, const hd_shadow_access *now, const hd_clock *clock, bool uniform,
                               hd_shadow_race races[HD_SHADOW_SLOTS])
{
	unsigned n = 0;
	hd_shadow_access *place = NULL, *least = NULL;
	uint64_t least_loss = UINT64_MAX;
	bool joined = false;
	for (hd_shadow_access *old = cell->slot; old < cell->slot + HD_SHADOW_SLOTS; old++) {
		if (!old->kind) {
			place = old;
			continue;
		}
		uint32_t thread = unordered(old, now, clock);
		bool follows = thread == UINT32_MAX, same = uniform && !(old->kind & HD_SHADOW_LOADS);
		bool races_now = !follows && conflict(old->kind, now->kind) && !same;
		if (races_now)
			races[n++] = (hd_shadow_race){*old, thread};
		joined |= joins(old, now);
		if ((follows || races_now) && !joined && replaces(now->kind, old->kind)) {
			old->kind = 0;
			place = old;
			continue;
		}
		uint64_t lost = loss(old, now, follows);
		if (lost < least_loss) {
			least = old;
			least_loss = lost;
		}
	}
	if (!joined)
		*(place ? place : least) = *now;
	return n;
}

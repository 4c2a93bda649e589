#include "memory/pages.h"

#include "memory/l2.h"

enum { NODE_BITS = 9, ENTRY_BYTES = 8, LEVEL_SHIFT = 54 /* the levels of a table, apart */ };

void hd_pages_init(hd_pages *pages, const hd_memory *memory, uint32_t bytes, uint32_t levels)
{
	uint64_t base, size, next = 0, frames[2] = {0, HD_SYSTEM_BASE / bytes};
	*pages = (hd_pages){.bytes = bytes, .levels = levels};
	for (size_t i = 0; hd_memory_nth(memory, i, &base, &size); i++) {
		if (!size)
			continue;
		/* The allocation before may have mapped the first page. */
		uint64_t first = hd_max_u64(base / bytes, next), end = (base + size - 1) / bytes + 1;
		uint64_t *frame = &frames[base >= HD_SYSTEM_BASE];
		if (first >= end)
			continue;
		hd_vec_push(&pages->ranges, ((hd_page_range){first, end - first, *frame}));
		*frame += end - first;
		next = end;
	}
}

void hd_pages_free(hd_pages *pages) { hd_vec_free(&pages->ranges); }

bool hd_pages_find(const hd_pages *pages, uint64_t page, uint64_t *frame)
{
	size_t low = 0, high = pages->ranges.n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const hd_page_range *range = &pages->ranges.at[middle];
		if (page - range->page < range->n) {
			*frame = range->frame + (page - range->page);
			return true;
		}
		if (range->page < page)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

uint64_t hd_pages_entry(const hd_pages *pages, uint64_t page, uint32_t level)
{
	uint64_t entry = page >> NODE_BITS * (pages->levels - 1 - level);
	return HD_OWN_BASE + ((uint64_t)level << LEVEL_SHIFT) + entry * ENTRY_BYTES;
}

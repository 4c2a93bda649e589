/* The page table of a run (PD-38). It maps the pages of each allocation to frames, in the order of addresses: those of device memory from frame 0 on,
 * those of system memory from the frame of HD_SYSTEM_BASE on. Nothing is mapped or unmapped while kernels run.
 *
 * Its nodes have 512 entries of 8 bytes. The nodes of a level lie one behind the other in an address range of the machine itself, in the order of the
 * pages that they map, so neighbours share sectors, as they do in a table whose nodes were allocated in order. */
#ifndef HD_PAGES_H
#define HD_PAGES_H

#include "launch/launch.h"

/* Neighbouring pages with neighbouring frames. */
typedef struct hd_page_range {
	uint64_t page, n, frame; /* page: address / bytes of a page */
} hd_page_range;

typedef struct hd_pages {
	uint64_t bytes;
	uint32_t levels;
	HD_VEC(hd_page_range) ranges; /* by page */
} hd_pages;

/* `bytes` is a power of 2. */
void hd_pages_init(hd_pages *pages, const hd_memory *memory, uint32_t bytes, uint32_t levels);
void hd_pages_free(hd_pages *pages);
/* The frame of a page. False if nothing maps it. */
bool hd_pages_find(const hd_pages *pages, uint64_t page, uint64_t *frame);
/* The address of the entry of `level`, 0 being the root, that a walk for the page reads. */
uint64_t hd_pages_entry(const hd_pages *pages, uint64_t page, uint32_t level);

#endif

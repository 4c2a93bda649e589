#include "explore/warps.h"

struct hd_warps {
	hd_blocks *blocks;
	hd_text bytes;
	uint64_t n, all, first, last;
};

hd_warps *hd_warps_new(hd_blocks *blocks)
{
	hd_warps *w = hd_xcalloc(1, sizeof *w);
	w->blocks = blocks;
	w->first = UINT64_MAX;
	return w;
}

static void write_block(hd_warps *w)
{
	if (w->n)
		hd_block_put(w->blocks, (hd_block_row){HD_BLOCK_WARPS, w->first, w->last, w->n}, w->bytes.at, w->bytes.n);
	hd_text_free(&w->bytes);
	w->bytes = (hd_text){0};
	w->n = w->last = 0;
	w->first = UINT64_MAX;
}

void hd_warps_add(hd_warps *w, size_t place, const hd_resident *warp, uint64_t end)
{
	if (w->all++ >= HD_WARPS_MAX)
		return;
	hd_put_number(&w->bytes, place);
	hd_put_number(&w->bytes, warp->begun);
	hd_put_number(&w->bytes, end - warp->begun);
	for (unsigned i = 0; i < HD_COUNT(warp->cta); i++)
		hd_put_number(&w->bytes, warp->cta[i]);
	hd_put_number(&w->bytes, warp->warp);
	hd_put_number(&w->bytes, warp->lanes);
	w->first = hd_min_u64(warp->begun, w->first);
	w->last = hd_max_u64(end, w->last);
	if (++w->n == HD_WARPS_EACH)
		write_block(w);
}

void hd_warps_end(hd_warps *w)
{
	write_block(w);
	free(w);
}

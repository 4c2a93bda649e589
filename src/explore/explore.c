/* The explorer: a trace that is a page. It sees every event of the run, and passes it on to the units that make the blocks of the page. */
#include "explore/block.h"
#include "explore/page.h"
#include "explore/units.h"
#include "trace/trace_writer.h"

typedef struct explorer {
	hd_blocks blocks;
	hd_units *units;
} explorer;

static void watch(hd_trace_file *f, const hd_trace_event *e)
{
	explorer *x = f->state;
	bool wanted = hd_trace_wants(f, e->core, e->scheduler, e->slot == HD_TRACE_NO_WARP ? f->limits.slot : e->slot);
	hd_units_event(x->units, e, wanted && hd_trace_in_range(f, e->cycle));
}

static void end(hd_trace_file *f)
{
	explorer *x = f->state;
	hd_text index = {0};
	hd_units_end(x->units);
	hd_text_printf(&index, "{\"version\":1,\"blocks\":[");
	for (size_t i = 0; i < x->blocks.rows.n; i++) {
		const hd_block_row *row = &x->blocks.rows.at[i];
		hd_text_printf(&index, "%s[\"%s\",%llu,%llu,%llu]", i ? "," : "", hd_block_names[row->kind], (unsigned long long)row->first,
		               (unsigned long long)row->last, (unsigned long long)row->count);
	}
	hd_text_printf(&index, "]}");
	hd_block_put(&x->blocks, (hd_block_row){.kind = HD_BLOCK_INDEX}, index.at, index.n);
	hd_explore_end_run(f->out);
	hd_explore_end(f->out);
	hd_text_free(&index);
	hd_blocks_free(&x->blocks);
	free(x);
}

bool hd_trace_explore(hd_trace_file *f, hd_diag *diag)
{
	explorer *x = hd_xcalloc(1, sizeof *x);
	x->blocks.out = f->out;
	x->units = hd_units_new(&x->blocks, f->machine, f->program);
	f->state = x;
	f->watch = watch;
	f->end = end;
	hd_explore_begin(f->out, f->program->object->kernels.n ? hd_kernel_name(&f->program->object->kernels.at[0]) : "run");
	hd_explore_begin_run(f->out);
	(void)diag;
	return true;
}

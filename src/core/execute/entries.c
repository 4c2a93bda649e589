#include "core/execute/entries.h"

void hd_entries_finish(hd_entries *entries, hd_stats *stats)
{
	stats->entry_cycles += entries->cycles;
	stats->entry_several += entries->several;
	stats->entry_squares += entries->squares;
#define BUSY(pipe_number, name) stats->pipe_busy_##name += entries->pipe[pipe_number].busy;
	BUSY(HD_PIPE_ALU, alu)
	BUSY(HD_PIPE_COORD, coord)
	BUSY(HD_PIPE_SFU, sfu)
	BUSY(HD_PIPE_F64, f64)
	BUSY(HD_PIPE_CVT, cvt)
	BUSY(HD_PIPE_TEX, tex)
	BUSY(HD_PIPE_LATOM, latom)
	BUSY(HD_PIPE_LSU, lsu)
	BUSY(HD_PIPE_FLOW, flow)
#undef BUSY
	entries->cycles = entries->several = entries->squares = 0;
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		entries->pipe[pipe].busy = 0;
}

#include "core/execute/narrow_entry.h"

hd_narrow *hd_narrow_new(const hd_machine *machine)
{
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		if (hd_machine_passes(machine, (hd_pipe)pipe) > 1)
			return hd_xaligned(sizeof(hd_narrow));
	return NULL;
}

void hd_narrow_free(hd_narrow *narrow) { free(narrow); }

const hd_sent *hd_narrow_entering(const hd_scheduler *s, unsigned pipe) { return s->entering >> pipe & 1 ? &s->narrow->in[pipe].sent : NULL; }

uint64_t hd_narrow_hash(const hd_scheduler *s, unsigned warp)
{
	uint64_t sum = 0;
	for (uint32_t left = s->entering; left; left &= left - 1) {
		const hd_entering *in = &s->narrow->in[hd_lowest_bit(left)];
		uint64_t state = (uint64_t)in->sent.pc << 32 | in->pass;
		if (in->sent.warp == warp)
			sum += hd_random(&state) ^ in->mask;
	}
	return sum;
}

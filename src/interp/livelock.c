/* Detection of a CTA that spins for ever (RC-17), such as lanes that wait for a lock whose holder waits for them at a higher address.
 *
 * The interpreter is deterministic. When the state of all warps at the end of a round equals the state at the end of an earlier round, and in
 * between no byte of memory changed and no clock was read, the state recurs for ever. The state includes the barriers: to pass one is no progress by
 * itself. After QUIET rounds in which no warp ended and, once that is watched, no byte of memory changed, hd_oracle_spins keeps one earlier state and
 * compares (Brent's algorithm: the kept state is replaced at growing distances, so that every period is found). A loop that counts its turns in a
 * register never repeats a state. It is not found, and ends after 2^32 turns at most. */
#include "interp/state.h"

#include <sched.h>

enum { QUIET = 32 };

typedef struct image {
	uint32_t predicates[HD_PREDS + 1], pc, active, here, alive, depth, lane_pc[HD_LANES];
	uint32_t sync[sizeof(hd_sync) / sizeof(uint32_t)]; /* words, because an image is not aligned as vectors are */
	int barrier;
	bool done;
} image;

struct hd_oracle_past {
	image *warps;
	hd_vec32 *registers;
	HD_VEC(hd_oracle_frame) frames;
	uint32_t arrived[HD_ORACLE_BARRIERS], came[HD_ORACLE_BARRIERS];
	uint32_t quiet;
	uint64_t length, power;
};

static image image_of(const hd_oracle_warp *w)
{
	image i;
	memset(&i, 0, sizeof i); /* the comparison includes padding */
	memcpy(i.predicates, w->predicates, sizeof i.predicates);
	memcpy(i.lane_pc, w->lane_pc, sizeof i.lane_pc);
	i.pc = w->pc;
	i.active = w->active;
	i.here = w->here;
	i.alive = w->alive;
	i.depth = w->depth;
	memcpy(i.sync, &w->sync, sizeof i.sync);
	i.barrier = w->barrier;
	i.done = w->done;
	return i;
}

static void keep(const hd_oracle *o, hd_oracle_past *past)
{
	if (!past->warps) {
		past->warps = hd_xcalloc(o->n_warps, sizeof *past->warps);
		past->registers = hd_xaligned((size_t)o->n_warps * o->n_registers * sizeof *past->registers);
	}
	past->frames.n = 0;
	memcpy(past->arrived, o->arrived, sizeof past->arrived);
	memcpy(past->came, o->came, sizeof past->came);
	for (uint32_t i = 0; i < o->n_warps; i++) {
		const hd_oracle_warp *w = &o->warps[i];
		past->warps[i] = image_of(w);
		memcpy(past->registers + (size_t)i * o->n_registers, w->registers, o->n_registers * sizeof *w->registers);
		for (uint32_t k = 0; k < w->depth; k++)
			hd_vec_push(&past->frames, w->frames[k]);
	}
}

static bool same(const hd_oracle *o, const hd_oracle_past *past)
{
	size_t frame = 0;
	if (memcmp(past->arrived, o->arrived, sizeof past->arrived) != 0 || memcmp(past->came, o->came, sizeof past->came) != 0)
		return false;
	for (uint32_t i = 0; i < o->n_warps; i++) {
		const hd_oracle_warp *w = &o->warps[i];
		image now = image_of(w);
		if (memcmp(&now, &past->warps[i], sizeof now) != 0 ||
		    memcmp(past->registers + (size_t)i * o->n_registers, w->registers, o->n_registers * sizeof *w->registers) != 0)
			return false;
		for (uint32_t k = 0; k < w->depth; k++, frame++)
			if (memcmp(&past->frames.at[frame], &w->frames[k], sizeof w->frames[k]) != 0)
				return false;
	}
	return true;
}

hd_oracle_past *hd_oracle_past_new(void) { return hd_xcalloc(1, sizeof(hd_oracle_past)); }

void hd_oracle_past_free(hd_oracle_past *past)
{
	free(past->warps);
	free(past->registers);
	hd_vec_free(&past->frames);
	free(past);
}

bool hd_oracle_spins(hd_oracle *o, hd_oracle_past *past, bool progress)
{
	bool waits = o->beside && o->watching && o->changed && !progress;
	past->quiet = progress || (o->watching && o->changed) ? 0 : past->quiet + 1;
	if (waits)
		sched_yield(); /* perhaps for a CTA of another thread */
	if (past->quiet < QUIET) {
		o->watching = false;
		return false;
	}
	if (o->row.any)
		o->path->row_spread(o);
	if (!o->watching) {
		o->watching = true;
		o->changed = false;
		past->length = 0;
		past->power = 1;
		keep(o, past);
		return false;
	}
	if (same(o, past))
		return true;
	if (++past->length == past->power) {
		past->power *= 2;
		past->length = 0;
		keep(o, past);
	}
	return false;
}

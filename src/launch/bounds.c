#include "launch/bounds.h"
#include <pthread.h>

typedef struct place {
	char *kernel;
	uint32_t pc;
	uint32_t who[6]; /* the first thread so far: CTA, then thread, each from z to x */
	hd_text text;    /* its warning */
	bool taken;
} place;

struct hd_bounds {
	pthread_mutex_t lock;
	HD_VEC(place) places; /* by kernel, then by pc */
};

hd_bounds *hd_bounds_new(void)
{
	hd_bounds *bounds = hd_xcalloc(1, sizeof *bounds);
	pthread_mutex_init(&bounds->lock, NULL);
	return bounds;
}

void hd_bounds_free(hd_bounds *bounds)
{
	if (!bounds)
		return;
	for (size_t i = 0; i < bounds->places.n; i++) {
		free(bounds->places.at[i].kernel);
		hd_text_free(&bounds->places.at[i].text);
	}
	hd_vec_free(&bounds->places);
	pthread_mutex_destroy(&bounds->lock);
	free(bounds);
}

/* The place of an instruction, in order. *fresh: it is new. */
static place *place_of(hd_bounds *bounds, const char *kernel, uint32_t pc, bool *fresh)
{
	size_t at = 0;
	int order = 1;
	for (; at < bounds->places.n; at++) {
		const place *p = &bounds->places.at[at];
		order = strcmp(p->kernel, kernel);
		if (order == 0)
			order = (p->pc > pc) - (p->pc < pc);
		if (order >= 0)
			break;
	}
	*fresh = at == bounds->places.n || order > 0;
	if (*fresh) {
		hd_vec_push(&bounds->places, (place){0});
		memmove(&bounds->places.at[at + 1], &bounds->places.at[at], (bounds->places.n - 1 - at) * sizeof(place));
		bounds->places.at[at] = (place){.kernel = hd_xstrdup(kernel), .pc = pc};
	}
	return &bounds->places.at[at];
}

static bool earlier(const uint32_t a[6], const uint32_t b[6])
{
	unsigned i = 0;
	while (i < 5 && a[i] == b[i])
		i++;
	return a[i] < b[i];
}

void hd_bounds_note(hd_bounds *bounds, const hd_trap *trap, const hd_launch *launch, hd_memory *memory)
{
	hd_trap warning = *trap;
	uint32_t who[6] = {trap->cta[2], trap->cta[1], trap->cta[0], trap->thread[2], trap->thread[1], trap->thread[0]};
	bool fresh;
	warning.warns = true;
	pthread_mutex_lock(&bounds->lock);
	place *p = place_of(bounds, trap->kernel, trap->pc, &fresh);
	if (fresh || (!p->taken && earlier(who, p->who))) {
		memcpy(p->who, who, sizeof who);
		hd_text_free(&p->text);
		hd_trap_print(&p->text, &warning, launch, memory);
	}
	pthread_mutex_unlock(&bounds->lock);
}

void hd_bounds_take(hd_bounds *bounds, hd_text *out)
{
	pthread_mutex_lock(&bounds->lock);
	for (size_t i = 0; i < bounds->places.n; i++) {
		place *p = &bounds->places.at[i];
		if (!p->taken)
			hd_text_put(out, p->text.at, p->text.n);
		hd_text_free(&p->text);
		p->taken = true;
	}
	pthread_mutex_unlock(&bounds->lock);
}

#include "memory/mmu.h"

#include "memory/l2.h"
#include "memory/pages.h"
#include "memory/room.h"
#include "memory/tag_array.h"

typedef struct entry {
	uint64_t page, frame;
	uint64_t there; /* cycle from which the translation is there; 0: no translation */
} entry;

typedef struct tlb {
	hd_tag_array pages;
	entry *entries; /* of each page; NULL: none */
} tlb;

struct hd_walker {
	hd_l2 *l2;
	hd_pages pages;
	tlb second;
	uint32_t latency; /* of the second TLB */
	uint64_t port;    /* cycle from which the second TLB takes a request */
	hd_room walks;
};

struct hd_mmu {
	hd_walker *walker;
	tlb first;
	HD_VEC(entry) evicted; /* translations that lost their place in the first TLB while they were under way */
};

static void tlb_init(tlb *t, uint32_t entries, uint32_t ways)
{
	if (entries)
		t->entries = hd_tag_array_init(&t->pages, entries, ways, sizeof *t->entries, &hd_replacements[HD_REPLACE_LRU], NULL);
}

static const entry *tlb_find(tlb *t, uint64_t page)
{
	uint32_t at = hd_tag_array_find(&t->pages, page);
	return at == HD_ABSENT ? NULL : &t->entries[at];
}

/* Puts an absent translation in the TLB. Returns the one that it replaces. */
static entry tlb_fill(tlb *t, const entry *translation)
{
	uint32_t at = hd_tag_array_victim(&t->pages, translation->page);
	entry old = t->entries[at];
	hd_tag_array_fill(&t->pages, at, translation->page);
	t->entries[at] = *translation;
	return old;
}

hd_walker *hd_walker_new(const hd_machine *m, const hd_memory *memory, hd_l2 *l2)
{
	if (!m->pages_kib)
		return NULL;
	hd_walker *w = hd_xcalloc(1, sizeof *w);
	w->l2 = l2;
	w->latency = m->pages_tlb2_latency;
	hd_pages_init(&w->pages, memory, hd_machine_page(m), m->pages_levels);
	hd_room_init(&w->walks, m->pages_walks);
	tlb_init(&w->second, m->pages_tlb2_entries, m->pages_tlb2_ways);
	return w;
}

void hd_walker_free(hd_walker *w)
{
	if (!w)
		return;
	hd_pages_free(&w->pages);
	hd_room_free(&w->walks);
	hd_tag_array_free(&w->second.pages, NULL);
	free(w);
}

hd_mmu *hd_mmu_new(const hd_machine *m, hd_walker *walker)
{
	if (!walker)
		return NULL;
	hd_mmu *mmu = hd_xcalloc(1, sizeof *mmu);
	mmu->walker = walker;
	tlb_init(&mmu->first, m->pages_tlb_entries, m->pages_tlb_ways);
	return mmu;
}

void hd_mmu_free(hd_mmu *mmu)
{
	if (!mmu)
		return;
	hd_tag_array_free(&mmu->first.pages, NULL);
	hd_vec_free(&mmu->evicted);
	free(mmu);
}

/* How much later than a request of cycle `now` one of cycle `at` is served, if both reserve the second level in cycle `now`: the wait for its turn
 * counts once, or requests that wait for each other would drive each other ever further into the future. */
static uint64_t beyond(const hd_l2 *l2, uint64_t now, uint64_t at)
{
	uint64_t turn = now + hd_l2_backlog(l2, now);
	return at > turn ? at - turn : 0;
}

/* Reads the entries of all levels, from cycle `from` on. Returns the cycle in which the last one is there. The second level reserves its bandwidth in
 * cycle `now`. */
static uint64_t walk(hd_walker *w, uint64_t now, uint64_t from, uint64_t page, hd_stats *stats)
{
	uint64_t at = hd_room_from(&w->walks, from);
	for (uint32_t level = 0; level < w->pages.levels; level++) {
		uint64_t later = beyond(w->l2, now, at);
		at = hd_l2_sector(w->l2, now, hd_pages_entry(&w->pages, page, level), false, stats) + later;
	}
	hd_room_take(&w->walks, at);
	stats->pages_walks++;
	stats->pages_walk_sectors += w->pages.levels;
	stats->pages_walk_cycles += at - from;
	return at;
}

/* Asks the second TLB, and the page table where it lacks the page. */
static entry request(hd_walker *w, uint64_t now, uint64_t page, hd_stats *stats)
{
	entry answer = {.page = page, .there = now};
	if (w->second.entries) {
		w->port = hd_max_u64(w->port, now);
		answer.there = w->port++ + w->latency;
		const entry *found = tlb_find(&w->second, page);
		if (found) {
			stats->pages_tlb2_hits++;
			answer.frame = found->frame;
			answer.there = hd_max_u64(found->there, answer.there);
			return answer;
		}
	}
	bool mapped = hd_pages_find(&w->pages, page, &answer.frame);
	hd_invariant(mapped, "page 0x%llx has no frame", (unsigned long long)page);
	answer.there = walk(w, now, answer.there, page, stats);
	if (w->second.entries)
		tlb_fill(&w->second, &answer);
	return answer;
}

/* A translation that a miss of the first TLB finds. A second walk could end before one that is under way, and accesses to one page would overtake
 * each other (MT-1). */
static entry miss(hd_mmu *mmu, uint64_t now, uint64_t page, hd_stats *stats)
{
	size_t n = 0;
	entry found = {0};
	for (size_t i = 0; i < mmu->evicted.n; i++) {
		entry *e = &mmu->evicted.at[i];
		if (e->there <= now)
			continue;
		if (e->page == page)
			found = *e;
		else
			mmu->evicted.at[n++] = *e;
	}
	mmu->evicted.n = n;
	return found.there ? found : request(mmu->walker, now, page, stats);
}

uint64_t hd_mmu_translate(hd_mmu *mmu, uint64_t now, uint64_t *address, hd_stats *stats)
{
	uint64_t bytes = mmu->walker->pages.bytes, page = *address / bytes;
	if (*address >= HD_OWN_BASE)
		return now;
	const entry *found = tlb_find(&mmu->first, page);
	stats->pages_tlb_hits += found != NULL;
	stats->pages_tlb_misses += found == NULL;
	entry translation = found ? *found : miss(mmu, now, page, stats);
	if (!found) {
		entry old = tlb_fill(&mmu->first, &translation);
		if (old.there > now)
			hd_vec_push(&mmu->evicted, old);
	}
	*address = translation.frame * bytes + *address % bytes;
	return hd_max_u64(translation.there, now);
}

uint64_t hd_mmu_leaves(hd_mmu *mmu, uint64_t now, uint64_t further, uint64_t *address, uint64_t *late, hd_stats *stats)
{
	*late = 0;
	if (!mmu)
		return now;
	uint64_t at = hd_mmu_translate(mmu, now, address, stats);
	*late = beyond(mmu->walker->l2, now + further, at + further);
	return at;
}

uint64_t hd_mmu_late(hd_mmu *mmu, uint64_t now, uint64_t *address, hd_stats *stats)
{
	uint64_t late;
	hd_mmu_leaves(mmu, now, 0, address, &late, stats);
	return late;
}

/* The tags of a set-associative cache or TLB, with the replacement policy as a row of a table. The owner keeps an entry of its own for each tag, and
 * finds it by the index of the tag. */
#ifndef HD_TAG_ARRAY_H
#define HD_TAG_ARRAY_H

#include "base/region.h"

/* A look-up reads all tags of a set, so they lie side by side. */
typedef struct hd_tag {
	uint64_t tag;
	uint64_t used; /* stamp for the replacement; not above hd_tag_array.floor: the entry is empty */
} hd_tag;

/* A replacement policy: a row of hd_replacements. */
typedef struct hd_replacement {
	bool renews; /* a use of an entry renews its stamp, else only its fill sets the stamp */
	/* The way of the set to fill next. The policy prefers empty ways: their stamps are the lowest. */
	uint32_t (*victim)(const hd_tag *set, uint32_t ways);
} hd_replacement;

enum { HD_REPLACE_LRU, HD_REPLACEMENTS };
extern const hd_replacement hd_replacements[HD_REPLACEMENTS];

typedef struct hd_tag_array {
	hd_tag *tags; /* sets x ways */
	uint32_t sets, ways;
	const hd_replacement *policy;
	uint64_t stamp;
	uint64_t floor; /* tags with a stamp up to it are empty */
} hd_tag_array;

enum { HD_ABSENT = UINT32_MAX };

/* Returns the owner's entries, `bytes` bytes each, all 0. More ways than entries are as many as there are entries; neither ways nor sets are 0.
 * `region`: for tags and entries, or NULL. */
void *hd_tag_array_init(hd_tag_array *array, uint32_t entries, uint32_t ways, size_t bytes, const hd_replacement *policy, hd_region *region);
void hd_tag_array_free(hd_tag_array *array, const hd_region *region);
/* The index of the entry that an absent tag is to replace. The index stays the same until the next use or fill. */
uint32_t hd_tag_array_victim(const hd_tag_array *array, uint64_t tag);

static inline size_t hd_tag_array_entries(const hd_tag_array *array) { return (size_t)array->sets * array->ways; }

/* The index of the first way of the tag's set. */
static inline uint32_t hd_tag_array_set(const hd_tag_array *array, uint64_t tag)
{
	uint32_t sets = array->sets;
	return ((sets & (sets - 1)) == 0 ? (uint32_t)tag & (sets - 1) : (uint32_t)(tag % sets)) * array->ways;
}

/* The index of the tag, or HD_ABSENT. It counts as no use. */
static inline uint32_t hd_tag_array_peek(const hd_tag_array *array, uint64_t tag)
{
	uint32_t at = hd_tag_array_set(array, tag);
	for (uint32_t end = at + array->ways; at < end; at++)
		if (array->tags[at].tag == tag && array->tags[at].used > array->floor)
			return at;
	return HD_ABSENT;
}

/* The entry at this index is used. */
static inline void hd_tag_array_use(hd_tag_array *array, uint32_t at)
{
	if (array->policy->renews)
		array->tags[at].used = ++array->stamp;
}

/* The index of the tag, which is used, or HD_ABSENT. */
static inline uint32_t hd_tag_array_find(hd_tag_array *array, uint64_t tag)
{
	uint32_t at = hd_tag_array_peek(array, tag);
	if (at != HD_ABSENT)
		hd_tag_array_use(array, at);
	return at;
}

/* Puts an absent tag at this index: hd_tag_array_victim. */
static inline void hd_tag_array_fill(hd_tag_array *array, uint32_t at, uint64_t tag) { array->tags[at] = (hd_tag){tag, ++array->stamp}; }

static inline void hd_tag_array_clear(hd_tag_array *array) { array->floor = array->stamp; }

#endif

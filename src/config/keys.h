/* The keys of the machine description as data: the rows of machine.def, then the tables of latencies, queues, lanes and pipes. All functions that
 * read, set, print and document a description use this list. */
#ifndef HD_CONFIG_KEYS_H
#define HD_CONFIG_KEYS_H

#include "config/machine.h"

typedef enum hd_key_kind {
	HD_KEY_U32,
	HD_KEY_PIPES, /* a set of pipelines of fixed latency, a bit for each hd_pipe; the text is names with `+` between them, or `none` */
	HD_KEY_PJ,    /* in femtojoules; the text is in picojoules with up to three decimals */
	HD_KEY_FLAG,
#define NAMES(type, ...) HD_KEY_##type,
#include "config/machine.def"
} hd_key_kind;

typedef struct hd_key {
	char path[48]; /* "fence.counters", "latency.alu.interval" */
	const char *unit, *doc;
	hd_key_kind kind;
	uint32_t minimum, maximum; /* of a U32 or PJ */
	size_t offset;             /* offset of the value in hd_machine */
	bool checked;              /* annotations rely on the value (record.h) */
} hd_key;

enum { HD_KEY_VALUE_MAX = 40 };

unsigned hd_key_count(void);
hd_key hd_key_at(unsigned index); /* index < hd_key_count() */
bool hd_key_find(const char *path, hd_key *key);
/* True when a key begins with `path` and a dot. Such paths are "fence", "latency", "latency.alu". */
bool hd_key_is_section(const char *path);
/* The known key or section that is most similar to `path`, for "did you mean". NULL when none is similar. `is_section` selects sections instead of
 * keys. */
const char *hd_key_nearest(const char *path, bool is_section, char out[48]);

uint32_t hd_key_value(const hd_machine *machine, const hd_key *key);
/* Writes the value of a key as text that hd_key_store can read. */
void hd_key_format(const hd_machine *machine, const hd_key *key, char text[HD_KEY_VALUE_MAX]);
/* Stores a value given as text. For an invalid value it returns false and adds an error at `pos` that names the key and the expected values. */
bool hd_key_store(hd_machine *machine, const hd_key *key, const char *value, hd_pos pos, hd_diag *diag);
/* Appends the expected values: "a number from 1 to 64 (cycles)", "true or false", "`fence` or `scoreboard`". */
void hd_key_expected(const hd_key *key, hd_text *out);

#endif

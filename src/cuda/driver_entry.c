/* The table of all functions: which address a name stands for in a version of the interface. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void *hu_api_entry(const char *name, int version, bool per_thread, bool *known);

/* The forms whose default stream is that of the thread came with version 7. */
#define DRIVER(name, suffix, version, ...) ENTRY(cu##name, version, cu##name##suffix, false)
#define DRIVER_STREAM(name, suffix, thread, version, ...) \
	ENTRY(cu##name, version, cu##name##suffix, false) \
	ENTRY(cu##name, version < 7000 ? 7000 : version, cu##name##suffix##thread, true)
#define TWIN(name, suffix, version, ...) DRIVER(name, suffix, version, )
#define TWIN_STREAM(name, suffix, version, ...) DRIVER_STREAM(name, suffix, _ptsz, version, )
#define ABSENT(name, suffix, version) DRIVER(name, suffix, version, )
#define ABSENT_STREAM(name, suffix, thread, version) DRIVER_STREAM(name, suffix, thread, version, )
#define RUNTIME(...)
#define RUNTIME_STREAM(...)

/* Only their addresses are used here. */
#define ENTRY(base, version, symbol, per_thread) void symbol(void);
#include "cuda/driver.def"
#undef ENTRY

static const struct entry {
	const char *name;
	int version;
	bool per_thread; /* its default stream is that of the thread */
	void (*function)(void);
} entries[] = {
#define ENTRY(base, version, symbol, per_thread) {#base, version, per_thread, symbol},
#include "cuda/driver.def"
};

/* The newest one that the version has. A name without a form for threads has one form. */
void *hu_api_entry(const char *name, int version, bool per_thread, bool *known)
{
	const struct entry *best = NULL;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		const struct entry *e = &entries[i];
		if (strcmp(e->name, name) != 0)
			continue;
		*known = true;
		if (e->version > version || (e->per_thread && !per_thread))
			continue;
		if (!best || e->per_thread > best->per_thread || (e->per_thread == best->per_thread && e->version > best->version))
			best = e;
	}
	void *address = NULL;
	if (best)
		memcpy(&address, &best->function, sizeof address);
	return address;
}

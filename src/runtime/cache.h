/* The cache of what was built earlier, on the disk. */
#ifndef HR_CACHE_H
#define HR_CACHE_H

#include "object/object.h"

/* Begins a key with what all builds depend on: this library, its data, the programs that Heddle starts, the environment. False: there is no cache. */
bool hr_cache_key(hd_text *key);
/* The object that was built under this key earlier. Its log is appended to `log`. NULL if the cache has no usable one. */
hd_object *hr_cache_load(const hd_text *key, hd_text *log);
/* The bytes that were stored under this key, with a 0 behind them, which do not count. The caller frees. NULL if there are none. */
char *hr_cache_read(const hd_text *key, size_t *size, hd_text *log);
/* Stores an object, or other bytes. Failures are silent, because the cache is only a convenience. */
void hr_cache_store(const hd_text *key, const hd_text *log, const uint8_t *bytes, size_t n);
/* A number that is different for each build of the library and its data. */
uint32_t hr_build_number(void);

#endif

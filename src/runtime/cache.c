/* The cache of built programs and translated SPIR-V: one file for each under XDG_CACHE_HOME/heddle. A hash of the key names the file. The file also
 * holds the whole key, so two programs with one hash stay distinct. Files appear by rename and carry a checksum, so a file that a crash or another
 * process leaves behind is either complete or ignored. */
#include "runtime/cache.h"

#include "front/data_files.h"
#include "front/front.h"
#include "front/spirv.h"
#include "heddle/heddle.h"
#include "runtime/library_file.h"
#include "runtime/setting.h"

#include <sys/stat.h>
#include <unistd.h>

enum { CACHE_FILE_MAX = 256 << 20 };

typedef struct header {
	char magic[16];
	uint64_t n_key, n_log, n_object, sum;
} header;
static const char magic[16] = "heddle cache 1";

/* Writes the path DIRECTORY/HASH of the key and makes the directories. False when that is impossible. */
static bool path_of(const hd_text *key, hd_text *path)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	if (base && *base == '/')
		hd_text_printf(path, "%s", base);
	else if (home && *home)
		hd_text_printf(path, "%s/.cache", home);
	else
		return false;
	mkdir(path->at, 0700);
	hd_text_printf(path, "/heddle");
	mkdir(path->at, 0700);
	hd_text_printf(path, "/%016llx%016llx", (unsigned long long)hd_hash(HD_HASH, key->at, key->n),
	               (unsigned long long)hd_hash(UINT64_C(0x9e3779b97f4a7c15), key->at, key->n));
	return true;
}

char *hr_cache_read(const hd_text *key, size_t *size, hd_text *log)
{
	hd_text path = {0};
	hd_diag quiet = {0};
	char *bytes = NULL, *result = NULL;
	size_t n = 0;
	header h;
	if (path_of(key, &path) && access(path.at, R_OK) == 0)
		bytes = hd_read_file(path.at, CACHE_FILE_MAX, &n, &quiet);
	if (bytes && n >= sizeof h) {
		memcpy(&h, bytes, sizeof h);
		const char *body = bytes + sizeof h;
		uint64_t rest = n - sizeof h;
		bool whole = memcmp(h.magic, magic, sizeof magic) == 0 && h.n_key == key->n && h.n_key <= rest && h.n_log <= rest - h.n_key &&
		             h.n_object == rest - h.n_key - h.n_log && hd_hash(0, body, rest) == h.sum && memcmp(body, key->at, key->n) == 0;
		if (whole) {
			*size = h.n_object;
			result = hd_xmalloc(h.n_object + 1);
			memcpy(result, body + h.n_key + h.n_log, h.n_object);
			result[h.n_object] = '\0';
			hd_text_put(log, body + h.n_key, h.n_log);
		}
	}
	free(bytes);
	hd_text_free(&path);
	hd_diag_free(&quiet);
	return result;
}

hd_object *hr_cache_load(const hd_text *key, hd_text *log)
{
	hd_diag quiet = {0};
	hd_text messages = {0};
	size_t n = 0;
	char *bytes = hr_cache_read(key, &n, &messages);
	hd_object *object = bytes ? hd_object_read((const uint8_t *)bytes, n, "the cache", &quiet) : NULL;
	if (object && messages.n)
		hd_text_put(log, messages.at, messages.n);
	free(bytes);
	hd_text_free(&messages);
	hd_diag_free(&quiet);
	return object;
}

void hr_cache_store(const hd_text *key, const hd_text *log, const uint8_t *bytes, size_t n)
{
	hd_text path = {0}, body = {0};
	hd_diag quiet = {0};
	header h = {.n_key = key->n, .n_log = log->n, .n_object = n};
	if (path_of(key, &path)) {
		memcpy(h.magic, magic, sizeof magic);
		hd_text_put(&body, (const char *)&h, sizeof h);
		hd_text_put(&body, key->at, key->n);
		if (log->n)
			hd_text_put(&body, log->at, log->n);
		hd_text_put(&body, (const char *)bytes, n);
		h.sum = hd_hash(0, body.at + sizeof h, body.n - sizeof h);
		memcpy(body.at, &h, sizeof h);
		hd_write_file(path.at, body.at, body.n, &quiet);
	}
	hd_text_free(&path);
	hd_diag_free(&quiet);
	hd_text_free(&body);
}

/* -- the key -------------------------------------------------------------------------------------------------------------------------------- */
static void put_file_state(hd_text *key, const char *path)
{
	struct stat info;
	if (path && stat(path, &info) == 0)
		hd_text_printf(key, "%s %lld %lld.%09ld\n", path, (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/* Another build of the library may compile differently. */
static void put_build(hd_text *key)
{
	static const char *const files[] = {"heddle_core.bc", "heddle_scalars.bc", "heddle_builtins.bc", "heddle_opencl3.bc",
	                                    "heddle_half.bc", "heddle_range.bc",   "heddle_queue.bc",    "heddle_opencl.h"};
	put_file_state(key, hr_library_file());
	for (size_t i = 0; i < HD_COUNT(files); i++) {
		hd_diag quiet = {0};
		char *path = hd_data_file(files[i], &quiet);
		put_file_state(key, path);
		free(path);
		hd_diag_free(&quiet);
	}
}

uint32_t hr_build_number(void)
{
	hd_text state = {0};
	put_build(&state);
	uint64_t hash = hd_hash(HD_HASH, state.at, state.n);
	hd_text_free(&state);
	return (uint32_t)(hash ^ hash >> 32);
}

/* A new version of a program that Heddle starts. */
static void put_tool_state(hd_text *key, char *path)
{
	put_file_state(key, path);
	free(path);
}

bool hr_cache_key(hd_text *key)
{
	static const char *const variables[] = {"HEDDLE_DATA", "HEDDLE_LIBCLC", "HEDDLE_CLANG", "HEDDLE_LLVM_SPIRV", "PATH"};
	if (!hr_device.cache)
		return false;
	hd_text_printf(key, "heddle " HEDDLE_VERSION "\n");
	put_build(key);
	put_tool_state(key, hd_front_clang());
	put_tool_state(key, hd_spirv_translator());
	for (size_t i = 0; i < HD_COUNT(variables); i++) {
		const char *value = getenv(variables[i]);
		hd_text_printf(key, "%s=%s\n", variables[i], value ? value : "");
	}
	return true;
}

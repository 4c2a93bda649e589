/* Any bytes as a file of the OpenCL driver's cache: a valid object, or no object. The checksum is made to fit, because it is a guard against
 * accidents and not against an attacker. */
#include "fuzz.h"

#include "opencl/driver.h"

#include <dirent.h>
#include <unistd.h>

enum { MAGIC = 16, HEAD = MAGIC + 4 * 8, SUM = HEAD - 8 };

static hd_text folder, path, key;

static void finish(void)
{
	hd_text heddle = {0};
	unlink(path.at);
	hd_text_printf(&heddle, "%s/heddle", folder.at);
	rmdir(heddle.at);
	rmdir(folder.at);
	hd_text_free(&heddle);
	hd_text_free(&folder);
	hd_text_free(&path);
	hd_text_free(&key);
}

/* Stores one file in an empty cache, to learn its name. */
static void start(void)
{
	static const uint8_t nothing[] = "x";
	hd_text log = {0}, heddle = {0};
	const char *base = getenv("TMPDIR");
	hd_text_printf(&folder, "%s/heddle-fuzz-XXXXXX", base && *base ? base : "/tmp");
	hd_invariant(mkdtemp(folder.at), "no temporary folder");
	setenv("XDG_CACHE_HOME", folder.at, 1);
	hd_text_put(&key, "key", 3);
	hr_cache_store(&key, &log, nothing, sizeof nothing);
	hd_text_printf(&heddle, "%s/heddle", folder.at);
	DIR *directory = opendir(heddle.at);
	for (struct dirent *entry; directory && (entry = readdir(directory));)
		if (entry->d_name[0] != '.')
			hd_text_printf(&path, "%s/%s", heddle.at, entry->d_name);
	hd_invariant(path.at, "no file in the cache");
	closedir(directory);
	hd_text_free(&heddle);
	hd_text_free(&log);
	atexit(finish);
}

/* The input is the head's three numbers, then all that follows the key. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_text whole = {0}, log = {0};
	hd_diag diag = {0};
	if (size < 3 * 8)
		return 0;
	if (!path.at)
		start();
	hd_text_put(&whole, "heddle cache 1\0\0", MAGIC);
	hd_text_put(&whole, (const char *)bytes, 3 * 8);
	hd_text_put(&whole, "        ", 8);
	hd_text_put(&whole, key.at, key.n);
	hd_text_put(&whole, (const char *)bytes + 3 * 8, size - 3 * 8);
	uint64_t sum = hd_hash(0, (const uint8_t *)whole.at + HEAD, whole.n - HEAD);
	memcpy(whole.at + SUM, &sum, sizeof sum);
	hd_invariant(hd_write_file(path.at, whole.at, whole.n, &diag), "%s", diag.text.at);
	hd_object *object = hr_cache_load(&key, &log);
	if (object) {
		hd_invariant(hd_object_validate(object, "cached", &diag), "%s", diag.text.at);
		hd_object_free(object);
	}
	hd_text_free(&whole);
	hd_text_free(&log);
	hd_diag_free(&diag);
	return 0;
}

#define _GNU_SOURCE /* memfd_create */
#include "front/memory_files.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, bytes, size);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return true;
}

static bool add(hd_memory_files *files, const char *name, const char *bytes, size_t size, hd_diag *diag)
{
	int fd = memfd_create("heddle", MFD_CLOEXEC);
	if (fd >= 0)
		hd_vec_push(&files->fds, fd);
	if (fd >= 0 && write_all(fd, bytes, size))
		return true;
	hd_error(diag, (hd_pos){.file = name}, "cannot be kept in memory for clang: %s", strerror(errno));
	return false;
}

/* A name as a string of YAML in double quotes. */
static void put_string(hd_text *out, const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++) {
		if (*at < ' ' || *at == '"' || *at == '\\')
			hd_text_printf(out, "\\x%02x", *at);
		else
			hd_text_put(out, (const char *)at, 1);
	}
}

bool hd_memory_files_open(hd_memory_files *files, const hd_memory_file *list, size_t n, unsigned first, hd_diag *diag)
{
	hd_text overlay = {0};
	bool ok = true;
	hd_text_printf(&overlay, "{\"version\": 0, \"use-external-names\": false, \"roots\": [");
	for (size_t i = 0; i < n && ok; i++) {
		const hd_memory_file *file = &list[i];
		ok = add(files, file->name, file->bytes, file->size, diag);
		hd_text_printf(&overlay, "%s{\"type\": \"file\", \"name\": \"%s", i ? ",\n" : "", file->name[0] == '/' ? "" : HD_MEMORY_FOLDER "/");
		put_string(&overlay, file->name);
		hd_text_printf(&overlay, "\", \"external-contents\": \"/proc/self/fd/%zu\"}", first + i);
	}
	hd_text_printf(&overlay, "]}\n");
	ok = ok && add(files, "the list of files", overlay.at, overlay.n, diag);
	hd_text_free(&overlay);
	return ok;
}

void hd_memory_files_close(hd_memory_files *files)
{
	for (size_t i = 0; i < files->fds.n; i++)
		close(files->fds.at[i]);
	hd_vec_free(&files->fds);
}

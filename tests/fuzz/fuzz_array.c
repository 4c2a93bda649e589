/* Any bytes as a .npy file, in memory, as a file and as a stream: the same array, or a message from each. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/npy.h"

enum { PIPE_MAX = 4096 }; /* bytes that a pipe surely takes without a reader */

static void same(const hd_npy *a, const hd_npy *b)
{
	hd_invariant(a->kind == b->kind && a->bytes == b->bytes && a->dims == b->dims && a->count == b->count, "two readers see different arrays");
	hd_invariant(memcmp(a->shape, b->shape, a->dims * sizeof *a->shape) == 0, "two readers see different shapes");
	hd_invariant(!a->count || memcmp(a->data, b->data, a->count * a->bytes) == 0, "two readers see different numbers");
}

/* Reads what a descriptor gives. Requires the result of hd_npy_parse for the same bytes. */
static void read_path(int descriptor, const hd_npy *expected, bool expected_ok)
{
	hd_diag diag = {0};
	hd_npy array;
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
	bool ok = hd_npy_read(path, &array, &diag);
	hd_invariant(ok == (diag.errors == 0) && ok == expected_ok, "%s, from memory %s", ok ? "taken" : "refused",
	             expected_ok ? "taken" : "refused");
	if (ok)
		same(expected, &array);
	hd_npy_free(&array);
	hd_diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_diag diag = {0};
	hd_npy array;
	bool ok = hd_npy_parse((const char *)bytes, size, "fuzz.npy", &array, &diag);
	hd_invariant(ok == (diag.errors == 0), "%s with %u errors", ok ? "taken" : "refused", diag.errors);
	int file = memfd_create("array", 0), ends[2];
	hd_invariant(file >= 0 && write(file, bytes, size) == (ssize_t)size, "no memory file");
	read_path(file, &array, ok);
	close(file);
	if (size <= PIPE_MAX) {
		hd_invariant(pipe(ends) == 0 && write(ends[1], bytes, size) == (ssize_t)size, "no pipe");
		close(ends[1]);
		read_path(ends[0], &array, ok);
		close(ends[0]);
	}
	hd_npy_free(&array);
	hd_diag_free(&diag);
	return 0;
}

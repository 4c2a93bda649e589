/* Arrays in NumPy's .npy files: versions 1 to 3, C order, little-endian numbers. The reader is safe for untrusted files: it checks every length
 * against the file before it uses the length. */
#ifndef HD_API_NPY_H
#define HD_API_NPY_H

#include "base/output.h"

enum { HD_NPY_DIMS = 32 };

typedef struct hd_npy {
	char kind;     /* 'f' float, 'i' signed, 'u' unsigned, 'b' bool (one byte) */
	uint8_t bytes; /* of an element: 1, 2, 4, 8 */
	uint32_t dims;
	uint64_t shape[HD_NPY_DIMS];
	uint64_t count; /* elements */
	uint8_t *data;  /* count * bytes; owned */
} hd_npy;

/* Reads a file. On failure it returns false and adds an error that names the file. The caller calls hd_npy_free. */
bool hd_npy_read(const char *path, hd_npy *array, hd_diag *diag);
/* Like hd_npy_read, for bytes in memory (`file` is for messages). */
bool hd_npy_parse(const char *bytes, size_t size, const char *file, hd_npy *array, hd_diag *diag);
bool hd_npy_write(hd_output_set *outputs, const char *path, const hd_npy *array, hd_diag *diag);
void hd_npy_free(hd_npy *array);

/* Converts "f32", "u8", ... to kind and bytes; false for an unknown name. */
bool hd_npy_type(const char *name, size_t length, char *kind, uint8_t *bytes);

/* Largest number of bytes of an array. */
#define HD_NPY_MAX ((size_t)4 << 30)

#endif

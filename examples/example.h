/* The examples: OpenCL C kernels with host programs in plain C. A host program uses only the few functions below, so it runs on any back end: the
 * functional interpreter, the machine, or any OpenCL platform. It creates buffers, launches kernels in order, and states at the end what every output
 * must be. A reference in plain C computes the expected values on the host. */
#ifndef HEDDLE_EXAMPLE_H
#define HEDDLE_EXAMPLE_H

#include "base/base.h"

enum { EX_SIZES_MAX = 8, EX_ARGS_MAX = 16, EX_BUFFERS_MAX = 16 };

typedef struct ex_run ex_run;

typedef struct ex_example {
	const char *name;
	const char *source; /* OpenCL C, a path below examples/ */
	const char *cuda;   /* the same kernels in CUDA, or NULL */
	const char *about;
	bool unstructured; /* threads part in ways that no nest of ifs and loops has, so benchmarks keep it out of the means over regular kernels */
	void (*host)(ex_run *run, unsigned size); /* the host program */
	const char *sizes[EX_SIZES_MAX]; /* descriptions of the sizes, NULL-terminated; the first size is small, the last is for measurements */
} ex_example;

extern const ex_example *const ex_examples[]; /* those of the tables of docs/, NULL-terminated */
extern const ex_example *const ex_tested[];   /* those, and examples/graphics; NULL-terminated */
const ex_example *ex_find(const char *name);  /* one of ex_tested; NULL if there is none */

/* The text of a source, such as "saxpy/saxpy.cl"; NULL if it is none of ex_tested. It is part of the program, so no file is needed. */
const char *ex_source_text(const char *source);

/* -- for host programs ------------------------------------------------------------------------------------------------------------------------
 * A failure is reported once. After it the functions do nothing, so host programs need no error paths. ex_read then gives zeros. */

/* Makes a buffer in device memory: a copy of `initial`, or zeros when it is NULL. Requires: bytes > 0. */
unsigned ex_buffer(ex_run *run, const char *name, size_t bytes, const void *initial);
/* Waits for all earlier launches and copies from the start of the buffer. */
void ex_read(ex_run *run, unsigned buffer, void *into, size_t bytes);
void ex_write(ex_run *run, unsigned buffer, const void *from, size_t bytes);

typedef struct ex_arg {
	enum { EX_VALUE, EX_BUFFER, EX_LOCAL } kind;
	unsigned buffer;
	size_t size; /* of a value, or of local memory */
	unsigned char value[16];
} ex_arg;
ex_arg ex_buf(unsigned buffer);
ex_arg ex_i32(int32_t value);
ex_arg ex_u32(uint32_t value);
ex_arg ex_f32(float value);
ex_arg ex_local(size_t bytes);                   /* OpenCL local memory, uninitialised */
ex_arg ex_bytes(const void *value, size_t size); /* vectors and structs of up to 16 bytes */

typedef struct ex_shape {
	uint32_t dims, groups[3], local[3]; /* number of work-groups, and of work-items in a work-group */
} ex_shape;
ex_shape ex_1d(uint32_t groups, uint32_t local);
ex_shape ex_2d(uint32_t groups_x, uint32_t groups_y, uint32_t local_x, uint32_t local_y);
static inline uint32_t ex_groups(uint32_t items, uint32_t local) { return (items + local - 1) / local; }

void ex_launch_args(ex_run *run, const char *kernel, ex_shape shape, const ex_arg *args, unsigned n);
#define ex_launch(run, kernel, shape, ...) \
	ex_launch_args(run, kernel, shape, (const ex_arg[]){__VA_ARGS__}, (unsigned)HD_COUNT(((const ex_arg[]){__VA_ARGS__})))

/* States what a buffer must hold now. The runner also compares the bytes between back ends. */
void ex_expect_bytes(ex_run *run, unsigned buffer, const void *expected, size_t bytes);
void ex_expect_u32(ex_run *run, unsigned buffer, const uint32_t *expected, size_t n);
/* The same for floats: |got - expected| <= relative * |expected| + absolute. With both 0 the values must be equal (NaN equals NaN). */
void ex_expect_f32(ex_run *run, unsigned buffer, const float *expected, size_t n, double relative, double absolute);
/* The same with a reference in double precision. */
void ex_expect_near(ex_run *run, unsigned buffer, const double *expected, size_t n, double relative, double absolute);

/* Deterministic inputs. */
float ex_random_f32(uint64_t *state, float low, float high);
uint32_t ex_random_below(uint64_t *state, uint32_t n);

/* -- for runners -------------------------------------------------------------------------------------------------------------------------------- */
/* A place where kernels can run. The functions return false with a message in diag. */
typedef struct ex_backend {
	void *state;
	bool (*create)(void *state, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag);
	bool (*read)(void *state, unsigned buffer, void *into, size_t bytes, hd_diag *diag);
	bool (*write)(void *state, unsigned buffer, const void *from, size_t bytes, hd_diag *diag);
	bool (*launch)(void *state, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag);
	bool tolerant; /* not Heddle: outputs need not be equal bit for bit, but the bounds apply */
} ex_backend;

/* The contents of a buffer at an ex_expect. */
typedef struct ex_output {
	char *name;
	unsigned char *bytes;
	size_t n;
	bool floats; /* 32-bit floats, which may differ by relative * |value| + absolute */
	double relative, absolute;
} ex_output;

struct ex_run {
	const ex_example *example;
	unsigned size;
	ex_backend *backend;
	hd_diag *diag;
	bool failed;
	unsigned n_buffers;
	char *names[EX_BUFFERS_MAX];
	HD_VEC(ex_output) outputs;
	unsigned launches;
};

/* Runs one example in one size. True if it ran and every expectation held; otherwise diag says which did not. In either case the caller frees the
 * run's outputs with ex_run_free. */
bool ex_run_example(ex_run *run, const ex_example *example, unsigned size, ex_backend *backend, hd_diag *diag);
void ex_run_free(ex_run *run);
/* True if both runs produced the same bytes; otherwise diag names the first difference. */
bool ex_same_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, hd_diag *diag);
/* Compares back ends that compute floats differently. Each float may differ from the reference by the example's bounds, so two floats may differ by
 * twice the bounds. Everything else must be equal. *different receives the number of floats with different bits, *floats the number of all floats. */
bool ex_near_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, size_t *different, size_t *floats, hd_diag *diag);

#endif

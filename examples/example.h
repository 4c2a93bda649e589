/* The examples: OpenCL C kernels with host programs in plain C. A host program is written once, against the few functions below, and run on any
 * back end: the functional interpreter, the machine, or any OpenCL platform. It creates buffers, launches kernels in order, and states at the end
 * what every output must be; the expectation comes from a reference in plain C, computed on the host. */
#ifndef HEDDLE_EXAMPLE_H
#define HEDDLE_EXAMPLE_H

#include "base/base.h"

enum { EX_SIZES_MAX = 8, EX_ARGS_MAX = 16, EX_BUFFERS_MAX = 16 };

typedef struct ex_run ex_run;

typedef struct ex_example {
	const char *name;
	const char *source; /* OpenCL C, a path below examples/ */
	const char *cuda;   /* the same kernels in CUDA, NULL without */
	const char *about;
	void (*host)(ex_run *run, unsigned size); /* the host program */
	const char *sizes[EX_SIZES_MAX];          /* what each size is, NULL-terminated; small first, the last for measurements */
} ex_example;

extern const ex_example *const ex_examples[]; /* NULL-terminated */
const ex_example *ex_find(const char *name);  /* NULL if there is none */

/* -- for host programs ------------------------------------------------------------------------------------------------------------------------
 * After the first failure (reported once) the functions do nothing, so that host programs need no error paths; ex_read then gives zeros. */

/* A buffer in device memory: a copy of `initial`, or zeros when NULL. bytes > 0. */
unsigned ex_buffer(ex_run *run, const char *name, size_t bytes, const void *initial);
/* Waits for the launches so far and copies from the buffer's start. */
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
	uint32_t dims, groups[3], local[3]; /* work-groups, and work-items in each */
} ex_shape;
ex_shape ex_1d(uint32_t groups, uint32_t local);
ex_shape ex_2d(uint32_t groups_x, uint32_t groups_y, uint32_t local_x, uint32_t local_y);
static inline uint32_t ex_groups(uint32_t items, uint32_t local) { return (items + local - 1) / local; }

void ex_launch_args(ex_run *run, const char *kernel, ex_shape shape, const ex_arg *args, unsigned n);
#define ex_launch(run, kernel, shape, ...) \
	ex_launch_args(run, kernel, shape, (const ex_arg[]){__VA_ARGS__}, (unsigned)HD_COUNT(((const ex_arg[]){__VA_ARGS__})))

/* What a buffer must hold now. The runner also compares the bytes between back ends. */
void ex_expect_bytes(ex_run *run, unsigned buffer, const void *expected, size_t bytes);
void ex_expect_u32(ex_run *run, unsigned buffer, const uint32_t *expected, size_t n);
/* Floats. |got - expected| <= relative * |expected| + absolute; both 0: the same value (NaN matches NaN). */
void ex_expect_f32(ex_run *run, unsigned buffer, const float *expected, size_t n, double relative, double absolute);
/* As above with the reference in double precision. */
void ex_expect_near(ex_run *run, unsigned buffer, const double *expected, size_t n, double relative, double absolute);

/* Deterministic inputs. */
float ex_random_f32(uint64_t *state, float low, float high);
uint32_t ex_random_below(uint64_t *state, uint32_t n);

/* -- for runners -------------------------------------------------------------------------------------------------------------------------------- */
/* One place where kernels can run. Functions return false with a message in diag. */
typedef struct ex_backend {
	void *state;
	bool (*create)(void *state, unsigned buffer, const char *name, size_t bytes, const void *initial, hd_diag *diag);
	bool (*read)(void *state, unsigned buffer, void *into, size_t bytes, hd_diag *diag);
	bool (*write)(void *state, unsigned buffer, const void *from, size_t bytes, hd_diag *diag);
	bool (*launch)(void *state, const char *kernel, const ex_shape *shape, const ex_arg *args, unsigned n, hd_diag *diag);
	bool tolerant; /* not Heddle: outputs need not be equal bit for bit, bounds apply as they are */
} ex_backend;

/* A buffer's contents at an ex_expect. */
typedef struct ex_output {
	char *name;
	unsigned char *bytes;
	size_t n;
	bool floats; /* 32-bit floats; they may be off by relative * |value| + absolute */
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

/* Runs one example in one size. True if it ran and every expectation held; otherwise diag says what did not. The caller frees the run's outputs
 * with ex_run_free in either case. */
bool ex_run_example(ex_run *run, const ex_example *example, unsigned size, ex_backend *backend, hd_diag *diag);
void ex_run_free(ex_run *run);
/* True if both runs put out the same bytes; otherwise diag names the first difference. */
bool ex_same_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, hd_diag *diag);
/* For back ends that compute floats differently: each may be off by the example's bounds, so two may differ by twice that; everything else must be
 * equal. *different receives how many floats are not the same bits, *floats of how many. */
bool ex_near_outputs(const ex_run *a, const char *a_name, const ex_run *b, const char *b_name, size_t *different, size_t *floats, hd_diag *diag);

#endif

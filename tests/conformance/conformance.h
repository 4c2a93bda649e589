/* Conformance of the OpenCL C built-in functions, tested through the OpenCL interface: nothing of Heddle's is included here, so any platform can be
 * tested.
 *
 * A case is one expression over arrays, evaluated for every element, in every vector width that applies; a group checks its results against a
 * reference that does not come from the device (MPFR for mathematics, wide integers for the rest). Results add up in rows of a table. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { CF_ARGS = 3, CF_WIDTHS = 6 };
/* The beginning of a program that uses half arithmetic. */
#define CF_HALF "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
extern const unsigned cf_width[CF_WIDTHS]; /* 1 2 3 4 8 16 */

/* A row of the table: cases of the same section, name and type are counted in the same row. */
typedef struct cf_row {
	char section[16], name[28], type[28];
	unsigned forms;       /* kernels that were run */
	unsigned long values; /* results compared */
	unsigned long wrong;
	double worst, bound; /* ulp; bound < 0: exact functions, no ulp column; infinity: the specification gives none */
	char first[256];     /* the first wrong result, in words */
} cf_row;

typedef struct cf_session {
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	bool reduced; /* few inputs and widths: the default suite */
	bool quick;   /* of math and common alone floats, as scalars */
	bool has_double, has_half;
	const char *only; /* if not NULL, the sections or names to run: a substring of "section/name" */
	cf_row *rows;
	unsigned count, room;
	unsigned long seed;
	const char *options; /* of every program, or NULL */
	bool kept;           /* functions keep their bounds and denormal numbers whatever the options: more than the specification asks for */
	const char *spirv;   /* tools/spirv.sh, which makes SPIR-V of each program; NULL: programs are built from source */
} cf_session;

typedef struct cf_case cf_case;
struct cf_case {
	const char *section, *name, *type;
	const char *expr;         /* of A, B, C (the arguments) and Q (a pointer to the second result); `$` stands for the vector width, empty for
	                           * a scalar, `@` for the element type of A */
	const char *arg[CF_ARGS]; /* element types, NULL beyond the last */
	const char *r, *r_vector; /* the result's element type; r_vector, if not NULL, that of vectors */
	const char *q;            /* the second result's, or NULL */
	bool scalar_only;
	unsigned promises; /* of the options, from cf_run: see cf_promises */
	double bound;      /* see cf_row */
	/* If not NULL, the bound of one result under RELAXED. */
	double (*relaxed)(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expect);
	const void *data; /* the group's own */
	/* Fills n elements of every argument, and what expect needs for check. */
	void (*fill)(cf_session *s, const cf_case *c, size_t n, void *const arg[CF_ARGS], void *expect);
	size_t expect_bytes; /* of one element */
	/* One result: its error in ulp, 0 for exactly right, or infinity for wrong. */
	double (*check)(const cf_case *c, unsigned width, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r, const void *q);
	/* Words for a wrong result. */
	void (*tell)(const cf_case *c, size_t i, void *const arg[CF_ARGS], const void *expect, const void *r, const void *q, char *text, size_t size);
};

/* Runs the cases, a few dozen of them in a program. Elements per case: cf_elements. */
void cf_run(cf_session *s, const cf_case *cases, unsigned count);
size_t cf_elements(const cf_session *s);
/* The promises of the session's options by options.def, as bits: no NaN and no infinity as an argument or a result; signs of zeros do not matter;
 * denormal numbers may be zeros; the relaxed bounds of the specification; correctly rounded quotients and roots. */
enum { FINITE = 1, UNSIGNED_ZEROS = 2, FLUSHED = 4, RELAXED = 8, ROUNDED = 16 };
typedef struct cf_option {
	const char *name, *text;
	unsigned promises;
} cf_option;
extern const cf_option cf_options[]; /* ends with a name that is NULL */
unsigned cf_promises(const cf_session *s);
/* The relaxed bound of element i, whose exact result is `want`. */
double cf_relaxed(const cf_case *c, size_t i, void *const arg[CF_ARGS], double want);
bool cf_wanted(const cf_session *s, const char *section, const char *name);

/* Programs of a group's own. NULL with the log on standard error, and a row that says so, if it does not build. */
cl_program cf_build(cf_session *s, const char *section, const char *name, const char *text);
typedef struct cf_buffer {
	void *host;
	size_t bytes;
	bool result;
} cf_buffer;
/* Runs a kernel over `items` work-items in groups of `local` (0: chosen by the device) with these buffers as its arguments; results are read back. */
bool cf_launch(cf_session *s, cl_program program, const char *kernel, size_t items, size_t local, cf_buffer *buffers, unsigned count);
cf_row *cf_row_of(cf_session *s, const char *section, const char *name, const char *type, double bound);
void cf_wrong(cf_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t cf_size(const char *type); /* bytes of an OpenCL C scalar type */
/* Real types. Normal numbers are from 2^least to below 2^most. */
typedef struct cf_format {
	int digits, least, most;
} cf_format;
const cf_format *cf_format_of(const char *type);
uint64_t cf_random(cf_session *s); /* 64 bits */

/* Element i of an array of `type`, in a type that holds all its values. */
__extension__ typedef __int128 cf_wide;
bool cf_is_float(const char *type);
bool cf_is_signed(const char *type);
cf_wide cf_integer(const char *type, const void *array, size_t i);
void cf_set_integer(const char *type, void *array, size_t i, cf_wide value);
double cf_real(const char *type, const void *array, size_t i);
double cf_rounded(const char *type, double value); /* to the nearest of the type */
void cf_set_real(const char *type, void *array, size_t i, double value);
/* Random bits, with the extremes of the type now and then. */
void cf_fill_any(cf_session *s, const char *type, void *array, size_t n, unsigned which);

/* Types in a fixed order: integers, float, and what the device has of double and half. */
enum { CF_INTEGERS = 8, CF_TYPES = 11 };
unsigned cf_types(const cf_session *s, const char *list[CF_TYPES]);

/* The groups. */
void cf_math(cf_session *s);
void cf_integers(cf_session *s);
void cf_conversions(cf_session *s);
void cf_relational(cf_session *s);
void cf_geometric(cf_session *s);
void cf_memory(cf_session *s);
void cf_atomics(cf_session *s);

#endif

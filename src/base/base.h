/* Memory, vectors, bit sets, text buffers and diagnostics. This room includes no other.
 *
 * Allocation failure is not an error value, except where a size is the user's own wish: buffers of device memory (hd_memory_alloc). Everywhere else
 * hd_xmalloc and its relatives end the process with a message (hd_out_of_memory), because a host without memory leaves nothing sensible to do. Files
 * stay as they were then: they change by hd_output_commit alone. Callers bound sizes that come from outside before they allocate. */
#ifndef HD_BASE_H
#define HD_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define HD_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define HD_NORETURN __attribute__((noreturn))
/* For the parts of the cycle loop: as functions of their own they would spend as much on the call as on the work. */
#define HD_ALWAYS_INLINE static inline __attribute__((always_inline))
/* For the rare part of a function, which would take registers from the usual one. */
#define HD_APART static __attribute__((noinline))
#else
#define HD_PRINTF(fmt, args)
#define HD_NORETURN
#define HD_ALWAYS_INLINE static inline
#define HD_APART static
#endif

#define HD_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HD_NEVER UINT64_MAX /* the cycle of an event that has no time yet */

static inline uint32_t hd_min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t hd_max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
static inline uint64_t hd_min_u64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t hd_max_u64(uint64_t a, uint64_t b) { return a > b ? a : b; }
/* Requires low <= high. */
static inline uint32_t hd_clamp_u32(uint32_t value, uint32_t low, uint32_t high) { return hd_min_u32(hd_max_u32(value, low), high); }
/* Requires divisor != 0 and dividend + divisor - 1 <= UINT32_MAX. */
static inline uint32_t hd_divide_up_u32(uint32_t dividend, uint32_t divisor) { return (dividend + divisor - 1) / divisor; }
/* The least multiple of `step` that is not below `value`; requires what hd_divide_up_u32 does. */
static inline uint32_t hd_round_up_u32(uint32_t value, uint32_t step) { return hd_divide_up_u32(value, step) * step; }
/* Number of the lowest bit that is set; requires mask != 0. To visit the bits of a mask:
 * `for (uint64_t rest = mask; rest; rest &= rest - 1) visit(hd_lowest_bit(rest));` */
static inline unsigned hd_lowest_bit(uint64_t mask) { return (unsigned)__builtin_ctzll(mask); }
/* A bit for each group of `size` bits (a power of 2 up to 32) that has a bit of the mask: the lowest of the group. */
static inline uint32_t hd_bit_groups(uint32_t mask, unsigned size)
{
	uint32_t lowest = 1;
	for (unsigned width = 1; width < size; width *= 2)
		mask |= mask >> width;
	for (unsigned width = size; width < 32; width *= 2)
		lowest |= lowest << width;
	return mask & lowest;
}
static inline unsigned hd_count_bits(uint64_t mask) { return (unsigned)__builtin_popcountll(mask); }

/* Reports a broken internal invariant: prints FILE:LINE and the text, then aborts. Never for bad input. */
HD_NORETURN void hd_panic_at(const char *file, int line, const char *format, ...) HD_PRINTF(3, 4);
#define hd_panic(...) hd_panic_at(__FILE__, __LINE__, __VA_ARGS__)
#define hd_invariant(condition, ...) ((condition) ? (void)0 : hd_panic(__VA_ARGS__))

/* Ends the process with a message after an allocation of `bytes` failed. SIZE_MAX: more than an address space holds; 0: a library did not say how
 * many. The definition in the library ends with abort(). A program that links the static library may define a function of this name in its place; the
 * command does, for its exit status. */
HD_NORETURN void hd_out_of_memory(size_t bytes);

void *hd_xmalloc(size_t bytes);
void *hd_xcalloc(size_t count, size_t bytes); /* zeroed; stops on overflow of count * bytes */
void *hd_xrealloc(void *old, size_t bytes);
char *hd_xstrdup(const char *text);
bool hd_ends_with(const char *text, const char *end);
/* Seconds of a clock that only goes forward; its beginning means nothing. */
double hd_now(void);
/* "12,345,678" into `text`, which is returned. */
const char *hd_grouped_digits(uint64_t value, char text[32]);
/* 64-byte aligned, zeroed; released with free(). */
void *hd_xaligned(size_t bytes);

/* Arena: everything allocated from it lives until hd_arena_free. Zeroed, 16-byte aligned. A zeroed hd_arena is empty and ready. */
typedef struct hd_arena {
	struct hd_arena_block *blocks;
} hd_arena;
void *hd_arena_alloc(hd_arena *arena, size_t bytes);
char *hd_arena_strndup(hd_arena *arena, const char *text, size_t length);
char *hd_arena_printf(hd_arena *arena, const char *format, ...) HD_PRINTF(2, 3);
void hd_arena_free(hd_arena *arena);

/* Growable array of T: declare `HD_VEC(T) name;`, zeroed = empty. Elements move when it grows. */
#define HD_VEC(T)              \
	struct {               \
		T *at;         \
		size_t n, cap; \
	}
#define hd_vec_push(vec, ...)                                                               \
	do {                                                                                \
		if ((vec)->n == (vec)->cap)                                                 \
			(vec)->at = hd_vec_grow((vec)->at, &(vec)->cap, sizeof *(vec)->at); \
		(vec)->at[(vec)->n++] = (__VA_ARGS__);                                      \
	} while (0)
#define hd_vec_free(vec) (free((vec)->at), (vec)->at = NULL, (vec)->n = (vec)->cap = 0)
void *hd_vec_grow(void *at, size_t *cap, size_t element);

/* Bit set of a fixed number of bits. */
typedef struct hd_bits {
	uint64_t *w;
	size_t bits;
} hd_bits;
hd_bits hd_bits_new(size_t bits); /* all clear; owner calls hd_bits_free */
void hd_bits_free(hd_bits *set);
static inline bool hd_bits_has(const hd_bits *set, size_t i) { return set->w[i >> 6] >> (i & 63) & 1; }
static inline void hd_bits_add(hd_bits *set, size_t i) { set->w[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void hd_bits_del(hd_bits *set, size_t i) { set->w[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }
bool hd_bits_or(hd_bits *into, const hd_bits *from); /* true when `into` changed */
/* The first member that is not below `from`; set->bits if there is none. To visit all members:
 * `for (size_t i = hd_bits_next(&set, 0); i < set.bits; i = hd_bits_next(&set, i + 1)) visit(i);` */
size_t hd_bits_next(const hd_bits *set, size_t from);
void hd_bits_copy(hd_bits *into, const hd_bits *from);
void hd_bits_clear(hd_bits *set);

/* Growing text buffer. It is NUL-terminated once anything was put in. Zeroed = empty. */
typedef struct hd_text {
	char *at;
	size_t n, cap;
} hd_text;
void hd_text_printf(hd_text *text, const char *format, ...) HD_PRINTF(2, 3);
void hd_text_vprintf(hd_text *text, const char *format, va_list args);
void hd_text_put(hd_text *text, const char *bytes, size_t n);
void hd_text_free(hd_text *text);

typedef enum hd_number { HD_NUMBER_GOOD, HD_NUMBER_MISSING /* no text */, HD_NUMBER_BAD /* no whole number */, HD_NUMBER_LARGE } hd_number;
/* A whole number of `n` characters, decimal, or hexadecimal behind 0x, of at most `maximum`. */
hd_number hd_read_number(const char *text, size_t n, uint64_t maximum, uint64_t *value);
/* The same for the number at *at, which is moved behind it. False for anything but a good number. */
bool hd_take_number(const char **at, uint64_t maximum, uint64_t *value);

enum { HD_DISTANCE_MAX = 48 };
/* The number of characters to insert, remove, replace or swap with their neighbour between two words (optimal string alignment distance): to suggest
 * a word for a mistyped one. UINT_MAX if `b` has HD_DISTANCE_MAX characters or more. */
unsigned hd_edit_distance(const char *a, const char *b);
/* The candidate that a mistyped word most likely stands for. Zero but for `word` at first; `nearest` stays NULL when no candidate is similar. */
typedef struct hd_suggestion {
	const char *word, *nearest;
	unsigned distance;
} hd_suggestion;
/* `candidate` must outlive the suggestion. */
void hd_suggest(hd_suggestion *suggestion, const char *candidate);
/* ", did you mean NEAREST?" for the end of a message; "" when nothing is similar. The caller frees. */
char *hd_suggestion_text(const hd_suggestion *suggestion);

/* A position in a source file. Lines and columns count from 1; 0 = unknown. `file` is not owned. */
typedef struct hd_pos {
	const char *file;
	uint32_t line, column;
} hd_pos;

/* Diagnostics: errors are values. A function that can fail takes an hd_diag *, appends to it and returns false or NULL. At most HD_DIAG_MAX errors
 * are kept; further ones are only counted. */
enum { HD_DIAG_MAX = 20 };
typedef struct hd_diag {
	hd_text text;      /* whole lines, each "FILE:LINE:COLUMN: error: ..." */
	unsigned errors;   /* number of errors reported, including those that were not kept */
	unsigned warnings; /* messages of clang only */
} hd_diag;
void hd_error(hd_diag *diag, hd_pos pos, const char *format, ...) HD_PRINTF(3, 4);
void hd_diag_free(hd_diag *diag);

/* Reads a whole file into memory and puts a NUL after the last byte. NULL and an error in `diag` if it cannot be read or is larger than `limit`
 * bytes. The caller frees. `path` "-" is standard input. */
char *hd_read_file(const char *path, size_t limit, size_t *size, hd_diag *diag);

/* A hash of bytes that goes on from `hash`, or begins with HD_HASH: FNV-1a with 64 bits (G. Fowler, L. C. Noll, K.-P. Vo). */
#define HD_HASH UINT64_C(0xcbf29ce484222325)
static inline uint64_t hd_hash(uint64_t hash, const void *bytes, size_t n)
{
	for (const uint8_t *at = (const uint8_t *)bytes; n--; at++) /* rtl/lockstep reads this as C++ */
		hash = (hash ^ *at) * UINT64_C(0x100000001b3);
	return hash;
}

/* Deterministic pseudo random numbers (splitmix64), the same on every host. */
static inline uint64_t hd_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif

/* Hostile input (SA-12): `sass-hostile [--corruptions N] [--seed N] FILE...` cuts each file at every length, and corrupts it N times.
 *
 *   T1  A file that is cut is refused with an offset, wherever the cut is.
 *   T2  A file with wrong bytes is refused with an offset, or it has an answer, and has the same one again. *Proven* says that all code of the file
 * was read, as it stands there now: wrong bytes hide no function and shorten none. Wrong bytes in names, debug information, or constants change no
 *       proof, and wrong bytes in code make other code, which has a verdict of its own.
 *   T3  Nothing crashes, and every file has its answer within the steps of the check. */
#include <inttypes.h>

#include "sass/container.h"
#include "sass/proof.h"

enum { FILE_MAX = 1 << 24, CHANGES_MAX = 8 };
#define STEPS UINT64_C(20000000)

/* splitmix64 */
static uint64_t any(uint64_t *state, uint64_t below)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % below;
}

typedef struct answer {
	bool read;
	hd_sass_verdict verdict;
	size_t functions;
	uint64_t instructions, size, code; /* of all functions: bytes, and a hash of them */
} answer;

typedef struct tally {
	uint64_t cut, corrupted, refused, proven, refuted, unknown, nothing, faults;
} tally;

static void fault(tally *t, const char *path, uint64_t which, const char *what)
{
	t->faults++;
	fprintf(stderr, "%s: input %" PRIu64 ": %s\n", path, which, what);
}

/* Every byte of code that a verdict is about lies inside the entry's bytes: the sanitizer looks at each. */
static bool read_all(const hd_sass_binary *binary, answer *a)
{
	a->code = HD_HASH;
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *c = hd_sass_binary_cubin(binary, i);
		for (size_t f = 0; f < c->n_functions; f++) {
			const hd_sass_function *x = &c->functions[f];
			if (x->code < c->bytes || x->size > c->size || (size_t)(x->code - c->bytes) > c->size - x->size || x->size % HD_SASS_BYTES)
				return false;
			a->size += x->size;
			a->code = hd_hash(a->code, x->code, x->size);
		}
	}
	return true;
}

static bool has_offset(const hd_diag *diag)
{
	return diag->errors && diag->text.n && (strstr(diag->text.at, "offset") || strstr(diag->text.at, "byte"));
}

static answer ask(const uint8_t *bytes, size_t n, const char *path, uint64_t which, tally *t)
{
	answer a = {0};
	hd_diag diag = {0};
	hd_sass_binary *binary = hd_sass_binary_open_for(bytes, n, path, &(hd_sass_selection){0}, &diag);
	if (!binary) {
		t->refused++;
		if (!has_offset(&diag))
			fault(t, path, which, diag.errors ? diag.text.at : "refused without an error");
		hd_diag_free(&diag);
		return a;
	}
	a.read = true;
	if (!read_all(binary, &a))
		fault(t, path, which, "code that is not inside the file");
	hd_sass_proof_options options = {.assume = HD_SASS_ASSUME_ALL, .steps = STEPS};
	hd_sass_proof proof = {0};
	if (hd_sass_prove(binary, path, &options, &proof, &diag)) {
		a.verdict = proof.verdict;
		a.functions = proof.functions.n;
		a.instructions = proof.instructions;
		t->proven += proof.verdict == HD_SASS_PROVEN;
		t->refuted += proof.verdict == HD_SASS_REFUTED;
		t->unknown += proof.verdict == HD_SASS_UNKNOWN;
	} else {
		t->nothing++;
	}
	hd_sass_proof_free(&proof);
	hd_sass_binary_free(binary);
	hd_diag_free(&diag);
	return a;
}

static bool same(const answer *a, const answer *b)
{
	return a->verdict == b->verdict && a->functions == b->functions && a->instructions == b->instructions && a->code == b->code;
}

/* The file lies in memory of its own size, so that the sanitizer sees a read behind its end. */
static void cut(const uint8_t *bytes, size_t n, const char *path, size_t step, tally *t)
{
	for (size_t length = 0; length < n; length += step) {
		uint8_t *part = hd_xcalloc(length ? length : 1, 1);
		memcpy(part, bytes, length);
		t->cut++;
		answer a = ask(part, length, path, length, t);
		if (a.read)
			fault(t, path, length, "a part of the file was read");
		free(part);
	}
}

static void corrupt(const uint8_t *bytes, size_t n, const char *path, const answer *whole, uint64_t seed, uint64_t count, tally *t)
{
	uint8_t *copy = hd_xcalloc(n, 1);
	for (uint64_t i = 0; i < count; i++) {
		uint64_t random = (seed << 32) + i;
		memcpy(copy, bytes, n);
		for (uint64_t k = 1 + any(&random, CHANGES_MAX); k > 0; k--) {
			size_t at = any(&random, n);
			if (any(&random, 2) == 0)
				at = any(&random, n < 64 ? n : 64); /* headers are short, and matter more */
			uint64_t how = any(&random, 3);
			copy[at] = how == 0 ? (uint8_t)(copy[at] ^ 1u << any(&random, 8)) : how == 1 ? (uint8_t)any(&random, 256) : 0xff;
		}
		t->corrupted++;
		answer a = ask(copy, n, path, i, t), b = ask(copy, n, path, i, &(tally){0});
		if (a.read != b.read || !same(&a, &b))
			fault(t, path, i, "two answers for one file");
		if (a.read && a.verdict == HD_SASS_PROVEN && a.functions && (a.functions < whole->functions || a.size < whole->size))
			fault(t, path, i, "proven, though code of the file was not read");
	}
	free(copy);
}

int main(int argc, char **argv)
{
	tally t = {0};
	uint64_t corruptions = 100, seed = 1, step = 1;
	for (int i = 1; i < argc; i++) {
		size_t n;
		hd_diag diag = {0};
		if (i + 1 < argc && strcmp(argv[i], "--corruptions") == 0) {
			corruptions = strtoull(argv[++i], NULL, 10);
			continue;
		}
		if (i + 1 < argc && strcmp(argv[i], "--seed") == 0) {
			seed = strtoull(argv[++i], NULL, 10);
			continue;
		}
		if (i + 1 < argc && strcmp(argv[i], "--step") == 0) {
			step = strtoull(argv[++i], NULL, 10);
			continue;
		}
		uint8_t *bytes = (uint8_t *)hd_read_file(argv[i], FILE_MAX, &n, &diag);
		if (!bytes || !step) {
			fprintf(stderr, "%s", diag.text.n ? diag.text.at : "step of 0\n");
			return 2;
		}
		answer whole = ask(bytes, n, argv[i], 0, &(tally){0});
		if (!whole.read)
			fault(&t, argv[i], 0, "the whole file is refused");
		cut(bytes, n, argv[i], step, &t);
		corrupt(bytes, n, argv[i], &whole, seed, corruptions, &t);
		free(bytes);
		hd_diag_free(&diag);
	}
	printf("cut: %" PRIu64 ", corrupted: %" PRIu64 "; refused: %" PRIu64 ", proven: %" PRIu64 ", refuted: %" PRIu64 ", unknown: %" PRIu64
	       ", no function: %" PRIu64 "; faults: %" PRIu64 "\n",
	       t.cut, t.corrupted, t.refused, t.proven, t.refuted, t.unknown, t.nothing, t.faults);
	return t.faults ? 1 : 0;
}

/* Hostile cubins, run (SR-17): `sm-hostile [--corruptions N] FILE...` changes bytes of each file N times, most of them in code, and runs each of its
 * kernels for a while. A kernel is refused, ends, or traps with its place; nothing crashes, and the sanitizers find nothing. */
#include <inttypes.h>

#include "sm/sm.h"

enum { FILE_MAX = 1 << 20, CHANGES_MAX = 4, INSTRUCTIONS = 3000, KERNELS = 4 };

typedef struct tally {
	uint64_t files, unread, refused, ended, trapped;
} tally;

static void run(const hd_sm_image *image, size_t index, hd_memory *memory, uint64_t buffer, tally *t)
{
	const hd_kernel *k = &image->object->kernels.at[index];
	hd_diag diag = {0};
	hd_sm_code *code = hd_sm_code_new(image, index, &diag);
	hd_program program = {.object = image->object};
	uint8_t *params = hd_xcalloc(1, k->param_bytes + 8);
	for (uint32_t at = 0; at + 8 <= k->param_bytes; at += 8)
		memcpy(params + at, &buffer, 8);
	hd_launch launch = {.program = &program, .kernel = k, .grid = {2, 1, 1}, .block = {64, 1, 1}, .params = params, .dynamic_shared = 1024};
	if (code && hd_launch_check(&launch, &diag)) {
		hd_stats stats = {0};
		hd_trap trap = {0};
		hd_text text = {0};
		hd_sm_options options = {.max_instructions = INSTRUCTIONS};
		bool good = hd_sm_run(code, &launch, memory, &options, &stats, &trap);
		if (!good) {
			hd_trap_print(&text, &trap, &launch, memory);
			hd_invariant(trap.kind != HD_TRAP_NONE && text.n, "a trap without a word");
		}
		t->ended += good;
		t->trapped += !good;
		hd_trap_free(&trap);
		hd_text_free(&text);
	} else {
		hd_invariant(diag.errors, "refused without a word");
		t->refused++;
	}
	hd_sm_code_free(code);
	hd_diag_free(&diag);
	free(params);
}

static void attempt(const uint8_t *bytes, size_t size, uint64_t *random, tally *t)
{
	hd_diag diag = {0};
	hd_sass_binary *binary = hd_sass_binary_open(bytes, size, "hostile", &diag);
	hd_memory *memory = hd_memory_new(1 << 28);
	uint64_t buffer = hd_memory_alloc(memory, 8192, "buffer");
	hd_sm_image *image = binary && hd_sass_binary_count(binary) ? hd_sm_image_new(hd_sass_binary_cubin(binary, 0), memory, &diag) : NULL;
	t->files++;
	t->unread += !image;
	hd_invariant(image || diag.errors, "a file is refused without a word");
	for (unsigned i = 0; image && image->object->kernels.n && i < KERNELS; i++)
		run(image, (size_t)(hd_random(random) % image->object->kernels.n), memory, buffer, t);
	hd_sm_image_free(image, memory);
	hd_sass_binary_free(binary);
	hd_memory_free(memory);
	hd_diag_free(&diag);
}

/* Where the code is. */
static size_t any_place(const hd_sass_binary *binary, const uint8_t *bytes, size_t size, uint64_t *random)
{
	const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, 0);
	uint64_t r = hd_random(random);
	if (r % 4 == 0 || !cubin->n_functions)
		return (size_t)(hd_random(random) % size);
	const hd_sass_function *f = &cubin->functions[hd_random(random) % cubin->n_functions];
	return (size_t)(f->code - bytes) + (size_t)(hd_random(random) % f->size);
}

static bool corrupt(const char *path, unsigned long corruptions, tally *t)
{
	hd_diag diag = {0};
	size_t size;
	uint8_t *bytes = (uint8_t *)hd_read_file(path, FILE_MAX, &size, &diag), *copy = hd_xmalloc(size + 1);
	hd_sass_binary *binary = bytes ? hd_sass_binary_open(bytes, size, path, &diag) : NULL;
	uint64_t random = size;
	for (unsigned long i = 0; binary && i < corruptions; i++) {
		memcpy(copy, bytes, size);
		for (uint64_t n = 1 + hd_random(&random) % CHANGES_MAX; n--;)
			copy[any_place(binary, bytes, size, &random)] ^= (uint8_t)(1u << hd_random(&random) % 8);
		attempt(copy, size, &random, t);
	}
	bool good = binary != NULL;
	if (!good)
		fprintf(stderr, "%s", diag.text.at);
	hd_sass_binary_free(binary);
	hd_diag_free(&diag);
	free(bytes);
	free(copy);
	return good;
}

int main(int argc, char **argv)
{
	unsigned long corruptions = 100;
	tally t = {0};
	bool good = true;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--corruptions") == 0 && i + 1 < argc)
			corruptions = strtoul(argv[++i], NULL, 10);
		else
			good &= corrupt(argv[i], corruptions, &t);
	}
	printf("%" PRIu64 " files, %" PRIu64 " of them not read; launches: %" PRIu64 " refused, %" PRIu64 " ended, %" PRIu64 " trapped\n", t.files,
	       t.unread, t.refused, t.ended, t.trapped);
	return good && t.ended && t.trapped && t.refused ? 0 : 1;
}

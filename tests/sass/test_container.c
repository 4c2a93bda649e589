/* Files that hold real machine code: cubins, fat binaries, objects of a host, and damage to each (SA-1, SA-12). */
#include "base/base.h"
#include "sass/container.h"
#include "sass/cubin.h"
#include "sass/instruction.h"
#include "sass/listing.h"
#include "sass/proof.h"
#include "../test.h"

#include <lz4.h>

typedef struct loaded {
	uint8_t *bytes;
	size_t size;
	hd_sass_binary *binary;
	hd_diag diag;
} loaded;

static loaded load_selected(const char *name, const hd_sass_selection *selection)
{
	char path[512];
	loaded l = {0};
	snprintf(path, sizeof path, "%s/tests/sass/fixtures/%s", getenv("HEDDLE_SOURCE"), name);
	l.bytes = (uint8_t *)hd_read_file(path, 1 << 24, &l.size, &l.diag);
	assert_non_null(l.bytes);
	l.binary = hd_sass_binary_open_for(l.bytes, l.size, name, selection, &l.diag);
	return l;
}

static loaded load(const char *name, unsigned architecture) { return load_selected(name, &(hd_sass_selection){.architecture = architecture}); }

static void drop(loaded *l)
{
	hd_sass_binary_free(l->binary);
	hd_diag_free(&l->diag);
	free(l->bytes);
}

TEST(sa_1_cubins)
{
	static const unsigned architectures[] = {75, 80, 86, 89, 90};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(architectures); i++) {
		char name[64];
		snprintf(name, sizeof name, "plain-sm%u.cubin", architectures[i]);
		loaded l = load(name, 0);
		assert_non_null(l.binary);
		assert_int_equal(hd_sass_binary_count(l.binary), 1);
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(l.binary, 0);
		assert_int_equal(cubin->architecture, architectures[i]);
		assert_int_equal(cubin->toolkit, 130);
		assert_false(cubin->compressed);
		assert_true(cubin->n_functions > 0);
		for (size_t f = 0; f < cubin->n_functions; f++) {
			const hd_sass_function *function = &cubin->functions[f];
			assert_true(function->kernel);
			assert_true(function->registers > 0 && function->size > 0 && function->size % HD_SASS_BYTES == 0);
			assert_ptr_equal(function->code, l.bytes + function->file_offset);
		}
		drop(&l);
	}
}

/* CUDA 11 has the architecture elsewhere in the header, and no note of its version. */
TEST(sa_1_older_toolkit)
{
	(void)state;
	loaded l = load("switch-cuda11-sm80.cubin", 0);
	assert_non_null(l.binary);
	assert_int_equal(hd_sass_binary_cubin(l.binary, 0)->architecture, 80);
	assert_int_equal(hd_sass_binary_cubin(l.binary, 0)->toolkit, 118);
	drop(&l);
}

TEST(sa_1_branch_targets)
{
	(void)state;
	loaded l = load("switch-sm86.cubin", 0);
	const hd_sass_cubin *cubin = hd_sass_binary_cubin(l.binary, 0);
	size_t tables = 0;
	for (size_t f = 0; f < cubin->n_functions; f++) {
		const hd_sass_function *function = &cubin->functions[f];
		for (size_t t = 0; t < function->n_targets; t++, tables++) {
			hd_sass_instruction in;
			assert_true(hd_sass_decode(86, function->code + function->targets[t].offset, function->targets[t].offset, &in));
			assert_int_equal(in.flow, HD_SASS_BRANCH_INDIRECT);
			assert_true(function->targets[t].n > 1);
			/* The table in the constant bank holds the same places. */
			uint64_t value, sum = 0, table = 0;
			for (size_t i = 0; i < function->targets[t].n; i++)
				sum += function->targets[t].at[i];
			for (uint64_t at = 0; hd_sass_constant(cubin, function, 2, at, 4, &value); at += 4)
				table += value;
			if (function->n_targets == 1)
				assert_int_equal(sum, table);
			assert_false(hd_sass_constant(cubin, function, 2, UINT64_MAX - 1, 4, &value));
		}
	}
	assert_true(tables > 0);
	drop(&l);
}

TEST(sa_1_lines)
{
	(void)state;
	loaded l = load("lines-sm80.cubin", 0);
	const hd_sass_cubin *cubin = hd_sass_binary_cubin(l.binary, 0);
	size_t rows = 0;
	for (size_t f = 0; f < cubin->n_functions; f++) {
		const hd_sass_function *function = &cubin->functions[f];
		for (size_t i = 0; i < function->n_lines; i++, rows++) {
			assert_true(function->lines[i].offset < function->size);
			assert_true(i == 0 || function->lines[i - 1].offset <= function->lines[i].offset);
			assert_true(function->lines[i].line > 0 && function->lines[i].line < 10000);
			assert_true(hd_ends_with(function->lines[i].file, "fixture.cu") || strstr(function->lines[i].file, "."));
		}
	}
	assert_true(rows > 0);
	drop(&l);
}

/* The same cubins come out of a plain fat binary, of both compressions, and of an object file. */
TEST(sa_1_fat_binaries)
{
	static const char *const names[] = {"plain.fatbin", "lz4.fatbin", "zstd.fatbin", "host.o"};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		loaded l = load(names[i], 0);
		assert_non_null(l.binary);
		size_t cubins = 0, functions = 0;
		for (size_t c = 0; c < hd_sass_binary_count(l.binary); c++) {
			const hd_sass_cubin *cubin = hd_sass_binary_cubin(l.binary, c);
			cubins += !cubin->ptx_only;
			functions += cubin->n_functions;
			if (!cubin->ptx_only && i < 2)
				assert_int_equal(cubin->compressed, i == 1);
			if (!cubin->compressed && !cubin->ptx_only)
				assert_memory_equal(cubin->bytes, l.bytes + cubin->file_offset, cubin->size);
		}
		assert_true(cubins > 0 && functions > 0);
		assert_true(hd_sass_binary_is(l.bytes, l.size));
		drop(&l);
	}
}

TEST(sa_1_ptx_only)
{
	(void)state;
	loaded l = load("ptx-only.fatbin", 0);
	assert_non_null(l.binary);
	for (size_t c = 0; c < hd_sass_binary_count(l.binary); c++) {
		assert_true(hd_sass_binary_cubin(l.binary, c)->ptx_only);
		assert_int_equal(hd_sass_binary_cubin(l.binary, c)->n_functions, 0);
	}
	drop(&l);
}

TEST(sa_1_architecture)
{
	(void)state;
	loaded all = load("plain.fatbin", 0);
	unsigned one = 0;
	for (size_t c = 0; c < hd_sass_binary_count(all.binary); c++)
		if (!hd_sass_binary_cubin(all.binary, c)->ptx_only)
			one = hd_sass_binary_cubin(all.binary, c)->architecture;
	loaded l = load("plain.fatbin", one);
	assert_non_null(l.binary);
	for (size_t c = 0; c < hd_sass_binary_count(l.binary); c++)
		if (!hd_sass_binary_cubin(l.binary, c)->ptx_only)
			assert_int_equal(hd_sass_binary_cubin(l.binary, c)->architecture, one);
	drop(&l);
	drop(&all);
	loaded none = load("plain-sm80.cubin", 61);
	assert_null(none.binary);
	assert_non_null(strstr(none.diag.text.at, "none of the 1 entries is for sm_61"));
	drop(&none);
}

/* Three times the same fat binary, of which one byte of the second one's first entry, for sm_75, is wrong. */
static loaded load_damaged(const hd_sass_selection *selection)
{
	loaded one = load("zstd.fatbin", 0), l = {0};
	size_t each = (one.size + 7) / 8 * 8;
	l.size = 3 * each;
	l.bytes = hd_xcalloc(l.size, 1);
	for (size_t i = 0; i < 3; i++)
		memcpy(l.bytes + i * each, one.bytes, one.size);
	l.bytes[each + 16 + 64 + 40] ^= 0xff;
	l.binary = selection ? hd_sass_binary_open_for(l.bytes, l.size, "f", selection, &l.diag) : hd_sass_binary_open(l.bytes, l.size, "f", &l.diag);
	drop(&one);
	return l;
}

TEST(sa_1_damaged_entry)
{
	(void)state;
	static const struct {
		hd_sass_selection selection;
		size_t read, damaged; /* entries with machine code */
	} rows[] = {{{0}, 5, 1}, {{.architecture = 75}, 2, 1}, {{.architecture = 86}, 3, 0}};
	loaded strict = load_damaged(NULL);
	assert_null(strict.binary);
	drop(&strict);
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		loaded l = load_damaged(&rows[i].selection);
		size_t read = 0;
		assert_non_null(l.binary);
		for (size_t c = 0; c < hd_sass_binary_count(l.binary); c++)
			read += !hd_sass_binary_cubin(l.binary, c)->ptx_only;
		assert_int_equal(read, rows[i].read);
		assert_int_equal(hd_sass_binary_damaged(l.binary), rows[i].damaged);
		assert_int_equal(l.diag.errors, rows[i].damaged);
		assert_true(!rows[i].damaged || strstr(l.diag.text.at, "the compressed bytes of an entry are damaged"));
		hd_sass_proof proof;
		hd_sass_proof_options options = {.selection = rows[i].selection, .assume = HD_SASS_ASSUME_ALL};
		assert_true(hd_sass_prove(l.binary, "f", &options, &proof, &l.diag));
		assert_int_equal(proof.verdict, rows[i].damaged ? HD_SASS_UNKNOWN : HD_SASS_PROVEN);
		hd_sass_proof_free(&proof);
		drop(&l);
	}
}

/* Entries without the kernel are given back, and a name near to it is remembered. */
TEST(sa_1_entries_with_the_kernel)
{
	(void)state;
	loaded all = load("zstd.fatbin", 0);
	const char *name = hd_sass_binary_cubin(all.binary, 0)->functions[0].pretty;
	char *wrong = hd_xstrdup(name);
	wrong[0] = 'X';
	for (unsigned found = 0; found < 2; found++) {
		loaded l = load_selected("zstd.fatbin", &(hd_sass_selection){.kernel = found ? name : wrong});
		size_t cubins = 0;
		assert_non_null(l.binary);
		for (size_t c = 0; c < hd_sass_binary_count(l.binary); c++)
			cubins += !hd_sass_binary_cubin(l.binary, c)->ptx_only;
		assert_int_equal(cubins, found ? 2 : 0);
		if (!found)
			assert_string_equal(hd_sass_binary_suggestion(l.binary).nearest, name);
		drop(&l);
	}
	free(wrong);
	drop(&all);
}

TEST(sa_1_listing)
{
	(void)state;
	loaded l = load("lines-sm80.cubin", 0);
	hd_text text = {0};
	uint64_t unknown = 0;
	hd_sass_selection all = {0}, other = {.architecture = 75}, none = {.kernel = "no such kernel"};
	assert_true(hd_sass_list(l.binary, "f", &all, &text, &unknown, &l.diag));
	assert_int_equal(unknown, 0);
	assert_non_null(strstr(text.at, "// offset 0x0: machine code for sm_80 of CUDA 13.0\n"));
	assert_non_null(strstr(text.at, "\n.kernel "));
	assert_non_null(strstr(text.at, "/*0000*/ [W:0x00 wb:- R:- S:"));
	assert_non_null(strstr(text.at, "fixture.cu:"));
	assert_null(strstr(text.at, "not in the table"));
	/* The name of one function selects it alone. */
	const hd_sass_function *f = &hd_sass_binary_cubin(l.binary, 0)->functions[0];
	hd_sass_selection one = {.kernel = f->pretty};
	size_t whole = text.n, lines = 0;
	text.n = 0;
	assert_true(hd_sass_list(l.binary, "f", &one, &text, &unknown, &l.diag));
	for (const char *at = text.at; (at = strstr(at, " [W:0x")); at++)
		lines++;
	assert_int_equal(lines, f->size / HD_SASS_BYTES);
	assert_true(text.n <= whole);
	assert_false(hd_sass_list(l.binary, "f", &other, &text, &unknown, &l.diag));
	assert_non_null(strstr(l.diag.text.at, "no function for sm_"));
	assert_false(hd_sass_list(l.binary, "f", &none, &text, &unknown, &l.diag));
	assert_non_null(strstr(l.diag.text.at, "no function named 'no such kernel' in the file"));
	hd_text_free(&text);
	drop(&l);
	/* An entry of PTX is named, and is no error. */
	hd_text ptx = {0};
	loaded p = load("ptx-only.fatbin", 0);
	assert_true(hd_sass_list(p.binary, "f", &all, &ptx, &unknown, &p.diag));
	assert_non_null(strstr(ptx.at, ", no machine code\n"));
	hd_text_free(&ptx);
	drop(&p);
}

static bool opens(const uint8_t *bytes, size_t size, const char **message, hd_diag *diag)
{
	*diag = (hd_diag){0};
	hd_sass_binary *binary = hd_sass_binary_open(bytes, size, "f", diag);
	*message = diag->text.at;
	hd_sass_binary_free(binary);
	return binary;
}

static void put(uint8_t *at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* A fat binary with one entry of `packed` bytes that claims to hold `plain`. */
static uint8_t *bomb(const uint8_t *body, size_t packed, uint64_t plain, unsigned flags, size_t *size)
{
	*size = 16 + 64 + packed;
	uint8_t *b = hd_xcalloc(1, *size);
	put(b, 0xba55ed50, 4);
	put(b + 4, 1, 2);
	put(b + 6, 16, 2);
	put(b + 8, 64 + packed, 8);
	put(b + 16, 2, 2);
	put(b + 20, 64, 4);
	put(b + 24, packed, 8);
	put(b + 32, packed, 4);
	put(b + 44, 80, 4);
	put(b + 56, flags, 8);
	put(b + 72, plain, 8);
	memcpy(b + 80, body, packed);
	return b;
}

TEST(sa_12_compression)
{
	uint8_t body[4096] = {0};
	size_t size;
	const char *message;
	hd_diag diag;
	(void)state;
	static const unsigned flags[] = {0x2000, 0x8000};
	for (size_t i = 0; i < HD_COUNT(flags); i++) {
		uint8_t *b = bomb(body, sizeof body, UINT64_C(1) << 40, flags[i], &size);
		assert_false(opens(b, size, &message, &diag));
		assert_non_null(strstr(message, "offset 0x10: an entry of 4096 bytes would become"));
		hd_diag_free(&diag);
		put(b + 72, sizeof body * (HD_SASS_RATIO_MAX + 1), 8);
		assert_false(opens(b, size, &message, &diag));
		assert_non_null(strstr(message, "would become"));
		hd_diag_free(&diag);
		put(b + 72, 8192, 8);
		assert_false(opens(b, size, &message, &diag));
		assert_non_null(strstr(message, "offset 0x50: the compressed bytes of an entry are damaged"));
		hd_diag_free(&diag);
		put(b + 32, 5000, 4);
		assert_false(opens(b, size, &message, &diag));
		assert_non_null(strstr(message, "a compressed entry does not fit its place"));
		hd_diag_free(&diag);
		free(b);
	}
	/* The unpacked data must have the very size that the entry names. */
	uint8_t plain[1000] = {1, 2, 3};
	int packed = LZ4_compress_default((const char *)plain, (char *)body, sizeof plain, sizeof body);
	assert_true(packed > 0);
	uint8_t *b = bomb(body, (size_t)packed, sizeof plain + 1, 0x2000, &size);
	assert_false(opens(b, size, &message, &diag));
	assert_non_null(strstr(message, "damaged"));
	hd_diag_free(&diag);
	put(b + 72, sizeof plain, 8);
	assert_false(opens(b, size, &message, &diag));
	assert_non_null(strstr(message, "f(0x10): error: offset 0x0: this is no ELF file"));
	hd_diag_free(&diag);
	free(b);
}

/* A section that lies over another, a function of half an instruction, a table of branch targets that is cut off. */
TEST(sa_12_damaged_cubins)
{
	(void)state;
	loaded l = load("switch-sm86.cubin", 0);
	const char *message;
	hd_diag diag;
	uint64_t table = hd_sass_read(l.bytes + 40, 8), n = hd_sass_read(l.bytes + 60, 2);
	size_t tried = 0;
	for (uint64_t i = 1; i < n; i++) {
		uint8_t *header = l.bytes + table + i * 64, saved[64];
		memcpy(saved, header, sizeof saved);
		uint64_t type = hd_sass_read(header + 4, 4), flags = hd_sass_read(header + 8, 8), size = hd_sass_read(header + 32, 8);
		if (type == 8)
			continue;
		put(header + 32, l.size, 8);
		put(header + 24, 1, 8);
		assert_false(opens(l.bytes, l.size, &message, &diag));
		assert_non_null(strstr(message, "a section lies outside of the file"));
		hd_diag_free(&diag);
		put(header + 24, 0, 8);
		assert_false(opens(l.bytes, l.size, &message, &diag));
		hd_diag_free(&diag);
		memcpy(header, saved, sizeof saved);
		if (type == 1 && flags & 4) {
			put(header + 32, size - 8, 8);
			assert_false(opens(l.bytes, l.size, &message, &diag));
			assert_non_null(strstr(message, "section"));
			hd_diag_free(&diag);
			memcpy(header, saved, sizeof saved);
			tried++;
		}
		put(header, 0xfffffff0, 4);
		assert_false(opens(l.bytes, l.size, &message, &diag));
		assert_non_null(strstr(message, "the name of a section does not end"));
		hd_diag_free(&diag);
		memcpy(header, saved, sizeof saved);
	}
	assert_true(tried > 0);
	for (size_t size = 0; size < 64; size++) {
		assert_false(opens(l.bytes, size, &message, &diag));
		hd_diag_free(&diag);
	}
	drop(&l);
}

TEST(sa_1_names)
{
	static const char *const names[][3] = {
	    {"saxpy", "saxpy", "saxpy"},
	    {"_Z1kPfPKfi", "k", "k(float *, const float *, int)"},
	    {"_ZN5space6kernelEv", "space::kernel", "space::kernel()"},
	    {"_Z6kernelIfEvPT_", "kernel<float>", "kernel<float>(float *)"},
	    {"_ZN5space6kernelILi4EfEEvPT_", "space::kernel<4, float>", NULL},
	    {"_Z6kernelIXadL_Z1gvEEEvv", "kernel<...>", "_Z6kernelIXadL_Z1gvEEEvv"},
	    {"_ZN12_GLOBAL__N_11kEv", "(anonymous namespace)::k", "(anonymous namespace)::k()"},
	    {"_Z99k", "_Z99k", "_Z99k"},
	    {"_Z", "_Z", "_Z"},
	    {"_ZN1kI", "_ZN1kI", "_ZN1kI"},
	};
	hd_arena arena = {0};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		const char *pretty, *signature;
		hd_sass_names(names[i][0], &arena, &pretty, &signature);
		assert_string_equal(pretty, names[i][1]);
		if (names[i][2])
			assert_string_equal(signature, names[i][2]);
	}
	hd_arena_free(&arena);
}

/* Overloads have their parameters, and what is not understood its symbol. */
TEST(sa_1_names_are_told_apart)
{
	static const char *const names[][2] = {
	    {"_Z1fPi", "f(int *)"},
	    {"_Z1fPf", "f(float *)"},
	    {"_Z1gPf", "g"},
	    {"_Z1tIfEvPT_", "t<float>"},
	    {"_Z1tIiEvPT_", "t<int>"},
	    {"_Z1uIXadL_Z1gvEEEvv", "_Z1uIXadL_Z1gvEEEvv"},
	    {"_Z1uIXadL_Z1hvEEEvv", "_Z1uIXadL_Z1hvEEEvv"},
	    {"_Z1wIXadL_Z1gvEEEvv", "w<...>"},
	};
	hd_arena arena = {0};
	hd_sass_function functions[HD_COUNT(names)] = {0};
	hd_sass_cubin cubin = {.functions = functions, .n_functions = HD_COUNT(names)};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(names); i++)
		hd_sass_names(names[i][0], &arena, &functions[i].pretty, &functions[i].signature);
	hd_sass_tell_apart(&cubin, &arena);
	for (size_t i = 0; i < HD_COUNT(names); i++)
		assert_string_equal(functions[i].pretty, names[i][1]);
	hd_arena_free(&arena);
}

TEST(sa_1_selection_by_name)
{
	hd_sass_cubin cubin = {.architecture = 80};
	hd_sass_function function = {.name = "_ZN2ns1tIfLi4EEEvPT_", .pretty = "ns::t<float, 4>", .signature = "ns::t<float, 4>(float *)"};
	static const struct {
		const char *kernel;
		bool selected;
	} rows[] = {{NULL, true},
	            {"t", true},
	            {"ns::t<float,4>", true},
	            {"t<float>", true},
	            {"_ZN2ns1tIfLi4EEEvPT_", true},
	            {"t<float>(float*)", true},
	            {"t<int>", false},
	            {"t<float>(int*)", false},
	            {"u", false},
	            {"_ZN2ns1t", false}};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		assert_int_equal(hd_sass_selected(&(hd_sass_selection){.kernel = rows[i].kernel}, &cubin, &function), rows[i].selected);
	assert_false(hd_sass_selected(&(hd_sass_selection){.kernel = "t", .architecture = 75}, &cubin, &function));
}

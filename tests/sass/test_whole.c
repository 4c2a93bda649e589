/* Wrong bytes hide no code (SA-12): each way in which a file could hide some is refused with an offset. The files are fixtures, changed in one place.
 */
#include "sass/container.h"
#include "sass/cubin.h"
#include "../test.h"

typedef struct bytes {
	uint8_t *at;
	size_t n;
} bytes;

static bytes fixture(const char *name)
{
	hd_diag diag = {0};
	hd_text path = {0};
	bytes b;
	hd_text_printf(&path, "%s/tests/sass/fixtures/%s", getenv("HEDDLE_SOURCE"), name);
	b.at = (uint8_t *)hd_read_file(path.at, 1 << 24, &b.n, &diag);
	assert_non_null(b.at);
	hd_text_free(&path);
	hd_diag_free(&diag);
	return b;
}

/* Opens and frees; the message must hold `part`. NULL: the file must be read. */
static void expect(bytes b, const char *part)
{
	hd_diag diag = {0};
	hd_sass_binary *binary = hd_sass_binary_open(b.at, b.n, "changed", &diag);
	if (part) {
		assert_null(binary);
		assert_non_null(strstr(diag.text.at, part));
		assert_non_null(strstr(diag.text.at, "offset 0x"));
	} else {
		assert_non_null(binary);
	}
	hd_sass_binary_free(binary);
	hd_diag_free(&diag);
	free(b.at);
}

static uint64_t number(bytes b, uint64_t at, unsigned n) { return hd_sass_read(b.at + at, n); }
static void put(bytes b, uint64_t at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		b.at[at + i] = (uint8_t)(value >> 8 * i);
}

/* The header of section .text.NAME. */
static uint64_t text_header(bytes b, const char *name)
{
	uint64_t table = number(b, 40, 8), names = number(b, table + 64 * number(b, 62, 2) + 24, 8);
	for (uint64_t i = 0; i < number(b, 60, 2); i++)
		if (strcmp((const char *)b.at + names + number(b, table + 64 * i, 4), name) == 0)
			return table + 64 * i;
	fail();
	return 0;
}

TEST(sa_12_a_section_of_code_keeps_name_and_type)
{
	(void)state;
	bytes b = fixture("plain-sm80.cubin");
	put(b, text_header(b, ".text.saxpy"), number(b, text_header(b, ".symtab"), 4), 4); /* another name: what is executed is no function */
	expect(b, "is not code");
	b = fixture("plain-sm80.cubin");
	put(b, text_header(b, ".text.saxpy") + 4, 7, 4); /* another type */
	expect(b, "is not code");
	b = fixture("relocatable-sm75.cubin");
	put(b, text_header(b, ".text.matmul_naive") + 4, 7, 4);
	put(b, text_header(b, ".text.matmul_naive") + 8, 2, 8); /* nor is it executed */
	expect(b, "is not code");
	expect(fixture("relocatable-sm75.cubin"), NULL);
}

TEST(sa_12_functions_lie_in_code)
{
	(void)state;
	bytes b = fixture("plain-sm80.cubin");
	uint64_t table = number(b, text_header(b, ".symtab") + 24, 8);
	put(b, table + 24 * 16 + 6, 4, 2); /* saxpy lies in section 4 */
	expect(b, "lies in no section of code");
	b = fixture("plain-sm80.cubin");
	put(b, text_header(b, ".text.saxpy") + 32, 0x100, 8); /* shorter than its segment says */
	expect(b, "no section names these bytes");
	b = fixture("relocatable-sm75.cubin");
	put(b, text_header(b, ".text.matmul_naive") + 32, 0x10, 8); /* shorter than its symbol */
	expect(b, "lies outside of");
}

/* The symbols are gone with the section; the segment knows still. */
TEST(sa_12_what_is_executed_is_named)
{
	(void)state;
	bytes b = fixture("plain-sm80.cubin");
	uint64_t text = text_header(b, ".text.steps"), symbols = text_header(b, ".symtab");
	put(b, symbols + 4, 1, 4);
	put(b, text + 4, 8, 4); /* NOBITS, and no code by its flags and name */
	put(b, text + 8, 2, 8);
	put(b, text, number(b, symbols, 4), 4);
	expect(b, "no section names these bytes");
	b = fixture("plain-sm80.cubin");
	put(b, 56, 100, 2); /* more segments than the file has bytes for */
	expect(b, "table of segments");
	b = fixture("plain-sm80.cubin");
	put(b, number(b, 32, 8) + 56 + 32, UINT64_C(1) << 40, 8);
	expect(b, "a segment lies outside");
}

/* A hole of an alignment may be between sections, one of a function may not. */
TEST(sa_12_entries_are_full)
{
	(void)state;
	bytes b = fixture("plain.fatbin");
	uint64_t second = 16 + 64 + number(b, 16 + 8, 8);
	put(b, 16 + 8, number(b, 16 + 8, 8) + 64 + number(b, second + 8, 8), 8); /* the first entry swallows the second */
	expect(b, "behind the end of the cubin");
	b = fixture("plain.fatbin");
	put(b, second, 1, 2); /* a cubin that calls itself PTX */
	expect(b, "is no text of PTX");
	b = fixture("plain.fatbin");
	put(b, second, 77, 2);
	expect(b, "is no text of PTX");
	b = fixture("zstd.fatbin");
	put(b, 16, 1, 2);
	expect(b, "is no text of PTX");
	b = fixture("lz4.fatbin");
	second = 16 + 64 + number(b, 16 + 8, 8);
	put(b, 16 + 8, number(b, 16 + 8, 8) + 64 + number(b, second + 8, 8), 8);
	expect(b, "does not fit its place");
	expect(fixture("plain.fatbin"), NULL);
	expect(fixture("ptx-only.fatbin"), NULL);
}

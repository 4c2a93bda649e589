/* Fat binaries: what compilers write, compressed or not, and damaged ones. */

#include "../test.h"

#include "cuda/fatbin.h"

#include "fat.h"

static fat f;
static const char first[] = FAT_HEAD FAT_ADD, second[] = FAT_HEAD FAT_EMPTY;

static bool parse(hu_fatbin *read)
{
	hd_diag diag = {0};
	bool good = hu_fatbin_read(read, f.bytes, SIZE_MAX, "test", &diag);
	assert_int_equal(good, diag.errors == 0);
	hd_diag_free(&diag);
	return good;
}

TEST(texts_of_every_packing)
{
	static const fat_packing packings[] = {FAT_PLAIN, FAT_LZ4, FAT_ZSTD};
	for (size_t i = 0; i < 3; i++) {
		hu_fatbin read;
		fat_begin(&f);
		fat_add(&f, 2, 80, "machine", 7, FAT_PLAIN);
		fat_add_text(&f, 75, first, packings[i]);
		fat_add_text(&f, 90, second, packings[i]);
		fat_add(&f, 64, 90, "other", 5, FAT_PLAIN);
		assert_true(parse(&read));
		assert_int_equal(read.machine_code, 1);
		assert_int_equal(read.texts.n, 2);
		assert_int_equal(read.texts.at[1].architecture, 90);
		assert_string_equal(read.texts.at[0].text.at, first);
		assert_string_equal(read.texts.at[1].text.at, second);
		hu_fatbin_free(&read);
	}
}

TEST(the_best_text)
{
	static const struct {
		unsigned have[3], device, best;
	} rows[] = {{{70, 75, 90}, 75, 75}, {{50, 70, 90}, 75, 70}, {{80, 90, 86}, 75, 80}, {{90, 80, 60}, 75, 60}, {{90, 90, 100}, 75, 90}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		hu_fatbin read;
		fat_begin(&f);
		for (size_t k = 0; k < 3; k++)
			fat_add_text(&f, rows[i].have[k], first, FAT_PLAIN);
		assert_true(parse(&read));
		assert_int_equal(hu_fatbin_choose(&read, rows[i].device)->architecture, rows[i].best);
		hu_fatbin_free(&read);
	}
	fat_begin(&f);
	hu_fatbin none;
	assert_true(parse(&none));
	assert_null(hu_fatbin_choose(&none, 75));
	hu_fatbin_free(&none);
}

static bool spoiled(size_t at, uint64_t value, unsigned bytes, fat_packing packing)
{
	hu_fatbin read;
	fat_begin(&f);
	fat_add_text(&f, 75, first, packing);
	fat_put(&f, at, value, bytes);
	bool bad = !parse(&read);
	hu_fatbin_free(&read);
	return bad;
}

enum { ENTRY_HEADER = 16 + 4, ENTRY_SIZE = 16 + 8, ENTRY_PACKED = 16 + 16, ENTRY_PLAIN = 16 + 56, BODY = 16 + 64 };

TEST(damage_is_told)
{
	assert_true(spoiled(0, 1, 4, FAT_PLAIN));
	assert_true(spoiled(6, 15, 2, FAT_PLAIN));
	assert_true(spoiled(8, UINT64_MAX, 8, FAT_PLAIN));
	assert_true(spoiled(8, 63, 8, FAT_PLAIN));
	assert_true(spoiled(ENTRY_HEADER, 63, 4, FAT_PLAIN));
	assert_true(spoiled(ENTRY_HEADER, UINT32_MAX, 4, FAT_PLAIN));
	assert_true(spoiled(ENTRY_SIZE, UINT64_MAX, 8, FAT_PLAIN));
	assert_true(spoiled(ENTRY_SIZE, UINT64_MAX - 63, 8, FAT_PLAIN));
	assert_true(spoiled(ENTRY_PACKED, 0, 4, FAT_LZ4));
	assert_true(spoiled(ENTRY_PACKED, UINT32_MAX, 4, FAT_LZ4));
	assert_true(spoiled(ENTRY_PLAIN, 0, 8, FAT_ZSTD));
	assert_true(spoiled(ENTRY_PLAIN, UINT64_C(1) << 40, 8, FAT_ZSTD));
	assert_true(spoiled(ENTRY_PLAIN, 10, 8, FAT_ZSTD));
	assert_true(spoiled(BODY, UINT64_MAX, 8, FAT_ZSTD));
	assert_true(spoiled(BODY, UINT64_MAX, 8, FAT_LZ4));
	assert_false(spoiled(16 + 28, 60, 4, FAT_LZ4));
}

/* Any damage of one byte: no access outside of the bytes, which AddressSanitizer would see, and no answer but texts or an error. */
TEST(any_byte)
{
	static const fat_packing packings[] = {FAT_PLAIN, FAT_LZ4, FAT_ZSTD};
	for (size_t p = 0; p < 3; p++) {
		fat_begin(&f);
		fat_add_text(&f, 75, first, packings[p]);
		size_t n = f.n;
		for (size_t at = 0; at < n; at++) {
			hu_fatbin read;
			hd_diag diag = {0};
			uint8_t *copy = malloc(n);
			memcpy(copy, f.bytes, n);
			copy[at] ^= 0xff;
			hu_fatbin_read(&read, copy, n, "test", &diag);
			hu_fatbin_free(&read);
			hd_diag_free(&diag);
			free(copy);
		}
	}
}

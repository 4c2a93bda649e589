/* printf: formats, and print buffers that no kernel of ours wrote. */
#include "api/print.h"
#include "../test.h"

/* Arguments as a kernel packs them. */
typedef struct packed {
	uint8_t sizes[8], bytes[256];
	unsigned n, at;
} packed;

static void pack(packed *p, const void *value, unsigned size)
{
	p->sizes[p->n++] = (uint8_t)size;
	memcpy(p->bytes + p->at, value, size);
	p->at += (size + 3) & ~3u;
}

static void expect(const char *format, const packed *p, hd_memory *memory, const char *expected)
{
	hd_text text = {0};
	hd_print_format(&text, memory, format, p->sizes, p->bytes, p->n);
	assert_string_equal(text.at ? text.at : "", expected);
	hd_text_free(&text);
}

static void expect_int(const char *format, int32_t value, const char *expected)
{
	packed p = {0};
	pack(&p, &value, sizeof value);
	expect(format, &p, NULL, expected);
}

static void expect_long(const char *format, int64_t value, const char *expected)
{
	packed p = {0};
	pack(&p, &value, sizeof value);
	expect(format, &p, NULL, expected);
}

static void expect_double(const char *format, double value, const char *expected)
{
	packed p = {0};
	pack(&p, &value, sizeof value);
	expect(format, &p, NULL, expected);
}

TEST(integers)
{
	expect_int("<%d|", -7, "<-7|");
	expect_int("%i", 2147483647, "2147483647");
	expect_int("%5d|", 42, "   42|");
	expect_int("%-5d|", 42, "42   |");
	expect_int("%05d", -42, "-0042");
	expect_int("%+d", 42, "+42");
	expect_int("% d", 42, " 42");
	expect_int("%.4d", 42, "0042");
	expect_int("%8.4d", -42, "   -0042");
	expect_int("%u", -1, "4294967295");
	expect_int("%x", 0xbeef, "beef");
	expect_int("%#X", 0xbeef, "0XBEEF");
	expect_int("%#o", 8, "010");
	expect_int("%hd", 0x12345, "9029");
	expect_int("%hd", 0xffff, "-1");
	expect_int("%hhd", 0x180, "-128");
	expect_int("%hhu", 0x1ff, "255");
	expect_int("%hx", -1, "ffff");
	expect_long("%ld", INT64_MIN, "-9223372036854775808");
	expect_long("%lu", -1, "18446744073709551615");
	expect_long("%#lx", 0x123456789abcdef, "0x123456789abcdef");
	expect_int("%c", 'x', "x");
	expect_int("%3c|", 'x', "  x|");
	expect_long("%p", 0x1000010000, "0x1000010000");
	expect_long("%7p|", 0, "  (nil)|");
	expect_long("%-7p|", 0, "(nil)  |");
	expect_int("100%% of %d%%", 5, "100% of 5%");
}

TEST(floats)
{
	expect_double("%f", 1.5, "1.500000");
	expect_double("%.2f", -2.675, "-2.67");
	expect_double("%10.3f|", 3.14159, "     3.142|");
	expect_double("%-10.1f|", 3.14159, "3.1       |");
	expect_double("%+.0f", 2.5, "+2");
	expect_double("%#.0f", 2, "2.");
	expect_double("%e", 12345.678, "1.234568e+04");
	expect_double("%.3E", 1e-300, "1.000E-300");
	expect_double("%g", 1e-5, "1e-05");
	expect_double("%G", 1e20, "1E+20");
	expect_double("%a", 1.0, "0x1p+0");
	expect_double("%.2A", 10.5, "0X1.50P+3");
	expect_double("%f", 1.0 / 0.0, "inf");
	expect_double("%F", -1.0 / 0.0, "-INF");
	expect_double("%5.1f|", 0.0, "  0.0|");
	packed p = {0};
	float single = 0.1f;
	pack(&p, &single, sizeof single);
	expect("%.3f", &p, NULL, "0.100");
}

/* Directives that CUDA has beside those of OpenCL C: other length modifiers, and widths that are arguments. */
TEST(directives_of_cuda)
{
	packed p = {0}, q = {0}, r = {0};
	int32_t width = -6, precision = 2, value = 42, none = -1;
	double x = 3.14159;
	expect_long("%lld", INT64_MIN, "-9223372036854775808");
	expect_long("%llx|", 0x123456789abcdef, "123456789abcdef|");
	expect_long("%zu", -1, "18446744073709551615");
	expect_long("%jd", -5, "-5");
	expect_long("%td", -7, "-7");
	pack(&p, &width, sizeof width);
	pack(&p, &value, sizeof value);
	expect("%*d|", &p, NULL, "42    |");
	pack(&q, &precision, sizeof precision);
	pack(&q, &x, sizeof x);
	expect("%6.*f|", &q, NULL, "  3.14|");
	pack(&r, &none, sizeof none);
	pack(&r, &x, sizeof x);
	expect("%.*f|", &r, NULL, "3.141590|");
}

TEST(vectors)
{
	packed f4 = {0}, s3 = {0}, c16 = {0}, d2 = {0}, h4 = {0};
	float f[4] = {1, 2.5f, -3, 4};
	int16_t s[4] = {-1, 2, 300, 0x7777};
	uint8_t c[16];
	double d[2] = {1.25, -8};
	uint16_t h[4] = {0x3c00, 0xc000, 0x7c00, 0x0001};
	for (unsigned i = 0; i < 16; i++)
		c[i] = (uint8_t)(i * 17);
	pack(&f4, f, sizeof f);
	pack(&s3, s, sizeof s);
	pack(&c16, c, sizeof c);
	pack(&d2, d, sizeof d);
	pack(&h4, h, sizeof h);
	expect("f4 = %v4hlf", &f4, NULL, "f4 = 1.000000,2.500000,-3.000000,4.000000");
	expect("%5.1v4hlf|", &f4, NULL, "  1.0,  2.5, -3.0,  4.0|");
	/* The fourth element of a vector of three is nobody's. */
	expect("%v3hd", &s3, NULL, "-1,2,300");
	expect("%#v16hhx", &c16, NULL, "0,0x11,0x22,0x33,0x44,0x55,0x66,0x77,0x88,0x99,0xaa,0xbb,0xcc,0xdd,0xee,0xff");
	expect("%v2lg", &d2, NULL, "1.25,-8");
	expect("%v4hg", &h4, NULL, "1,-2,inf,5.96046e-08");
}

TEST(strings_and_what_is_not_there)
{
	hd_memory *memory = hd_memory_new(1 << 20);
	uint64_t at = hd_memory_alloc(memory, 6, NULL), bad = 4;
	memcpy(hd_memory_at(memory, at, 6), "hello", 6);
	packed p = {0}, none = {0}, low = {0};
	pack(&p, &at, sizeof at);
	pack(&low, &bad, sizeof bad);
	expect("[%s]", &p, memory, "[hello]");
	expect("[%8.3s]", &p, memory, "[     hel]");
	expect("[%-8s]", &p, memory, "[hello   ]");
	expect("[%s]", &low, memory, "[(null)]");
	/* Without an argument, or unknown: as it was written. */
	expect("%d %5.2v4hlf", &none, memory, "%d %5.2v4hlf");
	expect("%n %v5d %q %", &p, memory, "%n %v5d %q %");
	expect("%999999999d", &none, memory, "%999999999d");
	/* A string without an end is cut where its memory ends. */
	memset(hd_memory_at(memory, at, 6), 'x', 6);
	expect("%s", &p, memory, "xxxxxx");
	hd_memory_free(memory);
}

/* Whatever lies in a print buffer: what is printed comes from memory, and nothing is read outside of it. */
TEST(records_of_strangers)
{
	hd_memory *memory = hd_memory_new(1 << 24);
	uint64_t seed = 1;
	uint64_t format = hd_memory_alloc(memory, 16, NULL);
	memcpy(hd_memory_at(memory, format, 16), "%s %v4d %*d %f\n", 16);
	for (unsigned round = 0; round < 3000; round++) {
		hd_program program = {.prints = true};
		hd_launch launch = {.program = &program};
		hd_diag diag = {0};
		hd_text text = {0};
		assert_true(hd_print_open(&launch, memory, 512, &diag));
		uint8_t *bytes = hd_memory_at(memory, launch.print_buffer, HD_PRINT_BEGIN + 512);
		for (unsigned i = 0; i < HD_PRINT_BEGIN + 512; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			bytes[i] = seed >> 60 ? 0 : (uint8_t)(seed >> 40);
		}
		if (round % 2) {
			memcpy(bytes, &(uint64_t){UINT64_MAX}, 8);
			memcpy(bytes + HD_PRINT_BEGIN, (uint32_t[]){round % 512 / 8 * 8, round % 40}, 8);
			memcpy(bytes + HD_PRINT_BEGIN + 8, &format, 8);
		}
		hd_print_close(&launch, memory, &text);
		assert_int_equal(launch.print_buffer, 0);
		hd_text_free(&text);
		hd_diag_free(&diag);
	}
	hd_program program = {.prints = true};
	hd_launch launch = {.program = &program};
	hd_diag diag = {0};
	assert_false(hd_print_open(&launch, memory, 1 << 25, &diag));
	assert_int_equal(diag.errors, 1);
	hd_diag_free(&diag);
	hd_memory_free(memory);
}

enum { STRING = 1 << 18, RECORDS = 512, RECORD = 32 };

/* Fills the print buffer with records of one string argument each. The text that they give. */
static hd_text printed(hd_memory *memory, uint64_t format, uint64_t string, bool *closed)
{
	hd_program program = {.prints = true};
	hd_launch launch = {.program = &program};
	hd_diag diag = {0};
	hd_text text = {0};
	assert_true(hd_print_open(&launch, memory, RECORDS * RECORD, &diag));
	uint8_t *bytes = hd_memory_at(memory, launch.print_buffer, HD_PRINT_BEGIN + RECORDS * RECORD);
	memcpy(bytes, &(uint64_t){RECORDS * RECORD}, 8);
	for (unsigned i = 0; i < RECORDS; i++) {
		uint8_t *record = bytes + HD_PRINT_BEGIN + i * RECORD;
		memcpy(record, (uint32_t[]){RECORD, 1}, 8);
		memcpy(record + 8, &format, 8);
		memcpy(record + HD_PRINT_HEAD, &(uint32_t){8}, 4);
		memcpy(record + HD_PRINT_HEAD + 4, &string, 8);
	}
	hd_print_close(&launch, memory, &text);
	*closed = launch.print_buffer == 0;
	return text;
}

/* 512 records of a string of 256 KiB would be a text of 128 MiB. (The largest buffer of a launch allows for terabytes.) */
TEST(the_text_has_a_bound)
{
	static const char cut[] = "\nheddle: the output of printf is cut off after 67108864 bytes\n";
	hd_memory *memory = hd_memory_new(1 << 24);
	uint64_t whole = hd_memory_alloc(memory, 8, "whole"), part = hd_memory_alloc(memory, 8, "part"),
	         string = hd_memory_alloc(memory, STRING, "string"), endless = hd_memory_alloc(memory, STRING, "a format without an end");
	bool closed;
	memcpy(hd_memory_at(memory, whole, 3), "%s", 3);
	memcpy(hd_memory_at(memory, part, 5), "%.3s", 5);
	memset(hd_memory_at(memory, string, STRING), 'x', STRING);
	memset(hd_memory_at(memory, endless, STRING), 'y', STRING);
	hd_text text = printed(memory, whole, string, &closed);
	assert_true(closed);
	assert_int_equal(text.n, HD_PRINT_TEXT_MAX + strlen(cut));
	assert_true(text.cap <= 2 * (size_t)HD_PRINT_TEXT_MAX); /* the rest has not been made */
	assert_string_equal(text.at + HD_PRINT_TEXT_MAX, cut);
	hd_text_free(&text);
	text = printed(memory, part, string, &closed);
	assert_int_equal(text.n, 3 * RECORDS);
	hd_text_free(&text);
	text = printed(memory, endless, string, &closed);
	assert_int_equal(text.n, 0);
	hd_text_free(&text);
	hd_memory_free(memory);
}

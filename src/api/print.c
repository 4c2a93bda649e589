#include "api/print.h"

#include <ctype.h>
#include <locale.h>

enum { NUMBER_MAX = 4096 /* largest width and precision */, FORMAT_MAX = 1 << 16 /* bytes of a format */ };

/* A directive between its % and its conversion. */
typedef struct directive {
	char flags[8];
	int width, precision;            /* precision -1: none */
	unsigned lanes;                  /* of a vector; 0: a scalar */
	bool take_width, take_precision; /* `*`: an argument has it (CUDA) */
	char shorten;                    /* 'h', 'b' for hh, or 0 */
	unsigned each;                   /* bytes of a vector's element; 0: those of an argument */
	char conversion;
} directive;

typedef struct arguments {
	const uint8_t *sizes, *bytes;
	unsigned left;
} arguments;

static int number(const char **at)
{
	int value = 0;
	for (; isdigit((unsigned char)**at); (*at)++)
		value = value > NUMBER_MAX ? NUMBER_MAX : value * 10 + (**at - '0');
	return value > NUMBER_MAX ? NUMBER_MAX : value;
}

/* The length modifiers of OpenCL C, and those that CUDA has besides. A scalar argument's size is known without them; only `h` and `hh` shorten it. */
static void parse_length(const char **at, directive *d)
{
	if (**at == 'h') {
		(*at)++;
		d->shorten = **at == 'h' ? 'b' : **at == 'l' ? 0 : 'h';
		d->each = **at == 'h' ? 1 : **at == 'l' ? 4 : 2;
		*at += **at == 'h' || **at == 'l';
	} else if (**at == 'l') {
		(*at)++;
		d->each = 8;
		*at += **at == 'l';
	} else if (**at && strchr("zjtqL", **at)) {
		(*at)++;
	}
}

static void parse_width(const char **at, int *width, bool *take)
{
	*take = **at == '*';
	if (*take)
		(*at)++;
	else
		*width = number(at);
}

/* Parses the text behind a %. False when neither OpenCL C nor CUDA has such a directive. *at is then behind the part that was parsed. */
static bool parse(const char **at, directive *d)
{
	size_t n = 0;
	*d = (directive){.precision = -1};
	for (; **at && strchr("-+ #0", **at); (*at)++)
		if (n + 1 < sizeof d->flags && !strchr(d->flags, **at))
			d->flags[n++] = **at;
	parse_width(at, &d->width, &d->take_width);
	if (**at == '.') {
		(*at)++;
		parse_width(at, &d->precision, &d->take_precision);
	}
	if (**at == 'v') {
		(*at)++;
		d->lanes = (unsigned)number(at);
		if (d->lanes != 2 && d->lanes != 3 && d->lanes != 4 && d->lanes != 8 && d->lanes != 16)
			return false;
	}
	parse_length(at, d);
	if (!**at || !strchr("diouxXfFeEgGaAcsp%", **at))
		return false;
	d->conversion = *(*at)++;
	/* The elements of a vector are numbers. */
	return !d->lanes || strchr("diouxXfFeEgGaA", d->conversion);
}

static uint64_t integer_of(const uint8_t *bytes, unsigned size, bool is_signed)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < size && i < 8; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	if (is_signed && size && size < 8 && value >> (8 * size - 1) & 1)
		value |= UINT64_MAX << (8 * size);
	return value;
}

static double float_of(const uint8_t *bytes, unsigned size)
{
	uint64_t bits = integer_of(bytes, size, false);
	if (size == 8) {
		double value;
		memcpy(&value, &bits, sizeof value);
		return value;
	}
	if (size == 4) {
		uint32_t word = (uint32_t)bits;
		float value;
		memcpy(&value, &word, sizeof value);
		return value;
	}
	/* half: a denormal is a multiple of 2^-24; other numbers get the exponent of a double */
	uint64_t exponent = bits >> 10 & 31, fraction = bits & 1023, sign = bits >> 15 & 1;
	double value = (double)fraction / 16777216.0;
	if (exponent) {
		uint64_t wide = (exponent == 31 ? UINT64_C(2047) : exponent + 1008) << 52 | fraction << 42;
		memcpy(&value, &wide, sizeof value);
	}
	return sign ? -value : value;
}

/* Makes "%" flags width .precision, then `rest`. */
static void make_format(const directive *d, const char *rest, char *format, size_t n)
{
	int at = snprintf(format, n, "%%%s", d->flags);
	if (d->width)
		at += snprintf(format + at, n - (size_t)at, "%d", d->width);
	if (d->precision >= 0)
		at += snprintf(format + at, n - (size_t)at, ".%d", d->precision);
	snprintf(format + at, n - (size_t)at, "%s", rest);
}

/* The compiler cannot check this format, which make_format composed from known parts. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

static void put_number(hd_text *out, const directive *d, const uint8_t *bytes, unsigned size)
{
	char format[32], rest[4] = {'l', 'l', d->conversion, 0};
	if (strchr("fFeEgGaA", d->conversion)) {
		make_format(d, rest + 2, format, sizeof format);
		hd_text_printf(out, format, float_of(bytes, size));
		return;
	}
	unsigned width = d->shorten == 'b' ? 1 : d->shorten == 'h' ? 2 : 8;
	bool is_signed = d->conversion == 'd' || d->conversion == 'i';
	make_format(d, rest, format, sizeof format);
	hd_text_printf(out, format, (unsigned long long)integer_of(bytes, hd_min_u32(size, width), is_signed));
}

/* Appends a string from device memory. It ends at the end of its allocation at the latest. */
static void put_string(hd_text *out, const directive *d, hd_memory *memory, uint64_t address)
{
	uint64_t base = 0, size = 0;
	const uint8_t *bytes = hd_memory_find(memory, address, &base, &size);
	hd_text text = {0};
	char format[32];
	uint64_t most = hd_min_u64(size - (address - base), d->precision >= 0 ? (uint64_t)d->precision : HD_PRINT_TEXT_MAX);
	if (bytes)
		hd_text_put(&text, (const char *)bytes + (address - base), strnlen((const char *)bytes + (address - base), most));
	else
		hd_text_printf(&text, "(null)");
	make_format(d, "s", format, sizeof format);
	hd_text_printf(out, format, text.at ? text.at : "");
	hd_text_free(&text);
}

static void put_argument(hd_text *out, const directive *d, hd_memory *memory, const uint8_t *bytes, unsigned size)
{
	char format[32];
	directive plain = *d;
	switch (d->conversion) {
	case 's':
		put_string(out, d, memory, integer_of(bytes, size, false));
		return;
	case 'c':
		/* hd_text_printf would stop at a zero byte, which is part of the output here. */
		make_format(d, "c", format, sizeof format);
		if (integer_of(bytes, 1, false))
			hd_text_printf(out, format, (int)integer_of(bytes, 1, false));
		else
			hd_text_put(out, "", 1);
		return;
	case 'p':
		plain = (directive){.precision = -1, .width = d->width, .conversion = 'x'};
		snprintf(plain.flags, sizeof plain.flags, "#%s", strchr(d->flags, '-') ? "-" : "");
		if (integer_of(bytes, size, false))
			put_number(out, &plain, bytes, size);
		else /* as the host's printf has it */
			hd_text_printf(out, "%*s", plain.flags[1] ? -d->width : d->width, "(nil)");
		return;
	}
	put_number(out, d, bytes, size);
}

static void next_argument(arguments *args)
{
	args->bytes += (*args->sizes + 3u) & ~3u;
	args->sizes++;
	args->left--;
}

/* A vector is one argument, or several that have its elements in their order. The length modifier says how wide an element is. */
static void put_vector(hd_text *out, const directive *d, arguments *args)
{
	uint8_t bytes[16 * 8] = {0};
	unsigned n = 0, lanes = d->lanes, each = d->each ? d->each : hd_min_u32(*args->sizes, 8);
	if (*args->sizes >= lanes * each && *args->sizes <= sizeof bytes)
		each = *args->sizes / (lanes == 3 ? 4 : lanes); /* all in one; a vector of three elements has the size of one of four */
	for (; args->left && n < lanes * each; next_argument(args)) {
		unsigned size = hd_min_u32(*args->sizes, sizeof bytes - n);
		memcpy(bytes + n, args->bytes, size);
		n += size;
	}
	for (unsigned i = 0; i < lanes; i++) {
		if (i)
			hd_text_put(out, ",", 1);
		put_number(out, d, bytes + i * each, each);
	}
}

/* Takes width and precision from arguments where the directive says `*`. As in C, a negative width puts the text to the left, and a negative
 * precision is none. */
static void take_widths(directive *d, arguments *args)
{
	if (d->take_width && args->left) {
		int width = (int)(int64_t)integer_of(args->bytes, *args->sizes, true);
		size_t n = strlen(d->flags);
		if (width < 0 && n + 1 < sizeof d->flags)
			d->flags[n] = '-';
		d->width = width <= -NUMBER_MAX || width >= NUMBER_MAX ? NUMBER_MAX : abs(width);
		next_argument(args);
	}
	if (d->take_precision && args->left) {
		int precision = (int)(int64_t)integer_of(args->bytes, *args->sizes, true);
		d->precision = precision > NUMBER_MAX ? NUMBER_MAX : precision < 0 ? -1 : precision;
		next_argument(args);
	}
}

void hd_print_format(hd_text *out, hd_memory *memory, const char *format, const uint8_t *sizes, const uint8_t *bytes, unsigned n)
{
	arguments args = {sizes, bytes, n};
	const size_t begun = out->n;
	for (const char *at = format; *at && out->n - begun <= HD_PRINT_TEXT_MAX;) {
		size_t plain = strcspn(at, "%");
		hd_text_put(out, at, plain);
		at += plain;
		if (!*at)
			break;
		const char *begin = at++;
		directive d;
		bool known = parse(&at, &d);
		if (known)
			take_widths(&d, &args);
		if (known && d.conversion == '%') {
			hd_text_put(out, "%", 1);
		} else if (!known || !args.left) {
			/* Both languages leave this undefined. The text shows the directive itself. */
			hd_text_put(out, begin, (size_t)(at - begin));
		} else if (d.lanes) {
			put_vector(out, &d, &args);
		} else {
			put_argument(out, &d, memory, args.bytes, *args.sizes);
			next_argument(&args);
		}
	}
}

/* Formats one record of at most `room` bytes. Returns the size of the record, or 0 if it is invalid. */
static uint64_t record(hd_text *out, hd_memory *memory, const uint8_t *bytes, uint64_t room)
{
	if (room < HD_PRINT_HEAD)
		return 0;
	uint64_t total = integer_of(bytes, 4, false), n = integer_of(bytes + 4, 4, false), need = HD_PRINT_HEAD + ((n + 3) & ~UINT64_C(3));
	if (total > room || total > HD_PRINT_RECORD_MAX || total % 8 || n > HD_PRINT_RECORD_MAX || need > total)
		return 0;
	const uint8_t *sizes = bytes + HD_PRINT_HEAD, *values = bytes + need;
	for (uint64_t i = 0; i < n; i++)
		need += (sizes[i] + 3u) & ~3u;
	uint64_t base = 0, size = 0, address = integer_of(bytes + 8, 8, false);
	const uint8_t *found = hd_memory_find(memory, address, &base, &size);
	if (need > total)
		return 0;
	if (found && memchr(found + (address - base), 0, hd_min_u64(size - (address - base), FORMAT_MAX)))
		hd_print_format(out, memory, (const char *)found + (address - base), sizes, values, (unsigned)n);
	return total;
}

bool hd_print_open(hd_launch *launch, hd_memory *memory, uint64_t bytes, hd_diag *diag)
{
	launch->print_buffer = launch->print_bytes = 0;
	if (!launch->program->prints)
		return true;
	launch->print_bytes = bytes & ~UINT64_C(7);
	launch->print_buffer = hd_memory_alloc(memory, HD_PRINT_BEGIN + launch->print_bytes + HD_PRINT_RECORD_MAX, "the print buffer");
	if (!launch->print_buffer)
		hd_error(diag, (hd_pos){0}, "no room in device memory for a print buffer of %llu bytes", (unsigned long long)bytes);
	return launch->print_buffer != 0;
}

void hd_print_close(hd_launch *launch, hd_memory *memory, hd_text *out)
{
	if (!launch->print_buffer)
		return;
	const uint8_t *bytes = hd_memory_at(memory, launch->print_buffer, HD_PRINT_BEGIN + launch->print_bytes);
	uint64_t end = integer_of(bytes, 8, false), at = 0, one;
	/* printf uses the decimal point of C, whatever the locale of the calling program. */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = c ? uselocale(c) : (locale_t)0;
	const size_t begun = out->n;
	end = hd_min_u64(end, launch->print_bytes);
	while (at < end && out->n - begun <= HD_PRINT_TEXT_MAX && (one = record(out, memory, bytes + HD_PRINT_BEGIN + at, end - at)))
		at += one;
	if (out->n - begun > HD_PRINT_TEXT_MAX) {
		out->n = begun + HD_PRINT_TEXT_MAX;
		hd_text_printf(out, "\nheddle: the output of printf is cut off after %d bytes\n", HD_PRINT_TEXT_MAX);
	}
	if (c) {
		uselocale(before);
		freelocale(c);
	}
	hd_memory_release(memory, launch->print_buffer);
	launch->print_buffer = launch->print_bytes = 0;
}

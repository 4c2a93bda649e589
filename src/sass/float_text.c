#include "sass/row.h"

static uint64_t mask_of(unsigned length) { return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1; }

static void put_value(hd_text *text, double value, bool nan, bool minus)
{
	if (nan)
		hd_text_printf(text, minus ? "-QNAN" : "+QNAN");
	else if (value > 1.7976931348623157e308 || value < -1.7976931348623157e308)
		hd_text_printf(text, minus ? "-INF" : "+INF");
	else if (value == 0 && minus)
		hd_text_printf(text, "-0.0");
	else
		hd_text_printf(text, value >= 1e9 || value <= -1e9 ? "%.20e" : "%.20g", value);
}

void hd_sass_put_float(hd_text *text, uint64_t bits, unsigned exponent, unsigned fraction)
{
	uint64_t e = bits >> fraction & mask_of(exponent), f = bits & mask_of(fraction);
	bool minus = bits >> (exponent + fraction) & 1, special = e == mask_of(exponent);
	uint64_t out;
	double value;
	if (special || (e == 0 && f == 0) || fraction == 52) {
		out = (special ? UINT64_C(0x7ff) << 52 : fraction == 52 ? bits & mask_of(63) : 0) | (uint64_t)minus << 63;
	} else {
		int shift = (int)e - (int)mask_of(exponent - 1);
		if (e == 0) {
			shift++;
			while (!(f >> fraction)) {
				f <<= 1;
				shift--;
			}
			f &= mask_of(fraction);
		}
		out = (uint64_t)minus << 63 | (uint64_t)(1023 + shift) << 52 | f << (52 - fraction);
	}
	memcpy(&value, &out, sizeof value);
	put_value(text, value, special && f, minus);
	if (special)
		hd_text_printf(text, " ");
}

#include "base/plain.h"

/* Bytes of the character that `left` bytes begin with; 0: they are no UTF-8. */
static size_t character(const unsigned char *at, size_t left)
{
	size_t n = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	for (size_t i = 1; i < n; i++)
		if (i == left || (at[i] & 0xc0) != 0x80)
			return 0;
	bool longer = n > 2 && (at[0] & 0xf) == 0 && at[1] < (n == 3 ? 0xa0 : 0x90);
	bool no_letter = (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf4 && at[1] > 0x8f); /* surrogates, and behind U+10FFFF */
	return longer || (n > 1 && no_letter) ? 0 : n;
}

void hd_text_make_plain(hd_text *text, size_t begin)
{
	for (size_t i = begin, n; i < text->n; i += n) {
		const unsigned char *at = (const unsigned char *)text->at + i;
		n = character(at, text->n - i);
		bool control = n == 1 ? (*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f : n == 2 && at[0] == 0xc2 && at[1] < 0xa0;
		n += n == 0;
		if (control || (n == 1 && *at >= 0x80))
			memset(text->at + i, '?', n);
	}
}

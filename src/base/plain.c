#include "base/plain.h"

void hd_text_make_plain(hd_text *text, size_t begin)
{
	for (size_t i = begin; i < text->n; i++) {
		unsigned char byte = (unsigned char)text->at[i], next = i + 1 < text->n ? (unsigned char)text->at[i + 1] : 0;
		if ((byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f)
			text->at[i] = '?';
		if (byte == 0xc2 && next >= 0x80 && next < 0xa0)
			text->at[i] = text->at[i + 1] = '?';
	}
}

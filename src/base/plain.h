/* Text from outside on a terminal: names of kernels and files come from objects, and could hold the sequences that control a terminal. */
#ifndef HD_PLAIN_H
#define HD_PLAIN_H

#include "base/base.h"

/* Bytes of one message of hd_error, which cuts off the rest and makes the message plain. */
enum { HD_MESSAGE_MAX = 4000 };

/* Replaces each control character behind the first `begin` bytes, and each byte that is no part of UTF-8, by question marks. Tabs and line breaks stay.
 * Control characters are those of ASCII, and U+0080 to U+009F. */
void hd_text_make_plain(hd_text *text, size_t begin);

#endif

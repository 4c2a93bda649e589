/* C++ source as plain code, in which a search needs to know neither comments nor literals. */
#ifndef HD_PLAIN_CODE_H
#define HD_PLAIN_CODE_H

#include "base/base.h"

/* A copy of `text`, byte for byte in the same place, for free(). Each byte of a comment is a blank; each byte of a string or a character between and
 * with its quotes is a ". A backslash-newline is blanks, within a word the letter before. Literals that do not end do so with their line, raw ones
 * and comments with the text. */
char *hd_plain_code(const char *text);
/* Whether a byte can be part of a name or of a number. */
bool hd_is_in_word(char c);

#endif

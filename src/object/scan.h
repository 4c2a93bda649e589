/* Characters of an assembly line, for assemble.c and parse_inst.c. Every function that can fail reports what it expected, at the column where it
 * stopped. */
#ifndef HD_OBJECT_SCAN_H
#define HD_OBJECT_SCAN_H

#include "object/object.h"

typedef struct hd_scan {
	const char *begin, *at, *end; /* the current line, without its newline */
	const char *file;
	uint32_t line;
	hd_diag *diag;
} hd_scan;

hd_pos hd_scan_pos(const hd_scan *s);
void hd_scan_space(hd_scan *s);
/* True at the end of the line or at the beginning of a comment. */
bool hd_scan_done(hd_scan *s);
/* Takes `text` if it comes next. */
bool hd_scan_is(hd_scan *s, const char *text);
bool hd_scan_want(hd_scan *s, const char *text);
/* Takes letters, digits, '_', '$', and '.' when `dots`; takes nothing if another character comes next. */
size_t hd_scan_word(hd_scan *s, bool dots, const char **word);
/* True when the n characters at `word` are `text`. */
bool hd_scan_same(const char *word, size_t n, const char *text);
/* Takes a decimal or 0x number, with a sign, within [low, high]. */
bool hd_scan_number(hd_scan *s, const char *what, int64_t low, int64_t high, int64_t *value);
bool hd_scan_u32(hd_scan *s, const char *what, uint32_t *value);
/* Takes "..." with \" \\ \xNN, or a word, or `none` without quotes for NULL. The caller frees. */
bool hd_scan_name(hd_scan *s, const char *what, char **name);

/* Takes one instruction in the form that hd_inst_print writes, up to its annotation. If the target is a label, *label points to it within the
 * line and *length its length. False and an error otherwise. */
bool hd_parse_inst(hd_scan *s, hd_inst *inst, const char **label, size_t *length);

#endif

/* Colour of what the command prints for people: on a terminal only, not where NO_COLOR (https://no-color.org) is set or TERM is dumb, unless --color
 * says otherwise. Machine-readable output and files never have colour. */
#ifndef HD_CLI_COLOR_H
#define HD_CLI_COLOR_H

#include "base/base.h"

typedef enum hd_color_when { HD_COLOR_AUTO, HD_COLOR_ALWAYS, HD_COLOR_NEVER } hd_color_when;

/* The value of --color. False when it is none of the three words. Holds until the process ends. */
bool hd_color_choose(const char *when);
/* Whether text for this stream has colour. */
bool hd_color_on(FILE *stream);
/* True when the stream is a terminal on which a line can be written over. */
bool hd_color_terminal(FILE *stream);

typedef enum hd_style { HD_STYLE_BOLD, HD_STYLE_ERROR, HD_STYLE_NOTE, HD_STYLE_DIM } hd_style;
/* The sequences that begin and end a style; "" where text has no colour. */
const char *hd_color_begin(hd_style style, bool on);
const char *hd_color_end(bool on);
/* Prints a line with names from outside in it: they do not control the terminal, and are text (base/plain.h). */
void hd_say(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints messages to standard error, with `error:` and `note:` in colour. */
void hd_color_messages(const char *text);

#endif

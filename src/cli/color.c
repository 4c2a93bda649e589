#include "cli/color.h"

#include "base/plain.h"

#include <stdarg.h>
#include <unistd.h>

/* Set once, while the command line is read. */
static hd_color_when chosen;

bool hd_color_choose(const char *when)
{
	static const char *const words[] = {[HD_COLOR_AUTO] = "auto", [HD_COLOR_ALWAYS] = "always", [HD_COLOR_NEVER] = "never"};
	for (unsigned i = 0; i < HD_COUNT(words); i++) {
		if (strcmp(when, words[i]) != 0)
			continue;
		chosen = (hd_color_when)i;
		return true;
	}
	return false;
}

bool hd_color_terminal(FILE *stream)
{
	const char *terminal = getenv("TERM");
	return isatty(fileno(stream)) == 1 && !(terminal && strcmp(terminal, "dumb") == 0);
}

bool hd_color_on(FILE *stream)
{
	const char *no = getenv("NO_COLOR");
	if (chosen != HD_COLOR_AUTO)
		return chosen == HD_COLOR_ALWAYS;
	return !(no && *no) && hd_color_terminal(stream);
}

const char *hd_color_begin(hd_style style, bool on)
{
	static const char *const sequences[] = {
	    [HD_STYLE_BOLD] = "\033[1m", [HD_STYLE_ERROR] = "\033[1;31m", [HD_STYLE_NOTE] = "\033[1;36m", [HD_STYLE_DIM] = "\033[2m"};
	return on ? sequences[style] : "";
}

const char *hd_color_end(bool on) { return on ? "\033[0m" : ""; }

/* The first of the words that begin a message, in a line of `n` characters. NULL: none. */
static const char *mark_in(const char *line, size_t n, hd_style *style, size_t *length)
{
	static const struct {
		const char *word;
		hd_style style;
	} marks[] = {{"error:", HD_STYLE_ERROR}, {"warning:", HD_STYLE_NOTE}, {"note:", HD_STYLE_NOTE}};
	const char *first = NULL;
	for (size_t i = 0; i < HD_COUNT(marks); i++) {
		const char *at = strstr(line, marks[i].word);
		if (!at || at >= line + n || (first && at > first))
			continue;
		first = at;
		*style = marks[i].style;
		*length = strlen(marks[i].word);
	}
	return first;
}

void hd_color_messages(const char *text)
{
	bool on = hd_color_on(stderr);
	while (*text) {
		size_t n = strcspn(text, "\n"), length = 0;
		n += text[n] == '\n';
		hd_style style = HD_STYLE_ERROR;
		const char *mark = on ? mark_in(text, n, &style, &length) : NULL;
		if (mark)
			fprintf(stderr, "%.*s%s%.*s%s%.*s", (int)(mark - text), text, hd_color_begin(style, on), (int)length, mark, hd_color_end(on),
			        (int)(text + n - mark - (ptrdiff_t)length), mark + length);
		else
			fwrite(text, 1, n, stderr);
		text += n;
	}
}

void hd_say(FILE *stream, const char *format, ...)
{
	hd_text text = {0};
	va_list args;
	va_start(args, format);
	hd_text_vprintf(&text, format, args);
	va_end(args);
	hd_text_make_plain(&text, 0);
	fwrite(text.at, 1, text.n, stream);
	hd_text_free(&text);
}

#include "explore/page.h"

#include "report/html/page.h"

/* PART("file name without ending", "text"): tools/embed.py generates the rows from page/, in the order of meson.build. */
#define PART(name, text) text,
static const char *const parts[] = {
#include "explore/explorer_text.h"
};
#undef PART

enum { SHELL, STYLE, CYCLE_STYLE, FIRST_SCRIPT };

static const char blocks_mark[] = "<!-- blocks -->\n";

void hd_explore_begin(FILE *out, const char *title)
{
	const char *mark = strstr(parts[SHELL], blocks_mark);
	hd_invariant(mark != NULL, "the shell has no place for blocks");
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\">"
	      "<title>Heddle: ",
	      out);
	hd_text escaped = {0};
	hd_page_escape(&escaped, title);
	fprintf(out, "%s</title><style>\n%s%s</style></head>\n", escaped.at ? escaped.at : "", parts[STYLE], parts[CYCLE_STYLE]);
	hd_text_free(&escaped);
	fwrite(parts[SHELL], 1, (size_t)(mark - parts[SHELL]), out);
}

void hd_explore_begin_run(FILE *out) { fputs("<div class=\"run\" hidden>\n", out); }
void hd_explore_end_run(FILE *out) { fputs("</div>\n", out); }

void hd_explore_end(FILE *out)
{
	fputs("<script>\n\"use strict\";\nconst H = {};\n", out);
	for (unsigned i = FIRST_SCRIPT; i < HD_COUNT(parts); i++)
		fputs(parts[i], out);
	fputs("</script>\n", out);
	fputs(strstr(parts[SHELL], blocks_mark) + sizeof blocks_mark - 1, out);
}

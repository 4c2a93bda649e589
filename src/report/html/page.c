#include "report/html/page.h"

#include "report/profile.h"

const char *hd_page_colour(unsigned column) { return column < HD_STALL_COUNT ? hd_stalls[column].colour : "#4e79a7"; }
const char *hd_page_cause(unsigned column) { return column < HD_STALL_COUNT ? hd_stalls[column].label : "used"; }

/* Colours are variables, so a dark screen and paper change them in one place. Colours of data are the same everywhere. */
static const char style[] =
    ":root{--back:#fff;--text:#222;--dim:#666;--faint:#757575;--line:#e2e2e2;--rule:#999;--box:#f7f7f7;--frame:#fafafa;--source:#f3f6fa;--link:#"
    "2b5c8a;"
    "--used:#4e79a7;--bad:#b00;--good:#287233}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{color-scheme:dark;--back:#15181c;--text:#dde2e8;--dim:#a0a8b2;--faint:#8b94a0;--line:#31363d;"
    "--rule:#626b76;--box:#1d2126;--frame:#1a1e23;--source:#1f2833;--link:#85b8e8;--used:#5b8cc0;--bad:#ff7b72;--good:#63c174}}\n"
    "body{font:15px/1.5 'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;max-width:1160px;margin:1.5em auto 4em;padding:0 1.2em;color:var(--text);"
    "background:var(--back);overflow-wrap:anywhere}\n"
    "h1{font-size:1.7em;margin:.2em 0}h2{font-size:1.25em;margin:1.8em 0 .4em;border-bottom:2px solid var(--used);padding-bottom:.15em}"
    "h3{font-size:1.05em;margin:1.2em 0 .3em}p{margin:.3em 0 .7em;max-width:62em}.sub{color:var(--dim)}a{color:var(--link)}\n"
    "nav{font-size:13px;margin:.6em 0}nav a{margin-right:1.1em;display:inline-block;padding:.15em 0}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.6em,1fr));gap:.6em;margin:1em 0}.card{border:1px solid "
    "var(--line);border-radius:5px;padding:.45em .9em;min-width:0}"
    ".card b{display:block;font-size:1.35em;font-variant-numeric:tabular-nums}.card span{color:var(--dim);font-size:12.5px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px}td,th{padding:.22em .75em;text-align:right;"
    "border-bottom:1px solid var(--line);white-space:nowrap}td:first-child,th:first-child,.left{text-align:left}th{font-weight:600;"
    "border-bottom:1.5px solid "
    "var(--rule)}.first{font-weight:600}.bad{color:var(--bad);font-weight:bold}.good{color:var(--good)}.dim{color:var(--faint)}"
    "small{color:var(--dim);font-size:11.5px}.scroll{overflow-x:auto;max-width:100%}\n"
    "svg{width:100%;height:auto;font:12.5px Arial,'DejaVu Sans',sans-serif;display:block}svg text{fill:var(--text)}svg .axis{fill:var(--dim);"
    "font-size:11.5px}svg .frame{fill:var(--frame);stroke:var(--line)}svg .tick{stroke:var(--rule)}svg .mark{fill:#000}"
    "svg .small{font-size:10px;fill:var(--dim)}.narrow{display:none}svg.phone{max-width:520px}\n"
    ".legend{max-width:none;font-size:12.5px;margin:.4em 0 .8em}.legend span{margin-right:1.1em;display:inline-block}.legend "
    "i{display:inline-block;width:11px;height:11px;margin-right:.35em;vertical-align:-1px}\n"
    ".rows{font-size:13px;font-variant-numeric:tabular-nums}.row{display:grid;grid-template-columns:9em minmax(8em,1fr) 14em 26em;gap:0 .7em;"
    "align-items:center;margin:.2em 0}.row .name{text-align:right}.row .track i{display:block;height:15px}.row "
    ".doc{color:var(--dim);font-size:12px}.plain .row{grid-template-columns:12em minmax(8em,1fr)}.row .parts{display:flex;align-items:center}"
    ".parts small{margin-left:.5em}.row .places{position:relative;height:15px;background:var(--frame)}"
    ".places a{position:absolute;top:0;bottom:0;min-width:1px}\n"
    "summary{cursor:pointer;margin:1em 0 .4em;font-weight:600}\n"
    "pre,code{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}pre{font-size:11.5px;line-height:1.4;overflow-x:auto;background:var(--box);"
    "padding:.8em}\n"
    ".code td{font-size:12px;padding:.08em .6em}.code td:first-child{text-align:right}.code .src td{background:var(--source)}"
    ".code td.text{text-align:left;white-space:pre-wrap;min-width:32em;font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11.5px}"
    ".code td.why{text-align:left;color:var(--dim);font-size:11.5px;white-space:normal;min-width:16em}td.bars{text-align:left;min-width:92px}"
    ".bar{display:inline-block;height:9px;background:var(--used)}.lost{background:#e15759}\n"
    /* A picture keeps its letters readable on a phone: they are larger, and fewer. */
    "@media screen and (max-width:760px){body{padding:0 .7em;margin-top:.8em}h1{font-size:1.35em}.scroll>svg{min-width:940px}"
    ".picture svg,.picture .axis{font-size:20px}"
    ".wide,svg .small{display:none}div.narrow{display:block}svg .narrow{display:inline}"
    ".row,.plain .row{grid-template-columns:1fr auto;margin:.5em 0}.row .name{text-align:left}.row .track,.row .doc{grid-column:1/-1;order:1}.row "
    ".track "
    "i{height:9px}"
    "nav a{padding:.45em 0}"
    ".cards{grid-template-columns:repeat(auto-fit,minmax(9.5em,1fr))}}\n"
    "@media screen and (max-width:520px){.picture svg,.picture .axis{font-size:27px}}\n"
    "@media screen{svg.phone,svg.phone .axis{font-size:13.5px}}\n"
    "@page{margin:13mm}@media "
    "print{small{font-size:7px}.legend{font-size:8.5px}body{margin:0;padding:0;max-width:none;font-size:10.5px}nav{display:none}h2,h3{break-after:"
    "avoid}.card span{font-size:8.5px}.rows{font-size:8.5px}.row .doc{font-size:8px}.row .track i{height:9px}"
    "section.keep,svg,.cards{break-inside:avoid}tr{break-inside:avoid}pre{font-size:7px;white-space:pre-wrap;background:none;padding:0}"
    "table{font-size:8.5px}td,th{padding:.12em .35em}.scroll{overflow:visible}.code td,.code td.text,.code td.why{font-size:7.5px}"
    ".code td.text,.code td.why{white-space:pre-wrap}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

/* The number of bytes of the character of UTF-8 that begins here, or 0: there is none. */
static unsigned character(const unsigned char *at)
{
	static const unsigned char second_least[] = {[0x00] = 0xa0, [0x10] = 0x90}, second_most[] = {[0x0d] = 0x9f, [0x14] = 0x8f};
	unsigned n = *at < 0x80 ? 1 : *at >= 0xc2 && *at < 0xe0 ? 2 : *at >= 0xe0 && *at < 0xf0 ? 3 : *at >= 0xf0 && *at < 0xf5 ? 4 : 0;
	for (unsigned i = 1; i < n; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	unsigned row = *at - 0xe0u;
	bool too_low = n > 2 && row < sizeof second_least && second_least[row] && at[1] < second_least[row];
	bool too_high = n > 2 && row < sizeof second_most && second_most[row] && at[1] > second_most[row];
	return too_low || too_high ? 0 : n;
}

void hd_page_escape(hd_text *out, const char *text)
{
	while (*text) {
		unsigned n = character((const unsigned char *)text);
		if (n == 1 && strchr("<>&\"'", *text))
			hd_text_printf(out, "&#%d;", *text);
		else if (!n || (n == 1 && (unsigned char)*text < ' ' && *text != '\t' && *text != '\n') || *text == 0x7f)
			hd_text_printf(out, "&#xfffd;");
		else
			hd_text_put(out, text, n);
		text += n ? n : 1;
	}
}

void hd_page_begin(hd_text *out, const char *title)
{
	hd_text_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	                    "content=\"width=device-width,initial-scale=1\"><title>Heddle: ");
	hd_page_escape(out, title);
	hd_text_printf(out, "</title><style>\n%s</style></head><body>\n", style);
}

void hd_page_end(hd_text *out) { hd_text_printf(out, "</body></html>\n"); }

void hd_page_picture(hd_text *out, unsigned width, unsigned height, const char *label)
{
	hd_text_printf(out, "<div class=\"picture\"><svg viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", width, height);
	hd_page_escape(out, label);
	hd_text_printf(out, "\">\n");
}

void hd_page_phone_picture(hd_text *out, unsigned width, unsigned height, const char *label)
{
	hd_text_printf(out, "<div class=\"narrow\"><svg class=\"phone\" viewBox=\"0 0 %u %u\" role=\"img\" aria-label=\"", width, height);
	hd_page_escape(out, label);
	hd_text_printf(out, "\">\n");
}

void hd_page_picture_end(hd_text *out) { hd_text_printf(out, "</svg></div>\n"); }

void hd_page_row(hd_text *out, const char *name, double length, const char *colour, const char *number, double share, const char *meaning)
{
	hd_text_printf(out, "<div class=\"row\"><span class=\"name\">");
	hd_page_escape(out, name);
	hd_text_printf(out,
	               "</span><span class=\"track\"><i style=\"width:%.2f%%;background:%s\"></i></span><span>%s <small>%.1f %%</small></span><span "
	               "class=\"doc\">%s</span></div>\n",
	               100 * length, colour, number, 100 * share, meaning);
}

void hd_page_slots(hd_text *out, const hd_stats *s)
{
	char number[32];
	uint64_t most = s->run_slots_used;
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		most = hd_max_u64(s->stall[i], most);
	hd_text_printf(out, "<div class=\"rows\">\n");
	for (int i = HD_STALL_COUNT; i >= 0; i--) {
		uint64_t value = i == HD_STALL_COUNT ? s->run_slots_used : s->stall[i];
		if (value)
			hd_page_row(out, hd_page_cause((unsigned)i), (double)value / (double)most, hd_page_colour((unsigned)i),
			            hd_grouped_digits(value, number), (double)value / (double)s->run_issue_slots,
			            i == HD_STALL_COUNT ? "something was issued" : hd_stalls[i].meaning);
	}
	hd_text_printf(out, "</div>");
}

void hd_page_legend(hd_text *out, const uint64_t sum[HD_STALL_COUNT + 1])
{
	hd_text_printf(out, "<p class=\"legend\">");
	for (int i = HD_STALL_COUNT; i >= 0; i--)
		if (sum[i])
			hd_text_printf(out, "<span><i style=\"background:%s\"></i>%s</span>", hd_page_colour((unsigned)i),
			               hd_page_cause((unsigned)i));
	hd_text_printf(out, "</p>\n");
}

void hd_page_energy(char *text, size_t size, uint64_t fj)
{
	const uint64_t millijoule = UINT64_C(1000000000000);
	if (fj < millijoule)
		snprintf(text, size, "%.3f &micro;J", (double)fj / 1e9);
	else
		snprintf(text, size, "%.3f mJ", (double)fj / 1e12);
}

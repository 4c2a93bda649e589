#include "report/html/page.h"

#include "report/profile.h"

const char *hd_page_colour(unsigned column) { return column < HD_STALL_COUNT ? hd_stalls[column].colour : "#4e79a7"; }
const char *hd_page_cause(unsigned column) { return column < HD_STALL_COUNT ? hd_stalls[column].label : "used"; }

static const char style[] =
    "body{font:15px/1.5 'Helvetica Neue',Arial,'DejaVu Sans',sans-serif;max-width:1160px;margin:1.5em auto 4em;padding:0 1.2em;color:#222}\n"
    "h1{font-size:1.7em;margin:.2em 0}h2{font-size:1.25em;margin:1.8em 0 .4em;border-bottom:2px solid #4e79a7;padding-bottom:.15em}"
    "h3{font-size:1.05em;margin:1.2em 0 .3em}p{margin:.3em 0 .7em;max-width:62em}.sub{color:#666}\n"
    "nav{font-size:13px;margin:.6em 0}nav a{margin-right:1.1em;color:#2b5c8a}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.6em,1fr));gap:.6em;margin:1em 0}.card{border:1px solid "
    "#ddd;border-radius:5px;padding:.45em "
    ".9em;min-width:0}"
    ".card b{display:block;font-size:1.35em;font-variant-numeric:tabular-nums}.card span{color:#666;font-size:12.5px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px}td,th{padding:.22em .75em;text-align:right;"
    "border-bottom:1px solid #e2e2e2;white-space:nowrap}td:first-child,th:first-child{text-align:left}th{font-weight:600;color:#444;"
    "border-bottom:1.5px solid #999}.first{font-weight:600}.bad{color:#b00;font-weight:bold}.good{color:#287233}.dim{color:#8a8a8a}"
    "small{color:#777;font-size:11.5px}.scroll{overflow-x:auto}\n"
    "svg{width:100%;height:auto;font:12.5px Arial,'DejaVu Sans',sans-serif;display:block}svg .axis{fill:#666;font-size:11.5px}"
    ".legend{max-width:none;font-size:12.5px;margin:.4em 0 .8em}.legend span{margin-right:1.1em;white-space:nowrap}.legend "
    "i{display:inline-block;width:11px;"
    "height:11px;margin-right:.35em;vertical-align:-1px}\n"
    "pre,code{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace}pre{font-size:11.5px;line-height:1.4;overflow-x:auto;background:#f7f7f7;"
    "padding:.8em}\n"
    ".code td{font-size:12px;padding:.08em .6em;border-bottom:1px solid #f0f0f0}.code .src td{background:#f3f6fa;border-top:1px solid #dbe4ee}"
    ".code td.text{text-align:left;white-space:pre-wrap;min-width:32em;font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:11.5px}"
    ".code td.why{text-align:left;color:#555;font-size:11.5px;white-space:normal;min-width:16em}.code td.heat{text-align:right}"
    ".bar{display:inline-block;height:9px;background:#4e79a7}.lost{background:#e15759}\n"
    "@page{margin:13mm}@media "
    "print{small{font-size:7px}.legend{font-size:8.5px}body{margin:0;padding:0;max-width:none;font-size:10.5px}nav{display:none}h2,h3{break-after:"
    "avoid}.card span{font-size:8.5px}"
    "section.keep,svg,.cards{break-inside:avoid}tr{break-inside:avoid}pre{font-size:7px;white-space:pre-wrap;background:none;padding:0}"
    "table{font-size:8.5px}td,th{padding:.12em .35em}.scroll{overflow:visible}.code td,.code td.text,.code td.why{font-size:7.5px}"
    ".code td.text,.code td.why{white-space:pre-wrap}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n";

void hd_page_escape(hd_text *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			hd_text_printf(out, "&#%d;", *text);
		else
			hd_text_put(out, text, 1);
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

/* Findings and doubts as text (SA-7). */
#include "sass/check.h"
#include "sass/pending.h"

bool hd_sass_line_of(const hd_sass_code *code, uint32_t at, const char **file, uint32_t *line)
{
	const hd_sass_function *f = code->function;
	uint64_t offset = (uint64_t)at * HD_SASS_BYTES;
	size_t low = 0, high = f->n_lines;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->lines[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*file = f->lines[low - 1].file;
	*line = f->lines[low - 1].line;
	return *line != 0;
}

void hd_sass_place_print(hd_text *text, const hd_sass_code *code, uint32_t at)
{
	const char *file;
	uint32_t line;
	hd_text_printf(text, "0x%04llx `", (unsigned long long)at * HD_SASS_BYTES);
	if (at < code->n)
		hd_sass_print(&code->at[at], text);
	while (text->n && (text->at[text->n - 1] == ' ' || text->at[text->n - 1] == ';'))
		text->at[--text->n] = 0;
	hd_text_printf(text, "`");
	if (hd_sass_line_of(code, at, &file, &line))
		hd_text_printf(text, " (%s:%u)", file, line);
}

void hd_sass_registers_print(hd_text *text, unsigned file, unsigned first, unsigned count)
{
	static const char *const letters[HD_SASS_FILES] = {"R", "UR", "P", "UP", "B"};
	hd_text_printf(text, "%s%u", letters[file], first);
	if (count > 1)
		hd_text_printf(text, "..%s%u", letters[file], first + count - 1);
}

static void print_counters(hd_text *text, unsigned counters)
{
	const char *between = "";
	for (uint64_t rest = counters; rest; rest &= rest - 1) {
		hd_text_printf(text, "%sSB%u", between, hd_lowest_bit(rest));
		between = " or ";
	}
}

static void print_lack(hd_text *text, const hd_sass_finding *f)
{
	switch (f->lack) {
	case HD_SASS_LACK_CYCLES:
		hd_text_printf(text, "%u of %u cycles between the two are missing [%s]", f->missing, f->needed, hd_sass_latency_source(f->source));
		break;
	case HD_SASS_LACK_COUNTER:
		hd_text_printf(text, "the first has no fixed time and raises no %s",
		               f->hazard == HD_SASS_WAR ? "read or write barrier" : "write barrier");
		break;
	case HD_SASS_LACK_WAIT:
		hd_text_printf(text, "nothing on the way waits for ");
		print_counters(text, f->counters);
		break;
	case HD_SASS_LACK_STALL:
		hd_text_printf(text, "the wait for ");
		print_counters(text, f->counters);
		hd_text_printf(text, " issues in the cycle of the raise and does not see it: the first needs a stall of 2");
		break;
	case HD_SASS_LACK_ASSUMPTION:
		hd_text_printf(text, "it is covered only under ");
		hd_sass_assumed_print(text, f->under);
		hd_text_printf(text, ", which is not allowed");
		break;
	}
}

void hd_sass_finding_print(hd_text *text, const hd_sass_code *code, const hd_sass_finding *f)
{
	static const char *const hazards[HD_SASS_HAZARDS] = {"RAW", "WAW", "WAR"};
	static const char *const verbs[HD_SASS_HAZARDS][2] = {{"writes", "reads"}, {"writes", "writes"}, {"reads", "writes"}};
	hd_text_printf(text, "  %s on ", hazards[f->hazard]);
	hd_sass_registers_print(text, f->file, f->first, f->count);
	hd_text_printf(text, " is not covered: ");
	print_lack(text, f);
	hd_text_printf(text, "\n    %s: ", verbs[f->hazard][0]);
	hd_sass_place_print(text, code, f->producer);
	hd_text_printf(text, "\n    %s: ", verbs[f->hazard][1]);
	hd_sass_place_print(text, code, f->consumer);
	hd_text_printf(text, "\n    path:");
	for (size_t i = 0; i < f->path.n; i++)
		hd_text_printf(text, "%s0x%04llx", i ? " -> " : " ", (unsigned long long)f->path.at[i] * HD_SASS_BYTES);
	hd_text_printf(text, "\n");
}

const char *hd_sass_doubt_name(hd_sass_doubt_kind kind)
{
	static const char *const names[HD_SASS_DOUBTS] = {
	    [HD_SASS_DOUBT_INSTRUCTION] = "instruction",
	    [HD_SASS_DOUBT_BRANCH] = "branch",
	    [HD_SASS_DOUBT_TARGET] = "target",
	    [HD_SASS_DOUBT_RETURN] = "return",
	    [HD_SASS_DOUBT_END] = "end",
	    [HD_SASS_DOUBT_TABLE] = "latency",
	    [HD_SASS_DOUBT_WORK] = "work",
	    [HD_SASS_DOUBT_CALL] = "call",
	    [HD_SASS_DOUBT_EMPTY] = "empty",
	};
	return names[kind];
}

void hd_sass_doubt_print(hd_text *text, const hd_sass_code *code, const hd_sass_doubt *d)
{
	static const char *const texts[HD_SASS_DOUBTS] = {
	    [HD_SASS_DOUBT_INSTRUCTION] = "the table does not know this instruction",
	    [HD_SASS_DOUBT_BRANCH] = "the file lists no targets of this indirect branch",
	    [HD_SASS_DOUBT_TARGET] = "this goes to a place that is no instruction of the function",
	    [HD_SASS_DOUBT_RETURN] = "this returns from a kernel, but nothing calls it",
	    [HD_SASS_DOUBT_END] = "control runs behind the last instruction",
	    [HD_SASS_DOUBT_TABLE] = "no distance between these two is published for this architecture",
	    [HD_SASS_DOUBT_WORK] = "the analysis gave up, because it takes too many steps",
	    [HD_SASS_DOUBT_CALL] = "this calls or returns to code that is not here, and A9 is not allowed",
	    [HD_SASS_DOUBT_EMPTY] = "the function has no instruction",
	};
	hd_text_printf(text, "  unknown: %s", texts[d->kind]);
	if (code->n) {
		hd_text_printf(text, ": ");
		hd_sass_place_print(text, code, d->at);
	}
	if (d->other != d->at) {
		hd_text_printf(text, ", then ");
		hd_sass_place_print(text, code, d->other);
	}
	hd_text_printf(text, "\n");
}

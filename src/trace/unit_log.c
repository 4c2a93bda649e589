#include "trace/unit_log.h"

#include "launch/stall.h"

struct hd_unit_log {
	hd_unit_watch watch; /* first */
	HD_VEC(uint8_t) bytes;
	size_t limit;
	int64_t *before; /* the cells of the last cycle of the log; NULL: there is none */
	hd_units shape;  /* sizes, counts and first cells; its cells are not used */
	uint64_t from, to, cycles, hidden;
	bool cut;
};

static void put_number(hd_unit_log *log, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		hd_vec_push(&log->bytes, (uint8_t)(number | 0x80));
	hd_vec_push(&log->bytes, (uint8_t)number);
}

static uint64_t zigzag(int64_t grown) { return grown < 0 ? ~((uint64_t)grown << 1) : (uint64_t)grown << 1; }

static uint32_t changed(const hd_unit_log *log, const hd_units *units)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < units->n; i++)
		n += units->cells[i] != log->before[i];
	return n;
}

static void add_cycle(hd_unit_watch *watch, const hd_units *units)
{
	hd_unit_log *log = (hd_unit_log *)watch;
	size_t begin = log->bytes.n;
	uint32_t at = UINT32_MAX;
	if (log->cut)
		return;
	if (!log->before) {
		log->before = hd_xcalloc(units->n, sizeof *log->before);
		log->shape = *units;
		log->shape.cells = NULL;
		log->from = log->to = units->cycle;
	}
	put_number(log, units->cycle - log->to);
	put_number(log, changed(log, units));
	for (uint32_t i = 0; i < units->n; i++) {
		if (units->cells[i] == log->before[i])
			continue;
		put_number(log, i - at);
		put_number(log, zigzag(units->cells[i] - log->before[i]));
		at = i;
	}
	if (log->bytes.n > log->limit) { /* the cycle has no room */
		log->bytes.n = begin;
		log->cut = true;
		log->watch.last = log->to; /* the machine need not look any more */
		return;
	}
	memcpy(log->before, units->cells, units->n * sizeof *log->before);
	log->to = units->cycle;
	log->cycles++;
	log->hidden += units->hidden;
}

hd_unit_log *hd_unit_log_new(uint32_t core, uint64_t first, uint64_t last, size_t bytes)
{
	hd_unit_log *log = hd_xcalloc(1, sizeof *log);
	log->watch = (hd_unit_watch){.core = core, .first = first, .last = last, .cycle = add_cycle};
	log->limit = bytes;
	return log;
}

void hd_unit_log_free(hd_unit_log *log)
{
	if (!log)
		return;
	hd_vec_free(&log->bytes);
	free(log->before);
	free(log);
}

hd_unit_watch *hd_unit_log_watch(hd_unit_log *log) { return &log->watch; }

uint64_t hd_unit_log_cycles(const hd_unit_log *log, uint64_t *first, uint64_t *last)
{
	*first = log->from;
	*last = log->to;
	return log->cycles;
}

/* -- as JSON ------------------------------------------------------------------------------------------------------------------------------- */

static void put_base64(hd_text *out, const uint8_t *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < n; i += 3) {
		uint32_t left = n - i < 3 ? (uint32_t)(n - i) : 3;
		uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
		char four[4] = {digits[word >> 18], digits[word >> 12 & 63], left > 1 ? digits[word >> 6 & 63] : '=',
		                left > 2 ? digits[word & 63] : '='};
		hd_text_put(out, four, sizeof four);
	}
}

/* The texts of units.def and stall.def have no character that JSON escapes, but some that HTML does. */
static void put_string(hd_text *out, const char *text)
{
	hd_text_printf(out, "\"");
	for (; *text; text++)
		if (*text == '"' || *text == '\\' || *text == '<' || *text == '&')
			hd_text_printf(out, "\\u%04x", (unsigned)*text);
		else
			hd_text_put(out, text, 1);
	hd_text_printf(out, "\"");
}

static void put_list(hd_text *out, const char *key, const char *const *names, unsigned n)
{
	hd_text_printf(out, "\"%s\":[", key);
	for (unsigned i = 0; i < n; i++) {
		hd_text_printf(out, "%s", i ? "," : "");
		put_string(out, names[i]);
	}
	hd_text_printf(out, "],");
}

static void put_group(hd_text *out, const hd_unit_group_info *group, uint32_t at, uint32_t count)
{
	hd_text_printf(out, "{\"name\":\"%s\",\"text\":", group->name);
	put_string(out, group->text);
	hd_text_printf(out, ",\"at\":%u,\"count\":%u,\"cells\":%u,\"fields\":[", at, count, group->cells);
	for (uint32_t i = 0; i < group->n_fields; i++) {
		const hd_unit_field *field = &group->fields[i];
		hd_text_printf(out, "%s[\"%s\",%u,%u,", i ? "," : "", field->name, field->at, field->count);
		put_string(out, field->text);
		hd_text_printf(out, "]");
	}
	hd_text_printf(out, "]}");
}

static void put_stalls(hd_text *out)
{
	hd_text_printf(out, "\"stalls\":[");
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		hd_text_printf(out, "%s{\"name\":\"%s\",\"label\":\"%s\",\"colour\":\"%s\",\"text\":", i ? "," : "", hd_stalls[i].name,
		               hd_stalls[i].label, hd_stalls[i].colour);
		put_string(out, hd_stalls[i].meaning);
		hd_text_printf(out, "}");
	}
	hd_text_printf(out, "],");
}

void hd_unit_log_json(const hd_unit_log *log, const hd_machine *machine, hd_text *out)
{
	static const char *const places[] = {"path C-B", "path C-A", "last-result register", "compensation register", "register file"};
	static const char *const outcomes[] = {"issued",
	                                       "sent back by the decoder",
	                                       "a constant is absent",
	                                       "a register is not ready",
	                                       "the second of a strict pair cannot issue",
	                                       "its branch is not decided",
	                                       "nothing in the window can be sent",
	                                       "the run stopped"};
	static const char *const counts[] = {[HD_UNIT_GROUP] = "lane groups", [HD_UNIT_INSTRUCTION] = "instructions", [HD_UNIT_LANE] = "lanes"};
	const hd_unit_sizes *sizes = &log->shape.sizes;
	hd_text_printf(out, "{\"core\":%u,\"first\":%llu,\"last\":%llu,\"cycles\":%llu,\"complete\":%s,\"hidden\":%llu,", log->watch.core,
	               (unsigned long long)log->from, (unsigned long long)log->to, (unsigned long long)log->cycles, log->cut ? "false" : "true",
	               (unsigned long long)log->hidden);
	hd_text_printf(out, "\"counters\":%u,\"counter_limit\":%u,\"counter_unit\":\"%s\",\"width\":%u,\"window\":%u,\"lanes\":%u,",
	               machine->fence_counters, (1u << machine->fence_bits) - 1, counts[machine->fence_unit], machine->predecode_issue_width,
	               machine->multi_issue_window, machine->machine_lanes);
	hd_text_printf(out, "\"sizes\":{\"schedulers\":%u,\"banks\":%u,\"entries\":%u,\"hazards\":%u,\"buffers\":%u,\"replays\":%u,\"cells\":%u},",
	               sizes->schedulers, sizes->banks, sizes->entries, sizes->hazards, sizes->buffers, sizes->replays, log->shape.n);
	put_list(out, "pipes", hd_pipe_names, HD_PIPE_COUNT);
	put_list(out, "places", places, HD_COUNT(places));
	put_list(out, "outcomes", outcomes, HD_COUNT(outcomes));
	put_stalls(out);
	hd_text_printf(out, "\"groups\":[");
	for (unsigned i = 0; i < HD_UNITS_COUNT; i++) {
		hd_text_printf(out, "%s", i ? "," : "");
		put_group(out, &hd_unit_groups[i], log->shape.first[i], log->shape.count[i]);
	}
	hd_text_printf(out, "],\"data\":\"");
	put_base64(out, log->bytes.at, log->bytes.n);
	hd_text_printf(out, "\"}");
}

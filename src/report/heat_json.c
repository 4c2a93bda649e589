#include "report/heat_json.h"

#include "report/json_string.h"

json_t *hd_heat_counts_json(const hd_profile_row *row, uint64_t slots, uint64_t cycles)
{
	json_t *lost = json_object();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		if (row->lost[i])
			hd_json_set(lost, hd_stalls[i].name, json_integer((json_int_t)row->lost[i]));
	return json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "cycles",
	                 hd_profile_share(hd_profile_slots(row), slots, cycles), "stall_cycles",
	                 hd_profile_share(hd_profile_lost(row), slots, cycles), "slots", (json_int_t)hd_profile_slots(row), "slots_used",
	                 (json_int_t)row->slots, "issued", (json_int_t)row->issued, "dropped", (json_int_t)row->dropped, "lanes",
	                 (json_int_t)row->lanes, "sectors", (json_int_t)row->sectors, "descheduled", (json_int_t)row->descheduled, "queue_cycles",
	                 (json_int_t)row->queue_cycles, "pipe_cycles", (json_int_t)row->pipe_cycles, "lost", lost);
}

static json_t *counts(const hd_heat *heat, const hd_profile_row *row) { return hd_heat_counts_json(row, heat->slots, heat->cycles); }

static json_t *line(const hd_heat *heat, const hd_heat_line *l)
{
	json_t *object = json_pack("{s:o, s:I, s:o}", "file", hd_json_string(l->file), "line", (json_int_t)l->line, "text",
	                           l->text ? hd_json_string(l->text) : json_null());
	hd_json_set(object, "counts", counts(heat, &l->sum));
	return object;
}

static json_t *instruction(const hd_heat *heat, uint32_t word)
{
	const hd_profile_row *row = &heat->profile->rows[word];
	hd_text text = {0};
	const char *file;
	uint32_t number, column;
	hd_inst_print(&text, &heat->program->slots[word].inst);
	json_t *object = json_pack("{s:I, s:o}", "word", (json_int_t)word, "text", hd_json_string(text.at)), *waits = json_array();
	hd_text_free(&text);
	bool known = hd_object_line(heat->program->object, word, &file, &number, &column);
	hd_json_set(object, "file", known ? hd_json_string(file) : json_null());
	hd_json_set(object, "line", known ? json_integer(number) : json_null());
	hd_json_set(object, "counts", counts(heat, row));
	for (size_t i = 0; i < row->waits.n; i++) {
		const hd_profile_wait *w = &row->waits.at[i];
		hd_json_append(waits, json_pack("{s:I, s:I, s:I}", "counter", (json_int_t)w->counter, "raiser", (json_int_t)w->raiser, "slots",
		                                (json_int_t)w->slots));
	}
	hd_json_set(object, "waits", waits);
	return object;
}

json_t *hd_heat_json(const hd_heat *heat)
{
	json_t *lines = json_array(), *instructions = json_array();
	for (size_t i = 0; i < heat->lines.n; i++)
		hd_json_append(lines, line(heat, &heat->lines.at[i]));
	for (uint32_t word = 0; word < heat->program->n_slots; word++)
		if (!heat->program->slots[word].is_ss)
			hd_json_append(instructions, instruction(heat, word));
	return json_pack("{s:o, s:o, s:o, s:o}", "lines", lines, "instructions", instructions, "no_line", counts(heat, &heat->no_line),
	                 "no_instruction", counts(heat, &heat->no_instruction));
}

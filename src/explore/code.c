#include "explore/code.h"

#include "report/json_string.h"

typedef struct code {
	const hd_profile *profile;
	json_t *files;
	json_t *lines; /* of the last file */
} code;

static void begin_file(void *context, const char *path)
{
	code *c = context;
	if (!path)
		return;
	json_t *file = json_object();
	c->lines = json_array();
	hd_json_set(file, "name", hd_json_string(path));
	hd_json_set(file, "lines", c->lines);
	hd_json_append(c->files, file);
}

static void source_line(void *context, uint32_t number, const char *text, size_t length, const hd_profile_row *sum)
{
	code *c = context;
	char *line = hd_xmalloc(length + 1);
	memcpy(line, text, length);
	line[length] = '\0';
	hd_json_append(c->lines, hd_json_string(line));
	free(line);
	(void)number, (void)sum;
}

static void instruction_of_line(void *context, uint32_t pc, const hd_profile_row *row) { (void)context, (void)pc, (void)row; }
static void no_instruction(void *context, const hd_profile_row *row) { (void)context, (void)row; }

static void set_number(json_t *object, const char *key, uint64_t value)
{
	if (value)
		hd_json_set(object, key, json_integer((json_int_t)value));
}

static void set_text(json_t *object, const char *key, hd_text *text)
{
	if (text->n)
		hd_json_set(object, key, hd_json_string(text->at));
	hd_text_free(text);
	*text = (hd_text){0};
}

static void counts(json_t *to, const hd_profile_row *row)
{
	json_t *lost = json_object();
	set_number(to, "issued", row->issued);
	set_number(to, "slots", row->slots);
	set_number(to, "dropped", row->dropped);
	set_number(to, "lanes", row->lanes);
	set_number(to, "queued", row->queue_cycles);
	set_number(to, "piped", row->pipe_cycles);
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		set_number(lost, hd_stalls[i].name, row->lost[i]);
	hd_json_set(to, "lost", lost);
}

static json_t *instruction(const hd_profile *p, uint32_t pc)
{
	const hd_program *program = p->program;
	const hd_slot *slot = &program->slots[pc];
	const hd_function *function = hd_object_function(program->object, pc);
	const char *file;
	uint32_t line, column;
	hd_text text = {0};
	json_t *to = json_object();
	hd_json_set(to, "pc", json_integer(pc));
	hd_inst_print(&text, &slot->inst);
	set_text(to, "text", &text);
	if (program->object->code.n > pc)
		hd_annotation_print(program->object, pc, &slot->inst, &text);
	set_text(to, "note", &text);
	hd_json_set(to, "pipe", hd_json_string(hd_pipe_names[slot->pipe]));
	if (function)
		hd_json_set(to, "function", hd_json_string(function->name));
	if (hd_object_line(program->object, pc, &file, &line, &column)) {
		hd_json_set(to, "file", hd_json_string(file));
		set_number(to, "line", line);
	}
	set_number(to, "raises", slot->inst.primary);
	set_number(to, "byRead", slot->inst.primary ? slot->inst.release : 0);
	set_number(to, "waits", slot->inst.wait);
	set_number(to, "lastUse", slot->inst.last_use);
	counts(to, &p->rows[pc]);
	return to;
}

void hd_explore_code(const hd_profile *profile, const hd_input *input, hd_text *out)
{
	code c = {.profile = profile, .files = json_array()};
	json_t *root = json_object(), *instructions = json_array();
	hd_profile_list(profile, input, &(hd_listing){&c, begin_file, source_line, instruction_of_line, no_instruction});
	for (uint32_t pc = 0; pc < profile->program->n_slots; pc++)
		if (!profile->program->slots[pc].is_ss)
			hd_json_append(instructions, instruction(profile, pc));
	hd_json_set(root, "files", c.files);
	hd_json_set(root, "instructions", instructions);
	hd_json_dump(root, JSON_COMPACT, out);
	json_decref(root);
}

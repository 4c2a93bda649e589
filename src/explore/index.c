#include "explore/index.h"

#include "report/json_string.h"

static json_t *number(uint64_t value) { return json_integer((json_int_t)hd_min_u64(value, INT64_MAX)); }

static json_t *machine_of(const hd_machine *m)
{
	hd_text text = {0};
	json_t *to = json_object();
	hd_machine_print(m, &text);
	hd_json_set(to, "name", hd_json_string(m->name));
	hd_json_set(to, "cores", number(hd_machine_cores(m)));
	hd_json_set(to, "schedulers", number(m->machine_schedulers));
	hd_json_set(to, "slots", number(m->machine_warps));
	hd_json_set(to, "counters", number(m->fence_counters));
	hd_json_set(to, "yaml", hd_json_string(text.at));
	hd_text_free(&text);
	return to;
}

static json_t *causes(const hd_explore_index *x)
{
	json_t *to = json_array();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		json_t *cause = json_object();
		hd_json_set(cause, "name", hd_json_string(hd_stalls[i].name));
		hd_json_set(cause, "label", hd_json_string(hd_stalls[i].label));
		hd_json_set(cause, "colour", hd_json_string(hd_stalls[i].colour));
		hd_json_set(cause, "safe", hd_json_string(hd_stalls[i].safe));
		hd_json_set(cause, "meaning", hd_json_string(hd_stalls[i].meaning));
		hd_json_set(cause, "lost", number(x->lost[i]));
		hd_json_append(to, cause);
	}
	return to;
}

static json_t *kernels(const hd_explore_index *x)
{
	json_t *to = json_array();
	for (size_t i = 0; i < x->program->object->kernels.n; i++)
		if (x->begun[i])
			hd_json_append(to, hd_json_string(hd_kernel_name(&x->program->object->kernels.at[i])));
	return to;
}

/* The numbers of the rows that are there. */
static json_t *used(hd_level_cell *const *rows, size_t n)
{
	json_t *to = json_array();
	for (size_t i = 0; i < n; i++)
		if (rows[i])
			hd_json_append(to, number(i));
	return to;
}

static json_t *blocks_of(const hd_blocks *blocks)
{
	json_t *to = json_array();
	for (size_t i = 0; i < blocks->rows.n; i++) {
		const hd_block_row *row = &blocks->rows.at[i];
		json_t *at = json_array();
		hd_json_append(at, hd_json_string(hd_block_names[row->kind]));
		hd_json_append(at, number(row->first));
		hd_json_append(at, number(row->last));
		hd_json_append(at, number(row->count));
		hd_json_append(to, at);
	}
	return to;
}

void hd_explore_write_index(const hd_explore_index *x, hd_text *out)
{
	size_t schedulers = (size_t)x->levels->cores * x->levels->schedulers;
	json_t *root = json_object();
	hd_json_set(root, "version", number(1));
	hd_json_set(root, "kernels", kernels(x));
	hd_json_set(root, "machine", machine_of(x->machine));
	hd_json_set(root, "cycles", number(x->cycles));
	hd_json_set(root, "instructions", number(x->instructions));
	hd_json_set(root, "executed", number(x->executed));
	hd_json_set(root, "message", hd_json_string(x->message ? x->message : ""));
	hd_json_set(root, "used", number(x->used));
	hd_json_set(root, "causes", causes(x));
	hd_json_set(root, "first", number(x->first));
	hd_json_set(root, "last", number(hd_min_u64(x->last, x->cycles)));
	hd_json_set(root, "cut", x->cut ? json_true() : json_false());
	hd_json_set(root, "schedulers", used(x->levels->schedulers_at, schedulers));
	hd_json_set(root, "slots", used(x->levels->slots_at, schedulers * x->levels->slots));
	hd_json_set(root, "blocks", blocks_of(x->blocks));
	hd_json_dump(root, JSON_COMPACT, out);
	json_decref(root);
}

/* Annotates machine code (HZ-33): lifts it, runs the annotation passes on it, puts back the marks that were made by hand, and emits it. */
#include "passes/annotate/annotate.h"
#include "passes/emit/emit.h"
#include "passes/lift/lift.h"
#include "passes/passes.h"

#include "config/record.h"

typedef struct annotator {
	const hd_object *object; /* as it came in */
	hd_machine machine;
	bool strip;
	const char *file;
	hd_diag *diag;
	hd_lifted lifted;
	hd_inst *marks; /* by word, without `strip`: the instruction with the marks that were made by hand */
} annotator;

static void refuse(const annotator *a, uint32_t word, const char *why)
{
	hd_text text = {0};
	hd_inst_print(&text, &a->marks[word]);
	hd_error(a->diag, (hd_pos){.file = a->file}, "word %u, `%s`: %s", word, text.at, why);
	hd_text_free(&text);
}

/* Marks name counters of the sets that the object states, or of those of the machine where it states none. */
static bool choose_counters(annotator *a)
{
	uint32_t used = 0;
	for (uint32_t word = 0; word < a->object->code.n && !a->strip; word++)
		used |= a->marks[word].wait | (a->marks[word].primary ? 1u << (a->marks[word].primary - 1) : 0);
	if (!used)
		return true;
	if (used >> a->machine.fence_counters) {
		hd_error(a->diag, (hd_pos){.file = a->file}, "marks name more than the %u fence counters of machine %s", a->machine.fence_counters,
		         a->machine.name);
		return false;
	}
	a->machine = hd_machine_split(&a->machine, a->object->counters, a->object->split);
	a->machine.fence_split = HD_SPLIT_FIXED;
	return true;
}

static void read_marks(annotator *a)
{
	const hd_object *o = a->object;
	a->marks = hd_xcalloc(o->code.n + 1, sizeof *a->marks);
	for (uint32_t word = 0; word < o->code.n; word++) {
		const char *why;
		if (hd_object_begins(o, word))
			hd_line_get(o->geometry, o->code.at, word, &a->marks[word], &why);
	}
}

/* A mark `pass` and a counter share a bit of the word, so the mark stands aside while counters are assigned. */
static void put_pass_marks_aside(const annotator *a)
{
	for (uint32_t word = 0; word < a->object->code.n; word++)
		if (a->lifted.at[word] && !a->lifted.at[word]->primary)
			a->lifted.at[word]->release = 0;
}

/* The hint of the object's carrier that was made by hand. False: there is none. */
static bool hint_by_hand(const annotator *a, uint32_t word, unsigned *hint, unsigned *number)
{
	unsigned hint3 = a->marks[word].hint3;
	bool in_word = a->machine.predecode_carrier == HD_CARRIER_INSTRUCTION, by_table = hd_machine_has_hint_table(&a->machine);
	unsigned byte = by_table ? hd_object_hint3(a->object, hint3) : hd_object_hint(a->object, word);
	*hint = in_word && !by_table ? HD_HINT_DELAY : byte >> 4 & 15;
	*number = in_word && !by_table ? hint3 : byte & 15;
	if (*hint >= HD_HINT_DELAY_ALU)
		*hint = HD_HINT_DELAY; /* emission names the type */
	return in_word ? hint3 != 0 : byte != 0;
}

/* True when the number of the hint is the distance to the next instruction (docs/timing.md, "Hints"). */
static bool is_distance(unsigned hint)
{
	return hint == HD_HINT_DELAY || (hint >= HD_HINT_HOLD && hint <= HD_HINT_HOLD_REPLAY_MEM) || hint == HD_HINT_MAY_REPLAY;
}

/* Puts back a hint that was made by hand. Its cycles grow where a dependence needs more of them. It gives way to a wait, and to a distance that its
 * kind cannot state. */
static void keep_hint(const annotator *a, uint32_t word, hd_ir_inst *inst)
{
	unsigned hint, number, needed = is_distance(inst->hint) ? inst->delay : 1;
	unsigned second = hd_object_hint(a->object, word) >> 8;
	if (second && a->machine.predecode_geometry == HD_GEOMETRY_COMBINED && inst->second >> 4 != HD_HINT_WAIT)
		inst->second = (uint8_t)second;
	if (!hint_by_hand(a, word, &hint, &number) || inst->hint == HD_HINT_WAIT || (!is_distance(hint) && needed > 1))
		return;
	inst->hint = (uint8_t)hint;
	bool consecutive = hint == HD_HINT_DELAY && !number && needed <= 1 && hd_machine_consecutive(&a->machine); /* PD-30 */
	inst->delay = (uint8_t)(is_distance(hint) && !consecutive ? hd_max_u32(number, needed) : number);
}

/* Puts back the marks that the passes have replaced. */
static bool keep_marks(const annotator *a, uint32_t word)
{
	hd_ir_inst *inst = a->lifted.at[word];
	const hd_inst *mark = &a->marks[word];
	keep_hint(a, word, inst);
	for (unsigned i = 0; i < inst->ns && i < hd_ops[inst->op].sources; i++)
		inst->s[i].last_use |= inst->s[i].kind == HD_OPD_REG && (mark->last_use >> i & 1);
	if (mark->primary && mark->release && !inst->release) {
		refuse(a, word,
		       "the release by its reads (.r) is too early, because another instruction needs its result, or comes second in an order; "
		       "expected .w");
		return false;
	}
	if (hd_passes_by(mark) && inst->primary) {
		refuse(a, word, "the mark `pass` is impossible, because the instruction needs a fence counter");
		return false;
	}
	inst->release |= hd_passes_by(mark);
	return true;
}

/* The word of the instruction that was at `word`, or of the next one that was kept. */
static uint32_t new_word(const annotator *a, uint32_t word)
{
	while (!a->lifted.at[word])
		word++;
	return a->lifted.at[word]->word;
}

/* Registers and data may hold addresses of listed targets as numbers. */
static bool targets_stay(const annotator *a)
{
	for (size_t i = 0; i < a->object->targets.n; i++) {
		uint32_t word = a->object->targets.at[i], now = new_word(a, word);
		if (now == word)
			continue;
		hd_error(a->diag, (hd_pos){.file = a->file},
		         "the target of indirect jumps at word %u moves to %u, and the program may hold its address as a number; "
		         "no-ops ahead of annotated code leave room",
		         word, now);
		return false;
	}
	return true;
}

static void finish(const annotator *a, hd_object *out)
{
	const hd_object *o = a->object;
	for (size_t i = 0; i < o->kernels.n; i++) {
		hd_kernel kernel = hd_kernel_copy(&o->kernels.at[i]);
		const hd_function *f = hd_object_function(o, kernel.entry);
		if (f && !kernel.priority && !kernel.priority_step) {
			kernel.priority = a->lifted.module->functions.at[f - o->functions.at]->info.priority;
			kernel.priority_step = a->lifted.module->functions.at[f - o->functions.at]->info.priority_step;
		}
		kernel.entry = new_word(a, kernel.entry);
		hd_vec_push(&out->kernels, kernel);
	}
	out->targets.n = 0;
	for (size_t i = 0; i < o->targets.n; i++)
		hd_vec_push(&out->targets, o->targets.at[i]);
	for (size_t i = 0; i < o->orders.n; i++)
		hd_vec_push(&out->orders, (hd_ordered){new_word(a, o->orders.at[i].first), new_word(a, o->orders.at[i].second)});
}

static hd_object *annotate(annotator *a, const hd_machine *configured)
{
	hd_pass_context context = {.machine = &a->machine, .diag = a->diag};
	hd_ir_module *module = a->lifted.module;
	put_pass_marks_aside(a);
	for (size_t i = 0; i < module->functions.n; i++) {
		const hd_kernel *kernel = NULL;
		for (size_t k = 0; k < a->object->kernels.n && !kernel; k++)
			if (hd_object_function(a->object, a->object->kernels.at[k].entry) == &a->object->functions.at[i])
				kernel = &a->object->kernels.at[k];
		if (!kernel)
			continue;
		hd_kernel *info = &module->functions.at[i]->info;
		info->max_threads = kernel->max_threads;
		memcpy(info->required_block, kernel->required_block, sizeof info->required_block);
		info->priority = kernel->priority;
		info->priority_step = kernel->priority_step;
	}
	if (!hd_pass_annotate(module, &context))
		return NULL;
	for (uint32_t word = 0; word < a->object->code.n && !a->strip; word++)
		if (a->lifted.at[word] && !keep_marks(a, word))
			return NULL;
	for (size_t i = 0; i < module->functions.n; i++)
		module->functions.at[i]->kernel = false; /* `finish` makes the kernels */
	hd_object *out = hd_emit_object(module, &a->machine, a->diag);
	if (!out)
		return NULL;
	if (!targets_stay(a)) {
		hd_object_free(out);
		return NULL;
	}
	if (!out->split)
		out->split = a->object->split && !a->strip ? a->object->split : 0;
	finish(a, out);
	hd_text record = {0};
	hd_machine_record(configured, &record);
	out->machine = record.at;
	return out;
}

hd_object *hd_annotate_object(const hd_object *object, const hd_machine *machine, bool strip, const char *file, hd_diag *diag)
{
	annotator a = {.object = object, .machine = *machine, .strip = strip, .file = file, .diag = diag};
	hd_object *out = NULL;
	if (hd_machine_has_scoreboard(machine) && object->orders.n) {
		hd_error(diag, (hd_pos){.file = file}, "machine %s has a scoreboard, which knows no .order; expected a machine with fence counters",
		         machine->name);
		return NULL;
	}
	read_marks(&a);
	if (choose_counters(&a)) {
		if (hd_lift(object, &a.machine, strip, file, &a.lifted, diag))
			out = annotate(&a, machine);
		hd_lifted_free(&a.lifted);
	}
	free(a.marks);
	return out;
}

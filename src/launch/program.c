#include "launch/first_bars.h"

static bool has_imm16(const hd_inst *inst) { return inst->ksel == 3 && hd_op_takes_imm16((hd_op)inst->op); }

static void fill_slot(hd_slot *slot)
{
	const hd_inst *inst = &slot->inst;
	const hd_op_info *row = &hd_ops[inst->op];
	slot->fn = hd_sem_find(inst);
	slot->pipe = row->pipe;
	slot->klass = row->klass;
	slot->format = row->format;
	for (unsigned i = 0; i < 3; i++)
		slot->words[i] = (uint8_t)hd_operand_words(inst, i);
	slot->registers = hd_slot_registers(slot, has_imm16(inst));
	slot->others = hd_slot_others(inst);
	slot->dwords = inst->d == HD_RZ && row->d != HD_W_P ? 0 : (uint8_t)hd_operand_words(inst, 4);
	if (row->flags & HD_OPF_MEM)
		slot->access = hd_access_op_of(inst);
	slot->dpred = row->d == HD_W_P ? inst->d : row->format == HD_F_CARRY ? inst->sub >> 3 & 7 : HD_PT;
}

static void load_data(hd_program *program, hd_memory *memory, hd_diag *diag)
{
	const hd_object *object = program->object;
	if (object->data.n == 0)
		return;
	if (!program->data_base)
		program->data_base = hd_memory_alloc(memory, object->data.n, "the module's variables");
	if (program->data_base == 0) {
		hd_error(diag, (hd_pos){0}, "no room in device memory for the module's %zu bytes of variables", object->data.n);
		return;
	}
	uint8_t *bytes = hd_memory_at(memory, program->data_base, object->data.n);
	memcpy(bytes, object->data.at, object->data.n);
	for (size_t i = 0; i < object->relocs.n; i++) {
		uint64_t value = program->data_base + (uint64_t)object->relocs.at[i].addend;
		hd_store_lane(bytes + object->relocs.at[i].offset, HD_SIZE_64, (uint32_t[4]){(uint32_t)value, (uint32_t)(value >> 32)});
	}
}

hd_program *hd_program_new(const hd_object *object, hd_memory *memory, hd_diag *diag) { return hd_program_new_at(object, memory, 0, diag); }

hd_program *hd_program_new_at(const hd_object *object, hd_memory *memory, uint64_t data_base, hd_diag *diag)
{
	if (!hd_object_validate(object, "kernel object", diag))
		return NULL;
	hd_program *program = hd_xcalloc(1, sizeof *program);
	program->object = object;
	program->data_base = data_base;
	program->n_slots = (uint32_t)object->code.n;
	program->slots = hd_xaligned(object->code.n * sizeof *program->slots);
	size_t vectors = 0;
	for (uint32_t word = 0; word < program->n_slots; word++) {
		hd_slot *slot = &program->slots[word];
		const char *why;
		slot->dpred = HD_PT;
		slot->pipe = HD_PIPE_NONE;
		if (!hd_object_begins(object, word)) {
			slot->is_ss = 1;
			continue;
		}
		hd_invariant(hd_line_get(object->geometry, object->code.at, word, &slot->inst, &why), "validated word 0x%x does not decode: %s", word,
		             why);
		slot->predecode = (uint16_t)hd_object_hint(object, word);
		slot->by_table = (uint8_t)hd_object_hint3(object, slot->inst.hint3);
		fill_slot(slot);
		program->launches = program->launches || hd_op_spawns(&hd_ops[slot->inst.op]);
		program->crosses = program->crosses || hd_ops[slot->inst.op].flags & HD_OPF_CROSS;
		program->prints = program->prints || (slot->inst.op == HD_OP_LDC && slot->inst.a == HD_RZ && slot->inst.imm == HD_BANK_PRINT);
		program->ranges = program->ranges || (slot->inst.op == HD_OP_LDC && slot->inst.a == HD_RZ && slot->inst.imm >= HD_BANK_RANGE &&
		                                      slot->inst.imm < HD_BANK_PRINT);
		if (has_imm16(&slot->inst))
			vectors += hd_operand_words(&slot->inst, 1);
	}
	program->immediates = hd_xaligned(vectors * sizeof *program->immediates);
	hd_vec32 *next = program->immediates;
	for (uint32_t word = 0; word < program->n_slots; word++) {
		hd_slot *slot = &program->slots[word];
		if (slot->is_ss || !has_imm16(&slot->inst))
			continue;
		uint64_t value = hd_imm16_value(&slot->inst);
		slot->imm = next;
		for (unsigned half = 0; half < slot->words[1]; half++, next++)
			for (unsigned lane = 0; lane < HD_LANES; lane++)
				next->v[lane] = (uint32_t)(value >> (32 * half));
	}
	program->first_bars = hd_first_bars_new(program);
	unsigned before = diag->errors;
	load_data(program, memory, diag);
	if (diag->errors == before)
		return program;
	hd_program_free(program);
	return NULL;
}

void hd_program_free(hd_program *program)
{
	if (!program)
		return;
	free(program->slots);
	free(program->immediates);
	free(program->first_bars);
	free(program);
}

void hd_program_print_place(const hd_program *program, uint32_t pc, hd_text *out)
{
	const char *file;
	uint32_t line, column;
	hd_text_printf(out, "word 0x%x", pc);
	if (hd_object_line(program->object, pc, &file, &line, &column))
		hd_text_printf(out, " (%s:%u)", file, line);
}

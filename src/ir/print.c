/* IR as text; docs/compiler.md has the grammar. parse.c reads it back. */
#include "ir/ir.h"

static const char *const cmp_names[HD_CMP_COUNT] = {
#define X(id, name) name,
    HD_CMPS(X)
#undef X
};
static const char *const sreg_names[HD_SREG_COUNT] = {
#define X(id, name) name,
    HD_SREGS(X)
#undef X
};
static const char *const space_names[] = {"none", "global", "shared", "const", "local"};

static void print_opd(const hd_opd *o, bool allocated, hd_text *out)
{
	const char *mark = allocated ? "" : "%";
	if (o->last_use)
		hd_text_printf(out, "^");
	switch ((hd_opd_kind)o->kind) {
	case HD_OPD_NONE:
		hd_text_printf(out, "_");
		return;
	case HD_OPD_REG:
		hd_text_printf(out, allocated ? "r%u" : "%%%u", o->reg);
		if (o->sub)
			hd_text_printf(out, ".%u", o->sub);
		break;
	case HD_OPD_PRED:
		hd_text_printf(out, "%s%sp%u", o->neg ? "!" : "", mark, o->reg);
		return;
	case HD_OPD_IMM:
		hd_text_printf(out, "0x%llx", (unsigned long long)o->imm);
		break;
	case HD_OPD_CONST:
		hd_text_printf(out, "c[0x%llx]", (unsigned long long)o->imm);
		break;
	case HD_OPD_FRAME:
		hd_text_printf(out, "frame[0x%llx]", (unsigned long long)o->imm);
		break;
	case HD_OPD_FUNC:
		hd_text_printf(out, "f%llu", (unsigned long long)o->imm);
		break;
	}
	if (o->words != 1)
		hd_text_printf(out, ":%u", o->words);
}

static void print_list(const hd_opd *at, size_t n, bool allocated, hd_text *out)
{
	for (size_t i = 0; i < n; i++) {
		hd_text_printf(out, i ? ", " : " ");
		print_opd(&at[i], allocated, out);
	}
}

static void print_field(hd_text *out, bool *any, const char *name, long value)
{
	if (value == 0)
		return;
	hd_text_printf(out, "%s%s=%ld", *any ? " " : "{", name, value);
	*any = true;
}

static void print_loc(const hd_ir_loc *loc, hd_text *out)
{
	if (loc->line || loc->file || loc->column)
		hd_text_printf(out, " @%u:%u:%u", loc->file, loc->line, loc->column);
}

void hd_ir_print_inst(const hd_ir_inst *inst, bool allocated, hd_text *out)
{
	const hd_op_info *row = hd_ir_info(inst->op);
	bool any = false;
	if (inst->guard.kind != HD_OPD_NONE) {
		hd_text_printf(out, "@");
		print_opd(&inst->guard, allocated, out);
		hd_text_printf(out, " ");
	}
	hd_text_printf(out, "%s", row->mnemonic);
	if (row->format == HD_F_SETP && inst->sub < HD_CMP_COUNT) {
		hd_text_printf(out, "{cmp=%s", cmp_names[inst->sub]);
		any = true;
	} else if (row->format == HD_F_SREG && inst->sub < HD_SREG_COUNT) {
		hd_text_printf(out, "{sreg=%s", sreg_names[inst->sub]);
		any = true;
	} else {
		print_field(out, &any, "sub", inst->sub);
	}
	print_field(out, &any, "mod", inst->mod);
	print_field(out, &any, "offset", inst->offset);
	print_field(out, &any, "to", inst->callee + 1L);
	print_field(out, &any, "primary", inst->primary);
	print_field(out, &any, "release", inst->release);
	print_field(out, &any, "wait", inst->wait);
	print_field(out, &any, "hint", inst->hint);
	print_field(out, &any, "delay", inst->delay);
	print_field(out, &any, "second", inst->second);
	print_field(out, &any, "lu", inst->last_use);
	if (any)
		hd_text_printf(out, "}");
	print_list(inst->d, inst->nd, allocated, out);
	if (inst->nd)
		hd_text_printf(out, " =");
	print_list(inst->s, inst->ns, allocated, out);
	print_loc(&inst->loc, out);
}

static void print_block(const hd_ir_block *block, uint32_t number, bool allocated, hd_text *out)
{
	static const char *const names[] = {"jump", "branch", "switch", "ret", "exit", "trap"};
	hd_text_printf(out, block->meets ? "b%u: meets\n" : "b%u:\n", number);
	for (size_t i = 0; i < block->insts.n; i++) {
		hd_text_printf(out, "\t");
		hd_ir_print_inst(block->insts.at[i], allocated, out);
		hd_text_printf(out, "\n");
	}
	hd_text_printf(out, "\t.%s", names[block->term]);
	if (block->term == HD_TERM_BRANCH)
		print_list(&block->pred, 1, allocated, out);
	if (block->term == HD_TERM_SWITCH)
		print_list(&block->index, 1, allocated, out);
	for (size_t i = 0; i < block->succ.n; i++)
		hd_text_printf(out, " b%u", block->succ.at[i]);
	print_loc(&block->loc, out);
	hd_text_printf(out, "\n");
}

/* Any byte but printable ASCII, quote and backslash becomes \xx. */
static void print_string(const char *text, hd_text *out)
{
	hd_text_printf(out, "\"");
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;
		if (byte < 32 || byte > 126 || byte == '"' || byte == '\\')
			hd_text_printf(out, "\\%02x", byte);
		else
			hd_text_put(out, text, 1);
	}
	hd_text_printf(out, "\"");
}

static void print_function(const hd_ir_function *function, hd_text *out)
{
	const hd_kernel *k = &function->info;
	hd_text_printf(out, "%s ", function->kernel ? ".kernel" : ".function");
	print_string(function->name, out);
	print_loc(&function->loc, out);
	hd_text_printf(out, "\n");
	if (function->address_taken)
		hd_text_printf(out, ".address_taken\n");
	if (function->allocated)
		hd_text_printf(out, ".allocated %u\n", function->registers);
	if (function->laid_out)
		hd_text_printf(out, ".laid_out\n");
	if (function->frame_bytes || function->frame_align > 1)
		hd_text_printf(out, ".frame %u %u\n", function->frame_bytes, function->frame_align);
	if (function->kernel) {
		if (k->source_name) {
			hd_text_printf(out, ".source_name ");
			print_string(k->source_name, out);
			hd_text_printf(out, "\n");
		}
		hd_text_printf(out, ".info %u %u %u %u %u %u\n", k->shared_bytes, k->param_bytes, k->max_threads, k->required_block[0],
		               k->required_block[1], k->required_block[2]);
		if (k->priority || k->priority_step)
			hd_text_printf(out, ".priority %u %d\n", k->priority, k->priority_step);
		for (size_t i = 0; i < k->params.n; i++) {
			const hd_param *p = &k->params.at[i];
			hd_text_printf(out, ".param ");
			print_string(p->name ? p->name : "", out);
			hd_text_printf(out, " %u %u %u %s %u", p->offset, p->size, p->align,
			               p->space < HD_COUNT(space_names) ? space_names[p->space] : "none", p->pointer | (unsigned)p->type << 1);
			if (p->source_type || p->element) {
				hd_text_printf(out, " ");
				print_string(p->source_type ? p->source_type : "", out);
				hd_text_printf(out, " %u", p->element);
			}
			hd_text_printf(out, "\n");
		}
	}
	if (function->vregs.n) {
		hd_text_printf(out, ".vregs");
		for (size_t i = 0; i < function->vregs.n; i++)
			hd_text_printf(out, "%s%u", i && i % 64 == 0 ? "\n.vregs " : " ", function->vregs.at[i].words);
		hd_text_printf(out, "\n");
	}
	if (function->params.n) {
		hd_text_printf(out, ".params");
		print_list(function->params.at, function->params.n, function->allocated, out);
		hd_text_printf(out, "\n");
	}
	if (function->results.n) {
		hd_text_printf(out, ".results");
		print_list(function->results.at, function->results.n, function->allocated, out);
		hd_text_printf(out, "\n");
	}
	for (size_t b = 0; b < function->blocks.n; b++)
		print_block(function->blocks.at[b], (uint32_t)b, function->allocated, out);
}

void hd_ir_print(const hd_ir_module *module, hd_text *out)
{
	for (size_t i = 0; i < module->files.n; i++) {
		hd_text_printf(out, ".file ");
		print_string(module->files.at[i], out);
		hd_text_printf(out, "\n");
	}
	for (size_t i = 0; i < module->data.n; i++)
		hd_text_printf(out, "%s%02x%s", i % 32 == 0 ? ".data " : "", module->data.at[i], i % 32 == 31 || i + 1 == module->data.n ? "\n" : "");
	for (size_t i = 0; i < module->relocs.n; i++)
		hd_text_printf(out, ".reloc %u %lld\n", module->relocs.at[i].offset, (long long)module->relocs.at[i].addend);
	for (size_t i = 0; i < module->code_refs.n; i++) {
		const hd_ir_code_ref *ref = &module->code_refs.at[i];
		hd_text_printf(out, ".code_ref %u f%u %u\n", ref->offset, ref->function, ref->bytes);
	}
	for (size_t i = 0; i < module->literals.n; i++)
		hd_text_printf(out, ".literal 0x%x\n", module->literals.at[i]);
	for (size_t f = 0; f < module->functions.n; f++)
		print_function(module->functions.at[f], out);
}

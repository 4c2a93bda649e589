#include "isa/names.h"

static void print_register(hd_text *t, unsigned reg, unsigned words, bool last)
{
	if (reg == HD_RZ)
		hd_text_printf(t, "rz");
	else if (words > 1)
		hd_text_printf(t, "r%u:r%u", reg, reg + words - 1);
	else
		hd_text_printf(t, "r%u", reg);
	if (last)
		hd_text_printf(t, ".lu");
}

static void print_predicate(hd_text *t, unsigned selector)
{
	hd_text_printf(t, "%s", selector & 8 ? "!" : "");
	if ((selector & 7) == HD_PT)
		hd_text_printf(t, "pt");
	else
		hd_text_printf(t, "p%u", selector & 7);
}

static void print_source(hd_text *t, const hd_inst *i, unsigned operand)
{
	const uint8_t reg[3] = {i->a, i->b, i->c};
	bool imm = i->ksel == 3 && hd_op_takes_imm16((hd_op)i->op);
	if (imm && operand == 1)
		hd_text_printf(t, "#%d", i->imm);
	else if (i->ksel == operand + 1)
		hd_text_printf(t, "c[0x%x]", reg[operand] * 4u);
	else
		print_register(t, reg[operand], hd_operand_words(i, operand), i->last_use >> operand & 1);
}

static void print_suffix(hd_text *t, const hd_inst *i)
{
	const hd_op_info *info = &hd_ops[i->op];
	unsigned s = i->sub;
	switch ((hd_format)info->format) {
	case HD_F_SETP:
		hd_text_printf(t, ".%s", hd_cmp_names[s]);
		break;
	case HD_F_LD:
	case HD_F_ST:
		hd_text_printf(t, ".%s%s%s", hd_size_names[s & 7], i->mod ? "." : "", i->mod ? hd_cache_names[i->mod] : "");
		return;
	case HD_F_ATOM:
		hd_text_printf(t, ".%s.%s", hd_atom_op_names[s & 15], hd_atom_type_names[s >> 4]);
		break;
	case HD_F_CAS:
		hd_text_printf(t, ".%s", hd_cas_names[i->mod]);
		return;
	case HD_F_VOTE:
		if (i->op == HD_OP_VOTE)
			hd_text_printf(t, ".%s", hd_vote_names[i->mod]);
		return;
	case HD_F_BAR:
		hd_text_printf(t, ".%s", hd_bar_names[i->mod]);
		return;
	case HD_F_SUB:
		if (i->op >= HD_OP_I2I && i->op <= HD_OP_I2I_DD)
			hd_text_printf(t, ".%s.%s%s", hd_itype_names[s >> 3 & 7], hd_itype_names[s & 7], s >> 6 ? ".sat" : "");
		else if (i->op >= HD_OP_F2I && i->op <= HD_OP_F2I_DD)
			hd_text_printf(t, ".%s.%s%s", hd_itype_names[s & 7], hd_ftype_names[s >> 3 & 3], s >> 5 ? ".ftz" : "");
		else if (i->op >= HD_OP_I2F && i->op <= HD_OP_I2F_DD)
			hd_text_printf(t, ".%s.%s", hd_ftype_names[s >> 3 & 3], hd_itype_names[s & 7]);
		else if (i->op >= HD_OP_F2F && i->op <= HD_OP_F2F_DD)
			hd_text_printf(t, ".%s.%s%s%s%s", hd_ftype_names[s & 3], hd_ftype_names[s >> 2 & 3], s >> 4 & 1 ? ".sat" : "",
			               s >> 5 & 1 ? ".ftz" : "", s >> 6 & 1 ? ".int" : "");
		else if (i->op == HD_OP_FTESTP || i->op == HD_OP_DTESTP)
			hd_text_printf(t, ".%s", hd_fclass_names[s]);
		else if (i->op == HD_OP_MEMBAR)
			hd_text_printf(t, ".%s", hd_scope_names[s]);
		break;
	default:
		break;
	}
	if (i->op == HD_OP_SHFL || i->op == HD_OP_SHFLP)
		hd_text_printf(t, ".%s", hd_shfl_names[i->mod]);
	else if (info->flags & HD_OPF_RND && i->mod)
		hd_text_printf(t, ".%s", hd_round_names[i->mod]);
}

static void print_offset(hd_text *t, const hd_inst *i)
{
	hd_text_printf(t, "[");
	print_source(t, i, 0);
	if (i->imm)
		hd_text_printf(t, "%+d", i->imm);
	hd_text_printf(t, "]");
}

static void print_destination(hd_text *t, const hd_inst *i)
{
	const hd_op_info *info = &hd_ops[i->op];
	if (info->d == HD_W_P)
		print_predicate(t, i->d);
	else
		print_register(t, i->d, hd_operand_words(i, 4), false);
}

void hd_inst_print(hd_text *t, const hd_inst *i)
{
	const hd_op_info *info = &hd_ops[i->op];
	if (i->guard != HD_PT || i->guard_neg) {
		hd_text_printf(t, "@");
		print_predicate(t, i->guard | i->guard_neg << 3);
		hd_text_printf(t, " ");
	}
	hd_text_printf(t, "%s", info->mnemonic);
	print_suffix(t, i);
	const char *comma = " ";
	if (info->d != HD_W_N) {
		hd_text_printf(t, " ");
		print_destination(t, i);
		comma = ", ";
	}
	switch ((hd_format)info->format) {
	case HD_F_LD:
	case HD_F_ST:
		hd_text_printf(t, "%s", comma);
		print_offset(t, i);
		if (info->format == HD_F_ST) {
			hd_text_printf(t, ", ");
			print_source(t, i, 1);
		}
		return;
	case HD_F_MOVI:
		hd_text_printf(t, ", 0x%08x", (uint32_t)i->imm);
		return;
	case HD_F_HINTS:
		hd_text_printf(t, " %u, 0x%08x", i->a, (uint32_t)i->imm);
		return;
	case HD_F_BRANCH:
		hd_text_printf(t, " %d", i->imm);
		return;
	case HD_F_SREG:
		hd_text_printf(t, ", %s", hd_sreg_names[i->sub]);
		return;
	case HD_F_CBAR:
		hd_text_printf(t, " %u", i->a);
		return;
	case HD_F_BAR:
		hd_text_printf(t, " %u", i->a);
		if (i->b != HD_RZ)
			hd_text_printf(t, ", r%u", i->b);
		return;
	case HD_F_PLOP:
		hd_text_printf(t, ", ");
		print_predicate(t, i->sub2 & 15);
		hd_text_printf(t, ", ");
		print_predicate(t, i->sub2 >> 4);
		hd_text_printf(t, ", ");
		print_predicate(t, i->b & 15);
		hd_text_printf(t, ", 0x%02x", i->sub);
		return;
	default:
		break;
	}
	bool atomic = info->format == HD_F_ATOM || info->format == HD_F_CAS;
	const uint8_t widths[3] = {info->a, info->b, info->c};
	for (unsigned operand = 0; operand < 3; operand++) {
		if (widths[operand] == HD_W_N)
			continue;
		hd_text_printf(t, "%s%s", comma, atomic && operand == 0 ? "[" : "");
		print_source(t, i, operand);
		hd_text_printf(t, "%s", atomic && operand == 0 ? "]" : "");
		comma = ", ";
	}
	if (info->format == HD_F_SEL || info->format == HD_F_VOTE) {
		hd_text_printf(t, ", ");
		print_predicate(t, i->sub);
	} else if (info->format == HD_F_CARRY) {
		hd_text_printf(t, ", ");
		print_predicate(t, i->sub & 7);
		hd_text_printf(t, ", ");
		print_predicate(t, i->sub >> 3 & 7);
	}
}

/* Prints the generated blocks of docs/isa.md from ops.def and the other tables (tools/docs.sh); the test isa/doc compares. */
#include "isa/geometry.h"
#include "isa/names.h"

enum { PAGE_WIDTH = 120, COMPACT_COLUMNS = 8 };

static const char *const widths[] = {"-", "r", "r:r", "r:r:r:r", "p", "size"};
static const char *const formats[] = {"none", "alu", "sub",  "setp", "sel",    "carry", "plop", "vote", "sreg", "movi",
                                      "ld",   "st",  "atom", "cas",  "branch", "jumpx", "bar",  "cbar", "hints"};
_Static_assert(HD_COUNT(formats) == HD_F_HINTS + 1, "every format has a name");

static void put_list(const char *title, const char *const *names, unsigned n)
{
	char item[64];
	int column = printf("- %s:", title);
	for (unsigned i = 0; i < n; i++) {
		int length = snprintf(item, sizeof item, " `%s`%s", names[i], i + 1 < n ? "," : "\n");
		if (column + length > PAGE_WIDTH)
			column = printf("\n ") - 1;
		column += printf("%s", item);
	}
}

static void put_row(const hd_op_info *o, unsigned number)
{
	static const char *const flags[] = {"rnd",  "mem",  "store",  "flow",     "cross", "var",     "side",
	                                    "comm", "load", "atomic", "readonly", "fence", "differs", "leaves"};
	static const char *const spaces[] = {"", " global", " shared", " const", " local"};
	const hd_width operands[] = {o->d, o->a, o->b, o->c};
	const char *pipe = hd_pipe_names[o->pipe], *klass = hd_class_names[o->klass];
	unsigned last = HD_COUNT(operands);
	while (last && !operands[last - 1])
		last--;
	printf("| %u `%s` | %s, %s%s%s |", number, o->mnemonic, formats[o->format], pipe, strcmp(pipe, klass) ? "/" : "",
	       strcmp(pipe, klass) ? klass : "");
	for (unsigned i = 0; i < last; i++)
		printf("%s%s", i ? "," : " ", widths[operands[i]]);
	for (unsigned i = 0; i < HD_COUNT(flags); i++) {
		if (o->flags >> i & 1)
			printf(" %s", flags[i]);
	}
	printf("%s | ", spaces[hd_op_space(o)]);
	for (const char *c = o->doc; *c; c++)
		printf(*c == '|' ? "\\|" : "%c", *c);
	printf(" |\n");
}

/* Variants of a row of compact.def, beside the operation. */
static void put_short(unsigned number, const char *form, const hd_op_info *op, unsigned sub)
{
	if (number % COMPACT_COLUMNS == 0)
		printf("- %u:", number);
	printf(" `%s", op->mnemonic);
	if (strcmp(form, "LD") == 0 || strcmp(form, "ST") == 0)
		printf(".%s", hd_size_names[sub]);
	printf("`");
	if (strcmp(form, "PLOP") == 0)
		printf(" 0x%x", sub);
	else if (strcmp(form, "SETP") == 0)
		printf(" %s", sub ? "from `hi` on" : "up to `ls`");
	else if (strcmp(form, "MOVI") == 0 && sub)
		printf(" upper");
	else if (op->format == HD_F_SUB)
		printf(" 0x%x", sub);
	printf((number + 1) % COMPACT_COLUMNS ? "," : "\n");
}

static void begin(const char *name) { printf("<!-- generated: %s -->\n", name); }

static void end(void) { printf("<!-- end -->\n"); }

static void put_values(void)
{
	begin("values");
	put_list("comparisons", hd_cmp_names, HD_CMP_COUNT);
	put_list("sizes", hd_size_names, HD_COUNT(hd_size_names));
	put_list("caches", hd_cache_names, HD_COUNT(hd_cache_names));
	put_list("rounding", hd_round_names, HD_COUNT(hd_round_names));
	put_list("atomic operations", hd_atom_op_names, HD_ATOM_OP_COUNT);
	put_list("atomic types", hd_atom_type_names, HD_ATOM_TYPE_COUNT);
	put_list("integer types", hd_itype_names, HD_COUNT(hd_itype_names));
	put_list("float types", hd_ftype_names, HD_COUNT(hd_ftype_names));
	put_list("special registers", hd_sreg_names, HD_SREG_COUNT);
	put_list("hints", hd_hint_names, HD_HINT_COUNT);
	end();
}

static void put_geometries(void)
{
	begin("geometries");
	printf("| geometry | line, bits | instructions | pre-decode data of instruction i | its wait mask from counter 7 on | fence counters |\n"
	       "|---|--:|--:|---|---|--:|\n");
	for (unsigned g = 0; g < HD_GEOMETRY_COUNT; g++) {
		const hd_geometry_info *i = &hd_geometries[g];
		if (hd_is_compact(g))
			continue;
		if (!i->ss) {
			printf("| `%s` | %u | %u | none | none | up to %u |\n", i->name, 8 * hd_line_bytes(g), hd_line_instructions(g), i->counters);
			continue;
		}
		printf("| `%s` | %u | %u, %s before every %u | %s from bit %u + %u (i - 1) | ", i->name, 8 * hd_line_bytes(g),
		       hd_line_instructions(g), i->ss > 1 ? "two scheduling words" : "a scheduling word", i->group - i->ss,
		       i->hints > 1 ? "two bytes" : "a byte", i->hint_at, i->hint_step);
		if (i->mask_at)
			printf("%u bits from bit %u + %u (i - 1) | up to %u |\n", i->counters - HD_WORD_COUNTERS, i->mask_at, i->mask_step,
			       i->counters);
		else
			printf("none | up to %u |\n", i->counters);
	}
	printf("\nBits 0-7 of a scheduling word of 64 bits are 0x%02x.\n", HD_SS_OPCODE);
	end();
}

static void put_compact(void)
{
	unsigned number = 0;
	begin("compact");
#define SHORT(op, form, sub) put_short(number++, #form, &hd_ops[HD_OP_##op], sub);
#include "isa/compact.def"
#undef SHORT
	end();
}

int main(void)
{
	put_values();
	put_geometries();
	put_compact();
	begin("operations");
	printf("| operation | format, pipe/class | operands, flags | what it does |\n|---|---|---|---|\n");
	for (unsigned op = 0; op < HD_OP_COUNT; op++)
		put_row(&hd_ops[op], op);
	end();
	return 0;
}

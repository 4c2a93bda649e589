/* Runs one operation on 32 lanes of 64-bit operands through every path that this host has, and insists that the paths agree. */
#ifndef HD_TEST_LANES_H
#define HD_TEST_LANES_H

#include "operand.h"
#include "semantics/vector.h"
#include "../test.h"

typedef struct lanes {
	uint64_t a[HD_LANES], b[HD_LANES], c[HD_LANES];
	uint32_t mask, p[3];
} lanes;

typedef struct results {
	uint64_t d[HD_LANES];
	uint32_t p;
} results;

static inline void split(hd_vec32 to[2], const uint64_t from[HD_LANES])
{
	for (unsigned i = 0; i < HD_LANES; i++) {
		to[0].v[i] = (uint32_t)from[i];
		to[1].v[i] = (uint32_t)(from[i] >> 32);
	}
}

static inline void run_path(hd_sem_fn *fn, const hd_inst *inst, const lanes *in, results *to)
{
	hd_vec32 a[2], b[2], c[2];
	hd_sem_out out;
	memset(&out, 0, sizeof out);
	split(a, in->a);
	split(b, in->b);
	split(c, in->c);
	hd_sem_in sem = {.a = a, .b = b, .c = c, .mask = in->mask, .p = {in->p[0], in->p[1], in->p[2]}, .special = a};
	fn(inst, &sem, &out);
	for (unsigned i = 0; i < HD_LANES; i++)
		to->d[i] = out.r[0].v[i] | (hd_ops[inst->op].d == HD_W_D ? (uint64_t)out.r[1].v[i] << 32 : 0);
	to->p = out.p & in->mask;
}

enum { TEAM_WARPS = 3, TEAM_REGISTERS = 10 };

/* The same operation for a team of warps in one register file each: the lanes of `in`, and after them two warps with other masks. The result goes to
 * registers 6 and 7, or over operand a. Nothing else may change. */
static inline void run_team(hd_sem_team_fn *fn, hd_sem_fn *alone, const hd_inst *made_for, const lanes *in, bool over, const char *path)
{
	static const uint32_t masks[TEAM_WARPS] = {0, UINT32_MAX, 0x0ff0a5c3};
	static hd_vec32 file[TEAM_WARPS * TEAM_REGISTERS], expected[TEAM_WARPS * TEAM_REGISTERS];
	uint32_t at[TEAM_WARPS], mask[TEAM_WARPS], alive[TEAM_WARPS], preds[TEAM_WARPS][HD_PREDS + 1], wanted[TEAM_WARPS][HD_PREDS + 1];
	uint32_t *predicates[TEAM_WARPS];
	const hd_op_info *row = &hd_ops[made_for->op];
	hd_inst inst = *made_for;
	unsigned d = over ? 0 : 6, words = row->d == HD_W_D ? 2 : row->d == HD_W_R ? 1 : 0;
	bool carry = row->format == HD_F_CARRY, to_p = row->d == HD_W_P || carry;
	for (unsigned k = 0; k < TEAM_WARPS; k++) {
		hd_vec32 *registers = &file[k * TEAM_REGISTERS];
		at[k] = k * TEAM_REGISTERS;
		mask[k] = k ? masks[k] : in->mask;
		alive[k] = k == 1 ? UINT32_MAX : k ? masks[2] | 0xf0000000u : in->mask;
		predicates[k] = preds[k];
		split(&registers[0], in->a);
		split(&registers[2], in->b);
		split(&registers[4], in->c);
		for (unsigned i = 0; i < HD_LANES; i++) {
			for (unsigned r = 0; r < 6; r++)
				registers[r].v[i] ^= k * 0x01000001u;
			for (unsigned r = 6; r < TEAM_REGISTERS; r++)
				registers[r].v[i] = 0x5ead0000u + r;
		}
		for (unsigned p = 0; p < HD_PREDS; p++)
			preds[k][p] = in->p[p % 3] ^ p * 0x11111111u;
		preds[k][HD_PT] = UINT32_MAX;
	}
	memcpy(expected, file, sizeof file);
	memcpy(wanted, preds, sizeof preds);
	for (unsigned k = 0; k < TEAM_WARPS; k++) {
		hd_vec32 *registers = &expected[at[k]];
		hd_sem_in one = {.a = registers, .b = registers + 2, .c = registers + 4, .mask = mask[k]};
		hd_sem_out out;
		memset(&out, 0, sizeof out);
		hd_sem_predicates(&inst, preds[k], one.p);
		alone(&inst, &one, &out);
		for (unsigned i = 0; i < HD_LANES; i++) {
			bool writes = mask[k] >> i & 1;
			for (unsigned r = 0; r < words; r++) {
				if (writes)
					registers[d + r].v[i] = out.r[r].v[i];
				else if (mask[k] == alive[k]) /* any value */
					registers[d + r].v[i] = 0;
			}
			if (to_p && writes)
				wanted[k][2] = (wanted[k][2] & ~(1u << i)) | (out.p & 1u << i);
		}
	}
	hd_sem_team team = {.n = TEAM_WARPS,
	                    .at = at,
	                    .mask = mask,
	                    .alive = alive,
	                    .predicates = predicates,
	                    .a = file,
	                    .b = file + 2,
	                    .c = file + 4,
	                    .step_a = UINT32_MAX,
	                    .step_b = UINT32_MAX,
	                    .step_c = UINT32_MAX,
	                    .d = words ? file + d : NULL,
	                    .p = to_p ? 2 : HD_PT};
	fn(&inst, &team);
	for (unsigned k = 0; k < TEAM_WARPS; k++)
		for (unsigned r = 0; words && r < words; r++)
			for (unsigned i = 0; i < HD_LANES; i++)
				if (mask[k] == alive[k] && !(mask[k] >> i & 1))
					file[at[k] + d + r].v[i] = 0;
	if (memcmp(file, expected, sizeof file) != 0 || memcmp(preds, wanted, sizeof preds) != 0)
		fail_msg("%s sub %u mod %u: a team's registers differ (%s, destination %s)", row->mnemonic, inst.sub, inst.mod, path,
		         over ? "over a" : "apart");
}

static inline void run_lanes(const hd_inst *inst, const lanes *in, results *to)
{
	const hd_sem_code *code = hd_sem_find_path(0, inst);
	results other;
	assert_non_null(code);
	run_path(code->alone, inst, in, to);
	for (unsigned path = 0; path < HD_SEM_PATHS; path++) {
		hd_sem_fn *generic = code->alone;
		const hd_sem_code *better = hd_sem_find_path(path, inst);
		if (!better)
			continue;
		if (inst->op != HD_OP_S2R) {
			run_team(better->team, generic, inst, in, false, hd_sem_paths[path]);
			run_team(better->team, generic, inst, in, true, hd_sem_paths[path]);
		}
		run_path(better->alone, inst, in, &other);
		for (unsigned i = 0; i < HD_LANES; i++)
			if (in->mask >> i & 1 && to->d[i] != other.d[i])
				fail_msg("%s sub %u mod %u: lane %u of a = %llx b = %llx c = %llx is %llx by the generic path and %llx by %s",
				         hd_ops[inst->op].mnemonic, inst->sub, inst->mod, i, (unsigned long long)in->a[i],
				         (unsigned long long)in->b[i], (unsigned long long)in->c[i], (unsigned long long)to->d[i],
				         (unsigned long long)other.d[i], hd_sem_paths[path]);
		if (to->p != other.p)
			fail_msg("%s sub %u mod %u: predicates %08x by the generic path and %08x by %s", hd_ops[inst->op].mnemonic, inst->sub,
			         inst->mod, to->p, other.p, hd_sem_paths[path]);
	}
}

#endif

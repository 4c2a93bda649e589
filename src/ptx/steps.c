/* Operations of several steps that PTX does not have (LU-16): dot product, normalised vector, matrix times vector. They end as sub-instructions with
 * last uses (passes/lower/expand.c). lib/heddle_vector.h is their face for OpenCL C and CUDA.
 *
 *   heddle.dot.f32 d, {a...}, {b...};                        2 to 4 elements
 *   heddle.normalize.f32 {d...}, {a...};                     2 to 4 elements
 *   heddle.transform.f32 {d...}, {row...}, ..., {row...}, {v...};   2 to 4 rows of as many elements as v has, 2 to 4 */
#include "ptx/lower.h"

enum { MOST = 4 };

/* Reads the elements of a vector operand. `n`: their number, 0 = any that is possible; it becomes the number. */
static bool read_vector(ptx_fn *fn, const ptx_opd *from, unsigned *n, hd_opd into[MOST])
{
	if (from->kind != PTX_O_VECTOR || from->n < 2 || from->n > MOST || (*n && from->n != *n)) {
		if (*n)
			ptx_wrong(fn, from->pos, "expected a vector of %u elements", *n);
		else
			ptx_wrong(fn, from->pos, "expected a vector of 2 to 4 elements");
		return false;
	}
	*n = from->n;
	for (unsigned i = 0; i < *n; i++)
		into[i] = ptx_source(fn, &from->list[i], PTX_F32);
	return true;
}

static hd_opd dot(ptx_fn *fn, const hd_opd *a, const hd_opd *b, unsigned n)
{
	static const uint16_t ops[] = {HD_IR_DP2, HD_IR_DP3, HD_IR_DP4};
	hd_ir_inst *inst = ptx_emit(fn, ops[n - 2], 1, 2 * n);
	hd_opd d = ptx_temp(fn, 1);
	inst->d[0] = d;
	memcpy(inst->s, a, n * sizeof *a);
	memcpy(inst->s + n, b, n * sizeof *b);
	return d;
}

static void write_vector(ptx_fn *fn, const ptx_opd *into, const hd_opd *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		ptx_move(fn, ptx_dest(fn, &into->list[i], PTX_F32), from[i]);
}

static void dot_product(ptx_fn *fn, const ptx_inst *inst)
{
	hd_opd a[MOST], b[MOST];
	unsigned n = 0;
	ptx_type_at(fn, 0, PTX_SET(F32));
	if (inst->nopds != 3)
		ptx_wrong(fn, fn->pos, "expected heddle.dot.f32 with a register and two vectors");
	else if (read_vector(fn, &inst->opds[1], &n, a) && read_vector(fn, &inst->opds[2], &n, b)) {
		hd_opd product = dot(fn, a, b, n);
		ptx_move(fn, ptx_dest(fn, &inst->opds[0], PTX_F32), product);
	}
}

static bool is_vector(ptx_fn *fn, const ptx_opd *opd, unsigned n)
{
	if (opd->kind == PTX_O_VECTOR && opd->n == n)
		return true;
	ptx_wrong(fn, opd->pos, "expected a vector of %u elements", n);
	return false;
}

static void normalize(ptx_fn *fn, const ptx_inst *inst)
{
	static const uint16_t ops[] = {HD_IR_NORM2, HD_IR_NORM3, HD_IR_NORM4};
	hd_opd v[MOST], d[MOST];
	unsigned n = 0;
	ptx_type_at(fn, 0, PTX_SET(F32));
	if (inst->nopds != 2) {
		ptx_wrong(fn, fn->pos, "expected heddle.normalize.f32 with two vectors");
		return;
	}
	if (!read_vector(fn, &inst->opds[1], &n, v) || !is_vector(fn, &inst->opds[0], n))
		return;
	hd_ir_inst *norm = ptx_emit(fn, ops[n - 2], n, n);
	for (unsigned i = 0; i < n; i++) {
		d[i] = ptx_temp(fn, 1);
		norm->d[i] = d[i];
		norm->s[i] = v[i];
	}
	write_vector(fn, &inst->opds[0], d, n);
}

static void transform(ptx_fn *fn, const ptx_inst *inst)
{
	unsigned rows = inst->nopds - 2u, n = 0;
	hd_opd v[MOST], row[MOST], d[MOST];
	ptx_type_at(fn, 0, PTX_SET(F32));
	if (inst->nopds < 4 || rows > MOST) {
		ptx_wrong(fn, fn->pos, "expected heddle.transform.f32 with a vector, 2 to 4 rows and a vector");
		return;
	}
	if (!is_vector(fn, &inst->opds[0], rows) || !read_vector(fn, &inst->opds[rows + 1], &n, v))
		return;
	for (unsigned i = 0; i < rows; i++) {
		if (!read_vector(fn, &inst->opds[i + 1], &n, row))
			return;
		d[i] = dot(fn, row, v, n);
	}
	write_vector(fn, &inst->opds[0], d, rows);
}

bool ptx_do_steps(ptx_fn *fn, const ptx_inst *inst)
{
	if (ptx_mod_used(fn, PTX_M_DOT))
		dot_product(fn, inst);
	else if (ptx_mod_used(fn, PTX_M_NORMALIZE))
		normalize(fn, inst);
	else if (ptx_mod_used(fn, PTX_M_TRANSFORM))
		transform(fn, inst);
	else
		return false;
	return true;
}

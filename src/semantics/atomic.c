#include "semantics/semantics.h"

#include "semantics/float_bits.h"

static uint64_t atomic_integer(hd_atom_op op, bool less, unsigned bits, uint64_t old, uint64_t value)
{
	switch (op) {
	case HD_ATOM_ADD:
		return bits == 32 ? (uint32_t)(old + value) : old + value;
	case HD_ATOM_MIN:
		return less ? old : value;
	case HD_ATOM_MAX:
		return less ? value : old;
	case HD_ATOM_AND:
		return old & value;
	case HD_ATOM_OR:
		return old | value;
	case HD_ATOM_XOR:
		return old ^ value;
	case HD_ATOM_EXCH:
		return value;
	case HD_ATOM_INC:
		return old >= value ? 0 : old + 1;
	case HD_ATOM_DEC:
		return old == 0 || old > value ? value : old - 1;
	default:
		hd_panic("atomic operation %d", op);
	}
}

/* Denormal numbers become zeros of their sign. */
static uint32_t flushed(uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }

static uint32_t atomic_f32(hd_atom_op op, bool global, uint32_t old, uint32_t value)
{
	if (op == HD_ATOM_ADD && global)
		return flushed(hd_f32_canonical(hd_bits_of_f32(hd_f32_of_bits(flushed(old)) + hd_f32_of_bits(flushed(value)))));
	switch (op) {
	case HD_ATOM_ADD:
		return hd_f32_canonical(hd_bits_of_f32(hd_f32_of_bits(old) + hd_f32_of_bits(value)));
	case HD_ATOM_MIN:
		return hd_f32_min(old, value);
	case HD_ATOM_MAX:
		return hd_f32_max(old, value);
	default:
		return (uint32_t)atomic_integer(op, old < value, 32, old, value);
	}
}

static uint64_t atomic_f64(hd_atom_op op, uint64_t old, uint64_t value)
{
	switch (op) {
	case HD_ATOM_ADD:
		return hd_f64_canonical(hd_bits_of_f64(hd_f64_of_bits(old) + hd_f64_of_bits(value)));
	case HD_ATOM_MIN:
		return hd_f64_min(old, value);
	case HD_ATOM_MAX:
		return hd_f64_max(old, value);
	default:
		return atomic_integer(op, old < value, 64, old, value);
	}
}

uint64_t hd_sem_atomic(hd_atom_op op, hd_atom_type type, bool global, uint64_t old, uint64_t value)
{
	switch (type) {
	case HD_ATOM_U32:
		return atomic_integer(op, (uint32_t)old < (uint32_t)value, 32, (uint32_t)old, (uint32_t)value);
	case HD_ATOM_S32:
		return atomic_integer(op, (int32_t)(uint32_t)old < (int32_t)(uint32_t)value, 32, (uint32_t)old, (uint32_t)value);
	case HD_ATOM_U64:
		return atomic_integer(op, old < value, 64, old, value);
	case HD_ATOM_S64:
		return atomic_integer(op, (int64_t)old < (int64_t)value, 64, old, value);
	case HD_ATOM_F32:
		return atomic_f32(op, global, (uint32_t)old, (uint32_t)value);
	case HD_ATOM_F64:
		return atomic_f64(op, old, value);
	default:
		hd_panic("atomic type %d", type);
	}
}

/* Work-item functions of programs whose work-groups may have several sizes (docs/opencl.md, "Work-groups of several sizes"). A launch is a part of the
 * range there, so its number of CTAs and its offset say nothing of the range. These functions replace those of heddle_builtins.cl and
 * heddle_opencl3.cl. The others need no change: get_local_size is the part's own, and get_global_id is CTA x block + thread + the part's offset. */
#define PURE __attribute__((const, overloadable))
#define WORDS(name, type)                                  \
	__attribute__((const)) type __heddle_range_##name##_x(void); \
	__attribute__((const)) type __heddle_range_##name##_y(void); \
	__attribute__((const)) type __heddle_range_##name##_z(void);
#define OF(name, d, other)                                                                                                                        \
	((d) == 0 ? __heddle_range_##name##_x() : (d) == 1 ? __heddle_range_##name##_y() : (d) == 2 ? __heddle_range_##name##_z() : (other))
WORDS(offset, ulong)
WORDS(size, ulong)
WORDS(groups, uint)
WORDS(first, uint)
WORDS(block, uint)

PURE size_t get_global_offset(uint d) { return OF(offset, d, 0); }
PURE size_t get_global_size(uint d) { return OF(size, d, 1); }
PURE size_t get_num_groups(uint d) { return OF(groups, d, 1); }
PURE size_t get_enqueued_local_size(uint d) { return OF(block, d, 1); }
PURE size_t get_group_id(uint d)
{
	uint cta = d == 0   ? (uint)__nvvm_read_ptx_sreg_ctaid_x()
	           : d == 1 ? (uint)__nvvm_read_ptx_sreg_ctaid_y()
	           : d == 2 ? (uint)__nvvm_read_ptx_sreg_ctaid_z()
	                    : 0;
	return OF(first, d, 0) + cta;
}
PURE size_t get_global_linear_id(void)
{
	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1), z = get_global_id(2) - get_global_offset(2);
	return (z * get_global_size(1) + y) * get_global_size(0) + x;
}
#define ENQUEUED_ITEMS (__heddle_range_block_x() * __heddle_range_block_y() * __heddle_range_block_z())
__attribute__((overloadable)) uint get_enqueued_num_sub_groups(void) { return (ENQUEUED_ITEMS + 31) / 32; }
#include "sub_group_size.inc"

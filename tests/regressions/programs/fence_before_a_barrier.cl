// A barrier passed the acquiring fence before it, which waited behind the stores of other work-groups, and a warp of the group read an old line.
// expect: right
// run: --std CL3.0 --grid 10 --block 64 --arg zero:u32:1 --arg zero:u32:8 --arg out:out.npy:u32:64 --arg u32:100
// machines: memory.l2_latency=40 / fence.counters=2,fence.high_latency=0 / divergence.mode=barriers
kernel void k(global volatile atomic_uint *flag, global uint *x, global uint *out, uint n)
{
	local volatile uint busy[2048];
	uint l = get_local_id(0), g = get_group_id(0);
	if (g >= 2) {
		for (uint i = 0; l < 32 && i < 4 * n; i++)
			busy[l * 32 + i % 4] = i;
		return;
	}
	if (g == 0) {
		if (l == 0) {
			x[0] = 7;
			atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
			atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
		}
		return;
	}
	uint beside = x[1];
	if (l < 32) {
		while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device)) {
		}
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = x[0] + beside;
}

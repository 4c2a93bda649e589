// Atomic increments in a loop, then a barrier: as counter_full_of_stores, from the compiler.
// run: --grid 4 --block 32 --arg out:out.npy:u32:8192 --arg u32:1000
// machines: memory.l1_writes=4096 / fence.bits=4 / fence.bits=5,multi_issue.window=1
// expect: right
__kernel void k(__global uint *out, uint n)
{
	uint g = get_global_id(0);
	for (uint i = 0; i < n; i++)
		atomic_inc(&out[g]);
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		out[g] = out[g + 1] + 1;
}

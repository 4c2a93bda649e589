// clang 14 moved the load of a local variable over the barrier, because it believes that no intrinsic writes such a variable (lib/barrier.inc).
// run: --kernel shares --grid 4 --block 64 --arg out:out.npy:i32:256
// expect: right
// values: indices
kernel void shares(global int *out)
{
	local int x, found;
	if (get_local_id(0) == 0) {
		x = get_group_id(0) * 64;
		found = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	int i = x + get_local_id(0);
	if (get_local_id(0) == 40)
		found = i;
	mem_fence(CLK_LOCAL_MEM_FENCE);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = i == get_global_id(0) && found == get_group_id(0) * 64 + 40 ? i : -1;
}

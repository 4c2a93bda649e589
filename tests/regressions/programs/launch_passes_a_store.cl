// A child began before a store of the lane that launched it had arrived, and read the old value.
// expect: right
// run: --kernel k --grid 1 --block 32 --arg zero:u32:16384 --arg out:out.npy:u32:16
// machines: memory.far_latency=1000,grids.launch_latency=1 / pages.kib=4,pages.levels=5,pages.tlb2_entries=0,grids.launch_latency=1
#include <heddle_device.h>

kernel void child(global uint *x, global uint *out, uint at)
{
	out[at] = x[0];
}

kernel void k(global uint *x, global uint *out)
{
	if (get_local_id(0) == 0 && get_group_id(0) == 0) {
		for (uint i = 0; i < 16; i++) {
			x[i * 1024] = 7;
			heddle_launch(child, 1, 32, x + i * 1024, out, i);
		}
	}
}

// Volatile stores in a loop, counted for the barrier behind it: as counter_full_of_stores, from the compiler.
// run: --grid 1 --block 32 --arg out:out.npy:u32:8192
// machines: memory.l1_writes=4096 / fence.bits=4 / fence.bits=5,multi_issue.window=1
// expect: right
__kernel void k(__global volatile uint *out)
{
	uint g = get_global_id(0);
	__global volatile uint *p = out + g;
	for (uint i = 0; i < 40; i++) {
		p[0] = g;
		p[32] = g;
		p[64] = g;
		p[96] = g;
		p[128] = g;
		p[160] = g;
		p[192] = g;
		p[224] = g;
		p[256] = g;
		p[288] = g;
		p[320] = g;
		p[352] = g;
		p[384] = g;
		p[416] = g;
		p[448] = g;
		p[480] = g;
		p[512] = g;
		p[544] = g;
		p[576] = g;
		p[608] = g;
		p[640] = g;
		p[672] = g;
		p[704] = g;
		p[736] = g;
		p[768] = g;
		p[800] = g;
		p[832] = g;
		p[864] = g;
		p[896] = g;
		p[928] = g;
		p[960] = g;
		p[992] = g;
		p[1024] = g;
		p[1056] = g;
		p[1088] = g;
		p[1120] = g;
		p[1152] = g;
		p[1184] = g;
		p[1216] = g;
		p[1248] = g;
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
	p[0] = p[32];
}

/* Features of SPIR-V beyond OpenCL C 1.2: structures by value, generic pointers, atomics with order and scope, sub-groups, program-scope variables. */
typedef struct pair {
	int a;
	float4 b;
} pair;

global int counter = 7;
constant float table[3] = {1, 2, 3};

int helper(int *p) { return *p + 1; }

kernel __attribute__((reqd_work_group_size(8, 1, 1))) void features(global atomic_int *atoms, global int *out, local float *scratch, pair s, global float *f)
{
	int mine = 3, expected = 1;
	int *either = get_local_id(0) & 1 ? &mine : (int *)(out + 31);
	size_t i = get_local_id(0);
	local int sums[8];
	scratch[i] = s.b.y * i;
	sums[i] = sub_group_reduce_add(1);
	work_group_barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = helper(either) + sums[i ^ 1] + s.a + (int)scratch[7 - i];
	out[8 + i] = work_group_scan_inclusive_add(2);
	atomic_fetch_add_explicit(atoms, 2, memory_order_acq_rel, memory_scope_device);
	if (i == 0 && atomic_compare_exchange_strong(atoms + 1, &expected, 5))
		counter += atomic_load((atomic_int *)&counter);
	float whole;
	f[i] = fract(f[i], &whole) + whole * 10 + table[i % 3];
	event_t done = async_work_group_copy(sums, out + 8, 8, 0);
	wait_group_events(1, &done);
	out[16 + i] = sums[7 - i];
	out[24 + i] = counter;
}

/* Of several sizes. */
kernel void sizes(global int *out) { out[get_global_id(0)] = (int)get_local_size(0) * 100 + (int)get_enqueued_local_size(0); }

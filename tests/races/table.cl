// Small kernels with and without data races. The line before a kernel says how it is launched and which pairs of marked lines race; tests/cli/races.py
// reads both. A mark is a letter in brackets at the end of a line.
#include <heddle_device.h>

//! neighbour --grid 1 --block 64 --arg zero:u32:64: shared A B
kernel void neighbour(global uint *out)
{
	local uint s[64];
	uint i = get_local_id(0);
	s[i] = i; // [A]
	out[i] = s[i ^ 1]; // [B]
}

//! neighbour_ordered --grid 4 --block 64 --arg zero:u32:256
kernel void neighbour_ordered(global uint *out)
{
	local uint s[64];
	uint i = get_local_id(0);
	s[i] = i;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = s[i ^ 33];
}

//! one_barrier_of_two --grid 1 --block 64 --arg zero:u32:64: shared B A
kernel void one_barrier_of_two(global uint *out)
{
	local uint s[64];
	uint i = get_local_id(0), sum = 0;
	for (uint k = 1; k < 3; k++) {
		s[i] = i * k; // [A]
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[i ^ 32]; // [B]
	}
	out[i] = sum;
}

//! two_barriers --grid 1 --block 64 --arg zero:u32:64
kernel void two_barriers(global uint *out)
{
	local uint s[64];
	uint i = get_local_id(0), sum = 0;
	for (uint k = 1; k < 3; k++) {
		s[i] = i * k;
		barrier(CLK_LOCAL_MEM_FENCE);
		sum += s[i ^ 32];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = sum;
}

// A barrier of a work-group orders nothing between work-groups.
//! between_groups --grid 2 --block 32 --arg zero:u32:64: global A B, global B A
kernel void between_groups(global uint *out)
{
	uint i = get_global_id(0);
	out[i] = i; // [A]
	barrier(CLK_GLOBAL_MEM_FENCE);
	uint x = out[i ^ 32]; // [B]
	if (x == 1000)
		out[i] = 7;
}

//! same_word --grid 2 --block 32 --arg zero:u32:64: global A A
kernel void same_word(global uint *out)
{
	out[0] = get_global_id(0); // [A]
}

// Stores of one value everywhere do no harm, as long as nobody reads.
//! same_value --grid 2 --block 64 --arg zero:u32:64
kernel void same_value(global uint *out) { out[0] = 5; }

//! same_value_read --grid 2 --block 64 --arg zero:u32:300: global A B, global B A
kernel void same_value_read(global uint *out)
{
	uint x = out[0]; // [B]
	out[0] = 5; // [A]
	out[1 + get_global_id(0)] = x;
}

// Bytes of one word belong to different work-items.
//! bytes --grid 1 --block 64 --arg zero:u8:64
kernel void bytes(global uchar *out) { out[get_local_id(0)] = (uchar)get_local_id(0); }

// Of a list, behind `bytes` or beside it.
kernel void bytes_again(global uchar *out) { out[get_local_id(0)] = (uchar)(get_local_id(0) + 1); }

//! bytes_and_word --grid 1 --block 64 --arg zero:u8:64: global A B
kernel void bytes_and_word(global uchar *out)
{
	uint i = get_local_id(0);
	out[i] = (uchar)(i + 1); // [A]
	if (i == 63)
		((global uint *)out)[1] = 9; // [B]
}

//! counter --grid 4 --block 64 --arg zero:u32:4
kernel void counter(global uint *out)
{
	atomic_inc(out);
	atomic_add(out + 1, 3);
}

//! counter_read --grid 4 --block 64 --arg zero:u32:300: global A B, global B A
kernel void counter_read(global uint *out)
{
	atomic_inc(out); // [A]
	out[1 + get_global_id(0)] = out[0]; // [B]
}

//! counter_reset --grid 2 --block 32 --arg zero:u32:300: global A B, global B A, global B B
kernel void counter_reset(global uint *out)
{
	if (get_local_id(0) == 0)
		out[0] = 1 + get_group_id(0); // [B]
	atomic_inc(out); // [A]
}

// The last work-group adds up what the others have stored.
//! ticket --grid 8 --block 32 --arg zero:u32:300 --arg zero:u32:1
kernel void ticket(global uint *out, global uint *done)
{
	local uint last;
	out[get_global_id(0)] = get_global_id(0);
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
		last = atomic_inc(done) == get_num_groups(0) - 1;
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (last && get_local_id(0) == 0)
		for (uint i = 0; i < get_global_size(0); i++)
			out[256] += out[i];
}

//! ticket_without_fence --grid 8 --block 32 --arg zero:u32:300 --arg zero:u32:1: global A B
kernel void ticket_without_fence(global uint *out, global uint *done)
{
	out[get_global_id(0)] = get_global_id(0); // [A]
	barrier(CLK_GLOBAL_MEM_FENCE);
	if (get_local_id(0) == 0 && atomic_inc(done) == get_num_groups(0) - 1)
		for (uint i = 0; i < get_num_groups(0); i++)
			out[256 + i] = out[i * 32]; // [B]
}

// A fence of the work-group's scope orders nothing between work-groups.
//! ticket_of_a_group --grid 8 --block 32 --arg zero:u32:300 --arg zero:u32:1: global A B
kernel void ticket_of_a_group(global uint *out, global uint *done)
{
	out[get_global_id(0)] = get_global_id(0); // [A]
	if (get_local_id(0) == 0) {
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
		uint n = atomic_inc(done);
		atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
		if (n == get_num_groups(0) - 1)
			for (uint i = 0; i < get_num_groups(0); i++)
				out[256 + i] = out[i * 32]; // [B]
	}
}

// The interpreter lets the last warp that comes to a barrier go on first.
//! message --grid 1 --block 64 --arg zero:u32:64
kernel void message(global uint *out)
{
	local uint data, got;
	local atomic_uint flag;
	if (get_local_id(0) == 0) {
		atomic_init(&flag, 0);
		got = 0;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 32) {
		data = 7 + get_group_id(0);
		atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
	} else if (get_local_id(0) == 0) {
		if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
			out[0] = data;
	}
}

//! message_relaxed --grid 1 --block 64 --arg zero:u32:64: shared A B
kernel void message_relaxed(global uint *out)
{
	local uint data;
	local atomic_uint flag;
	if (get_local_id(0) == 0)
		atomic_init(&flag, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 32) {
		data = 7 + get_group_id(0); // [A]
		atomic_store_explicit(&flag, 1, memory_order_relaxed, memory_scope_work_group);
	} else if (get_local_id(0) == 0) {
		if (atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group))
			out[0] = data; // [B]
	}
}

kernel void child(global uint *out)
{
	out[get_global_id(0)] += 1; // [C]
}

//! parent --grid 1 --block 32 --arg zero:u32:64
kernel void parent(global uint *out)
{
	if (get_local_id(0) == 0) {
		out[1] = 5;
		heddle_launch(child, 1, 32, out);
	}
	heddle_join();
	out[get_local_id(0)] += 2;
}

//! parent_without_join --grid 1 --block 32 --arg zero:u32:64: global P C
kernel void parent_without_join(global uint *out)
{
	if (get_local_id(0) == 0)
		heddle_launch(child, 1, 32, out);
	out[get_local_id(0)] = 2; // [P]
}

//! parent_too_late --grid 1 --block 32 --arg zero:u32:64: global Q C
kernel void parent_too_late(global uint *out)
{
	if (get_local_id(0) == 3)
		out[3] = 2; // [Q]
	if (get_local_id(0) == 0)
		heddle_launch(child, 1, 32, out);
	heddle_join();
}

//! siblings --grid 1 --block 32 --arg zero:u32:64: global C C
kernel void siblings(global uint *out)
{
	if (get_local_id(0) < 2)
		heddle_launch(child, 1, 32, out);
	heddle_join();
}

//! sums --grid 2 --block 64 --arg zero:u32:128
kernel void sums(global uint *out) { out[get_global_id(0)] = work_group_scan_inclusive_add((uint)get_local_id(0)) + sub_group_reduce_max((uint)get_local_id(0)); }

// clang lets all lanes load what lane 0 needs, and selects.
//! one_lane_loop --grid 1 --block 32 --arg zero:i32:64 --arg i32:4
kernel void one_lane_loop(global int *out, int n)
{
	local int s[2];
	int l = get_local_id(0), r = 0;
	if (l == 0)
		s[0] = 5;
	for (int j = 0; j < n; j++)
		if (l == 0)
			r += s[0];
	out[l] = r;
}

//! one_lane_and --grid 1 --block 32 --arg zero:i32:64 --arg i32:4
kernel void one_lane_and(global int *out, int n)
{
	local int s[2];
	int l = get_local_id(0);
	if (l == 0)
		s[0] = n;
	if (l == 0 && s[0] > 3)
		out[l] = n;
}

//! one_lane_sum --grid 1 --block 32 --arg zero:i32:64 --arg i32:4
kernel void one_lane_sum(global int *out, int n)
{
	local int s[2];
	int l = get_local_id(0), r = l;
	if (l == 0)
		s[0] = n;
	for (int j = 0; j < n; j++) {
		if (l == 0)
			r = s[0] * 3 + r;
		if (l == 9)
			out[j * 8] = j;
	}
	if (l == 0)
		s[0] = r;
	out[l + 32] = l == 0 ? s[0] * 3 + 1 : r;
}

//! one_lane_before --grid 1 --block 32 --arg zero:i32:64 --arg i32:4
kernel void one_lane_before(global int *out, int n)
{
	local int s[2];
	int l = get_local_id(0), r = 0;
	for (int j = 0; j < n; j++) {
		if (l == 1)
			r += s[0];
		if (l == 1)
			s[0] = r;
	}
	out[l] = r;
}

//! two_lanes_use --grid 1 --block 32 --arg zero:i32:64 --arg i32:4: shared U V
kernel void two_lanes_use(global int *out, int n)
{
	local int s[2];
	int l = get_local_id(0), r = 0;
	if (l == 0)
		s[0] = 5; // [U]
	for (int j = 0; j < n; j++) // [V]
		if (l < 2)
			r += s[0];
	out[l] = r;
}

// Barriers that not all threads come to together.
//! barrier_early --grid 2 --block 64 --arg zero:i32:128 --arg i32:40: barriers 2
kernel void barrier_early(global int *out, int n)
{
	local int s[64];
	int l = get_local_id(0);
	if (l >= n)
		return;
	s[l] = l;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = s[n - 1 - l];
}

//! barrier_turns --grid 1 --block 64 --arg zero:i32:64: barriers 2
kernel void barrier_turns(global int *out)
{
	int l = get_local_id(0);
	for (int i = 0; i < 2 + l / 32; i++) {
		out[l] += i;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = l;
}

//! barrier_sides --grid 1 --block 64 --arg zero:i32:64: barriers 1
kernel void barrier_sides(global int *out)
{
	int l = get_local_id(0);
	if (l < 32) {
		out[l] = 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[l] *= 2;
	} else {
		out[l] = l;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[l] *= l;
	}
}

//! barrier_lanes --grid 1 --block 64 --arg zero:i32:64: barriers 1
kernel void barrier_lanes(global int *out)
{
	int l = get_local_id(0);
	if (l % 32 < 16) {
		out[l] = 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		out[l] *= 2;
	} else
		out[l] = l;
}

//! barrier_uniform --grid 1 --block 80 --arg zero:i32:80 --arg i32:3
kernel void barrier_uniform(global int *out, int n)
{
	int l = get_local_id(0);
	for (int i = 0; i < n; i++) {
		if (l % 3 == 1)
			out[l] += i;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[l] += l;
}

//! wait_missing --grid 1 --block 64 --arg zero:i32:128: shared A B, barriers 2
kernel void wait_missing(global int *out)
{
	local int s[64];
	int l = get_local_id(0);
	async_work_group_copy(s, out + 64, 64, 0); // [A]
	out[l] = s[63 - l]; // [B]
}

//! wait_divergent --grid 1 --block 64 --arg zero:i32:128: shared A B, barriers 2
kernel void wait_divergent(global int *out)
{
	local int s[64];
	int l = get_local_id(0);
	event_t e = async_work_group_copy(s, out + 64, 64, 0); // [A]
	if (l < 48)
		wait_group_events(1, &e);
	out[l] = s[63 - l]; // [B]
}

// The data are there by a barrier, but nothing says that the copy has ended.
//! wait_never --grid 1 --block 48 --arg zero:i32:128: barriers 2
kernel void wait_never(global int *out)
{
	local int s[64];
	async_work_group_strided_copy(s, out + 64, 64, 1, 0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_local_id(0)] = s[63 - get_local_id(0)];
}

//! wait_counts --grid 2 --block 64 --arg zero:i32:256: barriers 32
kernel void wait_counts(global int *out)
{
	local int s[64], t[64];
	int l = get_local_id(0);
	event_t e[2];
	e[0] = async_work_group_copy(s, out + 128, 64, 0);
	e[1] = async_work_group_strided_copy(t, out + 128, 64, 2, 0);
	wait_group_events(l < 48 ? 2 : 1, e);
	out[get_global_id(0)] = s[63 - l] + t[l];
}

//! wait_later --grid 2 --block 64 --arg zero:i32:256
kernel void wait_later(global int *out)
{
	local int s[64], t[64];
	int l = get_local_id(0);
	event_t e[2];
	e[0] = async_work_group_copy(s, out + 128, 64, 0);
	wait_group_events(1, e);
	e[0] = async_work_group_copy(t, out + 128, 64, 0);
	e[1] = async_work_group_copy(s, out + 192, 64, e[0]);
	wait_group_events(2, e);
	out[get_global_id(0)] = s[63 - l] + t[l];
}

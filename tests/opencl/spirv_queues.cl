/* Kernels that enqueue blocks: on ranges of one, two and three dimensions, with events, local memory and a queue as argument. */
kernel void queues(global int *r, queue_t q)
{
	size_t global_size[3] = {4, 3, 2}, local_size[3] = {2, 3, 1}, offset[3] = {1, 0, 2}, two[2] = {4, 3}, groups[2] = {2, 3};
	clk_event_t first, second, both;
	int x = r[1], bad = 0;
	bad |= enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(2, 4, 2), ^{ atomic_add(r + 2, x * (int)get_global_id(0)); });
	bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(two, groups), 0, NULL, &first,
	                      ^{ atomic_add(r + 3, 1 + (int)get_global_id(1)); });
	bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(offset, global_size, local_size), 1, &first, &second,
	                      ^(local void *p) {
		                      local int *t = p;
		                      t[get_local_linear_id()] = (int)get_global_id(2);
		                      work_group_barrier(CLK_LOCAL_MEM_FENCE);
		                      atomic_add(r + 4, t[5 - get_local_linear_id()] + r[3]);
	                      },
	                      6 * (uint)sizeof(int));
	clk_event_t list[2] = {first, second};
	bad |= enqueue_marker(q, 2, list, &both);
	bad |= enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &both, NULL, ^{ r[5] = r[4] + 1; });
	release_event(first);
	release_event(second);
	release_event(both);
	r[0] = bad;
}

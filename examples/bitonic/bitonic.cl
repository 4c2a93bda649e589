/* Bitonic sort: a fixed network of comparisons, so every work-item always knows its two partners. The host launches one pass after the other.
 * A pair of key and value is ordered by its key, and by its value if keys are equal. So the result does not depend on the order of execution.
 *
 * In pass (run, distance) the sorted runs have length `run`. The pass orders two pairs at this distance, ascending or descending by the run that contains them. */
__kernel void bitonic_pass(__global uint2 *pairs, uint run, uint distance)
{
	uint id = get_global_id(0);
	uint low = 2 * id - (id & (distance - 1)), high = low + distance;
	bool ascending = (low & run) == 0;
	uint2 a = pairs[low], b = pairs[high];
	bool greater = a.x > b.x || (a.x == b.x && a.y > b.y);
	if (greater == ascending) {
		pairs[low] = b;
		pairs[high] = a;
	}
}

/* Does all passes whose distances fit a work-group, in local memory. `from` is the first run length, `to` the last. */
__kernel void bitonic_local(__global uint2 *pairs, uint from, uint to, __local uint2 *part)
{
	uint id = get_local_id(0), items = get_local_size(0), base = get_group_id(0) * 2 * items;
	part[id] = pairs[base + id];
	part[id + items] = pairs[base + id + items];
	for (uint run = from; run <= to; run *= 2) {
		for (uint distance = min(run / 2, items); distance > 0; distance /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint low = 2 * id - (id & (distance - 1)), high = low + distance;
			bool ascending = ((base + low) & run) == 0;
			uint2 a = part[low], b = part[high];
			bool greater = a.x > b.x || (a.x == b.x && a.y > b.y);
			if (greater == ascending) {
				part[low] = b;
				part[high] = a;
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	pairs[base + id] = part[id];
	pairs[base + id + items] = part[id + items];
}

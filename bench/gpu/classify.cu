/* Counts the outcomes of a launch of litmus.py: two bits for each register (5), two for the last value of each location (3), as tests/litmus has them. */
extern "C" __global__ void classify(const unsigned *memory, const unsigned *results, unsigned slot, unsigned copies, unsigned registers, unsigned locations,
                                    unsigned *histogram)
{
	for (unsigned copy = blockIdx.x * blockDim.x + threadIdx.x; copy < copies; copy += gridDim.x * blockDim.x) {
		unsigned outcome = 0;
		for (unsigned r = 0; r < registers; r++)
			outcome |= (results[(size_t)copy * 8 + r] & 3) << 2 * r;
		for (unsigned l = 0; l < locations; l++)
			outcome |= (memory[(size_t)copy * slot + (size_t)l * copies * slot] & 3) << 2 * (5 + l);
		unsigned same = __match_any_sync(__activemask(), outcome);
		if ((threadIdx.x & 31) == __ffs(same) - 1)
			atomicAdd(&histogram[outcome], __popc(same));
	}
}

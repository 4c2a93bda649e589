/* y = a * x + y: the smallest complete kernel.
 *
 * The grid is a whole number of work-groups, so the last group may reach past n. Every work-item checks this before it accesses memory.
 * fma() is one operation with one rounding. For a * x + y the compiler could choose, and results could differ in the last bit. */
__kernel void saxpy(__global const float *x, __global float *y, float a, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		y[i] = fma(a, x[i], y[i]);
}

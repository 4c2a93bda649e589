/* Counts the steps in which a point of the plane escapes. Neighbouring work-items leave the loop at different times, and the warp runs until its last lane leaves.
 *
 * Points near the edge of the set are chaotic: a single different rounding changes the count. FP_CONTRACT OFF keeps the compiler from fusing
 * multiplications and additions, so the host gets the same counts with the same expressions. */
#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global uint *steps, uint width, uint height, float left, float top, float scale, uint limit)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	float cr = left + (float)x * scale, ci = top + (float)y * scale, zr = 0, zi = 0;
	uint n = 0;
	while (n < limit) {
		float rr = zr * zr, ii = zi * zi;
		if (rr + ii > 4.0f)
			break;
		zi = 2.0f * (zr * zi) + ci;
		zr = (rr - ii) + cr;
		n++;
	}
	steps[y * width + x] = n;
}

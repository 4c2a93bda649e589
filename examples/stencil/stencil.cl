/* One step of heat that flows over a plate: every point moves towards the mean of its four neighbours. The border keeps its temperature.
 * Two buffers take turns, so no work-item reads a value that another one has already replaced. */
__kernel void heat(__global const float *now, __global float *next, uint width, uint height, float rate)
{
	uint x = get_global_id(0), y = get_global_id(1);
	if (x >= width || y >= height)
		return;
	uint i = y * width + x;
	float here = now[i];
	if (x > 0 && y > 0 && x + 1 < width && y + 1 < height) {
		float around = (now[i - 1] + now[i + 1]) + (now[i - width] + now[i + width]);
		here = fma(rate, fma(-4.0f, here, around), here);
	}
	next[i] = here;
}

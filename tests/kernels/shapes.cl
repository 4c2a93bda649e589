/* Shapes of control flow whose instructions tests/kernels/shapes.c counts, with every mechanism of divergence. 64 threads, one CTA. */
#define LOOP _Pragma("unroll 1")
#define WORK(x) (((x) * 1664525u + 1013904223u) ^ ((x) >> 7) * 2654435761u)

__kernel void nested_break(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 40; k++) {
		x = WORK(x);
		if (x & 0x100) {
			x = WORK(x + k);
			x = WORK(x + 3);
			if ((x & 0x1f000) == 0)
				break;
			x = WORK(x + 9);
		}
		x = WORK(x ^ k);
	}
	out[i] = x;
}

__kernel void nested_continue(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, sum = 0;
	LOOP for (uint k = 0; k < 20; k++) {
		x = WORK(x);
		if (x & 0x100) {
			x = WORK(x + k);
			if (x & 0x2000)
				continue;
			x = WORK(x + 9);
			sum += x;
		}
		x = WORK(x ^ k);
		sum ^= WORK(x + sum);
	}
	out[i] = x + sum;
}

__kernel void early_return(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 20; k++) {
		x = WORK(x);
		if (x & 0x100) {
			x = WORK(x + k);
			if ((x & 0xf000) == 0) {
				out[i] = x;
				return;
			}
			x = WORK(x + 9);
		}
		x = WORK(x ^ k);
	}
	out[i] = x + 1;
}

__kernel void switch_in_loop(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 16; k++) {
		switch (x >> 9 & 7) {
		case 0:
			x = WORK(x + 1);
			break;
		case 1:
			x = WORK(x ^ 3);
			x = WORK(x + k);
			/* fall through */
		case 2:
			x = WORK(x * 5);
			break;
		case 3:
		case 4:
			x = WORK(x * 7 + k);
			x = WORK(x ^ 0x55);
			break;
		case 5:
			out[i] = x;
			return;
		default:
			x += WORK(k);
		}
		x = WORK(x);
	}
	out[i] = x;
}

__kernel void go_to(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, k = 0;
	if (x & 64)
		goto middle;
first:
	x = WORK(x);
	if (x & 0x800)
		goto last;
middle:
	x = WORK(x ^ 0x777);
	x = WORK(x + k);
last:
	x = WORK(x + 1);
	if (++k < 10 + (x >> 5 & 7))
		goto first;
	out[i] = x;
}

__kernel void short_circuit(__global uint *out, __global const uint *in)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 12; k++) {
		volatile __global const uint *p = in;
		if (((x & 0x100) && p[x >> 4 & 31] & 1) || ((x & 0x2000) && p[x >> 9 & 31] & 2)) {
			x = WORK(x + k);
			x = WORK(x ^ 0x1234);
			x = WORK(x + 99);
		}
		x = WORK(x);
	}
	out[i] = x;
}

__kernel void do_while(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, k = 0;
	LOOP do {
		x = WORK(x);
		if (x & 0x400)
			x = WORK(x + k);
		k++;
	} while ((x & 0xf00) != 0 && k < 60);
	out[i] = x;
}

__kernel void two_exits(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, r = 0;
	LOOP for (uint k = 0; k < 30; k++) {
		x = WORK(x);
		if ((x & 0xf00) == 0) {
			r = WORK(x + 1) + WORK(x + 2) + WORK(x + 3);
			break;
		}
		x = WORK(x + k);
		if ((x & 0xf000) == 0) {
			r = WORK(x ^ 1) * WORK(x ^ 2) * WORK(x ^ 3);
			break;
		}
	}
	out[i] = WORK(x + r);
}

__kernel void nested_loops(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, sum = 0;
	LOOP for (uint k = 0; k < (i & 7) + 2; k++) {
		LOOP for (uint j = 0; j < 8; j++) {
			x = WORK(x + j);
			if ((x & 0x700) == 0)
				goto out_of_both;
			if ((x & 0x7000) == 0)
				break;
		}
		sum += WORK(x + k);
	}
out_of_both:
	out[i] = x + WORK(sum);
}

__attribute__((noinline)) uint early(uint x)
{
	if (x & 0x100)
		return WORK(x);
	LOOP for (uint k = 0; k < 8; k++) {
		x = WORK(x + k);
		if ((x & 0xf00) == 0)
			return x + k;
	}
	return WORK(x ^ 5);
}

__kernel void calls(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 6; k++) {
		if (x & 0x200)
			x = early(x + k);
		x = WORK(x);
	}
	out[i] = x;
}

__kernel void if_else(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 12; k++) {
		if (x & 0x100) {
			x = WORK(x + k);
			x = WORK(x ^ 0x1234);
			out[i] = x;
		} else {
			x = WORK(x * 3);
			x = WORK(x ^ 0x99);
			out[i + 64] = x;
		}
		x = WORK(x);
	}
	out[i] = x;
}

__kernel void guard(__global uint *out, uint n)
{
	uint i = get_global_id(0), x = i * 77 + 5;
	if (i >= n)
		return;
	LOOP for (uint k = 0; k < 12; k++)
		x = WORK(x);
	out[i] = x;
}

__kernel void search(__global uint *out)
{
	uint i = get_global_id(0), x = i * 77 + 5, found = 0;
	LOOP for (uint k = 0; !found; k++) {
		x = WORK(x + k);
		LOOP for (uint j = 0; j < 4; j++) {
			if (((x >> j * 3) & 0x3f) == 9) {
				found = k * 4 + j + 1;
				break;
			}
			if (k > 20)
				return;
		}
	}
	out[i] = found + WORK(x);
}

__kernel void barrier_after_break(__global uint *out)
{
	__local uint shared[64];
	uint i = get_local_id(0), x = i * 77 + 5;
	LOOP for (uint k = 0; k < 12; k++) {
		LOOP for (uint j = 0; j < 6; j++) {
			x = WORK(x + j);
			if (x & 0x100) {
				x = WORK(x);
				if ((x & 0x3000) == 0)
					break;
			}
		}
		shared[i] = x;
		barrier(CLK_LOCAL_MEM_FENCE);
		x += shared[63 - i];
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[i] = x;
}

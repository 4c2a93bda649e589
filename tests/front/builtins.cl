/* Every function that lib/heddle_builtins.cl defines, or that much depends on, as a kernel: FUNCTION_TYPE. */
#define UNARY(T, name)                                                                                                                               \
	__kernel void name##_##T(__global const T *x, __global T *out, uint n)                                                                       \
	{                                                                                                                                            \
		uint i = get_global_id(0);                                                                                                           \
		if (i < n)                                                                                                                           \
			out[i] = name(x[i]);                                                                                                         \
	}
#define BINARY(T, name)                                                                                                                              \
	__kernel void name##_##T(__global const T *x, __global const T *y, __global T *out, uint n)                                                  \
	{                                                                                                                                            \
		uint i = get_global_id(0);                                                                                                           \
		if (i < n)                                                                                                                           \
			out[i] = name(x[i], y[i]);                                                                                                   \
	}
#define TERNARY(T, name)                                                                                                                             \
	__kernel void name##_##T(__global const T *x, __global const T *y, __global const T *z, __global T *out, uint n)                             \
	{                                                                                                                                            \
		uint i = get_global_id(0);                                                                                                           \
		if (i < n)                                                                                                                           \
			out[i] = name(x[i], y[i], z[i]);                                                                                             \
	}
#define BOTH(kind, name) kind(float, name) kind(double, name)

BOTH(UNARY, exp) BOTH(UNARY, exp2) BOTH(UNARY, log) BOTH(UNARY, log2) BOTH(UNARY, expm1) BOTH(UNARY, log1p) BOTH(UNARY, sin) BOTH(UNARY, cos) BOTH(UNARY, tan)
BOTH(UNARY, asin) BOTH(UNARY, acos) BOTH(UNARY, atan) BOTH(UNARY, sinh) BOTH(UNARY, cosh) BOTH(UNARY, tanh) BOTH(UNARY, sqrt) BOTH(UNARY, rsqrt) BOTH(UNARY, cbrt)
BOTH(UNARY, erf) BOTH(UNARY, erfc) BOTH(UNARY, tgamma) BOTH(UNARY, floor) BOTH(UNARY, ceil) BOTH(UNARY, rint) BOTH(UNARY, round) BOTH(UNARY, trunc)
BOTH(BINARY, pow) BOTH(BINARY, fmod) BOTH(BINARY, remainder) BOTH(BINARY, hypot) BOTH(BINARY, atan2) BOTH(BINARY, fmin) BOTH(BINARY, fmax)
#define divide(a, b) ((a) / (b))
BOTH(BINARY, divide)
UNARY(float, native_sin) UNARY(float, native_cos) UNARY(float, native_tan) UNARY(float, native_exp) UNARY(float, native_exp2) UNARY(float, native_exp10)
UNARY(float, native_log) UNARY(float, native_log2) UNARY(float, native_log10) UNARY(float, native_sqrt) UNARY(float, native_rsqrt) UNARY(float, native_recip)
BINARY(float, native_powr) BINARY(float, native_divide)

#define SIGNED(kind, name) kind(char, name) kind(short, name) kind(int, name) kind(long, name)
#define UNSIGNED(kind, name) kind(uchar, name) kind(ushort, name) kind(uint, name) kind(ulong, name)
SIGNED(BINARY, sub_sat) SIGNED(TERNARY, mad_sat) SIGNED(TERNARY, mad_hi) SIGNED(BINARY, add_sat)
UNSIGNED(BINARY, sub_sat) UNSIGNED(TERNARY, mad_sat) UNSIGNED(TERNARY, mad_hi) UNSIGNED(BINARY, add_sat)

/* Rounding modes side by side: rte, rtz, rtp, rtn. */
#define CONVERT(F, I)                                                                                                                                \
	__kernel void convert_##F##_##I(__global const I *x, __global F *out, uint n)                                                                \
	{                                                                                                                                            \
		uint i = get_global_id(0);                                                                                                           \
		if (i >= n)                                                                                                                          \
			return;                                                                                                                      \
		out[i * 4] = convert_##F##_rte(x[i]);                                                                                                \
		out[i * 4 + 1] = convert_##F##_rtz(x[i]);                                                                                            \
		out[i * 4 + 2] = convert_##F##_rtp(x[i]);                                                                                            \
		out[i * 4 + 3] = convert_##F##_rtn(x[i]);                                                                                            \
	}
CONVERT(float, int) CONVERT(float, uint) CONVERT(float, long) CONVERT(float, ulong) CONVERT(double, long) CONVERT(double, ulong)

__kernel void work_items(__global uint *out)
{
	if (get_local_id(0) + get_local_id(1) + get_group_id(0) + get_group_id(1) != 0)
		return;
	uint d = 0;
	for (uint i = 0; i < 4; i++) {
		out[d++] = get_global_id(i);
		out[d++] = get_global_size(i);
		out[d++] = get_local_size(i);
		out[d++] = get_num_groups(i);
		out[d++] = get_global_offset(i);
	}
	out[d] = get_work_dim();
}

/* Small parameters that begin inside a word. */
__kernel void small_parameters(__global int *out, char a, char b, uchar c, short d, uchar4 e, char f)
{
	out[0] = a, out[1] = b, out[2] = c, out[3] = d, out[4] = e.z, out[5] = f;
}

__kernel void copies(__global const int3 *in, __global int3 *out, uint n, __local int3 *part)
{
	prefetch(in, n);
	event_t event = async_work_group_copy(part, in, n, 0);
	wait_group_events(1, &event);
	event = async_work_group_strided_copy(out, part, n, 2, 0);
	wait_group_events(1, &event);
}

__kernel void wide_atomics(__global long *s, __global ulong *u, __local ulong *part)
{
	if (get_local_id(0) == 0)
		part[0] = 0, part[1] = ULONG_MAX;
	barrier(CLK_LOCAL_MEM_FENCE);
	long i = get_global_id(0);
	atom_add(&s[0], i << 31);
	atom_sub(&s[1], i << 31);
	atom_min(&s[2], -i << 33);
	atom_max(&s[3], i << 33);
	atom_inc(&u[0]);
	atom_dec(&u[1]);
	atom_or(&u[2], (ulong)1 << i);
	atom_and(&u[3], ~((ulong)1 << i));
	atom_xor(&u[4], (ulong)3 << i);
	atom_max(&part[0], (ulong)i << 40);
	atom_min(&part[1], (ulong)(i + 5) << 40);
	for (ulong seen = u[5], old = 0; (old = atom_cmpxchg(&u[5], seen, seen + 3)) != seen; seen = old)
		;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		atom_xchg(&u[6], part[0]);
		u[7] = part[1];
	}
}

__kernel void geometry(__global const float4 *x, __global float *out, uint n)
{
	uint i = get_global_id(0);
	if (i >= n)
		return;
	float4 v = x[i], unit4 = normalize(v);
	float3 unit3 = normalize(v.xyz);
	float2 unit2 = fast_normalize(v.xy);
	out += i * 16;
	out[0] = dot(v, (float4)(1, 2, 3, 4));
	out[1] = dot(v.xyz, (float3)(1, 2, 3));
	out[2] = dot(v.xy, (float2)(1, 2));
	out[3] = length(v);
	out[4] = length(v.xyz);
	out[5] = fast_length(v.xy);
	out[6] = distance(v, (float4)(1));
	out[7] = unit4.x, out[8] = unit4.y, out[9] = unit4.z, out[10] = unit4.w;
	out[11] = unit3.x, out[12] = unit3.y, out[13] = unit3.z;
	out[14] = unit2.x, out[15] = unit2.y;
}

__kernel void smooth(__global const double *x, __global double *out, uint n)
{
	uint i = get_global_id(0);
	if (i < n)
		out[i] = smoothstep(-1.0, 3.0, (double2)(x[i], 0)).x;
}

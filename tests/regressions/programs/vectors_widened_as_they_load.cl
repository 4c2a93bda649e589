// clang folds the widening of vectors of 8 and 16 halves or floats into their load, which does not convert.
// run: --grid 2 --block 4 --arg out:out.npy:i32:192
// expect: right
// values: indices
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define NUMBERS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63
constant half halves[64] __attribute__((aligned(32))) = {NUMBERS};
constant float floats[64] __attribute__((aligned(32))) = {NUMBERS};

kernel void k(global int8 *out)
{
	size_t i = get_global_id(0);
	out[i] = convert_int8(__builtin_convertvector(((constant half8 *)halves)[i], double8));
	out[i + 8] = convert_int8(__builtin_convertvector(((constant float8 *)floats)[i], double8)) + 64;
	if (i < 4)
		((global int16 *)out)[i + 8] = convert_int16(__builtin_convertvector(((constant half16 *)halves)[i], float16)) + 128;
}

// clang 19 has no code, or wrong code, for a call that passes or returns a vector of two bytes.
// run: --kernel pairs --grid 4 --block 64 --arg out:out.npy:i32:256
// expect: right
// values: indices
__attribute__((noinline)) char2 sum(char2 a, global int *p) { return a + (char2)((char)p[0], 1); }
__attribute__((noinline)) void keep(uchar2 a, local uchar2 *p) { *p = a.yx; }
kernel void pairs(global int *out)
{
	int i = get_global_id(0), l = get_local_id(0);
	local uchar2 kept[64];
	out[i] = 3;
	char2 s = sum((char2)((char)i, -2), &out[i]);
	keep((uchar2)((uchar)i, 200), &kept[l]);
	out[i] = s.x == (char)(i + 3) && s.y == -1 && kept[l].x == 200 && kept[l].y == (uchar)i ? i : -1;
}

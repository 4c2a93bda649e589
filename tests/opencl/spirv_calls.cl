/* A unit that calls a function of another one. Its second kernel calls the first, as any function may. */
int external(int x);
kernel void calls(global int *out) { out[get_global_id(0)] = external((int)get_global_id(0)); }
void twice(global int *out)
{
	calls(out);
	out[get_global_id(0)] *= 2;
}
kernel void outer(global int *out) { twice(out); }

/* A unit that calls a function of another one. */
int external(int x);
kernel void calls(global int *out) { out[get_global_id(0)] = external((int)get_global_id(0)); }

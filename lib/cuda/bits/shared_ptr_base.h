// libstdc++ writes __noinline__ in attributes here, which CUDA makes a word of its own.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")

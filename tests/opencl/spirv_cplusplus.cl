/* C++ for OpenCL: templates, a functor, a lambda expression. There is no source form of it for this device; SPIR-V brings it. */
template <typename T> struct adder {
	T n;
	T operator()(T x) const { return x + n; }
};

template <typename T, typename F> void apply(__global T *p, const F &f)
{
	size_t i = get_global_id(0);
	p[i] = f(p[i]);
}

__kernel void hello(__global float *p, float n)
{
	adder<float> add{n};
	auto twice = [](float x) { return 2 * x; };
	apply(p, add);
	apply(p, twice);
}

// Copies and fills that CUDA kernels put into streams: child grids of two kernels. src/ptx/system.c adds this to a program that calls one of them.
#define DEVICE extern "C" __attribute__((device))
#define KERNEL extern "C" __attribute__((global))
#define LOCAL static __attribute__((device))

typedef unsigned long word;
typedef word stream;
struct dim3 {
	unsigned x, y, z;
};
enum { THREADS = 128, SHARE = 16, BLOCKS_MAX = 1024, OF_THREAD = 2 };

DEVICE int __heddle_child(const void *kernel, dim3 grid, dim3 block, unsigned shared, stream s, const void *parameters);

LOCAL word first() { return (word)__nvvm_read_ptx_sreg_ctaid_x() * THREADS + __nvvm_read_ptx_sreg_tid_x(); }
LOCAL word step() { return (word)__nvvm_read_ptx_sreg_nctaid_x() * THREADS; }

KERNEL void __heddle_copy(char *to, const char *from, word bytes)
{
	word words = (((word)to | (word)from) & 3) == 0 ? bytes / 4 : 0;
	for (word i = first(); i < words; i += step())
		((unsigned *)to)[i] = ((const unsigned *)from)[i];
	for (word i = words * 4 + first(); i < bytes; i += step())
		to[i] = from[i];
}
KERNEL void __heddle_fill(char *to, word value, word bytes)
{
	for (word i = first(); i < bytes; i += step())
		to[i] = (char)value;
}

struct parameters {
	void *to;
	word from, bytes;
};

LOCAL int launch(word kernel, void *to, word from, word bytes, stream s)
{
	parameters p = {to, from, bytes};
	word blocks = (bytes + THREADS * SHARE - 1) / (THREADS * SHARE);
	dim3 grid = {(unsigned)(blocks > BLOCKS_MAX ? (word)BLOCKS_MAX : blocks ? blocks : 1), 1, 1}, block = {THREADS, 1, 1};
	return __heddle_child((const void *)kernel, grid, block, 0, s, &p);
}

DEVICE int __heddle_cudaMemcpyAsync(void *to, const void *from, word bytes, int, stream s)
{
	word kernel;
	asm("mov.u64 %0, __heddle_copy;" : "=l"(kernel));
	return launch(kernel, to, (word)from, bytes, s);
}
DEVICE int __heddle_cudaMemsetAsync(void *to, int value, word bytes, stream s)
{
	word kernel;
	asm("mov.u64 %0, __heddle_fill;" : "=l"(kernel));
	return launch(kernel, to, (word)(unsigned)value, bytes, s);
}
DEVICE int __heddle_cudaMemcpyAsync_ptsz(void *to, const void *from, word bytes, int kind, stream s)
{
	return __heddle_cudaMemcpyAsync(to, from, bytes, kind, s ? s : (stream)OF_THREAD);
}
DEVICE int __heddle_cudaMemsetAsync_ptsz(void *to, int value, word bytes, stream s) { return __heddle_cudaMemsetAsync(to, value, bytes, s ? s : (stream)OF_THREAD); }

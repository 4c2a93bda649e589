#include "example.h"

extern const ex_example ex_saxpy, ex_matmul_naive, ex_matmul_tiled, ex_reduce, ex_scan, ex_histogram, ex_transpose, ex_stencil, ex_nbody,
    ex_mandelbrot, ex_bfs, ex_spmv, ex_blackscholes, ex_bitonic, ex_sha256, ex_convolution, ex_lighting, ex_divergent, ex_short_circuit,
    ex_state_machine, ex_early_exit, ex_interpreter, ex_goto, ex_graphics;

#define EXAMPLES                                                                                                                                   \
	&ex_saxpy, &ex_matmul_naive, &ex_matmul_tiled, &ex_reduce, &ex_scan, &ex_histogram, &ex_transpose, &ex_stencil, &ex_nbody, &ex_mandelbrot, \
	    &ex_bfs, &ex_spmv, &ex_blackscholes, &ex_bitonic, &ex_sha256, &ex_convolution, &ex_lighting, &ex_divergent, &ex_short_circuit,         \
	    &ex_state_machine, &ex_early_exit, &ex_interpreter, &ex_goto

const ex_example *const ex_examples[] = {EXAMPLES, NULL};
const ex_example *const ex_tested[] = {EXAMPLES, &ex_graphics, NULL};

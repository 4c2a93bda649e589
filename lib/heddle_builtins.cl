/* Heddle's part of the OpenCL C built-in functions: what libclc 14 lacks for our target, and what it gets wrong. clang links this before libclc, so a definition
 * here replaces libclc's, in every vector width. Functions that are declared but defined nowhere (__heddle_...) are operations of the machine: docs/ptx.md. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OVER __attribute__((overloadable))
#define PURE __attribute__((overloadable, const))

/* A function of scalars, for all vector widths. R result, A B C argument types. */
#define WIDEN1(R, name, A)                                                                                                                           \
	PURE R##2 name(A##2 a) { return (R##2)(name(a.x), name(a.y)); }                                                                              \
	PURE R##3 name(A##3 a) { return (R##3)(name(a.x), name(a.y), name(a.z)); }                                                                   \
	PURE R##4 name(A##4 a) { return (R##4)(name(a.lo), name(a.hi)); }                                                                            \
	PURE R##8 name(A##8 a) { return (R##8)(name(a.lo), name(a.hi)); }                                                                            \
	PURE R##16 name(A##16 a) { return (R##16)(name(a.lo), name(a.hi)); }
#define WIDEN2(R, name, A, B)                                                                                                                        \
	PURE R##2 name(A##2 a, B##2 b) { return (R##2)(name(a.x, b.x), name(a.y, b.y)); }                                                            \
	PURE R##3 name(A##3 a, B##3 b) { return (R##3)(name(a.x, b.x), name(a.y, b.y), name(a.z, b.z)); }                                            \
	PURE R##4 name(A##4 a, B##4 b) { return (R##4)(name(a.lo, b.lo), name(a.hi, b.hi)); }                                                        \
	PURE R##8 name(A##8 a, B##8 b) { return (R##8)(name(a.lo, b.lo), name(a.hi, b.hi)); }                                                        \
	PURE R##16 name(A##16 a, B##16 b) { return (R##16)(name(a.lo, b.lo), name(a.hi, b.hi)); }
#define WIDEN3(R, name, A, B, C)                                                                                                                     \
	PURE R##2 name(A##2 a, B##2 b, C##2 c) { return (R##2)(name(a.x, b.x, c.x), name(a.y, b.y, c.y)); }                                          \
	PURE R##3 name(A##3 a, B##3 b, C##3 c) { return (R##3)(name(a.x, b.x, c.x), name(a.y, b.y, c.y), name(a.z, b.z, c.z)); }                     \
	PURE R##4 name(A##4 a, B##4 b, C##4 c) { return (R##4)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); }                                    \
	PURE R##8 name(A##8 a, B##8 b, C##8 c) { return (R##8)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); }                                    \
	PURE R##16 name(A##16 a, B##16 b, C##16 c) { return (R##16)(name(a.lo, b.lo, c.lo), name(a.hi, b.hi, c.hi)); }

#include "fences.inc"
#include "work_item.inc"
#include "integer.inc"
#include "convert.inc"
#include "atomic.inc"
#include "async.inc"
#include "native.inc"
#include "geometric.inc"
#include "double_trig.inc"
#include "math.inc"
#include "edges.inc"

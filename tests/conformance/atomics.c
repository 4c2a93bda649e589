/* Atomic functions: every one in global and local memory, of 32 and 64 bits. Two kinds of test: alone, the value that is returned and the one that is
 * left; and by many work-items on few places, where the sum of effects is known whatever the order. */
#include "exact.h"

#include <stdlib.h>

typedef struct function {
	const char *name;
	unsigned arguments;
	bool small; /* exists for the type float as well: xchg */
} function;
static const function rows[] = {{"add", 1, false}, {"sub", 1, false}, {"xchg", 1, true}, {"inc", 0, false}, {"dec", 0, false}, {"cmpxchg", 2, false},
                                {"min", 1, false}, {"max", 1, false}, {"and", 1, false}, {"or", 1, false},  {"xor", 1, false}};
enum { ROWS = sizeof rows / sizeof rows[0], N = 256 };

static cf_wide after(unsigned op, cf_wide old, cf_wide a, cf_wide b)
{
	switch (op) {
	case 0:
		return old + a;
	case 1:
		return old - a;
	case 2:
		return a;
	case 3:
		return old + 1;
	case 4:
		return old - 1;
	case 5:
		return old == a ? b : old;
	case 6:
		return a < old ? a : old;
	case 7:
		return a > old ? a : old;
	case 8:
		return old & a;
	case 9:
		return old | a;
	default:
		return old ^ a;
	}
}

static void write_kernels(FILE *f, const char *T, const char *prefix, unsigned op)
{
	static const char *const arguments[3] = {"", ", a[i]", ", a[i], b[i]"};
	const char *rest = arguments[rows[op].arguments];
	fprintf(f,
	        "kernel void g%u(global %s *p, const global %s *a, const global %s *b, global %s *r) { size_t i = get_global_id(0); r[i] = %s%s(p + "
	        "i%s); }\n",
	        op, T, T, T, T, prefix, rows[op].name, rest);
	fprintf(f,
	        "kernel void l%u(global %s *p, const global %s *a, const global %s *b, global %s *r) { size_t i = get_global_id(0), l = "
	        "get_local_id(0); local %s m[16]; m[l] = p[i]; r[i] = %s%s(m + l%s); p[i] = m[l]; }\n",
	        op, T, T, T, T, T, prefix, rows[op].name, rest);
	fprintf(f,
	        "kernel void h%u(global %s *p, const global %s *a, const global %s *b, global %s *r) { size_t i = get_global_id(0); %s%s(p + i %% "
	        "5%s); }\n",
	        op, T, T, T, T, prefix, rows[op].name, rest);
	fprintf(f,
	        "kernel void m%u(global %s *p, const global %s *a, const global %s *b, global %s *r) { size_t i = get_global_id(0), l = "
	        "get_local_id(0); local %s m[5]; if (l < 5) m[l] = p[l];\n"
	        "barrier(CLK_LOCAL_MEM_FENCE); %s%s(m + i %% 5%s); barrier(CLK_LOCAL_MEM_FENCE); if (l < 5) p[l] = m[l]; }\n",
	        op, T, T, T, T, T, prefix, rows[op].name, rest);
}

static void one(cf_session *s, cl_program program, const char *T, const char *prefix, unsigned op)
{
	static uint64_t p[N], old[N], a[N], b[N], r[N];
	char name[24], kernel[8];
	snprintf(name, sizeof name, "%s%s", prefix, rows[op].name);
	if (!cf_wanted(s, "atomic", name))
		return;
	cf_row *row = cf_row_of(s, "atomic", name, T, -1);
	size_t size = cf_size(T);
	for (unsigned k = 0; k < 4; k++) {
		bool alone = k < 2;
		cf_fill_any(s, T, p, N, 0);
		cf_fill_any(s, T, a, N, 1);
		cf_fill_any(s, T, b, N, 2);
		for (size_t i = 0; i < N; i += 3) /* comparisons that hold */
			cf_set_integer(T, a, i, cf_integer(T, p, i));
		memcpy(old, p, sizeof p);
		cf_buffer buffers[4] = {{p, N * size, true}, {a, N * size, false}, {b, N * size, false}, {r, N * size, true}};
		snprintf(kernel, sizeof kernel, "%c%u", "glhm"[k], op);
		row->forms++;
		/* The contended local form: one group holds all. */
		if (!cf_launch(s, program, kernel, N, k == 3 ? N : 16, buffers, 4)) {
			cf_wrong(row, "form %c could not be run", "glhm"[k]);
			continue;
		}
		uint64_t mask = ~(uint64_t)0 >> (64 - 8 * size);
		for (size_t i = 0; alone && i < N; i++) {
			cf_wide expected = after(op, cf_integer(T, old, i), cf_integer(T, a, i), cf_integer(T, b, i));
			row->values += 2;
			if (((uint64_t)cf_integer(T, p, i) ^ (uint64_t)expected) & mask || cf_integer(T, r, i) != cf_integer(T, old, i))
				cf_wrong(row, "%lld: left %lld, returned %lld", (long long)cf_integer(T, old, i), (long long)cf_integer(T, p, i),
				         (long long)cf_integer(T, r, i));
		}
		/* Contended: whatever the order, all but exchanges leave the same. Of an exchange, one of the values must be there. */
		for (size_t place = 0; !alone && place < 5; place++) {
			cf_wide expected = cf_integer(T, old, place), left = cf_integer(T, p, place);
			bool found = op == 5 && left == expected;
			for (size_t i = place; i < N; i += 5) {
				if (op != 2 && op != 5)
					expected = after(op, expected, cf_integer(T, a, i), 0);
				found |= left == cf_integer(T, op == 2 ? a : b, i);
			}
			row->values++;
			if (op == 2 || op == 5 ? !found : (((uint64_t)left ^ (uint64_t)expected) & mask) != 0)
				cf_wrong(row, "contended: %lld, expected %lld", (long long)left, (long long)expected);
		}
	}
}

void cf_atomics(cf_session *s)
{
	static const char *const types[4] = {"int", "uint", "long", "ulong"};
	bool wanted = false;
	for (unsigned op = 0; op < ROWS; op++)
		wanted |= cf_wanted(s, "atomic", rows[op].name) || cf_wanted(s, "atomic", "atom");
	if (!wanted)
		return;
	for (unsigned t = 0; t < 5; t++) { /* the last round: the older names, of int */
		const char *prefix = t < 2 ? "atomic_" : "atom_", *T = t < 4 ? types[t] : "int";
		if (s->reduced && (t == 1 || t == 3))
			continue;
		char *text = NULL;
		size_t bytes;
		FILE *f = open_memstream(&text, &bytes);
		if (!f)
			abort();
		fprintf(
		    f,
		    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
		for (unsigned op = 0; op < ROWS; op++)
			write_kernels(f, T, prefix, op);
		if (t == 0)
			fprintf(f, "kernel void f(global float *p, const global float *a, global float *r) { size_t i = get_global_id(0); r[i] = "
			           "atomic_xchg(p + i, a[i]); }\n");
		fclose(f);
		cl_program program = cf_build(s, "atomic", prefix, text);
		free(text);
		if (!program)
			continue;
		for (unsigned op = 0; op < ROWS; op++)
			one(s, program, T, prefix, op);
		if (t == 0) {
			float p[32], a[32], r[32];
			for (int i = 0; i < 32; i++)
				p[i] = (float)i, a[i] = -(float)i - 0.5f;
			cf_buffer buffers[3] = {{p, sizeof p, true}, {a, sizeof a, false}, {r, sizeof r, true}};
			cf_row *row = cf_row_of(s, "atomic", "atomic_xchg", "float", -1);
			row->forms++;
			bool ran = cf_launch(s, program, "f", 32, 0, buffers, 3);
			for (int i = 0; i < 32; i++) {
				row->values += 2;
				if (!ran || p[i] != a[i] || r[i] != (float)i)
					cf_wrong(row, "%d: left %f, returned %f", i, (double)p[i], (double)r[i]);
			}
		}
		clReleaseProgram(program);
	}
}

// The device functions that CUDA programs call and no PTX file defines: vprintf, malloc, free, __assertfail, and what stands in tables of virtual
// functions for one that has no body. Heddle's build makes PTX of them, and the
// PTX reader adds that to a program which calls one (src/ptx/system.c). Compiled without any header.
#define DEVICE extern "C" __attribute__((device))
#define LOCAL static __attribute__((device))
#define GLOBAL __attribute__((address_space(1)))

typedef unsigned char byte;
typedef unsigned long word;

// -- printf: the format says how large the arguments are. src/api/print.h has the layout of a record -------------------------------------------------
DEVICE GLOBAL byte *__heddle_print_buffer(void);
DEVICE word __heddle_print_room(void);

enum { BEGIN = 16, HEAD = 16, RECORD_MAX = 4096, ARGUMENTS_MAX = 64 };

// Strings with names of their own: clang calls strings by the same names in every file.
#define STRING static __attribute__((device)) const char
STRING heddle_flags[] = "-+ #0.*hlLqjzt", heddle_longs[] = "lqjzt", heddle_integers[] = "diouxXc", heddle_wide[] = "aAeEfFgGsp",
       heddle_assertion[] = "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n";

LOCAL bool is_one_of(char c, const char *list)
{
	for (; *list; list++)
		if (*list == c)
			return true;
	return false;
}

// Behind the directive that begins at `at`, behind its %. The sizes of its arguments in *sizes, the first in the low byte.
LOCAL const char *directive(const char *at, unsigned *sizes)
{
	unsigned n = 0, longs = 0;
	*sizes = 0;
	for (; *at && (is_one_of(*at, heddle_flags) || (*at >= '1' && *at <= '9')); at++) {
		if (*at == '*' && n < 2)
			*sizes |= 4u << (8 * n++);
		longs |= is_one_of(*at, heddle_longs);
	}
	if (!*at)
		return at;
	if (is_one_of(*at, heddle_integers))
		*sizes |= (longs ? 8u : 4u) << (8 * n);
	else if (is_one_of(*at, heddle_wide))
		*sizes |= 8u << (8 * n);
	return at + 1;
}

// Bytes of a string that must be copied, because the host does not see the memory that it lies in; 0: it may stay.
LOCAL unsigned copied(const char *string)
{
	unsigned there, n = 0;
	asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(there) : "l"(string));
	while (!there && string && n < RECORD_MAX && string[n++])
		;
	return n;
}

LOCAL const byte *aligned(const byte *arguments, unsigned size) { return (const byte *)(((word)arguments + size - 1) & ~(word)(size - 1)); }

DEVICE int __heddle_vprintf(const char *format, const byte *arguments)
{
	unsigned n = 0, values = 0, strings = 0, sizes;
	const byte *argument = arguments;
	for (const char *at = format; *at;) {
		if (*at++ != '%')
			continue;
		for (at = directive(at, &sizes); sizes; sizes >>= 8, n++) {
			argument = aligned(argument, sizes & 255);
			if (at[-1] == 's' && sizes < 256)
				strings += copied(*(const char *const *)argument);
			values += sizes & 255;
			argument += sizes & 255;
		}
	}
	unsigned bytes = (HEAD + ((n + 3) & ~3u) + values + strings + 7) & ~7u;
	if (bytes > RECORD_MAX || n > ARGUMENTS_MAX)
		return -1;
	GLOBAL byte *buffer = __heddle_print_buffer();
	word room = __heddle_print_room(), begin = (word)__nvvm_atom_add_gen_ll((long long *)buffer, bytes);
	// Nobody reads what lies behind the buffer.
	bool fits = begin + bytes <= room;
	GLOBAL byte *record = buffer + (fits ? begin : room) + BEGIN;
	*(GLOBAL unsigned *)record = bytes;
	*(GLOBAL unsigned *)(record + 4) = n;
	*(GLOBAL word *)(record + 8) = (word)format;
	GLOBAL byte *size = record + HEAD, *value = size + ((n + 3) & ~3u), *string = value + values;
	for (const char *at = format; *at;) {
		if (*at++ != '%')
			continue;
		for (at = directive(at, &sizes); sizes; sizes >>= 8) {
			unsigned own = sizes & 255;
			arguments = aligned(arguments, own);
			*size++ = (byte)own;
			for (unsigned i = 0; i < own; i += 4)
				*(GLOBAL unsigned *)(value + i) = *(const unsigned *)(arguments + i);
			unsigned moved = at[-1] == 's' && sizes < 256 ? copied(*(const char *const *)arguments) : 0;
			if (moved)
				*(GLOBAL unsigned *)value = (unsigned)(word)string, *(GLOBAL unsigned *)(value + 4) = (unsigned)((word)string >> 32);
			for (unsigned i = 0; i < moved; i++)
				*string++ = (*(const byte *const *)arguments)[i];
			value += own;
			arguments += own;
		}
	}
	return fits ? (int)n : -1;
}

struct assertion {
	const char *file;
	unsigned line, pad;
	const char *function;
	unsigned block[3], thread[3];
	const char *what;
};

DEVICE void __heddle_assertfail(const char *what, const char *file, unsigned line, const char *function, word)
{
	assertion a = {file, line, 0, function, {}, {}, what};
	a.block[0] = __nvvm_read_ptx_sreg_ctaid_x(), a.block[1] = __nvvm_read_ptx_sreg_ctaid_y(), a.block[2] = __nvvm_read_ptx_sreg_ctaid_z();
	a.thread[0] = __nvvm_read_ptx_sreg_tid_x(), a.thread[1] = __nvvm_read_ptx_sreg_tid_y(), a.thread[2] = __nvvm_read_ptx_sreg_tid_z();
	__heddle_vprintf(heddle_assertion, (const byte *)&a);
	asm volatile("trap;");
}

DEVICE void __heddle_cxa_pure_virtual(void) { asm volatile("trap;"); }
DEVICE void __heddle_cxa_deleted_virtual(void) { asm volatile("trap;"); }

// -- malloc: blocks of 16 << k bytes, the first 16 of them the head. A list of free blocks for each k; what no list has is cut from the rest ------------
enum { HEAP = 8 << 20, CLASSES = 20, UNIT = 16 };

struct alignas(16) block {
	unsigned k, next; // next: number of the next free block's first unit + 1
	unsigned pad[2];
};

__attribute__((device)) block __heddle_heap[HEAP / UNIT];
// Of each class: low word the first free block + 1, high word a count of changes, so that a list that changed is never taken for one that did not.
__attribute__((device)) unsigned long long __heddle_heap_free[CLASSES];
__attribute__((device)) unsigned __heddle_heap_top; // units that were cut

LOCAL bool exchange(unsigned long long *at, unsigned long long old, unsigned long long value)
{
	return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)at, (long long)old, (long long)value) == old;
}

// The number of a free block's first unit + 1; 0: there is none.
LOCAL unsigned take_free(unsigned k)
{
	for (;;) {
		unsigned long long head = *(volatile unsigned long long *)&__heddle_heap_free[k];
		unsigned first = (unsigned)head;
		if (!first)
			return 0;
		unsigned next = ((volatile block *)__heddle_heap)[first - 1].next;
		if (exchange(&__heddle_heap_free[k], head, ((head >> 32) + 1) << 32 | next)) {
			asm volatile("membar.gl;" ::: "memory"); // behind what the block's last owner did with it
			return first;
		}
	}
}

LOCAL unsigned cut(unsigned units)
{
	for (;;) {
		unsigned top = *(volatile unsigned *)&__heddle_heap_top;
		if (top + units > HEAP / UNIT)
			return 0;
		if ((unsigned)__nvvm_atom_cas_gen_i((int *)&__heddle_heap_top, (int)top, (int)(top + units)) == top)
			return top + 1;
	}
}

DEVICE void *__heddle_malloc(word size)
{
	unsigned k = 1, first;
	if (size == 0 || size > HEAP - UNIT)
		return 0;
	while (((word)UNIT << k) < size + UNIT)
		k++;
	first = take_free(k);
	if (!first)
		first = cut(1u << k);
	for (unsigned larger = k + 1; !first && larger < CLASSES; larger++) {
		first = take_free(larger);
		k = first ? larger : k;
	}
	if (!first)
		return 0;
	__heddle_heap[first - 1].k = k;
	return &__heddle_heap[first];
}

DEVICE void __heddle_free(void *p)
{
	if (!p)
		return;
	block *b = (block *)p - 1;
	unsigned first = (unsigned)(b - __heddle_heap) + 1, k = b->k; // read before the fence: behind the exchange the block is another owner's
	for (;;) {
		unsigned long long head = *(volatile unsigned long long *)&__heddle_heap_free[k];
		((volatile block *)b)->next = (unsigned)head;
		asm volatile("membar.gl;" ::: "memory"); // no intrinsic: lib/barrier.inc says why
		if (exchange(&__heddle_heap_free[k], head, ((head >> 32) + 1) << 32 | first))
			return;
	}
}

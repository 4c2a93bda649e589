/* Fat binaries for tests, made in memory, and what compilers do with them before main(). */
#ifndef FAT_H
#define FAT_H

#include "cuda/cuda_runtime_api.h"

#include <assert.h>
#include <lz4.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef enum fat_packing { FAT_PLAIN = 0, FAT_LZ4 = 0x2000, FAT_ZSTD = 0x8000 } fat_packing;

typedef struct fat {
	uint8_t bytes[1 << 16];
	size_t n;
	struct {
		uint32_t magic, version;
		const void *data;
		void *more;
	} wrapper;
} fat;

static inline void fat_put(fat *f, size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static inline void fat_begin(fat *f)
{
	memset(f, 0, sizeof *f);
	f->n = 16;
	fat_put(f, 0, 0xba55ed50, 4);
	fat_put(f, 4, 1, 2);
	fat_put(f, 6, 16, 2);
	f->wrapper.magic = 0x466243b1;
	f->wrapper.version = 1;
	f->wrapper.data = f->bytes;
}

/* Adds an entry; kind 1 is PTX, 2 machine code. */
static inline void fat_add(fat *f, unsigned kind, unsigned architecture, const void *body, size_t size, fat_packing packing)
{
	size_t at = f->n, packed = 0;
	uint8_t *to = f->bytes + at + 64;
	int room = (int)(sizeof f->bytes - at - 64);
	if (packing == FAT_LZ4)
		packed = (size_t)LZ4_compress_default(body, (char *)to, (int)size, room);
	else if (packing == FAT_ZSTD)
		packed = ZSTD_compress(to, (size_t)room, body, size, 3);
	else
		memcpy(to, body, size);
	size_t place = ((packing ? packed : size) + 7) / 8 * 8;
	fat_put(f, at, kind, 2);
	fat_put(f, at + 2, 0x101, 2);
	fat_put(f, at + 4, 64, 4);
	fat_put(f, at + 8, place, 8);
	fat_put(f, at + 16, packed, 4);
	fat_put(f, at + 28, architecture, 4);
	fat_put(f, at + 40, 0x11u | packing, 8);
	fat_put(f, at + 56, packing ? size : 0, 8);
	f->n += 64 + place;
	fat_put(f, 8, f->n - 16, 8);
}

static inline void fat_add_text(fat *f, unsigned architecture, const char *text, fat_packing packing)
{
	fat_add(f, 1, architecture, text, strlen(text) + 1, packing);
}

static inline void fat_register_kernel(void **handle, const void *host, const char *name)
{
	__cudaRegisterFunction(handle, host, (char *)name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

#define FAT_HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
/* add(p, value, n): p[i] += value. */
#define FAT_ADD                                                                                              \
	".visible .entry add(.param .u64 p, .param .u32 value, .param .u32 n)\n{\n"                          \
	".reg .pred %p<2>; .reg .u32 %r<8>; .reg .u64 %d<4>;\n"                                              \
	"ld.param.u64 %d1, [p]; ld.param.u32 %r1, [value]; ld.param.u32 %r2, [n];\n"                         \
	"mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r6, %r3, %r4, %r5;\n" \
	"setp.ge.u32 %p1, %r6, %r2; @%p1 bra L;\n"                                                           \
	"cvta.to.global.u64 %d1, %d1; mul.wide.u32 %d2, %r6, 4; add.u64 %d3, %d1, %d2;\n"                    \
	"ld.global.u32 %r7, [%d3]; add.u32 %r7, %r7, %r1; st.global.u32 [%d3], %r7;\nL: ret;\n}\n"
#define FAT_EMPTY ".visible .entry empty()\n{\nret;\n}\n"
#define FAT_TRAP ".visible .entry stop()\n{\ntrap;\nret;\n}\n"
/* bad(p): stores to an address that nobody has. */
#define FAT_BAD                                                                      \
	".visible .entry bad(.param .u64 p)\n{\n.reg .u32 %r<2>; .reg .u64 %d<2>;\n" \
	"ld.param.u64 %d1, [p]; mov.u32 %r1, 1; st.global.u32 [%d1], %r1; ret;\n}\n"

#endif

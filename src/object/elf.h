/* The kernel object as an ELF file, for elf_read.c and elf_write.c.
 *
 * | section           | contents, little-endian                                                                           |
 * |-------------------|---------------------------------------------------------------------------------------------------|
 * | .text             | code words, 64 bits each, in the geometry `compact` 32                                            |
 * | .data             | the module's variables                                                                            |
 * | .strtab           | all names; the offsets below point into it                                                        |
 * | .symtab           | functions: name, value = byte address in .text, size in bytes                                     |
 * | .heddle.program   | format version, counters K + split << 16 (object.h), line geometry, name of the machine, number   |
 * |                   | that stands for .heddle.machine (64 bits; 0 without that section)                                 |
 * | .heddle.machine   | what the annotations rely on: text, a line KEY=VALUE for each key                                 |
 * | .heddle.kernels   | name, entry, registers, shared, local, parameter bytes, maximum threads, required block (3), call |
 * |                   | depth, first parameter, number of parameters, priority, step of the priority                      |
 * | .heddle.params    | name, offset, size, alignment, address space, pointer                                             |
 * | .heddle.names     | a row a kernel: its name in the source                                                            |
 * | .heddle.types     | a row a parameter: its type in the source, element of a pointer (hd_element)                      |
 * | .heddle.targets   | word addresses to which brx and callx may go                                                      |
 * | .heddle.hints     | the pre-decode bytes of the three-bit carrier (PD-28) or of short instructions (PD-33)            |
 * | .heddle.literals  | 32-bit words                                                                                      |
 * | .heddle.relocs    | offset in .data, 0, addend (64 bits)                                                              |
 * | .heddle.files     | names                                                                                             |
 * | .heddle.lines     | word address, file, column, line                                                                  |
 *
 * The .heddle tables are rows of 32-bit words. An empty section is left out. A reader that does not know
 * .heddle.names and .heddle.types loses names only. */
#ifndef HD_OBJECT_ELF_H
#define HD_OBJECT_ELF_H

#include "object/object.h"

enum {
	HD_ELF_MACHINE = 0x4844,
	HD_ELF_VERSION = 5,
	/* 32-bit words a row */
	HD_ELF_PROGRAM_WORDS = 6,
	HD_ELF_KERNEL_WORDS = 15,
	HD_ELF_PARAM_WORDS = 6,
	HD_ELF_TYPE_WORDS = 2,
	HD_ELF_ORDER_WORDS = 2,
	HD_ELF_RELOC_WORDS = 4,
	HD_ELF_LINE_WORDS = 4,
	/* bytes of an entry of .symtab */
	HD_ELF_SYMBOL_BYTES = 24,
};
#define HD_ELF_NO_NAME UINT32_MAX /* for a name that is NULL */

static inline uint32_t hd_elf_get32(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline uint64_t hd_elf_get64(const unsigned char *at) { return hd_elf_get32(at) | (uint64_t)hd_elf_get32(at + 4) << 32; }

#endif

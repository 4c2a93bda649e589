/* Line geometries (PD-1): how instructions and the pre-decode data of the scheduling words share a line. An address counts 64-bit words, the
 * scheduling words (ss) too; in every geometry the first word of a group is the ss of the instructions behind it.
 *
 *   line    512 bits: one ss, then seven instructions. Bits 8i..8i+7 of the ss are the pre-decode byte of word i. Up to 6 fence counters, which the
 *           instruction word names by itself.
 *   wide    512 bits: two groups of one ss and three instructions. Entry i = 1..3 of the ss begins at bit 8 + 18 (i - 1): the byte, then 10 bits that
 *           the word's wait mask lacks, counter 7 first. Up to 16 fence counters.
 *   short   256 bits of eight 32-bit words. An instruction takes two of them, so three fit a line. The first word is the ss: opcode and three bytes,
 *           which just fill it. The second holds what the wait masks lack, 10 bits each as above. Up to 16 fence counters.
 *   combined  as `wide`, but an entry is two bytes, so an instruction has two hints (PD-24), and 2 bits of the wait mask. Up to 8 fence counters.
 *
 * All but `line` keep the upper two bits of the primary field in bits 0-1 of the instruction, which belong to the other carrier (PD-3): three
 * entries of 8 + 10 + 2 bits and the opcode would not fit the 64 bits of an ss. Bits that a geometry leaves over are zero. */
#ifndef HD_GEOMETRY_H
#define HD_GEOMETRY_H

#include "isa/isa.h"

typedef enum hd_geometry { HD_GEOMETRY_LINE, HD_GEOMETRY_WIDE, HD_GEOMETRY_SHORT, HD_GEOMETRY_COMBINED, HD_GEOMETRY_COUNT } hd_geometry;

typedef struct hd_geometry_info {
	const char *name;
	uint8_t line_words, line_shift; /* 64-bit words of a line, and the logarithm of that number */
	uint8_t group, group_shift;     /* words from one ss to the next, and the logarithm of that number */
	uint8_t counters;               /* largest number of counters (K) */
	uint8_t hints;                  /* bytes of an entry: 1, or 2 where an instruction can have two hints (PD-24) */
	uint8_t hint_at, hint_step;
	uint8_t mask_at, mask_step; /* place of the bits that the word's mask lacks; mask_at 0: none */
} hd_geometry_info;
extern const hd_geometry_info hd_geometries[HD_GEOMETRY_COUNT];

/* Callers check the number of a geometry from outside before they use it here: hd_object_validate. */
static inline bool hd_is_ss(unsigned geometry, uint32_t word) { return (word & (hd_geometries[geometry].group - 1u)) == 0; }
/* Address after `word` in sequence. */
static inline uint32_t hd_after(unsigned geometry, uint32_t word) { return word + 1 + hd_is_ss(geometry, word + 1); }
/* Number of the instruction at `word`, counted from the beginning of the code: instructions that follow each other differ by 1. */
static inline uint32_t hd_instruction_number(unsigned geometry, uint32_t word) { return word - (word >> hd_geometries[geometry].group_shift) - 1; }
/* Number of instructions of the line at `word` and behind it. */
static inline unsigned hd_line_rest(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned last = g->line_words - 1u, at = word & last;
	return g->line_words - at - ((last >> g->group_shift) - (at >> g->group_shift)) - hd_is_ss(geometry, word);
}
static inline unsigned hd_line_instructions(unsigned geometry) { return hd_line_rest(geometry, 0); }
static inline unsigned hd_line_bytes(unsigned geometry) { return 8u * hd_geometries[geometry].line_words; }

/* True when the counters and the hint3 of an instruction fit into a line of this geometry. */
bool hd_line_holds(unsigned geometry, const hd_inst *inst);
/* Reads the pre-decode byte of the instruction at `word`; writes the whole byte over the old one. Where an entry has two bytes, the value is the
 * first byte, and 256 times the second one. */
unsigned hd_line_hint(unsigned geometry, const uint64_t *code, uint32_t word);
void hd_line_put_hint(unsigned geometry, uint64_t *code, uint32_t word, unsigned bytes);
/* Encodes an instruction into `word` and its share of the ss, except for the pre-decode bytes. */
void hd_line_put(unsigned geometry, uint64_t *code, uint32_t word, const hd_inst *inst);
/* Decodes the instruction at `word`, which is not an ss. False and *why as hd_decode does. */
bool hd_line_get(unsigned geometry, const uint64_t *code, uint32_t word, hd_inst *inst, const char **why);
/* NULL when the ss at `word` is well-formed, else a static text that says what is wrong with it. */
const char *hd_line_wrong(unsigned geometry, const uint64_t *code, uint32_t word);

#endif

/* Line geometries (PD-1, PD-33): how instructions and the pre-decode data of the scheduling words share a line. An address counts words, the
 * scheduling words (ss) too. A word has 64 bits, and an instruction is a word; `compact` alone differs. The first word of a group, or its first
 * two, are the ss of the instructions behind them.
 *
 *   line    512 bits: one ss, then seven instructions. Bits 8i..8i+7 of the ss are the pre-decode byte of word i. Up to 6 fence counters, which the
 *           instruction word names by itself.
 *   wide    512 bits: two groups of one ss and three instructions. Entry i = 1..3 of the ss begins at bit 8 + 18 (i - 1): the byte, then 10 bits that
 *           the word's wait mask lacks, counter 7 first. Up to 16 fence counters.
 *   short   256 bits of eight 32-bit words. An instruction takes two of them, so three fit a line. The first word is the ss: opcode and three bytes,
 *           which just fill it. The second holds what the wait masks lack, 10 bits each as above. Up to 16 fence counters.
 *   combined  as `wide`, but an entry is two bytes, so an instruction has two hints (PD-24), and 2 bits of the wait mask. Up to 8 fence counters.
 *   front   512 bits: two ss in bits 0 to 127, then six instructions (PD-33). The first ss has the entries of words 2 to 4, the second one those of
 *           words 5 to 7. Entries as in `wide`. Up to 16 fence counters.
 *   compact 256 bits of eight 32-bit words (PD-33). Word 0 is the ss: an opcode of four bits, then four bits for each of the other words. An
 *           instruction is one word (compact.h), whose four bits number a pre-decode byte in the program's table, or two, whose eight bits are the
 *           byte. The two are the halves of the 64-bit word, the lower one first; its bit 0 is 0, that of the short form 1. Both are in one line: a
 *           last word with bit 0 clear is empty, and the next instruction is in the next line. Up to 6 fence counters.
 *   plain   512 bits: eight instructions and no ss, for machines whose hints come otherwise (PD-3). Up to 6 fence counters.
 *
 * `wide`, `short`, `combined` and `front` keep the upper two bits of the primary field in bits 0-1 of the instruction, which belong to the other
 * carrier (PD-3): three entries of 8 + 10 + 2 bits and the opcode would not fit the 64 bits of an ss. Bits that a geometry leaves over are zero. */
#ifndef HD_GEOMETRY_H
#define HD_GEOMETRY_H

#include "isa/isa.h"

typedef enum hd_geometry {
	HD_GEOMETRY_LINE,
	HD_GEOMETRY_WIDE,
	HD_GEOMETRY_SHORT,
	HD_GEOMETRY_COMBINED,
	HD_GEOMETRY_FRONT,
	HD_GEOMETRY_COMPACT,
	HD_GEOMETRY_PLAIN,
	HD_GEOMETRY_COUNT
} hd_geometry;

typedef struct hd_geometry_info {
	const char *name;
	uint8_t line_words, line_shift; /* words of a line, and the logarithm of that number */
	uint8_t group, group_shift;     /* words of a group, and the logarithm of that number */
	uint8_t ss;                     /* the first words of a group that are ss */
	uint8_t word_bytes;
	uint8_t counters; /* largest number of counters (K) */
	uint8_t hints;    /* bytes of an entry: 1, 2 where an instruction can have two hints (PD-24), 0 without ss */
	uint8_t hint_at, hint_step;
	uint8_t mask_at, mask_step; /* place of the bits that the word's mask lacks; mask_at 0: none */
} hd_geometry_info;
extern const hd_geometry_info hd_geometries[HD_GEOMETRY_COUNT];

/* Callers check the number of a geometry from outside before they use it here: hd_object_validate. */
static inline bool hd_is_ss(unsigned geometry, uint32_t word) { return (word & (hd_geometries[geometry].group - 1u)) < hd_geometries[geometry].ss; }
/* Address of the next word that is no ss. An instruction of `compact` may be longer than that: hd_line_after. */
static inline uint32_t hd_after(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	uint32_t next = word + 1;
	return hd_is_ss(geometry, next) ? (next & ~(g->group - 1u)) + g->ss : next;
}
/* Number of the word, counted from the beginning of the code without ss. Instructions that follow each other differ by 1, in `compact` by their
 * length and the empty word between them. */
static inline uint32_t hd_instruction_number(unsigned geometry, uint32_t word)
{
	return word - hd_geometries[geometry].ss * ((word >> hd_geometries[geometry].group_shift) + 1u);
}
/* Number of instructions, in `compact` of words for them, of the line at `word` and behind it. */
static inline unsigned hd_line_rest(unsigned geometry, uint32_t word)
{
	const hd_geometry_info *g = &hd_geometries[geometry];
	unsigned last = g->line_words - 1u, at = word & last, in_group = at & (g->group - 1u);
	unsigned groups = (last >> g->group_shift) - (at >> g->group_shift), here = in_group < g->ss ? g->ss - in_group : 0;
	return g->line_words - at - groups * g->ss - here;
}
static inline unsigned hd_line_instructions(unsigned geometry) { return hd_line_rest(geometry, 0); }
static inline unsigned hd_line_bytes(unsigned geometry) { return hd_geometries[geometry].word_bytes * hd_geometries[geometry].line_words; }
/* Lines of this geometry in the room of one of 512 bits. */
static inline unsigned hd_line_share(unsigned geometry) { return 64 / hd_line_bytes(geometry); }
/* True when instructions are of two lengths. */
static inline bool hd_is_compact(unsigned geometry) { return geometry == HD_GEOMETRY_COMPACT; }

/* The kind of a word. */
typedef enum hd_word { HD_WORD_SS, HD_WORD_INST, HD_WORD_HALF, HD_WORD_EMPTY } hd_word;
/* HALF is the second half of an instruction. `code` holds the whole line of `word`. */
hd_word hd_line_word(unsigned geometry, const uint64_t *code, uint32_t word);
/* True when an instruction begins at `word`. */
static inline bool hd_line_begins(unsigned geometry, const uint64_t *code, uint32_t word)
{
	return hd_is_compact(geometry) ? hd_line_word(geometry, code, word) == HD_WORD_INST : !hd_is_ss(geometry, word);
}
/* Number of words of the instruction at `word`. */
static inline unsigned hd_line_length(unsigned geometry, const uint64_t *code, uint32_t word)
{
	return hd_is_compact(geometry) && !(code[word] & 1) ? 2 : 1;
}
/* Address of the instruction behind the one at `word`; of the first one of the next line if there is no other. `n` words of code are whole lines. */
uint32_t hd_line_after(unsigned geometry, const uint64_t *code, uint32_t n, uint32_t word);

/* True when the counters and the hint3 of an instruction fit into a line of this geometry. */
bool hd_line_holds(unsigned geometry, const hd_inst *inst);
/* Reads the entry of the instruction at `word`, and writes it over the old one: its pre-decode byte, or where an entry has two, the first one and
 * 256 times the second one. For an instruction of one word in `compact` it is the number of a byte: hd_object_hint, hd_object_put_hint. */
unsigned hd_line_hint(unsigned geometry, const uint64_t *code, uint32_t word);
void hd_line_put_hint(unsigned geometry, uint64_t *code, uint32_t word, unsigned bytes);
/* Encodes an instruction into `word` and its share of the ss, except for the pre-decode bytes. In `compact` it takes as many words as the one that
 * is there. False: it does not fit one. */
bool hd_line_put(unsigned geometry, uint64_t *code, uint32_t word, const hd_inst *inst);
/* Sets the target of the branch at `word`. False: it does not fit one word. */
bool hd_line_put_target(unsigned geometry, uint64_t *code, uint32_t word, uint32_t target);
/* Decodes the instruction at `word`. False and *why as hd_decode does. */
bool hd_line_get(unsigned geometry, const uint64_t *code, uint32_t word, hd_inst *inst, const char **why);
/* The content of `word` where no instruction is: an ss without entries, or a no-op with this hint3. */
uint64_t hd_line_blank(unsigned geometry, uint32_t word, unsigned hint3);
/* NULL when the ss at `word` is well-formed, else a static text that says what is wrong with it. */
const char *hd_line_wrong(unsigned geometry, const uint64_t *code, uint32_t word);

#endif

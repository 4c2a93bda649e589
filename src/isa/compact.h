/* Instructions of 32 bits (PD-33), the short form of the geometry `compact`. As in other instruction sets with short forms, it is for the common
 * instructions with common operands: no guard but on flow, registers up to r62, small constants, and one fence counter. All else takes the form of
 * 64 bits. An operation with its size, comparison or conversion is a row of compact.def, and the row's form says where the fields are.
 *
 *   [0] 1   [1,7) row of compact.def   [7,11) fence: 0 none, n = 1..6 raises counter n, 6 + n waits for counter n
 *
 *   ALU     [11,17) d  [17,23) a  [23,25) kind of b  [25,31) b  [31] last use of a. One source: it is b, and a is 0. Kinds: 0 register, 1 register
 *           with last use, 2 constant, 3 signed immediate of six bits. MAC: as ALU, and d is also the third source.
 *   SETP    as ALU; d = predicate | comparison << 3, with the lower three bits of the comparison
 *   SEL     as ALU; [7,11) predicate | negated << 3 in place of the fence
 *   PLOP    [11,14) d  [14,18) [18,22) [22,26) the three predicates, each | negated << 3
 *   MOVI    [11,17) d  [17,32) immediate: sign-extended, or the upper 15 bits of the word
 *   SREG    [11,17) d  [17,22) special register
 *   FLOW    [11,14) guard  [14] negated  [15,32) target, or number of a barrier, or 0
 *   LD      [7,13) d  [13,19) a  [19] last use of a  [20,23) counter raised  [23,26) counter waited for  [26,32) offset / size of the access
 *   ST      [7,13) b  [13,19) a  [19] [20] last use of a, b  [21,24) raised  [24,27) waited for  [27,32) offset / size of the access
 *
 * A register 63 is rz. A constant is word 0 to 31 of the bank, or from 32 on one of its last 32 words, where literals are. A counter is raised by the
 * write. Unused bits are zero. */
#ifndef HD_ISA_COMPACT_H
#define HD_ISA_COMPACT_H

#include "isa/isa.h"

enum { HD_COMPACT_TARGET = 15 /* first bit of a target */, HD_COMPACT_REACH = 1 << 17 /* targets are below */ };

/* Encodes an instruction. False: it has no form of 32 bits. A branch to HD_COMPACT_REACH or behind has none. */
bool hd_compact_encode(const hd_inst *inst, uint32_t *word);
/* Decodes any 32 bits. False and *why as hd_decode does, for a word that hd_compact_encode never writes. */
bool hd_compact_decode(uint32_t word, hd_inst *inst, const char **why);

#endif

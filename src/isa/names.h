/* The names that printer and assembler use for the values of fields, indexed by value. Lists end where their enumerations do. */
#ifndef HD_ISA_NAMES_H
#define HD_ISA_NAMES_H

#include "isa/isa.h"

extern const char *const hd_cmp_names[HD_CMP_COUNT], *const hd_sreg_names[HD_SREG_COUNT], *const hd_hint_names[HD_HINT_COUNT];
extern const char *const hd_size_names[7], *const hd_cache_names[4], *const hd_cas_names[3];
extern const char *const hd_round_names[4], *const hd_shfl_names[4], *const hd_vote_names[3], *const hd_bar_names[3], *const hd_scope_names[4];
extern const char *const hd_atom_op_names[HD_ATOM_OP_COUNT], *const hd_atom_type_names[HD_ATOM_TYPE_COUNT];
extern const char *const hd_itype_names[8], *const hd_ftype_names[3], *const hd_fclass_names[6];

#endif

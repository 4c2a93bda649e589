#include "isa/names.h"

const char *const hd_cmp_names[HD_CMP_COUNT] = {
#define X(id, name) name,
    HD_CMPS(X)
#undef X
};
const char *const hd_sreg_names[HD_SREG_COUNT] = {
#define X(id, name) name,
    HD_SREGS(X)
#undef X
};
const char *const hd_hint_names[HD_HINT_COUNT] = {
#define X(id, name) name,
    HD_HINTS(X)
#undef X
};
const char *const hd_size_names[7] = {"u8", "s8", "u16", "s16", "32", "64", "128"};
const char *const hd_cache_names[4] = {"ca", "cg", "cs", "cv"};
const char *const hd_cas_names[3] = {"32", "64", "u16"};
const char *const hd_round_names[4] = {"rn", "rz", "rm", "rp"};
const char *const hd_shfl_names[4] = {"up", "down", "bfly", "idx"};
const char *const hd_vote_names[3] = {"all", "any", "uni"};
const char *const hd_bar_names[3] = {"sync", "arrive", "join"};
const char *const hd_scope_names[4] = {"cta", "gl", "sys", "warp"};
const char *const hd_atom_op_names[HD_ATOM_OP_COUNT] = {"add", "min", "max", "and", "or", "xor", "exch", "inc", "dec"};
const char *const hd_atom_type_names[HD_ATOM_TYPE_COUNT] = {"u32", "s32", "u64", "s64", "f32", "f64"};
const char *const hd_itype_names[8] = {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"};
const char *const hd_ftype_names[3] = {"f16", "f32", "f64"};
const char *const hd_fclass_names[6] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};

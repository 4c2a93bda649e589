#include "isa/isa.h"

#define RND HD_OPF_RND
#define MEM HD_OPF_MEM
#define LOAD HD_OPF_LOAD
#define STORE HD_OPF_STORE
#define ATOMIC HD_OPF_ATOMIC
#define READONLY HD_OPF_READONLY
#define GLOBAL HD_OPF_GLOBAL
#define SHARED HD_OPF_SHARED
#define LOCAL HD_OPF_LOCAL
#define CONST HD_OPF_CONST
#define FENCE HD_OPF_FENCE
#define FLOW HD_OPF_FLOW
#define LEAVES HD_OPF_LEAVES
#define CROSS HD_OPF_CROSS
#define DIFFERS HD_OPF_DIFFERS
#define VAR HD_OPF_VAR
#define SIDE HD_OPF_SIDE
#define COMM HD_OPF_COMM

enum {
#define CLASS(id, pipe, ...) PIPE_OF_##id = HD_PIPE_##pipe,
	HD_CLASSES(CLASS)
#undef CLASS
};

#define REGISTER(w) (HD_W_##w == HD_W_R || HD_W_##w == HD_W_D || HD_W_##w == HD_W_V)

const hd_op_info hd_ops[HD_OP_COUNT] = {
#define OP(id, name, fmt, cls, wd, wa, wb, wc, fl, text)                       \
	[HD_OP_##id] = {.mnemonic = name,                                      \
	                .doc = text,                                           \
	                .format = HD_F_##fmt,                                  \
	                .klass = HD_CLASS_##cls,                               \
	                .pipe = PIPE_OF_##cls,                                 \
	                .d = HD_W_##wd,                                        \
	                .a = HD_W_##wa,                                        \
	                .b = HD_W_##wb,                                        \
	                .c = HD_W_##wc,                                        \
	                .sources = REGISTER(wa) + REGISTER(wb) + REGISTER(wc), \
	                .flags = (fl)},
#include "isa/ops.def"
#undef OP
};

const char *const hd_pipe_names[HD_PIPE_COUNT + 1] = {"alu", "coord", "sfu", "f64", "cvt", "tex", "latom", "lsu", "flow", "none"};

const char *const hd_class_names[HD_CLASS_COUNT] = {
#define CLASS(id, pipe, name, ...) name,
    HD_CLASSES(CLASS)
#undef CLASS
};

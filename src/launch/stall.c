#include "launch/stall.h"

const hd_stall_info hd_stalls[HD_STALL_COUNT] = {
#define STALL(id, name, label, colour, meaning) {#name, label, colour, meaning},
#include "launch/stall.def"
#undef STALL
};

#include "launch/stall.h"

const hd_stall_info hd_stalls[HD_STALL_COUNT] = {
#define STALL(id, name, label, colour, safe, meaning) {#name, label, colour, safe, meaning},
#include "launch/stall.def"
#undef STALL
};

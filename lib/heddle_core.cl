/* The functions for programs that call no other function of heddle_builtins.cl. clang's time grows with the functions of a file. */
#define PURE __attribute__((overloadable, const))

#include "fences.inc"
#include "work_item.inc"

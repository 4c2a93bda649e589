/* A machine description as SystemVerilog (HW-2): `heddle config --emit verilog`, for the modules of rtl/. */
#ifndef HD_CONFIG_VERILOG_H
#define HD_CONFIG_VERILOG_H

#include "config/machine.h"

/* Appends a file of `localparam` lines, to be included in the body of a module. A key of the description has its name in capitals, SECTION_KEY. A
 * number is a number, a flag 0 or 1, a choice a string. Energies are left out. Behind the keys are the numbers that the modules need and that follow
 * from the keys, such as the longest distance of each queue. IEEE 1364-2005 is enough to read it. */
void hd_machine_print_verilog(const hd_machine *machine, hd_text *out);

#endif

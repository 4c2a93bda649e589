/* Counters that may have no room for another primary (HZ-8, HZ-18). */
#ifndef HD_CHECK_ROOM_H
#define HD_CHECK_ROOM_H

#include "check/check.h"
#include "check/effects.h"

/* Adds at most one note for each counter and function: for the first primary that may find no room. The rules are in room.c. */
void hd_find_room(const hd_code_graph *graph, const hd_effects *effects, const hd_machine *machine, hd_check_report *report);

#endif

/* The file of a recording: rtl/record.c writes it, rtl/lockstep/replay.c reads it.
 *
 * A text head, then events.
 *   head    the line "heddle-recording 1", lines "KEY VALUE" with a number each (sizes of the machine: record.c), and an empty line
 *   event   the byte of its hd_record_kind (src/launch/record.def), then its values
 *   value   LEB128: seven bits a byte, the lowest first; the highest bit says that another byte follows; at most ten bytes
 * An event has as many values as its row in record.def names; a name with [n] stands for n of them. A reader refuses a file that ends within an
 * event, an unknown kind, a longer value, and a number that its module has no port or slot for. */
#ifndef RTL_RECORDING_H
#define RTL_RECORDING_H

#include "launch/record.h"

#define RECORDING_MAGIC "heddle-recording 1\n"

/* The number of values in a row of record.def. */
static inline unsigned recording_values(hd_record_kind kind)
{
	static const char *const texts[] = {
#define HD_RECORD(name, values, text) values,
#include "launch/record.def"
	};
	unsigned n = 0;
	for (const char *at = texts[kind]; *at; at++) {
		if (*at == '[')
			n += (unsigned)strtoul(at + 1, NULL, 10) - 1;
		else if (*at != ' ' && (at == texts[kind] || at[-1] == ' '))
			n++;
	}
	return n;
}

#endif

/* The machine for which a program was compiled, as text: the keys on which its annotations rely, those that the checker reads to prove hazards
 * (`checked` in keys.h). What an annotation cannot rely on is not in it: sizes, caches, memory latencies, queues, energy. Equal texts mean that
 * annotations which are right on one machine are right on the other. */
#ifndef HD_CONFIG_RECORD_H
#define HD_CONFIG_RECORD_H

#include "config/keys.h"

/* True when annotations for the machine rely on the key. With a register file that takes time they rely on the paths that hide that time, too
 * (LU-11). */
bool hd_machine_records(const hd_machine *machine, const hd_key *key);
/* Appends the record: a line KEY=VALUE for each such key, in the order of keys.h. */
void hd_machine_record(const hd_machine *machine, hd_text *out);
/* Appends to `out` how the machine differs from the one in `record`, at most `most` keys: "latency.alu.latency is 40, the object was compiled for
 * 4; ...". `record` is outside text. Returns the number of keys that differ, those that were left out included. */
unsigned hd_machine_record_differences(const hd_machine *machine, const char *record, unsigned most, hd_text *out);

#endif

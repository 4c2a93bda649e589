/* Ports of the register file's banks (LU-10, LU-12). The bank of a register is (register + warp slot) modulo banks. A bank serves read_ports reads
 * and write_ports writes in a cycle. It serves the excess in the following cycles, and no instruction of the scheduler enters a pipe before. */
#ifndef HD_CORE_REGISTER_PORTS_H
#define HD_CORE_REGISTER_PORTS_H

#include "config/machine.h"
#include "launch/launch.h"

enum { HD_MAX_BANKS = 16 };

typedef enum hd_port_kind { HD_PORT_READ, HD_PORT_WRITE } hd_port_kind;

typedef struct hd_register_ports {
	uint32_t banks, ports[2];       /* ports of a bank, by hd_port_kind */
	uint64_t cycle;                 /* the cycle that used[] describes */
	uint64_t free_at;               /* first cycle in which an instruction may enter a pipe */
	uint64_t closed_at;             /* no instruction entered from this cycle on, up to free_at */
	uint64_t waited[HD_PIPE_COUNT]; /* cycles for which entries of each pipe waited for nothing else (LU-17) */
	uint16_t used[2][HD_MAX_BANKS];
	hd_stats *stats;
} hd_register_ports;

void hd_ports_init(hd_register_ports *ports, const hd_machine *machine, hd_stats *stats);
/* After cycle `now` no instruction enters a pipe before cycle `until`. */
static inline void hd_ports_close(hd_register_ports *ports, uint64_t now, uint64_t until)
{
	if (until <= ports->free_at)
		return;
	if (ports->free_at <= now)
		ports->closed_at = now + 1;
	ports->free_at = until;
}
/* Delays entries because cycle `now` uses `used` ports of a bank, more than the bank has. */
void hd_ports_conflict(hd_register_ports *ports, uint32_t used, hd_port_kind kind, uint64_t now);
/* The number of banks is usually a power of two, and then a mask replaces the slow division. */
static inline unsigned hd_bank_of(const hd_register_ports *p, unsigned sum)
{
	return p->banks & (p->banks - 1) ? sum % p->banks : sum & (p->banks - 1);
}
/* Takes a port for each register of a range in cycle `now`. Requires: calls come in the order of their cycles. */
static inline void hd_ports_use(hd_register_ports *ports, hd_port_kind kind, unsigned warp, unsigned reg, unsigned words, uint64_t now)
{
	if (ports->cycle != now) {
		ports->cycle = now;
		memset(ports->used, 0, sizeof ports->used);
	}
	for (unsigned at = reg + warp; at < reg + warp + words; at++) {
		uint32_t used = ++ports->used[kind][hd_bank_of(ports, at)];
		if (used > ports->ports[kind])
			hd_ports_conflict(ports, used, kind, now);
	}
}
/* Counts the wait of an instruction that enters a pipe in cycle now = free_at and would have entered in cycle `ready` (LU-17). */
static inline void hd_ports_waited(hd_register_ports *ports, unsigned pipe, uint64_t ready, uint64_t now)
{
	uint64_t from = hd_max_u64(ready, ports->closed_at);
	ports->waited[pipe] += from < now ? now - from : 0;
}
/* Adds the waits to the statistics. */
void hd_ports_finish(hd_register_ports *ports);
/* True when other reads of this cycle leave a bank too few ports for reads of these ranges. */
bool hd_ports_taken(const hd_register_ports *ports, unsigned warp, const unsigned *first, const unsigned *words, unsigned n, uint64_t now);

#endif

#include "core/execute/register_ports.h"

void hd_ports_init(hd_register_ports *ports, const hd_machine *machine, hd_stats *stats)
{
	*ports = (hd_register_ports){.banks = machine->register_file_banks,
	                             .ports = {machine->register_file_read_ports, machine->register_file_write_ports},
	                             .cycle = UINT64_MAX,
	                             .stats = stats};
}

void hd_ports_conflict(hd_register_ports *p, uint32_t used, hd_port_kind kind, uint64_t now)
{
	uint32_t ports = p->ports[kind];
	uint64_t until = now + (used + ports - 1) / ports;
	if (until > p->free_at) {
		p->stats->register_file_port_conflicts += until - (p->free_at > now + 1 ? p->free_at : now + 1);
		hd_ports_close(p, now, until);
	}
}

bool hd_ports_taken(const hd_register_ports *p, unsigned warp, const unsigned *first, const unsigned *words, unsigned n, uint64_t now)
{
	uint16_t wanted[HD_MAX_BANKS] = {0};
	if (p->cycle != now)
		return false;
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < words[i]; k++)
			wanted[hd_bank_of(p, first[i] + k + warp)]++;
	for (unsigned bank = 0; bank < p->banks; bank++) {
		uint32_t used = p->used[HD_PORT_READ][bank];
		if (used && wanted[bank] && used + wanted[bank] > p->ports[HD_PORT_READ])
			return true;
	}
	return false;
}

void hd_ports_finish(hd_register_ports *p)
{
	hd_stats *stats = p->stats;
	uint64_t *const of[HD_PIPE_COUNT] = {
	    [HD_PIPE_ALU] = &stats->port_waits_alu,     [HD_PIPE_COORD] = &stats->port_waits_coord, [HD_PIPE_SFU] = &stats->port_waits_sfu,
	    [HD_PIPE_F64] = &stats->port_waits_f64,     [HD_PIPE_CVT] = &stats->port_waits_cvt,     [HD_PIPE_TEX] = &stats->port_waits_tex,
	    [HD_PIPE_LATOM] = &stats->port_waits_latom, [HD_PIPE_LSU] = &stats->port_waits_lsu,     [HD_PIPE_FLOW] = &stats->port_waits_flow,
	};
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		*of[pipe] += p->waited[pipe];
	memset(p->waited, 0, sizeof p->waited);
}

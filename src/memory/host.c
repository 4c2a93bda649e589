#include "memory/host.h"

#include "memory/cache.h"

void hd_host_init(hd_host *host, const hd_machine *m)
{
	*host = (hd_host){.latency = m->host_latency, .bytes_per_cycle = m->host_bytes_per_cycle, .queue = (uint64_t)m->host_queue * HD_SECTOR_BYTES};
}

uint64_t hd_host_move(hd_host *host, hd_host_way way, uint64_t *now, uint32_t bytes)
{
	uint64_t *port = &host->port[way], rate = host->bytes_per_cycle;
	if (*port > *now * rate + host->queue)
		*now = (*port - host->queue + rate - 1) / rate;
	*port = hd_max_u64(*port, *now * rate) + bytes;
	return (*port + rate - 1) / rate + host->latency;
}

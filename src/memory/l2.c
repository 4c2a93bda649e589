#include "memory/l2.h"

#include "memory/host.h"
#include "memory/room.h"
#include "memory/slices.h"

enum { PARTITION_BYTES = 256 };

struct hd_l2 {
	hd_slices *slices; /* NULL: the fields below, whose time is reserved in the call */
	hd_tags tags;
	uint32_t there, back; /* cycles from the core to the second level and back: half of the hit latency each */
	uint32_t per_cycle;   /* sectors that are served in a cycle */
	uint64_t port;        /* next free service slot: cycle * per_cycle + slot of the cycle */
	hd_room misses;       /* sectors on their way from DRAM */
	uint32_t dram_latency, dram_interval, partitions;
	uint64_t dram_backlog; /* cycles of work that the queue before a partition holds */
	uint64_t *dram_free;   /* cycle from which a partition is free */
	hd_host host;
	uint64_t system, system_bytes; /* the addresses of system memory; 0 bytes: no host interface */
};

hd_l2 *hd_l2_new(const hd_machine *m)
{
	hd_l2 *l2 = hd_xcalloc(1, sizeof *l2);
	l2->slices = hd_slices_new(m);
	if (l2->slices)
		return l2;
	hd_tags_init(&l2->tags, m->memory_l2_bytes, m->memory_l2_ways, NULL);
	l2->there = m->memory_l2_latency / 2;
	l2->back = m->memory_l2_latency - l2->there;
	l2->per_cycle = m->memory_l2_sectors_per_cycle;
	hd_room_init(&l2->misses, m->memory_l2_misses);
	l2->dram_latency = m->memory_dram_latency;
	l2->dram_backlog = (uint64_t)m->memory_dram_queue * m->memory_dram_cycles_per_sector;
	l2->dram_interval = m->memory_dram_cycles_per_sector;
	l2->partitions = m->memory_dram_partitions;
	l2->dram_free = hd_xcalloc(l2->partitions, sizeof *l2->dram_free);
	hd_host_init(&l2->host, m);
	l2->system = m->host_system_memory ? 0 : HD_SYSTEM_BASE;
	l2->system_bytes = m->host_bytes_per_cycle ? HD_OWN_BASE - l2->system : 0;
	return l2;
}

void hd_l2_free(hd_l2 *l2)
{
	if (!l2)
		return;
	hd_slices_free(l2->slices);
	hd_tags_free(&l2->tags, NULL);
	hd_room_free(&l2->misses);
	free(l2->dram_free);
	free(l2);
}

/* Keeps the partition of `address` busy for one sector. Returns the cycle in which the transfer begins. *now moves on while the queue of the
 * partition is full. */
static uint64_t dram(hd_l2 *l2, uint64_t *now, uint64_t address)
{
	uint64_t *free_at = &l2->dram_free[address / PARTITION_BYTES % l2->partitions];
	if (*free_at > *now + l2->dram_backlog)
		*now = *free_at - l2->dram_backlog;
	uint64_t start = *now > *free_at ? *now : *free_at;
	*free_at = start + l2->dram_interval;
	return start;
}

static bool is_system(const hd_l2 *l2, uint64_t address) { return address - l2->system < l2->system_bytes; }

static void write_back(hd_l2 *l2, uint64_t *now, const hd_victim *victim, hd_stats *stats)
{
	for (unsigned sector = 0; sector < HD_LINE_SECTORS; sector++) {
		if (victim->dirty >> sector & 1) {
			dram(l2, now, victim->line * HD_CACHE_LINE_BYTES + sector * HD_SECTOR_BYTES);
			stats->memory_dram_writes++;
		}
	}
}

hd_slices *hd_l2_slices(hd_l2 *l2) { return l2->slices; }

uint64_t hd_l2_backlog(const hd_l2 *l2, uint64_t now)
{
	if (l2->slices)
		return 0;
	uint64_t served = l2->port / l2->per_cycle, arrival = now + l2->there;
	return served > arrival ? served - arrival : 0;
}

uint64_t hd_l2_sector(hd_l2 *l2, uint64_t now, uint64_t address, bool write, hd_stats *stats)
{
	if (l2->slices)
		return hd_slices_peek(l2->slices, now, address, write, stats);
	uint64_t arrival = (now + l2->there) * l2->per_cycle;
	if (l2->port < arrival)
		l2->port = arrival;
	uint64_t start = l2->port++ / l2->per_cycle;

	unsigned sector = hd_sector_of(address);
	hd_cache_line *line = hd_tags_find(&l2->tags, address);
	bool hit = line && (line->valid >> sector & 1);
	if (!line) {
		hd_victim victim;
		line = hd_tags_place(&l2->tags, address, &victim);
		write_back(l2, &start, &victim, stats);
	}
	stats->memory_l2_hits += hit;
	stats->memory_l2_misses += !hit;
	if (!hit) {
		line->valid |= (uint8_t)(1u << sector);
		if (!write) {
			start = hd_room_from(&l2->misses, start);
			line->ready[sector] = is_system(l2, address) ? hd_host_move(&l2->host, HD_TO_DEVICE, &start, HD_SECTOR_BYTES)
			                                             : dram(l2, &start, address) + l2->dram_latency;
			hd_room_take(&l2->misses, line->ready[sector]);
			stats->memory_dram_reads += !is_system(l2, address);
			stats->host_interface_sectors_read += is_system(l2, address);
		} else {
			line->ready[sector] = start;
		}
		/* A request that waits for room delays every later request. */
		if (l2->port < start * l2->per_cycle + 1)
			l2->port = start * l2->per_cycle + 1;
	}
	if (write && is_system(l2, address)) {
		hd_host_move(&l2->host, HD_FROM_DEVICE, &start, HD_SECTOR_BYTES);
		stats->host_interface_sectors_written++;
		if (l2->port < start * l2->per_cycle + 1)
			l2->port = start * l2->per_cycle + 1;
		return start;
	}
	if (write) {
		line->dirty |= (uint8_t)(1u << sector);
		return start;
	}
	return (line->ready[sector] > start ? line->ready[sector] : start) + l2->back;
}

uint64_t hd_l2_fetch_line(hd_l2 *l2, uint64_t now, uint64_t address, uint32_t bytes, hd_stats *stats)
{
	uint64_t first = hd_l2_sector(l2, now, hd_l2_code(address), false, stats);
	if (bytes <= HD_SECTOR_BYTES)
		return first;
	uint64_t second = hd_l2_sector(l2, now, hd_l2_code(address + HD_SECTOR_BYTES), false, stats);
	return hd_max_u64(first, second);
}

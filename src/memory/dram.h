/* A DRAM partition (MT-4): a queue of sectors, banks with an open row each, one data bus, and refresh. It is ticked in the cycles in which it says
 * that something can happen.
 *
 * A sector whose row is open takes the data bus for memory.dram_cycles_per_sector, and is there memory.dram_latency after its turn on the bus begins.
 * A bank whose row is another one closes it (memory.dram_precharge) and opens the row (memory.dram_activate) first. Banks do so side by side, while
 * others use the bus. */
#ifndef HD_DRAM_H
#define HD_DRAM_H

#include "config/machine.h"
#include "launch/launch.h"

/* How a request has found its bank. */
typedef enum hd_dram_row { HD_DRAM_HIT, HD_DRAM_MISS, HD_DRAM_CONFLICT } hd_dram_row;

typedef struct hd_dram_request {
	uint64_t at;  /* cycle in which it came */
	uint64_t row; /* of its bank */
	uint32_t bank;
	uint32_t ticket; /* of the reader; HD_DRAM_WRITE: nobody waits */
	hd_dram_row found;
} hd_dram_request;

#define HD_DRAM_WRITE UINT32_MAX

typedef struct hd_dram_bank {
	uint64_t row;   /* that is open, or HD_DRAM_CLOSED */
	uint64_t ready; /* cycle from which the row can be read */
	uint64_t least; /* cycle from which the row can be closed */
} hd_dram_bank;

#define HD_DRAM_CLOSED UINT64_MAX

/* A sector that has been read. */
typedef struct hd_dram_data {
	uint64_t there; /* cycle */
	uint32_t ticket;
} hd_dram_data;

typedef struct hd_dram {
	uint32_t latency, interval, banks, row_bytes, activate, precharge, row_least, refresh, refresh_interval, patience;
	bool in_order;
	hd_dram_request *queue; /* the oldest first */
	uint32_t n, cap;
	hd_dram_bank *bank; /* NULL: no banks */
	uint64_t bus;       /* cycle from which the data bus is free */
	uint64_t refreshes; /* cycle of the next refresh; UINT64_MAX: none */
	uint64_t next;      /* first cycle in which a tick can do something; UINT64_MAX: none */
	struct {
		hd_dram_data *at; /* a ring: sectors on the bus, or on their way from it */
		uint32_t first, n, cap;
	} data;
} hd_dram;

void hd_dram_init(hd_dram *dram, const hd_machine *machine);
void hd_dram_free(hd_dram *dram);
/* The sectors that the queue still takes. */
static inline uint32_t hd_dram_room(const hd_dram *dram) { return dram->cap - dram->n; }
/* Adds a sector to the queue, in cycle `now`, before the tick of this cycle. `address` counts the bytes of this partition. `ticket` is HD_DRAM_WRITE
 * for a write. Requires room. */
void hd_dram_put(hd_dram *dram, uint64_t now, uint64_t address, uint32_t ticket, hd_stats *stats);
/* One cycle. Cycles that are skipped must be before `next`. */
void hd_dram_tick(hd_dram *dram, uint64_t now, hd_stats *stats);
/* Takes the first sector that is there in cycle `now`. False: none. */
bool hd_dram_take(hd_dram *dram, uint64_t now, uint32_t *ticket);
/* The first cycle in which a sector is there; UINT64_MAX: none. */
static inline uint64_t hd_dram_there(const hd_dram *dram) { return dram->data.n ? dram->data.at[dram->data.first].there : UINT64_MAX; }

#endif

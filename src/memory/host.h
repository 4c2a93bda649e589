/* The host interface (PD-38): what moves between system memory and the device, in both directions at a time. */
#ifndef HD_HOST_H
#define HD_HOST_H

#include "config/machine.h"

typedef enum hd_host_way { HD_TO_DEVICE, HD_FROM_DEVICE } hd_host_way;

typedef struct hd_host {
	uint32_t latency, bytes_per_cycle; /* 0 bytes a cycle: none */
	uint64_t queue;                    /* bytes that can wait in a direction */
	uint64_t port[2];                  /* of a direction: next free byte, cycle * bytes_per_cycle + byte of the cycle */
} hd_host;

void hd_host_init(hd_host *host, const hd_machine *machine);
/* Moves `bytes` bytes that are requested in cycle *now. Returns the cycle in which the last one arrives. *now moves on while the queue of the
 * direction is full. Requires an interface. */
uint64_t hd_host_move(hd_host *host, hd_host_way way, uint64_t *now, uint32_t bytes);

#endif

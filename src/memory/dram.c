#include "memory/dram.h"

void hd_dram_init(hd_dram *d, const hd_machine *m)
{
	*d = (hd_dram){.latency = m->memory_dram_latency,
	               .interval = m->memory_dram_cycles_per_sector,
	               .banks = m->memory_dram_banks,
	               .row_bytes = m->memory_dram_row_bytes,
	               .activate = m->memory_dram_activate,
	               .precharge = m->memory_dram_precharge,
	               .row_least = m->memory_dram_row_least,
	               .refresh = m->memory_dram_refresh,
	               .refresh_interval = m->memory_dram_refresh_interval,
	               .patience = m->memory_dram_patience,
	               .in_order = m->memory_dram_order == HD_DRAM_IN_ORDER,
	               .cap = m->memory_dram_queue,
	               .next = UINT64_MAX};
	d->queue = hd_xcalloc(d->cap, sizeof *d->queue);
	d->refreshes = d->banks && d->refresh_interval ? d->refresh_interval : UINT64_MAX;
	if (!d->banks)
		return;
	d->bank = hd_xcalloc(d->banks, sizeof *d->bank);
	for (uint32_t i = 0; i < d->banks; i++)
		d->bank[i].row = HD_DRAM_CLOSED;
}

void hd_dram_free(hd_dram *d)
{
	free(d->queue);
	free(d->bank);
	free(d->data.at);
}

/* Refreshes that fell into idle time are over, but for the last one. */
static void refresh(hd_dram *d, uint64_t now, hd_stats *stats)
{
	if (d->refreshes > now)
		return;
	uint64_t last = d->refreshes + (now - d->refreshes) / d->refresh_interval * d->refresh_interval;
	for (uint32_t i = 0; i < d->banks; i++) {
		uint64_t begins = hd_max_u64(last, d->bank[i].least);
		d->bank[i] = (hd_dram_bank){.row = HD_DRAM_CLOSED, .ready = begins + d->refresh, .least = begins + d->refresh};
	}
	d->refreshes = last + d->refresh_interval;
	stats->memory_dram_refreshes++;
}

void hd_dram_put(hd_dram *d, uint64_t now, uint64_t address, uint32_t ticket, hd_stats *stats)
{
	hd_dram_request *r = &d->queue[d->n++];
	*r = (hd_dram_request){.at = now, .ticket = ticket};
	if (d->banks) {
		uint64_t row = address / d->row_bytes;
		r->row = row / d->banks;
		r->bank = (uint32_t)((row + r->row) % d->banks); /* rows of one column lie in different banks */
	}
	stats->memory_dram_reads += ticket != HD_DRAM_WRITE;
	stats->memory_dram_writes += ticket == HD_DRAM_WRITE;
	d->next = hd_min_u64(d->next, hd_max_u64(now, d->bus));
}

static bool is_open(const hd_dram *d, const hd_dram_request *r) { return !d->banks || d->bank[r->bank].row == r->row; }

static bool impatient(const hd_dram *d, const hd_dram_request *r, uint64_t now) { return d->in_order || r->at + d->patience <= now; }

/* Closes the row of the bank and opens that of the request. */
static void open_row(hd_dram *d, hd_dram_request *r, uint64_t now)
{
	hd_dram_bank *bank = &d->bank[r->bank];
	bool other = bank->row != HD_DRAM_CLOSED;
	uint64_t begins = hd_max_u64(now, other ? bank->least : bank->ready);
	bank->ready = begins + (other ? d->precharge : 0) + d->activate;
	bank->least = bank->ready + (d->row_least > d->activate ? d->row_least - d->activate : 0);
	bank->row = r->row;
	r->found = other ? HD_DRAM_CONFLICT : HD_DRAM_MISS;
}

/* Opens rows, the oldest request of each bank first. A row stays open while there are requests for it, unless an older one has lost its patience. */
static void open_rows(hd_dram *d, uint64_t now)
{
	uint64_t settled = 0, wanted = 0; /* banks: that have their row for now, whose open row is wanted */
	for (uint32_t i = 0; i < d->n; i++)
		wanted |= (uint64_t)is_open(d, &d->queue[i]) << d->queue[i].bank;
	for (uint32_t i = 0; i < d->n; i++) {
		hd_dram_request *r = &d->queue[i];
		uint64_t bank = UINT64_C(1) << r->bank;
		if (settled & bank)
			continue;
		if (impatient(d, r, now) || !(wanted & bank)) {
			if (!is_open(d, r))
				open_row(d, r, now);
			settled |= bank;
		}
		if (d->in_order)
			return;
	}
}

/* The request that takes the bus in cycle `now`; d->n if there is none. *next receives the first cycle in which one can. */
static uint32_t choose(const hd_dram *d, uint64_t now, uint64_t *next)
{
	uint32_t best = d->n;
	*next = UINT64_MAX;
	for (uint32_t i = 0; i < d->n; i++) {
		const hd_dram_request *r = &d->queue[i];
		uint64_t ready = d->banks ? d->bank[r->bank].ready : 0;
		if (!is_open(d, r))
			continue;
		if (ready <= now && best == d->n)
			best = i;
		*next = hd_min_u64(*next, ready);
		if (d->in_order || (best == i && !d->banks))
			break;
	}
	return best;
}

static void put_data(hd_dram *d, uint64_t there, uint32_t ticket)
{
	if (d->data.n == d->data.cap) {
		uint32_t cap = d->data.cap ? 2 * d->data.cap : 64;
		hd_dram_data *ring = hd_xcalloc(cap, sizeof *ring);
		for (uint32_t i = 0; i < d->data.n; i++)
			ring[i] = d->data.at[(d->data.first + i) % d->data.cap];
		free(d->data.at);
		d->data.at = ring;
		d->data.first = 0;
		d->data.cap = cap;
	}
	d->data.at[(d->data.first + d->data.n++) % d->data.cap] = (hd_dram_data){there, ticket};
}

/* The request has its turn on the bus. */
static void transfer(hd_dram *d, uint32_t which, uint64_t now, hd_stats *stats)
{
	hd_dram_request r = d->queue[which];
	memmove(&d->queue[which], &d->queue[which + 1], (--d->n - which) * sizeof *d->queue);
	d->bus = now + d->interval;
	if (d->banks) {
		d->bank[r.bank].least = hd_max_u64(d->bank[r.bank].least, d->bus);
		stats->memory_dram_row_hits += r.found == HD_DRAM_HIT;
		stats->memory_dram_row_misses += r.found == HD_DRAM_MISS;
		stats->memory_dram_row_conflicts += r.found == HD_DRAM_CONFLICT;
	}
	if (r.ticket != HD_DRAM_WRITE)
		put_data(d, now + d->latency, r.ticket);
}

void hd_dram_tick(hd_dram *d, uint64_t now, hd_stats *stats)
{
	uint64_t next;
	if (d->next > now)
		return;
	if (d->banks) {
		refresh(d, now, stats);
		open_rows(d, now);
	}
	if (d->bus <= now) {
		uint32_t which = choose(d, now, &next);
		if (which < d->n) {
			transfer(d, which, now, stats);
			if (d->banks)
				open_rows(d, now);
		}
	}
	choose(d, UINT64_MAX, &next);
	next = hd_max_u64(next, d->bus);
	d->next = d->n ? hd_max_u64(hd_min_u64(next, d->refreshes), now + 1) : UINT64_MAX;
}

bool hd_dram_take(hd_dram *d, uint64_t now, uint32_t *ticket)
{
	if (hd_dram_there(d) > now)
		return false;
	*ticket = d->data.at[d->data.first].ticket;
	d->data.first = (d->data.first + 1) % d->data.cap;
	d->data.n--;
	return true;
}

#include "memory/coalesce.h"

#include "memory/cache.h"

static void append(hd_sectors *out, uint64_t sector, uint32_t lanes)
{
	bool new_line = true;
	for (unsigned j = out->n; j > 0 && new_line; j--)
		new_line = out->at[j - 1] / HD_CACHE_LINE_BYTES != sector / HD_CACHE_LINE_BYTES;
	out->lines += new_line;
	out->lanes[out->n] = lanes;
	out->at[out->n++] = sector;
}

void hd_coalesce(const hd_lanes *lanes, const uint64_t address[HD_LANES], uint32_t mask, hd_sectors *out)
{
	/* Runs of lanes of one sector, as a rule few. A run ends with the mask, too. */
	uint32_t begins = lanes->begins(address) | ~mask | ~mask << 1;
	out->n = out->lines = 0;
	while (mask) {
		unsigned first = hd_lowest_bit(mask), last = HD_LANES - 1 - first;
		unsigned more = hd_lowest_bit((uint64_t)begins >> first >> 1 | UINT64_C(1) << last);
		uint32_t run = UINT32_MAX >> (HD_LANES - 1 - more) << first;
		mask &= ~run;
		uint64_t sector = address[first] & ~(uint64_t)(HD_SECTOR_BYTES - 1);
		unsigned i = out->n;
		/* The search goes backwards, because neighbouring lanes mostly share a sector. */
		while (i > 0 && out->at[i - 1] != sector)
			i--;
		if (i > 0) {
			out->lanes[i - 1] |= run;
			continue;
		}
		append(out, sector, run);
	}
}

void hd_sectors_within(const hd_sectors *all, uint32_t mask, hd_sectors *out)
{
	out->n = out->lines = 0;
	for (unsigned i = 0; i < all->n; i++)
		if (all->lanes[i] & mask)
			append(out, all->at[i], all->lanes[i] & mask);
}

static unsigned part_passes(const uint32_t *address, uint32_t mask, unsigned bytes, unsigned banks, bool atomic)
{
	uint32_t words[HD_LANES * 4];
	uint8_t before[HD_LANES * 4], last[HD_LANES] = {0}; /* each bank's words as a linked list: number of a word + 1; 0 = end */
	uint8_t in_bank[HD_LANES] = {0};
	uint32_t low = banks & (banks - 1) ? 0 : banks - 1; /* mask that gives the bank of a word; 0 if the number of banks is no power of two */
	unsigned n = 0, most = 1, each = (bytes + 3) / 4;
	for (; mask; mask &= mask - 1) {
		uint32_t first = address[hd_lowest_bit(mask)] / 4;
		for (uint32_t word = first; word < first + each; word++) {
			unsigned bank = low ? word & low : word % banks, i = atomic ? 0 : last[bank];
			while (i && words[i - 1] != word)
				i = before[i - 1];
			if (i)
				continue;
			words[n] = word;
			before[n] = last[bank];
			last[bank] = (uint8_t)++n;
			unsigned in = ++in_bank[bank];
			most = hd_max_u32(in, most);
		}
	}
	return most;
}

unsigned hd_bank_passes(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic)
{
	unsigned parts = hd_max_u32(bytes / 4, 1), lanes = HD_LANES / parts, passes = 0;
	for (unsigned part = 0; part < parts; part++) {
		uint32_t lane_mask = (parts == 1 ? ~0u : ((1u << lanes) - 1) << part * lanes) & mask;
		if (lane_mask)
			passes += part_passes(address, lane_mask, bytes, banks, atomic);
	}
	return passes ? passes : 1;
}

uint32_t hd_bank_pass(const uint32_t address[HD_LANES], uint32_t mask, unsigned bytes, unsigned banks, bool atomic)
{
	unsigned parts = hd_max_u32(bytes / 4, 1), lanes = HD_LANES / parts;
	uint32_t word_of[HD_LANES] = {0}, taken = 0, served = 0; /* the word that each bank serves in this pass */
	if (!mask)
		return 0;
	if (parts > 1)
		mask &= ((1u << lanes) - 1) << hd_lowest_bit(mask) / lanes * lanes;
	for (; mask; mask &= mask - 1) {
		uint32_t first = address[hd_lowest_bit(mask)] / 4, after = taken;
		bool fits = true;
		for (uint32_t word = first; word < first + parts && fits; word++) {
			fits = !(after >> word % banks & 1) || (!atomic && word_of[word % banks] == word);
			if (!fits)
				break;
			if (!(after >> word % banks & 1))
				word_of[word % banks] = word;
			after |= 1u << word % banks;
		}
		/* The pass always serves at least one lane, even if the words of that lane are in one bank. */
		if (!fits && served)
			continue;
		taken = after;
		served |= mask & -mask;
	}
	return served;
}

unsigned hd_same_address(const uint64_t address[HD_LANES], uint32_t mask)
{
	enum { CHAINS = 64 };
	uint64_t of[HD_LANES]; /* the addresses, in chains: number of an address + 1; 0 = end */
	uint8_t before[HD_LANES], last[CHAINS] = {0}, lanes[HD_LANES];
	unsigned n = 0, most = 0;
	for (; mask; mask &= mask - 1) {
		uint64_t wanted = address[hd_lowest_bit(mask)];
		unsigned chain = wanted / 4 % CHAINS, i = last[chain];
		while (i && of[i - 1] != wanted)
			i = before[i - 1];
		if (!i) {
			of[n] = wanted;
			before[n] = last[chain];
			lanes[n] = 0;
			last[chain] = (uint8_t)(i = ++n);
		}
		most = hd_max_u32(++lanes[i - 1], most);
	}
	return most;
}

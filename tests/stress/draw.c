#include "draw.h"

#include "config/keys.h"

/* Keys that are drawn from a part of their range, or not at all. Outside of it a right program is refused, or takes too long. */
static const struct {
	const char *path;
	uint32_t minimum, maximum;
	const char *why;
} narrowed[] = {
    {"fence.wait_counters", 1, 1, "without wait counters programs deadlock, which is what the key is for"},
    {"machine.clusters", 1, 4, "the host needs memory for every core"},
    {"machine.cores", 1, 8, "the same"},
    {"machine.warps", 8, HD_WARP_SLOTS, "a core holds a CTA of 256 threads"},
    {"machine.registers", 16384, 1048576, "the same"},
    {"machine.shared_memory", 32768, 1048576, "the same"},
    {"divergence.membership", 0, HD_MEMBER_ENTRY, "`none` ends right programs with a trap, which is what it is for"},
    {"divergence.minrc", 0, HD_MINRC_ON, "so does `ignore`"},
    {"machine.lanes", 12, 32, "a core of 8 warps holds a CTA of 96 threads"},
    {"divergence.tokens", 256, 8192, "the programs nest branches and calls"},
    {"divergence.call_depth", 16, 4096, "the programs nest calls"},
};

static uint32_t below(uint64_t *state, uint32_t n) { return (uint32_t)((hd_random(state) >> 16) % n); }

/* Small values are as frequent as large ones: the number of bits is drawn first. The ends of the range have a share of their own. */
static uint32_t draw_number(uint64_t *state, uint32_t minimum, uint32_t maximum)
{
	uint32_t range = maximum - minimum, bits = 0;
	switch (below(state, 8)) {
	case 0:
		return minimum;
	case 1:
		return below(state, 4) ? minimum : maximum;
	default:
		break;
	}
	while (bits < 32 && range >> bits)
		bits++;
	uint32_t most = bits ? UINT32_MAX >> (32 - (1 + below(state, bits))) : 0;
	return minimum + (uint32_t)((hd_random(state) >> 16) % ((uint64_t)hd_min_u32(most, range) + 1));
}

/* One of the names that the key takes: they stand between backquotes in its expected values. A maximum other than 0 is the index of the last one. */
static void draw_name(uint64_t *state, const hd_key *key, char name[HD_KEY_VALUE_MAX])
{
	hd_text expected = {0};
	hd_key_expected(key, &expected);
	uint32_t quotes = 0;
	for (const char *at = expected.at; (at = strchr(at, '`')); at++)
		quotes++;
	uint32_t chosen = below(state, key->maximum ? key->maximum + 1 : quotes / 2);
	const char *from = strchr(expected.at, '`') + 1;
	for (; chosen; chosen--)
		from = strchr(strchr(from, '`') + 1, '`') + 1;
	snprintf(name, HD_KEY_VALUE_MAX, "%.*s", (int)strcspn(from, "`"), from);
	hd_text_free(&expected);
}

static void narrow(hd_key *key)
{
	for (unsigned i = 0; i < HD_COUNT(narrowed); i++) {
		if (strcmp(narrowed[i].path, key->path) == 0) {
			key->minimum = narrowed[i].minimum;
			key->maximum = narrowed[i].maximum;
		}
	}
}

static void draw_key(uint64_t *state, hd_key key, hd_machine *machine)
{
	char text[HD_KEY_VALUE_MAX];
	hd_diag diag = {0};
	narrow(&key);
	if (key.kind == HD_KEY_U32 || key.kind == HD_KEY_PJ || key.kind == HD_KEY_FLAG || key.kind == HD_KEY_PIPES) {
		uint32_t value = draw_number(state, key.minimum, key.maximum);
		memcpy((char *)machine + key.offset, &value, sizeof value);
		hd_key_format(machine, &key, text);
	} else {
		draw_name(state, &key, text);
	}
	/* Its own reader has the last word on every value. */
	hd_invariant(hd_key_store(machine, &key, text, (hd_pos){0}, &diag), "%s", diag.text.at);
}

/* Draws the key anew until the loader takes the machine, or gives the old value back. */
static void change_key(uint64_t *state, const hd_key *key, hd_machine *machine)
{
	hd_machine before = *machine;
	for (unsigned tries = 0; tries < 16; tries++) {
		hd_diag diag = {0};
		draw_key(state, *key, machine);
		bool ok = hd_machine_validate(machine, NULL, &diag);
		hd_diag_free(&diag);
		if (ok)
			return;
	}
	*machine = before;
}

void stress_draw_machine(uint64_t seed, hd_machine *machine)
{
	static const uint8_t shares[] = {16, 64, 255}; /* of 256 keys so many are drawn */
	uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
	uint32_t share = shares[below(&state, HD_COUNT(shares))], n = hd_key_count(), first = below(&state, n);
	hd_machine_default(machine);
	/* Keys that limit each other are met in different orders. */
	for (uint32_t i = 0; i < n; i++) {
		hd_key key = hd_key_at((first + i) % n);
		if (below(&state, 256) <= share)
			change_key(&state, &key, machine);
	}
	snprintf(machine->name, sizeof machine->name, "drawn-%llu", (unsigned long long)seed);
}

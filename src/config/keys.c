#include "config/keys.h"

/* Names of the values of each enumeration; NULL ends each list. */
static const char *const value_names[][8] = {
    [HD_KEY_FLAG] = {"false", "true"},
#define VALUE(id, text) [id] = text,
#define NAMES(type, ...) [HD_KEY_##type] = {__VA_ARGS__},
#include "config/machine.def"
#undef VALUE
};

static const hd_key rows[] = {
#define ROW(section, name, kind, minimum, maximum, unit, doc, checked) \
	{#section "." #name, unit, doc, HD_KEY_##kind, minimum, maximum, offsetof(hd_machine, section##_##name), checked},
#define KEY(section, name, kind, initial, minimum, maximum, unit, doc) ROW(section, name, kind, minimum, maximum, unit, doc, false)
#define CHECKED_KEY(section, name, kind, initial, minimum, maximum, unit, doc) ROW(section, name, kind, minimum, maximum, unit, doc, true)
#include "config/machine.def"
#undef ROW
};

enum {
	LATENCY_MAX = 1000,
	QUEUE_MAX = 64,
	NARROW_PIPES = HD_PIPE_FLOW,      /* only the pipes before the flow unit can be narrow */
	FIXED_CLASSES = HD_CLASS_TEX + 1, /* only classes of fixed latency can move (MI-14) */
	FIXED_PIPES = HD_PIPE_LATOM,      /* only pipes of fixed latency can be shared (HZ-37) */
	COPIED_PIPES = FIXED_PIPES + 1,   /* they and the load/store pipe can have copies (MI-14) */
};

unsigned hd_key_count(void)
{
	return (unsigned)HD_COUNT(rows) + 2 * HD_CLASS_COUNT + 2 * HD_PIPE_COUNT + NARROW_PIPES + FIXED_CLASSES + COPIED_PIPES;
}

hd_key hd_key_at(unsigned index)
{
	hd_invariant(index < hd_key_count(), "key %u of %u", index, hd_key_count());
	if (index < HD_COUNT(rows))
		return rows[index];
	index -= (unsigned)HD_COUNT(rows);
	bool second = index & 1;
	hd_key key = {.kind = HD_KEY_U32, .minimum = 1, .checked = true}; /* but for the queues */
	if (index < 2 * HD_CLASS_COUNT) {
		key.maximum = LATENCY_MAX;
		key.unit = "cycles";
		key.doc =
		    second ? "time for which an instruction keeps the pipe's entry busy" : "from operand read to the first reader of the result";
		key.offset = offsetof(hd_machine, latency) + (index >> 1) * sizeof(hd_timing) +
		             (second ? offsetof(hd_timing, interval) : offsetof(hd_timing, latency));
		snprintf(key.path, sizeof key.path, "latency.%s.%s", hd_class_names[index >> 1], second ? "interval" : "latency");
		return key;
	}
	index -= 2 * HD_CLASS_COUNT;
	if (index >= 2 * HD_PIPE_COUNT + NARROW_PIPES) {
		index -= 2 * HD_PIPE_COUNT + NARROW_PIPES;
		if (index >= FIXED_CLASSES) {
			index -= FIXED_CLASSES;
			key.maximum = HD_MAX_COPIES;
			key.unit = "copies";
			key.doc = "copies of the pipeline behind its queue (MI-14), for instructions of different warps";
			if (index == FIXED_PIPES) {
				index = HD_PIPE_LSU;
				key.doc =
				    "copies of a core's load/store unit and of each entry to it (MI-14). They share the first cache, shared memory "
				    "and the table of misses, with a port each";
			}
			key.offset = offsetof(hd_machine, copies) + index * sizeof(uint32_t);
			snprintf(key.path, sizeof key.path, "copies.%s", hd_pipe_names[index]);
			return key;
		}
		key.kind = HD_KEY_hd_pipe;
		key.unit = "";
		key.doc = "pipeline of the class; `tex` has no operations of its own and is free for another class";
		key.offset = offsetof(hd_machine, pipe) + index * sizeof(uint32_t);
		snprintf(key.path, sizeof key.path, "pipe.%s", hd_class_names[index]);
		return key;
	}
	if (index >= 2 * HD_PIPE_COUNT) {
		index -= 2 * HD_PIPE_COUNT;
		key.minimum = HD_GROUP_LANES;
		key.maximum = HD_LANES;
		key.unit = "lanes";
		key.doc = "lanes that the pipeline takes in a cycle: 4, 8, 16 or 32. Lane groups of a warp read and are written in turn, and "
		          "a counter falls by the groups of each cycle (HZ-7, HZ-9)";
		key.offset = offsetof(hd_machine, lanes) + index * sizeof(uint32_t);
		snprintf(key.path, sizeof key.path, "lanes.%s", hd_pipe_names[index]);
		return key;
	}
	key.checked = false;
	key.minimum = second ? 0 : 1;
	key.maximum = QUEUE_MAX;
	key.unit = "instructions";
	key.doc =
	    second ? "hazard instruction queue and information queue; 0 = none: the FIFO's head waits, and all behind it (HZ-32)" : "input FIFO";
	key.offset = offsetof(hd_machine, queue) + (index >> 1) * sizeof(hd_queue_sizes) +
	             (second ? offsetof(hd_queue_sizes, hazard) : offsetof(hd_queue_sizes, fifo));
	snprintf(key.path, sizeof key.path, "queue.%s.%s", hd_pipe_names[index >> 1], second ? "hazard" : "fifo");
	return key;
}

bool hd_key_find(const char *path, hd_key *key)
{
	for (unsigned i = 0; i < hd_key_count(); i++) {
		*key = hd_key_at(i);
		if (strcmp(key->path, path) == 0)
			return true;
	}
	return false;
}

bool hd_key_is_section(const char *path)
{
	size_t length = strlen(path);
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (strncmp(key.path, path, length) == 0 && key.path[length] == '.')
			return true;
	}
	return false;
}

const char *hd_key_nearest(const char *path, bool is_section, char out[48])
{
	unsigned best = 4; /* a more distant name is no useful suggestion */
	bool found = false;
	if (strlen(path) >= 64)
		return NULL;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (is_section)
			*strrchr(key.path, '.') = '\0';
		unsigned d = hd_edit_distance(path, key.path);
		if (d < best) {
			best = d;
			found = true;
			memcpy(out, key.path, sizeof key.path);
		}
	}
	return found ? out : NULL;
}

uint32_t hd_key_value(const hd_machine *machine, const hd_key *key)
{
	uint32_t value;
	memcpy(&value, (const char *)machine + key->offset, sizeof value);
	return value;
}

void hd_key_format(const hd_machine *machine, const hd_key *key, char text[HD_KEY_VALUE_MAX])
{
	uint32_t value = hd_key_value(machine, key);
	if (key->kind == HD_KEY_U32) {
		snprintf(text, HD_KEY_VALUE_MAX, "%u", value);
	} else if (key->kind == HD_KEY_PIPES) {
		int n = snprintf(text, HD_KEY_VALUE_MAX, "%s", value ? "" : "none");
		for (unsigned pipe = 0; pipe < FIXED_PIPES; pipe++)
			if (value >> pipe & 1)
				n += snprintf(text + n, HD_KEY_VALUE_MAX - (size_t)n, "%s%s", n ? "+" : "", hd_pipe_names[pipe]);
	} else if (key->kind == HD_KEY_PJ) {
		int n = snprintf(text, HD_KEY_VALUE_MAX, "%u.%03u", value / 1000, value % 1000);
		while (text[n - 1] == '0')
			text[--n] = '\0';
		if (text[n - 1] == '.')
			text[n - 1] = '\0';
	} else {
		hd_invariant(value < HD_COUNT(value_names[0]) && value_names[key->kind][value], "%s has no name for value %u", key->path, value);
		snprintf(text, HD_KEY_VALUE_MAX, "%s", value_names[key->kind][value]);
	}
}

void hd_key_expected(const hd_key *key, hd_text *out)
{
	if (key->kind == HD_KEY_U32) {
		hd_text_printf(out, "a number from %u to %u%s%s%s", key->minimum, key->maximum, key->unit[0] ? " (" : "", key->unit,
		               key->unit[0] ? ")" : "");
		return;
	}
	if (key->kind == HD_KEY_PJ) {
		hd_text_printf(out, "a number from %u to %u with at most three decimals (%s)", key->minimum / 1000, key->maximum / 1000, key->unit);
		return;
	}
	if (key->kind == HD_KEY_PIPES) {
		hd_text_printf(out, "`none`, or names of");
		for (unsigned pipe = 0; pipe < FIXED_PIPES; pipe++)
			hd_text_printf(out, "%s`%s`", pipe == 0 ? " " : pipe + 1 < FIXED_PIPES ? ", " : " and ", hd_pipe_names[pipe]);
		hd_text_printf(out, " with `+` between them");
		return;
	}
	const char *const *names = value_names[key->kind];
	for (unsigned i = 0; names[i]; i++)
		hd_text_printf(out, "%s`%s`", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
}

/* Reads a whole number, decimal or hexadecimal. It accepts no sign and no blank. */
static bool number(const char *text, uint32_t *value)
{
	uint64_t wide = 0;
	bool ok = hd_read_number(text, strlen(text), UINT32_MAX, &wide) == HD_NUMBER_GOOD;
	*value = (uint32_t)wide;
	return ok;
}

/* Reads digits, and up to three more digits after a point. The result is in thousandths. */
static bool thousandths(const char *text, uint32_t *value)
{
	char digits[24];
	size_t whole = strcspn(text, "."), decimals = text[whole] ? strlen(text + whole + 1) : 0;
	if (!whole || whole > 12 || strspn(text, "0123456789.") != strlen(text) || decimals > 3 || (text[whole] && !decimals))
		return false;
	snprintf(digits, sizeof digits, "%.*s%s%.*s", (int)whole, text, text[whole] ? text + whole + 1 : "", 3 - (int)decimals, "000");
	return number(digits, value);
}

/* Reads names of pipelines of fixed latency, each at most once. */
static bool pipes(const char *text, uint32_t *value)
{
	*value = 0;
	if (strcmp(text, "none") == 0)
		return true;
	for (;; text++) {
		size_t n = strcspn(text, "+");
		unsigned pipe = 0;
		while (pipe < FIXED_PIPES && (strlen(hd_pipe_names[pipe]) != n || strncmp(text, hd_pipe_names[pipe], n) != 0))
			pipe++;
		if (pipe == FIXED_PIPES || *value >> pipe & 1)
			return false;
		*value |= 1u << pipe;
		text += n;
		if (!*text)
			return true;
	}
}

/* More cores than a cluster has are cores of several clusters. */
static void put_clusters(const hd_key *key, const char *value, hd_text *out)
{
	uint32_t cores, clusters = 2;
	if (strcmp(key->path, "machine.cores") != 0 || !number(value, &cores) || cores <= key->maximum)
		return;
	while (clusters <= key->maximum && (cores % clusters || cores / clusters > key->maximum))
		clusters++;
	hd_text_printf(out, "; a cluster has so many, and machine.clusters is the number of clusters");
	if (clusters <= key->maximum)
		hd_text_printf(out, ": machine.clusters=%u and machine.cores=%u make %u cores", clusters, cores / clusters, cores);
}

bool hd_key_store(hd_machine *machine, const hd_key *key, const char *value, hd_pos pos, hd_diag *diag)
{
	uint32_t result = 0;
	bool good = false;
	if (key->kind == HD_KEY_U32) {
		good = number(value, &result) && result >= key->minimum && result <= key->maximum;
	} else if (key->kind == HD_KEY_PIPES) {
		good = pipes(value, &result);
	} else if (key->kind == HD_KEY_PJ) {
		good = thousandths(value, &result) && result >= key->minimum && result <= key->maximum;
	} else {
		while (!good && value_names[key->kind][result])
			good = strcmp(value, value_names[key->kind][result]) == 0 || (result++, false);
	}
	if (!good) {
		hd_text expected = {0};
		hd_key_expected(key, &expected);
		if (key->kind == HD_KEY_U32)
			put_clusters(key, value, &expected);
		hd_error(diag, pos, "%s cannot be '%.40s', expected %s", key->path, value, expected.at);
		hd_text_free(&expected);
		return false;
	}
	memcpy((char *)machine + key->offset, &result, sizeof result);
	return true;
}

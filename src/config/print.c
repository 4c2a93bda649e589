/* A machine description as text: YAML that the reader accepts, and the documentation of the keys. */
#include "config/keys.h"
#include "config/presets.h"

/* Length of the section's name in a path: it ends at the last dot for the documentation, at the first for YAML. */
static int first_part(const char *path) { return (int)strcspn(path, "."); }

static const char *const section_docs[][2] = {
    {"machine", "Numbers and sizes of parts."},
    {"fence", "Fence counters: dependences between pipelines (HZ)."},
    {"predecode", "Scheduling by pre-decode data (PD). `refuse_*` and `replay_misses` need `replay`: which unit refuses an instruction with\n"
                  "`may_replay`, and when (PD-26)."},
    {"grids", "Task manager, child grids and queues (docs/grids.md)."},
    {"compile", "Choices of the compiler."},
    {"divergence", "Resume counters and MINRC (RC)."},
    {"multi_issue", "Several instructions of one warp in a cycle (MI)."},
    {"last_use", "Values that never reach the register file (LU)."},
    {"register_file", "Banks and ports."},
    {"energy", "Energy, for reports; nothing here changes what the machine does. Each kind of event has a key with its price in pJ, at\n"
               "most 1000000: docs/energy.md has values, uncertainties and sources, `heddle config` what is counted. A register has\n"
               "32 bits in each of 32 lanes."},
    {"fetch", "Instruction caches."},
    {"memory", "Shared memory, data caches, DRAM. `slice_*`, `request_*` and `answer_bytes` need `slices`. `dram_row_bytes` and all\n"
               "behind it need `dram_banks`."},
    {"pages", "Virtual memory: page table and TLBs (PD-38). All keys need `kib`."},
    {"host", "The host interface, and memory of the host (PD-38). All keys need `bytes_per_cycle`."},
    {"latency", "Latency classes. Memory adds to the cycles of lsu and latom."},
    {"lanes", "Width of each pipeline."},
    {"copies", "Copies of pipelines."},
    {"pipe", "The pipeline of each latency class (MI-14). Classes of memory and flow cannot move."},
    {"queue", "The queue before each pipeline (HZ-10)."},
};

static const char *section_doc(const char *path)
{
	for (unsigned i = 0; i < HD_COUNT(section_docs); i++) {
		if ((int)strlen(section_docs[i][0]) == first_part(path) && strncmp(section_docs[i][0], path, strlen(section_docs[i][0])) == 0)
			return section_docs[i][1];
	}
	return "";
}

static void comment(hd_text *out, const char *indent, const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		hd_text_printf(out, "%s# %.*s\n", indent, (int)n, text);
	}
}

/* Without the unit where the key's name or meaning has it. */
static void print_range(hd_text *out, const hd_key *key)
{
	bool unit = key->unit[0] && !strstr(key->path + first_part(key->path), key->unit) && !strstr(key->doc, key->unit);
	if (key->kind == HD_KEY_U32)
		hd_text_printf(out, "%u..%u%s%s", key->minimum, key->maximum, unit ? " " : "", unit ? key->unit : "");
	else if (key->kind == HD_KEY_PJ)
		hd_text_printf(out, "%u..%u %s", key->minimum / 1000, key->maximum / 1000, key->unit);
	else
		hd_key_expected(key, out);
}

void hd_machine_print(const hd_machine *machine, hd_text *out)
{
	char value[HD_KEY_VALUE_MAX];
	hd_text_printf(out,
	               "# A machine description. A file states only what differs from the defaults, or from a preset that it names in a first\n"
	               "# line `preset: NAME`. Every key and its range: docs/configuration.md.\nname: %s\n",
	               machine->name);
	const char *section = "";
	char last[48];
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		int length = first_part(key.path);
		if ((int)strlen(section) != length || strncmp(section, key.path, (size_t)length) != 0) {
			hd_text_printf(out, "\n");
			comment(out, "", section_doc(key.path));
			hd_text_printf(out, "%.*s:\n", length, key.path);
			memcpy(last, key.path, (size_t)length);
			last[length] = '\0';
			section = last;
		}
		hd_key_format(machine, &key, value);
		const char *rest = key.path + length + 1, *dot = strchr(rest, '.');
		if (!dot) {
			hd_text_printf(out, "  # %s (", key.doc);
			print_range(out, &key);
			hd_text_printf(out, ")\n  %s: %s\n", rest, value);
			continue;
		}
		/* A row of the tables has two keys on one line. */
		hd_key second = hd_key_at(++i);
		hd_text_printf(out, "  %.*s: {%s: %s, ", (int)(dot - rest), rest, dot + 1, value);
		hd_key_format(machine, &second, value);
		hd_text_printf(out, "%s: %s}\n", strrchr(second.path, '.') + 1, value);
	}
}

void hd_machine_summary(const char *preset, hd_text *out)
{
	const char *text = hd_preset_text(preset);
	/* Joins the comment lines at the head of the text. */
	for (bool first = true; text && text[0] == '#'; first = false) {
		size_t n = strcspn(text, "\n");
		hd_text_printf(out, "%s%.*s", first ? "" : " ", (int)n - 2, text + 2);
		text += n + 1;
	}
}

static bool same_row(const hd_key *a, const hd_key *b)
{
	return strcmp(a->doc, b->doc) == 0 && first_part(a->path) == first_part(b->path) &&
	       strncmp(a->path, b->path, (size_t)first_part(a->path)) == 0;
}

/* A row of the table. Keys of a section with one meaning, such as the latencies of all classes, share the row of the first. */
static void document_key(hd_text *out, const hd_machine *defaults, unsigned index)
{
	char value[HD_KEY_VALUE_MAX];
	hd_key key = hd_key_at(index);
	unsigned keys = 0;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key other = hd_key_at(i);
		if (!same_row(&key, &other))
			continue;
		if (i < index)
			return;
		keys++;
	}
	int section = first_part(key.path);
	const char *name = key.path + section + 1, *of = key.kind == HD_KEY_hd_pipe || strncmp(key.path, "latency.", 8) == 0 ? "CLASS" : "PIPE";
	if (keys == 1)
		hd_text_printf(out, "| `%s`%s | ", key.path, key.checked ? " \\*" : "");
	else
		hd_text_printf(out, "| `%.*s.%s%s`%s | ", section, key.path, of, name + strcspn(name, "."), key.checked ? " \\*" : "");
	bool equal = keys > 1;
	for (unsigned i = index; i < hd_key_count() && equal; i++) {
		hd_key other = hd_key_at(i);
		equal = !same_row(&key, &other) || hd_key_value(defaults, &other) == hd_key_value(defaults, &key);
	}
	for (unsigned i = index, n = 0; n < (equal ? 1 : keys); i++) {
		hd_key other = hd_key_at(i);
		if (!same_row(&key, &other))
			continue;
		hd_key_format(defaults, &other, value);
		if (keys > 1 && !equal)
			hd_text_printf(out, "%s%.*s: ", n ? ", " : "", (int)strcspn(other.path + section + 1, "."), other.path + section + 1);
		hd_text_printf(out, "%s%s", value, equal ? " each" : "");
		n++;
	}
	/* `VALUE = meaning` states the values of an enumeration. */
	if (key.kind != HD_KEY_FLAG && !strstr(key.doc, "` = ")) {
		hd_text_printf(out, " (");
		print_range(out, &key);
		hd_text_printf(out, ")");
	}
	hd_text_printf(out, " | %s |\n", key.doc);
}

void hd_machine_document(hd_text *out)
{
	hd_machine defaults;
	hd_machine_default(&defaults);
	hd_text_printf(
	    out, "# Configuration\n\n<!-- Generated by `heddle config --markdown` (tools/docs.sh); a test compares. -->\n\n"
	         "A YAML file, or the name of a preset, describes a machine: `--config FILE.yaml`, `--config NAME`.\n"
	         "`--set SECTION.KEY=VALUE` changes single keys. A file states only what differs from the defaults, or from the preset\n"
	         "that its key `preset` names:\n\n"
	         "```yaml\nname: small\npreset: heddle\nmachine:\n  cores: 1\nlatency:\n  sfu: {latency: 20, interval: 8}\nqueue:\n  lsu: {fifo: 2, "
	         "hazard: 4}\n```\n\n"
	         "`heddle config NAME` prints every key. Unknown keys and bad values are refused, with file, line and key.\n\n"
	         "Annotations rely on the keys with a \\*, and on no others. An object records their values, and the checker looks at it\n"
	         "before it runs on a machine with others ([checker.md](checker.md#objects-on-other-machines)).\n"
	         "\n## Presets\n\n| name | what it is |\n|---|---|\n");
	for (unsigned i = 0; hd_machine_presets[i]; i++) {
		hd_text_printf(out, "| `%s` | ", hd_machine_presets[i]);
		hd_machine_summary(hd_machine_presets[i], out);
		hd_text_printf(out, " |\n");
	}
	char section[48] = "";
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		int length = first_part(key.path);
		if ((int)strlen(section) != length || strncmp(section, key.path, (size_t)length) != 0) {
			memcpy(section, key.path, (size_t)length);
			section[length] = '\0';
			hd_text_printf(out, "\n## %s\n\n%s\n\n", section, section_doc(key.path));
			hd_text_printf(out, "| key | default (range) | meaning |\n|---|---|---|\n");
		}
		if (key.kind != HD_KEY_PJ) /* docs/energy.md has a row for each */
			document_key(out, &defaults, i);
	}
}

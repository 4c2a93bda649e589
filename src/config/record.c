#include "config/record.h"

bool hd_machine_records(const hd_machine *machine, const hd_key *key)
{
	static const char *const hiding[] = {"last_use.path_b", "last_use.path_a", "last_use.compensation", "last_use.across"};
	if (key->checked || !hd_machine_file_latency(machine))
		return key->checked;
	for (unsigned i = 0; i < HD_COUNT(hiding); i++)
		if (strcmp(key->path, hiding[i]) == 0)
			return true;
	return false;
}

void hd_machine_record(const hd_machine *machine, hd_text *out)
{
	char value[HD_KEY_VALUE_MAX];
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (!hd_machine_records(machine, &key))
			continue;
		hd_key_format(machine, &key, value);
		/* Every compilation does this: the pieces cost a fraction of a format. */
		hd_text_put(out, key.path, strlen(key.path));
		hd_text_put(out, "=", 1);
		hd_text_put(out, value, strlen(value));
		hd_text_put(out, "\n", 1);
	}
}

/* The value of a key in the record, *length characters; NULL when the record does not have the key. */
static const char *value_in(const char *record, const char *path, size_t *length)
{
	size_t n = strlen(path);
	for (const char *line = record; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, path, n) == 0 && line[n] == '=') {
			*length = strcspn(line + n + 1, "\n");
			return line + n + 1;
		}
	}
	return NULL;
}

unsigned hd_machine_record_differences(const hd_machine *machine, const char *record, unsigned most, hd_text *out)
{
	char value[HD_KEY_VALUE_MAX];
	unsigned found = 0;
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		if (!hd_machine_records(machine, &key))
			continue;
		size_t length = 0;
		const char *recorded = value_in(record, key.path, &length);
		hd_key_format(machine, &key, value);
		if (recorded && length == strlen(value) && memcmp(recorded, value, length) == 0)
			continue;
		if (found++ >= most)
			continue;
		hd_text_printf(out, "%s%s is %s, the object ", found > 1 ? "; " : "", key.path, value);
		if (recorded)
			hd_text_printf(out, "was compiled for %.*s", (int)hd_min_u64(length, HD_KEY_VALUE_MAX), recorded);
		else
			hd_text_printf(out, "does not say for which value it was compiled");
	}
	return found;
}

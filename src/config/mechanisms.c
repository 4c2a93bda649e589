#include "config/mechanisms.h"

#include "config/keys.h"

const char *const hd_mechanism_names[HD_MECHANISMS] = {"fence", "predecode", "minrc", "multi-issue", "last-use"};

static void load_preset(hd_machine *machine, const char *name)
{
	hd_diag diag = {0};
	hd_invariant(hd_machine_load(machine, name, &diag), "no preset %s", name);
	hd_diag_free(&diag);
}

void hd_mechanism_switch(hd_machine *machine, unsigned mechanism, bool on)
{
	hd_machine with, without;
	load_preset(&with, hd_mechanism_names[mechanism]);
	load_preset(&without, "baseline");
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		uint32_t value = hd_key_value(&with, &key), other = hd_key_value(&without, &key);
		if (value != other)
			memcpy((char *)machine + key.offset, on ? &value : &other, sizeof value);
	}
}

/* Gives the description the name that the caller used. A longer name is cut. */
static void call(hd_machine *machine, const char *name)
{
	size_t length = strlen(name);
	if (length >= sizeof machine->name)
		length = sizeof machine->name - 1;
	memset(machine->name, 0, sizeof machine->name);
	memcpy(machine->name, name, length);
}

void hd_mechanism_subset(hd_machine *machine, unsigned set)
{
	hd_text name = {0};
	load_preset(machine, "baseline");
	hd_text_printf(&name, "baseline");
	for (unsigned i = 0; i < HD_MECHANISMS; i++) {
		if (!(set >> i & 1))
			continue;
		hd_mechanism_switch(machine, i, true);
		hd_text_printf(&name, "+%s", hd_mechanism_names[i]);
	}
	call(machine, name.at);
	hd_text_free(&name);
}

/* The name in `names` with which `text` begins, followed by a sign or by the end of the text. */
static const char *first_of(const char *const *names, unsigned n, const char *text, unsigned *which)
{
	for (unsigned i = 0; i < n && names[i]; i++) {
		size_t length = strlen(names[i]);
		if (strncmp(text, names[i], length) == 0 && (text[length] == '\0' || text[length] == '+' || text[length] == '-')) {
			*which = i;
			return text + length;
		}
	}
	return NULL;
}

bool hd_mechanism_compose(hd_machine *machine, const char *name)
{
	hd_machine composed;
	unsigned which;
	const char *at = first_of(hd_machine_presets, UINT32_MAX, name, &which);
	if (!at)
		return false;
	load_preset(&composed, hd_machine_presets[which]);
	while (*at) {
		bool on = *at == '+';
		at = first_of(hd_mechanism_names, HD_MECHANISMS, at + 1, &which);
		if (!at)
			return false;
		hd_mechanism_switch(&composed, which, on);
	}
	call(&composed, name);
	*machine = composed;
	return true;
}

#include "options.h"

options options_new(void)
{
	hd_text folder = {0};
	const char *examples = getenv("HEDDLE_EXAMPLES"), *source = getenv("HEDDLE_SOURCE");
	if (examples)
		hd_text_printf(&folder, "%s", examples);
	else
		hd_text_printf(&folder, "%s/examples", source ? source : ".");
	return (options){.size = -1, .examples = folder.at};
}

void options_free(options *o) { free(o->examples); }

bool options_take(options *o, int argc, char **argv, int *i)
{
	const char *name = argv[*i], *value = *i + 1 < argc ? argv[*i + 1] : NULL;
	if (value && strcmp(name, "--machine") == 0)
		o->machine = value;
	else if (value && strcmp(name, "--size") == 0)
		o->size = atoi(value);
	else if (value && strcmp(name, "--set") == 0 && o->n_settings < MOST_SETTINGS)
		o->settings[o->n_settings++] = value;
	else
		return false;
	++*i;
	return true;
}

void options_choose(options *o, int argc, char **argv, int first)
{
	for (unsigned e = 0; ex_examples[e]; e++) {
		bool wanted = first == argc;
		for (int i = first; i < argc; i++)
			wanted = wanted || strcmp(argv[i], ex_examples[e]->name) == 0;
		if (wanted && o->n < MOST_EXAMPLES)
			o->chosen[o->n++] = ex_examples[e];
	}
}

bool options_machine(const options *o, hd_machine *machine, hd_diag *diag)
{
	bool ok = hd_machine_load(machine, o->machine, diag);
	for (unsigned i = 0; i < o->n_settings && ok; i++)
		ok = hd_machine_set(machine, o->settings[i], diag);
	return ok;
}

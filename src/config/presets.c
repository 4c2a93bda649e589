#include "config/presets.h"
#include "config/machine.h"

/* PRESET("name", "text"): tools/embed.py generates the rows from presets/NAME.yaml, in the order of meson.build. */
const char *const hd_machine_presets[] = {
#define PRESET(name, text) name,
#include "config/presets_text.h"
#undef PRESET
    NULL,
};

static const char *const texts[] = {
#define PRESET(name, text) text,
#include "config/presets_text.h"
#undef PRESET
};

const char *hd_preset_text(const char *name)
{
	for (unsigned i = 0; hd_machine_presets[i]; i++) {
		if (strcmp(hd_machine_presets[i], name) == 0)
			return texts[i];
	}
	return NULL;
}

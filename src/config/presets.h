/* The built-in machine descriptions: presets/NAME.yaml, compiled in. */
#ifndef HD_CONFIG_PRESETS_H
#define HD_CONFIG_PRESETS_H

/* The YAML text of a preset; NULL for an unknown name. */
const char *hd_preset_text(const char *name);

#endif

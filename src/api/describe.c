/* The machine description as data: keys, values, limits and documentation (heddle/heddle.h). */
#include "api/state.h"
#include "config/keys.h"
#include "config/state_bits.h"

unsigned heddle_key_count(void) { return hd_key_count(); }

bool heddle_key_at(unsigned index, heddle_key *key)
{
	if (index >= hd_key_count())
		return false;
	hd_key from = hd_key_at(index);
	hd_text expected = {0};
	hd_key_expected(&from, &expected);
	*key = (heddle_key){.unit = from.unit, .documentation = from.doc, .minimum = from.minimum, .maximum = from.maximum};
	key->number = from.kind == HD_KEY_U32;
	key->flag = from.kind == HD_KEY_FLAG;
	snprintf(key->path, sizeof key->path, "%s", from.path);
	snprintf(key->expected, sizeof key->expected, "%s", expected.at ? expected.at : "");
	hd_text_free(&expected);
	return true;
}

char *heddle_get(heddle *h, const char *path)
{
	hd_key key;
	char text[HD_KEY_VALUE_MAX], nearest[48];
	if (hd_key_find(path, &key)) {
		hd_key_format(&h->machine, &key, text);
		return hd_xstrdup(text);
	}
	const char *hint = hd_key_nearest(path, false, nearest);
	hd_error(&h->diag, (hd_pos){0}, "there is no key '%s'%s%s%s", path, hint ? ", did you mean " : "", hint ? hint : "", hint ? "?" : "");
	return NULL;
}

uint32_t heddle_state_bits(heddle *h) { return hd_machine_validate(&h->machine, h->machine.name, &h->diag) ? hd_machine_state_bits(&h->machine) : 0; }

char *heddle_machine(const heddle *h)
{
	hd_text text = {0};
	hd_machine_print(&h->machine, &text);
	return text.at;
}

#include "front/module_text.h"

hd_module_text hd_module_text_of(const char *text)
{
	const char *first = strstr(text, "\n!0 = ");
	return (hd_module_text){text, first ? first : text};
}

const char *hd_module_text_define(const hd_module_text *module, const char *line)
{
	if (!line && strncmp(module->text, "define ", 7) == 0)
		return module->text;
	const char *at = strstr(line ? line : module->text, "\ndefine ");
	return at ? at + 1 : NULL;
}

char *hd_module_text_symbol(const char *line)
{
	hd_text name = {0};
	const char *at = line + strcspn(line, "@\n");
	if (*at == '@' && at[1] == '"')
		hd_text_put(&name, at + 2, strcspn(at + 2, "\"\n"));
	else if (*at == '@')
		hd_text_put(&name, at + 1, strcspn(at + 1, "(\n"));
	else
		hd_text_put(&name, "", 0);
	return name.at;
}

/* The text of metadata node `number`, at its opening brace; NULL if there is none. */
static const char *node(const hd_module_text *module, unsigned number)
{
	char head[32];
	snprintf(head, sizeof head, "\n!%u = !{", number);
	const char *at = strstr(module->metadata, head);
	return at ? at + strlen(head) - 1 : NULL;
}

const char *hd_module_text_node(const hd_module_text *module, const char *line, const char *key)
{
	size_t n = strcspn(line, "\n"), length = strlen(key);
	const char *at = line;
	while ((at = strstr(at, key)) && at < line + n && at[length] != ' ')
		at += length; /* a longer key: !kernel_arg_type_qual begins like !kernel_arg_type */
	if (!at || at >= line + n || at[length + 1] != '!')
		return NULL;
	return node(module, (unsigned)strtoul(at + length + 2, NULL, 10));
}

char *hd_module_text_string(const char *list, size_t index)
{
	for (const char *at = list; at && *at && *at != '\n' && *at != '}'; at++) {
		if (*at != '!' || at[1] != '"')
			continue;
		const char *begin = at + 2;
		size_t n = strcspn(begin, "\"\n");
		if (index-- == 0) {
			hd_text text = {0};
			hd_text_put(&text, begin, n);
			return text.at;
		}
		at = begin + n;
		if (!*at)
			break;
	}
	return hd_xstrdup("");
}

bool hd_module_text_number(const char *list, size_t index, unsigned *number)
{
	const char *end = list ? strchr(list, '\n') : NULL;
	const char *at = list;
	do {
		at = at ? strstr(at, "i32 ") : NULL;
		if (!at || (end && at > end))
			return false;
		at += 4;
	} while (index--);
	*number = (unsigned)strtoul(at, NULL, 10);
	return true;
}

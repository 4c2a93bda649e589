#include "config/yaml.h"

#include <yaml.h>

enum { DEPTH_MAX = 3, PATH_BYTES = 128, KEYS_MAX = 4096, SKIPPED_MAX = 32 /* nesting of a value that is skipped */ };

typedef struct reader {
	yaml_parser_t parser;
	const char *file;
	hd_diag *diag;
	bool lists; /* sequences of scalars are values; keys have dots */
	hd_arena arena;
	HD_VEC(const char *) seen; /* paths that have been read */
	char path[PATH_BYTES];
	unsigned depth;             /* number of open mappings */
	size_t ends[DEPTH_MAX + 1]; /* length of the path of each open mapping */
} reader;

static hd_pos position(const reader *r, yaml_mark_t mark)
{
	return (hd_pos){.file = r->file, .line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
}

static bool next(reader *r, yaml_event_t *event)
{
	if (yaml_parser_parse(&r->parser, event))
		return true;
	hd_error(r->diag, position(r, r->parser.problem_mark), "is not YAML: %s%s%s", r->parser.problem ? r->parser.problem : "syntax error",
	         r->parser.context ? ", " : "", r->parser.context ? r->parser.context : "");
	return false;
}

/* Skips the value that begins with an event of this type, which the caller has taken from the parser, so that later errors are found, too. False when
 * the reader cannot continue. The time that the parser takes grows with the square of the nesting, so a value that is nested deep ends the reading.
 */
static bool skip(reader *r, yaml_event_type_t type)
{
	unsigned depth = 0;
	hd_pos pos = {.file = r->file};
	for (;;) {
		depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
		depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
		if (depth == 0)
			return true;
		if (depth > SKIPPED_MAX) {
			hd_error(r->diag, pos, "is nested too deep");
			return false;
		}
		yaml_event_t event;
		if (!next(r, &event))
			return false;
		type = event.type;
		pos = position(r, event.start_mark);
		yaml_event_delete(&event);
	}
}

/* Appends a key to the path. False and an error if the key is not a plain new name. */
static bool enter(reader *r, const yaml_event_t *key)
{
	hd_pos pos = position(r, key->start_mark);
	const char *name = (const char *)key->data.scalar.value;
	size_t length = key->data.scalar.length, at = r->ends[r->depth];
	static const char letters[] = ".*abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	if (length == 0 || strspn(name, r->lists ? letters : letters + 2) != length) {
		hd_error(r->diag, pos, "is not a key, expected a name of letters, digits and _");
		return false;
	}
	if (at + length + 2 > sizeof r->path) {
		hd_error(r->diag, pos, "key is too long");
		return false;
	}
	if (at)
		r->path[at++] = '.';
	memcpy(r->path + at, name, length + 1);
	for (size_t i = 0; i < r->seen.n; i++) {
		if (strcmp(r->seen.at[i], r->path) == 0) {
			hd_error(r->diag, pos, "%s is given twice", r->path);
			return false;
		}
	}
	if (r->seen.n == KEYS_MAX) {
		hd_error(r->diag, pos, "more than %d keys", KEYS_MAX);
		return false;
	}
	hd_vec_push(&r->seen, hd_arena_strndup(&r->arena, r->path, strlen(r->path)));
	return true;
}

static void scalar(reader *r, const yaml_event_t *event, hd_pos key, hd_pos at, hd_yaml_fn *fn, void *context)
{
	const char *value = (const char *)event->data.scalar.value;
	if (event->data.scalar.length != strlen(value))
		hd_error(r->diag, at, "%s: the value contains a NUL character", r->path);
	else
		fn(context, r->path, value, key, at, r->diag);
}

/* Reads the rest of a sequence that has begun. False when the reader cannot continue. */
static bool sequence(reader *r, hd_pos key, hd_yaml_fn *fn, void *context)
{
	for (bool any = false;; any = true) {
		yaml_event_t event;
		if (!next(r, &event))
			return false;
		yaml_event_type_t type = event.type;
		hd_pos pos = position(r, event.start_mark);
		if (type == YAML_SEQUENCE_END_EVENT && !any)
			hd_error(r->diag, pos, "%s: the list is empty", r->path);
		if (type == YAML_SCALAR_EVENT)
			scalar(r, &event, key, pos, fn, context);
		yaml_event_delete(&event);
		if (type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (type != YAML_SCALAR_EVENT) {
			hd_error(r->diag, pos, "%s: expected a list of values", r->path);
			if (!skip(r, type))
				return false;
		}
		if (r->diag->errors >= HD_DIAG_MAX)
			return false;
	}
}

/* Reads the value of a key. False when the reader cannot continue. */
static bool value_of(reader *r, const yaml_event_t *key, hd_yaml_fn *fn, void *context)
{
	hd_pos key_pos = position(r, key->start_mark);
	bool known = enter(r, key), going = true;
	yaml_event_t event;
	if (!next(r, &event))
		return false;
	hd_pos pos = position(r, event.start_mark);
	if (!known) {
		going = skip(r, event.type);
	} else if (event.type == YAML_SCALAR_EVENT) {
		scalar(r, &event, key_pos, pos, fn, context);
	} else if (event.type == YAML_SEQUENCE_START_EVENT && r->lists) {
		going = sequence(r, key_pos, fn, context);
	} else if (event.type == YAML_MAPPING_START_EVENT && r->depth < DEPTH_MAX) {
		if (fn(context, r->path, NULL, key_pos, pos, r->diag))
			r->ends[++r->depth] = strlen(r->path);
		else
			going = skip(r, event.type);
	} else {
		hd_error(r->diag, pos, "%s: expected a value or a mapping, got %s", r->path,
		         event.type == YAML_SEQUENCE_START_EVENT ? "a sequence"
		         : event.type == YAML_ALIAS_EVENT        ? "an alias"
		                                                 : "a deeper mapping");
		going = skip(r, event.type);
	}
	yaml_event_delete(&event);
	return going;
}

static void read_all(reader *r, hd_yaml_fn *fn, void *context)
{
	unsigned documents = 0;
	bool going = true, done = false;
	while (going && !done && r->diag->errors < HD_DIAG_MAX) {
		yaml_event_t event;
		if (!next(r, &event))
			return;
		hd_pos pos = position(r, event.start_mark);
		switch (event.type) {
		case YAML_STREAM_END_EVENT:
			done = true;
			if (documents == 0)
				hd_error(r->diag, pos, "is empty, expected a mapping of sections");
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (++documents > 1) {
				hd_error(r->diag, pos, "a second document begins here, expected one");
				going = false;
			}
			break;
		case YAML_MAPPING_START_EVENT: /* the root, or a mapping as a key; value_of takes mappings that are values */
			if (r->depth > 0) {
				hd_error(r->diag, pos, "is not a key, expected a name");
				going = false;
				break;
			}
			r->depth = 1;
			r->ends[1] = 0;
			break;
		case YAML_MAPPING_END_EVENT:
			r->depth--;
			break;
		case YAML_SCALAR_EVENT:
			if (r->depth > 0) {
				going = value_of(r, &event, fn, context);
				break;
			}
			/* fall through */
		case YAML_SEQUENCE_START_EVENT:
		case YAML_ALIAS_EVENT:
			hd_error(r->diag, pos, r->depth ? "is not a key, expected a name" : "expected a mapping of sections");
			going = false;
			break;
		default: /* beginning and end of the stream and of documents */
			break;
		}
		yaml_event_delete(&event);
	}
}

static bool read_text(const char *text, size_t size, const char *file, bool lists, hd_yaml_fn *fn, void *context, hd_diag *diag)
{
	unsigned before = diag->errors;
	reader r = {.file = file, .diag = diag, .lists = lists};
	if (!yaml_parser_initialize(&r.parser))
		hd_out_of_memory(0);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
	read_all(&r, fn, context);
	yaml_parser_delete(&r.parser);
	hd_vec_free(&r.seen);
	hd_arena_free(&r.arena);
	return diag->errors == before;
}

bool hd_yaml_read(const char *text, size_t size, const char *file, hd_yaml_fn *fn, void *context, hd_diag *diag)
{
	return read_text(text, size, file, false, fn, context, diag);
}

bool hd_yaml_read_lists(const char *text, size_t size, const char *file, hd_yaml_fn *fn, void *context, hd_diag *diag)
{
	return read_text(text, size, file, true, fn, context, diag);
}

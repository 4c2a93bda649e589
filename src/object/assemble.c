/* Assembly text (docs/isa.md) to an object. One statement a line: a label, a directive or an instruction. The assembler makes the scheduling
 * word of each line of code from the hints of the line's instructions (PD-1). */
#include "isa/compact.h"
#include "isa/names.h"
#include "object/assembler.h"

bool hd_assembler_refuse(hd_assembler *a, const char *text)
{
	hd_error(a->scan.diag, hd_scan_pos(&a->scan), "%s", text);
	return false;
}

/* -- code -------------------------------------------------------------------------------------------------------------------------------- */

static void put_word(hd_assembler *a, uint64_t word, hd_pos pos)
{
	hd_vec_push(&a->o->code, word);
	hd_vec_push(&a->places, pos);
}

static bool at_ss(const hd_assembler *a) { return hd_is_ss(a->o->geometry, (uint32_t)a->o->code.n); }

static void put_blank(hd_assembler *a) { put_word(a, hd_line_blank(a->o->geometry, (uint32_t)a->o->code.n, 0), hd_scan_pos(&a->scan)); }

/* Leaves the last word of a line empty (PD-33). */
static void end_line(hd_assembler *a)
{
	if (hd_is_compact(a->o->geometry) && !at_ss(a) && hd_line_rest(a->o->geometry, (uint32_t)a->o->code.n) == 1)
		put_word(a, 0, hd_scan_pos(&a->scan));
}

bool hd_assembler_put_ss(hd_assembler *a)
{
	end_line(a);
	if (at_ss(a))
		put_blank(a);
	return true;
}

/* Moves the marks of the next instruction, at `from`, to the end of the code. */
static void move_marks(hd_assembler *a, uint32_t from)
{
	uint32_t to = (uint32_t)a->o->code.n;
	for (size_t i = a->labels.n; i-- > 0 && a->labels.at[i].word == from;)
		a->labels.at[i].word = to;
	if (a->o->targets.n && a->o->targets.at[a->o->targets.n - 1] == from)
		a->o->targets.at[a->o->targets.n - 1] = to;
}

/* Makes room for an instruction of so many words. */
static void begin_instruction(hd_assembler *a, unsigned words)
{
	uint32_t from = (uint32_t)a->o->code.n;
	if (words > 1)
		end_line(a);
	bool moves = a->o->code.n > from;
	while (at_ss(a))
		put_blank(a);
	if (moves)
		move_marks(a, from);
}

static bool only_bits(const char *word, size_t n)
{
	while (n && (word[n - 1] == '0' || word[n - 1] == '1'))
		n--;
	return n == 0;
}

/* p1.w, p12.r */
static bool primary(const char *word, size_t n, hd_inst *inst)
{
	unsigned counter = 0;
	size_t at = 1;
	if (n < 4 || n > 5 || word[0] != 'p' || word[n - 2] != '.' || (word[n - 1] != 'w' && word[n - 1] != 'r'))
		return false;
	for (; at < n - 2 && word[at] >= '0' && word[at] <= '9'; at++)
		counter = 10 * counter + (unsigned)(word[at] - '0');
	if (at < n - 2 || counter > HD_MAX_COUNTERS)
		return false;
	inst->primary = (uint8_t)counter;
	inst->release = word[n - 1] == 'r';
	return true;
}

/* {p2.w w010100 delay 4 h3}, where every part is optional. A geometry with room for two hints takes two (PD-24). */
static bool annotation(hd_assembler *a, hd_inst *inst, unsigned *predecode, bool *is_long)
{
	hd_scan *s = &a->scan;
	static const char *const no_room[] = {"a hint, which lines of this geometry have no room for",
	                                      "a second hint, which lines of this geometry have no room for", "a third hint, expected at most two"};
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	unsigned hints = 0;
	int64_t number;
	if (!hd_scan_is(s, "{"))
		return true;
	while (!hd_scan_is(s, "}")) {
		const char *word;
		size_t n = hd_scan_word(s, true, &word);
		unsigned hint = 0;
		while (hint < HD_HINT_COUNT && !hd_scan_same(word, n, hd_hint_names[hint]))
			hint++;
		if (hint < HD_HINT_COUNT && hints == geometry->hints) {
			s->at = word;
			return hd_assembler_refuse(a, no_room[hints]);
		}
		if (hint < HD_HINT_COUNT) {
			unsigned shift = 8 * hints++;
			*predecode |= hint << (shift + 4);
			hd_scan_space(s);
			if (s->at < s->end && *s->at >= '0' && *s->at <= '9') {
				if (!hd_scan_number(s, "number of cycles", 0, 15, &number))
					return false;
				*predecode |= (unsigned)number << shift;
			}
		} else if (n == 4 && memcmp(word, "long", n) == 0 && hd_is_compact(a->o->geometry)) {
			*is_long = true;
		} else if (primary(word, n, inst)) {
			continue;
		} else if (n >= 2 && n <= 1 + HD_MAX_COUNTERS && word[0] == 'w' && only_bits(word + 1, n - 1)) {
			inst->wait = 0;
			for (size_t bit = 1; bit < n; bit++) /* HZ-2: leftmost is counter 1 */
				inst->wait |= (uint16_t)((unsigned)(word[bit] - '0') << (bit - 1));
		} else if (n == 4 && memcmp(word, "pass", n) == 0 && !inst->primary) {
			inst->release = 1;
		} else if (n == 2 && word[0] == 'h' && word[1] >= '0' && word[1] <= '7') {
			inst->hint3 = (uint8_t)(word[1] - '0');
		} else {
			s->at = word;
			return hd_assembler_refuse(
			    a, "bad annotation, expected p1.w or p1.r, w and a bit a counter, a hint such as `delay 4`, h0 to h7, or }");
		}
	}
	return true;
}

/* PD-33. A branch to a label is short unless the text says `long`. */
static bool is_short(const hd_assembler *a, const hd_inst *inst, unsigned predecode)
{
	uint32_t bits;
	return hd_compact_encode(inst, &bits) && hd_object_short_hint(a->o, predecode) < HD_SHORT_HINTS;
}

static bool instruction(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	hd_inst inst;
	const char *name, *why;
	size_t length;
	unsigned predecode = 0;
	bool is_long = false;
	hd_scan_space(s);
	hd_pos pos = hd_scan_pos(s);
	if (!hd_parse_inst(s, &inst, &name, &length) || !annotation(a, &inst, &predecode, &is_long))
		return false;
	if (inst.op == HD_OP_MOVI && inst.release) {
		hd_error(s->diag, pos, "movi cannot be released by a read, as it has no sources; expected .w (HZ-4)");
		return false;
	}
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	if (!hd_line_holds(a->o->geometry, &inst)) {
		hd_error(s->diag, pos, "an annotation that lines of geometry %s have no room for, expected counters up to %u%s", geometry->name,
		         geometry->counters, geometry->mask_at || hd_is_compact(a->o->geometry) ? " and of h1 to h7 h4 alone" : "");
		return false;
	}
	if (a->o->code.n + HD_LINE_WORDS >= HD_MAX_CODE) {
		a->stop = true;
		return hd_assembler_refuse(a, "too much code, expected fewer than 16777216 words");
	}
	unsigned words = hd_is_compact(a->o->geometry) && (is_long || !is_short(a, &inst, predecode)) ? 2 : 1;
	begin_instruction(a, words);
	uint32_t at = (uint32_t)a->o->code.n;
	for (unsigned i = 0; i < words; i++)
		put_word(a, words == 1, pos);
	hd_line_put(a->o->geometry, a->o->code.at, at, &inst);
	hd_object_put_hint(a->o, at, predecode);
	if (!hd_line_get(a->o->geometry, a->o->code.at, at, &inst, &why)) {
		hd_error(s->diag, pos, "%s: %s", hd_ops[inst.op].mnemonic, why);
		return false;
	}
	if (name) {
		hd_text text = {0};
		hd_text_put(&text, name, length);
		hd_vec_push(&a->references, (hd_reference){text.at, at, HD_LABEL_TARGET, pos});
	}
	return true;
}

static uint64_t hash_of(const char *name) { return hd_hash(HD_HASH, name, strlen(name)); }

/* Address of the next instruction. */
uint32_t hd_assembler_next_instruction(const hd_assembler *a)
{
	uint32_t word = (uint32_t)a->o->code.n;
	return at_ss(a) ? hd_after(a->o->geometry, word) : word;
}

static bool define(hd_assembler *a, const char *name, size_t n)
{
	hd_text text = {0};
	hd_text_put(&text, name, n);
	hd_vec_push(&a->labels, (hd_label){text.at, hd_assembler_next_instruction(a), hash_of(text.at)});
	return true;
}

static bool statement(hd_assembler *a)
{
	hd_scan *s = &a->scan;
	if (hd_scan_done(s))
		return true;
	const char *start = s->at, *word;
	size_t n = hd_scan_word(s, true, &word);
	if (n && s->at < s->end && *s->at == ':') {
		s->at++;
		define(a, word, n);
		if (hd_scan_done(s))
			return true;
		start = s->at;
	}
	s->at = start;
	if (!(*s->at == '.' ? hd_assembler_directive(a) : instruction(a)))
		return false;
	return hd_scan_done(s) || hd_assembler_refuse(a, "more on the line, expected its end or a comment after ';'");
}

/* -- the end -------------------------------------------------------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	const hd_label *a = x, *b = y;
	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void put_target(hd_assembler *a, const hd_reference *r, uint32_t target)
{
	if (!hd_line_put_target(a->o->geometry, a->o->code.at, r->word, target))
		hd_error(a->scan.diag, r->pos, "word %u is too far for an instruction of 32 bits, expected {long}", target);
}

static void resolve(hd_assembler *a)
{
	hd_diag *diag = a->scan.diag;
	hd_pos end = {.file = a->scan.file, .line = a->scan.line, .column = 1};
	if (a->labels.n)
		qsort(a->labels.at, a->labels.n, sizeof *a->labels.at, by_name);
	for (size_t i = 1; i < a->labels.n; i++) {
		if (by_name(&a->labels.at[i - 1], &a->labels.at[i]) == 0) {
			uint32_t word = a->labels.at[i].word;
			hd_error(diag, word < a->places.n ? a->places.at[word] : end, "the label '%.60s' stands here and elsewhere, expected it once",
			         a->labels.at[i].name);
		}
	}
	for (size_t i = 0; i < a->references.n; i++) {
		hd_reference *r = &a->references.at[i];
		hd_label key = {r->name, 0, hash_of(r->name)},
		         *found = a->labels.n ? bsearch(&key, a->labels.at, a->labels.n, sizeof key, by_name) : NULL;
		if (!found)
			hd_error(diag, r->pos, "no label '%.60s', expected one that stands before an instruction", r->name);
		else if (r->kind == HD_LABEL_ENTRY)
			a->o->kernels.at[r->word].entry = found->word;
		else if (r->kind == HD_LABEL_ORDER_FIRST)
			a->o->orders.at[r->word].first = found->word;
		else if (r->kind == HD_LABEL_ORDER_SECOND)
			a->o->orders.at[r->word].second = found->word;
		else
			put_target(a, r, found->word);
	}
	if (a->open)
		hd_error(diag, end, "the last function has no end, expected .end");
}

/* hd_object_validate's checks of the counters, with positions in the text. They run at the end, because the line geometry may stand after the
 * counters. */
static void check_counters(hd_assembler *a)
{
	const hd_geometry_info *geometry = &hd_geometries[a->o->geometry];
	if (a->o->counters < 2 || a->o->counters > geometry->counters)
		hd_error(a->scan.diag, a->counters, "%u fence counters in lines of geometry %s, expected 2 to %u", a->o->counters, geometry->name,
		         geometry->counters);
	else if (a->o->split > a->o->counters)
		hd_error(a->scan.diag, a->split, "%u of %u fence counters for high latency, expected at least one for low", a->o->split - 1,
		         a->o->counters);
}

hd_object *hd_assemble(const char *text, size_t size, const char *file, hd_diag *diag)
{
	hd_assembler a = {.scan = {.file = file, .diag = diag}, .o = hd_object_new()};
	unsigned before = diag->errors;
	a.o->counters = 6;
	a.o->config = hd_xstrdup("heddle");
	for (const char *at = text, *end = text + size; at < end && !a.stop && diag->errors < before + HD_DIAG_MAX;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		a.scan.begin = a.scan.at = at;
		a.scan.end = newline ? newline : end;
		a.scan.line++;
		statement(&a);
		at = newline ? newline + 1 : end;
	}
	a.o->machine = a.machine.at; /* NULL without .machine */
	while (a.o->code.n % hd_geometries[a.o->geometry].line_words)
		put_blank(&a);
	if (diag->errors == before)
		resolve(&a);
	if (diag->errors == before)
		check_counters(&a);
	if (diag->errors == before)
		hd_object_validate_text(a.o, file, a.places.at, diag);
	for (size_t i = 0; i < a.labels.n; i++)
		free(a.labels.at[i].name);
	for (size_t i = 0; i < a.references.n; i++)
		free(a.references.at[i].name);
	hd_vec_free(&a.labels);
	hd_vec_free(&a.references);
	hd_vec_free(&a.places);
	if (diag->errors != before) {
		hd_object_free(a.o);
		return NULL;
	}
	return a.o;
}

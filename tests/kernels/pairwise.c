/* pairwise [FIRST STEP [EXAMPLES]]: every two settings of the machine description together, on at least one machine. The settings are all values of
 * all keys that are flags or words, and some values of keys that are numbers. Each machine starts from the default one and takes as many pairs as
 * live together. Machine FIRST and each STEP-th run EXAMPLES examples each (six; one under the sanitizers), another set on each machine: the bytes of
 * every output must be those of the interpreter, the checker must prove the program, and the hazard sanitizer must be silent. Two settings that are
 * each possible and do not live together are refused, and the message must name both keys. */
#include "config/keys.h"
#include "watched_run.h"

enum { SETTINGS_MAX = 400 };

typedef struct setting {
	char key[48], text[96]; /* text: "key=value" */
	unsigned factor;        /* number of its key */
	bool possible;          /* alone, on the default machine */
} setting;

typedef struct plan {
	setting list[SETTINGS_MAX];
	unsigned n, factors;
	uint8_t covered[SETTINGS_MAX][SETTINGS_MAX]; /* 1: on a machine; 2: refused */
	uint32_t seed;
} plan;

/* Numbers at which something else happens than at the default. */
static const char *const numbers[] = {
    "multi_issue.window=1", "multi_issue.window=4", "fence.counters=3",           "fence.high_latency=0", "predecode.issue_width=2",
    "memory.l1_misses=1",   "memory.slices=4",      "register_file.read_ports=1", "predecode.buffer=8",   "predecode.replay=2",
    "predecode.fifo=2",     "machine.schedulers=1", "machine.devices=2",          "copies.alu=2",         "copies.lsu=2",
    "fetch.l1i_lines=8",    "pages.kib=4",          "fence.status_period=0",      "grids.time_slice=100", "grids.descriptor_bytes=64",
    "queue.alu.fifo=1"};

/* Settings that are there to show what goes wrong: without wait counters programs deadlock, and where jumps pass resume points (RC-19) some threads
 * never resume. */
static bool shows_a_failure(const char *text)
{
	return strcmp(text, "fence.wait_counters=false") == 0 || strcmp(text, "divergence.minrc=ignore") == 0;
}

static unsigned factor_of(plan *p, const char *key)
{
	for (unsigned i = 0; i < p->n; i++)
		if (strcmp(p->list[i].key, key) == 0)
			return p->list[i].factor;
	return p->factors++;
}

static void add(plan *p, const char *key, const char *value, size_t length)
{
	hd_invariant(p->n < SETTINGS_MAX, "more than %d settings", SETTINGS_MAX);
	setting s = {.factor = factor_of(p, key)};
	snprintf(s.key, sizeof s.key, "%s", key);
	snprintf(s.text, sizeof s.text, "%s=%.*s", key, (int)length, value);
	if (shows_a_failure(s.text))
		return;
	p->list[p->n++] = s;
}

/* The values that a key accepts, from the text that says so: "true or false", or words in backquotes. */
static void add_key(plan *p, const hd_key *key)
{
	if (key->kind == HD_KEY_FLAG) {
		add(p, key->path, "true", 4);
		add(p, key->path, "false", 5);
		return;
	}
	if (key->kind == HD_KEY_U32 || key->kind == HD_KEY_PJ || key->kind == HD_KEY_PIPES || key->kind == HD_KEY_hd_pipe)
		return;
	hd_text expected = {0};
	hd_key_expected(key, &expected);
	for (const char *at = strchr(expected.at, '`'); at; at = strchr(at, '`')) {
		size_t length = strcspn(++at, "`");
		add(p, key->path, at, length);
		at += length + 1;
	}
	hd_text_free(&expected);
}

static bool set(hd_machine *machine, const char *text)
{
	hd_diag diag = {0};
	bool ok = hd_machine_set(machine, text, &diag);
	hd_diag_free(&diag);
	return ok;
}

/* The machine with these settings, which may be impossible; `why` receives the message. */
static bool possible(const hd_machine *machine, hd_text *why)
{
	hd_diag diag = {0};
	bool ok = hd_machine_validate(machine, NULL, &diag);
	if (why && diag.text.at)
		hd_text_put(why, diag.text.at, diag.text.n);
	hd_diag_free(&diag);
	return ok;
}

static void make_plan(plan *p)
{
	for (unsigned i = 0; i < hd_key_count(); i++) {
		hd_key key = hd_key_at(i);
		add_key(p, &key);
	}
	for (unsigned i = 0; i < HD_COUNT(numbers); i++) {
		char key[48];
		const char *equals = strchr(numbers[i], '=');
		snprintf(key, sizeof key, "%.*s", (int)(equals - numbers[i]), numbers[i]);
		add(p, key, equals + 1, strlen(equals + 1));
	}
	for (unsigned i = 0; i < p->n; i++) {
		hd_machine machine;
		hd_machine_default(&machine);
		p->list[i].possible = set(&machine, p->list[i].text) && possible(&machine, NULL);
	}
}

static uint32_t draw(plan *p, uint32_t below)
{
	p->seed = p->seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)p->seed >> 8) * below >> 24);
}

/* A machine in the making: which setting each key has (0: the default; else its number plus 1). */
typedef struct making {
	hd_machine machine;
	unsigned chosen[SETTINGS_MAX];
} making;

/* Adds a setting if the machine stays possible. */
static bool take(plan *p, making *m, unsigned i)
{
	if (m->chosen[p->list[i].factor])
		return m->chosen[p->list[i].factor] == i + 1;
	hd_machine before = m->machine;
	if (set(&m->machine, p->list[i].text) && possible(&m->machine, NULL)) {
		m->chosen[p->list[i].factor] = i + 1;
		return true;
	}
	m->machine = before;
	return false;
}

/* Two settings at once, because one may be possible with the other only. */
static bool take_pair(plan *p, making *m, unsigned a, unsigned b)
{
	making before = *m;
	if ((take(p, m, a) && take(p, m, b)) || (*m = before, take(p, m, b) && take(p, m, a)))
		return true;
	*m = before;
	if (m->chosen[p->list[a].factor] || m->chosen[p->list[b].factor])
		return false;
	if (set(&m->machine, p->list[a].text) && set(&m->machine, p->list[b].text) && possible(&m->machine, NULL)) {
		m->chosen[p->list[a].factor] = a + 1;
		m->chosen[p->list[b].factor] = b + 1;
		return true;
	}
	*m = before;
	return false;
}

static bool is_pair(const plan *p, unsigned a, unsigned b) { return p->list[a].factor != p->list[b].factor && !p->covered[a][b]; }

static void mark(plan *p, unsigned a, unsigned b, uint8_t what) { p->covered[a][b] = p->covered[b][a] = what; }

/* Fills a machine that has the pair with further settings, those first that cover the most pairs nobody has. Then marks all its pairs. */
static void fill(plan *p, making *m)
{
	for (unsigned factors = 0; factors < p->factors; factors++) {
		unsigned best = p->n, most = 0;
		for (unsigned i = 0; i < p->n; i++) {
			unsigned gain = 0;
			if (m->chosen[p->list[i].factor])
				continue;
			for (unsigned f = 0; f < p->factors; f++)
				gain += m->chosen[f] && is_pair(p, i, m->chosen[f] - 1);
			if (gain > most || (gain == most && gain && draw(p, 2))) {
				making trial = *m;
				if (!take(p, &trial, i))
					continue;
				most = gain;
				best = i;
			}
		}
		if (best == p->n)
			break;
		take(p, m, best);
	}
	for (unsigned f = 0; f < p->factors; f++)
		for (unsigned g = 0; g < f; g++)
			if (m->chosen[f] && m->chosen[g])
				mark(p, m->chosen[f] - 1, m->chosen[g] - 1, 1);
}

/* Makes a machine with the pair: alone on the default machine, or with one more setting. False if there is none. */
static bool begin(plan *p, unsigned a, unsigned b, making *m)
{
	*m = (making){0};
	hd_machine_default(&m->machine);
	if (take_pair(p, m, a, b))
		return true;
	for (unsigned i = 0; i < p->n; i++) {
		*m = (making){0};
		hd_machine_default(&m->machine);
		if (p->list[i].factor != p->list[a].factor && p->list[i].factor != p->list[b].factor && take(p, m, i) && take_pair(p, m, a, b))
			return true;
		/* A setting that is possible with both only. */
		if (set(&m->machine, p->list[a].text) && set(&m->machine, p->list[b].text) && set(&m->machine, p->list[i].text) &&
		    possible(&m->machine, NULL) && p->list[i].factor != p->list[a].factor && p->list[i].factor != p->list[b].factor) {
			m->chosen[p->list[a].factor] = a + 1;
			m->chosen[p->list[b].factor] = b + 1;
			m->chosen[p->list[i].factor] = i + 1;
			return true;
		}
	}
	return false;
}

/* The message about two settings that do not live together names both keys. */
static bool names_both(const plan *p, unsigned a, unsigned b)
{
	hd_machine machine;
	hd_text why = {0};
	hd_machine_default(&machine);
	bool ok = set(&machine, p->list[a].text) && set(&machine, p->list[b].text) && !possible(&machine, &why) && why.at &&
	          strstr(why.at, p->list[a].key) && strstr(why.at, p->list[b].key);
	if (!ok)
		fprintf(stderr, "%s beside %s is refused, and the message does not name both keys: %s\n", p->list[a].text, p->list[b].text,
		        why.at ? why.at : "(none)\n");
	hd_text_free(&why);
	return ok;
}

/* -- runs ------------------------------------------------------------------------------------------------------------------------------------- */

static bool on_machine(const ex_example *example, const hd_machine *machine, const char *root, hd_diag *diag)
{
	hd_text source = {0};
	hd_text_printf(&source, "%s/examples/%s", root, example->source);
	size_t size;
	char *ptx = ex_heddle_ptx(source.at, &size, diag);
	hd_object *object = ptx ? ex_heddle_compile_ptx(ptx, size, source.at, machine, false, diag) : NULL;
	ex_run expected = {0}, got = {0};
	bool ok = object && is_proven(example, object, machine, diag);
	ok = ok && watched_run(example, machine, object, true, &expected, diag) && watched_run(example, machine, object, false, &got, diag) &&
	     ex_same_outputs(&expected, "the interpreter", &got, "the machine", diag);
	ex_run_free(&expected);
	ex_run_free(&got);
	if (object)
		hd_object_free(object);
	free(ptx);
	hd_text_free(&source);
	return ok;
}

static void print_making(const plan *p, const making *m)
{
	for (unsigned f = 0; f < p->factors; f++)
		if (m->chosen[f])
			fprintf(stderr, " --set %s", p->list[m->chosen[f] - 1].text);
	fprintf(stderr, "\n");
}

static bool runs(const plan *p, const making *m, const ex_example *example, const char *root)
{
	hd_diag diag = {0};
	bool ok = on_machine(example, &m->machine, root, &diag);
	if (!ok) {
		fprintf(stderr, "%s%s: the above is about", diag.text.at ? diag.text.at : "", example->name);
		print_making(p, m);
	}
	hd_diag_free(&diag);
	return ok;
}

/* Makes machines until every pair is on one or refused, and runs those whose number is FIRST, FIRST + STEP and so on. */
static bool all_pairs(plan *p, unsigned first, unsigned step, unsigned each, const char *root)
{
	unsigned machines = 0, ran = 0, refused = 0, pairs = 0, examples = 0;
	bool ok = true;
	while (ex_tested[examples])
		examples++;
	for (unsigned a = 0; a < p->n; a++) {
		for (unsigned b = 0; b < a; b++) {
			making m;
			pairs += p->list[a].factor != p->list[b].factor;
			if (!is_pair(p, a, b))
				continue;
			if (!begin(p, a, b, &m)) {
				mark(p, a, b, 2);
				refused++;
				if (p->list[a].possible && p->list[b].possible)
					ok = names_both(p, a, b) && ok;
				continue;
			}
			fill(p, &m);
			unsigned number = machines++;
			if (number < first || (number - first) % step != 0)
				continue;
			for (unsigned k = 0; k < each && k < examples; k++)
				ok = runs(p, &m, ex_tested[(number * each + k) % examples], root) && ok;
			ran++;
		}
	}
	printf("%u settings of %u keys: %u pairs, %u of them refused; %u machines have all others; %u ran: %s\n", p->n, p->factors, pairs, refused,
	       machines, ran, ok ? "the same bytes" : "FAILED");
	return ok;
}

int main(int argc, char **argv)
{
	static plan p = {.seed = 1};
	const char *root = getenv("HEDDLE_SOURCE");
	unsigned first = argc > 2 ? (unsigned)atoi(argv[1]) : 0, step = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	unsigned each = argc > 3 ? (unsigned)atoi(argv[3]) : getenv("HEDDLE_SANITIZED") ? 1 : 6;
	if (argc == 2 || argc > 4 || !step || !each) {
		fprintf(stderr, "usage: pairwise [FIRST STEP [EXAMPLES]]\n");
		return 2;
	}
	make_plan(&p);
	return all_pairs(&p, first, step, each, root ? root : ".") ? 0 : 1;
}

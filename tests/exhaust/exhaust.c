/* Bounded exhaustion (HZ-27): all programs of a few instructions with all annotations, within bounds, are checked *and* run.
 *
 *   tiny.h, tiny.def   the alphabet, and what a program is
 *   frame.h            what stands before and behind the instructions in question
 *   enumerate.h        all programs of a family
 *   families.c         the families: lengths, alphabets, control flow, annotations
 *   machines.h         the machine descriptions, and for each the timings, on which neither compiler nor checker counts
 *   trial.h            one program: check, interpreter, timed machine
 *   tally.h            the counts
 *
 * A proven program must give the interpreter's bytes with every timing. One that does not is a failure, and is printed as assembly with the machine.
 * A refuted program should be wrong with some timing. The test counts the share of those that are, and fails where it is below the stated share
 * (tally.c). The others are counted by cause (trial.h): these are the losses of precision.
 *
 * Every register, predicate and word has another value in each thread, and every instruction makes another value of it, so that a value that is read
 * too early, or overwritten too late, shows in the result.
 *
 * exhaust                   a sample of every family: the suite's form
 * exhaust --full            a larger sample: all of the small families, of each of the others what families.def says
 * exhaust --all             every program of every family, which takes days: use --shard or --family
 * Options: --family NAME, --length N, --machine NUMBER: those alone. --shard I/N: each N-th program, from the I-th (0 to N - 1) on.
 *          --limit N: at most so many of a family on a machine. --examples: the shortest refuted program of each cause that is never wrong.
 *          --show CAUSE: all of that cause. --timings: which timing showed how many programs to be wrong.
 *          --wide: what is refuted and not wrong runs with every timing that there is. */
#include "families.h"
#include "tally.h"

#include <getopt.h>

typedef enum form { FORM_SAMPLE, FORM_FULL, FORM_ALL } form;

typedef struct options {
	const char *family;
	unsigned machine, length, shard, of;
	uint64_t limit;
	form form;
	bool wide, examples, timings;
	int show;
} options;

typedef struct run {
	const options *options;
	const family *family;
	trial *trial;
	tally tally;
	unsigned machine;
	uint64_t unsound; /* of families before */
} run;

enum { MOST_UNSOUND = 10 }; /* programs that are proven and wrong, then it ends */

/* The whole program, as a file that `heddle check` and `heddle run` take. The comments before it name the core and the machine. */
static void print_unsound(const run *r, const verdict *v)
{
	hd_text core = {0}, text = {0};
	hd_text_printf(&text, "; family %s, machine \"%s\": proven, and wrong with timing \"%s\":\n;", r->family->name, r->trial->s.name,
	               timings[v->wrong].name);
	subject_settings(r->machine, (unsigned)v->wrong, &text);
	frame_print(&r->trial->frame, &core);
	for (char *line = core.n ? strtok(core.at, "\n") : NULL; line; line = strtok(NULL, "\n")) /* the core may be empty */
		hd_text_printf(&text, "\n; %s", line);
	hd_text_printf(&text, "\n");
	hd_disassemble(r->trial->frame.object, &text);
	puts(text.at);
	hd_text_free(&core);
	hd_text_free(&text);
}

static void print_core(const trial *t)
{
	hd_text text = {0};
	frame_print(&t->frame, &text);
	puts(text.at);
	hd_text_free(&text);
}

static bool visit(void *context, const tiny *core, bool fresh)
{
	run *r = context;
	verdict v = trial_run(r->trial, core, fresh);
	tally_count(&r->tally, core, &v);
	if (v.proven && v.wrong >= 0)
		print_unsound(r, &v);
	if (r->options->show == (int)v.cause)
		print_core(r->trial);
	return r->unsound + r->tally.unsound < MOST_UNSOUND;
}

static void run_family(run *r)
{
	const options *o = r->options;
	visitor v = {.visit = visit, .context = r, .sequences = 1, .programs = 1, .limit = o->limit};
	if (o->form == FORM_SAMPLE) {
		v.sequences = r->family->quick[0];
		v.programs = r->family->quick[1];
	} else if (o->form == FORM_FULL) {
		v.programs = r->family->full;
	}
	/* Other programs on each machine, and in each shard. */
	v.shard = r->machine % v.programs + o->shard * v.programs;
	v.programs *= o->of;
	r->tally.all = enumerate(r->family, &r->trial->s.machine, &v).programs * v.sequences;
}

static void print_examples(trial *t, const tally *all)
{
	for (unsigned i = 0; i < CAUSES; i++) {
		if (all->example[i].n > TINY_LENGTH)
			continue;
		trial_run(t, &all->example[i], true);
		printf("%s:\n", cause_names[i]);
		print_core(t);
	}
}

static bool is_chosen(const options *o, const family *f, unsigned machine)
{
	return (f->machines >> machine & 1) && (!o->family || strcmp(o->family, f->name) == 0) &&
	       (o->length > TINY_LENGTH || o->length == f->length) && (o->machine >= MACHINES || o->machine == machine);
}

static bool run_all(const options *o)
{
	tally all;
	tally *by_family = hd_xcalloc(n_families, sizeof *by_family);
	uint64_t wrong_by[MAX_TIMINGS] = {0}, runs = 0;
	char name[80];
	effort most = o->wide ? EFFORT_WIDE : o->form == FORM_SAMPLE ? EFFORT_SAMPLE : EFFORT_FULL;
	tally_init(&all);
	for (unsigned i = 0; i < n_families; i++)
		tally_init(&by_family[i]);
	for (unsigned machine = 0; machine < MACHINES; machine++) {
		run r = {.options = o, .machine = machine, .trial = trial_new(machine, most)};
		tally sum;
		tally_init(&sum);
		for (unsigned i = 0; i < n_families; i++) {
			r.unsound = all.unsound + sum.unsound;
			if (!is_chosen(o, &families[i], machine) || r.unsound >= MOST_UNSOUND)
				continue;
			r.family = &families[i];
			tally_init(&r.tally);
			run_family(&r);
			tally_add(&by_family[i], &r.tally);
			tally_add(&sum, &r.tally);
		}
		printf("%s: %llu programs, %llu proven\n", r.trial->s.name, (unsigned long long)sum.programs, (unsigned long long)sum.proven);
		fflush(stdout);
		if (o->examples)
			print_examples(r.trial, &sum);
		for (unsigned i = 0; i < n_timings; i++)
			wrong_by[i] += r.trial->wrong_by[i];
		runs += r.trial->runs;
		tally_add(&all, &sum);
		trial_free(r.trial);
	}
	printf("\n");
	tally_head();
	for (unsigned i = 0; i < n_families; i++) {
		snprintf(name, sizeof name, "%s: %s", families[i].name, families[i].what);
		if (by_family[i].programs)
			tally_row(&by_family[i], name);
	}
	tally_row(&all, "all");
	tally_findings(&all);
	printf("\n%llu runs\n", (unsigned long long)runs);
	for (unsigned i = 0; o->timings && i < n_timings; i++)
		printf("%s: %llu\n", timings[i].name, (unsigned long long)wrong_by[i]);
	free(by_family);
	return tally_holds(&all);
}

static void usage(void)
{
	puts("usage: exhaust [--full | --all] [--family NAME] [--length N] [--machine NUMBER] [--shard I/N] [--limit N] [--examples] [--show CAUSE] "
	     "[--wide] [--timings]");
	exit(2);
}

int main(int argc, char **argv)
{
	static const struct option known[] = {{"full", 0, NULL, 'f'},   {"all", 0, NULL, 'a'},      {"family", 1, NULL, 'n'},
	                                      {"length", 1, NULL, 'l'}, {"machine", 1, NULL, 'm'},  {"shard", 1, NULL, 's'},
	                                      {"limit", 1, NULL, 'c'},  {"examples", 0, NULL, 'e'}, {"show", 1, NULL, 'w'},
	                                      {"wide", 0, NULL, 'd'},   {"timings", 0, NULL, 't'},  {0}};
	options o = {.machine = MACHINES, .length = TINY_LENGTH + 1, .of = 1, .show = -1};
	for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
		switch (option) {
		case 'f':
			o.form = FORM_FULL;
			break;
		case 'a':
			o.form = FORM_ALL;
			break;
		case 'n':
			o.family = optarg;
			break;
		case 'l':
			o.length = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'm':
			o.machine = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 's':
			if (sscanf(optarg, "%u/%u", &o.shard, &o.of) != 2 || o.shard >= o.of)
				usage();
			break;
		case 'c':
			o.limit = strtoull(optarg, NULL, 10);
			break;
		case 'e':
			o.examples = true;
			break;
		case 'w':
			o.show = (int)strtol(optarg, NULL, 10);
			break;
		case 'd':
			o.wide = true;
			break;
		case 't':
			o.timings = true;
			break;
		default:
			usage();
		}
	}
	return run_all(&o) ? 0 : 1;
}

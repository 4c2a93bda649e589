/* heddle compare: the same launches on several machines, at the same time on the host's cores. Every run has a heddle of its own, and
 * its results go where its number says, so nothing depends on how many threads there are. */
#include "cli/color.h"
#include "cli/explored.h"
#include "cli/launch_list.h"
#include "cli/launching.h"
#include "cli/progress.h"
#include "cli/timeout.h"

#include "config/mechanisms.h"
#include "config/state_bits.h"
#include "report/comparison.h"
#include "report/energy_error.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MACHINES_MAX = 64, JOBS_MAX = 256 };

typedef struct comparing {
	const char *report, *file, *explore;
	hd_trace_limits limits; /* of the page to explore */
	bool limited;
	uint32_t jobs;
	HD_VEC(const char *) machines;
	bool ablation, lines;
	hd_line_order order;             /* of lines */
	hd_text names[2][HD_MECHANISMS]; /* of its machines */
	HD_VEC(char *) words;            /* the launch's own arguments, for one given on the command line */
	hd_launch_list list;
} comparing;

/* One launch on one machine. */
typedef struct job {
	hd_launching launching;
	const char *config;
	const hd_trace_limits *explore; /* NULL: no page */
	hd_explored explored;
	heddle *h;
	heddle_status status;
	bool finished, ran;
} job;

typedef struct pool {
	pthread_mutex_t mutex, building;
	pthread_cond_t ended;
	job *jobs;
	unsigned n, next, done;
} pool;

static bool interrupted(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas)
{
	(void)context, (void)cycle, (void)ctas_done, (void)ctas;
	return hd_progress_interrupted();
}

static void work_on(pool *p, job *j)
{
	j->status = HEDDLE_BAD_INPUT;
	if (hd_progress_interrupted()) {
		j->status = HEDDLE_INTERRUPTED;
		return;
	}
	/* One compiler at a time: it is a process of its own. */
	pthread_mutex_lock(&p->building);
	bool ok = hd_launching_build(&j->launching, j->config, j->h);
	pthread_mutex_unlock(&p->building);
	if (!ok || !hd_launching_place(&j->launching, j->h))
		return;
	j->launching.launch.poll = interrupted;
	if (j->explore && !hd_explored_begin(&j->explored, j->h, j->launching.program.input, j->explore))
		return;
	j->status = heddle_run(j->h, &j->launching.launch);
	if (j->explore && !hd_explored_end(&j->explored, j->h))
		j->status = HEDDLE_BAD_INPUT;
	j->ran = j->status != HEDDLE_BAD_INPUT;
	if (j->status == HEDDLE_DONE && !hd_launching_fetch(&j->launching, j->h))
		j->status = HEDDLE_BAD_INPUT;
}

static void *work(void *context)
{
	pool *p = context;
	for (;;) {
		pthread_mutex_lock(&p->mutex);
		job *j = p->next < p->n ? &p->jobs[p->next++] : NULL;
		pthread_mutex_unlock(&p->mutex);
		if (!j)
			return NULL;
		work_on(p, j);
		pthread_mutex_lock(&p->mutex);
		p->done++;
		pthread_cond_signal(&p->ended);
		pthread_mutex_unlock(&p->mutex);
	}
}

static void wait_for_all(pool *p)
{
	bool terminal = hd_color_terminal(stderr), shown = false;
	time_t begin = time(NULL);
	pthread_mutex_lock(&p->mutex);
	while (p->done < p->n) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		pthread_cond_timedwait(&p->ended, &p->mutex, &until);
		if (terminal) {
			char left[40];
			double seconds = difftime(time(NULL), begin);
			fprintf(stderr, "\r\033[K%u of %u runs done, %.0f s%s", p->done, p->n, seconds,
			        hd_progress_left(seconds, p->done, p->n, left));
			fflush(stderr);
			shown = true;
		}
	}
	pthread_mutex_unlock(&p->mutex);
	if (shown)
		fputs("\r\033[K", stderr);
}

static void run_all(pool *p, uint64_t threads)
{
	pthread_t thread[JOBS_MAX];
	unsigned n = 0;
	hd_progress progress;
	pthread_mutex_init(&p->mutex, NULL);
	pthread_mutex_init(&p->building, NULL);
	pthread_cond_init(&p->ended, NULL);
	hd_progress_begin(&progress, false);
	while (n < threads && n < p->n && pthread_create(&thread[n], NULL, work, p) == 0)
		n++;
	if (!n)
		work(p);
	wait_for_all(p);
	for (unsigned i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	hd_progress_end(&progress);
	pthread_cond_destroy(&p->ended);
	pthread_mutex_destroy(&p->building);
	pthread_mutex_destroy(&p->mutex);
}

/* -- the command line ------------------------------------------------------------------------------------------------------------------- */

/* The words of a launch, for every machine anew. */
static bool parse_launch(job *j, hd_options options)
{
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;)
		if (hd_launching_option(&j->launching, &options, option) != HD_TAKEN)
			return false;
	options.at = 0;
	return j->launching.program.input || hd_options_refuse(&options, "no input, expected a .cl, .cu, .spv, .ptx, .hasm or .hko file");
}

static bool parse_lines(comparing *c, const char *value)
{
	c->lines = true;
	c->order = strcmp(value, "difference") == 0 ? HD_LINES_BY_DIFFERENCE : HD_LINES_BY_SOURCE;
	if (c->order == HD_LINES_BY_SOURCE && strcmp(value, "source") != 0)
		return hd_refuse_choice("compare", "--lines", value, "source|difference", "source or difference");
	return true;
}

/* The baseline and each mechanism added to it; heddle and each taken away. Multi-issue with counters, too, because a scoreboard lets no dependent
 * pair go together (MI-15). */
static void ablate(comparing *c)
{
	for (unsigned half = 0; half < 2; half++) {
		hd_vec_push(&c->machines, half ? "heddle" : "baseline");
		for (unsigned i = 0; i < HD_MECHANISMS; i++) {
			hd_text_printf(&c->names[half][i], half ? "heddle-%s" : "baseline+%s", hd_mechanism_names[i]);
			hd_vec_push(&c->machines, c->names[half][i].at);
		}
		hd_vec_push(&c->machines, half ? "heddle-fence-multi-issue" : "baseline+fence+multi-issue");
	}
}

/* An option of compare itself; the words of others are kept for each machine's launch. */
static bool parse_option(comparing *c, hd_option_id option, const char *value, char **words, int n)
{
	switch (option) {
	case HD_OPTION_MACHINE:
		hd_vec_push(&c->machines, value);
		return true;
	case HD_OPTION_ABLATION:
		c->ablation = true;
		return true;
	case HD_OPTION_JOBS:
		return hd_option_number("compare", "--jobs", value, 1, JOBS_MAX, &c->jobs);
	case HD_OPTION_REPORT_COMPARE:
		return hd_option_report("compare", value, ".txt, .json, .csv or .html, or -", &c->report);
	case HD_OPTION_LINES_COMPARE:
		return parse_lines(c, value);
	case HD_OPTION_EXPLORE_COMPARE:
		c->explore = value;
		return true;
	case HD_OPTION_TRACE_CYCLES:
		c->limited = true;
		return hd_option_limit("compare", option, value, &c->limits);
	case HD_OPTION_LAUNCHES_COMPARE:
		c->file = value;
		return true;
	default:
		for (int i = 0; i < n; i++)
			hd_vec_push(&c->words, words[i]);
		return option != HD_OPTION_REFUSED;
	}
}

static bool may_explore(const comparing *c)
{
	if (c->explore && (c->machines.n != 2 || c->file))
		hd_usage("compare: --explore shows one launch on two machines, not %s", c->file ? "those of --launches" : "on more");
	else if (c->limited && !c->explore)
		hd_usage("compare: --trace-cycles without --explore FILE");
	else
		return true;
	return false;
}

static bool parse(comparing *c, int argc, char **argv)
{
	hd_options options = {.command = HD_COMMAND_COMPARE, .argc = argc, .argv = argv};
	for (hd_option_id option; (option = hd_options_next(&options)) != HD_OPTION_END;)
		if (!parse_option(c, option, options.value, argv + options.first, options.at - options.first))
			return false;
	if (c->ablation && c->machines.n) {
		hd_usage("compare: --machine beside --ablation, which has machines of its own");
		return false;
	}
	if (c->ablation)
		ablate(c);
	for (size_t i = 0; i < c->machines.n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (strcmp(c->machines.at[i], c->machines.at[k]) == 0) {
				hd_usage("compare: --machine %s is given twice", c->machines.at[i]);
				return false;
			}
		}
	}
	if (c->machines.n < 2 || c->machines.n > MACHINES_MAX) {
		hd_usage("compare: %zu machines, expected --machine NAME two to %d times, or --ablation; `heddle config` lists the presets",
		         c->machines.n, MACHINES_MAX);
		return false;
	}
	return may_explore(c);
}

static bool add_launch(const comparing *c, pool *p, const hd_launch_line *line)
{
	p->jobs = hd_xrealloc(p->jobs, (p->n + c->machines.n) * sizeof *p->jobs);
	for (size_t m = 0; m < c->machines.n; m++) {
		job *j = &p->jobs[p->n++];
		*j = (job){.config = c->machines.at[m], .explore = c->explore ? &c->limits : NULL};
		if (!parse_launch(j, hd_launch_list_options(&c->list, line, HD_COMMAND_LAUNCH_LINE)))
			return false;
	}
	return true;
}

static bool add_launches(comparing *c, pool *p)
{
	hd_diag diag = {0};
	if (c->file && c->words.n) {
		hd_usage("compare: %s beside --launches, expected one or the other", c->words.at[0]);
		return false;
	}
	if (c->file)
		hd_launch_list_read(&c->list, c->file, &diag);
	else
		hd_launch_list_add(&c->list, 0, c->words.at, NULL, (int)c->words.n);
	bool ok = hd_flush(&diag) == HD_EXIT_DONE;
	for (size_t i = 0; ok && i < c->list.lines.n; i++)
		ok = add_launch(c, p, &c->list.lines.at[i]);
	return ok;
}

/* All machines must be there before the first run begins. */
static bool check_machines(const comparing *c, const pool *p)
{
	hd_diag diag = {0};
	hd_machine machine;
	bool ok = true;
	for (size_t m = 0; m < c->machines.n; m++) {
		const hd_program_options *program = &p->jobs[m].launching.program; // NOLINT: a list has a launch, so there are jobs
		ok &= hd_options_machine(&machine, c->machines.at[m], program->settings.at, program->settings.n, &diag); // NOLINT
	}
	hd_flush(&diag);
	return ok;
}

/* -- results ------------------------------------------------------------------------------------------------------------------------------ */

static bool outputs_equal(const job *first, const job *other, const char *launch)
{
	for (size_t i = 0; i < first->launching.operands.n; i++) {
		const hd_operand *a = &first->launching.operands.at[i], *b = &other->launching.operands.at[i];
		uint64_t bytes = a->content.count * a->content.bytes, at = 0;
		if (!a->output)
			continue;
		while (at < bytes && a->content.data[at] == b->content.data[at])
			at++;
		if (at == bytes)
			continue;
		hd_say(stderr, "heddle: error: %s: argument %zu (%s) on %s differs from %s at element %llu\n", launch, i + 1, a->text, other->config,
		       first->config, (unsigned long long)(at / a->content.bytes));
		return false;
	}
	return true;
}

/* Prints the table, and begins the file of the report. */
static bool write_report(const comparing *c, const hd_comparison *comparison, hd_output_set *outputs)
{
	hd_text table = {0}, file = {0};
	hd_diag diag = {0};
	hd_comparison_text(comparison, &table);
	hd_put_text(NULL, table.at, table.n, &diag);
	if (c->report && strcmp(c->report, "-") != 0) {
		if (hd_ends_with(c->report, ".json"))
			hd_comparison_json(comparison, &file);
		else if (hd_ends_with(c->report, ".csv"))
			hd_comparison_csv(comparison, &file);
		else if (hd_ends_with(c->report, ".html"))
			hd_comparison_html(comparison, &file);
		else
			hd_comparison_text(comparison, &file);
		hd_output_put(outputs, c->report, file.at, file.n, &diag);
	}
	hd_text_free(&table);
	hd_text_free(&file);
	return hd_flush(&diag) == HD_EXIT_DONE;
}

/* Begins the file of the page, if each run came far enough to have a part. */
static bool write_explore(const comparing *c, const pool *p, hd_output_set *outputs)
{
	hd_diag diag = {0};
	hd_text title = {0};
	if (!c->explore || !p->jobs[0].explored.part || !p->jobs[1].explored.part)
		return true;
	hd_text_printf(&title, "%s, %s and %s", c->list.lines.at[0].title, p->jobs[0].config, p->jobs[1].config);
	hd_explored_page((const hd_explored *[]){&p->jobs[0].explored, &p->jobs[1].explored}, 2, title.at, c->explore, outputs, &diag);
	hd_text_free(&title);
	return hd_flush(&diag) == HD_EXIT_DONE;
}

/* Fills in the energies of a result, and the uncertainty of the ratio to its base. */
static void energies(hd_compared *at, const hd_machine *machine, const hd_compared *base, const hd_machine *machine_of_base)
{
	hd_energy energy = hd_energy_of(machine, &at->stats), of_base = hd_energy_of(machine_of_base, &base->stats);
	hd_energy_error error = hd_energy_error_of(machine, &at->stats), error_of_base = hd_energy_error_of(machine_of_base, &base->stats);
	at->energy_pj = (hd_energy_total(&energy) + 500) / 1000;
	at->energy_register_file_pj = (hd_energy_registers(&energy) + 500) / 1000;
	at->energy_order_pj = (hd_energy_of_group(&energy, HD_ENERGY_GROUP_order) + 500) / 1000;
	at->energy_uncertainty_pj = (hd_energy_error_sum(&error, hd_energy_set_of_all()) + 500) / 1000;
	at->energy_ratio_uncertainty = hd_energy_error_ratio(hd_energy_total(&energy), &error, hd_energy_total(&of_base), &error_of_base);
}

static void free_all(hd_compared *at, hd_heat *heats, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		hd_heat_free(&heats[i]);
	free(heats);
	free(at);
}

static int results(const comparing *c, pool *p, hd_output_set *outputs)
{
	int status = HD_EXIT_DONE;
	unsigned machines = (unsigned)c->machines.n;
	hd_compared *at = hd_xcalloc(p->n, sizeof *at);
	hd_heat *heats = hd_xcalloc(p->n, sizeof *heats);
	for (unsigned i = 0; i < p->n; i++) {
		job *j = &p->jobs[i], *first = &p->jobs[i - i % machines];
		heddle_kernel kernel = {.name = "", .source_name = ""};
		const hd_launch_line *line = &c->list.lines.at[i / machines];
		if (line->number)
			hd_launch_list_place(hd_api_diag(j->h), 0, c->list.path, line->number);
		hd_flush(hd_api_diag(j->h));
		if (j->status == HEDDLE_BAD_INPUT) {
			free_all(at, heats, p->n);
			return HD_EXIT_USAGE;
		}
		bool both = j->status == HEDDLE_DONE && first->status == HEDDLE_DONE;
		hd_state_bits bits;
		hd_state_bits_of(hd_api_machine(j->h), &bits);
		if (j->ran)
			heddle_kernel_find(j->h, j->launching.launch.kernel, &kernel);
		at[i] = (hd_compared){.launch = line->title,
		                      .kernel = kernel.source_name,
		                      .symbol = kernel.name,
		                      .machine = j->config,
		                      .result = j->ran ? hd_api_result(j->h) : "interrupted",
		                      .stats = *hd_api_stats(j->h),
		                      .state_bits = hd_state_bits_of_core(hd_api_machine(j->h)),
		                      .comparators = bits.register_comparators,
		                      .divergence_warp = bits.divergence_warp,
		                      .divergence_core = bits.divergence_core};
		if (hd_api_profile(j->h)) {
			hd_heat_make(&heats[i], hd_api_program(j->h), hd_api_profile(j->h), &(hd_input){.path = j->launching.program.input},
			             at[i].stats.run_cycles);
			at[i].heat = &heats[i];
		}
		unsigned base = i - i % machines + (c->ablation && i % machines >= machines / 2 ? machines / 2 : 0);
		energies(&at[i], hd_api_machine(j->h), &at[base], hd_api_machine(p->jobs[base].h));
		if (both)
			at[i].outputs = outputs_equal(first, j, at[i].launch) ? HD_OUTPUTS_SAME : HD_OUTPUTS_DIFFER;
		if (j->status == HEDDLE_INTERRUPTED)
			status = HD_EXIT_INTERRUPTED;
		else if (at[i].outputs != HD_OUTPUTS_SAME && status == HD_EXIT_DONE)
			status = HD_EXIT_FAULT;
	}
	hd_comparison comparison = {.at = at, .n_launches = p->n / machines, .n_machines = machines, .ablation = c->ablation, .order = c->order};
	bool ok = write_report(c, &comparison, outputs) && write_explore(c, p, outputs);
	free_all(at, heats, p->n);
	if (ok && status == HD_EXIT_INTERRUPTED)
		status = hd_timeout_status();
	return ok ? status : HD_EXIT_USAGE;
}

/* Outputs are what every machine agreed on. They appear together with the report, which is there without them when a run has failed. */
static int save(const pool *p, unsigned machines, int status, hd_output_set *outputs)
{
	hd_diag diag = {0};
	bool ok = true;
	for (unsigned i = 0; status == HD_EXIT_DONE && ok && i < p->n; i += machines)
		ok = hd_launching_save(&p->jobs[i].launching, outputs, &diag);
	if (ok)
		hd_output_commit(outputs, &diag);
	hd_output_discard(outputs);
	return hd_flush(&diag) == HD_EXIT_DONE ? status : HD_EXIT_USAGE;
}

static int compare(comparing *c, pool *p)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (!add_launches(c, p) || !check_machines(c, p))
		return HD_EXIT_USAGE;
	for (unsigned i = 0; i < p->n; i++) {
		p->jobs[i].h = heddle_new();
		heddle_profile(p->jobs[i].h, c->lines);
	}
	run_all(p, c->jobs ? c->jobs : cpus < 1 ? 1 : cpus > JOBS_MAX ? JOBS_MAX : (uint64_t)cpus);
	hd_output_set outputs = {0};
	int status = results(c, p, &outputs);
	if (status != HD_EXIT_USAGE)
		return save(p, (unsigned)c->machines.n, status, &outputs);
	hd_output_discard(&outputs);
	return status;
}

int hd_cli_compare(int argc, char **argv)
{
	comparing c = {.limits = hd_trace_no_limits};
	pool p = {0};
	int status = HD_EXIT_USAGE;
	if (parse(&c, argc, argv))
		status = compare(&c, &p);
	for (unsigned i = 0; i < p.n; i++) {
		hd_explored_free(&p.jobs[i].explored);
		hd_launching_free(&p.jobs[i].launching);
		heddle_free(p.jobs[i].h);
	}
	hd_launch_list_free(&c.list);
	for (unsigned i = 0; i < 2 * HD_MECHANISMS; i++)
		hd_text_free(&c.names[i / HD_MECHANISMS][i % HD_MECHANISMS]);
	free(p.jobs);
	hd_vec_free(&c.words);
	hd_vec_free(&c.machines);
	return status;
}

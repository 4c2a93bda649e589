/* A whole application on the OpenCL device or the CUDA device (ST-1): HEDDLE_MACHINE names the machine, HEDDLE_SUMMARY the file that the driver
 * writes at the end (docs/opencl.md, docs/cuda.md). The application finds its device as it does without a study: through the OpenCL loader, or
 * through the libcudart.so that its search path or `heddle cudart` names. */
#define _DEFAULT_SOURCE
#include "cli/color.h"
#include "cli/sweep_launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The file of a program, looked up like execvp does. */
static bool find_program(const char *name, hd_text *path)
{
	struct stat status;
	const char *at = getenv("PATH");
	if (strchr(name, '/') || !at) {
		hd_text_printf(path, "%s", name);
		return stat(name, &status) == 0;
	}
	for (size_t n; *at; at += n + (at[n] == ':')) {
		n = strcspn(at, ":");
		hd_text_free(path);
		hd_text_printf(path, "%.*s/%s", (int)n, at, name);
		if (access(path->at, X_OK) == 0 && stat(path->at, &status) == 0 && S_ISREG(status.st_mode))
			return true;
	}
	return false;
}

bool hd_sweep_command_prepare(hd_sweep_launch *launch, const hd_plan *plan, hd_diag *diag)
{
	hd_digest inputs, all;
	hd_text path = {0};
	bool ok = find_program(launch->words[0], &path);
	if (!ok)
		hd_error(diag, launch->from->pos, "there is no program '%.200s'", launch->words[0]);
	ok = ok && hd_digest_file(path.at, launch->program, diag);
	hd_digest_begin(&inputs);
	for (int i = 1; ok && i < launch->n_words; i++)
		ok = hd_sweep_digest_word(&inputs, launch->words[i], diag);
	for (size_t i = 0; ok && i < plan->inputs.n; i++) {
		char content[HD_DIGEST_TEXT];
		ok = hd_digest_file(plan->inputs.at[i].text, content, diag);
		hd_digest_text(&inputs, content);
	}
	ok = ok && hd_sweep_device_digest(&inputs, path.at, launch->words, diag);
	hd_text_free(&path);
	hd_digest_end(&inputs, launch->inputs);
	hd_digest_begin(&all);
	hd_digest_text(&all, "command");
	hd_digest_text(&all, launch->program);
	hd_digest_text(&all, launch->inputs);
	hd_digest_end(&all, launch->id);
	return ok;
}

static void in_child(const hd_sweep_launch *launch, const hd_plan *plan, const char *machine, const char *summary)
{
	char cycles[24];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("HEDDLE_MACHINE", machine, 1);
	setenv("HEDDLE_SUMMARY", summary, 1);
	unsetenv("HEDDLE_FUNCTIONAL"); /* the interpreter has no time */
	snprintf(cycles, sizeof cycles, "%llu", (unsigned long long)plan->cycles);
	unsetenv("HEDDLE_MAX_CYCLES"); /* the study has the limit, and the run its name by it */
	if (plan->cycles)
		setenv("HEDDLE_MAX_CYCLES", cycles, 1);
	execvp(launch->words[0], launch->words);
	hd_say(stderr, "heddle: error: %s cannot be started: %s\n", launch->words[0], strerror(errno));
	_exit(127);
}

/* The statistics of a summary. False when there is none. */
static bool read_summary(const char *path, const hd_machine *machine, hd_sweep_outcome *outcome, bool *failed)
{
	json_t *root = json_load_file(path, 0, NULL), *statistics = json_object_get(root, "statistics");
	json_t *total = json_object_get(root, "total");
	hd_stats stats = {0};
#define STAT(group, name, doc) stats.group##_##name = (uint64_t)json_integer_value(json_object_get(statistics, #group "." #name));
#include "launch/stats.def"
#undef STAT
	bool ok = json_is_object(statistics) && json_integer_value(json_object_get(total, "launches")) > 0;
	*failed = json_integer_value(json_object_get(total, "failed")) > 0;
	if (ok)
		hd_sweep_outcome_measured(outcome, machine, &stats);
	json_decref(root);
	return ok;
}

void hd_sweep_command_run(const hd_sweep_launch *launch, const hd_plan *plan, const hd_machine *machine, const char *folder,
                          hd_sweep_outcome *outcome, hd_text *message)
{
	hd_text description = {0}, machine_path = {0}, summary_path = {0};
	hd_diag diag = {0};
	int status = 0;
	bool failed = false;
	hd_text_printf(&machine_path, "%s/machine.yaml", folder);
	hd_text_printf(&summary_path, "%s/summary.json", folder);
	hd_machine_print(machine, &description);
	bool ok = mkdir(folder, 0700) == 0 && hd_write_file(machine_path.at, description.at, description.n, &diag);
	pid_t pid = ok ? fork() : -1;
	if (pid == 0)
		in_child(launch, plan, machine_path.at, summary_path.at);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	hd_sweep_outcome_status(outcome, "failed");
	if (pid < 0)
		hd_text_printf(message, "the application cannot be started: %s", diag.text.at ? diag.text.at : strerror(errno));
	else if (WIFSIGNALED(status))
		hd_text_printf(message, "the application ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		hd_text_printf(message, "the application ended with exit status %d", WEXITSTATUS(status));
	if (pid > 0 && !read_summary(summary_path.at, machine, outcome, &failed) && !message->n)
		hd_text_printf(message,
		               "the application launched nothing on Heddle's device; does OpenCL's loader find it (OCL_ICD_VENDORS), or CUDA's "
		               "library (heddle cudart)?");
	else if (pid > 0 && failed && !message->n)
		hd_text_printf(message, "a kernel of the application ended with an error");
	else if (!message->n)
		hd_sweep_outcome_status(outcome, "done");
	hd_text_free(&description);
	hd_text_free(&machine_path);
	hd_text_free(&summary_path);
	hd_diag_free(&diag);
}

void hd_sweep_command_clean(const char *folder)
{
	static const char *const names[] = {"machine.yaml", "summary.json"};
	for (size_t i = 0; i < HD_COUNT(names); i++) {
		hd_text path = {0};
		hd_text_printf(&path, "%s/%s", folder, names[i]);
		unlink(path.at);
		hd_text_free(&path);
	}
	rmdir(folder);
}

void hd_sweep_command_clean_all(const char *folder)
{
	DIR *listing = opendir(folder);
	for (struct dirent *entry; listing && (entry = readdir(listing));) {
		hd_text path = {0};
		hd_text_printf(&path, "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			hd_sweep_command_clean(path.at);
		hd_text_free(&path);
	}
	if (listing)
		closedir(listing);
	rmdir(folder);
}

#include "cli/table.h"

#include <stddef.h>

const hd_command_row hd_commands[HD_COMMAND_COUNT] = {
#define HD_COMMAND(id, name, arguments, summary, description) [HD_COMMAND_##id] = {name, arguments, summary, description},
#include "cli/options.def"
};

const char *const hd_group_names[HD_GROUP_COUNT] = {
    [HD_GROUP_LAUNCH] = "The launch",
    [HD_GROUP_MACHINE] = "The machine",
    [HD_GROUP_COMPILER] = "The compiler",
    [HD_GROUP_STUDY] = "The study",
    [HD_GROUP_RESULTS] = "Results",
    [HD_GROUP_HELP] = "Help",
    [HD_GROUP_GRIDS] = "In a line of --launches FILE",
};

/* The words of the column `commands`. */
enum {
#define HD_COMMAND(id, name, arguments, summary, description) id = 1u << HD_COMMAND_##id,
#include "cli/options.def"
	LAUNCH_LINE = 1u << HD_COMMAND_LAUNCH_LINE,
	GRID_LINE = 1u << HD_COMMAND_GRID_LINE,
	LAUNCHING = RUN | COMPARE | LAUNCH_LINE | GRID_LINE, /* what a launch has, wherever it is written */
	EVERYWHERE = (1u << HD_COMMAND_COUNT) - 1
};

const hd_option_row hd_option_rows[HD_OPTION_COUNT] = {
#define HD_OPTION(id, name, value, kind, since, commands, group, help) \
	[HD_OPTION_##id] = {name, value, HD_VALUE_##kind, since, commands, HD_GROUP_##group, help},
#include "cli/options.def"
};

const hd_phrase_row hd_argument_forms[] = {
#define HD_ARGUMENT_FORM(form, help) {HD_COMMAND_RUN, form, help},
#include "cli/options.def"
    {HD_COMMAND_RUN, NULL, NULL},
};

const hd_phrase_row hd_examples[] = {
#define HD_EXAMPLE(command, line, help) {HD_COMMAND_##command, line, help},
#include "cli/options.def"
    {HD_COMMAND_RUN, NULL, NULL},
};

const char hd_about[] = "Heddle is a GPU shader core in software: a compiler, a cycle-level machine, and a checker of the compiler's annotations.";

const hd_phrase_row hd_exit_statuses[] = {
    {HD_COMMAND_RUN, "0", "done"},
    {HD_COMMAND_RUN, "1", "the program is at fault: trap, deadlock, cycle limit, hazard found, outputs that differ"},
    {HD_COMMAND_RUN, "2", "bad usage or bad input"},
    {HD_COMMAND_RUN, "3", "machine code of a real GPU is neither proven nor refuted"},
    {HD_COMMAND_RUN, "71", "the host is out of memory"},
    {HD_COMMAND_RUN, "124", "ended by --timeout"},
    {HD_COMMAND_RUN, "130", "ended by Ctrl-C"},
    {HD_COMMAND_RUN, NULL, NULL},
};

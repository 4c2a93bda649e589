/* The rows of options.def as tables. Includes nothing of ours, so that the generator of manual pages builds with these tables alone. */
#ifndef HD_CLI_TABLE_H
#define HD_CLI_TABLE_H

#include <stdbool.h>

/* Who takes an option. LAUNCH_LINE and GRID_LINE are no commands of their own: they are the lines of --launches files of compare and run. */
typedef enum hd_command {
#define HD_COMMAND(id, name, arguments, summary, description) HD_COMMAND_##id,
#include "cli/options.def"
	HD_COMMAND_COUNT,
	HD_COMMAND_LAUNCH_LINE = HD_COMMAND_COUNT,
	HD_COMMAND_GRID_LINE
} hd_command;

typedef struct hd_command_row {
	const char *name;
	const char *arguments; /* as the usage line shows them */
	const char *summary;   /* a phrase in lower case, without a full stop */
	const char *description;
} hd_command_row;
extern const hd_command_row hd_commands[HD_COMMAND_COUNT];

/* The kind of an option's value: completion offers what fits. */
typedef enum hd_value_kind {
	HD_VALUE_NONE, /* the option has no value */
	HD_VALUE_TEXT,
	HD_VALUE_FILE,
	HD_VALUE_MACHINE,  /* a preset or a file */
	HD_VALUE_SETTING,  /* KEY=VALUE of a machine */
	HD_VALUE_CHOICE,   /* one of the words in the column `value` */
	HD_VALUE_PASS,     /* a pass of the compiler */
	HD_VALUE_ARGUMENT, /* a form of --arg */
	HD_VALUE_TRACE,    /* a word of the column `value` up to its colon, then a file */
	/* The value may stand in the same word as the option: -DNAME, -D NAME. */
	HD_VALUE_JOINED_TEXT,
	HD_VALUE_JOINED_FOLDER
} hd_value_kind;

/* Headings of the help. */
typedef enum hd_option_group {
	HD_GROUP_LAUNCH,
	HD_GROUP_MACHINE,
	HD_GROUP_STUDY,
	HD_GROUP_COMPILER,
	HD_GROUP_RESULTS,
	HD_GROUP_HELP,
	HD_GROUP_GRIDS,
	HD_GROUP_COUNT
} hd_option_group;
extern const char *const hd_group_names[HD_GROUP_COUNT];

/* The rows in their order, and what hd_options_next finds that is no option. */
typedef enum hd_option_id {
#define HD_OPTION(id, name, value, kind, since, commands, group, help) HD_OPTION_##id,
#include "cli/options.def"
	HD_OPTION_COUNT,
	HD_OPTION_WORD = HD_OPTION_COUNT, /* an argument that is no option */
	HD_OPTION_END,                    /* no argument is left */
	HD_OPTION_REFUSED                 /* after a message */
} hd_option_id;

typedef struct hd_option_row {
	const char *name;  /* with its dashes */
	const char *value; /* what the help calls the value; "" for none */
	hd_value_kind kind;
	const char *since; /* the version that had it first */
	unsigned commands; /* bit hd_command: takes it */
	hd_option_group group;
	const char *help; /* a phrase in lower case, without a full stop */
} hd_option_row;
extern const hd_option_row hd_option_rows[HD_OPTION_COUNT];

static inline bool hd_option_of(const hd_option_row *option, hd_command command) { return option->commands >> command & 1; }
static inline bool hd_option_joined(const hd_option_row *option) { return option->kind >= HD_VALUE_JOINED_TEXT; }

typedef struct hd_phrase_row {
	hd_command command; /* of an example */
	const char *text, *help;
} hd_phrase_row;
/* Both end with a row whose text is NULL. */
extern const hd_phrase_row hd_argument_forms[], hd_examples[];

/* Texts that the help and the manual pages share. */
extern const char hd_about[];
extern const hd_phrase_row hd_exit_statuses[]; /* ends with NULL */

#endif

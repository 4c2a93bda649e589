/* ST-1: the plan of a study, from its YAML file (docs/studies.md describes the file).
 *
 * A plan has launches and axes. An axis has values, and a value is a machine or a list of settings. A point is one value of each axis; points.h makes
 * them. */
#ifndef HD_STUDY_PLAN_H
#define HD_STUDY_PLAN_H

#include "config/keys.h"

enum {
	HD_AXES_MAX = 64,
	HD_AXIS_VALUES_MAX = 4096,
	HD_STUDY_LAUNCHES_MAX = 1000,
	HD_MACHINES_MAX = 200000, /* of a study */
	HD_RUNS_MAX = 1000000,
	HD_CANDIDATES_MAX = 1000000, /* of a full product, before constraints */
	HD_RULES_MAX = 4000,         /* characters of all constraints, which each candidate is compared with */
	HD_COLUMN_MAX = 4000,        /* characters of a column */
	HD_SETTINGS_MAX = 1000,      /* of a value */
	HD_COLUMNS_MAX = 1000        /* of a table */
};

typedef struct hd_setting {
	hd_key key;
	const char *value;
} hd_setting;

typedef struct hd_axis_value {
	const char *text; /* as in the file, for people */
	HD_VEC(hd_setting) settings;
} hd_axis_value;

/* The first axis of a plan is `machine`; its values are presets and files, and have no settings. */
typedef struct hd_axis {
	const char *name;
	hd_pos pos;
	HD_VEC(hd_axis_value) values;
	bool unknown; /* the name is no key, which has been said */
} hd_axis;

typedef enum hd_launch_kind { HD_LAUNCH_LINE, HD_LAUNCH_EXAMPLE, HD_LAUNCH_COMMAND } hd_launch_kind;

typedef struct hd_plan_launch {
	hd_launch_kind kind;
	const char *name; /* its label; the text if it has none */
	const char *text; /* behind the label */
	hd_pos pos;       /* of the text */
} hd_plan_launch;

typedef struct hd_plan_text {
	const char *text;
	hd_pos pos;
} hd_plan_text;

/* "HEAD -> EXPRESSION" (table.h). */
typedef struct hd_plan_column {
	const char *head;
	hd_plan_text text;
} hd_plan_column;

typedef struct hd_plan_table {
	const char *name;
	hd_pos pos;
	HD_VEC(hd_plan_column) columns;
} hd_plan_table;

typedef enum hd_sampling { HD_SAMPLE_PRODUCT, HD_SAMPLE_LIST, HD_SAMPLE_RANDOM, HD_SAMPLE_LATIN } hd_sampling;

typedef struct hd_plan {
	hd_arena arena; /* of all texts */
	const char *file, *name;
	char *text; /* of the whole file */
	size_t size;
	HD_VEC(hd_plan_launch) launches;
	HD_VEC(hd_plan_text) inputs; /* files whose content determines what a command does */
	HD_VEC(hd_axis) axes;
	HD_VEC(int) list;           /* HD_SAMPLE_LIST: a value's index for each point and axis, -1 = the point leaves it alone */
	HD_VEC(hd_plan_text) rules; /* constraints */
	HD_VEC(hd_plan_table) tables;
	HD_VEC(hd_plan_text) averages; /* axes over which tables average */
	hd_plan_text area;             /* text NULL: the study does not know it */
	hd_sampling sampling;
	uint64_t count, seed;             /* of a sample */
	uint64_t cycles, seconds, memory; /* limits of a run: cycles, seconds of the host, MiB; 0 = none */
} hd_plan;

/* Reads a study. False and errors in diag, with the place of each. The file's name must outlive the plan. */
bool hd_plan_read(hd_plan *plan, const char *path, hd_diag *diag);
/* The same for a text that is already there. */
bool hd_plan_read_text(hd_plan *plan, const char *text, size_t size, const char *path, hd_diag *diag);
void hd_plan_free(hd_plan *plan);
/* The machine of a point: `choice` has an index for each axis. False and errors in diag when the machine cannot be. */
bool hd_plan_machine(const hd_plan *plan, const int *choice, hd_machine *machine, hd_diag *diag);

#endif

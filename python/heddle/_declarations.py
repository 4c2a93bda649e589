"""Written by tools/python_declarations.py from include/heddle/heddle.h."""
VERSION = "0.3.0"
DECLARATIONS = """
typedef struct heddle heddle;
heddle *heddle_new(void);
void heddle_free(heddle *h);
const char *heddle_version(void);
const char *heddle_messages(const heddle *h);
void heddle_clear(heddle *h);
bool heddle_config(heddle *h, const char *name_or_path);
bool heddle_set(heddle *h, const char *assignment);
const char *const *heddle_presets(void);
char *heddle_get(heddle *h, const char *path);
char *heddle_machine(const heddle *h);
uint32_t heddle_state_bits(heddle *h);
typedef struct heddle_key {
	char path[48];
	char expected[160];
	const char *unit;
	const char *documentation;
	bool number, flag;
	uint32_t minimum, maximum;
} heddle_key;
unsigned heddle_key_count(void);
bool heddle_key_at(unsigned index, heddle_key *key);
typedef struct heddle_build_options {
	bool serial;
	const char *const *arguments;
	bool unproven;
} heddle_build_options;
bool heddle_build(heddle *h, const char *path, const heddle_build_options *options);
bool heddle_build_text(heddle *h, const char *name, const char *text, size_t size, const heddle_build_options *options);
char *heddle_assembly(heddle *h);
bool heddle_save(heddle *h, const char *path);
typedef struct heddle_param {
	const char *name;
	uint32_t size;
	bool pointer;
	bool local;
	const char *type;
	const char *element;
} heddle_param;
typedef struct heddle_kernel {
	const char *name;
	const char *source_name;
	uint32_t registers, shared_bytes, local_bytes;
	uint32_t n_params;
} heddle_kernel;
unsigned heddle_kernel_count(const heddle *h);
bool heddle_kernel_at(const heddle *h, unsigned index, heddle_kernel *kernel);
bool heddle_kernel_find(heddle *h, const char *name, heddle_kernel *kernel);
bool heddle_param_at(const heddle *h, const char *kernel, unsigned index, heddle_param *param);
typedef enum heddle_verdict {
	HEDDLE_PROVEN,
	HEDDLE_REFUTED,
	HEDDLE_UNDECIDED
} heddle_verdict;
typedef struct heddle_proof {
	uint64_t findings;
	uint64_t dependences, by_counter, by_delay, by_order;
	uint64_t last_uses;
	bool by_scoreboard;
} heddle_proof;
typedef struct heddle_place {
	uint32_t word;
	const char *file;
	uint32_t line;
} heddle_place;
typedef struct heddle_finding {
	const char *kind;
	heddle_place producer, consumer;
	int resource;
	uint32_t missing;
	const uint32_t *path;
	unsigned n_path;
	const char *text;
} heddle_finding;
heddle_verdict heddle_check(heddle *h, heddle_proof *proof);
bool heddle_finding_at(heddle *h, unsigned index, heddle_finding *finding);
uint64_t heddle_alloc(heddle *h, const char *name, uint64_t bytes);
uint64_t heddle_alloc_system(heddle *h, const char *name, uint64_t bytes);
uint64_t heddle_buffer(heddle *h, const char *name, const void *bytes, uint64_t size);
bool heddle_release(heddle *h, uint64_t address);
bool heddle_write(heddle *h, uint64_t address, const void *bytes, uint64_t size);
bool heddle_read(heddle *h, uint64_t address, void *bytes, uint64_t size);
void *heddle_map(heddle *h, uint64_t address, uint64_t size);
typedef enum heddle_arg_kind { HEDDLE_ARG_INTEGER, HEDDLE_ARG_FLOAT, HEDDLE_ARG_POINTER, HEDDLE_ARG_LOCAL, HEDDLE_ARG_BYTES } heddle_arg_kind;
typedef struct heddle_arg {
	heddle_arg_kind kind;
	uint32_t size;
	uint64_t bits;
	const void *bytes;
} heddle_arg;
typedef struct heddle_launch {
	const char *kernel;
	uint32_t grid[3], block[3];
	uint64_t offset[3];
	const heddle_arg *args;
	uint32_t n_args;
	uint32_t dynamic_shared;
	bool functional;
	uint64_t max_cycles;
	bool (*poll)(void *context, uint64_t cycle, uint64_t ctas_done, uint64_t ctas);
	void *context;
	uint32_t threads;
} heddle_launch;
typedef enum heddle_status {
	HEDDLE_DONE,
	HEDDLE_FAULT,
	HEDDLE_BAD_INPUT,
	HEDDLE_INTERRUPTED
} heddle_status;
heddle_status heddle_run(heddle *h, const heddle_launch *launch);
void heddle_hazards(heddle *h, bool on);
uint64_t heddle_violations(const heddle *h);
void heddle_races(heddle *h, bool on, uint64_t bytes);
uint64_t heddle_race_count(const heddle *h);
void heddle_profile(heddle *h, bool on);
typedef struct heddle_trace_limits {
	uint64_t first, last;
	bool one_core, one_slot;
	uint32_t core;
	uint32_t scheduler, slot;
} heddle_trace_limits;
bool heddle_trace(heddle *h, const char *kind_and_path, const heddle_trace_limits *limits);
void heddle_untrace(heddle *h);
typedef struct heddle_grid {
	heddle_launch launch;
	unsigned priority;
	unsigned kind;
	unsigned device;
	bool at_head;
	uint64_t arrival;
	const unsigned *after;
	unsigned n_after;
	bool queue;
	const unsigned *producers;
	unsigned n_producers;
	const uint64_t *entries;
	uint64_t n_entries;
} heddle_grid;
typedef struct heddle_grid_result {
	bool begun, ended;
	uint64_t arrival, begin, end;
	uint64_t ctas, children;
	uint64_t pushed;
	uint64_t evictions, saved;
} heddle_grid_result;
heddle_status heddle_run_grids(heddle *h, const heddle_grid *grids, unsigned n, heddle_grid_result *results);
bool heddle_stat(const heddle *h, const char *name, uint64_t *value);
const char *heddle_printed(const heddle *h, size_t *n);
double heddle_seconds(const heddle *h);
bool heddle_roofline(heddle *h);
typedef enum heddle_format { HEDDLE_TEXT, HEDDLE_JSON, HEDDLE_HTML } heddle_format;
char *heddle_report(heddle *h, heddle_format format);
void heddle_text_free(char *text);
const char *const *heddle_causes(void);
typedef struct heddle_counts {
	uint64_t issued, dropped;
	uint64_t lanes;
	uint64_t slots;
	uint64_t descheduled;
	uint64_t queue_cycles;
	uint64_t pipe_cycles;
	uint64_t sectors;
	const uint64_t *lost;
} heddle_counts;
unsigned heddle_word_count(const heddle *h);
typedef struct heddle_instruction {
	uint32_t word;
	const char *text;
	const char *file;
	uint32_t line, column;
	heddle_counts counts;
} heddle_instruction;
bool heddle_instruction_at(heddle *h, unsigned word, heddle_instruction *instruction);
typedef struct heddle_line {
	const char *file;
	uint32_t line;
	heddle_counts counts;
	const char *text;
} heddle_line;
unsigned heddle_line_count(heddle *h);
bool heddle_line_at(heddle *h, unsigned index, heddle_line *line);
char *heddle_listing(heddle *h);
typedef enum heddle_sass_verdict {
	HEDDLE_SASS_PROVEN = 0,
	HEDDLE_SASS_REFUTED = 1,
	HEDDLE_SASS_BAD_INPUT = 2,
	HEDDLE_SASS_UNKNOWN = 3
} heddle_sass_verdict;
typedef struct heddle_sass_options {
	unsigned architecture;
	const char *kernel;
	const char *assume;
	bool strict;
	bool slack;
} heddle_sass_options;
heddle_sass_verdict heddle_sass_check(heddle *h, const void *bytes, size_t size, const char *name, const heddle_sass_options *options, char **json);
"""

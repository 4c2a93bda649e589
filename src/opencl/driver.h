/* The objects of the OpenCL driver, with their locks and reference counts.
 *
 * Locks. hc_lock guards the state of events, queues and programs and the fields marked [lock]. A context's `turn` guards its hd_memory and
 * everything that runs on it. A launch has it for its whole length. A thread never has both. No lock is held while a callback of the program
 * runs.
 *
 * Counts. `refs` counts what the program retains and releases. `uses` keeps the object alive: all refs together count as one use, and each other
 * object or command that points to the object is one use. So the program may release objects in any order. */
#ifndef HC_DRIVER_H
#define HC_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/output.h"
#include "config/machine.h"
#include "front/spirv.h"
#include "launch/bounds.h"
#include "launch/launch.h"
#include "report/html/application_html.h"
#include "tasks/event.h"
#include "tasks/task.h"
#include "report/profile.h"
#include "trace/trace_file.h"

typedef enum hc_kind {
	HC_DEAD,
	HC_PLATFORM,
	HC_DEVICE,
	HC_CONTEXT,
	HC_QUEUE,
	HC_MEM,
	HC_PROGRAM,
	HC_KERNEL,
	HC_DEVICE_QUEUE,
	HC_COMMAND_BUFFER,
	HC_EVENT
} hc_kind;

/* The head of every object. The loader requires the dispatch table first. */
typedef struct hc_object {
	const cl_icd_dispatch *dispatch;
	_Atomic hc_kind kind;
	atomic_uint refs, uses;
	uint64_t number; /* of this life: no two objects have the same */
	void (*destroy)(void *object);
	size_t bytes; /* of the whole object */
} hc_object;

struct _cl_platform_id {
	hc_object object;
};

typedef enum hc_report_kind { HC_REPORT_JSON, HC_REPORT_TEXT, HC_REPORT_HTML } hc_report_kind;
enum { HC_TRACES_MAX = 4 };

typedef struct hc_trace_request {
	hd_trace_format format;
	const char *path;
} hc_trace_request;

/* The sums over all launches of one kernel. */
typedef struct hc_summary_row {
	char *kernel;
	uint64_t code;    /* stands for the code of the program that the kernel belongs to */
	unsigned program; /* from 1, in the order of first launches, among programs with a kernel of this name */
	uint64_t launches, failed;
	hd_stats stats;
	double seconds; /* seconds of the host */
	unsigned first; /* its place by first launches, which hd_application_launch.kernel means until the rows are sorted */
} hc_summary_row;

struct _cl_device_id {
	hc_object object;
	hd_machine machine;
	bool functional;                        /* HEDDLE_FUNCTIONAL */
	bool races;                             /* HEDDLE_RACES */
	hd_bounds *bounds;                      /* HEDDLE_BOUNDS=warn; NULL: an access outside of every buffer is a trap */
	bool progress;                          /* HEDDLE_PROGRESS */
	const char *report;                     /* HEDDLE_REPORT, or NULL */
	hc_report_kind report_kind;             /* HEDDLE_REPORT_FORMAT: kind of the reports in a directory */
	const char *summary;                    /* HEDDLE_SUMMARY, or NULL */
	hc_trace_request traces[HC_TRACES_MAX]; /* HEDDLE_TRACE */
	unsigned n_traces;
	uint64_t trace_launch;        /* HEDDLE_TRACE_LAUNCH; UINT64_MAX: every launch */
	hd_trace_limits trace_limits; /* HEDDLE_TRACE_CYCLES */
	uint64_t max_cycles;          /* HEDDLE_MAX_CYCLES, 0 = none */
	bool cache;                   /* HEDDLE_CACHE */
	bool build_log;               /* HEDDLE_BUILD_LOG */
	bool spirv;                   /* programs in SPIR-V can be translated */
	bool unproven;                /* HEDDLE_UNPROVEN: binaries for other machines run, too */
	uint32_t threads;             /* HEDDLE_THREADS: threads of the host that run a launch in the interpreter */
	size_t group;                 /* HEDDLE_MAX_GROUP: largest number of work-items of a work-group, even if the machine could hold more */
	cl_device_type type;          /* HEDDLE_TYPE */
	uint64_t memory;              /* HEDDLE_MEMORY: bytes of a context's device memory */
	uint64_t allocation;          /* bytes of the largest buffer */
	char name[96];
	uint64_t clock;                         /* [lock] simulated nanoseconds since the driver was loaded */
	uint32_t launches;                      /* [lock] for reports */
	HD_VEC(hc_summary_row) rows;            /* [lock] for the summary */
	HD_VEC(hd_application_launch) launched; /* [lock] the first HD_APPLICATION_MOST launches, for the summary */
	bool roofline;                          /* HEDDLE_ROOFLINE: the summary's page has a roofline */
};

/* The priorities of queues (cl_khr_priority_hints), the highest first. */
typedef enum hc_priority { HC_PRIORITY_HIGH, HC_PRIORITY_MEDIUM, HC_PRIORITY_LOW, HC_PRIORITIES } hc_priority;

/* A mutex: of the threads that wait, one of the highest priority takes it next. */
typedef struct hc_turn {
	pthread_mutex_t lock;
	pthread_cond_t ended[HC_PRIORITIES];
	unsigned waiting[HC_PRIORITIES]; /* under `lock`, as `taken` is */
	bool taken;
} hc_turn;

/* A function to call when an object is destroyed. The function that was registered last is called first. */
typedef struct hc_destructor {
	struct hc_destructor *next;
	void (*call)(void *object, void *data);
	void *data;
} hc_destructor;

/* An allocation of shared virtual memory. */
typedef struct hc_shared {
	void *bytes;
	size_t size;
} hc_shared;

enum {
	HC_DEVICE_QUEUES_MAX = 16,       /* of a context */
	HC_DEVICE_QUEUE_BYTES = 4 << 20, /* unless the program says otherwise: 65,536 commands with small blocks */
	HC_DEVICE_QUEUE_BYTES_MAX = 64 << 20,
	HC_DEVICE_EVENTS = HD_CLK_EVENTS_MAX,
};

struct _cl_context {
	hc_object object;
	cl_context_properties *properties; /* with the 0 at the end, or NULL */
	size_t n_properties;               /* entries, the 0 included */
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
	void *notify_data;
	hc_destructor *destructors;  /* [lock] */
	atomic_bool has_destructors; /* the program has registered a destructor of the context or of a buffer in it */
	hc_turn turn;
	hd_memory *memory;                                    /* turn */
	HD_VEC(hc_shared) shared;                             /* [lock] */
	cl_command_queue device_queues[HC_DEVICE_QUEUES_MAX]; /* [lock] by number - 1, not used; NULL: none has the number */
	cl_command_queue default_queue;                       /* [lock] of the device, not used; or NULL */
	uint64_t default_life;                                /* [lock] object.number of default_queue */
	hd_clk_events *events;                                /* turn: of what kernels enqueue; NULL before the first such run */
	uint64_t shared_hint;                                 /* [lock] bytes from the first hint to that of the next allocation */
};

typedef struct hc_mapping {
	struct hc_mapping *next;
	uint8_t *pointer;
	size_t offset;
	size_t size;
	cl_map_flags flags;
} hc_mapping;

struct _cl_mem {
	hc_object object;
	cl_context context; /* used */
	cl_mem parent;      /* used, or NULL */
	size_t offset;      /* in the parent */
	size_t size;
	cl_mem_flags flags;
	uint64_t address;  /* device address of the first byte */
	uint8_t *bytes;    /* host address of the first byte */
	bool shared;       /* the bytes are shared virtual memory, which the program frees */
	uint8_t *host_ptr; /* CL_MEM_USE_HOST_PTR: memory of the program, valid for `size` bytes */
	cl_uint packets;   /* of a pipe; 0: a buffer */
	cl_uint packet_size;
	cl_mem_properties *properties;
	size_t n_properties;
	hc_mapping *mappings;       /* [lock] */
	cl_uint n_mappings;         /* [lock] */
	hc_destructor *destructors; /* [lock] */
};

typedef struct hc_callback {
	struct hc_callback *next;
	cl_int status;
	void(CL_CALLBACK *call)(cl_event, cl_int, void *);
	void *data;
} hc_callback;

struct _cl_event {
	hc_object object;
	cl_context context;     /* used */
	cl_command_queue queue; /* used; NULL: a user event */
	cl_command_type type;
	cl_int status;          /* [lock] CL_QUEUED ... CL_COMPLETE, or an error */
	uint64_t times[4];      /* [lock] queued, submitted, started, ended: simulated nanoseconds */
	hc_callback *callbacks; /* [lock] */
	cl_uint waiting;        /* [lock] threads of the program in hc_wait */
	/* [lock] Other queues that have a command that waits for the event. They live until the command has run, and so until the event has ended. */
	HD_VEC(cl_command_queue) followers;
};

/* A command in a queue. `run` does the work without a lock and returns CL_SUCCESS or an error; *ns receives the simulated nanoseconds. */
typedef struct hc_command {
	struct hc_command *next;
	cl_command_queue queue; /* not counted as a use, because a queue outlives its commands */
	cl_event event;         /* used */
	cl_event *wait;         /* used */
	cl_uint n_wait;
	bool after_all;  /* waits for every command before it (marker and barrier without a list) */
	bool before_all; /* every command after it waits for it (barrier) */
	cl_int (*run)(struct hc_command *command, uint64_t *ns);
	void (*drop)(struct hc_command *command); /* may be NULL */
	/* The operands of the command. At its end the command drops its uses of objects. */
	cl_mem from, to;
	size_t from_at, to_at, size;
	const void *host_from;
	void *host_to;
	void *owned;                  /* freed with the command */
	struct hc_rect *rect;         /* freed with the command */
	struct hc_launch *launch;     /* owned by `drop` */
	cl_command_buffer_khr buffer; /* used; command_buffer.c */
	bool buffer_pending;          /* [lock] the command counts in buffer->pending */
} hc_command;

/* A call of a function of the program that waits for the queue's thread. */
typedef struct hc_call {
	struct hc_call *next;
	void (*call)(void *data);
	void *data;
} hc_call;

struct _cl_command_queue {
	hc_object object;
	cl_context context; /* used */
	cl_command_queue_properties properties;
	hc_priority priority;      /* of its launches among those of the context */
	cl_queue_properties *list; /* the properties given to clCreateCommandQueueWithProperties, or NULL */
	size_t n_list;
	hc_command *first, **last; /* [lock] the running command has the status CL_RUNNING; in an in-order queue it is the first */
	pthread_t thread;
	hc_call *calls, **last_call;     /* [lock] for the queue's thread */
	uint64_t posted, made;           /* [lock] number of calls so far, left to the thread and made, with ends of commands */
	cl_uint awaiting;                /* [lock] threads that wait for calls */
	pthread_cond_t wake;             /* the queue's thread has something to do */
	pthread_cond_t ended;            /* an event of the queue for which a thread of the program waits has ended */
	bool busy;                       /* [lock] a thread runs a command of the queue */
	bool urgent;                     /* [lock] the queue's thread does not leave the next command to a thread that may come and wait for it */
	bool asleep;                     /* [lock] the queue's thread waits without a limit for `wake` */
	bool closing;                    /* [lock] the queue was released: the thread ends when the lists are empty */
	cl_int failed;                   /* [lock] a command failed since the last clFinish */
	uint64_t served;                 /* [lock] number of commands that have ended */
	cl_command_buffer_khr recording; /* if not NULL, the queue is this buffer's recorder: commands go into the buffer */
	/* Of a queue on the device (HC_DEVICE_QUEUE), which uses nothing of the above but the context and its properties. */
	cl_uint number;  /* from 1; 0: none yet */
	uint64_t memory; /* device address of its bytes */
	uint64_t bytes;
};

/* Commands that are recorded, and run together as one command of a queue. */
struct _cl_command_buffer_khr {
	hc_object object;
	cl_command_queue queue;    /* used */
	cl_command_queue recorder; /* used: takes commands, and never runs one */
	cl_command_buffer_properties_khr *properties;
	size_t n_properties;
	HD_VEC(hc_command *) commands; /* [lock] until `finalized`, then unchanged */
	bool simultaneous;             /* may be enqueued again before it has ended */
	bool finalized;                /* [lock] */
	cl_uint pending;               /* [lock] commands that run the buffer and have not ended */
	pthread_mutex_t running;       /* held by the thread that runs the commands */
};

/* A compiled source that is not linked. */
typedef struct hc_unit {
	char *text;      /* LLVM's text form */
	hd_text bitcode; /* the same module; empty for a unit that a program gave as a binary, because clang trusts bitcode more than text */
} hc_unit;
void hc_unit_free(hc_unit *unit);

/* A program: source, binary, or linked from units. Also the result of its last build. */
struct _cl_program {
	hc_object object;
	cl_context context; /* used */
	char *source;       /* NULL: from a binary or SPIR-V, or linked */
	uint8_t *il;        /* bytes given to clCreateProgramWithIL, or NULL */
	size_t n_il;
	hd_spirv module; /* [lock] the same in words, with the specialization constants that were set */
	char *il_text;   /* what the last build made of it: LLVM's text */
	uint8_t *given;  /* bytes given to clCreateProgramWithBinary */
	size_t n_given;
	HD_VEC(hc_unit) units; /* compiled, not linked */
	char *options;         /* of the last build, compile or link */
	hd_text log;
	cl_build_status status;      /* [lock] */
	cl_program_binary_type type; /* [lock] */
	unsigned n_kernels;          /* [lock] number of its kernel objects */
	hd_object *code;
	uint8_t *image; /* the kernel object's bytes */
	size_t n_image;
	hd_program *loaded;
	struct hd_oracle *interp; /* from the first launch in the interpreter on; the context's turn */
	struct hc_arg_info *info; /* [lock] read at the first query */
	bool info_known;          /* [lock] */
	size_t n_info;
};

typedef struct hc_arg {
	bool set;
	cl_mem mem;             /* not used: a kernel keeps no buffer alive; or NULL */
	uint64_t life;          /* object.number of mem or queue */
	cl_command_queue queue; /* not used: a queue on the device; or NULL */
	uint64_t shared;        /* without mem: a pointer to shared virtual memory */
	size_t local;           /* bytes of local memory */
	uint8_t *bytes;         /* a value, as large as the parameter */
} hc_arg;

struct _cl_kernel {
	hc_object object;
	cl_program program; /* used */
	const hd_kernel *kernel;
	hc_arg *args; /* kernel->params.n of them; a kernel object belongs to one thread at a time */
};

/* Argument information of one kernel, from clang. */
typedef struct hc_arg_info {
	char *kernel;
	struct hc_arg_text {
		char *name, *type, *access, *qualifier;
		unsigned space;
	} * args;
	size_t n_args;
	char *attributes;
} hc_arg_info;

/* -- platform.c ------------------------------------------------------------------------------------------------------------------------- */
extern pthread_mutex_t hc_lock;
extern pthread_cond_t hc_user_event_ended; /* one for which a thread of the program waits */
extern const cl_icd_dispatch hc_dispatch;
extern struct _cl_platform_id hc_platform;
extern struct _cl_device_id hc_device;
/* Reads the environment once. True when there is a device. */
bool hc_start(void);
#define HC_EXTENSIONS                                                                                                                  \
	"cl_khr_icd cl_khr_priority_hints cl_khr_command_buffer cl_khr_byte_addressable_store cl_khr_fp16 cl_khr_fp64 "                \
	"cl_khr_global_int32_base_atomics "                                                                                            \
	"cl_khr_global_int32_extended_atomics "                                                                                        \
	"cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics " \
	"cl_khr_subgroups cl_khr_subgroup_extended_types cl_khr_subgroup_non_uniform_vote cl_khr_subgroup_ballot "                     \
	"cl_khr_subgroup_non_uniform_arithmetic cl_khr_subgroup_shuffle cl_khr_subgroup_shuffle_relative cl_khr_subgroup_clustered_reduce"
enum { HC_SUB_GROUP = 32 /* work-items of a sub-group: a warp */ };

/* -- object.c --------------------------------------------------------------------------------------------------------------------------- */
/* A zeroed object with one reference. `destroy` frees what the object owns, not the object. */
void *hc_new(hc_kind kind, size_t bytes, void (*destroy)(void *object));
/* True when the handle is that of a live object of this kind. Any value may be asked for: a handle of another kind, one that was released, or no
 * handle at all. (A released handle is told until HC_DEAD_MIN further objects of its kind have been released, and another one has been created.) */
enum { HC_DEAD_MIN = 1024 };
bool hc_is(const void *object, hc_kind kind);
void *hc_use(void *object); /* hc_use and hc_unuse ignore NULL */
/* Uses the object if it still lives the life with this number. False: it has died, and its memory may serve for another object. For references that
 * do not keep an object alive. */
bool hc_use_if_alive(void *object, uint64_t number);
void hc_unuse(void *object);
cl_int hc_retain(void *object, hc_kind kind, cl_int error);
cl_int hc_release(void *object, hc_kind kind, cl_int error);
/* Adds a callback to a list that hc_lock protects. `call` receives the object and `data`, and owns `data`. */
void hc_destructors_add(hc_destructor **list, void (*call)(void *object, void *data), void *data);
void hc_destructors_run(hc_destructor *list, void *object);
/* The answer to a clGet...Info. */
typedef struct hc_answer {
	size_t size;
	void *value;
	size_t *size_ret;
} hc_answer;
cl_int hc_answer_bytes(hc_answer to, const void *bytes, size_t n);
cl_int hc_answer_text(hc_answer to, const char *text);
#define HC_ANSWER(to, type, ...) hc_answer_bytes(to, &(type){__VA_ARGS__}, sizeof(type))
/* Sets *status unless `status` is NULL. */
static inline void hc_set(cl_int *status, cl_int value)
{
	if (status)
		*status = value;
}
/* Copies a list of properties that ends with 0. Returns the number of entries, the 0 included. */
size_t hc_properties(const uint64_t *list, uint64_t **copy);

/* -- event.c ---------------------------------------------------------------------------------------------------------------------------- */
cl_event hc_event_new(cl_context context, cl_command_queue queue, cl_command_type type, cl_int status);
/* Sets status and time. Returns the callbacks that are registered for the status, for hc_event_call. hc_lock is held. */
hc_callback *hc_event_change(cl_event event, cl_int status, uint64_t time);
/* Calls the callbacks and frees the list. Called without hc_lock. */
void hc_event_call(cl_event event, hc_callback *list, cl_int status);
/* CL_SUCCESS if the wait list is valid in this context, otherwise the error. */
cl_int hc_wait_list(cl_context context, cl_uint n, const cl_event *list);
/* Waits for the end of all events, and meanwhile runs commands of their queues on this thread (hc_queue_wait).
 * CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST when one of them failed. */
cl_int hc_wait(cl_uint n, const cl_event *list);

/* -- svm.c ------------------------------------------------------------------------------------------------------------------------------ */
/* True when `size` bytes at `pointer` lie in one allocation of shared virtual memory of the context. */
bool hc_svm_holds(cl_context context, const void *pointer, size_t size);
void hc_svm_free_all(cl_context context);

/* -- queue.c ---------------------------------------------------------------------------------------------------------------------------- */
/* Makes a command with its event and a copy of the wait list. NULL and *status on an error. */
hc_command *hc_command_new(cl_command_queue queue, cl_command_type type, cl_uint n_wait, const cl_event *wait, cl_int *status);
void hc_command_free(hc_command *command);
/* Puts the command at the end of its queue, which then owns it. If `event` is not NULL, the program receives the event. A blocking call returns when
 * the command has ended. It returns the command's error, or CL_OUT_OF_RESOURCES when an earlier command of the queue failed and no call has reported
 * it. */
cl_int hc_enqueue(hc_command *command, bool blocking, cl_event *event);
/* For a thread that waits for an event of the queue. Runs the next command of the queue, or of a queue that it waits for, on this thread. When none
 * can run, or another thread runs one, returns after a while, or when there may be something new. hc_lock is held before and after, not in between.
 */
void hc_queue_wait(cl_command_queue queue);
/* Has the queue's thread run the commands of the queue now. hc_lock is held. */
void hc_queue_urge(cl_command_queue queue);
/* Leaves a call of a function of the program to the queue's thread. Called without hc_lock, while the command runs. */
void hc_command_call(hc_command *command, void (*call)(void *data), void *data);

/* -- device_queue.c --------------------------------------------------------------------------------------------------------------------- */
/* What a program wants of a queue. */
typedef struct hc_queue_wish {
	cl_command_queue_properties bits;
	hc_priority priority;
	bool prioritised, sized; /* whether it named a priority, and a size */
	uint64_t size;           /* bytes */
} hc_queue_wish;
/* A queue on the device; with CL_QUEUE_ON_DEVICE_DEFAULT, the one that the context has, if it has one. NULL and *status on an error. */
cl_command_queue hc_device_queue_new(cl_context context, const hc_queue_wish *wish, cl_int *status);
cl_command_queue hc_device_queue_default(cl_context context);
/* What a run of a program that launches kernels needs. The caller has the context's turn at the beginning, and has left it before the end. */
typedef struct hc_enqueuing {
	hd_enqueuing with;
	hd_device_queue queues[HC_DEVICE_QUEUES_MAX];
	cl_command_queue held[HC_DEVICE_QUEUES_MAX]; /* used */
} hc_enqueuing;
void hc_enqueuing_begin(hc_enqueuing *e, cl_context context);
void hc_enqueuing_end(hc_enqueuing *e);
/* True for a kernel's parameter of the type queue_t. */
bool hc_is_queue(const hd_param *param);

/* -- command_buffer.c ------------------------------------------------------------------------------------------------------------------ */
/* Puts a command of a recorder into its buffer, which then owns it. */
cl_int hc_record(hc_command *command);
/* The address of a function of cl_khr_command_buffer, or NULL. */
void *hc_command_buffer_function(const char *name);

/* -- memory.c --------------------------------------------------------------------------------------------------------------------------- */
/* The context's memory, for a moment, before launches that wait. */
hd_memory *hc_memory_lock(cl_context context);
/* The same for a launch of a queue of this priority. */
hd_memory *hc_memory_lock_for(cl_context context, hc_priority priority);
void hc_memory_unlock(cl_context context);
/* A memory object, yet without device memory, and the memory for it: of the host, where the machine has a host interface, if `of_host`. False if
 * there is no room. */
cl_mem hc_mem_new(cl_context context, cl_mem_flags flags, size_t size);
bool hc_mem_allocate(cl_mem mem, bool of_host, const char *name);

/* -- pipe.c ----------------------------------------------------------------------------------------------------------------------------- */
enum { HC_PACKET_MAX = 64 << 10 /* bytes of a pipe's packet */ };
typedef enum hc_pipe_access { HC_PIPE_NONE, HC_PIPE_READ, HC_PIPE_WRITE } hc_pipe_access;
/* What a kernel's parameter is allowed to do with a pipe; NONE: it is none. */
hc_pipe_access hc_pipe_of(const hd_param *param);
/* True for a live buffer or sub-buffer. Any value may be asked for, as for hc_is. */
bool hc_is_buffer(const void *object);

/* -- turn.c ----------------------------------------------------------------------------------------------------------------------------- */
void hc_turn_init(hc_turn *turn);
void hc_turn_destroy(hc_turn *turn);
/* Waits for the turn. */
void hc_turn_take(hc_turn *turn, hc_priority priority);
void hc_turn_end(hc_turn *turn);

/* -- compile.c -------------------------------------------------------------------------------------------------------------------------- */
/* One run of the toolchain on a text. The caller's data is in memory. Files exist only while clang runs. */
typedef struct hc_source {
	const char *text;
	const char *options;        /* the program's */
	const char *const *headers; /* texts of embedded headers, and their names */
	const char *const *names;
	size_t n_headers;
	const hc_unit *units; /* to link */
	size_t n_units;
	bool linking;
} hc_source;
/* CL_SUCCESS, or CL_INVALID_BUILD_OPTIONS (or `error`, such as CL_INVALID_COMPILER_OPTIONS) for an unknown option. */
cl_int hc_options_check(const char *options, cl_int error);
/* The kernel object, compiled or from the cache. On failure NULL, and the log says why. */
hd_object *hc_compile(const hc_source *source, hd_text *log);
/* Begins a key of the cache with what all builds depend on: driver, libraries, environment. False: there is no cache. */
bool hc_cache_key(hd_text *key);
/* LLVM's text form, for argument information. The caller frees. */
char *hc_compile_text(const hc_source *source, hd_text *log);
/* A unit for clLinkProgram, with line numbers, from one run of clang. False on failure. The caller calls hc_unit_free. */
bool hc_compile_unit(const hc_source *source, hc_unit *unit, hd_text *log);

/* -- cache.c ---------------------------------------------------------------------------------------------------------------------------- */
/* The object that was built under this key earlier. Its log is appended to `log`. NULL if the cache has no usable one. */
hd_object *hc_cache_load(const hd_text *key, hd_text *log);
/* The bytes that were stored under this key, with a 0 behind them, which do not count. The caller frees. NULL if there are none. */
char *hc_cache_read(const hd_text *key, size_t *size, hd_text *log);
/* Stores an object, or other bytes. Failures are silent, because the cache is only a convenience. */
void hc_cache_store(const hd_text *key, const hd_text *log, const uint8_t *bytes, size_t n);

/* -- program.c, il.c -------------------------------------------------------------------------------------------------------------------- */
cl_program hc_program_new(cl_context context);
/* LLVM's text of a program in SPIR-V, for hc_unit and argument information. The caller frees. NULL on failure, and the log says why. */
char *hc_il_translate(cl_program program, hd_text *log);

/* -- argument_info.c -------------------------------------------------------------------------------------------------------------------- */
/* The argument information of a kernel. NULL when there is none (a binary). */
const hc_arg_info *hc_argument_info(cl_program program, const char *kernel);
void hc_argument_info_free(cl_program program);
/* Sets required_block of the object's kernels from LLVM's text form of their source. */
void hc_required_blocks(const char *ir, hd_object *object);

/* -- environment.c ---------------------------------------------------------------------------------------------------------------------- */
/* Fills in hc_device. Returns false and prints a message on standard error when there is no such machine. */
bool hc_environment_read(void);

/* -- observe.c, summary.c --------------------------------------------------------------------------------------------------------------- */
typedef struct hc_observation {
	hd_watchers watchers;
	hd_profile *profile;
	hd_trace_file *traces[HC_TRACES_MAX];
	hd_text trace_paths[HC_TRACES_MAX];
	hd_output_set outputs; /* the files of the traces */
	hd_trace *trace;       /* observer for the machine; NULL: none */
} hc_observation;
typedef struct hc_outcome {
	const hd_launch *launch;
	const hd_stats *stats;
	hd_trap_kind ended;
	const char *message; /* of the trap, or NULL */
	double seconds;
	const char *source; /* of the program, or NULL */
} hc_outcome;
void hc_observe_begin(hc_observation *o, const hd_launch *launch);
void hc_observe_end(hc_observation *o, const hc_outcome *outcome);
void hc_summary_add(const hc_outcome *outcome);
void hc_put_file(const char *path, const char *mode, const hd_text *text);

enum { HC_PRINT_BYTES = 1 << 20 }; /* bytes of arguments that a launch can print; the minimum of the full profile */
/* -- launch.c --------------------------------------------------------------------------------------------------------------------------- */
/* The largest number of work-items of a work-group: on the machine, or with a kernel, of that kernel. */
/* Where a local argument of `size` bytes, which is not 0, lies if the local memory before it ends at `end`. */
uint64_t hc_local_address(uint64_t end, uint64_t size);
/* Number of kernels that the host may launch. */
size_t hc_kernels(const hd_object *code);
/* True for a pointer to local memory. */
bool hc_is_local(const hd_param *param);
/* Simulated nanoseconds in which so many bytes move at the rate of the DRAM. */
uint64_t hc_transfer_ns(uint64_t bytes);
size_t hc_group_max(const hd_kernel *kernel);
/* platform.c: the names of the device's extensions */
const char *hc_extensions(void);
size_t hc_extension_versions(cl_name_version *list, size_t max);
/* compile.c: a number that is different for each build of driver and library. A program that keeps binaries compares CL_DRIVER_VERSION to see whether
 * they are stale. */
uint32_t hc_build_number(void);
const char *hc_driver_file(void); /* driver_file.c: the path of this library, or NULL */

/* -- the entry points, in their files; those of OpenCL 1.0 to 3.0 are declared by CL/cl.h ---------------------------------------------- */
#define HC_EXPORT __attribute__((visibility("default")))

#endif

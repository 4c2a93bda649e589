/* The objects of the OpenCL driver. What an interface to the device needs beside its own objects is in the room src/runtime: settings, objects with
 * their counts, queues, events, runs.
 *
 * Locks. hr_lock guards the state of events, queues and programs and the fields marked [lock]. A context's `memory_lock` guards its hd_memory and
 * everything that runs on it. A launch has it for its whole length. A thread never has both. No lock is held while a callback of the program
 * runs. */
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

#include "front/spirv.h"
#include "launch/launch.h"
#include "runtime/cache.h"
#include "runtime/event.h"
#include "runtime/priority_mutex.h"
#include "runtime/run.h"

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

struct _cl_platform_id {
	hr_object object;
};

struct _cl_device_id {
	hr_object object;
	bool spirv; /* programs in SPIR-V can be translated */
};

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
	HC_DEVICE_QUEUES = 16,           /* of a context */
	HC_DEVICE_QUEUES_MAX = 17,       /* beside a default queue, as programs count */
	HC_DEVICE_QUEUE_BYTES = 4 << 20, /* unless the program says otherwise: 65,536 commands with small blocks */
	HC_DEVICE_QUEUE_BYTES_MAX = 64 << 20,
	HC_DEVICE_EVENTS = HD_CLK_EVENTS_MAX,
};

struct _cl_context {
	hr_object object;
	cl_context_properties *properties; /* with the 0 at the end, or NULL */
	size_t n_properties;               /* entries, the 0 included */
	void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *);
	void *notify_data;
	hc_destructor *destructors;  /* [lock] */
	atomic_bool has_destructors; /* the program has registered a destructor of the context or of a buffer in it */
	hr_priority_mutex memory_lock;
	hd_memory *memory;                                    /* memory_lock */
	HD_VEC(hc_shared) shared;                             /* [lock] */
	cl_command_queue device_queues[HC_DEVICE_QUEUES_MAX]; /* [lock] by number - 1, not used; NULL: none has the number */
	cl_command_queue default_queue;                       /* [lock] of the device, not used; or NULL */
	uint64_t default_life;                                /* [lock] object.number of default_queue */
	hd_clk_events *events;                                /* memory_lock: of what kernels enqueue; NULL before the first such run */
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
	hr_object object;
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

struct _cl_event {
	hr_event base;      /* without a queue: a user event */
	cl_context context; /* used */
	cl_command_type type;
};

/* A command in a queue. `run` does the work without a lock and returns CL_SUCCESS or an error; *ns receives the simulated nanoseconds. */
typedef struct hc_command {
	hr_command base;
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

struct _cl_command_queue {
	hr_queue base;
	cl_context context; /* used */
	cl_command_queue_properties properties;
	cl_queue_properties *list; /* the properties given to clCreateCommandQueueWithProperties, or NULL */
	size_t n_list;
	cl_command_buffer_khr recording; /* if not NULL, the queue is this buffer's recorder: commands go into the buffer */
	/* Of a queue on the device (HC_DEVICE_QUEUE), which uses nothing of the above but the context and its properties. */
	cl_uint number;  /* from 1; 0: none yet */
	uint64_t memory; /* device address of its bytes */
	uint64_t bytes;
};

/* The queue of a command. */
static inline cl_command_queue hc_queue_of(const hc_command *command) { return (cl_command_queue)command->base.queue; }

/* Commands that are recorded, and run together as one command of a queue. */
struct _cl_command_buffer_khr {
	hr_object object;
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
	hr_object object;
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
	struct hd_oracle *interp; /* from the first launch in the interpreter on; the context's memory_lock */
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
	hr_object object;
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
/* hr_new of an object of this interface. */
static inline void *hc_new(hc_kind kind, size_t bytes, void (*destroy)(void *object)) { return hr_new(&hc_dispatch, kind, bytes, destroy); }
/* hr_is, for the platform and the device, too. */
bool hc_is(const void *object, hc_kind kind);
cl_int hc_retain(void *object, hc_kind kind, cl_int error);
cl_int hc_release(void *object, hc_kind kind, cl_int error);
/* Adds a callback to a list that hr_lock protects. `call` receives the object and `data`, and owns `data`. */
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

/* -- device_queue.c --------------------------------------------------------------------------------------------------------------------- */
/* A program's request for a queue. */
typedef struct hc_queue_wish {
	cl_command_queue_properties bits;
	hr_priority priority;
	bool prioritised, sized; /* whether it named a priority, and a size */
	uint64_t size;           /* bytes */
} hc_queue_wish;
/* A queue on the device; with CL_QUEUE_ON_DEVICE_DEFAULT, the one that the context has, if it has one. NULL and *status on an error. */
cl_command_queue hc_device_queue_new(cl_context context, const hc_queue_wish *wish, cl_int *status);
cl_command_queue hc_device_queue_default(cl_context context);
/* State of a run of a program that launches kernels. The caller has the context's memory_lock at the beginning, and has left it before the end. */
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
hd_memory *hc_memory_lock_for(cl_context context, hr_priority priority);
void hc_memory_unlock(cl_context context);
/* A memory object, yet without device memory, and the memory for it: of the host, where the machine has a host interface, if `of_host`. False if
 * there is no room. */
cl_mem hc_mem_new(cl_context context, cl_mem_flags flags, size_t size);
bool hc_mem_allocate(cl_mem mem, bool of_host, const char *name);

/* -- pipe.c ----------------------------------------------------------------------------------------------------------------------------- */
enum { HC_PACKET_MAX = 64 << 10 /* bytes of a pipe's packet */ };
typedef enum hc_pipe_access { HC_PIPE_NONE, HC_PIPE_READ, HC_PIPE_WRITE } hc_pipe_access;
/* The access to a pipe that a kernel's parameter allows; NONE: it is no pipe. */
hc_pipe_access hc_pipe_of(const hd_param *param);
/* True for a live buffer or sub-buffer. Any value may be asked for, as for hc_is. */
bool hc_is_buffer(const void *object);

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
/* LLVM's text form, for argument information. The caller frees. */
char *hc_compile_text(const hc_source *source, hd_text *log);
/* A unit for clLinkProgram, with line numbers, from one run of clang. False on failure. The caller calls hc_unit_free. */
bool hc_compile_unit(const hc_source *source, hc_unit *unit, hd_text *log);

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

/* -- launch.c --------------------------------------------------------------------------------------------------------------------------- */
/* Number of kernels that the host may launch. */
size_t hc_kernels(const hd_object *code);
/* True for a pointer to local memory. */
bool hc_is_local(const hd_param *param);
/* device.c: HEDDLE_TYPE */
cl_device_type hc_device_type(void);
/* platform.c: the names of the device's extensions */
const char *hc_extensions(void);
size_t hc_extension_versions(cl_name_version *list, size_t max);
/* -- the entry points, in their files; those of OpenCL 1.0 to 3.0 are declared by CL/cl.h ---------------------------------------------- */
#define HC_EXPORT __attribute__((visibility("default")))

#endif

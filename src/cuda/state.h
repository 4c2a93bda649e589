/* State shared by the units of the device and hidden from the interfaces. */
#ifndef HU_STATE_H
#define HU_STATE_H

#include "cuda/core.h"
#include "runtime/event.h"
#include "runtime/priority_mutex.h"
#include "runtime/run.h"

/* Kinds of objects. */
enum {
	HU_STREAM = 1,
	HU_EVENT,
	HU_MARK,
	HU_FUNCTION_KIND,
	HU_MODULE_KIND,
	HU_CONTEXT_KIND,
	HU_LINK_KIND,
	HU_GRAPH_KIND,
	HU_NODE_KIND,
	HU_EXEC_KIND,
	HU_USER_KIND,
	HU_ALLOCATION_KIND,
	HU_POOL_KIND
};

/* The end of a command, for those that wait for it. */
typedef struct hu_mark {
	hr_event base;
} hu_mark;

/* Nodes that something depends on, and how. */
typedef struct hu_dependencies {
	HD_VEC(hu_node *) nodes;
	HD_VEC(cudaGraphEdgeData) data;
} hu_dependencies;

struct CUstream_st {
	hr_queue base;
	uint64_t owner; /* the context's number; 0: a default stream */
	unsigned flags;
	int priority;
	bool is_default;
	hu_mark *last;              /* [lock] used: of the last command; or NULL */
	cudaError_t failed;         /* [lock] of a command, for the next call that waits */
	struct hu_capture *capture; /* [graphs] that the stream is a part of; or NULL */
	hu_dependencies needs;      /* [graphs] of the next node that is captured */
};

struct CUevent_st {
	hr_object object;
	unsigned flags;
	uint64_t owner;
	size_t place;          /* [lock] in hu.events */
	hu_mark *recorded;     /* [lock] used; or NULL */
	uint64_t captured;     /* [graphs] number of the capture in which it was recorded last; 0: none */
	hu_dependencies needs; /* [graphs] while that capture lasts */
};

/* The last command of a stream that is gone. */
typedef struct hu_ending {
	hu_mark *mark; /* used */
	bool blocking; /* the legacy default stream waits for it */
} hu_ending;

/* The device and everything on it. */
typedef struct hu_device {
	hr_priority_mutex memory_lock;
	hd_memory *memory;           /* memory_lock */
	HD_VEC(hu_block) blocks;     /* [lock] by address */
	uint64_t numbers;            /* [lock] of blocks so far */
	uint64_t used;               /* [lock] bytes */
	uint64_t hint;               /* [lock] hr_map */
	HD_VEC(hu_stream *) streams; /* [lock] used: those that the program has made, and the default ones but the legacy one */
	HD_VEC(hu_event *) events;   /* [lock] those that the program has made */
	HD_VEC(hu_ending) endings;   /* [lock] work of streams that the program has destroyed */
	hu_stream *legacy;
	atomic_int sticky;
	atomic_uint_fast64_t sticky_owner;    /* number of the context whose kernel has failed */
	pthread_mutex_t graphs;               /* taken before hr_lock, never after; nobody waits for work with it */
	HD_VEC(struct hu_capture *) captures; /* [graphs] */
	atomic_uint capturing;                /* how many these are */
	uint64_t captures_made;               /* [graphs] */
	struct {
		uint64_t used, used_most, reserved, reserved_most; /* bytes */
	} of_graphs;                                               /* [graphs] */
	HD_VEC(hu_block) unused_of_graphs;                         /* [lock] memory of graphs that are gone: address and number */
} hu_device;
extern hu_device hu;

/* CUDA's context: who owns memory, streams, events and modules, which end with it. All contexts are on the one device and share its addresses, its
 * default stream and its state after a kernel that failed. */
struct CUctx_st {
	hr_object object;
	unsigned flags;    /* [lock] */
	unsigned retained; /* [lock] the primary context: how often */
	bool primary;
	atomic_bool of_runtime; /* the primary context: the runtime interface has begun it */
};
/* Makes the primary context current where there is none. */
cudaError_t hu_context_of_runtime(void);
/* The number of the calling thread's context, for what is made now; 0: none. */
uint64_t hu_owner(void);
/* Frees what the context owns; nothing of it runs any more. Each unit frees its own. */
void hu_blocks_free_of(uint64_t owner);
void hu_streams_free_of(uint64_t owner);
void hu_events_free_of(uint64_t owner);
void hu_modules_free_of(uint64_t owner);

/* A command. `work` has what it needs in the interface's part behind it. */
typedef struct hu_command {
	hr_command base;
	cudaError_t (*work)(struct hu_command *command, uint64_t *ns);
	void (*drop)(struct hu_command *command);
	bool always; /* runs also after a sticky error */
} hu_command;

/* A command that waits for its turn to be put. */
typedef struct hu_put_one {
	hu_command *command;
	hu_mark *wait; /* used, or NULL */
	hu_mark *mark; /* receives the command's mark, used, if the caller has asked for it */
	bool marked;   /* the caller asks for it */
} hu_put_one;

/* A zeroed command of `bytes` bytes. */
void *hu_command_new(size_t bytes, cudaError_t (*work)(hu_command *command, uint64_t *ns), void (*drop)(hu_command *command));
/* Puts the command into the stream, which then owns it. It waits for `wait` (used marks, which the call drops), and for what CUDA's default stream
 * orders. With `mark` the caller gets the command's mark, used. */
void hu_put(hu_stream *stream, hu_command *command, hu_mark *wait, hu_mark **mark);
/* Puts commands one after the other, with nothing of other threads between them. */
void hu_put_all(hu_stream *stream, hu_put_one *all, size_t n);
/* Frees a command that was not put. */
void hu_command_free(hu_command *command);
/* The same as hu_put, and waits for the end of the command. */
cudaError_t hu_put_and_wait(hu_stream *stream, hu_command *command);
/* Waits for the end of a command: its error. */
cudaError_t hu_wait_mark(hu_mark *mark);
/* Whether the command has ended. If it has not, its stream goes on: the program may ask again and again, and never wait. */
bool hu_mark_ended(hu_mark *mark);

/* Commands without a stream, for graphs. A copy does not take what the memory holds now. */
cudaError_t hu_launch_command(hu_function *function, const hu_grid *grid, void **arguments, const void *packed, size_t packed_size,
                              const hr_priority *priority, hu_command **command);
cudaError_t hu_copy_command(const hu_copy *copy, hu_command **command);
cudaError_t hu_fill_command(const hu_copy *copy, uint32_t value, unsigned bytes, hu_command **command);
hu_command *hu_call_command(cudaHostFn_t call, cudaStreamCallback_t callback, void *handle, void *data);
/* The mark of the event's last record, used; or NULL. */
hu_mark *hu_event_recorded(hu_event *event);
/* The event's last record is this one, whose use it takes. */
void hu_event_set_recorded(hu_event *event, hu_mark *mark);
/* Leaves a call of a function of the program to a thread of the library. */
void hu_call_later(cudaHostFn_t call, void *data);
/* The priority of launches in a stream of this priority. */
hr_priority hu_priority_of(int priority);

/* True while any stream is captured: then work has to ask hu_capture_take first. */
static inline bool hu_capturing(void) { return atomic_load_explicit(&hu.capturing, memory_order_relaxed) != 0; }
/* *taken: the work has become a node of a graph. An error: it may not be put into the stream. */
cudaError_t hu_capture_take(hu_stream *stream, hu_work *work, bool *taken);
/* The event is a part of a capture, which a call that waits for it or asks for it makes invalid. */
cudaError_t hu_capture_of_event(hu_event *event);
/* *taken: record and wait were a matter of captures alone. */
cudaError_t hu_capture_record(hu_event *event, hu_stream *stream, bool external, bool *taken);
cudaError_t hu_capture_wait(hu_stream *stream, hu_event *event, bool external, bool *taken);
/* The stream ends: a capture that it is a part of becomes invalid, or ends with its stream. */
void hu_capture_forget(hu_stream *stream);

/* The memory of graphs that begins at the address, which the program gives back now. False: there is none such. */
bool hu_graph_memory_free(uint64_t address, cudaError_t *error);
/* Gives memory of graphs that are gone back to the device. Nothing runs that may use it. */
void hu_graph_memory_sweep(void);
/* Gives a block back whose number is this one. */
void hu_block_free(uint64_t address, uint64_t number);

hd_memory *hu_memory_take(hr_priority priority);
void hu_memory_leave(void);

/* True on a thread that is in a function of the program that a stream calls. */
bool hu_stream_calls(void);
/* The default streams. False: there is no thread for them. */
bool hu_streams_begin(void);
/* Unloads the modules that no context owns. Their variables have their first values when they are used again. */
void hu_modules_forget(void);

struct CUfunc_st {
	hr_object object;
	hu_module *module;
	char *name;
	const void *host;        /* the program's address that stands for it, or NULL */
	const hd_kernel *kernel; /* of the built module, or NULL */
	uint32_t dynamic_limit;  /* where the program has set it */
	bool limited;            /* it has */
	uint32_t carveout;
};
/* constant.c: bytes of constant variables that a kernel of the text may use. */
uint64_t hu_constant_bytes(const char *text, const char *kernel, const hd_object *code);
const hd_program *hu_program_of(const hu_function *function);
struct hd_oracle **hu_oracle_of(const hu_function *function);
const char *hu_source_of(const hu_function *function);
/* Before and after a launch: managed variables that lie in the program's memory, from there to the function's module and back. The caller does
 * not have the lock of the memory. */
void hu_managed_move(const hu_function *function, bool to_device);

#endif

/* What the units of the device share, and the interfaces do not see. */
#ifndef HU_STATE_H
#define HU_STATE_H

#include "cuda/core.h"
#include "runtime/event.h"
#include "runtime/run.h"
#include "runtime/turn.h"

/* Kinds of objects. */
enum { HU_STREAM = 1, HU_EVENT, HU_MARK, HU_FUNCTION_KIND, HU_MODULE_KIND, HU_CONTEXT_KIND, HU_LINK_KIND };

/* The end of a command, for those that wait for it. */
typedef struct hu_mark {
	hr_event base;
} hu_mark;

struct hu_stream {
	hr_queue base;
	uint64_t owner; /* the context's number; 0: a default stream */
	unsigned flags;
	int priority;
	bool is_default;
	hu_mark *last;      /* [lock] used: of the last command; or NULL */
	cudaError_t failed; /* [lock] of a command, for the next call that waits */
};

/* The device and everything on it. */
typedef struct hu_device {
	hr_turn turn;
	hd_memory *memory;           /* turn */
	HD_VEC(hu_block) blocks;     /* [lock] by address */
	uint64_t numbers;            /* [lock] of blocks so far */
	uint64_t used;               /* [lock] bytes */
	uint64_t hint;               /* [lock] hr_map */
	HD_VEC(hu_stream *) streams; /* [lock] used: those that the program has made, and the default ones but the legacy one */
	HD_VEC(hu_event *) events;   /* [lock] those that the program has made */
	hu_stream *legacy;
	atomic_int sticky;
	atomic_uint_fast64_t sticky_owner; /* number of the context whose kernel has failed */
} hu_device;
extern hu_device hu;

/* CUDA's context: who owns memory, streams, events and modules, which end with it. All contexts are on the one device and share its addresses, its
 * default stream and its state after a kernel that failed. */
struct hu_context {
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

/* A zeroed command of `bytes` bytes. */
void *hu_command_new(size_t bytes, cudaError_t (*work)(hu_command *command, uint64_t *ns), void (*drop)(hu_command *command));
/* Puts the command into the stream, which then owns it. It waits for `wait` (used marks, which the call drops), and for what CUDA's default stream
 * orders. With `mark` the caller gets the command's mark, used. */
void hu_put(hu_stream *stream, hu_command *command, hu_mark *wait, hu_mark **mark);
/* The same, and waits for the end of the command. */
cudaError_t hu_put_and_wait(hu_stream *stream, hu_command *command);
/* Waits for the end of a command: its error. */
cudaError_t hu_wait_mark(hu_mark *mark);

hd_memory *hu_memory_take(hr_priority priority);
void hu_memory_leave(void);

/* True on a thread that is in a function of the program that a stream calls. */
bool hu_stream_calls(void);
/* The default streams. False: there is no thread for them. */
bool hu_streams_begin(void);
/* Unloads the modules that no context owns. Their variables have their first values when they are used again. */
void hu_modules_forget(void);

struct hu_function {
	hr_object object;
	hu_module *module;
	char *name;
	const hd_kernel *kernel; /* of the built module, or NULL */
	uint32_t dynamic_limit;  /* 0: the default */
	uint32_t carveout;
};
const hd_program *hu_program_of(const hu_function *function);
struct hd_oracle **hu_oracle_of(const hu_function *function);
const char *hu_source_of(const hu_function *function);
/* Before and after a launch: managed variables that lie in the program's memory, from there to the function's module and back. The caller has no
 * turn. */
void hu_managed_move(const hu_function *function, bool to_device);

#endif

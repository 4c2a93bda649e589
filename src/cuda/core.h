/* The device as CUDA's interfaces see it: one context, its memory, streams, events, modules and launches. The runtime interface (libcudart.so) and
 * the driver interface (libcuda.so.1) are thin libraries over these functions, which are in one shared library, so that a program that uses both has
 * one device.
 *
 * Results are numbers of cudaError_t, which both interfaces share. Functions are thread-safe.
 *
 * Locks. hr_lock guards the state of streams and events, the table of allocations, and the fields marked [lock]. The device's `memory_lock` guards
 * its hd_memory and everything that runs on it. A thread that has it may take hr_lock, and never the other way round. */
#ifndef HU_CORE_H
#define HU_CORE_H

#include "cuda/driver_types.h" /* of lib/ */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { HU_DRIVER_VERSION = 13000 /* what programs of both runtimes may expect of the driver */ };

/* Handles of the interfaces are pointers to these. */
typedef struct CUctx_st hu_context;
typedef struct CUstream_st hu_stream;
typedef struct CUevent_st hu_event;
typedef struct CUmod_st hu_module;
typedef struct CUfunc_st hu_function;
typedef struct CUlinkState_st hu_link;
typedef struct CUmemPoolHandle_st hu_pool;
typedef struct CUgraph_st hu_graph;
typedef struct CUgraphNode_st hu_node;
typedef struct CUgraphExec_st hu_exec;
typedef struct CUuserObject_st hu_user;

/* The context's sticky error, apart from the error of a call: after a kernel that traps, every call gives this error until the process ends, or until
 * hu_reset. */
cudaError_t hu_sticky(void);
/* The device, at the first call of a program: cudaSuccess, cudaErrorNoDevice, or the sticky error. Also cudaErrorNotPermitted on a thread that runs a
 * function of the program in a stream. */
cudaError_t hu_start(void);
/* The device alone: no context, and no error of earlier work. */
cudaError_t hu_begin(void);
/* True when one of the two has been called with success. */
bool hu_begun(void);
/* True on a thread that runs a function of the program in a stream. */
bool hu_calls(void);

/* -- context.c: the driver interface's contexts, and the primary one, which the runtime interface makes current where there is none -------------- */
/* A context, which becomes the current one of the thread. */
cudaError_t hu_context_new(unsigned flags, hu_context **context);
/* Waits for all work of the device, and frees what the context owns. If it is the current one, the one below becomes current. */
cudaError_t hu_context_free(hu_context *context);
/* Any value may be asked for. */
bool hu_context_is(const void *context);
/* The thread's context; NULL when there is none. cudaErrorContextIsDestroyed when it has ended; *context is the handle. */
cudaError_t hu_context_current(hu_context **context);
/* cudaErrorInvalidValue when the thread's stack is full or the handle is none. NULL may be pushed. */
cudaError_t hu_context_push(hu_context *context);
/* cudaErrorDeviceUninitialized when the stack is empty. */
cudaError_t hu_context_pop(hu_context **context);
/* Replaces the top of the thread's stack. NULL: takes it off. */
cudaError_t hu_context_set(hu_context *context);
unsigned hu_context_flags(const hu_context *context);
void hu_context_set_flags(hu_context *context, unsigned flags);
uint64_t hu_context_number(const hu_context *context);
/* The context with this number, or NULL when it has ended. */
hu_context *hu_context_numbered(uint64_t number);
hu_context *hu_primary(void);
void hu_primary_retain(void);
/* The last release ends what the context owns. cudaErrorDeviceUninitialized: it is not retained. */
cudaError_t hu_primary_release(void);
bool hu_primary_active(void);

/* -- memory.c -------------------------------------------------------------------------------------------------------------------------------- */
typedef enum hu_kind { HU_NOWHERE, HU_DEVICE, HU_MANAGED, HU_PINNED /* of the host */, HU_REGISTERED, HU_MODULE /* variables */ } hu_kind;

typedef struct hu_block {
	hu_kind kind;
	uint64_t address, size;
	uint8_t *bytes; /* on the host */
	unsigned flags; /* of the call */
	uint64_t number, owner /* number of the context; 0: none */;
	void *of_graph;      /* hu_allocation: a node's; or NULL */
	const hu_pool *pool; /* or NULL */
} hu_block;

/* Zeroed memory. *address is 0 for 0 bytes. */
cudaError_t hu_allocate(hu_kind kind, uint64_t size, unsigned flags, uint64_t *address);
/* The same for a call that no stream orders. `to`: a pointer or an address of the program. */
cudaError_t hu_allocate_now(hu_kind kind, uint64_t size, unsigned flags, void *to);
enum { HU_PITCH = 512 /* rows begin at multiples of it, as on the devices that programs know */ };
static inline size_t hu_pitch(size_t width) { return (width + HU_PITCH - 1) / HU_PITCH * HU_PITCH; }
/* Makes memory of the program memory of the device. cudaErrorHostMemoryAlreadyRegistered when it overlaps such memory. */
cudaError_t hu_register(void *host, uint64_t size, unsigned flags);
cudaError_t hu_unregister(void *host);
/* Waits for all work of the device, then frees. NULL is nothing. False kinds give cudaErrorInvalidValue. */
cudaError_t hu_free(uint64_t address, bool of_host);
/* The same for a call that no stream orders. */
cudaError_t hu_free_now(uint64_t address, bool of_host);
/* The block that holds the address; kind HU_NOWHERE when there is none. */
hu_block hu_find(uint64_t address);
/* The flags of pinned or registered memory. cudaErrorInvalidValue: the address is in none. */
cudaError_t hu_host_flags(uint64_t address, unsigned *flags);
/* cudaErrorInvalidValue: not all of it is managed memory. cudaErrorInvalidDevice: the place to which a hint shall move it does not exist. */
cudaError_t hu_hint(uint64_t address, size_t count, bool place);
cudaError_t hu_attach(hu_stream *stream, uint64_t address, unsigned flags);
void hu_memory_info(uint64_t *free_bytes, uint64_t *total);
/* Notes memory that is the device's already (variables). */
void hu_note(const hu_block *block);

/* A copy of rows: `width` bytes each, `height` rows in a slice, `depth` slices. */
typedef struct hu_side {
	uint64_t address;
	uint64_t pitch, slice; /* bytes from row to row, and from slice to slice */
} hu_side;

typedef struct hu_copy {
	hu_side to, from;
	uint64_t width, height, depth;
	enum cudaMemcpyKind kind;
	bool async;
} hu_copy;

/* The copy between pointers with pitches, as the interfaces describe it. cudaErrorInvalidValue: a pitch is less than a row, or an array is asked for.
 */
cudaError_t hu_copy_of_box(const struct cudaMemcpy3DParms *box, hu_copy *copy);
cudaError_t hu_copy_rows(const hu_copy *copy, hu_stream *stream);
/* Whether a copy may begin in the stream. `now`: it is a call that waits, which a capture may forbid. */
cudaError_t hu_copy_begin(hu_stream *stream, bool now);
/* A copy of bytes, with hu_copy_begin. On the device it does not hold the host up. */
cudaError_t hu_copy_line(uint64_t to, uint64_t from, size_t count, enum cudaMemcpyKind kind, bool now, hu_stream *stream);
/* Fills rows with a value of 1, 2 or 4 bytes. */
cudaError_t hu_fill_rows(const hu_copy *copy, uint32_t value, unsigned bytes, hu_stream *stream);

/* -- stream.c: a stream that is NULL gives cudaErrorInvalidResourceHandle, before anything else is looked at ----------------------------------------
 */

enum { HU_PRIORITY_LEAST = 0, HU_PRIORITY_GREATEST = -2 };

cudaError_t hu_stream_new(unsigned flags, int priority, hu_stream **stream);
cudaError_t hu_stream_free(hu_stream *stream);
/* The stream of a handle: NULL and the handles of default streams, too. `per_thread`: what NULL means. NULL: the handle is none. */
hu_stream *hu_stream_of(const void *handle, bool per_thread);
cudaError_t hu_stream_flags(const hu_stream *stream, unsigned *flags);
cudaError_t hu_stream_priority(const hu_stream *stream, int *priority);
cudaError_t hu_stream_number(const hu_stream *stream, unsigned long long *number);
cudaError_t hu_stream_device(const hu_stream *stream, int *device);
/* The context that the stream was made in; for a default stream the current one. */
cudaError_t hu_stream_context(const hu_stream *stream, hu_context **context);
/* All attributes but the priority are about caches and about how the host waits: hints. *value is a cudaLaunchAttributeValue. */
cudaError_t hu_stream_attribute(const hu_stream *stream, unsigned which, void *value);
cudaError_t hu_stream_priorities(int *least, int *greatest);
cudaError_t hu_stream_wait(hu_stream *stream);
/* cudaSuccess or cudaErrorNotReady. */
cudaError_t hu_stream_query(hu_stream *stream);
/* Calls a function of the program in its turn. One of the two is given. */
cudaError_t hu_stream_call(hu_stream *stream, cudaHostFn_t call, cudaStreamCallback_t callback, void *handle, void *data);
/* Waits for all streams. */
cudaError_t hu_wait_all(void);
/* The same for a program that asks for it, which makes captures invalid. */
cudaError_t hu_wait_device(void);

/* -- event.c --------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_event_new(unsigned flags, hu_event **event);
cudaError_t hu_event_free(hu_event *event);
cudaError_t hu_event_record(hu_event *event, hu_stream *stream, unsigned flags);
cudaError_t hu_event_query(hu_event *event);
cudaError_t hu_event_wait(hu_event *event);
/* Later work of the stream waits for the event. `flags`: 1 where a capture shall make a node of it (external). */
cudaError_t hu_stream_wait_event(hu_stream *stream, hu_event *event, unsigned flags);
/* Milliseconds of simulated time. */
cudaError_t hu_event_elapsed(hu_event *from, hu_event *to, float *ms);

/* -- module.c -------------------------------------------------------------------------------------------------------------------------------- */
typedef struct hu_variable hu_variable;

/* A module of a program's fat binary, which stays where it is. It is compiled at its first use. */
hu_module *hu_module_new(const void *fatbin, size_t size);
/* The module is linked of the units whose fat binaries are in the list (NULL-terminated), which outlive it. */
void hu_module_link(hu_module *module, const void *const *units);
/* A module of an image as a program has it: PTX as text, a fat binary, or what compilers wrap around one; `size` bytes, or what the image itself says
 * with SIZE_MAX. It is copied and compiled now. `of_context`: it ends with the current context. *log receives messages, which the caller frees, or
 * NULL. */
cudaError_t hu_module_load(const void *image, size_t size, bool of_context, char **log, hu_module **module);
bool hu_module_is(const void *module);
/* The text of PTX in an image, ended by a zero. The caller frees. */
cudaError_t hu_image_text(const void *image, size_t size, char **text, char **log);
/* Each gives cudaErrorInvalidResourceHandle where `module` is none, which is asked after all pointers have been found to be there. Handles of kernels
 * and libraries are those of functions and modules. *list: up to n functions. */
cudaError_t hu_module_count(const void *module, unsigned *n);
cudaError_t hu_module_list(const void *module, void *list, unsigned n);
cudaError_t hu_module_unload(const void *module);
/* *function: the kernel of this name. */
cudaError_t hu_module_find(const void *module, const char *name, void *function);
/* *at, *bytes: of the variable of this name, either of which may be NULL. */
cudaError_t hu_module_find_variable(const void *module, const char *name, void *at, size_t *bytes);
hu_module *hu_module_of(const hu_function *function);
/* When nothing runs any more. */
void hu_module_free(hu_module *module);
cudaError_t hu_module_build(hu_module *module);
/* Registers a kernel under an address of the program, which stands for it. */
void hu_register_function(hu_module *module, const void *host, const char *name);
void hu_register_variable(hu_module *module, const void *host, void **managed, const char *name, uint64_t size);
/* When everything of the module is registered: managed variables that lie in memory of the program (hu_register_managed) get their first values,
 * which only the device's code has. */
void hu_module_begin(hu_module *module);
/* Memory of the program that its managed variables lie in. */
void hu_register_managed(void *begin, void *end);
/* The kernel that an address of the program, or a handle of a function, stands for; built. */
cudaError_t hu_function_of(const void *host, hu_function **function);
/* The handle for an address of the program, without building. */
cudaError_t hu_function_handle(const void *host, hu_function **function);
cudaError_t hu_symbol(const void *host, uint64_t *address, uint64_t *size);

/* -- jit.c ----------------------------------------------------------------------------------------------------------------------------------- */
/* Options of the compiler: buffers of the program for messages. */
typedef struct hu_jit {
	char *info, *errors;
	size_t info_size, errors_size;
	void **info_at, **errors_at, **time_at; /* where the program finds how much there is */
	struct timespec begin;
} hu_jit;
/* `first`: the values of the options, of which `values` may have been written over since. */
cudaError_t hu_jit_read(hu_jit *jit, unsigned n, const int *options, void *const *first, void **values);
/* Gives the messages to the program, or writes them to standard error where it does not ask for them. Frees them. */
void hu_jit_write(const hu_jit *jit, char *log);
/* As hu_module_load, with options. *module receives the pointer. */
cudaError_t hu_jit_load(void *module, const void *image, size_t size, bool of_context, unsigned n, const int *options, void **values);
cudaError_t hu_jit_load_file(void *module, const char *path, bool of_context, unsigned n, const int *options, void **values);
/* The bytes of a file, with a zero behind them, which the caller frees; NULL: there is none such. */
char *hu_read_file(const char *path, size_t *size);

/* -- link.c ---------------------------------------------------------------------------------------------------------------------------------- */

/* The options of the compiler are kept for the caller, with the values that they have now; the program keeps the values. */
hu_link *hu_link_new(unsigned n, const int *options, void **values);
unsigned hu_link_options(const hu_link *link, const int **options, void *const **first, void ***values);
bool hu_link_is(const void *link);
bool hu_link_free(hu_link *link);
/* Adds the text of an image (hu_module_load). */
cudaError_t hu_link_add(hu_link *link, const void *image, size_t size, char **log);
/* The image of all texts, which the link owns; it has been compiled without an error. */
cudaError_t hu_link_end(hu_link *link, char **log, void **image, size_t *size);

/* -- launch.c -------------------------------------------------------------------------------------------------------------------------------- */
typedef struct hu_grid {
	uint32_t grid[3], block[3];
	uint64_t shared; /* dynamic, bytes */
	bool cooperative;
} hu_grid;

/* `arguments`: a pointer to each argument; or NULL and the bytes of all of them as `packed`. */
cudaError_t hu_launch(hu_function *function, const hu_grid *grid, void **arguments, const void *packed, size_t packed_size, hu_stream *stream);
/* The bytes of all arguments, as the driver interface's `extra` gives them; *packed is NULL where it is NULL. */
cudaError_t hu_packed(void *const *extra, const void **packed, size_t *size);
/* Numbers of a function that is built. */
typedef struct hu_function_info {
	const char *name;
	uint32_t registers, shared, local, threads; /* threads: the largest block */
	uint32_t dynamic_limit;                     /* bytes of dynamic shared memory that a launch may have */
	uint32_t carveout;
	uint64_t constant;
} hu_function_info;
void hu_function_describe(const hu_function *function, hu_function_info *info);
/* cudaErrorInvalidValue when the device has not so much. */
cudaError_t hu_function_limit(hu_function *function, int64_t bytes);
cudaError_t hu_function_carveout(hu_function *function, int percent);
/* cudaErrorInvalidValue: there is no such parameter. *size may be NULL. */
cudaError_t hu_function_parameter(const hu_function *function, size_t index, size_t *offset, size_t *size);
/* Blocks of a core at once; 0: none fits. */
uint32_t hu_occupancy(const hu_function *function, uint32_t threads, uint64_t shared);
/* The largest dynamic shared memory with which so many blocks still fit a core. cudaErrorInvalidValue: they do not without any. */
cudaError_t hu_occupancy_shared(const hu_function *function, uint32_t blocks, uint32_t threads, size_t *bytes);

/* -- graph.c, graph_node.c, graph_exec.c, graph_memory.c, graph_dot.c: graphs. One lock guards all of them --------------------------------------- */
/* The work of a node. Pointers in it are the caller's; those from hu_node_get are the node's. */
typedef struct hu_work {
	enum cudaGraphNodeType kind;
	cudaError_t wrong; /* there is no such work: the error of whoever is given it */
	union {
		struct {
			const void *func; /* as hu_function_of takes it */
			hu_grid grid;
			void **arguments, **extra; /* one of the two */
			int priority;
		} kernel;
		struct cudaMemcpy3DParms copy;
		struct cudaMemsetParams fill;
		struct cudaHostNodeParams host;
		struct {
			hu_graph *graph;
			bool move;
		} child;
		hu_event *event;
		struct cudaMemAllocNodeParams memory; /* dptr receives the address */
		void *freed;
	};
} hu_work;

/* The dependences of a node: pairs of a node and the data of the edge. `data` may be NULL. */
typedef struct hu_dependency_view {
	hu_node *const *nodes;
	const cudaGraphEdgeData *data;
	size_t n;
} hu_dependency_view;

cudaError_t hu_graph_new(unsigned flags, hu_graph **graph);
cudaError_t hu_graph_free(hu_graph *graph);
cudaError_t hu_graph_clone(hu_graph *graph, hu_graph **clone);
cudaError_t hu_graph_find_in_clone(hu_node *node, hu_graph *clone, hu_node **found);
cudaError_t hu_graph_add(hu_graph *graph, hu_dependency_view needs, hu_work *work, hu_node **node);
/* Work whose parameters both interfaces describe by the same bytes: all kinds but kernels and copies. */
hu_work hu_work_of(enum cudaGraphNodeType kind, const void *parameters, size_t size);
/* The same for any kind. Of kernels and copies, whose structures differ, only what is around them is read. */
hu_work hu_work_of_any(const struct cudaGraphNodeParams *p);
/* Adds `work`, which was made of *p, where the call leaves what it has made. */
cudaError_t hu_graph_add_any(hu_graph *graph, hu_dependency_view needs, hu_work work, struct cudaGraphNodeParams *p, hu_node **node);
cudaError_t hu_graph_add_memory(hu_graph *graph, hu_dependency_view needs, struct cudaMemAllocNodeParams *p, hu_node **node);
/* The lists below have room for *n elements; what is left over is cleared, and *n becomes the number of elements that are in it. Without a list *n
 * becomes the number that there are. */
cudaError_t hu_graph_nodes(hu_graph *graph, bool roots, hu_node **nodes, size_t *n);
/* cudaErrorLossyQuery: an edge has data, and `data` is NULL. */
cudaError_t hu_graph_edges(hu_graph *graph, hu_node **from, hu_node **to, cudaGraphEdgeData *data, size_t *n);
cudaError_t hu_node_neighbours(hu_node *node, bool dependents, hu_node **nodes, cudaGraphEdgeData *data, size_t *n);
cudaError_t hu_graph_connect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n);
cudaError_t hu_graph_disconnect(hu_graph *graph, hu_node *const *from, hu_node *const *to, const cudaGraphEdgeData *data, size_t n);
cudaError_t hu_graph_print_dot(hu_graph *graph, const char *path, unsigned flags);
cudaError_t hu_node_free(hu_node *node);
cudaError_t hu_node_kind(hu_node *node, enum cudaGraphNodeType *kind);
/* cudaErrorInvalidValue: the node is of another kind. */
cudaError_t hu_node_get(hu_node *node, enum cudaGraphNodeType kind, hu_work *work);
/* As hu_work_of. */
cudaError_t hu_node_parameters(hu_node *node, enum cudaGraphNodeType kind, void *parameters, size_t size);
cudaError_t hu_node_set(hu_node *node, const hu_work *work);
/* Attributes of kernels: whether the launch is cooperative, and the priority. The others are hints, or say that there are no clusters. *value is a
 * cudaLaunchAttributeValue. */
cudaError_t hu_node_attribute(hu_node *node, unsigned which, void *value);
cudaError_t hu_node_set_attribute(hu_node *node, unsigned which, const void *value);
cudaError_t hu_node_copy_attributes(hu_node *to, hu_node *from);

/* *result and *at, if they are asked for, tell more of an error. */
cudaError_t hu_exec_new(hu_graph *graph, unsigned long long flags, hu_exec **exec, cudaGraphInstantiateResult *result, hu_node **at);
cudaError_t hu_exec_instantiate(hu_graph *graph, hu_exec **exec, cudaGraphInstantiateParams *p, bool per_thread);
cudaError_t hu_exec_free(hu_exec *exec);
cudaError_t hu_exec_flags(hu_exec *exec, void *flags /* 8 bytes */);
cudaError_t hu_exec_set(hu_exec *exec, hu_node *node, const hu_work *work);
cudaError_t hu_exec_enable(hu_exec *exec, hu_node *node, bool enabled);
cudaError_t hu_exec_enabled(hu_exec *exec, hu_node *node, unsigned *enabled);
cudaError_t hu_exec_update(hu_exec *exec, hu_graph *graph, cudaGraphExecUpdateResultInfo *info);
cudaError_t hu_exec_upload(hu_exec *exec, hu_stream *stream);
cudaError_t hu_exec_launch(hu_exec *exec, hu_stream *stream);

/* Memory in the order of a stream; in a capture, a node. */
cudaError_t hu_allocate_in(hu_stream *stream, uint64_t size, uint64_t *address);
/* -- pool.c --------------------------------------------------------------------------------------------------------------------------------- */
/* The functions of both interfaces. A handle that is no pool gives cudaErrorInvalidValue, and so does the default pool when it is freed. */
cudaError_t hu_pool_create(const struct cudaMemPoolProps *props, hu_pool **pool);
cudaError_t hu_pool_free(hu_pool *pool);
hu_pool *hu_pool_default(void);
hu_pool *hu_pool_current(void); /* that of allocations that name none */
cudaError_t hu_pool_use(hu_pool *pool, int device);
cudaError_t hu_pool_give(hu_pool *pool, int device, hu_pool **to);
cudaError_t hu_pool_allocate(hu_pool *pool, hu_stream *stream, uint64_t size, void *to /* a pointer or an address of the program */);
cudaError_t hu_pool_attribute(hu_pool *pool, int which, void *value, bool sets);
cudaError_t hu_pool_trim(const hu_pool *pool);
cudaError_t hu_pool_set_access(const hu_pool *pool, const struct cudaMemAccessDesc *list, size_t n);
cudaError_t hu_pool_access(const hu_pool *pool, const struct cudaMemLocation *location, enum cudaMemAccessFlags *flags);
cudaError_t hu_free_in(hu_stream *stream, uint64_t address);
cudaError_t hu_graph_memory(enum cudaGraphMemAttributeType which, uint64_t *bytes);
/* Only zero can be set. */
cudaError_t hu_graph_memory_reset(enum cudaGraphMemAttributeType which, const uint64_t *bytes);
cudaError_t hu_graph_memory_trim(void);

/* Objects of the program that graphs keep: `destroy` is called on a thread of the library after the last reference. */
cudaError_t hu_user_new(void *data, cudaHostFn_t destroy, unsigned references, unsigned flags, hu_user **user);
cudaError_t hu_user_retain(hu_user *user, unsigned n);
cudaError_t hu_user_release(hu_user *user, unsigned n);
cudaError_t hu_graph_retain_user(hu_graph *graph, hu_user *user, unsigned n, unsigned flags);
cudaError_t hu_graph_release_user(hu_graph *graph, hu_user *user, unsigned n);

/* -- capture.c: work of streams that becomes nodes of graphs ------------------------------------------------------------------------------------ */
/* Into a graph that the capture makes. */
cudaError_t hu_capture_begin(hu_stream *stream, enum cudaStreamCaptureMode mode);
cudaError_t hu_capture_begin_in(hu_stream *stream, hu_graph *graph, hu_dependency_view needs, enum cudaStreamCaptureMode mode);
cudaError_t hu_capture_end(hu_stream *stream, hu_graph **graph);
typedef struct hu_capture_info {
	enum cudaStreamCaptureStatus status;
	unsigned long long id;
	hu_graph *graph;
	hu_dependency_view needs; /* the stream's, until the next call for it */
} hu_capture_info;
cudaError_t hu_capture_query(hu_stream *stream, hu_capture_info *info);
/* The same as the interfaces have it: all but the status may be NULL. cudaErrorLossyQuery: an edge has data, and `data` is NULL. */
cudaError_t hu_capture_describe(hu_stream *stream, enum cudaStreamCaptureStatus *status, void *id /* 8 bytes */, hu_graph **graph,
                                hu_node *const **needs, const cudaGraphEdgeData **data, size_t *n);
/* `flags`: 1 where the nodes are all that the next one of the stream depends on, 0 where they are further ones. */
cudaError_t hu_capture_update(hu_stream *stream, hu_dependency_view needs, unsigned flags);
cudaError_t hu_capture_mode(enum cudaStreamCaptureMode *mode);
/* cudaErrorStreamCaptureUnsupported: a capture forbids calls that no stream orders, and is invalid now. */
cudaError_t hu_capture_unsafe(void);
/* The stream is a part of a capture, which a call that waits for it or asks for it makes invalid. */
cudaError_t hu_capture_of_stream(hu_stream *stream);
/* The same for a call that waits for everything. */
cudaError_t hu_capture_any(void);

/* -- device.c -------------------------------------------------------------------------------------------------------------------------------- */
/* Numbers of the device, by the attributes of cudaDeviceGetAttribute. False: there is no such attribute. */
bool hu_attribute(int attribute, int *value);
const char *hu_device_name(void);
uint64_t hu_device_memory(void);
enum { HU_MAJOR = 7, HU_MINOR = 5 /* compute capability */ };
#define HU_BUS_ID "0000:01:00.0"
cudaError_t hu_bus_id(char *name, int size);
/* The machine's stacks grow as they are used, and what it prints has a bound of its own: limits are kept, and mean nothing. */
cudaError_t hu_set_limit(unsigned which, size_t value);
cudaError_t hu_limit(size_t *value, unsigned which);
/* Frees what the primary context owns: memory, streams, events and the state of modules. */
cudaError_t hu_reset(void);
/* The largest dynamic and static shared memory of a block: without and with the function's consent. */
uint32_t hu_shared_default(void);
uint32_t hu_shared_most(void);

#endif

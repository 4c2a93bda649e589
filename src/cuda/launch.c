/* Launches. */
#include "cuda/state.h"

#include "core/residency/occupancy.h"

typedef struct launch_command {
	hu_command base;
	hu_function *function; /* used */
	uint64_t owner;        /* number of the context */
	hr_priority priority;
	bool own_priority; /* not the stream's */
	hd_launch launch;
	uint8_t params[];
} launch_command;

/* The documented error for a kernel's trap. */
static cudaError_t error_of(hd_trap_kind kind)
{
	switch (kind) {
	case HD_TRAP_NONE:
		return cudaSuccess;
	case HD_TRAP_ADDRESS:
	case HD_TRAP_PAGE:
		return cudaErrorIllegalAddress;
	case HD_TRAP_ALIGNMENT:
		return cudaErrorMisalignedAddress;
	case HD_TRAP_PC:
		return cudaErrorInvalidPc;
	case HD_TRAP_DEADLOCK:
	case HD_TRAP_CYCLES:
		return cudaErrorLaunchTimeout;
	case HD_TRAP_RESOURCES:
		return cudaErrorLaunchOutOfResources;
	default:
		return cudaErrorLaunchFailure;
	}
}

/* A failed assertion of the device ends in a trap, after its message. */
static cudaError_t error_of_message(hd_trap_kind kind, const char *message)
{
	return kind == HD_TRAP_INSTRUCTION && message && strstr(message, "'__heddle_assertfail'") ? cudaErrorAssert : error_of(kind);
}

static void leave(void *nothing) { hu_memory_leave(); }

static cudaError_t work(hu_command *command, uint64_t *ns)
{
	launch_command *c = (launch_command *)command;
	hr_priority priority = c->own_priority ? c->priority : command->base.queue->priority;
	hr_run_result result;
	hu_managed_move(c->function, true);
	hr_run run = {.launch = &c->launch,
	              .memory = hu_memory_take(priority),
	              .priority = hr_priority_in_lists(priority),
	              .interp = hu_oracle_of(c->function),
	              .file = "program.ptx",
	              .source = hu_source_of(c->function),
	              .leave = leave};
	hr_run_launch(&run, &result);
	if (result.no_room)
		return cudaErrorMemoryAllocation;
	hu_managed_move(c->function, false);
	cudaError_t error = error_of_message(result.ended, result.message.at);
	int none = cudaSuccess;
	if (error != cudaSuccess && atomic_compare_exchange_strong(&hu.sticky, &none, (int)error))
		atomic_store(&hu.sticky_owner, c->owner);
	hd_text_free(&result.message);
	*ns = result.ns;
	return error;
}

static void drop(hu_command *command) { hr_unuse(((launch_command *)command)->function); }

static uint64_t threads_of(const uint32_t block[3])
{
	return block[0] <= 1024 && block[1] <= 1024 && block[2] <= 1024 ? (uint64_t)block[0] * block[1] * block[2] : UINT64_MAX;
}

static uint32_t limit_of(const hu_function *f)
{
	uint32_t fixed = (f->kernel->shared_bytes + 15) & ~15u, most = hu_shared_default();
	return f->limited ? f->dynamic_limit : most > fixed ? most - fixed : 0;
}

static cudaError_t check(const hu_function *f, const hu_grid *g)
{
	uint64_t threads = threads_of(g->block);
	if (!g->grid[0] || !g->grid[1] || !g->grid[2] || g->grid[0] > INT32_MAX || g->grid[1] > 65535 || g->grid[2] > 65535)
		return cudaErrorInvalidConfiguration;
	if (!threads || threads > hr_group_max(NULL) || g->block[2] > 64)
		return cudaErrorInvalidConfiguration;
	if (threads > hr_group_max(f->kernel))
		return f->kernel->max_threads && threads > f->kernel->max_threads ? cudaErrorInvalidConfiguration : cudaErrorLaunchOutOfResources;
	if (g->shared > limit_of(f))
		return cudaErrorInvalidValue;
	if (!g->cooperative)
		return cudaSuccess;
	int there;
	hu_attribute(cudaDevAttrCooperativeLaunch, &there);
	if (!there)
		return cudaErrorNotSupported;
	uint64_t blocks = (uint64_t)g->grid[0] * g->grid[1] * g->grid[2], cores;
	cores = (uint64_t)hr_device.machine.machine_clusters * hr_device.machine.machine_cores;
	return blocks > hu_occupancy(f, (uint32_t)threads, g->shared) * cores ? cudaErrorCooperativeLaunchTooLarge : cudaSuccess;
}

/* From the first parameter to behind the last one. */
static size_t bytes_of_parameters(const hd_kernel *k) { return k->params.at[k->params.n - 1].offset + k->params.at[k->params.n - 1].size; }

cudaError_t hu_launch_command(hu_function *f, const hu_grid *g, void **arguments, const void *packed, size_t packed_size, const hr_priority *priority,
                              hu_command **command)
{
	cudaError_t error = check(f, g);
	if (error != cudaSuccess)
		return error;
	const hd_kernel *k = f->kernel;
	if (k->params.n && !arguments && (!packed || packed_size > k->param_bytes || packed_size < bytes_of_parameters(k)))
		return cudaErrorInvalidValue;
	for (size_t i = 0; arguments && i < k->params.n; i++)
		if (!arguments[i])
			return cudaErrorInvalidValue;
	launch_command *c = hu_command_new(sizeof *c + k->param_bytes + 1, work, drop);
	c->function = hr_use(f);
	c->owner = hu_owner();
	c->own_priority = priority != NULL;
	c->priority = priority ? *priority : HR_PRIORITY_LOW;
	c->launch = (hd_launch){.program = hu_program_of(f),
	                        .kernel = k,
	                        .params = c->params,
	                        .work_dim = 3,
	                        .lanes = hr_device.machine.machine_lanes,
	                        .dynamic_shared = (uint32_t)g->shared,
	                        .cooperative = g->cooperative};
	memcpy(c->launch.grid, g->grid, sizeof c->launch.grid);
	memcpy(c->launch.block, g->block, sizeof c->launch.block);
	for (size_t i = 0; arguments && i < k->params.n; i++)
		memcpy(c->params + k->params.at[i].offset, arguments[i], k->params.at[i].size);
	if (!arguments && packed && packed_size <= k->param_bytes)
		memcpy(c->params, packed, packed_size);
	hd_diag diag = {0};
	bool possible = hd_launch_check(&c->launch, &diag);
	hd_diag_free(&diag);
	if (!possible) {
		hu_command_free(&c->base);
		return cudaErrorInvalidConfiguration;
	}
	*command = &c->base;
	return cudaSuccess;
}

cudaError_t hu_launch(hu_function *f, const hu_grid *g, void **arguments, const void *packed, size_t packed_size, hu_stream *stream)
{
	hu_command *command;
	cudaError_t error = hu_launch_command(f, g, arguments, packed, packed_size, NULL, &command);
	if (error != cudaSuccess)
		return error;
	if (hu_capturing()) {
		bool taken;
		void *extra[] = {(void *)1, (void *)(uintptr_t)packed, (void *)2, &packed_size, NULL};
		hu_work work = {.kind = cudaGraphNodeTypeKernel,
		                .kernel = {.func = f->host ? f->host : f,
		                           .grid = *g,
		                           .arguments = arguments,
		                           .extra = arguments || !packed ? NULL : extra,
		                           .priority = stream->priority}};
		error = hu_capture_take(stream, &work, &taken);
		if (error != cudaSuccess || taken) {
			hu_command_free(command);
			return error;
		}
	}
	hu_put(stream, command, NULL, NULL);
	return cudaSuccess;
}

/* The marks in `extra` are those of CU_LAUNCH_PARAM_END and its kin. */
cudaError_t hu_packed(void *const *extra, const void **packed, size_t *size)
{
	enum { END, POINTER, SIZE, MOST = 8 /* pairs */ };
	*packed = NULL;
	*size = 0;
	for (unsigned i = 0; extra && i < MOST && (uintptr_t)extra[2 * i] != END; i++) {
		if ((uintptr_t)extra[2 * i] == POINTER)
			*packed = extra[2 * i + 1];
		else if ((uintptr_t)extra[2 * i] == SIZE && extra[2 * i + 1])
			memcpy(size, extra[2 * i + 1], sizeof *size);
		else
			return cudaErrorInvalidValue;
	}
	return *size && !*packed ? cudaErrorInvalidValue : cudaSuccess;
}

/* -- functions ---------------------------------------------------------------------------------------------------------------------------------- */
void hu_function_describe(const hu_function *f, hu_function_info *info)
{
	const hd_kernel *k = f->kernel;
	*info = (hu_function_info){.name = f->name,
	                           .registers = k->registers,
	                           .shared = k->shared_bytes,
	                           .local = k->local_bytes,
	                           .threads = (uint32_t)hr_group_max(k),
	                           .constant = hu_constant_bytes(hu_source_of(f), f->name, hu_program_of(f)->object),
	                           .dynamic_limit = limit_of(f),
	                           .carveout = f->carveout};
}

cudaError_t hu_function_limit(hu_function *f, int64_t bytes)
{
	uint32_t fixed = (f->kernel->shared_bytes + 15) & ~15u, most = hu_shared_most();
	if (bytes < 0 || fixed > most || bytes > (int64_t)(most - fixed))
		return cudaErrorInvalidValue;
	f->dynamic_limit = (uint32_t)bytes;
	f->limited = true;
	return cudaSuccess;
}

cudaError_t hu_function_carveout(hu_function *f, int percent)
{
	if (percent < -1 || percent > 100)
		return cudaErrorInvalidValue;
	f->carveout = (uint32_t)percent;
	return cudaSuccess;
}

cudaError_t hu_function_parameter(const hu_function *f, size_t index, size_t *offset, size_t *size)
{
	if (!offset || index >= f->kernel->params.n)
		return cudaErrorInvalidValue;
	*offset = f->kernel->params.at[index].offset;
	if (size)
		*size = f->kernel->params.at[index].size;
	return cudaSuccess;
}

cudaError_t hu_occupancy_shared(const hu_function *f, uint32_t blocks, uint32_t threads, size_t *bytes)
{
	size_t low = 0, high = hu_shared_most();
	if (hu_occupancy(f, threads, 0) < blocks)
		return cudaErrorInvalidValue;
	while (low < high) {
		size_t middle = low + (high - low + 1) / 2;
		if (hu_occupancy(f, threads, middle) >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	*bytes = low;
	return cudaSuccess;
}

uint32_t hu_occupancy(const hu_function *f, uint32_t threads, uint64_t shared)
{
	hd_occupancy occupancy;
	if (!threads || threads > hr_group_max(f->kernel) || shared > hu_shared_most())
		return 0;
	hd_launch launch = {.program = hu_program_of(f),
	                    .kernel = f->kernel,
	                    .grid = {INT32_MAX, 1, 1},
	                    .block = {threads, 1, 1},
	                    .lanes = hr_device.machine.machine_lanes,
	                    .dynamic_shared = (uint32_t)shared};
	hd_occupancy_of(&hr_device.machine, &launch, &occupancy);
	return occupancy.ctas;
}

// The device's part of CUDA's runtime: child grids, their streams and events, errors, memory. Programs of nvcc call it by the names of its device
// runtime, programs of Heddle by those of lib/cuda/heddle_children.h. src/ptx/system.c adds it to a program that calls it. Compiled without any
// header. docs/cuda.md says what is there, src/tasks/stream.h what the task manager answers.
#define DEVICE extern "C" __attribute__((device))
#define LOCAL static __attribute__((device))

typedef unsigned long word;
struct dim3 {
	unsigned x, y, z;
};
typedef int error;
typedef word stream;
struct event {
	unsigned marker; // its handle; 0: it was never recorded
};

DEVICE void *malloc(word);
DEVICE void free(void *);

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_HANDLE = 400, NOT_SUPPORTED = 801 };
enum { LEGACY = 1, OF_THREAD = 2, TAIL = 3, AT_ONCE = 4, FIRST_NAMED = 16, THREADS = 1u << 31 };

// -- the last error of a thread -------------------------------------------------------------------------------------------------------------------
enum { ERRORS = 512 };
__attribute__((device)) unsigned long long heddle_error_of[ERRORS]; // thread + 1; 0: free
__attribute__((device)) int heddle_error[ERRORS];
__attribute__((device)) int heddle_errors; // there was one

LOCAL unsigned thread_of_grid()
{
	unsigned block = (__nvvm_read_ptx_sreg_ctaid_z() * __nvvm_read_ptx_sreg_nctaid_y() + __nvvm_read_ptx_sreg_ctaid_y()) * __nvvm_read_ptx_sreg_nctaid_x() +
	                 __nvvm_read_ptx_sreg_ctaid_x();
	unsigned size = __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() * __nvvm_read_ptx_sreg_ntid_z();
	return block * size + (__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() + __nvvm_read_ptx_sreg_tid_y()) * __nvvm_read_ptx_sreg_ntid_x() +
	       __nvvm_read_ptx_sreg_tid_x();
}

// Where this thread's error is; `adds`: makes a place for it. ERRORS: nowhere.
LOCAL unsigned place_of_error(bool adds)
{
	unsigned task;
	asm("mov.u32 %0, %%heddle_task;" : "=r"(task));
	unsigned long long own = ((unsigned long long)task << 32 | thread_of_grid()) + 1;
	unsigned first = (unsigned)(own * 0x9e3779b97f4a7c15ull >> 55);
	for (unsigned i = 0; i < ERRORS; i++) {
		unsigned at = (first + i) % ERRORS;
		unsigned long long owner = *(volatile unsigned long long *)&heddle_error_of[at];
		if (!owner && !adds)
			return ERRORS;
		if (!owner)
			owner = (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)&heddle_error_of[at], 0, (long long)own);
		if (!owner || owner == own)
			return at;
	}
	return ERRORS;
}

LOCAL error note(error e)
{
	if (e != SUCCESS) {
		unsigned at = place_of_error(true);
		*(volatile int *)&heddle_errors = 1;
		if (at < ERRORS)
			heddle_error[at] = e;
	}
	return e;
}

DEVICE error __heddle_cudaPeekAtLastError()
{
	unsigned at = *(volatile int *)&heddle_errors ? place_of_error(false) : (unsigned)ERRORS;
	return at < ERRORS ? heddle_error[at] : (error)SUCCESS;
}
DEVICE error __heddle_cudaGetLastError()
{
	error e = __heddle_cudaPeekAtLastError();
	if (e != SUCCESS)
		heddle_error[place_of_error(false)] = SUCCESS;
	return e;
}

#define STRING static __attribute__((device)) const char
#define TEXT(number, name, text)                               \
	STRING heddle_name_##number[] = #name, heddle_text_##number[] = text;
#define TEXTS                                                                     \
	ROW(0, cudaSuccess, "no error")                                           \
	ROW(1, cudaErrorInvalidValue, "invalid argument")                         \
	ROW(2, cudaErrorMemoryAllocation, "out of memory")                        \
	ROW(9, cudaErrorInvalidConfiguration, "invalid configuration argument")   \
	ROW(65, cudaErrorLaunchMaxDepthExceeded, "launch would exceed maximum depth limit of nested launches") \
	ROW(69, cudaErrorLaunchPendingCountExceeded, "launch failed because of exceeding pending kernel launch count limit") \
	ROW(98, cudaErrorInvalidDeviceFunction, "invalid device function")        \
	ROW(400, cudaErrorInvalidResourceHandle, "invalid resource handle")       \
	ROW(701, cudaErrorLaunchOutOfResources, "too many resources requested for launch") \
	ROW(801, cudaErrorNotSupported, "operation not supported")
#define ROW TEXT
TEXTS
#undef ROW
STRING heddle_name_unknown[] = "cudaErrorUnknown", heddle_text_unknown[] = "unknown error";

DEVICE const char *__heddle_cudaGetErrorName(error e)
{
#define ROW(number, name, text) \
	if (e == number)        \
		return heddle_name_##number;
	TEXTS
#undef ROW
	return heddle_name_unknown;
}
DEVICE const char *__heddle_cudaGetErrorString(error e)
{
#define ROW(number, name, text) \
	if (e == number)        \
		return heddle_text_##number;
	TEXTS
#undef ROW
	return heddle_text_unknown;
}

// -- launches ---------------------------------------------------------------------------------------------------------------------------------------
// The descriptor that the instruction reads: hd_child in src/tasks/task.h.
struct descriptor {
	word code, parameters;
	dim3 grid, block;
	unsigned shared, bytes, flags, stream;
};
enum { IS_TAIL = 1, ANSWERS = 1 << 17, MARKER = 1 << 18, MEASURE = 2 << 18, WITHOUT_ORDER = 0, OF_CTA = 1 };

LOCAL unsigned call(const descriptor *d)
{
	unsigned answer;
	asm volatile("heddle.launch.b32 %0, [%1];" : "=r"(answer) : "l"((word)d) : "memory");
	return answer;
}

// The stream as the task manager knows it.
LOCAL unsigned order_of(stream s)
{
	return s <= LEGACY ? (unsigned)OF_CTA : s == OF_THREAD ? THREADS | thread_of_grid() : s == TAIL || s == AT_ONCE ? (unsigned)WITHOUT_ORDER : (unsigned)s;
}

DEVICE error __heddle_child(const void *kernel, dim3 grid, dim3 block, unsigned shared, stream s, const void *parameters)
{
	descriptor d = {(word)kernel, (word)parameters, grid, block, shared, 0, ANSWERS | (s == TAIL ? (unsigned)IS_TAIL : 0u), order_of(s)};
	return note((error)call(&d));
}

// Parameters lie behind this.
struct buffer {
	const void *kernel;
	dim3 grid, block;
	unsigned shared, pad[7];
};

LOCAL buffer *new_buffer(word bytes)
{
	buffer *b = (buffer *)malloc(sizeof(buffer) + bytes);
	if (!b)
		note(OUT_OF_MEMORY);
	return b;
}

DEVICE void *__heddle_cudaGetParameterBufferV2(const void *kernel, dim3 grid, dim3 block, unsigned shared)
{
	descriptor d = {(word)kernel, 0, grid, block, 0, 0, ANSWERS | MEASURE, 0};
	unsigned bytes = call(&d);
	buffer *b = new_buffer(bytes == ~0u ? 0 : bytes);
	if (!b)
		return 0;
	b->kernel = kernel;
	b->grid = grid;
	b->block = block;
	b->shared = shared;
	return b + 1;
}
DEVICE error __heddle_cudaLaunchDeviceV2(void *parameters, stream s)
{
	if (!parameters)
		return SUCCESS; // the error was noted
	buffer *b = (buffer *)parameters - 1;
	error e = __heddle_child(b->kernel, b->grid, b->block, b->shared, s, parameters);
	free(b);
	return e;
}
DEVICE error __heddle_cudaLaunchDeviceV2_ptsz(void *parameters, stream s) { return __heddle_cudaLaunchDeviceV2(parameters, s ? s : (stream)OF_THREAD); }
DEVICE void *__heddle_cudaGetParameterBuffer(word, word bytes)
{
	buffer *b = new_buffer(bytes);
	return b ? b + 1 : 0;
}
DEVICE error __heddle_cudaLaunchDevice(const void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared, stream s)
{
	error e = __heddle_child(kernel, grid, block, shared, s, parameters);
	if (parameters)
		free((buffer *)parameters - 1);
	return e;
}
DEVICE error __heddle_cudaLaunchDevice_ptsz(const void *kernel, void *parameters, dim3 grid, dim3 block, unsigned shared, stream s)
{
	return __heddle_cudaLaunchDevice(kernel, parameters, grid, block, shared, s ? s : (stream)OF_THREAD);
}
// A barrier of this warp alone, so that a single thread of a block may call it.
DEVICE error __heddle_cudaDeviceSynchronize()
{
	asm volatile("heddle.join 15, 1;" : : : "memory");
	return SUCCESS;
}

// -- streams and events -----------------------------------------------------------------------------------------------------------------------------
__attribute__((device)) unsigned heddle_streams;

DEVICE error __heddle_cudaStreamCreateWithFlags(stream *s, unsigned flags)
{
	if (!s || flags != 1) // cudaStreamNonBlocking
		return note(INVALID_VALUE);
	*s = FIRST_NAMED + (unsigned)__nvvm_atom_add_gen_i((int *)&heddle_streams, 1) % (THREADS - FIRST_NAMED);
	return SUCCESS;
}
DEVICE error __heddle_cudaStreamDestroy(stream s) { return note(s < FIRST_NAMED ? INVALID_HANDLE : SUCCESS); }

DEVICE error __heddle_cudaEventCreateWithFlags(event **e, unsigned flags)
{
	if (!e || !(flags & 2)) // cudaEventDisableTiming
		return note(INVALID_VALUE);
	*e = (event *)malloc(sizeof(event));
	if (!*e)
		return note(OUT_OF_MEMORY);
	(*e)->marker = 0;
	return SUCCESS;
}
DEVICE error __heddle_cudaEventDestroy(event *e)
{
	if (!e)
		return note(INVALID_HANDLE);
	free(e);
	return SUCCESS;
}
// Puts a place into the stream, behind the grid with that handle.
LOCAL unsigned mark(stream s, unsigned behind)
{
	descriptor d = {behind, 0, {}, {}, 0, 0, ANSWERS | MARKER, order_of(s)};
	return call(&d);
}
DEVICE error __heddle_cudaEventRecord(event *e, stream s)
{
	if (!e || s == TAIL || s == AT_ONCE)
		return note(e ? INVALID_VALUE : INVALID_HANDLE);
	unsigned marker = mark(s, 0);
	*(volatile unsigned *)&e->marker = marker;
	return note(marker ? SUCCESS : OUT_OF_MEMORY);
}
DEVICE error __heddle_cudaEventRecord_ptsz(event *e, stream s) { return __heddle_cudaEventRecord(e, s ? s : (stream)OF_THREAD); }
DEVICE error __heddle_cudaEventRecordWithFlags(event *e, stream s, unsigned flags) { return flags ? note(INVALID_VALUE) : __heddle_cudaEventRecord(e, s); }
DEVICE error __heddle_cudaStreamWaitEvent(stream s, event *e, unsigned flags)
{
	if (!e || flags || s == TAIL || s == AT_ONCE)
		return note(e ? INVALID_VALUE : INVALID_HANDLE);
	unsigned behind = *(volatile unsigned *)&e->marker;
	return note(!behind || mark(s, behind) ? SUCCESS : OUT_OF_MEMORY);
}
DEVICE error __heddle_cudaStreamWaitEvent_ptsz(stream s, event *e, unsigned flags) { return __heddle_cudaStreamWaitEvent(s ? s : (stream)OF_THREAD, e, flags); }

// -- memory and what the device is --------------------------------------------------------------------------------------------------------------------
DEVICE error __heddle_cudaMalloc(void **p, word bytes)
{
	*p = malloc(bytes);
	return note(*p || !bytes ? SUCCESS : OUT_OF_MEMORY);
}
DEVICE error __heddle_cudaFree(void *p)
{
	free(p);
	return SUCCESS;
}
DEVICE error __heddle_cudaGetDevice(int *device) { return *device = 0, SUCCESS; }
DEVICE error __heddle_cudaGetDeviceCount(int *count) { return *count = 1, SUCCESS; }
DEVICE error __heddle_cudaRuntimeGetVersion(int *version) { return *version = 12080, SUCCESS; }

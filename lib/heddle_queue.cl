/* Device queues (__opencl_c_device_enqueue, docs/opencl.md): what clang calls for enqueue_kernel and the queries of blocks, and the functions of
 * ranges and events. Each asks the task table with the instruction `launch`. The descriptor and the answers are those of src/tasks/enqueue.h. A queue is
 * a number from 1, and an event is its handle. */
typedef struct call {
	ulong kernel_address, literal, queue, wait, sizes;
	uint n_wait, n_sizes, flags, what, after, wanted;
	ulong event, target;
	ndrange_t range;
} call;

enum { IS_CALL = 1 << 16 };
enum { ENQUEUE, MARKER, USER_EVENT, STATUS, RETAIN, RELEASE, VALID, CAPTURE, QUEUE, GROUP, LOCAL };
#define OVER __attribute__((overloadable))
#define ALWAYS static inline __attribute__((always_inline))
#define NUMBER(handle) __builtin_astype(handle, ulong)
#define NULL_EVENT ULONG_MAX
#define SUB_GROUP 32

ALWAYS int answer(const call *a)
{
	int number;
	__asm__ __volatile__("heddle.launch.b32 %0, [%1];" : "=r"(number) : "l"((ulong)a) : "memory");
	return number;
}

/* -- ranges ----------------------------------------------------------------------------------------------------------------------------------- */
ALWAYS ndrange_t range_of(uint dims, const size_t *offset, const size_t *size, const size_t *group)
{
	ndrange_t range;
	range.workDimension = dims;
	for (uint d = 0; d < 3; d++) {
		range.globalWorkOffset[d] = offset && d < dims ? offset[d] : 0;
		range.globalWorkSize[d] = d < dims ? size[d] : 1;
		range.localWorkSize[d] = group && d < dims ? group[d] : 0;
	}
	return range;
}
OVER ndrange_t ndrange_1D(size_t size) { return range_of(1, 0, &size, 0); }
OVER ndrange_t ndrange_1D(size_t size, size_t group) { return range_of(1, 0, &size, &group); }
OVER ndrange_t ndrange_1D(size_t offset, size_t size, size_t group) { return range_of(1, &offset, &size, &group); }
OVER ndrange_t ndrange_2D(const size_t size[2]) { return range_of(2, 0, size, 0); }
OVER ndrange_t ndrange_2D(const size_t size[2], const size_t group[2]) { return range_of(2, 0, size, group); }
OVER ndrange_t ndrange_2D(const size_t offset[2], const size_t size[2], const size_t group[2]) { return range_of(2, offset, size, group); }
OVER ndrange_t ndrange_3D(const size_t size[3]) { return range_of(3, 0, size, 0); }
OVER ndrange_t ndrange_3D(const size_t size[3], const size_t group[3]) { return range_of(3, 0, size, group); }
OVER ndrange_t ndrange_3D(const size_t offset[3], const size_t size[3], const size_t group[3]) { return range_of(3, offset, size, group); }

/* Of programs in SPIR-V (src/front/retarget.c). */
void __heddle_il_ndrange_1Dmmm(ndrange_t *range, size_t offset, size_t size, size_t group) { *range = range_of(1, &offset, &size, &group); }
void __heddle_il_ndrange_2DPKmS0_S0_(ndrange_t *range, const size_t *offset, const size_t *size, const size_t *group)
{
	*range = range_of(2, offset, size, group);
}
void __heddle_il_ndrange_3DPKmS0_S0_(ndrange_t *range, const size_t *offset, const size_t *size, const size_t *group)
{
	*range = range_of(3, offset, size, group);
}

/* -- commands --------------------------------------------------------------------------------------------------------------------------------- */
ALWAYS int finish(const call *a, clk_event_t *event)
{
	int handle = answer(a);
	if (handle < 0)
		return CLK_ENQUEUE_FAILURE;
	if (event)
		*event = __builtin_astype((ulong)handle, clk_event_t);
	return CLK_SUCCESS;
}

ALWAYS int enqueue(queue_t queue, uint flags, const ndrange_t *range, uint n, const clk_event_t *list, clk_event_t *event, void *kernel_address,
                   void *literal, uint n_sizes, const ulong *sizes)
{
	call a = {.kernel_address = (ulong)kernel_address,
	          .literal = (ulong)literal,
	          .queue = NUMBER(queue),
	          .wait = (ulong)list,
	          .sizes = (ulong)sizes,
	          .n_wait = n,
	          .n_sizes = n_sizes,
	          .flags = IS_CALL,
	          .what = ENQUEUE,
	          .after = flags,
	          .wanted = event != 0,
	          .range = *range};
	return finish(&a, event);
}
int __enqueue_kernel_basic(queue_t queue, uint flags, ndrange_t range, void *kernel_address, void *literal)
{
	return enqueue(queue, flags, &range, 0, 0, 0, kernel_address, literal, 0, 0);
}
int __enqueue_kernel_basic_events(queue_t queue, uint flags, ndrange_t *range, uint n, clk_event_t *list, clk_event_t *event, void *kernel_address,
                                  void *literal)
{
	return enqueue(queue, flags, range, n, list, event, kernel_address, literal, 0, 0);
}
int __heddle_il_enqueue_kernel_basic(queue_t queue, uint flags, const ndrange_t *range, void *kernel_address, void *literal)
{
	return enqueue(queue, flags, range, 0, 0, 0, kernel_address, literal, 0, 0);
}
int __enqueue_kernel_varargs(queue_t queue, uint flags, ndrange_t *range, void *kernel_address, void *literal, uint n_sizes, ulong *sizes)
{
	return enqueue(queue, flags, range, 0, 0, 0, kernel_address, literal, n_sizes, sizes);
}
int __enqueue_kernel_events_varargs(queue_t queue, uint flags, ndrange_t *range, uint n, clk_event_t *list, clk_event_t *event, void *kernel_address,
                                    void *literal, uint n_sizes, ulong *sizes)
{
	return enqueue(queue, flags, range, n, list, event, kernel_address, literal, n_sizes, sizes);
}

OVER int enqueue_marker(queue_t queue, uint n, const clk_event_t *list, clk_event_t *event)
{
	call a = {.queue = NUMBER(queue), .wait = (ulong)list, .n_wait = n, .flags = IS_CALL, .what = MARKER};
	if (!event) /* nobody could wait for the marker */
		return NUMBER(queue) ? CLK_SUCCESS : CLK_ENQUEUE_FAILURE;
	return finish(&a, event);
}

OVER queue_t get_default_queue(void)
{
	call a = {.flags = IS_CALL, .what = QUEUE};
	return __builtin_astype((ulong)answer(&a), queue_t);
}

/* -- events ----------------------------------------------------------------------------------------------------------------------------------- */
ALWAYS int about(clk_event_t event, uint what, uint status, ulong target)
{
	call a = {.flags = IS_CALL, .what = what, .wanted = status, .event = NUMBER(event), .target = target};
	return answer(&a);
}
OVER clk_event_t create_user_event(void)
{
	call a = {.flags = IS_CALL, .what = USER_EVENT};
	int handle = answer(&a);
	return __builtin_astype(handle < 0 ? NULL_EVENT : (ulong)handle, clk_event_t);
}
OVER void set_user_event_status(clk_event_t event, int status) { about(event, STATUS, status, 0); }
OVER void retain_event(clk_event_t event) { about(event, RETAIN, 0, 0); }
OVER void release_event(clk_event_t event) { about(event, RELEASE, 0, 0); }
OVER bool is_valid_event(clk_event_t event) { return about(event, VALID, 0, 0) != 0; }
OVER void capture_event_profiling_info(clk_event_t event, clk_profiling_info name, __global void *value)
{
	if (name == CLK_PROFILING_COMMAND_EXEC_TIME)
		about(event, CAPTURE, 0, (ulong)value);
}

/* -- queries ---------------------------------------------------------------------------------------------------------------------------------- */
uint __get_kernel_work_group_size_impl(void *kernel_address, void *literal)
{
	call a = {.kernel_address = (ulong)kernel_address, .flags = IS_CALL, .what = GROUP};
	return answer(&a);
}
uint __get_kernel_preferred_work_group_size_multiple_impl(void *kernel_address, void *literal) { return SUB_GROUP; }
ALWAYS uint group_of(const ndrange_t *range, void *kernel_address)
{
	call a = {.kernel_address = (ulong)kernel_address, .flags = IS_CALL, .what = LOCAL, .range = *range};
	return answer(&a);
}
uint __get_kernel_max_sub_group_size_for_ndrange_impl(ndrange_t *range, void *kernel_address, void *literal)
{
	return min(group_of(range, kernel_address), (uint)SUB_GROUP);
}
uint __get_kernel_sub_group_count_for_ndrange_impl(ndrange_t *range, void *kernel_address, void *literal)
{
	return (group_of(range, kernel_address) + SUB_GROUP - 1) / SUB_GROUP;
}

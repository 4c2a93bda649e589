/* Kernels, their arguments, and queries. */
#include "opencl/driver.h"

bool hc_is_local(const hd_param *param) { return param->pointer && param->space == HD_SPACE_SHARED; }

bool hc_is_queue(const hd_param *param)
{
	const char *type = param->pointer && param->source_type ? param->source_type : "";
	return strcmp(type, "queue_t") == 0 || strcmp(type, "opencl.queue_t") == 0 /* in SPIR-V */;
}

static void destroy(void *object)
{
	cl_kernel kernel = object;
	for (size_t i = 0; kernel->kernel && i < kernel->kernel->params.n; i++)
		free(kernel->args[i].bytes);
	free(kernel->args);
	pthread_mutex_lock(&hr_lock);
	kernel->program->n_kernels--;
	pthread_mutex_unlock(&hr_lock);
	hr_unuse(kernel->program);
}

/* Counts the kernel before the program is read. From then on no thread rebuilds the program. */
static bool attach(cl_program program)
{
	pthread_mutex_lock(&hr_lock);
	bool ok = program->status == CL_BUILD_SUCCESS && program->loaded;
	program->n_kernels += ok;
	pthread_mutex_unlock(&hr_lock);
	return ok;
}

/* Makes a kernel of a program for which attach() was called. */
static cl_kernel create(cl_program program, const hd_kernel *description)
{
	cl_kernel kernel = hc_new(HC_KERNEL, sizeof *kernel, destroy);
	kernel->program = hr_use(program);
	kernel->kernel = description;
	kernel->args = hd_xcalloc(description->params.n + 1, sizeof *kernel->args);
	return kernel;
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *status)
{
	cl_int error = !hc_is(program, HC_PROGRAM) ? CL_INVALID_PROGRAM : !name ? CL_INVALID_VALUE : CL_SUCCESS;
	if (error == CL_SUCCESS && !attach(program))
		error = CL_INVALID_PROGRAM_EXECUTABLE;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	const hd_kernel *found = hd_object_kernel(program->code, name);
	if (found && !hd_kernel_is_block(name))
		return create(program, found);
	pthread_mutex_lock(&hr_lock);
	program->n_kernels--;
	pthread_mutex_unlock(&hr_lock);
	hc_set(status, CL_INVALID_KERNEL_NAME);
	return NULL;
}

size_t hc_kernels(const hd_object *code)
{
	size_t n = 0;
	for (size_t i = 0; i < code->kernels.n; i++)
		n += !hd_kernel_is_block(code->kernels.at[i].name);
	return n;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *n_ret)
{
	if (!hc_is(program, HC_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!attach(program))
		return CL_INVALID_PROGRAM_EXECUTABLE;
	size_t count = hc_kernels(program->code);
	cl_int status = kernels && n < count ? CL_INVALID_VALUE : CL_SUCCESS;
	for (size_t i = 0; kernels && status == CL_SUCCESS && i < program->code->kernels.n; i++) {
		if (hd_kernel_is_block(program->code->kernels.at[i].name))
			continue;
		attach(program);
		*kernels++ = create(program, &program->code->kernels.at[i]);
	}
	if (n_ret && status == CL_SUCCESS)
		*n_ret = (cl_uint)count;
	pthread_mutex_lock(&hr_lock);
	program->n_kernels--;
	pthread_mutex_unlock(&hr_lock);
	return status;
}

cl_kernel clCloneKernel(cl_kernel from, cl_int *status)
{
	hc_set(status, hc_is(from, HC_KERNEL) ? CL_SUCCESS : CL_INVALID_KERNEL);
	if (!hc_is(from, HC_KERNEL))
		return NULL;
	attach(from->program);
	cl_kernel kernel = create(from->program, from->kernel);
	for (size_t i = 0; i < from->kernel->params.n; i++) {
		kernel->args[i] = from->args[i];
		if (from->args[i].bytes) {
			kernel->args[i].bytes = hd_xmalloc(from->kernel->params.at[i].size);
			memcpy(kernel->args[i].bytes, from->args[i].bytes, from->kernel->params.at[i].size);
		}
	}
	return kernel;
}

/* A buffer, or NULL for none, or a pipe. */
static cl_int set_mem(cl_kernel kernel, hc_arg *arg, bool pipe, size_t size, const void *value)
{
	cl_mem mem = NULL;
	if (size != sizeof mem)
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&mem, value, sizeof mem);
	if ((mem || pipe) && (!hc_is(mem, HC_MEM) || (mem->packets != 0) != pipe || mem->context != kernel->program->context))
		return CL_INVALID_MEM_OBJECT;
	arg->mem = mem;
	arg->queue = NULL;
	arg->shared = 0;
	arg->life = mem ? mem->object.number : 0;
	return CL_SUCCESS;
}

static cl_int set_queue(cl_kernel kernel, hc_arg *arg, size_t size, const void *value)
{
	cl_command_queue queue = NULL;
	if (size != sizeof queue)
		return CL_INVALID_ARG_SIZE;
	if (value)
		memcpy(&queue, value, sizeof queue);
	if (!hc_is(queue, HC_DEVICE_QUEUE) || queue->context != kernel->program->context)
		return CL_INVALID_DEVICE_QUEUE;
	arg->queue = queue;
	arg->life = queue->base.object.number;
	return CL_SUCCESS;
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->kernel->params.n)
		return CL_INVALID_ARG_INDEX;
	const hd_param *param = &kernel->kernel->params.at[index];
	hc_arg *arg = &kernel->args[index];
	cl_int status = CL_SUCCESS;
	if (hc_is_local(param)) {
		if (value)
			return CL_INVALID_ARG_VALUE;
		if (size == 0)
			return CL_INVALID_ARG_SIZE;
		if (size > hr_device.machine.machine_shared_memory)
			return CL_MAX_SIZE_RESTRICTION_EXCEEDED;
		arg->local = size;
	} else if (hc_is_queue(param)) {
		status = set_queue(kernel, arg, size, value);
	} else if (param->pointer) {
		status = set_mem(kernel, arg, hc_pipe_of(param) != HC_PIPE_NONE, size, value);
	} else {
		if (!value)
			return CL_INVALID_ARG_VALUE;
		if (size != param->size)
			return CL_INVALID_ARG_SIZE;
		arg->bytes = hd_xrealloc(arg->bytes, size);
		memcpy(arg->bytes, value, size);
	}
	arg->set = arg->set || status == CL_SUCCESS;
	return status;
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	switch (what) {
	case CL_KERNEL_FUNCTION_NAME:
		return hc_answer_text(to, kernel->kernel->name);
	case CL_KERNEL_NUM_ARGS:
		return HC_ANSWER(to, cl_uint, (cl_uint)kernel->kernel->params.n);
	case CL_KERNEL_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&kernel->object.refs));
	case CL_KERNEL_CONTEXT:
		return HC_ANSWER(to, cl_context, kernel->program->context);
	case CL_KERNEL_PROGRAM:
		return HC_ANSWER(to, cl_program, kernel->program);
	case CL_KERNEL_ATTRIBUTES: {
		const hc_arg_info *info = hc_argument_info(kernel->program, kernel->kernel->name);
		return hc_answer_text(to, info ? info->attributes : "");
	}
	}
	return CL_INVALID_VALUE;
}

static cl_kernel_arg_access_qualifier access_of(const char *word)
{
	return strcmp(word, "read_only") == 0    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
	       : strcmp(word, "write_only") == 0 ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
	                                         : CL_KERNEL_ARG_ACCESS_NONE;
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->kernel->params.n)
		return CL_INVALID_ARG_INDEX;
	const hc_arg_info *info = hc_argument_info(kernel->program, kernel->kernel->name);
	if (!info || index >= info->n_args)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	const struct hc_arg_text *arg = &info->args[index];
	switch (what) {
	case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
		static const cl_kernel_arg_address_qualifier spaces[] = {CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL,
		                                                         CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_LOCAL};
		return HC_ANSWER(to, cl_kernel_arg_address_qualifier, spaces[arg->space & 3]);
	}
	case CL_KERNEL_ARG_ACCESS_QUALIFIER:
		return HC_ANSWER(to, cl_kernel_arg_access_qualifier, access_of(arg->access));
	case CL_KERNEL_ARG_TYPE_NAME:
		return hc_answer_text(to, arg->type);
	case CL_KERNEL_ARG_TYPE_QUALIFIER: {
		cl_kernel_arg_type_qualifier bits = 0;
		bits |= strstr(arg->qualifier, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0;
		bits |= strstr(arg->qualifier, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0;
		bits |= strstr(arg->qualifier, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0;
		bits |= strstr(arg->qualifier, "pipe") ? CL_KERNEL_ARG_TYPE_PIPE : 0;
		return HC_ANSWER(to, cl_kernel_arg_type_qualifier, bits);
	}
	case CL_KERNEL_ARG_NAME:
		return hc_answer_text(to, arg->name);
	}
	return CL_INVALID_VALUE;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (device && device != &hc_device)
		return CL_INVALID_DEVICE;
	const hd_kernel *k = kernel->kernel;
	switch (what) {
	case CL_KERNEL_WORK_GROUP_SIZE:
		return HC_ANSWER(to, size_t, hr_group_max(k));
	case CL_KERNEL_COMPILE_WORK_GROUP_SIZE: {
		size_t required[3] = {k->required_block[0], k->required_block[1], k->required_block[2]};
		return hc_answer_bytes(to, required, sizeof required);
	}
	case CL_KERNEL_LOCAL_MEM_SIZE: {
		cl_ulong bytes = k->shared_bytes;
		for (size_t i = 0; i < k->params.n; i++)
			if (kernel->args[i].local)
				bytes = hd_shared_argument(&k->params.at[i], bytes, kernel->args[i].local) + kernel->args[i].local;
		return HC_ANSWER(to, cl_ulong, bytes);
	}
	case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return HC_ANSWER(to, size_t, 32);
	case CL_KERNEL_PRIVATE_MEM_SIZE:
		return HC_ANSWER(to, cl_ulong, k->local_bytes);
	/* Valid for built-in kernels and custom devices only. */
	case CL_KERNEL_GLOBAL_WORK_SIZE:
		return CL_INVALID_VALUE;
	}
	return CL_INVALID_VALUE;
}

/* A work-group of one dimension with `count` sub-groups; of no work-items where there is none. */
static cl_int put_local_size(hc_answer to, const hd_kernel *k, const void *in, size_t in_size)
{
	size_t count, local[3] = {0, 1, 1}, dimensions = to.value ? to.size / sizeof(size_t) : 3;
	if (in_size != sizeof count || dimensions < 1 || dimensions > 3)
		return CL_INVALID_VALUE;
	memcpy(&count, in, sizeof count);
	if (count <= hr_group_max(k) / HC_SUB_GROUP &&
	    (!k->required_block[0] || (k->required_block[0] == count * HC_SUB_GROUP && k->required_block[1] * k->required_block[2] == 1)))
		local[0] = count * HC_SUB_GROUP;
	if (!local[0])
		local[1] = local[2] = 0;
	return hc_answer_bytes(to, local, dimensions * sizeof(size_t));
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what, size_t in_size, const void *in, size_t size,
                               void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(kernel, HC_KERNEL))
		return CL_INVALID_KERNEL;
	if (device && device != &hc_device)
		return CL_INVALID_DEVICE;
	switch (what) {
	case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
	case CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: {
		size_t local[3], items = 1, n = in_size / sizeof *local;
		if (!in || n < 1 || n > HD_COUNT(local) || in_size % sizeof *local != 0)
			return CL_INVALID_VALUE;
		memcpy(local, in, in_size);
		for (size_t i = 0; i < n; i++)
			items = local[i] && items <= SIZE_MAX / local[i] ? items * local[i] : 0;
		bool size_asked = what == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
		return HC_ANSWER(to, size_t, size_asked ? hd_min_u64(items, HC_SUB_GROUP) : items / HC_SUB_GROUP + (items % HC_SUB_GROUP != 0));
	}
	case CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
		return in ? put_local_size(to, kernel->kernel, in, in_size) : CL_INVALID_VALUE;
	case CL_KERNEL_MAX_NUM_SUB_GROUPS:
		return HC_ANSWER(to, size_t, (hr_group_max(kernel->kernel) + HC_SUB_GROUP - 1) / HC_SUB_GROUP);
	case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
		return HC_ANSWER(to, size_t, 0);
	}
	return CL_INVALID_VALUE;
}

cl_int clRetainKernel(cl_kernel kernel) { return hc_retain(kernel, HC_KERNEL, CL_INVALID_KERNEL); }
cl_int clReleaseKernel(cl_kernel kernel) { return hc_release(kernel, HC_KERNEL, CL_INVALID_KERNEL); }

/* Programs: creation, build, compilation, linking, queries. */
#include "opencl/driver.h"

#include "api/compatible.h"
#include "heddle/heddle.h"
#include "interp/interp.h"

#include <errno.h>

static void unload(cl_program program)
{
	if (program->loaded) {
		hd_memory *memory = hc_memory_lock(program->context);
		if (program->loaded->data_base)
			hd_memory_release(memory, program->loaded->data_base);
		hc_memory_unlock(program->context);
		hd_interp_free(program->interp);
		hd_program_free(program->loaded);
	}
	if (program->code)
		hd_object_free(program->code);
	free(program->image);
	free(program->il_text);
	for (size_t i = 0; i < program->units.n; i++)
		hc_unit_free(&program->units.at[i]);
	hd_vec_free(&program->units);
	hc_argument_info_free(program);
	program->loaded = NULL;
	program->interp = NULL;
	program->code = NULL;
	program->image = NULL;
	program->il_text = NULL;
	program->n_image = 0;
}

static void destroy(void *object)
{
	cl_program program = object;
	unload(program);
	free(program->source);
	free(program->given);
	free(program->il);
	hd_spirv_free(&program->module);
	free(program->options);
	hd_text_free(&program->log);
	hr_unuse(program->context);
}

cl_program hc_program_new(cl_context context)
{
	cl_program program = hc_new(HC_PROGRAM, sizeof *program, destroy);
	program->context = hr_use(context);
	program->status = CL_BUILD_NONE;
	program->type = CL_PROGRAM_BINARY_TYPE_NONE;
	return program;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **strings, const size_t *lengths, cl_int *status)
{
	cl_int error = !hc_is(context, HC_CONTEXT) ? CL_INVALID_CONTEXT : n && strings ? CL_SUCCESS : CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n && error == CL_SUCCESS; i++)
		if (!strings[i])
			error = CL_INVALID_VALUE;
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	hd_text text = {0};
	for (cl_uint i = 0; i < n; i++)
		hd_text_put(&text, strings[i], lengths && lengths[i] ? lengths[i] : strlen(strings[i]));
	cl_program program = hc_program_new(context);
	program->source = hd_xstrdup(text.at ? text.at : "");
	hd_text_free(&text);
	return program;
}

/* -- compiled objects and libraries as binaries: a head, then the units, each with its length ------------------------------------------------- */
static const char units_head[] = "heddle-units 1 " HEDDLE_VERSION "\n";

static void write_units(cl_program program, cl_program_binary_type type)
{
	hd_text image = {0};
	hd_text_printf(&image, "%s%u %zu\n", units_head, type, program->units.n);
	for (size_t i = 0; i < program->units.n; i++)
		hd_text_printf(&image, "%zu\n%s\n", strlen(program->units.at[i].text), program->units.at[i].text);
	free(program->image);
	program->image = (uint8_t *)image.at;
	program->n_image = image.n;
}

/* Reads a number and the end of its line. False when there is none. */
static bool read_number(const char **at, const char *end, size_t *value)
{
	*value = 0;
	const char *begin = *at;
	for (; *at < end && **at >= '0' && **at <= '9' && *value < SIZE_MAX / 16; (*at)++)
		*value = *value * 10 + (size_t)(**at - '0');
	return *at > begin && *at < end && (**at == '\n' || **at == ' ') && (*at)++;
}

/* Reads the output of write_units into the program. False for anything else. */
static bool read_units(const unsigned char *bytes, size_t n, cl_program program)
{
	const char *at = (const char *)bytes, *end = at + n;
	size_t type, count, length;
	if (n < sizeof units_head || memcmp(at, units_head, sizeof units_head - 1) != 0)
		return false;
	at += sizeof units_head - 1;
	if (!read_number(&at, end, &type) || (type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT && type != CL_PROGRAM_BINARY_TYPE_LIBRARY) ||
	    !read_number(&at, end, &count) || count > n)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!read_number(&at, end, &length) || length >= (size_t)(end - at) || memchr(at, 0, length) || at[length] != '\n')
			return false;
		hd_text unit = {0};
		hd_text_put(&unit, at, length);
		hd_vec_push(&program->units, (hc_unit){.text = unit.at ? unit.at : hd_xstrdup("")});
		at += length + 1;
	}
	program->type = (cl_program_binary_type)type;
	return at == end;
}

/* A kernel object that the device can run, or NULL. The interface has no log for what is wrong with a binary. */
static hd_object *read_executable(const unsigned char *bytes, size_t n)
{
	static const char name[] = "binary";
	const hd_machine *machine = &hr_device.machine;
	hd_diag diag = {0};
	hd_object *code = hd_object_read(bytes, n, name, &diag);
	bool any = hr_device.functional || hr_device.unproven; /* the interpreter relies on no annotation */
	bool ok = code && code->geometry == machine->predecode_geometry && (any || hd_compatible(code, machine, name, "HEDDLE_UNPROVEN=1", &diag));
	if (hr_device.build_log && diag.text.n)
		fwrite(diag.text.at, 1, diag.text.n, stderr);
	hd_diag_free(&diag);
	if (!ok && code)
		hd_object_free(code);
	return ok ? code : NULL;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
                                     const unsigned char **binaries, cl_int *binary_status, cl_int *status)
{
	cl_int error = hc_is(context, HC_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	if (error == CL_SUCCESS && (n == 0 || !devices || !lengths || !binaries))
		error = CL_INVALID_VALUE;
	if (error == CL_SUCCESS && (n != 1 || devices[0] != &hc_device))
		error = CL_INVALID_DEVICE;
	if (error == CL_SUCCESS && (!binaries[0] || !lengths[0])) {
		error = CL_INVALID_VALUE;
		hc_set(binary_status, CL_INVALID_VALUE);
	}
	struct _cl_program units = {0};
	bool compiled = error == CL_SUCCESS && read_units(binaries[0], lengths[0], &units);
	hd_object *code = error == CL_SUCCESS && !compiled ? read_executable(binaries[0], lengths[0]) : NULL;
	if (error == CL_SUCCESS && !compiled && !code)
		error = CL_INVALID_BINARY;
	if (error == CL_SUCCESS || error == CL_INVALID_BINARY)
		hc_set(binary_status, error);
	if (code)
		hd_object_free(code);
	hc_set(status, error);
	if (!compiled) {
		for (size_t i = 0; i < units.units.n; i++)
			hc_unit_free(&units.units.at[i]);
		hd_vec_free(&units.units);
	}
	if (error != CL_SUCCESS)
		return NULL;
	cl_program program = hc_program_new(context);
	if (compiled) {
		for (size_t i = 0; i < units.units.n; i++)
			hd_vec_push(&program->units, units.units.at[i]);
		hd_vec_free(&units.units);
		write_units(program, units.type);
		program->type = units.type;
		program->status = CL_BUILD_SUCCESS;
		return program;
	}
	program->given = hd_xmalloc(lengths[0]);
	memcpy(program->given, binaries[0], lengths[0]);
	program->n_given = lengths[0];
	program->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
	return program;
}

/* Makes the object the program's code. If it cannot be loaded, returns false and the log says why. */
static bool load(cl_program program, hd_object *code)
{
	hd_diag diag = {0};
	program->code = code;
	if (code) {
		program->loaded = hd_program_new(code, hc_memory_lock(program->context), &diag);
		hc_memory_unlock(program->context);
		program->image = hd_object_write(code, &program->n_image);
		if (!program->image)
			hd_error(&diag, (hd_pos){.file = "program"}, "the object cannot be made: %s", strerror(errno));
	}
	if (diag.text.n)
		hd_text_put(&program->log, diag.text.at, diag.text.n);
	hd_diag_free(&diag);
	return program->loaded && program->image;
}

/* Begins a build. The program belongs to this thread until end(). */
static cl_int begin(cl_program program, const char *options)
{
	cl_int error = CL_SUCCESS;
	pthread_mutex_lock(&hr_lock);
	if (program->n_kernels || program->status == CL_BUILD_IN_PROGRESS)
		error = CL_INVALID_OPERATION;
	else
		program->status = CL_BUILD_IN_PROGRESS;
	pthread_mutex_unlock(&hr_lock);
	if (error == CL_SUCCESS) {
		unload(program);
		hd_text_free(&program->log);
		free(program->options);
		program->options = hd_xstrdup(options ? options : "");
	}
	return error;
}

static void end(cl_program program, bool ok, cl_program_binary_type type)
{
	/* Prints the log, because some programs do not show it. */
	if (hr_device.build_log && program->log.n)
		fwrite(program->log.at, 1, program->log.n, stderr);
	pthread_mutex_lock(&hr_lock);
	program->status = ok ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
	program->type = ok ? type : CL_PROGRAM_BINARY_TYPE_NONE;
	pthread_mutex_unlock(&hr_lock);
}

static cl_int check_call(cl_program program, cl_uint n, const cl_device_id *devices, const void *notify, const void *data)
{
	if (!hc_is(program, HC_PROGRAM))
		return CL_INVALID_PROGRAM;
	if ((n == 0) != (devices == NULL) || (!notify && data))
		return CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n; i++)
		if (devices[i] != &hc_device)
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

typedef void(CL_CALLBACK *notify_fn)(cl_program, void *);

/* The program's IL is a unit that is linked alone. */
static hd_object *compile_il(cl_program program, const char *options)
{
	hc_unit unit = {.text = hc_il_translate(program, &program->log)};
	hc_source source = {.text = "", .options = options, .units = &unit, .n_units = 1, .linking = true};
	program->il_text = unit.text;
	return unit.text ? hc_compile(&source, &program->log) : NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options, notify_fn notify, void *data)
{
	cl_int error = check_call(program, n, devices, notify ? program : NULL, data);
	if (error == CL_SUCCESS)
		error = hc_options_check(options, CL_INVALID_BUILD_OPTIONS);
	if (error == CL_SUCCESS && !program->source && !program->given && !program->il)
		error = program->units.n ? CL_INVALID_BINARY : CL_INVALID_OPERATION;
	if (error == CL_SUCCESS)
		error = begin(program, options);
	if (error != CL_SUCCESS)
		return error;
	hd_object *code = NULL;
	if (program->source) {
		hc_source source = {.text = program->source, .options = options};
		code = hc_compile(&source, &program->log);
	} else if (program->il) {
		code = compile_il(program, options);
	} else {
		hd_diag diag = {0};
		code = hd_object_read(program->given, program->n_given, "binary", &diag);
		hd_diag_free(&diag);
	}
	bool ok = load(program, code);
	end(program, ok, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	if (notify)
		notify(program, data);
	return ok ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

cl_int clCompileProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options, cl_uint n_headers, const cl_program *headers,
                        const char **names, notify_fn notify, void *data)
{
	cl_int error = check_call(program, n, devices, notify ? program : NULL, data);
	if (error == CL_SUCCESS && ((n_headers == 0) != (headers == NULL) || (n_headers == 0) != (names == NULL)))
		error = CL_INVALID_VALUE;
	if (error == CL_SUCCESS)
		error = hc_options_check(options, CL_INVALID_COMPILER_OPTIONS);
	if (error == CL_SUCCESS && !program->source && !program->il)
		error = CL_INVALID_OPERATION;
	for (cl_uint i = 0; i < n_headers && error == CL_SUCCESS; i++)
		if (!hc_is(headers[i], HC_PROGRAM) || !headers[i]->source || !names[i])
			error = CL_INVALID_PROGRAM;
	if (error == CL_SUCCESS)
		error = begin(program, options);
	if (error != CL_SUCCESS)
		return error;
	const char **texts = hd_xcalloc(n_headers + 1, sizeof *texts);
	for (cl_uint i = 0; i < n_headers; i++)
		texts[i] = headers[i]->source;
	hc_source source = {.text = program->source, .options = options, .headers = texts, .names = names, .n_headers = n_headers};
	hc_unit unit = {0};
	bool ok = program->il ? (unit.text = hc_il_translate(program, &program->log)) != NULL : hc_compile_unit(&source, &unit, &program->log);
	free(texts);
	if (ok) {
		hd_vec_push(&program->units, unit);
		write_units(program, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	}
	end(program, ok, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
	if (notify)
		notify(program, data);
	return ok ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE;
}

cl_program clLinkProgram(cl_context context, cl_uint n, const cl_device_id *devices, const char *options, cl_uint n_inputs, const cl_program *inputs,
                         notify_fn notify, void *data, cl_int *status)
{
	cl_int error = hc_is(context, HC_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT;
	if (error == CL_SUCCESS && (n_inputs == 0 || !inputs || (n == 0) != (devices == NULL) || (!notify && data)))
		error = CL_INVALID_VALUE;
	for (cl_uint i = 0; i < n && error == CL_SUCCESS; i++)
		if (devices[i] != &hc_device)
			error = CL_INVALID_DEVICE;
	if (error == CL_SUCCESS)
		error = hc_options_check(options, CL_INVALID_LINKER_OPTIONS);
	for (cl_uint i = 0; i < n_inputs && error == CL_SUCCESS; i++) {
		if (!hc_is(inputs[i], HC_PROGRAM))
			error = CL_INVALID_PROGRAM;
		else if (!inputs[i]->units.n)
			error = CL_INVALID_OPERATION;
	}
	hc_set(status, error);
	if (error != CL_SUCCESS)
		return NULL;
	bool library = options && strstr(options, "-create-library"), ok = true;
	cl_program program = hc_program_new(context);
	program->options = hd_xstrdup(options ? options : "");
	for (cl_uint i = 0; i < n_inputs; i++)
		for (size_t u = 0; u < inputs[i]->units.n; u++) {
			const hc_unit *from = &inputs[i]->units.at[u];
			hc_unit unit = {.text = hd_xstrdup(from->text)};
			if (from->bitcode.n)
				hd_text_put(&unit.bitcode, from->bitcode.at, from->bitcode.n);
			hd_vec_push(&program->units, unit);
		}
	if (!library) {
		hc_source source = {.text = "", .options = options, .units = program->units.at, .n_units = program->units.n, .linking = true};
		ok = load(program, hc_compile(&source, &program->log));
	} else {
		write_units(program, CL_PROGRAM_BINARY_TYPE_LIBRARY);
	}
	end(program, ok, library ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
	if (notify)
		notify(program, data);
	hc_set(status, ok ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE);
	return program;
}

static cl_int kernel_names(cl_program program, hc_answer to)
{
	hd_text names = {0};
	for (size_t i = 0; i < program->code->kernels.n; i++)
		if (!hd_kernel_is_block(program->code->kernels.at[i].name))
			hd_text_printf(&names, "%s%s", names.n ? ";" : "", program->code->kernels.at[i].name);
	cl_int status = hc_answer_text(to, names.at ? names.at : "");
	hd_text_free(&names);
	return status;
}

static cl_int binaries(cl_program program, size_t n, hc_answer to)
{
	unsigned char **places = to.value;
	if (to.value && to.size < sizeof(unsigned char *))
		return CL_INVALID_VALUE;
	if (places && places[0] && n)
		memcpy(places[0], program->image, n);
	if (to.size_ret)
		*to.size_ret = sizeof(unsigned char *);
	return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(program, HC_PROGRAM))
		return CL_INVALID_PROGRAM;
	/* Another thread owns the program while it builds. */
	pthread_mutex_lock(&hr_lock);
	bool built = program->status == CL_BUILD_SUCCESS;
	pthread_mutex_unlock(&hr_lock);
	switch (what) {
	case CL_PROGRAM_REFERENCE_COUNT:
		return HC_ANSWER(to, cl_uint, atomic_load(&program->object.refs));
	case CL_PROGRAM_CONTEXT:
		return HC_ANSWER(to, cl_context, program->context);
	case CL_PROGRAM_NUM_DEVICES:
		return HC_ANSWER(to, cl_uint, 1);
	case CL_PROGRAM_DEVICES:
		return HC_ANSWER(to, cl_device_id, &hc_device);
	case CL_PROGRAM_SOURCE:
		return hc_answer_text(to, program->source ? program->source : "");
	case CL_PROGRAM_IL:
		return hc_answer_bytes(to, program->il ? (const void *)program->il : "", program->n_il);
	case CL_PROGRAM_BINARY_SIZES:
		return HC_ANSWER(to, size_t, built ? program->n_image : 0);
	case CL_PROGRAM_BINARIES:
		return binaries(program, built ? program->n_image : 0, to);
	case CL_PROGRAM_NUM_KERNELS:
		return built && program->loaded ? HC_ANSWER(to, size_t, hc_kernels(program->code)) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_KERNEL_NAMES:
		return built && program->loaded ? kernel_names(program, to) : CL_INVALID_PROGRAM_EXECUTABLE;
	case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
	case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		return HC_ANSWER(to, cl_bool, CL_FALSE);
	}
	return CL_INVALID_VALUE;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value, size_t *size_ret)
{
	hc_answer to = {size, value, size_ret};
	if (!hc_is(program, HC_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (device != &hc_device)
		return CL_INVALID_DEVICE;
	pthread_mutex_lock(&hr_lock);
	cl_build_status status = program->status;
	cl_program_binary_type type = program->type;
	pthread_mutex_unlock(&hr_lock);
	bool busy = status == CL_BUILD_IN_PROGRESS;
	switch (what) {
	case CL_PROGRAM_BUILD_STATUS:
		return HC_ANSWER(to, cl_build_status, status);
	case CL_PROGRAM_BUILD_OPTIONS:
		return hc_answer_text(to, !busy && program->options ? program->options : "");
	case CL_PROGRAM_BUILD_LOG:
		return hc_answer_text(to, !busy && program->log.at ? program->log.at : "");
	case CL_PROGRAM_BINARY_TYPE:
		return HC_ANSWER(to, cl_program_binary_type, type);
	case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		/* Constants lie beside the variables. */
		return HC_ANSWER(to, size_t, status == CL_BUILD_SUCCESS && program->code ? program->code->data.n : 0);
	}
	return CL_INVALID_VALUE;
}

cl_int clRetainProgram(cl_program program) { return hc_retain(program, HC_PROGRAM, CL_INVALID_PROGRAM); }
cl_int clReleaseProgram(cl_program program) { return hc_release(program, HC_PROGRAM, CL_INVALID_PROGRAM); }

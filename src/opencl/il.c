/* Programs in SPIR-V (cl_khr_il_program, the core interface since 2.1): creation, specialization constants, and the unit that is linked. */
#include "opencl/driver.h"

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t size, cl_int *status)
{
	hd_spirv module = {0};
	hd_diag diag = {0};
	cl_int error = !hc_is(context, HC_CONTEXT) ? CL_INVALID_CONTEXT
	               : !hc_device.spirv          ? CL_INVALID_OPERATION
	               : !il || !size              ? CL_INVALID_VALUE
	                                           : CL_SUCCESS;
	if (error == CL_SUCCESS && !hd_spirv_read(&module, il, size, (hd_pos){.file = "program"}, &diag))
		error = CL_INVALID_VALUE;
	/* The interface has no log for what is wrong with it. */
	if (hr_device.build_log && diag.text.n)
		fwrite(diag.text.at, 1, diag.text.n, stderr);
	hd_diag_free(&diag);
	hc_set(status, error);
	if (error != CL_SUCCESS) {
		hd_spirv_free(&module);
		return NULL;
	}
	cl_program program = hc_program_new(context);
	program->il = hd_xmalloc(size);
	memcpy(program->il, il, size);
	program->n_il = size;
	program->module = module;
	return program;
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size, const void *value)
{
	if (!hc_is(program, HC_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!program->il)
		return hc_device.spirv ? CL_INVALID_PROGRAM : CL_INVALID_OPERATION;
	cl_int error = CL_SUCCESS;
	pthread_mutex_lock(&hr_lock);
	size_t expected = hd_spirv_constant_size(&program->module, id);
	if (!expected)
		error = CL_INVALID_SPEC_ID;
	else if (!value || size != expected)
		error = CL_INVALID_VALUE;
	else
		hd_spirv_specialize(&program->module, id, value);
	pthread_mutex_unlock(&hr_lock);
	return error;
}

/* The module's words, with the constants that were set, in hexadecimal: a key has no zero bytes. */
static bool make_key(const hd_spirv *module, hd_text *key)
{
	if (!hr_cache_key(key))
		return false;
	hd_text_printf(key, "SPIR-V\n");
	for (size_t i = 0; i < module->words.n; i++)
		hd_text_printf(key, "%08x", (unsigned)module->words.at[i]);
	return true;
}

char *hc_il_translate(cl_program program, hd_text *log)
{
	hd_diag diag = {0};
	hd_spirv module = {0};
	/* Another thread may set constants. */
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < program->module.words.n; i++)
		hd_vec_push(&module.words, program->module.words.at[i]);
	pthread_mutex_unlock(&hr_lock);
	hd_text key = {0};
	size_t n;
	bool keyed = make_key(&module, &key);
	char *text = keyed ? hr_cache_read(&key, &n, log) : NULL;
	if (!text) {
		text = hd_spirv_translate(&module, "program", &diag);
		if (keyed && text)
			hr_cache_store(&key, &diag.text, (const uint8_t *)text, strlen(text));
		if (diag.text.n)
			hd_text_put(log, diag.text.at, diag.text.n);
	}
	hd_text_free(&key);
	hd_diag_free(&diag);
	hd_spirv_free(&module);
	return text;
}

/* Handles, destructors, and answers to queries. */
#include "opencl/driver.h"

bool hc_is(const void *object, hc_kind kind)
{
	if (object == &hc_platform || object == &hc_device)
		return ((const hr_object *)object)->kind == kind;
	return hr_is(object, kind);
}

cl_int hc_retain(void *object, hc_kind kind, cl_int error) { return hr_retain(object, kind) ? CL_SUCCESS : error; }
cl_int hc_release(void *object, hc_kind kind, cl_int error) { return hr_release(object, kind) ? CL_SUCCESS : error; }

void hc_destructors_add(hc_destructor **list, void (*call)(void *object, void *data), void *data)
{
	hc_destructor *one = hd_xmalloc(sizeof *one);
	pthread_mutex_lock(&hr_lock);
	*one = (hc_destructor){.next = *list, .call = call, .data = data};
	*list = one;
	pthread_mutex_unlock(&hr_lock);
}

void hc_destructors_run(hc_destructor *list, void *object)
{
	while (list) {
		hc_destructor *next = list->next;
		list->call(object, list->data);
		free(list);
		list = next;
	}
}

cl_int hc_answer_bytes(hc_answer to, const void *bytes, size_t n)
{
	if (to.value && to.size < n)
		return CL_INVALID_VALUE;
	if (to.value && n)
		memcpy(to.value, bytes, n);
	if (to.size_ret)
		*to.size_ret = n;
	return CL_SUCCESS;
}

cl_int hc_answer_text(hc_answer to, const char *text) { return hc_answer_bytes(to, text, strlen(text) + 1); }

size_t hc_properties(const uint64_t *list, uint64_t **copy)
{
	size_t n = 0;
	*copy = NULL;
	if (!list)
		return 0;
	while (list[n])
		n += 2;
	*copy = hd_xmalloc((n + 1) * sizeof *list);
	memcpy(*copy, list, (n + 1) * sizeof *list);
	return n + 1;
}

/* Reference counts, and answers to queries. */
#include "opencl/driver.h"

void *hc_new(hc_kind kind, size_t bytes, void (*destroy)(void *object))
{
	hc_object *object = hd_xcalloc(1, bytes);
	object->dispatch = &hc_dispatch;
	object->kind = kind;
	atomic_init(&object->refs, 1);
	atomic_init(&object->uses, 1);
	object->destroy = destroy;
	return object;
}

bool hc_is(const void *object, hc_kind kind) { return object && ((const hc_object *)object)->kind == kind; }

void *hc_use(void *object)
{
	if (object)
		atomic_fetch_add(&((hc_object *)object)->uses, 1);
	return object;
}

void hc_unuse(void *object)
{
	hc_object *o = object;
	if (!o || atomic_fetch_sub(&o->uses, 1) != 1)
		return;
	o->destroy(o);
	o->kind = HC_DEAD;
	free(o);
}

cl_int hc_retain(void *object, hc_kind kind, cl_int error)
{
	if (!hc_is(object, kind))
		return error;
	atomic_fetch_add(&((hc_object *)object)->refs, 1);
	return CL_SUCCESS;
}

cl_int hc_release(void *object, hc_kind kind, cl_int error)
{
	if (!hc_is(object, kind))
		return error;
	hc_object *o = object;
	unsigned refs = atomic_load(&o->refs);
	/* An object without references cannot be released, even if another object still uses it. */
	do {
		if (!refs)
			return error;
	} while (!atomic_compare_exchange_weak(&o->refs, &refs, refs - 1));
	if (refs == 1)
		hc_unuse(o);
	return CL_SUCCESS;
}

void hc_destructors_add(hc_destructor **list, void (*call)(void *object, void *data), void *data)
{
	hc_destructor *one = hd_xmalloc(sizeof *one);
	pthread_mutex_lock(&hc_lock);
	*one = (hc_destructor){.next = *list, .call = call, .data = data};
	*list = one;
	pthread_mutex_unlock(&hc_lock);
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

/* Reference counts, and answers to queries. */
#include "opencl/driver.h"

/* Memory that was an object once stays one: it is never given back to the host, and serves for another object of its kind, the one that died first
 * serves first. So a handle that the application has released can be told from a live one, and the loader, which reads the dispatch table before the
 * driver sees the handle, reads no freed memory. */
typedef struct dead {
	hc_object object;
	struct dead *next;
} dead;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* protects all below */
static struct {
	dead *first, **last;
	size_t n;
} graves[HC_EVENT + 1];
static uint64_t lives; /* objects that ever lived */
/* Addresses of all objects, dead or alive: a hash table, at most half full. */
static struct {
	const void **at;
	size_t n, size; /* size: a power of two, or 0 */
} known;

static size_t slot_of(const void *object)
{
	size_t i = (size_t)(((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (known.size - 1);
	while (known.at[i] && known.at[i] != object)
		i = (i + 1) & (known.size - 1);
	return i;
}

static void know(const void *object)
{
	if (2 * (known.n + 1) > known.size) {
		const void **old = known.at;
		size_t n = known.size;
		known.size = n ? 2 * n : 256;
		known.at = hd_xcalloc(known.size, sizeof *known.at);
		for (size_t i = 0; i < n; i++)
			if (old[i])
				known.at[slot_of(old[i])] = old[i];
		free(old);
	}
	known.at[slot_of(object)] = object;
	known.n++;
}

static hc_object *take_dead(hc_kind kind)
{
	dead *d = graves[kind].first;
	if (graves[kind].n <= HC_DEAD_MIN)
		return NULL;
	graves[kind].first = d->next;
	graves[kind].n--;
	d->next = NULL;
	return &d->object;
}

void *hc_new(hc_kind kind, size_t bytes, void (*destroy)(void *object))
{
	hd_invariant(bytes >= sizeof(dead), "an object of %zu bytes", bytes);
	pthread_rwlock_wrlock(&lock);
	hc_object *object = take_dead(kind);
	if (!object) {
		object = hd_xcalloc(1, bytes);
		know(object);
	}
	object->dispatch = &hc_dispatch;
	object->number = ++lives;
	object->bytes = bytes;
	atomic_store(&object->refs, 1);
	atomic_store(&object->uses, 1);
	object->destroy = destroy;
	atomic_store(&object->kind, kind);
	pthread_rwlock_unlock(&lock);
	return object;
}

static void bury(hc_object *o)
{
	hc_kind kind = atomic_exchange(&o->kind, HC_DEAD);
	dead *d = (dead *)o;
	pthread_rwlock_wrlock(&lock);
	memset((char *)o + sizeof *o, 0, o->bytes - sizeof *o);
	if (!graves[kind].first)
		graves[kind].last = &graves[kind].first;
	*graves[kind].last = d;
	graves[kind].last = &d->next;
	graves[kind].n++;
	pthread_rwlock_unlock(&lock);
}

bool hc_is(const void *object, hc_kind kind)
{
	bool there = object == &hc_platform || object == &hc_device;
	if (!there && object) {
		pthread_rwlock_rdlock(&lock);
		there = known.size && known.at[slot_of(object)] == object;
		pthread_rwlock_unlock(&lock);
	}
	return there && atomic_load(&((hc_object *)object)->kind) == kind;
}

void *hc_use(void *object)
{
	if (object)
		atomic_fetch_add(&((hc_object *)object)->uses, 1);
	return object;
}

bool hc_use_if_alive(void *object, uint64_t number)
{
	hc_object *o = object;
	pthread_rwlock_rdlock(&lock); /* nothing dead comes to life again meanwhile */
	unsigned uses = o->number == number ? atomic_load(&o->uses) : 0;
	while (uses && !atomic_compare_exchange_weak(&o->uses, &uses, uses + 1))
		continue;
	pthread_rwlock_unlock(&lock);
	return uses != 0;
}

void hc_unuse(void *object)
{
	hc_object *o = object;
	if (!o || atomic_fetch_sub(&o->uses, 1) != 1)
		return;
	o->destroy(o);
	bury(o);
}

cl_int hc_retain(void *object, hc_kind kind, cl_int error)
{
	if (!hc_is(object, kind))
		return error;
	hc_object *o = object;
	unsigned refs = atomic_load(&o->refs);
	/* An object without references was released, even if another object still uses it. */
	do {
		if (!refs)
			return error;
	} while (!atomic_compare_exchange_weak(&o->refs, &refs, refs + 1));
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

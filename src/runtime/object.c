/* Reference counts, and the memory of objects. */
#include "runtime/object.h"

#include "base/base.h"

#include <pthread.h>
#include <string.h>

/* Memory that was an object once stays one: it is never given back to the host, and serves for another object of its kind, the one that died first
 * serves first. So a handle that the application has released can be told from a live one, and a loader, which reads the dispatch table before
 * this code sees the handle, reads no freed memory. */
typedef struct dead {
	hr_object object;
	struct dead *next;
} dead;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER; /* protects all below */
static struct {
	dead *first, **last;
	size_t n;
} graves[HR_KINDS];
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

static hr_object *take_dead(unsigned kind)
{
	dead *d = graves[kind].first;
	if (graves[kind].n <= HR_DEAD_MIN)
		return NULL;
	graves[kind].first = d->next;
	graves[kind].n--;
	d->next = NULL;
	return &d->object;
}

void *hr_new(const void *dispatch, unsigned kind, size_t bytes, void (*destroy)(void *object))
{
	hd_invariant(bytes >= sizeof(dead), "an object of %zu bytes", bytes);
	pthread_rwlock_wrlock(&lock);
	hr_object *object = take_dead(kind);
	if (!object) {
		object = hd_xcalloc(1, bytes);
		know(object);
	}
	object->dispatch = dispatch;
	object->number = ++lives;
	object->bytes = bytes;
	atomic_store(&object->refs, 1);
	atomic_store(&object->uses, 1);
	object->destroy = destroy;
	atomic_store(&object->kind, kind);
	pthread_rwlock_unlock(&lock);
	return object;
}

static void bury(hr_object *o)
{
	unsigned kind = atomic_exchange(&o->kind, HR_DEAD);
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

bool hr_is(const void *object, unsigned kind)
{
	bool there = false;
	if (object) {
		pthread_rwlock_rdlock(&lock);
		there = known.size && known.at[slot_of(object)] == object;
		pthread_rwlock_unlock(&lock);
	}
	return there && atomic_load(&((hr_object *)object)->kind) == kind;
}

void *hr_use(void *object)
{
	if (object)
		atomic_fetch_add(&((hr_object *)object)->uses, 1);
	return object;
}

bool hr_use_if_alive(void *object, uint64_t number)
{
	hr_object *o = object;
	pthread_rwlock_rdlock(&lock); /* nothing dead comes to life again meanwhile */
	unsigned uses = o->number == number ? atomic_load(&o->uses) : 0;
	while (uses && !atomic_compare_exchange_weak(&o->uses, &uses, uses + 1))
		continue;
	pthread_rwlock_unlock(&lock);
	return uses != 0;
}

void hr_unuse(void *object)
{
	hr_object *o = object;
	if (!o || atomic_fetch_sub(&o->uses, 1) != 1)
		return;
	o->destroy(o);
	bury(o);
}

bool hr_retain(void *object, unsigned kind)
{
	if (!hr_is(object, kind))
		return false;
	hr_object *o = object;
	unsigned refs = atomic_load(&o->refs);
	/* An object without references was released, even if another object still uses it. */
	do {
		if (!refs)
			return false;
	} while (!atomic_compare_exchange_weak(&o->refs, &refs, refs + 1));
	return true;
}

bool hr_release(void *object, unsigned kind)
{
	if (!hr_is(object, kind))
		return false;
	hr_object *o = object;
	unsigned refs = atomic_load(&o->refs);
	/* An object without references cannot be released, even if another object still uses it. */
	do {
		if (!refs)
			return false;
	} while (!atomic_compare_exchange_weak(&o->refs, &refs, refs - 1));
	if (refs == 1)
		hr_unuse(o);
	return true;
}

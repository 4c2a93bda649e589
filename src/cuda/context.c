/* Contexts: the driver interface's, each thread's stack of them, and the primary context. */
#include "cuda/state.h"

/* A context that a thread has made current. A number tells whether the context has ended since. */
typedef struct entry {
	hu_context *context; /* or NULL, which may be pushed */
	uint64_t number;
} entry;

enum { DEPTH = 64 };
static _Thread_local entry stack[DEPTH];
static _Thread_local unsigned depth;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hu_context *primary;         /* written under `once`; it never ends, but what it owns does */
static HD_VEC(hu_context *) others; /* [hr_lock] */

static void destroy_nothing(void *object) { (void)object; }

static void make_primary(void)
{
	primary = hr_new(NULL, HU_CONTEXT_KIND, sizeof *primary, destroy_nothing);
	primary->primary = true;
}

hu_context *hu_primary(void)
{
	pthread_once(&once, make_primary);
	return primary;
}

bool hu_context_is(const void *context) { return hr_is(context, HU_CONTEXT_KIND); }
uint64_t hu_context_number(const hu_context *context) { return context->object.number; }

hu_context *hu_context_numbered(uint64_t number)
{
	hu_context *found = hu_primary()->object.number == number ? primary : NULL;
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < others.n; i++)
		if (others.at[i]->object.number == number)
			found = others.at[i];
	pthread_mutex_unlock(&hr_lock);
	return found;
}

static bool has_ended(const entry *e)
{
	if (e->context->primary && e->context == hu_primary())
		return !hu_primary_active();
	return !hr_is(e->context, HU_CONTEXT_KIND) || e->context->object.number != e->number;
}

uint64_t hu_owner(void) { return depth ? stack[depth - 1].number : 0; }

cudaError_t hu_context_current(hu_context **context)
{
	const entry *top = depth ? &stack[depth - 1] : NULL;
	*context = top ? top->context : NULL;
	return *context && has_ended(top) ? cudaErrorContextIsDestroyed : cudaSuccess;
}

cudaError_t hu_context_of_runtime(void)
{
	if (!depth || !stack[depth - 1].context)
		hu_context_set(hu_primary());
	const entry *top = &stack[depth - 1];
	if (top->context != primary)
		return has_ended(top) ? cudaErrorContextIsDestroyed : cudaSuccess;
	atomic_store(&primary->of_runtime, true);
	return cudaSuccess;
}

/* -- the stack ---------------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_context_push(hu_context *context)
{
	if (depth == DEPTH || (context && !hu_context_is(context)))
		return cudaErrorInvalidValue;
	stack[depth++] = (entry){context, context ? context->object.number : 0};
	return cudaSuccess;
}

cudaError_t hu_context_pop(hu_context **context)
{
	if (!depth)
		return cudaErrorDeviceUninitialized;
	*context = stack[--depth].context;
	return cudaSuccess;
}

cudaError_t hu_context_set(hu_context *context)
{
	if (context && !hu_context_is(context))
		return cudaErrorInvalidValue;
	if (depth)
		depth--;
	return context ? hu_context_push(context) : cudaSuccess;
}

/* -- beginning and end -------------------------------------------------------------------------------------------------------------------------- */
cudaError_t hu_context_new(unsigned flags, hu_context **context)
{
	if (depth == DEPTH)
		return cudaErrorInvalidValue;
	*context = hr_new(NULL, HU_CONTEXT_KIND, sizeof **context, destroy_nothing);
	(*context)->flags = flags;
	pthread_mutex_lock(&hr_lock);
	hd_vec_push(&others, *context);
	pthread_mutex_unlock(&hr_lock);
	return hu_context_push(*context);
}

static void free_owned(uint64_t owner)
{
	hu_wait_all();
	hu_streams_free_of(owner);
	hu_events_free_of(owner);
	hu_modules_free_of(owner);
	hu_blocks_free_of(owner);
	if (atomic_load(&hu.sticky_owner) == owner)
		atomic_store(&hu.sticky, 0);
}

cudaError_t hu_context_free(hu_context *context)
{
	if (!hu_context_is(context) || context == hu_primary())
		return cudaErrorInvalidValue;
	uint64_t number = context->object.number;
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < others.n; i++)
		if (others.at[i] == context)
			others.at[i--] = others.at[--others.n];
	if (!others.n)
		hd_vec_free(&others);
	pthread_mutex_unlock(&hr_lock);
	if (!hr_release(context, HU_CONTEXT_KIND))
		return cudaErrorInvalidValue;
	free_owned(number);
	if (depth && stack[depth - 1].context == context && stack[depth - 1].number == number)
		depth--;
	return cudaSuccess;
}

unsigned hu_context_flags(const hu_context *context)
{
	pthread_mutex_lock(&hr_lock);
	unsigned flags = context->flags;
	pthread_mutex_unlock(&hr_lock);
	return flags;
}

void hu_context_set_flags(hu_context *context, unsigned flags)
{
	pthread_mutex_lock(&hr_lock);
	context->flags = flags;
	pthread_mutex_unlock(&hr_lock);
}

/* -- the primary context --------------------------------------------------------------------------------------------------------------------------
 */
void hu_primary_retain(void)
{
	pthread_mutex_lock(&hr_lock);
	hu_primary()->retained++;
	pthread_mutex_unlock(&hr_lock);
}

bool hu_primary_active(void)
{
	pthread_mutex_lock(&hr_lock);
	bool active = hu_primary()->retained || atomic_load(&primary->of_runtime);
	pthread_mutex_unlock(&hr_lock);
	return active;
}

cudaError_t hu_primary_release(void)
{
	pthread_mutex_lock(&hr_lock);
	bool retained = hu_primary()->retained != 0;
	primary->retained -= retained;
	bool last = retained && !primary->retained && !atomic_load(&primary->of_runtime);
	pthread_mutex_unlock(&hr_lock);
	if (last)
		hu_reset();
	return retained ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t hu_reset(void)
{
	hu_wait_all();
	atomic_store(&hu_primary()->of_runtime, false);
	free_owned(primary->object.number);
	hu_modules_forget();
	return cudaSuccess;
}

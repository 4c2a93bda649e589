/* Memory pools. Memory is the device's, whichever pool it is of, and nothing stays with a pool that has been freed. A pool counts what it has given,
 * and keeps the settings of the program. */
#include "cuda/state.h"

struct hu_pool {
	hr_object object;
	int reuse[3];             /* [lock], as all below */
	uint64_t threshold, high; /* high: the most that was used at once */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hu_pool *first, *current; /* first: written under `once`; current: [lock] */

static void destroy_nothing(void *object) { (void)object; }

hu_pool *hu_pool_new(void)
{
	hu_pool *pool = hr_new(NULL, HU_POOL_KIND, sizeof *pool, destroy_nothing);
	for (unsigned i = 0; i < HD_COUNT(pool->reuse); i++)
		pool->reuse[i] = 1;
	return pool;
}

static void begin(void) { first = current = hu_pool_new(); }

hu_pool *hu_pool_default(void)
{
	pthread_once(&once, begin);
	return first;
}

bool hu_pool_is(const void *pool) { return hr_is(pool, HU_POOL_KIND); }

hu_pool *hu_pool_current(void)
{
	hu_pool_default();
	pthread_mutex_lock(&hr_lock);
	hu_pool *pool = current;
	pthread_mutex_unlock(&hr_lock);
	return pool;
}

void hu_pool_use(hu_pool *pool)
{
	hu_pool_default();
	pthread_mutex_lock(&hr_lock);
	current = pool;
	pthread_mutex_unlock(&hr_lock);
}

bool hu_pool_free(hu_pool *pool)
{
	if (pool == hu_pool_default() || !hu_pool_is(pool))
		return false;
	if (pool == hu_pool_current())
		hu_pool_use(first);
	return hr_release(pool, HU_POOL_KIND);
}

/* hr_lock is held. */
static uint64_t used(const hu_pool *pool)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < hu.blocks.n; i++)
		sum += hu.blocks.at[i].pool == pool ? hu.blocks.at[i].size : 0;
	return sum;
}

cudaError_t hu_pool_allocate(hu_pool *pool, hu_stream *stream, uint64_t size, uint64_t *address)
{
	cudaError_t error = hu_allocate_in(stream, size, address);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.blocks.n && error == cudaSuccess && *address; i++)
		if (hu.blocks.at[i].address == *address)
			hu.blocks.at[i].pool = pool;
	pool->high = hd_max_u64(pool->high, used(pool));
	pthread_mutex_unlock(&hr_lock);
	return error;
}

cudaError_t hu_pool_attribute(hu_pool *pool, int which, void *value, bool sets)
{
	bool flag = which >= cudaMemPoolReuseFollowEventDependencies && which <= cudaMemPoolReuseAllowInternalDependencies;
	bool high = which == cudaMemPoolAttrReservedMemHigh || which == cudaMemPoolAttrUsedMemHigh;
	bool now = which == cudaMemPoolAttrReservedMemCurrent || which == cudaMemPoolAttrUsedMemCurrent;
	uint64_t number = 0;
	if (!value || !(flag || high || now || which == cudaMemPoolAttrReleaseThreshold) || (sets && now))
		return cudaErrorInvalidValue;
	if (sets)
		memcpy(&number, value, flag ? sizeof(int) : sizeof number);
	if (sets && high && number)
		return cudaErrorInvalidValue; /* it may only begin anew */
	pthread_mutex_lock(&hr_lock);
	int *reuse = flag ? &pool->reuse[which - cudaMemPoolReuseFollowEventDependencies] : NULL;
	if (sets && flag)
		*reuse = number != 0;
	else if (sets)
		*(high ? &pool->high : &pool->threshold) = high ? used(pool) : number;
	else
		number = flag ? (uint64_t)*reuse : high ? pool->high : now ? used(pool) : pool->threshold;
	pthread_mutex_unlock(&hr_lock);
	if (!sets)
		memcpy(value, &number, flag ? sizeof(int) : sizeof number);
	return cudaSuccess;
}

/* Memory pools. Memory is the device's, whichever pool it is of, and nothing stays with a pool that has been freed. A pool counts what it has given,
 * and keeps the settings of the program. */
#include "cuda/state.h"

struct CUmemPoolHandle_st {
	hr_object object;
	int reuse[3];             /* [lock], as all below */
	uint64_t threshold, high; /* high: the most that was used at once */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hu_pool *first, *current; /* first: written under `once`; current: [lock] */

static void destroy_nothing(void *object) { (void)object; }

static hu_pool *new_pool(void)
{
	hu_pool *pool = hr_new(NULL, HU_POOL_KIND, sizeof *pool, destroy_nothing);
	for (unsigned i = 0; i < HD_COUNT(pool->reuse); i++)
		pool->reuse[i] = 1;
	return pool;
}

static void begin(void) { first = current = new_pool(); }

hu_pool *hu_pool_default(void)
{
	pthread_once(&once, begin);
	return first;
}

static bool is_pool(const void *pool) { return hr_is(pool, HU_POOL_KIND); }

cudaError_t hu_pool_create(const struct cudaMemPoolProps *props, hu_pool **pool)
{
	if (!pool || !props || props->allocType != cudaMemAllocationTypePinned || props->location.type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	if (props->handleTypes != cudaMemHandleTypeNone)
		return cudaErrorNotSupported;
	if (props->location.id)
		return cudaErrorInvalidDevice;
	*pool = new_pool();
	return cudaSuccess;
}

hu_pool *hu_pool_current(void)
{
	hu_pool_default();
	pthread_mutex_lock(&hr_lock);
	hu_pool *pool = current;
	pthread_mutex_unlock(&hr_lock);
	return pool;
}

cudaError_t hu_pool_use(hu_pool *pool, int device)
{
	hu_pool_default();
	if (device || !is_pool(pool))
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	pthread_mutex_lock(&hr_lock);
	current = pool;
	pthread_mutex_unlock(&hr_lock);
	return cudaSuccess;
}

cudaError_t hu_pool_give(hu_pool *pool, int device, hu_pool **to)
{
	if (device || !to)
		return device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
	*to = pool;
	return cudaSuccess;
}

cudaError_t hu_pool_free(hu_pool *pool)
{
	if (pool == hu_pool_default() || !is_pool(pool))
		return cudaErrorInvalidValue;
	pthread_mutex_lock(&hr_lock);
	current = current == pool ? first : current;
	for (size_t i = 0; i < hu.blocks.n; i++) /* its memory stays, and is of no pool */
		hu.blocks.at[i].pool = hu.blocks.at[i].pool == pool ? NULL : hu.blocks.at[i].pool;
	pthread_mutex_unlock(&hr_lock);
	return hr_release(pool, HU_POOL_KIND) ? cudaSuccess : cudaErrorInvalidValue;
}

/* hr_lock is held. */
static uint64_t used(const hu_pool *pool)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < hu.blocks.n; i++)
		sum += hu.blocks.at[i].pool == pool ? hu.blocks.at[i].size : 0;
	return sum;
}

cudaError_t hu_pool_allocate(hu_pool *pool, hu_stream *stream, uint64_t size, void *to)
{
	uint64_t address = 0;
	if (!stream || !to || !is_pool(pool))
		return stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
	cudaError_t error = hu_allocate_in(stream, size, &address);
	pthread_mutex_lock(&hr_lock);
	for (size_t i = 0; i < hu.blocks.n && error == cudaSuccess && address; i++)
		if (hu.blocks.at[i].address == address)
			hu.blocks.at[i].pool = pool;
	pool->high = hd_max_u64(pool->high, used(pool));
	pthread_mutex_unlock(&hr_lock);
	if (error == cudaSuccess)
		memcpy(to, &address, sizeof address);
	return error;
}

cudaError_t hu_pool_attribute(hu_pool *pool, int which, void *value, bool sets)
{
	bool flag = which >= cudaMemPoolReuseFollowEventDependencies && which <= cudaMemPoolReuseAllowInternalDependencies;
	bool high = which == cudaMemPoolAttrReservedMemHigh || which == cudaMemPoolAttrUsedMemHigh;
	bool now = which == cudaMemPoolAttrReservedMemCurrent || which == cudaMemPoolAttrUsedMemCurrent;
	uint64_t number = 0;
	if (!is_pool(pool) || !value || !(flag || high || now || which == cudaMemPoolAttrReleaseThreshold) || (sets && now))
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

/* Nothing stays with a pool. */
cudaError_t hu_pool_trim(const hu_pool *pool) { return is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue; }

/* The device reads and writes its own pools, and there is no other one. */
cudaError_t hu_pool_set_access(const hu_pool *pool, const struct cudaMemAccessDesc *list, size_t n)
{
	if (!is_pool(pool) || (n && !list))
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		if (list[i].location.type != cudaMemLocationTypeDevice || list[i].location.id != 0)
			return cudaErrorInvalidDevice;
		if (list[i].flags != cudaMemAccessFlagsProtReadWrite)
			return cudaErrorInvalidValue;
	}
	return cudaSuccess;
}

cudaError_t hu_pool_access(const hu_pool *pool, const struct cudaMemLocation *location, enum cudaMemAccessFlags *flags)
{
	if (!flags || !is_pool(pool) || !location || location->type != cudaMemLocationTypeDevice)
		return cudaErrorInvalidValue;
	*flags = location->id == 0 ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
	return location->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

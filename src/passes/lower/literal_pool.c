#include "passes/lower/literal_pool.h"

/* Constant-bank words that the parameters of kernels take, and what lies before them. */
static uint32_t parameter_words(const hd_ir_module *module)
{
	uint32_t bytes = 0;
	for (size_t i = 0; i < module->functions.n; i++) {
		if (module->functions.at[i]->kernel)
			bytes = hd_max_u32(bytes, module->functions.at[i]->info.param_bytes);
	}
	return (HD_BANK_PARAMS + bytes + 3) / 4;
}

static int by_value(const void *left, const void *right)
{
	const hd_literal *a = left, *b = right;
	if (a->words != b->words)
		return a->words > b->words ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

static int by_weight(const void *left, const void *right)
{
	const hd_literal *a = left, *b = right;
	uint64_t wa = a->weight / a->words, wb = b->weight / b->words;
	if (wa != wb)
		return wa > wb ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void sort(hd_literal_pool *pool, int (*compare)(const void *, const void *))
{
	if (pool->literals.n)
		qsort(pool->literals.at, pool->literals.n, sizeof *pool->literals.at, compare);
}

void hd_literal_pool_want(hd_literal_pool *pool, uint64_t value, unsigned words, uint32_t weight)
{
	hd_vec_push(&pool->literals, (hd_literal){value, (uint8_t)words, weight, (uint32_t)pool->literals.n});
}

/* One entry for all uses of a value. */
static void merge_equal(hd_literal_pool *pool)
{
	size_t n = 0;
	sort(pool, by_value);
	for (size_t i = 0; i < pool->literals.n; i++) {
		const hd_literal *next = &pool->literals.at[i];
		hd_literal *last = n ? &pool->literals.at[n - 1] : NULL;
		if (last && last->value == next->value && last->words == next->words) {
			last->weight += next->weight;
			last->order = hd_min_u32(last->order, next->order);
		} else {
			pool->literals.at[n++] = *next;
		}
	}
	pool->literals.n = n;
}

static void keep_best(hd_literal_pool *pool, uint32_t room)
{
	uint32_t used = 0;
	size_t kept = 0;
	sort(pool, by_weight);
	for (size_t i = 0; i < pool->literals.n; i++) {
		if (used + pool->literals.at[i].words + 1 > room) /* one word of padding at most */
			continue;
		used += pool->literals.at[i].words;
		pool->literals.at[kept++] = pool->literals.at[i];
	}
	pool->literals.n = kept;
	sort(pool, by_value);
}

void hd_literal_pool_choose(hd_literal_pool *pool, hd_ir_module *module)
{
	uint32_t taken = parameter_words(module);
	merge_equal(pool);
	keep_best(pool, taken < HD_CONST_WORDS ? HD_CONST_WORDS - taken : 0);
	module->literals.n = 0;
	for (size_t i = 0; i < pool->literals.n; i++) {
		hd_vec_push(&module->literals, (uint32_t)pool->literals.at[i].value);
		if (pool->literals.at[i].words == 2)
			hd_vec_push(&module->literals, (uint32_t)(pool->literals.at[i].value >> 32));
	}
	if (module->literals.n % 2)
		hd_vec_push(&module->literals, 0);
}

bool hd_literal_pool_has(const hd_literal_pool *pool, uint64_t value, unsigned words)
{
	hd_literal key = {.value = value, .words = (uint8_t)words};
	return pool->literals.n && bsearch(&key, pool->literals.at, pool->literals.n, sizeof *pool->literals.at, by_value);
}

void hd_literal_pool_free(hd_literal_pool *pool) { hd_vec_free(&pool->literals); }

bool hd_literal_word(const hd_ir_module *module, uint64_t value, unsigned words, uint32_t *word)
{
	for (size_t i = 0; i + words <= module->literals.n; i += words) {
		if (module->literals.at[i] != (uint32_t)value || (words == 2 && module->literals.at[i + 1] != (uint32_t)(value >> 32)))
			continue;
		*word = HD_CONST_WORDS - (uint32_t)module->literals.n + (uint32_t)i;
		return true;
	}
	return false;
}

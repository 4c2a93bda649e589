#include "semantics/vector.h"

static hd_sem_fn *first_of(hd_sem_fn *const found[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (found[i])
			return found[i];
	return NULL;
}

hd_sem_fn *hd_sem_find_generic(const hd_inst *inst)
{
#define X(room) hd_sem_##room##_generic(inst),
	hd_sem_fn *const found[] = {hd_sem_directed(inst), HD_SEM_ROOMS(X)};
#undef X
	return first_of(found, HD_COUNT(found));
}

#if defined(__x86_64__)
static bool host_has_v3(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

hd_sem_fn *hd_sem_find_v3(const hd_inst *inst)
{
	if (!host_has_v3())
		return NULL;
#define X(room) hd_sem_##room##_v3(inst),
	hd_sem_fn *const found[] = {hd_sem_directed(inst), HD_SEM_ROOMS(X)};
#undef X
	return first_of(found, HD_COUNT(found));
}
#else
static bool host_has_v3(void) { return false; }

hd_sem_fn *hd_sem_find_v3(const hd_inst *inst) { return NULL; }
#endif

hd_sem_fn *hd_sem_find(const hd_inst *inst) { return host_has_v3() ? hd_sem_find_v3(inst) : hd_sem_find_generic(inst); }

const char *hd_sem_host_path(void) { return host_has_v3() ? "x86-64-v3" : "generic"; }

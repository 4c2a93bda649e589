#include "semantics/vector.h"

const char *const hd_sem_paths[HD_SEM_PATHS] = {"generic", "x86-64-v3", "x86-64-v4"};

static const hd_sem_code *first_of(const hd_sem_code *const found[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (found[i])
			return found[i];
	return NULL;
}

/* The best path that the host can run: an index of hd_sem_paths. */
static unsigned host_path(void)
{
#ifdef HD_HOST_PATHS
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
		return 0;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
	               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
	           ? 2
	           : 1;
#else
	return 0;
#endif
}

#define FIND(path)                                                                           \
	static const hd_sem_code *find_##path(const hd_inst *inst)                           \
	{                                                                                    \
		const hd_sem_code *const found[] = {hd_sem_directed(inst), HD_SEM_ROOMS(X)}; \
		return first_of(found, HD_COUNT(found));                                     \
	}
#define X(room) hd_sem_##room##_generic(inst),
FIND(generic)
#undef X
#ifdef HD_HOST_PATHS
#define X(room) hd_sem_##room##_v3(inst),
FIND(v3)
#undef X
#define X(room) hd_sem_##room##_v4(inst),
FIND(v4)
#undef X
#endif

const hd_sem_code *hd_sem_find_path(unsigned path, const hd_inst *inst)
{
	if (path > host_path())
		return NULL;
#ifdef HD_HOST_PATHS
	if (path > 0)
		return path > 1 ? find_v4(inst) : find_v3(inst);
#endif
	return find_generic(inst);
}

const hd_sem_code *hd_sem_find_code(const hd_inst *inst) { return hd_sem_find_path(host_path(), inst); }

hd_sem_fn *hd_sem_find(const hd_inst *inst)
{
	const hd_sem_code *code = hd_sem_find_code(inst);
	return code ? code->alone : NULL;
}

const char *hd_sem_host_path(void) { return hd_sem_paths[host_path()]; }

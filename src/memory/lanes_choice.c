#include "memory/lanes.h"

const hd_lanes *hd_lanes_of_host(void)
{
#ifdef HD_HOST_PATHS
	const char *path = hd_sem_host_path();
	if (strcmp(path, "x86-64-v4") == 0)
		return &hd_lanes_v4;
	if (strcmp(path, "x86-64-v3") == 0)
		return &hd_lanes_v3;
#endif
	return &hd_lanes_generic;
}

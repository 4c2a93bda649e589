/* Appended to src/base/base.c of a mutated build. HEDDLE_MUTATION chooses a mutation; HEDDLE_MUTATIONS_REACHED names a file of HD_MUTATIONS_MAX bytes, of
 * which those of the mutations that are reached become 1, in child processes and before a crash too. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((constructor)) static void begin_mutations(void)
{
	const char *active = getenv("HEDDLE_MUTATION");
	const char *reached = getenv("HEDDLE_MUTATIONS_REACHED");
	if (active)
		hd_mutation_active = atoi(active);
	int file = reached ? open(reached, O_RDWR | O_CLOEXEC) : -1;
	void *map = file >= 0 ? mmap(NULL, HD_MUTATIONS_MAX, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
	if (map != MAP_FAILED)
		hd_mutations_reached = map;
}

/* Put before every file of a mutated build (tests/mutants/run.py): which mutation is active in this process, and which ones were reached. The names are
 * weak since every object defines them, and hidden since a driver and the program that loads it have their own. */
#define HD_MUTATIONS_MAX (1 << 18)
__attribute__((weak, visibility("hidden"))) int hd_mutation_active;
__attribute__((weak, visibility("hidden"))) unsigned char hd_mutations_unread[HD_MUTATIONS_MAX];
__attribute__((weak, visibility("hidden"))) unsigned char *hd_mutations_reached = hd_mutations_unread;
#define HD_MUTATION(n) (hd_mutations_reached[n] = 1, hd_mutation_active == (n))

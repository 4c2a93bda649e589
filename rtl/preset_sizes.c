/* Prints as JSON the sizes that a machine description gives to the modules of rtl/, and the state bits by formula (src/config/state_bits.h), for
 * rtl/area.py. Usage: preset_sizes PRESET [KEY=VALUE]... */
#include "config/machine.h"
#include "config/state_bits.h"

int main(int argc, char **argv)
{
	hd_machine m;
	hd_state_bits bits;
	hd_diag diag = {0};
	bool good = argc >= 2 && hd_machine_load(&m, argv[1], &diag);
	for (int i = 2; good && i < argc; i++)
		good = hd_machine_set(&m, argv[i], &diag);
	if (!good) {
		fprintf(stderr, "usage: preset_sizes PRESET [KEY=VALUE]...\n");
		return 2;
	}
	hd_state_bits_of(&m, &bits);
	unsigned low = m.fence_counters - (m.fence_split == HD_SPLIT_PROGRAM ? 0 : m.fence_high_latency);
	printf("{\"scoreboard\": %s, \"warps\": %u, \"counters\": %u, \"low\": %u, \"bits\": %u, \"wait_counters\": %s, \"consumers\": %u,\n",
	       m.fence_mode == HD_DEP_SCOREBOARD ? "true" : "false", m.machine_warps, m.fence_counters, low, m.fence_bits,
	       m.fence_wait_counters ? "true" : "false", m.fence_consumers);
	printf(" \"path_b\": %u, \"path_a\": %u, \"compensation\": %u, \"across\": %u, \"by_pipe\": %s, \"priority_bits\": %u, \"by_program\": %u,\n",
	       m.last_use_path_b, m.last_use_path_a, m.last_use_compensation, m.last_use_across, hd_machine_has_operand_buffer(&m) ? "false" : "true",
	       m.predecode_priority_bits, m.predecode_priority == HD_PRIORITY_PROGRAM);
	printf(" \"queues\": [");
	for (unsigned pipe = 0; pipe < HD_PIPE_COUNT; pipe++)
		printf("%s{\"fifo\": %u, \"hazard\": %u, \"spacing\": %u}", pipe ? ", " : "", m.queue[pipe].fifo, m.queue[pipe].hazard,
		       hd_machine_spacing(&m, (hd_pipe)pipe));
	printf("],\n \"formula\": {\"fence_counters_warp\": %u, \"wait_counters_warp\": %u, \"monitor_warp\": %u, \"distances_warp\": %u, "
	       "\"queue_entries\": %u, "
	       "\"scoreboard_warp\": %u, \"results_scheduler\": %u}}\n",
	       bits.fence_counters_warp, bits.wait_counters_warp, bits.monitor_warp, bits.distances_warp, bits.queue_entries, bits.scoreboard_warp,
	       bits.results_core / m.machine_schedulers);
	return 0;
}

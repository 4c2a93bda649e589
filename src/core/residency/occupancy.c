#include "core/residency/occupancy.h"

/* The limit of local memory for all resident warps of all cores, which is kept in full. A launch that needs more for one CTA on each core is refused.
 * Other launches run with fewer CTAs. */
#define LOCAL_LIMIT (UINT64_C(1) << 31)

static const struct {
	const char *name, *reason;
} limits[HD_LIMIT_COUNT] = {
    [HD_LIMIT_CTAS] = {"CTAs", "a core holds no CTA (machine.max_ctas)"},
    [HD_LIMIT_WARPS] = {"warp slots", "it has more warps than a core has slots (machine.schedulers, machine.warps)"},
    [HD_LIMIT_REGISTERS] = {"registers", "it needs more registers than a core has (machine.registers)"},
    [HD_LIMIT_SHARED] = {"shared memory", "it needs more shared memory than a core has (machine.shared_memory)"},
    [HD_LIMIT_LOCAL] = {"local memory", "one on every core needs more than 2 GiB of local memory"},
};

const char *hd_occupancy_name(hd_occupancy_limit limit) { return limits[limit].name; }
const char *hd_occupancy_reason(hd_occupancy_limit limit) { return limits[limit].reason; }

hd_demand hd_demand_of(const hd_launch *launch)
{
	uint32_t warps = hd_launch_warps(launch), lanes = hd_launch_lanes(launch);
	return (hd_demand){.warps = warps,
	                   .registers = (uint64_t)warps * lanes * launch->kernel->registers,
	                   .shared = hd_launch_shared(launch),
	                   .local = (uint64_t)warps * lanes * launch->kernel->local_bytes};
}

hd_supply hd_supply_of(const hd_machine *machine)
{
	return (hd_supply){.ctas = machine->machine_max_ctas,
	                   .warps = machine->machine_schedulers * machine->machine_warps,
	                   .registers = machine->machine_registers,
	                   .shared = machine->machine_shared_memory,
	                   .local = LOCAL_LIMIT / hd_machine_cores(machine)};
}

static uint32_t times(uint64_t supply, uint64_t demand)
{
	uint64_t n = demand ? supply / demand : HD_UNLIMITED; // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult): both are set
	return (uint32_t)hd_min_u64(n, HD_UNLIMITED);
}

void hd_occupancy_of(const hd_machine *machine, const hd_launch *launch, hd_occupancy *occupancy)
{
	hd_demand demand = hd_demand_of(launch);
	hd_supply supply = hd_supply_of(machine);
	*occupancy = (hd_occupancy){.slots = supply.warps};
	occupancy->by[HD_LIMIT_CTAS] = supply.ctas;
	occupancy->by[HD_LIMIT_WARPS] = times(supply.warps, demand.warps);
	occupancy->by[HD_LIMIT_REGISTERS] = times(supply.registers, demand.registers);
	occupancy->by[HD_LIMIT_SHARED] = times(supply.shared, demand.shared);
	occupancy->by[HD_LIMIT_LOCAL] = times(supply.local, demand.local);
	for (unsigned i = 1; i < HD_LIMIT_COUNT; i++)
		if (occupancy->by[i] < occupancy->by[occupancy->limit])
			occupancy->limit = (hd_occupancy_limit)i;
	occupancy->ctas = occupancy->by[occupancy->limit];
	occupancy->warps = occupancy->ctas * demand.warps;
}

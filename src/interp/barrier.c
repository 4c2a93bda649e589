/* Barriers of a CTA (RC-17). They count warps: a warp arrives once for each BAR that it executes with at least one lane, whatever the number of
 * lanes, and waits as a whole. A barrier for the whole CTA expects every warp with a lane left, as in the machine. A barrier with a number of
 * threads expects the corresponding number of warps; if too few are left, the waiting warps are a deadlock. */
#include "interp/state.h"
#include "launch/first_bars.h"

static bool everybody_is_there(const hd_oracle *o, unsigned number) { return (o->came[number] | o->ended) == UINT32_MAX >> (HD_LANES - o->n_warps); }

/* The barrier is complete. After a join its warps wait until the CTA's child grids have ended, if there are any. */
static void open_barrier(hd_oracle *o, unsigned number)
{
	bool joins = o->joins >> number & 1 && hd_child_grids_open(o->child_grids);
	if (o->order)
		hd_oracle_report_open(o, number);
	o->arrived[number] = o->came[number] = 0;
	o->begun &= ~(1u << number);
	o->joins &= ~(1u << number);
	o->joining |= joins;
	for (uint32_t i = 0; i < o->n_warps; i++) {
		if (o->warps[i].barrier != (int)number)
			continue;
		o->warps[i].joins |= joins;
		o->warps[i].barrier = o->warps[i].joins ? (int)number : -1;
	}
}

void hd_oracle_end_join(hd_oracle *o)
{
	o->joining = false;
	if (o->order)
		hd_oracle_report_join(o, HD_ORDER_JOINED);
	for (uint32_t i = 0; i < o->n_warps; i++) {
		o->warps[i].barrier = o->warps[i].joins ? -1 : o->warps[i].barrier;
		o->warps[i].joins = false;
	}
}

void hd_oracle_barriers_end(hd_oracle *o)
{
	for (uint32_t rest = o->begun; rest; rest &= rest - 1) {
		unsigned number = hd_lowest_bit(rest);
		if (o->for_all[number] && everybody_is_there(o, number))
			open_barrier(o, number);
	}
}

bool hd_oracle_barrier(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t pc, uint32_t mask)
{
	unsigned number = op->inst->a % HD_ORACLE_BARRIERS;
	bool enough;
	o->came[number] |= 1u << w->number;
	o->arrived[number]++;
	o->begun |= 1u << number;
	o->for_all[number] = op->inst->b == HD_RZ;
	if (o->for_all[number]) {
		enough = everybody_is_there(o, number);
	} else {
		uint32_t threads = w->registers[op->inst->b].v[hd_lowest_bit(mask)];
		enough = o->arrived[number] >= threads / hd_launch_lanes(o->launch) + (threads % hd_launch_lanes(o->launch) != 0);
	}
	o->joins |= (uint32_t)(op->inst->mod == HD_BAR_JOIN) << number;
	if (op->inst->mod != HD_BAR_ARRIVE) {
		w->barrier = (int)number;
		w->barrier_pc = pc;
	}
	if (enough)
		open_barrier(o, number);
	return w->barrier >= 0;
}

bool hd_oracle_late_for_barrier(hd_oracle *o, const hd_oracle_warp *w, uint32_t mask)
{
	hd_text text = {0};
	uint32_t late = 0, where = UINT32_MAX;
	for (uint32_t rest = w->here & ~w->active; rest; rest &= rest - 1) {
		uint32_t pc = w->lane_pc[hd_lowest_bit(rest)];
		if (o->program->first_bars[pc] > w->pc)
			continue;
		late |= rest & -rest;
		where = hd_min_u32(where, pc);
	}
	if (!late)
		return false;
	hd_first_bars_explain(o->program, w->pc, mask, late, where, &text);
	hd_oracle_trap(o, w, HD_TRAP_DIVERGENCE, w->pc, hd_lowest_bit(mask));
	o->trap->text = text.at;
	return true;
}

/* Prints the lanes of `lanes`, which are not at the warp's PC, grouped by the address at which they wait. */
static void print_lanes(const hd_oracle *o, const hd_oracle_warp *w, hd_text *text, uint32_t lanes)
{
	while (lanes) {
		uint32_t pc = w->lane_pc[hd_lowest_bit(lanes)], same = 0;
		for (uint32_t rest = lanes; rest; rest &= rest - 1)
			same |= w->lane_pc[hd_lowest_bit(rest)] == pc ? rest & -rest : 0;
		hd_text_printf(text, "    lanes 0x%08x wait for them at ", same);
		hd_program_print_place(o->program, pc, text);
		hd_text_printf(text, "\n");
		lanes &= ~same;
	}
}

char *hd_oracle_whereabouts(const hd_oracle *o)
{
	hd_text text = {0};
	for (uint32_t i = 0; i < o->n_warps; i++) {
		const hd_oracle_warp *w = &o->warps[i];
		hd_text_printf(&text, "  warp %u ", i);
		if (w->done) {
			hd_text_printf(&text, "has ended\n");
			continue;
		}
		if (w->barrier >= 0)
			hd_text_printf(&text, "(lanes 0x%08x) waits at barrier %d, %u of %u warps there, ", w->active, w->barrier,
			               o->arrived[w->barrier], o->n_warps);
		else
			hd_text_printf(&text, "(lanes 0x%08x) runs at ", w->active);
		hd_program_print_place(o->program, w->barrier >= 0 ? w->barrier_pc : w->pc, &text);
		hd_text_printf(&text, "\n");
		print_lanes(o, w, &text, w->here & ~w->active);
		for (uint32_t k = w->depth; k-- > 0;)
			print_lanes(o, w, &text, w->frames[k].outside);
	}
	return text.at;
}

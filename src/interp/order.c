/* The interpreter's reports to an observer about the order of accesses (launch/order.h). Accesses themselves: access.c. */
#include "interp/state.h"

void hd_oracle_observe(hd_oracle *o, hd_order *order)
{
	bool change = !o->order != !order;
	o->order = order;
	for (uint32_t word = 0; change && word < o->n_ops; word++) {
		hd_oracle_op *op = &o->ops[word];
		bool lanes = op->inst && (hd_oracle_reports(op->inst) || op->inst->op == HD_OP_SHFL);
		if (lanes || op->kind == HD_ORACLE_MEMORY || op->kind == HD_ORACLE_WATCHED)
			op->kind = order ? HD_ORACLE_WATCHED : lanes ? HD_ORACLE_PURE : HD_ORACLE_MEMORY;
	}
	o->n_doubts = 0;
	if (order && !o->doubts) {
		o->doubts = hd_xcalloc(HD_ORACLE_DOUBTS, sizeof *o->doubts);
		hd_oracle_find_doubtful(o);
	}
	if (order)
		order->event(order, &(hd_order_event){.kind = HD_ORDER_RUN});
}

void hd_oracle_report(hd_oracle *o, hd_oracle_warp *w, const hd_oracle_op *op, uint32_t mask, uint32_t pc)
{
	hd_order_event e = {
	    .kind = op->inst->op == HD_OP_VOTE ? HD_ORDER_EVENTS : HD_ORDER_MEMBERS, .pc = pc, .warp = w->number, .mask = mask, .alive = w->alive};
	const hd_vec32 *members = hd_oracle_source(op, w, 0);
	for (uint32_t rest = mask; rest; rest &= rest - 1) {
		e.lane = hd_lowest_bit(rest);
		e.names = members->v[e.lane];
		if (e.kind == HD_ORDER_MEMBERS)
			w->named.v[e.lane] = e.names;
		o->order->event(o->order, &e);
	}
}

static uint32_t root_of(const hd_oracle *o, const hd_grid *grid)
{
	uint32_t i = 0;
	while (i + 1 < o->tasks->n_host && o->tasks->at.at[i] != grid->root)
		i++;
	return i;
}

void hd_oracle_report_grid(hd_oracle *o, const hd_grid *grid)
{
	const hd_task *task = grid->task;
	hd_order_event e = {.kind = HD_ORDER_GRID, .grid = grid->handle, .root = root_of(o, grid)};
	e.after = task ? task->after : NULL;
	e.n_after = task ? task->n_after : 0;
	o->order->event(o->order, &e);
}

void hd_oracle_report_cta(hd_oracle *o, hd_order_kind kind)
{
	hd_order_event e = {.kind = kind, .grid = o->grid->handle, .root = root_of(o, o->grid), .launch = o->launch};
	memcpy(e.cta, o->cta, sizeof e.cta);
	o->n_doubts = 0;
	o->order->event(o->order, &e);
}

void hd_oracle_report_arrival(hd_oracle *o, const hd_oracle_warp *w, const hd_inst *bar, uint32_t mask)
{
	hd_order_event e = {.kind = HD_ORDER_ARRIVE, .pc = w->pc, .warp = w->number, .mask = mask, .alive = w->alive};
	e.barrier = bar->a % HD_ORACLE_BARRIERS;
	e.waits = bar->mod != HD_BAR_ARRIVE;
	e.whole = bar->b == HD_RZ;
	o->order->event(o->order, &e);
}

void hd_oracle_report_sync(hd_oracle *o, const hd_oracle_warp *w, uint32_t lanes)
{
	hd_order_event e = {.kind = HD_ORDER_FENCE, .scope = HD_SCOPE_WARP, .pc = w->pc, .warp = w->number};
	for (uint32_t left = lanes; left; left &= ~e.mask) {
		e.mask = w->sync.exchange[1].v[hd_lowest_bit(left)];
		o->order->event(o->order, &e);
	}
}

/* The warps for which `what` holds. */
static uint32_t warps_that(const hd_oracle *o, bool (*what)(const hd_oracle_warp *, unsigned), unsigned barrier)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < o->n_warps; i++)
		set |= (uint32_t)what(&o->warps[i], barrier) << i;
	return set;
}

static bool has_ended(const hd_oracle_warp *w, unsigned barrier)
{
	(void)barrier;
	return w->done || !w->alive;
}

static bool waits_at(const hd_oracle_warp *w, unsigned barrier) { return !w->done && w->barrier == (int)barrier; }

static bool joins(const hd_oracle_warp *w, unsigned barrier)
{
	(void)barrier;
	return w->joins;
}

void hd_oracle_report_open(hd_oracle *o, unsigned barrier)
{
	hd_order_event e = {.kind = HD_ORDER_OPEN, .barrier = (uint8_t)barrier, .whole = o->for_all[barrier]};
	e.warps = warps_that(o, waits_at, barrier);
	e.ended = warps_that(o, has_ended, barrier);
	o->order->event(o->order, &e);
}

void hd_oracle_report_join(hd_oracle *o, hd_order_kind kind)
{
	/* When the CTA waits, its own warps are put aside, and no list of them is needed. */
	hd_order_event e = {.kind = kind, .warps = kind == HD_ORDER_JOINED ? warps_that(o, joins, 0) : 0};
	o->n_doubts = 0; /* those of lanes that have ended, or of child grids */
	o->order->event(o->order, &e);
}

void hd_oracle_report_child(hd_oracle *o, const hd_oracle_warp *w, unsigned lane, uint32_t handle, hd_order_begin begin)
{
	hd_order_event e = {.kind = HD_ORDER_LAUNCH, .warp = w->number, .lane = lane, .mask = 1u << lane, .grid = handle, .begin = begin};
	o->order->event(o->order, &e);
}

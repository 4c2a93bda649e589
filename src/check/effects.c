#include "check/effects.h"

#include "check/hint_registers.h"

static void put_uses(uint16_t *list, uint8_t *n, const hd_use *uses, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		hd_invariant(*n + uses[i].words + 1u <= HD_MAX_RESOURCES, "more than %d resources of one instruction", HD_MAX_RESOURCES);
		if (uses[i].words == 0)
			list[(*n)++] = (uint16_t)(HD_RESOURCE_PREDICATE + uses[i].reg);
		for (unsigned w = 0; w < uses[i].words; w++)
			list[(*n)++] = (uint16_t)(uses[i].reg + w);
	}
}

static uint64_t summary(const uint16_t *list, unsigned n)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < n; i++)
		any |= UINT64_C(1) << (list[i] & 63);
	return any;
}

static bool one_of(uint8_t op, const uint8_t *list, size_t n) { return memchr(list, op, n) != NULL; }

void hd_hint_effects(const hd_machine *m, unsigned hint, unsigned number, hd_effects *fx)
{
	unsigned initial = m->predecode_default_hint == HD_DEFAULT_WAIT || !m->predecode_default_delay ? 1 : m->predecode_default_delay;
	if (hint == HD_HINT_DEFAULT) {
		number = m->predecode_default_delay;
		hint = m->predecode_default_hint == HD_DEFAULT_WAIT ? HD_HINT_WAIT : HD_HINT_DELAY;
	}
	fx->spacing = (uint8_t)(number ? number : 1);
	switch (hint) {
	case HD_HINT_WAIT:
		fx->spacing = 1;
		fx->wait = (uint8_t)number;
		break;
	case HD_HINT_PAIR: /* the next instruction may issue in the same cycle */
		if (hd_machine_pairs(m))
			fx->spacing = 0;
		break;
	case HD_HINT_HOLD:
	case HD_HINT_HOLD_REPLAY:
		fx->waits_for_memory = !hd_machine_has_window(m) && m->predecode_hold;
		break;
	case HD_HINT_BOOST:
	case HD_HINT_LOWER:
		fx->spacing = (uint8_t)initial;
		break;
	default:
		break;
	}
}

/* True for the two hints whose number is no delay and no wait. */
static bool is_priority(unsigned hint) { return hint == HD_HINT_BOOST || hint == HD_HINT_LOWER; }

/* The spacing that the hint guarantees unless the next instruction issues in the same cycle (PD-7). */
static uint8_t spacing_unpaired(const hd_effects *fx, unsigned number) { return fx->spacing ? fx->spacing : (uint8_t)(number ? number : 1); }

/* Both hints of an entry hold (PD-24). A boost or lower guarantees nothing beside another hint. */
static void entry_effects(const hd_machine *m, unsigned bytes, hd_effects *fx)
{
	unsigned hint = bytes >> 4 & 15, other = bytes >> 12;
	hd_effects second = {0};
	hd_hint_effects(m, hint, bytes & 15, fx);
	fx->unpaired = spacing_unpaired(fx, bytes & 15);
	if (other == HD_HINT_DEFAULT || is_priority(other))
		return;
	hd_hint_effects(m, other, bytes >> 8 & 15, &second);
	second.unpaired = spacing_unpaired(&second, bytes >> 8 & 15);
	bool pairs = !fx->spacing || !second.spacing;
	fx->unpaired = is_priority(hint) ? second.unpaired : (uint8_t)hd_max_u32(fx->unpaired, second.unpaired);
	fx->spacing = pairs ? 0 : fx->unpaired;
	fx->wait = (uint8_t)hd_max_u32(fx->wait, second.wait);
	fx->waits_for_memory = fx->waits_for_memory || second.waits_for_memory;
}

/* `predecode`: the bytes of the scheduling word, or with a table the byte of the three bits (PD-28). */
static void carried_hint(const hd_machine *m, const hd_inst *inst, unsigned predecode, hd_effects *fx)
{
	switch (hd_machine_has_hint_table(m) ? HD_CARRIER_LINE : m->predecode_carrier) {
	case HD_CARRIER_LINE:
		entry_effects(m, predecode, fx);
		break;
	case HD_CARRIER_INSTRUCTION:
		hd_hint_effects(m, inst->hint3 ? HD_HINT_DELAY : HD_HINT_DEFAULT, inst->hint3, fx);
		break;
	case HD_CARRIER_REGISTER: /* while no register has its byte (hint_registers.h) */
		hd_hint_effects(m, HD_HINT_DEFAULT, 0, fx);
		break;
	default:
		fx->spacing = 1;
		break;
	}
}

static void memory_effects(const hd_inst *inst, hd_effects *fx)
{
	const hd_op_info *info = &hd_ops[inst->op];
	bool common = hd_op_accesses_common(info);
	fx->fence = info->flags & HD_OPF_FENCE;
	fx->ordered_by_fences = common;
	fx->shared_memory = (common && hd_op_space(info) != HD_SPACE_GLOBAL) || fx->fence;
}

/* docs/timing.md, Calls. An exit in a subroutine counts as a return, because the warp may resume at any resume point of a caller. So do a `bsync`
 * there, with convergence barriers a `bar` and, where groups of lanes in different functions take turns (G6), all of them. */
static bool drains(const hd_inst *inst, bool in_subroutine, hd_divergence mode)
{
	static const uint8_t draining[] = {HD_OP_CALL, HD_OP_CALLX, HD_OP_RET, HD_OP_BRX};
	static const uint8_t switching[] = {HD_OP_EXIT, HD_OP_WSYNC, HD_OP_BSYNC, HD_OP_YIELD};
	bool switches = one_of(inst->op, switching, sizeof switching) || (inst->op == HD_OP_BAR && mode == HD_DIV_BARRIERS);
	return !hd_is_never(inst) && (one_of(inst->op, draining, sizeof draining) || (in_subroutine && switches));
}

static hd_effects effects_of(const hd_machine *m, const hd_inst *inst, unsigned predecode, bool in_subroutine)
{
	const hd_op_info *info = &hd_ops[inst->op];
	hd_use uses[HD_MAX_USES];
	hd_class klass = (hd_class)info->klass;
	hd_pipe pipe = hd_machine_pipe(m, klass);
	hd_effects fx = {.pipe = (uint8_t)pipe,
	                 .latency = (uint16_t)hd_machine_latency(m, klass, info->flags & HD_OPF_CROSS),
	                 .lane_latency = (uint16_t)hd_machine_latency(m, klass, false),
	                 .guard_latency = (uint16_t)hd_machine_latency(m, klass, true),
	                 .variable_latency = (info->flags & HD_OPF_VAR) != 0};
	put_uses(fx.reads, &fx.n_reads, uses, hd_inst_reads(inst, uses));
	put_uses(fx.writes, &fx.n_writes, uses, hd_inst_writes(inst, uses));
	fx.reads_any = summary(fx.reads, fx.n_reads);
	fx.writes_any = summary(fx.writes, fx.n_writes);
	memory_effects(inst, &fx);
	fx.drains = drains(inst, in_subroutine, m->divergence_mode);
	unsigned type = hd_machine_typed_hints(m) ? hd_predecode_type(predecode) : 0;
	fx.mistyped = type && type != hd_hint_typed(pipe);
	carried_hint(m, inst, predecode, &fx);
	bool alone = pipe == HD_PIPE_FLOW || pipe == HD_PIPE_NONE;
	fx.all_pipes = !hd_machine_has_window(m) || alone;
	if (pipe == HD_PIPE_FLOW) /* docs/timing.md, rules 2 and 5 */
		fx.spacing = (uint8_t)(1 + fx.latency < HD_SPACING_LIMIT ? 1 + fx.latency : HD_SPACING_LIMIT);
	return fx;
}

static void add_resource(uint16_t *list, uint8_t *n, uint64_t *any, uint16_t resource)
{
	hd_invariant(*n < HD_MAX_RESOURCES, "more than %d resources of one instruction", HD_MAX_RESOURCES);
	list[(*n)++] = resource;
	*any |= summary(&resource, 1);
}

/* HZ-33. A resource for each instruction that comes first in orders. */
static void add_orders(const hd_object *object, hd_effects *all)
{
	uint16_t *resource = hd_xcalloc(object->code.n + 1, sizeof *resource), next = HD_RESOURCE_ORDER;
	for (size_t i = 0; i < object->orders.n; i++) {
		const hd_ordered *order = &object->orders.at[i];
		hd_effects *first = &all[order->first], *second = &all[order->second];
		if (!resource[order->first]) {
			resource[order->first] = next++;
			add_resource(first->writes, &first->n_writes, &first->writes_any, resource[order->first]);
		}
		add_resource(second->reads, &second->n_reads, &second->reads_any, resource[order->first]);
	}
	free(resource);
}

static unsigned bytes_of(const hd_code_graph *g, const hd_machine *machine, uint32_t word)
{
	if (hd_machine_has_hint_table(machine))
		return hd_object_hint3(g->object, g->insts[word].hint3);
	return hd_object_hint(g->object, word);
}

hd_effects *hd_effects_new(const hd_code_graph *g, const hd_machine *machine)
{
	const hd_object *object = g->object;
	hd_effects *all = hd_xcalloc((size_t)g->words + 1, sizeof *all);
	for (uint32_t b = 0; b < g->n; b++) {
		bool in_subroutine = hd_in_subroutine(g, b) || g->switches;
		for (uint32_t word = g->begin[b]; word < g->begin[b + 1]; word++) {
			if (!hd_is_scheduling_word(g, word))
				all[word] = effects_of(machine, &g->insts[word], bytes_of(g, machine, word), in_subroutine);
		}
	}
	if (object->orders.n)
		add_orders(object, all);
	if (machine->predecode_carrier == HD_CARRIER_REGISTER)
		hd_apply_hint_registers(g, machine, all);
	for (uint32_t word = 0; word < g->words; word++) {
		hd_effects *fx = &all[word];
		uint32_t next = hd_object_after(object, word);
		if (hd_is_scheduling_word(g, word))
			continue;
		/* Two instructions of one pipe never issue as a pair. The number of the hint is then the distance between them (PD-7). With hint
		 * registers `unpaired` is not known. */
		if (!fx->spacing && next < g->words && all[next].pipe == fx->pipe)
			fx->spacing = (uint8_t)hd_max_u32(fx->unpaired, 1);
		if (!hd_machine_has_window(machine) && fx->pipe != HD_PIPE_FLOW && fx->spacing)
			fx->delay_ahead = (uint8_t)(fx->spacing - 1);
	}
	return all;
}

int hd_common_resource(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb)
{
	for (unsigned i = 0; i < na; i++) {
		for (unsigned k = 0; k < nb; k++) {
			if (a[i] == b[k])
				return a[i];
		}
	}
	return -1;
}

#include "passes/analysis/resources.h"

static void add_resource(uint16_t *list, uint8_t *n, uint32_t resource)
{
	hd_invariant(*n < HD_MAX_RESOURCES, "an instruction with more than %d accesses", HD_MAX_RESOURCES);
	list[(*n)++] = (uint16_t)resource;
}

static void add_operand(uint16_t *list, uint8_t *n, const hd_opd *operand)
{
	if (operand->kind == HD_OPD_PRED && operand->reg < HD_PREDS) {
		add_resource(list, n, HD_RES_PRED + operand->reg);
	} else if (operand->kind == HD_OPD_REG && operand->reg != HD_RZ) {
		hd_invariant(operand->reg + operand->sub + operand->words <= HD_RZ, "register %u of %u words is not physical", operand->reg,
		             operand->words);
		for (uint32_t word = 0; word < operand->words; word++)
			add_resource(list, n, operand->reg + operand->sub + word);
	}
}

static uint8_t memory_order(const hd_op_info *info)
{
	if (info->flags & HD_OPF_FENCE)
		return HD_ORDER_FENCE | (info->flags & HD_OPF_MEM ? HD_ORDER_SHARED : 0);
	if (!hd_op_accesses_common(info))
		return HD_ORDER_NONE;
	return HD_ORDER_ACCESS | (hd_op_space(info) == HD_SPACE_GLOBAL ? 0 : HD_ORDER_SHARED);
}

/* Behind them the warp goes on somewhere else. A compiled program has no `brx`. */
static bool one_of_calls(unsigned op) { return op == HD_OP_CALL || op == HD_OP_CALLX || op == HD_OP_RET || op == HD_OP_BRX; }

/* An instruction behind which other lanes of the warp may run, wherever they wait. */
static bool lets_others_run(unsigned op, const hd_machine *machine)
{
	bool barriers = machine->divergence_mode == HD_DIV_BARRIERS;
	return op == HD_OP_EXIT || op == HD_OP_WSYNC || op == HD_OP_BSYNC || op == HD_OP_YIELD || (op == HD_OP_BAR && barriers);
}

void hd_resource_use_of(const hd_ir_inst *inst, bool may_leave, const hd_machine *machine, hd_resource_use *out)
{
	hd_invariant(inst->op < HD_OP_COUNT, "pseudo operation %u after expansion", inst->op);
	const hd_op_info *info = &hd_ops[inst->op];
	out->n_reads = out->n_writes = 0;
	for (unsigned i = 0; i < inst->ns; i++)
		add_operand(out->reads, &out->n_reads, &inst->s[i]);
	add_operand(out->reads, &out->n_reads, &inst->guard);
	for (unsigned i = 0; i < inst->nd; i++)
		add_operand(out->writes, &out->n_writes, &inst->d[i]);
	if (inst->order_second)
		add_resource(out->reads, &out->n_reads, HD_RES_ORDER);
	if (inst->order_first)
		add_resource(out->writes, &out->n_writes, HD_RES_ORDER);
	out->order = memory_order(info);
	out->pipe = (uint8_t)hd_machine_pipe(machine, (hd_class)info->klass);
	out->klass = info->klass;
	out->variable = (info->flags & HD_OPF_VAR) != 0;
	out->drains = one_of_calls(inst->op) || (may_leave && lets_others_run(inst->op, machine));
	out->latency = (uint16_t)hd_machine_latency(machine, (hd_class)info->klass, info->flags & HD_OPF_CROSS);
	out->lane_latency = (uint16_t)hd_machine_class_latency(machine, (hd_class)info->klass);
	out->delay_latency = out->latency;
	for (unsigned i = 0; i < out->n_writes; i++)
		if (out->writes[i] >= HD_RES_PRED)
			out->delay_latency = (uint16_t)hd_machine_latency(machine, (hd_class)info->klass, true);
}

static bool intersect(const uint16_t *a, unsigned na, const uint16_t *b, unsigned nb)
{
	for (unsigned i = 0; i < na; i++)
		for (unsigned k = 0; k < nb; k++)
			if (a[i] == b[k])
				return true;
	return false;
}

static uint32_t raised_counter(const hd_ir_inst *inst) { return inst->primary ? 1u << (inst->primary - 1) : 0; }

bool hd_can_pair(const hd_ir_inst *first, const hd_resource_use *a, const hd_ir_inst *second, const hd_resource_use *b)
{
	uint32_t raised = raised_counter(first), raises = raised_counter(second);
	if (a->pipe >= HD_PIPE_FLOW || b->pipe >= HD_PIPE_COUNT || a->pipe == b->pipe || b->drains || raised & second->wait ||
	    raises & (first->wait | raised))
		return false;
	return !intersect(a->writes, a->n_writes, b->reads, b->n_reads) && !intersect(a->writes, a->n_writes, b->writes, b->n_writes) &&
	       !intersect(a->reads, a->n_reads, b->writes, b->n_writes) && !(a->order && b->order);
}

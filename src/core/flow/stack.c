#include "core/flow/stack.h"

#include "core/flow/targets.h"

static inline uint32_t present(const hd_warp_flow *warp) { return warp->alive & ~warp->returned; }

static bool push(hd_warp_flow *warp, hd_token token)
{
	if (warp->tokens->n >= HD_TOKENS_MAX)
		return false;
	hd_vec_push(warp->tokens, token); // NOLINT(clang-analyzer-core.NullDereference): a vector with room has an array
	return true;
}

/* The place in the stack, counted from 1, of the innermost token for `pc` in this activation; 0 = none. */
static size_t find(const hd_warp_flow *warp, uint32_t pc)
{
	for (size_t i = warp->tokens->n; i-- > 0;) {
		const hd_token *t = &warp->tokens->at[i];
		if (t->kind == HD_TOKEN_MEET && t->pc == pc)
			return i + 1;
		if (t->kind != HD_TOKEN_MEET && t->kind != HD_TOKEN_SIDE)
			break;
	}
	return 0;
}

/* Active lanes wait at token `at` for the other lanes of the token. The regions inside of it no longer wait for these lanes. */
static void arrive(hd_warp_flow *warp, size_t at, uint32_t lanes)
{
	warp->active &= ~lanes;
	for (size_t i = at; i < warp->tokens->n; i++)
		warp->tokens->at[i].lanes &= ~lanes;
}

/* The call of token `t` is over. Lanes with further targets execute the call again. When all have returned, they continue together. */
static void come_back(hd_warp_flow *warp, hd_token t)
{
	uint32_t rest = t.rest & warp->alive;
	const hd_token *below = warp->tokens->n ? &warp->tokens->at[warp->tokens->n - 1] : NULL;
	bool joined = below && below->kind == HD_TOKEN_JOIN && below->pc == t.pc;
	warp->depth--;
	warp->returned = t.returned;
	warp->active = t.lanes & warp->alive;
	warp->pc = t.pc;
	if (rest) {
		if (!joined && rest != warp->active)
			push(warp, (hd_token){.kind = HD_TOKEN_JOIN, .pc = t.pc, .lanes = warp->active}); /* there is room, because t has just left */
		warp->active = rest;
		warp->pc = t.call;
	} else if (joined) {
		warp->active = below->lanes & present(warp);
		warp->tokens->n--;
	}
}

/* No lane is active, and the lanes `last` were. Continues with the lanes that wait innermost: those of a side, or those that have all arrived at the
 * place of a token, which go on behind its sync. */
static hd_flow_result next_token(const hd_flow *flow, hd_warp_flow *warp, uint32_t last)
{
	while (!warp->active) {
		if (!warp->tokens->n)
			return HD_FLOW_END;
		hd_token t = warp->tokens->at[--warp->tokens->n];
		if (t.kind == HD_TOKEN_CALL) {
			come_back(warp, t);
			continue;
		}
		warp->active = t.lanes & present(warp);
		warp->pc = t.kind == HD_TOKEN_MEET ? hd_code_next(flow->code, t.pc) : t.pc;
		flow->stats->divergence_resumes += t.kind == HD_TOKEN_MEET && (warp->active & ~last);
	}
	return HD_FLOW_GO;
}

/* Two sides: `first` continues, `second` waits for its turn. A side that begins at the place of a token has arrived there. */
static hd_flow_result split(hd_warp_flow *warp, uint32_t first, uint32_t first_pc, uint32_t second, uint32_t second_pc)
{
	size_t at = find(warp, first_pc);
	if (at) {
		arrive(warp, at, first);
		warp->pc = second_pc;
		return HD_FLOW_GO;
	}
	at = find(warp, second_pc);
	if (at) {
		arrive(warp, at, second);
	} else {
		if (!push(warp, (hd_token){.kind = HD_TOKEN_SIDE, .pc = second_pc, .lanes = second}))
			return HD_FLOW_TOKENS;
		warp->active = first;
	}
	warp->pc = first_pc;
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t next = hd_flow_after(flow, warp), others = warp->active & ~taken;
	hd_flow_count_branch(flow, warp, taken);
	if (!taken || !others) {
		warp->pc = taken ? target : next;
		return HD_FLOW_GO;
	}
	/* The lower address goes first, as in the other flow unit, so that the order of the sides is not a difference between the two. */
	if (target <= warp->pc)
		return split(warp, taken, target, others, next);
	return split(warp, others, next, taken, target);
}

hd_flow_result hd_stack_break(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	size_t at = find(warp, target);
	if (!taken || !at)
		return hd_stack_branch(flow, warp, taken, target);
	hd_flow_count_branch(flow, warp, taken);
	arrive(warp, at, taken);
	if (!warp->active)
		return next_token(flow, warp, taken);
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t where[HD_LANES], same, pc;
	bool divergent = false;
	if (!hd_flow_targets(flow, warp, taken, targets, where, lane))
		return HD_FLOW_PC;
	flow->stats->divergence_branches++;
	/* The lanes with the highest address leave first, so that the lowest continues. */
	for (uint32_t left = warp->active; (same = hd_flow_highest(left, where, &pc)) != left; left &= ~same) {
		size_t at = find(warp, pc);
		divergent = true;
		if (at)
			arrive(warp, at, same);
		else if (!push(warp, (hd_token){.kind = HD_TOKEN_SIDE, .pc = pc, .lanes = same}))
			return HD_FLOW_TOKENS;
		warp->active &= ~same;
	}
	flow->stats->divergence_divergent += divergent;
	warp->pc = pc;
	return HD_FLOW_GO;
}

/* The lanes `same` call. The lanes `rest` must still call, by the same instruction. */
static hd_flow_result enter(const hd_flow *flow, hd_warp_flow *warp, uint32_t same, uint32_t rest, uint32_t target)
{
	hd_token token = {.kind = HD_TOKEN_CALL,
	                  .pc = hd_flow_after(flow, warp),
	                  .lanes = warp->active,
	                  .rest = rest,
	                  .call = warp->pc,
	                  .returned = warp->returned};
	if (warp->depth >= flow->call_depth)
		return HD_FLOW_DEPTH;
	if (!push(warp, token))
		return HD_FLOW_TOKENS;
	warp->depth++;
	warp->returned = 0;
	warp->active = same;
	warp->pc = target;
	flow->stats->divergence_calls++;
	if (warp->depth > flow->stats->divergence_max_depth)
		flow->stats->divergence_max_depth = warp->depth;
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	hd_flow_count_branch(flow, warp, taken);
	if (taken)
		return enter(flow, warp, taken, 0, target);
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t lowest = HD_INF, same = 0;
	for (uint32_t left = taken; left; left &= left - 1) {
		*lane = hd_lowest_bit(left);
		uint32_t pc = targets->v[*lane];
		if (!hd_object_indirect_target(flow->object, warp->pc, pc, true))
			return HD_FLOW_PC;
		same = pc < lowest ? 0 : same;
		lowest = hd_min_u32(pc, lowest);
		same |= pc == lowest ? left & -left : 0;
	}
	flow->stats->divergence_branches++;
	flow->stats->divergence_divergent += taken && (taken != warp->active || same != taken);
	if (taken)
		return enter(flow, warp, same, taken & ~same, lowest);
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

static hd_flow_result gone(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	warp->active &= ~taken;
	if (!warp->active)
		return next_token(flow, warp, 0);
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	hd_flow_count_branch(flow, warp, taken);
	if (taken && !warp->depth)
		return HD_FLOW_RETURN;
	warp->returned |= taken;
	return gone(flow, warp, taken);
}

hd_flow_result hd_stack_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	warp->alive &= ~taken;
	return gone(flow, warp, taken);
}

/* Lanes for which there is a token already, such as one that an earlier turn of a loop has pushed, need no second one. */
hd_flow_result hd_stack_push(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	flow->stats->divergence_tokens++;
	if (taken && !find(warp, target) && !push(warp, (hd_token){.kind = HD_TOKEN_MEET, .pc = target, .lanes = warp->active}))
		return HD_FLOW_TOKENS;
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_sync(const hd_flow *flow, hd_warp_flow *warp)
{
	size_t at = find(warp, warp->pc);
	uint32_t arriving = warp->active;
	flow->stats->divergence_tokens++;
	if (at) {
		arrive(warp, at, arriving);
		return next_token(flow, warp, arriving);
	}
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

void hd_stack_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES])
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		where[lane] = HD_INF;
	for (size_t i = 0; i < warp->tokens->n; i++)
		for (uint32_t left = warp->tokens->at[i].lanes & warp->alive; left; left &= left - 1)
			where[hd_lowest_bit(left)] = warp->tokens->at[i].pc;
	for (uint32_t left = warp->active; left; left &= left - 1)
		where[hd_lowest_bit(left)] = HD_INF;
}

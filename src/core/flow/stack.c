#include "core/flow/stack.h"

#include "core/flow/targets.h"

static inline uint32_t present(const hd_warp_flow *warp) { return warp->alive & ~warp->returned; }

static bool push(const hd_flow *flow, hd_warp_flow *warp, hd_token token)
{
	if (warp->tokens->n >= (flow->tokens ? flow->tokens : HD_TOKENS_MAX))
		return false;
	hd_vec_push(warp->tokens, token); // NOLINT(clang-analyzer-core.NullDereference): a vector with room has an array
	flow->stats->divergence_max_tokens = hd_max_u64(flow->stats->divergence_max_tokens, warp->tokens->n);
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

static bool is_flagged(const hd_flow *flow, uint32_t pc) { return flow->code->meets && flow->code->meets[pc] == pc; }

/* Where lanes that have met at `pc` go on: behind a sync, or at an instruction with the flag, which they have not executed. */
static uint32_t behind(const hd_flow *flow, uint32_t pc) { return is_flagged(flow, pc) ? pc : hd_code_next(flow->code, pc); }

/* No lane is active, and the lanes `last` were. Continues with the lanes that wait innermost: those of a side, or those that have all arrived at the
 * place of a token, which go on behind its sync. */
static hd_flow_result next_token(const hd_flow *flow, hd_warp_flow *warp, uint32_t last)
{
	while (!warp->active) {
		if (!warp->tokens->n)
			return HD_FLOW_END;
		hd_token t = warp->tokens->at[--warp->tokens->n];
		if (t.kind == HD_TOKEN_CALL) { /* all its lanes have returned or exited */
			warp->depth--;
			warp->returned = t.returned;
		}
		warp->active = t.lanes & present(warp);
		warp->pc = t.kind == HD_TOKEN_MEET ? behind(flow, t.pc) : t.pc;
		flow->stats->divergence_resumes += t.kind == HD_TOKEN_MEET && (warp->active & ~last);
	}
	return HD_FLOW_GO;
}

/* Two sides: `first` continues, `second` waits for its turn. A side that begins at the place of a token has arrived there. */
static hd_flow_result split(const hd_flow *flow, hd_warp_flow *warp, uint32_t first, uint32_t first_pc, uint32_t second, uint32_t second_pc)
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
		if (!push(flow, warp, (hd_token){.kind = HD_TOKEN_SIDE, .pc = second_pc, .lanes = second}))
			return HD_FLOW_TOKENS;
		warp->active = first;
	}
	warp->pc = first_pc;
	return HD_FLOW_GO;
}

static hd_flow_result branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target, bool taken_first)
{
	uint32_t next = hd_flow_after(flow, warp), others = warp->active & ~taken;
	hd_flow_count_branch(flow, warp, taken);
	if (!taken || !others) {
		warp->pc = taken ? target : next;
		return HD_FLOW_GO;
	}
	/* The lower address goes first, as in the other flow unit, so that the order of the sides is not a difference between the two. RC-21: or the
	 * side that takes the branch. */
	if (target <= warp->pc || taken_first)
		return split(flow, warp, taken, target, others, next);
	return split(flow, warp, others, next, taken, target);
}

hd_flow_result hd_stack_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	return branch(flow, warp, taken, target, flow->taken_first);
}

hd_flow_result hd_stack_break(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	size_t at = find(warp, target);
	if (!taken || !at)
		return branch(flow, warp, taken, target, false); /* the checker knows where lanes of a `brk` wait */
	hd_flow_count_branch(flow, warp, taken);
	flow->stats->divergence_breaks++;
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
		else if (!push(flow, warp, (hd_token){.kind = HD_TOKEN_SIDE, .pc = pc, .lanes = same}))
			return HD_FLOW_TOKENS;
		warp->active &= ~same;
	}
	flow->stats->divergence_divergent += divergent;
	warp->pc = pc;
	return HD_FLOW_GO;
}

/* The lanes `taken` call what `where` says. The lowest target goes first; the others are sides of the new activation (RC-14). */
static hd_flow_result enter(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const uint32_t where[HD_LANES])
{
	uint32_t same, pc;
	if (warp->depth >= flow->call_depth)
		return HD_FLOW_DEPTH;
	bool room =
	    push(flow, warp, (hd_token){.kind = HD_TOKEN_CALL, .pc = hd_flow_after(flow, warp), .lanes = warp->active, .returned = warp->returned});
	uint32_t left = taken;
	for (; (same = hd_flow_highest(left, where, &pc)) != left; left &= ~same)
		room &= push(flow, warp, (hd_token){.kind = HD_TOKEN_SIDE, .pc = pc, .lanes = same});
	if (!room)
		return HD_FLOW_TOKENS;
	warp->depth++;
	warp->returned = 0;
	warp->active = left;
	warp->pc = pc;
	flow->stats->divergence_calls++;
	if (warp->depth > flow->stats->divergence_max_depth)
		flow->stats->divergence_max_depth = warp->depth;
	return HD_FLOW_GO;
}

static hd_flow_result go_on(const hd_flow *flow, hd_warp_flow *warp)
{
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_stack_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t where[HD_LANES];
	hd_flow_count_branch(flow, warp, taken);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		where[lane] = target;
	return taken ? enter(flow, warp, taken, where) : go_on(flow, warp);
}

hd_flow_result hd_stack_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	if (!hd_flow_count_indirect_call(flow, warp, taken, targets, lane))
		return HD_FLOW_PC;
	return taken ? enter(flow, warp, taken, targets->v) : go_on(flow, warp);
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
	if (taken && !find(warp, target) && !push(flow, warp, (hd_token){.kind = HD_TOKEN_MEET, .pc = target, .lanes = warp->active}))
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

void hd_stack_meet(const hd_flow *flow, hd_warp_flow *warp)
{
	size_t at = is_flagged(flow, warp->pc) ? find(warp, warp->pc) : 0;
	if (at) { /* those who go on begin at no other flag with a token: a side that does has arrived when its branch was decided */
		uint32_t arriving = warp->active;
		flow->stats->divergence_flags++;
		arrive(warp, at, arriving);
		next_token(flow, warp, arriving);
	}
	warp->minrc = flow->code->meets[warp->pc + 1];
}

uint32_t hd_stack_sides_before(const hd_warp_flow *warp, uint32_t pc, uint32_t *where)
{
	uint32_t lanes = 0;
	*where = HD_INF;
	for (size_t i = warp->tokens->n; i-- > 0 && warp->tokens->at[i].kind != HD_TOKEN_CALL;) {
		const hd_token *t = &warp->tokens->at[i];
		if (t->kind != HD_TOKEN_SIDE || t->pc > pc)
			continue;
		lanes |= t->lanes;
		*where = hd_min_u32(*where, t->pc);
	}
	return lanes;
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

#include "core/flow/groups.h"

#include "core/flow/stack.h"
#include "core/flow/targets.h"

/* In a token: `call` is the activation of a READY group, of the barrier of a BLOCKED group or MASK, or of a CALL itself. `rest` is the barrier's
 * number, or the activation whose call barrier the lanes of a CALL return to. `returned` is the activation in which a BLOCKED group goes on, or the
 * caller's of a CALL. A GATHERED group has the address of its `bar` in `pc`, and its activation in `call`;
 * a SYNCED one has its next address there. */

static bool push(hd_warp_flow *warp, hd_token token)
{
	if (warp->tokens->n >= HD_TOKENS_MAX)
		return false;
	hd_vec_push(warp->tokens, token); // NOLINT(clang-analyzer-core.NullDereference): a vector with room has an array
	return true;
}

static void take_out(hd_warp_flow *warp, size_t i)
{
	hd_tokens *t = warp->tokens;
	t->n--;
	if (i < t->n)
		memmove(&t->at[i], &t->at[i + 1], (t->n - i) * sizeof *t->at);
}

static bool put_first(hd_warp_flow *warp, hd_token token)
{
	if (!push(warp, token))
		return false;
	hd_tokens *t = warp->tokens;
	memmove(&t->at[1], &t->at[0], (t->n - 1) * sizeof *t->at);
	t->at[0] = token;
	return true;
}

static hd_token *find(const hd_warp_flow *warp, hd_token_kind kind, uint32_t activation, uint32_t number)
{
	for (size_t i = warp->tokens->n; i-- > 0;) {
		hd_token *t = &warp->tokens->at[i];
		if (t->kind == kind && t->call == activation && (kind == HD_TOKEN_CALL || t->rest == number))
			return t;
	}
	return NULL;
}

static uint32_t blocked_at(const hd_warp_flow *warp, uint32_t activation, uint32_t number)
{
	uint32_t lanes = 0;
	for (size_t i = 0; i < warp->tokens->n; i++) {
		const hd_token *t = &warp->tokens->at[i];
		if (t->kind == HD_TOKEN_BLOCKED && t->call == activation && t->rest == number)
			lanes |= t->lanes;
	}
	return lanes;
}

/* The lanes that wait at a barrier go on: those with one address as one group. `last`: as the next groups to run, else as the last ones. */
static void release(const hd_flow *flow, hd_warp_flow *warp, uint32_t activation, uint32_t number, bool last)
{
	hd_token *mask = find(warp, HD_TOKEN_MASK, activation, number), group;
	take_out(warp, (size_t)(mask - warp->tokens->at));
	warp->yields = 0;
	flow->stats->divergence_resumes++;
	for (hd_token *next; (next = find(warp, HD_TOKEN_BLOCKED, activation, number));) {
		group = (hd_token){.kind = HD_TOKEN_READY, .pc = next->pc, .call = next->returned};
		for (size_t i = warp->tokens->n; i-- > 0;) {
			const hd_token *t = &warp->tokens->at[i];
			if (t->kind != HD_TOKEN_BLOCKED || t->call != activation || t->rest != number || t->pc != group.pc ||
			    t->returned != group.call)
				continue;
			group.lanes |= t->lanes;
			take_out(warp, i);
		}
		if (last)
			push(warp, group); /* there is room, because the blocked groups have just left */
		else
			put_first(warp, group);
	}
}

/* Releases a barrier for which nobody is missing. */
static void check(const hd_flow *flow, hd_warp_flow *warp, uint32_t activation, uint32_t number, bool last)
{
	const hd_token *mask = find(warp, HD_TOKEN_MASK, activation, number);
	if (mask && !(mask->lanes & ~blocked_at(warp, activation, number)))
		release(flow, warp, activation, number, last);
}

/* Takes lanes off the barriers of an activation, or of all. Call barriers are released as the next to run: nobody is in such a call any more. */
static void leave_barriers(const hd_flow *flow, hd_warp_flow *warp, uint32_t lanes, bool all, uint32_t activation)
{
	for (size_t i = warp->tokens->n; i-- > 0;) {
		hd_token *t = &warp->tokens->at[i];
		if (t->kind == HD_TOKEN_CALL && all)
			t->lanes &= ~lanes;
		if (t->kind != HD_TOKEN_MASK || !(all || (t->call == activation && t->rest != HD_CALL_BARRIER)) || !(t->lanes & lanes))
			continue;
		t->lanes &= ~lanes;
		size_t n = warp->tokens->n;
		check(flow, warp, t->call, t->rest, t->rest == HD_CALL_BARRIER);
		if (warp->tokens->n != n)
			i = warp->tokens->n; /* tokens have moved */
	}
	for (size_t i = warp->tokens->n; i-- > 0;)
		if (warp->tokens->at[i].kind == HD_TOKEN_CALL && !warp->tokens->at[i].lanes)
			take_out(warp, i);
}

static uint32_t depth_of(const hd_warp_flow *warp, uint32_t activation)
{
	uint32_t depth = 0;
	for (; activation; depth++) {
		const hd_token *call = find(warp, HD_TOKEN_CALL, activation, 0);
		activation = call ? call->returned : 0;
	}
	return depth;
}

/* The place, counted from 1, of the group that begins to wait last: of an activation and at a barrier of the program, or of all groups. Groups with
 * lanes of `except` do not count. 0 = none. */
static size_t last_blocked(const hd_warp_flow *warp, bool all, uint32_t activation, uint32_t except)
{
	for (size_t i = warp->tokens->n; i-- > 0;) {
		const hd_token *t = &warp->tokens->at[i];
		if (t->kind == HD_TOKEN_BLOCKED && !(t->lanes & except) && (all || (t->returned == activation && t->rest != HD_CALL_BARRIER)))
			return i + 1;
	}
	return 0;
}

/* Lanes that gather at a `bar`, and lanes that wait, through any number of barriers, for these. */
static uint32_t held_by_gathered(const hd_warp_flow *warp)
{
	uint32_t held = 0, before;
	for (size_t i = 0; i < warp->tokens->n; i++)
		held |= warp->tokens->at[i].kind == HD_TOKEN_GATHERED ? warp->tokens->at[i].lanes : 0;
	do {
		before = held;
		for (size_t i = 0; held && i < warp->tokens->n; i++) {
			const hd_token *t = &warp->tokens->at[i];
			uint32_t waiting = t->kind == HD_TOKEN_MASK ? blocked_at(warp, t->call, t->rest) : 0;
			if (t->lanes & ~waiting & held)
				held |= waiting;
		}
	} while (held != before);
	return held;
}

static size_t last_ready(const hd_warp_flow *warp)
{
	size_t i = warp->tokens->n;
	while (i && warp->tokens->at[i - 1].kind != HD_TOKEN_READY)
		i--;
	return i;
}

/* The group that has waited longest at a `bar` becomes active, with all lanes that wait at the same one. False = there is none. */
static bool take_gathered(hd_warp_flow *warp)
{
	size_t first = 0;
	while (first < warp->tokens->n && warp->tokens->at[first].kind != HD_TOKEN_GATHERED)
		first++;
	if (first == warp->tokens->n)
		return false;
	hd_token group = warp->tokens->at[first];
	for (size_t i = warp->tokens->n; i-- > first;) {
		const hd_token *t = &warp->tokens->at[i];
		if (t->kind != HD_TOKEN_GATHERED || t->pc != group.pc || t->call != group.call)
			continue;
		warp->active |= t->lanes;
		take_out(warp, i);
	}
	warp->pc = group.pc;
	warp->activation = group.call;
	warp->gathered = 1;
	return true;
}

/* No lane is active: the next group runs. Where only groups of callers could, barriers of the running subroutine wait for each other, as can happen
 * in loops with several entries. Then the one at which lanes have waited the shortest time opens. So control does not leave a subroutine at a
 * barrier, unless lanes gather at a `bar` in it. When no group is left that could run, all lanes that can come to a `bar` have come. */
static hd_flow_result next_group(const hd_flow *flow, hd_warp_flow *warp)
{
	size_t ready = last_ready(warp);
	if (!ready || depth_of(warp, warp->tokens->at[ready - 1].call) < depth_of(warp, warp->activation)) {
		uint32_t held = held_by_gathered(warp);
		size_t stuck = last_blocked(warp, false, warp->activation, held);
		if (!stuck && !ready)
			stuck = last_blocked(warp, true, 0, held);
		if (stuck) {
			release(flow, warp, warp->tokens->at[stuck - 1].call, warp->tokens->at[stuck - 1].rest, true);
			ready = last_ready(warp);
		}
	}
	if (ready) {
		hd_token t = warp->tokens->at[ready - 1];
		take_out(warp, ready - 1);
		warp->active = t.lanes;
		warp->pc = t.pc;
		warp->activation = t.call;
	} else if (!take_gathered(warp)) {
		return hd_flow_synced(warp) ? HD_FLOW_UNMET : HD_FLOW_END;
	}
	warp->depth = depth_of(warp, warp->activation);
	return HD_FLOW_GO;
}

/* The lanes of the group that are left go on at the next instruction; without any, another group runs. */
static hd_flow_result go_on(const hd_flow *flow, hd_warp_flow *warp)
{
	if (!warp->active)
		return next_group(flow, warp);
	warp->pc = hd_flow_after(flow, warp);
	return HD_FLOW_GO;
}

hd_flow_result hd_groups_branch(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t next = hd_flow_after(flow, warp), others = warp->active & ~taken;
	bool backward = target <= warp->pc;
	hd_flow_count_branch(flow, warp, taken);
	if (taken && others) {
		/* The lower address goes first, as in the other flow units. */
		hd_token second = {
		    .kind = HD_TOKEN_READY, .pc = backward ? next : target, .lanes = backward ? others : taken, .call = warp->activation};
		if (!push(warp, second))
			return HD_FLOW_TOKENS;
		warp->active &= ~second.lanes;
	}
	warp->pc = taken && (backward || !others) ? target : next;
	return HD_FLOW_GO;
}

hd_flow_result hd_groups_jump(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	uint32_t where[HD_LANES], same, pc, groups = 0;
	if (!hd_flow_targets(flow, warp, taken, targets, where, lane))
		return HD_FLOW_PC;
	flow->stats->divergence_branches++;
	for (uint32_t left = warp->active; (same = hd_flow_highest(left, where, &pc)) != left; left &= ~same, groups++) {
		if (!push(warp, (hd_token){.kind = HD_TOKEN_READY, .pc = pc, .lanes = same, .call = warp->activation}))
			return HD_FLOW_TOKENS;
		warp->active &= ~same;
	}
	flow->stats->divergence_divergent += groups != 0;
	warp->pc = pc;
	return HD_FLOW_GO;
}

/* A number that no activation has. */
static uint32_t fresh(const hd_warp_flow *warp)
{
	uint32_t most = warp->activation;
	for (size_t i = 0; i < warp->tokens->n; i++) {
		const hd_token *t = &warp->tokens->at[i];
		most = hd_max_u32(most, hd_max_u32(t->call, t->returned));
	}
	return most + 1;
}

/* The lanes `taken` call what `where` says. All active lanes go on together behind the call. Each target has an activation of its own. */
static hd_flow_result enter(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const uint32_t where[HD_LANES])
{
	uint32_t caller = warp->activation, joint = fresh(warp), id = joint, next = hd_flow_after(flow, warp), others = warp->active & ~taken, same,
	         pc;
	if (warp->depth >= flow->call_depth)
		return HD_FLOW_DEPTH;
	bool room = push(warp, (hd_token){.kind = HD_TOKEN_MASK, .lanes = warp->active, .call = joint, .rest = HD_CALL_BARRIER});
	if (others)
		room &= push(
		    warp,
		    (hd_token){.kind = HD_TOKEN_BLOCKED, .pc = next, .lanes = others, .call = joint, .rest = HD_CALL_BARRIER, .returned = caller});
	for (uint32_t left = taken; left; left &= ~same, id++) {
		same = hd_flow_highest(left, where, &pc);
		room &= push(warp, (hd_token){.kind = HD_TOKEN_CALL, .pc = next, .lanes = same, .call = id, .rest = joint, .returned = caller});
		room &= push(warp, (hd_token){.kind = HD_TOKEN_READY, .pc = pc, .lanes = same, .call = id});
		flow->stats->divergence_calls++;
	}
	if (!room)
		return HD_FLOW_TOKENS;
	warp->active = 0;
	flow->stats->divergence_max_depth = hd_max_u64(flow->stats->divergence_max_depth, warp->depth + 1);
	return next_group(flow, warp);
}

hd_flow_result hd_groups_call(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, uint32_t target)
{
	uint32_t where[HD_LANES];
	hd_flow_count_branch(flow, warp, taken);
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		where[lane] = target;
	return taken ? enter(flow, warp, taken, where) : go_on(flow, warp);
}

hd_flow_result hd_groups_call_indirect(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 *targets, unsigned *lane)
{
	if (!hd_flow_count_indirect_call(flow, warp, taken, targets, lane))
		return HD_FLOW_PC;
	return taken ? enter(flow, warp, taken, targets->v) : go_on(flow, warp);
}

/* Active lanes wait at a barrier; they go on at `pc` of an activation. Lanes of a call that has not waited for them go on at once. */
static hd_flow_result block(const hd_flow *flow, hd_warp_flow *warp, uint32_t lanes, hd_token at)
{
	at.kind = HD_TOKEN_BLOCKED;
	at.lanes = lanes;
	if (!find(warp, HD_TOKEN_MASK, at.call, at.rest))
		at = (hd_token){.kind = HD_TOKEN_READY, .pc = at.pc, .lanes = lanes, .call = at.returned};
	if (!push(warp, at))
		return HD_FLOW_TOKENS;
	warp->active &= ~lanes;
	warp->yields = 0;
	if (at.kind == HD_TOKEN_BLOCKED)
		check(flow, warp, at.call, at.rest, true);
	return HD_FLOW_GO;
}

hd_flow_result hd_groups_return(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	hd_flow_count_branch(flow, warp, taken);
	if (taken && !warp->activation)
		return HD_FLOW_RETURN;
	if (taken) {
		uint32_t left = warp->activation;
		hd_token *call = find(warp, HD_TOKEN_CALL, left, 0),
		         at = {.pc = call->pc, .call = call->rest, .rest = HD_CALL_BARRIER, .returned = call->returned};
		call->lanes &= ~taken;
		leave_barriers(flow, warp, taken, false, left);
		hd_flow_result result = block(flow, warp, taken, at);
		if (result != HD_FLOW_GO)
			return result;
	}
	return go_on(flow, warp);
}

/* Lanes at a `wsync` for which nobody is missing any more are ready, in the groups in which they came. There is room for one more token. */
static bool go_from_sync(hd_warp_flow *warp)
{
	uint32_t going = hd_sync_release(warp->sync, warp->alive);
	bool room = true;
	for (size_t i = warp->tokens->n; going && i-- > 0;) {
		hd_token *t = &warp->tokens->at[i], group = *t;
		if (t->kind != HD_TOKEN_SYNCED || !(t->lanes & going))
			continue;
		group.kind = HD_TOKEN_READY;
		group.lanes &= going;
		t->lanes &= ~going;
		if (t->lanes)
			room &= push(warp, group);
		else
			*t = group;
	}
	return room;
}

hd_flow_result hd_groups_sync(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, const hd_vec32 operands[2])
{
	uint32_t next = hd_flow_after(flow, warp);
	if (taken && !push(warp, (hd_token){.kind = HD_TOKEN_SYNCED, .pc = next, .lanes = taken, .call = warp->activation}))
		return HD_FLOW_TOKENS;
	warp->active &= ~taken;
	hd_sync_arrive(warp->sync, taken, &operands[0], &operands[1], next);
	return go_from_sync(warp) ? go_on(flow, warp) : HD_FLOW_TOKENS;
}

hd_flow_result hd_groups_exit(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	warp->alive &= ~taken;
	warp->active &= ~taken;
	if (taken)
		leave_barriers(flow, warp, taken, true, 0);
	if (hd_flow_synced(warp) && !go_from_sync(warp))
		return HD_FLOW_TOKENS;
	return go_on(flow, warp);
}

hd_flow_result hd_groups_register(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number)
{
	hd_token *mask = find(warp, HD_TOKEN_MASK, warp->activation, number);
	flow->stats->divergence_tokens++;
	if (mask)
		mask->lanes |= taken;
	else if (taken && !push(warp, (hd_token){.kind = HD_TOKEN_MASK, .lanes = taken, .call = warp->activation, .rest = number}))
		return HD_FLOW_TOKENS;
	return go_on(flow, warp);
}

hd_flow_result hd_groups_leave(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number)
{
	hd_token *mask = find(warp, HD_TOKEN_MASK, warp->activation, number);
	flow->stats->divergence_tokens++;
	if (mask) {
		mask->lanes &= ~taken;
		check(flow, warp, warp->activation, number, false);
	}
	return go_on(flow, warp);
}

/* Lanes that are not registered do not wait. They go on first, as a group of their own. */
hd_flow_result hd_groups_wait(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken, unsigned number)
{
	const hd_token *mask = find(warp, HD_TOKEN_MASK, warp->activation, number);
	uint32_t lanes = mask ? taken & mask->lanes : 0;
	flow->stats->divergence_tokens++;
	if (lanes) {
		hd_token at = {.pc = hd_flow_after(flow, warp), .call = warp->activation, .rest = number, .returned = warp->activation};
		hd_flow_result result = block(flow, warp, lanes, at);
		if (result != HD_FLOW_GO)
			return result;
	}
	return go_on(flow, warp);
}

/* The barrier at which a group has begun to wait last goes on without the lanes that do not wait there. */
static void lose_patience(const hd_flow *flow, hd_warp_flow *warp)
{
	size_t blocked = last_blocked(warp, true, 0, 0);
	if (blocked)
		release(flow, warp, warp->tokens->at[blocked - 1].call, warp->tokens->at[blocked - 1].rest, false);
	warp->yields = 0;
}

hd_flow_result hd_groups_yield(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	flow->stats->divergence_tokens++;
	if (!taken)
		return go_on(flow, warp);
	if (++warp->yields >= HD_PATIENCE)
		lose_patience(flow, warp);
	warp->pc = hd_flow_after(flow, warp);
	if (!put_first(warp, (hd_token){.kind = HD_TOKEN_READY, .pc = warp->pc, .lanes = warp->active, .call = warp->activation}))
		return HD_FLOW_TOKENS;
	warp->active = 0;
	return next_group(flow, warp);
}

hd_flow_result hd_groups_gather(const hd_flow *flow, hd_warp_flow *warp, uint32_t taken)
{
	if (taken && !push(warp, (hd_token){.kind = HD_TOKEN_GATHERED, .pc = warp->pc, .lanes = taken, .call = warp->activation}))
		return HD_FLOW_TOKENS;
	warp->active &= ~taken;
	return go_on(flow, warp);
}

void hd_groups_waiting(const hd_warp_flow *warp, uint32_t where[HD_LANES])
{
	for (unsigned lane = 0; lane < HD_LANES; lane++)
		where[lane] = HD_INF;
	for (size_t i = 0; i < warp->tokens->n; i++) {
		const hd_token *t = &warp->tokens->at[i];
		for (uint32_t left = t->kind != HD_TOKEN_MASK && t->kind != HD_TOKEN_CALL ? t->lanes : 0; left; left &= left - 1)
			where[hd_lowest_bit(left)] = t->pc;
	}
}

#include "sass/judge.h"

typedef struct pair {
	hd_sass_judge *judge;
	const hd_sass_pending *p;
	const hd_sass_instruction *first, *second;
	const hd_sass_access *access; /* of the second */
	unsigned index;
	uint32_t at; /* the second */
	hd_sass_hazard hazard;
	int age;
	unsigned wait_mask; /* of the second */
} pair;

void hd_sass_add_doubt(hd_sass_result *r, hd_sass_doubt_kind kind, uint32_t at, uint32_t other)
{
	r->n_doubts++;
	if (r->doubts.n < HD_SASS_MAX_DOUBTS)
		hd_vec_push(&r->doubts, (hd_sass_doubt){kind, at, other});
}

/* The finding of these two instructions and this hazard; a register beside those that it names is added. */
static hd_sass_finding *known_finding(const pair *x)
{
	hd_sass_result *r = x->judge->result;
	for (size_t i = r->findings.n; i-- > 0;) {
		hd_sass_finding *f = &r->findings.at[i];
		if (f->consumer != x->at && r->findings.n - i > HD_SASS_ACCESSES_MAX)
			break;
		if (f->producer == x->p->producer && f->consumer == x->at && f->hazard == x->hazard && f->file == x->access->file)
			return f;
	}
	return NULL;
}

static void complain(const pair *x, hd_sass_lack lack, hd_sass_distance distance, hd_sass_assumed under)
{
	hd_sass_result *r = x->judge->result;
	unsigned number = x->access->first + x->index;
	hd_sass_finding *known = known_finding(x);
	int needed = distance.cycles + (x->p->guard == HD_SASS_PT ? 0 : distance.guarded);
	hd_sass_finding f = {.hazard = x->hazard,
	                     .lack = lack,
	                     .producer = x->p->producer,
	                     .consumer = x->at,
	                     .file = x->access->file,
	                     .first = (uint8_t)number,
	                     .count = 1,
	                     .counters = x->p->counters,
	                     .needed = (uint32_t)needed,
	                     .missing = lack == HD_SASS_LACK_CYCLES ? (uint32_t)(needed - x->age) : 0,
	                     .source = distance.source,
	                     .under = under};
	if (known) {
		uint32_t first = hd_min_u32(known->first, number), end = hd_max_u32(known->first + known->count, number + 1);
		known->first = (uint8_t)first;
		known->count = (uint8_t)(end - first);
		known->missing = hd_max_u32(known->missing, f.missing);
		known->needed = hd_max_u32(known->needed, f.needed);
		return;
	}
	r->n_findings++;
	if (r->findings.n < HD_SASS_MAX_FINDINGS)
		hd_vec_push(&r->findings, f);
}

static void report_cover(const pair *x, hd_sass_cover cover)
{
	const hd_sass_observer *o = x->judge->options->observer;
	if (!o || !o->cover)
		return;
	cover.first = x->p->producer;
	cover.second = x->at;
	cover.resource = x->p->resource;
	cover.hazard = (uint8_t)x->hazard;
	o->cover(o->context, &cover);
}

/* J5 */
static void lean_on(const pair *x, hd_sass_assumed any_of, hd_sass_lack lack, hd_sass_distance distance)
{
	hd_sass_assumed allowed = any_of & x->judge->options->assume;
	if (allowed) {
		x->judge->result->by_assumption++;
		report_cover(x, (hd_sass_cover){.kind = HD_SASS_COVER_ASSUMPTION, .any_of = allowed});
		hd_sass_clauses_add(&x->judge->clauses, allowed);
	} else {
		complain(x, any_of ? HD_SASS_LACK_ASSUMPTION : lack, distance, any_of);
	}
}

static void report_distance(const pair *x, int needed)
{
	const hd_sass_observer *o = x->judge->options->observer;
	if (!(hd_sass_fixed_under(x->first) && x->p->write)) /* else an assumption is what covers it */
		report_cover(x, (hd_sass_cover){.kind = HD_SASS_COVER_DISTANCE, .age = x->age, .needed = needed});
	if (o && o->distance)
		o->distance(o->context, x->p->producer, x->at, x->p->resource, needed, x->age, x->p->time >= 0);
}

/* `alone`: nothing else covers the dependence. */
static void report_wait(const pair *x, bool alone)
{
	const hd_sass_observer *o = x->judge->options->observer;
	if (o && o->wait)
		o->wait(o->context, x->p->ended_by, x->p->producer, alone ? x->p->counters : 0);
}

static void doubt_pair(const pair *x, hd_sass_timing second)
{
	bool *said = &x->judge->no_row[x->hazard][x->p->timing][second];
	if (!*said)
		hd_sass_add_doubt(x->judge->result, HD_SASS_DOUBT_TABLE, x->p->producer, x->at);
	*said = true;
}

/* J2 */
static void judge_fixed(const pair *x)
{
	hd_sass_timing second = hd_sass_timing_of(x->second, x->access, x->index), first = (hd_sass_timing)x->p->timing;
	hd_sass_distance d = x->judge->latencies->at[x->hazard][first][second];
	int needed = d.cycles + (x->p->guard == HD_SASS_PT ? 0 : d.guarded);
	hd_sass_assumed fixed = hd_sass_fixed_under(x->first);
	bool far = d.cycles != HD_SASS_NO_ROW && x->age >= needed;
	if (x->p->ended_by != HD_SASS_NO_WAIT) { /* a counter covers it, and perhaps the distance, too */
		report_cover(x, (hd_sass_cover){.kind = HD_SASS_COVER_WAIT, .at = x->p->ended_by});
		report_wait(x, !far);
		return;
	}
	if (d.cycles == HD_SASS_NO_ROW) {
		doubt_pair(x, second);
		return;
	}
	if (!far) {
		complain(x, HD_SASS_LACK_CYCLES, d, 0);
		return;
	}
	x->judge->result->by_stall++;
	report_distance(x, needed);
	if (fixed && x->p->write)
		lean_on(x, fixed, HD_SASS_LACK_COUNTER, d);
}

/* Other assumptions that may cover a dependence on an instruction of variable latency. */
static hd_sass_assumed assumptions_for(const pair *x)
{
	hd_sass_assumed any_of = x->p->under;
	bool memory = x->hazard == HD_SASS_WAR && x->p->order == HD_SASS_ORDER_READS; /* that is A3 */
	if (x->access->write && !memory && hd_sass_order_of_result(x->first) == hd_sass_order_of_result(x->second))
		any_of |= hd_sass_assumption_of(hd_sass_order_of_result(x->first));
	if (x->hazard != HD_SASS_WAR)
		return any_of;
	if (x->p->order == HD_SASS_ORDER_READS && hd_sass_in_memory_unit(x->second))
		any_of |= HD_SASS_ASSUME(RESULT_BEHIND_READS);
	if (x->access->file == HD_SASS_UNIFORM)
		any_of |= HD_SASS_ASSUME(UNIFORM_READS);
	switch ((hd_sass_class)x->first->latency_class) {
	case HD_SASS_CLASS_TRANSCENDENTAL:
	case HD_SASS_CLASS_CONVERT:
	case HD_SASS_CLASS_SPECIAL:
	case HD_SASS_CLASS_CROSS_UNIFORM:
		return any_of | HD_SASS_ASSUME(SLOW_READS);
	case HD_SASS_CLASS_DOUBLE:
		return any_of | HD_SASS_ASSUME(DOUBLE_READS);
	case HD_SASS_CLASS_BRANCH:
		return any_of | HD_SASS_ASSUME(BRANCH_READS);
	default:
		return any_of;
	}
}

/* Without a table nobody said which instructions have a fixed latency. Results of memory, of textures and of the slow units have none. */
static bool surely_variable(const pair *x)
{
	switch ((hd_sass_class)x->first->latency_class) {
	case HD_SASS_CLASS_MEMORY:
	case HD_SASS_CLASS_SHARED:
	case HD_SASS_CLASS_TEXTURE:
	case HD_SASS_CLASS_TRANSCENDENTAL:
	case HD_SASS_CLASS_CONVERT:
		return x->hazard != HD_SASS_WAR && x->access->file == HD_SASS_REGISTER;
	default:
		return false;
	}
}

/* The measured table of sm_90 says nothing of groups of matrix products, whose own barrier orders them; of the predicate of an atomic; of S2UR, for
 * the last of which alone ptxas raises a counter; and of two loads of constants to one register. */
static bool unmeasured(const pair *x)
{
	if (x->judge->latencies->architecture != 90)
		return false;
	if (x->first->latency_class == HD_SASS_CLASS_MMA_GROUP)
		return true;
	if (x->first->latency_class == HD_SASS_CLASS_CONSTANT)
		return x->hazard == HD_SASS_WAW && x->second->latency_class == HD_SASS_CLASS_CONSTANT;
	if (x->access->file == HD_SASS_PREDICATE)
		return x->p->write && x->first->latency_class == HD_SASS_CLASS_MEMORY;
	return x->access->file == HD_SASS_UNIFORM && x->p->write && x->first->latency_class == HD_SASS_CLASS_CROSS_UNIFORM;
}

/* J3 */
static void judge_variable(const pair *x)
{
	bool blind = x->p->counters & x->wait_mask && x->age < 2;
	hd_sass_lack lack = blind ? HD_SASS_LACK_STALL : x->p->counters ? HD_SASS_LACK_WAIT : HD_SASS_LACK_COUNTER;
	hd_sass_distance none = {0};
	if (x->p->ended_by == HD_SASS_NO_WAIT) {
		if ((x->judge->latencies->present && !unmeasured(x)) || surely_variable(x) || (assumptions_for(x) & x->judge->options->assume))
			lean_on(x, assumptions_for(x), lack, none);
		else
			doubt_pair(x, hd_sass_timing_of(x->second, x->access, x->index));
		return;
	}
	report_cover(x, (hd_sass_cover){.kind = HD_SASS_COVER_WAIT, .at = x->p->ended_by});
	if (!(assumptions_for(x) & x->judge->options->assume))
		report_wait(x, true);
}

/* J4 */
static bool is_exclusive(const pair *x)
{
	const hd_sass_instruction *c = x->second;
	if (c->guard == HD_SASS_PT || c->guard_uniform || x->p->guard == HD_SASS_PT || x->p->guard == HD_SASS_ANY_GUARD)
		return false;
	bool by_lane = x->access->file == HD_SASS_REGISTER || x->access->file == HD_SASS_PREDICATE;
	return by_lane && x->access->role != HD_SASS_GUARD && (x->p->guard & 7) == c->guard && (x->p->guard >> 3 != 0) != c->guard_not;
}

static void judge_register(hd_sass_judge *j, const hd_sass_state *s, uint32_t at, const hd_sass_access *access, unsigned index)
{
	int resource = hd_sass_resource(access->file, access->first + index);
	for (uint32_t i = s->head[resource]; i != UINT32_MAX; i = s->pool.at[i].next) {
		const hd_sass_pending *p = &s->pool.at[i];
		const hd_sass_code *code = j->graph->code;
		if (!p->write && !access->write)
			continue;
		pair x = {.judge = j,
		          .p = p,
		          .first = &code->at[p->producer],
		          .second = &code->at[at],
		          .access = access,
		          .index = index,
		          .at = at,
		          .hazard = !p->write       ? HD_SASS_WAR
		                    : access->write ? HD_SASS_WAW
		                                    : HD_SASS_RAW,
		          .age = s->clock - p->time,
		          .wait_mask = code->at[at].control.wait_mask};
		if (is_exclusive(&x)) {
			j->result->by_guard++;
			report_cover(&x, (hd_sass_cover){.kind = HD_SASS_COVER_GUARD});
		} else if (p->variable) {
			judge_variable(&x);
		} else {
			judge_fixed(&x);
		}
	}
}

void hd_sass_judge_instruction(hd_sass_judge *j, const hd_sass_state *s, uint32_t at)
{
	const hd_sass_instruction *x = &j->graph->code->at[at];
	if (hd_sass_never(x))
		return;
	for (unsigned i = 0; i < x->accesses; i++) {
		if (hd_sass_resource(x->access[i].file, 0) < 0)
			continue;
		for (unsigned k = 0; k < x->access[i].count; k++)
			judge_register(j, s, at, &x->access[i], k);
	}
}

void hd_sass_judge_boundary(hd_sass_judge *j, const hd_sass_state *s, uint32_t at)
{
	const hd_sass_code *code = j->graph->code;
	for (unsigned r = 0; r < HD_SASS_RESOURCES; r++) {
		unsigned number, file = hd_sass_resource_file(r, &number);
		hd_sass_access access = {.file = (uint8_t)file, .first = (uint8_t)number, .count = 1};
		for (uint32_t i = s->head[r]; i != UINT32_MAX; i = s->pool.at[i].next) {
			const hd_sass_pending *p = &s->pool.at[i];
			pair x = {.judge = j,
			          .p = p,
			          .first = &code->at[p->producer],
			          .second = &code->at[at],
			          .access = &access,
			          .at = at,
			          .hazard = HD_SASS_RAW};
			if (p->write && p->variable && p->ended_by == HD_SASS_NO_WAIT)
				lean_on(&x, p->under, p->counters ? HD_SASS_LACK_WAIT : HD_SASS_LACK_COUNTER, (hd_sass_distance){0});
			else if (p->write && p->variable)
				report_wait(&x, true);
		}
	}
}

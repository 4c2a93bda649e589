/* Runs the CTAs of a launch. */
#include "sm/state.h"

#include <inttypes.h>

enum { POLL_EVERY = 1 << 16, REGISTER_VECTORS = 256 + 8 /* zeros behind HD_SASS_RZ */, STACK_LEAST = 1024, REFUSALS_SHOWN = 8 };

/* -- code ------------------------------------------------------------------------------------------------------------------------- */

static const char *line_of(const hd_sass_function *f, uint64_t offset, uint32_t *line)
{
	const char *file = NULL;
	for (size_t i = 0; i < f->n_lines && f->lines[i].offset <= offset; i++) {
		file = f->lines[i].file;
		*line = f->lines[i].line;
	}
	return file;
}

static void put_place(hd_text *text, const hd_sass_function *f, unsigned architecture, uint64_t offset)
{
	hd_sass_instruction in;
	uint32_t line = 0;
	const char *file = line_of(f, offset, &line);
	hd_text_printf(text, "0x%04" PRIx64 " `", offset);
	hd_sass_decode(architecture, f->code + offset, offset, &in);
	hd_sass_print(&in, text);
	hd_text_printf(text, "`");
	if (file)
		hd_text_printf(text, " (%s:%u)", file, line);
}

static uint32_t highest(const hd_sass_instruction *in)
{
	uint32_t most = 0;
	for (unsigned i = 0; i < in->accesses; i++)
		if (in->access[i].file == HD_SASS_REGISTER)
			most = hd_max_u32(most, in->access[i].first + (uint32_t)in->access[i].count);
	return most;
}

hd_sm_code *hd_sm_code_new(const hd_sm_image *image, size_t index, hd_diag *diag)
{
	const hd_sm_kernel *kernel = &image->kernels[index];
	const hd_sass_function *f = kernel->function;
	unsigned refused = 0;
	hd_sm_code *code = hd_xcalloc(1, sizeof *code);
	*code =
	    (hd_sm_code){.image = image, .kernel = kernel, .described = &image->object->kernels.at[index], .n = (uint32_t)(f->size / HD_SASS_BYTES)};
	code->ops = hd_xcalloc((size_t)code->n + 1, sizeof *code->ops);
	for (size_t i = 0; i < f->n_relocations; i++)
		if (refused++ == 0)
			hd_error(diag, (hd_pos){.file = image->cubin->name}, "kernel '%s' is not linked: a relocation for '%s' at 0x%04" PRIx64,
			         f->pretty, f->relocations[i].symbol, f->relocations[i].offset);
	hd_text seen = {0};
	for (uint32_t i = 0; i < code->n; i++) {
		hd_sass_instruction in;
		hd_text why = {0};
		hd_sass_decode(image->cubin->architecture, f->code + (size_t)i * HD_SASS_BYTES, (uint64_t)i * HD_SASS_BYTES, &in);
		bool good = hd_sm_prepare(&in, &code->ops[i], &why);
		code->registers = hd_max_u32(code->registers, highest(&in));
		/* Each reason once: the first place of each. */
		if (!good) {
			hd_text key = {0}, place = {0};
			hd_text_printf(&key, "\n%s %s\n", in.row ? in.row->mnemonic : "", why.at);
			if (!seen.at || !strstr(seen.at, key.at)) {
				hd_text_put(&seen, key.at, key.n);
				put_place(&place, f, image->cubin->architecture, (uint64_t)i * HD_SASS_BYTES);
				if (refused++ < REFUSALS_SHOWN)
					hd_error(diag, (hd_pos){.file = image->cubin->name}, "kernel '%s' cannot run: %s: %s", f->pretty, why.at,
					         place.at);
			}
			hd_text_free(&key);
			hd_text_free(&place);
		}
		hd_text_free(&why);
	}
	hd_text_free(&seen);
	if (code->n == 0 && refused++ == 0)
		hd_error(diag, (hd_pos){.file = image->cubin->name}, "kernel '%s' has no instruction", f->pretty);
	if (!refused)
		return code;
	hd_sm_code_free(code);
	return NULL;
}

void hd_sm_code_free(hd_sm_code *code)
{
	if (code)
		free(code->ops);
	free(code);
}

/* -- operands --------------------------------------------------------------------------------------------------------------------- */

static bool has_sign(const hd_sm_op *op, const hd_sm_source *s) { return op->numbers != HD_SM_RAW && (s->minus || s->absolute || s->invert); }

const hd_vec32 *hd_sm_read(hd_sm_machine *m, const hd_sm_warp *w, const hd_sm_op *op, unsigned source, hd_vec32 room[2])
{
	const hd_sm_source *s = &op->source[source];
	const hd_vec32 *fixed = m->fixed[op - m->code->ops][source];
	if (fixed)
		return fixed;
	const hd_vec32 *from = s->kind == HD_SASS_OPERAND_UNIFORM ? &w->u[s->reg] : &w->r[s->reg];
	return has_sign(op, s) ? hd_sm_signed(op, source, from, room) : from;
}

void hd_sm_write(hd_sm_warp *w, const hd_sm_op *op, uint32_t mask, const hd_vec32 *d)
{
	for (unsigned k = 0; k < op->words; k++) {
		hd_vec32 *to = op->uniform ? &w->u[op->reg + k] : &w->r[op->reg + k];
		if (op->uniform) {
			/* What S2UR, R2UR or a load gives to any lane that executes is the register's value. */
			uint32_t value = d[k].v[mask ? hd_lowest_bit(mask) : 0];
			for (unsigned i = 0; i < HD_LANES; i++)
				to->v[i] = value;
		} else if (mask == UINT32_MAX) {
			*to = d[k];
		} else {
			for (unsigned i = 0; i < HD_LANES; i++)
				to->v[i] = mask >> i & 1 ? d[k].v[i] : to->v[i];
		}
	}
}

static bool is_fixed(const hd_sm_source *s) { return s->kind == HD_SASS_OPERAND_NUMBER || s->kind == HD_SASS_OPERAND_BANK; }
static unsigned words_of(const hd_sm_source *s) { return s->words > 1 ? 2 : 1; }

/* Immediates and constants, which no instruction of the launch changes, are vectors of their own with their signs applied. */
static void prepare_fixed(hd_sm_machine *m)
{
	const hd_sm_code *code = m->code;
	size_t n = 1;
	for (uint32_t i = 0; i < code->n; i++)
		for (unsigned k = 0; k < code->ops[i].n_sources; k++)
			n += is_fixed(&code->ops[i].source[k]) ? words_of(&code->ops[i].source[k]) : 0;
	m->vectors = hd_xaligned(n * sizeof *m->vectors);
	m->fixed = hd_xcalloc((size_t)code->n + 1, sizeof *m->fixed);
	hd_vec32 *to = m->vectors;
	for (uint32_t i = 0; i < code->n; i++)
		for (unsigned k = 0; k < code->ops[i].n_sources; k++) {
			const hd_sm_op *op = &code->ops[i];
			const hd_sm_source *s = &op->source[k];
			uint64_t value = s->number;
			if (!is_fixed(s))
				continue;
			if (s->kind == HD_SASS_OPERAND_BANK) {
				const uint8_t *bank = s->bank < HD_SM_BANKS ? m->bank[s->bank] : NULL;
				value = bank ? hd_load_word(bank + s->number) | (uint64_t)hd_load_word(bank + s->number + 4) << 32 : 0;
			}
			hd_vec32 plain[2], room[2];
			for (unsigned l = 0; l < HD_LANES; l++) {
				plain[0].v[l] = (uint32_t)value;
				plain[1].v[l] = (uint32_t)(value >> 32);
			}
			const hd_vec32 *from = has_sign(op, s) ? hd_sm_signed(op, k, plain, room) : plain;
			m->fixed[i][k] = to;
			for (unsigned v = 0; v < words_of(s); v++)
				*to++ = from[v];
		}
}

/* -- instructions ------------------------------------------------------------------------------------------------------------------ */

bool hd_sm_fault(hd_sm_machine *m, hd_sm_warp *w, hd_trap_kind kind, unsigned lane)
{
	hd_trap *trap = m->trap;
	const hd_sass_function *f = m->code->kernel->function;
	uint32_t thread = w->number * HD_LANES + lane;
	trap->kind = kind;
	trap->pc = HD_TRAP_NO_WORD;
	trap->kernel = hd_kernel_name(m->code->described);
	trap->warp = w->number;
	trap->lane = lane;
	trap->untimed = true;
	trap->cycle = m->stats->run_warp_instructions;
	trap->thread[0] = thread % m->launch->block[0];
	trap->thread[1] = thread / m->launch->block[0] % m->launch->block[1];
	trap->thread[2] = thread / m->launch->block[0] / m->launch->block[1];
	hd_trap_place(trap, m->launch, m->cta);
	if (w->now < m->code->n) {
		hd_text text = {0};
		hd_text_printf(&text, "  at ");
		put_place(&text, f, m->code->image->cubin->architecture, (uint64_t)w->now * HD_SASS_BYTES);
		hd_text_printf(&text, "\n");
		trap->text = text.at;
	}
	return false;
}

static uint32_t special(const hd_sm_machine *m, const hd_sm_warp *w, unsigned number, unsigned lane)
{
	const uint32_t *block = m->launch->block;
	uint32_t thread = w->number * HD_LANES + lane, x = thread % block[0], y = thread / block[0] % block[1], z = thread / block[0] / block[1];
	switch (number) {
	case 0: /* SR_LANEID */
		return lane;
	case 3: /* SR_VIRTID */
		return w->number << 8;
	case 32: /* SR_TID */
		return x | y << 16 | z << 26;
	case 33:
		return x;
	case 34:
		return y;
	case 35:
		return z;
	case 37: /* SR_CTAID */
		return m->cta[0];
	case 38:
		return m->cta[1];
	case 39:
		return m->cta[2];
	case 46: /* SR_LWINHI */
		return (uint32_t)(HD_WINDOW_LOCAL >> 32);
	case 47: /* SR_SWINHI */
		return (uint32_t)(HD_WINDOW_SHARED >> 32);
	case 49: /* SR_SWINSZ */
	case 53: /* SR_LWINSZ */
		return (uint32_t)HD_WINDOW_BYTES;
	case 50: /* SR_SMEMSZ */
		return m->shared_bytes;
	case 56: /* SR_EQMASK */
		return 1u << lane;
	case 57: /* SR_LTMASK */
		return (1u << lane) - 1;
	case 58: /* SR_LEMASK */
		return UINT32_MAX >> (31 - lane);
	case 59: /* SR_GTMASK */
		return ~(UINT32_MAX >> (31 - lane));
	case 60: /* SR_GEMASK */
		return ~((1u << lane) - 1);
	case 1: /* SR_CLOCK */
	case 80:
	case 82: /* SR_GLOBALTIMER */
		return (uint32_t)m->stats->run_warp_instructions;
	case 81:
	case 83:
		return (uint32_t)(m->stats->run_warp_instructions >> 32);
	default: /* SRZ; one core, no cluster */
		return 0;
	}
}

static void special_register(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 d[2];
	unsigned number = (unsigned)op->number[0];
	for (unsigned i = 0; i < HD_LANES; i++) {
		d[0].v[i] = special(m, w, number, i);
		d[1].v[i] = number == 255 ? 0 : special(m, w, number + 1, i);
	}
	hd_sm_write(w, op, mask, d);
}

static void place(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 d[2];
	uint64_t address = HD_SM_CODE + m->code->kernel->number * HD_SM_CODE_STEP;
	address += op->has_target ? op->target : (uint64_t)w->now * HD_SASS_BYTES;
	for (unsigned i = 0; i < HD_LANES; i++) {
		d[0].v[i] = (uint32_t)address;
		d[1].v[i] = (uint32_t)(address >> 32);
	}
	hd_sm_write(w, op, mask, d);
}

static void put_predicate(hd_sm_warp *w, hd_sm_predicate p, uint32_t mask, uint32_t value)
{
	if (p.reg == HD_SASS_PT)
		return;
	if (p.uniform)
		w->up[p.reg & 7] = value >> (mask ? hd_lowest_bit(mask) : 0) & 1 ? UINT32_MAX : 0;
	else
		w->p[p.reg & 7] = (w->p[p.reg & 7] & ~mask) | (value & mask);
}

static void barrier_result(hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_vec32 d;
	for (unsigned i = 0; i < HD_LANES; i++)
		d.v[i] = w->reduced;
	hd_sm_write(w, op, mask, &d);
	if (op->n_results)
		put_predicate(w, op->result[0], mask, w->reduced ? UINT32_MAX : 0);
}

static void pure(hd_sm_machine *m, hd_sm_warp *w, const hd_sm_op *op, uint32_t mask)
{
	hd_sm_in in = {.mask = mask};
	hd_sm_out out;
	hd_vec32 room[HD_SM_SOURCES][2];
	for (unsigned i = 0; i < HD_SM_SOURCES; i++)
		in.s[i] = i < op->n_sources ? hd_sm_read(m, w, op, i, room[i]) : m->zero;
	for (unsigned i = 0; i < op->n_predicates; i++)
		in.p[i] = hd_sm_predicate_of(w, op->predicate[i]);
	op->fn(op, &in, &out);
	hd_sm_write(w, op, mask, out.d);
	for (unsigned i = 0; i < op->n_results; i++)
		put_predicate(w, op->result[i], mask, out.p[i]);
}

/* One instruction of the active lanes. False: a trap. */
static bool step(hd_sm_machine *m, hd_sm_warp *w)
{
	const hd_sm_op *op = &m->code->ops[w->now];
	uint32_t mask = op->always ? w->active : w->active & hd_sm_predicate_of(w, op->guard);
	m->stats->run_warp_instructions += op->kind != HD_SM_NOP;
	m->stats->run_thread_instructions += op->kind != HD_SM_NOP ? hd_count_bits(mask) : 0;
	if (op->kind >= HD_SM_BRANCH)
		return hd_sm_flow(m, w, op, mask);
	if (mask) {
		if (op->kind == HD_SM_PURE)
			pure(m, w, op, mask);
		else if (op->kind == HD_SM_SPECIAL)
			special_register(m, w, op, mask);
		else if (op->kind == HD_SM_PLACE)
			place(m, w, op, mask);
		else if (op->kind == HD_SM_RESULT)
			barrier_result(w, op, mask);
		else if (op->kind != HD_SM_NOP && !hd_sm_access(m, w, op, mask))
			return false;
	}
	w->now++;
	return true;
}

static bool interrupted(hd_sm_machine *m, hd_sm_warp *w)
{
	const hd_sm_options *o = m->options;
	uint64_t n = m->stats->run_warp_instructions;
	if (o->max_instructions && n >= o->max_instructions) {
		hd_sm_fault(m, w, HD_TRAP_CYCLES, w->active ? hd_lowest_bit(w->active) : 0);
		return true;
	}
	if (n < m->next_poll)
		return false;
	m->next_poll = n + POLL_EVERY;
	if (!o->poll || !o->poll(o->context, n, m->ctas_done, m->ctas))
		return false;
	m->trap->kind = HD_TRAP_INTERRUPTED;
	return true;
}

/* A warp's turn. False: a trap. *ran: it executed something. */
static bool turn(hd_sm_machine *m, hd_sm_warp *w, bool *ran)
{
	for (unsigned share = HD_SM_SHARE; share; share--) {
		if ((!w->active || w->now == w->stop) && !hd_sm_choose(w))
			return true;
		if (w->now >= m->code->n) {
			m->trap->address = (uint64_t)w->now * HD_SASS_BYTES;
			return hd_sm_fault(m, w, HD_TRAP_PC, hd_lowest_bit(w->active));
		}
		if (!step(m, w) || interrupted(m, w))
			return false;
		w->streak++;
		*ran = true;
	}
	return true;
}

/* -- CTAs -------------------------------------------------------------------------------------------------------------------------- */

static void begin(hd_sm_machine *m)
{
	uint32_t threads = hd_launch_threads(m->launch);
	memset(m->shared, 0, m->shared_bytes);
	memset(m->barrier, 0, sizeof m->barrier);
	for (uint32_t i = 0; i < m->n_warps; i++) {
		hd_sm_warp *w = &m->warps[i];
		hd_vec32 *r = m->registers + (size_t)i * REGISTER_VECTORS;
		uint8_t *local = m->local ? m->local + (size_t)i * HD_LANES * m->local_bytes : NULL;
		uint32_t lanes = hd_min_u32(threads - i * HD_LANES, HD_LANES);
		memset(w, 0, sizeof *w);
		memset(r, 0, m->code->registers * sizeof *r);
		if (local)
			memset(local, 0, (size_t)HD_LANES * m->local_bytes);
		w->r = r;
		w->local = local;
		w->number = i;
		w->p[HD_SASS_PT] = w->up[HD_SASS_PT] = UINT32_MAX;
		w->lanes = w->alive = lanes == HD_LANES ? UINT32_MAX : (1u << lanes) - 1;
	}
	m->stats->run_ctas++;
	m->stats->run_warps += m->n_warps;
}

static bool deadlock(hd_sm_machine *m)
{
	static const char *const waits[] = {"runs", "waits at BSYNC", "waits at WARPSYNC", "waits at WARPSYNC.COLLECTIVE", "waits at BAR"};
	hd_text text = {0};
	hd_sm_warp *first = NULL;
	for (uint32_t i = 0; i < m->n_warps; i++) {
		hd_sm_warp *w = &m->warps[i];
		if (!w->alive)
			continue;
		first = first ? first : w;
		unsigned lane = hd_lowest_bit(w->alive);
		hd_text_printf(&text, "  warp %u: lane %u %s before 0x%04x\n", w->number, lane, waits[w->wait[lane]], w->pc[lane] * HD_SASS_BYTES);
	}
	unsigned lane = hd_lowest_bit(first->alive);
	first->now = first->pc[lane] ? first->pc[lane] - 1 : 0;
	hd_sm_fault(m, first, HD_TRAP_DEADLOCK, lane);
	if (m->trap->text)
		hd_text_printf(&text, "%s", m->trap->text);
	free(m->trap->text);
	m->trap->text = text.at;
	return false;
}

static bool run_cta(hd_sm_machine *m)
{
	begin(m);
	for (;;) {
		bool ran = false, left = false;
		for (uint32_t i = 0; i < m->n_warps; i++) {
			if (m->warps[i].alive && !turn(m, &m->warps[i], &ran))
				return false;
			left |= m->warps[i].alive != 0;
		}
		if (!left)
			return true;
		if (!hd_sm_release_barriers(m) && !ran)
			return deadlock(m);
	}
}

static void make_room(hd_sm_machine *m)
{
	const hd_sm_kernel *kernel = m->code->kernel;
	const hd_sm_image *image = m->code->image;
	m->n_warps = hd_divide_up_u32(hd_launch_threads(m->launch), HD_LANES);
	m->warps = hd_xaligned(m->n_warps * sizeof *m->warps);
	m->registers = hd_xaligned((size_t)m->n_warps * REGISTER_VECTORS * sizeof *m->registers);
	m->shared_bytes = hd_launch_shared(m->launch);
	m->shared = hd_xaligned((size_t)m->shared_bytes + 64);
	/* As the driver does: what the file asks for, and room for calls whose depth it does not know. */
	m->local_bytes = ((kernel->stack_bytes + 15) & ~15u) + STACK_LEAST;
	m->local = hd_xcalloc((size_t)m->n_warps * HD_LANES, m->local_bytes);
	for (unsigned i = 0; i < HD_SM_BANKS; i++)
		m->bank[i] = i == 1 ? NULL : hd_xcalloc(1, HD_SM_BANK_BYTES + 16);
	hd_sm_fill_bank(kernel, m->launch, m->local_bytes, m->bank[0]);
	if (kernel->pool)
		memcpy(m->bank[2], kernel->pool, kernel->pool_bytes);
	if (image->constants)
		memcpy(m->bank[3], hd_memory_at(m->memory, image->constants, image->constants_bytes), image->constants_bytes);
	if (image->addresses)
		memcpy(m->bank[4], image->addresses, image->addresses_bytes);
}

bool hd_sm_run(const hd_sm_code *code, const hd_launch *launch, hd_memory *memory, const hd_sm_options *options, hd_stats *stats, hd_trap *trap)
{
	hd_sm_machine *m = hd_xaligned(sizeof *m);
	*m = (hd_sm_machine){.code = code, .launch = launch, .memory = memory, .options = options, .stats = stats, .trap = trap};
	m->ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
	make_room(m);
	prepare_fixed(m);
	bool good = true;
	for (uint64_t i = 0; good && i < m->ctas; i++) {
		m->cta[0] = (uint32_t)(i % launch->grid[0]);
		m->cta[1] = (uint32_t)(i / launch->grid[0] % launch->grid[1]);
		m->cta[2] = (uint32_t)(i / launch->grid[0] / launch->grid[1]);
		good = run_cta(m);
		m->ctas_done += good;
	}
	stats->run_lane_slots = HD_LANES * stats->run_warp_instructions;
	for (unsigned i = 0; i < HD_SM_BANKS; i++)
		free(m->bank[i]);
	free(m->fixed);
	free(m->vectors);
	free(m->warps);
	free(m->registers);
	free(m->shared);
	free(m->local);
	free(m);
	return good;
}

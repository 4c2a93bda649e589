/* CTAs of a grid on several threads of the host. The CTAs are cut into chunks of consecutive ones. Each thread takes the next chunk and has a state
 * of its own. Where the order of atomics is free, those on memory that CTAs share are atomic operations of the host (access.c). Statistics are added
 * up in the order of the chunks. A trap ends the grid after its chunk: of several the first counts, and what later chunks counted is dropped, as one
 * thread would not have run them. */
#include "interp/state.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { CHUNKS = 32 /* for each thread, so that threads end at about the same time */ };

typedef struct chunk {
	hd_stats stats;
	hd_trap trap;
	uint64_t done; /* CTAs */
	bool trapped;
} chunk;

typedef struct parallel {
	hd_oracle *first; /* of the calling thread */
	hd_oracle_watch *watch;
	uint64_t begin, end; /* CTAs */
	uint64_t each;       /* CTAs of a chunk */
	uint64_t n;          /* chunks */
	chunk *chunks;
	atomic_uint_fast64_t next;  /* chunk */
	atomic_uint_fast64_t stop;  /* no chunk behind this one has to run */
	atomic_uint_fast64_t ctas;  /* that have ended */
	atomic_uint_fast64_t spent; /* instructions of these */
	atomic_bool interrupted;    /* the user wants it */
	uint64_t before;            /* instructions before these CTAs */
} parallel;

typedef struct worker {
	parallel *all;
	hd_oracle *oracle;
	uint64_t chunk;
	uint64_t polled; /* `spent` at the last poll */
	pthread_t thread;
} worker;

static bool needs_one_thread(const hd_inst *inst)
{
	if (inst->op == HD_OP_S2R)
		return inst->sub == HD_SREG_CLOCK || inst->sub == HD_SREG_CLOCKHI || inst->sub == HD_SREG_GLOBALTIMER ||
		       inst->sub == HD_SREG_GLOBALTIMERHI;
	return hd_op_spawns(&hd_ops[inst->op]);
}

static bool order_matters(const hd_inst *inst)
{
	if (needs_one_thread(inst))
		return true;
	const hd_op_info *info = &hd_ops[inst->op];
	/* A program that waits for another CTA without atomics. */
	if (info->format == HD_F_LD && (inst->mod == HD_CACHE_VOLATILE || inst->mod == HD_CACHE_GLOBAL))
		return inst->op == HD_OP_LDG || inst->op == HD_OP_LD;
	return info->flags & HD_OPF_ATOMIC && hd_op_space(info) != HD_SPACE_SHARED;
}

/* True when the warps of a CTA must not run as a team (state.h). */
static bool warps_wait(const hd_inst *inst)
{
	if (needs_one_thread(inst) || inst->op == HD_OP_WSYNC || inst->op == HD_OP_XLANE)
		return true;
	unsigned format = hd_ops[inst->op].format;
	return (format == HD_F_LD && inst->mod == HD_CACHE_VOLATILE) || format == HD_F_CAS ||
	       (format == HD_F_ATOM && (inst->sub & 15) == HD_ATOM_EXCH);
}

/* True when no instruction that the launch can reach is one of those. */
static bool has_none(const hd_oracle *o, bool (*those)(const hd_inst *))
{
	const hd_object *object = o->program->object;
	uint32_t begin = 0, end = o->n_ops;
	/* The kernel's own code, if it calls nothing; otherwise the whole program. */
	for (size_t i = 0; i < object->functions.n; i++) {
		const hd_function *f = &object->functions.at[i];
		if (o->launch->kernel->call_depth == 0 && f->begin <= o->launch->kernel->entry && o->launch->kernel->entry < f->end) {
			begin = f->begin;
			end = f->end;
		}
	}
	for (uint32_t word = begin; word < end; word++) {
		const hd_oracle_op *op = &o->ops[word];
		if (op->kind == HD_ORACLE_BAD)
			continue;
		if (those(op->inst))
			return false;
		if (end - begin < o->n_ops && (op->inst->op == HD_OP_CALL || op->inst->op == HD_OP_CALLX))
			return false; /* the object's call depth is wrong */
	}
	return true;
}

bool hd_oracle_may_parallel(const hd_oracle *o, const hd_oracle_watch *watch)
{
	return watch->limit == UINT64_MAX && !o->grid->queue && has_none(o, o->unordered ? needs_one_thread : order_matters);
}

bool hd_oracle_may_team(const hd_oracle *o) { return has_none(o, warps_wait); }

static bool stopped(const worker *w) { return atomic_load(&w->all->stop) < w->chunk || atomic_load(&w->all->interrupted); }

/* Called between shares and between CTAs. True when the thread has to stop. */
static bool poll_all(void *context, uint64_t now, uint64_t done, uint64_t ctas)
{
	worker *w = context;
	parallel *p = w->all;
	const hd_oracle_watch *watch = p->watch;
	w->polled = atomic_load(&p->spent);
	if (w->oracle == p->first && watch->poll &&
	    watch->poll(watch->context, p->before + w->polled, watch->ctas_done + atomic_load(&p->ctas), watch->ctas))
		atomic_store(&p->interrupted, true);
	return stopped(w);
}

static void stop_behind(parallel *p, uint64_t chunk_number)
{
	uint64_t stop = atomic_load(&p->stop);
	while (chunk_number < stop && !atomic_compare_exchange_weak(&p->stop, &stop, chunk_number))
		continue;
}

static void place_cta(hd_oracle *o, uint64_t number)
{
	const uint32_t *grid = o->launch->grid;
	uint64_t rest = number / grid[0];
	o->cta[0] = (uint32_t)(number % grid[0]);
	o->cta[1] = (uint32_t)(rest % grid[1]);
	o->cta[2] = (uint32_t)(rest / grid[1]);
}

static void run_chunk(worker *w)
{
	parallel *p = w->all;
	hd_oracle *o = w->oracle;
	chunk *c = &p->chunks[w->chunk];
	hd_oracle_watch watch = {.limit = UINT64_MAX, .next_poll = HD_ORACLE_POLL_EVERY, .poll = poll_all, .context = w};
	uint64_t first = p->begin + w->chunk * p->each, end = hd_min_u64(first + p->each, p->end);
	hd_oracle_past *past = hd_oracle_past_new();
	o->stats = &c->stats;
	o->trap = &c->trap;
	for (uint64_t number = first; number < end && !c->trapped; number++) {
		uint64_t before = c->stats.run_warp_instructions;
		place_cta(o, number);
		c->trapped = !hd_oracle_cta(o, past, &watch);
		if (c->trapped)
			break;
		c->done++;
		atomic_fetch_add(&p->ctas, 1);
		uint64_t spent = atomic_fetch_add(&p->spent, c->stats.run_warp_instructions - before);
		if (spent - w->polled >= HD_ORACLE_POLL_EVERY && poll_all(w, 0, 0, 0)) {
			c->trap.kind = HD_TRAP_INTERRUPTED;
			c->trap.kernel = hd_kernel_name(o->launch->kernel);
			c->trapped = true;
		}
	}
	if (c->trapped)
		stop_behind(p, w->chunk);
	hd_oracle_past_free(past);
}

static void *work(void *context)
{
	worker *w = context;
	parallel *p = w->all;
	hd_oracle_make_room(w->oracle);
	while ((w->chunk = atomic_fetch_add(&p->next, 1)) < p->n && w->chunk <= atomic_load(&p->stop))
		run_chunk(w);
	return NULL;
}

static hd_oracle *copy_of(const hd_oracle *o)
{
	hd_oracle *copy = hd_xaligned(sizeof *copy);
	copy->program = o->program;
	copy->tasks = o->tasks;
	copy->grid = o->grid;
	copy->launch = o->launch;
	copy->memory = o->memory;
	copy->bank = o->bank;
	copy->ops = o->ops;
	copy->path = o->path;
	copy->stride = o->stride;
	copy->together = o->together;
	copy->beside = o->beside;
	copy->n_ops = o->n_ops;
	copy->n_registers = o->n_registers;
	copy->cleared = o->cleared;
	copy->call_depth = o->call_depth;
	copy->share = o->share;
	return copy;
}

/* Adds the chunks up to the first that trapped to the grid, as if one thread had run their CTAs. */
static bool merge(parallel *p, hd_grid *grid, hd_stats *stats, hd_trap *trap)
{
	hd_oracle *o = p->first;
	uint64_t number;
	bool ok = true;
	for (uint64_t i = 0; i < p->n; i++) {
		chunk *c = &p->chunks[i];
		for (uint64_t k = 0; ok && k < c->done; k++) {
			hd_tasks_give(o->tasks, grid, stats->run_warp_instructions, o->cta, &number, &o->item);
			hd_tasks_done(o->tasks, grid, stats->run_warp_instructions + c->stats.run_warp_instructions);
		}
		if (!ok) {
			hd_trap_free(&c->trap);
			continue;
		}
		p->watch->ctas_done += c->done;
		ok = !c->trapped;
		if (!ok) {
			hd_tasks_give(o->tasks, grid, stats->run_warp_instructions, o->cta, &number, &o->item);
			*trap = c->trap;
			trap->cycle += stats->run_warp_instructions;
		}
		hd_stats_add(stats, &c->stats);
	}
	return ok;
}

/* Starts threads, which take no signals of the program. Returns the number of those that could be had. */
static uint32_t start(worker *workers, uint32_t n)
{
	sigset_t all, before;
	uint32_t i = 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (i < n && pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0)
		i++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return i;
}

bool hd_oracle_parallel(hd_oracle *o, hd_grid *grid, hd_oracle_watch *watch)
{
	hd_stats *stats = o->stats;
	hd_trap *trap = o->trap;
	parallel p = {.first = o, .watch = watch, .begin = grid->given, .end = grid->total, .before = stats->run_warp_instructions};
	uint64_t ctas = p.end - p.begin;
	uint32_t others = (uint32_t)hd_min_u64(o->threads, ctas) - 1;
	p.each = ctas / (CHUNKS * (uint64_t)o->threads) + 1;
	p.n = (ctas + p.each - 1) / p.each;
	p.chunks = hd_xcalloc(p.n, sizeof *p.chunks);
	atomic_init(&p.stop, UINT64_MAX);
	o->beside = others && !has_none(o, order_matters);
	worker *workers = hd_xcalloc(others + 1, sizeof *workers), own = {.all = &p, .oracle = o};
	for (uint32_t i = 0; i < others; i++) {
		workers[i] = (worker){.all = &p, .oracle = copy_of(o)};
	}
	uint32_t started = start(workers, others);
	work(&own);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	o->stats = stats;
	o->trap = trap;
	o->beside = false;
	bool ok = merge(&p, grid, stats, trap);
	watch->next_poll = stats->run_warp_instructions + HD_ORACLE_POLL_EVERY;
	for (uint32_t i = 0; i < others; i++) {
		hd_oracle_free_room(workers[i].oracle);
		free(workers[i].oracle);
	}
	free(workers);
	free(p.chunks);
	return ok;
}

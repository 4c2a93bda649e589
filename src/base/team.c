#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

/* A thread that waits looks so often before it sleeps, because pieces of work follow each other quickly: some microseconds alone, then some hundred
 * while it lets others go first, as on a host with fewer processors than threads. */
enum { LOOKS = 4000, YIELDS = 400 };

/* The items of a member. Others take some of them when they have no more of their own. */
typedef struct own_items {
	_Alignas(64) atomic_uint next;
	uint32_t end;
} own_items;

/* Each atomic that threads look at while they wait has a cache line of the host. */
struct hd_team {
	_Alignas(64) atomic_uint piece;   /* number of the present piece of work */
	_Alignas(64) atomic_uint working; /* threads that have not finished the piece */
	_Alignas(64) atomic_uint asleep;  /* threads that wait in their sleep, the caller among them */
	pthread_mutex_t mutex;
	pthread_cond_t changes; /* of piece and working */
	pthread_t *thread;
	own_items *share; /* of each member, the caller's the first */
	uint32_t threads;
	bool ended;
	void (*work)(void *context, uint32_t item);
	void *context;
};

static void do_items(hd_team *team, uint32_t member)
{
	for (uint32_t i = 0; i <= team->threads; i++) {
		own_items *share = &team->share[(member + i) % (team->threads + 1)];
		while (atomic_load(&share->next) < share->end) {
			uint32_t item = atomic_fetch_add(&share->next, 1);
			if (item < share->end)
				team->work(team->context, item);
		}
	}
}

/* Waits while *at is `value`. */
static void wait_while(hd_team *team, atomic_uint *at, unsigned value)
{
	for (unsigned i = 0; i < LOOKS; i++)
		if (atomic_load(at) != value)
			return;
	for (unsigned i = 0; i < YIELDS; i++) {
		if (atomic_load(at) != value)
			return;
		sched_yield();
	}
	pthread_mutex_lock(&team->mutex);
	atomic_fetch_add(&team->asleep, 1); /* before the look, so that either this thread sees the change or wake() sees this thread */
	while (atomic_load(at) == value)
		pthread_cond_wait(&team->changes, &team->mutex);
	atomic_fetch_sub(&team->asleep, 1);
	pthread_mutex_unlock(&team->mutex);
}

static void wake(hd_team *team)
{
	if (!atomic_load(&team->asleep))
		return;
	pthread_mutex_lock(&team->mutex);
	pthread_cond_broadcast(&team->changes);
	pthread_mutex_unlock(&team->mutex);
}

typedef struct member {
	hd_team *team;
	uint32_t number;
} member;

static void *run_member(void *context)
{
	member me = *(member *)context;
	free(context);
	for (unsigned piece = 0;; piece++) {
		wait_while(me.team, &me.team->piece, piece);
		if (me.team->ended)
			return NULL;
		do_items(me.team, me.number);
		if (atomic_fetch_sub(&me.team->working, 1) == 1)
			wake(me.team);
	}
}

uint32_t hd_threads(uint32_t asked)
{
	const char *variable = asked ? NULL : getenv("HEDDLE_THREADS");
	unsigned long number = variable ? strtoul(variable, NULL, 10) : asked;
	return number < 1 ? 1 : number > HD_THREADS_MAX ? HD_THREADS_MAX : (uint32_t)number;
}

bool hd_unordered_atomics(void)
{
	const char *variable = getenv("HEDDLE_ATOMICS");
	return variable && strcmp(variable, "unordered") == 0;
}

/* Begins one more thread. False: the host has none. */
static bool add_thread(hd_team *team)
{
	member *me = hd_xmalloc(sizeof *me);
	*me = (member){team, team->threads + 1};
	if (pthread_create(&team->thread[team->threads], NULL, run_member, me) != 0) {
		free(me);
		return false;
	}
	team->threads++;
	return true;
}

hd_team *hd_team_new(uint32_t members)
{
	if (members < 2)
		return NULL;
	hd_team *team = hd_xaligned(sizeof *team);
	memset(team, 0, sizeof *team);
	team->thread = hd_xcalloc(members - 1, sizeof *team->thread);
	team->share = hd_xaligned(members * sizeof *team->share);
	memset(team->share, 0, members * sizeof *team->share);
	pthread_mutex_init(&team->mutex, NULL);
	pthread_cond_init(&team->changes, NULL);
	sigset_t all, before; /* signals are for the threads of the caller's program */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (team->threads < members - 1 && add_thread(team))
		continue;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (team->threads)
		return team;
	hd_team_free(team);
	return NULL;
}

static void begin_piece(hd_team *team)
{
	atomic_fetch_add(&team->piece, 1);
	wake(team);
}

void hd_team_free(hd_team *team)
{
	if (!team)
		return;
	team->ended = true;
	begin_piece(team);
	for (uint32_t i = 0; i < team->threads; i++)
		pthread_join(team->thread[i], NULL);
	pthread_cond_destroy(&team->changes);
	pthread_mutex_destroy(&team->mutex);
	free(team->share);
	free(team->thread);
	free(team);
}

void hd_team_run(hd_team *team, uint32_t n, void (*work)(void *context, uint32_t item), void *context)
{
	if (!team || n < 2) {
		for (uint32_t i = 0; i < n; i++)
			work(context, i);
		return;
	}
	uint64_t members = team->threads + 1;
	team->work = work;
	team->context = context;
	for (uint32_t i = 0; i < members; i++) {
		team->share[i].end = (uint32_t)((i + 1) * n / members);
		atomic_store(&team->share[i].next, (uint32_t)(i * n / members));
	}
	atomic_store(&team->working, team->threads);
	begin_piece(team);
	do_items(team, 0);
	for (unsigned left; (left = atomic_load(&team->working));)
		wait_while(team, &team->working, left);
}

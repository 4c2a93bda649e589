#include "base/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { SPINS = 4000 }; /* looks at a flag before the thread sleeps: pieces of work follow each other quickly */

struct hd_team {
	pthread_t *thread;
	uint32_t threads;
	pthread_mutex_t mutex;
	pthread_cond_t begins, ends;
	atomic_uint piece;   /* number of the present piece of work */
	atomic_uint next;    /* item */
	atomic_uint working; /* threads that have not finished the piece */
	bool over;
	uint32_t n;
	void (*work)(void *context, uint32_t item);
	void *context;
};

static void do_items(hd_team *team)
{
	for (uint32_t item; (item = atomic_fetch_add(&team->next, 1)) < team->n;)
		team->work(team->context, item);
}

/* Waits until the number of the piece is another one. */
static void await_piece(hd_team *team, unsigned last)
{
	for (unsigned i = 0; i < SPINS; i++)
		if (atomic_load(&team->piece) != last)
			return;
	pthread_mutex_lock(&team->mutex);
	while (atomic_load(&team->piece) == last)
		pthread_cond_wait(&team->begins, &team->mutex);
	pthread_mutex_unlock(&team->mutex);
}

static void *member(void *context)
{
	hd_team *team = context;
	for (unsigned piece = 0;; piece++) {
		await_piece(team, piece);
		if (team->over)
			return NULL;
		do_items(team);
		if (atomic_fetch_sub(&team->working, 1) != 1)
			continue;
		pthread_mutex_lock(&team->mutex);
		pthread_cond_signal(&team->ends);
		pthread_mutex_unlock(&team->mutex);
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

hd_team *hd_team_new(uint32_t members)
{
	if (members < 2)
		return NULL;
	hd_team *team = hd_xcalloc(1, sizeof *team);
	team->thread = hd_xcalloc(members - 1, sizeof *team->thread);
	pthread_mutex_init(&team->mutex, NULL);
	pthread_cond_init(&team->begins, NULL);
	pthread_cond_init(&team->ends, NULL);
	sigset_t all, before; /* signals are for the threads of the caller's program */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (team->threads < members - 1 && pthread_create(&team->thread[team->threads], NULL, member, team) == 0)
		team->threads++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (team->threads)
		return team;
	hd_team_free(team);
	return NULL;
}

static void begin_piece(hd_team *team)
{
	pthread_mutex_lock(&team->mutex);
	atomic_fetch_add(&team->piece, 1);
	pthread_cond_broadcast(&team->begins);
	pthread_mutex_unlock(&team->mutex);
}

void hd_team_free(hd_team *team)
{
	if (!team)
		return;
	team->over = true;
	begin_piece(team);
	for (uint32_t i = 0; i < team->threads; i++)
		pthread_join(team->thread[i], NULL);
	pthread_cond_destroy(&team->begins);
	pthread_cond_destroy(&team->ends);
	pthread_mutex_destroy(&team->mutex);
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
	team->n = n;
	team->work = work;
	team->context = context;
	atomic_store(&team->next, 0);
	atomic_store(&team->working, team->threads);
	begin_piece(team);
	do_items(team);
	for (unsigned i = 0; i < SPINS && atomic_load(&team->working); i++)
		continue;
	pthread_mutex_lock(&team->mutex);
	while (atomic_load(&team->working))
		pthread_cond_wait(&team->ends, &team->mutex);
	pthread_mutex_unlock(&team->mutex);
}

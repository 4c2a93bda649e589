/* Teams of threads (PA-1): every item is done once, and what it wrote is there when the call returns. */
#include "../test.h"

#include "base/team.h"

#include <pthread.h>

enum { ITEMS = 57 };

typedef struct work {
	uint32_t done[ITEMS];
	pthread_t by[ITEMS];
} work;

static void item(void *context, uint32_t i)
{
	work *w = context;
	w->done[i]++;
	w->by[i] = pthread_self();
}

TEST(every_item_is_done_once)
{
	for (uint32_t members = 0; members < 9; members++) {
		hd_team *team = hd_team_new(members);
		assert_true((team != NULL) == (members > 1));
		for (uint32_t n = 0; n <= ITEMS; n++) {
			work w = {0};
			hd_team_run(team, n, item, &w);
			for (uint32_t i = 0; i < ITEMS; i++)
				assert_int_equal(w.done[i], i < n);
		}
		hd_team_free(team);
	}
}

typedef struct meeting {
	pthread_mutex_t mutex;
	pthread_cond_t all;
	uint32_t here, wanted;
} meeting;

static void meet(void *context, uint32_t i)
{
	meeting *m = context;
	pthread_mutex_lock(&m->mutex);
	m->here++;
	pthread_cond_broadcast(&m->all);
	while (m->here < m->wanted)
		pthread_cond_wait(&m->all, &m->mutex);
	pthread_mutex_unlock(&m->mutex);
}

/* Items that wait for each other need all members at the same time, the caller among them. */
TEST(members_work_at_the_same_time)
{
	for (uint32_t members = 2; members <= 6; members++) {
		meeting m = {.wanted = members};
		pthread_mutex_init(&m.mutex, NULL);
		pthread_cond_init(&m.all, NULL);
		hd_team *team = hd_team_new(members);
		for (unsigned again = 0; again < 20; again++) {
			m.here = 0;
			hd_team_run(team, members, meet, &m);
			assert_int_equal(m.here, members);
		}
		hd_team_free(team);
		pthread_mutex_destroy(&m.mutex);
		pthread_cond_destroy(&m.all);
	}
}

TEST(the_number_of_threads)
{
	unsetenv("HEDDLE_THREADS");
	assert_int_equal(hd_threads(0), 1);
	assert_int_equal(hd_threads(3), 3);
	assert_int_equal(hd_threads(5000), HD_THREADS_MAX);
	setenv("HEDDLE_THREADS", "7", 1);
	assert_int_equal(hd_threads(0), 7);
	assert_int_equal(hd_threads(2), 2);
	setenv("HEDDLE_THREADS", "many", 1);
	assert_int_equal(hd_threads(0), 1);
	setenv("HEDDLE_THREADS", "99999999999999999999", 1);
	assert_int_equal(hd_threads(0), HD_THREADS_MAX);
	unsetenv("HEDDLE_THREADS");
}

TEST(the_order_of_atomics)
{
	unsetenv("HEDDLE_ATOMICS");
	assert_false(hd_unordered_atomics());
	setenv("HEDDLE_ATOMICS", "ordered", 1);
	assert_false(hd_unordered_atomics());
	setenv("HEDDLE_ATOMICS", "unordered", 1);
	assert_true(hd_unordered_atomics());
	unsetenv("HEDDLE_ATOMICS");
}

/* The mutex with priorities by which launches of a context take turns: a thread that comes does not overtake one of a higher priority that waits. */
#include "runtime/priority_mutex.h"

#include <time.h>

#include "../test.h"

enum { ROUNDS = 20, THREADS = 3 };

typedef struct taker {
	hr_priority_mutex *turn;
	hr_priority priority;
	unsigned *order; /* number of threads that have had the turn */
	unsigned place;  /* of this one */
} taker;

static void *take_and_end(void *data)
{
	taker *t = data;
	hr_priority_mutex_lock(t->turn, t->priority);
	t->place = (*t->order)++;
	hr_priority_mutex_unlock(t->turn);
	return NULL;
}

static unsigned waiting(hr_priority_mutex *turn)
{
	unsigned n = 0;
	pthread_mutex_lock(&turn->lock);
	for (unsigned i = 0; i < HR_PRIORITIES; i++)
		n += turn->waiting[i];
	pthread_mutex_unlock(&turn->lock);
	return n;
}

/* This thread ends its turn and comes again at once, with a low priority, while three others wait. */
TEST(test_none_overtakes_a_higher_priority)
{
	for (int round = 0; round < ROUNDS; round++) {
		unsigned order = 0;
		hr_priority_mutex turn;
		hr_priority_mutex_init(&turn);
		taker takers[THREADS] = {
		    {&turn, HR_PRIORITY_LOW, &order, 0}, {&turn, HR_PRIORITY_MEDIUM, &order, 0}, {&turn, HR_PRIORITY_HIGH, &order, 0}};
		taker own = {&turn, HR_PRIORITY_LOW, &order, 0};
		pthread_t threads[THREADS];
		hr_priority_mutex_lock(&turn, HR_PRIORITY_LOW);
		for (unsigned i = 0; i < THREADS; i++) {
			assert_int_equal(pthread_create(&threads[i], NULL, take_and_end, &takers[i]), 0);
			while (waiting(&turn) <= i)
				nanosleep(&(struct timespec){0, 100000}, NULL);
		}
		hr_priority_mutex_unlock(&turn);
		take_and_end(&own);
		for (unsigned i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		assert_int_equal(takers[2].place, 0);
		assert_int_equal(takers[1].place, 1);
		assert_true(takers[0].place >= 2 && own.place >= 2);
		assert_false(turn.taken);
		hr_priority_mutex_destroy(&turn);
	}
}

TEST(test_a_free_turn_is_taken_at_once)
{
	hr_priority_mutex turn;
	hr_priority_mutex_init(&turn);
	for (unsigned i = 0; i < HR_PRIORITIES; i++) {
		hr_priority_mutex_lock(&turn, (hr_priority)i);
		assert_true(turn.taken);
		hr_priority_mutex_unlock(&turn);
	}
	assert_int_equal(waiting(&turn), 0);
	hr_priority_mutex_destroy(&turn);
}

/* A mutex with priorities. A thread that finds the turn free takes it, unless a thread of a higher priority waits. So a thread of the same priority
 * may overtake one that has been woken, as with a mutex: a switch of threads for each small launch would cost more than the launch. */
#include "runtime/turn.h"

void hr_turn_init(hr_turn *turn)
{
	*turn = (hr_turn){.taken = false};
	pthread_mutex_init(&turn->lock, NULL);
	for (unsigned i = 0; i < HR_PRIORITIES; i++)
		pthread_cond_init(&turn->ended[i], NULL);
}

void hr_turn_destroy(hr_turn *turn)
{
	for (unsigned i = 0; i < HR_PRIORITIES; i++)
		pthread_cond_destroy(&turn->ended[i]);
	pthread_mutex_destroy(&turn->lock);
}

/* The highest priority of a thread that waits; HR_PRIORITIES: none waits. */
static unsigned highest(const hr_turn *turn)
{
	unsigned priority = 0;
	while (priority < HR_PRIORITIES && !turn->waiting[priority])
		priority++;
	return priority;
}

void hr_turn_take(hr_turn *turn, hr_priority priority)
{
	pthread_mutex_lock(&turn->lock);
	while (turn->taken || highest(turn) < priority) {
		turn->waiting[priority]++;
		pthread_cond_wait(&turn->ended[priority], &turn->lock);
		turn->waiting[priority]--;
	}
	turn->taken = true;
	pthread_mutex_unlock(&turn->lock);
}

void hr_turn_end(hr_turn *turn)
{
	pthread_mutex_lock(&turn->lock);
	turn->taken = false;
	unsigned next = highest(turn);
	if (next < HR_PRIORITIES)
		pthread_cond_signal(&turn->ended[next]);
	pthread_mutex_unlock(&turn->lock);
}

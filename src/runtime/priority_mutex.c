/* A mutex with priorities. A thread that finds the mutex free takes it, unless a thread of a higher priority waits. So a thread of the same priority
 * may overtake one that has been woken, as with a mutex: a switch of threads for each small launch would cost more than the launch. */
#include "runtime/priority_mutex.h"

void hr_priority_mutex_init(hr_priority_mutex *mutex)
{
	*mutex = (hr_priority_mutex){.taken = false};
	pthread_mutex_init(&mutex->lock, NULL);
	for (unsigned i = 0; i < HR_PRIORITIES; i++)
		pthread_cond_init(&mutex->ended[i], NULL);
}

void hr_priority_mutex_destroy(hr_priority_mutex *mutex)
{
	for (unsigned i = 0; i < HR_PRIORITIES; i++)
		pthread_cond_destroy(&mutex->ended[i]);
	pthread_mutex_destroy(&mutex->lock);
}

/* The highest priority of a thread that waits; HR_PRIORITIES: none waits. */
static unsigned highest(const hr_priority_mutex *mutex)
{
	unsigned priority = 0;
	while (priority < HR_PRIORITIES && !mutex->waiting[priority])
		priority++;
	return priority;
}

void hr_priority_mutex_lock(hr_priority_mutex *mutex, hr_priority priority)
{
	pthread_mutex_lock(&mutex->lock);
	while (mutex->taken || highest(mutex) < priority) {
		mutex->waiting[priority]++;
		pthread_cond_wait(&mutex->ended[priority], &mutex->lock);
		mutex->waiting[priority]--;
	}
	mutex->taken = true;
	pthread_mutex_unlock(&mutex->lock);
}

void hr_priority_mutex_unlock(hr_priority_mutex *mutex)
{
	pthread_mutex_lock(&mutex->lock);
	mutex->taken = false;
	unsigned next = highest(mutex);
	if (next < HR_PRIORITIES)
		pthread_cond_signal(&mutex->ended[next]);
	pthread_mutex_unlock(&mutex->lock);
}

/* A mutex: of the threads that wait, one of the highest priority takes it next. */
#ifndef HR_PRIORITY_MUTEX_H
#define HR_PRIORITY_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* The priorities of queues, the highest first. */
typedef enum hr_priority { HR_PRIORITY_HIGH, HR_PRIORITY_MEDIUM, HR_PRIORITY_LOW, HR_PRIORITIES } hr_priority;

typedef struct hr_priority_mutex {
	pthread_mutex_t lock;
	pthread_cond_t ended[HR_PRIORITIES];
	unsigned waiting[HR_PRIORITIES]; /* under `lock`, as `taken` is */
	bool taken;
} hr_priority_mutex;

void hr_priority_mutex_init(hr_priority_mutex *mutex);
void hr_priority_mutex_destroy(hr_priority_mutex *mutex);
void hr_priority_mutex_lock(hr_priority_mutex *mutex, hr_priority priority);
void hr_priority_mutex_unlock(hr_priority_mutex *mutex);

#endif

/* A mutex: of the threads that wait, one of the highest priority takes it next. */
#ifndef HR_TURN_H
#define HR_TURN_H

#include <pthread.h>
#include <stdbool.h>

/* The priorities of queues, the highest first. */
typedef enum hr_priority { HR_PRIORITY_HIGH, HR_PRIORITY_MEDIUM, HR_PRIORITY_LOW, HR_PRIORITIES } hr_priority;

typedef struct hr_turn {
	pthread_mutex_t lock;
	pthread_cond_t ended[HR_PRIORITIES];
	unsigned waiting[HR_PRIORITIES]; /* under `lock`, as `taken` is */
	bool taken;
} hr_turn;

void hr_turn_init(hr_turn *turn);
void hr_turn_destroy(hr_turn *turn);
/* Waits for the turn. */
void hr_turn_take(hr_turn *turn, hr_priority priority);
void hr_turn_end(hr_turn *turn);

#endif

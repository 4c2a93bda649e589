/* The replay buffer (replay_buffer.h) in the core: who enters it, leaves it and issues again. */
#ifndef HD_CORE_REPLAY_H
#define HD_CORE_REPLAY_H

#include "core/state.h"

/* Issues a replay in an issue slot of cycle `now` >= next. */
void hd_replay_issue(hd_core *core, hd_scheduler *s, uint64_t now);
/* Enters the issued entry into its pipe when the pipe accepts it, before the queue. */
void hd_replay_enter(hd_core *core, unsigned scheduler, uint64_t now);
/* Called before an instruction enters a pipe whose memory stage can refuse, from its queue. True when it is refused at the entry, for register file
 * ports or for its order. */
bool hd_replay_parks(hd_core *core, hd_scheduler *s, const hd_sent *sent, uint64_t now);
/* The response of a pipe of hd_machine_refusing to an instruction of its queue that nothing but the pipe holds back (PD-26). */
typedef struct hd_reception {
	enum { HD_RECEPTION_WAITS, HD_RECEPTION_ENTERS, HD_RECEPTION_REFUSED } what;
	hd_refusal why; /* the reason of a refusal */
	uint64_t ready; /* first cycle in which the replay may issue */
} hd_reception;
/* `accept` is the first cycle in which the pipe takes an instruction. Without a free entry an instruction waits that would be refused, unless it can
 * enter with a conflict of ports. */
hd_reception hd_replay_receives(hd_core *core, hd_scheduler *s, const hd_sent *sent, uint64_t accept, uint64_t now);
/* Puts an instruction that left its queue into the buffer, as hd_replay_receives decided in this cycle. */
void hd_replay_park(hd_core *core, hd_scheduler *s, const hd_sent *sent, const hd_reception *how, uint64_t now);
/* At the end of a window of time (PA-2), when all requests are priced: entries learn when they can issue again. */
void hd_replay_answers(hd_core *core, hd_scheduler *s);
/* Frees an entry. */
void hd_replay_release(hd_core *core, hd_scheduler *s, uint64_t now);
/* Called at a memory stage that can refuse, in cycle `now`. `flight` is an instruction or a replay of one. Returns the instruction, or NULL if it was
 * refused for its order. Sets whether the unit may refuse it. */
hd_flight *hd_replay_arrives(hd_core *core, hd_flight *flight, uint64_t now);
/* Handles the unit's result. True when the instruction was served; its entry is then free. */
bool hd_replay_served(hd_core *core, hd_flight *flight, uint64_t now);

#endif

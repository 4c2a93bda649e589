/* The supervisor of a program that Heddle runs.
 *
 * The supervisor is a process of its own, and the program's parent. It holds the reading end of a pipe, the lifeline, whose other end only we hold.
 * The kernel closes our end when we end, whatever ends us, SIGKILL included. The supervisor then kills the program's process group.
 *
 * PR_SET_PDEATHSIG alone does not do this. The signal is bound to the thread that forked, and not to its process; it reaches the program, and none of
 * the processes that the program starts (HEDDLE_CLANG may name a script); and a program with other privileges loses it. The supervisor has one
 * thread, so the program has the signal for the case that somebody kills the supervisor.
 *
 * The supervisor is in a session of its own, so signals to our process group (Ctrl-C) and the end of a terminal do not reach it. It is a fork of a
 * process that may have many threads, therefore it calls functions only that are safe in a signal handler. It closes the files that it does not need:
 * otherwise two supervisors of one process would hold each other's lifelines. */
#ifndef HD_SUPERVISE_H
#define HD_SUPERVISE_H

#include "front/process.h"

/* The ends of the pipes that the supervisor uses, all with FD_CLOEXEC. */
typedef struct hd_supervision {
	const hd_process *process;
	int out, err; /* standard output and standard error of the program */
	int report;   /* receives one or two hd_supervision_report */
	int lifeline; /* readable, or at its end: the program must end */
	int *moved;   /* room for as many numbers as there are files: nothing can be allocated in the child */
} hd_supervision;

typedef struct hd_supervision_report {
	int failure;  /* errno: the program cannot be started; 0: it was */
	int status;   /* as waitpid gives it */
	uint64_t cpu; /* microseconds that the program and its children used */
} hd_supervision_report;

/* Runs in the child after fork, with all signals blocked. Starts the program, waits for its end or for the lifeline, kills what is left of the
 * program's process group, reports and exits. */
HD_NORETURN void hd_supervise(const hd_supervision *s);

#endif

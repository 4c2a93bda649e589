/* The tables of heddle-multi-issue that have a column for each machine. */
#ifndef HEDDLE_BENCH_MULTI_ISSUE_TABLES_H
#define HEDDLE_BENCH_MULTI_ISSUE_TABLES_H

#include "base/base.h"

enum { SETTINGS = 8 };

/* A column: cycles where `over` is negative, otherwise the speed-up over column `over`. The program is compiled for the machine `compiled` and runs
 * on the machine `runs`, or on `compiled` where that is empty. */
typedef struct column {
	const char *name;
	const char *compiled[SETTINGS], *runs[SETTINGS];
	int over;
} column;

typedef struct table {
	const column *columns;
	unsigned n;
	unsigned sent;     /* the column whose histogram and mix follow the columns; 0 = none */
	unsigned pairs[2]; /* the columns of which the share of dependent pairs follows (MI-6, MI-15); 0 = none */
} table;

/* Single issue with the hints that a window honours too, and no others. */
#define PLAIN "multi_issue.window=1", "predecode.pair=false", "predecode.hold=false", "predecode.boost=false"

static const column windows[] = {
    {"single issue, plain: cycles", {PLAIN}, {NULL}, -1},        {"window 2", {"multi_issue.window=2"}, {NULL}, 0},
    {"window 4", {"multi_issue.window=4"}, {NULL}, 0},           {"window 8", {"multi_issue.window=8"}, {NULL}, 0},
    {"annotations alone", {"multi_issue.window=4"}, {PLAIN}, 0}, {"single issue, all hints", {"multi_issue.window=1"}, {NULL}, 0},
};
static const column policies[] = {
    {"single issue, plain: cycles", {PLAIN}, {NULL}, -1},
    {"window 4", {"multi_issue.window=4"}, {NULL}, 0},
    {"waits passed", {"multi_issue.window=4", "multi_issue.pass_waits=true"}, {NULL}, 0},
    {"nothing held", {"multi_issue.window=4", "multi_issue.hold=255"}, {NULL}, 0},
    {"types from opcodes", {"multi_issue.window=4", "multi_issue.types=opcode"}, {NULL}, 0},
    {"no replay, single issue", {PLAIN, "predecode.replay=0"}, {NULL}, 0},
    {"no replay, window 4", {"multi_issue.window=4", "predecode.replay=0"}, {NULL}, 0},
    {"scoreboard, single issue", {PLAIN, "fence.mode=scoreboard"}, {NULL}, 0},
    {"scoreboard, window 4", {"multi_issue.window=4", "fence.mode=scoreboard"}, {NULL}, 0},
};
static const column wide[] = {
    {"width 1, plain: cycles", {PLAIN}, {NULL}, -1},
    {"window 4", {"multi_issue.window=4"}, {NULL}, 0},
    {"width 2, plain", {PLAIN, "predecode.issue_width=2"}, {NULL}, 0},
    {"width 2, pairs", {PLAIN, "predecode.issue_width=2", "predecode.pair=true"}, {NULL}, 0},
    {"width 2, window 4", {"multi_issue.window=4", "predecode.issue_width=2"}, {NULL}, 0},
    {"width 4, plain", {PLAIN, "predecode.issue_width=4"}, {NULL}, 0},
    {"width 4, pairs", {PLAIN, "predecode.issue_width=4", "predecode.pair=true"}, {NULL}, 0},
    {"width 4, window 4", {"multi_issue.window=4", "predecode.issue_width=4"}, {NULL}, 0},
};
/* MI-12: the prior art has one queue for all types. A secondary at its head blocks all others, so that machine is best off when secondaries wait in
 * the decoder: that is the reference. MI-15: both mechanisms of dependence, because a scoreboard never lets a dependent pair go. */
#define ONE_QUEUE "multi_issue.queues=shared"
#define IN_DECODER ONE_QUEUE, "fence.high_latency=5", "fence.classify=latency", "fence.threshold=1"
static const column queues[] = {
    {"one queue: cycles", {PLAIN, IN_DECODER}, {NULL}, -1},
    {"waits at its head", {PLAIN, ONE_QUEUE}, {NULL}, 0},
    {"one queue, window 4", {"multi_issue.window=4", IN_DECODER}, {NULL}, 0},
    {"queue a type", {PLAIN}, {NULL}, 0},
    {"queue a type, window 4", {"multi_issue.window=4"}, {NULL}, 0},
    {"scoreboard, one queue: cycles", {PLAIN, ONE_QUEUE, "fence.mode=scoreboard"}, {NULL}, -1},
    {"scoreboard, one queue, window 4", {"multi_issue.window=4", ONE_QUEUE, "fence.mode=scoreboard"}, {NULL}, 5},
    {"scoreboard, queue a type", {PLAIN, "fence.mode=scoreboard"}, {NULL}, 5},
    {"scoreboard, queue a type, window 4", {"multi_issue.window=4", "fence.mode=scoreboard"}, {NULL}, 5},
};
/* MI-13: without multi_issue.pass_waits both are the same. */
#define PASSED "multi_issue.pass_waits=true"
static const column places[] = {
    {"single issue, plain: cycles", {PLAIN}, {NULL}, -1},
    {"window 2, unsent", {"multi_issue.window=2", PASSED}, {NULL}, 0},
    {"window 2, eligible", {"multi_issue.window=2", PASSED, "multi_issue.places=eligible"}, {NULL}, 0},
    {"window 4, unsent", {"multi_issue.window=4", PASSED}, {NULL}, 0},
    {"window 4, eligible", {"multi_issue.window=4", PASSED, "multi_issue.places=eligible"}, {NULL}, 0},
    {"window 4, no wait passed", {"multi_issue.window=4"}, {NULL}, 0},
};
/* MI-14: `tex` has no operations. The hint `delay.coord` names a type of its own, and `delay.rest` names four pipes. */
#define SINGLE(...) {PLAIN, __VA_ARGS__}, {NULL}, 0
#define WINDOW(...) {"multi_issue.window=4", __VA_ARGS__}, {NULL}, 1
#define ALL_IN_ALU "pipe.coord=alu", "pipe.sfu=alu", "pipe.f64=alu", "pipe.cvt=alu", "pipe.cvt64=alu"
static const column pipes[] = {
    {"single issue, plain: cycles", {PLAIN}, {NULL}, -1},
    {"window 4: cycles", {"multi_issue.window=4"}, {NULL}, -1},
    {"floats apart, single", SINGLE("pipe.fma=tex")},
    {"floats apart, window", WINDOW("pipe.fma=tex")},
    {"floats alone in a type", WINDOW("pipe.fma=coord", "pipe.coord=tex")},
    {"64 bits apart, single", SINGLE("pipe.alu64=tex", "pipe.mul64=tex")},
    {"64 bits apart, window", WINDOW("pipe.alu64=tex", "pipe.mul64=tex")},
    {"one pipe, window", WINDOW(ALL_IN_ALU)},
};
/* MI-14: a second copy of a pipe matters where more instructions than one can be sent to it in a cycle, so with an issue width of 2, too. */
#define EACH_TWICE "copies.alu=2", "copies.coord=2", "copies.sfu=2", "copies.f64=2", "copies.cvt=2"
static const column copies[] = {
    {"window 4: cycles", {"multi_issue.window=4"}, {NULL}, -1},
    {"2 alu", {"copies.alu=2"}, {NULL}, 0},
    {"2 sfu", {"copies.sfu=2"}, {NULL}, 0},
    {"2 of each", {EACH_TWICE}, {NULL}, 0},
    {"2 lsu", {"copies.lsu=2"}, {NULL}, 0},
    {"width 2, window 4: cycles", {"predecode.issue_width=2"}, {NULL}, -1},
    {"width 2, 2 alu", {"predecode.issue_width=2", "copies.alu=2"}, {NULL}, 5},
    {"width 2, 2 of each", {"predecode.issue_width=2", EACH_TWICE}, {NULL}, 5},
    {"width 2, 2 lsu", {"predecode.issue_width=2", "copies.lsu=2"}, {NULL}, 5},
    {"width 2, 2 of each and lsu", {"predecode.issue_width=2", EACH_TWICE, "copies.lsu=2"}, {NULL}, 5},
};
/* HZ-37: pipes that the schedulers share, of 2 schedulers and of 4. */
#define RARE "machine.shared_pipes=coord+sfu+f64+cvt"
static const column shared[] = {
    {"own pipes: cycles", {"machine.schedulers=2"}, {NULL}, -1},
    {"f64 shared", {"machine.shared_pipes=f64"}, {NULL}, 0},
    {"sfu shared", {"machine.shared_pipes=sfu"}, {NULL}, 0},
    {"cvt shared", {"machine.shared_pipes=cvt"}, {NULL}, 0},
    {"all but alu shared", {RARE}, {NULL}, 0},
    {"alu shared", {"machine.shared_pipes=alu"}, {NULL}, 0},
    {"4 schedulers: cycles", {"machine.schedulers=4"}, {NULL}, -1},
    {"4, all but alu shared", {"machine.schedulers=4", RARE}, {NULL}, 6},
    {"4, the same with 2 copies", {"machine.schedulers=4", RARE, "copies.coord=2", "copies.sfu=2", "copies.f64=2", "copies.cvt=2"}, {NULL}, 6},
};
static const table window_table = {windows, HD_COUNT(windows), 2, {0}}, policy_table = {policies, HD_COUNT(policies), 0, {0}},
                   wide_table = {wide, HD_COUNT(wide), 0, {0}}, queue_table = {queues, HD_COUNT(queues), 0, {4, 8}},
                   place_table = {places, HD_COUNT(places), 0, {0}}, pipe_table = {pipes, HD_COUNT(pipes), 0, {0}},
                   copy_table = {copies, HD_COUNT(copies), 0, {0}}, shared_table = {shared, HD_COUNT(shared), 0, {0}};

#endif

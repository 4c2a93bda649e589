/* HW-4: scoreboard.sv against src/core/issue/scoreboard.c, the baseline. The macros MACHINE_WARPS to DONES are the parameters of the module. */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include "core/issue/scoreboard.h"

enum { WARP_BITS = RTL_CLOG2(MACHINE_WARPS), READER_BITS = RTL_CLOG2(FENCE_CONSUMERS + 1), IN_FLIGHT = 24 };

enum { ISSUES, RAW, WAR, WAW, TOO_MANY, FENCED, OTHER_PIPE, RELEASED_NOW, AGAIN, READS_MEET };
lockstep_bin bench_bins[] = {
    [ISSUES] = {"an instruction issues"},
    [RAW] = {"a read waits for a write"},
    [WAR] = {"a write waits for a read"},
    [WAW] = {"a write waits for a write"},
    [TOO_MANY] = {FENCE_CONSUMERS < IN_FLIGHT ? "a read waits because no more readers can be tracked" : NULL},
    [FENCED] = {"a barrier or fence waits for accesses"},
    [OTHER_PIPE] = {"an access to shared memory waits for the other pipe"},
    [RELEASED_NOW] = {"an instruction issues that the last cycle refused"},
    [AGAIN] = {"a register is written again in the cycle in which its write ends"},
    [READS_MEET] = {READS > 1 && FENCE_CONSUMERS > 1 ? "two reads of one register end" : NULL},
};
const unsigned bench_n_bins = sizeof bench_bins / sizeof *bench_bins;

/* An instruction that has issued, and what it has still to end. */
typedef struct flight {
	hd_footprint footprint;
	unsigned warp;
	bool used, reads, writes, access;
} flight;

static hd_scoreboard board;
static flight flights[IN_FLIGHT];
static unsigned ending, issuing, narrow; /* percent, percent, registers in use */
static bool refused;
static struct {
	lockstep_port *valid, *warp, *set;
} read, written, done;
static lockstep_port *issue_valid, *issue_ready, *issue_warp, *issue_reads, *issue_writes, *issue_order, *writing, *readers, *accesses, *shared;

void bench_start(void)
{
	read.valid = lockstep_find("read_valid");
	read.warp = lockstep_find("read_warp");
	read.set = lockstep_find("read_set");
	written.valid = lockstep_find("written_valid");
	written.warp = lockstep_find("written_warp");
	written.set = lockstep_find("written_set");
	done.valid = lockstep_find("done_valid");
	done.warp = lockstep_find("done_warp");
	done.set = lockstep_find("done_order");
	issue_valid = lockstep_find("issue_valid");
	issue_ready = lockstep_find("issue_ready");
	issue_warp = lockstep_find("issue_warp");
	issue_reads = lockstep_find("issue_reads");
	issue_writes = lockstep_find("issue_writes");
	issue_order = lockstep_find("issue_order");
	writing = lockstep_find("writing");
	readers = lockstep_find("readers");
	accesses = lockstep_find("accesses");
	shared = lockstep_find("shared");
	hd_scoreboard_init(&board, FENCE_CONSUMERS);
	memset(flights, 0, sizeof flights);
}

static void put_set(lockstep_port *port, unsigned first, const uint64_t set[HD_SCORE_WORDS])
{
	for (unsigned at = 0; at < RESOURCES; at += 64)
		lockstep_put(port, first + at, hd_min_u32(64, RESOURCES - at), set[at / 64]);
}

/* A random set of up to `most` registers. */
static void some(unsigned most, uint64_t set[HD_SCORE_WORDS])
{
	for (unsigned n = lockstep_below(most + 1); n > 0; n--) {
		unsigned at = lockstep_below(lockstep_chance(80) ? narrow : RESOURCES);
		set[at / 64] |= UINT64_C(1) << at % 64;
	}
}

/* Phase 1: instructions in flight end reads, writes and accesses. */
static void end(uint64_t ended_writes[MACHINE_WARPS][HD_SCORE_WORDS])
{
	unsigned n[3] = {0};
	uint64_t ended_reads[MACHINE_WARPS][HD_SCORE_WORDS] = {0};
	lockstep_zero(read.valid);
	lockstep_zero(written.valid);
	lockstep_zero(done.valid);
	for (unsigned i = 0; i < IN_FLIGHT; i++) {
		flight *f = &flights[i];
		if (!f->used || !lockstep_chance(ending))
			continue;
		if (f->reads && n[0] < READS) {
			lockstep_put(read.valid, n[0], 1, 1);
			lockstep_put(read.warp, n[0] * WARP_BITS, WARP_BITS, f->warp);
			put_set(read.set, n[0]++ * RESOURCES, f->footprint.reads);
			hd_scoreboard_read(&board, f->warp, &f->footprint);
			f->reads = false;
			for (unsigned word = 0; word < HD_SCORE_WORDS; word++) {
				lockstep_cover_if(READS_MEET, ended_reads[f->warp][word] & f->footprint.reads[word]);
				ended_reads[f->warp][word] |= f->footprint.reads[word];
			}
		}
		if (!f->reads && f->writes && n[1] < WRITES) {
			lockstep_put(written.valid, n[1], 1, 1);
			lockstep_put(written.warp, n[1] * WARP_BITS, WARP_BITS, f->warp);
			put_set(written.set, n[1]++ * RESOURCES, f->footprint.writes);
			hd_scoreboard_written(&board, f->warp, &f->footprint);
			f->writes = false;
			for (unsigned word = 0; word < HD_SCORE_WORDS; word++)
				ended_writes[f->warp][word] |= f->footprint.writes[word];
		}
		if (!f->reads && !f->writes && f->access && n[2] < DONES) {
			lockstep_put(done.valid, n[2], 1, 1);
			lockstep_put(done.warp, n[2] * WARP_BITS, WARP_BITS, f->warp);
			lockstep_put(done.set, n[2]++ * 4, 4, f->footprint.order);
			hd_scoreboard_done(&board, f->warp, &f->footprint);
			f->access = false;
		}
		f->used = f->reads || f->writes || f->access;
	}
}

/* Counts why an instruction waits. */
static void cover_causes(unsigned warp, const hd_footprint *footprint)
{
	bool raw = false, war = false, waw = false, many = false;
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++) {
		raw |= (footprint->reads[i] & board.writing[warp][i]) != 0;
		waw |= (footprint->writes[i] & board.writing[warp][i]) != 0;
		war |= (footprint->writes[i] & board.reading[warp][i]) != 0;
		many |= (footprint->reads[i] & board.full[warp][i]) != 0;
	}
	lockstep_cover_if(RAW, raw && !war && !waw && !many);
	lockstep_cover_if(WAR, war && !raw && !waw && !many);
	lockstep_cover_if(WAW, waw && !raw && !war && !many);
	lockstep_cover_if(TOO_MANY, many && !raw && !war && !waw);
	bool registers = raw || war || waw || many, fenced = footprint->order & HD_SCORE_FENCE && board.accesses[warp];
	lockstep_cover_if(FENCED, fenced && !registers);
	lockstep_cover_if(OTHER_PIPE, footprint->order & HD_SCORE_SHARED && !fenced && !registers);
}

static void issue(uint64_t ended_writes[MACHINE_WARPS][HD_SCORE_WORDS])
{
	unsigned warp = lockstep_below(MACHINE_WARPS), at = 0;
	hd_footprint footprint = {0};
	const uint8_t orders[] = {HD_SCORE_FENCE, HD_SCORE_FENCE | HD_SCORE_ACCESS | HD_SCORE_SHARED, HD_SCORE_ACCESS,
	                          HD_SCORE_ACCESS | HD_SCORE_SHARED, HD_SCORE_ACCESS | HD_SCORE_SHARED | HD_SCORE_LATOM};
	some(3, footprint.reads);
	some(2, footprint.writes);
	if (lockstep_chance(40))
		footprint.order = orders[lockstep_below(sizeof orders)];
	if (footprint.order & HD_SCORE_FENCE)
		memset(footprint.reads, 0, sizeof footprint.reads);
	while (at < IN_FLIGHT && flights[at].used)
		at++;
	bool on = at < IN_FLIGHT && lockstep_chance(issuing), ready = hd_scoreboard_ready(&board, warp, &footprint);
	lockstep_put(issue_valid, 0, 1, on);
	lockstep_put(issue_warp, 0, WARP_BITS, warp);
	put_set(issue_reads, 0, footprint.reads);
	put_set(issue_writes, 0, footprint.writes);
	lockstep_put(issue_order, 0, 4, footprint.order);
	lockstep_eval();
	lockstep_expect(issue_ready, 0, 1, ready);
	if (!ready)
		cover_causes(warp, &footprint);
	lockstep_cover_if(ISSUES, on && ready);
	lockstep_cover_if(RELEASED_NOW, on && ready && refused);
	refused = !ready;
	if (!on || !ready)
		return;
	for (unsigned i = 0; i < HD_SCORE_WORDS; i++)
		lockstep_cover_if(AGAIN, footprint.writes[i] & ended_writes[warp][i]);
	hd_scoreboard_issue(&board, warp, &footprint);
	flights[at] = (flight){footprint, warp, true, true, true, (footprint.order & (HD_SCORE_ACCESS | HD_SCORE_SHARED)) != 0};
}

static void compare_state(void)
{
	for (unsigned warp = 0; warp < MACHINE_WARPS; warp++) {
		for (unsigned at = 0; at < RESOURCES; at += 64)
			lockstep_expect(writing, warp * RESOURCES + at, hd_min_u32(64, RESOURCES - at), board.writing[warp][at / 64]);
		for (unsigned at = 0; at < RESOURCES; at++)
			lockstep_expect(readers, (warp * RESOURCES + at) * READER_BITS, READER_BITS, board.readers[warp][at]);
		lockstep_expect(accesses, warp * ORDER_BITS, ORDER_BITS, board.accesses[warp]);
		for (unsigned i = 0; i < 2; i++)
			lockstep_expect(shared, (warp * 2 + i) * ORDER_BITS, ORDER_BITS, board.shared[warp][i]);
	}
}

void bench_cycle(void)
{
	uint64_t ended_writes[MACHINE_WARPS][HD_SCORE_WORDS] = {0};
	if (lockstep_chance(1) || !narrow) {
		ending = 1 + lockstep_below(60);
		issuing = 20 + lockstep_below(81);
		narrow = 1 + lockstep_below(RESOURCES);
	}
	end(ended_writes);
	issue(ended_writes);
	lockstep_clock();
	compare_state();
}

#ifdef LOCKSTEP_REPLAY
/* The rows of warp slots do not influence each other. So a module of a few slots replays a scheduler in several instances: MACHINE_WARPS slots from
 * slot replay_instance * MACHINE_WARPS on. Counts of readers are not recorded: the C unit here has the machine's inputs. */
static bool replay_mine(const replay_event *event, unsigned *warp)
{
	*warp = (unsigned)(event->values[0] - (uint64_t)replay_instance * MACHINE_WARPS);
	return event->values[0] / MACHINE_WARPS == replay_instance;
}

static void replay_end(const replay_event *event, unsigned warp, unsigned n[3])
{
	hd_footprint footprint = {0};
	if (event->kind == HD_RECORD_SCORE_READ) {
		memcpy(footprint.reads, event->values + 1, sizeof footprint.reads);
		replay_ports(n[0] < READS);
		lockstep_put(read.valid, n[0], 1, 1);
		lockstep_put(read.warp, n[0] * WARP_BITS, WARP_BITS, warp);
		put_set(read.set, n[0]++ * RESOURCES, footprint.reads);
		hd_scoreboard_read(&board, warp, &footprint);
	} else if (event->kind == HD_RECORD_SCORE_WRITTEN) {
		memcpy(footprint.writes, event->values + 1, sizeof footprint.writes);
		replay_ports(n[1] < WRITES);
		lockstep_put(written.valid, n[1], 1, 1);
		lockstep_put(written.warp, n[1] * WARP_BITS, WARP_BITS, warp);
		put_set(written.set, n[1]++ * RESOURCES, footprint.writes);
		hd_scoreboard_written(&board, warp, &footprint);
	} else if (event->kind == HD_RECORD_SCORE_DONE && event->values[1]) {
		footprint.order = (uint8_t)replay_value(event, 1, 16);
		replay_ports(n[2] < DONES);
		lockstep_put(done.valid, n[2], 1, 1);
		lockstep_put(done.warp, n[2] * WARP_BITS, WARP_BITS, warp);
		lockstep_put(done.set, n[2]++ * 4, 4, footprint.order);
		hd_scoreboard_done(&board, warp, &footprint);
	}
}

/* A check, or the issue that follows it. */
static void replay_check(const replay_event *event, unsigned warp)
{
	bool issues = event->kind == HD_RECORD_SCORE_ISSUE;
	unsigned at = issues ? 1 : 2;
	hd_footprint footprint = {.order = (uint8_t)replay_value(event, at, 16)};
	memcpy(footprint.reads, event->values + at + 1, sizeof footprint.reads);
	memcpy(footprint.writes, event->values + at + 1 + HD_SCORE_WORDS, sizeof footprint.writes);
	if (lockstep_get(issue_valid, 0, 1)) {
		/* With a candidate window several instructions issue in a cycle. The module takes a cycle for each. */
		lockstep_clock();
		compare_state();
		lockstep_zero(read.valid);
		lockstep_zero(written.valid);
		lockstep_zero(done.valid);
	}
	lockstep_put(issue_valid, 0, 1, issues);
	lockstep_put(issue_warp, 0, WARP_BITS, warp);
	put_set(issue_reads, 0, footprint.reads);
	put_set(issue_writes, 0, footprint.writes);
	lockstep_put(issue_order, 0, 4, footprint.order);
	lockstep_eval();
	lockstep_expect(issue_ready, 0, 1, issues ? 1 : event->values[1]);
	if (issues)
		hd_scoreboard_issue(&board, warp, &footprint);
}

/* A scoreboard changes nothing by itself. So of the cycles without an event for these slots only the first one after an event is replayed. */
static bool replay_is_idle(const replay_event *all, unsigned n)
{
	unsigned warp;
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind >= HD_RECORD_SCORE_CHECK && all[i].kind <= HD_RECORD_SCORE_DONE && replay_mine(&all[i], &warp))
			return false;
	return true;
}

void bench_replay(const replay_event *all, unsigned n)
{
	static bool was_idle;
	unsigned used[3] = {0}, warp;
	bool idle = replay_is_idle(all, n);
	if (REPLAY_SKIPS && idle && was_idle)
		return;
	was_idle = idle;
	lockstep_zero(read.valid);
	lockstep_zero(written.valid);
	lockstep_zero(done.valid);
	lockstep_zero(issue_valid);
	for (unsigned i = 0; i < n; i++)
		if (all[i].kind >= HD_RECORD_SCORE_READ && all[i].kind <= HD_RECORD_SCORE_DONE && replay_mine(&all[i], &warp))
			replay_end(&all[i], warp, used);
	for (unsigned i = 0; i < n; i++)
		if ((all[i].kind == HD_RECORD_SCORE_CHECK || all[i].kind == HD_RECORD_SCORE_ISSUE) && replay_mine(&all[i], &warp))
			replay_check(&all[i], warp);
	lockstep_clock();
	compare_state();
}
#endif

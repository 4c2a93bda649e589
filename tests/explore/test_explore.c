/* A page of a run whose events are made by hand. tests/cli/explore.py has whole runs. */
#include "../test.h"

#include "explore_page.h"

#include "explore/warps.h"
#include "trace/trace_file.h"

enum { SLOTS = 8 };

typedef struct run {
	hd_machine machine;
	hd_object object;
	hd_slot slots[SLOTS];
	hd_program program;
	FILE *out;
	hd_trace_file *file;
} run;

static run *limited_run(const char *kernel, const hd_trace_limits *limits)
{
	run *r = hd_xcalloc(1, sizeof *r);
	hd_diag diag = {0};
	hd_machine_default(&r->machine);
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = SLOTS};
	hd_vec_push(&r->object.kernels, (hd_kernel){.name = hd_xstrdup(kernel)});
	r->out = tmpfile();
	assert_non_null(r->out);
	r->file = hd_trace_open(HD_TRACE_EXPLORE, r->out, "page.html", limits, &r->machine, &r->program, &diag);
	assert_non_null(r->file);
	return r;
}
static run *new_run(const char *kernel) { return limited_run(kernel, NULL); }

static explore_page end(run *r)
{
	hd_diag diag = {0};
	assert_true(hd_trace_close(r->file, &diag));
	explore_page page = explore_read(r->out);
	free(r->object.kernels.at[0].name);
	hd_vec_free(&r->object.kernels);
	free(r);
	return page;
}

static void tell(run *r, hd_trace_event event)
{
	hd_trace *trace = hd_trace_watcher(r->file);
	trace->event(trace, &event);
}

static const char *index_of(const explore_page *page) { return page->blocks.at[page->blocks.n - 1].bytes; }

TEST(the_index_says_what_is_there)
{
	run *r = new_run("k");
	r->slots[2] = (hd_slot){.pipe = HD_PIPE_ALU};
	r->slots[2].inst = (hd_inst){.op = HD_OP_IADD, .guard = HD_PT, .d = 1, .a = 2, .b = 3, .c = HD_RZ};
	r->object.kernels.at[0].entry = 2;
	tell(r, (hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = 1, .pc = 2, .scheduler = 1, .slot = 3});
	tell(r, (hd_trace_event){
	            .kind = HD_TRACE_LOST, .cycle = 2, .cycles = 3, .slots = 6, .cause = HD_STALL_FETCH, .scheduler = 1, .slot = 3, .pc = 2});
	tell(r, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = 5, .pc = 2, .number = 1, .slots = 1, .scheduler = 1, .slot = 3});
	tell(r, (hd_trace_event){.kind = HD_TRACE_ENTER, .cycle = 6, .pc = 2, .number = 1, .scheduler = 1, .slot = 3});
	tell(r, (hd_trace_event){.kind = HD_TRACE_DONE, .cycle = 9, .pc = 2, .number = 1, .scheduler = 1, .slot = 3});
	explore_page page = end(r);
	const char *index = index_of(&page);
	assert_non_null(strstr(index, "\"kernels\":[\"k\"]"));
	assert_non_null(strstr(index, "\"cycles\":10,"));
	assert_non_null(strstr(index, "\"used\":1,"));
	assert_non_null(strstr(index, "\"schedulers\":[1],"));
	assert_non_null(strstr(index, "\"slots\":[19],"));
	assert_non_null(strstr(index, "\"cut\":false"));
	assert_non_null(strstr(index, "[\"tile\",2,9,2],[\"warps\",1,10,1],[\"level\",0,9,10],[\"code\",0,10,0]]"));
	explore_release(&page);
}

static void lose(run *r, unsigned slot, uint64_t cycle, uint64_t cycles)
{
	tell(r, (hd_trace_event){
	            .kind = HD_TRACE_LOST, .cycle = cycle, .cycles = cycles, .slots = 2 * cycles, .cause = HD_STALL_FETCH, .slot = (uint8_t)slot});
}

/* The stretches of lost slots in the first tile, which has no records: cycle and slots of each. */
static void expect_lost(const explore_page *page, const uint64_t (*expected)[2], unsigned n)
{
	enum { FIRST = 3, SLOTS_LOST = 5, LOST_COLUMNS = 7 };
	const char *bytes = page->blocks.at[0].bytes;
	size_t at = 0;
	assert_int_equal(explore_number(bytes, &at), 0);
	assert_int_equal(explore_number(bytes, &at), n);
	for (unsigned column = 0; column < LOST_COLUMNS; column++)
		for (uint64_t i = 0, value = 0; i < n; i++) {
			bool changes = column == 0 || column == FIRST || column == 6;
			value = changes ? explore_change(bytes, &at, value) : explore_number(bytes, &at);
			if (column == FIRST || column == SLOTS_LOST)
				assert_int_equal(value, expected[i][column == SLOTS_LOST]);
		}
}

/* Slots that are lost belong to the run, also behind its last instruction; a window has its part of a stretch, and those of its warp slot. */
TEST(a_window_cuts_stretches)
{
	hd_trace_limits limits = hd_trace_no_limits;
	limits.first = 10;
	limits.last = 20;
	limits.slot = 3;
	run *r = limited_run("k", &limits);
	lose(r, 3, 8, 3);                 /* its last cycle is the window's first */
	lose(r, 5, 11, 1);                /* another warp's */
	lose(r, HD_TRACE_NO_WARP, 14, 2); /* nobody's */
	lose(r, 3, 19, 5);
	explore_page page = end(r);
	expect_lost(&page, (const uint64_t[][2]){{10, 2}, {14, 4}, {19, 4}}, 3);
	assert_non_null(strstr(index_of(&page), "\"cycles\":24,"));
	assert_non_null(strstr(index_of(&page), "\"first\":10,\"last\":20,"));
	assert_non_null(strstr(index_of(&page), "\"lost\":22}"));
	explore_release(&page);
}

TEST(a_page_that_is_full_says_so)
{
	hd_trace_limits limits = hd_trace_no_limits;
	limits.page_bytes = 100;
	run *r = limited_run("k", &limits);
	r->slots[2].pipe = HD_PIPE_NONE;
	tell(r, (hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = 1});
	for (uint32_t i = 1; i <= 30003; i++)
		tell(r, (hd_trace_event){.kind = HD_TRACE_ISSUE, .cycle = i, .pc = 2, .number = i, .slots = 1});
	explore_page page = end(r);
	assert_non_null(strstr(index_of(&page), "\"cut\":true"));
	assert_non_null(strstr(index_of(&page), "\"last\":30000,"));
	assert_non_null(strstr(index_of(&page), "[\"tile\",1,30001,30000],"));
	assert_non_null(strstr(index_of(&page), "\"instructions\":30003,"));
	explore_release(&page);
}

TEST(a_kernel_that_did_not_run_is_not_named)
{
	explore_page page = end(new_run("k"));
	assert_non_null(strstr(index_of(&page), "\"kernels\":[]"));
	assert_non_null(strstr(index_of(&page), "\"cycles\":0,"));
	explore_release(&page);
}

TEST(every_warp_is_there_once)
{
	enum { WARPS = HD_WARPS_EACH + 5 };
	run *r = new_run("k");
	for (uint64_t i = 0; i < WARPS; i++) {
		tell(r, (hd_trace_event){.kind = HD_TRACE_BEGIN, .cycle = 2 * i, .warp = i & 7, .cta = {(uint32_t)i, 1, 2}, .mask = 15, .slot = 2});
		if (i + 1 < WARPS)
			tell(r, (hd_trace_event){.kind = HD_TRACE_END, .cycle = 2 * i + 1, .slot = 2});
	}
	explore_page page = end(r);
	uint64_t n = 0;
	for (size_t block = 0; block < 2; block++) {
		const explore_bytes *b = &page.blocks.at[block];
		for (size_t at = 0; at < b->n; n++) {
			const uint64_t expected[] = {2, 2 * n, 1, n, 1, 2, n & 7, 15};
			for (unsigned k = 0; k < HD_COUNT(expected); k++)
				assert_int_equal(explore_number(b->bytes, &at), expected[k]);
		}
	}
	assert_int_equal(n, WARPS);
	assert_non_null(strstr(index_of(&page), "[\"warps\",0,32767,16384],[\"warps\",32768,"));
	explore_release(&page);
}

TEST(names_cannot_end_an_element)
{
	explore_page page = end(new_run("</script></title><img src=x onerror='alert(1)'>\"&"));
	assert_null(strstr(page.text, "<img"));
	assert_null(strstr(page.text, "</title><img"));
	assert_non_null(strstr(page.text, "<title>Heddle: &#60;/script&#62;"));
	/* The shell is around the runs, with both styles. */
	assert_null(strstr(page.text, "<!-- blocks -->"));
	assert_non_null(strstr(page.text, ".unit-grid{"));
	assert_true(strstr(page.text, ".unit-grid{") < strstr(page.text, "</style>"));
	explore_release(&page);
}

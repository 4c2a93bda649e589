/* A page of a run whose events are made by hand. tests/cli/explore.py has whole runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "explore_page.h"

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

static run *new_run(const char *kernel)
{
	run *r = hd_xcalloc(1, sizeof *r);
	hd_diag diag = {0};
	hd_machine_default(&r->machine);
	r->program = (hd_program){.object = &r->object, .slots = r->slots, .n_slots = SLOTS};
	hd_vec_push(&r->object.kernels, (hd_kernel){.name = hd_xstrdup(kernel)});
	r->out = tmpfile();
	assert_non_null(r->out);
	r->file = hd_trace_open(HD_TRACE_EXPLORE, r->out, "page.html", NULL, &r->machine, &r->program, &diag);
	assert_non_null(r->file);
	return r;
}

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

static void names_cannot_end_an_element(void **state)
{
	explore_page page = end(new_run("</script></title><img src=x onerror='alert(1)'>\"&"));
	assert_null(strstr(page.text, "<img"));
	assert_null(strstr(page.text, "</title><img"));
	assert_non_null(strstr(page.text, "<title>Heddle: &#60;/script&#62;"));
	explore_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_cannot_end_an_element),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

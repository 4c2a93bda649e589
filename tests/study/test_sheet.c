/* ST-5: a study of a file as a sheet, and the page that shows it: which cells have a value, what is counted, and which parts the page has. */
#include "study/page.h"
#include "study/query.h"

#include <math.h>
#include <unistd.h>

#include "../test.h"

enum { MACHINES = 4, LAUNCHES = 3 };

static char path[] = "/tmp/heddle-sheet-XXXXXX";
static hd_store store;
static hd_diag diag;
static hd_text out;

static void put_run(const char *id, const char *status, const char *message, uint64_t cycles)
{
	hd_run_row row = {.machine = "m",
	                  .launch = "l",
	                  .status = status,
	                  .message = message,
	                  .measured = cycles != 0,
	                  .version = "1",
	                  .build = "b",
	                  .host = "h",
	                  .log = ""};
	snprintf(row.id, sizeof row.id, "%s", id);
	row.stats.run_cycles = cycles;
	row.energy.fj[0] = 10 * cycles;
	assert_true(hd_store_put_run(&store, &row));
}

/* Four machines of two axes and three launches of two kinds. Machine 3 cannot be, launch z traps on machine 0, and x on machine 2 has no run. */
static void put_study(void)
{
	static const char *const names[] = {"<a>=1 b=1", "<a>=1 b=2", "<a>=2 b=1", "<a>=2 b=2"}, *const launches[] = {"x", "y&", "z"},
	                         *const kinds[] = {"regular", "regular", "unstructured"};
	static const uint64_t cycles[MACHINES][LAUNCHES] = {{400, 80, 0}, {200, 40, 7}, {0, 60, 5}, {0, 0, 0}};
	hd_machine machine;
	hd_machine_default(&machine);
	/* Another study ran earlier. */
	assert_true(hd_store_put_study(&store, "9999", "old", "f", "old: text", 4));
	assert_true(hd_store_put_study(&store, "0123456789abcdef", "pairs", "f", "axes: <x>", 5));
	for (unsigned l = 0; l < LAUNCHES; l++)
		assert_true(hd_store_put_launch(&store, &(hd_launch_row){launches[l], launches[l], kinds[l], "p", "i"}));
	for (unsigned m = 0; m < MACHINES; m++) {
		char id[8], run[16];
		snprintf(id, sizeof id, "m%u", m);
		assert_true(hd_store_put_machine(
		    &store,
		    &(hd_machine_row){.id = id, .name = id, .text = "t", .machine = m == 3 ? NULL : &machine, .refused = m == 3 ? "why" : NULL}));
		assert_true(hd_store_put_design(&store, "0123456789abcdef", m, id, names[m], m ? (int64_t)10 * m : -1));
		assert_true(hd_store_put_point(&store, &(hd_point_row){"0123456789abcdef", m, id, 0, "<a>", m / 2, m / 2 ? "2" : "1"}));
		/* Machine 3 has no value of the second axis. */
		assert_true(hd_store_put_point(&store, &(hd_point_row){"0123456789abcdef", m, id, 1, "b", m % 2, m == 3 ? NULL : m % 2 ? "2" : "1"}));
		for (unsigned l = 0; l < LAUNCHES; l++) {
			snprintf(run, sizeof run, "r%u%u", m, l);
			assert_true(hd_store_put_member(&store, "0123456789abcdef", m * LAUNCHES + l, id, launches[l], run));
			if (m == 3)
				put_run(run, "refused", "it <cannot> be", 0);
			else if (m == 0 && l == 2)
				put_run(run, "trap", "a trap", 99);
			else if (m != 2 || l != 0)
				put_run(run, "done", NULL, cycles[m][l]);
		}
	}
	/* The other study has one machine. */
	assert_true(hd_store_put_design(&store, "9999", 0, "m0", "old machine", -1));
	assert_true(hd_store_put_member(&store, "9999", 0, "m0", "x", "r00"));
}

static int begin(void **state)
{
	close(mkstemp(path));
	if (!hd_store_open(&store, path, HD_STORE_WRITE, &diag))
		return 1;
	put_study();
	return 0;
}

static int end(void **state)
{
	hd_store_close(&store);
	hd_text_free(&out);
	hd_diag_free(&diag);
	return unlink(path);
}

static const char *const figures[] = {"cycles", "energy", "state_bits", "area"};

static void load(hd_sheet *sheet, const char *name)
{
	if (!hd_sheet_load(sheet, &store, name, figures, 4, &diag))
		fail_msg("%s", diag.text.at);
}

TEST(what_a_sheet_has)
{
	hd_sheet s;
	load(&s, NULL);
	assert_string_equal(s.study, "pairs"); /* the last one */
	assert_int_equal(s.machines.n, MACHINES);
	assert_int_equal(s.launches.n, LAUNCHES);
	assert_int_equal(s.kinds.n, 2);
	assert_int_equal(s.launches.at[1].kind, 0);
	assert_int_equal(s.launches.at[2].kind, 1);
	assert_int_equal(s.axes.n, 2);
	assert_int_equal(s.axes.at[1].values.n, 2);
	assert_string_equal(s.axes.at[0].values.at[1], "2");
	static const int values[MACHINES][2] = {{0, 0}, {0, 1}, {1, 0}, {1, -1}};
	for (unsigned m = 0; m < MACHINES; m++)
		for (unsigned a = 0; a < 2; a++)
			assert_int_equal(s.machines.at[m].value[a], values[m][a]);
	assert_true(s.machines.at[0].state_bits > 1000 && isnan(s.machines.at[3].state_bits));
	assert_true(isnan(s.machines.at[0].area) && s.machines.at[2].area == 20);
	assert_true(s.runs == 12 && s.done == 7 && s.missing == 1);
	hd_sheet_free(&s);
}

TEST(cells_of_runs_that_ended_well)
{
	hd_sheet s;
	load(&s, NULL);
	assert_true(hd_sheet_cell(&s, 0, 0, 0) == 400 && hd_sheet_cell(&s, 0, 1, 2) == 7 && hd_sheet_cell(&s, 0, 2, 1) == 60);
	assert_true(hd_sheet_cell(&s, 1, 1, 1) == 400);
	assert_true(hd_sheet_cell(&s, 2, 1, 0) == s.machines.at[1].state_bits && hd_sheet_cell(&s, 3, 2, 2) == 20);
	assert_true(isnan(hd_sheet_cell(&s, 0, 0, 2))); /* it has cycles, but trapped */
	assert_true(isnan(hd_sheet_cell(&s, 0, 2, 0)) && isnan(hd_sheet_cell(&s, 0, 3, 0)) && isnan(hd_sheet_cell(&s, 2, 3, 0)));
	hd_sheet_free(&s);
}

TEST(studies_by_name)
{
	static const char *const names[] = {"old", "99"}, *const none[] = {"cycels"};
	hd_sheet s;
	for (unsigned i = 0; i < 2; i++) {
		load(&s, names[i]);
		assert_string_equal(s.id, "9999");
		assert_int_equal(s.machines.n, 1);
		assert_true(s.runs == 1 && s.done == 1);
		hd_sheet_free(&s);
	}
	assert_false(hd_sheet_load(&s, &store, "new", figures, 4, &diag));
	assert_non_null(strstr(diag.text.at, "has no study new"));
	hd_sheet_free(&s);
	assert_false(hd_sheet_load(&s, &store, NULL, none, 1, &diag));
	assert_non_null(strstr(diag.text.at, "did you mean cycles"));
	hd_sheet_free(&s);
	hd_diag_free(&diag);
	diag = (hd_diag){0};
}

static void write_page(unsigned pareto, const char *sql)
{
	hd_sheet s;
	load(&s, NULL);
	out.n = 0;
	hd_study_page page = {.sheet = &s, .n_pareto = pareto, .heat = {-1, -1}, .sql = sql};
	if (!hd_study_html(&page, &store, &out, &diag))
		fail_msg("%s", diag.text.at);
	hd_sheet_free(&s);
}

static void expect(const char *part)
{
	if (!strstr(out.at, part))
		fail_msg("the page has no %s", part);
}

static unsigned count(const char *part)
{
	unsigned n = 0;
	for (const char *at = out.at; (at = strstr(at, part)); at++)
		n++;
	return n;
}

TEST(what_the_page_shows)
{
	write_page(2, NULL);
	expect("<b>4</b><span>machines");
	expect("<b>7</b><span>runs that ended well");
	expect("<b>4</b><span>runs with another end");
	expect("<b>1</b><span>runs missing");
	/* The best machines, with ratios to the first machine that ran the launch. */
	expect("<td class=\"text\">x</td><td>regular</td><td>200</td><td>0.500</td>");
	expect("<td class=\"text\">y&#38;</td><td>regular</td><td>40</td><td>0.500</td>");
	expect("<td class=\"text\">z</td><td>unstructured</td><td>5.000</td><td>0.714</td>");
	/* Machine 1 alone has the best regular kernels; machine 2 lacks one of them, so that it is in no front. */
	expect("<th>energy, to the best</th><th>state bits</th>");
	expect("&#60;a&#62;=1 b=2</td></tr>\n</table>");
	assert_int_equal(count("<circle class=\"front\""), 2); /* one a kind */
	assert_int_equal(count("<circle class=\"point\""), 2); /* and the one that is beaten */
	assert_int_equal(count("class=\"steps\""), 2);
	assert_int_equal(count("aria-label=\"heat map\""), 2);
	/* The second map is of unstructured kernels: 7 to 5 cycles. */
	assert_non_null(strstr(strstr(strstr(out.at, "heat map") + 1, "heat map"), ">1.400</text>"));
	expect("<td>refused</td><td>3</td><td class=\"text\">x on &#60;a&#62;=2 b=2</td><td class=\"text\">it &#60;cannot&#62; be</td>");
	expect("<td>trap</td><td>1</td>");
	expect("axes: &#60;x&#62;</pre>");
	assert_null(strstr(out.at, "nan"));
	assert_null(strstr(out.at, "id=\"query\""));
	assert_null(strstr(out.at, "left out"));
	/* The head leads to each part that is there, and to no other. */
	assert_int_equal(count("href=\"#"), 7);
	assert_int_equal(count("<h2 "), 7);
	for (const char *at = out.at; (at = strstr(at, "href=\"#")); at++) {
		char id[40];
		snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
		expect(id);
	}
}

TEST(three_figures_and_a_query)
{
	write_page(3, "SELECT name, worker_time AS n FROM study ORDER BY name");
	expect("Pareto front of three figures");
	assert_int_equal(count("class=\"steps\""), 0);
	expect("<th>area</th>");
	expect("<th class=\"text\">name</th><th>n</th></tr>\n<tr><td class=\"text\">old</td><td>4</td></tr>\n");
	hd_sheet s;
	load(&s, NULL);
	out.n = 0;
	assert_false(hd_study_html(&(hd_study_page){.sheet = &s, .n_pareto = 2, .heat = {0, 1}, .sql = "DELETE FROM run"}, &store, &out, &diag));
	assert_non_null(strstr(diag.text.at, "does more than read"));
	hd_sheet_free(&s);
	hd_diag_free(&diag);
	diag = (hd_diag){0};
}

/* Figures of machines alone: who lacks a run is not shown all the same. */
TEST(a_front_of_what_ran)
{
	static const char *const of_machines[] = {"cycles", "area", "state_bits"};
	hd_sheet s;
	assert_true(hd_sheet_load(&s, &store, NULL, of_machines, 3, &diag));
	out.n = 0;
	assert_true(hd_study_html(&(hd_study_page){.sheet = &s, .n_pareto = 2, .heat = {0, 1}}, &store, &out, &diag));
	assert_int_equal(count("<circle class=\"front\""), 2); /* machine 1 */
	assert_int_equal(count("<circle class=\"point\""), 1); /* machine 2, for the launch z */
	hd_sheet_free(&s);
}

/* A row for each run, also of those that are missing. */
TEST(a_table_of_all_runs)
{
	out.n = 0;
	assert_true(hd_query_study(&store, "0123456789abcdef", &out, &diag));
	assert_int_equal(count("\n"), 1 + MACHINES * LAUNCHES);
	assert_int_equal(strncmp(out.at, "number,launch,kind,name,<a>,b,status,message,state_bits,", 56), 0);
	expect("\n1,y&,regular,<a>=1 b=1,1,1,done,,");
	expect("\n6,x,regular,<a>=2 b=1,2,1,missing,,");
	expect("\n9,x,regular,<a>=2 b=2,2,,refused,it <cannot> be,");
	assert_null(strstr(out.at, "worker"));
}

/* A numeric axis with many values has groups of neighbours, with about as many machines each; other axes stay as they are. */
TEST(groups_of_values)
{
	hd_sheet s;
	char value[24];
	assert_true(hd_store_do(&store, "BEGIN"));
	assert_true(hd_store_put_study(&store, "5555", "many", "f", "t", 1));
	for (unsigned m = 0; m < 40; m++) {
		char id[16];
		snprintf(id, sizeof id, "many%u", m);
		assert_true(hd_store_put_machine(&store, &(hd_machine_row){.id = id, .name = id, .text = "t"}));
		assert_true(hd_store_put_design(&store, "5555", m, id, id, -1));
		/* The order of the values is not that of their numbers. The value 100 has every second machine. */
		snprintf(value, sizeof value, "%u", m % 2 ? 100 : 200 - m);
		assert_true(hd_store_put_point(&store, &(hd_point_row){"5555", m, id, 0, "latency", m % 2 ? 0 : m + 1, value}));
		snprintf(value, sizeof value, "v%u", m);
		assert_true(hd_store_put_point(&store, &(hd_point_row){"5555", m, id, 1, "words", m, value}));
		snprintf(value, sizeof value, "%u", m % 16);
		assert_true(hd_store_put_point(&store, &(hd_point_row){"5555", m, id, 2, "few", m % 16, m == 7 ? NULL : value}));
		assert_true(hd_store_put_member(&store, "5555", m, id, "x", id));
	}
	load(&s, "many");
	assert_int_equal(s.axes.at[1].values.n, 40);
	assert_int_equal(s.axes.at[2].values.n, 16);
	static const char *const groups[] = {"100", "162..170", "172..180", "182..190", "192..200"};
	assert_int_equal(s.axes.at[0].values.n, HD_COUNT(groups));
	assert_string_equal(s.axes.at[0].name, "latency");
	for (unsigned g = 0; g < HD_COUNT(groups); g++)
		assert_string_equal(s.axes.at[0].values.at[g], groups[g]);
	assert_int_equal(s.machines.at[1].value[0], 0);
	assert_int_equal(s.machines.at[0].value[0], 4);
	assert_int_equal(s.machines.at[38].value[0], 1);
	assert_int_equal(s.machines.at[7].value[2], -1);
	/* 40 words have no groups, and a map of them would be 16 columns by 40 rows. Nothing ran. */
	hd_study_page page = {.sheet = &s, .n_pareto = 2, .heat = {1, 2}};
	out.n = 0;
	assert_true(hd_study_html(&page, &store, &out, &diag));
	expect("not the full product");
	expect("A launch that ended well on no machine is left out");
	assert_int_equal(count("No machine ran all launches of this kind"), 3);
	assert_int_equal(count("<circle"), 0);
	hd_sheet_free(&s);
	assert_true(hd_store_do(&store, "ROLLBACK"));
}

/* More rows than a study can have are refused before memory is asked for. */
TEST(more_than_a_study_has)
{
	static const char *const many[] = {
	    "INSERT INTO member SELECT '9999', n + 10, 'm0', 'x', 'r' FROM n LIMIT 1001", /* launches */
	    "INSERT INTO point SELECT '9999', 0, 'm0', n, 'axis' || n, 0, 'v' FROM n LIMIT 65",
	    "INSERT INTO point SELECT '9999', n, 'm0', 3, 'axis', n, 'v' || n FROM n LIMIT 4097",
	    "INSERT INTO design SELECT '9999', n + 10, 'm0', 'm', 1 FROM n LIMIT 200001",
	};
	hd_sheet s;
	for (size_t i = 0; i < HD_COUNT(many); i++) {
		hd_text sql = {0};
		hd_text_printf(&sql, "BEGIN; WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) %s", many[i]);
		assert_true(hd_store_do(&store, sql.at));
		assert_false(hd_sheet_load(&s, &store, "old", figures, 4, &diag));
		assert_non_null(strstr(diag.text.at, "has more machines, launches or axes than a study can have"));
		hd_sheet_free(&s);
		hd_text_free(&sql);
		hd_diag_free(&diag);
		diag = (hd_diag){0};
		assert_true(hd_store_do(&store, "ROLLBACK"));
	}
	load(&s, "old");
	hd_sheet_free(&s);
}

/* Ends of one launch are one row, whatever their messages say; a machine that cannot be is one row for all launches. */
TEST(ends_of_a_launch)
{
	assert_true(hd_store_do(&store, "BEGIN"));
	put_run("r12", "trap", "another trap", 98);
	put_run("r11", "limit", "too long", 97);
	write_page(2, NULL);
	expect(
	    "<td>trap</td><td>2</td><td class=\"text\">z on &#60;a&#62;=1 b=1</td><td class=\"text\">a trap <small>(one of 2 messages)</small></td>");
	expect("<td>limit</td><td>1</td><td class=\"text\">y&#38; on &#60;a&#62;=1 b=2</td><td class=\"text\">too long</td>");
	expect("<td>refused</td><td>3</td>");
	assert_true(hd_store_do(&store, "ROLLBACK"));
}

TEST_AROUND(begin, end)

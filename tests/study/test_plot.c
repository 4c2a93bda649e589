/* ST-5: scales with round marks, numbers for people, and plots that hold what they are given, escaped, whatever is missing. */
#include "study/plot.h"

#include <math.h>

#include "../test.h"

static void near(double value, double expected) { assert_true(fabs(value - expected) < 1e-9); }

TEST(scales_are_round)
{
	hd_scale s = hd_scale_for(1.003, 1.087);
	near(s.step, 0.05);
	near(s.low, 1);
	near(s.high, 1.1);
	s = hd_scale_for(0, 400);
	near(s.step, 100);
	near(s.low, 0);
	near(s.high, 400);
	s = hd_scale_for(5, 5);
	near(s.step, 0.5); /* a tenth of it to each side */
	near(s.low, 4.5);
	near(s.high, 5.5);
	s = hd_scale_for(0, 0);
	assert_true(s.low < 0 && s.high > 0);
	s = hd_scale_for((double)NAN, (double)NAN);
	assert_true(s.high > s.low && s.step > 0);
	for (double high = 1e-6; high < 1e12; high *= 3.7) {
		s = hd_scale_for(high * 0.2, high);
		assert_true(s.low <= high * 0.2 + s.step * 1e-6 && s.high >= high - s.step * 1e-6);
		assert_true((s.high - s.low) / s.step < 8);
	}
}

static void number(double value, const char *expected)
{
	hd_text text = {0};
	hd_plot_number(&text, value);
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
}

TEST(numbers_are_for_people)
{
	number(1, "1.000");
	number(1.0345, "1.034");
	number(0, "0");
	number(17, "17");
	number(45654, "45,654");
	number(-1234, "-1,234");
	number(12345678, "1.235e+07");
	number((double)NAN, "-");
}

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

TEST(points)
{
	const double x[] = {100, 200, 300, (double)NAN, 250}, y[] = {3, 2, 1, 1, 5}, z[] = {1, 2, 3, 4, (double)NAN};
	const bool front[] = {true, true, true, false, false};
	const char *const names[] = {"<a>", "b", "c", "d", "e"};
	hd_text text = {0};
	hd_plot_points(&(hd_points_plot){"bits", "cycles & more", NULL, x, y, NULL, front, names, 5}, &text);
	assert_int_equal(count(text.at, "<circle class=\"front\""), 3);
	assert_int_equal(count(text.at, "<circle class=\"point\""), 1);
	assert_int_equal(count(text.at, "class=\"steps\""), 1);
	assert_non_null(strstr(text.at, "&#60;a&#62;"));
	assert_non_null(strstr(text.at, "cycles &#38; more"));
	assert_null(strstr(text.at, "nan"));
	assert_non_null(strstr(text.at, ">200</text>"));
	/* The line goes by the places of points, whatever their order. */
	const double back[] = {300, 200, 100};
	text.n = 0;
	hd_plot_points(&(hd_points_plot){"bits", "cycles", NULL, back, (const double[]){1, 2, 3}, NULL, front, names, 3}, &text);
	double at[3][2];
	const char *steps = strchr(strstr(text.at, "class=\"steps\""), 'M');
	assert_int_equal(sscanf(steps, "M%lf %lfH%lfV%lfH%lfV%lfH", &at[0][0], &at[0][1], &at[1][0], &at[1][1], &at[2][0], &at[2][1]), 6);
	for (unsigned i = 1; i < 3; i++)
		assert_true(at[i][0] > at[i - 1][0] && at[i][1] > at[i - 1][1]);
	text.n = 0;
	hd_plot_points(&(hd_points_plot){"bits", "cycles", "energy", x, y, z, front, names, 5}, &text);
	assert_int_equal(count(text.at, "class=\"steps\""), 0);
	assert_non_null(strstr(text.at, "r=\"3.0\""));
	/* Figures that differ by more than a factor of 20 get a logarithmic scale. */
	const double far[] = {10, 100, 1000, 5, 2000};
	text.n = 0;
	hd_plot_points(&(hd_points_plot){"bits", "cycles", NULL, far, y, NULL, front, names, 5}, &text);
	assert_non_null(strstr(text.at, ">20</text>"));
	assert_non_null(strstr(text.at, ">500</text>"));
	const double wide[] = {-4000, 2000};
	text.n = 0;
	hd_plot_points(&(hd_points_plot){"bits", "cycles", NULL, wide, y, NULL, front, names, 2}, &text);
	assert_non_null(strstr(text.at, ">-4,000</text>"));
	assert_non_null(strstr(text.at, ">2,000</text>"));
	hd_text_free(&text);
}

TEST(nothing_to_show)
{
	const double none[] = {(double)NAN};
	const bool front[] = {false};
	const char *const names[] = {"a"};
	hd_text text = {0};
	hd_plot_points(&(hd_points_plot){"x", "y", NULL, none, none, NULL, front, names, 1}, &text);
	hd_plot_points(&(hd_points_plot){"x", "y", NULL, none, none, NULL, front, names, 0}, &text);
	hd_plot_lines(
	    &(hd_lines_plot){.name = "axis", .values = names, .n = 1, .series = {"s"}, .y = {none}, .n_series = 1, .scale = hd_scale_for(1, 2)},
	    &text);
	hd_plot_heat(&(hd_heat_plot){"x", "y", names, names, 1, 1, none}, &text);
	assert_null(strstr(text.at, "nan"));
	assert_null(strstr(text.at, "inf"));
	assert_int_equal(count(text.at, "<svg"), count(text.at, "</svg>"));
	hd_text_free(&text);
}

TEST(lines_and_cells)
{
	const double y[] = {1, (double)NAN, 2}, other[] = {2, 2, 2}, cells[] = {1, 2, 3, (double)NAN, 5, 6};
	const char *const values[] = {"1", "a very long value of an axis", "3"}, *const rows[] = {"r0", "r1"};
	hd_text text = {0};
	hd_plot_lines(
	    &(hd_lines_plot){
	        .name = "axis", .values = values, .n = 3, .series = {"first", "second"}, .y = {y, other}, .n_series = 2, .scale = hd_scale_for(1, 2)},
	    &text);
	assert_int_equal(count(text.at, "class=\"dot s0\""), 2);
	assert_int_equal(count(text.at, "class=\"dot s1\""), 3);
	assert_non_null(strstr(text.at, ">a very long…</text>"));
	assert_non_null(strstr(text.at, "second, a very long value of an axis: 2.000"));
	/* Labels stand side by side: what does not fit is cut, or is shown by every second value. */
	const char *const ranges[] = {"117..206", "214..268", "270..392", "419..534", "548..600", "641..701", "725..794", "796..891"};
	const double many[] = {1, 2, 1, 2, 1, 2, 1, 2};
	static const struct {
		size_t n;
		unsigned labels;
		const char *one, *none;
	} shown[] = {{8, 4, ">270..392</text>", ">214..268</text>"}, {5, 5, ">214..…</text>", ">214..268</text>"}, {2, 2, ">214..268</text>", "…"}};
	for (size_t i = 0; i < HD_COUNT(shown); i++) {
		text.n = 0;
		hd_plot_lines(
		    &(hd_lines_plot){
		        .name = "axis", .values = ranges, .n = shown[i].n, .series = {"s"}, .y = {many}, .n_series = 1, .scale = {1, 2, 1}},
		    &text);
		assert_int_equal(count(text.at, "..") - count(text.at, "s, "), shown[i].labels);
		assert_non_null(strstr(text.at, shown[i].one));
		assert_null(strstr(text.at, shown[i].none));
	}
	text.n = 0;
	hd_plot_heat(&(hd_heat_plot){"columns", "rows", values, rows, 3, 2, cells}, &text);
	assert_int_equal(count(text.at, "<rect"), 6);
	assert_int_equal(count(text.at, "class=\"none\""), 1);
	assert_non_null(strstr(text.at, "fill=\"#ecf3fa\"")); /* the least */
	assert_non_null(strstr(text.at, "fill=\"#184f8a\"")); /* the most */
	assert_true(strstr(text.at, "fill=\"#ecf3fa\"") < strstr(text.at, "fill=\"#184f8a\""));
	/* Differences of a thousandth are no extremes. */
	const double alike[] = {1, 1.001};
	text.n = 0;
	hd_plot_heat(&(hd_heat_plot){"columns", "rows", values, rows, 2, 1, alike}, &text);
	assert_non_null(strstr(text.at, "fill=\"#ecf3fa\""));
	assert_null(strstr(text.at, "fill=\"#184f8a\""));
	hd_text_free(&text);
}

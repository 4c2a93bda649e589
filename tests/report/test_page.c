/* Parts that the HTML pages share. */
#include "../test.h"

#include "report/html/page.h"

TEST(text_from_outside_is_escaped)
{
	hd_text text = {0};
	hd_page_escape(&text, "<a href=\"x\">&'b");
	assert_string_equal(text.at, "&#60;a href=&#34;x&#34;&#62;&#38;&#39;b");
	hd_text_free(&text);
	static const char *const kept[] = {
	    "\t\n", "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xe2\x82\xac", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xf1\x80\x80\x80", "~"};
	for (unsigned i = 0; i < HD_COUNT(kept); i++) {
		hd_page_escape(&text, kept[i]);
		assert_string_equal(text.at, kept[i]);
		hd_text_free(&text);
	}
	/* Control characters, bytes alone, forms that are too long, surrogates, numbers above the last character, an end in the middle. */
	static const char *const bad[] = {"\x01",
	                                  "\x1b",
	                                  "\x7f",
	                                  "\x80",
	                                  "\xc1\x81",
	                                  "\xe0\x9f\x80",
	                                  "\xed\xa0\x80",
	                                  "\xf0\x8f\x80\x80",
	                                  "\xf4\x90\x80\x80",
	                                  "\xf5\x80\x80\x80",
	                                  "\xe2\x82",
	                                  "\xff"};
	for (unsigned i = 0; i < HD_COUNT(bad); i++) {
		hd_page_escape(&text, bad[i]);
		assert_int_equal(strncmp(text.at, "&#xfffd;", 8), 0);
		assert_int_equal(text.n % 8, 0);
		hd_text_free(&text);
	}
	hd_page_escape(&text, "a\xff<\xc3(");
	assert_string_equal(text.at, "a&#xfffd;&#60;&#xfffd;(");
	hd_text_free(&text);
}

TEST(a_page_is_one_complete_file)
{
	hd_text page = {0};
	hd_page_begin(&page, "<k>");
	hd_page_end(&page);
	assert_int_equal(strncmp(page.at, "<!DOCTYPE html>", 15), 0);
	assert_non_null(strstr(page.at, "<title>Heddle: &#60;k&#62;</title>"));
	assert_non_null(strstr(page.at, "</head><body>"));
	assert_string_equal(page.at + page.n - 15, "</body></html>\n");
	assert_null(strstr(page.at, "http"));
	hd_text_free(&page);
}

TEST(every_cause_has_a_colour_of_its_own)
{
	for (unsigned i = 0; i <= HD_STALL_COUNT; i++) {
		assert_int_equal(hd_page_colour(i)[0], '#');
		assert_int_equal(strlen(hd_page_colour(i)), 7);
		for (unsigned k = 0; k < i; k++) {
			assert_string_not_equal(hd_page_colour(i), hd_page_colour(k));
			assert_string_not_equal(hd_page_cause(i), hd_page_cause(k));
		}
	}
	assert_string_equal(hd_page_cause(HD_STALL_COUNT), "used");
}

TEST(a_legend_names_the_causes_that_occur)
{
	hd_text text = {0};
	uint64_t sum[HD_STALL_COUNT + 1] = {0};
	sum[HD_STALL_FETCH] = 3;
	sum[HD_STALL_COUNT] = 1;
	hd_page_legend(&text, sum);
	assert_non_null(strstr(text.at, "fetch"));
	assert_non_null(strstr(text.at, "used"));
	assert_null(strstr(text.at, "barrier"));
	hd_text_free(&text);
}

TEST(large_energies_are_in_millijoule)
{
	char text[32];
	hd_page_energy(text, sizeof text, UINT64_C(329141000000));
	assert_string_equal(text, "329.141 &micro;J");
	hd_page_energy(text, sizeof text, UINT64_C(999999000000));
	assert_string_equal(text, "999.999 &micro;J");
	hd_page_energy(text, sizeof text, UINT64_C(1000000000000));
	assert_string_equal(text, "1.000 mJ");
	hd_page_energy(text, sizeof text, UINT64_C(2881250000000));
	assert_string_equal(text, "2.881 mJ");
}

/* Rooflines: operations and bytes of a run, and what the ceilings allow. */
#include "../test.h"

#include "report/html/html_roofline.h"
#include "report/roofline_json.h"

static const hd_ceilings ceilings = {.operations = {128, 32, 16, 8}, .bytes = {256, 200, 100, 32}};

static hd_stats example(void)
{
	return (hd_stats){.run_cycles = 100,
	                  .lanes_alu = 1,
	                  .lanes_fma = 20,
	                  .lanes_mul = 300,
	                  .lanes_alu64 = 4000,
	                  .lanes_mul64 = 50000,
	                  .lanes_sfu = 2,
	                  .lanes_f64 = 30,
	                  .lanes_cvt = 400,
	                  .lanes_cvt64 = 5000,
	                  .lanes_coord = 7,
	                  .lanes_lsu = 7,
	                  .lanes_flow = 7,
	                  .memory_shared_words = 11,
	                  .memory_l1_hits = 10,
	                  .memory_l1_misses = 2,
	                  .memory_l2_hits = 30,
	                  .memory_l2_misses = 4,
	                  .memory_dram_reads = 50,
	                  .memory_dram_writes = 6};
}

TEST(operations_and_bytes_are_the_counters)
{
	hd_stats stats = example();
	hd_roofline_point p = hd_roofline_point_of("k", &stats);
	assert_int_equal(p.operations, 59753);
	assert_int_equal(p.cycles, 100);
	assert_int_equal(p.bytes[HD_LEVEL_SHARED], 44);
	assert_int_equal(p.bytes[HD_LEVEL_L1], 12 * 32);
	assert_int_equal(p.bytes[HD_LEVEL_L2], 34 * 32);
	assert_int_equal(p.bytes[HD_LEVEL_DRAM], 56 * 32);
	assert_float_equal(hd_roofline_rate(&p), 597.53, 1e-9);
	assert_float_equal(hd_roofline_intensity(&p, HD_LEVEL_DRAM), 59753.0 / 1792, 1e-9);
	p = (hd_roofline_point){.operations = 4};
	assert_true(hd_roofline_rate(&p) == 0 && hd_roofline_intensity(&p, HD_LEVEL_L1) == 0);
}

TEST(the_roof_is_the_lower_of_slope_and_pipe)
{
	/* An operation a byte of DRAM: 32 a cycle. Ten: more than the pipe can do. */
	hd_roofline_point p = {.cycles = 10, .operations = 1000, .bytes = {[HD_LEVEL_DRAM] = 1000, [HD_LEVEL_L2] = 100}};
	assert_float_equal(hd_roofline_roof(&ceilings, &p, HD_LEVEL_DRAM), 32, 1e-9);
	assert_float_equal(hd_roofline_roof(&ceilings, &p, HD_LEVEL_L2), 128, 1e-9);
	assert_float_equal(hd_roofline_roof(&ceilings, &p, HD_LEVEL_SHARED), 128, 1e-9); /* no byte */
	assert_int_equal(hd_roofline_bound(&ceilings, &p), HD_LEVEL_DRAM);
	p.bytes[HD_LEVEL_L2] = 8000; /* 12.5 a cycle */
	assert_int_equal(hd_roofline_bound(&ceilings, &p), HD_LEVEL_L2);
	p.bytes[HD_LEVEL_SHARED] = 100000; /* 2.56, below what comes behind it */
	assert_int_equal(hd_roofline_bound(&ceilings, &p), HD_LEVEL_SHARED);
	p.bytes[HD_LEVEL_SHARED] = p.bytes[HD_LEVEL_DRAM] = p.bytes[HD_LEVEL_L2] = 1;
	assert_int_equal(hd_roofline_bound(&ceilings, &p), HD_LEVELS);
}

TEST(a_report_says_what_bounds_a_run)
{
	hd_roofline_point p = {.name = "<k>", .cycles = 10, .operations = 160, .bytes = {[HD_LEVEL_DRAM] = 160, [HD_LEVEL_L1] = 16}};
	hd_text text = {0};
	hd_roofline_text(&ceilings, &p, &text);
	assert_non_null(strstr(text.at, "160 operations, 16.00 a cycle"));
	assert_non_null(strstr(text.at, "50.0 %  (the lowest roof)"));
	assert_null(strstr(text.at, "\n  l2"));
	hd_text_free(&text);
	json_t *root = hd_roofline_json(&ceilings, &p);
	assert_string_equal(json_string_value(json_object_get(root, "bound")), "dram");
	json_t *dram = json_object_get(json_object_get(root, "levels"), "dram");
	assert_float_equal(json_real_value(json_object_get(dram, "reached")), 0.5, 1e-9);
	assert_float_equal(json_real_value(json_object_get(dram, "intensity")), 1, 1e-9);
	assert_float_equal(json_real_value(json_object_get(json_object_get(json_object_get(root, "ceilings"), "bytes_per_cycle"), "l1")), 200, 1e-9);
	assert_float_equal(json_real_value(json_object_get(json_object_get(json_object_get(root, "ceilings"), "operations_per_cycle"), "f64")), 16,
	                   1e-9);
	json_decref(root);
	hd_html_roofline(&ceilings, &p, 1, &text);
	/* x: -1 to 2 on 790 pixels from 70, so 1 is at 333.3 and 10 at 596.7; y: 1 to 1000 on 366 from 380 up, so 16 is at 233.1. A mark a level
	 * with bytes: full for DRAM, a ring for another one. */
	assert_non_null(strstr(text.at, "<circle cx=\"333.3\" cy=\"233.1\" r=\"4.5\""));
	const char *ring = strstr(strstr(text.at, "<circle") + 1, "<circle");
	assert_non_null(ring);
	assert_non_null(strstr(ring, "cx=\"596.7\" cy=\"233.1\" r=\"4.5\" stroke=\"#59a14f\" stroke-width=\"2\" fill=\"none\""));
	/* The picture for a narrow screen has 339 pixels from 46. */
	const char *phone = strstr(ring + 1, "<circle");
	assert_non_null(phone);
	assert_non_null(strstr(text.at, "<svg class=\"phone\" viewBox=\"0 0 480 430\""));
	assert_memory_equal(phone, "<circle cx=\"159.0\" cy=\"233.1\"", 29);
	phone = strstr(phone + 1, "<circle");
	assert_non_null(phone);
	assert_memory_equal(phone, "<circle cx=\"272.0\" cy=\"233.1\"", 29);
	assert_null(strstr(phone + 1, "<circle"));
	assert_non_null(strstr(text.at, "&#60;k&#62;: 1.000 operations a byte of dram, 16.00 a cycle"));
	assert_null(strstr(text.at, "<k>"));
	assert_null(strstr(text.at, "nan"));
	hd_text_free(&text);
	p = (hd_roofline_point){.name = "nothing"};
	hd_html_roofline(&(hd_ceilings){{0}, {0}}, &p, 1, &text);
	assert_true(!strstr(text.at, "nan") && !strstr(text.at, "inf") && !strstr(text.at, "<circle"));
	hd_text_free(&text);
}

/* The tables of latencies (SA-4). */
#include "words.h"

#include "sass/latency.h"

static hd_sass_distance cell(const hd_sass_latencies *t, hd_sass_hazard hazard, hd_sass_timing first, hd_sass_timing second)
{
	return t->at[hazard][first][second];
}

/* Figures of the sources, some of each table and hazard. */
TEST(sa_4_figures)
{
	(void)state;
	static const struct {
		uint8_t hazard, first, second, sm75, sm80;
	} rows[] = {
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_ALU, 4, 4},
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_FMA, 5, 5},
	    {HD_SASS_RAW, HD_SASS_T_FMA, HD_SASS_T_FMA, 4, 4},
	    {HD_SASS_RAW, HD_SASS_T_WIDE_DL, HD_SASS_T_ALU, 3, 3},
	    {HD_SASS_RAW, HD_SASS_T_WIDE_DH, HD_SASS_T_WIDE_AB, 6, 6},
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_HALF, 6, 5},
	    {HD_SASS_RAW, HD_SASS_T_HALF, HD_SASS_T_HALF, 6, 4},
	    {HD_SASS_RAW, HD_SASS_T_FP64, HD_SASS_T_ALU, 9, 10},
	    {HD_SASS_RAW, HD_SASS_T_MMA_1X, HD_SASS_T_ALU, 14, 16},
	    {HD_SASS_RAW, HD_SASS_T_MMA_2X, HD_SASS_T_AGU, 22, 23},
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_AGU, 6, 5},
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_DECOUPLED, 6, 4},
	    {HD_SASS_RAW, HD_SASS_T_DISP64, HD_SASS_T_ALU, 6, 6},
	    {HD_SASS_WAW, HD_SASS_T_ALU, HD_SASS_T_AGU, 6, 5},
	    {HD_SASS_WAW, HD_SASS_T_DISP64, HD_SASS_T_ALU, 2, 1},
	    {HD_SASS_WAW, HD_SASS_T_MMA_2X, HD_SASS_T_ALU, 1, 1},
	    {HD_SASS_WAR, HD_SASS_T_ALU, HD_SASS_T_AGU, 2, 2},
	    {HD_SASS_WAR, HD_SASS_T_MMA_2X, HD_SASS_T_ALU, 13, 7},
	    {HD_SASS_RAW, HD_SASS_T_P_ALU, HD_SASS_T_P_GUARD, 12, 13},
	    {HD_SASS_RAW, HD_SASS_T_P_ALU, HD_SASS_T_P_ALU, 4, 4},
	    {HD_SASS_RAW, HD_SASS_T_P_FP64, HD_SASS_T_P_GUARD, 15, 14},
	    {HD_SASS_RAW, HD_SASS_T_U_UDP, HD_SASS_T_U_COUPLED, 6, 6},
	    {HD_SASS_RAW, HD_SASS_T_U_UDP, HD_SASS_T_U_BINDLESS, 12, 12},
	    {HD_SASS_WAR, HD_SASS_T_U_UDP, HD_SASS_T_U_MOV, 3, 3},
	    {HD_SASS_RAW, HD_SASS_T_UP_UDP, HD_SASS_T_UP_BRANCH, 9, 9},
	};
	hd_sass_latencies *sm75 = hd_sass_latencies_new(75), *sm80 = hd_sass_latencies_new(80);
	for (size_t i = 0; i < HD_COUNT(rows); i++) {
		hd_sass_hazard hazard = (hd_sass_hazard)rows[i].hazard;
		hd_sass_timing first = (hd_sass_timing)rows[i].first, second = (hd_sass_timing)rows[i].second;
		assert_int_equal(cell(sm75, hazard, first, second).cycles, rows[i].sm75);
		assert_int_equal(cell(sm80, hazard, first, second).cycles, rows[i].sm80);
	}
	assert_int_equal(cell(sm80, HD_SASS_WAW, HD_SASS_T_MMA_2X, HD_SASS_T_ALU).guarded, 19);
	free(sm75);
	free(sm80);
}

/* The measured table of sm_90, beside data/h200: some of each hazard. */
TEST(sa_4_measured_figures)
{
	(void)state;
	static const struct {
		uint8_t hazard, first, second, cycles;
	} rows[] = {
	    {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_ALU, 4},      {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_FMA, 5},
	    {HD_SASS_RAW, HD_SASS_T_FMA, HD_SASS_T_FMA, 4},      {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_AGU, 5},
	    {HD_SASS_RAW, HD_SASS_T_DISP64, HD_SASS_T_ALU, 6},   {HD_SASS_RAW, HD_SASS_T_FP64, HD_SASS_T_ALU, 8},
	    {HD_SASS_RAW, HD_SASS_T_MMA_2X, HD_SASS_T_ALU, 16},  {HD_SASS_RAW, HD_SASS_T_P_ALU, HD_SASS_T_P_GUARD, 13},
	    {HD_SASS_RAW, HD_SASS_T_P_ALU, HD_SASS_T_P_ALU, 4},  {HD_SASS_RAW, HD_SASS_T_P_HALF, HD_SASS_T_P_ALU, 5},
	    {HD_SASS_RAW, HD_SASS_T_U_UDP, HD_SASS_T_U_LDC, 11}, {HD_SASS_RAW, HD_SASS_T_U_TO, HD_SASS_T_U_COUPLED, 10},
	    {HD_SASS_WAW, HD_SASS_T_MMA_2X, HD_SASS_T_ALU, 8},   {HD_SASS_WAW, HD_SASS_T_U_LDC, HD_SASS_T_U_LDC, 1},
	    {HD_SASS_WAR, HD_SASS_T_U_UDP, HD_SASS_T_U_MOV, 3},  {HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_SYNCS, 0},
	    {HD_SASS_RAW, HD_SASS_T_U_LDC, HD_SASS_T_U_CBU, 0},
	};
	hd_sass_latencies *sm90 = hd_sass_latencies_new(90);
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		assert_int_equal(cell(sm90, (hd_sass_hazard)rows[i].hazard, (hd_sass_timing)rows[i].first, (hd_sass_timing)rows[i].second).cycles,
		                 rows[i].cycles);
	assert_non_null(strstr(hd_sass_latency_source(cell(sm90, HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_ALU).source), "measured"));
	assert_non_null(strstr(hd_sass_latency_source(cell(sm90, HD_SASS_WAW, HD_SASS_T_U_LDC, HD_SASS_T_U_LDC).source), "inferred"));
	free(sm90);
}

/* Every cell has a source, stays below the bound, and joins one kind of register. */
TEST(sa_4_rows)
{
	(void)state;
	static const unsigned architectures[] = {75, 80, 86, 89, 90};
	for (size_t a = 0; a < HD_COUNT(architectures); a++) {
		hd_sass_latencies *t = hd_sass_latencies_new(architectures[a]);
		unsigned cells = 0;
		assert_true(t->present);
		for (unsigned h = 0; h < HD_SASS_HAZARDS; h++) {
			for (unsigned i = 0; i < HD_SASS_TIMING_COUNT; i++) {
				for (unsigned k = 0; k < HD_SASS_TIMING_COUNT; k++) {
					hd_sass_distance d = t->at[h][i][k];
					if (d.cycles == HD_SASS_NO_ROW)
						continue;
					unsigned kinds = (i >= HD_SASS_T_P_DISP) + (i >= HD_SASS_T_U_COUPLED) + (i >= HD_SASS_T_UP_COUPLED);
					cells++;
					assert_true(d.cycles + d.guarded <= HD_SASS_DISTANCE_MAX);
					assert_true(strlen(hd_sass_latency_source(d.source)) > 0);
					assert_int_equal(kinds, (k >= HD_SASS_T_P_DISP) + (k >= HD_SASS_T_U_COUPLED) + (k >= HD_SASS_T_UP_COUPLED));
				}
			}
		}
		assert_true(cells > 500);
		free(t);
	}
	hd_sass_latencies *none = hd_sass_latencies_new(100);
	assert_false(none->present);
	assert_int_equal(cell(none, HD_SASS_RAW, HD_SASS_T_ALU, HD_SASS_T_ALU).cycles, HD_SASS_NO_ROW);
	free(none);
}

static void expect_timing(words *w, unsigned access_kind, unsigned index, hd_sass_timing expected)
{
	const hd_sass_instruction *x = &code_of(w)->at[0];
	assert_non_null(x->row);
	for (unsigned i = 0; i < x->accesses; i++)
		if (x->access[i].write == (access_kind == 0) && x->access[i].role != HD_SASS_GUARD &&
		    (access_kind < 2 || x->access[i].slot == access_kind - 2))
			assert_int_equal(hd_sass_timing_of(x, &x->access[i], index), expected);
	end(w);
}

TEST(sa_4_timings)
{
	(void)state;
	words w = begin(80);
	iadd3(&w, 4, 2, 3);
	expect_timing(&w, 0, 0, HD_SASS_T_ALU);
	w = begin(80);
	imad(&w, 4, 2, 3);
	expect_timing(&w, 0, 0, HD_SASS_T_FMA);
	w = begin(80);
	mufu(&w, 4, 2);
	expect_timing(&w, 1, 0, HD_SASS_T_DECOUPLED);
	w = begin(80);
	put_word(&w, registers(0x225, 4, 2, 3), 0x078e0206); /* IMAD.WIDE R4, R2, R3, R6 */
	expect_timing(&w, 2, 0, HD_SASS_T_WIDE_AB);
	w = begin(80);
	put_word(&w, registers(0x225, 4, 2, 3), 0x078e0206);
	expect_timing(&w, 4, 0, HD_SASS_T_WIDE_CL);
	w = begin(80);
	put_word(&w, registers(0x225, 4, 2, 3), 0x078e0206);
	expect_timing(&w, 4, 1, HD_SASS_T_WIDE_CH);
}

/* The measured timings of single instructions: VIADD is of the FMA pipes; IMAD.HI is a high half; R2P is late; R2UR on sm_90 has a fixed latency;
 * SYNCS reads at a time that nobody measured. The width of an IMMA is in bit 86, not where the sign of its second operand is. */
TEST(sa_4_timings_of_single_instructions)
{
	(void)state;
	words w = begin(90);
	put_word(&w, registers(0x236, 4, 2, 3), 0); /* VIADD R4, R2, R3 */
	expect_timing(&w, 0, 0, HD_SASS_T_FMA);
	w = begin(80);
	put_word(&w, registers(0x227, 4, 2, 3), 0x078e00ff); /* IMAD.HI.U32 R4, R2, R3, RZ */
	expect_timing(&w, 0, 0, HD_SASS_T_WIDE_DH);
	w = begin(90);
	put_word(&w, 0x300007804, 0); /* R2P PR, R0, 0x3 */
	expect_timing(&w, 0, 0, HD_SASS_T_P_HALF);
	w = begin(90);
	put_word(&w, 0x60472ca, 0xe0000); /* R2UR UR4, R6 */
	assert_false(hd_sass_is_variable(&code_of(&w)->at[0]));
	expect_timing(&w, 1, 0, HD_SASS_T_ALU);
	w = begin(80);
	put_word(&w, registers(0x237, 8, 12, 6), 0x405408); /* IMMA.16816.S8.S8 */
	expect_timing(&w, 0, 0, HD_SASS_T_MMA_1X);
	w = begin(80);
	put_word(&w, registers(0x237, 8, 12, 6), 0x401408); /* IMMA.16816.S8.U8 */
	expect_timing(&w, 0, 0, HD_SASS_T_MMA_1X);
	w = begin(80);
	put_word(&w, registers(0x237, 8, 12, 6), 0x405c08); /* IMMA.16832.S8.S8 */
	expect_timing(&w, 0, 0, HD_SASS_T_MMA_2X);
	w = begin(80);
	put_word(&w, registers(0x237, 8, 12, 6), 0x5408); /* IMMA.8816.S8.S8 */
	expect_timing(&w, 0, 0, HD_SASS_T_IMMA_88);
}

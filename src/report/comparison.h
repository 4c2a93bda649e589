/* The results of several launches, each on several machines. */
#ifndef HD_COMPARISON_H
#define HD_COMPARISON_H

#include "config/machine.h"
#include "launch/launch.h"
#include "report/line_pairs.h"

typedef enum hd_outputs { HD_OUTPUTS_NONE /* not compared: a run was interrupted or failed */, HD_OUTPUTS_SAME, HD_OUTPUTS_DIFFER } hd_outputs;

typedef struct hd_compared {
	const char *launch, *kernel, *machine;
	const char *symbol; /* of the kernel; `kernel` is its name in the source */
	const char *result; /* hd_report_result */
	hd_stats stats;
	uint64_t energy_pj, energy_register_file_pj, energy_order_pj; /* hd_energy_of */
	uint64_t energy_uncertainty_pj;                               /* one standard deviation (energy_error.h) */
	double energy_ratio_uncertainty;           /* of the ratio of energy_pj to the base: errors of prices that both share cancel out */
	uint32_t state_bits;                       /* bits of one core that keep registers in order (config/state_bits.h) */
	uint32_t comparators;                      /* comparators of register numbers in the candidate windows of one core */
	uint32_t divergence_warp, divergence_core; /* bits of a warp and of a core that the mode of divergence keeps (config/state_bits.h) */
	hd_outputs outputs;                        /* compared with those of the first machine */
	const hd_heat *heat;                       /* counts by source line; NULL: none, or nothing ran */
} hd_compared;

/* n_launches x n_machines results. The results of one launch are consecutive. Ratios are relative to the first machine. */
typedef struct hd_comparison {
	const hd_compared *at;
	unsigned n_launches, n_machines;
	/* An ablation. The first half of the machines consists of a base and of this base with one mechanism added each. The second half consists of
	 * another base and of that base with one mechanism removed each. Ratios are relative to the base of the half. */
	bool ablation;
	hd_line_order order; /* of source lines, where there are any */
} hd_comparison;

void hd_comparison_text(const hd_comparison *comparison, hd_text *out);
void hd_comparison_json(const hd_comparison *comparison, hd_text *out);
void hd_comparison_csv(const hd_comparison *comparison, hd_text *out);
void hd_comparison_html(const hd_comparison *comparison, hd_text *out);

/* -- for the writers ------------------------------------------------------------------------------------------------------------------------ */
/* The rows of the tables: counters of stats.def by name, and energy. */
typedef struct hd_compared_row {
	const char *name;
	size_t offset; /* in hd_compared */
} hd_compared_row;
extern const hd_compared_row hd_compared_rows[];
extern const unsigned hd_compared_row_count;

bool hd_compared_shown(const hd_compared_row *row); /* true for rows of tables for people */
uint64_t hd_compared_value(const hd_compared *at, const hd_compared_row *row);
const hd_compared *hd_compared_of(const hd_comparison *comparison, unsigned launch, unsigned machine);
/* The index of the machine to which the ratios of `machine` are relative. */
unsigned hd_compared_base(const hd_comparison *comparison, unsigned machine);
/* True when some machine has a value above 0 in the row. */
bool hd_compared_any(const hd_comparison *comparison, unsigned launch, const hd_compared_row *row);
/* The ratio as text: "1.234", or "-" when `whole` is 0. */
const char *hd_compared_ratio(uint64_t part, uint64_t whole, char text[24]);
/* The geometric mean over the launches of the ratio of cycles to the base. 0: no launch ran to its end on both machines. */
double hd_compared_mean(const hd_comparison *comparison, unsigned machine);
/* The lines of a launch on the base of a machine and on this machine. False without lines, or if the machine is its own base. The caller frees the
 * pairs with hd_vec_free. */
bool hd_compared_lines(const hd_comparison *comparison, unsigned launch, unsigned machine, hd_line_order order, hd_line_pairs *pairs);
const char *hd_compared_outputs(hd_outputs outputs); /* "same", "DIFFER", "not compared" */

#endif

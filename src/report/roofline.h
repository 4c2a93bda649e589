/* A roofline: what a run did, against what micro-kernels reach on the same machine (src/api/ceilings.h measures them).
 *
 * An operation is one lane's part of an instruction of latency class alu, fma, mul, alu64, mul64, sfu, f64, cvt or cvt64. Bytes of a level are those
 * that moved at it: words of shared memory, sectors that looked for the first cache, sectors at the second level, sectors from and to DRAM. */
#ifndef HD_ROOFLINE_H
#define HD_ROOFLINE_H

#include "launch/launch.h"

typedef enum hd_peak { HD_PEAK_ALU, HD_PEAK_SFU, HD_PEAK_F64, HD_PEAK_CVT, HD_PEAKS } hd_peak;
typedef enum hd_level { HD_LEVEL_SHARED, HD_LEVEL_L1, HD_LEVEL_L2, HD_LEVEL_DRAM, HD_LEVELS } hd_level;
extern const char *const hd_peak_names[HD_PEAKS];
extern const char *const hd_level_names[HD_LEVELS];

/* Of the whole machine. */
typedef struct hd_ceilings {
	double operations[HD_PEAKS]; /* a cycle, of a pipe */
	double bytes[HD_LEVELS];     /* a cycle */
} hd_ceilings;

/* A launch, or several as one. */
typedef struct hd_roofline_point {
	const char *name;
	uint64_t cycles, operations, bytes[HD_LEVELS];
	bool sum; /* of several launches, such as a kernel: drawn larger */
} hd_roofline_point;

hd_roofline_point hd_roofline_point_of(const char *name, const hd_stats *stats);
/* Operations of a point for each byte of a level; 0: no byte moved. */
double hd_roofline_intensity(const hd_roofline_point *point, hd_level level);
/* Operations a cycle; 0 without cycles. */
double hd_roofline_rate(const hd_roofline_point *point);
/* The most operations a cycle that the fastest pipe and the level allow a point of this intensity. Without a byte of the level: those of the pipe. */
double hd_roofline_roof(const hd_ceilings *ceilings, const hd_roofline_point *point, hd_level level);
/* The level with the lowest roof, or HD_LEVELS: that of the pipes is the lowest. */
hd_level hd_roofline_bound(const hd_ceilings *ceilings, const hd_roofline_point *point);

void hd_roofline_text(const hd_ceilings *ceilings, const hd_roofline_point *point, hd_text *out);

#endif

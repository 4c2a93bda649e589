/* How far apart two instructions must issue when one register ties them and the first has a fixed latency (SA-4). The figures are rows of
 * latency-sm75.def, -sm80.def and -sm90.def, each with its source. No row: nobody published the figure, and the dependence cannot be judged. */
#ifndef HD_SASS_LATENCY_H
#define HD_SASS_LATENCY_H

#include "sass/instruction.h"

/* The timing of a register access in the tables: the unit, and where it matters the half of a wide operand. A file has its own list. */
#define HD_SASS_TIMINGS(X)                                                                    \
	X(ALU)      /* registers: integer, logic, moves */                                    \
	X(DISP64)   /* CS2R of 64 bits */                                                     \
	X(FMA)      /* FADD, FMUL, FFMA, IMAD */                                              \
	X(WIDE_AB)  /* IMAD.WIDE reads A or B */                                              \
	X(WIDE_CL)  /* IMAD.WIDE reads the low half of C */                                   \
	X(WIDE_CH)  /* IMAD.WIDE reads the high half of C */                                  \
	X(WIDE_DL)  /* IMAD.WIDE writes the low half */                                       \
	X(WIDE_DH)  /* IMAD.WIDE writes the high half */                                      \
	X(HALF)     /* HADD2, HMUL2, HFMA2 */                                                 \
	X(HALF_ALU) /* HSET2, HSETP2, HMNMX2 */                                               \
	X(HALF_F32) /* HADD2.F32 */                                                           \
	X(HALF_MMA) /* HFMA2.MMA */                                                           \
	X(FP64)     /* DADD, DMUL, DFMA, DSETP */                                             \
	X(IMMA_88)  /* IMMA of 8 rows; on sm_75 every IMMA */                                 \
	X(MMA_1X)   /* HMMA.1688, IMMA.16816, BMMA of one pass */                             \
	X(MMA_2X)   /* HMMA.16816, IMMA.16832, .16864 */                                      \
	X(DMMA)                                                                               \
	X(CBU)       /* BMOV, branches */                                                     \
	X(DECOUPLED) /* variable latency, operands without an address unit */                 \
	X(AGU)       /* variable latency, operands through the address unit */                \
	X(SYNCS)     /* barriers in shared memory, from sm_90 on: nobody has measured them */ \
	X(P_DISP)    /* predicates: VOTE */                                                   \
	X(P_ALU)                                                                              \
	X(P_FMA)                                                                              \
	X(P_WIDE)                                                                             \
	X(P_HALF)                                                                             \
	X(P_HALF_MMA)                                                                         \
	X(P_FP64)                                                                             \
	X(P_DECOUPLED)                                                                        \
	X(P_GUARD)     /* a guard, of whatever instruction */                                 \
	X(U_COUPLED)   /* uniform registers: read by a vector instruction of fixed latency */ \
	X(U_DECOUPLED) /* by one of variable latency */                                       \
	X(U_CBU)       /* by a branch */                                                      \
	X(U_BINDLESS)  /* as the address of a constant bank */                                \
	X(U_TO)        /* R2UR, S2UR, REDUX: variable */                                      \
	X(U_UDP)       /* uniform arithmetic */                                               \
	X(U_LDC)                                                                              \
	X(U_MOV)                                                                              \
	X(U_VOTE)                                                                             \
	X(UP_COUPLED) /* uniform predicates */                                                \
	X(UP_UDP)                                                                             \
	X(UP_VOTE)                                                                            \
	X(UP_GUARD)                                                                           \
	X(UP_BRANCH)                                                                          \
	X(UP_LDC)
typedef enum hd_sass_timing {
#define X(id) HD_SASS_T_##id,
	HD_SASS_TIMINGS(X)
#undef X
	    HD_SASS_TIMING_COUNT
} hd_sass_timing;

typedef enum hd_sass_hazard { HD_SASS_RAW, HD_SASS_WAW, HD_SASS_WAR, HD_SASS_HAZARDS } hd_sass_hazard;

enum {
	HD_SASS_NO_ROW = 0,
	HD_SASS_DISTANCE_MAX = 40, /* no row has more cycles: after so many every fixed latency is over */
};

/* A cell: cycles between the issues; `guarded` of them are added when the first instruction has a guard. `cycles` HD_SASS_NO_ROW: no row. */
typedef struct hd_sass_distance {
	uint8_t cycles, guarded, source;
} hd_sass_distance;

typedef struct hd_sass_latencies {
	unsigned architecture;                                                            /* of the table: 80 for sm_80, 86 and 89; 0: none */
	bool present;                                                                     /* false: no table for this architecture */
	hd_sass_distance at[HD_SASS_HAZARDS][HD_SASS_TIMING_COUNT][HD_SASS_TIMING_COUNT]; /* first instruction, second instruction */
	bool read_matters[HD_SASS_TIMING_COUNT]; /* some row of WAR asks more than one cycle of this reader */
} hd_sass_latencies;

/* The caller frees. */
hd_sass_latencies *hd_sass_latencies_new(unsigned architecture);
/* Where a row's figure comes from. */
const char *hd_sass_latency_source(unsigned source);
const char *hd_sass_timing_name(hd_sass_timing timing);

/* The timing of register number `index` of an access in the tables. */
hd_sass_timing hd_sass_timing_of(const hd_sass_instruction *instruction, const hd_sass_access *access, unsigned index);
/* The result comes at no fixed time: only a counter says when. */
bool hd_sass_is_variable(const hd_sass_instruction *instruction);

#endif

#include "sass/latency.h"

/* Sets that both tables use. */
#define T(id) (UINT64_C(1) << HD_SASS_T_##id)
#define MMAS (T(IMMA_88) | T(MMA_1X) | T(MMA_2X) | T(DMMA))
#define PFAST (T(P_DISP) | T(P_ALU) | T(P_FMA) | T(P_WIDE))
#define PCOUPLED (PFAST | T(P_HALF))
#define PSLOW (T(P_HALF_MMA) | T(P_FP64))
#define UMOVES (T(U_LDC) | T(U_MOV) | T(U_VOTE))
#define UREADERS (T(U_COUPLED) | T(U_DECOUPLED) | T(U_CBU) | T(U_BINDLESS) | UMOVES)
#define UPREADERS (T(UP_COUPLED) | T(UP_UDP) | T(UP_GUARD) | T(UP_BRANCH) | T(UP_LDC))

#define HD_SASS_SOURCES(X)                                                       \
	X(NONE, "")                                                              \
	X(NAK75, "Mesa (MIT), src/nouveau/compiler/nak/sm75_instr_latencies.rs") \
	X(NAK80, "Mesa (MIT), src/nouveau/compiler/nak/sm80_instr_latencies.rs") \
	X(H200, "measured on one NVIDIA H200, data/h200/latency.json")           \
	X(H200_INFERRED, "inferred from measurements on one NVIDIA H200, data/h200/latency.json")
enum {
#define X(id, text) SOURCE_##id,
	HD_SASS_SOURCES(X)
#undef X
	    SOURCES
};

const char *hd_sass_latency_source(unsigned source)
{
	static const char *const texts[] = {
#define X(id, text) text,
	    HD_SASS_SOURCES(X)
#undef X
	};
	return source < SOURCES ? texts[source] : "";
}

const char *hd_sass_timing_name(hd_sass_timing timing)
{
	static const char *const names[] = {
#define X(id) #id,
	    HD_SASS_TIMINGS(X)
#undef X
	};
	return timing < HD_SASS_TIMING_COUNT ? names[timing] : "?";
}

typedef struct row {
	uint8_t hazard, cycles, guarded, source;
	uint64_t first, second;
} row;

#define HD_SASS_DISTANCE(hazard, first, second, cycles, guarded, source) {HD_SASS_##hazard, cycles, guarded, SOURCE_##source, first, second},
static const row sm75[] = {
#include "sass/latency-sm75.def"
};
static const row sm80[] = {
#include "sass/latency-sm80.def"
};
static const row sm90[] = {
#include "sass/latency-sm90.def"
};
#undef HD_SASS_DISTANCE

typedef struct source_table {
	unsigned architecture; /* of the table */
	const row *rows;
	size_t n;
} source_table;

static source_table table_of(unsigned architecture)
{
	switch (architecture) {
	case 75:
		return (source_table){75, sm75, HD_COUNT(sm75)};
	case 80:
	case 86:
	case 89:
		return (source_table){80, sm80, HD_COUNT(sm80)};
	case 90:
		return (source_table){90, sm90, HD_COUNT(sm90)};
	default:
		return (source_table){0};
	}
}

static void enter(hd_sass_latencies *table, const row *r)
{
	for (uint64_t first = r->first; first; first &= first - 1) {
		for (uint64_t second = r->second; second; second &= second - 1) {
			hd_sass_distance *cell = &table->at[r->hazard][hd_lowest_bit(first)][hd_lowest_bit(second)];
			hd_invariant(cell->cycles == HD_SASS_NO_ROW, "two rows for %s and %s", hd_sass_timing_name(hd_lowest_bit(first)),
			             hd_sass_timing_name(hd_lowest_bit(second)));
			*cell = (hd_sass_distance){r->cycles, r->guarded, r->source};
		}
	}
}

hd_sass_latencies *hd_sass_latencies_new(unsigned architecture)
{
	hd_sass_latencies *table = hd_xcalloc(1, sizeof *table);
	source_table source = table_of(architecture);
	table->present = source.rows != NULL;
	table->architecture = source.architecture;
	for (size_t i = 0; i < source.n; i++) {
		const row *r = &source.rows[i];
		enter(table, r);
		for (uint64_t first = r->first; first; first &= first - 1)
			if (r->hazard == HD_SASS_WAR && r->cycles > 1)
				table->read_matters[hd_lowest_bit(first)] = true;
	}
	return table;
}

/* HSET2, HSETP2 and HMNMX2 compare; HADD2.F32 converts. */
static hd_sass_timing half_timing(const hd_sass_instruction *x)
{
	const char *name = hd_sass_mnemonic(x->row);
	if (strncmp(name, "HSET", 4) == 0 || strncmp(name, "HMNMX", 5) == 0)
		return HD_SASS_T_HALF_ALU;
	return strcmp(name, "HADD2.F32") == 0 ? HD_SASS_T_HALF_F32 : HD_SASS_T_HALF;
}

/* R2UR is a move of fixed latency on sm_90: ptxas raises no counter for it. */
static bool fixed_move(const hd_sass_instruction *x) { return x->architecture == 90 && strcmp(hd_sass_mnemonic(x->row), "R2UR") == 0; }

/* IMAD.HI writes what would be the high half. */
static hd_sass_timing wide_timing(const hd_sass_instruction *x, const hd_sass_access *access, unsigned index)
{
	bool high = access->role == HD_SASS_HIGH || index > 0;
	if (access->write && strncmp(hd_sass_mnemonic(x->row), "IMAD.HI", 7) == 0)
		return HD_SASS_T_WIDE_DH;
	if (access->write)
		return high ? HD_SASS_T_WIDE_DH : HD_SASS_T_WIDE_DL;
	if (access->slot == 2)
		return high ? HD_SASS_T_WIDE_CH : HD_SASS_T_WIDE_CL;
	return HD_SASS_T_WIDE_AB;
}

static bool bit(const hd_sass_instruction *x, unsigned at) { return x->high >> (at - 64) & 1; }

/* HMMA: bit 75 says 16816, bits 83 and 78 say TF32 and half of its depth. IMMA: bit 86 says 16 rows, bits 75 and 85 twice the depth. What is not
 * known to pass the unit once counts as twice. */
static hd_sass_timing mma_timing(const hd_sass_instruction *x)
{
	bool turing = x->architecture == 75;
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_MMA_DOUBLE:
		return HD_SASS_T_DMMA;
	case HD_SASS_CLASS_MMA_HALF:
		return bit(x, 75) || (bit(x, 83) && !bit(x, 78)) ? HD_SASS_T_MMA_2X : HD_SASS_T_MMA_1X;
	case HD_SASS_CLASS_MMA_INTEGER:
		return turing || !bit(x, 86) ? HD_SASS_T_IMMA_88 : bit(x, 75) || bit(x, 85) ? HD_SASS_T_MMA_2X : HD_SASS_T_MMA_1X;
	default:
		return HD_SASS_T_MMA_2X;
	}
}

static hd_sass_timing register_timing(const hd_sass_instruction *x, const hd_sass_access *access, unsigned index)
{
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_FMA:
		return HD_SASS_T_FMA;
	case HD_SASS_CLASS_FMA_WIDE:
		return wide_timing(x, access, index);
	case HD_SASS_CLASS_HALF:
		return half_timing(x);
	case HD_SASS_CLASS_HALF_MMA:
		return HD_SASS_T_HALF_MMA;
	case HD_SASS_CLASS_DOUBLE:
		return HD_SASS_T_FP64;
	case HD_SASS_CLASS_CLOCK64:
		return HD_SASS_T_DISP64;
	case HD_SASS_CLASS_MMA_HALF:
	case HD_SASS_CLASS_MMA_INTEGER:
	case HD_SASS_CLASS_MMA_BINARY:
	case HD_SASS_CLASS_MMA_DOUBLE:
	case HD_SASS_CLASS_MMA_GROUP:
		return mma_timing(x);
	case HD_SASS_CLASS_BRANCH:
		return HD_SASS_T_CBU;
	case HD_SASS_CLASS_CROSS_UNIFORM:
		return fixed_move(x) ? HD_SASS_T_ALU : HD_SASS_T_DECOUPLED;
	case HD_SASS_CLASS_TRANSCENDENTAL:
	case HD_SASS_CLASS_CONVERT:
	case HD_SASS_CLASS_SPECIAL:
	case HD_SASS_CLASS_CONSTANT:
	case HD_SASS_CLASS_TEXTURE:
		return HD_SASS_T_DECOUPLED;
	case HD_SASS_CLASS_SHUFFLE:
		return strncmp(hd_sass_mnemonic(x->row), "MATCH", 5) == 0 ? HD_SASS_T_DECOUPLED : HD_SASS_T_AGU;
	case HD_SASS_CLASS_SHARED:
	case HD_SASS_CLASS_MEMORY:
	case HD_SASS_CLASS_ASYNC:
	case HD_SASS_CLASS_BARRIER:
		return strncmp(hd_sass_mnemonic(x->row), "SYNCS", 5) == 0 ? HD_SASS_T_SYNCS : HD_SASS_T_AGU;
	default:
		return HD_SASS_T_ALU;
	}
}

static hd_sass_timing predicate_timing(const hd_sass_instruction *x, const hd_sass_access *access)
{
	if (access->role == HD_SASS_GUARD)
		return HD_SASS_T_P_GUARD;
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_ALU_DISPATCH:
		return HD_SASS_T_P_DISP;
	case HD_SASS_CLASS_FMA:
		return HD_SASS_T_P_FMA;
	case HD_SASS_CLASS_FMA_WIDE:
		return HD_SASS_T_P_WIDE;
	case HD_SASS_CLASS_HALF:
		return HD_SASS_T_P_HALF;
	case HD_SASS_CLASS_HALF_MMA:
		return HD_SASS_T_P_HALF_MMA;
	case HD_SASS_CLASS_DOUBLE:
		return HD_SASS_T_P_FP64;
	case HD_SASS_CLASS_ALU: /* R2P on sm_90: a cycle later than the others */
		return x->architecture == 90 && access->write && strcmp(hd_sass_mnemonic(x->row), "R2P") == 0 ? HD_SASS_T_P_HALF : HD_SASS_T_P_ALU;
	case HD_SASS_CLASS_NONE:
	case HD_SASS_CLASS_CLOCK32:
	case HD_SASS_CLASS_CLOCK64:
	case HD_SASS_CLASS_UNIFORM:
	case HD_SASS_CLASS_UNIFORM_MOVE:
		return HD_SASS_T_P_ALU;
	case HD_SASS_CLASS_UNIFORM_VOTE:
		return HD_SASS_T_P_DISP;
	default:
		return HD_SASS_T_P_DECOUPLED;
	}
}

bool hd_sass_is_variable(const hd_sass_instruction *x)
{
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_CROSS_UNIFORM:
		return !fixed_move(x);
	case HD_SASS_CLASS_TRANSCENDENTAL:
	case HD_SASS_CLASS_CONVERT:
	case HD_SASS_CLASS_SPECIAL:
	case HD_SASS_CLASS_SHUFFLE:
	case HD_SASS_CLASS_SHARED:
	case HD_SASS_CLASS_MEMORY:
	case HD_SASS_CLASS_CONSTANT:
	case HD_SASS_CLASS_ASYNC:
	case HD_SASS_CLASS_TEXTURE:
	case HD_SASS_CLASS_BRANCH:
	case HD_SASS_CLASS_BARRIER:
	case HD_SASS_CLASS_MMA_GROUP:
		return true;
	case HD_SASS_CLASS_MMA_DOUBLE:
		return true;
	case HD_SASS_CLASS_MMA_HALF:
	case HD_SASS_CLASS_MMA_INTEGER:
	case HD_SASS_CLASS_MMA_BINARY: /* ptxas raises counters for them there */
		return x->architecture == 75;
	case HD_SASS_CLASS_DOUBLE: /* the unit is a slow one beside the warp's own on these */
		return x->architecture == 75 || x->architecture == 86 || x->architecture == 89;
	default:
		return false;
	}
}

static hd_sass_timing uniform_timing(const hd_sass_instruction *x, const hd_sass_access *access)
{
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_UNIFORM:
		return HD_SASS_T_U_UDP;
	case HD_SASS_CLASS_UNIFORM_MOVE:
		return strcmp(hd_sass_mnemonic(x->row), "ULDC") == 0 ? HD_SASS_T_U_LDC : HD_SASS_T_U_MOV;
	case HD_SASS_CLASS_UNIFORM_VOTE:
		return HD_SASS_T_U_VOTE;
	case HD_SASS_CLASS_BRANCH:
		return HD_SASS_T_U_CBU;
	default:
		break;
	}
	if (access->write)
		return HD_SASS_T_U_TO;
	if (access->role == HD_SASS_DESCRIPTOR && !x->memory)
		return HD_SASS_T_U_BINDLESS;
	return hd_sass_is_variable(x) ? HD_SASS_T_U_DECOUPLED : HD_SASS_T_U_COUPLED;
}

static hd_sass_timing uniform_predicate_timing(const hd_sass_instruction *x, const hd_sass_access *access)
{
	if (access->role == HD_SASS_GUARD)
		return x->latency_class == HD_SASS_CLASS_BRANCH ? HD_SASS_T_UP_BRANCH : HD_SASS_T_UP_GUARD;
	switch ((hd_sass_class)x->latency_class) {
	case HD_SASS_CLASS_UNIFORM:
		return HD_SASS_T_UP_UDP;
	case HD_SASS_CLASS_UNIFORM_MOVE:
		return strcmp(hd_sass_mnemonic(x->row), "ULDC") == 0 ? HD_SASS_T_UP_LDC : HD_SASS_T_UP_UDP;
	case HD_SASS_CLASS_UNIFORM_VOTE:
		return HD_SASS_T_UP_VOTE;
	case HD_SASS_CLASS_BRANCH:
		return HD_SASS_T_UP_BRANCH;
	case HD_SASS_CLASS_MMA_GROUP:
		return HD_SASS_T_UP_LDC;
	default:
		return HD_SASS_T_UP_COUPLED;
	}
}

hd_sass_timing hd_sass_timing_of(const hd_sass_instruction *x, const hd_sass_access *access, unsigned index)
{
	switch ((hd_sass_file)access->file) {
	case HD_SASS_PREDICATE:
		return predicate_timing(x, access);
	case HD_SASS_UNIFORM:
		return uniform_timing(x, access);
	case HD_SASS_UNIFORM_PREDICATE:
		return uniform_predicate_timing(x, access);
	default:
		return register_timing(x, access, index);
	}
}

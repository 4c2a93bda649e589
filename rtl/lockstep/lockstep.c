/* The part that all benches share (lockstep.h). Usage: BENCH CYCLES SEED VCD-FILE
 * With LOCKSTEP_REPLAY the program replays a recording (replay.h): BENCH CYCLES INSTANCE VCD-FILE RECORDING */
#include "lockstep.h"
#ifdef LOCKSTEP_REPLAY
#include "replay.h"
#endif

#include <inttypes.h>

enum { KEPT = 100 }; /* cycles in the VCD file */

static uint64_t seed, cycle, comparisons;
static lockstep_port *reset;
static const char *vcd_path;
static uint8_t *kept[KEPT]; /* values of all ports, by cycle modulo KEPT */
static size_t kept_bytes;

uint64_t lockstep_random(void) { return hd_random(&seed); }

lockstep_port *lockstep_find(const char *name)
{
	for (unsigned i = 0; i < dut_n_ports; i++) {
		if (!strcmp(dut_ports[i].name, name))
			return &dut_ports[i];
	}
	fprintf(stderr, "lockstep: the module has no port or state '%s'\n", name);
	exit(2);
}

void lockstep_find_all(const lockstep_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		*names[i].port = lockstep_find(names[i].name);
}

/* Word `i` of 32 bits. */
static uint32_t load(const lockstep_port *port, unsigned i)
{
	switch (port->bytes) {
	case 1:
		return *(const uint8_t *)port->at;
	case 2:
		return *(const uint16_t *)port->at;
	case 8:
		return (uint32_t)(*(const uint64_t *)port->at >> 32 * i);
	default:
		return ((const uint32_t *)port->at)[i];
	}
}

static void store(lockstep_port *port, unsigned i, uint32_t word)
{
	switch (port->bytes) {
	case 1:
		*(uint8_t *)port->at = (uint8_t)word;
		break;
	case 2:
		*(uint16_t *)port->at = (uint16_t)word;
		break;
	case 8: {
		uint64_t *at = port->at;
		*at = (*at & ~((uint64_t)UINT32_MAX << 32 * i)) | (uint64_t)word << 32 * i;
		break;
	}
	default:
		((uint32_t *)port->at)[i] = word;
	}
}

uint64_t lockstep_get(const lockstep_port *port, unsigned first, unsigned width)
{
	uint64_t value = 0;
	for (unsigned done = 0; done < width;) {
		unsigned from = (first + done) % 32, part = hd_min_u32(32 - from, width - done);
		uint64_t bits = load(port, (first + done) / 32) >> from & ((UINT64_C(1) << part) - 1);
		value |= bits << done;
		done += part;
	}
	return value;
}

void lockstep_put(lockstep_port *port, unsigned first, unsigned width, uint64_t value)
{
	for (unsigned done = 0; done < width;) {
		unsigned i = (first + done) / 32, from = (first + done) % 32, part = hd_min_u32(32 - from, width - done);
		uint64_t mask = ((UINT64_C(1) << part) - 1) << from;
		store(port, i, (uint32_t)((load(port, i) & ~mask) | (value << from & mask)));
		value >>= part;
		done += part;
	}
}

void lockstep_zero(lockstep_port *port) { memset(port->at, 0, port->bytes); }

static void keep(void)
{
	uint8_t *at = kept[cycle % KEPT];
	for (unsigned i = 0; i < dut_n_ports; i++) {
		memcpy(at, dut_ports[i].at, dut_ports[i].bytes);
		at += dut_ports[i].bytes;
	}
}

/* The identifier code of a port in the VCD file. */
static void code_of(unsigned port, char code[3])
{
	code[0] = (char)('!' + port % 90);
	code[1] = (char)('!' + port / 90);
	code[2] = 0;
}

static void write_vcd(void)
{
	FILE *file = fopen(vcd_path, "w");
	char code[3];
	if (!file)
		return;
	fprintf(file, "$timescale 1ns $end\n$scope module dut $end\n");
	for (unsigned i = 0; i < dut_n_ports; i++) {
		code_of(i, code);
		fprintf(file, "$var wire %zu %s %s $end\n", 8 * dut_ports[i].bytes, code, dut_ports[i].name);
	}
	fprintf(file, "$upscope $end\n$enddefinitions $end\n");
	for (uint64_t at = cycle < KEPT ? 0 : cycle - KEPT + 1; at <= cycle; at++) {
		const uint8_t *bytes = kept[at % KEPT];
		fprintf(file, "#%" PRIu64 "\n", at);
		for (unsigned i = 0; i < dut_n_ports; i++) {
			fputc('b', file);
			for (size_t bit = 8 * dut_ports[i].bytes; bit-- > 0;)
				fputc('0' + (bytes[bit / 8] >> bit % 8 & 1), file);
			code_of(i, code);
			fprintf(file, " %s\n", code);
			bytes += dut_ports[i].bytes;
		}
	}
	fclose(file);
}

void lockstep_expect(const lockstep_port *port, unsigned first, unsigned width, uint64_t expected)
{
	uint64_t got = lockstep_get(port, first, width);
	comparisons++;
	if (got == expected)
		return;
	printf("difference in cycle %" PRIu64 ": port %s, bits %u to %u: module 0x%" PRIx64 ", C unit 0x%" PRIx64 "\n", cycle, port->name, first,
	       first + width - 1, got, expected);
	keep();
	write_vcd();
	printf("the last %u cycles are in %s\n", KEPT, vcd_path);
	exit(1);
}

void lockstep_eval(void) { dut_eval(); }

void lockstep_clock(void)
{
	dut_eval();
	keep();
	dut_clock(true);
	dut_clock(false);
	cycle++;
}

void lockstep_reset(void)
{
	if (!reset)
		return;
	lockstep_put(reset, 0, 1, 1);
	lockstep_clock();
	lockstep_put(reset, 0, 1, 0);
	lockstep_eval();
}

#ifdef LOCKSTEP_REPLAY
enum { ARGUMENTS = 5 };
static void run(uint64_t cycles, char **argv)
{
	replay_instance = (unsigned)seed;
	replay_run(argv[4], cycles);
}
#else
enum { ARGUMENTS = 4 };
static void run(uint64_t cycles, char **argv)
{
	lockstep_reset();
	bench_start();
	while (cycle < cycles)
		bench_cycle();
}
#endif

/* Prints the bins of a random run. Returns the number of those that were never hit; a recording need not reach all. */
static int print_bins(void)
{
	int missed = 0;
	for (unsigned i = 0; i < bench_n_bins && ARGUMENTS == 4; i++) {
		if (!bench_bins[i].name)
			continue;
		printf("  %-60s %12" PRIu64 "%s\n", bench_bins[i].name, bench_bins[i].hits, bench_bins[i].hits ? "" : "  NEVER");
		missed += !bench_bins[i].hits;
	}
	if (missed)
		printf("%d of %u bins were never hit in %" PRIu64
		       " cycles; 20000 cycles hit all bins of the smallest size, 100000 those of each size\n",
		       missed, bench_n_bins, cycle);
	return missed;
}

int main(int argc, char **argv)
{
	if (argc != ARGUMENTS) {
		fprintf(stderr, "usage: %s CYCLES SEED|INSTANCE VCD-FILE [RECORDING]\n", argv[0]);
		return 2;
	}
	uint64_t cycles = strtoull(argv[1], NULL, 0);
	seed = strtoull(argv[2], NULL, 0);
	vcd_path = argv[3];
	dut_new();
	for (unsigned i = 0; i < dut_n_ports; i++)
		kept_bytes += dut_ports[i].bytes;
	for (unsigned i = 0; i < KEPT; i++)
		kept[i] = hd_xcalloc(kept_bytes, 1);
	for (unsigned i = 0; i < dut_n_ports; i++) {
		if (!strcmp(dut_ports[i].name, "reset"))
			reset = &dut_ports[i];
	}
	run(cycles, argv);
	printf("%" PRIu64 " cycles, %" PRIu64 " comparisons, no difference\n", cycle, comparisons);
	int missed = print_bins();
	for (unsigned i = 0; i < KEPT; i++)
		free(kept[i]);
	return missed != 0;
}

/* The library beyond a launch: a program from a string, the proof of its annotations, and where its time went, line by line.
 *
 *     heddle-hot-lines [TRACE]
 *
 * TRACE is the name of a Konata file, for instance out.kanata. */
#include <heddle/heddle.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, CTA = 128 };

static const char source[] = "kernel void gather(global const float *from, global const uint *index, global float *to)\n"
                             "{\n"
                             "\tuint i = get_global_id(0);\n"
                             "\tfloat sum = 0;\n"
                             "\tfor (uint k = 0; k < 4; k++)\n"
                             "\t\tsum += from[index[4 * i + k]];\n"
                             "\tto[i] = native_sqrt(sum);\n"
                             "}\n";

static uint64_t sum_of(const uint64_t *values, const char *const *names)
{
	uint64_t sum = 0;
	for (unsigned i = 0; names[i]; i++)
		sum += values[i];
	return sum;
}

/* The cause that lost the most slots, and how many. */
static const char *worst(const uint64_t *lost, uint64_t *slots)
{
	const char *const *causes = heddle_causes();
	unsigned most = 0;
	for (unsigned i = 0; causes[i]; i++)
		most = lost[i] > lost[most] ? i : most;
	*slots = lost[most];
	return causes[most];
}

static void print_lines(heddle *h)
{
	heddle_line line;
	printf("%-18s %8s %8s %8s  %s\n", "line", "issued", "used", "lost", "mostly for");
	for (unsigned i = 0; heddle_line_at(h, i, &line); i++) {
		uint64_t slots;
		const char *cause = worst(line.counts.lost, &slots);
		printf("%-12s %5u %8llu %8llu %8llu  %s %llu\n", line.file, line.line, (unsigned long long)line.counts.issued,
		       (unsigned long long)line.counts.slots, (unsigned long long)sum_of(line.counts.lost, heddle_causes()), cause,
		       (unsigned long long)slots);
	}
}

static void print_proof(heddle *h)
{
	heddle_proof proof;
	heddle_finding finding;
	heddle_verdict verdict = heddle_check(h, &proof);
	printf("%s: %llu dependences, %llu by fence counters, %llu by delays, %llu by order\n", verdict == HEDDLE_PROVEN ? "proven" : "not proven",
	       (unsigned long long)proof.dependences, (unsigned long long)proof.by_counter, (unsigned long long)proof.by_delay,
	       (unsigned long long)proof.by_order);
	for (unsigned i = 0; heddle_finding_at(h, i, &finding); i++)
		fputs(finding.text, stdout);
}

static bool gather(heddle *h, const char *trace)
{
	static float from[N];
	static uint32_t index[4 * N];
	for (uint32_t i = 0; i < N; i++)
		from[i] = (float)i;
	for (uint32_t i = 0; i < 4 * N; i++)
		index[i] = i * 2654435761u % N;
	heddle_profile(h, true);
	if (trace) {
		char request[4096];
		snprintf(request, sizeof request, "konata:%s", trace);
		if (!heddle_trace(h, request, NULL))
			return false;
	}
	if (!heddle_build_text(h, "gather.cl", source, sizeof source - 1, NULL))
		return false;
	const heddle_arg args[] = {heddle_pointer(heddle_buffer(h, "from", from, sizeof from)),
	                           heddle_pointer(heddle_buffer(h, "index", index, sizeof index)),
	                           heddle_pointer(heddle_alloc(h, "to", sizeof from))};
	const heddle_launch launch = {.grid = {N / CTA}, .block = {CTA}, .args = args, .n_args = 3};
	return heddle_run(h, &launch) == HEDDLE_DONE;
}

int main(int argc, char **argv)
{
	heddle *h = heddle_new();
	bool ok = gather(h, argc > 1 ? argv[1] : NULL);
	if (ok) {
		print_proof(h);
		print_lines(h);
	}
	fputs(heddle_messages(h), stderr);
	heddle_free(h);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

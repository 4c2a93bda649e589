#include "cli/result.h"
#include "cli/color.h"

#include "base/plain.h"

#include <math.h>

enum { VALUES = 6 /* of an output */, CAUSES = 3 };

void hd_result_title(hd_text *out, const hd_report *report, bool color)
{
	const hd_stats *s = report->stats;
	char cycles[32], instructions[32];
	hd_grouped_digits(s->run_cycles, cycles);
	hd_grouped_digits(s->run_warp_instructions, instructions);
	hd_text name = {0};
	hd_text_printf(&name, "%s", hd_kernel_name(report->kernel));
	hd_text_make_plain(&name, 0);
	hd_text_printf(out, "%s%s%s", hd_color_begin(HD_STYLE_BOLD, color), name.at, hd_color_end(color));
	size_t begin = out->n;
	hd_text_printf(out, " on %s: ", report->machine->name);
	hd_text_make_plain(out, begin);
	hd_text_free(&name);
	if (strcmp(report->result, "done") != 0)
		hd_text_printf(out, "ended by '%s' after ", report->result);
	if (report->functional)
		hd_text_printf(out, "%s warp instructions in %llu CTA%s (interpreter: values without time)\n", instructions,
		               (unsigned long long)s->run_ctas, s->run_ctas == 1 ? "" : "s");
	else
		hd_text_printf(out, "%s cycles, IPC %.3f, %s warp instructions in %llu CTA%s\n", cycles,
		               s->run_cycles ? (double)s->run_warp_instructions / (double)s->run_cycles : 0.0, instructions,
		               (unsigned long long)s->run_ctas, s->run_ctas == 1 ? "" : "s");
}

/* Converts an f16. */
static double half(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	double mantissa = bits & 1023, value = exponent == 31 ? (mantissa > 0 ? NAN : INFINITY)
	                                       : exponent     ? ldexp(mantissa + 1024, exponent - 25)
	                                                      : ldexp(mantissa, -24);
	return bits >> 15 ? -value : value;
}

static void put_value(hd_text *out, const hd_npy *array, uint64_t i)
{
	const uint8_t *at = array->data + i * array->bytes;
	uint64_t bits = 0;
	float f;
	double d;
	for (unsigned b = 0; b < array->bytes; b++)
		bits |= (uint64_t)at[b] << 8 * b;
	if (array->kind == 'f' && array->bytes == 2) {
		hd_text_printf(out, " %.4g", half((uint16_t)bits));
	} else if (array->kind == 'f' && array->bytes == 4) {
		memcpy(&f, at, sizeof f);
		hd_text_printf(out, " %.6g", (double)f);
	} else if (array->kind == 'f') {
		memcpy(&d, at, sizeof d);
		hd_text_printf(out, " %.10g", d);
	} else if (array->kind == 'i') {
		unsigned unused = 64 - 8u * array->bytes;
		hd_text_printf(out, " %lld", (long long)((int64_t)(bits << unused) >> unused));
	} else {
		hd_text_printf(out, " %llu", (unsigned long long)bits);
	}
}

/* True when the kernel can write through the parameter, as far as its source says: "float *", not "const float *". */
static bool may_write(const hd_param *param) { return !param->source_type || strncmp(param->source_type, "const ", strlen("const ")) != 0; }

void hd_result_outputs(hd_text *out, const hd_launching *launching, const hd_kernel *kernel, heddle *h)
{
	size_t begin = out->n;
	for (size_t i = 0; i < launching->operands.n; i++) {
		const hd_operand *operand = &launching->operands.at[i];
		const hd_param *param = i < kernel->params.n ? &kernel->params.at[i] : NULL;
		hd_npy array = operand->content;
		uint8_t first[VALUES * sizeof(uint64_t)];
		uint64_t shown = array.count < VALUES ? array.count : VALUES;
		if (!operand->array || (!operand->output && (!h || (param && !may_write(param)))))
			continue;
		if (!operand->output) /* its content is as it was before the run */
			array.data = heddle_read(h, operand->arg.bits, first, shown * array.bytes) ? first : NULL;
		if (!array.data)
			continue;
		hd_text_printf(out, "  %s: %s, %llu x %c%u:", param ? param->name : "argument", operand->output ? operand->output : "not kept",
		               (unsigned long long)array.count, array.kind, array.bytes * 8u);
		for (uint64_t k = 0; k < shown; k++)
			put_value(out, &array, k);
		hd_text_printf(out, array.count > shown ? " ...\n" : "\n");
	}
	hd_text_make_plain(out, begin);
}

typedef struct cause {
	uint64_t slots;
	const char *label, *meaning;
} cause;

/* Most slots first; equal ones in the order of stall.def. */
static void put_in_order(cause list[CAUSES + 1], cause next)
{
	unsigned at = CAUSES;
	while (at > 0 && list[at - 1].slots < next.slots) {
		list[at] = list[at - 1];
		at--;
	}
	list[at] = next;
}

void hd_result_time(hd_text *out, const hd_report *report, bool color)
{
	const hd_stats *s = report->stats;
	cause list[CAUSES + 1] = {{0}};
	char slots[32];
	uint64_t all = s->run_issue_slots;
	if (report->functional || !all)
		return;
	put_in_order(list, (cause){s->run_slots_used, "used", "an instruction was issued"});
#define STALL(id, name, label, colour, safe, meaning) put_in_order(list, (cause){s->stall_##name, label, meaning});
#include "launch/stall.def"
#undef STALL
	hd_text_printf(out, "Where the time went, of %s issue slots:\n", hd_grouped_digits(all, slots));
	for (unsigned i = 0; i < CAUSES && list[i].slots; i++) {
		const char *requirement = strstr(list[i].meaning, " (");
		size_t length = requirement ? (size_t)(requirement - list[i].meaning) : strlen(list[i].meaning);
		hd_text_printf(out, "  %s%5.1f %%%s  %s: %.*s\n", hd_color_begin(HD_STYLE_BOLD, color), 100.0 * (double)list[i].slots / (double)all,
		               hd_color_end(color), list[i].label, (int)length, list[i].meaning);
	}
}

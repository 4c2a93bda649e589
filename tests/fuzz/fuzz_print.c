/* Any bytes as what a kernel has left for printf: a print buffer whose records name formats and strings in device memory. The text has a bound,
 * whatever the records say. */
#include "fuzz.h"

#include "api/print.h"

enum { RECORDS = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	hd_program program = {.prints = true};
	hd_launch launch = {.program = &program};
	hd_diag diag = {0};
	hd_text out = {0};
	hd_memory *memory = hd_memory_new(1 << 20);
	/* The text comes first, so that its address is always the same: records can name it. */
	uint64_t text = hd_memory_alloc(memory, RECORDS, "text");
	hd_invariant(text && hd_print_open(&launch, memory, RECORDS, &diag), "no room");
	size_t records = hd_min_u64(size, RECORDS / 2), rest = hd_min_u64(size - records, RECORDS);
	memcpy(hd_memory_at(memory, launch.print_buffer, records), bytes, records);
	memcpy(hd_memory_at(memory, text, rest), bytes + records, rest);
	hd_print_close(&launch, memory, &out);
	hd_invariant(out.n <= 2 * (size_t)HD_PRINT_TEXT_MAX, "%zu bytes of text", out.n);
	hd_text_free(&out);
	hd_memory_free(memory);
	hd_diag_free(&diag);
	return 0;
}

#include "sass/row.h"

void hd_sass_print(const hd_sass_instruction *instruction, hd_text *text)
{
	if (!instruction->row) {
		uint64_t low = instruction->low, high = instruction->high;
		hd_text_printf(text, ".word 0x%08x, 0x%08x, 0x%08x, 0x%08x ;", (unsigned)(low & UINT32_MAX), (unsigned)(low >> 32),
		               (unsigned)(high & UINT32_MAX), (unsigned)(high >> 32));
		return;
	}
	hd_sass_instruction copy = *instruction;
	hd_sass_walk(&copy, text, NULL);
	hd_text_printf(text, " ;");
}

static void put_barrier(hd_text *text, const char *name, unsigned barrier)
{
	hd_text_printf(text, barrier == HD_SASS_NO_BARRIER ? " %s:-" : " %s:%u", name, barrier);
}

void hd_sass_print_control(hd_sass_control control, hd_text *text)
{
	hd_text_printf(text, "[W:0x%02x", control.wait_mask);
	put_barrier(text, "wb", control.write_barrier);
	put_barrier(text, "R", control.read_barrier);
	hd_text_printf(text, " S:%u %s ru:%s", control.stall, control.yield ? "Y" : "-", control.reuse ? "" : "-");
	for (unsigned i = 0; i < 4; i++)
		if (control.reuse >> i & 1)
			hd_text_printf(text, "%c", 'A' + (int)i);
	hd_text_printf(text, "]");
}

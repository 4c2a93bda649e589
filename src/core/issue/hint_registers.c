#include "core/issue/hint_registers.h"

void hd_hints_clear(hd_hint_registers *registers, unsigned warp) { memset(registers->of[warp], 0, sizeof registers->of[warp]); }

void hd_hints_write(hd_hint_registers *registers, unsigned warp, uint32_t first, uint32_t bytes, uint64_t from)
{
	hd_hint_register *of = registers->of[warp];
	for (unsigned i = HD_HINT_REGISTERS - 1; i > 0; i--)
		of[i] = of[i - 1];
	of[0] = (hd_hint_register){.from = from, .first = first, .bytes = bytes, .used = true};
}

bool hd_hints_find(const hd_hint_registers *registers, unsigned warp, uint32_t number, uint64_t now, unsigned *byte)
{
	for (unsigned i = 0; i < HD_HINT_REGISTERS; i++) {
		const hd_hint_register *one = &registers->of[warp][i];
		uint32_t place = number - one->first; /* wraps for an instruction before the first */
		if (one->used && one->from <= now && place < HD_HINTS_OF_REGISTER) {
			*byte = one->bytes >> 8 * place & 255;
			return true;
		}
	}
	return false;
}

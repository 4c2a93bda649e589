// The public header compiles as strict C++11 (-pedantic-errors), and the shared library has what it declares.
#include "heddle/heddle.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";

int main()
{
	heddle *h = heddle_new();
	const float x = 1.5f;
	uint64_t address = heddle_buffer(h, "x", &x, sizeof x);
	const heddle_arg args[] = {heddle_i32(-1),  heddle_u32(1),           heddle_i64(-1),   heddle_u64(1),
	                           heddle_f32(x),   heddle_f64(x),           heddle_local(16), heddle_bytes(&x, sizeof x),
	                           heddle_pointer(address)};
	bool ok = args[0].size == 4 && args[0].bits == 0xffffffffu && args[2].size == 8 && args[2].bits == ~UINT64_C(0);
	ok = ok && args[4].kind == HEDDLE_ARG_FLOAT && args[4].bits == 0x3fc00000u && args[5].bits == UINT64_C(0x3ff8000000000000);
	ok = ok && args[6].kind == HEDDLE_ARG_LOCAL && args[6].size == 16 && args[7].bytes == &x && args[8].bits == address;
	heddle_launch launch = {};
	launch.args = args;
	launch.n_args = 9;
	// Nothing is built, so there is nothing to run: the library says so.
	ok = ok && heddle_run(h, &launch) == HEDDLE_BAD_INPUT && heddle_messages(h)[0] != 0;
	float back = 0;
	ok = ok && heddle_read(h, address, &back, sizeof back) && back == x;
	heddle_key key;
	ok = ok && heddle_key_at(0, &key) && std::strlen(key.path) > 0 && heddle_check(h, nullptr) == HEDDLE_UNDECIDED;
	char *value = heddle_get(h, key.path);
	ok = ok && value != nullptr;
	heddle_text_free(value);
	heddle_profile(h, true);
	ok = ok && heddle_build_text(h, "empty.ptx", ptx, sizeof ptx - 1, nullptr) && heddle_check(h, nullptr) == HEDDLE_PROVEN;
	launch.n_args = 0;
	ok = ok && heddle_run(h, &launch) == HEDDLE_DONE;
	heddle_instruction instruction;
	uint64_t issued = 0;
	for (unsigned i = 0; i < heddle_word_count(h); i++)
		issued += heddle_instruction_at(h, i, &instruction) ? instruction.counts.issued : 0;
	ok = ok && issued > 0;
	heddle_free(h);
	std::printf("%s\n", ok ? "as expected" : "wrong");
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

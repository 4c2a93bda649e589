/* `sass-listing FILE...` prints every instruction of the cubins in files: function, address, the two words, and the text without control fields.
 * agreement.py compares it with the vendor's disassembler. */
#include <inttypes.h>

#include "sass/container.h"
#include "sass/instruction.h"

enum { FILE_MAX = 1 << 30 };

static void print_function(const hd_sass_cubin *cubin, const hd_sass_function *f)
{
	hd_text text = {0};
	for (uint64_t at = 0; at + HD_SASS_BYTES <= f->size; at += HD_SASS_BYTES) {
		hd_sass_instruction x;
		hd_sass_decode(cubin->architecture, f->code + at, at, &x);
		hd_text_printf(&text, "%s %04" PRIx64 " %016" PRIx64 " %016" PRIx64 " ", f->name, at, x.low, x.high);
		hd_sass_print(&x, &text);
		hd_text_printf(&text, "\n");
	}
	fwrite(text.at, 1, text.n, stdout);
	hd_text_free(&text);
}

static bool print_file(const char *path)
{
	size_t n;
	hd_diag diag = {0};
	char *bytes = hd_read_file(path, FILE_MAX, &n, &diag);
	hd_sass_binary *binary = bytes ? hd_sass_binary_open((const uint8_t *)bytes, n, path, &diag) : NULL;
	if (!binary)
		fprintf(stderr, "%s", diag.text.at);
	for (size_t i = 0; binary && i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		for (size_t f = 0; f < cubin->n_functions; f++)
			print_function(cubin, &cubin->functions[f]);
	}
	bool ok = binary != NULL;
	if (binary)
		hd_sass_binary_free(binary);
	free(bytes);
	hd_diag_free(&diag);
	return ok;
}

int main(int argc, char **argv)
{
	bool ok = argc > 1;
	for (int i = 1; i < argc; i++)
		ok &= print_file(argv[i]);
	return ok ? 0 : 1;
}

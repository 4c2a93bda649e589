#include "sass/listing.h"
#include "sass/instruction.h"

#include <inttypes.h>

typedef struct listing {
	const hd_sass_cubin *cubin;
	const hd_sass_function *function;
	hd_text *text;
	size_t label, line, relocation; /* the next of each */
	uint64_t unknown;
} listing;

static void put_labels(listing *l, uint64_t address)
{
	const hd_sass_function *f = l->function;
	for (; l->label < f->n_labels && f->labels[l->label].offset <= address; l->label++)
		if (f->labels[l->label].offset)
			hd_text_printf(l->text, "    %s:\n", f->labels[l->label].name);
	bool found = false;
	for (; l->line < f->n_lines && f->lines[l->line].offset <= address; l->line++)
		found = true;
	if (found && f->lines[l->line - 1].line)
		hd_text_printf(l->text, "    // %s:%" PRIu32 "\n", f->lines[l->line - 1].file, f->lines[l->line - 1].line);
}

static void put_relocations(listing *l, uint64_t address)
{
	const hd_sass_function *f = l->function;
	for (; l->relocation < f->n_relocations && f->relocations[l->relocation].offset < address + HD_SASS_BYTES; l->relocation++)
		hd_text_printf(l->text, " // %s", *f->relocations[l->relocation].symbol ? f->relocations[l->relocation].symbol : "relocation");
}

static void put_instruction(listing *l, uint64_t address)
{
	hd_sass_instruction instruction;
	bool known = hd_sass_decode(l->cubin->architecture, l->function->code + address, address, &instruction);
	put_labels(l, address);
	hd_text_printf(l->text, "        /*%04" PRIx64 "*/ ", address);
	hd_sass_print_control(instruction.control, l->text);
	hd_text_printf(l->text, "  ");
	hd_sass_print(&instruction, l->text);
	if (!known)
		hd_text_printf(l->text, " // not in the table");
	l->unknown += !known;
	put_relocations(l, address);
	hd_text_printf(l->text, "\n");
}

static uint64_t put_function(const hd_sass_cubin *cubin, const hd_sass_function *function, hd_text *text)
{
	listing l = {.cubin = cubin, .function = function, .text = text};
	bool mangled = strcmp(function->name, function->pretty) != 0;
	hd_text_printf(text, "\n%s %s: // %s%ssm_%u, %u registers, %" PRIu64 " instructions\n", function->kernel ? ".kernel" : ".function",
	               function->name, mangled ? function->pretty : "", mangled ? ", " : "", cubin->architecture, function->registers,
	               function->size / HD_SASS_BYTES);
	for (uint64_t address = 0; address < function->size; address += HD_SASS_BYTES)
		put_instruction(&l, address);
	if (l.unknown)
		hd_text_printf(text, "    // %" PRIu64 " instructions of %s are not in the table\n", l.unknown, function->pretty);
	return l.unknown;
}

static void put_entry(const hd_sass_cubin *cubin, hd_text *text)
{
	if (cubin->ptx_only)
		hd_text_printf(text, "// offset 0x%" PRIx64 ": PTX for sm_%u, no machine code\n", cubin->file_offset, cubin->architecture);
	else if (cubin->toolkit)
		hd_text_printf(text, "// offset 0x%" PRIx64 ": machine code for sm_%u of CUDA %u.%u\n", cubin->file_offset, cubin->architecture,
		               cubin->toolkit / 10, cubin->toolkit % 10);
	else
		hd_text_printf(text, "// offset 0x%" PRIx64 ": machine code for sm_%u\n", cubin->file_offset, cubin->architecture);
}

bool hd_sass_list(const hd_sass_binary *binary, const char *name, const hd_sass_selection *selection, hd_text *text, uint64_t *unknown, hd_diag *diag)
{
	size_t taken = 0, ptx_only = 0;
	for (size_t i = 0; i < hd_sass_binary_count(binary); i++) {
		const hd_sass_cubin *cubin = hd_sass_binary_cubin(binary, i);
		if (!selection->architecture || selection->architecture == cubin->architecture) {
			put_entry(cubin, text);
			ptx_only += cubin->ptx_only;
		}
		for (size_t f = 0; f < cubin->n_functions; f++) {
			if (!hd_sass_selected(selection, cubin, &cubin->functions[f]))
				continue;
			*unknown += put_function(cubin, &cubin->functions[f], text);
			taken++;
		}
	}
	if (taken || (ptx_only && !selection->kernel))
		return true;
	hd_sass_none_selected(binary, name, selection, ptx_only > 0, diag);
	return false;
}

/* Keys of virtual memory and of the host interface (PD-38): what the loader refuses. */
#include "../test.h"

#include "config/machine.h"

TEST(pages_and_the_host_interface)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
	    {"pages: {kib: 4}\n", NULL},
	    {"pages: {kib: 2048, tlb2_entries: 0}\n", NULL},
	    {"pages: {kib: 2}\n", "pages.kib cannot be 2, expected 0, or a power of 2 from 4"},
	    {"pages: {kib: 12}\n", "pages.kib cannot be 12"},
	    {"pages: {tlb_entries: 33}\n", "pages.tlb_entries is 33, expected a multiple of pages.tlb_ways (32)"},
	    {"pages: {tlb2_ways: 3}\n", "pages.tlb2_entries is 512, expected a multiple of pages.tlb2_ways (3)"},
	    {"host: {system_memory: true}\n", "host.system_memory needs an interface to the host, expected host.bytes_per_cycle of 1 or more"},
	    {"host: {system_memory: true, bytes_per_cycle: 1}\n", NULL},
	};
	for (unsigned i = 0; i < HD_COUNT(rows); i++) {
		hd_machine machine;
		hd_diag diag = {0};
		assert_int_equal(hd_machine_read(&machine, rows[i].text, strlen(rows[i].text), "test.yaml", &diag), !rows[i].message);
		if (rows[i].message && !strstr(diag.text.at, rows[i].message))
			fail_msg("expected '%s' in:\n%s", rows[i].message, diag.text.at);
		hd_diag_free(&diag);
	}
}

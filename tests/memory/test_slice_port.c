/* Requests of a core to the slices of the second level (MT-4). device/test_memory_limits.c has the limits of a run, kernels/slices.c the values. */
#include "../test.h"

#include "memory/slice_port.h"

enum { REPORTED = 300, READY = 500 };

static void ignore(void *context, void *owner) { (void)context, (void)owner; }

/* An access, which packets name until they are answered. */
typedef struct request {
	hd_access_op op;
	hd_access access;
	hd_access_result result;
} request;

static uint64_t arrival_of(request *r, hd_lsu *lsu, const hd_outbox *outbox, uint64_t now, hd_op op, uint64_t address)
{
	hd_stats stats = {0};
	hd_trap trap = {0};
	r->op = hd_access_op_of(&(hd_inst){.op = (uint8_t)op, .sub = HD_SIZE_32});
	r->access.op = &r->op;
	r->access.mask = 1;
	r->access.address[0].v[0] = (uint32_t)address;
	r->access.address[1].v[0] = (uint32_t)(address >> 32);
	assert_true(hd_lsu_access(lsu, now, &r->access, &r->result, &stats, &trap));
	return outbox->last->arrival;
}

/* MI-14: a load of one copy of the stage waits for room, and a store of the other copy does not overtake it. */
TEST(requests_of_two_copies_leave_in_order)
{
	request requests[3] = {0};
	hd_machine m;
	hd_machine_default(&m);
	m.memory_slices = 1;
	m.memory_l1_misses = 1;
	m.memory_request_bytes = 0;
	m.copies[HD_PIPE_LSU] = 2;
	hd_l2 *l2 = hd_l2_new(&m);
	hd_memory *memory = hd_memory_new(1 << 20);
	uint64_t buffer = hd_memory_alloc(memory, 4096, "buffer"), next;
	hd_slices *slices = hd_slices_new(&m);
	hd_outbox *outbox = hd_outbox_new(0, NULL);
	hd_lsu *lsu = hd_lsu_new(&m, l2, memory, NULL, NULL);
	outbox->slices = slices;
	hd_lsu_set_outbox(lsu, outbox);
	uint64_t way = arrival_of(&requests[0], lsu, outbox, 10, HD_OP_LDG, buffer) - 10;
	hd_slice_request *fill = (hd_slice_request *)outbox->last->fills;
	fill->reported = REPORTED;
	fill->ready = READY; /* the core's room is taken until then */
	outbox->answered = fill;
	assert_false(hd_lsu_answers(lsu, REPORTED, &next, ignore, NULL));
	assert_int_equal(arrival_of(&requests[1], lsu, outbox, REPORTED + 1, HD_OP_LDG, buffer + 1024), READY + way);
	assert_int_equal(arrival_of(&requests[2], lsu, outbox, REPORTED + 2, HD_OP_STG, buffer + 2048), READY + way);
	hd_lsu_free(lsu);
	hd_outbox_free(outbox);
	hd_slices_free(slices);
	hd_memory_free(memory);
	hd_l2_free(l2);
}

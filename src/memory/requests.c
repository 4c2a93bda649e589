#include "memory/requests.h"

#include "memory/deferred.h"

void hd_requests_free(hd_requests *requests)
{
	hd_vec_free(&requests->list);
	hd_vec_free(&requests->awaited);
}

uint64_t hd_requests_note(hd_requests *requests, const hd_request *request)
{
	uint64_t number = requests->list.n;
	hd_vec_push(&requests->list, *request);
	requests->list.at[number].answer = HD_PENDING;
	if (request->ready)
		*request->ready = HD_PENDING + number;
	if (request->kind == HD_REQUEST_SECTOR)
		hd_room_take(request->room, HD_PENDING);
	return HD_PENDING + number;
}

void hd_requests_serve(hd_requests *requests, uint32_t number, hd_l2 *l2, hd_stats *stats)
{
	hd_request *request = &requests->list.at[number];
	uint64_t before = stats->memory_dram_reads;
	if (request->kind == HD_REQUEST_ROOM) {
		request->answer = hd_room_after(request->room, request->part + request->room->sure, request->at);
		return;
	}
	if (request->kind == HD_REQUEST_HIT) {
		uint64_t ready = request->at < HD_PENDING ? request->at : requests->list.at[request->at - HD_PENDING].answer;
		request->answer = hd_max_u64(hd_deferred_hit(request->deferred), ready);
		return;
	}
	if (request->kind == HD_REQUEST_DEFERRED)
		request->at = hd_deferred_departure(request->deferred, request->part);
	request->answer = hd_request_price(l2, request->at, request->address, request->reads, request->writes, stats) + request->later;
	request->dram = (uint8_t)(stats->memory_dram_reads - before);
	if (request->ready && *request->ready == HD_PENDING + number) /* else another line has the place by now */
		*request->ready = request->answer;
	if (request->kind == HD_REQUEST_DEFERRED)
		hd_room_take(request->room, request->answer);
	else
		hd_room_settle(request->room, HD_PENDING, request->answer);
}

uint64_t hd_request_arrival(const hd_request *request)
{
	return request->kind == HD_REQUEST_DEFERRED ? hd_deferred_arrival(request->deferred, request->at) : 0;
}

uint64_t hd_requests_answer(const hd_requests *requests, uint32_t first, uint32_t n)
{
	uint64_t latest = 0;
	for (uint32_t i = first; i < first + n; i++)
		latest = hd_max_u64(requests->list.at[requests->awaited.at[i]].answer, latest);
	return latest;
}

void hd_requests_clear(hd_requests *requests)
{
	requests->list.n = 0;
	requests->awaited.n = 0;
}

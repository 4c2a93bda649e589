#include "api/traces.h"

static bool limits_fit(heddle *h, const heddle_trace_limits *from, hd_trace_limits *to)
{
	const hd_machine *m = &h->machine;
	*to = hd_trace_no_limits;
	if (!from)
		return true;
	to->first = from->first;
	to->last = from->last;
	if (from->one_core)
		to->core = from->core;
	if (from->one_slot) {
		to->scheduler = from->scheduler;
		to->slot = from->slot;
	}
	if ((from->last && from->last < from->first) || (from->one_core && from->core >= hd_machine_cores(m)) ||
	    (from->one_slot && (from->scheduler >= m->machine_schedulers || from->slot >= m->machine_warps))) {
		hd_error(&h->diag, (hd_pos){0},
		         "the limits of the trace name nothing, expected first <= last, a core below %u, a scheduler below %u and a slot below %u",
		         hd_machine_cores(m), m->machine_schedulers, m->machine_warps);
		return false;
	}
	if (!to->last)
		to->last = UINT64_MAX;
	return true;
}

bool hd_api_trace_add(heddle *h, hd_trace_format format, const char *path, const hd_trace_limits *limits)
{
	if (h->traces.n == HD_API_TRACES) {
		hd_error(&h->diag, (hd_pos){0}, "%s: more than %d traces at a time", path, HD_API_TRACES);
		return false;
	}
	hd_api_trace trace = {.format = format, .path = hd_xstrdup(path), .limits = *limits};
	hd_vec_push(&h->traces, trace);
	return true;
}

bool heddle_trace(heddle *h, const char *kind_and_path, const heddle_trace_limits *limits)
{
	hd_trace_format format;
	hd_trace_limits own;
	const char *path;
	if (!hd_trace_parse(kind_and_path, &format, &path)) {
		hd_error(&h->diag, (hd_pos){0}, "there is no trace '%s', expected konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE or explore:FILE",
		         kind_and_path);
		return false;
	}
	return limits_fit(h, limits, &own) && hd_api_trace_add(h, format, path, &own);
}

void hd_api_traces_into(heddle *h, hd_output_set *outputs) { h->trace_outputs = outputs; }

void heddle_untrace(heddle *h)
{
	for (size_t i = 0; i < h->traces.n; i++)
		free(h->traces.at[i].path);
	hd_vec_free(&h->traces);
}

bool hd_api_traces_open(hd_api_traces *traces, heddle *h)
{
	traces->outputs = h->trace_outputs ? h->trace_outputs : &traces->own;
	for (size_t i = 0; i < h->traces.n; i++) {
		const hd_api_trace *from = &h->traces.at[i];
		FILE *out = hd_output_open(traces->outputs, from->path, &h->diag);
		if (out)
			traces->files[i] = hd_trace_open(from->format, out, from->path, &from->limits, &h->machine, h->program, &h->diag);
		hd_trace_input(traces->files[i], h->path, h->source);
		if (!traces->files[i]) {
			for (size_t k = 0; k < i; k++)
				hd_trace_close(traces->files[k], &h->diag);
			hd_output_discard(&traces->own);
			return false;
		}
		hd_watchers_add(&traces->watchers, hd_trace_watcher(traces->files[i]));
	}
	return true;
}

bool hd_api_traces_close(hd_api_traces *traces, heddle *h)
{
	bool ok = true;
	for (unsigned i = 0; i < HD_API_TRACES; i++) {
		hd_trace_message(traces->files[i], h->trap_text.at);
		ok = hd_trace_close(traces->files[i], &h->diag) && ok;
	}
	if (!ok) {
		hd_output_discard(&traces->own);
		return false;
	}
	return hd_output_commit(&traces->own, &h->diag);
}

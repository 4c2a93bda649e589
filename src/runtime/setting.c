/* Settings from the environment. They are read once, when a program first asks for a device. The interfaces have no place for errors here, so
 * an invalid value is reported on standard error, and the default is used. */
#include "runtime/setting.h"

enum { GROUP_MAX = 1024 /* as launch/bank.c */, THREADS_MAX = 256 };

hr_device_setting hr_device;
pthread_mutex_t hr_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *text(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

static bool flag(const char *name, bool otherwise)
{
	const char *value = text(name);
	return value ? strcmp(value, "0") != 0 : otherwise;
}

static void wrong(const char *name, const char *expected)
{
	fprintf(stderr, "heddle: error: %s cannot be '%s', expected %s\n", name, getenv(name), expected);
}

static uint64_t number(const char *name, uint64_t least, uint64_t most, uint64_t otherwise)
{
	const char *value = text(name);
	char expected[64];
	uint64_t got = 0;
	if (!value)
		return otherwise;
	if (hd_read_number(value, strlen(value), most, &got) == HD_NUMBER_GOOD && got >= least)
		return got;
	snprintf(expected, sizeof expected, "a number from %llu to %llu", (unsigned long long)least, (unsigned long long)most);
	wrong(name, expected);
	return otherwise;
}

/* The position of the value among `names`, which end with NULL. 0 without a value. */
static unsigned one_of(const char *name, const char *const *names, const char *expected)
{
	const char *value = text(name);
	for (unsigned i = 0; value && names[i]; i++)
		if (strcmp(value, names[i]) == 0)
			return i;
	if (value)
		wrong(name, expected);
	return 0;
}

/* Reads "KIND:FILE", or several of these separated by commas. */
static void read_traces(void)
{
	const char *list = text("HEDDLE_TRACE");
	char *own = list ? hd_xstrdup(list) : NULL, *save = NULL;
	for (char *one = own ? strtok_r(own, ",", &save) : NULL; one; one = strtok_r(NULL, ",", &save)) {
		hr_trace_request *request = &hr_device.traces[hr_device.n_traces];
		if (hr_device.n_traces == HR_TRACES_MAX || !hd_trace_parse(one, &request->format, &request->path)) {
			wrong("HEDDLE_TRACE",
			      "up to four of konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE and explore:FILE, with commas between them");
			hr_device.n_traces = 0;
			break;
		}
		request->path = hd_xstrdup(request->path);
		hr_device.n_traces++;
	}
	free(own);
	hr_device.trace_launch = number("HEDDLE_TRACE_LAUNCH", 0, UINT32_MAX - 1, UINT64_MAX);
	hr_device.trace_limits = hd_trace_no_limits;
	if (text("HEDDLE_TRACE_CYCLES") && !hd_trace_parse_cycles(&hr_device.trace_limits, text("HEDDLE_TRACE_CYCLES")))
		wrong("HEDDLE_TRACE_CYCLES", "FIRST:LAST, either of them may be left out");
	if (hr_device.n_traces && hr_device.functional) {
		fprintf(stderr, "heddle: error: HEDDLE_TRACE shows cycles, which the interpreter (HEDDLE_FUNCTIONAL) has none of\n");
		hr_device.n_traces = 0;
	}
}

bool hr_setting_read(const char *interface)
{
	static const char *const types[] = {"gpu", "cpu", "accelerator", NULL}, *const formats[] = {"json", "text", "html", NULL};
	static const hr_report_kind kind_of[] = {HR_REPORT_JSON, HR_REPORT_TEXT, HR_REPORT_HTML};
	hd_diag diag = {0};
	hr_device.functional = flag("HEDDLE_FUNCTIONAL", false);
	if (one_of("HEDDLE_BOUNDS", (const char *const[]){"trap", "warn", NULL}, "trap or warn"))
		hr_device.bounds = hd_bounds_new();
	hr_device.progress = flag("HEDDLE_PROGRESS", false);
	hr_device.roofline = flag("HEDDLE_ROOFLINE", false);
	hr_device.cache = flag("HEDDLE_CACHE", true);
	hr_device.build_log = flag("HEDDLE_BUILD_LOG", false);
	hr_device.races = flag("HEDDLE_RACES", false);
	if (hr_device.races && !hr_device.functional) {
		fprintf(stderr,
		        "heddle: error: HEDDLE_RACES looks at the order of accesses in the interpreter, expected HEDDLE_FUNCTIONAL=1 beside it\n");
		hr_device.races = false;
	}
	hr_device.unproven = flag("HEDDLE_UNPROVEN", false);
	/* Programs that size their work to the device take less time on a smaller one. */
	hr_device.memory = number("HEDDLE_MEMORY", 16, 4096, 4096) << 20;
	hr_device.allocation = hr_device.memory / 4;
	hr_device.group = number("HEDDLE_MAX_GROUP", 32, GROUP_MAX, GROUP_MAX);
	hr_device.threads = (uint32_t)number("HEDDLE_THREADS", 1, THREADS_MAX, 1);
	hr_device.unordered = one_of("HEDDLE_ATOMICS", (const char *const[]){"ordered", "unordered", NULL}, "ordered or unordered");
	hr_device.max_cycles = number("HEDDLE_MAX_CYCLES", 0, UINT64_MAX, 0);
	hr_device.type = (hr_device_type)one_of("HEDDLE_TYPE", types, "gpu, cpu or accelerator");
	hr_device.report_kind = kind_of[one_of("HEDDLE_REPORT_FORMAT", formats, "json, text or html")];
	/* The copy stays valid when the program changes its environment later. */
	hr_device.report = text("HEDDLE_REPORT") ? hd_xstrdup(text("HEDDLE_REPORT")) : NULL;
	hr_device.summary = text("HEDDLE_SUMMARY") ? hd_xstrdup(text("HEDDLE_SUMMARY")) : NULL;
	read_traces();
	bool ok = hd_machine_load(&hr_device.machine, text("HEDDLE_MACHINE"), &diag);
	hr_device.machine.compile_races |= hr_device.races;
	if (!ok)
		fprintf(stderr, "%sheddle: HEDDLE_MACHINE does not name a machine that can be had: no %s device\n", diag.text.at ? diag.text.at : "",
		        interface);
	hd_diag_free(&diag);
	snprintf(hr_device.name, sizeof hr_device.name, "Heddle %s%s", hr_device.machine.name, hr_device.functional ? " (functional)" : "");
	return ok;
}

uint64_t hr_transfer_ns(uint64_t bytes)
{
	const hd_machine *m = &hr_device.machine;
	uint64_t sectors = (bytes + 31) / 32,
	         cycles = sectors * m->memory_dram_cycles_per_sector / m->memory_dram_partitions + m->memory_dram_latency;
	return cycles * 1000 / m->machine_clock_mhz + 1;
}

uint64_t hr_host_transfer_ns(uint64_t bytes)
{
	const hd_machine *m = &hr_device.machine;
	return m->host_bytes_per_cycle ? hd_machine_copy_cycles(m, bytes) * 1000 / m->machine_clock_mhz + 1 : hr_transfer_ns(bytes);
}

size_t hr_group_max(const hd_kernel *kernel)
{
	const hd_machine *m = &hr_device.machine;
	size_t warps = (size_t)m->machine_schedulers * m->machine_warps;
	if (kernel && kernel->registers && m->machine_registers / HD_LANES / kernel->registers < warps)
		warps = m->machine_registers / HD_LANES / kernel->registers;
	size_t most = hd_min_u64(warps * HD_LANES, hr_device.group);
	return kernel && kernel->max_threads && kernel->max_threads < most ? kernel->max_threads : most;
}

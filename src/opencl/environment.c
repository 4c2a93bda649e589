/* Settings from the environment. The driver reads them once, when a program first asks for a device. The interface has no place for errors here, so
 * the driver reports an invalid value on standard error and uses the default. */
#include "opencl/driver.h"

enum { GROUP_MAX = 1024 /* as launch/bank.c */, THREADS_MAX = 256 };

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
	char *end = NULL, expected[64];
	if (!value)
		return otherwise;
	uint64_t got = strtoull(value, &end, 10);
	if (*value >= '0' && *value <= '9' && !*end && got >= least && got <= most)
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
		hc_trace_request *request = &hc_device.traces[hc_device.n_traces];
		if (hc_device.n_traces == HC_TRACES_MAX || !hd_trace_parse(one, &request->format, &request->path)) {
			wrong("HEDDLE_TRACE",
			      "up to four of konata:FILE, perfetto:FILE, vcd:FILE, stages:FILE and explore:FILE, with commas between them");
			hc_device.n_traces = 0;
			break;
		}
		request->path = hd_xstrdup(request->path);
		hc_device.n_traces++;
	}
	free(own);
	hc_device.trace_launch = number("HEDDLE_TRACE_LAUNCH", 0, UINT32_MAX - 1, UINT64_MAX);
	hc_device.trace_limits = hd_trace_no_limits;
	if (text("HEDDLE_TRACE_CYCLES") && !hd_trace_parse_cycles(&hc_device.trace_limits, text("HEDDLE_TRACE_CYCLES")))
		wrong("HEDDLE_TRACE_CYCLES", "FIRST:LAST, either of them may be left out");
	if (hc_device.n_traces && hc_device.functional) {
		fprintf(stderr, "heddle: error: HEDDLE_TRACE shows cycles, which the interpreter (HEDDLE_FUNCTIONAL) has none of\n");
		hc_device.n_traces = 0;
	}
}

bool hc_environment_read(void)
{
	static const char *const types[] = {"gpu", "cpu", "accelerator", NULL}, *const formats[] = {"json", "text", "html", NULL};
	static const cl_device_type type_of[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_ACCELERATOR};
	static const hc_report_kind kind_of[] = {HC_REPORT_JSON, HC_REPORT_TEXT, HC_REPORT_HTML};
	hd_diag diag = {0};
	hc_device.functional = flag("HEDDLE_FUNCTIONAL", false);
	if (one_of("HEDDLE_BOUNDS", (const char *const[]){"trap", "warn", NULL}, "trap or warn"))
		hc_device.bounds = hd_bounds_new();
	hc_device.progress = flag("HEDDLE_PROGRESS", false);
	hc_device.roofline = flag("HEDDLE_ROOFLINE", false);
	hc_device.cache = flag("HEDDLE_CACHE", true);
	hc_device.build_log = flag("HEDDLE_BUILD_LOG", false);
	hc_device.spirv = hd_spirv_available();
	hc_device.races = flag("HEDDLE_RACES", false);
	if (hc_device.races && !hc_device.functional) {
		fprintf(stderr,
		        "heddle: error: HEDDLE_RACES looks at the order of accesses in the interpreter, expected HEDDLE_FUNCTIONAL=1 beside it\n");
		hc_device.races = false;
	}
	hc_device.unproven = flag("HEDDLE_UNPROVEN", false);
	/* Programs that size their work to the device take less time on a smaller one. */
	hc_device.memory = number("HEDDLE_MEMORY", 16, 4096, 4096) << 20;
	hc_device.allocation = hc_device.memory / 4;
	hc_device.group = number("HEDDLE_MAX_GROUP", 32, GROUP_MAX, GROUP_MAX);
	hc_device.threads = (uint32_t)number("HEDDLE_THREADS", 1, THREADS_MAX, 1);
	hc_device.max_cycles = number("HEDDLE_MAX_CYCLES", 0, UINT64_MAX, 0);
	hc_device.type = type_of[one_of("HEDDLE_TYPE", types, "gpu, cpu or accelerator")];
	hc_device.report_kind = kind_of[one_of("HEDDLE_REPORT_FORMAT", formats, "json, text or html")];
	/* The copy stays valid when the program changes its environment later. */
	hc_device.report = text("HEDDLE_REPORT") ? hd_xstrdup(text("HEDDLE_REPORT")) : NULL;
	hc_device.summary = text("HEDDLE_SUMMARY") ? hd_xstrdup(text("HEDDLE_SUMMARY")) : NULL;
	read_traces();
	bool ok = hd_machine_load(&hc_device.machine, text("HEDDLE_MACHINE"), &diag);
	if (!ok)
		fprintf(stderr, "%sheddle: HEDDLE_MACHINE does not name a machine that can be had: no OpenCL device\n",
		        diag.text.at ? diag.text.at : "");
	hd_diag_free(&diag);
	snprintf(hc_device.name, sizeof hc_device.name, "Heddle %s%s", hc_device.machine.name, hc_device.functional ? " (functional)" : "");
	return ok;
}

/* Settings of the device and its launches from the environment (docs/opencl.md has the table of variables), and the process's runs on it. A library
 * that offers the device has one of these; it is read once, when the program first asks for the device. */
#ifndef HR_SETTING_H
#define HR_SETTING_H

#include "base/output.h"
#include "base/region.h"
#include "config/machine.h"
#include "launch/bounds.h"
#include "report/html/application_html.h"
#include "trace/trace_file.h"

#include <pthread.h>

typedef enum hr_report_kind { HR_REPORT_JSON, HR_REPORT_TEXT, HR_REPORT_HTML } hr_report_kind;
/* The type of the device for OpenCL programs. */
typedef enum hr_device_type { HR_TYPE_GPU, HR_TYPE_CPU, HR_TYPE_ACCELERATOR } hr_device_type;
enum { HR_TRACES_MAX = 4 };

typedef struct hr_trace_request {
	hd_trace_format format;
	const char *path;
} hr_trace_request;

/* The sums over all launches of one kernel. */
typedef struct hr_summary_row {
	char *kernel;
	char *source_name; /* hd_kernel_name */
	uint64_t code;     /* stands for the code of the program that the kernel belongs to */
	unsigned program;  /* from 1, in the order of first launches, among programs with a kernel of this name */
	uint64_t launches, failed;
	hd_stats stats;
	double seconds; /* seconds of the host */
	unsigned first; /* its place by first launches, which hd_application_launch.kernel means until the rows are sorted */
} hr_summary_row;

typedef struct hr_device_setting {
	hd_machine machine;
	bool functional;                        /* HEDDLE_FUNCTIONAL */
	bool races;                             /* HEDDLE_RACES */
	hd_bounds *bounds;                      /* HEDDLE_BOUNDS=warn; NULL: an access outside of every buffer is a trap */
	bool progress;                          /* HEDDLE_PROGRESS */
	const char *report;                     /* HEDDLE_REPORT, or NULL */
	hr_report_kind report_kind;             /* HEDDLE_REPORT_FORMAT: kind of the reports in a directory */
	const char *summary;                    /* HEDDLE_SUMMARY, or NULL */
	hr_trace_request traces[HR_TRACES_MAX]; /* HEDDLE_TRACE */
	unsigned n_traces;
	uint64_t trace_launch;        /* HEDDLE_TRACE_LAUNCH; UINT64_MAX: every launch */
	hd_trace_limits trace_limits; /* HEDDLE_TRACE_CYCLES */
	uint64_t max_cycles;          /* HEDDLE_MAX_CYCLES, 0 = none */
	bool cache;                   /* HEDDLE_CACHE */
	bool build_log;               /* HEDDLE_BUILD_LOG */
	bool unproven;                /* HEDDLE_UNPROVEN: binaries for other machines run, too */
	uint32_t threads;             /* HEDDLE_THREADS: threads of the host that run a launch */
	bool unordered;               /* HEDDLE_ATOMICS=unordered: in functional mode atomics of different blocks need no order */
	size_t group;                 /* HEDDLE_MAX_GROUP: largest number of threads of a block, even if the machine could hold more */
	hr_device_type type;          /* HEDDLE_TYPE */
	uint64_t memory;              /* HEDDLE_MEMORY: bytes of device memory */
	uint64_t allocation;          /* bytes of the largest OpenCL buffer */
	char name[96];
	uint64_t clock;                         /* [hr_lock] simulated nanoseconds since the library was loaded */
	uint32_t launches;                      /* [hr_lock] for reports */
	hd_region *storage;                     /* [hr_lock] hd_run_options.storage between launches; NULL: a launch has it, or there is none */
	HD_VEC(hr_summary_row) rows;            /* [hr_lock] for the summary */
	HD_VEC(hd_application_launch) launched; /* [hr_lock] the first HD_APPLICATION_MOST launches, for the summary */
	bool roofline;                          /* HEDDLE_ROOFLINE: the summary's page has a roofline */
} hr_device_setting;

extern hr_device_setting hr_device;
/* Guards what is marked [hr_lock], and the state of events and queues (queue.h). No function of the program is called while a thread has it. */
extern pthread_mutex_t hr_lock;

/* Fills in hr_device. `interface` ("OpenCL") is for messages. Returns false and prints a message on standard error when there is no such machine. */
bool hr_setting_read(const char *interface);

/* Simulated nanoseconds in which so many bytes move at the rate of the DRAM. */
uint64_t hr_transfer_ns(uint64_t bytes);
/* The same between host and device: at the rate of the host interface, if the machine has one. */
uint64_t hr_host_transfer_ns(uint64_t bytes);
/* The largest number of threads of a block: on the machine, or with a kernel, of that kernel. */
size_t hr_group_max(const hd_kernel *kernel);

#endif

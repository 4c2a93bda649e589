/* A library for LD_PRELOAD that lets calls of the C library fail. The program under test is the one that is shipped.
 *
 *   FAULT=KIND:N        the N-th call of this kind fails (kinds.def)
 *   FAULT=KIND:N+       the N-th fails and all after it
 *   FAULT=kill:N        SIGKILL before the N-th call that changes a file or a folder
 *   FAULT_COUNT=FILE    the numbers of calls are written to FILE when the process ends, "KIND N" a line
 *   FAULT_LATE=1        no call counts before the program calls begin_faults
 *   FAULT_UNNAMED=0     the file system has no files without a name (O_TMPFILE)
 *
 * Processes that the program forks count on; programs that it executes are not under test. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum kind {
#define FAULT(name, why) KIND_##name,
#include "kinds.def"
	KINDS,
	KILL = KINDS
} kind;

static const char *const names[KINDS + 1] = {
#define FAULT(name, why) #name,
#include "kinds.def"
    "kill"};
static const int errors[KINDS] = {
#define FAULT(name, why) why,
#include "kinds.def"
};

/* In memory that forked processes share. */
typedef struct counters {
	unsigned long n[KINDS + 1];
} counters;
static counters *shared, not_shared;
static kind wanted = KINDS + 1;
static unsigned long number;
static bool and_later, no_unnamed;
static char count_file[4096];
static pid_t main_process;
static bool not_yet;

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static unsigned long count(kind k) { return __atomic_add_fetch(&shared->n[k], 1, __ATOMIC_RELAXED); }

/* Counts a call. True, and errno, if it must fail. */
static bool fails(kind k)
{
	if (!shared || not_yet)
		return false;
	unsigned long n = count(k);
	bool changes =
	    k == KIND_open || k == KIND_write || k == KIND_close || k == KIND_link || k == KIND_rename || k == KIND_fsync || k == KIND_folder;
	if (changes && count(KILL) == number && wanted == KILL)
		kill(getpid(), SIGKILL);
	if (k != wanted || (and_later ? n < number : n != number))
		return false;
	errno = errors[k];
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *fault = getenv("FAULT"), *file = getenv("FAULT_COUNT"), *unnamed = getenv("FAULT_UNNAMED");
	no_unnamed = unnamed && strcmp(unnamed, "0") == 0;
	if (file)
		snprintf(count_file, sizeof count_file, "%s", file);
	for (unsigned k = 0; fault && k <= KINDS; k++) {
		size_t n = strlen(names[k]);
		if (strncmp(fault, names[k], n) == 0 && fault[n] == ':') {
			wanted = k;
			number = strtoul(fault + n + 1, NULL, 10);
			and_later = fault[strlen(fault) - 1] == '+';
		}
	}
	/* Programs that are executed have none of this. */
	unsetenv("LD_PRELOAD");
	unsetenv("FAULT");
	unsetenv("FAULT_COUNT");
	unsetenv("FAULT_UNNAMED");
	main_process = getpid();
	not_yet = getenv("FAULT_LATE") != NULL;
	unsetenv("FAULT_LATE");
	void *at = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared = at == MAP_FAILED ? &not_shared : at;
}

/* For a program that wants no fault before (FAULT_LATE). */
void begin_faults(void) { not_yet = false; }

__attribute__((destructor)) static void end(void)
{
	counters last = *shared;
	shared = NULL;
	if (!*count_file || getpid() != main_process)
		return;
	FILE *out = fopen(count_file, "w");
	for (unsigned k = 0; out && k <= KINDS; k++)
		fprintf(out, "%s %lu\n", names[k], last.n[k]);
	if (out)
		fclose(out);
}

/* -- memory: glibc's own functions by their other names, because dlsym allocates --------------------------------------------------------------- */
#ifndef FAULT_WITHOUT_MEMORY
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t n) { return fails(KIND_memory) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails(KIND_memory) ? NULL : __libc_calloc(n, size); }
void *realloc(void *old, size_t n) { return fails(KIND_memory) ? NULL : __libc_realloc(old, n); }
void *aligned_alloc(size_t alignment, size_t n) { return fails(KIND_memory) ? NULL : __libc_memalign(alignment, n); }
#endif

/* -- files ------------------------------------------------------------------------------------------------------------------------------------------
 */
static bool refuses(int flags)
{
	if (no_unnamed && (flags & O_TMPFILE) == O_TMPFILE)
		return errno = EOPNOTSUPP, true;
	return fails(KIND_open);
}

int open(const char *path, int flags, ...)
{
	REAL(open);
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return refuses(flags) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	REAL(open64);
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
	va_end(args);
	return refuses(flags) ? -1 : real(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	REAL(fopen);
	return fails(KIND_open) ? NULL : real(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	REAL(fopen64);
	return fails(KIND_open) ? NULL : real(path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
	REAL(fdopen);
	return fails(KIND_open) ? NULL : real(fd, mode);
}

/* glibc's handling of a stream whose bytes cannot be written. */
static bool stream_fails(FILE *file, kind k)
{
	if (file == stderr || !fails(k))
		return false;
	int why = errno;
	__fpurge(file);
	file->_flags |= 0x20; /* ferror */
	errno = why;
	return true;
}

size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
	REAL(fwrite);
	return stream_fails(file, KIND_write) ? 0 : real(bytes, size, n, file);
}

int fflush(FILE *file)
{
	REAL(fflush);
	return file && stream_fails(file, KIND_write) ? EOF : real(file);
}

int fputs(const char *text, FILE *file)
{
	REAL(fputs);
	return stream_fails(file, KIND_write) ? EOF : real(text, file);
}

int fclose(FILE *file)
{
	REAL(fclose);
	bool bad = fails(KIND_close);
	int why = errno, result = real(file);
	if (bad)
		errno = why;
	return bad ? EOF : result;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
	REAL(write);
	return fd != STDERR_FILENO && fails(KIND_write) ? -1 : real(fd, bytes, n);
}

size_t fread(void *bytes, size_t size, size_t n, FILE *file)
{
	REAL(fread);
	if (!fails(KIND_read))
		return real(bytes, size, n, file);
	int why = errno;
	file->_flags |= 0x20;
	errno = why;
	return 0;
}

ssize_t read(int fd, void *bytes, size_t n)
{
	REAL(read);
	return fails(KIND_read) ? -1 : real(fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at)
{
	REAL(pread);
	return fails(KIND_read) ? -1 : real(fd, bytes, n, at);
}

ssize_t pread64(int fd, void *bytes, size_t n, off64_t at)
{
	REAL(pread64);
	return fails(KIND_read) ? -1 : real(fd, bytes, n, at);
}

int fsync(int fd)
{
	REAL(fsync);
	return fails(KIND_fsync) ? -1 : real(fd);
}

int rename(const char *from, const char *to)
{
	REAL(rename);
	return fails(KIND_rename) ? -1 : real(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	REAL(linkat);
	return fails(KIND_link) ? -1 : real(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode)
{
	REAL(mkdir);
	return fails(KIND_folder) ? -1 : real(path, mode);
}

int memfd_create(const char *name, unsigned flags)
{
	REAL(memfd_create);
	return fails(KIND_map) ? -1 : real(name, flags);
}

int dup2(int from, int to)
{
	REAL(dup2);
	return fails(KIND_dup) ? -1 : real(from, to);
}

/* -- processes and threads
 * --------------------------------------------------------------------------------------------------------------------------- */
pid_t fork(void)
{
	REAL(fork);
	return fails(KIND_fork) ? -1 : real();
}

int execv(const char *path, char *const argv[])
{
	REAL(execv);
	return fails(KIND_exec) ? -1 : real(path, argv);
}

int pipe2(int fd[2], int flags)
{
	REAL(pipe2);
	return fails(KIND_pipe) ? -1 : real(fd, flags);
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	REAL(setrlimit);
	return fails(KIND_limit) ? -1 : real(resource, limit);
}

int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	REAL(setrlimit64);
	return fails(KIND_limit) ? -1 : real(resource, limit);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	REAL(pthread_create);
	return fails(KIND_thread) ? EAGAIN : real(thread, attributes, run, argument);
}

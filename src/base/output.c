#define _GNU_SOURCE /* realpath, getentropy, O_TMPFILE */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

typedef struct hd_output {
	char *path;    /* as given, for messages */
	char *target;  /* absolute; NULL: written in place */
	char *beside;  /* a name beside the target. It is there before the commit, which must not fail for lack of memory */
	bool staged;   /* the file has this name */
	bool unnamed;  /* the file has no name until it is complete */
	mode_t mode;   /* of the file that is replaced */
	bool replaces; /* there is a file of the target's name */
	bool made;     /* that file was made by us, where a link leads */
	FILE *file;    /* NULL once it is complete */
} hd_output;

static char *copy(const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(hd_xmalloc(size), text, size);
}

static void close_stream(hd_output *o)
{
	if (o->file && o->file != stdout && o->file != stderr)
		fclose(o->file);
	o->file = NULL;
}

static void drop(hd_output *o)
{
	close_stream(o);
	if (o->staged)
		unlink(o->beside);
	if (o->made)
		unlink(o->target);
}

static void release(hd_output *o)
{
	free(o->path);
	free(o->target);
	free(o->beside);
	free(o);
}

/* The absolute path of a file that need not be there, by the one of its folder. NULL and errno on failure. */
static char *path_of_new(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	hd_text folder = {0}, whole = {0};
	hd_text_put(&folder, path, (size_t)(name - path));
	hd_text_put(&folder, ".", 1);
	char *resolved = realpath(folder.at, NULL);
	hd_text_free(&folder);
	if (!resolved)
		return NULL;
	hd_text_printf(&whole, "%s/%s", resolved, name);
	free(resolved);
	return whole.at;
}

static bool is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static bool same(const struct stat *a, const struct stat *b) { return a->st_dev == b->st_dev && a->st_ino == b->st_ino; }

/* Standard output or standard error, if that is the file; NULL if it is neither. */
static FILE *standard_stream(const struct stat *file)
{
	struct stat status;
	if (fstat(STDOUT_FILENO, &status) == 0 && same(file, &status))
		return stdout;
	return fstat(STDERR_FILENO, &status) == 0 && same(file, &status) ? stderr : NULL;
}

/* Makes a stream of an open file. False and errno on failure; the file is closed then. */
static bool make_stream(hd_output *o, int fd)
{
	o->file = fd >= 0 ? fdopen(fd, "wb") : NULL;
	int why = errno;
	if (!o->file && fd >= 0)
		close(fd);
	errno = why;
	return o->file != NULL;
}

/* Chooses a name beside the target that nobody can know. False and errno on failure. */
static bool choose_name(hd_output *o)
{
	static const char form[] = ".heddle-%016llx.tmp";
	enum { LENGTH = 28 };
	size_t folder = (size_t)(strrchr(o->target, '/') + 1 - o->target);
	uint64_t number;
	if (getentropy(&number, sizeof number) != 0)
		return false;
	if (!o->beside)
		o->beside = hd_xmalloc(folder + LENGTH + 1);
	memcpy(o->beside, o->target, folder);
	snprintf(o->beside + folder, LENGTH + 1, form, (unsigned long long)number);
	return true;
}

/* Creates a file without a name in the target's folder. It vanishes with the process, whatever ends that. -1 where the file system has no such files,
 * or where there is no /proc, by which the file gets its name later. */
static int open_unnamed(const hd_output *o)
{
	const char *slash = strrchr(o->target, '/');
	char entry[32];
	hd_text folder = {0};
	hd_text_put(&folder, o->target, (size_t)(slash + 1 - o->target));
	int fd = open(folder.at, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	hd_text_free(&folder);
	if (fd < 0)
		return -1;
	snprintf(entry, sizeof entry, "/proc/self/fd/%d", fd);
	if (access(entry, F_OK) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Creates a file with a name beside the target. O_EXCL follows no link that somebody has put there. -1 and errno on failure. */
static int open_named(hd_output *o)
{
	for (unsigned tried = 0; tried < TRIES && choose_name(o); tried++) {
		int fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		o->staged = fd >= 0;
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Creates the file that will take the target's name. False and errno on failure. */
static bool stage(hd_output *o)
{
	if (!choose_name(o))
		return false;
	int fd = open_unnamed(o);
	o->unnamed = fd >= 0;
	if (fd < 0)
		fd = open_named(o);
	if (fd >= 0 && o->replaces && fchmod(fd, o->mode) != 0) {
		close(fd);
		return false;
	}
	return make_stream(o, fd);
}

/* Gives a complete file without a name one beside its target. link never replaces a file, so the name is not the target's yet. False and errno on
 * failure. */
static bool name_unnamed(hd_output *o)
{
	char entry[32];
	snprintf(entry, sizeof entry, "/proc/self/fd/%d", fileno(o->file));
	for (unsigned tried = 0; tried < TRIES; tried++) {
		o->staged = linkat(AT_FDCWD, entry, AT_FDCWD, o->beside, AT_SYMLINK_FOLLOW) == 0;
		if (o->staged || errno != EEXIST || !choose_name(o))
			return o->staged;
	}
	return false;
}

/* Takes the open file `fd` of a path that is there. False and errno on failure. */
static bool begin_old(hd_output *o, int fd)
{
	struct stat status, resolved;
	bool known = fstat(fd, &status) == 0;
	FILE *standard = known ? standard_stream(&status) : NULL;
	if (known && !standard && !S_ISREG(status.st_mode))
		return make_stream(o, fd);
	close(fd);
	o->file = standard;
	if (!known || standard)
		return known;
	o->replaces = true;
	o->mode = status.st_mode & 0777;
	o->target = realpath(o->path, NULL);
	if (!o->target || stat(o->target, &resolved) != 0)
		return false;
	if (!same(&status, &resolved)) { /* another writer has given the name to its file since: begin again */
		free(o->target);
		o->target = NULL;
		errno = EAGAIN;
		return false;
	}
	if (stage(o))
		return true;
	if (errno != EACCES && errno != EPERM && errno != EROFS)
		return false;
	free(o->target);
	o->target = NULL;
	return make_stream(o, open(o->path, O_WRONLY | O_TRUNC | O_CLOEXEC));
}

static bool begin(hd_output *o)
{
	if (strcmp(o->path, "-") == 0) {
		o->file = stdout;
		return true;
	}
	int fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && is_link(o->path)) {
		fd = open(o->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		o->made = fd >= 0;
	} else if (fd < 0 && errno == ENOENT) {
		o->target = path_of_new(o->path);
		return o->target && stage(o);
	}
	return fd >= 0 && begin_old(o, fd);
}

static void cannot(hd_diag *diag, const char *path, int why)
{
	hd_error(diag, (hd_pos){.file = strcmp(path, "-") == 0 ? "standard output" : path}, "cannot be written: %s", strerror(why));
}

static bool is_twice(const hd_output_set *outputs, const hd_output *o)
{
	for (size_t i = 0; o->target && i < outputs->list.n; i++) {
		const char *other = outputs->list.at[i]->target;
		if (other && strcmp(other, o->target) == 0)
			return true;
	}
	return false;
}

FILE *hd_output_open(hd_output_set *outputs, const char *path, hd_diag *diag)
{
	hd_output *o = hd_xcalloc(1, sizeof *o);
	o->path = copy(path);
	bool begun = begin(o);
	for (unsigned tried = 1; !begun && errno == EAGAIN && tried < TRIES; tried++)
		begun = begin(o);
	bool twice = begun && is_twice(outputs, o);
	if (begun && !twice) {
		hd_vec_push(&outputs->list, o);
		return o->file;
	}
	if (twice)
		hd_error(diag, (hd_pos){.file = path}, "is written twice in one run");
	else
		cannot(diag, path, errno);
	drop(o);
	release(o);
	return NULL;
}

bool hd_output_put(hd_output_set *outputs, const char *path, const void *bytes, size_t size, hd_diag *diag)
{
	FILE *file = hd_output_open(outputs, path, diag);
	if (file && (size == 0 || fwrite(bytes, 1, size, file) == size))
		return true;
	if (file)
		cannot(diag, path, errno);
	return false;
}

/* All bytes are where they belong, or an error. A file that replaces another one is on the disk before it takes the name: a crash of the host does
 * not cost both. */
static bool complete(hd_output *o, hd_diag *diag)
{
	errno = 0;
	bool ok = fflush(o->file) == 0 && !ferror(o->file);
	ok = ok && (!o->target || !o->replaces || fsync(fileno(o->file)) == 0);
	if (!ok)
		cannot(diag, o->path, errno ? errno : EIO);
	return ok;
}

/* Closes a file that is complete, under a name beside its target. */
static bool close_named(hd_output *o, hd_diag *diag)
{
	bool ok = !o->unnamed || name_unnamed(o);
	int why = errno;
	if (o->file != stdout && o->file != stderr && fclose(o->file) != 0 && ok) {
		ok = false;
		why = errno;
	}
	o->file = NULL;
	if (!ok)
		cannot(diag, o->path, why);
	return ok;
}

static bool take_name(hd_output *o, hd_diag *diag)
{
	if (!o->staged)
		return true;
	if (rename(o->beside, o->target) != 0) {
		cannot(diag, o->path, errno);
		return false;
	}
	o->staged = false;
	o->made = false;
	return true;
}

void hd_output_discard(hd_output_set *outputs)
{
	for (size_t i = 0; i < outputs->list.n; i++) {
		drop(outputs->list.at[i]);
		release(outputs->list.at[i]);
	}
	hd_vec_free(&outputs->list);
}

bool hd_output_commit(hd_output_set *outputs, hd_diag *diag)
{
	bool ok = true;
	sigset_t all, before;
	for (size_t i = 0; i < outputs->list.n; i++)
		ok = complete(outputs->list.at[i], diag) && ok;
	/* No signal that can be blocked comes between two names. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	for (size_t i = 0; i < outputs->list.n && ok; i++)
		ok = close_named(outputs->list.at[i], diag);
	for (size_t i = 0; i < outputs->list.n && ok; i++)
		ok = take_name(outputs->list.at[i], diag);
	hd_output_discard(outputs);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

bool hd_write_file(const char *path, const void *bytes, size_t size, hd_diag *diag)
{
	hd_output_set one = {0};
	if (hd_output_put(&one, path, bytes, size, diag))
		return hd_output_commit(&one, diag);
	hd_output_discard(&one);
	return false;
}

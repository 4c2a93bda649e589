/* Files that a run writes: all or none, nothing in between, and nothing destroyed that is no regular file (src/base/output.h). Everything happens in
 * a fresh folder. */
#include "../test.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

static char folder[64];

static int enter_folder(void **state)
{
	snprintf(folder, sizeof folder, "%s", "/tmp/heddle-output-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* Names in the folder, without "." and "..". */
static unsigned entries(void)
{
	DIR *dir = opendir(".");
	unsigned n = 0;
	assert_non_null(dir);
	for (struct dirent *e; (e = readdir(dir));)
		n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	closedir(dir);
	return n;
}

static int leave_folder(void **state)
{
	DIR *dir = opendir(".");
	for (struct dirent *e; dir && (e = readdir(dir));)
		unlink(e->d_name);
	closedir(dir);
	return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static void make(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(path, "r");
	if (!file)
		fail_msg("%s is not there", path);
	got[fread(got, 1, sizeof got - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(got, text);
}

static bool put(hd_output_set *set, const char *path, const char *text)
{
	hd_diag diag = {0};
	bool ok = hd_output_put(set, path, text, strlen(text), &diag);
	assert_int_equal(diag.errors, !ok);
	hd_diag_free(&diag);
	return ok;
}

static bool commit(hd_output_set *set)
{
	hd_diag diag = {0};
	bool ok = hd_output_commit(set, &diag);
	assert_int_equal(diag.errors != 0, !ok);
	hd_diag_free(&diag);
	return ok;
}

static bool is(const char *path, mode_t kind)
{
	struct stat status;
	return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

/* -- all or none ------------------------------------------------------------------------------------------------------------------------- */

TEST_WITH(files_appear_together, enter_folder, leave_folder)
{
	hd_output_set set = {0};
	make("old", "before");
	assert_true(put(&set, "old", "after"));
	assert_true(put(&set, "new", "whole"));
	holds("old", "before");
	assert_int_equal(access("new", F_OK), -1);
	assert_true(commit(&set));
	holds("old", "after");
	holds("new", "whole");
	assert_int_equal(entries(), 2);
}

TEST_WITH(one_that_cannot_be_written_keeps_all_back, enter_folder, leave_folder)
{
	hd_output_set set = {0};
	make("old", "before");
	assert_true(put(&set, "old", "after"));
	assert_true(put(&set, "new", "whole"));
	assert_false(put(&set, "missing/file", "never"));
	assert_false(put(&set, ".", "never"));
	hd_output_discard(&set);
	holds("old", "before");
	assert_int_equal(entries(), 1);
}

/* The disk is full: here, the process may write no more than four bytes to a file. */
TEST_WITH(one_that_is_cut_short_keeps_all_back, enter_folder, leave_folder)
{
	hd_output_set set = {0};
	struct rlimit before, few;
	make("old", "before");
	assert_true(put(&set, "new", "abc"));
	assert_true(put(&set, "old", "too long"));
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	few = before;
	few.rlim_cur = 4;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
	bool ok = commit(&set);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_false(ok);
	holds("old", "before");
	assert_int_equal(entries(), 1);
}

TEST_WITH(a_file_is_written_once, enter_folder, leave_folder)
{
	hd_output_set set = {0};
	assert_int_equal(symlink("file", "link"), 0);
	make("file", "before");
	assert_true(put(&set, "file", "first"));
	assert_false(put(&set, "./file", "second"));
	assert_false(put(&set, "link", "third"));
	assert_true(put(&set, "new", "first"));
	assert_false(put(&set, "./new", "second"));
	assert_true(commit(&set));
	holds("file", "first");
	holds("new", "first");
	assert_int_equal(entries(), 3);
}

/* -- existing files ----------------------------------------------------------------------------------------------------------------------- */

TEST_WITH(permissions_stay, enter_folder, leave_folder)
{
	struct stat status;
	mode_t mask = umask(027);
	make("old", "before");
	assert_int_equal(chmod("old", 0604), 0);
	assert_true(hd_write_file("old", "after", 5, NULL));
	assert_int_equal(stat("old", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0604);
	assert_true(hd_write_file("new", "after", 5, NULL));
	assert_int_equal(stat("new", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640); /* as the mask says */
	umask(mask);
}

TEST_WITH(a_link_stays_a_link, enter_folder, leave_folder)
{
	make("file", "before");
	assert_int_equal(symlink("file", "link"), 0);
	assert_true(hd_write_file("link", "after", 5, NULL));
	assert_true(is("link", S_IFLNK));
	assert_true(is("file", S_IFREG));
	holds("file", "after");
}

TEST_WITH(a_link_to_nothing_leads_to_the_new_file, enter_folder, leave_folder)
{
	hd_output_set set = {0};
	assert_int_equal(symlink("file", "link"), 0);
	assert_true(put(&set, "link", "given up"));
	hd_output_discard(&set);
	assert_int_equal(access("file", F_OK), -1);
	assert_true(hd_write_file("link", "after", 5, NULL));
	assert_true(is("link", S_IFLNK));
	holds("file", "after");
	assert_int_equal(entries(), 2);
}

TEST_WITH(a_pipe_is_written_in_place, enter_folder, leave_folder)
{
	char got[8] = "";
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int reader = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_true(hd_write_file("pipe", "after", 5, NULL));
	assert_int_equal(read(reader, got, sizeof got), 5);
	assert_string_equal(got, "after");
	close(reader);
	assert_true(is("pipe", S_IFIFO));
	assert_int_equal(entries(), 1);
}

/* Standard output may be a file, too: what was printed before, and what comes later, stays. */
TEST_WITH(standard_output_by_its_name, enter_folder, leave_folder)
{
	int before = dup(STDOUT_FILENO), file = open("printed", O_RDWR | O_CREAT, 0600);
	fflush(stdout);
	assert_true(dup2(file, STDOUT_FILENO) >= 0);
	fputs("one ", stdout);
	bool by_name = hd_write_file("printed", "two ", 4, NULL), by_dash = hd_write_file("-", "three ", 6, NULL);
	fputs("four", stdout);
	fflush(stdout);
	assert_true(dup2(before, STDOUT_FILENO) >= 0);
	close(before);
	close(file);
	assert_true(by_name && by_dash);
	holds("printed", "one two three four");
	assert_int_equal(entries(), 1);
}

TEST_WITH(a_folder_where_nothing_can_be_created, enter_folder, leave_folder)
{
	make("old", "before, and longer");
	assert_int_equal(chmod(".", 0500), 0);
	bool anyway = access(".", W_OK) == 0, ok = hd_write_file("old", "after", 5, NULL);
	assert_int_equal(chmod(".", 0700), 0);
	assert_true(ok);
	holds("old", "after");
	if (anyway)
		print_message("this user can write everywhere: only the usual way was tried\n");
}

/* -- acts of others ------------------------------------------------------------------------------------------------------------------------ */

/* The name of an earlier version of this code, as a link to a file that must not change. */
TEST_WITH(a_planted_link_is_not_followed, enter_folder, leave_folder)
{
	make("victim", "before");
	assert_int_equal(symlink("victim", "file.tmp"), 0);
	assert_true(hd_write_file("file", "after", 5, NULL));
	holds("victim", "before");
	holds("file", "after");
	assert_int_equal(entries(), 3);
}

enum { WRITERS = 4, TURNS = 25, SIZE = 40000 };

static void *write_many(void *context)
{
	char bytes[SIZE];
	memset(bytes, *(const char *)context, sizeof bytes);
	for (unsigned turn = 0; turn < TURNS; turn++)
		if (!hd_write_file("file", bytes, sizeof bytes, NULL))
			return context;
	return NULL;
}

TEST_WITH(writers_do_not_meet, enter_folder, leave_folder)
{
	char letters[WRITERS + 1] = "abcd", got[SIZE + 1];
	pthread_t threads[WRITERS];
	unsigned all_failed = 0;
	void *failed;
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_many, &letters[i]), 0);
	for (unsigned i = 0; i < WRITERS; i++) {
		pthread_join(threads[i], &failed);
		all_failed += failed != NULL;
	}
	assert_int_equal(all_failed, 0);
	FILE *file = fopen("file", "r");
	assert_int_equal(fread(got, 1, sizeof got, file), SIZE);
	fclose(file);
	for (unsigned i = 1; i < SIZE; i++)
		assert_int_equal(got[i], got[0]);
	assert_int_equal(entries(), 1);
}

TEST_WITH(messages_name_the_file, enter_folder, leave_folder)
{
	hd_diag diag = {0};
	assert_false(hd_write_file("missing/file", "x", 1, &diag));
	assert_string_equal(diag.text.at, "missing/file: error: cannot be written: No such file or directory\n");
	hd_diag_free(&diag);
	hd_output_set set = {0};
	assert_true(put(&set, "file", "first"));
	assert_null(hd_output_open(&set, "file", &diag));
	assert_string_equal(diag.text.at, "file: error: is written twice in one run\n");
	hd_diag_free(&diag);
	hd_output_discard(&set);
}

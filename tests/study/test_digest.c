/* ST-2: names of contents are SHA-256 (FIPS 180-4 has the values). */
#include "study/digest.h"

#include <sys/stat.h>
#include <unistd.h>

#include "../test.h"

static void expect(const char *bytes, const char *digest)
{
	char text[HD_DIGEST_TEXT];
	hd_digest_of(bytes, strlen(bytes), text);
	assert_string_equal(text, digest);
}

TEST(published_values)
{
	expect("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* A million of the letter a, in pieces of every size. */
TEST(pieces_make_no_difference)
{
	char a[1000], text[HD_DIGEST_TEXT];
	memset(a, 'a', sizeof a);
	hd_digest digest;
	hd_digest_begin(&digest);
	size_t left = 1000000;
	for (size_t n = 1; left; n = n % 999 + 1) {
		size_t part = n < left ? n : left;
		hd_digest_add(&digest, a, part);
		left -= part;
	}
	hd_digest_end(&digest, text);
	assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void of_texts(const char *a, const char *b, char text[HD_DIGEST_TEXT])
{
	hd_digest digest;
	hd_digest_begin(&digest);
	hd_digest_text(&digest, a);
	hd_digest_text(&digest, b);
	hd_digest_end(&digest, text);
}

TEST(texts_do_not_run_together)
{
	char a[HD_DIGEST_TEXT], b[HD_DIGEST_TEXT];
	of_texts("ab", "c", a);
	of_texts("a", "bc", b);
	assert_string_not_equal(a, b);
	of_texts("ab", NULL, a);
	of_texts("ab", "", b);
	assert_string_equal(a, b);
}

TEST(a_file_has_the_digest_of_its_content)
{
	char path[] = "/tmp/heddle-digest-XXXXXX", text[HD_DIGEST_TEXT], content[40000], expected[HD_DIGEST_TEXT];
	hd_diag diag = {0};
	int file = mkstemp(path);
	for (size_t i = 0; i < sizeof content; i++)
		content[i] = (char)(i * 7);
	assert_int_equal(write(file, content, sizeof content), sizeof content);
	close(file);
	assert_true(hd_digest_file(path, text, &diag));
	hd_digest_of(content, sizeof content, expected);
	assert_string_equal(text, expected);
	unlink(path);
	assert_false(hd_digest_file(path, text, &diag));
	assert_non_null(strstr(diag.text.at, "cannot be read"));
	/* A device has no end, and a pipe without a writer no beginning. */
	const char *const others[] = {"/dev/zero", "/dev", path};
	assert_int_equal(mkfifo(path, 0600), 0);
	for (size_t i = 0; i < HD_COUNT(others); i++) {
		hd_diag_free(&diag);
		diag = (hd_diag){0};
		assert_false(hd_digest_file(others[i], text, &diag));
		assert_non_null(strstr(diag.text.at, "is no regular file"));
	}
	unlink(path);
	hd_diag_free(&diag);
}

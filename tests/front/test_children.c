/* Launches in device code: where clang's messages say that one is, the text becomes a call of heddle::child, and lines stay where they are. Messages
 * are made here, so no clang runs. */
#include "front/children.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#define REFUSED "reference to __global__ function 'k' in __device__ function"
#define TO_HOST "reference to __host__ function '__cudaPushCallConfiguration' in __global__ function"
#define NO_MATCH "no matching function for call to 'k'"
#define NOTE "p.cu:1:1: note: candidate function not viable: call to __global__ function from __device__ function\n"

static char folder[] = "/tmp/heddle-children-XXXXXX";

static int begin(void **state) { return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1; }
static int end(void **state) { return chdir("/") || rmdir(folder); }

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

/* Appends clang's message about the place `at` of `text`, which is in `path`. */
static void say(hd_text *messages, const char *path, const char *text, const char *at, const char *message)
{
	unsigned line = 1;
	const char *begin = text;
	for (const char *c = text; c < at; c++)
		if (*c == '\n') {
			line++;
			begin = c + 1;
		}
	hd_text_printf(messages, "%s:%u:%u: error: %s\n", path, line, (unsigned)(at - begin) + 1, message);
}

static bool learn(hd_children *children, hd_text *messages)
{
	bool news = hd_children_learn(children, messages->at);
	hd_text_free(messages);
	return news;
}

/* Learns from a message about the first `what` in p.cu, as clang sees the file now: `text`. */
static bool tell(hd_children *children, const char *text, const char *what, const char *message)
{
	hd_text messages = {0};
	const char *at = strstr(text, what);
	assert_non_null(at);
	say(&messages, "p.cu", text, at, message);
	return learn(children, &messages);
}

/* Learns that a launch is at the first `what` of the source, and compares what becomes of it. */
static void becomes(const char *source, const char *what, const char *message, const char *expected)
{
	hd_children children = {0};
	write_file("p.cu", source, strlen(source));
	assert_true(tell(&children, source, what, message));
	assert_int_equal(children.files.n, 1);
	assert_string_equal(children.files.at[0].changed, expected);
	assert_int_equal(children.files.at[0].changed_size, strlen(expected));
	hd_children_free(&children);
	remove("p.cu");
}

/* Whatever a message says, nothing changes. */
static void stays(const char *source, const char *messages)
{
	hd_children children = {0};
	write_file("p.cu", source, strlen(source));
	if (hd_children_learn(&children, messages))
		fail_msg("'%s' changes '%s' to '%s'", messages, source, children.files.at[0].changed);
	hd_children_free(&children);
	remove("p.cu");
}

static void launches_become_calls(void **state)
{
	becomes("{ k<<<1, 2>>>(a, b); }", "k<", REFUSED, "{ ::heddle::child<k>(1, 2)(a, b); }");
	/* The host's half names the launch itself. */
	becomes("{ k<<<1, 2>>>(a, b); }", "<<<", TO_HOST, "{ ::heddle::child<k>(1, 2)(a, b); }");
	becomes("{ k <<< 1,\n2 >>> (\na) ; }\nint i;", "k", REFUSED, "{ ::heddle::child<k >( 1,\n2 ) (\na) ; }\nint i;");
	becomes("return n :: m::k<T, sizeof(T)> /* < */ <<<1, 1>>>();", "n ::", REFUSED,
	        "return ::heddle::child<n :: m::k<T, sizeof(T)> /* < */ >(1, 1)();");
	becomes("/*/ f *//**/k/***/<<<1, 1>>>();", "k", REFUSED, "/*/ f *//**/::heddle::child<k/***/>(1, 1)();");
	becomes("k /* a /*/<<<1, 1>>>();", "k", REFUSED, "::heddle::child<k /* a /*/>(1, 1)();");
	becomes("x = 1; ::k<<<1, 1>>>();", "k", REFUSED, "x = 1; ::heddle::child<::k>(1, 1)();");
	becomes("a<T>::k<<<1, 1>>>();", "<<<", REFUSED, "::heddle::child<a<T>::k>(1, 1)();");
}

static void a_name_begins_behind_what_is_none(void **state)
{
	becomes("if (k<<<1, 1>>>(), 1)", "k", REFUSED, "if (::heddle::child<k>(1, 1)(), 1)");
	becomes("a < b; k<int> <<<1, 1>>>();", "<<<", REFUSED, "a < b; ::heddle::child<k<int> >(1, 1)();");
	becomes("b > ::k<<<1, 1>>>();", "<<<", REFUSED, "b > ::heddle::child<::k>(1, 1)();");
}

/* What would end a part of a launch stands in strings, characters, comments and parentheses. */
static void parts_end_where_they_end(void **state)
{
	becomes("k<<<f(\"\\\">>>\"), (1 >>>2), ')'>>>(x);", "k", REFUSED, "::heddle::child<k>(f(\"\\\">>>\"), (1 >>>2), ')')(x);");
	becomes("k<<<1, /* >>>( */ 2 // >>>\n>>>(')', g[h(1)] /* ) */ );", "k", REFUSED,
	        "::heddle::child<k>(1, /* >>>( */ 2 // >>>\n)(')', g[h(1)] /* ) */ );");
	becomes("k<<<1, '\\''>>>/* ( */(a);", "k", REFUSED, "::heddle::child<k>(1, '\\'')/* ( */(a);");
}

static void what_is_no_launch_stays(void **state)
{
	stays("f(k);", "p.cu:1:3: error: " REFUSED "\n");
	stays("k<<<1, 2>>>;", "p.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a;", "p.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, 2)>>>(a);", "p.cu:1:1: error: " REFUSED "\n");
	stays("<<<1, 2>>>(a);", "p.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, \"2>>>(a);", "p.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, /* 2>>>(a);", "p.cu:1:1: error: " REFUSED "\n");
	stays("k<T; k<<<1, 2>>>(a);", "p.cu:1:1: error: " REFUSED "\n");
	stays("a<b; c> <<<1, 2>>>(a);", "p.cu:1:9: error: " REFUSED "\n");
	/* Other messages, and other places than a file has. */
	stays("k<<<1, 2>>>(a);", "p.cu:1:1: error: expected ';'\n");
	stays("k<<<1, 2>>>(a);", "p.cu:1:1: warning: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "p.cu:2:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "p.cu:1:100: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "p.cu:0:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "p.cu:1:0: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "p.cu:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "clang: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "q.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", ": error: " REFUSED);
}

static void files_with_a_zero_are_no_text(void **state)
{
	static const char bytes[] = "k<<<1, 2>>>(a);\0";
	hd_children children = {0};
	write_file("p.cu", bytes, sizeof bytes);
	assert_false(hd_children_learn(&children, "p.cu:1:1: error: " REFUSED "\n"));
	assert_int_equal(children.files.n, 0);
	hd_children_free(&children);
	remove("p.cu");
}

/* A note may say what the message is about; the notes of the next message do not. */
static void notes_belong_to_their_message(void **state)
{
	static const char source[] = "k<<<1, 2>>>(a); k<<<3, 4>>>(b);";
	hd_children children = {0};
	write_file("p.cu", source, strlen(source));
	assert_true(hd_children_learn(&children, "p.cu:1:1: error: " NO_MATCH "\np.cu:1:17: error: " NO_MATCH "\n" NOTE));
	assert_string_equal(children.files.at[0].changed, "k<<<1, 2>>>(a); ::heddle::child<k>(3, 4)(b);");
	hd_children_free(&children);
	remove("p.cu");
}

/* Places of later messages are those of the changed text. */
static void launches_are_learned_one_by_one(void **state)
{
	static const char source[] = "a<<<1, 1>>>();\nb<<<2, 2>>>(); c<<<3, 3>>>();\n";
	static const char first[] = "a<<<1, 1>>>();\nb<<<2, 2>>>(); ::heddle::child<c>(3, 3)();\n";
	static const char all[] = "::heddle::child<a>(1, 1)();\n::heddle::child<b>(2, 2)(); ::heddle::child<c>(3, 3)();\n";
	hd_children children = {0};
	hd_text messages = {0};
	write_file("p.cu", source, strlen(source));
	assert_true(tell(&children, source, "c<", REFUSED));
	assert_string_equal(children.files.at[0].changed, first);
	say(&messages, "p.cu", first, strstr(first, "b<"), REFUSED);
	say(&messages, "p.cu", first, first, REFUSED);
	assert_true(learn(&children, &messages));
	assert_string_equal(children.files.at[0].changed, all);
	assert_int_equal(children.files.n, 1);
	/* Nothing is learned twice. */
	assert_false(tell(&children, all, "b>", REFUSED));
	hd_children_free(&children);
	remove("p.cu");
}

/* Where the kernel's name is refused, the types of the arguments say which it is; when that is refused, too, the program is wrong. */
static void the_second_attempt_names_the_types(void **state)
{
	static const char source[] = "f(); k<<<1, 1>>>(a, // one\n\"/* */\", /* two */ 'b');\ng();";
	static const char once[] = "f(); ::heddle::child<k>(1, 1)(a, // one\n\"/* */\", /* two */ 'b');\ng();";
	static const char twice[] =
	    "f(); ::heddle::child<(decltype(::heddle::types(a,   \"/* */\",   'b')))k>(1, 1)(a, // one\n\"/* */\", /* two */ 'b');\ng();";
	hd_children children = {0};
	write_file("p.cu", source, strlen(source));
	assert_true(tell(&children, source, "k<", REFUSED));
	assert_string_equal(children.files.at[0].changed, once);
	assert_false(tell(&children, once, "g()", NO_MATCH));
	assert_false(tell(&children, once, "f()", NO_MATCH));
	assert_false(hd_children_learn(&children, "p.cu:2:0: error: " NO_MATCH "\n"));
	assert_string_equal(children.files.at[0].changed, once);
	assert_true(tell(&children, once, "'b'", NO_MATCH));
	assert_string_equal(children.files.at[0].changed, twice);
	assert_false(tell(&children, twice, "k>", NO_MATCH));
	assert_string_equal(children.files.at[0].changed, twice);
	hd_children_free(&children);
	remove("p.cu");
}

/* The first byte of a name that was put into a call belongs to the launch, and what the call has before it does not. */
static void a_name_begins_where_it_begins(void **state)
{
	static const char source[] = "k<<<1, 1>>>();", once[] = "::heddle::child<k>(1, 1)();";
	hd_children children = {0};
	write_file("p.cu", source, strlen(source));
	assert_true(tell(&children, source, "k", REFUSED));
	assert_true(tell(&children, once, "k>", NO_MATCH));
	assert_string_equal(children.files.at[0].changed, "::heddle::child<(decltype(::heddle::types()))k>(1, 1)();");
	hd_children_free(&children);
	remove("p.cu");
}

static void launches_in_launches(void **state)
{
	static const char source[] = "k<<<1, 1>>>(f([] { j<<<2, 2>>>(); }));";
	hd_children children = {0};
	hd_text messages = {0};
	write_file("p.cu", source, strlen(source));
	say(&messages, "p.cu", source, strstr(source, "j<"), REFUSED);
	say(&messages, "p.cu", source, source, REFUSED);
	assert_true(learn(&children, &messages));
	assert_string_equal(children.files.at[0].changed, "::heddle::child<k>(1, 1)(f([] { ::heddle::child<j>(2, 2)(); }));");
	hd_children_free(&children);
	remove("p.cu");
}

/* clang knows a file by its path from the root, through the folder's name as the shell has it or as the system has it. */
static void changed_files_hide_theirs_under_all_names(void **state)
{
	static const char source[] = "k<<<1, 1>>>();";
	hd_children children = {0};
	hd_arena arena = {0};
	hd_memory_file_list list = {0};
	char *real = getcwd(NULL, 0), name[2][256];
	assert_int_equal(mkdir("real", 0700), 0);
	assert_int_equal(symlink("real", "link"), 0);
	assert_int_equal(chdir("link"), 0);
	snprintf(name[0], sizeof name[0], "%s/link", real);
	setenv("PWD", name[0], 1);
	write_file("p.cu", source, strlen(source));
	write_file("kept.cu", source, strlen(source));
	hd_text messages = {0};
	say(&messages, "././/x/../p.cu", source, source, REFUSED);
	assert_int_equal(mkdir("x", 0700), 0);
	say(&messages, "kept.cu", source, source, "a message about something else");
	assert_true(learn(&children, &messages));
	hd_children_list(&children, &arena, &list);
	snprintf(name[0], sizeof name[0], "%s/link/p.cu", real);
	snprintf(name[1], sizeof name[1], "%s/real/p.cu", real);
	assert_int_equal(list.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(list.at[i].name, name[i]);
		assert_int_equal(list.at[i].size, strlen("::heddle::child<k>(1, 1)();"));
		assert_memory_equal(list.at[i].bytes, "::heddle::child<k>(1, 1)();", list.at[i].size);
	}
	/* One name where both are the same. */
	list.n = 0;
	assert_int_equal(chdir(real), 0);
	setenv("PWD", real, 1);
	hd_children_list(&children, &arena, &list);
	assert_int_equal(list.n, 1);
	hd_vec_free(&list);
	hd_arena_free(&arena);
	hd_children_free(&children);
	remove("real/p.cu");
	remove("real/kept.cu");
	remove("real/x");
	remove("real");
	remove("link");
	free(real);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(launches_become_calls),
	    cmocka_unit_test(a_name_begins_behind_what_is_none),
	    cmocka_unit_test(parts_end_where_they_end),
	    cmocka_unit_test(what_is_no_launch_stays),
	    cmocka_unit_test(files_with_a_zero_are_no_text),
	    cmocka_unit_test(notes_belong_to_their_message),
	    cmocka_unit_test(launches_are_learned_one_by_one),
	    cmocka_unit_test(the_second_attempt_names_the_types),
	    cmocka_unit_test(a_name_begins_where_it_begins),
	    cmocka_unit_test(launches_in_launches),
	    cmocka_unit_test(changed_files_hide_theirs_under_all_names),
	};
	return cmocka_run_group_tests(tests, begin, end);
}

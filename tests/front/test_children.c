/* Launches in device code: where clang's messages say that one is, the text becomes a call of heddle::__child, and lines stay where they are.
 * Messages are made here, so no clang runs. */
#include "front/children.h"
#include "../test.h"

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

static unsigned lines_of(const char *text)
{
	unsigned n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* The messages of clang, and the file as it sees it then; NULL: nothing is learned. */
typedef struct turn {
	const char *messages, *seen;
} turn;
#define AT(line, column, message) "p.cu:" #line ":" #column ": error: " message "\n"

/* Learns from the messages about p.cu, which has these bytes. Lines stay where they are. */
static void learns(const char *source, size_t size, const turn *turns, size_t n)
{
	hd_children children = {0};
	const char *seen = NULL;
	write_file("p.cu", source, size);
	for (size_t i = 0; i < n; i++) {
		bool learned = hd_children_learn(&children, turns[i].messages);
		const char *changed = children.files.n ? children.files.at[0].changed : NULL;
		if (learned != (turns[i].seen != NULL))
			fail_msg("of '%s', after '%s': learns %d, sees '%s'", source, turns[i].messages, learned, changed);
		seen = learned ? turns[i].seen : seen;
		if (seen) {
			assert_int_equal(children.files.n, 1);
			assert_string_equal(changed, seen);
			assert_int_equal(children.files.at[0].changed_size, strlen(seen));
			assert_int_equal(lines_of(changed), lines_of(source));
		}
	}
	hd_children_free(&children);
	remove("p.cu");
}
#define LEARNS(source, ...) learns(source, strlen(source), (const turn[]){__VA_ARGS__}, HD_COUNT(((const turn[]){__VA_ARGS__})))

/* A message about the first `what` of the source makes it what is expected. */
static void becomes(const char *source, const char *what, const char *message, const char *expected)
{
	hd_text messages = {0};
	const char *at = strstr(source, what), *begin = at;
	assert_non_null(at);
	while (begin > source && begin[-1] != '\n')
		begin--;
	unsigned line = 1 + lines_of(source) - lines_of(begin);
	hd_text_printf(&messages, "p.cu:%u:%u: error: %s\n", line, (unsigned)(at - begin) + 1, message);
	LEARNS(source, {messages.at, expected});
	hd_text_free(&messages);
}

/* Whatever a message says, nothing changes. */
static void stays(const char *source, const char *messages) { LEARNS(source, {messages, NULL}); }

TEST(launches_become_calls)
{
	becomes("{ k<<<1, 2>>>(a, b); }", "k<", REFUSED, "{ ::heddle::__child<k>(1, 2)(a, b); }");
	/* The host's half names the launch itself. */
	becomes("{ k<<<1, 2>>>(a, b); }", "<<<", TO_HOST, "{ ::heddle::__child<k>(1, 2)(a, b); }");
	becomes("{ k <<< 1,\n2 >>> (\na) ; }\nint i;", "k", REFUSED, "{ ::heddle::__child<k >( 1,\n2 ) (\na) ; }\nint i;");
	becomes("return n :: m::k<T, sizeof(T)> /* < */ <<<1, 1>>>();", "n ::", REFUSED,
	        "return ::heddle::__child<n :: m::k<T, sizeof(T)> /* < */ >(1, 1)();");
	becomes("/*/ f *//**/k/***/<<<1, 1>>>();", "k", REFUSED, "/*/ f *//**/::heddle::__child<k/***/>(1, 1)();");
	becomes("k /* a /*/<<<1, 1>>>();", "k", REFUSED, "::heddle::__child<k /* a /*/>(1, 1)();");
	becomes("x = 1; ::k<<<1, 1>>>();", "k", REFUSED, "x = 1; ::heddle::__child<::k>(1, 1)();");
	becomes("a<T>::k<<<1, 1>>>();", "<<<", REFUSED, "::heddle::__child<a<T>::k>(1, 1)();");
}

TEST(a_name_begins_behind_what_is_none)
{
	becomes("if (k<<<1, 1>>>(), 1)", "k", REFUSED, "if (::heddle::__child<k>(1, 1)(), 1)");
	becomes("a < b; k<int> <<<1, 1>>>();", "<<<", REFUSED, "a < b; ::heddle::__child<k<int> >(1, 1)();");
	becomes("b > ::k<<<1, 1>>>();", "<<<", REFUSED, "b > ::heddle::__child<::k>(1, 1)();");
}

/* Tokens that would end a part of a launch stand in strings, characters, comments and parentheses. */
TEST(parts_end_where_they_end)
{
	becomes("k<<<f(\"\\\">>>\"), (1 >>>2), ')'>>>(x);", "k", REFUSED, "::heddle::__child<k>(f(\"\\\">>>\"), (1 >>>2), ')')(x);");
	becomes("k<<<1, /* >>>( */ 2 // >>>\n>>>(')', g[h(1)] /* ) */ );", "k", REFUSED,
	        "::heddle::__child<k>(1, /* >>>( */ 2 // >>>\n)(')', g[h(1)] /* ) */ );");
	becomes("k<<<1, '\\''>>>/* ( */(a);", "k", REFUSED, "::heddle::__child<k>(1, '\\'')/* ( */(a);");
}

TEST(what_is_no_launch_stays)
{
	stays("f(k);", AT(1, 3, REFUSED));
	stays("k<<<1, 2>>>;", AT(1, 1, REFUSED));
	stays("k<<<1, 2>>>(a;", AT(1, 1, REFUSED));
	stays("k<<<1, 2)>>>(a);", AT(1, 1, REFUSED));
	stays("<<<1, 2>>>(a);", AT(1, 1, REFUSED));
	stays("k<<<1, \"2>>>(a);", AT(1, 1, REFUSED));
	stays("k<<<1, /* 2>>>(a);", AT(1, 1, REFUSED));
	stays("k<T; k<<<1, 2>>>(a);", AT(1, 1, REFUSED));
	stays("a<b; c> <<<1, 2>>>(a);", AT(1, 9, REFUSED));
	/* Other messages, and other places than a file has. */
	stays("k<<<1, 2>>>(a);", AT(1, 1, "expected ';'"));
	stays("k<<<1, 2>>>(a);", "p.cu:1:1: warning: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", AT(2, 1, REFUSED));
	stays("k<<<1, 2>>>(a);", AT(1, 100, REFUSED));
	stays("k<<<1, 2>>>(a);", AT(0, 1, REFUSED));
	stays("k<<<1, 2>>>(a);", AT(1, 0, REFUSED));
	stays("k<<<1, 2>>>(a);", "p.cu:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "clang: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", "q.cu:1:1: error: " REFUSED "\n");
	stays("k<<<1, 2>>>(a);", ": error: " REFUSED);
}

TEST(files_with_a_zero_are_no_text)
{
	static const char bytes[] = "k<<<1, 2>>>(a);\0";
	learns(bytes, sizeof bytes, &(turn){AT(1, 1, REFUSED), NULL}, 1);
}

/* A note may say what the message is about; the notes of the next message do not. */
TEST(notes_belong_to_their_message)
{
	LEARNS("k<<<1, 2>>>(a); k<<<3, 4>>>(b);", {AT(1, 1, NO_MATCH) AT(1, 17, NO_MATCH) NOTE, "k<<<1, 2>>>(a); ::heddle::__child<k>(3, 4)(b);"});
}

/* Places of later messages are those of the changed text. Nothing is learned twice. */
TEST(launches_are_learned_one_by_one)
{
	LEARNS("a<<<1, 1>>>();\nb<<<2, 2>>>(); c<<<3, 3>>>();\n",
	       {AT(2, 16, REFUSED), "a<<<1, 1>>>();\nb<<<2, 2>>>(); ::heddle::__child<c>(3, 3)();\n"},
	       {AT(2, 1, REFUSED) AT(1, 1, REFUSED), "::heddle::__child<a>(1, 1)();\n::heddle::__child<b>(2, 2)(); ::heddle::__child<c>(3, 3)();\n"},
	       {AT(2, 17, REFUSED), NULL});
}

/* Where the kernel's name is refused, the types of the arguments say which it is; when that is refused, too, the program is wrong. */
TEST(the_second_attempt_names_the_types)
{
	LEARNS("f(); k<<<1, 1>>>(a, // one\n\"/* */\", /* two */ 'b');\ng();",
	       {AT(1, 6, REFUSED), "f(); ::heddle::__child<k>(1, 1)(a, // one\n\"/* */\", /* two */ 'b');\ng();"}, {AT(3, 1, NO_MATCH), NULL},
	       {AT(1, 1, NO_MATCH), NULL}, {AT(2, 0, NO_MATCH), NULL},
	       {AT(2, 20, NO_MATCH),
	        "f(); ::heddle::__child<(decltype(::heddle::__types(a, \"/* */\", 'b')))k>(1, 1)(a, // one\n\"/* */\", /* two */ 'b');\ng();"},
	       {AT(1, 71, NO_MATCH), NULL});
}

/* The first byte of a name that was put into a call belongs to the launch, and what the call has before it does not. */
TEST(a_name_begins_where_it_begins)
{
	LEARNS("k<<<1, 1>>>();", {AT(1, 1, REFUSED), "::heddle::__child<k>(1, 1)();"},
	       {AT(1, 19, NO_MATCH), "::heddle::__child<(decltype(::heddle::__types()))k>(1, 1)();"});
}

TEST(launches_in_launches)
{
	LEARNS("k<<<1, 1>>>(f([] { j<<<2, 2>>>(); }));",
	       {AT(1, 20, REFUSED) AT(1, 1, REFUSED), "::heddle::__child<k>(1, 1)(f([] { ::heddle::__child<j>(2, 2)(); }));"});
}

/* -- regressions -------------------------------------------------------------------------------------------------------------------------------- */

TEST(a_line_comment_before_the_launch_hid_it)
{
	becomes("k // it's >>>( */\n<<<1, 2>>>(a);", "k", REFUSED, "::heddle::__child<k // it's >>>( */\n>(1, 2)(a);");
	becomes("k // one\n\n // /* two\n\t<<<1, 2>>>(a);", "<<<", TO_HOST, "::heddle::__child<k // one\n\n // /* two\n\t>(1, 2)(a);");
	becomes("k // one \\\n two\n<<<1, 2>>>(a);", "k", REFUSED, "::heddle::__child<k // one \\\n two\n>(1, 2)(a);");
	becomes("k /* // */<<<1, 2>>>(a);", "k", REFUSED, "::heddle::__child<k /* // */>(1, 2)(a);");
	becomes("n // one\n:: // two\nk<T // three >\n> // four\n<<<1, 2>>>(a);", "n //", REFUSED,
	        "::heddle::__child<n // one\n:: // two\nk<T // three >\n> // four\n>(1, 2)(a);");
}

TEST(a_namespace_in_a_comment_became_the_kernels)
{
	becomes("// n::\nk<<<1, 2>>>(a);", "k", REFUSED, "// n::\n::heddle::__child<k>(1, 2)(a);");
	becomes("// n\n::k<<<1, 2>>>(a);", "k", REFUSED, "// n\n::heddle::__child<::k>(1, 2)(a);");
}

TEST(a_string_with_slashes_became_a_comment)
{
	becomes("f(\"//\"); k<<<1, 2>>>(\"//\", \"/*\");", "k", REFUSED, "f(\"//\"); ::heddle::__child<k>(1, 2)(\"//\", \"/*\");");
}

TEST(a_character_closed_the_template_arguments) { becomes("k<'>', ';'><<<1, 2>>>(a);", "k", REFUSED, "::heddle::__child<k<'>', ';'>>(1, 2)(a);"); }

TEST(a_digit_separator_hid_the_launch) { becomes("k<<<1'000, 2>>>(a);", "k", REFUSED, "::heddle::__child<k>(1'000, 2)(a);"); }

/* Line breaks of the arguments' literals must not be there twice. */
TEST(raw_strings_moved_lines)
{
	LEARNS("k<<<1, 2>>>(R\"(\")\n)\", \"a\\\nb\");", {AT(1, 1, REFUSED), "::heddle::__child<k>(1, 2)(R\"(\")\n)\", \"a\\\nb\");"},
	       {AT(1, 19, NO_MATCH), "::heddle::__child<(decltype(::heddle::__types(R\"(\") )\", \"a b\")))k>(1, 2)(R\"(\")\n)\", \"a\\\nb\");"});
}

/* -- files -------------------------------------------------------------------------------------------------------------------------------------- */

/* clang knows a file by its path from the root, through the folder's name as the shell has it or as the system has it. */
TEST(changed_files_hide_theirs_under_all_names)
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
	assert_int_equal(mkdir("x", 0700), 0);
	assert_true(hd_children_learn(&children, "././/x/../p.cu:1:1: error: " REFUSED "\nkept.cu:1:1: error: a message about something else\n"));
	hd_children_list(&children, &arena, &list);
	snprintf(name[0], sizeof name[0], "%s/link/p.cu", real);
	snprintf(name[1], sizeof name[1], "%s/real/p.cu", real);
	assert_int_equal(list.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(list.at[i].name, name[i]);
		assert_int_equal(list.at[i].size, strlen("::heddle::__child<k>(1, 1)();"));
		assert_memory_equal(list.at[i].bytes, "::heddle::__child<k>(1, 1)();", list.at[i].size);
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

TEST_AROUND(begin, end)

#include "front/source_traits.h"

#include "base/base.h"

/* Lists of names, each with a blank behind it. A name that ends in '*' stands for all that begin so. */

/* Functions of libclc, and those of Heddle's own library that call them. */
static const char of_libclc[] =
    "abs abs_diff acos acosh acospi add_sat all any as_* asin asinh asinpi async_* atan atan2 atan2pi atanh atanpi atom_* "
    "atomic_add atomic_and atomic_cmpxchg atomic_dec atomic_inc atomic_max atomic_min atomic_or atomic_sub atomic_xchg atomic_xor "
    "bitselect cbrt ceil clamp clz convert_* copysign cos cosh cospi cross degrees distance erf erfc exp exp10 exp2 expm1 "
    "fabs fdim floor fma fmax fmin fmod fract frexp hadd half_* hypot ilogb is* ldexp length lgamma* log log10 log1p log2 logb mad "
    "mad24 mad_hi mad_sat max maxmag min minmag mix modf mul24 mul_hi nextafter normalize popcount pow pown powr "
    "prefetch radians remainder remquo rhadd rint rootn rotate round select shuffle* sign signbit sin sincos sinh "
    "sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc upsample vload* vstore* wait_group_events ";
static const char of_ours[] = "dot fast_* nan native_* prefetch rsqrt ";
/* Functions of OpenCL C 3.0, and those of them that call functions of libclc. */
static const char of_opencl3[] =
    "atomic_compare_exchange* atomic_fetch_add* atomic_fetch_and* atomic_fetch_or* atomic_fetch_sub* atomic_fetch_xor* "
    "atomic_flag_clear* atomic_init atomic_load* atomic_store* atomic_work_item_fence get_enqueued_* get_fence "
    "get_global_linear_id get_local_linear_id get_max_sub_group_size get_num_sub_groups get_pipe_* get_sub_group_* "
    "commit_read_pipe commit_write_pipe is_valid_reserve_id read_pipe reserve_read_pipe reserve_write_pipe sub_group_* to_global "
    "to_local to_private write_pipe work_group_commit_* work_group_reserve_* work_group_all work_group_any work_group_broadcast work_group_reduce_* "
    "work_group_barrier work_group_scan_* ";
static const char of_opencl3_and_libclc[] = "atomic_exchange* atomic_fetch_max* atomic_fetch_min* atomic_flag_test_and_set* ctz ";
/* Those of device queues. */
static const char of_queues[] =
    "capture_event_profiling_info create_user_event enqueue_* get_default_queue get_kernel_* is_valid_event ndrange_* release_event retain_event "
    "set_user_event_status ";
static const char widened[] = "char uchar short ushort int uint long ulong float double ";
static const char widths[] = "2 3 4 8 16 ";

static bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

static bool listed(const char *list, const char *word, size_t n)
{
	for (size_t length; *list; list += length + 1) {
		length = strcspn(list, " ");
		bool beginning = list[length - 1] == '*';
		if (beginning ? n >= length - 1 && memcmp(list, word, length - 1) == 0 : n == length && memcmp(list, word, n) == 0)
			return true;
	}
	return false;
}

static bool is_vector(const char *word, size_t n)
{
	size_t letters = 0;
	while (letters < n && word[letters] >= 'a' && word[letters] <= 'z')
		letters++;
	return letters < n && listed(widened, word, letters) && listed(widths, word + letters, n - letters);
}

static bool holds(const char *source, size_t size, const char *word)
{
	size_t n = strlen(word);
	const char *end = source + size, *at = source;
	while ((size_t)(end - at) >= n && (at = memchr(at, word[0], (size_t)(end - at) - n + 1))) {
		if (memcmp(at, word, n) == 0)
			return true;
		at++;
	}
	return false;
}

static hd_library_level highest(hd_library_level a, hd_library_level b) { return a > b ? a : b; }

static void add_call(hd_source_traits *traits, const char *word, size_t n)
{
	if (listed(of_queues, word, n)) {
		traits->queues = true;
	} else if (listed(of_opencl3, word, n)) {
		traits->opencl3 = true;
	} else if (listed(of_opencl3_and_libclc, word, n)) {
		traits->opencl3 = true;
		traits->library = highest(traits->library, HD_LIBRARY_SCALARS);
	} else if (listed("convert_* ", word, n)) {
		traits->library = HD_LIBRARY_ALL;
	} else if (listed(of_libclc, word, n)) {
		traits->library = highest(traits->library, HD_LIBRARY_SCALARS);
	} else if (listed(of_ours, word, n)) {
		traits->library = highest(traits->library, HD_LIBRARY_OURS);
	}
}

hd_source_traits hd_source_traits_of(const char *source, size_t size)
{
	hd_source_traits traits = {.half = holds(source, size, "cl_khr_fp16") || holds(source, size, "#include")};
	bool vectors = false;
	for (size_t i = 0, n; i < size; i += n ? n : 1) {
		for (n = 0; i + n < size && in_word(source[i + n]);)
			n++;
		/* A call: names of variables and words of comments do not count. */
		size_t next = i + n;
		while (n && next < size && strchr(" \t\n", source[next]) && source[next])
			next++;
		vectors = vectors || is_vector(source + i, n);
		if (n && next < size && source[next] == '(')
			add_call(&traits, source + i, n);
	}
	if (vectors && traits.library == HD_LIBRARY_SCALARS)
		traits.library = HD_LIBRARY_ALL;
	return traits;
}

/* A function of the PTX: its name, and whether a body follows. */
typedef struct function {
	const char *name;
	size_t n;
	bool defined;
} function;

static const char *after_list(const char *at)
{
	at += strspn(at, " \t\n");
	if (*at != '(')
		return at;
	at += strcspn(at, ")");
	return at + (*at == ')');
}

/* The next function from *at on, which moves behind its head. False at the end. */
static bool next_function(const char **at, function *f)
{
	static const char word[] = ".func";
	const char *found = strstr(*at, word);
	if (!found)
		return false;
	/* The result's parameter, the name, the parameters. */
	f->name = after_list(found + sizeof word - 1);
	f->name += strspn(f->name, " \t\n");
	f->n = 0;
	while (in_word(f->name[f->n]) || f->name[f->n] == '$')
		f->n++;
	*at = after_list(f->name + f->n);
	f->defined = (*at)[strcspn(*at, ";{")] == '{';
	return true;
}

static bool defined_in(const char *ptx, const function *wanted)
{
	function f;
	while (next_function(&ptx, &f))
		if (f.defined && f.n == wanted->n && memcmp(f.name, wanted->name, f.n) == 0)
			return true;
	return false;
}

static bool is_missing(const char *ptx, const function *f)
{
	static const char ours[] = "__heddle_", others[] = "printf vprintf malloc free __assertfail __cxa_* cuda* ";
	bool machine = strncmp(f->name, ours, sizeof ours - 1) == 0 || listed(others, f->name, f->n);
	return !f->defined && !machine && !defined_in(ptx, f);
}

bool hd_ptx_lacks_functions(const char *ptx)
{
	const char *at = ptx;
	function f;
	while (next_function(&at, &f))
		if (is_missing(ptx, &f))
			return true;
	return false;
}

const char *hd_front_undefined(const char *ptx, const char **at, size_t *n)
{
	static const char mark[] = "\n.extern ";
	function f;
	while ((*at = strstr(*at, mark))) {
		*at += sizeof mark - 1;
		if (strncmp(*at, ".global", 7) == 0 || strncmp(*at, ".const", 6) == 0) {
			const char *name = *at + strcspn(*at, "[;");
			for (*n = 0; name > *at && (in_word(name[-1]) || name[-1] == '$'); name--)
				++*n;
			return name;
		}
		if (strncmp(*at, ".func", 5) == 0 && next_function(at, &f) && is_missing(ptx, &f)) {
			*n = f.n;
			return f.name;
		}
	}
	return NULL;
}

/* Code that links the device code of a program's units: `heddle cc` compiles it with HEDDLE_UNITS, a U(number) for each. clang's code for a unit
 * (-fgpu-rdc) calls the function of that number before main, and the runtime library compiles the units' fat binaries as one. */
struct wrapper {
	int magic, version;
	const void *data, *more;
};
extern void **__cudaRegisterFatBinary(void *), __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);

#define U(number) +1
static const void *units[HEDDLE_UNITS + 1];
enum { N = HEDDLE_UNITS };
#undef U
static struct wrapper linked = {0x466243b1, 2, 0, units};
static void **handle;
static int n;

__attribute__((destructor)) static void end(void)
{
	if (handle)
		__cudaUnregisterFatBinary(handle);
}

static void add(void (*registers)(void **), const struct wrapper *unit)
{
	if (!handle)
		handle = __cudaRegisterFatBinary(&linked);
	units[n++] = unit->data;
	registers(handle);
	if (n == N)
		__cudaRegisterFatBinaryEnd(handle);
}

#define U(number)                                                                                                           \
	void __cudaRegisterLinkedBinary##number(void (*registers)(void **), const struct wrapper *unit, void *a, void *b) \
	{                                                                                                                   \
		(void)a, (void)b;                                                                                           \
		add(registers, unit);                                                                                       \
	}
HEDDLE_UNITS

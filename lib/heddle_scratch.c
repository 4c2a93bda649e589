/* Words of local memory for the collective functions of a work-group (work_group.inc), one for each of its 32 sub-groups. OpenCL C has variables in local
 * memory in kernels alone. A program that calls none of these functions does not get the words.
 *
 * The address passes through an instruction that clang does not know. Else clang would see that nothing but these functions uses the words, and would
 * move accesses across barriers: to clang other work-items do not exist. */
#define LOCAL __attribute__((address_space(3)))
static LOCAL unsigned long long scratch[32] __attribute__((loader_uninitialized));
LOCAL unsigned long long *__heddle_scratch(void)
{
	LOCAL unsigned long long *words;
	__asm__("mov.u64 %0, %1;" : "=l"(words) : "l"(&scratch[0]));
	return words;
}

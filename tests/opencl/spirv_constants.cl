/* Specialization constants, as the translator spells them: the number, the value without another one. */
#define SPECIAL(type) type __attribute__((overloadable)) __spirv_SpecConstant(int, type)
SPECIAL(bool);
SPECIAL(char);
SPECIAL(short);
SPECIAL(int);
SPECIAL(long);
SPECIAL(float);
SPECIAL(double);

kernel void constants(global double *out)
{
	out[0] = __spirv_SpecConstant(10, (bool)false);
	out[1] = __spirv_SpecConstant(11, (char)-1);
	out[2] = __spirv_SpecConstant(12, (short)-2);
	out[3] = __spirv_SpecConstant(13, -3);
	out[4] = __spirv_SpecConstant(14, -4L);
	out[5] = __spirv_SpecConstant(15, 0.5f);
	out[6] = __spirv_SpecConstant(16, 0.25);
	out[7] = __spirv_SpecConstant(13, -3) + 1000;
}

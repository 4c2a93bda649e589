/* Modules for SPIR become modules for the target: spaces, conventions, names, casts; strings and comments stay. */
#include "../test.h"

#include "front/retarget.h"

static void expect(const char *text, const char *expected)
{
	char *got = hd_retarget(text);
	assert_string_equal(got, expected);
	free(got);
}

TEST(spaces_are_those_of_the_target)
{
	expect("@c = addrspace(2) constant i32 1\n", "@c = addrspace(4) constant i32 1\n");
	expect("@v = addrspace(1) global i32 1\n@l = addrspace(3) global i32 undef\n",
	       "@v = addrspace(1) global i32 1\n@l = addrspace(3) global i32 undef\n");
	expect("  %1 = load i32, ptr addrspace(4) %0\n", "  %1 = load i32, ptr  %0\n");
	expect("  %1 = load i32, ptr addrspace(5) ptr addrspace(6) %0\n", "  %1 = load i32, ptr addrspace(1) ptr addrspace(1) %0\n");
	/* None of SPIR's, and none at all: clang says what is wrong. */
	expect("ptr addrspace(7) addrspace(12)* addrspace(x) addrspace(", "ptr addrspace(7) addrspace(12)* addrspace(x) addrspace(");
}

TEST(conventions_are_those_of_the_target)
{
	expect("define spir_kernel void @k(ptr addrspace(1) %0, ptr %f) #0 !kernel_arg_type !4 {\n  ret void\n}\n",
	       "define ptx_kernel void @k(ptr addrspace(1) %0, ptr %f) \"uniform-work-group-size\"=\"false\" #0 !kernel_arg_type !4 {\n  "
	       "ret void\n}\n");
	/* Exported functions look as clang writes them, so that a program of one unit can drop them. */
	expect("define spir_func i32 @f() {\n", "define dso_local i32 @f() {\n");
	expect("define internal spir_func i32 @f() {\n", "define internal  i32 @f() {\n");
	expect("  call spir_func void @f()\n  call spir_kernel void @k()\n", "  call  void @f()\n  call ptx_kernel void @k()\n");
}

/* llvm-spirv forgets the convention of a kernel where the module calls it. With a wrong one LLVM takes the call for one that never happens. */
TEST(calls_of_kernels_have_their_convention)
{
	expect(
	    "define spir_kernel void @k() {\n  call spir_func void @k()\n  tail call spir_func void @kk()\n  call spir_func void @f()\n}\n"
	    "define spir_func void @f() {\n  call spir_func void @k()\n}\n",
	    "define ptx_kernel void @k() \"uniform-work-group-size\"=\"false\" {\n  call ptx_kernel void @k()\n  tail call  void @kk()\n  call  void "
	    "@f()\n}\ndefine dso_local void @f() {\n  call ptx_kernel void @k()\n}\n");
}

TEST(names_of_declared_functions_follow)
{
	expect("declare float @_Z5fractfPU3AS4f(float, ptr addrspace(4))\n", "declare float @_Z5fractfPf(float, ptr )\n");
	expect("  call float @_Z5vloadPU3AS2KfPU3AS1f()\n", "  call float @_Z5vloadPU3AS4KfPU3AS1f()\n");
	expect("  call void @_Z17wait_group_eventsiPU3AS49ocl_event()\n", "  call void @_Z17wait_group_eventsiP9ocl_event()\n");
	/* A type with a space counts among those that S4_ may stand for, written or not. */
	expect("  call i1 @_Z3casPU3AS4VU7_AtomiciPU3AS4ii12memory_orderS4_()\n", "  call i1 @_Z3casPVU7_AtomiciPii12memory_orderS4_()\n");
	expect("  call void @llvm.memcpy.p4.p2.i64()\n  call void @llvm.lifetime.start.p0.p10()\n",
	       "  call void @llvm.memcpy.p0.p4.i64()\n  call void @llvm.lifetime.start.p0.p10()\n");
	expect("@U3AS4 = global i32 0\n@\"_Z1fPU3AS4i\" = global i32 0\n", "@U3AS4 = global i32 0\n@\"_Z1fPU3AS4i\" = global i32 0\n");
}

TEST(functions_of_the_module_keep_their_names)
{
	expect("define spir_func void @_Z1fPU3AS4i(ptr addrspace(4) %0) {\n  call spir_func void @_Z1fPU3AS4i(ptr addrspace(4) %0)\n}\n",
	       "define dso_local void @_Z1fPU3AS4i(ptr  %0) {\n  call  void @_Z1fPU3AS4i(ptr  %0)\n}\n");
}

TEST(a_name_is_declared_once)
{
	expect("declare void @_Z1fPi(ptr)\ndeclare void @_Z1fPU3AS4i(ptr addrspace(4))\ndeclare void @g()\n",
	       "declare void @_Z1fPi(ptr)\n\ndeclare void @g()\n");
	expect("declare void @llvm.x.p4()\ndeclare void @llvm.x.p0()\n", "declare void @llvm.x.p0()\n\n");
	expect("declare void @_Z1fPU3AS4i()\ndefine spir_func void @_Z1fPi() {\n}\n", "\ndefine dso_local void @_Z1fPi() {\n}\n");
}

TEST(casts_within_a_space_are_none)
{
	expect("  %2 = addrspacecast ptr %1 to ptr addrspace(4)\n", "  %2 = bitcast ptr %1 to ptr \n");
	expect("  %2 = addrspacecast ptr addrspace(1) %1 to ptr addrspace(4)\n", "  %2 = addrspacecast ptr addrspace(1) %1 to ptr \n");
	expect("  %2 = addrspacecast <4 x ptr> %1 to <4 x ptr addrspace(4)>\n", "  %2 = bitcast <4 x ptr> %1 to <4 x ptr >\n");
	expect("ptr addrspacecast (ptr addrspace(4) getelementptr (i8, ptr @x, i64 1) to ptr)\n",
	       "ptr bitcast (ptr  getelementptr (i8, ptr @x, i64 1) to ptr)\n");
	expect("addrspacecast", "addrspacecast");
	expect("addrspacecast (<<<<<ptr", "addrspacecast (<<<<<ptr");
	expect("addrspacecast ptr %1 to i32\naddrspacecast ((((", "addrspacecast ptr %1 to i32\naddrspacecast ((((");
	expect("addrspacecast <4 x ptr %1 to ptr\naddrspacecast ptrs %1 to ptr\n",
	       "addrspacecast <4 x ptr %1 to ptr\naddrspacecast ptrs %1 to ptr\n");
}

TEST(text_that_is_no_code_stays)
{
	expect("", "");
	expect("; addrspace(2) spir_func\n@s = c\"addrspace(2) @_ZU3AS4\"\n!1 = !{!\"spir_kernel\"}\n%spir_func = type i8\n",
	       "; addrspace(2) spir_func\n@s = c\"addrspace(2) @_ZU3AS4\"\n!1 = !{!\"spir_kernel\"}\n%spir_func = type i8\n");
	expect("@s = c\"open", "@s = c\"open");
	expect("define ", "define ");
	expect("declare @", "declare @");
}

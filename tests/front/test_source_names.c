/* Names and types of parameters from LLVM's text of a module; what the text does not say stays as PTX has it. */
#include "../test.h"

#include "front/source_names.h"

static hd_ir_function *add(hd_ir_module *module, const char *name, bool kernel, const uint32_t *sizes, size_t n)
{
	hd_ir_function *f = hd_ir_function_new(module, name);
	f->kernel = kernel;
	f->info.name = f->name;
	for (size_t i = 0; i < n; i++)
		hd_vec_push(&f->info.params, (hd_param){.name = hd_arena_printf(&module->arena, "%s_param_%zu", name, i), .size = sizes[i]});
	return f;
}

static void expect(const hd_ir_function *f, size_t i, const char *name, const char *type, hd_element element)
{
	const hd_param *param = &f->info.params.at[i];
	assert_string_equal(param->name, name);
	assert_string_equal(param->source_type ? param->source_type : "(none)", type);
	assert_string_equal(hd_element_names[param->element], hd_element_names[element]);
}

TEST(opencl_kernels_have_metadata)
{
	static const uint32_t sizes[] = {4, 8, 8, 8, 8};
	static const char text[] = "*** IR Dump ***\n; ModuleID = 's.cl'\n"
	                           "define void @early(i32 %0) {\n}\n" /* has no metadata; that of later lines is not its own */
	                           "define dso_local spir_kernel void @other(i32 %0) !kernel_arg_type !3 !kernel_arg_name !2 {\n}\n"
	                           "define dso_local spir_kernel void @k(i32 noundef %0, ptr addrspace(1) %1) #0 !dbg !9 !kernel_arg_type_qual !4 "
	                           "!kernel_arg_type !1 !kernel_arg_base_type !5 !kernel_arg_name !2 {\n}\n"
	                           "!0 = !{}\n!1 = !{!\"uint\", !\"real*\", !\"float4*\", !\"struct s*\", !\"float**\"}\n"
	                           "!2 = !{!\"n\", !\"x\", !\"y\", !\"z\", !\"\"}\n!3 = !{!\"wrong\"}\n"
	                           "!4 = !{!\"\", !\"restrict const\", !\"volatile\", !\"\", !\"\"}\n"
	                           "!5 = !{!\"uint\", !\"double*\", !\"float __attribute__((ext_vector_type(4)))*\", !\"struct s*\", !\"float**\"}\n";
	hd_ir_module *module = hd_ir_module_new();
	hd_ir_function *k = add(module, "k", true, sizes, 5), *early = add(module, "early", true, sizes, 1);
	(void)state;
	hd_front_name_sources(module, text);
	expect(early, 0, "(unnamed)", "(none)", HD_ELEMENT_UNKNOWN);
	assert_null(k->info.source_name);
	expect(k, 0, "n", "uint", HD_ELEMENT_UNKNOWN);
	expect(k, 1, "x", "const real *", HD_ELEMENT_F64);
	expect(k, 2, "y", "volatile float4 *", HD_ELEMENT_F32);
	expect(k, 3, "z", "struct s *", HD_ELEMENT_UNKNOWN);
	expect(k, 4, "k_param_4", "float **", HD_ELEMENT_UNKNOWN);
	hd_ir_module_free(module);
}

TEST(cuda_kernels_have_names_in_their_definition)
{
	static const uint32_t sizes[] = {4, 8, 8, 16, 8};
	static const char text[] =
	    "define dso_local void @_Z5scalejPKfPyN1q3bigEPi(i32 noundef %n, ptr noalias nocapture noundef readonly %x, "
	    "ptr nocapture %0, ptr byval(%\"struct.q::big\") align 4 %b, ptr %last) local_unnamed_addr #0 comdat {\n}\n"
	    "define dso_local void @bare(i32 %n, ptr nocapture %p, ptr %q, ptr byval({i32, <2 x float>}) %s, ptr %c) {\n}\n";
	hd_ir_module *module = hd_ir_module_new();
	hd_ir_function *scale = add(module, "_Z5scalejPKfPyN1q3bigEPi", true, sizes, 5), *bare = add(module, "bare", true, sizes, 5);
	hd_ir_function *helper = add(module, "_ZN1q4helpEf", false, NULL, 0);
	(void)state;
	hd_front_name_sources(module, text);
	assert_string_equal(scale->info.source_name, "scale");
	assert_string_equal(scale->name, "_Z5scalejPKfPyN1q3bigEPi"); /* the symbol stays */
	assert_string_equal(hd_ir_function_name(scale), "scale");
	assert_string_equal(hd_ir_function_name(helper), "q::help");
	expect(scale, 0, "n", "unsigned int", HD_ELEMENT_UNKNOWN);
	expect(scale, 1, "x", "const float *", HD_ELEMENT_F32);
	expect(scale, 2, "(unnamed)", "unsigned long long *", HD_ELEMENT_U64);
	expect(scale, 3, "b", "q::big", HD_ELEMENT_UNKNOWN);
	expect(scale, 4, "last", "int *", HD_ELEMENT_I32);
	/* A function of C has no types in its name. */
	expect(bare, 0, "n", "(none)", HD_ELEMENT_UNKNOWN);
	expect(bare, 1, "p", "(none)", HD_ELEMENT_UNKNOWN);
	expect(bare, 2, "q", "(none)", HD_ELEMENT_UNKNOWN);
	expect(bare, 3, "s", "(none)", HD_ELEMENT_UNKNOWN);
	expect(bare, 4, "c", "(none)", HD_ELEMENT_UNKNOWN);
	hd_ir_module_free(module);
}

TEST(plain_ptx_keeps_its_names)
{
	static const uint32_t sizes[] = {4, 8};
	hd_ir_module *module = hd_ir_module_new();
	hd_ir_function *k = add(module, "k", true, sizes, 2), *mangled = add(module, "_Z3addiPf", true, sizes, 2),
	               *other = add(module, "_Z3addi", true, sizes, 2);
	(void)state;
	hd_front_name_sources(module, NULL);
	expect(k, 0, "k_param_0", "(none)", HD_ELEMENT_UNKNOWN);
	assert_string_equal(mangled->info.source_name, "add(int, float *)"); /* an overload */
	assert_string_equal(other->info.source_name, "add(int)");
	expect(mangled, 1, "_Z3addiPf_param_1", "float *", HD_ELEMENT_F32);
	expect(other, 0, "_Z3addi_param_0", "(none)", HD_ELEMENT_UNKNOWN); /* another number of parameters: the name says nothing */
	/* Text that is cut off or says nothing changes nothing. */
	hd_front_name_sources(module, "define void @k(i32 %");
	hd_front_name_sources(module, "define void @k");
	hd_front_name_sources(module, "");
	expect(k, 1, "k_param_1", "(none)", HD_ELEMENT_UNKNOWN);
	hd_ir_module_free(module);
}

TEST(elements)
{
	static const struct {
		const char *type;
		hd_element element;
	} rows[] = {{"float*", HD_ELEMENT_F32},
	            {"const float *", HD_ELEMENT_F32},
	            {"float4 *", HD_ELEMENT_F32},
	            {"uchar16*", HD_ELEMENT_U8},
	            {"unsigned int *", HD_ELEMENT_U32},
	            {"const volatile unsigned long long *", HD_ELEMENT_U64},
	            {"half *", HD_ELEMENT_F16},
	            {"__half *", HD_ELEMENT_F16},
	            {"__restrict double *", HD_ELEMENT_F64},
	            {"short __attribute__((ext_vector_type(3)))*", HD_ELEMENT_I16},
	            {"bool *", HD_ELEMENT_U8},
	            {"signed char *", HD_ELEMENT_I8},
	            {"float", HD_ELEMENT_UNKNOWN},
	            {"float **", HD_ELEMENT_UNKNOWN},
	            {"void *", HD_ELEMENT_UNKNOWN},
	            {"struct float4 *", HD_ELEMENT_UNKNOWN},
	            {"matrix4 *", HD_ELEMENT_UNKNOWN},
	            {"*", HD_ELEMENT_UNKNOWN},
	            {"", HD_ELEMENT_UNKNOWN}};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(rows); i++)
		if (hd_front_element(rows[i].type) != rows[i].element)
			fail_msg("%s", rows[i].type);
}

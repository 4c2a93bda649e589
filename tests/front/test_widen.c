/* Loads that clang's PTX takes for conversions get them; all other text stays as it is. */
#include "../test.h"

#include "front/widen.h"

static void expect(const char *text, const char *expected)
{
	size_t size = strlen(text);
	char *got = hd_front_mend_loads(hd_xstrdup(text), &size);
	assert_string_equal(got, expected);
	assert_int_equal(size, strlen(expected));
	free(got);
}

TEST(a_load_is_converted_in_its_line)
{
	expect("\tret;\n\tld.global.v4.b16 \t{%f1, %f2, %f3, %f14}, [%rd13];\n\tret;\n",
	       "\tret;\n\t{ .reg .b16 %narrow<4>; ld.global.v4.b16 \t{%narrow0, %narrow1, %narrow2, %narrow3}, [%rd13]; cvt.f32.f16 %f1, %narrow0; "
	       "cvt.f32.f16 %f2, %narrow1; cvt.f32.f16 %f3, %narrow2; cvt.f32.f16 %f14, %narrow3; }\n\tret;\n");
	expect("\tld.shared.v2.b16 \t{%fd1, %fd2}, [%rd13+8];\n\tld.v2.f32 \t{%fd3, %fd4}, [%rd1];\n",
	       "\t{ .reg .b16 %narrow<4>; ld.shared.v2.b16 \t{%narrow0, %narrow1}, [%rd13+8]; cvt.f64.f16 %fd1, %narrow0; cvt.f64.f16 %fd2, "
	       "%narrow1; }\n"
	       "\t{ .reg .f32 %narrow<4>; ld.v2.f32 \t{%narrow0, %narrow1}, [%rd1]; cvt.f64.f32 %fd3, %narrow0; cvt.f64.f32 %fd4, %narrow1; }\n");
}

TEST(other_text_stays)
{
	static const char *const texts[] = {"",
	                                    "\tld.global.v4.b16 \t{%h1, %h2, %h3, %h4}, [%rd13];\n",
	                                    "\tld.global.v2.f32 \t{%f1, %f2}, [%rd13];\n",
	                                    "\tld.global.v2.f64 \t{%fd1, %fd2}, [%rd13];\n",
	                                    "\tst.global.v2.b16 \t{%f1, %f2}, [%rd13];\n",
	                                    "\tld.global.v2.b16 \t{%far, %f2}, [%rd13];\n",
	                                    "\tld.global.v2.b16 \t{%f1, %f2\n}",
	                                    "\tld.global.v2.b16 \t{%f1, %f2}"};
	for (size_t i = 0; i < HD_COUNT(texts); i++)
		expect(texts[i], texts[i]);
}

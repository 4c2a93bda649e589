/* Mangled names of C++ as the source writes them. The expected texts are those of c++filt but for unsigned template arguments, which have no suffix.
 */
#include "../test.h"

#include "base/demangle.h"

static void expect(const char *symbol, const char *expected)
{
	hd_demangled d;
	hd_text text = {0};
	if (!hd_demangle(symbol, &d))
		fail_msg("%s is not understood", symbol);
	hd_text_printf(&text, "%s(", d.name);
	for (unsigned i = 0; i < d.n_params; i++)
		hd_text_printf(&text, "%s%s", i ? ", " : "", d.params[i]);
	hd_text_printf(&text, ")");
	assert_string_equal(text.at, expected);
	hd_text_free(&text);
	hd_demangled_free(&d);
}

TEST(names_and_parameters)
{
	(void)state;
	expect("_Z4idlev", "idle()");
	expect("_Z5plainPiPj", "plain(int *, unsigned int *)");
	expect("_Z5scalejfPKfPf", "scale(unsigned int, float, const float *, float *)");
	expect("_Z3allbcahstijlmxyfd",
	       "all(bool, char, signed char, unsigned char, short, unsigned short, int, unsigned int, long, unsigned long, long long, "
	       "unsigned long long, float, double)");
	expect("_Z1kPPfRiOdPVKiPKPf", "k(float **, int &, double &&, volatile const int *, float *const *)");
	expect("_Z1kPrf", "k(__restrict float *)");
	expect("_ZL5localPf", "local(float *)");
	expect("_ZN6render4draw5pixelE6float4PS0_", "render::draw::pixel(float4, render::draw *)");
	expect("_ZN12_GLOBAL__N_11kEi", "(anonymous namespace)::k(int)");
	expect("_Z5plainPi.kernel", "plain(int *)");
}

/* Substitutions count parts of names and types in the order in which they first appear. */
TEST(substitutions)
{
	(void)state;
	expect("_ZN1q5scaleIfEEvjT_PKS1_PS1_NS_3bigEPhi",
	       "q::scale<float>(unsigned int, float, const float *, float *, q::big, unsigned char *, int)");
	expect("_Z4copyI6float4jEvPT_PKS1_T0_", "copy<float4, unsigned int>(float4 *, const float4 *, unsigned int)");
	expect("_Z1kP4pairIifES0_", "k(pair<int, float> *, pair<int, float>)");
	expect("_Z1kI3boxIfEEvT_PS2_", "k<box<float>>(box<float>, box<float> *)");
	expect("_Z1kIfEv3boxIiET_", "k<float>(box<int>, float)"); /* T_ is the function's */
	expect("_Z1kPiS_S_Pj", "k(int *, int *, int *, unsigned int *)");
	expect("_Z1kN1a1bENS_1cE", "k(a::b, a::c)");
}

TEST(template_values)
{
	(void)state;
	expect("_Z4fillILi3EEvPi", "fill<3>(int *)");
	expect("_Z4fillILin4ELb1ELb0EEvPi", "fill<-4, true, false>(int *)");
	expect("_Z4fillILj16ELc7EEvPi", "fill<16, (char)7>(int *)");
	expect("_Z4fillILN1m4modeE2EEvi", "fill<(m::mode)2>(int)");
}

TEST(packs_and_std)
{
	(void)state;
	expect("_Z4packIJifEEvi", "pack<int, float>(int)");
	expect("_Z4packIfJijEEvPT_", "pack<float, int, unsigned int>(float *)");
	expect("_Z4packIJEEvi", "pack<>(int)");
	expect("_Z1kI3boxIJifEEEvT_", "k<box<int, float>>(box<int, float>)");
	expect("_Z1kSt4pairIifES_IifE", "k(std::pair<int, float>, std::pair<int, float>)");
	expect("_Z1kPSt5arrayIfLm4EES1_", "k(std::array<float, 4> *, std::array<float, 4> *)");
	expect("_Z1kno", "k(__int128, unsigned __int128)");
}

/* Anything else is left as it is: no symbol of C++, a part of the grammar that this unit does not know, a damaged or hostile symbol. */
TEST(refused)
{
	static const char *const symbols[] = {"",
	                                      "_",
	                                      "_Z",
	                                      "scale",
	                                      "_ZN",
	                                      "_Z5pla",
	                                      "_Z0v",
	                                      "_Z1kPFviE",
	                                      "_Z1kS_",
	                                      "_Z1kT_",
	                                      "_Z1kS9_",
	                                      "_Z1kDh",
	                                      "_ZNSt6vectorIfSaIfEE",
	                                      "_Z1kIJifEEvDpT_",
	                                      "_Z1kIJif",
	                                      "_Z1kRA4_f",
	                                      "_Z1kSt",
	                                      "_Z99999999999k",
	                                      "_Z1kILi3",
	                                      "_Z1kILi",
	                                      "_Z1kS",
	                                      "_ZN1qE",
	                                      "_Z1kP",
	                                      "_Z1kILiEEvv",
	                                      "_Z1k!",
	                                      "_ZSt4swap"};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(symbols); i++) {
		hd_demangled d;
		if (hd_demangle(symbols[i], &d) && d.whole && strcmp(symbols[i], "_ZN1qE") != 0 && strcmp(symbols[i], "_ZSt4swap") != 0)
			fail_msg("%s becomes %s", symbols[i], d.name);
		hd_demangled_free(&d);
	}
	/* Doubling by substitution, and nesting, end at a bound. */
	hd_text text = {0};
	hd_text_printf(&text, "_Z1kI1aIiiEEv");
	for (unsigned i = 0; i < 60; i++)
		hd_text_printf(&text, "1bIS%c_S%c_E", '0' + (char)(i % 10), '0' + (char)(i % 10));
	hd_demangled d;
	hd_demangle(text.at, &d);
	hd_demangled_free(&d);
	text.n = 0;
	hd_text_printf(&text, "_Z1k");
	for (unsigned i = 0; i < 5000; i++)
		hd_text_printf(&text, "P");
	assert_true(hd_demangle(text.at, &d) && !d.whole);
	hd_demangled_free(&d);
	text.n = 0;
	hd_text_printf(&text, "_Z1kPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPPf");
	assert_true(hd_demangle(text.at, &d) && !d.whole);
	hd_demangled_free(&d);
	hd_text_free(&text);
}

/* The name alone is understood where the parameters are not. */
TEST(names_alone)
{
	static const char *const symbols[][2] = {
	    {"_Z1kPFviE", "k"}, {"_ZN2ns4packIJfiEEEvDpPT_", "ns::pack<float, int>"}, {"_Z1kIfEvRA4_f", "k<float>"}};
	(void)state;
	for (size_t i = 0; i < HD_COUNT(symbols); i++) {
		hd_demangled d;
		assert_true(hd_demangle(symbols[i][0], &d));
		assert_string_equal(d.name, symbols[i][1]);
		assert_false(d.whole);
		assert_int_equal(d.n_params, 0);
		hd_demangled_free(&d);
	}
	hd_demangled d;
	assert_false(hd_demangle("_Z1kIXadL_Z1gvEEEvv", &d));
}

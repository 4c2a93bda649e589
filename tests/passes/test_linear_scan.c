/* Places for virtual registers: disjoint live ranges, alignment, hints, calls, spilling. */
#include "allocation_rig.h"
#include "passes/allocate/linear_scan.h"
#include "passes/allocate/verify.h"

static bool assign(rig *x, bool spill_all)
{
	uint32_t used = 0;
	bool ok = hd_assign_places(&x->a, spill_all, &used);
	hd_text why = {0};
	if (ok && !hd_verify_allocation(&x->a, &why))
		fail_msg("%s", why.at);
	assert_true(used <= x->a.limit);
	return ok;
}

static uint16_t place(const rig *x, uint32_t v) { return x->a.info.at[v].place; }

/* A register that is dead can be used again, also in a hole of another's live range; pairs and quads are aligned; predicates have places of their
 * own. */
TEST(places_are_disjoint_and_aligned)
{
	rig x;
	rig_start(&x,
	          ".kernel \"k\"\n.vregs 1 2 4 0 1\nb0:\nmovi %0 = 0x1\nmov64 %1:2 = c[0x40]:2\nldg{sub=6} %2:4 = %1:2\nisetp{cmp=eq} %p3 = %0, 0x1\n"
	          "@%p3 iadd %4 = %2, %0\nstg{sub=6 offset=16} %1:2, %2:4\nstg{sub=4} %1:2, %4\n.exit\n",
	          16);
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 1) % 2, 0);
	assert_int_equal(place(&x, 2) % 4, 0);
	assert_true(place(&x, 3) >= HD_FIRST_PREDICATE_PLACE && place(&x, 3) < HD_PLACES);
	rig_stop(&x);
}

/* A copy's destination takes the place of its source, if that is free then; a part of a pair lies where the pair will be. */
TEST(copies_vanish)
{
	rig x;
	rig_start(&x, ".kernel \"k\"\n.vregs 1 1 2 1\nb0:\nmovi %0 = 0x1\nmovi %3 = 0x5\nmov %1 = %0\nsts{sub=4} %1, %3\n.exit\n", 16);
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 0), place(&x, 1));
	rig_stop(&x);
	/* %3 has register 0, so the next free one is odd: not a place for the pair. */
	rig_start(&x,
	          ".kernel \"k\"\n.vregs 1 1 2 1\nb0:\nmovi %3 = 0x1\nlds{sub=4} %0 = %3\nmov %2 = %0\nmovi %2.1 = 0x2\nstg{sub=4} %2:2, %3\n.exit\n",
	          16);
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 3), 0);
	assert_int_equal(place(&x, 0), place(&x, 2));
	rig_stop(&x);
}

/* Not at the cost of alignment. */
TEST(a_hint_must_be_possible)
{
	rig x;
	rig_start(&x,
	          ".kernel \"k\"\n.vregs 1 2 4\nb0:\nmovi %0 = 0x1\nmov64 %1:2 = c[0x40]:2\nmov64 %2.2:2 = %1:2\nmov64 %2:2 = c[0x48]:2\nsts{sub=6} "
	          "%0, %2:4\n.exit\n",
	          16);
	x.a.info.at[1].fixed = 4;
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 2) % 4, 0);
	rig_stop(&x);
}

TEST(values_across_calls_avoid_what_these_change)
{
	rig x;
	rig_start(&x,
	          ".kernel \"k\"\n.vregs 1 0\nb0:\nmovi %0 = 0x1\nisetp{cmp=eq} %p1 = %0, 0x1\ncall{to=2}\n@%p1 sts{sub=4} %0, %0\n.exit\n"
	          ".function \"f\"\nb0:\n.ret\n",
	          16);
	x.clobbers[1] = (hd_clobber){.registers = {0x7fff}, .predicates = 0x5f};
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 0), 15);
	assert_int_equal(place(&x, 1), HD_FIRST_PREDICATE_PLACE + 5);
	/* When nothing is left, the value goes to memory. */
	x.clobbers[1].registers[0] = 0xffff;
	assert_false(assign(&x, false));
	assert_true(x.a.info.at[0].spilled);
	assert_false(x.a.info.at[1].spilled);
	rig_stop(&x);
}

TEST(fixed_registers_stay_where_they_are)
{
	static const char text[] = ".kernel \"k\"\n.vregs 1 1 1\nb0:\nmovi %0 = 0x1\nmovi %1 = 0x2\niadd %2 = %0, %1\nsts{sub=4} %2, %0\n.exit\n";
	rig x;
	rig_start(&x, text, 16);
	x.a.info.at[0].fixed = 9;
	assert_true(assign(&x, false));
	assert_int_equal(place(&x, 0), 9);
	rig_stop(&x);
	/* With a stack register 0 is its pointer. */
	rig_start(&x, text, 16);
	x.a.stack = true;
	assert_true(assign(&x, false));
	assert_true(place(&x, 0) > 0 && place(&x, 1) > 0 && place(&x, 2) > 0);
	rig_stop(&x);
}

/* The cheapest for its length: not the one that the loop uses, nor a short one. */
TEST(what_is_used_least_is_spilled)
{
	hd_text text = {0};
	rig x;
	hd_text_printf(&text, ".kernel \"k\"\n.vregs 0");
	for (unsigned i = 0; i < 18; i++)
		hd_text_printf(&text, " 1");
	hd_text_printf(&text, "\nb0:\n");
	for (unsigned i = 1; i <= 17; i++)
		hd_text_printf(&text, "lds{sub=4 offset=%u} %%%u = 0x0\n", 4 * i, i);
	hd_text_printf(&text, ".jump b1\nb1:\n");
	for (unsigned i = 1; i <= 16; i++)
		hd_text_printf(&text, "iadd %%%u = %%%u, 0x1\n", i, i);
	hd_text_printf(&text, ".branch %%p0 b1 b2\nb2:\n");
	for (unsigned i = 1; i <= 17; i++)
		hd_text_printf(&text, "sts{sub=4 offset=%u} %%%u, %%%u\n", 4 * i, i, i);
	hd_text_printf(&text, ".exit\n");
	rig_start(&x, text.at, 16);
	assert_false(assign(&x, false));
	for (unsigned i = 1; i <= 17; i++)
		assert_int_equal(x.a.info.at[i].spilled, i == 17);
	rig_stop(&x);
	/* All that can be. */
	rig_start(&x, text.at, 32);
	x.a.info.at[3].short_lived = true;
	assert_false(assign(&x, true));
	for (unsigned i = 1; i <= 17; i++)
		assert_int_equal(x.a.info.at[i].spilled, i != 3);
	rig_stop(&x);
	hd_text_free(&text);
}

/* Of equal weight, the one that is live for longer; not one that lives for an instruction or two. */
TEST(long_live_ranges_are_spilled)
{
	hd_text text = {0};
	hd_text_printf(&text, ".kernel \"k\"\n.vregs 0");
	for (unsigned i = 0; i < 17; i++)
		hd_text_printf(&text, " 1");
	hd_text_printf(&text, "\nb0:\n");
	for (unsigned i = 1; i <= 17; i++)
		hd_text_printf(&text, "lds{sub=4 offset=%u} %%%u = 0x0\n", 4 * i, i);
	hd_text_printf(&text, "sts{sub=4} 0x0, %%17\n");
	for (unsigned i = 1; i <= 16; i++)
		hd_text_printf(&text, "sts{sub=4 offset=%u} 0x0, %%%u\n", 4 * i, i);
	hd_text_printf(&text, ".exit\n");
	for (unsigned i = 0; i < 2; i++) {
		rig x;
		rig_start(&x, text.at, 16);
		x.a.info.at[1].short_lived = i;
		assert_false(assign(&x, false));
		assert_false(x.a.info.at[17].spilled);
		assert_int_equal(x.a.info.at[1].spilled, !i);
		assert_int_equal(x.a.info.at[2].spilled, i);
		rig_stop(&x);
	}
	hd_text_free(&text);
}

/* An atomic for its effect alone has no result. */
TEST(results_without_readers_have_no_register)
{
	for (unsigned read = 0; read < 2; read++) {
		rig x;
		rig_start(&x,
		          read ? ".kernel \"k\"\n.vregs 1 1\nb0:\nmovi %0 = 0x1\natoms %1 = %0, %0\nsts{sub=4} %0, %1\n.exit\n"
		               : ".kernel \"k\"\n.vregs 1 1\nb0:\nmovi %0 = 0x1\natoms %1 = %0, %0\n.exit\n",
		          16);
		assert_true(assign(&x, false));
		assert_int_equal(place(&x, 1) == HD_RZ, !read);
		rig_stop(&x);
	}
}

/* Operands of a memory instruction are not used again for 40 instructions, as long as there are others (HZ-4). */
TEST(operands_of_memory_rest)
{
	enum { N = 60, REST = 40 };
	hd_text text = {0};
	rig x;
	hd_text_printf(&text, ".kernel \"k\"\n.vregs 1");
	for (unsigned i = 0; i < N; i++)
		hd_text_printf(&text, " 1");
	hd_text_printf(&text, "\nb0:\nmovi %%0 = 0x1\nlds{sub=4} %%1 = %%0\n");
	for (unsigned i = 2; i < N; i++)
		hd_text_printf(&text, "iadd %%%u = %%%u, 0x1\n", i, i - 1);
	hd_text_printf(&text, "sts{sub=4} %%%u, %%%u\n.exit\n", N - 1, N - 1);
	rig_start(&x, text.at, 16);
	assert_true(assign(&x, false));
	bool again = false;
	for (unsigned i = 1; i < N; i++) {
		if (i <= REST)
			assert_int_not_equal(place(&x, i), place(&x, 0));
		again |= place(&x, i) == place(&x, 0);
	}
	assert_true(again);
	rig_stop(&x);
	hd_text_free(&text);
}

/* Kernels go round in all registers that cost no occupancy; functions leave some to their callers. */
TEST(functions_use_few_registers)
{
	for (unsigned kernel = 0; kernel < 2; kernel++) {
		hd_text text = {0};
		rig x;
		uint32_t used;
		hd_text_printf(&text, "%s \"f\"\n.vregs 1", kernel ? ".kernel" : ".function");
		for (unsigned i = 0; i < 40; i++)
			hd_text_printf(&text, " 1");
		hd_text_printf(&text, "\nb0:\nmovi %%0 = 0x1\n");
		for (unsigned i = 1; i < 40; i++)
			hd_text_printf(&text, "iadd %%%u = %%%u, 0x1\n", i, i - 1);
		hd_text_printf(&text, "sts{sub=4} %%39, %%39\n.%s\n", kernel ? "exit" : "ret");
		rig_start(&x, text.at, 32);
		x.a.free_registers = 24;
		assert_true(hd_assign_places(&x.a, false, &used));
		assert_int_equal(used, kernel ? 24 : 5); /* one word is live at once */
		rig_stop(&x);
		hd_text_free(&text);
	}
}

#!/usr/bin/env python3
"""template.py: PTX of a kernel whose machine code is long and has 100 registers and two barriers. probes.py replaces the code. There is no shared or
local variable, so nothing in the code is relocated: shared memory is what the launch asks for."""
GROUPS, VALUES = 26, 100
print(""".version 8.0
.target sm_90
.address_size 64
.visible .entry probe(.param .u64 out, .param .u64 data, .param .u32 rounds, .param .u32 seed)
{
	.reg .b32 %r<128>;
	.reg .b64 %rd<5>;
	ld.param.u64 %rd1, [out];
	ld.param.u64 %rd2, [data];
	ld.param.u32 %r0, [rounds];
	ld.param.u32 %r1, [seed];
	st.volatile.shared.u32 [%r0], %r1;
	bar.sync 0;
	bar.sync 1;""")
for group in range(GROUPS):
    for i in range(VALUES):
        print(f"\tld.volatile.global.u32 %r{i + 2}, [%rd1+{4 * i}];")
    for i in range(VALUES):
        print(f"\tst.volatile.global.u32 [%rd2+{4 * i}], %r{i + 2};")
print("\tret;\n}")

#!/usr/bin/env bash
# spirv.sh IN.cl OUT.spv [CLANG_OPTION]...: OpenCL C to SPIR-V with Debian's clang-14 and llvm-spirv-14, for tests, and as an example.
set -euo pipefail
if [ $# -lt 2 ]; then
	sed -n '2s/^# /usage: /p' "$0" >&2
	exit 2
fi
in=$1 out=$2
shift 2
# Extensions and features that the device has (src/front/front.c).
features=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_khr_fp16,+cl_khr_fp64,+__opencl_c_fp64,+__opencl_c_subgroups
features+=,+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables,+__opencl_c_atomic_order_seq_cst
features+=,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_scope_device
clang-14 --target=spir64 -x cl -cl-std=CL1.2 -w -cl-no-stdinc -Xclang -finclude-default-header -Xclang -fdeclare-opencl-builtins -Xclang "-cl-ext=$features" \
	-D__opencl_c_work_group_collective_functions=1 -O2 -Xclang -disable-llvm-passes -fno-discard-value-names "$@" -emit-llvm -c "$in" -o "$out.bc"
llvm-spirv-14 "$out.bc" -o "$out"
rm "$out.bc"

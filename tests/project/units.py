#!/usr/bin/env python3
"""Every unit of src has a test of its name, tests/ROOM/test_UNIT.c, or a row here: the tests that exercise it, and what they reach of it."""
import pathlib
import sys

# unit: "tests, blank-separated: what they exercise"
ELSEWHERE = {
    "api/api": "api/test_library.c: machine, program, memory; cli/run.py cli/grids.py: the command runs on it",
    "api/build": "cli/usage.py kernels/heddle-examples.c: source files of every kind",
    "api/describe": "api/test_library.c: every_key_is_described, a_key_that_was_set_shows_in_the_description",
    "api/inspect": "api/test_library.c: a_profile_has_every_instruction, reports_come_in_three_formats",
    "api/kernels": "api/test_library.c: a_program_can_be_a_text; cli/run.py: names in the source",
    "api/prove": "api/test_library.c: the_checker_answers_with_data",
    "api/run": "api/test_library.c: a_run_is_counted_and_timed; cli/run.py cli/grids.py: launches and lists",
    "api/traces": "api/test_library.c: traces_are_files_of_each_run, traces_that_cannot_be_are_refused",
    "base/out_of_memory": "faults/faults.py: every allocation of a few commands fails once",
    "base/flow": "check/test_forward.c sass/test_graph.c: fixed points over graphs",
    "report/sass_html": "sass/test_reports.c: the page",
    "report/sass_json": "sass/test_reports.c: the document",
    "sass/cubin": "sass/test_container.c: functions, lines, tables of branches",
    "sass/demangle": "sass/test_container.c: names",
    "sass/elf": "sass/test_container.c sass/hostile.c: sections",
    "sass/lines": "sass/test_container.c: lines",
    "sass/listing": "cli/machine_code.py: heddle disasm; sass/corpus.py: against nvdisasm",
    "sass/print": "sass/test_decode.c: texts",
    "sass/table": "sass/test_decode.c: rows",
    "sass/unpack": "sass/test_container.c: compressed entries",
    "sass/walk": "sass/test_decode.c: operands",
    "sass/analysis": "sass/test_check.c sass/test_graph.c: fixed points",
    "sass/assumptions": "sass/test_check.c: sa_5",
    "sass/cubin": "sass/test_container.c: functions, symbols, tables, damage",
    "sass/demangle": "sass/test_container.c: sa_1_names",
    "sass/elf": "sass/test_container.c: sa_12_damaged_cubins",
    "sass/findings": "sass/test_check.c sass/test_reports.c: texts of findings",
    "sass/fix": "sass/test_slack.c sass/test_reports.c: sa_8_fix",
    "sass/float_text": "sass/test_decode.c: sa_2_floats",
    "sass/judge": "sass/test_check.c: each rule proves and refutes",
    "sass/lines": "sass/test_container.c: sa_1_lines",
    "sass/listing": "sass/test_container.c: sa_1_listing",
    "sass/pending": "sass/test_check.c: each rule proves and refutes",
    "sass/print": "sass/test_decode.c: sa_2_text, sa_2_control",
    "sass/proof": "sass/test_reports.c",
    "sass/table": "sass/test_decode.c: sa_2_table",
    "sass/unpack": "sass/test_container.c: sa_12_compression",
    "sass/walk": "sass/test_decode.c: sa_2_text, sa_2_accesses",
    "sass/way": "sass/test_check.c: sa_7_finding",
    "check/check": "check/test_judge.c check/test_report.c: the steps of a check",
    "check/path": "check/test_guards.c check/test_settle.c: the searches for paths",
    "tasks/event": "tasks/test_enqueue.c: an_event_lives_while_somebody_needs_it, the_number_of_events_is_bounded",
    "config/keys": "config/test_machine.c: unknown_keys_and_bad_values_have_line_and_key, every_value_reads_back",
    "config/mechanisms": "config/test_machine.c: mechanisms_are_switches",
    "config/presets": "config/test_machine.c: every_preset_loads_and_prints_what_reads_back",
    "config/print": "config/test_machine.c: every_value_reads_back, documentation_is_current",
    "config/state_bits": "config/test_machine.c: state_bits_of_scoreboards",
    "config/yaml": "config/test_machine.c fuzz/fuzz_configuration.c: syntax errors and hostile text",
    "core/compensation": "core/test_write_controller.c: how long results stay, and which ones leave early",
    "core/recording": "rtl/recording.py: recorded inputs give the recorded outputs",
    "device/desk": "device/test_manager.c: lists, table, eviction, turns; device/test_task_managers.c: whole runs",
    "device/device": "device/test_distributor.c device/test_grids.c: whole runs",
    "front/data_files": "cli/data_files.py: every place, and the places that are passed by",
    "front/supervise": "front/test_process.c: what a program inherits, bounds, and what ends with what",
    "front/module_text": "front/test_source_names.c: definitions and metadata; opencl/test_objects.c: argument information",
    "interp/access": "interp/test_run.c: memories, atomics and faults",
    "interp/barrier": "interp/test_run.c: barriers and their deadlocks",
    "interp/interp": "interp/test_run.c device/test_grids.c: launches and lists of grids",
    "interp/livelock": "interp/test_run.c cli/deadlocks.py: spinning warps",
    "passes/convergence_barriers": "passes/test_reconvergence.c kernels/shapes.c: registers, and where lanes leave a barrier",
    "passes/regions": "passes/test_reconvergence.c: where lanes are registered",
    "sanitizer/decode": "sanitizer/test_registers.c sanitizer/test_memory.c: operands of every kind",
    "sanitizer/sanitizer": "sanitizer/test_registers.c sanitizer/test_narrow_pipes.c: events in, violations out",
    "sanitizer/violations": "sanitizer/test_registers.c cli/hazards.py: the list and its text",
    "interp/spawn": "device/test_grids.c: the same lists in the interpreter",
    "interp/zeros": "interp/test_run.c: registers begin as zeros",
    "interp/special": "isa/test_operands.c interp/test_run.c: special registers",
    "ir/graph": "ir/test_ir.c: test_graph",
    "ir/parse": "ir/test_ir.c: test_round_trip, test_hostile_text",
    "ir/print": "ir/test_ir.c: test_round_trip",
    "ir/validate": "ir/test_ir.c: test_validator",
    "isa/access": "isa/test_operands.c: every row, against what execution reads and writes",
    "isa/names": "isa/doc.py object/test_assembly.c: names in documentation and assembly",
    "isa/ops": "isa/doc.py: the table itself",
    "isa/print": "object/test_assembly.c: every_operation_makes_the_round_trip",
    "launch/bank": "launch/test_launch.c: sizes, parameters, literals, special registers, impossible launches",
    "launch/program": "launch/test_launch.c: every_instruction_is_worked_out_once, the_data_segment_is_loaded_and_relocated",
    "launch/stall": "report/test_page.c report/test_report.c: the table of causes",
    "launch/trap": "launch/test_launch.c: traps_say_where_and_why",
    "memory/cache": "memory/test_memory.c: tags_replace_the_least_recently_used",
    "memory/coalesce": "memory/test_memory.c: coalescing_makes_sectors, banks_conflict_by_distinct_words",
    "memory/constant": "memory/test_memory.c: the_constant_cache_serves_one_address_a_cycle",
    "memory/l2": "memory/test_memory.c: second_level_has_finite_bandwidth, the_second_level_pushes_back",
    "memory/lsu": "memory/test_memory.c: loads, stores, atomics, windows",
    "object/assemble": "object/test_assembly.c fuzz/fuzz_assembly.c: round trips and errors",
    "object/disassemble": "object/test_assembly.c: same_after_a_round_trip",
    "object/elf_read": "object/test_elf.c fuzz/fuzz_object.c: truncated and flipped files",
    "object/elf_write": "object/test_elf.c: everything_survives",
    "object/object": "object/test_elf.c launch/test_launch.c: look-ups in objects",
    "object/parse_inst": "object/test_assembly.c: every_operation_makes_the_round_trip",
    "object/scan": "object/test_assembly.c: errors_name_their_place",
    "object/validate": "object/test_elf.c object/test_assembly.c: damaged objects",
    "report/comparison_html": "cli/compare.py: pages of comparisons",
    "report/comparison_text": "cli/compare.py: tables of comparisons",
    "report/html": "cli/pages.py: pages of runs",
    "report/html_listing": "cli/pages.py: listings of pages",
    "report/html_time": "cli/pages.py: charts of pages",
    "report/json": "report/test_report.c: keys, counters, names that are not UTF-8",
    "report/least": "device/test_graphs.c: the bound of RC-15",
    "report/listing": "cli/listing.py: listings of programs with and without source",
    "report/text": "report/test_report.c: text_is_for_people",
    "semantics/atomic": "semantics/test_integer.c: atomics_change_what_they_should",
    "semantics/directed": "semantics/test_float.c: every rounding mode against exact arithmetic",
    "semantics/find": "semantics/test_sfu.c semantics/test_integer.c: functions of both paths",
    "semantics/vector_convert": "semantics/test_convert.c: every conversion",
    "semantics/vector_double": "semantics/test_float.c: every operation on doubles",
    "semantics/vector_float": "semantics/test_float.c: every operation on floats",
    "semantics/vector_integer": "semantics/test_integer.c: every operation on words",
    "semantics/vector_integer64": "semantics/test_integer.c: every operation on pairs",
    "semantics/vector_lanes": "semantics/test_integer.c: shuffles, votes and matches",
    "semantics/vector_sfu": "semantics/test_sfu.c: bounds of errors",
    "semantics/vector_steps": "semantics/test_division.c: quotients and roots, correctly rounded",
    "trace/konata": "cli/trace_formats.py cli/traces.py: the file, read back",
    "trace/perfetto": "cli/trace_formats.py cli/traces.py: the file, read back",
    "trace/vcd": "cli/trace_formats.py cli/traces.py: the file, read back",
}
# Rooms whose units are tested together.
ROOMS = {
    "cli": "cli/usage.py: the command, run as users run it (tests/cli/*.py)",
    "opencl": "opencl/test_objects.c: the driver, through the loader, by its clients (tests/opencl)",
    "ptx": "ptx/test_lowering.c: PTX in, IR and values out, for every instruction (tests/ptx)",
}

root = pathlib.Path(sys.argv[1])
tests = {f"{path.parent.name}/{path.stem[5:]}" for path in (root / "tests").glob("*/test_*.c")}
units = {f"{path.relative_to(root / 'src').parts[0]}/{path.stem}" for path in (root / "src").rglob("*.c")}
errors = []
for unit in sorted(units - tests - set(ELSEWHERE)):
    room, name = unit.split("/")
    if room not in ROOMS:
        errors.append(f"src/{unit}.c: error: no tests/{room}/test_{name}.c, and no row in tests/project/units.py")
for unit, row in sorted({**ELSEWHERE, **ROOMS}.items()):
    named = row.split(": ")[0].split()
    errors += [f"tests/project/units.py: error: {unit} names {name}, which does not exist" for name in named if not (root / "tests" / name).exists()]
for unit in sorted(set(ELSEWHERE) & tests):
    errors.append(f"tests/project/units.py: error: {unit} has a test of its own now, so its row must go")
for unit in sorted(set(ELSEWHERE) - units):
    errors.append(f"tests/project/units.py: error: there is no unit {unit}")
print("\n".join(errors) if errors else f"{len(units & tests)} of {len(units)} units have a test of their name, the others a row")
sys.exit(1 if errors else 0)

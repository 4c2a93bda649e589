"""The fuzz targets: the source files of the reader that each one drives (for coverage), and where its words come from. The dictionary of a target is
made of these files each time, so that it names what the reader knows today."""
import pathlib
import re

SOURCE = pathlib.Path(__file__).resolve().parents[2]

# target: (source files of the reader, files whose words make the dictionary, further options of libFuzzer)
TARGETS = {
    "study": ("src/study/plan.c src/study/axes.c src/study/points.c src/study/expression.c src/config/yaml.c", "src/study/plan.c src/study/expression.c src/study/axes.c src/config/machine.def", ()),
    "configuration": ("src/config/yaml.c src/config/machine.c src/config/keys.c", "src/config/machine.def src/config/machine.h src/config/keys.c", ()),
    "array": ("src/api/npy.c", "src/api/npy.c", ()),
    "assembly": ("src/object/assemble.c src/object/parse_inst.c src/object/scan.c src/object/validate.c",
                 "src/isa/ops.def src/isa/names.c src/object/assemble.c src/object/parse_inst.c", ()),
    "object": ("src/object/elf_read.c src/object/validate.c src/check/*.c src/config/record.c", "src/object/elf_read.c src/config/machine.def", ()),
    "ptx": ("src/ptx/*.c", "src/ptx/names.def src/ptx/*.c", ("-max_len=16384",)),
    "chain": ("src/ptx/*.c src/passes/*.c src/passes/*/*.c src/check/*.c", "src/ptx/names.def src/ptx/*.c", ("-max_len=16384",)),
    "ir": ("src/ir/parse.c src/ir/validate.c src/ir/ir.c", "src/ir/pseudo.def src/isa/ops.def src/ir/parse.c src/ir/print.c", ()),
    "spirv": ("src/front/spirv.c src/front/retarget.c", "src/front/retarget.c", ()),
    "print": ("src/api/print.c", "src/api/print.c", ()),
    "json": ("src/report/json_string.c", "src/report/json.c", ()),
    "sass": ("src/sass/*.c", "src/sass/elf.c src/sass/cubin.c src/sass/container.c", ("-max_len=16384",)),
    "launches": ("src/cli/launch_list.c src/cli/grid_list.c src/cli/launching.c src/cli/operands.c src/cli/options.c",
                 "src/cli/options.def src/cli/operands.c src/api/npy.c", ("-close_fd_mask=2",)),
    "arguments": ("src/cli/operands.c src/cli/options.c src/config/keys.c", "src/cli/options.def src/cli/operands.c src/config/machine.def src/trace/trace_file.c",
                  ("-close_fd_mask=2",)),
    "opencl": ("src/opencl/context.c src/runtime/event.c src/opencl/kernel.c src/opencl/launch.c src/runtime/run.c src/opencl/memory.c src/runtime/object.c src/opencl/platform.c "
               "src/opencl/program.c src/opencl/queue.c src/runtime/queue.c src/opencl/svm.c src/opencl/transfer.c", "", ("-close_fd_mask=3", "-max_len=1024")),
    "cache": ("src/runtime/cache.c src/object/elf_read.c", "src/object/elf_read.c", ()),
    "metadata": ("src/opencl/argument_info.c", "src/opencl/argument_info.c", ()),
}
STRING = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
KEY = re.compile(r"^(?:CHECKED_)?KEY\((\w+), (\w+),", re.M)


def files(patterns):
    return [path for pattern in patterns.split() for path in sorted(SOURCE.glob(pattern))]


def readers(target):
    return files(TARGETS[target][0])


def words(target):
    """The string literals without blanks and directives of printf, and the keys of the configuration."""
    found = {}
    for path in files(TARGETS[target][1]):
        text = path.read_text(encoding="utf-8")
        for line in text.splitlines():
            if "#include" not in line:
                found.update((word, True) for word in STRING.findall(line) if len(word) <= 32 and not set(word) & set(" %\\`"))
        if path.suffix == ".def":
            for section, key in KEY.findall(text):
                found.update(((section + ":", True), (key + ":", True), (f"{section}.{key}=", True)))
    return sorted(found)


def dictionary(target):
    return "".join('"' + "".join(c if c.isalnum() or c in "._-=:+,/()[]{}<>!@#$&*;|' " else f"\\x{ord(c):02x}" for c in word) + '"\n' for word in words(target) if word.isascii())

#include "cli/cli.h"

static const char help[] =
    "heddle compile IN [-o OUT.hko] [--config C] [--set KEY=VALUE]... [--emit ptx|ir|asm|obj] [--dump-after PASS] [--serial] [-DNAME[=VALUE]] "
    "[-IDIR]\n"
    "    IN by its ending: .cl OpenCL C, .cu CUDA device code, .ptx, .hasm assembly\n"
    "heddle asm IN.hasm -o OUT.hko\n"
    "heddle disasm IN.hko [-o OUT.hasm]\n"
    "heddle run IN [--kernel K] [--grid X[,Y[,Z]]] [--block X[,Y[,Z]]] [--arg A]... [--config C] [--set KEY=VALUE]...\n"
    "           [--functional] [--report FILE] [--listing FILE] [--max-cycles N] [--serial] [--offset X[,Y[,Z]]] [--shared BYTES] [-DNAME] [-IDIR]\n"
    "           [--hazards] [--trace konata|perfetto|vcd:FILE]... [--trace-cycles FIRST:LAST] [--trace-core N] [--trace-warp [SCHEDULER.]SLOT]\n"
    "    IN: any of the above, or an object .hko. --grid counts CTAs, --block the threads of one.\n"
    "    arguments, in the kernel's order:\n"
    "      i32:7 u32:7 i64:7 u64:7 f32:1.5 f64:1.5   values\n"
    "      in:FILE.npy                               an array\n"
    "      out:FILE.npy:f32:4096                     an array of zeros, written to the file at the end\n"
    "      inout:FILE.npy                            an array, written back\n"
    "      zero:f32:4096  rand:f32:4096:SEED         an array of zeros, of random numbers (floats: from 0 to 1)\n"
    "      local:BYTES                               OpenCL local memory\n"
    "      bytes:0000803f...                         a structure or vector by value, byte for byte\n"
    "    --report FILE by its ending: .txt .json .html; - is text on standard output. --listing FILE: issue slots, stalls and lanes\n"
    "    beside each source line and instruction. --trace writes as the run goes, for the viewers Konata, Perfetto (ui.perfetto.dev) and any of\n"
    "    VCD files; instructions issued in the given cycles, on the given core, in the given warp slot. --functional runs the interpreter: same "
    "values, no time.\n"
    "    --hazards names every value that the run read before it was there, or overwrote before it was read, even where the bytes are right.\n"
    "    --launches FILE instead of one launch: several grids, a line each, with --name --priority --arrival --after --queue ... (docs/grids.md)\n"
    "heddle check IN [--config C] [--set KEY=VALUE]... [--serial] [--quiet] [-DNAME] [-IDIR]\n"
    "    proves that every dependence of an object (or of what is built from IN) is covered, or names the two instructions and the path\n"
    "heddle compare IN ... --machine A --machine B ... | --ablation [--launches FILE] [--report FILE] [--jobs N]\n"
    "    the launch (options as for run) on each machine, at the same time: a table with ratios to the first. Outputs must be equal.\n"
    "    --ablation: the baseline with each mechanism added, and heddle with each taken away.\n"
    "    --launches FILE: a launch a line instead, written as on the command line; --report FILE: .txt .json .csv .html; --jobs: threads\n"
    "heddle config [NAME|FILE.yaml] [--set KEY=VALUE]...\n"
    "    a machine description with the meaning of every key; without a name, the list of presets\n"
    "heddle --help, heddle --version\n"
    "exit status: 0 done; 1 the program is at fault (trap, deadlock, cycle limit, hazard found); 2 bad usage or bad input; 130 ended by Ctrl-C\n";

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} commands[] = {{"compile", hd_cli_compile}, {"asm", hd_cli_asm},         {"disasm", hd_cli_disasm}, {"run", hd_cli_run},
	                {"check", hd_cli_check},     {"compare", hd_cli_compare}, {"config", hd_cli_config}};
	if (argc < 2) {
		fputs(help, stderr);
		return HD_EXIT_USAGE;
	}
	const char *name = argv[1];
	bool wants_help = strcmp(name, "-h") == 0 || strcmp(name, "help") == 0;
	for (int i = 1; i < argc; i++)
		wants_help = wants_help || strcmp(argv[i], "--help") == 0;
	if (wants_help) {
		fputs(help, stdout);
		return HD_EXIT_DONE;
	}
	if (strcmp(name, "--version") == 0) {
		printf("heddle %s\n", heddle_version());
		return HD_EXIT_DONE;
	}
	for (unsigned i = 0; i < HD_COUNT(commands); i++) {
		if (strcmp(name, commands[i].name) == 0)
			return commands[i].run(argc - 2, argv + 2);
	}
	return hd_usage("there is no command '%s', expected compile, asm, disasm, run, check, compare or config; `heddle --help` says more", name);
}

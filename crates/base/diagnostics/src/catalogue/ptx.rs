//! Faults of PTX and machine code: reading them, and the commands that take any kernel.

use super::entry::Entry;

pub const ENTRIES: [Entry; 51] = [
    Entry { id: "cli::unreadable", cause: "A file of PTX or of a launch cannot be read.", remedy: "Check the path." },
    Entry {
        id: "measure::launch",
        cause: "`singe measure` is given kernels without a launch, or a project with one.",
        remedy: "Kernels of your own take `--launch FILE` as `singe ptx time` does; a project knows how its kernels are launched.",
    },
    Entry {
        id: "measure::project",
        cause: "The folder for `singe measure` is no project for a GPU, or its kernels cannot be compiled here.",
        remedy: "Make it with `--emit cuda,host,report`; `singe doctor` tells which compilers are there.",
    },
    Entry {
        id: "measure::results",
        cause: "The JSON for `singe measure` is not what the runner of its archive writes.",
        remedy: "Give the `results.json` that came back from the machine with the GPU.",
    },
    Entry {
        id: "measure::wrong",
        cause: "A GPU has other results than the simulator, or than the reference states, by more than rounding.",
        remedy: "Where a launch races, see to that first; else please report the kernel with its results.",
    },
    Entry {
        id: "opt::block",
        cause: "Occupancy depends on the number of threads in a CTA, and neither the kernel nor the command tells it.",
        remedy: "Give the shape of the CTA with `--block`, or `.reqntid` in the text.",
    },
    Entry {
        id: "opt::given",
        cause: "A text that `--check` was given is no allocation of the one before: it has other blocks or parameters, or a value is not where it is read.",
        remedy: "Mend the line of the later text that the message names.",
    },
    Entry {
        id: "opt::no-cost",
        cause: "`diverge=auto` or `occupancy=auto` cannot tell what the kernel costs as it is: its launch shows hazards, or the assembler refuses it.",
        remedy: "Check the launch with `singe ptx sim`, and name the architecture with `--target`.",
    },
    Entry {
        id: "opt::no-kernel",
        cause: "The text has no kernel, or none of the name that `--kernel` gives.",
        remedy: "Check the name: it is the one behind `.entry`.",
    },
    Entry {
        id: "opt::occupancy",
        cause: "The kernel cannot have this number of resident warps: its CTAs are of another size, their threads, named barriers or shared \
                memory do not fit so often, or no padding that a CTA may ask for keeps more of them away.",
        remedy: "Ask for one of the levels that the message lists; `singe ptx occupancy K.ptx` shows all of them.",
    },
    Entry {
        id: "opt::registers",
        cause: "An instruction needs more registers at once than the budget has, or the kernel holds what no pass can spill.",
        remedy: "Give more with `--registers` or `--predicates`.",
    },
    Entry {
        id: "opt::split",
        cause: "A launch of the kernel cannot be made in parts: functions or unknown instructions read the number of the CTA, or CTAs \
                form clusters.",
        remedy: "Launch the kernel several times, or choose a level with `--pass occupancy=WARPS`.",
    },
    Entry {
        id: "opt::target",
        cause: "The `.target` of the text is no machine that Singe describes.",
        remedy: "Name the machine with `--target`.",
    },
    Entry {
        id: "opt::unproven",
        cause: "The checker finds a fault in an allocation, or in what another pass made.",
        remedy: DEFECT,
    },
    Entry {
        id: "ptx::address-size",
        cause: "`.address_size` is neither 32 nor 64.",
        remedy: "Write 32 or 64, or leave the line out.",
    },
    Entry {
        id: "ptx::branch-table",
        cause: "`brx.idx` names no register, or no list of `.branchtargets`.",
        remedy: "Declare the list in the function that branches.",
    },
    Entry {
        id: "ptx::declared-twice",
        cause: "A register, variable, parameter, label or function is declared again.",
        remedy: "Rename one of the two, or enclose it in braces.",
    },
    Entry {
        id: "ptx::ill-formed",
        cause: "An instruction has operands of a width, kind, number or state space that it cannot have.",
        remedy: "Compare the instruction with the PTX manual; `ptxas` says the same.",
    },
    Entry { id: "ptx::label", cause: "A branch goes to a label that stands nowhere.", remedy: "Write the label." },
    Entry {
        id: "ptx::no-target",
        cause: "The text has no `.target` line.",
        remedy: "Begin with `.version`, `.target` and `.address_size`.",
    },
    Entry {
        id: "ptx::no-version",
        cause: "The text has no `.version` line, with which PTX begins.",
        remedy: "Begin with `.version`, `.target` and `.address_size`.",
    },
    Entry {
        id: "ptx::opcode",
        cause: "No version of PTX has an instruction of this name.",
        remedy: "Check its spelling; report it if ptxas takes it.",
    },
    Entry {
        id: "ptx::parameter",
        cause: "A parameter has no type, or is a predicate.",
        remedy: "Pass predicates as words.",
    },
    Entry {
        id: "ptx::predicate",
        cause: "A guard names a register that is no predicate.",
        remedy: "Compare with `setp` first.",
    },
    Entry {
        id: "ptx::semicolon",
        cause: "One operand follows another with nothing between: the statement in front lacks its semicolon.",
        remedy: "End the statement with a semicolon.",
    },
    Entry { id: "ptx::syntax", cause: "The text is no PTX at this place.", remedy: "Check the line that is quoted." },
    Entry { id: "ptx::target", cause: "`.target` names no `sm_` architecture.", remedy: "Write it as in `sm_70`." },
    Entry {
        id: "ptx::too-large",
        cause: "A function declares more registers than any compiler does.",
        remedy: "Check the count behind the name.",
    },
    Entry {
        id: "ptx::type",
        cause: "A register or a variable has a type that PTX does not have.",
        remedy: "Check the type behind `.reg` or the state space.",
    },
    Entry {
        id: "ptx::undeclared",
        cause: "A register, variable or function is used that nothing declares.",
        remedy: "Declare it; functions of other modules as `.extern`.",
    },
    Entry {
        id: "ptx::unsupported",
        cause: "A branch or a call has a form that the reader does not know, so that nobody could tell where threads go on.",
        remedy: "Compile with fewer features, or report the form.",
    },
    Entry {
        id: "ptx::variable",
        cause: "A variable's size, alignment or initial values are wrong.",
        remedy: "Alignments are powers of two; a variable has no more values than elements.",
    },
    Entry {
        id: "sass::architecture",
        cause: "A cubin is for Fermi, Maxwell or Pascal, whose machine code is not simulated.",
        remedy: "Kepler and Volta and later are; of the others give PTX to `singe ptx sim` and `singe ptx verify`, which have no model of time.",
    },
    Entry {
        id: "sass::cubin",
        cause: "A file begins as ELF and is no cubin, or not one that the listing of it describes.",
        remedy: "Give what ptxas writes with `-o`, for one architecture.",
    },
    Entry {
        id: "sass::disassembler",
        cause: "No nvdisasm knows the architecture of a cubin, or it fails on it.",
        remedy: "`singe doctor` tells which nvdisasm is there, `cargo xtask toolchain` installs those for sm_35 and later.",
    },
    Entry {
        id: "sass::syntax",
        cause: "A line of nvdisasm's listing is no instruction, or names a label that stands nowhere.",
        remedy: "The listing must be what `nvdisasm -c` prints.",
    },
    Entry {
        id: "sass::unknown",
        cause: "The kernel has an instruction, or a form of one, that the simulator of machine code does not know.",
        remedy: "Compile with fewer features, or report the instruction.",
    },
    Entry {
        id: "sim::hazard",
        cause: "The simulated kernel reads what is not written, leaves an array, races, waits for ever, does what no rule of the machine \
                allows, or executes an instruction that the simulator does not know.",
        remedy: "The message names the instruction, the warp and the place; for sizes of arrays check the launch file.",
    },
    Entry {
        id: "sim::launch",
        cause: "The launch file cannot be read, or does not fit the kernel.",
        remedy: "Its fields are in `crates/gpu/warpsim/src/setup.rs`; `tests/corpus` has examples.",
    },
    Entry {
        id: "sim::machine-code",
        cause: "`--check-uniformity` is given with machine code.",
        remedy: "Give the PTX that ptxas made the machine code of: the divergence analysis reads PTX only.",
    },
    Entry {
        id: "time::compilers",
        cause: "No compilers know the target of `singe ptx time`, or they refuse the text.",
        remedy: "`singe doctor` tells which are there; give a cubin, or mend the text.",
    },
    Entry {
        id: "time::turns",
        cause: "`singe ptx time --turns` finds no loop that every warp of the launch turns three times or more, all of them alike.",
        remedy: "Give the launch more work for each warp, or leave out `--turns`.",
    },
    Entry {
        id: "verify::argument",
        cause: "`--arg` or the launch file names no parameter of the kernel, or gives it a value that does not fit.",
        remedy: "Give NAME=VALUE with a parameter's name or number, and a number, `pointer`, `hex:` with as many bytes as it has, or `ANY`.",
    },
    Entry {
        id: "verify::baseline",
        cause: "The file of `--baseline` holds no findings that `--write-baseline` wrote.",
        remedy: "Write it with `--write-baseline`, and keep it beside the kernels.",
    },
    Entry {
        id: "verify::condition",
        cause: "The proof of the kernel rests on what its data decide: that a loop ends, or that all threads load one value.",
        remedy: "Check what the message names. `--assume` takes such a kernel for proven.",
    },
    Entry {
        id: "verify::launch",
        cause: "The kernel cannot be launched so.",
        remedy: "Check `--threads`, `--ctas` and `--shared` against `.reqntid` and the machine.",
    },
    Entry {
        id: "verify::no-kernel",
        cause: "The text has no kernel, or none of the name that `--kernel` gives.",
        remedy: "Check the name: it is the one behind `.entry`.",
    },
    Entry {
        id: "verify::no-launch",
        cause: "Neither the command line, nor the launch file, nor `.reqntid` says how many threads a CTA of the kernel has.",
        remedy: "Give `--threads`, or an entry with `block` in the file of `--launch`.",
    },
    Entry {
        id: "verify::no-ptx",
        cause: "A fat binary, an object, a library or a program has no PTX, or its PTX cannot be read.",
        remedy: "Compile with `nvcc -gencode arch=compute_NN,code=compute_NN`, or give the PTX itself.",
    },
    Entry {
        id: "verify::not-analysed",
        cause: "Synchronisation or an address in shared memory depends on data, or an instruction is unknown: nothing is proven.",
        remedy: "Simulate the kernel with `singe ptx sim`, or make the place independent of data.",
    },
    Entry {
        id: "verify::violation",
        cause: "The kernel can deadlock, reuse a barrier too early, race, or read shared memory before it is written.",
        remedy: "The message names both places.",
    },
];

const DEFECT: &str = "This is a defect of Singe: report it with the text and the command.";

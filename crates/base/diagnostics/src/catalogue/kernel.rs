//! Faults between the mechanism and the files of its kernels.

use super::entry::Entry;

pub const ENTRIES: [Entry; 60] = [
    Entry {
        id: "compiler::refused",
        cause: "A compiler rejects the generated code, or what it makes of it fails.",
        remedy: DEFECT,
    },
    Entry {
        id: "config::key",
        cause: "A key of a configuration file is no flag, or none that may differ from kernel to kernel.",
        remedy: "Use one of the flags that the message lists, without the dashes.",
    },
    Entry {
        id: "config::syntax",
        cause: "A configuration file is no TOML.",
        remedy: "Write `KEY = VALUE` lines, and `[KERNEL]` above those of one kernel.",
    },
    Entry {
        id: "config::unreadable",
        cause: "The configuration file cannot be read.",
        remedy: "Check the path behind `--config`.",
    },
    Entry {
        id: "config::value",
        cause: "A flag in a configuration file has a value that it cannot have on the command line either.",
        remedy: "Use a value that the message lists.",
    },
    Entry {
        id: "emit::no-reactor",
        cause: "`--emit cvode` asks for an integrator, and the kernels are not the rates and derivatives of a reactor.",
        remedy: "Use `--kernel isochoric,isochoric-jacobian --state TRY` or `--kernel isobaric,isobaric-jacobian --state TPY`, in SI units; for a CPU `isochoric-sparse-jacobian` and `isobaric-sparse-jacobian`, too.",
    },
    Entry {
        id: "emit::no-lewis-numbers",
        cause: "`--emit pelephysics` was asked for with Lewis numbers, and PelePhysics makes mixture-averaged coefficients of the fits itself.",
        remedy: "Use `--transport none` where its transport is not used, or leave the Lewis numbers out.",
    },
    Entry {
        id: "emit::no-chemkin",
        cause: "`--emit chemkin` or `--emit pelephysics` asks for functions that the target, the units, the state or the outputs do not fit.",
        remedy: "Use `--target cpu --units cgs` (functions of `pelephysics` are for GPUs as well), and leave out `--state`, `--outputs` and `--jacobian-storage`.",
    },
    Entry {
        id: "emit::no-kinetix",
        cause: "`--emit kinetix` asks for functions that the target, the units, the state or the outputs do not fit.",
        remedy: "Use `--target cpu`, whose functions compilers for CUDA take as well, and leave out `--units`, `--state`, `--outputs` and `--jacobian-storage`.",
    },
    Entry {
        id: "emit::no-openfoam",
        cause: "`--emit openfoam` asks for a chemistry model that the target, the units, the state or the outputs do not fit, or beside files of the same names.",
        remedy: "Use `--target cpu`, leave out `--units`, `--state`, `--outputs` and `--jacobian-storage`, and write other projects into other folders.",
    },
    Entry {
        id: "emit::no-pelephysics-reactor",
        cause: "`--emit pelephysics-reactor` asks for a reactor that the target, the units, the state or the kernels do not fit, or beside files in other units.",
        remedy: "Use a `--target` that AMReX can be built for, or none for CPUs; leave out `--units` and `--kernel`, use `--state TRY` or `--state TPY`, and write other projects into other folders.",
    },
    Entry {
        id: "kernel::no-reactor",
        cause: "`--kernel reactor` asks for reactors that the target, the state or the files do not have.",
        remedy: "Use `--target cpu`, `--state TPY` or `--state TRY`, and `--emit host`, `--emit openfoam` or `--emit pelephysics-reactor`, in SI units.",
    },
    Entry {
        id: "output::not-ours",
        cause: "A file in the output folder would be replaced that Singe did not write, that somebody changed since, or that another project has.",
        remedy: "Choose another folder with `-o`, or replace the file with `--force`.",
    },
    Entry {
        id: "output::unwritable",
        cause: "The output folder cannot be made or written.",
        remedy: "Choose another folder with `-o`.",
    },
    Entry {
        id: "precision::not-offered",
        cause: "`--precision single` is asked for of a target, a layout, a kernel, a reaction, a state or functions that have double precision alone, or `--error measured` or `--precision io=single` without it.",
        remedy: "Use `--kernel viscosity,conductivity,diffusion --state TPX --codegen data-parallel` (`--error measured` for chemistry), or `--precision double`.",
    },
    Entry {
        id: "precision::not-proven",
        cause: "What single precision errs by has no proven bound in the kernel's form, or a larger one than `--error` asks for, or was measured to be more.",
        remedy: "Use another `--form`, a larger `--error`, a smaller `--error form=X`, or `--precision double`.",
    },
    Entry {
        id: "proof::barrier-count",
        cause: "Warps disagree about the number of threads at a barrier, or a named barrier of AMD's is set up for another number.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-fence",
        cause: "A wave arrives at a named barrier of AMD's without releasing what it wrote, or goes on without acquiring what others did.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-left-open",
        cause: "A barrier still holds arrivals at the end of an iteration.",
        remedy: DEFECT,
    },
    Entry { id: "proof::barrier-limit", cause: "A schedule uses more named barriers than a CTA has.", remedy: DEFECT },
    Entry {
        id: "proof::barrier-membership",
        cause: "A wave arrives or waits at a named barrier of AMD's that it has not joined, or joins one before it has waited at another.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-pairing",
        cause: "A use of a named barrier of AMD's has not one arrival, with one waiting behind it where it waits.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-plan",
        cause: "What waves do at AMD's named barriers is not what the proven schedule says, or not the same in all uses of a kind.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-recycling",
        cause: "A barrier is used again before its previous use is known to be over.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::barrier-set-up",
        cause: "A named barrier of AMD's is used without having been set up, or nothing orders its use behind that.",
        remedy: DEFECT,
    },
    Entry { id: "proof::barrier-twice", cause: "A warp arrives twice at one use of a barrier.", remedy: DEFECT },
    Entry { id: "proof::deadlock", cause: "Warps wait for each other for ever.", remedy: DEFECT },
    Entry {
        id: "proof::lanes",
        cause: "Lanes of one warp exchange values through shared memory, and do not wait for each other.",
        remedy: DEFECT,
    },
    Entry { id: "proof::missing-step", cause: "A step of the kernel is never run.", remedy: DEFECT },
    Entry {
        id: "proof::no-slot",
        cause: "A value that passes between warps has no place in shared memory.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::printed",
        cause: "The PTX of a kernel is not proven free of deadlocks, unsafe reuse of barriers and races on shared memory.",
        remedy: DEFECT,
    },
    Entry { id: "proof::race", cause: "Two accesses to one place of shared memory are not ordered.", remedy: DEFECT },
    Entry { id: "proof::repeated-step", cause: "A step of the kernel runs twice.", remedy: DEFECT },
    Entry { id: "proof::step-order", cause: "A step runs before the steps that it continues.", remedy: DEFECT },
    Entry {
        id: "proof::wrong-value",
        cause: "A place of shared memory holds another value than its reader expects.",
        remedy: DEFECT,
    },
    Entry {
        id: "proof::outside-qssa-warps",
        cause: "An operation that is kept to the quasi-steady warps runs in another warp.",
        remedy: DEFECT,
    },
    Entry { id: "proof::wrong-warp", cause: "A step runs in a warp that does not own it.", remedy: DEFECT },
    Entry {
        id: "schedule::constants",
        cause: "The constants of a kernel do not fit into the shared memory of a CTA.",
        remedy: "Use `--layout constants=stripe` or `constant-bank`, more warps, fewer CTAs per SM, or fewer points per lane.",
    },
    Entry {
        id: "schedule::no-barriers",
        cause: "So many CTAs per SM leave no named barrier to each.",
        remedy: "Use at most 16 CTAs per SM (`--ctas-per-sm`), or one warp.",
    },
    Entry {
        id: "schedule::shared-memory",
        cause: "The values of a kernel do not fit into the shared memory of a CTA.",
        remedy: "Use fewer CTAs per SM, fewer points per lane, another `--layout placement=X`, or another target.",
    },
    Entry {
        id: "simulator::hazard",
        cause: "The simulated kernel reads what is not written, races, or waits for ever.",
        remedy: DEFECT,
    },
    Entry {
        id: "target::half-wave",
        cause: "`--warps` is odd for data-parallel code, and the target's waves have 64 threads, which are two warps.",
        remedy: "Use an even number of warps.",
    },
    Entry {
        id: "target::no-matrix-products",
        cause: "`--layout matrix=dmma` asks for tensor cores, and the target has none for doubles, or slow ones.",
        remedy: "Use `--layout matrix=dfma` or `auto`, or another target.",
    },
    Entry {
        id: "target::no-ptx",
        cause: "`--emit ptx` asks for PTX text for a target without warp shuffles.",
        remedy: "Use the CUDA text, or `--target kepler` or a later one.",
    },
    Entry {
        id: "target::no-warp-groups",
        cause: "`--groups-per-cta` is given for data-parallel code alone, whose warps have a group of points each.",
        remedy: "Leave out `--groups-per-cta`, or use another layout (`--codegen`).",
    },
    Entry {
        id: "target::not-for-amd",
        cause: "PTX text, a program around CVODE or slots in global memory are asked for of a GPU of AMD.",
        remedy: "Leave out `--emit ptx`, `--emit cvode` and `--layout slots=X`, or name a GPU of NVIDIA with `--target`.",
    },
    Entry {
        id: "target::no-warps",
        cause: "Warp-specialized code, several points per lane or PTX text are asked for of a CPU.",
        remedy: "Leave out `--codegen`, `--layout points-per-lane=N` and `--emit ptx`, or name a GPU with `--target`.",
    },
    Entry {
        id: "target::too-many-ctas",
        cause: "An SM of the target does not hold as many CTAs of so many warps as `--ctas-per-sm` asks for.",
        remedy: "Use fewer CTAs per SM, or fewer warps (`--warps`).",
    },
    Entry {
        id: "target::too-many-groups",
        cause: "`--groups-per-cta` and `--warps` together ask for more than 32 warps per CTA.",
        remedy: "Use fewer groups, or fewer warps (`--warps`).",
    },
    Entry {
        id: "tune::measure",
        cause: "The command of `singe-tune --measure` fails, or its last word is no time.",
        remedy: "Let it end with exit code 0 and print nanoseconds per point as its last word.",
    },
    Entry {
        id: "tune::no-candidate",
        cause: "None of the settings that `singe-tune` tried gives a kernel.",
        remedy: "Vary other flags, or remove what the message of the first candidate complains of.",
    },
    Entry {
        id: "tune::other-search",
        cause: "The record in the output folder, or that of a shard, is of a search with another mechanism, target, version or other flags.",
        remedy: "Choose another folder with `-o`, or remove `candidates.jsonl`; merge shards of one command line only.",
    },
    Entry {
        id: "tune::record",
        cause: "`candidates.jsonl` cannot be read or written, or holds something else than a record of `singe-tune`.",
        remedy: "Name folders that `singe-tune` wrote, or choose a folder without such a file with `-o`.",
    },
    Entry {
        id: "usage::arguments",
        cause: "The command line has a word that is not understood, or lacks one.",
        remedy: "`singe --help` and `singe COMMAND --help` tell what there is.",
    },
    Entry {
        id: "usage::unknown-command",
        cause: "The first word is neither a file nor a command, but resembles a command, or is one of other compilers.",
        remedy: "Correct the command, or the path of the mechanism.",
    },
    Entry {
        id: "verify::beyond-the-end",
        cause: "The kernel writes outputs of points that there are not.",
        remedy: DEFECT,
    },
    Entry {
        id: "verify::not-the-graph",
        cause: "The simulated kernel and its dataflow graph give different bits.",
        remedy: DEFECT,
    },
    Entry {
        id: "verify::spill-code",
        cause: "A kernel with spill code of its own failed its verification, as the compiler moved one of its loads or as a step of ours is wrong. The kernel that was written has none.",
        remedy: "The kernel is verified, and slower. Another version of the compiler may take the spill code as it stands.",
    },
    Entry {
        id: "verify::not-the-reference",
        cause: "The simulated kernel is farther from the reference evaluator than its tolerance.",
        remedy: "This is a defect of Singe: report it with the mechanism and the command. Check first that the mechanism's rates stay in the range of doubles.",
    },
    Entry { id: "verify::unwritten", cause: "The kernel leaves outputs unwritten.", remedy: DEFECT },
];

const DEFECT: &str = "This is a defect of Singe: report it with the mechanism and the command.";

//! The names of PTX ISA's instructions, from version 1.0 to 9.0.

/// Whether PTX has the instruction.
pub fn exists(name: &str) -> bool {
    is_harmless(name) || SYNCHRONISING.contains(&name)
}

/// Whether the instruction, in every form, neither synchronises nor accesses shared memory. `docs/proofs.md` lists these.
pub fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Arithmetic, exchanges between the lanes of a warp, textures and surfaces, hints, and the end of the program.
const HARMLESS: [&str; 96] = [
    "abs", "add", "addc", "and", "bfe", "bfi", "bfind", "bmsk", "brev", "brkpt", "clz", "cnot", "copysign", "cos",
    "createpolicy", "cvt", "cvta", "discard", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "isspacep", "istypep", "lg2",
    "lop3", "mad", "mad24", "madc", "max", "min", "mov", "movmatrix", "mul", "mul24", "nanosleep", "neg", "not", "or",
    "pmevent", "popc", "prefetch", "prefetchu", "prmt", "rcp", "rem", "rsqrt", "sad", "selp", "set", "setp", "shf",
    "shl", "shr", "sin", "slct", "sqrt", "sub", "subc", "suld", "suq", "sured", "sust", "szext", "tanh", "testp",
    "tex", "tld4", "trap", "txq", "vabsdiff", "vabsdiff2", "vabsdiff4", "vadd", "vadd2", "vadd4", "vavrg2", "vavrg4",
    "vmad", "vmax", "vmax2", "vmax4", "vmin", "vmin2", "vmin4", "vset", "vset2", "vset4", "vshl", "vshr", "vsub",
    "vsub2", "vsub4", "xor",
];

/// Instructions of which a form synchronises, accesses shared memory, or leads elsewhere.
const SYNCHRONISING: [&str; 39] = [
    "activemask", "alloca", "applypriority", "atom", "bar", "barrier", "bra", "brx", "call", "clusterlaunchcontrol",
    "cp", "elect", "exit", "fence", "getctarank", "griddepcontrol", "ld", "ldmatrix", "ldu", "mapa", "match",
    "mbarrier", "membar", "mma", "multimem", "red", "redux", "ret", "setmaxnreg", "shfl", "st", "stackrestore",
    "stacksave", "stmatrix", "tcgen05", "tensormap", "vote", "wgmma", "wmma",
];

//! PTX for each diagnostic about PTX.

pub const KERNEL: &str = ".version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_out)
{
.reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<2>;
.shared .align 4 .b8 words[256];
ld.param.u64 %rd1, [k_out];
ret;
}
";

/// Diagnostics, each with a change of the kernel that causes it: (id, old text, new text).
pub const TEXTS: [(&str, &str, &str); 6] = [
    ("ptx::branch-table", "ret;", "brx.idx %r1, NONE;\nret;"),
    ("ptx::no-target", ".target sm_70\n", ""),
    ("ptx::parameter", ".param .u64 k_out", ".param .u64 k_out, .param .pred k_flag"),
    ("ptx::target", "sm_70", "kepler"),
    ("ptx::type", ".b64 %rd", ".b65 %rd"),
    ("ptx::variable", ".align 4", ".align 3"),
];

/// A launch of the kernel.
pub const LAUNCH: &str = "threads = 32\n[[arguments]]\ntype = \"u32\"\nlength = 4\noutput = true\n";

/// As [`TEXTS`], with the command that refuses the kernel.
pub const COMMANDS: [(&str, &str, &str, &str); 13] = [
    ("cli::unreadable", "ret;", "exit;", "ptx analyze absent.ptx"),
    ("opt::block", "ret;", "exit;", "ptx opt k.ptx --pass occupancy=8"),
    (
        "opt::no-cost",
        "ret;",
        "ld.global.u32 %r1, [%rd1+4096];\nret;",
        "ptx opt k.ptx --pass diverge=auto --launch k.toml",
    ),
    ("opt::no-kernel", "ret;", "exit;", "ptx opt k.ptx --pass allocate --kernel other"),
    ("opt::split", "\n{\n", "\n.explicitcluster\n{\n", "ptx occupancy k.ptx --block 64 --header k.hpp"),
    ("opt::target", "sm_70", "sm_36", "ptx opt k.ptx --pass allocate"),
    ("sim::hazard", "ret;", "ld.global.u32 %r1, [%rd1+4096];\nret;", "ptx sim k.ptx --launch k.toml"),
    ("verify::argument", "ret;", "exit;", "ptx verify k.ptx --threads 32 --arg none=1"),
    ("verify::baseline", "ret;", "exit;", "ptx verify k.ptx --threads 32 --baseline before.ptx"),
    ("verify::launch", "ret;", "exit;", "ptx verify k.ptx --threads 32 --shared 999999999"),
    ("verify::no-kernel", "ret;", "exit;", "ptx verify k.ptx --threads 32 --kernel other"),
    ("verify::no-launch", "ret;", "exit;", "ptx verify k.ptx"),
    ("verify::no-ptx", ".version 7.0", "\x7fELF", "ptx verify k.ptx --threads 32"),
];

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
pub const TEXTS: [(&str, &str, &str); 17] = [
    ("ptx::address-size", ".address_size 64", ".address_size 16"),
    ("ptx::branch-table", "ret;", "brx.idx %r1, NONE;\nret;"),
    ("ptx::declared-twice", "ret;", ".reg .b32 %r<2>;\nret;"),
    ("ptx::label", "ret;", "bra NOWHERE;\nret;"),
    ("ptx::no-target", ".target sm_70\n", ""),
    ("ptx::no-version", ".version 7.0\n", ""),
    ("ptx::opcode", "ret;", "sum.u32 %r1, %r2, %r3;\nret;"),
    ("ptx::parameter", ".param .u64 k_out", ".param .u64 k_out, .param .pred k_flag"),
    ("ptx::predicate", "ret;", "@%r1 ret;\nret;"),
    ("ptx::semicolon", "ret;", "mov.u32 %r1, %tid.x\nbar.sync 0;\nret;"),
    ("ptx::syntax", "ret;\n}", "ret;\n}}"),
    ("ptx::target", "sm_70", "kepler"),
    ("ptx::too-large", "%r<9>", "%r<4000000000>"),
    ("ptx::type", ".b64 %rd", ".b65 %rd"),
    ("ptx::undeclared", "[k_out]", "[nothing]"),
    ("ptx::unsupported", "ret;", "ret.sometimes;\nret;"),
    ("ptx::variable", ".align 4", ".align 3"),
];

/// A launch of the kernel.
pub const LAUNCH: &str = "threads = 32\n[[arguments]]\ntype = \"u32\"\nlength = 4\noutput = true\n";

/// As [`TEXTS`], with the command that refuses the kernel.
pub const COMMANDS: [(&str, &str, &str, &[&str]); 21] = [
    ("cli::unreadable", "ret;", "exit;", &["ptx", "analyze", "absent.ptx"]),
    ("opt::block", "ret;", "exit;", &["ptx", "opt", "k.ptx", "--pass", "occupancy=8"]),
    ("opt::given", "ret;", "st.global.u64 [%rd1], %rd1;\nret;", &["ptx", "opt", "k.ptx", "--check", "before.ptx"]),
    (
        "opt::no-cost",
        "ret;",
        "ld.global.u32 %r1, [%rd1+4096];\nret;",
        &["ptx", "opt", "k.ptx", "--pass", "diverge=auto", "--launch", "k.toml"],
    ),
    ("opt::no-kernel", "ret;", "exit;", &["ptx", "opt", "k.ptx", "--pass", "allocate", "--kernel", "other"]),
    ("opt::occupancy", "ret;", "exit;", &["ptx", "opt", "k.ptx", "--pass", "occupancy=7", "--block", "64"]),
    (
        "opt::split",
        "\n{\n",
        "\n.explicitcluster\n{\n",
        &["ptx", "occupancy", "k.ptx", "--levels", "all", "--block", "64", "--header", "k.hpp"],
    ),
    (
        "opt::registers",
        "ret;",
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; st.global.v4.u32 [%rd1], {%r4, %r3, %r2, %r1};\nret;",
        &["ptx", "opt", "k.ptx", "--pass", "allocate", "--registers", "4"],
    ),
    ("opt::target", "sm_70", "sm_36", &["ptx", "opt", "k.ptx", "--pass", "allocate"]),
    ("ptx::ill-formed", "ret;", "add.u64 %r1, %r2, %r3;\nret;", &["ptx", "analyze", "k.ptx"]),
    ("sim::hazard", "ret;", "ld.global.u32 %r1, [%rd1+4096];\nret;", &["ptx", "sim", "k.ptx", "--launch", "k.toml"]),
    ("sim::launch", "ret;", "exit;", &["ptx", "sim", "k.ptx", "--launch", "k.ptx"]),
    ("verify::argument", "ret;", "exit;", &["ptx", "verify", "k.ptx", "--threads", "32", "--arg", "none=1"]),
    ("verify::baseline", "ret;", "exit;", &["ptx", "verify", "k.ptx", "--threads", "32", "--baseline", "before.ptx"]),
    (
        "verify::condition",
        "ret;",
        "L: ld.volatile.global.u32 %r1, [%rd1]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\nret;",
        &["ptx", "verify", "k.ptx", "--threads", "32"],
    ),
    ("verify::launch", "ret;", "exit;", &["ptx", "verify", "k.ptx", "--threads", "32", "--shared", "999999999"]),
    ("verify::no-kernel", "ret;", "exit;", &["ptx", "verify", "k.ptx", "--threads", "32", "--kernel", "other"]),
    ("verify::no-launch", "ret;", "exit;", &["ptx", "verify", "k.ptx"]),
    ("verify::no-ptx", ".version 7.0", "\x7fELF", &["ptx", "verify", "k.ptx", "--threads", "32"]),
    (
        "verify::not-analysed",
        "ret;",
        "ld.global.u32 %r1, [%rd1]; bar.sync %r1, 32;\nret;",
        &["ptx", "verify", "k.ptx", "--threads", "32"],
    ),
    ("verify::violation", "ret;", "bar.sync 0, 64;\nret;", &["ptx", "verify", "k.ptx", "--threads", "32"]),
];

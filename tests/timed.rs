//! `singe ptx time` on what it must not time without a word.

use assert_cmd::Command;
use machine::target::Target;
use machine::toolchain;
use testkit::skip;

/// Two warps write one word of shared memory without a barrier between.
const RACING: &str = ".version 6.0
.target sm_60
.address_size 64
.visible .entry racing(.param .u64 out)
{
    .reg .b32 %t, %r;
    .reg .b64 %a, %o;
    .shared .align 4 .b32 word;
    ld.param.u64 %a, [out];
    mov.u32 %t, %tid.x;
    shr.u32 %r, %t, 5;
    st.shared.u32 [word], %r;
    ld.shared.u32 %r, [word];
    mul.wide.u32 %o, %t, 4;
    add.s64 %a, %a, %o;
    st.global.u32 [%a], %r;
    ret;
}
";

const LAUNCH: &str = "threads = 64\n[[arguments]]\ntype = \"u32\"\nlength = 64\noutput = true\n";

/// Exit code, output and messages of `singe ptx time` on the racing kernel.
fn timed(target: &str, more: &[&str]) -> Option<(i32, String, String)> {
    let arch = Target::by_name(target).unwrap().compute_capability;
    let tools = toolchain::find_for(arch).and_then(|_| toolchain::disassembler(arch));
    if let Err(absent) = tools {
        skip::skip(absent);
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("racing.ptx", RACING), ("l.toml", LAUNCH)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let arguments = ["ptx", "time", "racing.ptx", "--launch", "l.toml", "--target", target];
    let mut run = Command::cargo_bin("singe").unwrap();
    // the compilers of this checkout
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/.toolchain");
    if std::path::Path::new(tools).is_dir() {
        run.env("SINGE_TOOLCHAIN", tools);
    }
    let run = run.current_dir(folder.path()).args(arguments).args(more).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((run.status.code().unwrap(), text(&run.stdout), text(&run.stderr)))
}

#[test]
fn a_race_is_timed_only_where_it_is_permitted_and_with_a_warning() {
    let Some((code, output, messages)) = timed("volta", &[]) else { return };
    assert_eq!((code, output.as_str()), (3, ""));
    assert!(messages.contains("race on shared 0"), "{messages}");
    let Some((code, output, messages)) = timed("volta", &["--permit-races"]) else { return };
    assert_eq!(code, 0, "{messages}");
    assert!(output.contains("cycles on one SM of volta"), "{output}");
    assert!(messages.starts_with("warning: racing, CTA 0, warp 1 at 6"), "{messages}");
    assert_eq!(messages.lines().count(), 1, "{messages}");
}

#[test]
fn machine_code_that_is_not_supported_says_so() {
    let Some((code, output, messages)) = timed("pascal", &[]) else { return };
    assert_eq!((code, output.as_str()), (1, ""));
    assert!(messages.contains("sass::architecture") && messages.contains("sm_60 is not supported"), "{messages}");
}

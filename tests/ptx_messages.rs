//! What the commands say of a user's own PTX: the line that is meant, as it stands in the file, and what can be done.

use assert_cmd::Command;

/// Nothing of this kernel has the name or the number that the printed text gives it.
const KERNEL: &str = "// a comment
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 area[];
.visible .entry k(
    .param .u64 o
)
{
    .reg .u64 base; .reg .u32 mine, other, value; .reg .pred first;
    mov.u32 mine, %tid.x; shl.b32 other, mine, 2;
    setp.lt.u32 first, mine, 32;
    /* lines
       of a comment */
    @first st.shared.u32 [other], mine;
    @!first bra LATER;
    bar.sync 0;
LATER:
    ld.param.u64 base, [o];
    ret;
}
";

/// Exit code, standard output, standard error.
fn singe(text: &str, arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("k.ptx"), text).unwrap();
    std::fs::write(
        folder.path().join("l.toml"),
        "threads = 64\nshared = 128\n[[arguments]]\nlength = 64\noutput = true\n",
    )
    .unwrap();
    let mut command = Command::cargo_bin("singe").unwrap();
    let output = command.current_dir(folder.path()).args(arguments).arg("k.ptx").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn contains(text: &str, parts: &[&str]) {
    let text = text.split_whitespace().filter(|word| *word != "|").collect::<Vec<_>>().join(" ");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn hazards_have_lines() {
    let counted = KERNEL.replace("bar.sync 0;", "bar.sync 0, 64;");
    let (code, _, text) = singe(&counted, &["verify", "--threads", "64", "--shared", "128"]);
    assert_eq!(code, 3);
    contains(&text, &["deadlock; warp 0 at line 17 `bar.sync 0, 64;` waits, 32 of 64 threads arrived"]);
    let apart = KERNEL.replace("lt.u32 first, mine, 32", "lt.u32 first, mine, 40");
    let (code, out, text) = singe(&apart, &["verify", "--threads", "64", "--shared", "256"]);
    assert_eq!((code, out.as_str()), (3, ""));
    contains(&text, &["warp 1 at line 17 `bar.sync 0;`: barrier 0: only some lanes", "[k.ptx:17:5]", "17 bar.sync 0;"]);
    let (_, out, _) = singe(&apart, &["verify", "--threads", "64", "--shared", "256", "--json"]);
    contains(&out, &["CTA 0, warp 1 at line 17 `bar.sync 0;`"]);
    let (code, _, text) = singe(&apart, &["sim", "--launch", "l.toml"]);
    assert_eq!(code, 3);
    contains(
        &text,
        &[
            "warp 1 at line 15 `@%p1 st.shared.u32",
            "out of bounds",
            "[k.ptx:15:5]",
            "15 @first st.shared.u32 [other], mine;",
        ],
    );
    // what the launch has to give
    let (code, _, text) = singe(KERNEL, &["verify", "--threads", "64"]);
    assert_eq!(code, 3);
    contains(&text, &["out of bounds at shared 0", "give its bytes with --shared"]);
}

#[test]
fn faults_show_the_users_line() {
    let wide = KERNEL.replace("mov.u32 mine, %tid.x;", "mov.u32 base, %tid.x;");
    for command in ["analyze", "verify", "sim", "opt"] {
        let more: &[&str] = match command {
            "verify" => &["--threads", "64"],
            "sim" => &["--launch", "l.toml"],
            "opt" => &["--pass", "allocate"],
            _ => &[],
        };
        let (code, out, text) = singe(&wide, &[&[command], more].concat());
        assert_eq!((code, out.as_str()), (1, ""), "{command}");
        contains(&text, &["ptx::ill-formed", "[k.ptx:11:5]", "mov.u32 base, %tid.x;", "another width or kind"]);
    }
}

#[test]
fn what_is_not_analysed_has_lines() {
    let unknown = KERNEL.replace("bar.sync 0;", "frobnicate.sync.u32 mine, [other];");
    let (code, _, text) = singe(&unknown, &["verify", "--threads", "64", "--shared", "128"]);
    assert_eq!(code, 3);
    contains(
        &text,
        &["verify::not-analysed", "warp 0 at line 17 `frobnicate.sync.u32", "the instruction is not known"],
    );
    for harmless in ["dp4a.s32.s32 mine, mine, mine, mine;", "nanosleep.u32 20;", "@first trap;"] {
        let kernel = KERNEL.replace("bar.sync 0;", harmless);
        let (code, out, text) = singe(&kernel, &["verify", "--threads", "64", "--shared", "128"]);
        assert_eq!(code, 0, "{harmless}: {text}");
        contains(&out, &["k: proven free of deadlocks"]);
    }
}

/// From sm_70 on a barrier without a count waits only for threads that have not ended.
#[test]
fn ended_warps_are_not_waited_for() {
    let verify = |text: &str| singe(text, &["verify", "--threads", "64", "--shared", "256"]);
    assert_eq!(verify(KERNEL).0, 0);
    assert_eq!(singe(KERNEL, &["sim", "--launch", "l.toml"]).0, 0);
    let old = KERNEL.replace("sm_70", "sm_60");
    let (code, _, text) = verify(&old);
    assert_eq!(code, 3);
    contains(&text, &["deadlock", "32 of 64 threads arrived; ended: warps [1]"]);
    assert_eq!(singe(&old, &["sim", "--launch", "l.toml"]).0, 3);
    // the first warp ends before the second one comes, or while it waits
    let first = KERNEL.replace("@!first bra", "@first bra");
    assert_eq!((verify(&first).0, singe(&first, &["sim", "--launch", "l.toml"]).0), (0, 0));
    // both barriers are passed, one by one warp less
    let twice = KERNEL.replace("@!first bra", "bar.sync 0; @!first bra");
    assert_eq!((verify(&twice).0, singe(&twice, &["sim", "--launch", "l.toml"]).0), (0, 0));
}

/// Lanes that pass values through shared memory without `bar.warp.sync` between rely on lockstep, which ended with sm_70.
#[test]
fn lockstep_ended_with_sm_70() {
    let pass = "shl.b32 other, mine, 2; st.shared.u32 [other], mine; FENCE xor.b32 other, other, 4; ld.shared.u32 value, [other];";
    let kernel = |fence: &str, sm: &str| {
        let body = KERNEL.replace("@first st.shared.u32 [other], mine;", &pass.replace("FENCE", fence));
        body.replace("sm_70", sm).replace("@!first bra LATER;", "")
    };
    let verify = |text: &str| singe(text, &["verify", "--threads", "64", "--shared", "256"]);
    let (code, _, text) = verify(&kernel("", "sm_70"));
    assert_eq!((code, text.matches("race of lanes").count()), (3, 1), "{text}");
    contains(&text, &["this read of lane 0 and the write of lane 1 of warp 0 at line 15 `st.shared"]);
    for (fence, sm) in [("bar.warp.sync -1;", "sm_70"), ("bar.sync 1;", "sm_70"), ("", "sm_60")] {
        let (code, out, text) = verify(&kernel(fence, sm));
        assert_eq!((code, out.contains("assumed")), (0, false), "{fence} {sm}: {out}{text}");
    }
    // a lane writes what another one has read
    let own = kernel("bar.warp.sync -1;", "sm_70").replace("bar.sync 0;", "st.shared.u32 [other], mine;");
    assert_eq!(verify(&own).0, 0);
    let late = kernel("bar.warp.sync -1;", "sm_70")
        .replace("bar.sync 0;", "xor.b32 other, other, 8; st.shared.u32 [other], mine;");
    let (code, _, text) = verify(&late);
    assert_eq!((code, text.matches("race of lanes").count()), (3, 1), "{text}");
}

/// A reader that goes before the end, as `head` does, is no error of the compiler, and the verdict stays.
#[test]
fn readers_may_go() {
    let folder = tempfile::tempdir().unwrap();
    let body = "add.u32 other, mine, value; ".repeat(20_000);
    let long = KERNEL.replace("@first st.shared.u32 [other], mine;", &body);
    std::fs::write(folder.path().join("k.ptx"), &long).unwrap();
    for (arguments, expected) in [(&["analyze"][..], 0), (&["opt", "--pass", "allocate"], 0)] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_singe"))
            .current_dir(folder.path())
            .args(arguments)
            .arg("k.ptx")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(expected), "{text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

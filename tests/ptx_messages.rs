//! Commands whose readers go: what they say of a user's own PTX stands in `files/verification`.

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

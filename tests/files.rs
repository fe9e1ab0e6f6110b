//! Files that say in comments how the command is run on them and what it must answer (see README.md): the folders, and the
//! runner itself on files that it must refuse.

use testkit::file_test;

#[test]
fn reader() {
    file_test::folder("files/reader");
}

#[test]
fn verification() {
    file_test::folder("files/verification");
}

#[test]
fn divergence() {
    file_test::folder("files/divergence");
}

#[test]
fn allocation() {
    file_test::folder("files/allocation");
}

#[test]
fn passes() {
    file_test::folder("files/passes");
}

#[test]
fn mechanisms() {
    file_test::folder("files/mechanisms");
}

#[test]
fn corpus() {
    file_test::folder("corpus");
    file_test::folder("corpus/divergent");
}

const KERNEL: &str = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
                      .reg .b32 %r<4>;\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nret;\n}\n";

/// Runs the runner on the kernel behind these comments and returns the failures.
fn failures(comments: &str) -> Vec<String> {
    on(&format!("{comments}{KERNEL}"))
}

fn on(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    std::fs::write(&path, text).unwrap();
    file_test::file(&path, false)
}

#[test]
fn what_a_file_says_rightly_passes() {
    let good = "// run: ptx analyze %s --whole-warps\n// check: %r1 is 1 T + 0\n// check: %r2 is 4   T + 0\n// not: divergent:\n\
                // run[block]: ptx analyze %s --block 16,4\n// check[block]: T is %laneid\n\
                // run[absent]: ptx analyze %s --kernel other\n// exit[absent]: 1\n// A comment: free text.\n";
    assert_eq!(failures(good), [""; 0]);
    let trailing = KERNEL.replace("shl.b32 %r2, %r1, 2;", "shl.b32 %q2, %r1, 2; // error: ptx::undeclared");
    assert_eq!(on(&format!("// run: ptx analyze %s\n{trailing}")), [""; 0]);
}

#[test]
fn what_a_file_says_wrongly_fails() {
    let run = "// run: ptx analyze %s --whole-warps\n";
    for (comments, failure) in [
        ("", "has no `run:`"),
        (run, "expects nothing"),
        ("// run: ptx analyze %s\n// chek: text\n", "there is no directive `chek:`"),
        ("// run: ptx analyze %s\n// check[a]: k\n// exit: 0\n", "no run has the label 'a'"),
        ("// run: ptx analyze %s\n// exit: 3\n", "exit code 0 instead of 3"),
        ("// run: ptx analyze %s --kernel other\n// check: other\n", "exit code 1 instead of 0"),
        ("// run: ptx analyze %s\n// check: %r2 is\n// check: %r1 is\n", "comes before the check above"),
        ("// run: ptx analyze %s\n// check: %r7 is\n", "no `%r7 is`"),
        ("// run: ptx analyze %s\n// not: %r1 is\n", "`%r1 is` is in the output"),
        ("// run: ptx analyze %s\n// exit: 0\n// error: ptx::label\n", "line 3: ptx::label is not told"),
        ("// run: ptx analyze %s\n// > k: T is\n", "another output"),
        ("// > k: T is\n// run: ptx analyze %s\n// exit: 0\n", "stands behind no `run:`"),
    ] {
        let found = failures(comments);
        assert!(found.iter().any(|f| f.contains(failure)), "{comments}: {found:?}");
    }
    let wrong = KERNEL.replace("mov.u32", "mov.u32 %q1, 5;\nmov.u32");
    let alone = on(&format!("// run: ptx analyze %s\n// error: ptx::undeclared\n{wrong}"));
    assert!(alone[0].contains("line 2: ptx::undeclared is not told"), "{alone:?}");
    let marked = |text: &str| wrong.replacen("5;", &format!("5; // error: ptx::undeclared {text}\n"), 1);
    assert_eq!(on(&format!("// run: ptx analyze %s\n{}", marked("%q1"))), [""; 0]);
    let found = on(&format!("// run: ptx analyze %s\n{}", marked("%q2")));
    assert!(found[0].contains("line 8: ptx::undeclared %q2 is not told"), "{found:?}");
    assert!(found[1].contains("line 8: ptx::undeclared %q1 is told, which no comment expects"), "{found:?}");
}

/// Also where the output names lines of the file, which the output itself moves.
#[test]
fn a_blessed_file_passes_and_is_not_changed_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("k.ptx");
    let barrier = KERNEL.replace("ret;", "bar.sync 0, 64;\nret;");
    std::fs::write(&path, format!("// run: ptx verify %s --threads 32\n// > stale\n// > lines\n// exit: 3\n{barrier}"))
        .unwrap();
    assert!(file_test::file(&path, false).concat().contains("another output"));
    file_test::file(&path, true);
    let blessed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(file_test::file(&path, false), [""; 0], "{blessed}");
    let line = 1 + blessed.lines().position(|line| line == "bar.sync 0, 64;").unwrap();
    assert!(blessed.contains(&format!("[k.ptx:{line}:1]")) && !blessed.contains("stale"), "{blessed}");
    file_test::file(&path, true);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), blessed);
}

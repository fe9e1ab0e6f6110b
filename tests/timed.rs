//! `singe ptx time` on what it must not time without a word.

use assert_cmd::Command;
use machine::target::Target;
use machine::toolchain;
use testkit::skip;

/// Two warps write one word of shared memory without a barrier between.
const RACING: &str = include_str!("timed/racing.ptx");

const LAUNCH: &str = "threads = 64\n[[arguments]]\ntype = \"u32\"\nlength = 64\noutput = true\n";

/// Exit code, output and messages of `singe ptx time` on the racing kernel.
fn timed(target: &str, more: &[&str]) -> Option<(i32, String, String)> {
    timed_text(target, RACING, LAUNCH, more)
}

fn timed_text(target: &str, ptx: &str, launch: &str, more: &[&str]) -> Option<(i32, String, String)> {
    let arch = Target::by_name(target).unwrap().compute_capability;
    let tools = toolchain::find_for(arch).and_then(|_| toolchain::disassembler(arch));
    if let Err(absent) = tools {
        skip::skip(absent);
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("k.ptx", ptx), ("l.toml", launch)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let arguments = ["ptx", "time", "k.ptx", "--launch", "l.toml", "--target", target];
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

#[test]
fn turns_are_repeated_where_there_is_a_loop() {
    const LOOP: &str = include_str!("timed/loop.ptx");
    let turns = |turns: u32| format!("{LAUNCH}[[arguments]]\nu32 = {turns}\n");
    let Some((code, output, messages)) = timed_text("volta", LOOP, &turns(4), &["--turns", "40"]) else { return };
    assert_eq!(code, 0, "{messages}");
    assert!(output.lines().nth(1).is_some_and(|line| line.starts_with("40 turns of its loop: ")), "{output}");
    let all: serde_json::Value =
        serde_json::from_str(&timed_text("volta", LOOP, &turns(4), &["--turns", "40", "--json"]).expect("compilers").1)
            .unwrap();
    let own = timed_text("volta", LOOP, &turns(40), &["--json"]).expect("compilers").1;
    let own: serde_json::Value = serde_json::from_str(&own).unwrap();
    let cycles = |all: &serde_json::Value| all["timing"]["cycles"].as_f64().unwrap();
    assert!((cycles(&all) / cycles(&own) - 1.0).abs() < 0.02, "{} and {}", cycles(&all), cycles(&own));
    assert_eq!(all["turns"]["turns"], 40);
    let (code, _, messages) = timed_text("volta", LOOP, &turns(2), &["--turns", "40"]).expect("compilers");
    assert!(code == 1 && messages.contains("time::turns"), "{messages}");
}

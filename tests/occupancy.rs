//! `singe ptx occupancy`: text, JSON, sweeps and pictures.

use assert_cmd::Command;

fn occupancy(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("singe").unwrap().args(["ptx", "occupancy"]).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn text_names_the_limiting_resource() {
    let (code, text, _) = occupancy(&["--target", "kepler", "--threads", "256", "--registers", "128"]);
    assert_eq!(code, 0);
    assert!(
        text.starts_with("kepler (sm_35): 2 CTAs per SM, 16 of 64 warps, occupancy 25.0 %\nlimited by registers\n")
    );
    let (_, text, _) = occupancy(&["--target", "kepler", "--threads", "64", "--barriers", "8"]);
    assert!(text.contains("they allow 2 CTAs per SM"), "{text}");
    let (_, text, _) = occupancy(&["--target", "hopper", "--threads", "64", "--barriers", "8"]);
    assert!(text.contains("8 CTAs per SM") && text.contains("limited by named barriers"), "{text}");
}

/// A warp takes registers in units: 33 per thread as much as 40.
#[test]
fn registers_are_allocated_in_units() {
    for registers in ["33", "40"] {
        let (_, text, _) = occupancy(&["--target", "kepler", "--threads", "256", "--registers", registers]);
        assert!(text.starts_with("kepler (sm_35): 6 CTAs per SM"), "{registers}: {text}");
    }
    let (_, text, _) = occupancy(&["--target", "kepler", "--threads", "256", "--registers", "32"]);
    assert!(text.starts_with("kepler (sm_35): 8 CTAs per SM"), "{text}");
}

#[test]
fn json_holds_the_sweep() {
    let (code, text, _) = occupancy(&["--target", "sm_90", "--threads", "256", "--sweep", "registers", "--json"]);
    assert_eq!(code, 0);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&value["ctas_per_sm"], &value["occupancy"]), (&8.into(), &1.0.into()));
    let rows = value["sweep"]["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[31]["value"], &rows[31]["ctas_per_sm"]), (32, &255.into(), &1.into()));
}

#[test]
fn a_sweep_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sweep.svg");
    let picture = path.to_str().unwrap();
    let (code, text, _) =
        occupancy(&["--target", "kepler", "--threads", "128", "--sweep", "shared", "--picture", picture]);
    assert_eq!(code, 0);
    // 0 to 48 KiB by 1 KiB, and what stands above the table.
    assert_eq!(text.lines().count(), 49 + 11, "{text}");
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.contains("bytes of shared memory per CTA") && svg.matches("<circle").count() == 49);
    let unwritable = folder.path().join("absent/sweep.svg");
    let (code, _, message) =
        occupancy(&["--threads", "128", "--sweep", "shared", "--picture", unwritable.to_str().unwrap()]);
    assert!(code == 1 && message.contains("cannot write"), "{message}");
}

#[test]
fn usage_errors_exit_with_2() {
    for arguments in [
        &["--threads", "0"][..],
        &["--threads", "1025"],
        &[],
        &["--threads", "32", "--barriers", "17"],
        &["--threads", "32", "--picture", "x.svg"],
        &["--threads", "32", "--sweep", "colours"],
    ] {
        assert_eq!(occupancy(arguments).0, 2, "{arguments:?}");
    }
}

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

/// A text of a later CUDA is assembled by a ptxas that reads it. Where none is there, the table says why its times are estimated.
#[test]
fn a_launch_is_timed_or_the_table_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let kernel = std::fs::read_to_string("tests/corpus/matrix-multiply.ptx").unwrap();
    let table = |version: &str| {
        let old = kernel.lines().find(|line| line.starts_with(".version")).unwrap();
        let path = folder.path().join("kernel.ptx");
        std::fs::write(&path, kernel.replace(old, &format!(".version {version}"))).unwrap();
        let launch = ["--launch", "tests/corpus/matrix-multiply.toml", "--target", "hopper"];
        let (code, text, message) = occupancy(&[&[path.to_str().unwrap()], &launch[..]].concat());
        assert_eq!(code, 0, "{message}");
        text.lines().next().unwrap().to_owned()
    };
    let ptxas = machine::toolchain::all_for(machine::target::ComputeCapability(9, 0)).unwrap();
    let reads = |release: &str| ptxas.iter().any(|tools| tools.assembler.ends_with(release));
    for (version, is_read) in [("9.0", reads("13.0")), ("99.0", false)] {
        let line = table(version);
        match is_read {
            true => assert!(line.ends_with("by the model of time"), "{line}"),
            false => assert!(line.contains("as the model of time could not be asked: "), "{line}"),
        }
    }
}

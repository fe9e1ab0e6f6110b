//! A search that is killed goes on where it was, and shards give what one search gives.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{mechanism, recorded, text};

/// A search whose candidates take a moment each, so that there is time to end it.
fn search(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
    command.arg(mechanism()).args(["--kernel", "conductivity", "--verify", "no-compilers", "--codegen", "overlay"]);
    command.args(["--layout", "constants=stripe", "--form", "auto", "--search", "exhaustive", "--threads", "2"]);
    command.args(["--vary", "warps=1,2,3,4,5,6,7,8", "--vary", "ctas-per-sm=1,2", "--vary", "points-per-lane=1,2"]);
    command.args(more).arg("-o").arg(folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Takes a moment that does not depend on the machine, then says how many warps there are.
const SLOW: &str = "sleep 0.02; sed -n 's/^.. execution .*per CTA: \\([0-9]*\\),.*/\\1/p' h2o2_conductivity.cu";

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn lines(folder: &Path) -> usize {
    std::fs::read_to_string(folder.join("candidates.jsonl")).map_or(0, |text| text.lines().count())
}

/// Kills the process when so many lines are recorded, some time after that; says whether it was still at work.
fn kill_after(mut child: Child, folder: &Path, wanted: usize, then: Duration) -> bool {
    let limit = Instant::now() + Duration::from_secs(120);
    while lines(folder) < wanted && child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < limit, "the search does not go on");
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(then);
    let was_at_work = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    was_at_work
}

#[test]
fn ten_deaths_lose_nothing_and_repeat_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("undisturbed"), folder.path().join("killed"));
    let measured = ["--measure", SLOW];
    succeeds(&mut search(&one, &measured));
    // SIGKILL comes after every third candidate or so, and at any point of the next: the fractions of a moment are those of a
    // generator.
    let (mut deaths, mut random) = (0, 1u64);
    for death in 0..10 {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let then = Duration::from_micros(random >> 33 & 0x7fff);
        deaths += usize::from(kill_after(search(&other, &measured).spawn().unwrap(), &other, 2 + 3 * death, then));
    }
    assert_eq!(deaths, 10);
    let left = lines(&other);
    assert!((20..35).contains(&left), "{left} lines after the last death");
    succeeds(&mut search(&other, &measured));
    assert_eq!(recorded(&other), recorded(&one));
    assert_eq!(recorded(&one).len(), 33);
    for file in ["tune.json", "best.toml", "tune.html"] {
        assert_eq!(text(&other, file), text(&one, file), "{file}");
    }
}

#[test]
fn two_shards_merged_are_one_search() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str| folder.path().join(name);
    succeeds(&mut search(&part("whole"), &[]));
    succeeds(&mut search(&part("first"), &["--shard", "1/2"]));
    succeeds(&mut search(&part("second"), &["--shard=2/2"]));
    assert_eq!((recorded(&part("first")).len(), recorded(&part("second")).len()), (17, 16));
    assert!(!part("first").join("tune.json").exists());
    let merge = |folders: &[PathBuf], to: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_singe-tune"));
        command.arg("merge").args(folders).arg("-o").arg(to);
        command
    };
    succeeds(&mut merge(&[part("first"), part("second")], &part("merged")));
    assert_eq!(recorded(&part("merged")), recorded(&part("whole")));
    for file in ["tune.json", "best.toml", "tune.html", "tune_conductivity_heat.svg"] {
        assert_eq!(text(&part("merged"), file), text(&part("whole"), file), "{file}");
    }
    // Missing candidates are tried.
    succeeds(&mut merge(&[part("second")], &part("half")));
    assert_eq!(text(&part("half"), "tune.json"), text(&part("whole"), "tune.json"));

    let refused = |command: &mut Command| String::from_utf8(command.output().unwrap().stderr).unwrap();
    succeeds(&mut search(&part("other"), &["--shard", "1/2", "--error", "1e-6"]));
    assert!(refused(&mut merge(&[part("first"), part("other")], &part("both"))).contains("tune::other-search"));
    assert!(refused(&mut merge(&[part("nothing")], &part("both"))).contains("tune::record"));
    assert!(!part("both").exists());
}

#[test]
fn the_work_list_does_what_shards_do() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("it's here");
    succeeds(&mut search(&out, &["--emit", "worklist,slurm", "--shards", "2"]));
    let list = text(&out, "worklist.txt");
    assert_eq!(list.lines().count(), 2);
    succeeds(Command::new("sh").arg(out.join("worklist.txt")).stdout(Stdio::null()));
    assert_eq!(recorded(&out.join("shard-1")).len() + recorded(&out.join("shard-2")).len(), 33);
    let script = text(&out, "tune.sbatch");
    assert!(
        script.contains("#SBATCH --array=1-2\n") && script.contains("--shard \"$SLURM_ARRAY_TASK_ID/2\""),
        "{script}"
    );
    assert!(!out.join("candidates.jsonl").exists(), "nothing was tried here");
}

#[test]
fn two_searches_in_one_folder_share_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let (one, both) = (folder.path().join("one"), folder.path().join("both"));
    let measured = ["--measure", SLOW];
    succeeds(&mut search(&one, &measured));
    let workers: Vec<Child> = (0..2).map(|_| search(&both, &measured).spawn().unwrap()).collect();
    for worker in workers {
        let output = worker.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    // Nothing is tried twice, and what is written is what one search writes.
    assert_eq!(recorded(&both), recorded(&one));
    for file in ["tune.json", "best.toml"] {
        assert_eq!(text(&both, file), text(&one, file), "{file}");
    }
    let hidden = std::fs::read_dir(&both).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with(".worker-")
    });
    assert_eq!(hidden.count(), 0);
}

//! The tests that a run skipped: each notes itself in a file (see crates/base/testkit/src/skip.rs).

use std::collections::BTreeSet;
use std::path::Path;

/// Runs the tests with the name of an empty list, and prints at their end what they wrote to it.
pub fn listed<T>(root: &Path, tests: impl FnOnce(&Path) -> T) -> T {
    let list = root.join("target/skipped-tests");
    std::fs::create_dir_all(root.join("target")).ok();
    // Remove the list of an earlier run; there may be none.
    std::fs::remove_file(&list).ok();
    let result = tests(&list);
    print!("{}", summary(&std::fs::read_to_string(&list).unwrap_or_default()));
    result
}

/// Each line once, by name.
fn summary(list: &str) -> String {
    let lines: BTreeSet<&str> = list.lines().collect();
    let name = |line: &str| line.split_once(": ").map(|(name, _)| name.to_owned());
    let tests: BTreeSet<Option<String>> = lines.iter().map(|line| name(line)).collect();
    match tests.len() {
        0 => "\nNo test was skipped.\n".to_owned(),
        count => {
            let lines: String = lines.iter().map(|line| format!("  {line}\n")).collect();
            format!("\nTests skipped in whole or in part: {count}\n{lines}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted_once_and_reasons_listed() {
        let list = "host::builds: nvcc is absent\ncorpus::assembles: ptxas: absent\nhost::builds: nvcc is absent\nhost::builds: gcc is absent\n";
        let expected = "\nTests skipped in whole or in part: 2\n  corpus::assembles: ptxas: absent\n  host::builds: gcc is absent\n  host::builds: nvcc is absent\n";
        assert_eq!(summary(list), expected);
        assert_eq!(summary(""), "\nNo test was skipped.\n");
    }

    #[test]
    fn what_an_earlier_run_skipped_is_forgotten() {
        let root = std::env::temp_dir().join(format!("singe-skipped-{}", std::process::id()));
        let list = root.join("target/skipped-tests");
        std::fs::create_dir_all(root.join("target")).unwrap();
        std::fs::write(&list, "old::test: reason\n").unwrap();
        let found = listed(&root, |given| (given == list, given.exists()));
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, (true, false));
    }
}

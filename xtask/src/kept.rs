//! Outputs of compilers that one run of the tests keeps for the next: the same text needs not be compiled again.

use std::ffi::OsString;
use std::path::Path;

/// The folder where Debian's ccache stands in for compilers by their names.
const CCACHE: &str = "/usr/lib/ccache";

/// Environment of tests by which compilers' outputs are kept in `target`: those of CUDA's, AMD's and of programs that are run once by the
/// compiler itself (`crates/base/cache/src/tool.rs`), objects of C and C++ by ccache, if it is there. Both know an output by its compiler, options and text.
pub fn environment(root: &Path) -> Vec<(&'static str, OsString)> {
    let target = root.join("target");
    let mut all = vec![("SINGE_TOOL_OUTPUTS", target.join("tool-outputs").into())];
    if Path::new(CCACHE).is_dir() {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = [CCACHE.into()].into_iter().chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).expect("folders of a path");
        all.extend([
            ("PATH", path),
            ("CCACHE_DIR", target.join("ccache").into()),
            // Projects lie in temporary folders, whose names differ from run to run.
            ("CCACHE_BASEDIR", std::env::temp_dir().into()),
            ("CCACHE_NOHASHDIR", "1".into()),
            // Objects are also for the very machine, by `-march=native`.
            ("CCACHE_NAMESPACE", processor().into()),
            ("CCACHE_MAXSIZE", "2G".into()),
            ("CMAKE_CUDA_COMPILER_LAUNCHER", "ccache".into()),
        ]);
    }
    all
}

/// Name and instructions of the machine's processor, as Linux tells them.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let is_told = |line: &&str| ["model name", "flags", "Features"].iter().any(|what| line.starts_with(what));
    let first = told.split("\n\n").next().unwrap_or_default();
    first.lines().filter(is_told).collect()
}

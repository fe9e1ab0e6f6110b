//! Accuracy of predicted times. `cargo bench --bench time -- estimate` compares the fast estimate with the full model of time
//! on all our kernels. `-- paper` compares both with what was published of the original compiler's kernels. With `--write`
//! after these words they write `docs/lab/estimate.md` and `docs/lab/paper.md`. Mechanisms are those of `../shared/mechanisms`, or of the folder behind
//! `--mechanisms`; `docs/lab/paper.md` says where they come from.

use std::path::{Path, PathBuf};

use machine::target::Target;
use singe::driver::{self, Request};
use singe::observer::Observer;
use singe::report::KernelReport;
use testkit::request;

mod agreement;
mod estimate;
mod fit;
mod paper;

fn main() {
    let root = testkit::root();
    let words: Vec<String> = std::env::args().collect();
    let has = |word: &str| words.iter().any(|argument| argument == word);
    let given = words.iter().skip_while(|&word| word != "--mechanisms").nth(1);
    let shared = given.map_or(root.join("../shared/mechanisms"), PathBuf::from);
    for (word, page) in [("estimate", estimate::page as fn(&Path) -> String), ("paper", paper::page)] {
        if !has(word) {
            continue;
        }
        if !shared.exists() {
            println!("skipped: {} is absent; --mechanisms FOLDER names another folder", shared.display());
            return;
        }
        let text = page(&shared);
        println!("{text}");
        if has("--write") {
            std::fs::write(root.join(format!("docs/lab/{word}.md")), text).expect("the page can be written");
        }
    }
}

/// A mechanism in a folder, for a target.
fn request(folder: &Path, target: &str) -> Request {
    let target = Target::by_name(target).expect("a known target");
    request::new(folder.join("chem.inp")).with(|request| {
        request.common.target = target;
        request.tuning.form = None;
    })
}

fn compiled(request: &Request) -> Result<Vec<KernelReport>, String> {
    let report = driver::compile(request, &mut Observer::silent());
    report.map(|report| report.kernels).map_err(|failure| {
        failure.diagnostics.first().map_or_else(String::new, |first| format!("{}: {}", first.id, first.message))
    })
}

//! Accuracy of predicted times. `cargo bench --bench time -- estimate` compares the fast estimate with the full model of time
//! on all our kernels. `-- paper` compares both with what was published of the original compiler's kernels. With `--write`
//! after these words they write `docs/lab/estimate.md` and `docs/lab/paper.md`. Mechanisms are those of `../shared`.

use std::path::Path;

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
    let shared = root.join("../shared/mechanisms");
    let has = |word: &str| std::env::args().any(|argument| argument == word);
    for (word, page) in [("estimate", estimate::page as fn(&Path) -> String), ("paper", paper::page)] {
        if !has(word) {
            continue;
        }
        if !shared.exists() {
            println!("skipped: ../shared is absent");
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

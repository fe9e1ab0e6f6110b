//! Texts of the stages of a draft, as observers show them.

use crate::observer::Observer;
use crate::report;
use crate::search::Draft;
use kernels::Kernel;
use schedule::single::Claim;

/// Shows the text of each stage.
pub fn show(kernel: Kernel, draft: &Draft, observer: &mut Observer) {
    let k = Some(kernel);
    observer.text("dataflow", k, || graph::text::text(&draft.graph));
    observer.text("map", k, || report::mapping_text(&draft.graph, &draft.mapping));
    observer.text("schedule", k, || report::schedule_text(&draft.graph, draft.proven.schedule()));
    observer.text("overlay", k, || format!("{:#?}\n", draft.program.body));
    observer.text("lower", k, || format!("{:#?}\n", draft.code.stream.body));
    observer.text("ptx", k, || draft.ptx.to_string());
    if let Some(Claim::Proven(plan)) = &draft.single {
        observer.text("precision", k, || graph::single::text(draft.whole.as_ref().unwrap_or(&draft.graph), plan));
    }
}

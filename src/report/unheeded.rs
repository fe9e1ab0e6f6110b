//! Flags that were given and changed nothing.

use super::KernelReport;
use crate::kernels::Form;
use crate::plan::{Multiplier, Request};

/// One warning for each.
pub fn unheeded(request: &Request, kernels: &[KernelReport]) -> Vec<String> {
    let reports = || kernels.iter();
    let mut warnings = Vec::new();
    if request.tuning.qssa_warps.is_some() && reports().all(|r| r.qssa_overlap.is_none()) {
        warnings
            .push("--qssa-warps has no effect: no kernel solves for quasi-steady species in some of its warps".into());
    }
    if request.tuning.matrix == Some(Multiplier::Dmma) && reports().all(|r| r.slots_per_matrix_product == 0) {
        let remedy = "--form symmetric and --form low-rank have them, in warp-specialized code";
        warnings.push(format!("--matrix dmma has no effect: no kernel multiplies with constant matrices; {remedy}"));
    }
    if let Some(form) = request.tuning.form.filter(|&form| form != Form::Pairwise)
        && reports().all(|r| !r.form.starts_with(form.name()))
    {
        warnings.push(format!("--form {form} has no effect: none of the kernels has it within --fit-tolerance"));
    }
    warnings
}

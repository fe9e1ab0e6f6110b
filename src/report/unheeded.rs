//! Flags that were given and changed nothing.

use crate::driver::{Multiplier, Request, Unit};
use crate::kernels::Form;

/// One warning for each.
pub fn unheeded(request: &Request, units: &[Unit]) -> Vec<String> {
    let reports = || units.iter().map(|unit| &unit.report);
    let mut warnings = Vec::new();
    if request.qssa_warps.is_some() && reports().all(|r| r.qssa_overlap.is_none()) {
        warnings
            .push("--qssa-warps has no effect: no kernel solves for quasi-steady species in some of its warps".into());
    }
    if request.matrix == Some(Multiplier::Dmma) && reports().all(|r| r.slots_per_matrix_product == 0) {
        let remedy = "--form symmetric and --form low-rank have them, in warp-specialized code";
        warnings.push(format!("--matrix dmma has no effect: no kernel multiplies with constant matrices; {remedy}"));
    }
    if let Some(form) = request.form.filter(|&form| form != Form::Pairwise)
        && reports().all(|r| !r.form.starts_with(form.name()))
    {
        warnings.push(format!("--form {form} has no effect: none of the kernels has it within --fit-tolerance"));
    }
    warnings
}

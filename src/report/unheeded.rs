//! Flags that were given and changed nothing, and what files for other codes do without.

use super::KernelReport;
use crate::plan::{Multiplier, Request};
use kernels::Form;

/// One warning for each.
pub fn unheeded(request: &Request, kernels: &[KernelReport]) -> Vec<String> {
    let reports = || kernels.iter();
    let mut warnings = request.without_effect();
    if request.lacks_rates() {
        let functions = "CKQ…, CKKFKR, CKCD…, CKEQ… and comp_qfqr";
        warnings.push(format!(
            "the functions of rates of reactions one by one ({functions}) are left out: a reduced mechanism goes by other rates"
        ));
    }
    if request.tuning.qssa_warps.is_some() && reports().all(|r| r.qssa_overlap.is_none()) {
        warnings.push(
            "--layout qssa-warps=N has no effect: no kernel solves for quasi-steady species in some of its warps"
                .into(),
        );
    }
    if request.tuning.matrix == Some(Multiplier::Dmma) && reports().all(|r| r.slots_per_matrix_product == 0) {
        let remedy = "--form symmetric and --form low-rank have them, in warp-specialized code";
        warnings
            .push(format!("--layout matrix=dmma has no effect: no kernel multiplies with constant matrices; {remedy}"));
    }
    if let Some(form) = request.tuning.form.filter(|&form| form != Form::Pairwise)
        && reports().all(|r| !r.form.starts_with(form.name()))
    {
        warnings.push(format!("--form {form} has no effect: none of the kernels has it within --error"));
    }
    warnings
}

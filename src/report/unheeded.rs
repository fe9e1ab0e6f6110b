//! Flags that were given and changed nothing, and what files for other codes do without.

use super::KernelReport;
use crate::plan::{Multiplier, Request};
use kernels::{Form, Kernel};
use mechanism::LewisNumbers;

/// One warning for each.
pub fn unheeded(request: &Request, kernels: &[KernelReport]) -> Vec<String> {
    let reports = || kernels.iter();
    let mut warnings = without_effect(request);
    if request.lacks_rates() {
        let functions = "CKQ…, CKKFKR, CKCD…, CKEQ… and comp_qfqr";
        warnings.push(format!(
            "the functions of rates of reactions one by one ({functions}) are left out: a reduced mechanism goes by other rates"
        ));
    }
    if request.files.lewis != LewisNumbers::OfPhase && !request.all_kernels().any(Kernel::has_diffusion) {
        warnings.push("--lewis-numbers has no effect: no kernel with diffusion coefficients is asked for".into());
    }
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

/// Flags of a GPU that say nothing to a CPU.
const OF_GPUS: [&str; 11] = [
    "warps",
    "groups-per-cta",
    "ctas-per-sm",
    "occupancy",
    "mapper",
    "placement",
    "buffer",
    "slots",
    "passes",
    "prefetch",
    "effort",
];

/// Kernels with a Jacobian that may be dense.
const JACOBIANS: [Kernel; 3] = [Kernel::Jacobian, Kernel::IsobaricJacobian, Kernel::IsochoricJacobian];

/// Lists the flags without effect, as far as the request alone tells.
fn without_effect(request: &Request) -> Vec<String> {
    let is_cpu = request.common.target.is_cpu();
    let any = |has: fn(Kernel) -> bool| request.all_kernels().any(has);
    let why = |flag: &str| match flag {
        _ if is_cpu && OF_GPUS.contains(&flag) => Some("a CPU has neither warps nor lanes"),
        "soret" if !any(|kernel| kernel == Kernel::Flux) => Some("it concerns the flux kernel, which is not asked for"),
        "jacobian-storage" if !any(|kernel| JACOBIANS.contains(&kernel)) => {
            Some("no kernel with a Jacobian is asked for")
        }
        "integrator" if request.reactor.is_none() && !any(Kernel::is_step) => {
            Some("it concerns --kernel reactor and the steps")
        }
        "factors" if request.reactor.is_none() => Some("it concerns --kernel reactor"),
        "slots" if !any(Kernel::is_step) => Some("it concerns the steps, which are not asked for"),
        "fit-tolerance" if !any(Kernel::is_transport) => Some("no transport kernel is asked for"),
        "effort" if !request.keep_fastest && !request.searches_its_layout() && request.own_layouts.is_empty() => {
            Some("it concerns --codegen auto, and `thorough` one layout; the layouts are given")
        }
        _ => None,
    };
    let told = request.flags.iter().filter_map(|flag| Some(format!("--{flag} has no effect: {}", why(flag)?)));
    told.collect()
}

//! Causes of the clocks of the predicted time, a line for each kernel.

use super::KernelReport;
use warpsim::machine_code::Cause;

/// The names of the kernels with a predicted time, then for each cause its share of the clocks of each of them.
pub fn shares(kernels: &[KernelReport]) -> Vec<Vec<String>> {
    let predicted = || kernels.iter().filter_map(|kernel| Some((kernel, kernel.prediction.as_ref()?)));
    let row = |name: &str, cells: Vec<String>| [vec![name.to_owned()], cells].concat();
    let share = |cause: Cause| {
        let cell = |share: f64| if share < 5e-4 { "-".to_owned() } else { format!("{:.1} %", 100.0 * share) };
        row(cause.name(), predicted().map(|(_, prediction)| cell(prediction.share(cause))).collect())
    };
    let head = row("clocks of the warps go to", predicted().map(|(kernel, _)| kernel.title()).collect());
    std::iter::once(head).chain(Cause::ALL.into_iter().map(share)).collect()
}

/// A paragraph; nothing where no time was predicted.
pub fn table(kernels: &[KernelReport]) -> String {
    let predicted = kernels.iter().filter_map(|k| k.prediction.as_ref().map(|prediction| (k, prediction)));
    let mut lines: Vec<String> = predicted
        .map(|(kernel, prediction)| {
            let share = |cause: Cause| format!("{:>1$.0}", 100.0 * prediction.share(cause), cause.name().len());
            let warps: Vec<String> = prediction.critical_warps().iter().map(usize::to_string).collect();
            let shares: Vec<String> = Cause::ALL.into_iter().map(share).collect();
            format!("  {:<13} {:<13}  {}  {}\n", kernel.kernel, kernel.codegen, shares.join("  "), warps.join(", "))
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let names = Cause::ALL.map(Cause::name).join("  ");
    lines.insert(0, format!("  {:<13} {:<13}  {names}  critical warps\n", "", ""));
    format!(
        "\nclocks of the warps in the predicted time by cause (%), and the warps with half of the critical path\n{}",
        lines.concat()
    )
}

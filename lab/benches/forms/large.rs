//! The mechanism of 631 species: what its forms cost as data-parallel code, and as warp-specialized code where they fit.

use std::fmt::Write as _;
use std::path::Path;

use kernels::{Form, Kernel};
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::observer::Observer;

use crate::{KERNELS, case, model, request, row};

const HEAD: &str = "
## 631 species (llnl_nheptane)

The first table has constants and bounds of the dataflow graphs. Then it has the simulator's counts of the data-parallel kernel, and its
error over states of the mechanism's own. The second table has the warp-specialized kernels of 8 warps.

| kernel | form | constants | bound | data-parallel slots | shuffles | error |
|---|---|---|---|---|---|---|
";

const SPECIAL_HEAD: &str = "
Warp-specialized: a CTA has room for 192 values of 32 points in the shared memory of kepler, and for 908 in that of hopper. The
constants of the pairwise viscosity (3100 doubles for each of 256 threads) fit no register file. So its warps load them again for every
group of points. The pairwise and the polynomial diffusion are left out: a schedule of 200000 pairs and their running sums takes
the compiler many minutes.

| kernel | form | target | slots | shuffles | shared passes | waits | phases | shared bytes | error |
|---|---|---|---|---|---|---|---|---|---|
";

/// The tables, which are also printed; adds the slots of data-parallel code to the growth.
pub fn table(shared: &Path, growth: &mut Vec<(Kernel, Form, f64, f64)>) -> String {
    let case = case("llnl_nheptane", "llnl_nheptane", false, [None; 3]);
    let model = model(shared, &case);
    let states = kinetics::verification_states(&model, 34);
    let (mut parallel, mut special) = (String::from(HEAD), String::from(SPECIAL_HEAD));
    let put = |text: &mut String, line: String| {
        println!("{line}");
        writeln!(text, "{line}").expect("a string");
    };
    for kernel in KERNELS {
        for form in Form::allowed(kernel, Some(1e-4)) {
            let plain = || request(shared, &case, kernel, Some(form));
            let unit = |request: &Request| driver::compile_kernel(kernel, &model, request, &mut Observer::silent());
            let request = Request { codegen: Codegen::DataParallel, ..plain() };
            let made = unit(&request).unwrap_or_else(|f| panic!("{kernel} {form}: {:?}", f.diagnostics));
            let counted = row(&model, &made, &request, &states);
            growth.push((kernel, form, model.species().len() as f64, counted.slots));
            let line = format!(
                "| {kernel} | {form} | {} | {:.1e} | {:.0} | {:.0} | {:.1e} |",
                made.graph.constants(),
                made.graph.bound,
                counted.slots,
                counted.shuffles,
                counted.error
            );
            put(&mut parallel, line);
            let is_long = kernel == Kernel::Diffusion && form != Form::LowRank;
            for target in ["kepler", "hopper"].into_iter().filter(|_| !is_long) {
                let request = plain().with(|r| r.common.target = Target::by_name(target).expect("a known target"));
                let cells = match unit(&request) {
                    Ok(made) => {
                        let counted = row(&model, &made, &request, &states);
                        format!(
                            "{:.0} | {:.0} | {:.0} | {:.0} | {} | {} | {:.1e}",
                            counted.slots,
                            counted.shuffles,
                            counted.passes,
                            counted.waits,
                            made.report.phases,
                            made.report.shared_bytes,
                            counted.error
                        )
                    }
                    Err(failure) => format!("does not fit: {} | | | | | |", failure.diagnostics[0].message),
                };
                put(&mut special, format!("| {kernel} | {form} | {target} | {cells} |"));
            }
        }
    }
    parallel + &special
}

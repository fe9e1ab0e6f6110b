//! The chemistry kernel: both forms, with what their slots go to, beside what other generators' kernels need.

use std::fmt::Write as _;
use std::path::Path;

use kernels::{Form, Kernel, Matrix};
use overlay::Codegen;
use singe::driver::Request;
use singe::forms::{self, Rates};

use crate::{Case, case};

/// Cases with the goal and the peers' slots: KinetiX in loops and unrolled, PelePhysics, pyJac,
/// pyrometheus; or at most what the original Singe needs.
const CASES: [(Case, &str, &str); 6] = [
    (case("gri30", "gri30", false, [None; 3]), "10000", "14.2k, 17.7k, 17.1k, 26.0k, 24.1k"),
    (case("dme", "dme", false, [None; 3]), "5000", "7.4k, 8.9k, 8.9k, 14.4k, 12.3k"),
    (case("dme, reduced", "dme", true, [None; 3]), "15000", "original Singe 50.5k"),
    (case("heptane", "heptane", false, [None; 3]), "9000", "14.0k, 12.3k"),
    (case("heptane, reduced", "heptane", true, [None; 3]), "30000", "original Singe 107.4k"),
    (case("usc2", "usc2", false, [None; 3]), "", ""),
];

const HEAD: &str = "
## Chemistry

As in the first table. Slots by kind are those of the dataflow graph before scheduling, in the order exponentials, logarithms,
divisions and square roots, others. Reduced: with the quasi-steady and stiff species of the mechanism's reduction. Peers, one thread per
point (sm_90): KinetiX in loops, KinetiX unrolled, PelePhysics, pyJac, pyrometheus. Errors are relative to the gross rate.

The warp-specialized log-space kernel of usc2 needs more on kepler than its data-parallel one. Its reactions share 108 activities, 80
equilibrium constants, 88 powers of temperature and 21 Gibbs energies. With the values on their way that takes about 340 values of
32 points. The shared memory of kepler has room for 192. Reverse rates then take an exponential of Gibbs energies each. From ampere on,
all fit: there the kernel takes 19283 slots. Computing seldom-read constants again in each reaction was tried. It has 32090 slots on
kepler, but 27778 shuffles, as the polynomials of a species have 15 constants. So it takes longer.

Powers of two err by less than 1 ulp, with the table by less than 1.02. Logarithms err by less than 1, also next to 1.

| mechanism | form | code | slots | goal | peers | by kind | shuffles | shared passes | waits | error |
|---|---|---|---|---|---|---|---|---|---|---|
";

/// The table, which is also printed.
pub fn table(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    let kernel = Kernel::Chemistry;
    for (case, goal, peers) in &CASES {
        let model = crate::model(shared, case);
        let states = crate::states(shared, case);
        let base = crate::request(shared, case, kernel, None);
        let chosen = forms::choose(
            kernel,
            &model,
            &crate::options(&base),
            None,
            &[Matrix::Dfma],
            Rates::new(base.common.target, true, base.common.target.max_registers_per_thread, 1),
        )
        .expect("chemistry needs no data")
        .variant
        .form;
        for form in Form::allowed(kernel, Some(1e-4)) {
            for codegen in [Codegen::Overlay, Codegen::DataParallel] {
                let request = Request { codegen, ..crate::request(shared, case, kernel, Some(form)) };
                let unit = crate::unit(&model, &request);
                let row = crate::row(&model, &unit, &request, &states);
                let t = unit.graph.tally(unit.program.execution.warps());
                let line = format!(
                    "| {} | {form}{} | {} | {:.0} | {goal} | {peers} | {} + {} + {} + {} | {:.0} | {:.0} | {:.0} | {:.1e} |",
                    case.name,
                    if form == chosen { " **auto**" } else { "" },
                    crate::code(codegen),
                    row.slots,
                    t.exponentials,
                    t.logarithms,
                    t.divisions,
                    t.others,
                    row.shuffles,
                    row.passes,
                    row.waits,
                    row.error
                );
                println!("{line}");
                writeln!(text, "{line}").expect("a string");
            }
        }
    }
    text
}

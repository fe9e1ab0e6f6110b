//! Several points per lane: what each point costs then, and what a thread needs.

use std::fmt::Write as _;
use std::path::Path;

use kernels::Form;
use machine::target::Target;
use overlay::Codegen;
use singe::driver::{self, Request};
use singe::report::KernelReport;

const HEAD: &str = "
## Points per lane

gri30 for ampere, 8 warps, constants striped over the lanes of warp-specialized kernels and in the constant bank of data-parallel
ones: counts per grid point by the simulator, registers and spilled bytes (stores + loads) of ptxas 11.8 for sm_80, what an SM holds, and the
time of its busiest pipe (report.md). With P points per lane the shuffles of constants serve P points and barriers come once for 32 P of
them, values in shared memory and registers are kept P times; where they no longer fit as before, another schedule is taken, which may
need more slots or phases. Waits are per 32 points. `auto` marks what `--layout points-per-lane=auto` takes.

| kernel | form | code | points per lane | slots | shuffles | shared passes | waits | instructions | shared bytes | registers | spills | CTAs per SM | occupancy | busiest pipe (ns) |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// The table.
pub fn table(shared: &Path) -> String {
    let mut text = String::from(HEAD);
    let case = crate::case("gri30", "gri30", false, [None; 3]);
    let target = Target::by_name("ampere").expect("a known target");
    for kernel in kernels::Kernel::ALL {
        for (form, codegen) in [
            (Some(Form::Pairwise), Codegen::Overlay),
            (None, Codegen::Overlay),
            (Some(Form::Pairwise), Codegen::DataParallel),
            (None, Codegen::DataParallel),
        ] {
            let request = Request {
                codegen,
                verify: Some(70),
                real_compilers: true,
                ..crate::request(shared, &case, kernel, form)
            }
            .with(|r| r.common.target = target);
            let chosen = report(
                &Request { verify: None, real_compilers: false, ..request.clone() }
                    .with(|r| r.tuning.points_per_lane = None),
            );
            for points in driver::POINTS_PER_LANE {
                let auto = chosen.points_per_lane == points;
                let row =
                    row(&report(&request.clone().with(|r| r.tuning.points_per_lane = Some(points))), auto, codegen);
                println!("{row}");
                writeln!(text, "{row}").expect("a string");
            }
        }
    }
    text
}

fn report(request: &Request) -> KernelReport {
    testkit::request::report(request).kernels.remove(0)
}

fn row(k: &KernelReport, auto: bool, codegen: Codegen) -> String {
    let v = k.verification.as_ref().expect("verified");
    let (registers, spills) = k.compiled.as_ref().map_or(("-".into(), "-".into()), |c| {
        (c.registers.to_string(), format!("{} + {}", c.spill_store_bytes, c.spill_load_bytes))
    });
    format!(
        "| {} | {} | {} | {}{} | {:.0} | {:.0} | {:.0} | {:.1} | {:.0} | {} | {registers} | {spills} | {} | {:.0} % | {:.2} |",
        k.kernel,
        k.form,
        crate::code(codegen),
        k.points_per_lane,
        if auto { " **auto**" } else { "" },
        v.slots_per_point,
        v.shuffles_per_point,
        v.shared_passes_per_point,
        v.barrier_waits_per_group,
        v.instructions_per_point,
        k.shared_bytes,
        k.machine.ctas_per_sm,
        100.0 * k.machine.occupancy,
        k.machine.busiest_pipe_ns.unwrap_or_default(),
    )
}

//! Cells of the table: figures of a kernel, `-` for those that are not known.

use crate::backend::Backend;
use crate::compilers::Compiled;
use crate::report::accuracy::{allowed, rounded_up};
use crate::report::{KernelReport, OnAmd};
use crate::verify::{
    ClassesOfPtx, CodeOnAmd, Cube, MachineCode, MachineCodeVerification, Prediction, TextOnCpu, Verification,
};
use sass::Class;
use schedule::overlap::Overlap;

/// A bound and the kelvins between which it holds.
pub fn bound(error: f64, range: Option<[f64; 2]>) -> String {
    match range {
        Some([coldest, hottest]) => format!("{} ({coldest}-{hottest} K)", rounded_up(error)),
        None => rounded_up(error),
    }
}

pub fn hundredths(number: Option<f64>) -> String {
    number.map_or("-".into(), |n| format!("{n:.2}"))
}

/// Returns the time on this machine.
pub fn measured(kernel: &KernelReport) -> String {
    hundredths(kernel.measured.as_ref().map(|time| time.nanoseconds_per_point))
}

pub fn of_compilers(kernel: &KernelReport, text: impl Fn(&Compiled) -> String) -> String {
    kernel.compiled.as_ref().map_or("-".into(), text)
}

/// Returns a cell about the result of our own backend.
pub fn of_backend(kernel: &KernelReport, text: impl Fn(&Backend) -> String) -> String {
    kernel.backend.as_ref().map_or("-".into(), text)
}

/// Returns a cell about the machine code for AMD.
pub fn amd(kernel: &KernelReport, text: impl Fn(&OnAmd) -> String) -> String {
    kernel.on_amd.as_ref().map_or("-".into(), text)
}

pub fn of_verification(kernel: &KernelReport, text: impl Fn(&Verification) -> String) -> String {
    kernel.verification.as_ref().map_or("-".into(), text)
}

pub fn of_machine_code(kernel: &KernelReport, text: impl Fn(&MachineCodeVerification) -> String) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(verification)) => text(verification),
        _ => "-".into(),
    }
}

pub fn microseconds(cubes: &[Cube]) -> String {
    cubes.iter().map(|cube| format!("{:.1}", cube.microseconds)).collect::<Vec<_>>().join(", ")
}

pub fn of_prediction(kernel: &KernelReport, text: impl Fn(&Prediction) -> String) -> String {
    kernel.prediction.as_ref().map_or("-".into(), text)
}

/// Exact from machine code, else what the simulated PTX makes likely.
pub fn instructions(kernel: &KernelReport) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(m)) => format!("{:.0}", m.per_32_points(|c| c.instructions)),
        _ => of_verification(kernel, |v| format!("{:.0} (PTX)", v.instructions_per_point)),
    }
}

/// Exact by class, else what PTX tells: of as many classes, those that it has.
pub fn classes(kernel: &KernelReport, classes: &[Class], of_ptx: fn(&ClassesOfPtx) -> [Option<f64>; 4]) -> String {
    if let Some(MachineCode::Verified(m)) = &kernel.machine_code {
        let counts = classes.iter().map(|class| format!("{:.0}", m.per_32_points(|c| c.class(*class))));
        return counts.collect::<Vec<_>>().join(", ");
    }
    of_verification(kernel, |v| {
        let counts = of_ptx(&v.classes_per_point).into_iter().take(classes.len());
        let counts = counts.map(|count| count.map_or("-".to_owned(), |count| format!("{count:.0}")));
        format!("{} (PTX)", counts.collect::<Vec<_>>().join(", "))
    })
}

pub fn verified_machine_code(kernel: &KernelReport) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(verification)) => verification.assembler.clone(),
        Some(MachineCode::NotRun(_)) => "not run".into(),
        None => "-".into(),
    }
}

/// Returns the cell about running the machine code for AMD.
pub fn run_on_amd(kernel: &KernelReport) -> String {
    amd(kernel, |own| match &own.run {
        Some(CodeOnAmd::Verified(_)) => own.compiler.clone(),
        Some(CodeOnAmd::NotRun(_)) => "not run".into(),
        None => "-".into(),
    })
}

/// The verdict without the text that was verified, which has a row of its own.
pub fn verdict(kernel: &KernelReport) -> String {
    let verdict = kernel.verdict.as_str();
    verdict.split_once(" (").map_or(verdict, |(shown, _)| shown).to_owned()
}

pub fn verified_text(kernel: &KernelReport) -> String {
    match &kernel.text_on_cpu {
        Some(TextOnCpu::Verified(text)) => return text.compiler.clone(),
        Some(TextOnCpu::NotRun(_)) => return "not run".into(),
        None => {}
    }
    match (&kernel.text, &kernel.verification) {
        (Some(text), _) => format!("CUDA ({})", text.compiler),
        (None, Some(_)) => "own PTX".into(),
        (None, None) => "-".into(),
    }
}

/// The verification's largest error, and the tolerance.
pub fn largest_error(kernel: &KernelReport) -> String {
    of_verification(kernel, |v| format!("{:.1e} (<= {})", v.largest_error, allowed(v.tolerance)))
}

/// The largest error of single precision that was found, and the bound where one is proven.
pub fn single(kernel: &KernelReport) -> String {
    let Some(single) = &kernel.single else { return "-".into() };
    let found = of_verification(kernel, |v| v.single_error.map_or("-".into(), |error| format!("{error:.1e}")));
    match single.proven {
        true => format!("{found} ({})", rounded_up(single.bound)),
        false => format!("{found} (measured, not proven)"),
    }
}

/// The bound of the machine code, and what sets it.
pub fn bound_of_machine_code(kernel: &KernelReport) -> String {
    let machine = &kernel.machine;
    let Some((time, bound)) = machine.bound_ns.zip(machine.bound) else { return "-".to_owned() };
    let is_memory = time <= machine.bandwidth_floor_ns;
    format!("{time:.2} ({})", if is_memory { "memory" } else { bound.largest().0 })
}

/// The quotient of two figures that may be missing.
pub fn over(figure: Option<f64>, other: Option<f64>) -> String {
    hundredths(figure.zip(other).map(|(figure, other)| figure / other))
}

/// The longest warps of all phases together, and the least that they can be.
pub fn balance(kernel: &KernelReport) -> String {
    kernel
        .balance
        .as_ref()
        .map_or("-".into(), |of| format!("{}, {} ({:+.0} %)", of.length, of.lower_bound, 100.0 * of.gap))
}

/// Returns the cell on the part of the quasi-steady solution beside rates: as it is, with one full barrier, with full barriers only.
pub fn beside_rates(kernel: &KernelReport) -> String {
    let text = |o: Overlap| {
        let percent = [o.share, o.share_with_full_barrier, o.share_with_full_barriers].map(|s| 100.0 * s);
        format!("{:.0} % ({:.0} %, {:.0} %)", percent[0], percent[1], percent[2])
    };
    kernel.qssa_overlap.map_or("-".into(), text)
}

/// The length of an iteration, and that after all rates.
pub fn lengths(kernel: &KernelReport) -> String {
    kernel.qssa_overlap.map_or("-".into(), |o| format!("{} ({})", o.length, o.length_after_rates))
}

/// Wavefronts of shared memory and bytes of local memory.
pub fn memory(kernel: &KernelReport) -> String {
    match &kernel.machine_code {
        Some(MachineCode::Verified(m)) => {
            let (wavefronts, local) = (m.per_32_points(|c| c.shared_wavefronts), m.per_32_points(|c| c.local_bytes));
            format!("{wavefronts:.0}, {:.0}", local / 32.0)
        }
        _ => of_verification(kernel, |v| {
            format!("{:.0}, {:.0} (PTX)", v.shared_passes_per_point, v.local_bytes_per_point)
        }),
    }
}

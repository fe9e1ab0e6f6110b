//! Predicts the time of a reactor's step: each kernel of its pipeline on an SM that is full of points.

use super::reactor_on_gpu::{Call, Pipeline};
use super::time::Prediction;
use machine::target::Target;
use sass::Cubin;
use serde::Serialize;
use warpsim::machine_code::{self, Cause, Counts, Failure, Timing};
use warpsim::{Buffer, Launch, Options};

/// Times of a kernel's launches within a step: means of these.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelTime {
    /// End of its name, such as `stage`.
    pub name: String,
    pub launches: u32,
    pub registers: u32,
    /// Time of one launch on the target's board.
    pub nanoseconds_per_point: f64,
    pub global_bytes_per_point: f64,
    pub local_bytes_per_point: f64,
    /// Shares of the warps' clocks, by cause.
    #[serde(skip)]
    pub shares: [f64; Cause::ALL.len()],
}

/// Reason for which a run of the pipeline ends early.
enum End {
    Timed,
    Failed(Failure),
}

/// Times the kernels of the reactors' own file: the one by which points begin in the first round, all others in the second one. No point of the call
/// may be done before. Where the method has an explicit one beside it, that takes a round of its own before: its kernels are timed there.
///
/// Errors: those of the simulator.
pub fn time_steps(
    pipeline: &Pipeline<'_>,
    call: Call,
    cubin: &Cubin,
    symbol: &str,
    target: &Target,
) -> Result<Vec<KernelTime>, Failure> {
    let points = f64::from(call.points);
    // Rounds that have begun, and those of the explicit method.
    let mut rounds = 0;
    let before = u32::from(pipeline.reactor.method.explicit.is_some());
    let mut times: Vec<KernelTime> = Vec::new();
    let mut execute = |kernel: &str, launch: &Launch, buffers: &mut [Buffer]| {
        rounds += u32::from(kernel == "place");
        let name = format!("{symbol}_{kernel}");
        let options = Options::default();
        let timed_in = match kernel {
            "count" | "list" => before + 1,
            "place" => 1,
            _ if is_explicit(kernel) => 1,
            _ => before + 2,
        };
        if rounds != timed_in {
            return machine_code::run(cubin, &name, launch, buffers, &options).map(|_| ()).map_err(End::Failed);
        }
        let (report, timing) =
            machine_code::time(cubin, &name, launch, buffers, &options, target).map_err(End::Failed)?;
        let bytes = |count: fn(&Counts) -> u64| report.warps.iter().map(count).sum::<u64>() as f64 / points;
        let new = KernelTime {
            name: kernel.to_owned(),
            launches: 1,
            registers: cubin.kernel(&name).map_or(0, |kernel| kernel.registers),
            nanoseconds_per_point: target.board.nanoseconds(timing.cycles as f64 / points),
            global_bytes_per_point: bytes(|counts| counts.global_load_bytes + counts.global_store_bytes),
            local_bytes_per_point: bytes(|counts| counts.local_bytes),
            shares: shares(&timing),
        };
        match times.iter_mut().find(|old| old.name == new.name) {
            Some(old) => old.add(&new),
            None => times.push(new),
        }
        if rounds == before + 2 && ["judge", "step"].contains(&kernel) { Err(End::Timed) } else { Ok(()) }
    };
    match pipeline.run(call, &mut execute) {
        Err(End::Failed(failure)) => Err(failure),
        Ok(_) | Err(End::Timed) => Ok(times),
    }
}

/// Whether a kernel takes a part of an explicit step.
fn is_explicit(kernel: &str) -> bool {
    kernel.starts_with("explicit")
}

fn shares(timing: &Timing) -> [f64; Cause::ALL.len()] {
    let all: u64 = timing.warps.iter().map(|warp| warp.cycles()).sum();
    Cause::ALL.map(|cause| timing.warps.iter().map(|warp| warp.clocks(cause)).sum::<u64>() as f64 / all.max(1) as f64)
}

impl KernelTime {
    /// Times of a kernel of the project that is launched so often in a step.
    pub fn from_prediction(name: &str, launches: u32, registers: u32, found: &Prediction) -> Self {
        let bytes = |count: fn(&Counts) -> u64| {
            found.executed.iter().map(count).sum::<u64>() as f64 / f64::from(found.turned_points.max(1))
        };
        Self {
            name: name.to_owned(),
            launches,
            registers,
            nanoseconds_per_point: found.nanoseconds_per_point,
            global_bytes_per_point: bytes(|counts| counts.global_load_bytes + counts.global_store_bytes),
            local_bytes_per_point: bytes(|counts| counts.local_bytes),
            shares: Cause::ALL.map(|cause| found.share(cause)),
        }
    }

    /// Whether a step takes it once for each point: points begin once, and the list takes as long for few of them as for many.
    pub fn is_of_each_point(&self) -> bool {
        !["place", "count", "list"].contains(&self.name.as_str()) && !self.is_explicit()
    }

    /// Whether an explicit step takes it besides the rates.
    pub fn is_explicit(&self) -> bool {
        is_explicit(&self.name)
    }

    /// Takes the mean with one more launch.
    fn add(&mut self, new: &Self) {
        let before = f64::from(self.launches);
        let mean = |old: &mut f64, new: f64| *old = (before * *old + new) / (before + 1.0);
        mean(&mut self.nanoseconds_per_point, new.nanoseconds_per_point);
        mean(&mut self.global_bytes_per_point, new.global_bytes_per_point);
        mean(&mut self.local_bytes_per_point, new.local_bytes_per_point);
        self.shares.iter_mut().zip(new.shares).for_each(|(old, new)| mean(old, new));
        self.launches += 1;
    }
}

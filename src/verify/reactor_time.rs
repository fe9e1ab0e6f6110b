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

/// In s: longer than some steps, and so short that an explicit step ends each point.
const LONG: f64 = 1.0;
const SHORT: f64 = 1e-12;

/// Times the kernels of the reactors' own file, in calls that `call_over` makes for a time of all points in s.
///
/// The kernel by which points begin is timed in the first round, all others in the second one, in which no point is done. Those of an explicit step are
/// timed where it ends all points.
///
/// Errors: those of the simulator.
pub fn time_steps(
    pipeline: &Pipeline<'_>,
    call_over: &dyn Fn(f64) -> Call,
    code: (&Cubin, &str),
    target: &Target,
) -> Result<Vec<KernelTime>, Failure> {
    // A method with an explicit one beside it begins with a round of that.
    let before = u32::from(pipeline.reactor.method.explicit.is_some());
    let round_of = |kernel: &str| match kernel {
        "count" | "list" => Some(before + 1),
        "place" => Some(1),
        _ if is_explicit(kernel) => None,
        _ => Some(before + 2),
    };
    let mut times = timed(pipeline, call_over(LONG), code, target, &round_of)?;
    if before > 0 {
        let first = |kernel: &str| is_explicit(kernel).then_some(1);
        times.extend(timed(pipeline, call_over(SHORT), code, target, &first)?);
    }
    Ok(times)
}

/// Times each kernel in the round that is told, until one of these ends a step.
fn timed(
    pipeline: &Pipeline<'_>,
    call: Call,
    (cubin, symbol): (&Cubin, &str),
    target: &Target,
    round_of: &dyn Fn(&str) -> Option<u32>,
) -> Result<Vec<KernelTime>, Failure> {
    let points = f64::from(call.points);
    let mut rounds = 0;
    let mut times: Vec<KernelTime> = Vec::new();
    let mut execute = |kernel: &str, launch: &Launch, buffers: &mut [Buffer]| {
        rounds += u32::from(kernel == "place");
        let name = format!("{symbol}_{kernel}");
        let options = Options::default();
        if round_of(kernel) != Some(rounds) {
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
        if kernel.ends_with("judge") || kernel.ends_with("step") { Err(End::Timed) } else { Ok(()) }
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

    /// Whether a step takes it once for each point: points begin once, and lists take as long for few of them as for many.
    pub fn is_of_each_point(&self) -> bool {
        !self.is_of_round() && !["count_doubts", "list_doubts"].contains(&self.name.as_str()) && !self.is_explicit()
    }

    /// Whether the host launches it before each step, of either method.
    pub fn is_of_round(&self) -> bool {
        ["place", "count", "list"].contains(&self.name.as_str())
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

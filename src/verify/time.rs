//! Predicts the time of the machine code by the model of an SM that is as full of CTAs as it can be.

use serde::Serialize;

use super::Subject;
use super::machine_code::{difference, points_per_turn};
use super::simulate::{self, Shape};
use super::text::at_launch;
use crate::search::Sensitivity;
use diagnostics::Diagnostic;
use kinetics::State;
use machine::target::{Board, Target};
use sass::Cubin;
use warpsim::machine_code::{self, Cause, Counts, Failure, Steady, Timeline, Timing, Turns};

/// Turns of the streaming loop of the shorter and the longer run: their difference has no part of the code around the loop.
const TURNS: [u32; 2] = [1, 3];

/// Points along the edges of the cubes.
const EDGES: [u32; 3] = [32, 64, 128];

/// Prediction of the model for an SM in the middle of many points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// CTAs on the SM at once.
    pub ctas: u32,
    /// Points that were simulated for it.
    pub points: u32,
    /// Clocks of the SM, with all its CTAs: of the steady state, once that was run.
    pub clocks_per_point: f64,
    /// Time on the target's board, all of whose SMs are as busy.
    pub nanoseconds_per_point: f64,
    /// Launches of their own on the board: with the constants that each CTA loads, CTAs that have a turn less than others, and what it
    /// takes to start a kernel.
    pub cubes: Vec<Cube>,
    /// The steady state, where it was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Clocks of one turn with what stands around the loop.
    #[serde(skip)]
    first_clocks: f64,
    /// Causes of the clocks of each warp of a CTA in a turn of the streaming loop: the mean of all CTAs.
    pub warps: Vec<WarpClocks>,
    /// Counts of each warp of a CTA in the turns between the runs, summed over CTAs, and the points of these turns.
    #[serde(skip)]
    pub executed: Vec<Counts>,
    #[serde(skip)]
    pub turned_points: u32,
    /// The clocks of the longer run, by picture.
    #[serde(skip)]
    pub timeline: Timeline,
}

/// The mean of a turn over many turns of the streaming loop, with CTAs that begin together and CTAs that begin apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settled {
    pub turns: usize,
    /// Whether the mean changes no more.
    pub has_settled: bool,
    /// Least and largest mean of a third of the turns, in nanoseconds per point.
    pub range_ns: [f64; 2],
}

/// A cube of points.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cube {
    /// Points along an edge.
    pub edge: u32,
    /// Turns of the streaming loop of the CTA that has most.
    pub turns: u32,
    pub microseconds: f64,
}

/// A warp of a CTA.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WarpClocks {
    /// Clocks in the order of [`Cause::ALL`].
    #[serde(serialize_with = "by_name")]
    pub causes: [f64; Cause::ALL.len()],
    /// The share of the critical path that runs through this warp: of the chain of those that came last to a barrier, back from the
    /// end of the CTA.
    pub critical: f64,
}

impl Prediction {
    /// Takes in the steady state: the mean of CTAs that begin together and of CTAs that begin apart.
    pub fn settle(&mut self, steady: &Steady, board: &Board) {
        let runs: Vec<&Turns> = steady.together.first().into_iter().chain(&steady.apart).collect();
        let Some(first) = runs.first() else { return };
        let per_turn = f64::from(self.points) / f64::from(TURNS[0] + TURNS[1]);
        let nanoseconds = |clocks: f64| board.nanoseconds(clocks / per_turn);
        let clocks = runs.iter().map(|run| run.mean).sum::<f64>() / runs.len() as f64;
        let least = runs.iter().map(|run| run.least).fold(f64::INFINITY, f64::min);
        let most = runs.iter().map(|run| run.most).fold(0.0, f64::max);
        self.clocks_per_point = clocks / per_turn;
        self.nanoseconds_per_point = nanoseconds(clocks);
        let points = (per_turn / f64::from(self.ctas)) as u32;
        self.cubes = cubes(points, self.ctas, (self.first_clocks, clocks), board);
        self.settled = Some(Settled {
            turns: runs.iter().map(|run| run.turns).max().unwrap_or(first.turns),
            has_settled: runs.iter().all(|run| run.has_settled),
            range_ns: [nanoseconds(least), nanoseconds(most)],
        });
    }

    /// The share of all warps' clocks that went to a cause.
    pub fn share(&self, cause: Cause) -> f64 {
        let sum = |of: &dyn Fn(&WarpClocks) -> f64| self.warps.iter().map(of).sum::<f64>();
        sum(&|warp| warp.causes[cause as usize]) / sum(&|warp| warp.causes.iter().sum()).max(1.0)
    }

    /// The warps through which at least half of the critical path runs, the most critical one first.
    pub fn critical_warps(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.warps.len()).collect();
        order.sort_by(|&a, &b| self.warps[b].critical.total_cmp(&self.warps[a].critical).then(a.cmp(&b)));
        let mut share = 0.0;
        let enough = order.iter().position(|&warp| {
            share += self.warps[warp].critical;
            share >= 0.5
        });
        order.truncate(enough.map_or(order.len(), |last| last + 1));
        order
    }
}

/// Runs the machine code on an SM with so many CTAs. `shared` bytes are what the launch function gives to a CTA. `None`: it has
/// instructions that the simulator does not know, or the target's pipeline is not described.
///
/// Errors: hazards.
pub fn predict(
    subject: &Subject<'_>,
    cubin: &Cubin,
    shared: u32,
    ctas: u32,
    target: &Target,
) -> Result<Option<Prediction>, Vec<Diagnostic>> {
    if target.pipeline.is_none() || ctas == 0 {
        return Ok(None);
    }
    let Subject { model, graph, program, module, .. } = *subject;
    let (warps, shared) = (program.execution.warps(), at_launch(module, shared));
    let points = |turns: u32| turns * ctas * points_per_turn(program);
    let states = super::judge::states(model, graph, program, points(TURNS[1]) as usize);
    let run = |turns: u32| {
        let points = points(turns) as usize;
        let all: Vec<State> = states.iter().cycle().take(points).cloned().collect();
        let (io, workspace) = (program.io(), program.workspace_bytes_per_cta());
        let shape = Shape { ctas, warps, stride: points, shared, io, workspace };
        simulate::run(&program.symbol, (model, graph), &all, shape, |launch, buffers| {
            let options = warpsim::Options::default();
            machine_code::time(cubin, &program.symbol, launch, buffers, &options, target)
        })
    };
    let mut timings = Vec::new();
    for turns in TURNS {
        match run(turns)? {
            Ok((_, timing)) => timings.push(timing),
            Err(Failure::Unknown(_)) => return Ok(None),
            Err(Failure::Hazards(hazards)) => {
                let hazard = |hazard| Diagnostic::error("simulator::hazard", format!("{}: {hazard}", program.symbol));
                return Err(hazards.list.iter().map(hazard).collect());
            }
        }
    }
    let (more, longer) = timings.pop().expect("two runs");
    let (less, shorter) = timings.pop().expect("two runs");
    let turns = TURNS[1] - TURNS[0];
    let clocks = longer.cycles.saturating_sub(shorter.cycles);
    let clocks_per_point = clocks as f64 / f64::from(points(turns));
    Ok(Some(Prediction {
        ctas,
        points: points(TURNS[0]) + points(TURNS[1]),
        clocks_per_point,
        nanoseconds_per_point: target.board.nanoseconds(clocks_per_point),
        cubes: cubes(points(1) / ctas, ctas, (shorter.cycles as f64, clocks as f64 / f64::from(turns)), &target.board),
        settled: None,
        first_clocks: shorter.cycles as f64,
        warps: (0..warps as usize)
            .map(|warp| clocks_of(warp, warps, f64::from(turns * ctas), [&shorter, &longer]))
            .collect(),
        executed: difference(&more, &less),
        turned_points: points(turns),
        timeline: longer.timeline,
    }))
}

/// Runs many turns of the machine code on a full SM. `None`: where [`predict`] has none, or no loop was found that all warps turn alike.
///
/// Errors: hazards.
pub fn steady(
    subject: &Subject<'_>,
    cubin: &Cubin,
    shared: u32,
    ctas: u32,
    target: &Target,
) -> Result<Option<Steady>, Vec<Diagnostic>> {
    many_turns(subject, cubin, shared, ctas, std::slice::from_ref(target), true)
}

/// Returns the times of the machine code in the steady state under other assumptions about the target. `None`: where [`steady`] has none.
///
/// Errors: hazards.
pub fn sensitivity(
    subject: &Subject<'_>,
    cubin: &Cubin,
    shared: u32,
    ctas: u32,
    target: &Target,
) -> Result<Option<Sensitivity>, Vec<Diagnostic>> {
    let Some(targets) = target.with_other_assumptions() else { return Ok(None) };
    let Some(found) = many_turns(subject, cubin, shared, ctas, &targets, false)? else { return Ok(None) };
    let points = f64::from(ctas * points_per_turn(subject.program));
    let each = |at: usize| target.board.nanoseconds(found.together[at].mean / points);
    let ctas_elsewhere_ns = (targets.len() > 3).then(|| each(3));
    let (caches_half_ns, caches_double_ns, fetch_latency_half_ns) = (each(0), each(1), each(2));
    Ok(Some(Sensitivity { caches_half_ns, caches_double_ns, fetch_latency_half_ns, ctas_elsewhere_ns }))
}

/// Executes as few turns as show what a turn does, and times many of them. `apart`: also with CTAs that begin one after the other.
fn many_turns(
    subject: &Subject<'_>,
    cubin: &Cubin,
    shared: u32,
    ctas: u32,
    targets: &[Target],
    apart: bool,
) -> Result<Option<Steady>, Vec<Diagnostic>> {
    let Subject { model, graph, program, module, .. } = *subject;
    let stride = machine_code::EXECUTED_TURNS * (ctas * points_per_turn(program)) as usize;
    let states = super::judge::states(model, graph, program, stride);
    let all: Vec<State> = states.iter().cycle().take(stride).cloned().collect();
    let (warps, shared) = (program.execution.warps(), at_launch(module, shared));
    let shape = Shape { ctas, warps, stride, shared, io: program.io(), workspace: program.workspace_bytes_per_cta() };
    let run = simulate::run(&program.symbol, (model, graph), &all, shape, |launch, buffers| {
        let options = warpsim::Options::default();
        machine_code::steady(cubin, &program.symbol, launch, buffers, &options, targets, apart)
    });
    Ok(run?.ok().and_then(|(_, found)| found))
}

fn cubes(points_per_turn: u32, ctas: u32, clocks: (f64, f64), board: &Board) -> Vec<Cube> {
    EDGES.map(|edge| cube(edge, points_per_turn, ctas, clocks, board)).to_vec()
}

/// As the launch function does it: as many CTAs as the board holds at once, or as there is work for, stream over the groups. Where not all
/// fit, those that share an SM are taken for as slow as when it is full. `first` clocks are for one turn with what stands around the loop,
/// `each` for every other.
fn cube(edge: u32, points_per_turn: u32, ctas: u32, (first, each): (f64, f64), board: &Board) -> Cube {
    let groups = u64::from(edge).pow(3).div_ceil(u64::from(points_per_turn.max(1)));
    let launched = groups.min(u64::from(ctas.max(1)) * u64::from(board.multiprocessors)).max(1);
    let turns = groups.div_ceil(launched) as u32;
    let clocks = first + f64::from(turns.saturating_sub(1)) * each;
    let launch = f64::from(board.launch_nanoseconds.unwrap_or_default()) / 1e3;
    Cube { edge, turns, microseconds: launch + clocks / f64::from(board.megahertz) }
}

/// Returns the clocks of one warp of each CTA in the turns by which two runs differ. Waits of the first turn alone count as nothing.
fn clocks_of(warp: usize, warps: u32, turns: f64, [shorter, longer]: [&Timing; 2]) -> WarpClocks {
    let mine = |timing: &Timing, of: &dyn Fn(usize) -> u64| {
        (warp..timing.warps.len()).step_by(warps as usize).map(of).sum::<u64>() as f64
    };
    let spent = |timing: &Timing, cause: Cause| mine(timing, &|at| timing.warps[at].clocks(cause));
    let causes = Cause::ALL.map(|cause| (spent(longer, cause) - spent(shorter, cause)).max(0.0) / turns);
    let critical = longer.critical_path(warps as usize);
    let all = critical.iter().sum::<u64>().max(1) as f64;
    WarpClocks { causes, critical: mine(longer, &|at| critical[at]) / all }
}

fn by_name<S: serde::Serializer>(causes: &[f64; Cause::ALL.len()], serializer: S) -> Result<S::Ok, S::Error> {
    serializer
        .collect_map(Cause::ALL.iter().zip(causes).map(|(cause, clocks)| (cause.name().replace(' ', "_"), clocks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cta_with_most_turns_decides() {
        let board = &Target::by_name("hopper").unwrap().board;
        let of = |edge| cube(edge, 32, 2, (3000.0, 1000.0), board);
        // 1024 groups for 264 CTAs
        assert_eq!((of(32).turns, of(32).microseconds), (4, 2.5 + 6000.0 / 1980.0));
        assert_eq!(of(128).turns, 65536u32.div_ceil(264));
        // one point in one turn of one CTA
        assert_eq!((of(1).turns, of(1).microseconds), (1, 2.5 + 3000.0 / 1980.0));
    }
}

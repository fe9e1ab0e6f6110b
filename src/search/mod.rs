//! Where the request leaves a choice, several drafts of a kernel are made and the best is kept. How a draft is made is the
//! driver's business: it takes its tasks from [`Search::task`] and tells what came of them. What is varied, what is better, and what is
//! kept of the losers stands here. What was kept may have further versions, which [`best`] asks for by [`VersionMaker`].

mod kernel_version;
mod layout;
mod level;
mod neighbor;
mod promising;
mod rival;
mod rounds;
mod steady;
mod trial;
mod width;

pub use kernel_version::{KernelVersion, VersionMaker};
pub use layout::{LayoutTime, Sensitivity};
pub use level::LevelTime;
pub use neighbor::Version;
pub use rival::{TimedKernel, Waits};
pub use rounds::best;
pub use trial::{Candidate, Inputs, Outcome, ScheduleScore, Score, Trial};

use crate::forms::Choice;
use crate::plan::{Emit, POINTS_PER_LANE, Resolved};
use command::{Failure, FailureKind};
use graph::Graph;
use lower::code::Code;
use machine::cost::{self, RegisterPressure};
use mapping::Mapping;
use overlay::Codegen;
use overlay::program::{Arithmetic, Program};
use schedule::Storage;
use schedule::proof::Proven;
use schedule::single::Claim;
use width::Width;

/// A candidate on its way to code: proven, and lowered.
pub struct Draft {
    pub graph: Graph,
    pub mapping: Mapping,
    pub proven: Proven,
    /// The ways to schedule it; the first is the one that was proven.
    pub schedules: Vec<ScheduleScore>,
    pub program: Program,
    pub code: Code,
    pub ptx: ptx::Module,
    /// 32-bit registers that a thread holds from block to block of the code; within its only block where it is straight-line code.
    pub registers_held: u32,
    /// Claim about its error in single precision, where that is asked for.
    pub single: Option<Claim>,
    /// Graph whose error in mixed precision is proven; `graph` on singles stands in its place.
    pub whole: Option<Graph>,
}

impl Draft {
    pub fn new(
        graph: Graph,
        mapping: Mapping,
        proven: Proven,
        schedules: Vec<ScheduleScore>,
        program: Program,
        code: Code,
        ptx: ptx::Module,
    ) -> Self {
        let between_blocks = ptx.entries().map(ptx::analysis::pressure::compute).max().unwrap_or(0);
        let within_the_block = match proven.schedule() {
            schedule if schedule.storage == Storage::Registers => {
                let values = program.points_per_lane * (schedule.slots + graph.scalars.len() as u32);
                match program.arithmetic {
                    Arithmetic::Double => RegisterPressure { doubles: values, integers: 0 },
                    Arithmetic::Single { .. } => RegisterPressure { doubles: 0, integers: values },
                }
                .registers()
            }
            _ => 0,
        };
        let registers_held = between_blocks.max(within_the_block);
        Self { graph, mapping, proven, schedules, program, code, ptx, registers_held, single: None, whole: None }
    }

    /// Returns the registers with short-lived values: about what an assembler takes where nothing limits it.
    pub fn registers(&self) -> u32 {
        self.registers_held + cost::short_lived(self.program.points_per_lane)
    }
}

/// Next step of the search.
pub enum Step {
    /// Costs of the forms before scheduling, with so many points per lane.
    Weigh { points_per_lane: u32 },
    /// Draft of a candidate.
    Draft(Candidate),
}

/// The best draft, and all that was tried.
pub struct Found {
    pub choice: Choice,
    pub draft: Draft,
    pub trials: Vec<Trial>,
}

/// Candidates and drafts of one kernel.
pub struct Search<'a> {
    own: Resolved<'a>,
    /// Points per lane that are still to be tried, the next one first.
    widths: Vec<u32>,
    /// The search among the forms with the points per lane that are being tried.
    width: Option<Width<'a>>,
    /// The best number of points per lane so far, with its clocks per point.
    best: Option<(Width<'a>, f64)>,
    refusal: Option<Failure>,
    trials: Vec<Trial>,
}

/// More points per lane are taken as long as each step up saves this share of the clocks: they double registers and the work of
/// a partial last group.
const LEAST_SAVING: f64 = 0.1;

/// The same kernel in data-parallel code, whose estimated time the report has beside that of other layouts. Nothing where it was
/// asked for itself, or where nothing is simulated.
pub fn data_parallel<'a>(own: &Resolved<'a>) -> Option<Resolved<'a>> {
    let asked = own.asked;
    let is_told = asked.emit.contains(&Emit::Report) && asked.verify.is_some() && asked.fault.is_none();
    if !is_told || own.codegens().any(|codegen| codegen == Codegen::DataParallel) {
        return None;
    }
    Some(own.in_layout(Codegen::DataParallel))
}

impl<'a> Search<'a> {
    pub fn new(own: Resolved<'a>) -> Self {
        let widths = own.tuning.points_per_lane.map_or(POINTS_PER_LANE.to_vec(), |points| vec![points]);
        Self { own, widths, width: None, best: None, refusal: None, trials: Vec::new() }
    }

    /// Returns the next step; `None` when the best is found, or nothing can be.
    pub fn task(&mut self) -> Option<Step> {
        loop {
            let Some(width) = &mut self.width else {
                let points_per_lane = *self.widths.first()?;
                return Some(Step::Weigh { points_per_lane });
            };
            if let Some(candidate) = width.next(&mut self.trials) {
                return Some(Step::Draft(candidate));
            }
            self.widen();
        }
    }

    /// Takes what the forms cost.
    pub fn weighed(&mut self, choice: Choice) {
        let points = self.widths.remove(0);
        self.width = Some(Width::new(self.own.with_points(points), choice));
    }

    /// Takes what became of the candidate.
    ///
    /// Errors: the proof failed. That is a defect of the compiler, and no reason to take another candidate.
    pub fn drafted(&mut self, draft: Result<Draft, Failure>) -> Result<(), Failure> {
        match draft {
            Err(failure) if failure.kind == FailureKind::Verification => return Err(failure),
            draft => {
                let width = self.width.as_mut().expect("a draft was asked for");
                width.drafted(draft, &mut self.trials);
            }
        }
        Ok(())
    }

    /// The best draft.
    ///
    /// Errors: why the first form that was tried cannot be made.
    pub fn finish(mut self) -> Result<Found, Failure> {
        let Some((choice, draft, trial)) = self.best.take().and_then(|(width, _)| width.into_best()) else {
            return Err(self.refusal.expect("without a draft there is a refusal"));
        };
        self.trials[trial].outcome = Outcome::Taken;
        self.trials[trial].why.clear();
        Ok(Found { choice, draft, trials: self.trials })
    }

    /// Compares the best draft with so many points per lane with that of fewer: the most are taken whose every step up saves
    /// enough, as long as registers suffice.
    fn widen(&mut self) {
        let Some(width) = self.width.take() else { return };
        let Some((draft, trial)) = width.best() else {
            self.widths.clear();
            self.refusal = width.refusal();
            return;
        };
        let clocks = width.clocks(draft);
        let available = self.own.registers();
        let points = draft.program.points_per_lane;
        match &self.best {
            Some((_, least)) if clocks > (1.0 - LEAST_SAVING) * least => {
                self.trials[trial].why =
                    format!("takes {clocks:.1} clocks per point, and with fewer points per lane {least:.1}");
                self.widths.clear();
            }
            Some(_) if draft.registers() > available => {
                let needed = draft.registers();
                self.trials[trial].why = format!("needs about {needed} registers, and a thread has {available}");
                self.widths.clear();
            }
            prologue => {
                if let Some((narrow, least)) = prologue
                    && let Some((_, trial)) = narrow.best()
                {
                    self.trials[trial].why =
                        format!("takes {least:.1} clocks per point, and with {points} points per lane {clocks:.1}");
                }
                self.best = Some((width, clocks));
            }
        }
    }
}

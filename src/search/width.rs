//! The search among the forms of a kernel for one number of points per lane.

use super::{Candidate, Draft, Inputs, Outcome, Score, Trial};
use crate::forms::{Choice, Variant};
use crate::plan::Resolved;
use command::Failure;
use diagnostics::Diagnostic;
use kernels::{Form, Kernel};
use lower::code::Slots;
use overlay::Codegen;
use schedule::Limits;

pub struct Width<'a> {
    own: Resolved<'a>,
    choice: Choice,
    /// Forms that are settled, with the registers that they lack.
    tried: Vec<(Variant, u32)>,
    best: Option<Best>,
    /// The form that is being settled.
    open: Option<Open>,
    refusals: Vec<Failure>,
}

/// A draft with its place among the trials.
struct Best {
    variant: Variant,
    lacking: u32,
    draft: Draft,
    trial: usize,
}

/// A form whose inputs and slots are being settled.
struct Open {
    variant: Variant,
    slots: Option<u32>,
    /// Inputs that are still to be tried, the next one first.
    inputs: Vec<Inputs>,
    drafts: Vec<(Draft, usize)>,
    refusals: Vec<Failure>,
}

impl Open {
    fn new(variant: Variant, slots: Option<u32>) -> Self {
        let inputs = vec![Inputs::Staged, Inputs::Global];
        Self { variant, slots, inputs, drafts: Vec::new(), refusals: Vec::new() }
    }
}

impl<'a> Width<'a> {
    pub fn new(own: Resolved<'a>, choice: Choice) -> Self {
        Self { own, choice, tried: Vec::new(), best: None, open: None, refusals: Vec::new() }
    }

    /// The next candidate; `None` when no other can be better.
    pub fn next(&mut self, trials: &mut Vec<Trial>) -> Option<Candidate> {
        loop {
            match self.open.take() {
                None => match self.choice.next(&self.tried) {
                    Some(variant) => self.open = Some(Open::new(variant, self.own.limits().slots)),
                    None => {
                        self.counted_only(trials);
                        return None;
                    }
                },
                Some(open) => match open.inputs.first() {
                    Some(&inputs) => {
                        let candidate = self.candidate(open.variant, inputs, open.slots);
                        self.open = Some(open);
                        return Some(candidate);
                    }
                    None => self.open = self.settle(open, trials),
                },
            }
        }
    }

    /// Takes what became of the candidate that was asked for.
    pub fn drafted(&mut self, draft: Result<Draft, Failure>, trials: &mut Vec<Trial>) {
        let open = self.open.as_mut().expect("a candidate was asked for");
        let inputs = open.inputs.remove(0);
        let (score, why) = match &draft {
            Ok(draft) => (Some(score(&self.own, draft)), String::new()),
            Err(failure) => {
                (None, failure.diagnostics.first().map_or(String::new(), |d| format!("{}: {}", d.id, d.message)))
            }
        };
        trials.push(Trial {
            points_per_lane: self.own.points(),
            form: open.variant.to_string(),
            inputs: Some(inputs),
            slots: open.slots,
            outcome: if score.is_some() { Outcome::Lost } else { Outcome::Refused },
            score,
            why,
        });
        match draft {
            Ok(draft) => open.drafts.push((draft, trials.len() - 1)),
            Err(failure) => open.refusals.push(failure),
        }
    }

    /// The best draft, with its place among the trials.
    pub fn best(&self) -> Option<(&Draft, usize)> {
        self.best.as_ref().map(|best| (&best.draft, best.trial))
    }

    pub fn into_best(mut self) -> Option<(Choice, Draft, usize)> {
        let best = self.best?;
        self.choice.variant = best.variant;
        Some((self.choice, best.draft, best.trial))
    }

    /// Why the first form that was tried cannot be made.
    pub fn refusal(self) -> Option<Failure> {
        self.refusals.into_iter().next()
    }

    /// Clocks of an SM per point in the busiest pipe.
    pub fn clocks(&self, draft: &Draft) -> f64 {
        self.own.rates().clocks(&draft.graph, self.own.cooperating_warps())
    }

    fn candidate(&self, variant: Variant, inputs: Inputs, slots: Option<u32>) -> Candidate {
        let options = kernels::Options {
            stage_inputs: inputs == Inputs::Staged,
            activities: inputs != Inputs::GlobalWithoutActivities,
            ..self.own.options_of(variant)
        };
        let limits = Limits { slots, ..self.own.limits() };
        Candidate { variant, inputs, options, limits }
    }

    /// Inputs pass through shared memory, unless leaving them in global memory gives a shorter schedule or is all that fits. The
    /// log-space chemistry does without activities where they do not fit. Constants in shared memory, and slots that matrix products
    /// read, leave less room to the slots; how much is known only when the program is there: then the form stays open.
    fn settle(&mut self, open: Open, trials: &mut [Trial]) -> Option<Open> {
        let Open { variant, slots, mut drafts, mut refusals, .. } = open;
        let log_space = variant.form == Form::LogSpace && self.own.kernel.has_rates();
        if drafts.is_empty() && refusals.len() == 2 && log_space {
            return Some(Open { variant, slots, inputs: vec![Inputs::GlobalWithoutActivities], drafts, refusals });
        }
        if drafts.is_empty() {
            self.refused(variant, refusals.pop().expect("what was not drafted was refused"));
            return None;
        }
        let clocks = |(draft, _): &(Draft, usize)| draft.schedules[0].clocks;
        let shorter = drafts.len() == 2 && clocks(&drafts[1]) < clocks(&drafts[0]);
        let (draft, trial) = drafts.swap_remove(usize::from(shorter));
        if let Some((other, lost)) = drafts.pop() {
            let (more, less) = (other.schedules[0].clocks, draft.schedules[0].clocks);
            trials[lost].why = format!("a turn takes {more:.0} clocks, and with the inputs elsewhere {less:.0}");
        }
        match slots_left(&self.own, slots, &draft) {
            Ok(None) => self.compare(Best { variant, lacking: lacking(&self.own, &draft), draft, trial }, trials),
            Ok(Some(left)) => {
                trials[trial].why = format!("constants leave room for {left} slots: scheduled again");
                return Some(Open::new(variant, Some(left)));
            }
            Err(refusal) => {
                trials[trial].outcome = Outcome::Refused;
                trials[trial].why.clone_from(&refusal.message);
                self.refused(variant, Failure::input([refusal]));
            }
        }
        None
    }

    fn refused(&mut self, variant: Variant, failure: Failure) {
        self.tried.push((variant, u32::MAX));
        self.refusals.push(failure);
    }

    /// The cheapest form that fits shared memory and registers is best. Where registers suffice for none, the one that exceeds
    /// them least.
    fn compare(&mut self, new: Best, trials: &mut [Trial]) {
        self.choice.recount(new.variant, &new.draft.graph, self.own.cooperating_warps());
        self.tried.push((new.variant, new.lacking));
        let Some(old) = self.best.take() else {
            self.best = Some(new);
            return;
        };
        let cheaper = self.choice.is_cheaper(new.variant, old.variant);
        let better = new.lacking < old.lacking || new.lacking == old.lacking && cheaper;
        let (winner, loser) = if better { (new, old) } else { (old, new) };
        trials[loser.trial].why = if winner.lacking < loser.lacking {
            format!("lacks {} registers per thread, and {} lacks {}", loser.lacking, winner.variant, winner.lacking)
        } else {
            let clocks = [&loser, &winner].map(|best| self.clocks(&best.draft));
            format!("takes {:.1} clocks per point, and {} takes {:.1}", clocks[0], winner.variant, clocks[1])
        };
        self.best = Some(winner);
    }

    /// Forms that were counted, and are no better even so.
    fn counted_only(&self, trials: &mut Vec<Trial>) {
        let Some(best) = &self.best else { return };
        for (form, clocks, within) in self.choice.counted(&self.tried) {
            trials.push(Trial {
                points_per_lane: self.own.points(),
                form,
                inputs: None,
                slots: None,
                score: None,
                outcome: Outcome::Counted,
                why: if within {
                    let least = self.clocks(&best.draft);
                    format!(
                        "takes {clocks:.1} clocks per point before scheduling, and {} takes {least:.1}",
                        best.variant
                    )
                } else {
                    "its error bound is beyond the fit tolerance".into()
                },
            });
        }
    }
}

fn score(own: &Resolved<'_>, draft: &Draft) -> Score {
    Score {
        clocks_per_point: own.rates().clocks(&draft.graph, own.cooperating_warps()),
        registers_held: draft.registers_held,
        registers_lacking: lacking(own, draft),
        schedules: draft.schedules.clone(),
    }
}

/// By how much the values that pass from block to block exceed a thread's registers. Those of data-parallel code are in local
/// memory by decision, and a few that straight code spills cost less than another form.
fn lacking(own: &Resolved<'_>, draft: &Draft) -> u32 {
    if matches!(own.codegen, Codegen::DataParallel | Codegen::Straight) {
        return 0;
    }
    draft.registers_held.saturating_sub(own.registers())
}

/// `None` where slots and constants fit beside each other, else the slots that the constants leave, fewer than before.
///
/// Errors: they leave none.
fn slots_left(own: &Resolved<'_>, slots: Option<u32>, draft: &Draft) -> Result<Option<u32>, Diagnostic> {
    let (Slots { rows, .. }, each) = (draft.code.slots, own.points() * own.groups());
    let count = draft.program.slots_in_place();
    let row_bytes = draft.code.slots.row_bytes();
    let (taken, most) = (draft.code.shared_bytes(), own.shared_bytes());
    if slots.is_none() && taken > most {
        return Err(too_many_constants(own.kernel, taken, most));
    }
    // Slots lie further apart where matrix products read them.
    let total = own.limits().slots.map(|most| most * each * 8 * 32 / row_bytes);
    let (Some(total), Some(_)) = (total, slots) else { return Ok(None) };
    if rows <= total {
        return Ok(None);
    }
    let constants = rows - count;
    let left = (total.saturating_sub(constants) / each).min((count / each).saturating_sub(1));
    if left > 0 {
        return Ok(Some(left));
    }
    let [bytes, available] = [constants, total].map(|rows| row_bytes * rows);
    Err(too_many_constants(own.kernel, bytes, available))
}

fn too_many_constants(kernel: Kernel, bytes: u32, available: u32) -> Diagnostic {
    let message =
        format!("{kernel}: the constants take {bytes} bytes of shared memory, and a CTA may have {available}");
    let remedy = "use --layout constants=stripe or constant-bank, more warps, or fewer CTAs per SM or points per lane";
    Diagnostic::error("schedule::constants", message).help(remedy)
}

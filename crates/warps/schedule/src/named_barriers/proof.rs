//! Checks a plan, sharing no code with what makes it, nor with what runs the machine code.
//!
//! The plan is static: all waves are run to where each of them waits, for two turns, with vector clocks, as in
//! [`crate::proof`]. An arrival or a joining must know of the setting up of its barrier and of all completions before, so that
//! arrivals are counted together in one way only, whatever the waves' speed. That the uses are those of the proven schedule hands on what is proven of it.

use super::{Act, Plan, Step};
use crate::Action;
use diagnostics::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// A plan that passed [`prove`].
#[derive(Debug, Clone)]
pub struct Proven(Plan);

impl Proven {
    pub fn plan(&self) -> &Plan {
        &self.0
    }
}

/// Facts that the plan is held against.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    pub kernel: &'a str,
    /// Named barriers of a workgroup.
    pub room: u32,
    /// Actions of each warp in the proven schedule; there are as many waves for each warp as groups of warps.
    pub schedule: &'a [Vec<Action>],
}

/// Errors: one diagnostic for each kind of violation.
pub fn prove(plan: Plan, around: Around<'_>) -> Result<Proven, Vec<Diagnostic>> {
    let mut found = Found { kernel: around.kernel, violations: Vec::new() };
    limits(&plan, around.room, &mut found);
    forms(&plan, &mut found);
    is_of_the_schedule(&plan, around.schedule, &mut found);
    run(&plan, &mut found);
    if found.violations.is_empty() { Ok(Proven(plan)) } else { Err(found.violations) }
}

struct Found<'a> {
    kernel: &'a str,
    violations: Vec<Diagnostic>,
}

impl Found<'_> {
    /// Further violations of a kind are consequences more often than news.
    fn report(&mut self, id: &'static str, message: String) {
        if self.violations.iter().all(|violation| violation.id != id) {
            self.violations.push(Diagnostic::error(id, format!("{}: {message}", self.kernel)));
        }
    }
}

/// No barrier that the machine does not have.
fn limits(plan: &Plan, room: u32, found: &mut Found<'_>) {
    let used = plan.programs.iter().flatten().map(|step| step.of.id);
    if let Some(id) = used.chain(plan.set_up.barriers.iter().map(|&(id, _)| id)).find(|&id| id >= room) {
        found.report("proof::barrier-limit", format!("barrier {id} is used, and a workgroup has {room}"));
    }
}

/// Each use is printed as a call of one of two functions: all of a kind must do the same, each at its own barrier, and arrive once, and wait
/// once behind that if they wait.
fn forms(plan: &Plan, found: &mut Found<'_>) {
    let mut of_kind = [None, None];
    for (wave, step) in numbered(plan) {
        let (id, waits) = (step.of.id, step.of.waits);
        let form: Vec<Act> = step.acts.iter().map(|act| relative(*act, step)).collect();
        if of_kind[usize::from(waits)].get_or_insert_with(|| form.clone()) != &form {
            found.report("proof::barrier-plan", format!("wave {wave} uses barrier {id} unlike other uses of the kind"));
        }
        let places = |is: fn(&Act) -> bool| -> Vec<usize> {
            step.acts.iter().enumerate().filter(|(_, act)| is(act)).map(|(place, _)| place).collect()
        };
        let signals = places(|act| matches!(act, Act::Signal { .. }));
        let ends = places(|act| matches!(act, Act::Wait(_)));
        let pairs = match (signals.as_slice(), ends.as_slice()) {
            ([signal], [wait]) => waits && signal < wait,
            ([_], []) => !waits,
            _ => false,
        };
        if !pairs {
            let kind = if waits { "an arrival and a waiting behind it" } else { "one arrival" };
            let message = format!("wave {wave} arrives {} and waits {} times", signals.len(), ends.len());
            found.report("proof::barrier-pairing", format!("{message} in a use of barrier {id}, which is {kind}"));
        }
        let stands = |place: Option<usize>, act: Act| place.and_then(|place| step.acts.get(place)) == Some(&act);
        let first = step.acts.iter().position(|act| !matches!(act, Act::Join(_)));
        let is_released = stands(first, Act::Release);
        if !is_released || ends.iter().any(|&wait| !stands(Some(wait + 1), Act::Acquire)) {
            let message = format!("wave {wave} does not release ahead of, or acquire behind, a use of barrier {id}");
            found.report("proof::barrier-fence", message);
        }
    }
}

/// The act as it is printed: with the barrier and the count of its use.
fn relative(act: Act, step: &Step) -> Act {
    let id = |id: u32| if id == step.of.id { 0 } else { 1 + id };
    match act {
        Act::Join(other) => Act::Join(id(other)),
        Act::Wait(other) => Act::Wait(id(other)),
        Act::Signal { id: other, waves } => {
            Act::Signal { id: id(other), waves: if waves == step.of.waves { 0 } else { waves } }
        }
        act => act,
    }
}

/// Each wave uses the barriers of the schedule as its warp does, in the same order. Others may be used beside them.
fn is_of_the_schedule(plan: &Plan, schedule: &[Vec<Action>], found: &mut Found<'_>) {
    let groups = (plan.programs.len() / schedule.len().max(1)) as u32;
    let scheduled: Vec<Vec<(u32, u32, bool)>> = schedule
        .iter()
        .map(|actions| {
            let of = |action: &Action| match *action {
                Action::Arrive { id, threads } => Some((id, threads / 32 * groups, false)),
                Action::Sync { id, threads } => Some((id, threads / 32 * groups, true)),
                _ => None,
            };
            actions.iter().filter_map(of).collect()
        })
        .collect();
    let known: BTreeSet<u32> = scheduled.iter().flatten().map(|&(id, ..)| id).collect();
    for (wave, program) in plan.programs.iter().enumerate() {
        let of = |step: &Step| (step.of.id, step.of.waves, step.of.waits);
        let own: Vec<_> = program.iter().map(of).filter(|(id, ..)| known.contains(id)).collect();
        if scheduled.get(wave % schedule.len().max(1)) != Some(&own) {
            let message = format!("wave {wave} uses other barriers than its warp does in the proven schedule");
            found.report("proof::barrier-plan", message);
        }
    }
}

fn numbered(plan: &Plan) -> impl Iterator<Item = (usize, &Step)> {
    plan.programs.iter().enumerate().flat_map(|(wave, program)| program.iter().map(move |step| (wave, step)))
}

/// Number of acts of each wave that are known to be done.
type Clock = Vec<u32>;

fn learn(own: &mut Clock, other: &Clock) {
    own.iter_mut().zip(other).for_each(|(own, other)| *own = (*own).max(*other));
}

#[derive(Default)]
struct Barrier {
    /// Expected arrivals, by the setting up or by the last arrival.
    expected: Option<u32>,
    /// Knowledge that its users must have: the setting up and all completions.
    behind: Clock,
    arrived: Vec<usize>,
    /// Knowledge of those that arrived.
    gathered: Clock,
    completions: Vec<Clock>,
}

#[derive(Default, Clone)]
struct Wave {
    clock: Clock,
    joined: Option<u32>,
    /// An arrival that it has to wait for: where, and at which completion.
    owed: Option<(u32, usize)>,
}

/// All waves, to where each of them waits.
struct Run<'a, 'b> {
    waves: Vec<Wave>,
    barriers: BTreeMap<u32, Barrier>,
    found: &'a mut Found<'b>,
}

fn run(plan: &Plan, found: &mut Found<'_>) {
    let count = plan.programs.len();
    let waves = vec![Wave { clock: vec![0; count], ..Wave::default() }; count];
    let mut run = Run { waves, barriers: BTreeMap::new(), found };
    run.set_up(plan);
    for turn in 1..=2 {
        run.turn(plan, turn);
        if !run.found.violations.is_empty() {
            return;
        }
    }
}

impl Run<'_, '_> {
    fn set_up(&mut self, plan: &Plan) {
        let wave = plan.set_up.wave as usize;
        let count = self.waves.len();
        for &(id, expected) in &plan.set_up.barriers {
            let Some(own) = self.waves.get_mut(wave) else { continue };
            own.clock[wave] += 1;
            let barrier = self.barriers.entry(id).or_default();
            (barrier.expected, barrier.behind, barrier.gathered) = (Some(expected), own.clock.clone(), vec![0; count]);
        }
        if plan.set_up.meets
            && let Some(known) = self.waves.get(wave).map(|wave| wave.clock.clone())
        {
            self.waves.iter_mut().for_each(|wave| learn(&mut wave.clock, &known));
        }
    }

    fn turn(&mut self, plan: &Plan, turn: u32) {
        let acts: Vec<Vec<(Act, &Step)>> = plan
            .programs
            .iter()
            .map(|program| program.iter().flat_map(|step| step.acts.iter().map(move |act| (*act, step))).collect())
            .collect();
        let mut position = vec![0; acts.len()];
        loop {
            let mut progress = false;
            for (wave, own) in acts.iter().enumerate() {
                while let Some(&(act, step)) = own.get(position[wave])
                    && self.act(wave, act, step)
                {
                    position[wave] += 1;
                    progress = true;
                }
            }
            if !progress {
                break;
            }
        }
        for (wave, own) in acts.iter().enumerate() {
            if let Some((_, step)) = own.get(position[wave]) {
                let (id, waves) = (step.of.id, step.of.waves);
                let came = self.barriers.get(&id).map_or(0, |barrier| barrier.arrived.len());
                let message = format!("wave {wave} waits at barrier {id} in turn {turn}, where {came} of {waves} came");
                self.found.report("proof::deadlock", message);
            }
        }
        let open = self.barriers.iter().find(|(_, barrier)| !barrier.arrived.is_empty());
        if let Some((id, waves)) = open.map(|(&id, barrier)| (id, barrier.arrived.clone())) {
            let message = format!("barrier {id} still holds the arrivals of waves {waves:?} at the end of a turn");
            self.found.report("proof::barrier-left-open", message);
        }
    }

    /// Whether the wave goes on.
    fn act(&mut self, wave: usize, act: Act, step: &Step) -> bool {
        match act {
            Act::Release | Act::Acquire => {}
            Act::Join(id) => self.join(wave, id),
            Act::Signal { id, waves } => self.signal(wave, id, waves, step),
            Act::Wait(id) => return self.wait(wave, id),
        }
        self.waves[wave].clock[wave] += 1;
        true
    }

    fn is_ready(&mut self, wave: usize, id: u32) {
        let Some(barrier) = self.barriers.get(&id).filter(|barrier| barrier.expected.is_some()) else {
            self.found.report("proof::barrier-set-up", format!("wave {wave} uses barrier {id}, which is not set up"));
            return;
        };
        let lacks = self.waves[wave].clock.iter().zip(&barrier.behind).any(|(own, behind)| own < behind);
        if lacks && barrier.completions.is_empty() {
            let message = format!("nothing orders wave {wave}'s use of barrier {id} behind its setting up");
            self.found.report("proof::barrier-set-up", message);
        } else if lacks {
            let message = format!("wave {wave} uses barrier {id} again, and does not know that the use before is over");
            self.found.report("proof::barrier-recycling", message);
        }
    }

    fn join(&mut self, wave: usize, id: u32) {
        self.is_ready(wave, id);
        if let Some((other, _)) = self.waves[wave].owed {
            let message =
                format!("wave {wave} leaves barrier {other} for {id} and has not waited for its arrival there");
            self.found.report("proof::barrier-membership", message);
        }
        self.waves[wave].joined = Some(id);
    }

    fn signal(&mut self, wave: usize, id: u32, waves: u32, step: &Step) {
        self.is_ready(wave, id);
        let Some(barrier) = self.barriers.get_mut(&id) else { return };
        let own = &mut self.waves[wave];
        if step.of.waits && own.joined != Some(id) {
            let message = format!("wave {wave} arrives at barrier {id} to wait there, and has not joined it");
            self.found.report("proof::barrier-membership", message);
        }
        // The first arrival at a later use tells its own count.
        let is_told = !barrier.arrived.is_empty() || barrier.completions.is_empty();
        if is_told && barrier.expected != Some(waves) || waves == 0 {
            let before = barrier.expected.unwrap_or(0);
            let message = format!("wave {wave} expects {waves} arrivals at barrier {id}, which has {before}");
            self.found.report("proof::barrier-count", message);
        }
        if barrier.arrived.contains(&wave) {
            self.found.report("proof::barrier-twice", format!("wave {wave} arrives twice at one use of barrier {id}"));
        }
        barrier.expected = Some(waves);
        barrier.arrived.push(wave);
        own.clock[wave] += 1;
        learn(&mut barrier.gathered, &own.clock);
        if step.of.waits {
            own.owed = Some((id, barrier.completions.len()));
        }
        if barrier.arrived.len() as u32 >= waves {
            let known = std::mem::replace(&mut barrier.gathered, vec![0; self.waves.len()]);
            learn(&mut barrier.behind, &known);
            barrier.completions.push(known);
            barrier.arrived.clear();
        }
    }

    fn wait(&mut self, wave: usize, id: u32) -> bool {
        let own = &mut self.waves[wave];
        let Some((_, completion)) = own.owed.filter(|&(owed, _)| owed == id && own.joined == Some(id)) else {
            let message = format!("wave {wave} waits at barrier {id}, and has not joined it or not arrived there");
            self.found.report("proof::barrier-membership", message);
            return true;
        };
        let Some(known) = self.barriers.get(&id).and_then(|barrier| barrier.completions.get(completion)) else {
            return false;
        };
        learn(&mut own.clock, known);
        own.clock[wave] += 1;
        own.owed = None;
        true
    }
}

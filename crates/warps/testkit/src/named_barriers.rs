//! A plan for AMD's named barriers that the proof accepts, and broken plans for each class of error.

use diagnostics::Diagnostic;
use schedule::Action;
use schedule::named_barriers::proof::{self, Around, Proven};
use schedule::named_barriers::{Act, Plan, Step, Use};

/// (id that the proof must report, what is broken, the breaking of the plan).
pub type Broken = (&'static str, &'static str, fn(&mut Plan));

pub const BROKEN: [Broken; 23] = [
    ("proof::barrier-set-up", "a barrier is not set up", |p| {
        p.set_up.barriers.remove(1);
    }),
    ("proof::barrier-set-up", "waves do not meet behind the setting up", |p| p.set_up.meets = false),
    ("proof::barrier-count", "set up for one arrival more", |p| p.set_up.barriers[1].1 += 1),
    ("proof::barrier-count", "set up for one arrival less", |p| p.set_up.barriers[1].1 -= 1),
    ("proof::barrier-count", "waves tell other counts", |p| signals(&mut p.programs[0][0], |waves| waves + 1)),
    ("proof::deadlock", "all tell one arrival more than there are", |p| {
        steps(p).for_each(|step| signals(step, |waves| waves + 1));
        p.set_up.barriers.iter_mut().for_each(|(_, waves)| *waves += 1);
    }),
    ("proof::barrier-membership", "the wave arrives ahead of joining", |p| waiting(p, |acts| acts.swap(1, 2))),
    ("proof::barrier-membership", "the wave does not join", |p| waiting(p, |acts| remove(acts, 1))),
    ("proof::barrier-membership", "the wave has joined another barrier", |p| {
        waiting(p, |acts| acts.insert(2, Act::Join(0)));
    }),
    ("proof::barrier-membership", "the wave joins the next barrier ahead of waiting at the one before", |p| {
        let late = p.programs[1][0].acts.split_off(3);
        p.programs[1][1].acts.splice(2..2, late);
    }),
    ("proof::barrier-membership", "the wave waits at another barrier than it has joined", |p| {
        waiting(p, |acts| acts[3] = Act::Wait(9));
    }),
    ("proof::barrier-pairing", "no waiting", |p| waiting(p, |acts| remove(acts, 3))),
    ("proof::barrier-pairing", "waiting ahead of the arrival", |p| waiting(p, |acts| acts.swap(2, 3))),
    ("proof::barrier-pairing", "two waitings", |p| waiting(p, |acts| acts.insert(4, acts[3]))),
    ("proof::barrier-twice", "two arrivals", |p| waiting(p, |acts| acts.insert(3, acts[2]))),
    ("proof::barrier-fence", "no release", |p| waiting(p, |acts| remove(acts, 0))),
    ("proof::barrier-fence", "no acquisition", |p| waiting(p, |acts| remove(acts, 4))),
    ("proof::barrier-limit", "more barriers than a workgroup has", |p| renamed(p, 2, 16)),
    ("proof::barrier-recycling", "one barrier for two uses that nothing orders", |p| {
        renamed(p, 2, 1);
        // The side that goes on comes behind the side that waits.
        p.programs.reverse();
    }),
    ("proof::barrier-left-open", "an arrival that completes nothing", |p| {
        let of = Use { id: 3, waves: 2, waits: false };
        p.set_up.barriers.push((3, 2));
        p.programs[0].push(Step { of, acts: vec![Act::Release, Act::Signal { id: 3, waves: 2 }] });
    }),
    ("proof::deadlock", "a wave that never arrives", |p| drop(p.programs[0].remove(0))),
    ("proof::barrier-plan", "another order than the proven one", |p| p.programs[0].swap(0, 1)),
    ("proof::barrier-plan", "uses of one kind that differ", |p| p.programs[1][0].acts.swap(0, 1)),
];

/// Returns the proof of a plan for the schedule of [`super::handover`] after `break_it`, with each warp as `groups` waves.
pub fn proven(groups: u32, break_it: fn(&mut Plan)) -> Result<Proven, Vec<Diagnostic>> {
    let (_, _, schedule) = super::handover::handover();
    let actions: Vec<Vec<Action>> = (0..schedule.warps).map(|warp| schedule.actions(warp)).collect();
    let of = |action: &Action| match *action {
        Action::Arrive { id, threads } => Some(Use { id, waves: threads / 32 * groups, waits: false }),
        Action::Sync { id, threads } => Some(Use { id, waves: threads / 32 * groups, waits: true }),
        _ => None,
    };
    let by_warp: Vec<Vec<Use>> = actions.iter().map(|own| own.iter().filter_map(of).collect()).collect();
    let by_wave: Vec<Vec<Use>> = (0..groups).flat_map(|_| by_warp.clone()).collect();
    let mut plan = Plan::new(&by_wave);
    break_it(&mut plan);
    proof::prove(plan, Around { kernel: "handover", room: 16, schedule: &actions })
}

fn steps(plan: &mut Plan) -> impl Iterator<Item = &mut Step> {
    plan.programs.iter_mut().flatten()
}

/// Changes all uses that wait: a release, a joining, an arrival, a waiting, an acquisition.
fn waiting(plan: &mut Plan, change: fn(&mut Vec<Act>)) {
    steps(plan).filter(|step| step.of.waits).for_each(|step| change(&mut step.acts));
}

fn remove(acts: &mut Vec<Act>, place: usize) {
    acts.remove(place);
}

fn signals(step: &mut Step, change: fn(u32) -> u32) {
    for act in &mut step.acts {
        if let Act::Signal { waves, .. } = act {
            *waves = change(*waves);
        }
    }
}

fn renamed(plan: &mut Plan, from: u32, to: u32) {
    let rename = |id: &mut u32| *id = if *id == from { to } else { *id };
    plan.set_up.barriers.iter_mut().for_each(|(id, _)| rename(id));
    for step in steps(plan) {
        rename(&mut step.of.id);
        for act in &mut step.acts {
            if let Act::Join(id) | Act::Wait(id) | Act::Signal { id, .. } = act {
                rename(id);
            }
        }
    }
}

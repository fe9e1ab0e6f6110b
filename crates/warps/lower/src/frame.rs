//! Code around the body: the thread's place, its constants, and the loop over groups of points.

use super::Needs;
use super::code::IntegerOperator::*;
use super::code::*;
use machine::target::{Shuffle, Target};
use overlay::program::{Execution, Program};

/// Returns the statements that run once per thread.
pub fn prologue(program: &Program, needs: &Needs, target: &Target) -> Vec<Statement> {
    let mut out = Vec::new();
    let changes = needs.recomputes;
    let define = |local, value, changes| Statement::DefineInteger { local, value, changes };
    let is_seen = sees_warps(program, target);
    let uniform = |warp| if is_seen { Integer::Uniform(Box::new(warp)) } else { warp };
    if needs.warp || is_data_parallel(program) || has_warp_groups(program) {
        let own = warps(program, target, Integer::Thread, uniform);
        out.extend(own.into_iter().map(|(local, value)| define(local, value, changes && !is_seen)));
    }
    for &bank in &needs.own {
        let [common, own] = program.constants.entries(bank, program.execution.roles());
        out.push(define(Local::Own(bank), Integer::Local(Local::Warp).with(Mul, own).with(Add, common), false));
    }
    if needs.lane || !needs.points.is_empty() {
        out.push(define(Local::Lane, lane(Integer::Thread), changes));
    }
    if program.has_matrix_products() {
        let lane = || Integer::Local(Local::Lane);
        let about = "Points that are this lane's columns in matrix products, in the first group of 8.";
        out.push(Statement::Comment(about.to_owned()));
        // Column l/4 of a right-hand matrix, and columns 2 (l%4) and 2 (l%4) + 1 of a result.
        let read = Integer::binary(Xor, lane().with(ShiftRight, 2), lane().with(ShiftRight, 4));
        out.push(define(Local::ReadColumn, read, false));
        let twice = lane().with(And, 3).with(ShiftLeft, 1);
        let write = Integer::binary(Xor, twice, lane().with(ShiftRight, 1).with(And, 1));
        out.push(define(Local::WriteColumn, write, false));
        let other = Integer::Local(Local::WriteColumn).with(Xor, 1);
        out.push(define(Local::OtherColumn, other, false));
    }
    stripes(program, needs, &mut out);
    shared_banks(program, &mut out);
    if needs.powers {
        out.push(Statement::CopyPowers);
    }
    if needs.recomputes {
        out.push(define(Local::GivenStride, Integer::Local(Local::Stride), false));
    }
    if !needs.recomputes || program.shares_turns() {
        let size = program.points_per_group();
        let partial = Integer::IsNotZero(Box::new(Integer::Points.with(Rem, size)));
        out.push(define(Local::Groups, Integer::binary(Add, Integer::Points.with(Div, size), partial), false));
    }
    out
}

/// The loop over groups of points.
pub fn stream(program: &Program, needs: &Needs, body: Vec<Statement>) -> Stream {
    let groups_per_cta = program.execution.groups_per_cta();
    let (first, step) = (Integer::Cta.with(Mul, groups_per_cta), Integer::Ctas.with(Mul, groups_per_cta));
    // Warps that wait for each other take equally many turns: the loop is over the first of the CTA's groups.
    let is_alone = is_data_parallel(program) && !program.shares_turns();
    let first = if is_alone { Integer::binary(Add, first, Integer::Local(Local::Warp)) } else { first };
    let group = || Integer::Local(Local::Group);
    // Where registers are short, without the number of groups.
    let more = if needs.recomputes {
        Less { a: group().with(Mul, program.points_per_group()), b: Integer::Points, is_wide: true }
    } else {
        Less { a: group(), b: Integer::Local(Local::Groups), is_wide: false }
    };
    let mut points = Vec::new();
    for point in 0..program.points_per_lane {
        if needs.active.contains(&point) {
            let value = if program.shares_turns() {
                let first = own_group(program, group()).with(Mul, program.points_per_group());
                let behind = Integer::Local(Local::Lane).with(Add, 32 * point);
                Less { a: Integer::binary(Add, behind, first), b: Integer::Points, is_wide: true }
            } else {
                Less { a: number(program, &group(), point), b: Integer::Points, is_wide: false }
            };
            points.push(Statement::DefineActive { point, value });
        }
        if needs.points.contains(&point) {
            let (local, value) = clamped(program, point);
            points.push(Statement::DefineInteger { local, value, changes: needs.recomputes });
        }
    }
    Stream { first, more, step, groups_per_cta, points, body }
}

/// Returns the numbers that tell a thread its place, and those that follow from them, for compilers that are not to keep them.
pub fn recomputed(program: &Program, target: &Target) -> Vec<(Local, Integer)> {
    let thread = || Integer::Opaque(Box::new(Integer::Thread));
    let stride = Integer::Opaque(Box::new(Integer::Local(Local::GivenStride)));
    // Where compilers see that a warp has one number, no thread keeps it.
    let warps = if sees_warps(program, target) { Vec::new() } else { warps(program, target, thread(), |warp| warp) };
    let own = warps.into_iter().chain([(Local::Lane, lane(thread())), (Local::Stride, stride)]);
    own.chain((0..program.points_per_lane).map(|point| clamped(program, point))).collect()
}

/// Whether compilers are told that all lanes of a warp have its number. They only gain by it where the lanes need not run in
/// lockstep, and branches on numbers of threads make them part.
fn sees_warps(program: &Program, target: &Target) -> bool {
    !is_data_parallel(program) && matches!(target.shuffle, Shuffle::ShflSync | Shuffle::Permute)
}

pub fn is_data_parallel(program: &Program) -> bool {
    matches!(program.execution, Execution::DataParallel { .. })
}

fn has_warp_groups(program: &Program) -> bool {
    program.execution.warp_groups() > 1
}

/// The number of the warp, and of its group where a CTA has several. Warps with one number in their groups are as many apart as a
/// group has warps: where these are a multiple of four, they share a sub-partition of the SM and its cache for instructions.
///
/// Where a wave has the lanes of several warps, these are warps with one number, of as many groups: so they take every branch together.
fn warps(
    program: &Program,
    target: &Target,
    thread: Integer,
    uniform: impl Fn(Integer) -> Integer,
) -> Vec<(Local, Integer)> {
    if !has_warp_groups(program) {
        return vec![(Local::Warp, uniform(thread.with(ShiftRight, 5)))];
    }
    let (roles, per_wave) = (program.execution.roles(), target.warps_per_wave());
    let wave = uniform(thread.clone().with(ShiftRight, (32 * per_wave).trailing_zeros()));
    let cta_warp = || Integer::Local(Local::CtaWarp);
    if per_wave == program.execution.warp_groups() {
        let group = thread.with(ShiftRight, 5).with(And, per_wave - 1);
        return vec![(Local::CtaWarp, wave), (Local::WarpGroup, group), (Local::Warp, cta_warp())];
    }
    let quotient = if roles.is_power_of_two() {
        cta_warp().with(ShiftRight, roles.trailing_zeros())
    } else {
        // The quotient of numbers below 32, by a reciprocal in 1024ths.
        cta_warp().with(Mul, 1024u32.div_ceil(roles)).with(ShiftRight, 10)
    };
    if per_wave == 1 {
        let own = Integer::binary(Sub, cta_warp(), Integer::Local(Local::WarpGroup).with(Mul, roles));
        return vec![(Local::CtaWarp, wave), (Local::WarpGroup, quotient), (Local::Warp, own)];
    }
    let own = Integer::binary(Sub, cta_warp(), quotient.clone().with(Mul, roles));
    let place = thread.with(ShiftRight, 5).with(And, per_wave - 1);
    let group = Integer::binary(Add, quotient.with(Mul, per_wave), place);
    vec![(Local::CtaWarp, wave), (Local::WarpGroup, group), (Local::Warp, own)]
}

fn lane(thread: Integer) -> Integer {
    thread.with(And, 31)
}

/// The lane's points in a group, none beyond the last point.
pub fn points(program: &Program, group: &Integer) -> Vec<Integer> {
    let group = if program.shares_turns() {
        let last = Integer::Local(Local::Groups).with(Sub, 1);
        Integer::binary(Min, own_group(program, group.clone()), last)
    } else {
        group.clone()
    };
    (0..program.points_per_lane).map(|point| in_range(number(program, &group, point))).collect()
}

/// The warp's own group, where the loop is over the first one of its CTA. There may be no such group.
fn own_group(program: &Program, first: Integer) -> Integer {
    let own = if has_warp_groups(program) { Local::WarpGroup } else { Local::Warp };
    Integer::binary(Add, first, Integer::Local(own))
}

fn in_range(point: Integer) -> Integer {
    Integer::binary(Min, point, Integer::Points.with(Sub, 1))
}

/// The number of one of the lane's points in a group.
fn number(program: &Program, group: &Integer, point: u32) -> Integer {
    let group = group.clone().with(Mul, program.points_per_group());
    let first = if point == 0 { group } else { group.with(Add, 32 * point) };
    Integer::binary(Add, first, Integer::Local(Local::Lane))
}

/// The number of one of the lane's points, at most that of the last point.
fn clamped(program: &Program, point: u32) -> (Local, Integer) {
    let mut all = points(program, &Integer::Local(Local::Group));
    (Local::Point(point), all.swap_remove(point as usize))
}

/// The striped constants: entry (register, warp, lane) of a table stands at (register * warps + warp) * 32 + lane.
fn stripes(program: &Program, needs: &Needs, out: &mut Vec<Statement>) {
    let threads = 32 * program.execution.warps();
    let reals = needs.reals.iter().map(|r| (*r, Stripe::Real(*r), needs.reloaded_reals.contains(r)));
    let indices = needs.indices.iter().map(|r| (*r, Stripe::Index(*r), needs.reloaded_indices.contains(r)));
    out.extend(reals.chain(indices).map(|(register, stripe, is_reloaded)| match is_reloaded {
        true => Statement::DeclareStripe(stripe),
        false => Statement::DefineStripe { stripe, first: register * threads },
    }));
}

/// Copies the banks to the rows behind the slots, where the program has them in shared memory.
fn shared_banks(program: &Program, out: &mut Vec<Statement>) {
    let constants = &program.constants;
    let [real_rows, index_rows] = program.shared_rows();
    let banks = [
        (TableKind::RealBank, real_rows, program.slots_in_place(), constants.real_bank.len()),
        (TableKind::IndexBank, index_rows, program.slots_in_place() + real_rows, constants.index_bank.len()),
    ];
    let present = banks.into_iter().filter(|(_, rows, ..)| *rows > 0);
    out.extend(present.map(|(bank, _, row, entries)| Statement::CopyBank { bank, row, entries: entries as u32 }));
    if real_rows + index_rows > 0 {
        out.push(Statement::CtaSync);
    }
}

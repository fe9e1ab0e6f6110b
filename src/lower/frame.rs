//! What surrounds the body: the thread's place, its constants, and the loop over groups of points.

use super::Needs;
use super::code::IntegerOperator::*;
use super::code::*;
use crate::overlay::program::{Execution, Program};
use machine::target::{Shuffle, Target};

/// What runs once per thread.
pub fn prologue(program: &Program, needs: &Needs, target: &Target) -> Vec<Statement> {
    let mut out = Vec::new();
    let changes = needs.recomputes;
    let define = |local, value, changes| Statement::DefineInteger { local, value, changes };
    if needs.warp || is_data_parallel(program) {
        let warp = warp(Integer::Thread);
        let warp = if sees_warps(program, target) { Integer::Uniform(Box::new(warp)) } else { warp };
        out.push(define(Local::Warp, warp, changes && !sees_warps(program, target)));
    }
    for &bank in &needs.own {
        let [common, own] = program.constants.entries(bank, program.execution.warps());
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
        out.push(Statement::DefinePower { entry: lane(Integer::Thread) });
    }
    out.push(if needs.recomputes {
        define(Local::GivenStride, Integer::Local(Local::Stride), false)
    } else {
        let size = program.points_per_group();
        let partial = Integer::IsNotZero(Box::new(Integer::Points.with(Rem, size)));
        define(Local::Groups, Integer::binary(Add, Integer::Points.with(Div, size), partial), false)
    });
    out
}

/// The loop over groups of points.
pub fn stream(program: &Program, needs: &Needs, body: Vec<Statement>) -> Stream {
    let warps = program.execution.warps();
    let (first, step, groups_per_cta) = match program.execution {
        Execution::WarpSpecialized { .. } => (Integer::Cta, Integer::Ctas, 1),
        Execution::DataParallel { .. } => {
            let first = Integer::Cta.with(Mul, warps);
            // Warps that wait for each other take equally many turns: the loop is over the first of the CTA's groups.
            let is_alone = !program.is_in_step();
            let first = if is_alone { Integer::binary(Add, first, Integer::Local(Local::Warp)) } else { first };
            (first, Integer::Ctas.with(Mul, warps), warps)
        }
    };
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
            let value = if program.is_in_step() {
                let first = own_group(group()).with(Mul, program.points_per_group());
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

/// What tells a thread its place, and what follows from it, for compilers that are not to keep it.
pub fn recomputed(program: &Program, target: &Target) -> Vec<(Local, Integer)> {
    let thread = || Integer::Opaque(Box::new(Integer::Thread));
    let stride = Integer::Opaque(Box::new(Integer::Local(Local::GivenStride)));
    let own = [(Local::Warp, warp(thread())), (Local::Lane, lane(thread())), (Local::Stride, stride)];
    // Where compilers see that a warp has one number, no thread keeps it.
    let own = own.into_iter().filter(|(local, _)| *local != Local::Warp || !sees_warps(program, target));
    own.chain((0..program.points_per_lane).map(|point| clamped(program, point))).collect()
}

/// Whether compilers are told that all lanes of a warp have its number. They only gain by it where the lanes need not run in
/// lockstep, and branches on numbers of threads make them part.
fn sees_warps(program: &Program, target: &Target) -> bool {
    !is_data_parallel(program) && target.shuffle == Shuffle::ShflSync
}

pub fn is_data_parallel(program: &Program) -> bool {
    matches!(program.execution, Execution::DataParallel { .. })
}

fn warp(thread: Integer) -> Integer {
    thread.with(ShiftRight, 5)
}

fn lane(thread: Integer) -> Integer {
    thread.with(And, 31)
}

/// The lane's points in a group, none beyond the last point.
pub fn points(program: &Program, group: &Integer) -> Vec<Integer> {
    let group = if program.is_in_step() {
        let last = Integer::Local(Local::Groups).with(Sub, 1);
        Integer::binary(Min, own_group(group.clone()), last)
    } else {
        group.clone()
    };
    (0..program.points_per_lane).map(|point| in_range(number(program, &group, point))).collect()
}

/// The warp's own group, where the loop is over the first one of its CTA. There may be no such group.
fn own_group(first: Integer) -> Integer {
    Integer::binary(Add, first, Integer::Local(Local::Warp))
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
    let [real_rows, index_rows] = constants.shared_rows();
    let banks = [
        (TableKind::RealBank, real_rows, program.slots, constants.real_bank.len()),
        (TableKind::IndexBank, index_rows, program.slots + real_rows, constants.index_bank.len()),
    ];
    let present = banks.into_iter().filter(|(_, rows, ..)| *rows > 0);
    out.extend(present.map(|(bank, _, row, entries)| Statement::CopyBank { bank, row, entries: entries as u32 }));
    if real_rows + index_rows > 0 {
        out.push(Statement::CtaSync);
    }
}

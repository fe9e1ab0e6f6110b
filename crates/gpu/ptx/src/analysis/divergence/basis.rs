//! Meaning of T, and the special registers in terms of it.

use super::lookup::affine;
use super::state::{Coefficient, State};
use crate::inst::Special;
use crate::ir::Func;

/// Knowledge about the shape of the launch's blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Block {
    /// Only what the kernel's `.reqntid` says.
    #[default]
    Unknown,
    /// `%ntid.x` is a multiple of 32.
    WholeWarps,
    /// The block's width, height and depth.
    Known([u32; 3]),
}

/// The meaning of T and the ranges that follow from the launch.
#[derive(Debug, Clone)]
pub struct Basis {
    /// T is `%tid.x` where the lanes of a warp have consecutive ones, else `%laneid`.
    pub unit: Special,
    /// T is below it.
    pub count: u64,
    shape: Option<[u32; 3]>,
    tid: [State; 3],
    lane: State,
}

const MOST_THREADS: u64 = 1024;

impl Basis {
    pub fn new(func: &Func, block: Block) -> Self {
        let shape = match block {
            Block::Known(shape) => Some(shape),
            Block::Unknown | Block::WholeWarps => func.threads,
        };
        let one = State::new(Coefficient::Known(1), Coefficient::Known(0));
        let aligned = State::new(Coefficient::Known(1), Coefficient::Aligned);
        match shape {
            Some([x, y, z]) if x % 32 == 0 || y == 1 && z == 1 => {
                let flat = |size: u32| if size == 1 { State::constant(0) } else { State::UNIFORM };
                let lane = if x <= 32 { one } else { aligned };
                Self { unit: Special::TidX, count: x.into(), shape, tid: [one, flat(y), flat(z)], lane }
            }
            Some(shape) => {
                let tid = [0, 1, 2].map(|axis| by_lane(shape, axis));
                Self { unit: Special::LaneId, count: 32, shape: Some(shape), tid, lane: one }
            }
            None if block == Block::WholeWarps => {
                let tid = [one, State::UNIFORM, State::UNIFORM];
                Self { unit: Special::TidX, count: MOST_THREADS, shape, tid, lane: aligned }
            }
            None => Self { unit: Special::LaneId, count: 32, shape, tid: [State::DIVERGENT; 3], lane: one },
        }
    }

    /// Special registers that nothing is known of differ from lane to lane.
    pub fn state(&self, special: Special) -> State {
        use Special::*;
        let size = |axis: usize| self.shape.map(|shape| State::constant(shape[axis].into()));
        match special {
            TidX => self.tid[0],
            TidY => self.tid[1],
            TidZ => self.tid[2],
            LaneId => self.lane,
            NtidX if self.unit == TidX => size(0).unwrap_or(State::new(Coefficient::Known(0), Coefficient::Aligned)),
            NtidX => size(0).unwrap_or(State::UNIFORM),
            NtidY => size(1).unwrap_or(State::UNIFORM),
            NtidZ => size(2).unwrap_or(State::UNIFORM),
            // PTX: "The warp identifier will be the same for all threads within a single warp."
            CtaidX | CtaidY | CtaidZ | NctaidX | NctaidY | NctaidZ | WarpId | NwarpId | NsmId | GridId
            | TotalSmemSize | DynamicSmemSize => State::UNIFORM,
            ClusterIdX | ClusterIdY | ClusterIdZ | NclusterIdX | NclusterIdY | NclusterIdZ | ClusterCtaidX
            | ClusterCtaidY | ClusterCtaidZ | ClusterNctaidX | ClusterNctaidY | ClusterNctaidZ | ClusterCtarank
            | ClusterNctarank => State::UNIFORM,
            // read at different moments they may differ
            SmId | Clock | ClockHi | Clock64 | GlobalTimer => State::DIVERGENT,
            LanemaskEq | LanemaskLe | LanemaskLt | LanemaskGe | LanemaskGt => State::DIVERGENT,
        }
    }
}

/// A thread number as a function of the lane, found by looking at all threads of the block.
fn by_lane([x, y, z]: [u32; 3], axis: usize) -> State {
    let all = u64::from(x) * u64::from(y) * u64::from(z);
    let (x, y) = (u64::from(x.max(1)), u64::from(y.max(1)));
    let found = affine(all.min(MOST_THREADS), 0, u64::from(u32::MAX), |linear| {
        Some(match axis {
            0 => linear % x,
            1 => linear / x % y,
            _ => linear / (x * y),
        })
    });
    found.unwrap_or(State::DIVERGENT)
}

//! Quotients, square roots and powers of two of singles that need no special cases, and the instructions that make them.
//!
//! Compilers make a branch of a quotient and of a root, behind which are the numbers that overflow or are not normal, and powers have guards. Where operands are
//! proven to be far from all that ([`choose`]), the instructions of [`QUOTIENT`], [`RECIPROCAL`] and [`ROOT`] give the same bits without a branch:
//!
//! - **reciprocal**: let y be any estimate within one unit in the last place of 1/b, as documented for `rcp.approx`; then y + (1 - b y) y is 1/b correctly
//!   rounded. A test goes through all b and y. There is one exception: where the digits of b are all ones, y must not be below 1/b. CUDA's own quotient takes the
//!   same two steps and would err there, too.
//! - **quotient**: q = a y errs by less than 3 units, and what is added to it leaves an error of less than 1/2 + 2^-19 units in the next q; so a - b q is exact.
//!   Multiplied with the reciprocal, which errs by e <= 2^-25 m where b = m 2^k and m is from 1 to 2, and added, the exact sum is off by (1/2 + 2^-19) e units from a/b. A
//!   quotient of numbers of 24 digits is no nearer to the middle between two such numbers than 2^-24/m units. That is more where m^2 < 4 (1 - 2^-18). The few m beyond are
//!   those whose reciprocal is correctly rounded while q is next to a/b, for which Markstein's theorem (IA-64 and Elementary Functions, 2000, theorem 8.6) says the same.
//! - **root**: Markstein's steps, which correct the estimate's half as well. A test goes through all numbers and all estimates within two places.
//!
//! Nothing of this holds where a rest, 2^-49 of the dividend or of the argument of a root, is not normal, or a reciprocal; [`LEAST`], [`MOST`] and [`MOST_INVERTED`] are far from there.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::body::{Binary, Body, Id, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Shape, StepRef};
use super::super::intervals;
use super::follow;
use super::form::Claims;
use super::kinds::{Kind, Kinds};
use super::known::Known;
use super::premises::{Domain, Roundings};

/// Operands of quotients and roots are at least 2^-60 and at most 2^60.
pub const LEAST: f64 = 1.0 / MOST;
pub const MOST: f64 = (1u64 << 60) as f64;
/// Largest number divided into 1; the smallest is one over it.
pub const MOST_INVERTED: f64 = (1u128 << 100) as f64;
/// The largest |x| of a power of two.
pub const NEAR_EXPONENT: f32 = 125.0;

/// Cells of the temperatures, at first: operands are mostly so far from the limits that few will do.
const FEW_CELLS: usize = 4;

/// By step (the preamble: `None`), the instructions that need no special cases.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BranchFree(BTreeMap<Option<StepRef>, BTreeSet<Id>>);

/// Those of a graph: powers at all temperatures that it lets through; quotients and roots in the domain of its proof, if it has one.
pub fn choose(graph: &Graph, order: &[StepRef], domain: Option<&Domain>, kinds: &Kinds) -> BranchFree {
    let mut branch_free = BranchFree::default();
    branch_free.keep_powers(graph, order);
    if let Some(domain) = domain {
        let few = Domain { cells: domain.cells.min(FEW_CELLS), ..*domain };
        let quotients = quotients(graph, order, &few, kinds).or_else(|| quotients(graph, order, domain, kinds));
        quotients.into_iter().flatten().for_each(|(at, id)| {
            branch_free.0.entry(at).or_default().insert(id);
        });
    }
    branch_free
}

/// The graph without these special cases.
pub fn apply(graph: &mut Graph, branch_free: &BranchFree) {
    let mut known: HashMap<(Shape, Vec<Id>), Body> = HashMap::new();
    graph.reshape(|at, shape, body| {
        let ids: Vec<Id> = branch_free.0.get(&at).into_iter().flatten().copied().collect();
        known.entry((shape, ids)).or_insert_with_key(|(_, ids)| without_special_cases(body, ids)).clone()
    });
}

fn without_special_cases(body: &Body, ids: &[Id]) -> Body {
    let mut body = body.clone();
    for &id in ids {
        match &mut body.insts[id as usize] {
            Inst::Binary(op @ Binary::Div, ..) => *op = Binary::DivNear,
            Inst::Unary(op, _) => *op = op.branch_free().unwrap_or(*op),
            _ => {}
        }
    }
    body
}

impl BranchFree {
    /// Powers whose argument follows from the temperature alone, and stays within.
    fn keep_powers(&mut self, graph: &Graph, order: &[StepRef]) {
        let Some(temperatures) = graph.filter else { return };
        let mut beyond: BTreeSet<(Option<StepRef>, Id)> = BTreeSet::new();
        for cell in temperatures.cells(POWER_CELLS) {
            intervals::of_instructions(graph, order, cell, |at, body, all| {
                for (id, inst) in (0..).zip(&body.insts) {
                    let Some(x) = power(inst) else { continue };
                    let (x, limit) = (all[x as usize], f64::from(NEAR_EXPONENT) - 1.0);
                    self.0.entry(at).or_default().insert(id);
                    if x.or_nan || x.least < -limit || x.most > limit {
                        beyond.insert((at, id));
                    }
                }
            });
        }
        for (at, id) in beyond {
            self.0.entry(at).or_default().remove(&id);
        }
    }

    pub fn count(&self) -> usize {
        self.0.values().map(BTreeSet::len).sum()
    }
}

/// Cells of the temperatures for powers, equal in ln T.
const POWER_CELLS: usize = 64;

/// The argument of a power of two.
fn power(inst: &Inst) -> Option<Id> {
    let Inst::Unary(op, x) = *inst else { return None };
    let is_power = matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative);
    (is_power && op.branch_free().is_some()).then_some(x)
}

/// Quotients and roots whose operands stay between the limits in all cells; nothing where the graph has no proof in these cells.
fn quotients(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    kinds: &Kinds,
) -> Option<BTreeSet<(Option<StepRef>, Id)>> {
    let mut found: Option<BTreeSet<(Option<StepRef>, Id)>> = None;
    for cell in domain.temperatures.cells(domain.cells) {
        let claims = follow::claims(graph, order, domain, cell, &Roundings::ALL, kinds).ok()?;
        let here = of_claims(graph, domain, kinds, &claims);
        found = Some(found.map_or(here.clone(), |found| found.intersection(&here).copied().collect()));
    }
    found
}

fn of_claims(graph: &Graph, domain: &Domain, kinds: &Kinds, claims: &Claims) -> BTreeSet<(Option<StepRef>, Id)> {
    let mut found = BTreeSet::new();
    for (at, all) in claims {
        let body = at.map_or(&graph.shapes[graph.preamble.shape], |at| graph.body(at));
        let is_inside = |id: Id, most: f64| is_inside(all[id as usize].number(domain), most);
        for ((id, inst), kind) in (0..).zip(&body.insts).zip(kinds.at(*at)) {
            let is_near = match *inst {
                Inst::Binary(Binary::Div, a, b) => {
                    // For pairs, the reciprocal of the divisor is taken.
                    let inverts = *kind == Kind::Pair || matches!(body.insts[a as usize], Inst::Literal(1.0));
                    inverts && is_inside(b, MOST_INVERTED) || is_inside(a, MOST) && is_inside(b, MOST)
                }
                Inst::Unary(Unary::Sqrt, x) => is_inside(x, MOST),
                _ => false,
            };
            if is_near {
                found.insert((*at, id));
            }
        }
    }
    found
}

/// With some room.
fn is_inside(x: Known, most: f64) -> bool {
    x.nearest() * (1.0 - x.relative) >= 2.0 / most && x.magnitude() + x.absolute <= 0.5 * most
}

/// Operand of a step of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The dividend.
    A,
    /// The divisor, or the argument of a root.
    B,
    Step(usize),
    One,
    Half,
}

/// One instruction on singles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// About 1/b, to one unit in the last place.
    EstimateReciprocal,
    /// About 1 over the root of b, to two units.
    EstimateReciprocalRoot,
    Product([Operand; 2]),
    /// a b + c, rounded once
    Fused([Operand; 3]),
    /// c - a b, rounded once
    MinusFused([Operand; 3]),
}

/// Steps, each with its name; the last one is the result.
pub type Sequence = &'static [(&'static str, Step)];

use Operand::{A, B, Half, One};
const fn step(n: usize) -> Operand {
    Operand::Step(n)
}

pub const RECIPROCAL: Sequence = &[
    ("y", Step::EstimateReciprocal),
    ("rest", Step::MinusFused([B, step(0), One])),
    ("result", Step::Fused([step(1), step(0), step(0)])),
];

pub const QUOTIENT: Sequence = &[
    ("y", Step::EstimateReciprocal),
    ("rest", Step::MinusFused([B, step(0), One])),
    ("inverse", Step::Fused([step(1), step(0), step(0)])),
    ("first", Step::Product([A, step(0)])),
    ("rest_of_first", Step::MinusFused([B, step(3), A])),
    ("second", Step::Fused([step(4), step(0), step(3)])),
    ("rest_of_second", Step::MinusFused([B, step(5), A])),
    ("result", Step::Fused([step(6), step(2), step(5)])),
];

pub const ROOT: Sequence = &[
    ("y", Step::EstimateReciprocalRoot),
    ("first", Step::Product([B, step(0)])),
    ("half", Step::Product([step(0), Half])),
    ("rest", Step::MinusFused([step(1), step(2), Half])),
    ("second", Step::Fused([step(1), step(3), step(1)])),
    ("better_half", Step::Fused([step(2), step(3), step(2)])),
    ("rest_of_second", Step::MinusFused([step(4), step(4), B])),
    ("result", Step::Fused([step(6), step(5), step(4)])),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a sequence on an estimate.
    fn run(sequence: Sequence, a: f32, b: f32, estimate: f32) -> f32 {
        let mut made = [0.0f32; 8];
        for (n, (_, step)) in sequence.iter().enumerate() {
            let get = |operand: Operand| match operand {
                A => a,
                B => b,
                Operand::Step(k) => made[k],
                One => 1.0,
                Half => 0.5,
            };
            made[n] = match *step {
                Step::EstimateReciprocal | Step::EstimateReciprocalRoot => estimate,
                Step::Product([x, y]) => get(x) * get(y),
                Step::Fused([x, y, z]) => get(x).mul_add(get(y), get(z)),
                Step::MinusFused([x, y, z]) => (-get(x)).mul_add(get(y), get(z)),
            };
        }
        made[sequence.len() - 1]
    }

    fn places(x: f32, n: i32) -> f32 {
        f32::from_bits(x.to_bits().wrapping_add_signed(n))
    }

    /// Whether it is within one unit in the last place of the exact number.
    fn is_within_one(estimate: f32, exact: f64) -> bool {
        let unit = f64::from(places(estimate, 1)) - f64::from(estimate);
        (f64::from(estimate) - exact).abs() <= unit
    }

    #[test]
    fn limits_are_powers_of_two() {
        assert_eq!((LEAST, MOST, MOST_INVERTED), (2f64.powi(-60), 2f64.powi(60), 2f64.powi(100)));
    }

    #[test]
    fn reciprocals_of_all_divisors_are_rounded_correctly() {
        let mut wrong = Vec::new();
        for digits in 0..1u32 << 23 {
            let b = f32::from_bits(1f32.to_bits() + digits);
            let exact = 1.0 / b;
            for estimate in (-2..=2).map(|n| places(exact, n)) {
                if is_within_one(estimate, 1.0 / f64::from(b)) && run(RECIPROCAL, 1.0, b, estimate) != exact {
                    wrong.push((b, estimate));
                }
            }
        }
        assert_eq!(wrong, [(2f32.next_down(), 0.5)]);
    }

    #[test]
    fn roots_of_all_numbers_are_rounded_correctly() {
        // Two powers of two.
        for digits in 0..1u32 << 24 {
            let b = f32::from_bits(1f32.to_bits() + digits);
            let nearest = (1.0 / f64::from(b).sqrt()) as f32;
            for n in -2..=2 {
                let found = run(ROOT, 0.0, b, places(nearest, n));
                assert_eq!(found.to_bits(), b.sqrt().to_bits(), "{b:e}");
            }
        }
    }

    /// Tries the quotients next to the middle between two singles: 2^24 a = n b + k, where k is small and n is odd.
    #[test]
    fn quotients_next_to_the_middle_are_rounded_correctly() {
        let mut tried = 0;
        for i in 0..1u32 << 21 {
            // Among the largest divisors are those for which the proof needs Markstein's theorem.
            let b = if i % 8 == 0 { (1 << 24) - 1 - 2 * (i / 8 % 512) } else { (1 << 23) + 4 * i + 1 };
            let inverse = (0..5).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(u64::from(b).wrapping_mul(x))));
            for (k, bits) in [1i64, -1, 3, -3].into_iter().flat_map(|k| [(k, 24u32), (k, 25)]) {
                let n = inverse.wrapping_mul(k as u64) & ((1 << bits) - 1);
                let n = if n < 1 << 24 { n + (1 << 24) } else { n };
                let product = i128::from(n) * i128::from(b) - i128::from(k);
                let a = product >> bits;
                let is_dividend = (1 << 23..1 << 24).contains(&a) && a << bits == product && n < 1 << 25;
                if !is_dividend {
                    continue;
                }
                let (a, b) = (a as f32, b as f32);
                for estimate in (-1..=1).map(|n| places(1.0 / b, n)) {
                    let is_exception = b == 16_777_215.0 && f64::from(estimate) * f64::from(b) < 1.0;
                    if is_within_one(estimate, 1.0 / f64::from(b)) && !is_exception {
                        tried += 1;
                        assert_eq!(run(QUOTIENT, a, b, estimate).to_bits(), (a / b).to_bits(), "{a} / {b}");
                    }
                }
            }
        }
        println!("{tried} quotients");
        assert!(tried > 1_000_000);
    }

    /// At the limits of the operands, and between them.
    #[test]
    fn quotients_and_roots_are_rounded_correctly_up_to_the_limits() {
        let mut seed = 1u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as u32
        };
        let ends = [LEAST as f32, MOST as f32, (LEAST as f32).next_up(), (MOST as f32).next_down(), 1.0];
        let mut number = move || match random() % 8 {
            n @ 0..5 => ends[n as usize],
            _ => {
                let exponent = random() % 119;
                f32::from_bits((127 - 60 + exponent) << 23 | random() >> 1)
            }
        };
        for _ in 0..2_000_000 {
            let (a, b) = (number(), number());
            for sign in [1.0, -1.0] {
                let estimate = 1.0 / b;
                assert_eq!(run(QUOTIENT, sign * a, b, estimate).to_bits(), (sign * a / b).to_bits(), "{a:e} / {b:e}");
                let of_negative = run(QUOTIENT, sign * a, -b, -estimate);
                assert_eq!(of_negative.to_bits(), (sign * a / -b).to_bits(), "{a:e} / {b:e}");
            }
            let estimate = (1.0 / f64::from(b).sqrt()) as f32;
            assert_eq!(run(ROOT, 0.0, b, estimate).to_bits(), b.sqrt().to_bits(), "{b:e}");
            let factor = (MOST_INVERTED / MOST) as f32;
            let far = if a < b { a * factor } else { a / factor };
            assert_eq!(run(RECIPROCAL, 1.0, far, 1.0 / far).to_bits(), (1.0 / far).to_bits(), "1 / {far:e}");
        }
    }
}

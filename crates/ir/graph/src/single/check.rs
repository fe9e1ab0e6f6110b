//! Checks what is claimed of a graph in single precision, line by line, by rules that share no code with those that made the claims: from the
//! claims of its operands, each instruction's own must follow.

use std::collections::BTreeMap;
use std::f64::consts::{LN_2, LOG2_E};

use super::super::body::{Binary, Body, Inst, RealFunction, Unary};
use super::super::dataflow::{Graph, Op, Step, StepRef, Value};
use super::double_float::Powers;
use super::form::{Claims, Form, Variable};
use super::kinds::{Kind, Kinds};
use super::known::Known;
use super::premises::Domain;
use kinetics::approximation::range::TemperatureRange;

/// Half a unit in the last place of single precision; what `crates/warps/schedule/tests/precision.rs` finds of powers and logarithms is below twice that.
const HALF_ULP: f64 = 0.5 * f32::EPSILON as f64;
const ULP: f64 = 2.0 * HALF_ULP;
/// The same for double precision; powers and logarithms are given two ulps, more than they need.
const HALF_ULP_OF_DOUBLES: f64 = 0.5 * f64::EPSILON;
const ULPS_OF_DOUBLES: f64 = 4.0 * HALF_ULP_OF_DOUBLES;
/// Twice the least normal number.
const TINY: f64 = 2.350_988_701_644_575e-38;

/// Second numbers of pairs are below the normal ones where the first is below 2^-69; less than 2^-120 is lost there.
const LEAST_OF_PAIRS: f64 = LOST_BY_PAIRS * 2_251_799_813_685_248.0;
const LOST_BY_PAIRS: f64 = 32.0 * TINY;
/// 2^100: the reciprocals of divisors up to here are normal numbers.
const INVERTED: f64 = 1_267_650_600_228_229_401_496_703_205_376.0;
/// 2^-60
const LEAST_MODERATE: f64 = 1.0 / 1_152_921_504_606_846_976.0;

/// Errors: the first line that does not follow, in words.
pub fn check(
    graph: &Graph,
    order: &[StepRef],
    domain: &Domain,
    cell: TemperatureRange,
    claims: &Claims,
    kinds: &Kinds,
) -> Result<(), String> {
    let preamble = &graph.shapes[graph.preamble.shape];
    // Values made so far, and the arithmetic of each.
    let mut values: BTreeMap<Value, (Kind, &Form)> = BTreeMap::new();
    let mut states: BTreeMap<Op, Vec<(Kind, &Form)>> = BTreeMap::new();
    let mut scalars: Vec<(Kind, &Form)> = Vec::new();
    if claims.len() != 1 + order.len() {
        return Err("steps are missing".into());
    }
    let order = std::iter::once(None).chain(order.iter().copied().map(Some));
    for ((at, all), expected) in claims.iter().zip(order) {
        if *at != expected {
            return Err("steps are out of order".into());
        }
        let (body, step, name) = match *at {
            None => (preamble, &graph.preamble, "preamble"),
            Some(at) => (graph.body(at), graph.step(at), graph.ops[at.op].name.as_str()),
        };
        if all.len() != body.insts.len() || body.tensor.is_some() {
            return Err(format!("{name}: lines are missing"));
        }
        let (kinds, powers) = (kinds.at(*at), kinds.powers);
        if kinds.len() != body.insts.len() {
            return Err(format!("{name}: it is not said which arithmetic lines are in"));
        }
        for (line, (inst, claim)) in body.insts.iter().zip(all).enumerate() {
            let kind = kinds[line];
            let digits = Digits::for_kind(kind, powers);
            // A number that is read back has the digits that it was made with; a running state may have room for more.
            let read = |source: Option<&(Kind, &Form)>, has_room: bool| {
                source.is_some_and(|(made, source)| *source == claim && (*made == kind || has_room && *made < kind))
            };
            let operands = Operands { all, kinds, body, constants: &step.constants, kind, powers, domain };
            let of_operand = |id: u32| kind == kinds[id as usize];
            let follows = match *inst {
                Inst::Literal(c) => is_constant(claim, c, kind),
                Inst::Constant(k) => is_constant(claim, step.constants[k as usize], kind),
                Inst::Scalar(k) => read(scalars.get(k as usize), false),
                Inst::Input(k) => read(values.get(&step.inputs[k as usize]), false),
                Inst::State(k) => read(at.and_then(|at| states.get(&at.op)?.get(k as usize)), true),
                Inst::Field { array, operand, .. } => {
                    let species = step.rows[operand as usize];
                    is_input(graph, array, species, domain, cell, claim, digits)
                }
                Inst::Unary(Unary::Neg | Unary::Positive, a) => of_operand(a) && operation(inst, &operands, claim),
                Inst::SelectLe { a, b, then, otherwise } if [then, otherwise] == [b, a] => {
                    match floored(graph, step, &operands, [a, b]) {
                        // The floor has all digits of the result, and the fraction those that it was read with.
                        Some(species) => is_clamped(species, domain, claim, [kind, kind.min(kinds[a as usize])]),
                        None => operation(inst, &operands, claim),
                    }
                }
                _ => operation(inst, &operands, claim),
            };
            if !follows {
                return Err(format!("{name}: line {line}, {inst}, does not follow"));
            }
        }
        let of = |ids: &[u32]| -> Vec<(Kind, &Form)> {
            ids.iter().map(|&id| (kinds[id as usize], &all[id as usize])).collect()
        };
        match at {
            None => scalars = of(&body.states),
            Some(at) if !body.states.is_empty() => {
                states.insert(at.op, of(&body.states));
            }
            Some(_) => {}
        }
        values.extend(step.outputs.iter().copied().zip(of(&body.values)));
    }
    Ok(())
}

/// Returns the species whose mole fraction is the first operand, if the second one is the floor.
fn floored(graph: &Graph, step: &Step, operands: &Operands<'_>, [a, b]: [u32; 2]) -> Option<u32> {
    let body = operands.body;
    let species = match body.insts[a as usize] {
        Inst::Field { array, operand, .. } if graph.arrays[array as usize].name == "mole_fractions" => {
            step.rows[operand as usize]
        }
        _ => return None,
    };
    let is_floor = matches!(body.insts[b as usize], Inst::Literal(c) if c == operands.domain.floor);
    is_floor.then_some(species)
}

/// Operands of an instruction.
struct Operands<'a> {
    all: &'a [Form],
    kinds: &'a [Kind],
    body: &'a Body,
    constants: &'a [f64],
    /// The arithmetic of the instruction.
    kind: Kind,
    powers: Powers,
    domain: &'a Domain,
}

impl Operands<'_> {
    /// As it was made.
    fn whole(&self, id: u32) -> Factors {
        factors(&self.all[id as usize])
    }

    /// As a single.
    fn leading(&self, id: u32) -> Option<Factors> {
        match self.body.insts[id as usize] {
            _ if self.kinds[id as usize] == Kind::Single => Some(self.whole(id)),
            Inst::Literal(c) => Some(Factors::number(of_constant(c, Kind::Single))),
            Inst::Constant(k) => Some(Factors::number(of_constant(self.constants[k as usize], Kind::Single))),
            _ => round(&self.whole(id), self.domain, &Digits::SINGLE).map(|read| read.map(Factor::closed)),
        }
    }

    fn factors(&self, id: u32) -> Option<Factors> {
        if self.kind == Kind::Single { self.leading(id) } else { Some(self.whole(id)) }
    }
}

/// Roundings of one arithmetic.
struct Digits {
    kind: Kind,
    half_ulp: f64,
    of_powers: f64,
    of_logarithms: f64,
}

impl Digits {
    const SINGLE: Self = Self { kind: Kind::Single, half_ulp: HALF_ULP, of_powers: ULP, of_logarithms: ULP };
    const PAIR: Self = Self {
        kind: Kind::Pair,
        half_ulp: 32.0 * HALF_ULP * HALF_ULP,
        of_powers: 65_536.0 * HALF_ULP * HALF_ULP,
        of_logarithms: 65_536.0 * HALF_ULP * HALF_ULP,
    };
    const LONG_PAIR: Self =
        Self { of_powers: 4096.0 * HALF_ULP * HALF_ULP, of_logarithms: 128.0 * HALF_ULP * HALF_ULP, ..Self::PAIR };
    const DOUBLE: Self = Self {
        kind: Kind::Double,
        half_ulp: HALF_ULP_OF_DOUBLES,
        of_powers: ULPS_OF_DOUBLES,
        of_logarithms: ULPS_OF_DOUBLES,
    };

    fn for_kind(kind: Kind, powers: Powers) -> &'static Self {
        match (kind, powers) {
            (Kind::Single, _) => &Self::SINGLE,
            (Kind::Pair, Powers::Short) => &Self::PAIR,
            (Kind::Pair, Powers::Long) => &Self::LONG_PAIR,
            (Kind::Double, _) => &Self::DOUBLE,
        }
    }

    /// Arrays of singles lose nothing when they are read.
    fn of_reading(&self, domain: &Domain) -> f64 {
        if domain.reads_singles { 0.0 } else { self.half_ulp }
    }
}

/// An exact factor within the ends, and two bounds of its error, which both hold.
#[derive(Clone, Copy)]
struct Factor {
    ends: [f64; 2],
    off: f64,
    share: f64,
}

impl Factor {
    fn from_known(known: &Known) -> Self {
        Self { ends: [known.least, known.most], off: known.absolute, share: known.relative }
    }

    fn size(self) -> f64 {
        f64::max(self.ends[0].abs(), self.ends[1].abs())
    }

    /// The distance from 0.
    fn distance(self) -> f64 {
        let [low, high] = self.ends;
        if low > 0.0 {
            low
        } else if high < 0.0 {
            -high
        } else {
            0.0
        }
    }

    /// Each bound may stand for the other.
    fn closed(self) -> Self {
        let by_share = if self.share == 0.0 { 0.0 } else { self.share * self.size() };
        let by_off = if self.off == 0.0 { 0.0 } else { self.off / self.distance() };
        let least = |a: f64, b: f64| if b < a { b } else { a };
        Self { off: least(self.off, by_share), share: least(self.share, by_off), ..self }
    }

    fn round(self, unit: f64) -> Self {
        if self.size() == 0.0 && self.off == 0.0 {
            return self;
        }
        Self { off: self.off * (1.0 + unit) + unit * self.size(), share: self.share * (1.0 + unit) + unit, ..self }
    }

    /// With errors that are larger by a 2^-18th.
    fn wider(self) -> Self {
        let more = 1.0 + 1.0 / 262_144.0;
        Self { off: self.off * more, share: self.share * more, ..self }
    }

    fn scaled(self, by: Self) -> Self {
        let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
        for a in self.ends {
            for b in by.ends {
                ends = [ends[0].min(a * b), ends[1].max(a * b)];
            }
        }
        // (a + e)(b + f) - a b
        let part = |e: f64, size: f64| if e == 0.0 || size == 0.0 { 0.0 } else { e * size };
        let off = part(self.off, by.size() + by.off) + part(by.off, self.size());
        let share = self.share + by.share + part(self.share, by.share);
        Self { ends, off, share }.closed()
    }

    fn added(self, to: Self) -> Self {
        let ends = [self.ends[0] + to.ends[0], self.ends[1] + to.ends[1]];
        let agree = self.ends[0].min(to.ends[0]) >= 0.0 || self.ends[1].max(to.ends[1]) <= 0.0;
        let share = if self.size() == 0.0 && self.off > 0.0 {
            to.share + self.off / to.distance()
        } else if to.size() == 0.0 && to.off > 0.0 {
            self.share + to.off / self.distance()
        } else if agree {
            self.share.max(to.share)
        } else {
            f64::INFINITY
        };
        Self { ends, off: self.off + to.off, share }.closed()
    }

    /// Whether the claim says no more than this.
    fn implies(self, claim: &Known) -> bool {
        let this = self.closed();
        claim.least <= this.ends[0]
            && claim.most >= this.ends[1]
            && claim.absolute >= this.off
            && claim.relative >= this.share
    }
}

const NOUGHT: Factor = Factor { ends: [0.0; 2], off: 0.0, share: 0.0 };

/// The factor of nothing, and those of the species in ascending order.
#[derive(Clone)]
struct Factors {
    constant: Factor,
    terms: Vec<(Variable, Factor)>,
}

impl Factors {
    fn number(constant: Factor) -> Self {
        Self { constant, terms: Vec::new() }
    }

    fn map(&self, f: impl Fn(Factor) -> Factor) -> Self {
        let terms = self.terms.iter().map(|&(variable, factor)| (variable, f(factor))).collect();
        Self { constant: f(self.constant), terms }
    }
}

fn factors(form: &Form) -> Factors {
    let terms = form.terms.iter().map(|(variable, factor)| (*variable, Factor::from_known(factor))).collect();
    Factors { constant: Factor::from_known(&form.constant), terms }
}

/// The claim's terms ascend, too; what it leaves out is nothing, and so is what it has beside these.
fn implies(all: &Factors, claim: &Form) -> bool {
    let ascends = claim.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let mut rest = all.terms.iter().peekable();
    let of_claim = claim.terms.iter().all(|(variable, known)| {
        while let Some((_, factor)) = rest.next_if(|(other, _)| other < variable) {
            if !factor.implies(&Known::ZERO) {
                return false;
            }
        }
        rest.next_if(|(other, _)| other == variable).map_or(NOUGHT, |(_, factor)| *factor).implies(known)
    });
    ascends && of_claim && rest.all(|(_, factor)| factor.implies(&Known::ZERO)) && all.constant.implies(&claim.constant)
}

fn of_constant(c: f64, kind: Kind) -> Factor {
    let single = |c: f64| f64::from(c as f32);
    let off = match kind {
        Kind::Single => (single(c) - c).abs(),
        // The first number is the nearest single, the second one that nearest to what is left, or 0 where that is below the normal numbers.
        Kind::Pair => {
            let rest = c - single(c);
            let second = single(rest);
            (rest - if second.abs() < f64::from(f32::MIN_POSITIVE) { 0.0 } else { second }).abs()
        }
        Kind::Double => 0.0,
    };
    Factor { ends: [c, c], off, share: f64::INFINITY }.closed()
}

fn is_constant(claim: &Form, c: f64, kind: Kind) -> bool {
    if c.is_nan() {
        return claim.constant.absolute == f64::INFINITY && claim.constant.relative == f64::INFINITY;
    }
    implies(&Factors::number(of_constant(c, kind)), claim)
}

fn is_input(
    graph: &Graph,
    array: u32,
    species: u32,
    domain: &Domain,
    cell: TemperatureRange,
    claim: &Form,
    digits: &Digits,
) -> bool {
    let infinite = f64::INFINITY;
    let half_ulp = digits.of_reading(domain);
    let rounded = |ends: [f64; 2]| Factors::number(Factor { ends, off: infinite, share: half_ulp });
    let inputs = match graph.arrays[array as usize].name {
        "temperature" => rounded([cell.coldest, cell.hottest]),
        "pressure" => {
            let unit = graph.units.to_si("pressure");
            rounded([domain.pressures[0] / unit, domain.pressures[1] / unit])
        }
        "mole_fractions" => {
            let lost = Factor { ends: [0.0; 2], off: TINY, share: infinite };
            let factor = Factor { ends: [1.0; 2], off: half_ulp, share: half_ulp };
            Factors { constant: lost, terms: vec![(Variable::Fraction(species), factor)] }
        }
        _ => Factors::number(Factor { ends: [-infinite, infinite], off: infinite, share: infinite }),
    };
    implies(&inputs, claim)
}

/// max(x (1 + d) + t, c (1 + e)) is within max(|d|, |e|) and t/c of max(x, c).
fn is_clamped(species: u32, domain: &Domain, claim: &Form, [kind, of_fraction]: [Kind; 2]) -> bool {
    let floor = domain.floor;
    let rounding = Digits::for_kind(of_fraction, Powers::Short).of_reading(domain).max(of_constant(floor, kind).share);
    let share = rounding + TINY / floor;
    let is_normal = floor >= TINY;
    let factor = Factor { ends: [1.0; 2], off: share, share };
    is_normal && implies(&Factors { constant: NOUGHT, terms: vec![(Variable::Clamped(species), factor)] }, claim)
}

/// Bounds the sum over the mole fractions of the domain.
fn whole(all: &Factors, domain: &Domain) -> Factor {
    let constant = all.constant;
    let [fewest, largest] = domain.sums;
    let with_floors = largest + domain.floor * domain.species as f64;
    // Mole fractions come before those with a floor.
    let (plain, clamped) = all.terms.split_at(all.terms.partition_point(|(variable, _)| !variable.is_clamped()));
    if plain.is_empty() && clamped.is_empty() {
        return constant;
    }
    let mut sum = Factor { ends: [0.0; 2], off: constant.off, share: 0.0 };
    let mut is_positive = constant.ends[0] >= 0.0;
    let mut is_negative = constant.ends[1] <= 0.0;
    for (terms, most, floor) in [(plain, largest, 0.0), (clamped, with_floors, domain.floor)] {
        if terms.is_empty() {
            continue;
        }
        let absent = (terms.len() < domain.species).then_some(NOUGHT);
        let terms = || terms.iter().map(|(_, factor)| *factor);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for factor in terms().chain(absent) {
            for sum in [fewest, most] {
                low = low.min(sum * factor.ends[0]);
                high = high.max(sum * factor.ends[1]);
            }
        }
        // The sum is nowhere less than it is at the floor.
        if low >= 0.0 {
            low = low.max(terms().map(|factor| factor.ends[0] * floor).sum());
        }
        if high <= 0.0 {
            high = high.min(terms().map(|factor| factor.ends[1] * floor).sum());
        }
        is_positive &= low >= 0.0;
        is_negative &= high <= 0.0;
        sum.off += most * terms().map(|t| t.off).fold(0.0, f64::max);
        sum.share = terms().map(|t| t.share).fold(sum.share, f64::max);
        sum.ends = [sum.ends[0] + low, sum.ends[1] + high];
    }
    let share = match (is_positive || is_negative, constant.size() == 0.0) {
        (false, _) => f64::INFINITY,
        (true, false) => sum.share.max(constant.share),
        (true, true) if constant.off == 0.0 => sum.share,
        (true, true) => sum.share + constant.off / sum.distance(),
    };
    Factor { ends: [sum.ends[0] + constant.ends[0], sum.ends[1] + constant.ends[1]], share, ..sum }.closed()
}

fn scaled(all: &Factors, by: Factor) -> Factors {
    all.map(|factor| factor.scaled(by))
}

fn sum(a: &Factors, b: &Factors) -> Factors {
    let mut terms = a.terms.clone();
    terms.extend(&b.terms);
    terms.sort_by_key(|(variable, _)| *variable);
    let mut merged: Vec<(Variable, Factor)> = Vec::with_capacity(terms.len());
    for (variable, factor) in terms {
        match merged.last_mut() {
            Some((last, sum)) if *last == variable => *sum = sum.added(factor),
            _ => merged.push((variable, factor)),
        }
    }
    Factors { constant: a.constant.added(b.constant), terms: merged }
}

fn opposite(all: &Factors) -> Factors {
    scaled(all, Factor { ends: [-1.0; 2], ..NOUGHT })
}

/// The result of one rounding, as long as it is in range.
fn round(all: &Factors, domain: &Domain, digits: &Digits) -> Option<Factors> {
    let rounded = match digits.kind {
        Kind::Pair => all.map(|factor| factor.wider().round(digits.half_ulp)),
        _ => all.map(|factor| factor.round(digits.half_ulp)),
    };
    in_range(all, rounded, domain, digits)
}

/// Adds the loss of small numbers to rounded factors; `None` if the exact numbers are too large.
fn in_range(exact: &Factors, mut rounded: Factors, domain: &Domain, digits: &Digits) -> Option<Factors> {
    let result = whole(exact, domain);
    let reach = result.size() * (1.0 + result.share.min(1.0));
    let is_nothing = |factor: Factor| factor.size() == 0.0 && factor.off == 0.0;
    if is_nothing(exact.constant) && exact.terms.iter().all(|(_, factor)| is_nothing(*factor)) {
        return Some(exact.clone());
    }
    if reach.is_nan() || reach > 0.5 * f64::from(f32::MAX) {
        return None;
    }
    let [least, lost] = if digits.kind == Kind::Pair { [LEAST_OF_PAIRS, LOST_BY_PAIRS] } else { [TINY; 2] };
    if result.distance() * (1.0 - result.share.min(1.0)) < least {
        rounded.constant.off += lost;
        rounded.constant.share = f64::INFINITY;
    }
    Some(if digits.kind == Kind::Pair { rounded.map(Factor::closed) } else { rounded })
}

/// A sum. That of pairs has an error relative to each of its terms.
fn total(a: Option<Factors>, b: Option<Factors>, domain: &Domain, digits: &Digits) -> Option<Factors> {
    let (a, b) = (a?, b?);
    if digits.kind != Kind::Pair {
        return round(&sum(&a, &b), domain, digits);
    }
    let exact = sum(&round(&a, domain, digits)?, &round(&b, domain, digits)?);
    in_range(&exact, exact.clone(), domain, digits)
}

/// Between which numbers sum a_j x_j / sum b_j x_j is, since a_j/b_j are averaged there with weights b_j x_j that are not negative.
fn means(dividend: &Factors, divisor: &Factors) -> Option<[f64; 2]> {
    let alone = |all: &Factors| all.constant.size() == 0.0 && !all.terms.is_empty();
    if !alone(dividend) || !alone(divisor) || dividend.terms.len() != divisor.terms.len() {
        return None;
    }
    let ratio = |((left, a), (right, b)): (&(Variable, Factor), &(Variable, Factor))| {
        let is_positive = left == right && a.ends[0] >= 0.0 && b.ends[0] > 0.0;
        is_positive.then(|| [a.ends[0] / b.ends[1], a.ends[1] / b.ends[0]])
    };
    let all: Option<Vec<[f64; 2]>> = dividend.terms.iter().zip(&divisor.terms).map(ratio).collect();
    all?.into_iter().reduce(|[low, high], [least, most]| [low.min(least), high.max(most)])
}

fn operation(inst: &Inst, operands: &Operands<'_>, claim: &Form) -> bool {
    let (domain, digits) = (operands.domain, Digits::for_kind(operands.kind, operands.powers));
    let of = |id: u32| operands.factors(id);
    let number = |id: u32| of(id).map(|all| whole(&all, domain));
    let is_claim = |all: Option<Factors>| all.is_some_and(|all| implies(&all, claim));
    let is = |exact: Factors| is_claim(round(&exact, domain, digits));
    // Either factor may be the one that is taken as a number.
    let products = |a: u32, b: u32| -> Vec<Factors> {
        let (Some(a), Some(b)) = (of(a), of(b)) else { return Vec::new() };
        vec![scaled(&a, whole(&b, domain)), scaled(&b, whole(&a, domain))]
    };
    match *inst {
        Inst::Unary(Unary::Neg, a) => implies(&opposite(&operands.whole(a)), claim),
        Inst::Unary(Unary::Positive, a) => {
            let exact = operands.whole(a);
            whole(&exact, domain).ends[0] >= 0.0 && implies(&exact, claim)
        }
        Inst::Unary(op, a)
            if [operands.kind, operands.kinds[a as usize]] == [Kind::Single, Kind::Pair]
                && matches!(op.real_function(), RealFunction::Exp2 | RealFunction::Exp2OfNegative) =>
        {
            // The rest of a pair beside a whole number is rounded to a 2^-26th, which is a quarter of the power's error.
            let digits = Digits { of_powers: ULP + HALF_ULP / 2.0, ..Digits::SINGLE };
            let result = function(op, whole(&operands.whole(a), domain), &digits);
            result.is_some_and(|f| implies(&Factors::number(f), claim))
        }
        Inst::Unary(op, a) => {
            let result = number(a).and_then(|x| function(op, x, digits));
            result.is_some_and(|f| implies(&Factors::number(f), claim))
        }
        Inst::Binary(Binary::Sub, a, b) if a == b => implies(&Factors::number(NOUGHT), claim),
        Inst::Binary(Binary::Add, a, b) => is_claim(total(of(a), of(b), domain, digits)),
        Inst::Binary(Binary::Sub, a, b) => is_claim(total(of(a), of(b).map(|b| opposite(&b)), domain, digits)),
        Inst::Binary(Binary::Mul, a, b) => products(a, b).into_iter().any(is),
        Inst::Binary(division @ (Binary::Div | Binary::DivNear), a, b) => {
            let (Some(dividend), Some(divisor)) = (of(a), of(b)) else { return false };
            let number = whole(&divisor, domain);
            let has_no_special_case = division == Binary::Div || is_far(operands, a, &dividend, number);
            has_no_special_case && is_quotient(operands, [&dividend, &divisor], is)
        }
        Inst::Fma(a, b, c) => products(a, b).into_iter().any(|product| match digits.kind {
            Kind::Pair => is_claim(total(round(&product, domain, digits), of(c), domain, digits)),
            _ => of(c).is_some_and(|c| is(sum(&product, &c))),
        }),
        Inst::SelectLe { a, b, then, otherwise } => {
            // For pairs, the first numbers are compared.
            let compared = |id: u32| match operands.kinds[id as usize] {
                Kind::Pair => round(&operands.whole(id), domain, &Digits::SINGLE),
                _ => of(id),
            };
            let (Some(left), Some(right)) = (compared(a), compared(b)) else { return false };
            let [left, right] = [left, right].map(|all| whole(&all, domain));
            let taken = if left.ends[1] + left.off <= right.ends[0] - right.off {
                then
            } else if left.ends[0] - left.off > right.ends[1] + right.off {
                otherwise
            } else {
                return false;
            };
            is_claim(of(taken))
        }
        _ => false,
    }
}

/// Whether what holds of an exact quotient holds of one that is rounded.
fn is_quotient(operands: &Operands<'_>, [dividend, divisor]: [&Factors; 2], is: impl Fn(Factors) -> bool) -> bool {
    let (domain, digits) = (operands.domain, Digits::for_kind(operands.kind, operands.powers));
    let number = whole(divisor, domain);
    let is_apart_from_0 = number.distance() > 0.0 && number.share < 0.5;
    if !is_apart_from_0 {
        return false;
    }
    let mut ends = number.ends.map(|x| 1.0 / x);
    ends.sort_by(f64::total_cmp);
    // 1/(b + f) - 1/b = -f/b / (b + f)
    let share = number.share / (1.0 - number.share);
    let inverse = Factor { ends, off: f64::INFINITY, share }.closed();
    if digits.kind != Kind::Pair {
        return is(scaled(dividend, inverse));
    }
    let is_far_from_limits = number.size() <= INVERTED && number.distance() >= 1.0 / INVERTED;
    if !is_far_from_limits {
        return false;
    }
    // The loss of small numbers in a pair's remainder counts as an error of the dividend.
    let Some(lossy) = in_range(dividend, dividend.clone(), domain, digits) else { return false };
    let exact = scaled(&lossy, inverse);
    let number = whole(&exact, domain);
    let mean = means(dividend, divisor)
        .map(|[low, high]| Factor { ends: [number.ends[0].max(low), number.ends[1].min(high)], ..number });
    is(exact) || mean.is_some_and(|mean| is(Factors::number(mean.closed())))
}

/// Whether a quotient is far from special cases. For pairs, the reciprocal of the divisor is taken, like that of 1.
fn is_far(operands: &Operands<'_>, a: u32, dividend: &Factors, divisor: Factor) -> bool {
    let is_one = matches!(operands.body.insts[a as usize], Inst::Literal(c) if c == 1.0);
    let inverts = operands.kind == Kind::Pair || is_one;
    inverts && is_between(divisor, INVERTED) || is_moderate(whole(dividend, operands.domain)) && is_moderate(divisor)
}

/// Whether quotients and roots without special cases may read the number.
fn is_moderate(x: Factor) -> bool {
    is_between(x, 1.0 / LEAST_MODERATE)
}

fn is_between(x: Factor, most: f64) -> bool {
    let share = x.share.min(1.0);
    x.distance() * (1.0 - share) >= 1.0 / most && x.size() * (1.0 + share) <= most
}

/// A function of one number; of those that fall, of its negative.
fn function(op: Unary, x: Factor, digits: &Digits) -> Option<Factor> {
    let [low, high] = x.ends;
    let reach = x.size() + x.off;
    let power = |[low, high]: [f64; 2], share: f64| {
        Factor { ends: [low, high], off: f64::INFINITY, share }.closed().round(digits.of_powers)
    };
    let logarithm =
        |ends: [f64; 2], off: f64| Factor { ends, off, share: f64::INFINITY }.closed().round(digits.of_logarithms);
    // Powers of pairs have second numbers that are normal.
    let most_of_powers = match op {
        _ if digits.kind == Kind::Pair => 64.0,
        Unary::Exp2Near | Unary::Exp2FallingNear => 125.0,
        _ => 126.0,
    };
    if op == Unary::SqrtNear && !is_moderate(x) {
        return None;
    }
    let has_root = digits.kind != Kind::Pair || low >= LEAST_OF_PAIRS;
    let is_temperature = low * (1.0 - x.share) >= 64.0 && high * (1.0 + x.share) <= 16384.0;
    match op.real_function() {
        RealFunction::Exp if digits.kind != Kind::Pair => {
            (reach <= 87.0).then(|| power([low.exp(), high.exp()], x.off.exp_m1()))
        }
        RealFunction::Exp2OfNegative => {
            (reach <= most_of_powers).then(|| power([(-high).exp2(), (-low).exp2()], (x.off * LN_2).exp_m1()))
        }
        RealFunction::Exp2 => {
            (reach <= most_of_powers).then(|| power([low.exp2(), high.exp2()], (x.off * LN_2).exp_m1()))
        }
        RealFunction::Log => is_temperature.then(|| logarithm([low.ln(), high.ln()], -(-x.share).ln_1p())),
        RealFunction::Log2 => {
            is_temperature.then(|| logarithm([low.log2(), high.log2()], -(-x.share).ln_1p() * LOG2_E))
        }
        RealFunction::Sqrt if low > 0.0 && x.share < 0.5 && has_root => Some(
            Factor { ends: [low.sqrt(), high.sqrt()], off: f64::INFINITY, share: x.share }
                .closed()
                .round(digits.half_ulp),
        ),
        _ => None,
    }
}

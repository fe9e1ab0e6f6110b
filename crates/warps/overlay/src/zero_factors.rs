//! Terms with a factor of zero are left out, as mechanisms have them: temperature exponents of 0, heat capacities that do not change.
//!
//! 0 x is 0 for every number x, and not a number for what is none: outside of the range of a kernel the temperature is not a number, nor may any
//! result be. So a term goes only where each reader of the sum has that from another operand. Elsewhere x - x takes its place, which is 0 or not a
//! number as well, and says so. A product that is stored or multiplied stays, since its zero has the sign of its factor.
//!
//! The sign of a zero does not matter here: the sum of -0.0 and a term of 0.0 is 0.0, and without the term -0.0. Only a quotient, and the words of
//! a number, tell one zero from the other; a sum that is a divisor, or the argument of a function, keeps its terms.

use crate::program::{Binary, Node, Unary, Value, Var};
use cranelift_entity::PrimaryMap;
use std::collections::{BTreeMap, BTreeSet};

/// Leaves such terms out of sums, and says whether there were any. `temperatures`: variables that are made of the point's temperature alone, and
/// are not numbers where that is none.
pub fn leave_out(vars: &mut PrimaryMap<Var, String>, nodes: &mut Vec<Node>, temperatures: &BTreeSet<Var>) -> bool {
    let mut all = Assignments::default();
    all.collect(nodes);
    let terms = all.terms();
    let shown = all.shown(&terms, temperatures);
    let told = all.told(&terms, &shown, &all.pure(temperatures));
    replace(vars, nodes, &terms, &told)
}

/// A product with a factor of zero, and its sum.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Term {
    factor: Var,
    sum: Sum,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sum {
    /// A product alone: its zero has the sign of the factor.
    Product,
    /// 0.0, so that the sum is 0.0 or not a number.
    Zero,
    Other(Var),
}

impl Sum {
    fn other(self) -> Option<Var> {
        match self {
            Self::Other(var) => Some(var),
            Self::Product | Self::Zero => None,
        }
    }
}

#[derive(Default)]
struct Assignments {
    /// In the order of the program.
    values: Vec<(Var, Value)>,
    times: BTreeMap<Var, u32>,
    /// Variables that leave the arithmetic.
    stored: BTreeSet<Var>,
}

impl Assignments {
    fn collect(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Let { var, value } => {
                    *self.times.entry(*var).or_default() += 1;
                    self.values.push((*var, value.clone()));
                }
                Node::StoreSlot { .. } | Node::StoreField { .. } => self.stored.extend(node.operands()),
                Node::StoreBlock { sums, .. } => self.stored.extend(sums),
                Node::Multiply { blocks, .. } => {
                    let sums = || blocks.iter().flat_map(|block| block.sums);
                    self.stored.extend(sums());
                    sums().for_each(|sum| *self.times.entry(sum).or_default() += 1);
                }
                Node::If { body, .. } | Node::Loop { body, .. } => self.collect(body),
                Node::Switch { arms } => arms.iter().for_each(|(_, body)| self.collect(body)),
                Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
            }
        }
    }

    fn once(&self) -> impl Iterator<Item = &(Var, Value)> {
        self.values.iter().filter(|(var, _)| self.times[var] == 1)
    }

    /// The terms, by the variable that is the sum, or the product where nothing is added.
    fn terms(&self) -> BTreeMap<Var, Term> {
        let is_once = |var: &Var| self.times.get(var) == Some(&1);
        // zeros, with the factor that makes them none where it is no number
        let mut zeros: BTreeMap<Var, Option<Var>> = BTreeMap::new();
        let mut terms = BTreeMap::new();
        for (var, value) in self.once() {
            let is_zero_beside = |zero: Var, factor: Var| {
                let of = zeros.get(&zero);
                of.is_some_and(|of| of.is_none_or(|of| of == factor)) && is_once(&factor)
            };
            let (factor, sum) = match *value {
                Value::Literal(0.0) => {
                    zeros.insert(*var, None);
                    continue;
                }
                Value::Var(of) if zeros.get(&of) == Some(&None) => {
                    zeros.insert(*var, None);
                    continue;
                }
                Value::Fma(zero, factor, sum) if is_zero_beside(zero, factor) => (factor, Sum::Other(sum)),
                Value::Fma(factor, zero, sum) if is_zero_beside(zero, factor) => (factor, Sum::Other(sum)),
                Value::Binary(Binary::Mul, zero, factor) if is_zero_beside(zero, factor) => (factor, Sum::Product),
                Value::Binary(Binary::Mul, factor, zero) if is_zero_beside(zero, factor) => (factor, Sum::Product),
                _ => continue,
            };
            let sum = match sum {
                Sum::Other(sum) if zeros.get(&sum) == Some(&None) => Sum::Zero,
                sum => sum,
            };
            if sum.other().is_none() {
                zeros.insert(*var, Some(factor));
            }
            if sum.other().is_none_or(|sum| is_once(&sum)) {
                terms.insert(*var, Term { factor, sum });
            }
        }
        terms
    }

    /// The variables that are not numbers where the temperature is none, without the terms.
    fn shown(&self, terms: &BTreeMap<Var, Term>, temperatures: &BTreeSet<Var>) -> BTreeSet<Var> {
        let mut shown = temperatures.clone();
        for (var, value) in self.once() {
            let is_shown = match (terms.get(var), value) {
                (Some(term), _) => term.sum.other().is_some_and(|sum| shown.contains(&sum)),
                // A power of what is not a number may be one.
                (_, Value::Var(a) | Value::Unary(Unary::Neg | Unary::Sqrt, a)) => shown.contains(a),
                (_, Value::Binary(..) | Value::Fma(..)) => is_any(value, &shown),
                _ => false,
            };
            if is_shown {
                shown.insert(*var);
            }
        }
        shown
    }

    /// The variables that are made of the temperature and of literals alone.
    fn pure(&self, temperatures: &BTreeSet<Var>) -> BTreeSet<Var> {
        let mut pure = temperatures.clone();
        for (var, value) in self.once() {
            let mut is_pure = !matches!(value, Value::Slot(_) | Value::Field { .. });
            value.for_each_operand(|operand| is_pure &= pure.contains(&operand));
            if is_pure {
                pure.insert(*var);
            }
        }
        pure
    }

    /// The terms each reader of which tells of the temperature without them, and no zero's sign.
    fn told(&self, terms: &BTreeMap<Var, Term>, shown: &BTreeSet<Var>, pure: &BTreeSet<Var>) -> BTreeSet<Var> {
        // Another factor, such as a fraction, may be none where the temperature is a number.
        let impure = terms.iter().filter(|(_, term)| !pure.contains(&term.factor)).map(|(var, _)| *var);
        let mut untold: BTreeSet<Var> = self.stored.iter().copied().chain(impure).collect();
        // Variables that are not only added to something: an empty sum has no other reader.
        let mut multiplied = self.stored.clone();
        for (var, value) in self.values.iter().rev() {
            let tells = self.times[var] == 1 && (shown.contains(var) || !untold.contains(var));
            if let Some(&Term { factor, sum }) = terms.get(var) {
                untold.extend((!tells).then_some(factor));
                untold.extend(sum.other().filter(|_| !tells));
                multiplied.extend(sum.other().filter(|_| multiplied.contains(var)));
                continue;
            }
            let is_sum =
                matches!(value, Value::Var(_) | Value::Unary(Unary::Neg, _) | Value::Binary(..) | Value::Fma(..));
            let divisor = match *value {
                Value::Binary(Binary::Div | Binary::DivNear, _, divisor) => Some(divisor),
                _ => None,
            };
            let addends = match *value {
                Value::Fma(a, b, c) if a != c && b != c => vec![c],
                Value::Binary(Binary::Add, a, b) => vec![a, b],
                _ => vec![],
            };
            value.for_each_operand(|operand| {
                if !tells || !is_sum || divisor == Some(operand) {
                    untold.insert(operand);
                }
                if !addends.contains(&operand) {
                    multiplied.insert(operand);
                }
            });
        }
        let is_told = |(var, term): &(&Var, &Term)| {
            !untold.contains(var) && (term.sum.other().is_some() || !multiplied.contains(var))
        };
        terms.iter().filter(is_told).map(|(var, _)| *var).collect()
    }
}

fn is_any(value: &Value, of: &BTreeSet<Var>) -> bool {
    let mut found = false;
    value.for_each_operand(|operand| found |= of.contains(&operand));
    found
}

/// Whether anything changed.
fn replace(
    vars: &mut PrimaryMap<Var, String>,
    nodes: &mut Vec<Node>,
    terms: &BTreeMap<Var, Term>,
    told: &BTreeSet<Var>,
) -> bool {
    let mut changed = false;
    for mut node in std::mem::take(nodes) {
        match &mut node {
            Node::Let { var, value } => {
                if let Some(&term) = terms.get(var)
                    && let Some(simpler) = simpler(vars, nodes, term, told.contains(var))
                {
                    *value = simpler;
                    changed = true;
                }
            }
            Node::If { body, .. } | Node::Loop { body, .. } => changed |= replace(vars, body, terms, told),
            Node::Switch { arms } => {
                arms.iter_mut().for_each(|(_, body)| changed |= replace(vars, body, terms, told));
            }
            _ => {}
        }
        nodes.push(node);
    }
    changed
}

/// Returns the replacement of a term and its sum, and appends its nodes.
fn simpler(
    vars: &mut PrimaryMap<Var, String>,
    nodes: &mut Vec<Node>,
    Term { factor, sum }: Term,
    is_told: bool,
) -> Option<Value> {
    let none = Value::Binary(Binary::Sub, factor, factor);
    Some(match sum {
        Sum::Product if !is_told => return None,
        Sum::Product | Sum::Zero if is_told => Value::Literal(-0.0),
        Sum::Product | Sum::Zero => none,
        Sum::Other(sum) if is_told => Value::Var(sum),
        Sum::Other(sum) => {
            let var = vars.push("zero".into());
            nodes.push(Node::Let { var, value: none });
            Value::Binary(Binary::Add, sum, var)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Index, Share};
    use cranelift_entity::EntityRef;

    const T: usize = 0;
    const LN_T: usize = 1;
    const Y: usize = 2;
    const ZERO: usize = 3;
    const C: usize = 4;

    /// A temperature, its logarithm, a fraction, and two literals; then the values, of which the last is stored.
    fn program(values: &[Value]) -> Vec<Node> {
        let field = |row| Value::Field { array: 0, row: Index::Literal(row), point: 0, share: Share::Whole };
        let head = [field(0), field(1), field(2), Value::Literal(0.0), Value::Literal(2.5)];
        let all = head.iter().chain(values).enumerate();
        let mut nodes: Vec<Node> =
            all.map(|(at, value)| Node::Let { var: Var::new(at), value: value.clone() }).collect();
        let value = Var::new(nodes.len() - 1);
        nodes.push(Node::StoreField { array: 1, row: Index::Literal(0), point: 0, value, rest: None });
        nodes
    }

    fn left(values: &[Value]) -> Vec<Node> {
        let mut nodes = program(values);
        let mut vars: PrimaryMap<Var, String> = (0..nodes.len() - 1).map(|at| at.to_string()).collect();
        leave_out(&mut vars, &mut nodes, &BTreeSet::from([v(T), v(LN_T)]));
        nodes
    }

    fn v(at: usize) -> Var {
        Var::new(at)
    }

    fn value(nodes: &[Node], var: usize) -> &Value {
        let is_it = |node: &&Node| matches!(node, Node::Let { var: own, .. } if *own == v(var));
        let Some(Node::Let { value, .. }) = nodes.iter().find(is_it) else { panic!("it is assigned") };
        value
    }

    #[test]
    fn a_term_goes_where_the_next_one_has_the_temperature() {
        let found = left(&[Value::Fma(v(ZERO), v(LN_T), v(Y)), Value::Fma(v(T), v(C), v(5))]);
        assert_eq!(value(&found, 5), &Value::Var(v(Y)));
        let found = left(&[Value::Binary(Binary::Mul, v(LN_T), v(ZERO)), Value::Fma(v(T), v(C), v(5))]);
        assert_eq!(value(&found, 5), &Value::Literal(-0.0));
    }

    #[test]
    fn horners_rule_with_zeros_is_its_last_coefficient_or_not_a_number() {
        let chain = [Value::Fma(v(ZERO), v(T), v(ZERO)), Value::Fma(v(5), v(T), v(ZERO)), Value::Fma(v(6), v(T), v(C))];
        let found = left(&chain);
        assert_eq!(value(&found, 8), &Value::Binary(Binary::Sub, v(T), v(T)));
        assert_eq!(value(&found, 7), &Value::Binary(Binary::Add, v(C), v(8)));
    }

    #[test]
    fn functions_and_divisors_keep_the_term() {
        for reader in [Value::Unary(Unary::Exp, v(5)), Value::Binary(Binary::Div, v(T), v(5))] {
            let found = left(&[Value::Fma(v(ZERO), v(LN_T), v(Y)), reader]);
            assert_eq!(value(&found, 5), &Value::Binary(Binary::Add, v(Y), v(7)));
        }
    }

    /// A fraction may be none where the temperature is a number.
    #[test]
    fn a_factor_of_another_kind_keeps_its_term() {
        let found = left(&[Value::Fma(v(ZERO), v(Y), v(C)), Value::Fma(v(T), v(C), v(5))]);
        assert_eq!(value(&found, 5), &Value::Binary(Binary::Add, v(C), v(7)));
    }

    /// The stored number, for a temperature and a fraction.
    fn run(nodes: &[Node], [t, y]: [f64; 2]) -> f64 {
        let mut found: BTreeMap<Var, f64> = BTreeMap::new();
        for node in nodes {
            match node {
                Node::Let { var, value } => {
                    let x = match *value {
                        Value::Field { row: Index::Literal(row), .. } => [t, t.ln(), y][row as usize],
                        Value::Literal(x) => x,
                        Value::Var(a) => found[&a],
                        Value::Unary(Unary::Neg, a) => -found[&a],
                        Value::Binary(Binary::Add, a, b) => found[&a] + found[&b],
                        Value::Binary(Binary::Sub, a, b) => found[&a] - found[&b],
                        Value::Binary(Binary::Mul, a, b) => found[&a] * found[&b],
                        Value::Fma(a, b, c) => found[&a].mul_add(found[&b], found[&c]),
                        _ => unreachable!("the program has no others"),
                    };
                    found.insert(*var, x);
                }
                Node::StoreField { value, .. } => return found[value],
                _ => unreachable!("the program has no others"),
            }
        }
        unreachable!("the program stores")
    }

    #[test]
    fn random_programs_give_the_same_numbers_and_none_where_they_gave_none() {
        let mut state = 1u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut fewer = 0;
        for _ in 0..20_000 {
            let mut values: Vec<Value> = Vec::new();
            for at in 0..8 {
                // Half of all factors are zeros.
                let mut operand = || if next(2) == 0 { v(ZERO) } else { v(next(5 + at)) };
                let [a, b, c] = [operand(), operand(), operand()];
                values.push(match next(5) {
                    0 => Value::Binary(Binary::Add, a, b),
                    1 => Value::Binary(Binary::Mul, a, b),
                    2 => Value::Unary(Unary::Neg, a),
                    _ => Value::Fma(a, b, c),
                });
            }
            let (before, after) = (program(&values), left(&values));
            fewer += usize::from(before != after);
            for t in [300.0, 0.5, f64::NAN] {
                let [x, y] = [&before, &after].map(|nodes| run(nodes, [t, 0.25]));
                assert!(x == y || x.is_nan() && y.is_nan(), "{x} for {y} at {t}: {before:?}\n{after:?}");
            }
        }
        assert!(fewer > 10_000, "{fewer}");
    }
}

//! Random data-parallel programs, and what they compute.

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use graph::{elementary, exp2, log2};
use kernels::Io;
use overlay::program::{
    Array, Bank, Binary, ConstantRef, Constants, Counter, Execution, Index, Node, Program, Share, Unary, Value, Var,
};

pub const WARPS: u32 = 4;
pub const FIELDS: u32 = 4;
const SLOTS: u32 = 4;
const ALL_WARPS: u32 = (1 << WARPS) - 1;

/// A program with loops, branches on the warp, slots, banks and variables that are assigned again.
pub fn program(seed: u64) -> Program {
    let mut make =
        Make { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, vars: PrimaryMap::new(), again: Vec::new() };
    let mut body = Vec::new();
    let mut known = Vec::new();
    for row in 0..FIELDS {
        let var = make.var("x");
        body.push(Node::Let {
            var,
            value: Value::Field { array: 0, row: Index::Literal(row), point: 0, share: Share::Whole },
        });
        body.push(Node::StoreSlot { row: Index::Literal(row), value: var });
        known.push(var);
    }
    for _ in 0..3 {
        let var = make.var("again");
        body.push(Node::Let { var, value: Value::Literal(1.5) });
        make.again.push(var);
        known.push(var);
    }
    make.block(&mut body, &mut known, None, 3, 40);
    for row in 0..FIELDS {
        let value = make.pick(&known);
        body.push(Node::StoreField { array: 1, row: Index::Literal(row), point: 0, value, rest: None });
    }
    let array = |name: &str, output| Array { name: name.to_owned(), rows: FIELDS, output, io: Io::Double };
    Program {
        kernel: format!("random {seed}"),
        arithmetic: overlay::program::Arithmetic::Double,
        symbol: format!("random_{seed}"),
        execution: Execution::DataParallel { warps: WARPS },
        points_per_lane: 1,
        slots: SLOTS,
        arrays: vec![array("in", false), array("out", true)],
        vars: make.vars,
        counters: 1,
        constants: Constants {
            real_bank: vec![0.25, -1.5, 3.0, 0.1],
            index_bank: vec![3, 1, 0, 2],
            ..Constants::default()
        },
        contents: Vec::new(),
        registers: None,
        staging_bytes: None,
        first_global: None,
        body,
    }
}

struct Make {
    state: u64,
    vars: PrimaryMap<Var, String>,
    /// Variables that may be assigned again anywhere.
    again: Vec<Var>,
}

impl Make {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64*
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        (self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }

    fn var(&mut self, hint: &str) -> Var {
        self.vars.push(hint.to_owned())
    }

    /// Mostly a recent variable, so that expressions grow deep.
    fn pick(&mut self, known: &[Var]) -> Var {
        let span = if self.below(3) > 0 { known.len().min(3) } else { known.len() };
        known[known.len() - 1 - self.below(span)]
    }

    fn block(
        &mut self,
        out: &mut Vec<Node>,
        known: &mut Vec<Var>,
        counter: Option<Counter>,
        depth: u32,
        length: usize,
    ) {
        for _ in 0..length {
            let scope = known.len();
            match self.below(24) {
                0 if depth > 0 => {
                    let mut body = Vec::new();
                    self.block(&mut body, known, counter, depth - 1, 6);
                    known.truncate(scope);
                    out.push(Node::If { warps: self.below(16) as u32, body });
                }
                1 if depth > 0 && counter.is_none() => {
                    let counter = Counter::new(0);
                    let mut body = Vec::new();
                    self.block(&mut body, known, Some(counter), depth - 1, 6);
                    known.truncate(scope);
                    out.push(Node::Loop { counter, trips: Index::Literal(3), unroll: 1, body });
                }
                2 if depth > 0 => {
                    let result = self.var("arm result");
                    let first = 1 + self.below(14) as u32;
                    let arms = [first, ALL_WARPS & !first].map(|warps| {
                        let mut body = Vec::new();
                        self.block(&mut body, known, counter, depth - 1, 4);
                        let value = Value::Var(self.pick(known));
                        body.push(Node::Let { var: result, value });
                        known.truncate(scope);
                        (warps, body)
                    });
                    out.push(Node::Switch { arms: arms.into() });
                    known.push(result);
                }
                3 | 4 => {
                    let row = self.index(counter);
                    out.push(Node::StoreSlot { row, value: self.pick(known) });
                }
                5 | 6 => {
                    let which = self.below(self.again.len());
                    let var = self.again[which];
                    let value = self.value(out, known, counter);
                    out.push(Node::Let { var, value });
                }
                _ => {
                    let value = self.value(out, known, counter);
                    let var = self.var("y");
                    out.push(Node::Let { var, value });
                    known.push(var);
                }
            }
        }
    }

    fn index(&mut self, counter: Option<Counter>) -> Index {
        let plain = match counter {
            Some(counter) if self.below(2) == 0 => Index::Counter(counter),
            _ => Index::Literal(self.below(3) as u32),
        };
        match self.below(5) {
            0 => Index::Bank(Box::new(plain)),
            3 => Index::Bank(Box::new(Index::Own(Bank::Indices))),
            1 => Index::Sum(Box::new(plain), Box::new(Index::Literal(1))),
            2 => Index::Bank(Box::new(Index::Sum(
                Box::new(Index::Scaled(Box::new(plain), 1)),
                Box::new(Index::Literal(1)),
            ))),
            _ => plain,
        }
    }

    fn value(&mut self, out: &mut Vec<Node>, known: &[Var], counter: Option<Counter>) -> Value {
        let [a, b, c, d] = [(); 4].map(|()| self.pick(known));
        match self.below(18) {
            0 => Value::Literal([2.0, -0.75, 1e-3, 0.0][self.below(4)]),
            1 if self.below(2) == 0 => Value::Constant(ConstantRef::Bank(Index::Own(Bank::Reals))),
            1 => Value::Constant(ConstantRef::Bank(self.index(counter))),
            2 | 3 => Value::Slot(self.index(counter)),
            4 => Value::Unary([Unary::Neg, Unary::Positive][self.below(2)], a),
            5 => Value::Unary(Unary::Sqrt, self.at_least_half(out, a)),
            6 => Value::Unary([Unary::Log, Unary::Log2][self.below(2)], self.at_least_half(out, a)),
            7 => Value::Unary([Unary::Exp, Unary::Exp2][self.below(2)], a),
            8 => Value::Binary(Binary::Div, b, self.at_least_half(out, a)),
            9 | 10 => Value::Binary(Binary::Mul, a, b),
            11 => Value::Binary(Binary::Add, a, b),
            12 | 13 => Value::Binary(Binary::Sub, a, b),
            14 => Value::Fma(a, b, c),
            15 => Value::ConstantLe { a, b, first: self.below(2) as u32 },
            _ => Value::SelectLe { a, b, then: c, otherwise: d },
        }
    }

    fn at_least_half(&mut self, out: &mut Vec<Node>, a: Var) -> Var {
        let half = self.var("half");
        out.push(Node::Let { var: half, value: Value::Literal(0.5) });
        let var = self.var("bounded");
        out.push(Node::Let { var, value: Value::SelectLe { a: half, b: a, then: a, otherwise: half } });
        var
    }
}

/// Returns the numbers that the program stores for one point in its output; `None` if a step is not a finite number.
pub fn run(program: &Program, warp: u32, input: [f64; FIELDS as usize]) -> Option<[f64; FIELDS as usize]> {
    let mut run =
        Run { program, warp, input, counter: 0, vars: SecondaryMap::new(), slots: [0.0; 8], output: [0.0; 4] };
    run.block(&program.body)?;
    Some(run.output)
}

struct Run<'a> {
    program: &'a Program,
    warp: u32,
    input: [f64; FIELDS as usize],
    counter: u32,
    vars: SecondaryMap<Var, f64>,
    slots: [f64; 8],
    output: [f64; FIELDS as usize],
}

impl Run<'_> {
    fn block(&mut self, nodes: &[Node]) -> Option<()> {
        for node in nodes {
            match node {
                Node::Let { var, value } => {
                    let x = self.value(value);
                    self.vars[*var] = x.is_finite().then_some(x)?;
                }
                Node::StoreSlot { row, value } => self.slots[self.index(row)] = self.vars[*value],
                Node::StoreField { row, value, .. } => self.output[self.index(row)] = self.vars[*value],
                Node::If { warps, body } => {
                    if warps >> self.warp & 1 == 1 {
                        self.block(body)?;
                    }
                }
                Node::Switch { arms } => {
                    let warp = self.warp;
                    for (_, body) in arms.iter().filter(|(warps, _)| warps >> warp & 1 == 1) {
                        self.block(body)?;
                    }
                }
                Node::Loop { trips, body, .. } => {
                    for trip in 0..self.index(trips) {
                        self.counter = trip as u32;
                        self.block(body)?;
                    }
                }
                Node::Comment(_)
                | Node::Barrier { .. }
                | Node::WarpSync
                | Node::Multiply { .. }
                | Node::StoreBlock { .. }
                | Node::Stripes { .. } => {
                    unreachable!("random programs have none")
                }
            }
        }
        Some(())
    }

    fn index(&self, index: &Index) -> usize {
        match index {
            Index::Literal(n) => *n as usize,
            Index::Counter(_) => self.counter as usize,
            Index::Own(bank) => {
                let [common, own] = self.program.constants.entries(*bank, WARPS);
                (common + self.warp * own) as usize
            }
            Index::Bank(index) => self.program.constants.index_bank[self.index(index)] as usize,
            Index::Sum(a, b) => self.index(a) + self.index(b),
            Index::Scaled(a, factor) => self.index(a) * *factor as usize,
            Index::Striped { .. } => unreachable!("random programs have none"),
        }
    }

    fn value(&self, value: &Value) -> f64 {
        let v = |var: Var| self.vars[var];
        match value {
            Value::Literal(x) => *x,
            Value::Constant(ConstantRef::Bank(index)) => self.program.constants.real_bank[self.index(index)],
            Value::Constant(ConstantRef::Striped { .. }) => unreachable!("random programs have none"),
            Value::Var(a) => v(*a),
            Value::Slot(row) => self.slots[self.index(row)],
            Value::Field { row, .. } => self.input[self.index(row)],
            Value::Unary(Unary::Neg, a) => -v(*a),
            Value::Unary(Unary::Sqrt | Unary::SqrtNear, a) => v(*a).sqrt(),
            Value::Unary(Unary::Exp, a) => elementary::exp(v(*a)),
            Value::Unary(Unary::Log, a) => elementary::log(v(*a)),
            Value::Unary(Unary::Exp2 | Unary::Exp2OfWhole, a) => exp2::polynomial(v(*a)),
            Value::Unary(Unary::Exp2Within | Unary::Exp2Near, a) => exp2::POLYNOMIAL_WITHIN.evaluate(v(*a)),
            Value::Unary(
                Unary::Exp2Table
                | Unary::Exp2TableWithin
                | Unary::Exp2Rising
                | Unary::Exp2RisingWithin
                | Unary::Exp2Falling
                | Unary::Exp2FallingWithin
                | Unary::Exp2FallingNear,
                _,
            ) => {
                unreachable!("lanes read each other's entries of the table")
            }
            Value::Unary(Unary::Log2, a) => log2::log2(v(*a)),
            Value::Unary(Unary::Positive, a) => elementary::positive(v(*a)),
            Value::Binary(Binary::Add, a, b) => v(*a) + v(*b),
            Value::Binary(Binary::Sub, a, b) => v(*a) - v(*b),
            Value::Binary(Binary::Mul, a, b) => v(*a) * v(*b),
            Value::Binary(Binary::Div | Binary::DivNear, a, b) => v(*a) / v(*b),
            Value::Fma(a, b, c) => v(*a).mul_add(v(*b), v(*c)),
            Value::ConstantLe { a, b, first } => {
                self.program.constants.real_bank[*first as usize + usize::from(v(*a) <= v(*b))]
            }
            Value::SelectLe { a, b, then, otherwise } => v(if v(*a) <= v(*b) { *then } else { *otherwise }),
        }
    }
}

//! Several points per lane: what depends on the point is computed once for each of the lane's points, side by side; what
//! does not (constants, literals, what is made of them alone, and every index) is fetched once for all of them.
//!
//! Slot s becomes the slots s P … s P + P - 1, one for each point.

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap};

use super::program::{Index, LaneRows, Node, Program, TensorBlock, Value, Var};

/// The program of one point per lane, with this many points per lane.
pub fn widen(program: Program, points: u32) -> Program {
    if points == 1 {
        return program;
    }
    let dependent = dependent(&program);
    let mut vars = PrimaryMap::new();
    let mut copies: SecondaryMap<Var, Vec<Var>> = SecondaryMap::new();
    for (var, name) in &program.vars {
        copies[var] = if dependent.contains(var) {
            (0..points).map(|point| vars.push(format!("{name}_p{point}"))).collect()
        } else {
            vec![vars.push(name.clone())]
        };
    }
    let body = Widening { points, copies }.block(&program.body);
    Program { points_per_lane: points, slots: points * program.slots, vars, body, ..program }
}

/// The variables that may differ between the points of a lane.
fn dependent(program: &Program) -> EntitySet<Var> {
    let mut dependent = EntitySet::with_capacity(program.vars.len());
    while mark(&program.body, &mut dependent) {}
    dependent
}

/// Marks the variables with an assignment that reads the point, or a variable that is marked. Whether any was new.
fn mark(nodes: &[Node], dependent: &mut EntitySet<Var>) -> bool {
    let mut changed = false;
    for node in nodes {
        match node {
            Node::Let { var, value } => {
                let mut depends = matches!(value, Value::Slot(_) | Value::Field { .. });
                value.for_each_operand(|operand| depends |= dependent.contains(operand));
                changed |= depends && dependent.insert(*var);
            }
            Node::If { body, .. } | Node::Loop { body, .. } => changed |= mark(body, dependent),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| changed |= mark(body, dependent)),
            Node::Multiply { blocks, .. } => {
                let sums = blocks.iter().flat_map(|block| &block.sums);
                sums.for_each(|&sum| changed |= dependent.insert(sum));
            }
            Node::Comment(_)
            | Node::StoreSlot { .. }
            | Node::StoreField { .. }
            | Node::StoreBlock { .. }
            | Node::Barrier { .. }
            | Node::WarpSync
            | Node::Stripes { .. } => {}
        }
    }
    changed
}

struct Widening {
    points: u32,
    /// The variables that stand for each variable: one, or one for each point.
    copies: SecondaryMap<Var, Vec<Var>>,
}

impl Widening {
    fn block(&self, nodes: &[Node]) -> Vec<Node> {
        nodes.iter().flat_map(|node| self.node(node)).collect()
    }

    fn node(&self, node: &Node) -> Vec<Node> {
        match node {
            Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => vec![node.clone()],
            Node::Multiply { rows, blocks } => self.each(|point| Node::Multiply {
                rows: self.lane_rows(*rows, point),
                blocks: blocks
                    .iter()
                    .map(|block| TensorBlock { register: block.register, sums: self.sums(&block.sums, point) })
                    .collect(),
            }),
            Node::StoreBlock { rows, sums } => {
                self.each(|point| Node::StoreBlock { rows: self.lane_rows(*rows, point), sums: self.sums(sums, point) })
            }
            Node::Let { var, value } => {
                let copies = self.copies[*var].iter().zip(0..);
                copies.map(|(&var, point)| Node::Let { var, value: self.value(value, point) }).collect()
            }
            Node::StoreSlot { row, value } => {
                self.each(|point| Node::StoreSlot { row: self.slot(row, point), value: self.copy(*value, point) })
            }
            Node::StoreField { array, row, point: _, value, rest } => self.each(|point| Node::StoreField {
                array: *array,
                row: row.clone(),
                point,
                value: self.copy(*value, point),
                rest: rest.map(|rest| self.copy(rest, point)),
            }),
            Node::If { warps, body } => vec![Node::If { warps: *warps, body: self.block(body) }],
            Node::Switch { arms } => {
                vec![Node::Switch { arms: arms.iter().map(|(warps, body)| (*warps, self.block(body))).collect() }]
            }
            Node::Loop { counter, trips, unroll, body } => vec![Node::Loop {
                counter: *counter,
                trips: trips.clone(),
                // The points are independent work already.
                unroll: (unroll / self.points).max(1),
                body: self.block(body),
            }],
        }
    }

    fn each(&self, node: impl Fn(u32) -> Node) -> Vec<Node> {
        (0..self.points).map(node).collect()
    }

    fn copy(&self, var: Var, point: u32) -> Var {
        let copies = &self.copies[var];
        copies[point as usize % copies.len()]
    }

    fn value(&self, value: &Value, point: u32) -> Value {
        let copy = |var: &Var| self.copy(*var, point);
        match value {
            Value::Literal(_) | Value::Constant(_) => value.clone(),
            Value::Var(a) => Value::Var(copy(a)),
            Value::Slot(row) => Value::Slot(self.slot(row, point)),
            Value::Field { array, row, point: _, share } => {
                Value::Field { array: *array, row: row.clone(), point, share: *share }
            }
            Value::Unary(op, a) => Value::Unary(*op, copy(a)),
            Value::Binary(op, a, b) => Value::Binary(*op, copy(a), copy(b)),
            Value::Fma(a, b, c) => Value::Fma(copy(a), copy(b), copy(c)),
            Value::ConstantLe { a, b, first } => Value::ConstantLe { a: copy(a), b: copy(b), first: *first },
            Value::SelectLe { a, b, then, otherwise } => {
                Value::SelectLe { a: copy(a), b: copy(b), then: copy(then), otherwise: copy(otherwise) }
            }
        }
    }

    fn sums(&self, sums: &[Var; 8], point: u32) -> [Var; 8] {
        sums.map(|sum| self.copy(sum, point))
    }

    fn lane_rows(&self, LaneRows { register, factor, offset }: LaneRows, point: u32) -> LaneRows {
        LaneRows { register, factor: factor * self.points, offset: offset * self.points as i32 + point as i32 }
    }

    /// The slot of a point.
    fn slot(&self, row: &Index, point: u32) -> Index {
        match row {
            Index::Literal(row) => Index::Literal(row * self.points + point),
            row => {
                let first = Index::Scaled(Box::new(row.clone()), self.points);
                if point == 0 { first } else { Index::Sum(Box::new(first), Box::new(Index::Literal(point))) }
            }
        }
    }
}

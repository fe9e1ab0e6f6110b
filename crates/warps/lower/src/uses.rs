//! Where the variables of a program occur: how often, and in which block each must be declared. Variables that no store
//! depends on are left out.

use cranelift_entity::{EntitySet, SecondaryMap};
use overlay::program::{Node, Program, Var};

/// A list of nodes of the tree, numbered in the order of a walk from the front; 0 is the body.
pub type BlockId = usize;

/// Occurrences of every variable.
#[derive(Debug, Default)]
pub struct Uses {
    /// 0 for a variable that is left out.
    pub assigned: SecondaryMap<Var, u32>,
    pub used: SecondaryMap<Var, u32>,
    /// The innermost block around all occurrences of the variable, and the node of it that has the first one.
    pub scope: SecondaryMap<Var, Option<(BlockId, usize)>>,
}

/// Counts and places the occurrences of all variables.
pub fn compute(program: &Program) -> Uses {
    let mut walk = Walk { uses: Uses::default(), live: live(program), parents: Vec::new() };
    walk.block(&program.body, None);
    walk.uses
}

/// The variables that a store depends on.
fn live(program: &Program) -> EntitySet<Var> {
    let mut operands: SecondaryMap<Var, Vec<Var>> = SecondaryMap::new();
    let mut work = Vec::new();
    collect(&program.body, &mut operands, &mut work);
    let mut live = EntitySet::with_capacity(program.vars.len());
    while let Some(var) = work.pop() {
        if live.insert(var) {
            work.extend(&operands[var]);
        }
    }
    live
}

fn collect(nodes: &[Node], operands: &mut SecondaryMap<Var, Vec<Var>>, stored: &mut Vec<Var>) {
    for node in nodes {
        match node {
            Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
            Node::Let { var, value } => value.for_each_operand(|operand| operands[*var].push(operand)),
            Node::StoreSlot { .. } | Node::StoreField { .. } => stored.extend(node.operands()),
            Node::StoreBlock { sums, .. } => stored.extend(sums),
            // A sum is made of itself and of slots.
            Node::Multiply { .. } => {}
            Node::If { body, .. } | Node::Loop { body, .. } => collect(body, operands, stored),
            Node::Switch { arms } => arms.iter().for_each(|(_, body)| collect(body, operands, stored)),
        }
    }
}

struct Walk {
    uses: Uses,
    live: EntitySet<Var>,
    /// For each block, its block and node, and its depth.
    parents: Vec<Option<(BlockId, usize, u32)>>,
}

impl Walk {
    fn block(&mut self, nodes: &[Node], parent: Option<(BlockId, usize)>) {
        let block = self.parents.len();
        self.parents.push(parent.map(|(b, i)| (b, i, self.depth(b) + 1)));
        for (index, node) in nodes.iter().enumerate() {
            let here = (block, index);
            match node {
                Node::Comment(_) | Node::Barrier { .. } | Node::WarpSync | Node::Stripes { .. } => {}
                Node::Let { var, .. } if !self.live.contains(*var) => {}
                Node::Let { var, value } => {
                    value.for_each_operand(|operand| self.used(operand, here));
                    self.uses.assigned[*var] += 1;
                    self.occurs(*var, here);
                }
                Node::StoreSlot { .. } | Node::StoreField { .. } => {
                    node.operands().into_iter().for_each(|operand| self.used(operand, here));
                }
                Node::StoreBlock { sums, .. } => sums.iter().for_each(|&sum| self.used(sum, here)),
                Node::Multiply { blocks, .. } => {
                    for &sum in blocks.iter().flat_map(|block| &block.sums) {
                        self.used(sum, here);
                        self.uses.assigned[sum] += 1;
                    }
                }
                Node::If { body, .. } | Node::Loop { body, .. } => self.block(body, Some(here)),
                Node::Switch { arms } => arms.iter().for_each(|(_, body)| self.block(body, Some(here))),
            }
        }
    }

    fn used(&mut self, var: Var, here: (BlockId, usize)) {
        self.uses.used[var] += 1;
        self.occurs(var, here);
    }

    fn occurs(&mut self, var: Var, here: (BlockId, usize)) {
        let scope = self.uses.scope[var].map_or(here, |scope| self.join(scope, here));
        self.uses.scope[var] = Some(scope);
    }

    /// The innermost block around two places, and the earlier of its nodes that hold them.
    fn join(&self, mut a: (BlockId, usize), mut b: (BlockId, usize)) -> (BlockId, usize) {
        while a.0 != b.0 {
            let deeper = if self.depth(a.0) >= self.depth(b.0) { &mut a } else { &mut b };
            let (block, index, _) = self.parents[deeper.0].expect("different blocks meet below the body");
            *deeper = (block, index);
        }
        (a.0, a.1.min(b.1))
    }

    fn depth(&self, block: BlockId) -> u32 {
        self.parents[block].map_or(0, |(_, _, depth)| depth)
    }
}

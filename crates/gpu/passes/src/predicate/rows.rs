//! From selected blocks to rows of steps: masks by the labelled control-dependence graph, loops with their masks, and tests
//! for empty masks.
//!
//! Blocks that depend on the same edges share a mask (Park and Schlansker, "On Predicated Execution", 1991). A mask of one edge is
//! made where the edge starts; one of several edges is made at the first and grows at the others, in the order of the row.

use super::level::{Level, Node, Scope, To};
use super::plan::{Check, Guard, Label, Mask, Plan, Region, Step};
use super::select::{Facts, Selection};
use super::structure::{Kind, Structure};
use ptx::analysis::loops::Loop;
use ptx::inst::Op;
use ptx::ir::Block;
use std::collections::{BTreeMap, BTreeSet};

/// Branches with a test at run time that tells whether a side has lanes.
#[derive(Clone, Copy)]
pub enum Tests<'a> {
    None,
    All,
    Of(&'a BTreeSet<Block>),
}

/// The plan for what was selected.
pub fn plan(facts: &Facts, selection: &Selection, tests: Tests) -> Plan {
    let Selection { cuts, skeleton, predicated, in_row } = selection;
    let order = &skeleton.cfg.order;
    let mut plan = Plan { leaving: cuts.leaving.clone(), ..Plan::default() };
    for block in order.iter().filter(|block| !in_row.contains(block)) {
        match cuts.stacks.get(block) {
            Some(stack) => _ = plan.stacks.insert(*block, stack.exit),
            None if skeleton.targets(*block).len() > 1 && !predicated.contains(block) => {
                plan.uniform.insert(*block);
            }
            None => {}
        }
    }
    for block in order {
        let around = skeleton.loops.innermost(*block);
        let parent = around.and_then(|around| skeleton.loops.loops[around].parent);
        let is_header = around.is_some_and(|around| skeleton.loops.loops[around].header == *block);
        let (first, scope) = if !in_row.contains(block) && predicated.contains(block) {
            let exit = skeleton.post_dominators[*block];
            (Node::Block(*block), Scope { skeleton, around, exit, inside: false })
        } else if in_row.contains(block)
            && let Some(own) = around.filter(|_| is_header)
            && skeleton
                .controllers(*block)
                .iter()
                .all(|branch| skeleton.loops.contains(own, *branch) || !predicated.contains(branch))
            // the row of a loop around it has it already: a branch inside leads to the next round of that one
            && skeleton.loops.enclosing(*block).skip(1).all(|outer| !in_row.contains(&skeleton.loops.loops[outer].header))
        {
            let meets = std::iter::successors(Some(*block), |block| skeleton.post_dominators[*block]);
            let exit = meets.into_iter().find(|meet| !skeleton.loops.contains(own, *meet));
            (Node::Loop(own), Scope { skeleton, around: parent, exit, inside: false })
        } else {
            continue;
        };
        let level = scope.level(first);
        let mut row = Row { facts, selection, tests, steps: Vec::new(), masks: 0, labels: 0 };
        row.level(&level, None, &BTreeMap::new());
        // a branch around nothing but regions that keep the stack keeps it too
        match row.steps.iter().any(|step| matches!(step, Step::Run { guard: Some(_), .. })) {
            true => plan.regions.push(Region { entry: *block, steps: row.steps, exit: scope.exit }),
            false => _ = plan.stacks.insert(*block, scope.exit),
        }
    }
    plan
}

/// A row in the making.
struct Row<'a> {
    facts: &'a Facts<'a>,
    selection: &'a Selection,
    tests: Tests<'a>,
    steps: Vec<Step>,
    masks: u32,
    labels: u32,
}

/// Masks and labels of a loop while its inside is written.
struct Round {
    mask: Mask,
    /// The lanes that are still in this round, where some may go on to the next one early.
    current: Option<Mask>,
    tail: Label,
    behind: Label,
}

/// Masks by the edges that a class depends on.
type Masks<'l> = BTreeMap<&'l [(usize, usize)], Mask>;

impl Row<'_> {
    fn mask(&mut self) -> Mask {
        self.masks += 1;
        Mask::from_u32(self.masks - 1)
    }

    fn label(&mut self) -> Label {
        self.labels += 1;
        Label::from_u32(self.labels - 1)
    }

    /// The masks of the classes of a level. What stays in the round has the round's.
    fn masks_of<'l>(&mut self, level: &'l Level, order: &[usize], round: Option<&Round>) -> Masks<'l> {
        let mut masks = Masks::new();
        if let Some(round) = round {
            for &node in order {
                let own = &level.classes[node][..];
                if (own.is_empty() || masks.contains_key(own))
                    && let Some(edge) = stays(level, node)
                {
                    let class = level.classes.iter().find(|class| class[..] == [(node, edge)]);
                    masks.extend(class.map(|class| (&class[..], round.mask)));
                }
            }
        }
        for class in order.iter().map(|node| &level.classes[*node][..]).filter(|class| !class.is_empty()) {
            if !masks.contains_key(class) {
                let mask = self.mask();
                masks.insert(class, mask);
            }
        }
        masks
    }

    /// The masks that collect the lanes of the edges out of a loop, as far as somebody wants to know.
    fn collected(
        &mut self,
        level: &Level,
        node: usize,
        is_last: bool,
        round: Option<&Round>,
        masks: &Masks,
    ) -> BTreeMap<Option<Block>, Mask> {
        let mut collect = BTreeMap::new();
        for (number, (target, to)) in level.edges[node].iter().enumerate() {
            let alone = masks.get(&[(node, number)][..]).copied();
            let early = round.is_some_and(|round| round.current.is_some()) && !is_last;
            let counts = match to {
                To::Node(_) => masks.keys().any(|class| class.contains(&(node, number))),
                To::Next => early,
                To::Out(_) => round.is_some(),
            };
            if counts {
                let mask = alone.unwrap_or_else(|| self.mask());
                collect.insert(*target, mask);
            }
        }
        collect
    }

    /// The nodes of a level, whose lanes are `guard`. The lanes that leave a loop by one of its exits are collected in the
    /// masks of `leave`.
    fn level(&mut self, level: &Level, round: Option<&Round>, leave: &BTreeMap<Option<Block>, Mask>) {
        let order = level.structure.nodes();
        let last = order.last().copied();
        let guard = round.map(|round| round.mask);
        let masks = self.masks_of(level, &order, round);
        let mut made: BTreeSet<Mask> = BTreeSet::new();
        let guards: Vec<Guard> = level.classes.iter().map(|class| masks.get(&class[..]).copied().or(guard)).collect();
        let sides = self.sides(level);
        let mut open: Vec<(usize, Label)> = Vec::new();
        for &node in &order {
            for end in sides.get(&node).into_iter().flatten() {
                if let Some(mask) = guards[node] {
                    let to = self.label();
                    self.steps.push(Step::IfNone { mask, to, check: Check::Side });
                    open.push((*end, to));
                }
            }
            let edges = &level.edges[node];
            let wanted = |number: usize| masks.iter().filter(move |(class, _)| class.contains(&(node, number)));
            match level.nodes[node] {
                Node::Block(block) => {
                    self.block(block, guards[node]);
                    for (number, (target, _)) in edges.iter().enumerate() {
                        for (class, mask) in wanted(number) {
                            if Some(*mask) == guard {
                                continue;
                            }
                            let more = class.len() > 1 && !made.insert(*mask);
                            let (mask, block, target, guard) = (*mask, block, *target, guards[node]);
                            self.steps.push(Step::Take { mask, block, target, guard, more });
                        }
                    }
                    if let Some(round) = round {
                        self.leave_block(level, round, (node, block, guards[node]), leave, Some(node) == last);
                    }
                }
                Node::Loop(inner) => {
                    let collect = self.collected(level, node, Some(node) == last, round, &masks);
                    self.inner_loop(inner, guards[node], &collect);
                    for (number, (target, to)) in edges.iter().enumerate() {
                        for (_, mask) in wanted(number).filter(|(class, _)| class.len() > 1) {
                            let with = collect[target];
                            self.steps.push(match made.insert(*mask) {
                                true => Step::Copy { mask: *mask, from: Some(with) },
                                false => Step::Join { mask: *mask, with },
                            });
                        }
                        if let (Some(round), Some(&of)) = (round, collect.get(target))
                            && !matches!(to, To::Node(_))
                        {
                            self.steps.extend(round.current.map(|mask| Step::Drop { mask, of }));
                            if let To::Out(target) = to {
                                self.steps.push(Step::Drop { mask: round.mask, of });
                                self.steps.extend(leave.get(target).map(|mask| Step::Join { mask: *mask, with: of }));
                            }
                        }
                    }
                }
            }
            if let Some(round) = round {
                let has = |wanted: fn(&To) -> bool| edges.iter().any(|(_, to)| wanted(to));
                if Some(node) != last && has(|to| matches!(to, To::Out(_))) {
                    let (mask, to) = (round.mask, round.behind);
                    self.steps.push(Step::IfNone { mask, to, check: Check::Exit });
                }
                if let Some(mask) = round.current
                    && Some(node) != last
                    && has(|to| *to == To::Next)
                {
                    self.steps.push(Step::IfNone { mask, to: round.tail, check: Check::Continue });
                }
            }
            while let Some((_, label)) = open.pop_if(|(end, _)| *end == node) {
                self.steps.push(Step::Label(label));
            }
        }
    }

    fn block(&mut self, block: Block, guard: Guard) {
        self.steps.push(match self.selection.cuts.stacks.get(&block) {
            Some(stack) => Step::Stack { entry: block, exit: stack.exit, guard },
            None => Step::Run { block, guard },
        });
    }

    /// Lanes leave the loop, or the round, from a block.
    fn leave_block(
        &mut self,
        level: &Level,
        round: &Round,
        (node, block, guard): (usize, Block, Guard),
        leave: &BTreeMap<Option<Block>, Mask>,
        is_last: bool,
    ) {
        let edges = &level.edges[node];
        let current = round.current.filter(|_| !is_last);
        let take = |mask, target, more| Step::Take { mask, block, target, guard, more };
        if let Some(rest) = stays(level, node).filter(|_| guard == Some(round.mask)) {
            for (target, mask) in edges.iter().filter_map(|(target, _)| Some((*target, *leave.get(target)?))) {
                self.steps.push(take(mask, target, true));
            }
            self.steps.push(take(round.mask, edges[rest].0, false));
            self.steps.extend(current.map(|current| Step::Copy { mask: current, from: Some(round.mask) }));
            return;
        }
        let mut gone: Vec<(Mask, To)> = Vec::new();
        for (target, to) in edges {
            if matches!(to, To::Out(_)) || *to == To::Next && current.is_some() {
                let mask = match guard.filter(|_| edges.len() == 1) {
                    Some(all) => all,
                    None => {
                        let mask = self.mask();
                        self.steps.push(take(mask, *target, false));
                        mask
                    }
                };
                gone.push((mask, *to));
            }
        }
        for (of, to) in gone {
            self.steps.extend(current.map(|mask| Step::Drop { mask, of }));
            if let To::Out(target) = to {
                self.steps.push(Step::Drop { mask: round.mask, of });
                self.steps.extend(leave.get(&target).map(|mask| Step::Join { mask: *mask, with: of }));
            }
        }
    }

    fn inner_loop(&mut self, inner: Loop, guard: Guard, leave: &BTreeMap<Option<Block>, Mask>) {
        let skeleton = &self.selection.skeleton;
        let scope = Scope { skeleton, around: Some(inner), exit: None, inside: true };
        let level = scope.level(Node::Block(skeleton.loops.loops[inner].header));
        let order = level.structure.nodes();
        let last = order.last().copied();
        let early = (0..level.nodes.len())
            .any(|node| Some(node) != last && level.edges[node].iter().any(|(_, to)| *to == To::Next));
        let mask = self.mask();
        let current = early.then(|| self.mask());
        let (head, tail, behind) = (self.label(), self.label(), self.label());
        for mask in leave.values() {
            self.steps.push(Step::Empty { mask: *mask });
        }
        self.steps.push(Step::Copy { mask, from: guard });
        self.steps.push(Step::Label(head));
        self.steps.extend(current.map(|current| Step::Copy { mask: current, from: Some(mask) }));
        self.level(&level, Some(&Round { mask, current, tail, behind }), leave);
        self.steps.push(Step::Label(tail));
        let ends = last.is_some_and(|last| level.edges[last].iter().any(|(_, to)| matches!(to, To::Out(_))));
        // a test for the next round may have gone round that for the end of the loop
        let tested = !ends && current.is_none();
        self.steps.push(if tested { Step::Back { to: head } } else { Step::IfAny { mask, to: head } });
        self.steps.push(Step::Label(behind));
    }

    /// The sides of branches that are worth a test: for the first node of each the last ones, outer sides first. The paper's
    /// rule: more than three instructions, or more than two blocks.
    fn sides(&self, level: &Level) -> BTreeMap<usize, Vec<usize>> {
        let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let tested = |branch: &Structure| match self.tests {
            Tests::None => false,
            Tests::All => true,
            Tests::Of(branches) => branch
                .nodes()
                .last()
                .is_some_and(|node| matches!(level.nodes[*node], Node::Block(block) if branches.contains(&block))),
        };
        level.structure.compounds(&mut |kind, parts| {
            if !matches!(kind, Kind::IfThen | Kind::IfThenElse) || !tested(&parts[0]) {
                return;
            }
            for nodes in parts[1..].iter().map(Structure::nodes) {
                let blocks: Vec<Block> = nodes.iter().flat_map(|node| self.blocks(level.nodes[*node])).collect();
                let real = |inst: &&ptx::ir::Inst| !matches!(self.facts.func.insts[**inst].op, Op::Directive(_));
                let count = |block: &Block| self.facts.func.blocks[*block].insts.iter().filter(real).count();
                if let (Some(first), Some(last)) = (nodes.first(), nodes.last())
                    && (blocks.len() > 2 || blocks.iter().map(count).sum::<usize>() > 3)
                {
                    found.entry(*first).or_default().push(*last);
                }
            }
        });
        found
    }

    fn blocks(&self, node: Node) -> Vec<Block> {
        let Selection { cuts, skeleton, .. } = self.selection;
        let blocks = match node {
            Node::Block(block) => vec![block],
            Node::Loop(inner) => skeleton.loops.loops[inner].blocks.clone(),
        };
        let all =
            |block: &Block| cuts.stacks.get(block).map_or(vec![*block], |stack| stack.blocks.iter().copied().collect());
        blocks.iter().flat_map(all).collect()
    }
}

/// The edge of a block that is the only one not to leave the loop, if others do: where all lanes of the loop run the block,
/// what takes the edge is what is left of the loop's mask.
fn stays(level: &Level, node: usize) -> Option<usize> {
    let Node::Block(_) = level.nodes[node] else { return None };
    let edges = &level.edges[node];
    let mut stays = (0..edges.len()).filter(|number| !matches!(edges[*number].1, To::Out(_)));
    let only = stays.next().filter(|_| edges.len() > 1)?;
    stays.next().is_none().then_some(only)
}

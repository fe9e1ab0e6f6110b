//! Graph colouring: P. Briggs, K. Cooper and L. Torczon, "Improvements to graph coloring register allocation"
//! (TOPLAS 16(3), 1994), with the exact test of colourability for aligned classes of Smith, Ramsey and Holloway (PLDI 2004)
//! instead of the width-and-degree test of Orion (Figure 4).

use super::class::Class;
use super::problem::{Answer, Node, Problem, Units, index};
use cranelift_entity::SecondaryMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Simplifies the interference graph, then colours in reverse. What finds no colour goes to memory; the candidate is the
/// node with the least cost per position that it takes from its neighbours.
pub fn allocate(problem: &Problem) -> Answer {
    let stack = simplify(problem);
    select(problem, &stack)
}

/// The nodes in the order in which they leave the graph.
fn simplify(problem: &Problem) -> Vec<Node> {
    let count = problem.nodes.len();
    // apart from the nodes, of which a cache holds few
    let classes: Vec<Class> = problem.nodes.values().map(|node| node.class).collect();
    let positions: Vec<u32> = classes.iter().map(|class| class.positions(problem.sizes.file(class.file))).collect();
    let positions = |node: Node| positions[index(node)];
    let loss = |node: Node, neighbour: Node| classes[index(node)].taken_by(classes[index(neighbour)]);
    // Positions of a node that its remaining neighbours can take at most.
    let mut lost: Vec<u32> = vec![0; count];
    for node in problem.nodes.keys() {
        lost[index(node)] = problem.neighbours.of(node).iter().map(|n| loss(node, *n)).sum();
    }
    let mut removed = vec![false; count];
    let mut easy: BTreeSet<Node> = problem.nodes.keys().filter(|n| lost[index(*n)] < positions(*n)).collect();
    let hard = problem.nodes.keys().filter(|n| lost[index(*n)] >= positions(*n));
    let mut candidates: BinaryHeap<Candidate> = hard.map(|n| Reverse((price(problem, n, &lost), n))).collect();
    let mut stack = Vec::with_capacity(count);
    loop {
        let node = match easy.pop_first() {
            Some(node) => node,
            None => {
                let is_hard = |node: Node| !removed[index(node)] && lost[index(node)] >= positions(node);
                match cheapest(&mut candidates, is_hard, |node| price(problem, node, &lost)) {
                    Some(node) => node,
                    None => return stack,
                }
            }
        };
        removed[index(node)] = true;
        stack.push(node);
        for neighbour in problem.neighbours.of(node) {
            if removed[index(*neighbour)] {
                continue;
            }
            let before = lost[index(*neighbour)];
            lost[index(*neighbour)] = before - loss(*neighbour, node);
            if before >= positions(*neighbour) && lost[index(*neighbour)] < positions(*neighbour) {
                easy.insert(*neighbour);
            }
        }
    }
}

/// A node that may find no colour, with a lower bound of its price.
type Candidate = Reverse<(u64, Node)>;

/// Returns the hard node with the least price. Prices only grow while neighbours leave the graph, so that one which is still that of the
/// list is the least.
fn cheapest(
    candidates: &mut BinaryHeap<Candidate>,
    is_hard: impl Fn(Node) -> bool,
    price: impl Fn(Node) -> u64,
) -> Option<Node> {
    while let Some(Reverse((known, node))) = candidates.pop() {
        match price(node) {
            _ if !is_hard(node) => {}
            now if now > known => candidates.push(Reverse((now, node))),
            _ => return Some(node),
        }
    }
    None
}

/// The cost of spilling a node for each position that it takes from its neighbours, as the bits of a number that is not negative: they
/// are in the order of the numbers.
fn price(problem: &Problem, node: Node, lost: &[u32]) -> u64 {
    let price = problem.nodes[node].cost.map_or(f64::INFINITY, |cost| cost / f64::from(lost[index(node)].max(1)));
    price.to_bits()
}

fn select(problem: &Problem, stack: &[Node]) -> Answer {
    let partners = problem.partners();
    let mut start: SecondaryMap<Node, u32> = SecondaryMap::with_capacity(problem.nodes.len());
    let mut coloured = vec![false; problem.nodes.len()];
    // first unit and number of units of each node, none while it has no colour
    let mut held = vec![(0, 0); problem.nodes.len()];
    let mut spilled = Vec::new();
    // those among the coloured that go to memory in place of others
    let mut gone = vec![false; problem.nodes.len()];
    for node in stack.iter().rev() {
        let class = problem.nodes[*node].class;
        let mut taken = Units::default();
        for neighbour in problem.neighbours.of(*node) {
            let (first, units) = held[index(*neighbour)];
            taken.take(first, units);
        }
        let preferred = partners[*node].iter().filter(|n| coloured[index(**n)]).map(|n| start[*n]);
        match taken.first_free(class, problem.sizes.file(class.file), preferred) {
            Some(unit) => {
                start[*node] = unit;
                held[index(*node)] = (unit, class.units);
                coloured[index(*node)] = true;
            }
            None if problem.nodes[*node].cost.is_some() => spilled.push(*node),
            None => match victim(problem, *node, &coloured, &gone) {
                Some(neighbour) => {
                    gone[index(neighbour)] = true;
                    spilled.push(neighbour);
                }
                None if !spilled.is_empty() => {}
                None => return Answer::Stuck(*node),
            },
        }
    }
    if spilled.is_empty() { Answer::Assigned(start) } else { Answer::Spill(spilled) }
}

/// A neighbour that can go to memory in place of a node that cannot: the cheapest.
fn victim(problem: &Problem, node: Node, coloured: &[bool], gone: &[bool]) -> Option<Node> {
    let cost = |n: &Node| problem.nodes[*n].cost;
    let open = |n: &&Node| coloured[index(**n)] && cost(n).is_some() && !gone[index(**n)];
    let cheaper = |a: &&Node, b: &&Node| cost(a).partial_cmp(&cost(b)).expect("costs are finite").then(a.cmp(b));
    problem.neighbours.of(node).iter().filter(open).min_by(cheaper).copied()
}

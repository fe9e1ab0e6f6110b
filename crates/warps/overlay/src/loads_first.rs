//! The first inputs of each warp are on their way while all warps compute what they need of the temperature.
//!
//! A warp of straight code loads its inputs where its own code begins, behind a branch that compilers move no load across: so it would wait for the memory twice
//! in a turn, for the temperature and then for its inputs. More than a few loads ahead take registers that the rest needs.

use super::program::{Index, Node, Value, Var, WarpMask};
use cranelift_entity::PrimaryMap;

/// Inputs of each warp that are loaded ahead. With sixteen, USC Mech II's chemistry on Hopper takes as long as with eight, with 28 it takes 5 % longer.
const MOST: usize = 8;

/// Nodes of straight code from a load to the end of the phase before the one that needs it, at most: some 600 clocks.
const REACH: usize = 120;

/// Starts the first loads of each phase in the phase before, except in the first phase. So no warp waits for the memory while others wait
/// for its results. Stiff species are relaxed one after another, each by its own inputs.
pub fn one_phase_ahead(vars: &mut PrimaryMap<Var, String>, body: &mut Vec<Node>) {
    let at: Vec<usize> = (0..body.len()).filter(|&at| matches!(body[at], Node::Switch { .. })).collect();
    // Those of one phase are read while those of the next are on their way.
    let mut sets: [Vec<Var>; 2] = Default::default();
    let mut begun: Vec<(usize, Node)> = Vec::new();
    for (number, pair) in at.windows(2).enumerate() {
        let ahead = &mut sets[number % 2];
        let Node::Switch { arms } = &mut body[pair[1]] else { continue };
        let loads: Vec<(WarpMask, Vec<Node>)> =
            arms.iter_mut().map(|(warps, code)| (*warps, taken(vars, ahead, code))).collect();
        let Node::Switch { arms } = &mut body[pair[0]] else { continue };
        let most = loads.iter().map(|(_, loads)| loads.len()).max().unwrap_or(0);
        for (warps, loads) in loads {
            match arms.iter_mut().find(|(others, _)| *others == warps) {
                Some((_, code)) => {
                    let place = code.len().saturating_sub(REACH);
                    code.splice(place..place, loads);
                }
                None if loads.is_empty() => {}
                None => arms.push((warps, loads)),
            }
        }
        // Compilers cannot know that warps without such a load read none, and would keep what they find around the streaming loop.
        let empty = ahead[..most].iter().map(|&var| Node::Let { var, value: Value::Literal(0.0) });
        begun.extend(empty.map(|node| (pair[0], node)));
    }
    for (at, node) in begun.into_iter().rev() {
        body.insert(at, node);
    }
}

/// Puts the loads that all warps begin with first, then the first ones of each warp, and then what stood before the warps' own code.
pub fn hoist(vars: &mut PrimaryMap<Var, String>, body: &mut Vec<Node>) {
    let Some(at) = body.iter().position(|node| matches!(node, Node::Switch { .. })) else { return };
    let are_plain = |nodes: &[Node]| nodes.iter().all(|node| matches!(node, Node::Comment(_) | Node::Let { .. }));
    if !are_plain(&body[..at]) {
        return;
    }
    let Node::Switch { arms } = &mut body[at] else { return };
    let mut ahead: Vec<Var> = Vec::new();
    let loads: Vec<(WarpMask, Vec<Node>)> =
        arms.iter_mut().map(|(warps, code)| (*warps, taken(vars, &mut ahead, code))).collect();
    if ahead.is_empty() {
        return;
    }
    let rest = body.split_off(at);
    let (first, others): (Vec<Node>, Vec<Node>) = body.drain(..).partition(is_load);
    body.extend(first);
    body.push(Node::Switch { arms: loads });
    body.extend(others);
    body.extend(rest);
}

/// The first loads of a warp's code, to variables that all warps have; the code has these in their places.
fn taken(vars: &mut PrimaryMap<Var, String>, ahead: &mut Vec<Var>, code: &mut [Node]) -> Vec<Node> {
    let mut loads = Vec::new();
    for node in code.iter_mut().filter(|node| is_load(node)).take(MOST) {
        let Node::Let { value, .. } = node else { continue };
        if ahead.len() == loads.len() {
            ahead.push(vars.push(format!("ahead_{}", ahead.len() + 1)));
        }
        let var = ahead[loads.len()];
        loads.push(Node::Let { var, value: std::mem::replace(value, Value::Var(var)) });
    }
    loads
}

fn is_load(node: &Node) -> bool {
    matches!(node, Node::Let { value: Value::Field { row: Index::Literal(_), .. }, .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Share;

    fn load(vars: &mut PrimaryMap<Var, String>, row: u32) -> Node {
        let var = vars.push(format!("field_{row}"));
        Node::Let { var, value: Value::Field { array: 0, row: Index::Literal(row), point: 0, share: Share::Whole } }
    }

    #[test]
    fn loads_come_before_what_all_warps_compute() {
        let mut vars = PrimaryMap::new();
        let common = load(&mut vars, 0);
        let computed = Node::Let { var: vars.push("t".into()), value: Value::Literal(1.0) };
        let own: Vec<Node> = (1..=MOST as u32 + 1).map(|row| load(&mut vars, row)).collect();
        let other = vec![load(&mut vars, 20)];
        let mut body =
            vec![computed.clone(), common.clone(), Node::Switch { arms: vec![(1, own.clone()), (2, other)] }];
        hoist(&mut vars, &mut body);
        let [first, Node::Switch { arms: ahead }, second, Node::Switch { arms }] = &body[..] else {
            panic!("{body:?}");
        };
        assert_eq!((first, second), (&common, &computed));
        assert_eq!(ahead.iter().map(|(_, loads)| loads.len()).collect::<Vec<_>>(), [MOST, 1]);
        // Both warps have the same variable for what each loads first, and the last load of the first one stays.
        let var = |node: &Node| if let Node::Let { var, .. } = node { *var } else { panic!("{node:?}") };
        assert_eq!(var(&ahead[0].1[0]), var(&ahead[1].1[0]));
        assert!(matches!(arms[1].1[0], Node::Let { value: Value::Var(from), .. } if from == var(&ahead[1].1[0])));
        assert_eq!(arms[0].1[MOST], own[MOST]);
    }

    #[test]
    fn a_phase_loads_what_the_next_one_needs() {
        let mut vars = PrimaryMap::new();
        let computed = Node::Let { var: vars.push("t".into()), value: Value::Literal(1.0) };
        let own = load(&mut vars, 1);
        let other = load(&mut vars, 2);
        let phase = |arms| Node::Switch { arms };
        let first = phase(vec![(1, vec![computed.clone(); 2 * REACH])]);
        let mut body = vec![first, Node::WarpSync, phase(vec![(1, vec![own.clone()]), (2, vec![other.clone()])])];
        one_phase_ahead(&mut vars, &mut body);
        let [Node::Let { var, .. }, Node::Switch { arms: before }, Node::WarpSync, Node::Switch { arms }] = &body[..]
        else {
            panic!("{body:?}");
        };
        // The warp that has nothing to do in the first phase loads there, too.
        let is_load = |node: &Node, row| matches!(node, Node::Let { var: to, value: Value::Field { row: Index::Literal(r), .. } } if to == var && *r == row);
        assert!(is_load(&before[0].1[REACH], 1) && is_load(&before[1].1[0], 2), "{before:?}");
        assert_eq!(before[0].1.len(), 2 * REACH + 1);
        for (_, code) in arms {
            assert!(matches!(&code[..], [Node::Let { value: Value::Var(from), .. }] if from == var), "{code:?}");
        }
    }

    #[test]
    fn code_behind_a_barrier_is_left_alone() {
        let mut vars = PrimaryMap::new();
        let arms = vec![(1, vec![load(&mut vars, 1)])];
        let mut body = vec![Node::WarpSync, Node::Switch { arms }];
        let before = body.clone();
        hoist(&mut vars, &mut body);
        assert_eq!(body, before);
    }
}

//! Legend of a loop, for readers of the emitted text.

use super::repeat::Member;
use graph::Graph;
use std::collections::BTreeMap;

/// Operations of a warp that a legend names; of more it tells the first ones and how many there are.
const NAMED: usize = 3;

/// The operations of the members' steps, by warp. Warps with the same ones are told once.
pub fn describe(graph: &Graph, members: &[Member]) -> String {
    let mut operations: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for (warp, steps) in members.iter().flat_map(|member| &member.steps) {
        let own = operations.entry(*warp).or_default();
        for name in steps.iter().map(|at| graph.ops[at.op].name.as_str()) {
            if !own.contains(&name) {
                own.push(name);
            }
        }
    }
    let mut alike: Vec<(Vec<u32>, Vec<&str>)> = Vec::new();
    for (warp, own) in operations {
        match alike.iter_mut().find(|(_, others)| *others == own) {
            Some((warps, _)) => warps.push(warp),
            None => alike.push((vec![warp], own)),
        }
    }
    let told: Vec<String> = alike.iter().map(|(warps, own)| format!("{}: {}", these(warps), names(own))).collect();
    told.join("; ")
}

fn these(warps: &[u32]) -> String {
    let list: Vec<String> = warps.iter().map(u32::to_string).collect();
    format!("warp{} {}", if warps.len() == 1 { "" } else { "s" }, list.join(", "))
}

fn names(own: &[&str]) -> String {
    match own.len() {
        all if all > NAMED + 1 => format!("{}, ... ({all})", own[..NAMED].join(", ")),
        _ => own.join(", "),
    }
}

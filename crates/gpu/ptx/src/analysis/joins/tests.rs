//! Where the lanes of a branch meet: in random graphs the same as by letting every label flow to the end.

use super::joins;
use crate::analysis::cfg::Cfg;
use crate::analysis::dominators::post_dominators;
use crate::ir::{Block, Func};
use crate::read;
use diagnostics::Source;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel of so many blocks, each of which goes on, branches or ends.
fn random(blocks: u64, mut next: impl FnMut(u64) -> u64) -> Func {
    let mut text = ".version 7.0\n.target sm_70\n.entry k () { .reg .pred %p<2>;\n".to_owned();
    for i in 0..blocks {
        let to = next(blocks);
        text += &match next(6) {
            0 => format!("L{i}: bra L{to};\n"),
            1 => format!("L{i}: ret;\n"),
            2 => format!("L{i}: @%p1 exit;\n"),
            _ => format!("L{i}: @%p1 bra L{to};\n"),
        };
    }
    let source = Source { name: "k.ptx".to_owned(), text: text + "}" };
    read::read(&source.into()).unwrap().funcs.remove(0)
}

/// Each branch's joins, by the labels that reach them in reverse post-order.
fn plain(cfg: &Cfg, meeting: impl Fn(Block) -> Option<Block>) -> BTreeSet<(Block, Block)> {
    let mut found = BTreeSet::new();
    for &branch in cfg.order.iter().filter(|block| cfg.successors(**block).len() > 1) {
        let behind = meeting(branch);
        found.extend(behind.map(|behind| (behind, branch)));
        let ways: Vec<Block> = cfg.successors(branch).iter().copied().filter(|way| Some(*way) != behind).collect();
        if ways.len() < 2 {
            continue;
        }
        // a way's number, or the block itself where two labels met
        let mut labels: BTreeMap<Block, Result<Block, usize>> = BTreeMap::new();
        let mut work = BTreeSet::new();
        for (i, way) in ways.iter().enumerate() {
            labels.insert(*way, Err(i));
            work.insert(cfg.number(*way));
        }
        while let Some(number) = work.pop_first() {
            let block = cfg.order[number];
            if block == branch {
                continue;
            }
            let label = labels[&block];
            for next in cfg.successors(block).iter().copied().filter(|next| Some(*next) != behind) {
                match labels.get(&next) {
                    None => drop(labels.insert(next, label)),
                    Some(own) if *own != label && *own != Ok(next) => {
                        labels.insert(next, Ok(next));
                        found.insert((next, branch));
                    }
                    Some(_) => continue,
                }
                work.insert(cfg.number(next));
            }
        }
    }
    found
}

#[test]
fn nothing_is_lost_where_the_walk_ends_early() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % n
    };
    for round in 0..4000 {
        let func = random(3 + round % 38, &mut next);
        let cfg = Cfg::compute(&func);
        let meeting = post_dominators(&func);
        let lists = joins(&cfg, &meeting);
        let found: BTreeSet<(Block, Block)> =
            cfg.order.iter().flat_map(|block| lists.get(*block).iter().map(|branch| (*block, *branch))).collect();
        assert_eq!(found, plain(&cfg, |branch| meeting[branch]), "{func:?}");
    }
}

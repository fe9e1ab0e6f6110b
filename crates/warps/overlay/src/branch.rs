//! Neighbouring guards for the same warps become one; those with disjoint warps become one indirect branch, as long as
//! its paths stay short.

use crate::program::{Node, WarpMask};

/// A path of an indirect branch is at most about this long, in nodes of one point: instruction prefetching copes with a few hundred
/// instructions (paper section 5.1).
const LONGEST_PATH: usize = 200;

pub fn merge(nodes: Vec<Node>) -> Vec<Node> {
    let mut out: Vec<Node> = Vec::new();
    let mut arms: Vec<(WarpMask, Vec<Node>)> = Vec::new();
    for node in nodes {
        match node {
            Node::If { warps, body } => {
                // arms are disjoint: what the warps of one do next may follow in theirs
                let is_only = arms.len() == 1;
                if let Some((_, earlier)) = arms.iter_mut().find(|(mask, _)| *mask == warps)
                    && (is_only || length(earlier) + length(&body) <= LONGEST_PATH)
                {
                    earlier.extend(body);
                    continue;
                }
                let disjoint = arms.iter().all(|(mask, _)| mask & warps == 0);
                if !disjoint || length(&body) > LONGEST_PATH {
                    flush(&mut arms, &mut out);
                }
                arms.push((warps, body));
            }
            other => {
                flush(&mut arms, &mut out);
                out.push(other);
            }
        }
    }
    flush(&mut arms, &mut out);
    out
}

fn flush(arms: &mut Vec<(WarpMask, Vec<Node>)>, out: &mut Vec<Node>) {
    let arms = std::mem::take(arms);
    if arms.len() > 1 && arms.iter().all(|(_, body)| length(body) <= LONGEST_PATH) {
        out.push(Node::Switch { arms });
    } else {
        out.extend(arms.into_iter().map(|(warps, body)| Node::If { warps, body }));
    }
}

/// Statements of one point.
pub fn length(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::If { body, .. } | Node::Loop { body, .. } => 1 + length(body),
            Node::Switch { arms } => 1 + arms.iter().map(|(_, body)| length(body)).sum::<usize>(),
            Node::Comment(_) => 0,
            Node::Let { .. }
            | Node::StoreSlot { .. }
            | Node::StoreField { .. }
            | Node::Barrier { .. }
            | Node::WarpSync
            | Node::StoreBlock { .. }
            | Node::Stripes { .. } => 1,
            Node::Multiply { blocks, .. } => 4 * (1 + blocks.len()),
        })
        .sum()
}

//! An interference graph: the neighbours of each node, all in one piece of memory.

use super::problem::{Node, index};

/// The neighbours of each node, in no order.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Begin and end of each node's part of the list.
    spans: Vec<(u32, u32)>,
    list: Vec<Node>,
}

impl Neighbours {
    /// The graph with these edges, of which some may be there twice.
    pub fn new(nodes: usize, edges: &[(Node, Node)]) -> Self {
        let mut graph = Self { spans: spans(nodes, edges), list: vec![Node::from_u32(0); 2 * edges.len()] };
        for (a, b) in edges {
            graph.push(*a, *b);
            graph.push(*b, *a);
        }
        let mut last = vec![u32::MAX; nodes];
        for (node, (begin, end)) in (0..).zip(&mut graph.spans) {
            let mut kept = *begin;
            for at in *begin..*end {
                let neighbour = graph.list[at as usize];
                if std::mem::replace(&mut last[index(neighbour)], node) != node {
                    graph.list[kept as usize] = neighbour;
                    kept += 1;
                }
            }
            *end = kept;
        }
        graph
    }

    pub fn of(&self, node: Node) -> &[Node] {
        let (begin, end) = self.spans[index(node)];
        &self.list[begin as usize..end as usize]
    }

    fn push(&mut self, node: Node, neighbour: Node) {
        let (_, end) = &mut self.spans[index(node)];
        self.list[*end as usize] = neighbour;
        *end += 1;
    }
}

/// An empty part of the list for each node, with room behind it for its edges.
fn spans(nodes: usize, edges: &[(Node, Node)]) -> Vec<(u32, u32)> {
    let mut degrees = vec![0; nodes];
    for (a, b) in edges {
        degrees[index(*a)] += 1;
        degrees[index(*b)] += 1;
    }
    let mut end = 0;
    let part = |degree| {
        let begin = end;
        end += degree;
        (begin, begin)
    };
    degrees.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_there_once() {
        let node = Node::from_u32;
        let edges = [(3, 1), (0, 3), (1, 3), (2, 0), (3, 0)].map(|(a, b)| (node(a), node(b)));
        let graph = Neighbours::new(5, &edges);
        let of = |at| graph.of(node(at)).iter().map(|node| node.as_u32()).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2), of(3), of(4)], [vec![3, 2], vec![3], vec![0], vec![1, 0], vec![]]);
        assert!(Neighbours::new(1, &[]).of(node(0)).is_empty());
    }
}

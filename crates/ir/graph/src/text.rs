//! Text and DOT forms of a graph.

use std::fmt::Write;

use super::dataflow::{Graph, StepRef};

/// One line per step: operation, part, shape, operands; then the shapes.
pub fn text(graph: &Graph) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "graph {} scalars {:?}", graph.kernel, graph.scalars);
    for (op, operation) in &graph.ops {
        let _ = writeln!(out, "{op} {} flops {}", operation.name, graph.flops(op));
        for part in operation.parts() {
            let step = graph.step(StepRef { op, part });
            let names = |values: &[super::Value]| -> String {
                values.iter().map(|&v| graph.values[v].name.as_str()).collect::<Vec<_>>().join(" ")
            };
            let _ = writeln!(
                out,
                "  {part:?} {} ({}) rows {:?} constants {:?} -> ({}) stores {:?}",
                step.shape,
                names(&step.inputs),
                step.rows,
                step.constants,
                names(&step.outputs),
                step.stores
            );
        }
    }
    for (shape, body) in &graph.shapes {
        let _ = write!(out, "{shape}\n{body}");
    }
    out
}

/// Graphviz: one node per operation, coloured by `warp` where given; edges carry the number of values.
pub fn dot(graph: &Graph, warp: impl Fn(super::Op) -> Option<u32>) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=filled, fontname=\"sans-serif\"];",
        graph.kernel
    );
    for (op, operation) in &graph.ops {
        let (label, hue) = match warp(op) {
            Some(w) => (format!("\\nwarp {w}"), f64::from(w) * 0.618_034 % 1.0),
            None => (String::new(), 0.0),
        };
        let saturation = if label.is_empty() { 0.0 } else { 0.25 };
        let _ = writeln!(
            out,
            "  {op} [label=\"{}{label}\\n{} flops\", fillcolor=\"{hue:.3} {saturation} 1.0\"];",
            operation.name.replace('"', "'"),
            graph.flops(op)
        );
    }
    let petgraph = graph.petgraph();
    for edge in petgraph.edge_indices() {
        let (from, to) = petgraph.edge_endpoints(edge).expect("the index is the graph's own");
        let _ = writeln!(out, "  {} -> {} [label=\"{}\"];", petgraph[from], petgraph[to], petgraph[edge]);
    }
    out.push_str("}\n");
    out
}

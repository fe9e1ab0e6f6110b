//! Mappings that are looked for beside the greedy one: no dearer, and never cheaper than the bound.

use graph::Graph;
use kernels::{Kernel, Options, build};
use mapping::{Mapper, Mapping, Optimality};
use testkit::made_up;
use testkit::numbers::Numbers;

const WARPS: u32 = 8;

fn graph(kernel: Kernel, model: &kinetics::Model, warps: u32) -> Graph {
    build(kernel, model, &Options { warps, ..Options::default() }).unwrap()
}

fn gri30() -> kinetics::Model {
    testkit::model(&testkit::shipped("gri30"))
}

fn total(graph: &Graph, mapping: &Mapping) -> f64 {
    mapping::cost(graph, mapping).total
}

/// Returns the proven lower bound on the cost of a mapping.
fn bound(graph: &Graph, mapping: &Mapping) -> f64 {
    match mapping.optimality {
        Optimality::Within { gap } => total(graph, mapping) * (1.0 - gap),
        other => panic!("{other:?}"),
    }
}

#[test]
fn gri30_is_mapped_within_a_stated_gap() {
    let model = gri30();
    for (kernel, least) in
        [(Kernel::Viscosity, 0.1), (Kernel::Conductivity, 0.6), (Kernel::Diffusion, 0.3), (Kernel::Chemistry, 0.3)]
    {
        let graph = graph(kernel, &model, WARPS);
        let [greedy, found] = [Mapper::Greedy, Mapper::Ilp].map(|mapper| mapping::map(&graph, WARPS, mapper));
        let [of_greedy, of_found] = [&greedy, &found].map(|mapping| total(&graph, mapping));
        let Optimality::Within { gap } = found.optimality else { panic!("{:?}", found.optimality) };
        println!("{kernel}: greedy {of_greedy:.4}, found {of_found:.4}, at most {:.1} % from the best", 100.0 * gap);
        assert!(of_found <= of_greedy + 1e-9 && gap < least, "{kernel}: {gap}");
    }
}

/// Whatever the mapping is.
#[test]
fn no_mapping_costs_less_than_the_bound() {
    let gri30 = gri30();
    let made_up = made_up::model(12, 40, 3);
    let mut n = Numbers(11);
    for (model, kernel) in [
        (&gri30, Kernel::Viscosity),
        (&gri30, Kernel::Chemistry),
        (&made_up, Kernel::Chemistry),
        (&made_up, Kernel::Diffusion),
        (&made_up, Kernel::Conductivity),
    ] {
        let graph = graph(kernel, model, 24);
        let found = mapping::map(&graph, 24, Mapper::Ilp);
        let bound = bound(&graph, &found);
        // From one warp for all to all alike.
        for used in [1, 2, 3, 5, 8, 24].repeat(8) {
            let mut other = found.clone();
            graph.ops.keys().for_each(|op| other.warp_of[op] = n.below(used) as u32);
            let cost = total(&graph, &other);
            assert!(cost >= bound - 1e-9, "{kernel}: {cost} of {used} warps, bound {bound}");
        }
    }
}

//! Reactions with equal reactants in one operation: it computes the products over these once.
//!
//! So these products are no values that pass between operations and sharing takes no room in shared memory; and an
//! operation that reads a value once for two reactions saves passes, too.

use crate::build::{Operands, single};
use crate::rates::activity;
use crate::rates::equilibrium::reverse_constant;
use crate::rates::log_space::LogSpace;
use crate::rates::plan::Plan;
use crate::rates::reaction::{Product, orders, product, rate_constant, with_third_body};
use crate::rates::sources::Sources;
use graph::body::Id;
use graph::dataflow::{Graph, Value};
use mechanism::{Mechanism, Reaction, SpeciesIndex};

/// Reactions of one operation, at most: all results of an operation are held until its last one is there.
const LARGEST: usize = 8;
/// Likewise where several warps share the work: operations are what warps are dealt.
const LARGEST_SHARE: usize = 2;
/// Double-precision slots of a reaction that shares an operation then, at most: those of one power of two and its products.
/// Longer ones would save as little and make the warps' shares uneven.
const SHORT: u64 = 25;

/// Common part of the reactions of one group: whether activities serve them, and their reactants with the bits of their orders.
type Reactants = (bool, Vec<(usize, u64)>);

/// By reaction, the reactions of the operation in its place. That of a group stands where its first reaction does.
pub fn groups(mechanism: &Mechanism, plans: &[Plan], sources: &Sources<'_>, warps: u32) -> Vec<Vec<usize>> {
    let (largest, longest) = if warps == 1 { (LARGEST, u64::MAX) } else { (LARGEST_SHARE, SHORT) };
    let mut places: Vec<Vec<usize>> = vec![Vec::new(); mechanism.reactions.len()];
    let mut groups: Vec<(Reactants, Vec<usize>)> = Vec::new();
    for (i, (r, _)) in mechanism.reactions.iter().zip(plans).enumerate().filter(|(_, (r, plan))| !plan.is_split(r)) {
        match key(i, r, sources) {
            None => places[i] = vec![i],
            Some(key) => match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, group)) => group.push(i),
                None => groups.push((key, vec![i])),
            },
        }
    }
    let alone = |i: usize| net_rates([(i, &mechanism.reactions[i])], sources).body;
    for (_, group) in groups {
        let (mut group, long): (Vec<_>, Vec<_>) = group.into_iter().partition(|&i| alone(i).slots() <= longest);
        // Members whose own code is the same come together, so that there are few shapes.
        group.sort_by_cached_key(|&i| alone(i).key());
        for members in group.chunks(largest).chain(long.chunks(1)) {
            let first = *members.iter().min().expect("a chunk is not empty");
            places[first] = members.to_vec();
        }
    }
    places
}

/// `None` for a reaction that has no product to share.
fn key(i: usize, r: &Reaction, sources: &Sources<'_>) -> Option<Reactants> {
    let log_space = sources.log_space.as_ref()?;
    let orders = orders(&r.reactants, &r.forward_orders);
    let factors: f64 = orders.iter().map(|(_, order)| order.abs()).sum();
    let mut reactants: Vec<(usize, u64)> = orders.into_iter().map(|(k, order)| (k, order.to_bits())).collect();
    reactants.sort_unstable();
    (factors > 1.0).then_some((log_space.activities.serves[i], reactants))
}

/// Adds the operation of some reactions whose net rates of progress alone are read.
pub fn add(
    graph: &mut Graph,
    mechanism: &Mechanism,
    members: &[usize],
    sources: &Sources<'_>,
    progress: &mut [Option<Value>],
) {
    let [first, others @ ..] = members else { return };
    let reactions = members.iter().map(|&i| (i, &mechanism.reactions[i]));
    let step = net_rates(reactions, sources).into_step(graph);
    let mut name = format!("reaction {} {}", first + 1, mechanism.reactions[*first].equation);
    for i in others {
        name += &format!(" and {} {}", i + 1, mechanism.reactions[*i].equation);
    }
    let op = graph.add(single(name, step), |_, n| format!("progress {}", members[n] + 1));
    for (&i, &value) in members.iter().zip(&graph.ops[op].epilogue.outputs) {
        progress[i] = Some(value);
    }
}

/// q = (k_f prod C^nu' - k_r prod C^nu'') [M] of each of some reactions. If there are several, their reactants are equal.
fn net_rates<'a>(reactions: impl IntoIterator<Item = (usize, &'a Reaction)>, sources: &Sources<'_>) -> Operands {
    let reactions: Vec<_> = reactions.into_iter().collect();
    let mut o = Operands::default();
    let mut ahead = Ahead::default();
    for &reaction in &reactions {
        let q = net_rate(&mut o, reaction, sources, (reactions.len() > 1).then_some(&mut ahead));
        o.body.values.push(q);
    }
    o
}

/// Products over the reactants that reactions with equal reactants share.
#[derive(Default)]
struct Ahead {
    constants: Option<Id>,
    activities: Option<Id>,
    concentrations: Option<Product>,
    complete: Option<Product>,
}

impl Ahead {
    /// k times the product of concentrations. It lacks as many totals as the reverse rate does, or none.
    fn times(
        &mut self,
        o: &mut Operands,
        k: Id,
        orders: &[(SpeciesIndex, f64)],
        back: Option<u32>,
        sources: &Sources<'_>,
    ) -> Product {
        let product = *self.concentrations.get_or_insert_with(|| product(o, sources, None, orders));
        let product = if back == Some(product.totals) {
            product
        } else {
            *self.complete.get_or_insert_with(|| product.complete(o, sources))
        };
        Product { id: o.body.mul(k, product.id), ..product }
    }
}

fn net_rate(o: &mut Operands, (i, r): (usize, &Reaction), sources: &Sources<'_>, ahead: Option<&mut Ahead>) -> Id {
    let forward = rate_constant(o, r, sources);
    if let Some(LogSpace { activities, .. }) =
        sources.log_space.as_ref().filter(|log_space| log_space.activities.serves[i])
    {
        let (difference, rate) = match ahead {
            None => (activity::difference(o, activities, r, None), activity::scaled_rate(o, activities, r, forward)),
            Some(ahead) => {
                ahead.activities =
                    ahead.activities.or_else(|| activity::product(o, None, &activities.activity, &r.reactants));
                ahead.constants =
                    ahead.constants.or_else(|| activity::product(o, None, &activities.constant, &r.reactants));
                let rate = ahead.constants.map_or(forward, |constants| o.body.mul(forward, constants));
                (activity::difference(o, activities, r, ahead.activities), rate)
            }
        };
        let q = o.body.mul(rate, difference);
        return with_third_body(o, r, sources, q);
    }
    let reactants = orders(&r.reactants, &r.forward_orders);
    let reverse = reverse_constant(o, r, sources, forward);
    let back =
        |o: &mut Operands| reverse.map(|k| product(o, sources, Some(k), &orders(&r.products, &r.reverse_orders)));
    let (mut q, back) = match ahead {
        None => (product(o, sources, Some(forward), &reactants), back(o)),
        Some(ahead) => {
            let back = back(o);
            (ahead.times(o, forward, &reactants, back.map(|back| back.totals), sources), back)
        }
    };
    if let Some(mut back) = back {
        if q.totals != back.totals {
            (q, back) = (q.complete(o, sources), back.complete(o, sources));
        }
        q.id = o.body.sub(q.id, back.id);
    }
    let q = q.complete(o, sources).id;
    with_third_body(o, r, sources, q)
}

//! The numbers that a kernel computes with: doubles, singles, or some of both.

use crate::observer::Observer;
use crate::plan::Resolved;
use command::Failure;
use graph::Graph;
use graph::single::Kinds;
use kernels::{ErrorBound, FLOOR, Io, Options, Precision};
use kinetics::Model;
use schedule::Schedule;
use schedule::single::{self, Claim, Premises};

/// The graph that the proof of mixed precision is about, with the kinds of its values.
pub type Mixed = (Graph, Kinds);

/// Returns the graph in the precision that was asked for.
pub fn in_precision(
    own: &Resolved<'_>,
    model: &Model,
    options: &Options,
    graph: Graph,
    observer: &mut Observer,
) -> Result<(Graph, Option<Mixed>), Failure> {
    let (kernel, k, common) = (own.kernel, Some(own.kernel), &own.asked.common);
    let premises = premises(own, model, options);
    let bare = |graph, kinds| single::without_special_cases(kernel, graph, premises, common.error.bound, kinds);
    match common.precision.kernels {
        Precision::Mixed => {
            let mix = || single::mix(kernel, &graph, premises, common.largest_error());
            let kinds = observer.pass("mix", k, mix).map_err(|d| Failure::input([d]))?;
            let graph = observer.pass("special cases", k, || bare(graph, Some(&kinds)));
            let expanded = graph::single::expand::expand(&graph, &kinds, common.precision.io == Io::Double);
            Ok((expanded, Some((graph, kinds))))
        }
        Precision::Single if common.target.is_nvidia() => {
            Ok((observer.pass("special cases", k, || bare(graph, None)), None))
        }
        Precision::Double | Precision::Single => Ok((graph, None)),
    }
}

/// Returns the claim of single or mixed precision about the error of a schedule.
pub fn claim(
    own: &Resolved<'_>,
    model: &Model,
    options: &Options,
    graph: &Graph,
    mixed: Option<&Mixed>,
    schedule: &Schedule,
    observer: &mut Observer,
) -> Result<Option<Claim>, Failure> {
    let common = &own.asked.common;
    let asked = common.largest_error();
    Ok(match (common.precision.kernels, common.error.bound) {
        (Precision::Double, _) => None,
        (_, ErrorBound::Measured) => Some(Claim::Measured { limit: asked }),
        (_, ErrorBound::Proven) => {
            let (whole, kinds) = mixed.map_or((graph, None), |(whole, kinds)| (whole, Some(kinds)));
            let premises = premises(own, model, options);
            let prove = || single::prove(own.kernel, whole, schedule, premises, asked, kinds);
            Some(Claim::Proven(observer.pass("precision", Some(own.kernel), prove).map_err(|d| Failure::input([d]))?))
        }
    })
}

fn premises(own: &Resolved<'_>, model: &Model, options: &Options) -> Premises {
    (model.species().len(), options.fit_range, FLOOR, own.asked.common.precision.io)
}

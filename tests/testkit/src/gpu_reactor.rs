//! Reactors on a GPU in the simulator: calls of their pipeline.

use emit_c::host::{Energies, FusedStep, Reactor, Systems};
use kernels::Factors;
use kinetics::Model;
use kinetics::integrator::Method;
use kinetics::reactor::Constant;
use ptx::inst::Type;
use singe::output::Unit;
use singe::verify::{Call, Part, Pipeline};
use warpsim::{Argument, Buffer};

/// The reactors of a model with these kernels of rates and their Jacobian, told by temperatures. Where steps are fused, their text is not here: the
/// pipeline needs to know of it alone.
pub fn reactor(
    model: &Model,
    constant: Constant,
    method: Method,
    (factors, is_fused): (Factors, bool),
    [rates, jacobian]: [&Unit; 2],
) -> Reactor {
    Reactor {
        constant,
        by_energy: false,
        method,
        factors,
        energies: Energies::new(model, constant),
        rates: rates.program.symbol.clone(),
        jacobian: vec![jacobian.program.symbol.clone()],
        systems: Systems::new(jacobian.graph.pattern.clone(), model.species().len()),
        fused: is_fused.then(FusedStep::default),
    }
}

/// Their pipeline with launches of so many CTAs.
pub fn pipeline<'a>(model: &Model, reactor: &'a Reactor, units: [&'a Unit; 2], ctas: u32) -> Pipeline<'a> {
    let [rates, jacobian] = units.map(|unit| Part { graph: &unit.graph, proven: &unit.proven });
    Pipeline { reactor, species: model.species().len(), rates, jacobian: vec![jacobian], ctas }
}

/// Arrays of points: an entry for each, or one for each species and each, field-major.
pub struct Points {
    /// The first array of the state.
    pub first_state: Vec<f64>,
    pub fixed: Vec<f64>,
    pub fractions: Vec<f64>,
    pub times: Vec<f64>,
    /// Sources of the mass fractions, and of the energy.
    pub sources: Option<[Vec<f64>; 2]>,
    /// Absolute tolerances, by species.
    pub tolerances: Vec<f64>,
}

/// Limits that all points keep to.
pub struct Kept {
    pub relative_tolerance: f64,
    pub absolute_tolerance: f64,
    pub most_steps: usize,
}

/// The numbers of buffers.
pub const TOLD: usize = 0;
pub const FRACTIONS: usize = 2;
pub const STATUS: usize = 6;
pub const STEPS: usize = 7;
pub const REJECTED: usize = 8;
pub const STEP: usize = 9;
pub const TEMPERATURE: usize = 10;
pub const MEAN_RATES: usize = 11;
pub const HEAT_RELEASE: usize = 12;
pub const IS_STIFF: usize = 14;

/// A call of a pipeline that advances points in place.
pub fn call(points: Points, kept: &Kept, pipeline: &Pipeline<'_>) -> Call {
    let count = points.first_state.len();
    let species = points.fractions.len() / count;
    let integers = || Buffer::words(Type::B32, vec![0; count]);
    let has_sources = points.sources.is_some();
    let [of_fractions, of_energy] = points.sources.unwrap_or_default();
    let buffers = vec![
        Buffer::in_out(&points.first_state),
        Buffer::input(&points.fixed),
        Buffer::in_out(&points.fractions),
        Buffer::input(&points.times),
        Buffer::input(&of_fractions),
        Buffer::input(&of_energy),
        integers(),
        integers(),
        integers(),
        Buffer::in_out(&vec![0.0; count]),
        Buffer::output(count),
        Buffer::output(count * species),
        Buffer::output(count),
        Buffer::input(&points.tolerances),
        integers(),
        pipeline.workspace(count),
    ];
    let real = |x: f64| Argument::Bytes(x.to_le_bytes().to_vec());
    let mut arguments: Vec<Argument> = [0, 1, 2, 3, 0, 2].map(Argument::Buffer).into();
    arguments.extend([4, 5].map(|source| if has_sources { Argument::Buffer(source) } else { Argument::U64(0) }));
    arguments.extend([6, 7, 8, 9, 10, 11, 12].map(Argument::Buffer));
    let tolerances = [kept.relative_tolerance, kept.absolute_tolerance].map(real);
    arguments.extend(tolerances.into_iter().chain([Argument::Buffer(13), real(0.0)]));
    arguments.push(Argument::U32(kept.most_steps as u32));
    arguments.extend([count as u32; 2].map(Argument::U32));
    if pipeline.reactor.method.explicit.is_some() {
        arguments.push(Argument::Buffer(IS_STIFF));
    }
    Call { buffers, arguments, points: count as u32, has_sources: [has_sources; 2] }
}

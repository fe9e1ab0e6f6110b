//! What the values of arguments may be, and how their texts are read.

use clap::ValueEnum;

use crate::driver::POINTS_PER_LANE;
use crate::emit::cuda::names::identifier;
use crate::fault::Fault;
use crate::graph::Units;
use crate::kernels::{Form, Kernel};
use crate::mapping::{Mapper, Weights};
use crate::overlay::{Codegen, Residence};
use crate::schedule::Placement;
use kinetics::Stiffness;
use machine::target::Target;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Compilers {
    Auto,
    Off,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum MapperName {
    Greedy,
    Ilp,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PlacementName {
    Auto,
    Store,
    Buffer,
    Mixed,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CodegenName {
    Overlay,
    Switch,
    DataParallel,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ConstantsName {
    /// In registers, striped over the lanes of each warp and broadcast by shuffles
    Stripe,
    /// In constant memory, or in global memory where they exceed its 64 KiB
    ConstantBank,
    /// In shared memory, loaded once per CTA
    Shared,
}

impl From<ConstantsName> for Residence {
    fn from(name: ConstantsName) -> Self {
        match name {
            ConstantsName::Stripe => Self::Striped,
            ConstantsName::ConstantBank => Self::ConstantBank,
            ConstantsName::Shared => Self::Shared,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum UnitsName {
    /// K, Pa, Pa s, W/m/K, m^2/s, kmol/m^3/s
    Si,
    /// K, dyn/cm^2, g/cm/s, erg/cm/s/K, cm^2/s, mol/cm^3/s
    Cgs,
}

impl From<UnitsName> for Units {
    fn from(name: UnitsName) -> Self {
        match name {
            UnitsName::Si => Self::Si,
            UnitsName::Cgs => Self::Cgs,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum StiffnessName {
    /// One after the other, each seeing what the ones before scaled
    Sequential,
    /// All at once
    Jacobi,
    /// Not at all
    Off,
}

impl From<StiffnessName> for Stiffness {
    fn from(name: StiffnessName) -> Self {
        match name {
            StiffnessName::Sequential => Self::Sequential,
            StiffnessName::Jacobi => Self::Jacobi,
            StiffnessName::Off => Self::Off,
        }
    }
}

impl From<MapperName> for Mapper {
    fn from(name: MapperName) -> Self {
        match name {
            MapperName::Greedy => Self::Greedy,
            MapperName::Ilp => Self::Ilp,
        }
    }
}

impl From<PlacementName> for Placement {
    fn from(name: PlacementName) -> Self {
        match name {
            PlacementName::Auto => Self::Auto,
            PlacementName::Store => Self::Store,
            PlacementName::Buffer => Self::Buffer,
            PlacementName::Mixed => Self::Mixed,
        }
    }
}

impl From<CodegenName> for Codegen {
    fn from(name: CodegenName) -> Self {
        match name {
            CodegenName::Overlay => Self::Overlay,
            CodegenName::Switch => Self::Switch,
            CodegenName::DataParallel => Self::DataParallel,
        }
    }
}

/// `--verify N|off`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    Off,
    States(usize),
}

pub(in crate::cli) fn verify(text: &str) -> Result<Verify, String> {
    match text {
        "off" => Ok(Verify::Off),
        _ => match text.parse() {
            Ok(n) if (1..=100_000).contains(&n) => Ok(Verify::States(n)),
            _ => Err("give a number of states from 1 to 100000, or off".into()),
        },
    }
}

/// `--matrix`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MatrixName {
    #[value(alias = "off")]
    Dfma,
    Dmma,
    Auto,
}

/// `--form auto|FORM`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormName {
    Auto,
    Form(Form),
}

/// `--fit-tolerance X|exact`
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FitTolerance {
    Exact,
    Within(f64),
}

/// `--points-per-lane 1|2|4|auto`; `None` is auto.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsPerLane(pub Option<u32>);

pub(in crate::cli) fn points_per_lane(text: &str) -> Result<PointsPerLane, String> {
    match text.parse() {
        _ if text == "auto" => Ok(PointsPerLane(None)),
        Ok(points) if POINTS_PER_LANE.contains(&points) => Ok(PointsPerLane(Some(points))),
        _ => Err("give 1, 2, 4 or auto".into()),
    }
}

pub(in crate::cli) fn form(text: &str) -> Result<FormName, String> {
    if text == "auto" {
        return Ok(FormName::Auto);
    }
    let found = Form::ALL.into_iter().find(|f| f.name() == text);
    found.map(FormName::Form).ok_or_else(|| format!("known forms: auto, {}", Form::ALL.map(Form::name).join(", ")))
}

pub(in crate::cli) fn fit_tolerance(text: &str) -> Result<FitTolerance, String> {
    match text.parse() {
        _ if text == "exact" => Ok(FitTolerance::Exact),
        Ok(x) if (1e-9..=1e-2).contains(&x) => Ok(FitTolerance::Within(x)),
        _ => Err("give a relative error from 1e-9 to 1e-2, or exact".into()),
    }
}

/// Names of Fortran have 63 characters, of which the longest kernel's takes the rest.
const LONGEST_NAME: usize = 27;

pub(in crate::cli) fn name(text: &str) -> Result<String, String> {
    match identifier(text) {
        name if name == text && text.len() <= LONGEST_NAME => Ok(name),
        name if text.len() <= LONGEST_NAME => Err(format!("this is no identifier of C, or has a meaning; try {name}")),
        _ => Err(format!("give at most {LONGEST_NAME} characters")),
    }
}

pub(in crate::cli) fn kernel(text: &str) -> Result<Kernel, String> {
    Kernel::ALL
        .into_iter()
        .find(|k| k.name() == text)
        .ok_or_else(|| "known kernels: viscosity, conductivity, diffusion, chemistry".into())
}

pub(in crate::cli) fn target(text: &str) -> Result<&'static Target, String> {
    Target::by_name(text).map_err(|e| e.to_string())
}

/// Width, height and depth of a CTA; missing ones are 1.
pub(in crate::cli) fn shape(text: &str) -> Result<[u32; 3], String> {
    let extents: Vec<u32> = text.split(',').map_while(|part| part.parse().ok()).collect();
    let whole = extents.len() == text.split(',').count() && extents.len() <= 3;
    match whole && extents.iter().all(|extent| (1..=1024).contains(extent)) {
        true => Ok(std::array::from_fn(|i| extents.get(i).copied().unwrap_or(1))),
        false => Err("give one to three numbers from 1 to 1024, such as 16,16".into()),
    }
}

pub(in crate::cli) fn floor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (1e-300..=1e-3).contains(&x) => Ok(x),
        _ => Err("give a mole fraction from 1e-300 to 1e-3".into()),
    }
}

pub(in crate::cli) fn fault(text: &str) -> Result<Fault, String> {
    let found = Fault::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, f)| *f).ok_or_else(|| format!("known faults: {}", Fault::ALL.map(|(name, _)| name).join(", ")))
}

pub(in crate::cli) fn weights(text: &str) -> Result<Weights, String> {
    let mut weights = Weights::default();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').ok_or("write weights as flops=1,registers=1,locality=1")?;
        let value = match value.parse::<f64>() {
            Ok(v) if (0.0..=1e6).contains(&v) => v,
            _ => return Err(format!("the weight of {name} must be a number from 0 to 1000000")),
        };
        match name {
            "flops" => weights.flops = value,
            "registers" => weights.registers = value,
            "locality" => weights.locality = value,
            _ => return Err(format!("unknown metric {name}; known: flops, registers, locality")),
        }
    }
    Ok(weights)
}

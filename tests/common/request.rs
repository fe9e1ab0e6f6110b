//! A request to vary.

use kinetics::Stiffness;
use machine::target::Target;
use mechanism::{Files, Options};
use singe::driver::{Multiplier, Request};
use singe::graph::Units;
use singe::kernels::{Form, Kernel};
use singe::mapping::{Mapper, Weights};
use singe::overlay::{Codegen, Residence};
use singe::schedule::Placement;

/// All kernels of a mechanism at 8 warps for Kepler, verified; nothing is written.
pub fn of(mechanism: std::path::PathBuf) -> Request {
    Request {
        files: Files { mechanism, ..Files::default() },
        name: None,
        reading: Options::default(),
        kernels: Kernel::ALL.to_vec(),
        warps: 8,
        points_per_lane: Some(1),
        target: Target::by_name("kepler").unwrap(),
        ctas_per_sm: 1,
        mapper: Mapper::Greedy,
        weights: Weights::default(),
        placement: Placement::Auto,
        buffer: None,
        passes: None,
        codegen: Codegen::Overlay,
        beside: vec![],
        constants: Residence::Striped,
        units: Units::Si,
        floor: 1e-20,
        form: Some(Form::Pairwise),
        matrix: Some(Multiplier::Dfma),
        fit_tolerance: Some(1e-4),
        stiffness: Stiffness::Sequential,
        qssa_warps: None,
        own: vec![],
        verify: Some(70),
        real_compilers: false,
        emit: vec![],
        output: None,
        command: String::new(),
        config: None,
        fault: None,
    }
}

/// A mechanism that comes with the project.
#[allow(dead_code, reason = "not every test that varies a request compiles a shipped mechanism")]
pub fn shipped(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("mechanisms").join(name).join("chem.inp")
}

//! The thermodynamics kernel and the source terms of the chemistry: proven, and verified against the reference, of a larger mechanism and
//! with each output alone; figures of Cantera; names of rows in the interface.

use graph::Units;
use kernels::{Form, Kernel, Output, Outputs};
use kinetics::State;
use kinetics::properties::properties;
use overlay::Codegen;
use singe::driver::Request;
use testkit::verified::each;

fn outputs(kernel: Kernel) -> Outputs {
    let names: Vec<String> = Output::all().filter(|output| output.kernel() == kernel).map(Output::name).collect();
    Outputs::parse(&names.join(",")).unwrap()
}

/// The largest error of all.
fn verified(
    name: &str,
    kernel: Kernel,
    change: impl Fn(&mut Request),
    warps: impl IntoIterator<Item = u32> + Clone,
) -> f64 {
    each(&testkit::model(&testkit::shipped(name)), &[kernel], change, warps)
}

#[test]
fn gri30_is_verified() {
    let all = outputs(Kernel::Thermodynamics);
    verified("gri30", Kernel::Thermodynamics, |r| r.common.outputs = all, [1, 3, 8, 32]);
    verified("gri30", Kernel::Thermodynamics, |r| r.codegen = Codegen::DataParallel, [4]);
}

/// Each output alone needs no other.
#[test]
fn every_output_stands_alone() {
    for output in Output::all() {
        let one = Outputs::parse(&output.name()).unwrap();
        let worst = verified("h2o2", output.kernel(), |r| r.common.outputs = one, [4]);
        assert!(worst > 0.0 || matches!(output, Output::MeanMolarMass | Output::Pressure), "{output:?}");
    }
}

#[test]
fn source_terms_are_verified() {
    let all = outputs(Kernel::Chemistry);
    for (codegen, units) in [(Codegen::DataParallel, Units::Cgs), (Codegen::Overlay, Units::Cgs)] {
        let change = |r: &mut Request| {
            r.common.outputs = all;
            r.common.units = units;
            r.codegen = codegen;
            r.tuning.form = Some(Form::LogSpace);
        };
        verified("gri30", Kernel::Chemistry, change, [8]);
    }
}

#[test]
fn rates_of_reactions_are_verified_in_every_layout_and_unit() {
    let all = outputs(Kernel::Progress);
    for (codegen, units) in
        [(Codegen::DataParallel, Units::Cgs), (Codegen::Switch, Units::Si), (Codegen::Overlay, Units::Cgs)]
    {
        let change = |r: &mut Request| {
            r.common.outputs = all;
            r.common.units = units;
            r.codegen = codegen;
        };
        verified("gri30", Kernel::Progress, change, [8]);
    }
}

/// A reduced mechanism's source terms are those of its transported species.
#[test]
fn source_terms_of_a_reduced_mechanism_are_verified() {
    verified("methane", Kernel::Chemistry, |r| r.common.outputs = outputs(Kernel::Chemistry), [8]);
}

/// Cantera 3.2.0, `gri30.yaml`, at 1300 K, 2 atm and the mole fractions CH4 1, O2 2, N2 7.52, H2O 0.3, OH 0.01.
#[test]
fn a_mixture_is_as_cantera_has_it() {
    let model = testkit::model(&testkit::shipped("gri30"));
    let mut mole_fractions = vec![0.0; model.species().len()];
    for (name, x) in [("CH4", 1.0), ("O2", 2.0), ("N2", 7.52), ("H2O", 0.3), ("OH", 0.01)] {
        let k = model.species().iter().position(|s| s.name == name).unwrap();
        mole_fractions[k] = x / 10.83;
    }
    let all = properties(&model, &State { temperature: 1300.0, pressure: 202_650.0, mole_fractions });
    let water = model.species().iter().position(|s| s.name == "H2O").unwrap();
    let figures = CANTERA;
    let found = [
        all.mixture.cp.value, all.mixture.cv.value, all.mixture.h.value, all.mixture.u.value, all.mixture.s.value,
        all.mixture.g.value, all.mean_molar_mass, all.density, all.species[water].0.s.value,
    ];
    for (found, figure) in found.into_iter().zip(figures) {
        assert!((found / figure - 1.0).abs() < 1e-12, "{found} {figure}");
    }
}

const CANTERA: [f64; 9] = [
    39433.93573522364, 31119.4731170704, 21365270.1619359, 10556468.758336687, 244630.3911680782, -296654238.3565658,
    27.357234533702684, 0.5129101156774678, 244055.70174965938,
];

/// The header and the Fortran module name the rows, each with its unit.
#[test]
fn the_interface_names_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let singe = || assert_cmd::Command::cargo_bin("singe").unwrap();
    let arguments = ["--verify", "off,no-compilers", "--codegen", "overlay", "--emit", "host", "--units", "cgs"];
    let kernels = ["--kernel", "thermodynamics,chemistry", "--outputs", "cp,species-molar-h,density,heat-release-rate"];
    singe().arg(testkit::shipped("h2o2")).args(arguments).args(kernels).arg("-o").arg(folder.path()).assert().success();
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let header = read("h2o2.h");
    for line in [
        "H2O2_THERMODYNAMICS_CP = 0, // heat capacity at constant pressure of the mixture, erg/g/K",
        "H2O2_THERMODYNAMICS_SPECIES_MOLAR_H = 1, // enthalpy of each species, pure at 1 atm, erg/mol",
        "H2O2_THERMODYNAMICS_DENSITY = 11 // density, g/cm^3",
        "H2O2_CHEMISTRY_HEAT_RELEASE_RATE = 0 // heat release rate, erg/cm^3/s",
    ] {
        assert!(header.contains(line), "{line}\n{header}");
    }
    assert!(read("h2o2_module.f90").contains("h2o2_thermodynamics_species_molar_h = 2 ! enthalpy"));
}

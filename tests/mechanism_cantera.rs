//! Every file of Cantera's Python package: what it holds, that it survives both canonical forms bit for bit, and that
//! the same kernels come out of YAML and CHEMKIN.

use kernels::Kernel;
use mechanism::{Files, Mechanism, Options, Sources, decode, parse, read, write, write_yaml};
use singe::driver::{self, Request};
use singe::observer::Observer;
use std::path::{Path, PathBuf};
use testkit::request;
use testkit::skip;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/.toolchain/cantera/cantera/data");

/// Result of reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// A gas with so many species and reactions, and transport data.
    Kernels(usize, usize),
    /// The same without transport data.
    NoTransport(usize, usize),
    /// No ideal gas: the id of the only error.
    Refused(&'static str),
}
use Outcome::{Kernels, NoTransport, Refused};

const PHASE: Outcome = Refused("yaml::phase");

/// (file, phase where it is not the first gas, outcome): all files of the package.
const FILES: [(&str, Option<&str>, Outcome); 36] = [
    ("KOH.yaml", None, NoTransport(31, 0)),
    ("SiF4_NH3_mec.yaml", None, Kernels(17, 33)),
    ("air.yaml", None, Kernels(8, 8)),
    ("airNASA9.yaml", None, NoTransport(11, 0)),
    ("critical-properties.yaml", None, PHASE),
    ("diamond.yaml", None, Kernels(4, 0)),
    ("element-standard-entropies.yaml", None, PHASE),
    ("graphite.yaml", None, PHASE),
    ("gri30.yaml", None, Kernels(53, 325)),
    ("gri30_highT.yaml", None, Kernels(53, 325)),
    ("gri30_ion.yaml", None, Kernels(56, 331)),
    ("h2o2.yaml", None, Kernels(10, 29)),
    ("h2o2.yaml", Some("ohmech-RK"), Refused("yaml::unsupported")),
    ("liquidvapor.yaml", None, PHASE),
    ("lithium_ion_battery.yaml", None, PHASE),
    ("methane_pox_on_pt.yaml", None, NoTransport(7, 0)),
    ("nDodecane_Reitz.yaml", None, NoTransport(100, 553)),
    ("nasa_condensed.yaml", None, PHASE),
    ("nasa_gas.yaml", None, PHASE),
    ("ohn.yaml", None, Kernels(18, 69)),
    ("ptcombust.yaml", None, Kernels(32, 186)),
    ("silicon.yaml", None, PHASE),
    ("sofc.yaml", None, Kernels(4, 0)),
    ("water.yaml", None, PHASE),
    ("example_data/YZA.yaml", None, PHASE),
    ("example_data/air-plasma-Phelps.yaml", None, PHASE),
    ("example_data/ammonia-CO-H2-Alzueta-2023.yaml", None, Kernels(42, 281)),
    ("example_data/ammonia-CO-H2-Alzueta-2023.yaml", Some("linear-Burke"), Kernels(42, 281)),
    ("example_data/ammonia-Ru-Ba-YSZ-CSM-2019.yaml", None, Kernels(4, 0)),
    ("example_data/co2-thermo.yaml", None, NoTransport(1, 0)),
    ("example_data/covdepsurf.yaml", None, PHASE),
    ("example_data/methane-plasma-pavan-2023.yaml", None, PHASE),
    ("example_data/n-hexane-NUIG-2015.yaml", None, NoTransport(1268, 5336)),
    ("example_data/oxygen-plasma-itikawa.yaml", None, PHASE),
    ("example_data/silicon-carbide.yaml", None, PHASE),
    ("example_data/missing.yaml", None, Refused("mechanism::unreadable-file")),
];

/// Cantera's data; absent, with a line that says so, where the package is not installed.
fn data() -> Option<&'static Path> {
    let found = Path::new(DATA).join("gri30.yaml").is_file();
    if !found {
        skip::skip("Cantera's package is not installed (cargo xtask cantera installs it)");
    }
    found.then_some(Path::new(DATA))
}

fn file(path: PathBuf, phase: Option<&str>) -> Files {
    Files { mechanism: path, phase: phase.map(str::to_owned), ..Files::default() }
}

#[test]
fn every_file_of_the_package_is_read_or_refused() {
    let Some(data) = data() else { return };
    for (name, phase, expected) in FILES {
        let outcome = match read(&file(data.join(name), phase)) {
            Ok((mechanism, _)) => {
                let (species, reactions) = (mechanism.species.len(), mechanism.reactions.len());
                let described = mechanism.species.iter().all(|species| species.transport.is_some());
                if described { Kernels(species, reactions) } else { NoTransport(species, reactions) }
            }
            Err(diagnostics) => {
                let mut ids: Vec<&'static str> = diagnostics.iter().filter(|d| d.is_error()).map(|d| d.id).collect();
                ids.dedup();
                assert_eq!(ids.len(), 1, "{name}: {ids:?}");
                Refused(ids[0])
            }
        };
        println!("{name:<50} {:<14} {outcome:?}", phase.unwrap_or("first gas"));
        assert_eq!(outcome, expected, "{name}");
    }
    for folder in [data.to_owned(), data.join("example_data")] {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.strip_prefix(data).unwrap().to_string_lossy().into_owned();
            let listed = FILES.iter().any(|(file, ..)| *file == name);
            assert!(listed || !name.ends_with(".yaml"), "{name} is not in the list");
        }
    }
}

/// Reads what the writer of CHEMKIN files prints; none where CHEMKIN has no form of a rate.
fn from_chemkin(mechanism: &Mechanism) -> Option<Mechanism> {
    let written = match write(mechanism) {
        Ok(written) => written,
        Err(errors) => {
            assert!(errors.iter().all(|error| error.id == "fmt::no-chemkin-form"), "{errors:?}");
            return None;
        }
    };
    Some(parsed(&Sources {
        thermo: Some(decode("therm.dat", written.thermo.as_bytes())),
        transport: written.transport.map(|text| decode("tran.dat", text.as_bytes())),
        ..Sources::new(&mechanism.name, decode("chem.inp", written.mechanism.as_bytes()))
    }))
}

/// Reads what the writer of YAML prints.
fn from_yaml(mechanism: &Mechanism) -> Mechanism {
    let (name, text) = (mechanism.name.clone(), write_yaml(mechanism));
    let mechanism = decode("chem.yaml", text.as_bytes());
    parsed(&Sources::new(&name, mechanism))
}

fn parsed(sources: &Sources) -> Mechanism {
    match parse(sources, Options::default()) {
        Ok((mechanism, _)) => mechanism,
        Err(diagnostics) => panic!("{}: {diagnostics:?}", sources.name),
    }
}

/// Where reactions stand, and what their equations are called, is no part of what they say.
fn data_of(mut mechanism: Mechanism) -> String {
    let nowhere = decode("", b"");
    for reaction in &mut mechanism.reactions {
        reaction.span.source = nowhere.clone();
        (reaction.span.offset, reaction.span.len) = (0, 0);
        reaction.equation.clear();
    }
    mechanism.reduction = None;
    mechanism.inputs.clear();
    format!("{mechanism:?}")
}

#[test]
fn every_gas_of_the_package_survives_both_forms() {
    let Some(data) = data() else { return };
    for (name, phase, outcome) in FILES {
        if matches!(outcome, Refused(_)) {
            continue;
        }
        let (original, _) = read(&file(data.join(name), phase)).expect("it is listed as readable");
        let (chemkin, yaml) = (from_chemkin(&original), from_yaml(&original));
        assert_eq!(write_yaml(&yaml), write_yaml(&original), "{name}");
        assert_eq!(chemkin.is_none(), phase == Some("linear-Burke"), "{name}");
        let original = data_of(original);
        assert!(data_of(yaml) == original, "{name} in YAML");
        assert!(chemkin.is_none_or(|chemkin| data_of(chemkin) == original), "{name} in CHEMKIN");
    }
}

#[test]
fn every_published_mechanism_survives_the_yaml_form() {
    let Some(folder) = skip::shared("mechanisms") else { return };
    for folder in std::fs::read_dir(folder).expect("a folder") {
        let mechanism = folder.expect("a readable folder").path().join("chem.inp");
        let options = Options { permissive: true, ..Options::default() };
        let (original, _) = mechanism::read_with(&file(mechanism, None), options).expect("published is valid");
        let again = from_yaml(&original);
        assert_eq!(write_yaml(&again), write_yaml(&original), "{}", original.name);
        assert!(data_of(again) == data_of(original.clone()), "{}", original.name);
    }
}

/// CUDA and PTX of all kernels, without the lines that name the inputs, and without comments, which have reactions as a file
/// spells them.
fn kernels(mut mechanism: Mechanism, request: &Request) -> String {
    mechanism.inputs.clear();
    let model = kinetics::model(mechanism).expect("a mechanism with transport data");
    let mut observer = Observer::default();
    let mut all = String::new();
    for kernel in Kernel::ALL {
        if kernel == Kernel::Chemistry && model.mechanism.reactions.is_empty() {
            continue;
        }
        let Ok(unit) = driver::compile_kernel(kernel, &model, request, &mut observer) else { panic!("{kernel}") };
        let text = unit.source + &unit.ptx.to_string();
        all.extend(text.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")));
    }
    all
}

#[test]
fn yaml_and_chemkin_give_the_same_kernels() {
    let Some(data) = data() else { return };
    let gases = FILES.iter().filter(|(.., outcome)| matches!(outcome, Kernels(..)));
    for (name, phase, _) in gases {
        let (original, _) = read(&file(data.join(name), *phase)).expect("it is listed as readable");
        let request = Request { verify: None, ..request::new(PathBuf::from("mechanism")) };
        let again = [from_chemkin(&original), Some(from_yaml(&original))];
        let original = kernels(original, &request);
        for (again, format) in again.into_iter().zip(["CHEMKIN", "canonical YAML"]) {
            let Some(again) = again else { continue };
            assert!(original == kernels(again, &request), "{name}: the kernels from {format} differ");
        }
        println!("{name:<50} {} bytes of CUDA and PTX, equal each time", original.len());
    }
}

/// The mechanisms that come with Singe are the same ones in CHEMKIN.
#[test]
fn cantera_s_files_give_the_kernels_of_the_original_ones() {
    let Some(data) = data() else { return };
    for name in ["gri30", "h2o2"] {
        let [yaml, chemkin] = [data.join(name).with_extension("yaml"), testkit::shipped(name)].map(|path| {
            let (mechanism, _) = read(&file(path, None)).expect("a valid mechanism");
            let request = Request { verify: None, ..request::new(PathBuf::from("mechanism")) };
            kernels(mechanism, &request)
        });
        let difference = yaml.lines().zip(chemkin.lines()).find(|(a, b)| a != b);
        assert_eq!(difference, None, "{name}");
        assert!(yaml == chemkin, "{name}");
        println!("{name}: {} bytes of CUDA and PTX, equal", yaml.len());
    }
}

//! Every diagnostic of the catalogue is produced at least once: by a file that says so (`tests/files`, `messy`), or here from an input, from the
//! command line, or by the code that judges plans and kernels, given a wrong one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use assert_cmd::Command;
use diagnostics::{Diagnostic, Source, Style, entries, render};
use kernels::Kernel;
use machine::toolchain;
use mechanism::{Files, LewisNumbers, Options, Outcome, Sources, decode, parse, read};
use passes::allocate;
use schedule::Limits;
use singe::driver;
use singe::fault::{self, Fault};
use singe::verify::{self, Subject};
use testkit::diagnosed_ptx;
use testkit::hydrogen::THERMO;
use testkit::request;
use testkit::{handover, named_barriers};

#[test]
fn each_diagnostic_is_produced() {
    let mut produced: BTreeMap<&str, String> = BTreeMap::new();
    let groups = [
        mechanisms(),
        yaml(),
        sources(),
        reductions(),
        lewis_numbers(),
        files(),
        models(),
        command_line(),
        schedules(),
        kernels(),
        ptx(),
        machine_code(),
    ];
    for (expected, diagnostics) in groups.into_iter().flatten() {
        let found = diagnostics.iter().find(|d| d.id == expected);
        let found = found.unwrap_or_else(|| {
            panic!("{expected} is not among {:?}", diagnostics.iter().map(|d| (d.id, &d.message)).collect::<Vec<_>>())
        });
        produced.entry(found.id).or_insert_with(|| render(std::slice::from_ref(found), Style::Plain));
    }
    produced.values().for_each(|text| println!("{text}"));
    // Those of the tuner are produced by its own tests, that of spill code by `tests/faults.rs`, as it takes a minute.
    let ids = entries().map(|entry| entry.id).filter(|id| !id.starts_with("tune::") && *id != "verify::spill-code");
    let files = expected_by_files();
    let missing: Vec<&str> = ids.filter(|id| !produced.contains_key(id) && !files.contains(*id)).collect();
    // Without a CUDA compiler none can refuse, and nothing is timed.
    let of_compilers = ["compiler::refused", "time::turns"];
    let missing: Vec<&str> = missing.into_iter().filter(|id| has_compilers() || !of_compilers.contains(id)).collect();
    assert!(missing.is_empty(), "no case produces {missing:?}");
    println!("{} diagnostics produced", produced.len());
}

/// Words of the lines by which files expect diagnostics of their runs; `tests/files.rs` and `messy.rs` compare them with what is told.
fn expected_by_files() -> BTreeSet<String> {
    let folders =
        ["allocation", "mechanisms", "passes", "reader", "verification"].map(|name| format!("tests/files/{name}"));
    let folders = folders.into_iter().chain(["crates/chem/mechanism/tests/messy".to_owned()]);
    let entries = folders.flat_map(|name| std::fs::read_dir(testkit::root().join(name)).expect("a folder of tests"));
    let texts = entries.map(|entry| std::fs::read(entry.expect("an entry").path()).expect("a file"));
    let all: String = texts.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).collect();
    let kinds = ["error:", "error[", "warning:", "warning[", "check:", "check[", "expect:"];
    let expects = |line: &&str| kinds.iter().any(|kind| line.contains(kind));
    all.lines().filter(expects).flat_map(str::split_whitespace).map(str::to_owned).collect()
}

fn has_compilers() -> bool {
    let arch = request::new(testkit::shipped("h2o2")).common.target.compute_capability;
    toolchain::find_for(arch).is_ok() && toolchain::disassembler(arch).is_ok()
}

type Case = (&'static str, Vec<Diagnostic>);

const TRANSPORT: &str = "H 0 145. 2.05 0 0 0\nH2 1 38. 2.9 0 .8 280.\n";

const MECHANISM: &str = "ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n2H+M=H2+M 1 0 0\nEND\n";

fn outcome(mechanism: &str, thermo: Option<&str>, transport: Option<&str>, reduction: Option<&str>) -> Outcome {
    let source = |name: &str, text: Option<&str>| text.map(|text| decode(name, text.as_bytes()));
    let sources = Sources {
        name: "case".to_owned(),
        mechanism: decode("chem.inp", mechanism.as_bytes()),
        thermo: source("therm.dat", thermo),
        transport: source("tran.dat", transport),
        reduction: source("reduction.txt", reduction),
    };
    parse(&sources, Options::default())
}

fn diagnostics(outcome: Outcome) -> Vec<Diagnostic> {
    match outcome {
        Ok((_, warnings)) => warnings,
        Err(diagnostics) => diagnostics,
    }
}

/// Whole mechanism files, and reactions of hydrogen.
fn mechanisms() -> Vec<Case> {
    let whole = [
        ("mechanism::atomic-weight", "ELEMENTS H/x/ END SPECIES H H2 END"),
        ("mechanism::missing-section", "SPECIES H H2 END"),
        ("mechanism::repeated-element", "ELEMENTS H H END SPECIES H H2 END"),
        ("mechanism::unknown-element", "ELEMENTS ZZ END SPECIES H H2 END"),
        ("mechanism::unrecognized-section", "SPAM\nELEMENTS H END SPECIES H H2 END"),
        ("mechanism::unsupported-section", "ELEMENTS H END\nSITE/PT/ SDEN/1/\nPT(S)\nEND\nSPECIES H H2 END"),
    ];
    let reactions = [
        ("mechanism::auxiliary-without-reaction", "LOW/1 0 0/\n"),
        ("mechanism::behind-end", "2H=H2 1 0 0\nEND\nH2=2H 1 0 0\n"),
        ("mechanism::end-with-words", "end of a block\n2H=H2 1 0 0\n"),
        ("mechanism::explicit-collider", "2H+M=H2+M 1 0 0\n2H+H2=H2+H2 1 0 0\n"),
        ("mechanism::section-behind-end", "2H=H2 1 0 0\nEND\nSPECIES\n"),
        ("mechanism::trailing-text", "2H=H2 1 0 0 Baulch\n"),
        ("mechanism::unused-third-body", "2H+M=H2+M 1 0 0\nPLOG/1 1 0 0/\n"),
        ("mechanism::chebyshev", "2H=H2 1 0 0\nTCHEB/300 2000/ PCHEB/1 2/ CHEB/2 2 1 2 3/\n"),
        ("mechanism::lone-duplicate", "2H=H2 1 0 0\nDUP\n"),
        ("mechanism::negative-order", "2H=H2 1 0 0\nFORD/H -1/\n"),
        ("mechanism::negative-rate", "2H=H2 -1 0 0\n"),
        ("mechanism::order", "2H=H2 1 0 0\nFORD/H 60/\n"),
        ("mechanism::photon", "H2+HV=2H 1 0 0\n"),
        ("mechanism::unparsable-line", "gibberish\n"),
        ("mechanism::unsupported-keyword", "2H=H2 1 0 0\nFIT1/1 2 3 4/\n"),
        ("mechanism::unused-efficiency", "2H+M=H2+M 1 0 0\nAR/2/\n"),
    ];
    let whole = whole.map(|(id, text)| (id, diagnostics(outcome(text, Some(THERMO), None, None))));
    let reactions = reactions.map(|(id, lines)| (id, of_reactions(lines)));
    let flood = ("mechanism::too-many-problems", of_reactions(&"gibberish\n".repeat(2000)));
    whole.into_iter().chain(reactions).chain([flood]).collect()
}

fn of_reactions(lines: &str) -> Vec<Diagnostic> {
    let mechanism = format!("ELEMENTS H END\nSPECIES H H2 END\nREACTIONS\n{lines}END\n");
    diagnostics(outcome(&mechanism, Some(THERMO), None, None))
}

const PHASE: &str = "phases:\n- {name: gas, thermo: ideal-gas, elements: [H], species: [H, H2], kinetics: gas}\n";

const YAML_SPECIES: &str = "species:
- {name: H, composition: {H: 1}, thermo: {model: NASA7, temperature-ranges: [300, 5000], data: [[2.5, 0, 0, 0, 0, 0, 0]]}}
- {name: H2, composition: {H: 2}, thermo: {model: NASA7, temperature-ranges: [300, 5000], data: [[2.5, 0, 0, 0, 0, 0, 0]]}}
";

/// Whole YAML files, other phases, and reactions.
fn yaml() -> Vec<Case> {
    let read = |text: &str, thermo: Option<&str>| {
        let mechanism = decode("case.yaml", text.as_bytes());
        let thermo = thermo.map(|text| decode("therm.dat", text.as_bytes()));
        diagnostics(parse(&Sources { thermo, ..Sources::new("case", mechanism) }, Options::default()))
    };
    let phase = |from: &str, to: &str| {
        assert!(PHASE.contains(from), "{from}");
        read(&format!("{}{YAML_SPECIES}", PHASE.replacen(from, to, 1)), None)
    };
    let reactions = |lines: &str| read(&format!("{PHASE}{YAML_SPECIES}reactions:\n{lines}"), None);
    let long = format!("{PHASE}{}", YAML_SPECIES.replacen("[[2.5", "[[2.512345678901234", 1));
    let sources = Sources::new("case", decode("case.yaml", long.as_bytes()));
    let (long, _) = parse(&sources, Options::default()).expect("a valid mechanism");
    let of_burke = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/mechanisms/linear-burke.yaml"));
    let of_burke = decode("chem.yaml", &of_burke.expect("a file of tests"));
    let (burke, _) =
        parse(&Sources { mechanism: of_burke, ..sources.clone() }, Options::default()).expect("a valid mechanism");
    let with_collider = "- {equation: 2 H + M <=> H2 + M, rate-constant: [1, 0, 0]}\n\
                         - {equation: 2 H + H2 <=> H2 + H2, rate-constant: [1, 0, 0]}\n";
    vec![
        ("mechanism::rate-unit", reactions("- {equation: 2 H => H2, rate-constant: [1 cm^6/mol^2/s, 0, 0]}\n")),
        ("fmt::rounded", mechanism::write(&long).expect("a CHEMKIN form").warnings),
        ("yaml::companion", read(&format!("{PHASE}{YAML_SPECIES}"), Some(THERMO))),
        ("mechanism::explicit-collider", reactions(with_collider)),
        (
            "mechanism::linear-burke",
            reactions(
                "- {equation: 2 H (+M) <=> H2 (+M), type: linear-Burke, colliders: [{name: H, type: Chebyshev}]}\n",
            ),
        ),
        ("fmt::no-chemkin-form", mechanism::write(&burke).expect_err("CHEMKIN has no such rates")),
        (
            "thermo::reference-pressure",
            read(&format!("{PHASE}{}", YAML_SPECIES.replacen("NASA7", "NASA7, reference-pressure: 1 bar", 1)), None),
        ),
        ("yaml::phase-choice", phase("- {name: gas", "- {name: solid, thermo: fixed-stoichiometry}\n- {name: gas")),
        ("yaml::missing-file", phase("[H, H2]", "[{absent.yaml/species: all}]")),
        ("yaml::phase", phase("ideal-gas", "ideal-surface")),
        ("yaml::reverse", reactions("- {equation: H2 => 2 H, reverse-of-previous: true, rate-constant: [1, 0, 0]}\n")),
        ("yaml::transport-model", phase("kinetics: gas", "kinetics: gas, transport: multicomponent")),
        ("yaml::unknown-unit", reactions("- units: {length: furlong}\n")),
        ("yaml::unmarked", reactions("- {equation: 2 H => H2, rate-constant: [-1, 0, 0]}\n")),
    ]
}

/// Thermo and transport data of a mechanism that is right.
fn sources() -> Vec<Case> {
    let edited = |from: &str, to: &str| {
        assert!(THERMO.contains(from), "{from}");
        diagnostics(outcome(MECHANISM, Some(&THERMO.replacen(from, to, 1)), None, None))
    };
    let other_entry = THERMO.replace("THERMO\n   300.000  1000.000  5000.000\n", "").replace(" 2.5", " 3.5");
    let twice = THERMO.replace("END\n", &other_entry);
    let nasa9 = "THERMO NASA9\nH\n 2 l 1/90 H   1.00    0.00    0.00    0.00    0.00 0    1.0079400     217998.828
    200.000   1000.0007 -2.0 -1.0  0.0  1.0  2.0  3.0  4.0  0.0         6197.428
 0.000000000E+00 0.000000000E+00 2.500000000E+00 0.000000000E+00 0.000000000E+00
 0.000000000E+00 0.000000000E+00                 2.547370801E+04-4.466828530E-01\nEND\n";
    let transport = |text: &str| diagnostics(outcome(MECHANISM, Some(THERMO), Some(text), None));
    vec![
        ("thermo::common-temperature", edited("5000.000 1000.00      1", "5000.000              1")),
        ("thermo::malformed-number", edited(" 2.50000000E+00", " 2.5000.000E+00")),
        ("thermo::missing-file", diagnostics(outcome(MECHANISM, None, None, None))),
        ("thermo::ranges", diagnostics(outcome(MECHANISM, Some(nasa9), None, None))),
        ("thermo::repeated-species", diagnostics(outcome(MECHANISM, Some(&twice), None, None))),
        ("thermo::step", edited(" 2.50000000E+00", " 2.70000000E+00")),
        ("thermo::temperature-order", edited("5000.000 1000.00 ", "5000.000   10.00 ")),
        ("thermo::undeclared-element", edited("H   2               G", "O   2               G")),
        ("transport::geometry", transport("H 7 145. 2.05 0 0 0\n")),
        ("transport::malformed-number", transport("H 0 145. x 0 0 0\n")),
        ("transport::shape", transport("H 1 145. 2.05 0 0 0\nH2 1 38. 2.9 0 .8 280.\n")),
        ("transport::not-positive", transport("H 0 145. 0 0 0 0\n")),
        ("transport::too-short", transport("H 0 145.\n")),
    ]
}

fn reductions() -> Vec<Case> {
    let falloff = MECHANISM.replace("2H+M=H2+M 1 0 0", "2H(+H2)=H2(+H2) 1 0 0\nLOW/1 0 0/");
    let half = MECHANISM.replace("2H+M=H2+M", "H=0.5H2");
    let reduced = |mechanism: &str, text: &str| diagnostics(outcome(mechanism, Some(THERMO), None, Some(text)));
    vec![
        ("reduction::collider", reduced(&falloff, "QSSA H2 END")),
        ("reduction::not-linear", reduced(&half, "QSSA H2 END")),
        ("reduction::not-whole", reduced(&half, "STIFF H2 END")),
        ("reduction::nothing-left", reduced(MECHANISM, "QSSA H H2 END")),
        ("reduction::qssa-and-stiff", reduced(MECHANISM, "QSSA H2 END STIFF H2 END")),
        ("reduction::repeated-species", reduced(MECHANISM, "QSSA H2 H2 END")),
        ("reduction::singular", reduced(MECHANISM, "QSSA H END")),
        ("reduction::stray", reduced(MECHANISM, "H2 QSSA H2 END")),
        ("reduction::unclosed", reduced(MECHANISM, "QSSA H2")),
        ("reduction::unknown-species", reduced(MECHANISM, "QSSA H22 END")),
    ]
}

fn lewis_numbers() -> Vec<Case> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a writable folder");
        path
    };
    at("therm.dat", THERMO);
    at("tran.dat", TRANSPORT);
    let files = Files { mechanism: at("chem.inp", MECHANISM), ..Files::default() };
    let read = |text: &str| read(&Files { lewis: LewisNumbers::At(at("lewis.txt", text)), ..files.clone() });
    let (right, _) = read("H 0.2\nH2 0.3\n").expect("right Lewis numbers");
    vec![
        ("lewis::missing-species", diagnostics(read("H 1\n"))),
        ("lewis::number", diagnostics(read("H -1\nH2 1\n"))),
        ("lewis::repeated-species", diagnostics(read("H 1\nH2 1\nH 1\n"))),
        ("lewis::syntax", diagnostics(read("H = 1\nH2 1\n"))),
        ("lewis::unknown-species", diagnostics(read("H 1\nH2 1\nH22 1\n"))),
        ("fmt::lewis-numbers", mechanism::without_cantera_form(&right)),
    ]
}

fn files() -> Vec<Case> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (huge, absent) = (folder.path().join("huge.inp"), folder.path().join("absent.inp"));
    // A hole: it takes no place on the disk.
    std::fs::File::create(&huge).and_then(|file| file.set_len(100 << 20)).expect("a sparse file");
    let read = |mechanism| diagnostics(read(&Files { mechanism, ..Files::default() }));
    let binary = folder.path().join("binary.inp");
    std::fs::write(&binary, [0; 8]).expect("a writable folder");
    let older = folder.path().join("older.cti");
    std::fs::write(&older, "units(length='cm')\nideal_gas(name='gas')\n").expect("a writable folder");
    vec![
        ("mechanism::older-format", read(older)),
        ("mechanism::file-size", read(huge)),
        ("mechanism::not-a-text", read(binary)),
        ("mechanism::unreadable-file", read(absent)),
    ]
}

/// Returns the cases that only the model of a mechanism shows.
fn models() -> Vec<Case> {
    let model = |transport: &str, change: fn(&mut mechanism::Mechanism)| {
        let (mut mechanism, _) = outcome(MECHANISM, Some(THERMO), Some(transport), None).expect("a valid mechanism");
        change(&mut mechanism);
        kinetics::model(mechanism).expect_err("a wrong model")
    };
    let cold = THERMO.replacen("300.000  5000.000 1000.00 ", "100.000   200.000  150.00 ", 1);
    let (apart, _) = outcome(MECHANISM, Some(&cold), Some(TRANSPORT), None).expect("a valid mechanism");
    let steep = MECHANISM.replace("H2+M 1 0 0", "H2+M 1 500 0");
    let (steep, _) = outcome(&steep, Some(THERMO), None, None).expect("a valid mechanism");
    let written = |lines: &str| {
        let text = MECHANISM.replace("2H+M=H2+M 1 0 0\n", lines);
        outcome(&text, Some(THERMO), None, None).expect("a valid mechanism").0
    };
    let table = written("2H=H2 1 0 0\nTCHEB/1000 1100/ PCHEB/0.1 10/\nCHEB/5 1 5 1 1 1 1/\n");
    vec![
        ("kinetics::outside-range", kinetics::check(table, false).expect("a model")),
        ("kinetics::rate-range", kinetics::model(steep).expect_err("no double holds its rate")),
        ("kinetics::missing-transport", model(TRANSPORT, |mechanism| mechanism.species[0].transport = None)),
        ("kinetics::no-common-range", kinetics::model(apart).expect_err("no common range")),
    ]
}

/// Ids that commands on h2o2 print.
const COMMANDS: [(&str, &str); 28] = [
    ("fmt::not-canonical", "fmt --check chem.inp"),
    ("kernel::step-state", "chem.inp --codegen overlay --kernel isochoric-step --state TPY"),
    ("kernel::state-is-given", "chem.inp --codegen overlay --kernel temperature"),
    ("kernel::no-such-output", "chem.inp --kernel viscosity --outputs cp"),
    ("kernel::set-name", "chem.inp --set a=viscosity --set a=chemistry"),
    ("output::unwritable", "chem.inp --codegen overlay --kernel viscosity --verify off -o chem.inp/x"),
    (
        "schedule::constants",
        "chem.inp --codegen overlay --kernel viscosity --form pairwise --warps 4 --ctas-per-sm 16 --layout constants=shared --target kepler",
    ),
    ("target::no-matrix-products", "chem.inp --codegen overlay --layout matrix=dmma --target volta"),
    ("usage::unknown-command", "cehck chem.inp"),
    ("usage::arguments", "chem.inp --no-such-flag --json"),
    ("target::no-ptx", "chem.inp --codegen overlay --emit ptx --target fermi"),
    ("emit::no-reactor", "chem.inp --target cpu --emit cvode"),
    ("emit::no-chemkin", "chem.inp --units si --emit chemkin"),
    ("emit::no-lewis-numbers", "chem.inp --target cpu --units cgs --emit pelephysics --lewis-numbers unity"),
    ("emit::no-kinetix", "chem.inp --target cpu --units cgs --emit kinetix"),
    ("emit::no-openfoam", "chem.inp --target cpu --units cgs --emit openfoam"),
    ("emit::no-pelephysics-reactor", "chem.inp --emit pelephysics-reactor --kernel viscosity"),
    ("kernel::no-reactor", "chem.inp --kernel reactor --target cpu --state TPX"),
    ("kernel::no-reactor", "chem.inp --kernel reactor --precision factors=single --target cpu"),
    ("target::not-for-amd", "chem.inp --emit ptx --target mi300x"),
    ("target::half-wave", "chem.inp --warps 3 --target gfx90a"),
    ("precision::not-offered", "chem.inp --precision single"),
    ("precision::not-proven", "chem.inp --target cpu --kernel viscosity --precision single --error 1e-9"),
    ("target::no-warps", "chem.inp --codegen overlay --target cpu"),
    ("target::no-warp-groups", "chem.inp --codegen data-parallel --groups-per-cta 2 --target kepler"),
    ("target::too-many-groups", "chem.inp --codegen overlay --warps 12 --groups-per-cta 4 --target kepler"),
    ("target::too-many-ctas", "chem.inp --codegen overlay --warps 32 --ctas-per-sm 3 --target kepler"),
    (
        "schedule::shared-memory",
        "chem.inp --codegen overlay --kernel diffusion --warps 4 --ctas-per-sm 16 --layout placement=store --target kepler",
    ),
];

/// Ids that commands print.
fn command_line() -> Vec<Case> {
    let h2o2 = |file: &str| std::fs::read_to_string(testkit::shipped("h2o2").with_file_name(file)).expect("shipped");
    let all = ["chem.inp", "therm.dat", "tran.dat"].map(|name| (name, h2o2(name)));
    let with = |name, text: &str| [&all[..], &[(name, text.to_owned())]].concat();
    let atom = "ELEMENTS H END\nSPECIES H END\nREACTIONS\nEND\n";
    let made = |chem: &str, thermo: &str, others: &[(&'static str, &str)]| {
        let own = [("chem.inp", chem), ("therm.dat", thermo)];
        own.iter().chain(others).map(|&(name, text)| (name, text.to_owned())).collect::<Vec<_>>()
    };
    let transport = ("tran.dat", TRANSPORT);
    let stiff = made(MECHANISM, THERMO, &[("reduction.txt", "STIFF H2 END\n")]);
    let heat = made(MECHANISM, &THERMO.replace(" 2.50000000E+00", "-2.50000000E+00"), &[transport]);
    let best = "chem.inp --config best.toml";
    let others = [
        ("config::unreadable", all.to_vec(), best),
        ("config::syntax", with("best.toml", "warps: 8\n"), best),
        ("config::key", with("best.toml", "[chemistry]\ntarget = \"hopper\"\n"), best),
        ("config::value", with("best.toml", "warps = 33\n"), best),
        ("kernel::no-transport", made(MECHANISM, THERMO, &[]), "chem.inp --codegen overlay --kernel viscosity"),
        ("kernel::reduced-jacobian", stiff.clone(), "chem.inp --codegen overlay --kernel jacobian"),
        ("kernel::reduced-progress", stiff, "chem.inp --codegen overlay --kernel progress"),
        ("kernel::heat-capacity", heat, "chem.inp --codegen overlay --kernel temperature --state HPY"),
        ("kernel::one-species", made(atom, THERMO, &[transport]), "chem.inp --codegen overlay --kernel diffusion"),
        (
            "output::not-ours",
            with("report.txt", "mine"),
            "chem.inp --codegen overlay --kernel viscosity --verify off -o .",
        ),
    ];
    let own = COMMANDS.map(|(id, words)| printed(id, &all, words));
    own.into_iter().chain(others.map(|(id, files, words)| printed(id, &files, words))).collect()
}

fn machine_code() -> Vec<Case> {
    // the header of an ELF file for sm_35, which nothing here reads
    let mut header = [0u8; 64];
    header[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x33\x07");
    (header[16], header[18], header[20], header[48], header[52], header[58]) = (2, 190, 1, 35, 64, 64);
    let mut maxwell = header;
    maxwell[48] = 52;
    let source = |text: &str| Arc::new(Source { name: "k.cubin".into(), text: text.into() });
    let listing = source("\t.section\t.text.k,\"ax\"\n        /*0000*/   BRA `(.nowhere) ;\n");
    let unknown = source("\t.section\t.text.k,\"ax\"\n        /*0000*/   FROB.X4 R1, R2 ;\n");
    let kernel = sass::Kernel {
        name: "k".into(),
        registers: 8,
        stack_bytes: 0,
        shared_bytes: 0,
        threads: None,
        cluster: [1; 3],
        parameters: Vec::new(),
        banks: Vec::new(),
        instructions: sass::instructions(&unknown).expect("a listing").remove("k").expect("its section"),
    };
    let cubin = sass::Cubin { sm: 90, kernels: vec![kernel], tables: Vec::new(), listing: unknown };
    let launch = warpsim::Launch::linear(1, 32, Vec::new());
    let run = warpsim::machine_code::run(&cubin, "k", &launch, &mut [], &warpsim::Options::default());
    let Err(warpsim::machine_code::Failure::Unknown(unknown)) = run else { panic!("{run:?}") };
    let elf = [("k.cubin", "\x7fELF, but no more".to_owned()), ("k.toml", diagnosed_ptx::LAUNCH.to_owned())];
    let sim = "ptx sim k.cubin --launch k.toml";
    let text = [("k.ptx", diagnosed_ptx::KERNEL.to_owned()), elf[1].clone()];
    let turns = "ptx time k.ptx --launch k.toml --target volta --turns 4";
    let results = |text: &str| [("r.json", text.to_owned())];
    let mut cases = if has_compilers() { vec![printed("time::turns", &text, turns)] } else { Vec::new() };
    cases.extend([
        printed("sass::cubin", &elf, sim),
        printed("sim::machine-code", &elf, &format!("{sim} --check-uniformity")),
        printed("time::compilers", &elf[1..], "ptx time k.toml --launch k.toml"),
        printed("measure::launch", &elf, "measure k.cubin"),
        printed("measure::project", &[], "measure ."),
        printed("measure::results", &results("{}"), "measure r.json"),
        printed("measure::wrong", &results(WRONG), "measure r.json"),
        ("sass::architecture", toolkit::cubin::read_machine_code("k.cubin", &maxwell).expect_err("sm_52")),
        ("sass::disassembler", toolkit::cubin::read_machine_code("k.cubin", &header).expect_err("sm_35")),
        ("sass::syntax", sass::read("k.cubin", &header, &listing).expect_err("no such label")),
        ("sass::unknown", unknown),
    ]);
    cases
}

/// A GPU that has another number than the simulator.
const WRONG: &str = r#"{"device": {"name": "a GPU", "compute_capability": [9, 0], "multiprocessors": 132, "driver": 12090},
    "packs": [{"target": "hopper", "samples": [], "kernels": [], "launches": [{"launch": "l", "kernel": "k", "ctas": [1, 1, 1],
        "threads": [32, 1, 1], "microseconds": 4.0, "predicted": 3.0, "elements": 32, "different": 1, "wrong": 1, "error": 0.5}]}]}"#;

/// Runs `singe` on words without blanks, which must fail; the diagnostic is what it prints under the id.
fn printed(id: &'static str, files: &[(&str, String)], words: &str) -> Case {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a writable folder");
    }
    let mut singe = Command::cargo_bin("singe").expect("built");
    let run = singe.current_dir(folder.path()).args(words.split_whitespace()).output().expect("it runs");
    assert!(!run.status.success(), "{words} succeeded");
    // With --json, on stdout.
    let message = [&run.stdout, &run.stderr].map(|text| String::from_utf8_lossy(text)).concat();
    let found = if message.contains(id) { id } else { "none" };
    (id, vec![Diagnostic::error(found, message)])
}

fn schedules() -> Vec<Case> {
    let broken = handover::BROKEN.map(|(id, _, break_it)| (id, handover::violations(break_it)));
    let plan = |(id, _, break_it)| (id, named_barriers::proven(1, break_it).err().unwrap_or_default());
    let plans = named_barriers::BROKEN.map(plan);
    broken
        .into_iter()
        .chain([
            ("proof::step-order", handover::out_of_order()),
            ("proof::outside-qssa-warps", handover::qssa_warps(&[(2, 1)])),
            ("proof::lanes", handover::exchange([false, true])),
        ])
        .chain(plans)
        .collect()
}

/// A kernel judged as if it were another.
fn kernels() -> Vec<Case> {
    let request = driver::Request { verify: None, ..request::new(testkit::shipped("h2o2")) };
    let model = testkit::request::model(&request);
    let unit = testkit::request::unit(Kernel::Viscosity, &model, &request);
    let subject = |model, program| Subject {
        kernel: unit.kernel,
        model,
        stiffness: request.common.stiffness,
        graph: &unit.graph,
        mapping: &unit.mapping,
        proven: &unit.proven,
        program,
        module: &unit.ptx,
    };
    let mut other_model = model.clone();
    other_model.transport.as_mut().expect("shipped with transport").viscosity[0][0] += 1e-3;
    let mut other_graph = unit.graph.clone();
    other_graph.arrays.last_mut().expect("an output").rows += 1;
    let states = kinetics::verification_states(&model, 3);
    let warps = unit.program.execution.warps();
    let simulate_module = |module, graph, warps, stride| {
        let run = verify::simulate(module, &unit.program.symbol, (&model, graph), warps, &states, stride);
        run.expect_err("a wrong launch")
    };
    let simulate = |graph, warps| simulate_module(&unit.ptx, graph, warps, states.len());
    // Without the guards of stores, and without the limit of the last point.
    let text = unit.ptx.to_string().replace("@%p1 st.global", "st.global");
    let unlimited = |line: &str| match line.split_once("min.u32 ").and_then(|(_, operands)| operands.rsplit_once(", "))
    {
        Some((point, limit)) if limit != "1;" => format!("mov.u32 {point};"),
        _ => line.to_owned(),
    };
    let text = text.lines().map(unlimited).collect::<Vec<_>>().join("\n");
    let unguarded = ptx::read::text("unguarded", &text).expect("PTX");
    let mut broken = unit.program.clone();
    singe::fault::in_program(Some(singe::fault::Fault::Constant), &mut broken);
    let target = request.common.target;
    let wrong = Subject {
        module: &emit_ptx::print(&lower::lower(&broken, target), target.compute_capability),
        ..subject(&model, &unit.program)
    };
    let refused = singe::compilers::compile(request.common.target, &[("viscosity", "no code")]);
    // No target holds more CTAs than it has barriers.
    let limits = Limits { barriers: 0, ..request.of_kernel(Kernel::Viscosity).limits() };
    let mut without = unit.ptx.clone();
    fault::in_ptx(Some(Fault::PtxBarrier), &mut without);
    let unproven = verify::prove_printed(&unit.program, unit.graph.arrays.len(), &without, target);
    let alone = schedule::schedule(&unit.graph, &unit.mapping, request.tuning.placement, &limits);
    vec![
        ("schedule::no-barriers", vec![alone.expect_err("several warps have no barrier")]),
        ("proof::printed", unproven.expect_err("a barrier is gone")),
        ("simulator::hazard", simulate(&unit.graph, warps - 1)),
        ("verify::not-the-graph", verify::verify(&wrong, 3).expect_err("a wrong constant")),
        (
            "verify::not-the-reference",
            verify::verify(&subject(&other_model, &unit.program), 3).expect_err("another model"),
        ),
        ("verify::unwritten", simulate(&other_graph, warps)),
        ("verify::beyond-the-end", simulate_module(&unguarded, &unit.graph, warps, 40)),
    ]
    .into_iter()
    .chain(refused.err().map(|diagnostics| ("compiler::refused", diagnostics)))
    .collect()
}

/// PTX that cannot be read, and what the commands on PTX say of kernels.
fn ptx() -> Vec<Case> {
    let changed = |from: &str, to: &str| {
        let text = diagnosed_ptx::KERNEL.replacen(from, to, 1);
        assert_ne!(text, diagnosed_ptx::KERNEL, "{from}");
        text
    };
    let read = |text: String| ptx::read::text("k.ptx", &text);
    let texts = diagnosed_ptx::TEXTS.map(|(id, from, to)| (id, read(changed(from, to)).expect_err(id)));
    let commands = diagnosed_ptx::COMMANDS.map(|(id, from, to, arguments)| {
        let before = ("before.ptx", diagnosed_ptx::KERNEL.to_owned());
        let launch = ("k.toml", diagnosed_ptx::LAUNCH.to_owned());
        printed(id, &[("k.ptx", changed(from, to)), launch, before], arguments)
    });
    let module = read(changed("ret;", "st.global.u64 [%rd1], %rd1;\nret;")).expect("PTX");
    let mut allocation = allocate::allocate(&module, "k", &allocate::Options::default()).expect("few registers");
    let func = &mut allocation.module.funcs[0];
    func.blocks.values_mut().for_each(|block| block.insts.clear());
    let unproven = ("opt::unproven", allocate::check::prove(&allocation, "k", None).expect_err("nothing is left"));
    texts.into_iter().chain(commands).chain([unproven]).collect()
}

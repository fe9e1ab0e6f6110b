//! OpenFOAM's chemistry: what is written for it and, where OpenFOAM is, a tutorial that runs with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use testkit::openfoam::{program, sources};
use testkit::project::{run, there};
use testkit::skip::skip;
use testkit::{root, shipped};

fn singe(mechanism: &Path, folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
    command.arg(mechanism).args(["--target", "cpu", "--emit", "openfoam", "--verify", "off", "-o"]).arg(folder);
    command.args(arguments).output().unwrap()
}

fn written(mechanism: &Path, folder: &Path, arguments: &[&str]) {
    let output = singe(mechanism, folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The lists of wmake and of CMake name the same sources, which are there, and there are no others.
#[test]
fn lists_name_the_sources_that_are_there() {
    for (arguments, solver, count) in [(&["--kernel", "reactor"][..], "reactor", 5), (&[][..], "ode", 1)] {
        let folder = tempfile::tempdir().unwrap();
        written(&shipped("h2o2"), folder.path(), arguments);
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        let is_source = |name: &&str| name.ends_with(".cpp") || name.ends_with(".C");
        let (files, cmake) = (text("Make/files"), text("CMakeLists.txt"));
        let mut listed: Vec<&str> = files.lines().filter(is_source).collect();
        assert_eq!(listed, cmake.lines().map(str::trim).filter(is_source).collect::<Vec<_>>());
        assert!(files.ends_with("LIB = $(FOAM_USER_LIBBIN)/libh2o2Chemistry\n"), "{files}");
        let names = std::fs::read_dir(folder.path()).unwrap();
        let names: Vec<String> = names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        let mut found: Vec<&str> = names.iter().map(String::as_str).filter(is_source).collect();
        listed.sort_unstable();
        found.sort_unstable();
        assert_eq!(listed, found);
        assert_eq!(listed.len(), count, "{listed:?}");
        let name = format!("{solver}<singe<");
        assert!(text("h2o2_openfoam.C").contains(&name), "{name}");
    }
}

/// Files of an earlier run are on no list: the reactors' sources stay, and are not compiled.
#[test]
fn lists_have_no_files_of_an_earlier_run() {
    let folder = tempfile::tempdir().unwrap();
    written(&shipped("h2o2"), folder.path(), &["--kernel", "reactor"]);
    written(&shipped("h2o2"), folder.path(), &[]);
    assert!(folder.path().join("h2o2_reactor.cpp").exists(), "files of an earlier run stay");
    std::fs::write(folder.path().join("h2o2_mine.cpp"), "mine").unwrap();
    written(&shipped("h2o2"), folder.path(), &[]);
    for list in ["Make/files", "CMakeLists.txt"] {
        let text = std::fs::read_to_string(folder.path().join(list)).unwrap();
        let sources: Vec<&str> =
            text.lines().map(str::trim).filter(|line| line.ends_with(".cpp") || line.ends_with(".C")).collect();
        assert_eq!(sources, ["h2o2_openfoam.C"], "{list}");
        assert!(!text.contains('*'), "{list} takes what it finds");
    }
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    for arguments in [
        &["--units", "cgs"][..],
        &["--target", "hopper"],
        &["--state", "TPX"],
        &["--kernel", "reactor", "--state", "TRY"],
        &["--kernel", "reactor", "--state", "HPY"],
        &["--outputs", "forward-rates"],
        &["--emit", "openfoam,host"],
        &["--emit", "openfoam,chemkin"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_singe"));
        command.arg(shipped("h2o2")).arg("-o").arg(folder.path().join("out")).args(arguments);
        let given = |flag: &str| arguments.contains(&flag);
        command.args(if given("--target") { &[][..] } else { &["--target", "cpu"] });
        command.args(if given("--emit") { &[][..] } else { &["--emit", "openfoam"] });
        let output = command.output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.contains("emit::no-openfoam"), "{arguments:?}: {message}");
        assert!(!folder.path().join("out").exists(), "{arguments:?}");
    }
}

/// Both models of the Foundation's lines 12 and 14, against stand-ins of their headers: the names that select them, and that reactions one by one
/// make the sources and the heat.
#[test]
fn the_foundations_lines_compile_and_agree_with_themselves() {
    if !there("g++") {
        return;
    }
    const HEADERS: [&str; 5] = [
        "ODESolver.H",
        "ODESystem.H",
        "fluidMulticomponentThermo.H",
        "extrapolatedCalculatedFvPatchFields.H",
        "UniformField.H",
    ];
    let stand_in = |name: &str| std::fs::read_to_string(root().join("tests/openfoam").join(name)).unwrap();
    for (arguments, solver) in [(&["--kernel", "reactor"][..], "reactor"), (&[], "ode")] {
        let folder = tempfile::tempdir().unwrap();
        written(&shipped("h2o2"), folder.path(), arguments);
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        HEADERS.iter().for_each(|header| put(header, "#include \"foam.H\"\n"));
        put("foam.H", &stand_in("foam.H"));
        let model = std::fs::read_to_string(folder.path().join("h2o2_openfoam.C")).unwrap();
        std::fs::remove_file(folder.path().join("h2o2_openfoam.C")).unwrap();
        put("main.cpp", &(model + &stand_in("foundation.C")));
        let named = format!("{solver}<singe<sutherland<janaf<perfectGas<specie>>,sensibleEnthalpy>>>");
        for (line, headers, name) in [
            ("12", &["basicChemistryModel.H"][..], named.as_str()),
            ("14", &["chemistryModel.H", "makeChemistryModel.H"], "singe"),
        ] {
            headers.iter().for_each(|header| put(header, "#include \"foam.H\"\n"));
            let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
            let sources: Vec<PathBuf> = names.filter(|name| name.extension().is_some_and(|end| end == "cpp")).collect();
            let options = ["-std=c++17", "-O1", "-march=native", "-Wall", "-Werror", "-Wno-psabi", "-fopenmp"];
            let mut compile = Command::new("g++");
            compile.args(options).arg(format!("-DFOAM={line}")).args(sources).arg("-o").arg(folder.path().join("main"));
            run(&mut compile);
            let told = run(&mut Command::new(folder.path().join("main"))).stdout;
            let told = String::from_utf8(told).unwrap();
            assert!(told.lines().any(|line| line == name), "{line}: {told}");
            let figure = |name: &str| -> f64 {
                let found = told.lines().find_map(|line| line.strip_prefix(name));
                found.and_then(|rest| rest.split(' ').next_back()).unwrap().parse().unwrap()
            };
            for (name, most) in [("rates", 1e-12), ("heat", 1e-12), ("solved 1", 1e-11), ("time", 1e-3)] {
                assert!(figure(name) <= most, "{line}: {told}");
            }
            assert!(figure("time") > 0.0, "{line}: {told}");
        }
    }
}

/// Both lines have makeChemistryModel.H: with it alone the text asks for the headers of openfoam.com.
#[test]
fn one_header_of_both_lines_does_not_name_the_foundation() {
    if !there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    written(&shipped("h2o2"), folder.path(), &[]);
    std::fs::write(folder.path().join("makeChemistryModel.H"), "").unwrap();
    let mut compile = Command::new("g++");
    let output =
        compile.current_dir(folder.path()).args(["-std=c++17", "-E", "-I.", "h2o2_openfoam.C"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("BasicChemistryModel.H"), "{told}");
}

/// The tutorial h2 of chemFoam, and the libraries of both kinds for its mechanism.
struct Tutorial {
    folder: tempfile::TempDir,
    sources: PathBuf,
}

impl Tutorial {
    fn new() -> Option<Self> {
        let Some(sources) = sources() else {
            skip("OpenFOAM's programs or its sources are absent (SINGE_OPENFOAM or WM_PROJECT_DIR names the latter)");
            return None;
        };
        if !there("cmake") {
            return None;
        }
        let tutorial = Self { folder: tempfile::tempdir().unwrap(), sources };
        let case = tutorial.case("own");
        for (kind, arguments) in [("reactor", &["--kernel", "reactor"][..]), ("ode", &[])] {
            let folder = tutorial.folder.path().join(kind);
            let thermo = case.join("chemkin/therm.dat");
            let files = ["--transport", "none", "--name", "h2", "--thermo", thermo.to_str().unwrap()];
            written(&case.join("chemkin/chem.inp"), &folder, &[arguments, &files].concat());
            if kind == "reactor" {
                add_probe(&folder.join("CMakeLists.txt"));
            }
            tutorial.build(&folder);
        }
        Some(tutorial)
    }

    fn build(&self, folder: &Path) {
        let build = folder.join("build");
        let options = [
            format!("-DOPENFOAM_SOURCE={}", self.sources.display()),
            format!("-DOPENFOAM_LIBRARIES={}", std::env::var("FOAM_LIBBIN").unwrap_or_default()),
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -Wno-unused-parameter".to_owned(),
        ];
        run(Command::new("cmake").arg("-S").arg(folder).arg("-B").arg(&build).args(options));
        run(Command::new("cmake").arg("--build").arg(&build).args(["--parallel", "2"]));
    }

    /// A copy of the case.
    fn case(&self, name: &str) -> PathBuf {
        let case = self.folder.path().join("case").join(name);
        std::fs::create_dir_all(case.parent().unwrap()).unwrap();
        let tutorial = self.sources.join("tutorials/combustion/chemFoam/h2");
        run(Command::new("cp").arg("-r").arg(tutorial).arg(&case));
        // Time steps are the same for all, so that what differs is the chemistry.
        let control = ["deltaT 1e-6;", "adjustTimeStep off;", "writeFormat ascii; writePrecision 17;"];
        edit(&case.join("system/controlDict"), &control);
        edit(&case.join("constant/chemistryProperties"), &["relTol 1e-8;"]);
        case
    }

    /// A copy of the case that has the chemistry of a kind.
    fn with(&self, kind: &str, name: &str) -> PathBuf {
        let case = self.case(name);
        let library = self.folder.path().join(kind).join("build/libh2Chemistry.so");
        let libraries = format!("application chemFoam; libs (\"{}\");", library.display());
        edit(&case.join("system/controlDict"), &[&libraries]);
        let settings = "chemistry on; reactorCoeffs { relTol 1e-8; threads 2; }";
        edit(&case.join("constant/chemistryProperties"), &[&format!("solver {kind}; method singe;"), settings]);
        case
    }

    fn run(&self, name: &str, case: &Path) -> Output {
        program(name, &self.sources).current_dir(case).output().unwrap()
    }
}

/// Adds the program that asks models to a project.
fn add_probe(list: &Path) {
    let probe = root().join("tests/openfoam/probe.C");
    let of = |what: &str| format!("$<TARGET_PROPERTY:h2Chemistry,{what}>");
    let text = std::fs::read_to_string(list).unwrap()
        + &format!("add_executable(probe {})\n", probe.display())
        + &format!("target_compile_definitions(probe PRIVATE {})\n", of("COMPILE_DEFINITIONS"))
        + &format!("target_include_directories(probe SYSTEM PRIVATE {})\n", of("INCLUDE_DIRECTORIES"))
        + &format!("target_link_libraries(probe PRIVATE {})\n", of("LINK_LIBRARIES"))
        + "target_link_options(probe PRIVATE LINKER:--no-as-needed,--copy-dt-needed-entries)\n";
    std::fs::write(list, text).unwrap();
}

/// Puts lines in the places of those that begin with the same word.
fn edit(file: &Path, lines: &[&str]) {
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let mut text: Vec<String> = std::fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
    for line in lines {
        let place = text.iter().position(|old| first(old) == first(line)).unwrap();
        text[place] = (*line).to_owned();
    }
    std::fs::write(file, text.join("\n")).unwrap();
}

/// The value of a field at the end of a run.
fn at_end(case: &Path, field: &str) -> f64 {
    let text = std::fs::read_to_string(case.join("0.001").join(field)).unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix("internalField   uniform ")).unwrap();
    value.trim_end_matches(';').parse().unwrap()
}

/// Returns the values that the probe prints, by name.
fn said(output: &Output) -> Vec<(String, f64)> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let begin = text.lines().skip_while(|line| !line.starts_with("T "));
    begin
        .filter_map(|line| line.split_once(' '))
        .map(|(name, value)| (name.to_owned(), value.parse().unwrap()))
        .collect()
}

/// OpenFOAM's own model is off by its time step, as it holds the density over it, and by what its constants differ from those of
/// CODATA; both kinds of ours agree as closely as they integrate.
#[test]
fn a_tutorial_runs_with_the_generated_chemistry() {
    let Some(tutorial) = Tutorial::new() else { return };
    let own = tutorial.case("own-run");
    let cases = [own, tutorial.with("reactor", "reactor"), tutorial.with("ode", "ode")];
    for case in &cases {
        let output = tutorial.run("chemFoam", case);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    for (field, beside_own) in [("T", 1e-3), ("H2O", 1e-3), ("OH", 1e-2), ("H", 2e-2)] {
        let [own, reactor, ode] = [0, 1, 2].map(|case| at_end(&cases[case], field));
        assert!((reactor - ode).abs() <= 1e-7 * ode, "{field}: {reactor:e}, {ode:e}");
        assert!((reactor - own).abs() <= beside_own * own, "{field}: {reactor:e}, {own:e}");
    }

    let answers = cases.each_ref().map(|case| {
        let probe = tutorial.folder.path().join("reactor/build/probe");
        said(&tutorial.run(probe.to_str().unwrap(), case))
    });
    let [own, reactor, ode] = answers;
    assert!(own.len() > 30 && own.len() == reactor.len() && own.len() == ode.len(), "{own:?}");
    for (name, value) in &own {
        let of = |all: &[(String, f64)]| all.iter().find(|(other, _)| other == name).unwrap().1;
        // The same rates, with exponentials by a series in one and by a table in the other.
        assert!(
            (of(&reactor) - of(&ode)).abs() <= 1e-10 * of(&ode).abs(),
            "{name}: {:e}, {:e}",
            of(&reactor),
            of(&ode)
        );
        // Theirs takes 1 bar for 1 atm in equilibrium constants: that is 1.3 % of the reverse rate of reaction 22, which is next to its
        // equilibrium; those of the others do not count here.
        let tolerance = if name == "reaction_22" { 20.0 } else { 2e-4 * value.abs() };
        assert!((of(&ode) - value).abs() <= tolerance, "{name}: {:e}, {value:e}", of(&ode));
    }

    // A case without one of the species.
    let case = tutorial.with("ode", "without");
    let mechanism = case.join("chemkin/chem.inp");
    let text = std::fs::read_to_string(&mechanism).unwrap();
    std::fs::write(&mechanism, text.replacen("AR N2", "N2", 1)).unwrap();
    let output = tutorial.run("chemFoam", &case);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && message.contains("absent from the case: 1(AR)"), "{message}");
}

//! Constant matrices on tensor cores, through the whole pipeline: proven, verified bit by bit against the graph, compiled,
//! read back from the compiler's PTX and simulated again.

use std::path::PathBuf;

use kernels::{Form, Kernel};
use kinetics::{self, Model};
use machine::target::Target;
use machine::toolchain::{self, Job};
use mechanism::{self, Companion, Files};
use overlay::program::{Node, Program};
use overlay::{Codegen, Residence};
use ptx::read;
use singe::driver::{self, FailureKind, Multiplier, Request, Unit};
use singe::observer::Observer;
use singe::verify::{self, Subject};
use testkit::request;
use testkit::skip;
use warpsim::{Launch, prove};

/// 256 doubles.
const POWER_BYTES: u32 = 2048;
const FORMS: [Form; 2] = [Form::Symmetric, Form::LowRank];

fn request(mechanism: PathBuf, form: Form) -> Request {
    Request { kernels: vec![Kernel::Viscosity], ..request::new(mechanism) }.with(|r| {
        r.common.target = Target::by_name("ampere").unwrap();
        r.tuning.form = Some(form);
        r.tuning.matrix = Some(Multiplier::Dmma);
        // Products on tensor cores save the striped constants.
        r.tuning.constants = Some(Residence::Striped);
    })
}

/// The mechanism as it was before its reduction.
fn detailed(mechanism: PathBuf) -> Files {
    Files { mechanism, reduction: Companion::Ignored, ..Files::default() }
}

fn unit(request: &Request) -> (Model, Unit) {
    let model = request::model(request);
    let unit = testkit::request::unit(request.kernels[0], &model, request);
    (model, unit)
}

#[test]
fn matrix_products_of_shipped_mechanisms() {
    ["h2o2", "gri30"].map(testkit::shipped).into_iter().for_each(matrix_products_are_verified_and_cheaper);
}

#[test]
fn matrix_products_of_published_mechanisms() {
    for name in ["dme", "heptane"] {
        let Some(path) = skip::shared(&format!("mechanisms/{name}/chem.inp")) else { return };
        matrix_products_are_verified_and_cheaper(path);
    }
}

/// Fewer slots than fused multiply-adds take, and far fewer shuffles and passes over shared memory.
fn matrix_products_are_verified_and_cheaper(mechanism: PathBuf) {
    let files = detailed(mechanism);
    let name = files.mechanism.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    for form in FORMS {
        let measured = |matrix| {
            let plain = request(files.mechanism.clone(), form);
            let request = Request { files: files.clone(), ..plain }.with(|r| r.tuning.matrix = Some(matrix));
            let report = driver::compile(&request, &mut Observer::silent());
            let kernel = report.unwrap_or_else(|f| panic!("{name} {form}: {:?}", f.diagnostics)).kernels.remove(0);
            kernel.verification.unwrap()
        };
        let (dfma, dmma) = (measured(Multiplier::Dfma), measured(Multiplier::Dmma));
        let line = |v: &verify::Verification| {
            format!(
                "{:.0} slots, {:.0} shuffles, {:.0} passes, error {:.1e}",
                v.slots_per_point, v.shuffles_per_point, v.shared_passes_per_point, v.largest_error
            )
        };
        println!(
            "{name} {form}: dfma {}; dmma {} ({} products)",
            line(&dfma),
            line(&dmma),
            dmma.matrix_products_per_point
        );
        assert!(dfma.matrix_products_per_point == 0.0 && dmma.matrix_products_per_point > 0.0);
        assert!(dmma.shared_passes_per_point < dfma.shared_passes_per_point);
        assert!(dmma.shuffles_per_point < dfma.shuffles_per_point);
        if name != "h2o2" {
            assert!(dmma.slots_per_point < dfma.slots_per_point);
        }
    }
}

/// The reduction, the core and the rows of the low-rank diffusion.
#[test]
fn diffusion_is_verified() {
    for name in ["h2o2", "gri30"] {
        let measured = |matrix| {
            let plain = request(testkit::shipped(name), Form::LowRank);
            let request =
                Request { kernels: vec![Kernel::Diffusion], ..plain }.with(|r| r.tuning.matrix = Some(matrix));
            let report = driver::compile(&request, &mut Observer::silent());
            let kernel = report.unwrap_or_else(|f| panic!("{name}: {:?}", f.diagnostics)).kernels.remove(0);
            println!("{name} diffusion {matrix:?}: {:?}", kernel.verification);
            kernel.verification.unwrap()
        };
        let (dfma, dmma) = (measured(Multiplier::Dfma), measured(Multiplier::Dmma));
        assert!(dfma.matrix_products_per_point == 0.0 && dmma.matrix_products_per_point > 0.0);
        assert!(dmma.shuffles_per_point < dfma.shuffles_per_point);
    }
}

/// Warps, layouts, locations of the constants, and so little shared memory or so few registers that values and constants come and go.
#[test]
fn every_layout_is_verified() {
    let gri30 = |form| request(testkit::shipped("gri30"), form);
    let mut requests = Vec::new();
    for form in FORMS {
        requests.extend([1, 2, 5, 16].map(|warps| gri30(form).with(|r| r.tuning.warps = warps)));
        requests.push(gri30(form).with(|r| r.tuning.points_per_lane = Some(2)));
        // Four points of each lane fill more shared memory than ampere has.
        requests.push(gri30(form).with(|r| {
            r.common.target = Target::by_name("hopper").unwrap();
            r.tuning.points_per_lane = Some(4);
        }));
        requests.push(Request { codegen: Codegen::Switch, ..gri30(form) });
        requests.push(gri30(form).with(|r| r.tuning.constants = Some(Residence::Shared)));
        requests.push(gri30(form).with(|r| r.tuning.constants = Some(Residence::ConstantBank)));
        requests.push(gri30(form).with(|r| r.tuning.ctas_per_sm.count = 3));
        requests.push(gri30(form).with(|r| {
            r.tuning.warps = 16;
            r.tuning.ctas_per_sm.count = 2;
        }));
    }
    for request in requests {
        let report = driver::compile(&request, &mut Observer::silent());
        let kernel = report.unwrap_or_else(|f| panic!("{request:?}: {:?}", f.diagnostics)).kernels.remove(0);
        let verification = kernel.verification.unwrap();
        assert!(verification.matrix_products_per_point > 0.0, "{}", kernel.form);
    }
}

/// The PTX that NVRTC makes of the text computes the same bits as our own lowering, and is proven; ptxas takes it without a spill.
#[test]
fn compilers_agree() {
    for target in ["ampere", "hopper", "blackwell"].map(|name| Target::by_name(name).unwrap()) {
        let toolchain = match toolchain::find_for(target.compute_capability) {
            Ok(toolchain) => toolchain,
            Err(absent) => {
                skip::skip(format!("{}: {absent}", target.name));
                continue;
            }
        };
        for (name, form, points_per_lane) in [("h2o2", FORMS[0], 2), ("gri30", FORMS[0], 1), ("gri30", FORMS[1], 1)] {
            let plain = request(testkit::shipped(name), form);
            let request = Request { real_compilers: true, ..plain }.with(|r| {
                r.common.target = target;
                r.tuning.points_per_lane = Some(points_per_lane);
            });
            let report = testkit::request::report(&request);
            let compiled = report.kernels[0].compiled.as_ref().unwrap();
            println!("{name} {form} {}: {} registers", target.name, compiled.registers);
            assert_eq!(compiled.spill_store_bytes + compiled.spill_load_bytes, 0);
            // ptxas does not see what is asked for at launch, which is all but the table of powers.
            let shared = report.kernels[0].shared_bytes;
            assert_eq!(compiled.shared_bytes, if shared > 48 * 1024 { POWER_BYTES } else { shared });

            let (model, unit) = unit(&Request { verify: None, ..request.clone() });
            let symbol = unit.program.symbol.clone();
            let arch = target.compute_capability;
            let job = Job { name: format!("{symbol}.cu"), source: unit.source.clone(), arch, options: vec![] };
            let text = toolchain.compile_to_ptx(&job).unwrap().text;
            let compiled = read::text(&symbol, &text).unwrap();

            let states = kinetics::verification_states(&model, 70);
            let warps = unit.program.execution.warps();
            let run = |module| {
                let stride = states.len() + 5;
                verify::simulate(module, &symbol, (&model, &unit.graph), warps, &states, stride).unwrap()
            };
            let ((ours, own_counts), (theirs, counts)) = (run(&unit.ptx), run(&compiled));
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&ours), bits(&theirs), "{symbol}");
            assert_eq!(own_counts.total().matrix_products, counts.total().matrix_products);
            let fields = Launch::fields(1, warps, unit.graph.arrays.len(), 70, 75);
            let launch = Launch { shared: verify::requested_at_launch(&compiled), ..fields };
            let verdict = prove::prove(&compiled, &symbol, &launch).unwrap();
            assert!(verdict.violations.is_empty(), "{verdict:?}");
        }
    }
}

/// Turns the columns of one block of a matrix into rows, as if the lanes held the fragment of the other factor.
fn transpose_a_fragment(program: &mut Program) {
    fn first(nodes: &[Node]) -> Option<u32> {
        nodes.iter().find_map(|node| match node {
            Node::Multiply { blocks, .. } => Some(blocks[0].register),
            Node::If { body, .. } => first(body),
            Node::Switch { arms } => arms.iter().find_map(|(_, body)| first(body)),
            _ => None,
        })
    }
    let start = 32 * (first(&program.body).unwrap() * program.execution.warps()) as usize;
    let block: [f64; 32] = program.constants.reals[start..start + 32].try_into().unwrap();
    for lane in 0..32 {
        program.constants.reals[start + lane] = block[8 * (lane % 4) + lane / 4];
    }
}

#[test]
fn a_transposed_fragment_is_found() {
    let request = request(testkit::shipped("h2o2"), Form::Symmetric);
    let (model, unit) = unit(&request);
    let verified = |program: &Program| {
        let target = request.common.target;
        let module = emit_ptx::print(&lower::lower(program, target), target.compute_capability);
        let subject = Subject {
            kernel: unit.kernel,
            model: &model,
            stiffness: request.common.stiffness,
            graph: &unit.graph,
            mapping: &unit.mapping,
            proven: &unit.proven,
            program,
            module: &module,
        };
        verify::verify(&subject, 70)
    };
    assert!(verified(&unit.program).is_ok());
    let mut broken = unit.program.clone();
    transpose_a_fragment(&mut broken);
    let found = verified(&broken).unwrap_err();
    assert!(found.iter().any(|d| d.id == "verify::not-the-graph"), "{found:?}");
}

#[test]
fn the_compiler_chooses_where_it_may() {
    let chosen = |target, form, codegen| {
        let target = Target::by_name(target).unwrap();
        let plain = request(testkit::shipped("gri30"), Form::Symmetric);
        let request = Request { codegen, verify: None, ..plain }.with(|r| {
            r.common.target = target;
            r.tuning.form = form;
            r.tuning.matrix = None;
        });
        testkit::request::report(&request).kernels.remove(0)
    };
    let symmetric = Some(Form::Symmetric);
    let on_ampere = chosen("ampere", symmetric, Codegen::Overlay);
    assert_eq!((on_ampere.form.as_str(), on_ampere.slots_per_matrix_product), ("symmetric, dmma", 4));
    assert_eq!(on_ampere.forms.iter().map(|f| f.form.as_str()).collect::<Vec<_>>(), ["symmetric", "symmetric, dmma"]);
    assert_eq!(chosen("kepler", symmetric, Codegen::Overlay).form, "symmetric");
    assert_eq!(chosen("ampere", symmetric, Codegen::DataParallel).form, "symmetric");
    let all = chosen("hopper", None, Codegen::Overlay);
    assert_eq!((all.form.as_str(), all.forms.len()), ("low-rank, dmma", 5));
}

#[test]
fn other_targets_are_refused() {
    let request =
        request(testkit::shipped("h2o2"), FORMS[0]).with(|r| r.common.target = Target::by_name("ada").unwrap());
    let failure = driver::compile(&request, &mut Observer::silent()).unwrap_err();
    assert_eq!((failure.kind, failure.diagnostics[0].id), (FailureKind::Usage, "target::no-matrix-products"));
}

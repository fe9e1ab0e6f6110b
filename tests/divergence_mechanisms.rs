//! The mechanism kernels under the divergence analysis: every branch on the warp number is uniform, and every claim holds.

use kernels::Io;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use overlay::Codegen;
use ptx::analysis::divergence::{BlockShape, Options};
use ptx::{Module, read};
use singe::driver::Request;
use singe::verify;
use testkit::request;
use testkit::skip;
use toolkit::divergence::Analysed;
use warpsim::Claims;

const ARCH: ComputeCapability = ComputeCapability(3, 5);

fn all(codegen: Codegen, warps: u32) {
    let request =
        Request { codegen, verify: None, ..request::new(testkit::shipped("h2o2")) }.with(|r| r.tuning.warps = warps);
    let model = testkit::request::model(&request);
    let states = kinetics::verification_states(&model, 70);
    let stride = states.len() + 5;
    let compile = |kernel: &_| testkit::request::unit(*kernel, &model, &request);
    let units: Vec<_> = request.kernels.iter().map(compile).collect();
    let toolchain = toolchain::find();
    if let Err(absent) = &toolchain {
        skip::skip(format!("compiled kernels: {absent}"));
    }
    for unit in &units {
        let symbol = &unit.program.symbol;
        let mut modules: Vec<Module> = vec![unit.ptx.clone()];
        if let Ok(toolchain) = &toolchain {
            let job = Job { name: format!("{symbol}.cu"), source: unit.source.clone(), arch: ARCH, options: vec![] };
            let text = toolchain.compile_to_ptx(&job).unwrap().text;
            modules.push(read::text(&format!("{symbol}.ptx"), &text).unwrap());
        }
        for (i, module) in modules.iter().enumerate() {
            let func = module.func(symbol).unwrap();
            let threads = unit.program.execution.warps();
            let options = Options { block: BlockShape::Known([32 * threads, 1, 1]), ..Options::default() };
            let summary = Analysed::new(module, func, options).summary();
            println!("{symbol} {codegen:?} {warps}: {summary:?}");
            assert!(summary.uniform_branches > 0 && summary.affine > 0);
            // a compiler may branch on the points that a thread has, and data-parallel code must
            if i == 0 && codegen != Codegen::DataParallel {
                assert_eq!(summary.uniform_branches, summary.branches, "{symbol} {codegen:?} {warps}");
            }
            let claims = Claims::compute(module, func, options);
            let subject = (&model, &unit.graph);
            let (shared, io) = (verify::requested_at_launch(module), Io::Double);
            let shape = verify::Shape { ctas: 1, warps: threads, stride, shared, io, workspace: None };
            verify::launch(module, symbol, subject, &states, shape, Some(&claims))
                .unwrap_or_else(|d| panic!("{symbol}: {d:?}"));
        }
    }
}

#[test]
fn overlaid_kernels() {
    all(Codegen::Overlay, 4);
    all(Codegen::Overlay, 7);
}

#[test]
fn switched_kernels() {
    all(Codegen::Switch, 4);
}

#[test]
fn data_parallel_kernels() {
    all(Codegen::DataParallel, 4);
}

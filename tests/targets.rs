//! Every target: verified, and compiled by the real compilers for it where they are installed.

use kernels::Kernel;
use kinetics::Model;
use machine::target::Target;
use machine::toolchain::{self, Job};
use mechanism::Files;
use overlay::Codegen;
use singe::driver::Request;
use singe::output::Unit;
use testkit::request;
use testkit::skip;

/// CTAs that share an SM share its named barriers.
#[test]
fn barriers_are_divided_among_the_ctas() {
    for (name, ctas_per_sm, barriers) in [("kepler", 1, 16), ("kepler", 2, 8), ("ada", 2, 12), ("hopper", 2, 16)] {
        let target = Target::by_name(name).unwrap();
        let request = request::new(testkit::shipped("h2o2")).with(|r| {
            r.common.target = target;
            r.tuning.ctas_per_sm.count = ctas_per_sm;
        });
        assert_eq!(request.of_kernel(Kernel::Viscosity).limits().barriers, barriers, "{name} {ctas_per_sm}");
    }
}

/// Without shuffles, constants are broadcast through shared memory, which slots then cannot fill; `ptxas` adds up both.
#[test]
fn broadcasts_through_shared_memory_fit_beside_the_slots() {
    let target = Target::by_name("fermi").unwrap();
    for warps in [8, 16] {
        let kernels = vec![Kernel::Diffusion];
        let shipped = request::new(testkit::shipped("gri30"));
        let request = Request { kernels, verify: None, real_compilers: true, ..shipped }.with(|r| {
            r.common.target = target;
            r.tuning.warps = warps;
        });
        let report = testkit::request::report(&request);
        let k = &report.kernels[0];
        let mirrors = 12 * warps;
        assert_eq!(k.shared_bytes % 256, mirrors, "a double and an integer for each warp");
        assert!(k.shared_bytes > 45 * 1024 && k.shared_bytes <= 48 * 1024, "{}", k.shared_bytes);
        assert_eq!(k.machine.ctas_per_sm, 1);
        match &k.compiled {
            Some(c) => assert_eq!(c.shared_bytes, k.shared_bytes),
            None => skip::skip(format!("no compilers for {}", target.name)),
        }
    }
}

/// The targets whose kernels are compiled: the oldest, a common and the newest measured one, or all with sweeps.
fn some_or_all(what: &str) -> impl Iterator<Item = &'static Target> {
    let are_swept = skip::sweeps(what);
    Target::all().filter(move |target| are_swept || ["kepler", "ampere", "hopper"].contains(&target.name.as_str()))
}

#[test]
fn h2o2_on_every_target() {
    for target in some_or_all("h2o2 on further targets") {
        let absent = toolchain::find_for(target.compute_capability).err();
        if let Some(reason) = &absent {
            skip::skip(format!("the compilers of {}: {reason}", target.name));
        }
        let request = Request { real_compilers: true, ..request::new(testkit::shipped("h2o2")) }
            .with(|r| r.common.target = target);
        let report = testkit::request::report(&request);
        for k in &report.kernels {
            let v = k.verification.as_ref().unwrap();
            assert!(v.largest_error <= v.tolerance, "{} {}", target.name, k.kernel);
            assert!(k.machine.ctas_per_sm * k.named_barriers <= target.barrier_pool(), "{} {}", target.name, k.kernel);
            assert_eq!(k.compiled.is_some(), absent.is_none());
            if let Some(c) = &k.compiled {
                println!(
                    "{} {}: {} registers, {} + {} B spilled, {} barriers ({})",
                    target.name,
                    k.kernel,
                    c.registers,
                    c.spill_store_bytes,
                    c.spill_load_bytes,
                    c.barriers,
                    c.compilers
                );
                assert!(c.registers > 0 && c.registers <= target.max_registers_per_thread);
                assert_eq!(c.barriers, k.named_barriers);
                // Beyond, shared memory is asked for when the kernel is launched, and ptxas does not know of it.
                if k.shared_bytes <= 48 * 1024 {
                    assert_eq!(c.shared_bytes, k.shared_bytes, "{} {}", target.name, k.kernel);
                }
            }
        }
    }
}

/// The kernels that a plain command makes of h2o2 for the target, in the layouts that it begins with; two of those whose warps share work, as all meet
/// and broadcast by the same statements; with sweeps all.
fn plain_kernels(model: &Model, target: &'static Target) -> Vec<Unit> {
    let files = Files { mechanism: testkit::shipped("h2o2"), ..Files::default() };
    let shared: &[Kernel] = if target.is_amd() {
        &[]
    } else if testkit::skip::sweeps("all kernels in which warps share work, by each compiler") {
        &Kernel::ALL
    } else {
        &[Kernel::Diffusion, Kernel::Chemistry]
    };
    let layouts = [(Codegen::DataParallel, &Kernel::ALL[..]), (Codegen::Overlay, shared)];
    let request = Request { files, verify: None, ..Request::default() }.with(|r| r.common.target = target);
    let make = |(codegen, &kernel): (Codegen, &Kernel)| {
        let request = Request { codegen, ..request.clone() };
        testkit::request::unit(kernel, model, &request)
    };
    let pairs = layouts.into_iter().flat_map(|(codegen, kernels)| kernels.iter().map(move |kernel| (codegen, kernel)));
    pairs.map(make).collect()
}

/// The compilers that the product takes first are not the only ones that users have.
#[test]
fn every_compiler_accepts_the_kernels_of_every_target_of_nvidia() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    for target in some_or_all("every compiler on further targets") {
        let arch = target.compute_capability;
        let all = match toolchain::all_for(arch) {
            Ok(all) if !all.is_empty() => all,
            absent => {
                skip::skip(format!("the compilers of {}: {:?}", target.name, absent.err()));
                continue;
            }
        };
        let units = plain_kernels(&model, target);
        let job = |unit: &Unit| Job {
            name: format!("{}.cu", unit.program.symbol),
            source: unit.source.clone(),
            arch,
            options: vec![],
        };
        let jobs: Vec<Job> = units.iter().map(job).collect();
        for toolchain in all {
            for (unit, ptx) in units.iter().zip(toolchain.compile_all(&jobs)) {
                let what = format!("{} {} {:?} on {}", target.name, unit.kernel, unit.codegen, toolchain.name);
                let ptx = ptx.unwrap_or_else(|refused| panic!("{what}: {refused}"));
                // NVRTC 12 tells of every machine before Turing that it will leave it, and of the shuffles that those before Volta have.
                let is_remark = |line: &&str| line.contains("warning #") && !line.contains("deprecated");
                let mut remarks = ptx.log.lines().filter(is_remark);
                assert_eq!(remarks.next(), None, "{what}");
                toolchain.assemble(&ptx.text, arch).unwrap_or_else(|refused| panic!("{what}: {refused}"));
            }
        }
    }
}

#[test]
fn every_compiler_accepts_the_kernels_of_every_target_of_amd() {
    let model = testkit::model(&testkit::shipped("h2o2"));
    for target in Target::of_amd() {
        let amd = target.amd().expect("a target of AMD");
        let knows = |compiler: &&toolchain::HipCompiler| compiler.architectures.contains(&amd.gfx);
        let all: Vec<_> = toolchain::hip_compilers().iter().filter(knows).collect();
        if all.is_empty() {
            skip::skip(format!("no clang knows {}", amd.gfx));
            continue;
        }
        for unit in plain_kernels(&model, target) {
            for compiler in &all {
                let made = compiler.compile(&unit.program.symbol, &unit.source, amd);
                made.unwrap_or_else(|refused| {
                    panic!("{} {} on {}: {refused}", target.name, unit.kernel, compiler.name)
                });
            }
        }
    }
}

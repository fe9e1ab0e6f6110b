//! The kernels of the corpus: their results, their structures and their costs.

use testkit::same_execution::{counted, same};
use testkit::{corpus, skip};

use super::MODES;
use machine::target::ComputeCapability;
use machine::toolchain::{disassembler, installations};
use passes::predicate::{self, Report, divergent_branches, structures};
use passes::{Options, Pass, predication};
use ptx::analysis::divergence::BlockShape;
use ptx::ir::Block;
use std::collections::BTreeSet;
use std::process::Command;
use warpsim::machine_code;

fn predicated(kernel: &corpus::Kernel, (sbu, rbu): (bool, bool)) -> (ptx::Module, Report) {
    let predication = predication::Options { sbu, rbu, ..predication::Options::default() };
    let options = Options { block: Some(kernel.setup.launch.threads), predication, ..Options::default() };
    let pass = Pass::by_name("predicate").expect("it is in the table");
    let outcome = pass.run(&kernel.module, &kernel.entry, &options);
    let outcome = outcome.unwrap_or_else(|e| panic!("{}: {e:?}", kernel.name));
    (outcome.module, serde_json::from_value(outcome.report.data()).expect("a report"))
}

/// Prints the paper's structural columns, with uniform branches that end loops among the loop votes as there, and warp instructions before and after in each mode.
#[test]
fn every_mode_keeps_what_kernels_do() {
    println!("kernel: blocks, regions, loops, branches, SBU, RBU, loop votes | warp instructions, P, P+SBU, P+SBU+RBU");
    let mut changed = 0;
    for kernel in corpus::kernels().into_iter().chain(corpus::divergent()) {
        let (launch, buffers) = (&kernel.setup.launch, &kernel.setup.buffers);
        if same(&kernel.module, &kernel.module, &kernel.entry, launch, buffers).is_err() {
            // one of the kernels that show a hazard
            continue;
        }
        let instructions = |module: &ptx::Module| counted(module, &kernel.entry, launch, buffers).total().instructions;
        let mut costs = vec![instructions(&kernel.module)];
        let mut last = Report::default();
        for mode in MODES {
            let (after, report) = predicated(&kernel, mode);
            if let Err(difference) = same(&kernel.module, &after, &kernel.entry, launch, buffers) {
                panic!("{} {mode:?}: {difference}\n{}\n{after}", kernel.name, kernel.module);
            }
            costs.push(instructions(&after));
            changed += report.masked_blocks;
            last = report;
        }
        let found = structures(kernel.module.func(&kernel.entry).expect("the kernel"));
        println!(
            "{}: {}, {}, {}, {}, {}, {}, {} | {costs:?}",
            kernel.name,
            found.blocks,
            found.regions,
            found.loops,
            found.branches,
            last.uniform_branches - last.uniform_loops,
            last.side_tests,
            last.loop_tests + last.uniform_loops
        );
    }
    assert!(changed > 100, "{changed}");
}

/// Whichever branches keep the stack, kernels do the same: all choices where there are few branches, else each branch alone and
/// all others.
#[test]
fn any_branches_may_keep_the_stack() {
    let mut choices = 0;
    for kernel in corpus::divergent() {
        let (launch, buffers) = (&kernel.setup.launch, &kernel.setup.buffers);
        let index = kernel.module.funcs.iter().position(|func| func.name == kernel.entry).expect("the kernel");
        let block = BlockShape::Known(launch.threads);
        let branches = divergent_branches(&kernel.module, &kernel.module.funcs[index], block);
        let all = (1u32 << branches.len()) - 1;
        let masks: BTreeSet<u32> = match branches.len() {
            0..=3 => (0..=all).collect(),
            count => (0..count).flat_map(|i| [1 << i, all ^ 1 << i]).collect(),
        };
        for mask in masks {
            let member = |(i, _): &(usize, &Block)| mask >> i & 1 == 1;
            let kept: BTreeSet<Block> = branches.iter().enumerate().filter(member).map(|(_, block)| *block).collect();
            let tested = Some(branches.iter().copied().take(1).collect());
            for (rbu, tested) in [(false, None), (true, tested)] {
                let options =
                    predicate::Options { sbu: true, rbu, tested, predicates: 7, block, kept: kept.clone(), sm: None };
                let made = predicate::predicate(&kernel.module, index, &options);
                let (after, _) = made.unwrap_or_else(|e| panic!("{}, {kept:?}: {e:?}", kernel.name));
                if let Err(difference) = same(&kernel.module, &after, &kernel.entry, launch, buffers) {
                    panic!("{}, {kept:?}: {difference}\n{}\n{after}", kernel.name, kernel.module);
                }
                choices += 1;
            }
        }
    }
    assert!(choices > 150, "{choices}");
}

/// Machine code at -O3 leaves in memory what the PTX leaves, where products and sums are not fused: of predicated srad three releases of
/// ptxas dropped a load as long as nothing was in its register in lanes that do not load.
#[test]
fn machine_code_of_the_results_is_right() {
    for (release, [major, minor]) in [((11, 8), [7, 0]), ((12, 9), [8, 0]), ((13, 0), [9, 0])] {
        let arch = ComputeCapability(major, minor);
        let tools = (installations().iter().find(|found| found.release == release), disassembler(arch));
        let (Some(ptxas), Ok(disassembler)) = tools else {
            skip::skip(format!("ptxas {}.{} or nvdisasm is absent", release.0, release.1));
            continue;
        };
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let (from, to) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        let named = |kernel: &corpus::Kernel| ["srad", "dct-quantize", "short-circuit"].contains(&kernel.name.as_str());
        for mut kernel in corpus::divergent().into_iter().filter(named) {
            (kernel.module.sm, kernel.module.version) = (arch.number(), None);
            let (after, _) = predicated(&kernel, MODES[0]);
            std::fs::write(&from, after.to_string()).expect("the folder can be written");
            let mut command = Command::new(&ptxas.ptxas);
            command.arg(format!("-arch={}", arch.sm())).args(["-O3", "--fmad=false"]).arg(&from).arg("-o").arg(&to);
            let output = command.output().expect("ptxas runs");
            assert!(output.status.success(), "{}: {}", kernel.name, String::from_utf8_lossy(&output.stderr));
            let bytes = std::fs::read(&to).expect("ptxas wrote it");
            let text = disassembler.disassemble(&bytes).unwrap_or_else(|e| panic!("{}: {e}", kernel.name));
            let listing = diagnostics::Source { name: kernel.name.clone(), text };
            let cubin = sass::read(&kernel.name, &bytes, &listing.into()).expect("this is machine code");
            let (launch, mut expected) = (&kernel.setup.launch, kernel.setup.buffers.clone());
            let mut found = expected.clone();
            let options = warpsim::Options { schedule: kernel.setup.schedule, ..warpsim::Options::default() };
            warpsim::run(&kernel.module, &kernel.entry, launch, &mut expected, &options).expect("it has no hazards");
            machine_code::run(&cubin, &kernel.entry, launch, &mut found, &options)
                .unwrap_or_else(|e| panic!("{}: {e:?}", kernel.name));
            assert!(found == expected, "{} for {}:\n{after}", kernel.name, arch.sm());
        }
    }
}

//! Results of the allocator: reloads that it spares, kernels of any length, and no more work than plain linear scan leaves.

use passes::allocate::report::report;
use passes::allocate::spill_location::{Rewriting, Row};
use passes::allocate::{self, Algorithm, Allocation, Options, check};
use passes::allocation;
use ptx::Module;
use ptx::estimate::estimate;
use std::fmt::Write;
use testkit::corpus;
use testkit::pressure::parse;

/// A kernel that loads so many doubles and adds them up twice, in the order of their loads and then from the last to the first.
fn sums(values: usize) -> String {
    let mut body = String::new();
    for i in 0..values {
        writeln!(body, "ld.global.f64 %d{i}, [%in+{}];", 8 * i).unwrap();
    }
    body += "mov.f64 %sum, 0d0000000000000000;\n";
    for i in (0..values).chain((0..values).rev()) {
        writeln!(body, "fma.rn.f64 %sum, %d{i}, %sum, %d{i};").unwrap();
    }
    format!(
        ".version 7.0\n.target sm_70\n.address_size 64
.visible .entry sums(.param .u64 input, .param .u64 output)
{{
.reg .b64 %in, %out;
.reg .f64 %d<{}>, %sum;
ld.param.u64 %in, [input];
ld.param.u64 %out, [output];
{body}st.global.f64 [%out], %sum;
ret;
}}
",
        values + 1
    )
}

fn allocated(text: &str, kernel: &str, registers: u32) -> Allocation {
    let options = Options { registers, rewriting: Rewriting::None, ..Options::default() };
    let allocation = allocate::allocate(&parse(text), kernel, &options).unwrap_or_else(|refusal| panic!("{refusal}"));
    check::check(&allocation).unwrap_or_else(|faults| panic!("{faults:?}\n{}", allocation.module));
    allocation
}

fn local(allocation: &Allocation) -> [usize; 2] {
    report(allocation).rows.get(&Row::Local).map_or([0, 0], |counts| [counts.loads, counts.stores])
}

/// A graph of values that are alive together grows as the square of their number: this one would have 18 million edges.
#[test]
fn a_long_kernel_with_thousands_of_live_values_is_allocated() {
    let values = 6000;
    let allocation = allocated(&sums(values), "sums", 64);
    let found = report(&allocation);
    let [loads, stores] = local(&allocation);
    assert!(found.registers <= 64);
    // all but those that registers hold are stored once and loaded once for each sum
    assert!(stores <= values && stores >= values - 32, "{found:?}");
    assert!(loads <= 2 * stores, "{found:?}");
    assert_eq!(found.local_bytes, 8 * stores as u64);
}

/// The last values of the first sum stay in registers up to the second one, which begins with them.
#[test]
fn a_value_that_is_read_again_soon_is_not_loaded_again() {
    let allocation = allocated(&sums(100), "sums", 40);
    let [loads, stores] = local(&allocation);
    assert!(loads < 2 * stores, "{loads} loads of {stores} spilled values, each of which is read twice");
}

/// Returns the estimated cycles of a kernel, and its instructions.
fn work(module: &Module, kernel: &str) -> (u64, usize) {
    let func = module.func(kernel).expect("it is still there");
    (estimate(func), func.layout.iter().map(|block| func.blocks[*block].insts.len()).sum())
}

/// The pass leaves a kernel with no more work than plain linear scan does: with fewer estimated cycles, or with as many and no more
/// instructions.
#[test]
fn the_pass_is_never_worse_than_plain_linear_scan() {
    let pass = passes::Pass::by_name("allocate").expect("it is in the table");
    let (mut kernels, mut worse) = (0, Vec::new());
    let written = corpus::kernels().into_iter().chain(corpus::divergent());
    for corpus::Kernel { name, module, entry, .. } in written {
        for registers in [8, 12, 16, 24, 32] {
            let allocation = allocation::Options { registers, shared: Some(0), ..allocation::Options::default() };
            let asked = passes::Options { allocation, ..passes::Options::default() };
            let Ok(own) = pass.run(&module, &entry, &asked) else { continue };
            let (algorithm, rewriting) = (Algorithm::LinearScan, Rewriting::None);
            let asked = Options { registers, algorithm, rewriting, ..Options::default() };
            let Ok(plain) = allocate::allocate(&module, &entry, &asked) else { continue };
            let [own, plain] = [&own.module, &plain.module].map(|module| work(module, &entry));
            kernels += 1;
            if own.1 > plain.1 {
                println!("{name} at {registers}: {own:?} for {plain:?}");
            }
            if own > plain {
                worse.push(format!("{name} at {registers}: {own:?} for {plain:?}"));
            }
        }
    }
    assert!(kernels > 100, "{kernels}");
    assert!(worse.is_empty(), "{}", worse.join("\n"));
}

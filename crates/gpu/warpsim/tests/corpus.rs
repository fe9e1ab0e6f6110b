//! The corpus: every kernel is simulated against plain Rust, printed and read again, and taken by ptxas. Verdicts stand in the
//! files, and tests/files.rs compares them.

use machine::target::ComputeCapability;
use machine::toolchain;
use ptx::inst::Type;
use testkit::corpus::{self, Kernel};
use testkit::ring::ring;
use testkit::skip;
use warpsim::{self, Kind, Options, Schedule, prove};

/// Returns elements of the kernel's buffers as numbers.
fn numbers(kernel: &Kernel, buffers: &[warpsim::Buffer], buffer: usize) -> Vec<f64> {
    let output = kernel.setup.outputs.iter().find(|(_, b, _)| *b == buffer);
    let ty = output.map_or(input_type(&kernel.name), |(_, _, ty)| *ty);
    let number = |bits: u64| if ty == Type::F32 { f64::from(f32::from_bits(bits as u32)) } else { bits as f64 };
    (0..buffers[buffer].len_of(ty)).map(|i| number(buffers[buffer].element(ty, i).unwrap())).collect()
}

fn input_type(name: &str) -> Type {
    if matches!(name, "bitonic-sort" | "histogram") { Type::U32 } else { Type::F32 }
}

/// Returns the outputs that the kernel must give, computed plainly from its inputs.
fn reference(name: &str, inputs: &[Vec<f64>], threads: [u32; 3]) -> Vec<Vec<f64>> {
    let width = threads[0] as usize;
    let by_thread = |f: &dyn Fn(usize) -> f64| vec![(0..128).map(|i| f(i % width)).collect()];
    let map = |f: &dyn Fn(f64) -> f64| vec![inputs[0].iter().map(|x| f(*x)).collect()];
    let blocks = |f: &dyn Fn(&[f64]) -> Vec<f64>| vec![inputs[0].chunks(width).flat_map(f).collect()];
    match name {
        "divergence-none" => map(&|x| 3.0 * x),
        "divergence-sync" => by_thread(&|t| if t % 2 == 0 { 20.0 } else { 10.0 }),
        "divergence-mixed" => by_thread(&|t| if 5 * t < 100 { (4 + 5 * t) as f64 } else { (6 * 5 * t + 5 * t) as f64 }),
        "divergence-function" => by_thread(&|t| (3 * t).min(if t < 8 { usize::MAX } else { 100 }) as f64),
        "divergence-loop" => {
            vec![inputs[0].iter().enumerate().map(|(i, x)| x * (i % width + 1) as f64).collect()]
        }
        "divergence-loop-closed" => by_thread(&|t| 2.0 * t.max(1) as f64),
        "divergence-nested" => by_thread(&|t| if t < 20 { 8.0 } else { 6.0 }),
        "divergence-hidden" => by_thread(&|t| if t < 16 { t as f64 } else { t as f64 + 100.0 }),
        "triangular-sums" => {
            let cell = |row: usize, column: usize| inputs[0][row * width + column];
            let sum = |t: usize| (0..=t).filter(|row| row % 2 == 1).map(|row| cell(row, t)).sum();
            vec![(0..width).map(sum).collect(), (0..width).map(|t| t as f64).collect()]
        }
        "matrix-multiply" => {
            let cell = |i: usize| (0..32).map(|k| inputs[0][i / 32 * 32 + k] * inputs[1][k * 32 + i % 32]).sum();
            vec![(0..1024).map(cell).collect()]
        }
        "transpose" => vec![(0..1024).map(|i| inputs[0][i % 32 * 32 + i / 32]).collect()],
        "block-2d" => {
            let place = |i: usize| {
                let (x, y) = (i % 32 % 16, i / 32);
                (if y < 8 { 1000 * y + x } else { 1000 * x + y }) as f64
            };
            vec![(0..512).map(place).collect()]
        }
        "reduction" => blocks(&|block| vec![block.iter().sum()]),
        "scan" => blocks(&|block| {
            let add = |sum: &mut f64, x: &f64| {
                *sum += x;
                Some(*sum)
            };
            block.iter().scan(0.0, add).collect()
        }),
        "stencil" => {
            let at = |i: Option<usize>| i.and_then(|i| inputs[0].get(i)).copied().unwrap_or(0.0);
            let cell = |i: usize| (at(i.checked_sub(1)) + 2.0 * at(Some(i)) + at(Some(i + 1))) / 4.0;
            vec![(0..120).map(cell).collect()]
        }
        "histogram" => {
            let count = |bin: usize| inputs[0].iter().filter(|x| **x as usize % 16 == bin).count() as f64;
            vec![(0..16).map(count).collect()]
        }
        "bitonic-sort" => blocks(&|block| {
            let mut sorted = block.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted
        }),
        "pipeline" => map(&|x| x * x),
        "pipeline-three" => map(&|x| x * x + 1.0),
        other => panic!("{other} has no reference"),
    }
}

/// Kernels that are wrong on purpose; each file states the messages of the verifier and the simulator.
const BROKEN: [&str; 5] =
    ["pipeline-count", "pipeline-deadlock", "pipeline-race", "pipeline-recycling", "pipeline-unwritten"];

#[test]
fn every_kernel_computes_what_plain_rust_computes() {
    for kernel in corpus::kernels().iter().filter(|kernel| !BROKEN.contains(&kernel.name.as_str())) {
        let name = &kernel.name;
        for schedule in [Schedule::RoundRobin, Schedule::Random { seed: 1 }, Schedule::Random { seed: 2 }] {
            let mut buffers = kernel.setup.buffers.clone();
            let is_output = |b: &usize| kernel.setup.outputs.iter().any(|(_, output, _)| output == b);
            let inputs: Vec<Vec<f64>> =
                (0..buffers.len()).filter(|b| !is_output(b)).map(|b| numbers(kernel, &buffers, b)).collect();
            let options = Options { schedule, ..Options::default() };
            let report = warpsim::run(&kernel.module, &kernel.entry, &kernel.setup.launch, &mut buffers, &options)
                .unwrap_or_else(|hazards| panic!("{name}: {hazards}"));
            assert!(report.total().instructions > 0);
            let expected = reference(name, &inputs, kernel.setup.launch.threads);
            assert_eq!(expected.len(), kernel.setup.outputs.len(), "{name}");
            for ((_, buffer, _), expected) in kernel.setup.outputs.iter().zip(expected) {
                assert_eq!(numbers(kernel, &buffers, *buffer), expected, "{name}");
            }
        }
    }
}

#[test]
fn printing_and_reading_gives_the_same_and_the_assembler_takes_it() {
    let toolchain = toolchain::find().inspect_err(|absent| skip::skip(format!("ptxas: {absent}"))).ok();
    for kernel in corpus::kernels() {
        let text = kernel.module.to_string();
        let again = ptx::read::text(&kernel.name, &text).unwrap_or_else(|d| panic!("{}: {d:?}\n{text}", kernel.name));
        assert_eq!(again, kernel.module.canonical(), "{}", kernel.name);
        if let Some(toolchain) = &toolchain {
            let taken = toolchain.assemble(&text, ComputeCapability(3, 5));
            taken.unwrap_or_else(|e| panic!("{}: {e}\n{text}", kernel.name));
        }
    }
}

#[test]
fn a_wrong_argument_is_told() {
    let kernel = corpus::kernels().into_iter().find(|kernel| kernel.name == "pipeline").unwrap();
    let mut launch = kernel.setup.launch.clone();
    launch.arguments.pop();
    let mut buffers = kernel.setup.buffers.clone();
    let hazards = warpsim::run(&kernel.module, &kernel.entry, &launch, &mut buffers, &Options::default()).unwrap_err();
    assert!(matches!(hazards.list[0].kind, Kind::Unsupported(_)), "{hazards}");
}

#[test]
fn a_large_kernel_is_proven_in_seconds() {
    let source = diagnostics::Source { name: "ring.ptx".into(), text: ring(4000) };
    let begin = std::time::Instant::now();
    let module = ptx::read::read(&source.into()).unwrap();
    let read = begin.elapsed();
    let verdict = prove::prove(&module, "ring", &warpsim::Launch::linear(1, 1024, vec![])).unwrap();
    let (instructions, total) = (module.funcs[0].insts.len(), begin.elapsed());
    println!("{instructions} instructions, 32 warps: read {read:?}, with the proof {total:?}");
    assert!(verdict.proven() && instructions > 40_000 && verdict.arrivals == 32 * 4000, "{verdict:?}");
    // with one half only, a warp overwrites what another still reads
    let text = ring(40).replace("+4096]", "]");
    let module = ptx::read::text("ring.ptx", &text).unwrap();
    let verdict = prove::prove(&module, "ring", &warpsim::Launch::linear(1, 1024, vec![])).unwrap();
    assert!(verdict.violations.iter().any(|hazard| hazard.to_string().contains("race on shared")), "{verdict:?}");
}

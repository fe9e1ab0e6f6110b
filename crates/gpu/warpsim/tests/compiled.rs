//! Kernels written in CUDA C++ under tests/corpus, compiled by NVRTC: read back, verified, and simulated against plain Rust.

use machine::target::ComputeCapability;
use machine::toolchain::{self, Job};
use ptx::inst::Type;
use ptx::{Module, read};
use testkit::skip;
use warpsim::{self, Argument, Buffer, Launch, Options, Schedule, prove};

/// Architectures from the oldest that CUDA 11.8 knows to one that only CUDA 12.9 knows.
const ARCHS: [ComputeCapability; 4] =
    [ComputeCapability(3, 5), ComputeCapability(7, 0), ComputeCapability(9, 0), ComputeCapability(10, 0)];

/// Compiles a file with the installed compilers, for each architecture; the printed text goes through ptxas.
fn compiled(name: &str) -> Vec<Module> {
    compiled_for(name, &ARCHS)
}

fn compiled_for(name: &str, archs: &[ComputeCapability]) -> Vec<Module> {
    let path = testkit::root().join("tests/corpus").join(name);
    let source = std::fs::read_to_string(path).unwrap();
    let mut modules = Vec::new();
    for &arch in archs {
        let toolchain = match toolchain::find_for(arch) {
            Ok(toolchain) => toolchain,
            Err(absent) => {
                skip::skip(format!("{}: {absent}", arch.sm()));
                continue;
            }
        };
        let job = Job { name: name.to_owned(), source: source.clone(), arch, options: vec![] };
        let text = toolchain.compile_to_ptx(&job).unwrap_or_else(|e| panic!("{e}")).text;
        let parse = |text: String| read::text(name, &text);
        let module = parse(text).unwrap_or_else(|d| panic!("{name} {}: {d:?}", arch.sm()));
        let printed = module.to_string();
        assert_eq!(parse(printed.clone()).unwrap(), module.canonical(), "{name} {}", arch.sm());
        assert_eq!(ptx::check::check(&module), [], "{name} {}", arch.sm());
        toolchain.assemble(&printed, arch).unwrap_or_else(|e| panic!("{name}: {e}\n{printed}"));
        modules.push(module);
    }
    modules
}

/// Runs the kernel under several interleavings; returns the words of the last buffer.
fn outputs(module: &Module, entry: &str, launch: &Launch, buffers: &[Buffer]) -> Vec<u32> {
    let run = |schedule| {
        let mut buffers = buffers.to_vec();
        let options = Options { schedule, ..Options::default() };
        let report = warpsim::run(module, entry, launch, &mut buffers, &options);
        report.unwrap_or_else(|hazards| panic!("{entry}: {hazards}\n{module}"));
        let last = buffers.last().unwrap();
        (0..last.len_of(Type::U32)).map(|i| last.element(Type::U32, i).unwrap() as u32).collect::<Vec<_>>()
    };
    let expected = run(Schedule::RoundRobin);
    assert_eq!(run(Schedule::Random { seed: 5 }), expected, "{entry} depends on the order of the warps");
    expected
}

fn floats(values: &[f32]) -> Buffer {
    Buffer::words(Type::F32, values.iter().map(|x| u64::from(x.to_bits()))).read_only()
}

/// Returns the buffers in order, then the numbers.
fn arguments(buffers: usize, numbers: &[u32]) -> Vec<Argument> {
    (0..buffers).map(Argument::Buffer).chain(numbers.iter().map(|n| Argument::U32(*n))).collect()
}

fn bits(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

fn proven(module: &Module, entry: &str, launch: &Launch) {
    let verdict = prove::prove(module, entry, launch).unwrap();
    println!("{entry} sm_{}: {} arrivals proven", module.sm, verdict.arrivals);
    assert!(verdict.proven(), "{entry} sm_{}: {verdict:?}\n{module}", module.sm);
}

#[test]
fn matrix_multiply() {
    const N: usize = 32;
    let (a, b): (Vec<f32>, Vec<f32>) = (0..N * N).map(|i| ((i % 7) as f32 - 2.0, (i % 5) as f32 + 0.5)).unzip();
    let cell = |i: usize| (0..N).fold(0.0f32, |sum, k| a[i / N * N + k].mul_add(b[k * N + i % N], sum));
    let expected = bits((0..N * N).map(cell));
    let buffers = [floats(&a), floats(&b), Buffer::unwritten(Type::F32, N * N)];
    let arguments = arguments(3, &[N as u32]);
    let launch = Launch { ctas: [2, 2, 1], threads: [16, 16, 1], ..Launch::linear(4, 256, arguments) };
    for module in compiled("matrix-multiply.cu") {
        assert_eq!(outputs(&module, "multiply", &launch, &buffers), expected);
        proven(&module, "multiply", &launch);
    }
}

/// Inline PTX comes back as it went in, and the lanes' elements make the product of the matrices.
#[test]
fn tensor_product() {
    const K: usize = 12;
    let at = |i: usize, salt: usize| ((7 * i + salt) % 31) as f64 / 3.0 - 4.7;
    let [a, b]: [Vec<f64>; 2] = [1, 2].map(|salt| (0..2 * 8 * K).map(|i| at(i, salt)).collect());
    let cell = |warp: usize, i: usize, j: usize| {
        (0..K).fold(0.0, |sum: f64, k| a[8 * K * warp + i * K + k].mul_add(b[8 * K * warp + 8 * k + j], sum))
    };
    let expected: Vec<f64> = (0..128).map(|n| cell(n / 64, n % 64 / 8, n % 8)).collect();
    let launch = Launch::linear(1, 64, arguments(3, &[K as u32]));
    for module in compiled_for("tensor-product.cu", &[8, 9, 10].map(|major| ComputeCapability(major, 0))) {
        let mut buffers = [Buffer::input(&a), Buffer::input(&b), Buffer::output(128)];
        let report = warpsim::run(&module, "tensor_product", &launch, &mut buffers, &Options::default()).unwrap();
        assert_eq!(buffers[2].reals(), expected, "{module}");
        assert_eq!(report.total().matrix_products, 2 * K as u64 / 4);
        proven(&module, "tensor_product", &launch);
    }
}

#[test]
fn reduction() {
    let values: Vec<f32> = (0..500).map(|i| (i % 11) as f32).collect();
    let mut padded = values.clone();
    padded.resize(512, 0.0);
    let expected = bits(padded.chunks(128).map(|block| block.iter().sum()));
    let buffers = [floats(&values), Buffer::unwritten(Type::F32, 4)];
    let launch = Launch::linear(4, 128, arguments(2, &[500]));
    for module in compiled("reduction.cu") {
        for entry in ["reduce_shared", "reduce_shuffles"] {
            assert_eq!(outputs(&module, entry, &launch, &buffers), expected);
            proven(&module, entry, &launch);
        }
    }
}

/// The word that an atomic meets depends on data: this is reported, and never called proven.
#[test]
fn histogram() {
    let values: Vec<u32> = (0..300u32).map(|i| i.wrapping_mul(2_654_435_761) >> 7).collect();
    let expected: Vec<u32> = (0..16).map(|bin| values.iter().filter(|x| **x % 16 == bin).count() as u32).collect();
    let input = Buffer::words(Type::U32, values.iter().map(|x| u64::from(*x))).read_only();
    let zero = Buffer::words(Type::U32, [0; 16]);
    let launch = Launch::linear(3, 64, arguments(2, &[300]));
    for module in compiled("histogram.cu") {
        assert_eq!(outputs(&module, "histogram", &launch, &[input.clone(), zero.clone()]), expected);
        let verdict = prove::prove(&module, "histogram", &launch).unwrap();
        assert!(verdict.proven(), "{verdict:?}");
    }
}

#[test]
fn producer_and_consumer() {
    let values: Vec<f32> = (0..32 * 6).map(|i| i as f32 / 4.0).collect();
    let expected = bits(values.iter().map(|x| x * x + 1.0));
    let buffers = [floats(&values), Buffer::unwritten(Type::F32, values.len())];
    let launch = Launch::linear(1, 64, arguments(2, &[6]));
    for module in compiled("pipeline.cu") {
        assert_eq!(outputs(&module, "pipeline", &launch, &buffers), expected);
        proven(&module, "pipeline", &launch);
        // one answer fewer: the slot is written while the other warp reads it
        let broken = module.to_string().replacen("bar.arrive 4, 64;", "", 1);
        assert_ne!(broken, module.to_string());
        let broken = read::text("broken", &broken).unwrap();
        let verdict = prove::prove(&broken, "pipeline", &launch).unwrap();
        assert!(!verdict.violations.is_empty(), "{verdict:?}");
    }
}

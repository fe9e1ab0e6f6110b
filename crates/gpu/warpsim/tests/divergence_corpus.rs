//! Every kernel of the corpus with all claims of the divergence analysis checked, in its own launch and in random ones.

use ptx::Module;
use ptx::analysis::divergence::{BlockShape, Divergence, Options, compute_boolean};
use ptx::analysis::gated::Gated;
use ptx::inst::Type;
use testkit::corpus::{self, Kernel};
use testkit::numbers::Numbers;
use warpsim::{self, Argument, Buffer, Claims, Kind, Launch, Options as SimOptions, Schedule};

/// Random launches of each kernel.
const LAUNCHES: usize = 40;

/// Elements of each buffer in a random launch.
const ELEMENTS: usize = 1 << 14;

/// Runs a kernel with the claims that follow from the known shape of the block; returns the hazards, and the number of claims.
fn checked(module: &Module, entry: &str, launch: &Launch, buffers: &[Buffer], block: BlockShape) -> (Vec<Kind>, usize) {
    let claims = Claims::compute(module, module.func(entry).unwrap(), Options { block, ..Options::default() });
    // no other hazard but a fatal one may end the run before a claim breaks
    let options = SimOptions {
        budget: 1 << 20,
        hazards: usize::MAX,
        schedule: Schedule::Random { seed: 5 },
        ..SimOptions::default()
    };
    let result = warpsim::run_checked(module, entry, launch, &mut buffers.to_vec(), &options, Some(&claims));
    (result.err().map_or(Vec::new(), |hazards| hazards.list.into_iter().map(|h| h.kind).collect()), claims.count)
}

/// Returns all shapes that may be known of a block.
fn blocks([x, y, z]: [u32; 3]) -> Vec<BlockShape> {
    let whole = x.is_multiple_of(32).then_some(BlockShape::WholeWarps);
    [BlockShape::Unknown, BlockShape::Known([x, y, z])].into_iter().chain(whole).collect()
}

fn random_launch(kernel: &Kernel, numbers: &mut Numbers) -> (Launch, Vec<Buffer>) {
    let own = &kernel.setup.launch;
    let mut some = |most: usize| 1 + numbers.below(most) as u32;
    let threads = match some(6) {
        1 => [32 * some(4), 1, 1],
        2 => [some(128), 1, 1],
        3 => [16, some(8), 1],
        4 => [some(24), some(4), some(2)],
        // many kernels are made for one width
        _ => own.threads,
    };
    let ctas = [some(2), some(2), 1];
    let count = if some(2) == 1 { some(100) } else { 0 };
    let arguments = own.arguments.iter().map(|argument| match argument {
        Argument::U32(_) if count > 0 => Argument::U32(count),
        other => other.clone(),
    });
    let launch = Launch { ctas, threads, cluster: None, shared: own.shared, arguments: arguments.collect() };
    let words = |numbers: &mut Numbers| Buffer::words(Type::U32, (0..ELEMENTS).map(|_| numbers.bits() >> 32));
    let buffers = (0..kernel.setup.buffers.len()).map(|_| words(numbers)).collect();
    (launch, buffers)
}

fn breaks(kind: &Kind) -> bool {
    matches!(kind, Kind::BrokenClaim { .. })
}

#[test]
fn every_claim_holds_in_the_launch_of_each_kernel() {
    let mut claims = 0;
    for kernel in corpus::kernels() {
        for block in blocks(kernel.setup.launch.threads) {
            let (found, count) =
                checked(&kernel.module, &kernel.entry, &kernel.setup.launch, &kernel.setup.buffers, block);
            assert!(!found.iter().any(breaks), "{} {block:?}: {found:?}", kernel.name);
            assert!(count > 0, "{} {block:?}", kernel.name);
            claims += count;
        }
    }
    println!("{claims} claims");
}

/// Shapes that a kernel is not made for give races and the like; its claims must hold up to there.
#[test]
fn every_claim_holds_in_random_launches() {
    let kernels = corpus::kernels();
    let (mut claims, mut clean, mut odd) = (0, 0, 0);
    for (seed, kernel) in kernels.iter().enumerate() {
        let mut numbers = Numbers(seed as u64);
        let before = odd;
        for _ in 0..LAUNCHES {
            let (launch, buffers) = random_launch(kernel, &mut numbers);
            for block in blocks(launch.threads) {
                let (found, count) = checked(&kernel.module, &kernel.entry, &launch, &buffers, block);
                assert!(!found.iter().any(breaks), "{} {launch:?} {block:?}: {found:?}", kernel.name);
                claims += count;
                clean += usize::from(found.is_empty());
                odd += usize::from(launch.threads[0] % 32 != 0);
            }
        }
        assert!(odd > before, "{}: no launch with a width that is no multiple of 32", kernel.name);
    }
    println!(
        "{} kernels, {claims} claims, {clean} clean runs, {odd} runs with other widths than multiples of 32",
        kernels.len()
    );
    assert!(clean > 1000 && odd > 500, "{clean} {odd}");
}

/// Also for values that a caller or a callee passed: the analysis without affine states finds nothing uniform that the other does not.
#[test]
fn the_boolean_analysis_finds_no_more() {
    let mut fewer = 0;
    for kernel in corpus::kernels() {
        for func in kernel.module.funcs.iter().filter(|func| !func.is_declaration()) {
            for block in [BlockShape::Unknown, BlockShape::WholeWarps] {
                let options = Options { block, ..Options::default() };
                let gated = Gated::compute(func);
                let (affine, boolean) =
                    (Divergence::compute(func, &gated, options), compute_boolean(func, &gated, options));
                for (value, divergent) in gated.ssa.values.keys().zip(boolean) {
                    let uniform = affine.state(value).is_uniform();
                    assert!(divergent || uniform, "{} {} {value} {block:?}", kernel.name, func.name);
                    fewer += usize::from(divergent && uniform);
                }
            }
        }
    }
    assert!(fewer > 0);
}

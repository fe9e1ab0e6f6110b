//! Our allocator beside ptxas on the same text with the same limit of registers.

use std::fmt::Write;

use machine::target::ComputeCapability;
use machine::toolchain;
use passes::allocate::report::report;
use passes::allocate::{Allocation, Options, allocate, check};
use ptx::inst::Space;
use ptx::ir::FuncKind;
use ptx::{Func, Module};

/// Limits of registers per thread: all that there are, and so few that larger kernels spill.
const LIMITS: [u32; 3] = [255, 64, 32];

/// A kernel with a limit, in both allocators.
struct Pair {
    kernel: String,
    registers: [u32; 2],
    /// Bytes of local memory per thread for spills.
    bytes: [u64; 2],
}

/// The section of the page; empty where no ptxas is found.
pub fn section(modules: &[(String, Module)]) -> String {
    let mut text = String::from(
        "\n## Beside ptxas\n\nThe same kernels in both allocators, with the same limit of registers per thread. ptxas orders instructions anew and \
         keeps what it can compute again out of registers. Our allocator does neither. It allocates the text as it stands, to local memory \
         alone. Differences are ours less ptxas': registers per thread, and bytes of local memory per thread for spills.\n\n\
         | kernels | limit | compared | registers: median | worst | spilled bytes: median | worst | kernels that spill, ours and ptxas' |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let mut groups: Vec<&String> = Vec::new();
    for (group, _) in modules {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let mut rows = 0;
    for group in groups {
        for limit in LIMITS {
            let of_group = modules.iter().filter(|(other, _)| other == group);
            let pairs: Vec<Pair> = of_group.flat_map(|(_, module)| pairs(module, limit)).collect();
            rows += pairs.len();
            row(&mut text, group.trim_end_matches(':'), limit, &pairs);
        }
    }
    if rows == 0 { String::new() } else { text }
}

fn row(text: &mut String, group: &str, limit: u32, pairs: &[Pair]) {
    let differences = |figure: fn(&Pair) -> [i64; 2]| {
        let difference = |pair: &Pair| (figure(pair)[0] - figure(pair)[1]) as f64;
        median_and_worst(pairs.iter().map(|pair| (difference(pair), pair.kernel.as_str())))
    };
    let registers = differences(|pair| pair.registers.map(i64::from));
    let bytes = differences(|pair| pair.bytes.map(|bytes| bytes as i64));
    let (Some((registers, most)), Some((bytes, most_bytes))) = (registers, bytes) else { return };
    let spills = [0, 1].map(|at| pairs.iter().filter(|pair| pair.bytes[at] > 0).count());
    let _ = writeln!(
        text,
        "| {group} | {limit} | {} | {registers:+} | {:+} (`{}`) | {bytes:+} | {:+} (`{}`) | {}, {} |",
        pairs.len(),
        most.0,
        most.1,
        most_bytes.0,
        most_bytes.1,
        spills[0],
        spills[1]
    );
}

/// The kernels of a module that both allocate.
fn pairs(module: &Module, limit: u32) -> Vec<Pair> {
    let bounded = bounded(module, limit);
    let (text, arch) = (bounded.to_string(), ComputeCapability(module.sm / 10, module.sm % 10));
    let Some(assembled) = toolchain::find_for_text(arch, &text).ok().and_then(|t| t.assemble(&text, arch).ok()) else {
        return Vec::new();
    };
    let declared: u64 = module.variables.values().filter(|v| v.space == Space::Local).map(|v| v.bytes).sum();
    let both = |func: &Func| {
        let usage = assembled.usages.iter().find(|usage| usage.kernel == func.name)?;
        let own = report(&allocation(module, func, limit)?);
        Some(Pair {
            kernel: func.name.clone(),
            registers: [own.registers, usage.registers],
            bytes: [own.local_bytes, u64::from(usage.stack_bytes).saturating_sub(declared)],
        })
    };
    module.entries().filter(|func| !func.is_declaration()).filter_map(both).collect()
}

/// Our allocation, spilling to local memory alone; nothing where the kernel needs more.
pub fn allocation(module: &Module, func: &Func, limit: u32) -> Option<Allocation> {
    let options = Options { registers: limit, block: func.threads, ..Options::default() };
    let allocation = allocate(module, &func.name, &options).ok()?;
    check::check(&allocation).unwrap_or_else(|v| panic!("{} at {limit}: {v:?}", func.name));
    Some(allocation)
}

/// The module whose kernels may have so many registers.
pub fn bounded(module: &Module, limit: u32) -> Module {
    let mut bounded = module.clone();
    for func in &mut bounded.funcs {
        func.directives.retain(|text| ![".maxnreg", ".minnctapersm"].iter().any(|name| text.starts_with(name)));
        if func.kind == FuncKind::Entry && !func.is_declaration() {
            func.directives.push(format!(".maxnreg {limit}"));
        }
    }
    bounded
}

/// The median of differences or ratios, and the largest with what it is of.
pub fn median_and_worst<'a>(figures: impl Iterator<Item = (f64, &'a str)>) -> Option<(f64, (f64, &'a str))> {
    let mut all: Vec<(f64, &str)> = figures.collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some((all.get(all.len() / 2)?.0, *all.last()?))
}

//! `singe opt K.ptx --pass …`: passes of the backend on any PTX. The result is printed as PTX, or written with `-o`.

use serde_json::{Value, json};

use super::kernel::module;
use super::opt_arguments::{OptArguments, PassName};
use super::out::print;
use crate::failure::Failure;
use diagnostics::Diagnostic;
use machine::target::{self, Kernel, Target};
use ptx::Module;
use ptx::allocate::report::{Report, report};
use ptx::allocate::{self, Budget, Options, check};
use ptx::inst::Space;
use ptx::ir::{Func, FuncKind};

pub fn run(arguments: &OptArguments) -> Result<(), Failure> {
    let (mut module, _) = module(&arguments.ptx)?;
    let wanted = |func: &Func| arguments.kernel.as_ref().is_none_or(|kernel| *kernel == func.name);
    let kernels: Vec<String> = module
        .funcs
        .iter()
        .filter(|func| func.kind == FuncKind::Entry && !func.is_declaration() && wanted(func))
        .map(|func| func.name.clone())
        .collect();
    if kernels.is_empty() {
        let what = arguments.kernel.as_ref().map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
        let message = format!("{} has {what}", arguments.ptx.display());
        return Err(Failure::input(
            [Diagnostic::error("opt::no-kernel", message).help("check the name with --kernel")],
        ));
    }
    let mut reports = Vec::new();
    for PassName::Allocate in &arguments.passes {
        for kernel in &kernels {
            let (result, report) = allocated(&module, kernel, arguments)?;
            module = result;
            reports.push((kernel.clone(), report));
        }
    }
    let text = module.to_string();
    match (&arguments.output, arguments.json) {
        (Some(path), _) => std::fs::write(path, &text).map_err(|e| {
            let message = format!("cannot write to {}: {e}", path.display());
            Failure::input([Diagnostic::error("output::unwritable", message).help("choose another file with -o")])
        })?,
        (None, false) => print(format_args!("{text}"))?,
        (None, true) => {}
    }
    if arguments.json {
        let kernels: Vec<Value> =
            reports.iter().map(|(name, report)| json!({ "kernel": name, "allocation": report })).collect();
        print(format_args!("{:#}\n", json!(kernels)))?;
    } else {
        reports.iter().for_each(|(name, report)| eprint!("{}", summary(name, report)));
    }
    Ok(())
}

/// Allocates one kernel, and proves it.
fn allocated(module: &Module, kernel: &str, arguments: &OptArguments) -> Result<(Module, Report), Failure> {
    let options = Options {
        registers: arguments.registers,
        predicates: arguments.predicates,
        algorithm: arguments.allocator.into(),
        rewriting: arguments.rewriting.into(),
        shared: budget(module, kernel, arguments)?,
        block: arguments.block,
        ..Options::default()
    };
    let allocation = allocate::allocate(module, kernel, &options).map_err(|refusal| {
        let message = format!("{kernel} cannot have {} registers per thread: {refusal}", arguments.registers);
        Failure::input(
            [Diagnostic::error("opt::registers", message).help("give more with --registers or --predicates")],
        )
    })?;
    check::prove(&allocation, kernel).map_err(Failure::verification)?;
    let report = report(&allocation);
    Ok((allocation.module, report))
}

/// Shared memory that spilling may use without fewer CTAs on an SM than the registers allow.
fn budget(module: &Module, kernel: &str, arguments: &OptArguments) -> Result<Budget, Failure> {
    let shape = arguments.block.or(module.func(kernel).and_then(|func| func.threads));
    let threads = shape.map_or(1024, |shape| shape.iter().product::<u32>()).clamp(1, 1024);
    let own: u64 = module.variables.values().filter(|v| v.space == Space::Shared).map(|v| v.bytes).sum();
    let own = u32::try_from(own).unwrap_or(u32::MAX);
    let machine = match arguments.target {
        Some(target) => target,
        None => Target::by_name(&format!("sm_{}", module.sm)).map_err(|e| {
            let help = "name the machine with --target";
            Failure::input([Diagnostic::error("opt::target", format!("{}: {e}", arguments.ptx.display())).help(help)])
        })?,
    };
    let blocks = |shared_bytes| {
        let kernel = Kernel { threads, registers_per_thread: arguments.registers, shared_bytes, named_barriers: 0 };
        target::occupancy(machine, kernel).blocks
    };
    let warps = threads.div_ceil(32);
    let most = machine.shared_bytes_per_cta.saturating_sub(own);
    let least = blocks(own);
    // occupancy falls with shared memory: the largest amount that keeps it, in steps of one slot for every warp
    let step = 8 * warps;
    let (mut low, mut high) = (0, most / step + 1);
    while low + 1 < high {
        let middle = (low + high) / 2;
        match blocks(own.saturating_add(middle * step)) >= least {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(Budget { bytes: arguments.shared.unwrap_or(low * step), warps })
}

fn summary(kernel: &str, report: &Report) -> String {
    let mut text = format!(
        "{kernel}: {} registers, {} predicates; {} values spilled, {} bytes of local memory per thread, {} of shared memory per \
         warp\n",
        report.registers, report.predicates, report.spilled, report.local_bytes, report.shared_bytes_per_warp
    );
    for (row, counts) in &report.rows {
        text += &format!("  {row:>6}: {} values, {} loads, {} stores\n", counts.values, counts.loads, counts.stores);
    }
    text
}

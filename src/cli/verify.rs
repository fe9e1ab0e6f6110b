//! `singe verify K.ptx`: the synchronisation of kernels, proven for one launch.
//!
//! Parameters without `--arg` have a default: 64-bit ones are taken for pointers, structures are zero. All others have
//! the value of `--integer`, so that loops over groups of points run a few times. Exit code 3 when a kernel is not
//! proven, or, without `--assume`, on conditions only.

use super::args::backend::VerifyArguments;
use super::kernel::{module, quoting};
use super::out::print;
use crate::failure::Failure;
use diagnostics::Diagnostic;
use ptx::Module;
use ptx::inst::Space;
use ptx::ir::{Func, ParamKind};
use warpsim::prove::{self, Status, Verdict};
use warpsim::{Argument, Hazard, Kind, Launch};

pub fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    let (module, source) = module(&arguments.ptx)?;
    let wanted = |name: &str| arguments.kernel.as_ref().is_none_or(|kernel| kernel == name);
    let mut verdicts = Vec::new();
    for func in module.entries().filter(|f| wanted(&f.name)) {
        let values = values(func, arguments)?;
        let launch = Launch {
            ctas: [arguments.ctas, 1, 1],
            threads: arguments.threads,
            shared: arguments.shared,
            arguments: values,
        };
        let verdict = prove::prove_within(&module, &func.name, &launch, arguments.budget);
        let refuse = |reason: String| {
            let clusters = reason.contains("in clusters of");
            let message = format!("{}: the launch does not fit: {reason}", func.name);
            let diagnostic = Diagnostic::error("verify::launch", message);
            Failure::input([match clusters {
                true => diagnostic.help("the grid is whole clusters: give the number of CTAs with --ctas"),
                false => diagnostic,
            }])
        };
        verdicts.push(verdict.map_err(refuse)?);
    }
    if verdicts.is_empty() {
        let what = arguments.kernel.as_ref().map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
        let message = format!("{} has {what}", arguments.ptx.display());
        return Err(Failure::input([Diagnostic::error("verify::no-kernel", message)]));
    }
    if arguments.json {
        let list: Vec<_> = verdicts.iter().map(json).collect();
        print(format_args!("{:#}\n", serde_json::json!(list)))?;
    }
    let mut diagnostics = Vec::new();
    for verdict in &verdicts {
        let Verdict { kernel, violations, not_analysed, .. } = verdict;
        let violated = |v: &Hazard| {
            let diagnostic = Diagnostic::error("verify::violation", format!("{kernel}, {v}"));
            let diagnostic = quoting(diagnostic, &source, v.site.as_ref().and_then(|site| site.line));
            match remedy(&v.kind, &module, arguments.shared) {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            }
        };
        diagnostics.extend(violations.iter().map(violated));
        let open = |n| Diagnostic::error("verify::not-analysed", format!("{kernel}, {n}"));
        diagnostics.extend(not_analysed.iter().map(open));
        if !arguments.json {
            told(verdict, arguments.threads.iter().product())?;
        }
        if verdict.status() == Status::ProvenIf && !arguments.assume {
            let condition = |what| {
                let message = format!("{kernel} is proven only if this holds: {what}");
                Diagnostic::error("verify::condition", message).help("--assume takes it for proven")
            };
            diagnostics.extend(verdict.conditions().map(condition));
        }
        for warning in &verdict.warnings {
            diagnostics::to_stderr(format_args!("warning: {kernel}, {warning}\n"));
        }
    }
    let enough = |verdict: &Verdict| if arguments.assume { verdict.holds() } else { verdict.proven() };
    match verdicts.iter().all(enough) {
        true => Ok(()),
        false => Err(Failure::verification(if arguments.json { Vec::new() } else { diagnostics })),
    }
}

/// The kernel's arguments.
fn values(func: &Func, arguments: &VerifyArguments) -> Result<Vec<Argument>, Failure> {
    let mut values = prove::arguments(func, arguments.integer);
    let inputs: Vec<_> = func.params_of(ParamKind::Input).map(|(_, data)| data).collect();
    let refuse = |message: String| {
        let names: Vec<&str> = inputs.iter().map(|data| &data.name[..]).collect();
        let help = format!("the parameters of {} are {}", func.name, names.join(", "));
        Failure::usage([Diagnostic::error("verify::argument", message).help(help)])
    };
    for (name, text) in &arguments.given {
        let at = inputs.iter().position(|data| data.name == *name);
        let at = at.or_else(|| name.parse().ok().filter(|at| *at < inputs.len()));
        let at = at.ok_or_else(|| refuse(format!("{} has no parameter {name}", func.name)))?;
        values[at] = prove::argument(inputs[at], at, text).map_err(&refuse)?;
    }
    Ok(values)
}

/// Returns a remedy for a violation that need not be the kernel's fault.
fn remedy(kind: &Kind, module: &Module, shared: u64) -> Option<&'static str> {
    let open = module.variables.values().any(|v| v.space == Space::Shared && v.bytes == 0);
    match kind {
        Kind::OutOfBounds { space: Space::Shared, .. } if open && shared == 0 => {
            Some("the launch sizes an .extern .shared variable: give its bytes with --shared")
        }
        _ => None,
    }
}

/// The verdict's lines on stdout.
fn told(verdict: &Verdict, threads: u32) -> Result<(), Failure> {
    let Verdict { kernel, instructions, arrivals, .. } = verdict;
    let of = format!("with {threads} threads ({instructions} warp instructions, {arrivals} arrivals at barriers)");
    match verdict.status() {
        Status::Proven => {
            print(format_args!("{kernel}: proven free of deadlocks, unsafe reuse of barriers and races {of}\n"))?;
        }
        Status::ProvenIf => print(format_args!("{kernel}: proven if the conditions below hold, {of}\n"))?,
        Status::Wrong => print(format_args!("{kernel}: wrong {of}\n"))?,
        Status::Open => print(format_args!("{kernel}: neither proven nor wrong {of}\n"))?,
    }
    if verdict.holds() {
        verdict.conditions().try_for_each(|what| print(format_args!("  if: {what}\n")))?;
        assumed(verdict).iter().try_for_each(|what| print(format_args!("  assumed: {what}\n")))?;
    }
    NOT_COVERED.iter().try_for_each(|what| print(format_args!("  not analysed: {what}\n")))
}

/// Lists the assumptions beside the conditions.
fn assumed(verdict: &Verdict) -> Vec<String> {
    verdict.assumed.iter().filter(|what| !what.is_condition()).map(ToString::to_string).collect()
}

/// Properties that no verdict covers.
const NOT_COVERED: [&str; 1] = ["races on global memory"];

fn json(verdict: &Verdict) -> serde_json::Value {
    let status = match verdict.status() {
        Status::Proven => "proven",
        Status::ProvenIf => "proven_if",
        Status::Wrong => "wrong",
        Status::Open => "open",
    };
    serde_json::json!({
        "kernel": verdict.kernel,
        "status": status,
        "proven": verdict.proven(),
        "conditions": verdict.conditions().map(ToString::to_string).collect::<Vec<_>>(),
        "not_covered": NOT_COVERED,
        "violations": verdict.violations.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "not_analysed": verdict.not_analysed,
        "assumed": assumed(verdict),
        "warnings": verdict.warnings,
        "instructions": verdict.instructions,
        "arrivals": verdict.arrivals,
    })
}

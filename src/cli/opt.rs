//! `singe opt K.ptx --pass …`: passes of the backend on any PTX. The result is printed as PTX, or written with `-o`.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::kernel::{module, text};
use super::opt_arguments::OptArguments;
use super::out::print;
use super::sim::{chosen, wrong};
use crate::failure::Failure;
use diagnostics::Diagnostic;
use machine::target::Target;
use ptx::Module;
use ptx::ir::{Func, FuncKind};
use ptx::passes::{self, Options, Pass, Report};
use warpsim::{Appraisal, setup};

pub fn run(arguments: &OptArguments) -> Result<(), Failure> {
    let (mut module, _) = module(&arguments.ptx)?;
    let kernels = kernels(&module, arguments)?;
    let own = match &arguments.launch {
        Some(path) => Some(launched(&module, &kernels, path, arguments)?),
        None => None,
    };
    let given = arguments.options();
    let mut reports = Vec::new();
    for pass in &arguments.passes {
        for kernel in &kernels {
            let launched = own.as_ref().filter(|(name, _)| name == kernel);
            let options = launched.map_or(&given, |(_, options)| options);
            let outcome = pass.run(&module, kernel, options).map_err(|failure| match failure {
                passes::Failure::Refused(diagnostics) => Failure::input(diagnostics),
                passes::Failure::Unproven(diagnostics) => Failure::verification(diagnostics),
            })?;
            show_after(pass, kernel, &module, &outcome.module, arguments);
            module = outcome.module;
            reports.push((pass.name, kernel.as_str(), outcome.report));
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
        let entry = |(pass, kernel, report): &(&str, &str, Report)| json!({ "kernel": kernel, "pass": pass, "report": report.data });
        let entries: Vec<Value> = reports.iter().map(entry).collect();
        print(format_args!("{:#}\n", json!(entries)))?;
    } else {
        for (pass, kernel, report) in &reports {
            eprintln!("{kernel}: {pass}: {}", report.summary);
        }
    }
    Ok(())
}

/// The kernel of a launch, and what its passes are told: what its versions cost, and the shape of the CTA.
fn launched(
    module: &Module,
    kernels: &[String],
    path: &Path,
    arguments: &OptArguments,
) -> Result<(String, Options), Failure> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let setup = setup::read(&text(path)?, folder).map_err(|e| wrong(path, &e))?;
    let names: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let kernel = chosen(setup.kernel.clone(), &names, path)?;
    let target = arguments.target.or_else(|| Target::by_name(&format!("sm_{}", module.sm)).ok());
    let model = Appraisal::new(module, &kernel, &setup, target);
    let model = model.map_err(|unfit| Failure::input([unfit.of_first(&kernel)]))?;
    let block = arguments.block.or(Some(setup.launch.threads));
    Ok((kernel, Options { block, model: Some(Arc::new(model)), ..arguments.options() }))
}

/// The kernels that the passes are for, or the one function that was named.
fn kernels(module: &Module, arguments: &OptArguments) -> Result<Vec<String>, Failure> {
    let wanted = |func: &&Func| match &arguments.kernel {
        Some(name) => *name == func.name,
        None => func.kind == FuncKind::Entry,
    };
    let defined = module.funcs.iter().filter(|func| !func.is_declaration());
    let kernels: Vec<String> = defined.filter(wanted).map(|func| func.name.clone()).collect();
    if kernels.is_empty() {
        let what = arguments.kernel.as_ref().map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
        let message = format!("{} has {what}", arguments.ptx.display());
        return Err(Failure::input(
            [Diagnostic::error("opt::no-kernel", message).help("check the name with --kernel")],
        ));
    }
    Ok(kernels)
}

/// Shows the module after a pass if it was asked for.
fn show_after(pass: &Pass, kernel: &str, before: &Module, after: &Module, arguments: &OptArguments) {
    if arguments.print_after.as_deref().is_some_and(|wanted| wanted == pass.name || wanted == "all") {
        let text = if before == after { "// unchanged\n".to_owned() } else { after.to_string() };
        eprintln!("// after {} of {kernel}\n{text}", pass.name);
    }
}

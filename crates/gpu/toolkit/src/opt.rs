//! `singe ptx opt K.ptx --pass …`: passes of the backend on any PTX. The result is printed as PTX, or written with `-o`.

use std::path::Path;

use serde_json::{Value, json};

use super::given;
use super::kernel::module;
use super::launched::launched;
use super::opt_arguments::{Chosen, OptArguments};
use command::Failure;
use command::files;
use command::print;
use diagnostics::Diagnostic;
use passes::{Pass, Report};
use ptx::Module;
use ptx::ir::{Func, FuncKind};

pub fn run(arguments: &OptArguments) -> Result<(), Failure> {
    if let Some(before) = &arguments.check {
        return given::run(before, arguments);
    }
    let (mut module, source) = module(&arguments.ptx)?;
    let kernels = kernels(&module, arguments.kernel.as_ref(), &arguments.ptx)?;
    let given = arguments.options(source);
    let own = match &arguments.launch {
        Some(path) => Some(launched(&module, &kernels, path, &given, arguments.launch_shared)?),
        None => None,
    };
    let mut reports = Vec::new();
    for Chosen { pass, level } in &arguments.passes {
        for kernel in &kernels {
            let launched = own.as_ref().filter(|(name, _)| name == kernel);
            let options = launched.map_or(&given, |(_, options)| options);
            let occupancy = passes::at_level::Options { level: *level, ..options.occupancy };
            let options = passes::Options { occupancy, ..options.clone() };
            let outcome = pass.run(&module, kernel, &options).map_err(failed)?;
            show_after(pass, kernel, &module, &outcome.module, arguments);
            module = outcome.module;
            reports.push((pass.name, kernel.as_str(), outcome.report));
        }
    }
    let text = module.to_string();
    match (&arguments.output, arguments.json) {
        (Some(path), _) => files::write_file(path, &text, "-o", arguments.force).map_err(Failure::input)?,
        (None, false) => print(format_args!("{text}"))?,
        (None, true) => {}
    }
    if arguments.json {
        let entry = |(pass, kernel, report): &(&str, &str, Report)| json!({ "kernel": kernel, "pass": pass, "report": report.data() });
        let entries: Vec<Value> = reports.iter().map(entry).collect();
        print(format_args!("{:#}\n", json!(entries)))?;
    } else {
        for (pass, kernel, report) in &reports {
            diagnostics::to_stderr(format_args!("{kernel}: {pass}: {}\n", report.summary));
        }
    }
    Ok(())
}

/// Why a pass made nothing.
pub(super) fn failed(failure: passes::Failure) -> Failure {
    match failure {
        passes::Failure::Refused(diagnostics) => Failure::input(diagnostics),
        passes::Failure::Unproven(diagnostics) => Failure::verification(diagnostics),
    }
}

/// The kernels that the passes are for, or the one function that was named.
pub(super) fn kernels(module: &Module, name: Option<&String>, path: &Path) -> Result<Vec<String>, Failure> {
    let wanted = |func: &&Func| match name {
        Some(name) => *name == func.name,
        None => func.kind == FuncKind::Entry,
    };
    let defined = module.funcs.iter().filter(|func| !func.is_declaration());
    let kernels: Vec<String> = defined.filter(wanted).map(|func| func.name.clone()).collect();
    if kernels.is_empty() {
        let what = name.map_or("no kernel".to_owned(), |name| format!("no kernel {name}"));
        let message = format!("{} has {what}", path.display());
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
        diagnostics::to_stderr(format_args!("// after {} of {kernel}\n{text}\n", pass.name));
    }
}

//! `singe sim K.ptx --launch launch.toml`: one kernel in the simulator. Exit code 3 on hazards.
//!
//! The launch file is described in [`warpsim::setup`].

use std::path::Path;

use super::args::backend::SimArguments;
use super::kernel::{module, quoting, text};
use super::out::print;
use crate::failure::Failure;
use diagnostics::Diagnostic;
use ptx::Module;
use ptx::analysis::divergence::{self, BlockShape};
use ptx::inst::Type;
use warpsim::setup::{self, Setup};
use warpsim::{self, Buffer, Claims, Hazard, Options};

pub fn run(arguments: &SimArguments) -> Result<(), Failure> {
    let (module, source) = module(&arguments.ptx)?;
    let folder = arguments.launch.parent().unwrap_or(Path::new(""));
    let setup = setup::read(&text(&arguments.launch)?, folder).map_err(|e| wrong(&arguments.launch, &e))?;
    let Setup { kernel, launch, mut buffers, outputs, schedule } = setup;
    let names: Vec<&str> = module.entries().map(|func| func.name.as_str()).collect();
    let kernel = match (kernel, &names[..]) {
        (Some(name), _) => name,
        (None, [only]) => (*only).to_owned(),
        (None, names) => {
            return Err(wrong(&arguments.launch, &format!("name the kernel: the text has {}", names.len())));
        }
    };
    let claims = arguments
        .check_uniformity
        .then(|| claims(&module, &kernel, launch.threads, arguments.assume_index_no_wrap))
        .flatten();
    let options = Options { schedule, ..Options::default() };
    let result = warpsim::run_checked(&module, &kernel, &launch, &mut buffers, &options, claims.as_ref());
    match result {
        Ok(report) => {
            let outputs: Vec<Output> =
                outputs.into_iter().map(|(n, b, ty)| (n, ty, elements(&buffers[b], ty))).collect();
            show(arguments.json, &kernel, &outputs, &report)
        }
        Err(hazards) => {
            let list: Vec<String> = hazards.list.iter().map(ToString::to_string).collect();
            if arguments.json {
                print(format_args!("{:#}\n", serde_json::json!({ "kernel": kernel, "hazards": list })))?;
                return Err(Failure::verification([]));
            }
            let diagnostic = |h: &Hazard| {
                let line = h.site.as_ref().and_then(|site| site.line);
                quoting(Diagnostic::error("sim::hazard", format!("{kernel}, {h}")), &source, line)
            };
            Err(Failure::verification(hazards.list.iter().map(diagnostic)))
        }
    }
}

/// What the divergence analysis claims for the launch.
fn claims(module: &Module, kernel: &str, threads: [u32; 3], assume_index_no_wrap: bool) -> Option<Claims> {
    let func = module.func(kernel)?;
    let options = divergence::Options { block: BlockShape::Known(threads), assume_index_no_wrap };
    Some(Claims::compute(module, func, options))
}

/// Number of the argument, type and elements; `None` for those never written.
type Output = (usize, Type, Vec<Option<u64>>);

fn elements(buffer: &Buffer, ty: Type) -> Vec<Option<u64>> {
    (0..buffer.len_of(ty)).map(|i| buffer.element(ty, i)).collect()
}

fn show(json: bool, kernel: &str, outputs: &[Output], report: &warpsim::Report) -> Result<(), Failure> {
    let counts = serde_json::json!(report.total());
    let value = |ty: Type, bits: &Option<u64>| bits.map_or(serde_json::Value::Null, |bits| setup::number(bits, ty));
    if json {
        let outputs: Vec<_> = outputs
            .iter()
            .map(|(n, ty, values)| {
                let values: Vec<_> = values.iter().map(|bits| value(*ty, bits)).collect();
                serde_json::json!({ "argument": n, "values": values })
            })
            .collect();
        let all = serde_json::json!({ "kernel": kernel, "hazards": [], "outputs": outputs, "counts": counts });
        return print(format_args!("{all:#}\n"));
    }
    print(format_args!("kernel {kernel}: no hazards\n"))?;
    for (number, ty, values) in outputs {
        let word = |bits: &Option<u64>| bits.map_or("-".to_owned(), |bits| plain(bits, *ty));
        let values: Vec<String> = values.iter().map(word).collect();
        print(format_args!("argument {number}: {}\n", values.join(" ")))?;
    }
    for (name, count) in counts.as_object().into_iter().flatten() {
        print(format_args!("{name}: {count}\n"))?;
    }
    Ok(())
}

/// As people read it; also infinities and NaN, which JSON does not have.
fn plain(bits: u64, ty: Type) -> String {
    match ty {
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        _ => setup::number(bits, ty).to_string(),
    }
}

fn wrong(path: &Path, text: &str) -> Failure {
    Failure::input([Diagnostic::error("sim::launch", format!("{}: {}", path.display(), text.trim_end()))])
}

//! `singe ptx sim K.ptx --launch launch.toml`: one kernel in the simulator, PTX or machine code. Exit code 3 on hazards.
//!
//! The launch file is described in [`warpsim::setup`].

use std::path::Path;
use std::sync::Arc;

use super::arguments::SimArguments;
use super::kernel::{bytes, module, quoting, text};
use crate::cubin;
use command::Failure;
use command::print;
use diagnostics::{Diagnostic, Source};
use ptx::Module;
use ptx::analysis::divergence::{self, BlockShape};
use ptx::inst::Type;
use sass::Cubin;
use serde_json::Value;
use warpsim::setup::{self, Setup};
use warpsim::{self, Buffer, Claims, Hazard, Hazards, Options, machine_code};

pub fn run(arguments: &SimArguments) -> Result<(), Failure> {
    let code = Code::read(&arguments.code, arguments.check_uniformity)?;
    let folder = arguments.launch.parent().unwrap_or(Path::new(""));
    let mut setup = setup::read(&text(&arguments.launch)?, folder).map_err(|e| wrong(&arguments.launch, &e))?;
    let names = code.kernels();
    let kernel = chosen(setup.kernel.take(), &names, &arguments.launch)?;
    match code.run(&kernel, &mut setup, arguments) {
        Ok(counts) => {
            let output = |(n, b, ty): &(usize, usize, Type)| (*n, *ty, elements(&setup.buffers[*b], *ty));
            let outputs: Vec<Output> = setup.outputs.iter().map(output).collect();
            show(arguments.json, &kernel, &outputs, &counts)
        }
        Err(Stopped::Failed(failure)) => Err(failure),
        Err(Stopped::Hazards(hazards)) => {
            let list: Vec<String> = hazards.list.iter().map(ToString::to_string).collect();
            if arguments.json {
                print(format_args!("{:#}\n", serde_json::json!({ "kernel": kernel, "hazards": list })))?;
                return Err(Failure::verification([]));
            }
            Err(Failure::verification(hazards.list.iter().map(|hazard| code.diagnostic(&kernel, hazard))))
        }
    }
}

/// The kernel that the launch names, or the only one.
pub fn chosen(named: Option<String>, names: &[&str], launch: &Path) -> Result<String, Failure> {
    match (named, names) {
        (Some(name), _) => Ok(name),
        (None, [only]) => Ok((*only).to_owned()),
        (None, names) => Err(wrong(launch, &format!("name the kernel: the text has {}", names.len()))),
    }
}

/// Code that is simulated.
enum Code {
    Ptx(Module, Arc<Source>),
    Machine(Cubin),
}

/// Why there are no counts.
enum Stopped {
    Failed(Failure),
    Hazards(Box<Hazards>),
}

/// First bytes of an ELF file; no PTX begins with them.
pub const ELF: &[u8] = b"\x7fELF";

impl Code {
    fn read(path: &Path, check_uniformity: bool) -> Result<Self, Failure> {
        let bytes = bytes(path)?;
        if bytes.starts_with(ELF) {
            if check_uniformity {
                let message = "--check-uniformity asks what the divergence analysis says, which reads PTX only";
                let help = "give the PTX that ptxas made the machine code of";
                return Err(Failure::usage([Diagnostic::error("sim::machine-code", message).help(help)]));
            }
            let cubin = cubin::read_machine_code(&path.display().to_string(), &bytes).map_err(Failure::input)?;
            return Ok(Self::Machine(cubin));
        }
        let (module, source) = module(path)?;
        Ok(Self::Ptx(module, source))
    }

    fn kernels(&self) -> Vec<&str> {
        match self {
            Self::Ptx(module, _) => module.entries().map(|func| func.name.as_str()).collect(),
            Self::Machine(cubin) => cubin.kernels.iter().map(|kernel| kernel.name.as_str()).collect(),
        }
    }

    /// The counts; the buffers of the setup have the results.
    fn run(&self, kernel: &str, setup: &mut Setup, arguments: &SimArguments) -> Result<Value, Stopped> {
        let Setup { launch, buffers, .. } = setup;
        let options = Options { schedule: setup.schedule, ..Options::default() };
        match self {
            Self::Ptx(module, _) => {
                let claims = arguments
                    .check_uniformity
                    .then(|| claims(module, kernel, launch.threads, arguments.assume_index_no_wrap))
                    .flatten();
                let result = warpsim::run_checked(module, kernel, launch, buffers, &options, claims.as_ref());
                result.map(|report| serde_json::json!(report.total())).map_err(Stopped::Hazards)
            }
            Self::Machine(cubin) => match machine_code::run(cubin, kernel, launch, buffers, &options) {
                Ok(report) => {
                    let mut counts = serde_json::json!(report.total());
                    counts["code_bytes"] = report.code_bytes.into();
                    Ok(counts)
                }
                Err(machine_code::Failure::Hazards(hazards)) => Err(Stopped::Hazards(hazards)),
                Err(failure) => Err(Stopped::Failed(stopped(kernel, failure))),
            },
        }
    }

    fn diagnostic(&self, kernel: &str, hazard: &Hazard) -> Diagnostic {
        match self {
            Self::Ptx(_, source) => {
                quoting(shown(kernel, hazard), source, hazard.site.as_ref().and_then(|site| site.line))
            }
            Self::Machine(_) => shown(kernel, hazard),
        }
    }
}

fn shown(kernel: &str, hazard: &Hazard) -> Diagnostic {
    Diagnostic::error("sim::hazard", format!("{kernel}, {hazard}"))
}

/// Why machine code was not run to its end.
pub fn stopped(kernel: &str, failure: machine_code::Failure) -> Failure {
    match failure {
        machine_code::Failure::Unknown(diagnostics) => Failure::input(diagnostics),
        machine_code::Failure::Hazards(hazards) => {
            Failure::verification(hazards.list.iter().map(|hazard| shown(kernel, hazard)))
        }
    }
}

/// Returns the claims of the divergence analysis for the launch.
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

fn show(json: bool, kernel: &str, outputs: &[Output], counts: &Value) -> Result<(), Failure> {
    let value = |ty: Type, bits: &Option<u64>| bits.map_or(Value::Null, |bits| setup::number(bits, ty));
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
        match count.as_object() {
            None => print(format_args!("{name}: {count}\n"))?,
            Some(parts) => {
                let parts: Vec<String> = parts.iter().map(|(part, count)| format!("{part} {count}")).collect();
                print(format_args!("{name}: {}\n", parts.join(", ")))?;
            }
        }
    }
    Ok(())
}

/// Formats a value for people; also infinities and NaN, which JSON does not have.
fn plain(bits: u64, ty: Type) -> String {
    match ty {
        Type::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Type::F64 => format!("{:?}", f64::from_bits(bits)),
        _ => setup::number(bits, ty).to_string(),
    }
}

pub fn wrong(path: &Path, text: &str) -> Failure {
    Failure::input([Diagnostic::error("sim::launch", format!("{}: {}", path.display(), text.trim_end()))])
}

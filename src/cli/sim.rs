//! `singe sim K.ptx --launch launch.toml`: one kernel in the simulator. Exit code 3 on hazards.
//!
//! The launch file:
//! ```toml
//! kernel = "name"   # may be left out when the text has one kernel
//! ctas = 2          # default 1
//! threads = 64
//! seed = 7          # random interleaving of the warps; default: each runs until it blocks
//!
//! [[arguments]]     # one per parameter, in order; each has exactly one of the following
//! values = [1.0, 2.0]        # a buffer of doubles
//! [[arguments]]
//! integers = [1, 2, 3]       # a buffer of 32-bit integers, read-only
//! [[arguments]]
//! fill = 0.5                 # a buffer of `length` equal doubles
//! length = 64
//! [[arguments]]
//! ramp = [0.0, 0.25]         # first value and step of `length` doubles
//! length = 64
//! [[arguments]]
//! file = "input.txt"         # doubles between blanks; the path is relative to the launch file
//! output = true              # the kernel may write it, and it is printed
//! [[arguments]]
//! length = 64                # without values: `length` doubles that must be written before they are read
//! output = true
//! [[arguments]]
//! u32 = 64                   # a number; `u64` likewise
//! ```

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::args::SimArguments;
use super::kernel::{failed, input, module, text};
use crate::diagnostic::Diagnostic;
use crate::driver::Failure;
use crate::sim::{self, Argument, Buffer, Claims, Launch, Options, Schedule};
use crate::simt::Module;
use crate::simt::analysis::divergence::{self, BlockShape};

pub fn run(arguments: &SimArguments) -> Result<(), Failure> {
    let module = module(&arguments.ptx)?;
    let file: File = toml::from_str(&text(&arguments.launch)?).map_err(|e| wrong(&arguments.launch, &e.to_string()))?;
    let kernel = match (&file.kernel, &module.funcs[..]) {
        (Some(name), _) => name.clone(),
        (None, [only]) => only.name.clone(),
        (None, funcs) => {
            return Err(wrong(&arguments.launch, &format!("name the kernel: the text has {}", funcs.len())));
        }
    };
    let folder = arguments.launch.parent().unwrap_or(Path::new(""));
    let (mut values, mut buffers, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
    for (number, entry) in file.arguments.iter().enumerate() {
        let made = entry.make(folder).map_err(|e| wrong(&arguments.launch, &format!("argument {number}: {e}")))?;
        values.push(match made {
            Made::Number(argument) => argument,
            Made::Buffer(buffer) => {
                if entry.output {
                    outputs.push((number, buffers.len()));
                }
                buffers.push(buffer);
                Argument::Buffer(buffers.len() - 1)
            }
        });
    }
    let launch = Launch { ctas: file.ctas, threads: file.threads, arguments: values };
    let schedule = file.seed.map_or(Schedule::RoundRobin, |seed| Schedule::Random { seed });
    let claims = arguments.check_uniformity.then(|| claims(&module, &kernel, launch.threads)).flatten();
    let options = Options { schedule, ..Options::default() };
    let result = sim::run_checked(&module, &kernel, &launch, &mut buffers, &options, claims.as_ref());
    match result {
        Ok(report) => {
            let outputs: Vec<(usize, Vec<f64>)> = outputs.into_iter().map(|(n, b)| (n, buffers[b].reals())).collect();
            show(arguments.json, &kernel, &outputs, &report);
            Ok(())
        }
        Err(hazards) => {
            let list: Vec<String> = hazards.list.iter().map(ToString::to_string).collect();
            if arguments.json {
                println!("{:#}", serde_json::json!({ "kernel": kernel, "hazards": list }));
                return Err(failed(Vec::new()));
            }
            let diagnostic = |h| Diagnostic::error("simulator::hazard", format!("{kernel}, {h}"));
            Err(failed(list.into_iter().map(diagnostic).collect()))
        }
    }
}

/// What the divergence analysis claims for the launch.
fn claims(module: &Module, kernel: &str, threads: u32) -> Option<Claims> {
    let func = module.func(kernel)?;
    let block = BlockShape::Known(func.threads.unwrap_or([threads, 1, 1]));
    let options = divergence::Options { block, ..divergence::Options::default() };
    Some(Claims::compute(module, func, options))
}

fn show(json: bool, kernel: &str, outputs: &[(usize, Vec<f64>)], report: &sim::Report) {
    let counts = serde_json::json!(report.total());
    if json {
        let outputs: Vec<_> =
            outputs.iter().map(|(n, values)| serde_json::json!({ "argument": n, "values": values })).collect();
        println!("{:#}", serde_json::json!({ "kernel": kernel, "hazards": [], "outputs": outputs, "counts": counts }));
        return;
    }
    println!("kernel {kernel}: no hazards");
    for (number, values) in outputs {
        let values: Vec<String> = values.iter().map(|v| format!("{v:?}")).collect();
        println!("argument {number}: {}", values.join(" "));
    }
    for (name, count) in counts.as_object().into_iter().flatten() {
        println!("{name}: {count}");
    }
}

fn wrong(path: &Path, text: &str) -> Failure {
    input(vec![Diagnostic::error("sim::launch", format!("{}: {}", path.display(), text.trim_end()))])
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kernel: Option<String>,
    #[serde(default = "one")]
    ctas: u32,
    threads: u32,
    seed: Option<u64>,
    #[serde(default)]
    arguments: Vec<Entry>,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    u32: Option<u32>,
    u64: Option<u64>,
    values: Option<Vec<f64>>,
    integers: Option<Vec<i32>>,
    fill: Option<f64>,
    ramp: Option<[f64; 2]>,
    file: Option<PathBuf>,
    length: Option<usize>,
    #[serde(default)]
    output: bool,
}

enum Made {
    Number(Argument),
    Buffer(Buffer),
}

/// Doubles of one buffer.
const MOST_ELEMENTS: usize = 1 << 28;

impl Entry {
    fn make(&self, folder: &Path) -> Result<Made, String> {
        let given = [
            self.u32.is_some(),
            self.u64.is_some(),
            self.values.is_some(),
            self.integers.is_some(),
            self.fill.is_some(),
            self.ramp.is_some(),
            self.file.is_some(),
        ];
        if given.into_iter().filter(|g| *g).count() > 1 {
            return Err("give one of u32, u64, values, integers, fill, ramp, file".into());
        }
        if let Some(value) = self.u32 {
            return Ok(Made::Number(Argument::U32(value)));
        }
        if let Some(value) = self.u64 {
            return Ok(Made::Number(Argument::U64(value)));
        }
        if let Some(values) = &self.integers {
            return match self.output {
                true => Err("integers are read-only".into()),
                false => Ok(Made::Buffer(Buffer::integers(values))),
            };
        }
        let length = self
            .length
            .ok_or("give its length")
            .and_then(|n| if n <= MOST_ELEMENTS { Ok(n) } else { Err("its length is too large") });
        let values = match (&self.values, self.fill, self.ramp, &self.file) {
            (Some(values), ..) => values.clone(),
            (_, Some(value), ..) => vec![value; length?],
            (_, _, Some([first, step]), _) => (0..length?).map(|i| first + step * i as f64).collect(),
            (.., Some(file)) => {
                let path = folder.join(file);
                let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                let number =
                    |word: &str| word.parse().map_err(|_| format!("{}: \"{word}\" is no number", path.display()));
                text.split_whitespace().map(number).collect::<Result<Vec<f64>, String>>()?
            }
            _ if self.output => return Ok(Made::Buffer(Buffer::output(length?))),
            _ => return Err("give one of u32, u64, values, integers, fill, ramp, file, or output with a length".into()),
        };
        Ok(Made::Buffer(if self.output { Buffer::in_out(&values) } else { Buffer::input(&values) }))
    }
}

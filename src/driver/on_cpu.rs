//! The C++ text of kernels and of functions of one point: compiled for this machine's CPU and run, before anything is written.

use super::on_compilers::subject;
use crate::compilers;
use crate::identity;
use crate::observer::Observer;
use crate::output::{self, Unit};
use crate::plan::{Request, VERIFIED_STATES};
use crate::report::{MeasuredTime, TextForCpu};
use crate::verify::{Points, Progress, TextOnCpu};
use cache::Cache;
use command::Failure;
use diagnostics::Diagnostic;
use emit_c::cpu::{self, Called};
use kinetics::Model;
use machine::toolchain::{self, FAST_OPTIONS, HostCompiler};

/// Verifies the texts for CPUs: of the units where the target is a CPU, of those beside them, and of the functions of one point. What became
/// of a unit goes to its report; the rest is returned.
///
/// Errors: a text is refused, or gives other bits than its dataflow graph.
pub fn verify(
    request: &Request,
    model: &Model,
    units: &mut [Unit],
    beside: &[Unit],
    cache: Option<&Cache>,
    observer: &mut Observer,
) -> Result<Vec<TextForCpu>, Failure> {
    let is_cpu = request.common.target.is_cpu();
    let of_cpu: &[Unit] = if is_cpu { &*units } else { beside };
    let Some(states) = request.verify.filter(|_| !of_cpu.is_empty()) else { return Ok(Vec::new()) };
    let functions = output::device_header(request, model, of_cpu);
    let compiler = match request.real_compilers {
        true => toolchain::host_compiler().map_err(|absent| absent.to_string()),
        false => Err("compilers are off".to_owned()),
    };
    let texts = Texts { request, model, of_cpu, functions: functions.as_ref(), states };
    let runs = match compiler {
        Err(ref reason) => vec![TextOnCpu::NotRun(reason.clone()); texts.calls().count()],
        Ok(compiler) => {
            let progress = observer.progress("verify text", "states");
            let run = || texts.run(compiler, cache, &progress);
            observer.pass("verify text", None, run).map_err(Failure::verification)?
        }
    };
    let (kernels, of_functions) = runs.split_at(of_cpu.len());
    let of_functions = functions.and_then(|(name, _)| TextForCpu::new(name, of_functions));
    if !is_cpu {
        let kernels = TextForCpu::new("the kernels for CPUs".to_owned(), kernels);
        return Ok(kernels.into_iter().chain(of_functions).collect());
    }
    units.iter_mut().zip(kernels).for_each(|(unit, run)| unit.report.ran_on_cpu(run.clone()));
    if let (true, Ok(compiler)) = (request.measure, compiler) {
        let times = observer.pass("measure", None, || measured(request, model, units, compiler));
        let times = times.map_err(Failure::verification)?;
        units.iter_mut().zip(times).for_each(|(unit, time)| unit.report.measured = Some(time));
    }
    Ok(of_functions.into_iter().collect())
}

/// Points of a call that is timed: more than a few, and in the caches of one core.
const TIMED_POINTS: usize = 4096;

/// Times the kernels of a CPU on this machine, on one core.
fn measured(
    request: &Request,
    model: &Model,
    units: &[Unit],
    compiler: &HostCompiler,
) -> Result<Vec<MeasuredTime>, Vec<Diagnostic>> {
    let texts = Texts { request, model, of_cpu: units, functions: None, states: VERIFIED_STATES };
    let points_of = |unit: &Unit| Points::new(&subject(request, model, unit, &unit.ptx), texts.states, &|_, _| ());
    let points: Vec<Points> = units.iter().map(points_of).collect();
    let inputs: Vec<f64> = points.iter().flat_map(|points| points.inputs.iter().copied()).collect();
    let files = texts.files(&points, Some(TIMED_POINTS));
    let times = compilers::time_on_cpu(compiler, &files, &inputs, units.len())?;
    let new = |nanoseconds| MeasuredTime {
        nanoseconds_per_point: nanoseconds,
        points: TIMED_POINTS,
        compiler: compiler.name.clone(),
        options: FAST_OPTIONS[1..3].join(" "),
        processor: processor(),
    };
    Ok(times.into_iter().map(new).collect())
}

/// Name of this machine's processor, as Linux tells it.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    name.unwrap_or("a processor without a name").to_owned()
}

/// Texts that are compiled together.
struct Texts<'a> {
    request: &'a Request,
    model: &'a Model,
    of_cpu: &'a [Unit],
    /// The name and the text of the header of the functions of one point.
    functions: Option<&'a (String, String)>,
    states: usize,
}

impl<'a> Texts<'a> {
    /// Lists the calls: the kernels, then their functions of one point, for which the flag is true.
    fn calls(&self) -> impl Iterator<Item = (usize, &'a Unit, bool)> + use<'a> {
        let (of_cpu, forms) = (self.of_cpu, if self.functions.is_some() { 2 } else { 1 });
        (0..forms).flat_map(move |form| of_cpu.iter().enumerate().map(move |(at, unit)| (at, unit, form == 1)))
    }

    /// Runs all of them and returns the results.
    fn run(
        &self,
        compiler: &HostCompiler,
        cache: Option<&Cache>,
        progress: Progress<'_>,
    ) -> Result<Vec<TextOnCpu>, Vec<Diagnostic>> {
        let Self { request, model, of_cpu, states, .. } = *self;
        let subjects: Vec<_> = of_cpu.iter().map(|unit| subject(request, model, unit, &unit.ptx)).collect();
        let points: Vec<Points> = subjects.iter().map(|subject| Points::new(subject, states, progress)).collect();
        let inputs: Vec<f64> = self.calls().flat_map(|(at, ..)| &points[at].inputs).copied().collect();
        let count = self.calls().map(|(at, ..)| points[at].outputs.len()).sum();
        let outputs = run_or_known(compiler, (&self.files(&points, None), 1), &inputs, count, cache)?;
        let (mut rest, mut runs) = (&outputs[..], Vec::new());
        for (at, unit, by_points) in self.calls() {
            let (own, others) = rest.split_at(points[at].outputs.len());
            rest = others;
            let form = if by_points { "function of one point" } else { "C++ text" };
            let what = format!("{}: the {form}", unit.program.symbol);
            runs.push(TextOnCpu::Verified(points[at].judge(&subjects[at], &what, &compiler.name, own, true)?));
        }
        Ok(runs)
    }

    /// The program, and what it includes. With `timed` it times calls of so many points, else it writes what one call gives.
    fn files(&self, points: &[Points], timed: Option<usize>) -> Vec<(String, String)> {
        let Self { request, model, of_cpu, functions, .. } = *self;
        let vectors = cpu::header_of(request.common.precision.kernels);
        let own = output::header_for_cpu(request, model, of_cpu);
        let headers: Vec<(String, String)> = std::iter::once(own).chain(functions.cloned()).collect();
        let call = |(at, unit, by_points): (usize, &'a Unit, bool)| {
            let Points { points, stride, .. } = points[at];
            Called { symbol: &unit.program.symbol, by_points, arrays: &unit.program.arrays, points, stride }
        };
        let calls: Vec<Called<'_>> = self.calls().map(call).collect();
        let names: Vec<String> = headers.iter().map(|(name, _)| name.clone()).collect();
        let name = &model.mechanism.name;
        let program = match timed {
            None => cpu::program(name, &vectors.0, &names, &calls),
            Some(count) => cpu::timing_program(name, &vectors.0, &names, &calls, count),
        };
        let program = ("texts.cpp".to_owned(), program);
        let kernels = of_cpu.iter().map(|unit| (format!("{}.cpp", unit.program.symbol), unit.source.clone()));
        [program, vectors].into_iter().chain(headers).chain(kernels).collect()
    }
}

/// So many numbers that a program gives, of which the first files are compiled; from the cache where it has them.
///
/// Errors: the compiler refuses a file, or the program does not end as it should.
pub(super) fn run_or_known(
    compiler: &HostCompiler,
    (files, compiled): (&[(String, String)], usize),
    inputs: &[f64],
    count: usize,
    cache: Option<&Cache>,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let kept = cache.and_then(|cache| Some((cache, key(compiler, files, inputs)?)));
    let known = kept.as_ref().and_then(|(cache, key)| read(&cache.read(key)?, count));
    if let Some(known) = known {
        return Ok(known);
    }
    let outputs = compilers::run_on_cpu(compiler, files, compiled, inputs, count)?;
    if let Some((cache, key)) = kept {
        cache.write(&key, &[outputs.iter().map(|x| format!("{:x} ", x.to_bits())).collect()]);
    }
    Ok(outputs)
}

/// So many numbers of an entry of the cache.
fn read(texts: &[String], count: usize) -> Option<Vec<f64>> {
    let words = texts.first()?.split_whitespace();
    let numbers: Option<Vec<f64>> =
        words.map(|word| Some(f64::from_bits(u64::from_str_radix(word, 16).ok()?))).collect();
    numbers.filter(|numbers| numbers.len() == count)
}

/// A digest of all that decides what the texts give, but for comments, in which the command stands. `None` where this program cannot be told.
fn key(compiler: &HostCompiler, files: &[(String, String)], inputs: &[f64]) -> Option<String> {
    let code = files.iter().flat_map(|(_, text)| text.lines()).filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.flat_map(|line| [line, "\n"]).collect();
    let inputs: String = inputs.iter().map(|x| format!("{:x} ", x.to_bits())).collect();
    let compiler = format!("{compiler:?} {}", compiler.options());
    Some(cache::key(&[identity::program()?, "text on a CPU", &compiler, &code, &inputs]))
}

//! Kernels in single precision on many states, beside the same graphs in double: both are compiled by g++, as a million states are too many for the
//! interpreter.

use std::path::Path;
use std::process::Command;

use emit_c::base::Provenance;
use emit_c::cpu;
use kernels::{Kernel, Precision};
use kinetics::Model;
use machine::target::Target;
use mechanism::Files;
use overlay::Codegen;
use overlay::program::{Arithmetic, Program};
use singe::driver::{Request, Unit};

use crate::project::{program, run};

/// The kernels that there are in single precision.
pub const KERNELS: [Kernel; 3] = [Kernel::Viscosity, Kernel::Conductivity, Kernel::Diffusion];

/// Result for one kernel.
pub struct Swept {
    pub kernel: Kernel,
    pub form: String,
    /// Proven error bound of the arithmetic, and the same with the form.
    pub bound: f64,
    pub total: f64,
    /// The largest relative error that was found, and at which temperature.
    pub error: f64,
    pub temperature: f64,
}

/// All kernels of a mechanism at so many temperatures times so many compositions, each with a pressure of its own.
pub fn sweep(mechanism: &Path, folder: &Path, [temperatures, compositions]: [usize; 2]) -> Vec<Swept> {
    let model = crate::model(mechanism);
    let files = Files { mechanism: mechanism.to_owned(), ..Files::default() };
    let request = Request { files, verify: None, ..Request::default() }.with(|r| {
        r.common.target = Target::cpu();
        r.common.precision.kernels = Precision::Single;
        // Its error is to be found, whatever is allowed.
        r.common.error.largest = Some(1.0);
        r.codegen = Codegen::DataParallel;
    });
    KERNELS.map(|kernel| of_kernel(kernel, &model, &request, folder, [temperatures, compositions])).into()
}

fn of_kernel(kernel: Kernel, model: &Model, request: &Request, folder: &Path, counts: [usize; 2]) -> Swept {
    let unit = crate::request::unit(kernel, model, request);
    let single = unit.report.single.as_ref().expect("what is proven");
    let symbol = &unit.program.symbol;
    let ranges = single.ranges.as_ref().expect("where that is proven");
    write(&unit, model, folder, (ranges.temperatures, counts));
    let options = ["-std=c++17", "-O2", "-march=native", "-fno-math-errno", "-Wno-psabi"];
    let sources = [format!("{symbol}.cpp"), format!("{symbol}_double.cpp"), "sweep.cpp".to_owned()];
    program("g++", folder, &options, &sources, &[], kernel.name());
    let written = String::from_utf8(run(&mut Command::new(folder.join(kernel.name()))).stdout).expect("numbers");
    let numbers: Vec<f64> = written.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    let [error, temperature] = numbers[..] else { panic!("{written}") };
    Swept { kernel, form: unit.report.form.clone(), bound: single.bound, total: single.total, error, temperature }
}

/// The kernel in both precisions, from the same code, and the program that runs them.
fn write(
    unit: &Unit,
    model: &Model,
    folder: &Path,
    ([coldest, hottest], [temperatures, compositions]): ([f64; 2], [usize; 2]),
) {
    let (symbol, name) = (&unit.program.symbol, &model.mechanism.name);
    let provenance = Provenance {
        command_line: "singe".into(),
        inputs: Vec::new(),
        mechanism: name.clone(),
        ctas_per_sm: 1,
        form: None,
        precision: None,
    };
    let program = Program { arithmetic: Arithmetic::Double, ..unit.program.clone() };
    let double = lower::lower(&program, Target::cpu());
    let double = cpu::print(&double, &provenance, Precision::Double).replace(symbol, &format!("{symbol}_double"));
    let output = unit.program.arrays.iter().find(|array| array.output).expect("a kernel has an output");
    let host = include_str!("sweep/host.cpp")
        .replace("SYMBOL", symbol)
        .replace("SPECIES", &model.species().len().to_string())
        .replace("ROWS", &output.rows.to_string())
        .replace("COMPOSITIONS", &compositions.to_string())
        .replace("TEMPERATURES", &temperatures.to_string())
        .replace("COLDEST", &format!("{coldest:?}"))
        .replace("HOTTEST", &format!("{hottest:?}"));
    // All that the kernels need of the header.
    let header = "enum { SINGE_SUCCESS, SINGE_NULL_POINTER, SINGE_INVALID_POINTS, SINGE_INVALID_STRIDE, SINGE_OVERLAPPING_ARRAYS };\n";
    let files = [
        (format!("{name}.h"), header.to_owned()),
        ("singe_vector.h".into(), cpu::vector_header()),
        ("singe_single.h".into(), cpu::single_header()),
        (format!("{symbol}.cpp"), unit.source.clone()),
        (format!("{symbol}_double.cpp"), double),
        ("sweep.cpp".into(), host),
    ];
    for (file, text) in files {
        std::fs::write(folder.join(file), text).expect("the folder can be written");
    }
}

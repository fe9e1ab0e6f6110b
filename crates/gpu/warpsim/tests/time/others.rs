//! Kernels of two further sets of measurements, described in others.toml and made by one generator: docs/lab/time.md has what comes of them.
//! Half of them, by name, were kept aside: nothing in the model was adjusted to those.
//!
//! `SINGE_SWEEPS=all SINGE_BLESS=1 cargo test --release -p singe-warpsim --test time others` writes the tables, if the compilers are installed.

use crate::measured::{Compilers, judged};
use crate::table::{Row, placed};
use ptx::inst::Type;
use serde::Deserialize;
use std::fmt::Write;
use testkit::skip;
use warpsim::{Argument, Buffer, Launch, Options, machine_code};

#[derive(Deserialize)]
struct File {
    board: Vec<Board>,
    kernel: Vec<Kernel>,
}

/// A board as it was measured.
#[derive(Deserialize)]
struct Board {
    name: String,
    target: String,
    megahertz: u32,
    multiprocessors: u32,
    l2_bytes: u32,
    /// 10^9 bytes per second that the memory delivers.
    delivered: u32,
    /// Nanoseconds for the start of a kernel.
    launch: u32,
    /// Equal launches, one after the other, of which the last counts.
    launches: usize,
    /// Microseconds below which the host decides.
    least: f64,
    /// Bounds of the half that was kept aside.
    most_error: f64,
    least_tau: f64,
}

#[derive(Deserialize)]
struct Kernel {
    name: String,
    set: String,
    original: String,
    tuned: bool,
    threads: [u32; 2],
    /// Threads of an SM beyond whose double a launch goes on as it began.
    #[serde(default = "sample")]
    sample: u32,
    arrays: Vec<String>,
    #[serde(default)]
    prelude: String,
    /// Whether the arrays may be the same, as far as the compiler knows.
    #[serde(default)]
    alias: bool,
    body: String,
    rows: Vec<Measurement>,
}

fn sample() -> u32 {
    1 << 17
}

/// Board, `n`, `m`, blocks in x and y, microseconds.
type Measurement = (String, u32, u32, u32, u32, f64);

impl Kernel {
    fn source(&self) -> String {
        let mut parameters = String::new();
        for (array, letter) in self.arrays.iter().zip('a'..) {
            let ty = array.trim_start_matches("mut ").split(' ').next().unwrap().replace("long", "unsigned long long");
            let constant = if letter == 'a' || array.starts_with("mut ") { "" } else { "const " };
            let restrict = if self.alias { "" } else { "__restrict__" };
            let _ = write!(parameters, "{constant}{ty} *{restrict} {letter}, ");
        }
        format!(
            "{}\nextern \"C\" __global__ void k({parameters}int n, int m, float s) {{\n\
             int t = threadIdx.x, i = t + blockIdx.x * blockDim.x, j = threadIdx.y + blockIdx.y * blockDim.y;\n{}\n}}\n",
            self.prelude, self.body
        )
    }

    fn buffers(&self, n: usize, m: usize) -> Vec<Buffer> {
        self.arrays.iter().map(|array| buffer(array, n, m)).collect()
    }
}

/// Makes a buffer of a type, a length (a product of numbers, `n` and `m`) and a filling.
fn buffer(array: &str, n: usize, m: usize) -> Buffer {
    let words: Vec<&str> = array.trim_start_matches("mut ").split(' ').collect();
    let factor = |factor: &str| match factor {
        "n" => n,
        "m" => m,
        number => number.parse().unwrap(),
    };
    let length: usize = words[1].split('*').map(factor).product();
    let ty = match words[0] {
        "double" => Type::F64,
        "float" => Type::F32,
        "long" => Type::U64,
        "unsigned" | "int" => Type::U32,
        "char" => Type::U8,
        other => panic!("{other}"),
    };
    let bits = |value: f64| match ty {
        Type::F64 => value.to_bits(),
        Type::F32 => u64::from((value as f32).to_bits()),
        _ => value as u64,
    };
    match words.get(2).copied() {
        None => Buffer::in_out(&vec![0.0; (length * ty.bytes() as usize).div_ceil(8)]),
        Some("ramp") => Buffer::words(ty, (0..length).map(|at| bits(at as f64))),
        Some("random") => {
            Buffer::words(ty, (0..length as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) & 0x00FF_FFFF))
        }
        Some(value) => Buffer::words(ty, vec![bits(value.parse().unwrap()); length]),
    }
}

impl Board {
    fn compilers(&self) -> Option<Compilers> {
        let mut compilers = Compilers::new(&self.target, self.megahertz)?;
        let target = &mut compilers.target;
        target.board.multiprocessors = self.multiprocessors;
        target.board.reached_gigabytes_per_second = Some(self.delivered);
        target.pipeline.as_mut().unwrap().memory.l2_bytes = self.l2_bytes;
        Some(compilers)
    }

    /// Returns the microseconds of a launch.
    fn modelled(&self, compilers: &Compilers, kernel: &Kernel, &(_, n, m, x, y, _): &Measurement) -> f64 {
        let cubin = compilers.cubin(kernel.source());
        let mut buffers = kernel.buffers(n as usize, m as usize);
        let values = [Argument::U32(n), Argument::U32(m), Argument::U32(2f32.to_bits())];
        let [threads_x, threads_y] = kernel.threads;
        let launch = Launch {
            ctas: [x, y, 1],
            threads: [threads_x, threads_y, 1],
            cluster: None,
            shared: 0,
            arguments: (0..buffers.len()).map(Argument::Buffer).chain(values).collect(),
        };
        let busy = self.multiprocessors.min(x * y);
        let ctas = (x * y).div_ceil(busy);
        let target = compilers.target.among(busy);
        let mut cycles = |ctas: u32, launches: usize| {
            let first = (x * y - ctas) / 2;
            let only = (launches, first..first + ctas);
            let timing =
                machine_code::time_of_launches(&cubin, "k", &launch, &mut buffers, &Options::default(), &target, only);
            timing.unwrap_or_else(|failure| panic!("{}: {failure:?}", kernel.original)).cycles as f64
        };
        let most = kernel.sample / (threads_x * threads_y);
        let cycles = if ctas <= 2 * most {
            cycles(ctas, self.launches)
        } else {
            let (few, more) = (cycles(most, 1), cycles(2 * most, 1));
            more + (more - few) * f64::from(ctas - 2 * most) / f64::from(most)
        };
        f64::from(self.launch) * 1e-3 + cycles / f64::from(self.megahertz)
    }
}

/// Returns the rows of a kernel on a board, at most so many.
fn rows(board: &Board, compilers: &Compilers, kernel: &Kernel, most: usize) -> Vec<Row> {
    let all = kernel.rows.iter().filter(|row| row.0 == board.name && row.5 >= board.least);
    let row = |measurement: &Measurement| {
        let row = Row {
            what: format!("{}, n {}", kernel.name, measurement.1),
            target: "",
            published: measurement.5,
            source: "",
            modelled: board.modelled(compilers, kernel, measurement),
        };
        println!("{}: {}, {:.1} us, {:.2}", board.name, row.what, row.published, row.modelled / row.published);
        row
    };
    all.take(most).map(row).collect()
}

/// Returns a table of a half: its errors, and the ratios of each kernel.
fn half(text: &mut String, name: &str, kernels: &[(&Kernel, Vec<Row>)]) -> (f64, f64) {
    let all: Vec<Row> = kernels.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
    let (error, tau) = judged(&all);
    let _ = writeln!(
        text,
        "\n{name}: {} rows, mean error {:.1} %, tau {tau:.2}.\n\n| kernel | original | rows | measured, us | modelled / measured |\n|---|---|--:|---|---|",
        all.len(),
        100.0 * error
    );
    for (kernel, rows) in kernels {
        let joined = |cell: &dyn Fn(&Row) -> String| rows.iter().map(cell).collect::<Vec<_>>().join(", ");
        let measured = joined(&|row| format!("{:.1}", row.published));
        let ratios = joined(&|row| format!("{:.2}", row.modelled / row.published));
        let Kernel { name, original, set, .. } = kernel;
        let _ = writeln!(text, "| {name} | {set}, `{original}` | {} | {measured} | {ratios} |", rows.len());
    }
    (error, tau)
}

fn kernels_come_back(name: &str) {
    let file: File = toml::from_str(include_str!("others.toml")).unwrap();
    let board = file.board.iter().find(|board| board.name == name).unwrap();
    let Some(compilers) = board.compilers() else { return };
    let is_swept = skip::sweeps(format!("kernels of others on {name} of all sizes"));
    if name != "4070" && !is_swept {
        return;
    }
    let most = if is_swept { usize::MAX } else { 1 };
    let made = file.kernel.iter().map(|kernel| (kernel, rows(board, &compilers, kernel, most)));
    let (tuned, aside): (Vec<_>, Vec<_>) =
        made.filter(|(_, rows)| !rows.is_empty()).partition(|(kernel, _)| kernel.tuned);
    let mut text = String::new();
    let tuned = half(&mut text, "Half that the model may be adjusted to", &tuned);
    let aside = half(&mut text, "Half that was kept aside", &aside);
    println!("{name}: {tuned:.3?}, aside {aside:.3?}");
    if is_swept {
        placed(&format!("<!-- others on {name}: written by the test `others` -->\n"), &text);
    }
    // the first sizes alone are held to the goal
    let (most, least) = if is_swept { (board.most_error, board.least_tau) } else { (0.2, 0.0) };
    assert!(aside.0 < most && aside.1 > least, "{aside:?}{text}");
}

#[test]
fn others_titan_v() {
    kernels_come_back("Titan V");
}

#[test]
fn others_2080_ti() {
    kernels_come_back("2080 Ti");
}

#[test]
fn others_4070() {
    kernels_come_back("4070");
}

#[test]
fn others_3080() {
    kernels_come_back("3080");
}

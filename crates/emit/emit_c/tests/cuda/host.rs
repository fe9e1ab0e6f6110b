//! The emitted text as C++ on the processor: random programs give the bits that an interpreter gives, so folding,
//! parentheses, declarations, `exp`, `log` and masked stores are right. Only the sign of a zero may differ, as `fmin` and
//! `fmax` leave it open.

use crate::print;
use crate::random::{self, FIELDS, WARPS};
use crate::{compilers, provenance, target};
use machine::toolchain::Job;
use overlay::points::widen;
use overlay::program::Program;
use std::fmt::Write;
use std::process::Command;

const POINTS: usize = 150;
const STRIDE: usize = 160;

/// Enough of CUDA to run data-parallel kernels one thread after the other.
const SHIM: &str = r#"
#include <cmath>
#include <cstdio>
#include <cstring>
#define __CUDACC_RTC__
#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
using std::fma; using std::fmax; using std::fmin; using std::sqrt;
static struct { int x; } threadIdx, blockIdx = {0}, gridDim = {1};
static inline int min(int a, int b) { return a < b ? a : b; }
static inline double __ldg(const double *p) { return *p; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline unsigned long long bits(double x) { unsigned long long b; memcpy(&b, &x, 8); return b; }
static inline int __double2hiint(double x) { return (int)(bits(x) >> 32); }
static inline int __double2loint(double x) { return (int)bits(x); }
static inline double __hiloint2double(int high, int low) {
  const unsigned long long b = (unsigned long long)(unsigned)high << 32 | (unsigned)low;
  double x;
  memcpy(&x, &b, 8);
  return x;
}
"#;

/// A point's value of a field, the same here as in [`main_function`].
fn input(row: usize, point: usize) -> f64 {
    0.5 + (row * 37 + point * 11) as f64 % 64.0 / 32.0
}

fn main_function(programs: &[Program]) -> String {
    let mut out = String::from("int main() {\n");
    let size = FIELDS as usize * STRIDE;
    for program in programs {
        let symbol = &program.symbol;
        write!(
            out,
            "  {{\n    static double in[{size}], out[{size}];\n\
             \x20   for (int i = 0; i < {size}; ++i) out[i] = -77.0;\n\
             \x20   for (int r = 0; r < {FIELDS}; ++r)\n\
             \x20     for (int p = 0; p < {POINTS}; ++p) in[r * {STRIDE} + p] = 0.5 + (r * 37 + p * 11) % 64 / 32.0;\n\
             \x20   for (threadIdx.x = 0; threadIdx.x < {threads}; ++threadIdx.x)\n\
             \x20     {symbol}_space::{symbol}(in, out, {POINTS}, {STRIDE});\n\
             \x20   for (int i = 0; i < {size}; ++i) printf(\"%016llx\\n\", bits(out[i]));\n  }}\n",
            threads = 32 * WARPS,
        )
        .unwrap();
    }
    out.push_str("}\n");
    out
}

/// Programs of one, two and four points per lane whose every step is finite at every point, with what they store; -77 where
/// nothing is stored.
fn cases() -> Vec<(Program, Vec<f64>)> {
    let compute = |seed: u64| {
        let program = random::program(seed);
        let points_per_lane = [1, 2, 4][seed as usize % 3];
        let mut output = vec![-77.0f64; FIELDS as usize * STRIDE];
        for point in 0..POINTS {
            let warp = point as u32 / (32 * points_per_lane) % WARPS;
            let fields = random::run(&program, warp, std::array::from_fn(|row| input(row, point)))?;
            for (row, x) in fields.into_iter().enumerate() {
                output[row * STRIDE + point] = x;
            }
        }
        Some((widen(program, points_per_lane), output))
    };
    (0..).filter_map(compute).take(60).collect()
}

#[test]
fn random_programs_compute_the_same_bits_as_the_interpreter() {
    let (programs, expected): (Vec<Program>, Vec<Vec<f64>>) = cases().into_iter().unzip();
    let mut text = SHIM.to_owned();
    for program in &programs {
        let source = print(program, &provenance(), target("kepler"));
        write!(text, "namespace {}_space {{\n{source}\n}}\n", program.symbol).unwrap();
    }
    text.push_str(&main_function(&programs));
    let folder = tempfile::tempdir().unwrap();
    let (file, binary) = (folder.path().join("main.cpp"), folder.path().join("main"));
    std::fs::write(&file, text).unwrap();
    let compile = Command::new("g++")
        .args([
            "-O1", "-Wall", "-Werror", "-Wno-unknown-pragmas", "-Wno-maybe-uninitialized", "-ffp-contract=off", "-o",
        ])
        .args([&binary, &file])
        .output();
    let compile = match compile {
        Ok(output) => output,
        Err(reason) => {
            testkit::skip::skip(format!("g++ cannot be run: {reason}"));
            return;
        }
    };
    assert!(compile.status.success(), "{}", String::from_utf8_lossy(&compile.stderr));
    let output = String::from_utf8(Command::new(binary).output().unwrap().stdout).unwrap();
    let got: Vec<f64> = output.lines().map(|line| f64::from_bits(u64::from_str_radix(line, 16).unwrap())).collect();
    let size = FIELDS as usize * STRIDE;
    assert_eq!(got.len(), size * programs.len());
    for ((program, expected), got) in programs.iter().zip(expected).zip(got.chunks(size)) {
        let wrong = (0..size).find(|&i| expected[i] != got[i]);
        assert_eq!(wrong, None, "{}", print(program, &provenance(), target("kepler")));
    }
}

#[test]
fn random_programs_pass_the_real_compilers_without_a_remark() {
    let Some(toolchain) = compilers() else { return };
    let job = |seed| {
        let program = widen(random::program(seed), 1 + seed as u32 % 2);
        Job {
            name: format!("{}.cu", program.symbol),
            source: print(&program, &provenance(), target("hopper")),
            arch: target("hopper").compute_capability,
            options: Vec::new(),
        }
    };
    let jobs: Vec<Job> = (0..12).map(job).collect();
    for (job, answer) in jobs.iter().zip(toolchain.compile_all(&jobs)) {
        assert_eq!(answer.map(|ptx| ptx.log.trim().to_owned()), Ok(String::new()), "{}", job.source);
    }
}

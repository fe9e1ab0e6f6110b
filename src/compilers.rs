//! Results of the real compilers on the emitted text: accepted or not, registers, spills, barriers.

use serde::Serialize;

use diagnostics::Diagnostic;
use machine::target::{Amd, ComputeCapability, Target};
use machine::toolchain::{self, HostCompiler, Job, Listing, Toolchain};

/// The needs of one kernel on the target, from ptxas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compiled {
    /// Names of the compilers, such as `NVRTC and ptxas 11.8`.
    pub compilers: String,
    /// 32-bit registers per thread
    pub registers: u32,
    pub spill_store_bytes: u32,
    pub spill_load_bytes: u32,
    pub stack_bytes: u32,
    pub shared_bytes: u32,
    pub barriers: u32,
}

impl Compiled {
    /// Bytes that a thread stores and loads because registers did not suffice.
    pub fn spilled_bytes(&self) -> u32 {
        self.spill_store_bytes + self.spill_load_bytes
    }
}

/// Output of the compilers for the text of one kernel.
pub struct CompilerOutput {
    pub needs: Compiled,
    /// Compiler that made the PTX, such as `NVRTC 12.9`.
    pub compiler: String,
    pub ptx: ptx::Module,
    /// Assembler that made the machine code, such as `ptxas 12.9`, and the cubin.
    pub assembler: String,
    pub cubin: Vec<u8>,
}

/// Compiles kernels, (symbol, source) each; nothing where compilers for the target are not installed.
///
/// Errors: a compiler refuses the text, or warns about it; its PTX cannot be read.
pub fn compile(target: &Target, kernels: &[(&str, &str)]) -> Result<Vec<CompilerOutput>, Vec<Diagnostic>> {
    let arch = target.compute_capability;
    let Ok(toolchain) = toolchain::find_for(arch) else { return Ok(Vec::new()) };
    let job = |&(symbol, source): &(&str, &str)| {
        let (name, source) = (format!("{symbol}.cu"), source.to_owned());
        Job { name, source, arch, options: vec![] }
    };
    let jobs: Vec<Job> = kernels.iter().map(job).collect();
    let mut refused = Vec::new();
    let mut made = Vec::new();
    for (&(symbol, _), ptx) in kernels.iter().zip(toolchain.compile_all(&jobs)) {
        let read = ptx
            .map_err(|failure| vec![refusal(symbol, &failure)])
            .and_then(|ptx| assemble(symbol, &toolchain, arch, ptx.text));
        match read {
            Ok(kernel) => made.push(kernel),
            Err(diagnostics) => refused.extend(diagnostics),
        }
    }
    if refused.is_empty() { Ok(made) } else { Err(refused) }
}

/// Output of Clang for a kernel on AMD.
pub struct AmdCompilerOutput {
    /// Name of the compiler, such as `clang 22.1.8`.
    pub compiler: &'static str,
    pub listing: Listing,
    pub assembly: String,
}

/// Compiles a kernel for AMD with Clang; returns `None` if no installed Clang knows the machine.
///
/// Errors: it refuses the text, or warns about it.
pub fn compile_for_amd(amd: &Amd, symbol: &str, source: &str) -> Result<Option<AmdCompilerOutput>, Vec<Diagnostic>> {
    let Ok(compiler) = toolchain::hip_compiler(amd) else { return Ok(None) };
    let made = compiler.compile(symbol, source, amd).map_err(|failure| vec![refusal(symbol, &failure)])?;
    Ok(Some(AmdCompilerOutput { compiler: &compiler.name, listing: made.0, assembly: made.1 }))
}

/// The numbers that a program of generated text gives for some on this machine's CPU. The first `compiled` files are compiled, the others only
/// included.
///
/// Errors: the compiler refuses the text, or what it makes of it fails or gives another number of numbers.
pub fn run_on_cpu(
    compiler: &HostCompiler,
    files: &[(String, String)],
    compiled: usize,
    inputs: &[f64],
    outputs: usize,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    numbers(compiler, outputs, compiler.run(files, compiled, &bytes(inputs)))
}

/// The times that a program gives for the same inputs, as a project's options make it.
///
/// Errors: those of [`run_on_cpu`].
pub fn time_on_cpu(
    compiler: &HostCompiler,
    files: &[(String, String)],
    inputs: &[f64],
    outputs: usize,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    numbers(compiler, outputs, compiler.run_fast(files, &bytes(inputs)))
}

fn bytes(inputs: &[f64]) -> Vec<u8> {
    inputs.iter().flat_map(|x| x.to_le_bytes()).collect()
}

fn numbers(
    compiler: &HostCompiler,
    outputs: usize,
    printed: Result<Vec<u8>, toolchain::Failure>,
) -> Result<Vec<f64>, Vec<Diagnostic>> {
    let refused = |failure: &toolchain::Failure| vec![refusal(&format!("the {} text", compiler.language()), failure)];
    let printed = printed.map_err(|failure| refused(&failure))?;
    let found: Vec<f64> = printed.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
    if found.len() != outputs {
        let log = format!("{}: {} numbers for {outputs}", compiler.name, found.len());
        return Err(refused(&toolchain::Failure { tool: compiler.language(), log }));
    }
    Ok(found)
}

fn assemble(
    symbol: &str,
    toolchain: &Toolchain,
    arch: ComputeCapability,
    text: String,
) -> Result<CompilerOutput, Vec<Diagnostic>> {
    let assembled = toolchain.assemble(&text, arch).map_err(|failure| vec![refusal(symbol, &failure)])?;
    let usage = assembled.usages.into_iter().find(|usage| usage.kernel == symbol).unwrap_or_default();
    let needs = Compiled {
        compilers: toolchain.name.clone(),
        registers: usage.registers,
        spill_store_bytes: usage.spill_store_bytes,
        spill_load_bytes: usage.spill_load_bytes,
        stack_bytes: usage.stack_bytes,
        shared_bytes: usage.shared_bytes,
        barriers: usage.barriers,
    };
    let ptx = ptx::read::text(&format!("{symbol}.ptx"), &text)?;
    Ok(CompilerOutput {
        needs,
        compiler: toolchain.front(),
        ptx,
        assembler: toolchain.assembler.clone(),
        cubin: assembled.cubin,
    })
}

fn refusal(symbol: &str, failure: &toolchain::Failure) -> Diagnostic {
    Diagnostic::error("compiler::refused", format!("{symbol}: {failure}"))
        .help("this is a defect of singe: please report it with the mechanism")
}

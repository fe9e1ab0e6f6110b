//! Runs ptxas and reads its `-v` report.

use crate::target::ComputeCapability;
use cache::tool;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Resources that one kernel needs on a real machine, as reported by ptxas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    pub kernel: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes per thread of the stack frame, spills included.
    pub stack_bytes: u32,
    pub spill_store_bytes: u32,
    pub spill_load_bytes: u32,
    /// Static shared memory per CTA, without the dynamic part of a launch.
    pub shared_bytes: u32,
    /// Bytes of parameters, banks and the compiler's own constants.
    pub constant_bytes: u32,
    /// Named barriers, counted in the PTX text if ptxas does not report them.
    pub barriers: u32,
}

/// Output of ptxas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// One entry for each kernel in the text.
    pub usages: Vec<Usage>,
    pub cubin: Vec<u8>,
}

/// Assembles PTX text and reads the report; the error is what ptxas prints.
pub fn assemble(ptxas: &Path, ptx: &str, arch: ComputeCapability, option: Option<&str>) -> Result<Assembled, String> {
    let parts = [&tool::identity(ptxas), "ptxas", &arch.sm(), option.unwrap_or_default(), ptx];
    let made = tool::output(&parts, || run(ptxas, ptx, arch, option))?;
    let [report, cubin] = &made[..] else { unreachable!("a report and a cubin are kept") };
    let mut usages = read_report(report);
    for usage in &mut usages {
        if usage.barriers == 0 {
            usage.barriers = named_barriers(ptx, &usage.kernel);
        }
    }
    usages.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    Ok(Assembled { usages, cubin: tool::bytes(cubin) })
}

/// Returns the report, and the cubin as a text.
fn run(ptxas: &Path, ptx: &str, arch: ComputeCapability, option: Option<&str>) -> Result<Vec<String>, String> {
    let failed = |what: &str, e: std::io::Error| format!("{what}: {e}");
    let mut input = tempfile::Builder::new().suffix(".ptx").tempfile().map_err(|e| failed("temporary file", e))?;
    input.write_all(ptx.as_bytes()).map_err(|e| failed("temporary file", e))?;
    let cubin = tempfile::Builder::new().suffix(".cubin").tempfile().map_err(|e| failed("temporary file", e))?;
    let output = Command::new(ptxas)
        .arg("-v")
        .arg(format!("-arch={}", arch.sm()))
        .args(option)
        .arg(input.path())
        .arg("-o")
        .arg(cubin.path())
        .output()
        .map_err(|e| failed(&ptxas.display().to_string(), e))?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(report);
    }
    let cubin = std::fs::read(cubin.path()).map_err(|e| failed("temporary file", e))?;
    Ok(vec![report, tool::text(&cubin)])
}

fn read_report(report: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    // Functions that are called have properties too; only those of the kernel itself count.
    let mut own = false;
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            usages.push(Usage { kernel, ..Usage::default() });
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            own = usages.last().is_some_and(|u| u.kernel == name.trim());
        } else if let Some(usage) = usages.last_mut().filter(|_| own) {
            read_numbers(line, usage);
        }
    }
    usages
}

/// Reads lines such as `ptxas info : Used 22 registers, used 2 barriers, 512 bytes smem, 328 bytes cmem[0]`.
fn read_numbers(line: &str, usage: &mut Usage) {
    for item in line.rsplit(" : ").next().unwrap_or(line).split(',') {
        let item = item.trim().trim_start_matches("Used ").trim_start_matches("used ");
        let Some((number, unit)) = item.split_once(' ') else { continue };
        let Ok(number) = number.parse::<u32>() else { continue };
        match unit {
            "registers" => usage.registers = number,
            "barriers" => usage.barriers = number,
            "bytes stack frame" => usage.stack_bytes = number,
            "bytes spill stores" => usage.spill_store_bytes = number,
            "bytes spill loads" => usage.spill_load_bytes = number,
            "bytes smem" => usage.shared_bytes = number,
            _ if unit.starts_with("bytes cmem") => usage.constant_bytes += number,
            _ => {}
        }
    }
}

/// Counts the different named barriers in the PTX text of one kernel; 16 if one of them is not an immediate.
pub fn named_barriers(ptx: &str, kernel: &str) -> u32 {
    let mut ids = BTreeSet::new();
    let mut inside = false;
    for line in ptx.lines() {
        if let Some((_, name)) = line.split_once(".entry ") {
            inside = name.trim_end_matches('(').trim() == kernel;
        }
        let Some(operand) = named_barrier(line.trim()).filter(|_| inside) else { continue };
        let Ok(id) = operand.parse::<u32>() else { return 16 };
        ids.insert(id);
    }
    u32::try_from(ids.len()).unwrap_or(u32::MAX)
}

/// The operand that names the barrier of a statement. Barriers of a warp and of a cluster have no number.
fn named_barrier(statement: &str) -> Option<&str> {
    let unguarded = match statement.strip_prefix('@') {
        Some(guarded) => guarded.split_once(char::is_whitespace)?.1.trim_start(),
        None => statement,
    };
    let (opcode, operands) = unguarded.split_once(char::is_whitespace)?;
    let is_barrier = opcode.starts_with("bar.") || opcode.starts_with("barrier.");
    if !is_barrier || opcode.starts_with("bar.warp.") || opcode.starts_with("barrier.cluster.") {
        return None;
    }
    // A reduction names its result first.
    let place = usize::from(opcode.contains(".red."));
    operands.trim_end_matches(';').split(',').nth(place).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'b' for 'sm_35'
ptxas info    : Function properties for b
    592 bytes stack frame, 68 bytes spill stores, 92 bytes spill loads
ptxas info    : Used 32 registers, 332 bytes cmem[0], 32 bytes cmem[2]
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 3 barriers, 512 bytes smem
";

    #[test]
    fn reads_the_report_of_each_kernel() {
        let b = Usage {
            kernel: "b".to_owned(),
            registers: 32,
            stack_bytes: 592,
            spill_store_bytes: 68,
            spill_load_bytes: 92,
            constant_bytes: 364,
            ..Usage::default()
        };
        let a = Usage { kernel: "a".to_owned(), registers: 22, shared_bytes: 512, barriers: 3, ..Usage::default() };
        assert_eq!(read_report(REPORT), [b, a]);
    }

    #[test]
    fn counts_the_barriers_of_one_kernel() {
        let ptx = ".visible .entry a(\n)\n{\n\tbar.warp.sync %r1;\n\tbarrier.cluster.arrive.aligned;\n\tbar.sync \t0;\n\tbar.arrive 3, 64;\n\tbar.sync 3, 64;\n}\n\
                   .visible .entry ab(\n)\n{\n\t@%p1 barrier.sync 1;\n\tbar.warp.sync -1;\n\tbarrier.cta.red.popc.aligned.u32 %r1, 1, %p1;\n}\n.visible .entry r(\n)\n{\n\tbar.sync %r1, 64;\n}\n";
        assert_eq!([named_barriers(ptx, "a"), named_barriers(ptx, "ab"), named_barriers(ptx, "r")], [2, 1, 16]);
    }
}

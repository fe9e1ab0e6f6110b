//! Runs nvdisasm, which prints machine code.

use super::{Absent, Failure, installations};
use crate::target::ComputeCapability;
use cache::tool;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// A disassembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembler {
    pub path: PathBuf,
    /// Architectures that it knows, oldest first.
    pub architectures: Vec<ComputeCapability>,
}

/// Returns the disassembler of the newest release among those that know the architecture.
pub fn disassembler(arch: ComputeCapability) -> Result<&'static Disassembler, Absent> {
    let found = installations().iter().filter_map(|installation| {
        let disassembler = installation.nvdisasm.as_ref()?;
        disassembler.architectures.contains(&arch).then_some((installation.release, disassembler))
    });
    let newest = found.max_by_key(|(release, _)| *release);
    newest.map(|(_, disassembler)| disassembler).ok_or_else(|| super::absent("nvdisasm", arch))
}

impl Disassembler {
    /// Returns the text of the code sections of a cubin.
    pub fn disassemble(&self, cubin: &[u8]) -> Result<String, Failure> {
        let parts = [&tool::identity(&self.path), "nvdisasm", &tool::text(cubin)];
        tool::output(&parts, || Ok(vec![self.run(cubin)?])).map(|mut made| made.remove(0))
    }

    fn run(&self, cubin: &[u8]) -> Result<String, Failure> {
        let failed = |log: String| Failure { tool: "nvdisasm", log };
        let file = tempfile::Builder::new().suffix(".cubin").tempfile();
        let written = file.and_then(|mut file| file.write_all(cubin).map(|()| file));
        let file = written.map_err(|e| failed(format!("temporary file: {e}")))?;
        // its inferred control flow is not needed
        let output = Command::new(&self.path).args(["-c", "-ndf"]).arg(file.path()).output();
        let output = output.map_err(|e| failed(format!("{}: {e}", self.path.display())))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

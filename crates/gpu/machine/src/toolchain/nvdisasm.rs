//! Runs nvdisasm, which prints machine code.

use super::{Absent, Failure, installations};
use crate::target::ComputeCapability;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// A disassembler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembler {
    pub path: PathBuf,
    /// What it knows, oldest first.
    pub architectures: Vec<ComputeCapability>,
}

/// Of those found that know the architecture, the one of the newest release.
pub fn disassembler(arch: ComputeCapability) -> Result<&'static Disassembler, Absent> {
    let found = installations().iter().filter_map(|installation| {
        let disassembler = installation.nvdisasm.as_ref()?;
        disassembler.architectures.contains(&arch).then_some((installation.release, disassembler))
    });
    let newest = found.max_by_key(|(release, _)| *release);
    newest.map(|(_, disassembler)| disassembler).ok_or_else(|| super::absent("nvdisasm", arch))
}

impl Disassembler {
    /// What there is to say of the machine code in a cubin: the text of its code sections.
    pub fn disassemble(&self, cubin: &[u8]) -> Result<String, Failure> {
        let failed = |log: String| Failure { tool: "nvdisasm", log };
        let file = tempfile::Builder::new().suffix(".cubin").tempfile();
        let written = file.and_then(|mut file| file.write_all(cubin).map(|()| file));
        let file = written.map_err(|e| failed(format!("temporary file: {e}")))?;
        // what it infers of the flow of control is not needed
        let output = Command::new(&self.path).args(["-c", "-ndf"]).arg(file.path()).output();
        let output = output.map_err(|e| failed(format!("{}: {e}", self.path.display())))?;
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

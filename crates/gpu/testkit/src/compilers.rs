//! The compilers from CUDA text and PTX to machine code that the simulator runs.

use diagnostics::Source;
use machine::target::ComputeCapability;
use machine::toolchain::{self, Disassembler, Job, Toolchain};
use sass::Cubin;

/// The compilers of an architecture.
pub struct Compilers {
    arch: ComputeCapability,
    tools: Toolchain,
    disassembler: &'static Disassembler,
}

impl Compilers {
    /// Finds the compilers; where one is absent, the test that asks is skipped.
    pub fn new(arch: ComputeCapability) -> Option<Self> {
        let tools = toolchain::find_for(arch).and_then(|tools| Ok((tools, toolchain::disassembler(arch)?)));
        let (tools, disassembler) = tools.map_err(testkit::skip::skip).ok()?;
        Some(Self { arch, tools, disassembler })
    }

    /// Compiles CUDA text to PTX.
    pub fn ptx(&self, source: String, options: &[&str]) -> String {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let job = Job { name: "k".to_owned(), source, arch: self.arch, options };
        self.tools.compile_to_ptx(&job).unwrap_or_else(|failure| panic!("{failure}")).text
    }

    /// Assembles PTX, and reads the machine code.
    pub fn cubin(&self, ptx: &str) -> Cubin {
        let bytes = self.tools.assemble(ptx, self.arch).unwrap_or_else(|failure| panic!("{failure}\n{ptx}")).cubin;
        let listing = Source { name: "k".to_owned(), text: self.disassembler.disassemble(&bytes).unwrap() };
        sass::read("k", &bytes, &listing.into()).unwrap_or_else(|wrong| panic!("{wrong:?}"))
    }
}

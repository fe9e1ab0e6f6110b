//! The times that [`ptx::occupancy`] chooses by: what ptxas makes of a version, run and timed on the model of one SM.

use crate::buffer::Buffer;
use crate::machine_code;
use crate::{Launch, Options};
use diagnostics::Source;
use machine::target::Target;
use machine::toolchain::{self, Absent, Assembled, Disassembler, Toolchain};
use ptx::Module;
use ptx::occupancy::Machine;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The compilers for a target, and a launch that every version is timed with.
#[derive(Debug)]
pub struct CycleModel {
    target: &'static Target,
    tools: Toolchain,
    disassembler: Disassembler,
    launch: Launch,
    buffers: Vec<Buffer>,
    /// CTAs that the SM is given one after the other; those of the launch come again until there are so many.
    ctas: usize,
    options: Options,
    /// What was assembled of each text.
    made: RefCell<BTreeMap<String, Option<Rc<Assembled>>>>,
}

impl CycleModel {
    /// # Errors
    /// The compilers for the target are not installed.
    pub fn new(
        target: &'static Target,
        launch: &Launch,
        buffers: &[Buffer],
        options: &Options,
        ctas: usize,
    ) -> Result<Self, Absent> {
        let arch = target.compute_capability;
        let (tools, disassembler) = (toolchain::find_for(arch)?, toolchain::disassembler(arch)?.clone());
        let (launch, buffers, options) = (launch.clone(), buffers.to_vec(), options.clone());
        let made = RefCell::default();
        Ok(Self { target, tools, disassembler, launch, buffers, ctas, options, made })
    }

    fn assemble(&self, module: &Module) -> Option<Rc<Assembled>> {
        let text = module.to_string();
        let make = || self.tools.assemble(&text, self.target.compute_capability).ok().map(Rc::new);
        let known = self.made.borrow().get(&text).cloned();
        known.unwrap_or_else(|| {
            let made = make();
            self.made.borrow_mut().insert(text.clone(), made.clone());
            made
        })
    }
}

impl Machine for CycleModel {
    fn registers(&self, module: &Module, kernel: &str) -> Option<u32> {
        let made = self.assemble(module)?;
        made.usages.iter().find(|usage| usage.kernel == kernel).map(|usage| usage.registers)
    }

    fn cycles(&self, module: &Module, kernel: &str, launch_shared: u32) -> Option<u64> {
        let made = self.assemble(module)?;
        let text = self.disassembler.disassemble(&made.cubin).ok()?;
        let listing = Arc::new(Source { name: kernel.to_owned(), text });
        let cubin = sass::read(kernel, &made.cubin, &listing).ok()?;
        let launch = Launch { shared: launch_shared.into(), ..self.launch.clone() };
        let mut buffers = self.buffers.clone();
        let timed =
            machine_code::time_of_many(&cubin, kernel, &launch, &mut buffers, &self.options, self.target, self.ctas);
        timed.ok().map(|(_, timing)| timing.cycles)
    }
}

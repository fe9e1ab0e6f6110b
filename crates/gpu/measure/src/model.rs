//! The clocks of the kernels by the model of time.

use crate::benchmark::{Clock, Data, Sample, Series, of_board, text};
use diagnostics::Source;
use machine::target::Target;
use machine::toolchain::{self, Disassembler, Toolchain};
use ptx::inst::Type;
use sass::Cubin;
use std::sync::Arc;
use warpsim::{Argument, Buffer, Launch, Options, machine_code};

/// Compilers and disassembler that the kernels need here.
pub struct Tools {
    toolchain: Toolchain,
    disassembler: &'static Disassembler,
}

impl Tools {
    /// # Errors
    /// The tool that is absent.
    pub fn find(target: &Target) -> Result<Self, String> {
        let arch = target.compute_capability;
        let toolchain = toolchain::find_for(arch).map_err(|absent| absent.to_string())?;
        let disassembler = toolchain::disassembler(arch).map_err(|absent| absent.to_string())?;
        Ok(Self { toolchain, disassembler })
    }

    /// The machine code of a series that reads the GPU's clock.
    ///
    /// # Errors
    /// ptxas refuses the text.
    pub fn cubin(&self, series: &Series, target: &Target, clock: Clock) -> Result<Vec<u8>, String> {
        let ptx = text(series, target.compute_capability, clock);
        let assembled = self.toolchain.assemble(&ptx, target.compute_capability);
        assembled.map(|assembled| assembled.cubin).map_err(|failure| format!("{}: {failure}", series.name))
    }

    /// The kernels for the whole board.
    ///
    /// # Errors
    /// ptxas refuses the text.
    pub fn board(&self, target: &Target) -> Result<Vec<u8>, String> {
        let assembled = self.toolchain.assemble(&of_board(target.compute_capability), target.compute_capability);
        assembled.map(|assembled| assembled.cubin).map_err(|failure| format!("board: {failure}"))
    }

    fn read(&self, name: &str, bytes: &[u8]) -> Result<Cubin, String> {
        let text = self.disassembler.disassemble(bytes).map_err(|failure| failure.to_string())?;
        let listing = Arc::new(Source { name: name.to_owned(), text });
        sass::read(name, bytes, &listing).map_err(|wrong| format!("{name}: {wrong:?}"))
    }

    /// Returns the model's samples for the kernels of a series, alone on the GPU.
    ///
    /// # Errors
    /// ptxas, nvdisasm or the simulator refuses it.
    pub fn samples(&self, series: &Series, target: &Target) -> Result<Vec<Sample>, String> {
        let cubin = self.read(&series.name, &self.cubin(series, target, Clock::None)?)?;
        let alone = target.alone();
        let of = |length: &u32| {
            let entry = series.entry(*length);
            let clocks = |rounds: u32| {
                let mut buffers = [Buffer::unwritten(Type::U64, 64 + 1024), pointers(series.data)];
                let arguments = vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(rounds)];
                let launch = Launch::linear(1, 32 * series.warps, arguments);
                let timed = machine_code::time(&cubin, &entry, &launch, &mut buffers, &Options::default(), &alone);
                timed.map(|(_, timing)| timing.cycles as f64).map_err(|failure| format!("{entry}: {failure:?}"))
            };
            let [few, many] = series.rounds;
            let clocks = [clocks(few)?, clocks(many)?];
            Ok(Sample { series: series.name.clone(), length: *length, rounds: series.rounds, clocks })
        };
        series.lengths.iter().map(of).collect()
    }
}

fn pointers(data: Data) -> Buffer {
    let (start, bytes) = (warpsim::buffer_address(1), data.bytes.max(8));
    let pointer = |word: u64| start + if data.stride == 0 { 0 } else { (8 * word + data.stride) % bytes };
    Buffer::words(Type::U64, (0..bytes / 8).map(pointer))
}

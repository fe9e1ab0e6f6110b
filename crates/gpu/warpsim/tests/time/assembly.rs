//! Small kernels of machine code with their control bits, written by hand for the model of time.

use diagnostics::Source;
use machine::target::Target;
use sass::{Cubin, Kernel, Table};
use std::sync::Arc;
use warpsim::machine_code::{self, Report, Timing};
use warpsim::{Launch, Options};

/// An instruction, or a label that ends with a colon, with its control bits.
#[derive(Clone)]
pub struct Line {
    text: String,
    stall: u8,
    write: u8,
    read: u8,
    wait: u8,
}

pub fn line(text: &str) -> Line {
    Line { text: text.to_owned(), stall: 1, write: 7, read: 7, wait: 0 }
}

impl Line {
    pub fn stall(self, stall: u8) -> Self {
        Self { stall, ..self }
    }

    /// Sets the scoreboard that its result releases.
    pub fn sets(self, scoreboard: u8) -> Self {
        Self { write: scoreboard, ..self }
    }

    /// Sets the scoreboard that is released when its sources have been read.
    pub fn frees(self, scoreboard: u8) -> Self {
        Self { read: scoreboard, ..self }
    }

    /// Adds a scoreboard that it waits for.
    pub fn waits(self, scoreboard: u8) -> Self {
        Self { wait: self.wait | 1 << scoreboard, ..self }
    }

    fn control(&self) -> u128 {
        // the warp is not asked to give way
        let fields = [(self.stall, 0), (1, 4), (self.write, 5), (self.read, 8), (self.wait, 11)];
        fields.iter().fold(0, |all, (bits, at)| all | u128::from(*bits) << (105 + at))
    }
}

pub fn repeated(line: &Line, times: usize) -> Vec<Line> {
    vec![line.clone(); times]
}

/// Times the lines, followed by EXIT, on a CTA of so many warps, beside a table `ring` in global memory.
pub fn timed(lines: &[Line], warps: u32, target: &Target, ring: Vec<u8>) -> Timing {
    timed_ctas(lines, (1, warps), target, ring)
}

/// Times the lines on a cluster of two CTAs.
pub fn timed_in_cluster(lines: &[Line], warps: u32, target: &Target) -> Timing {
    timed_in_clusters(lines, (2, warps, 2), target, Vec::new())
}

/// Times the lines on several CTAs.
pub fn timed_ctas(lines: &[Line], (ctas, warps): (u32, u32), target: &Target, ring: Vec<u8>) -> Timing {
    timed_in_clusters(lines, (ctas, warps, 1), target, ring)
}

/// Runs the lines on one warp, beside a table `ring` in global memory; returns its counts.
pub fn counted(lines: &[Line], target: &Target, ring: Vec<u8>) -> Report {
    run(lines, (1, 1, 1), target, ring).0
}

fn timed_in_clusters(lines: &[Line], size: (u32, u32, u32), target: &Target, ring: Vec<u8>) -> Timing {
    run(lines, size, target, ring).1
}

fn run(lines: &[Line], (ctas, warps, cluster): (u32, u32, u32), target: &Target, ring: Vec<u8>) -> (Report, Timing) {
    let mut text = "\t.section\t.text.k,\"ax\",@progbits\n".to_owned();
    let all: Vec<Line> = lines.iter().cloned().chain([line("EXIT")]).collect();
    let mut address = 0;
    for line in &all {
        if line.text.ends_with(':') {
            text += &format!("{}\n", line.text);
        } else {
            text += &format!("        /*{address:04x}*/                   {} ;\n", line.text);
            address += 16;
        }
    }
    let listing = Arc::new(Source { name: "k".to_owned(), text });
    let mut instructions = sass::instructions(&listing).unwrap_or_else(|d| panic!("{d:?}")).remove("k").unwrap();
    for (instruction, line) in instructions.iter_mut().zip(all.iter().filter(|line| !line.text.ends_with(':'))) {
        instruction.encoding = Some(line.control());
    }
    let kernel = Kernel {
        name: "k".to_owned(),
        registers: 32,
        stack_bytes: 0,
        shared_bytes: 0x5000,
        threads: None,
        cluster: [cluster, 1, 1],
        parameters: Vec::new(),
        banks: vec![sass::Bank { number: 3, bytes: vec![0; 1 << 15], patches: Vec::new() }],
        instructions,
    };
    let tables = vec![Table { name: "ring".to_owned(), bytes: ring }];
    let sm = target.compute_capability.number().max(90);
    let cubin = Cubin { sm, kernels: vec![kernel], tables, listing };
    let launch = Launch::linear(ctas, 32 * warps, Vec::new());
    let time = machine_code::time(&cubin, "k", &launch, &mut [], &Options::default(), target);
    time.unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// Repeats the lines in a loop; `R0` and `P0` count.
pub fn looped(before: &[Line], body: &[Line], times: u32) -> Vec<Line> {
    let count = format!("ISETP.LT.AND P0, PT, R0, {times:#x}, PT");
    let head = [line("MOV R0, RZ").stall(5), line(".again:")];
    let tail = [line("IADD3 R0, R0, 0x1, RZ").stall(5), line(&count).stall(13), line("@P0 BRA `(.again)").stall(5)];
    before.iter().chain(&head).chain(body).chain(&tail).cloned().collect()
}

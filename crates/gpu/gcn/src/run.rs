//! A launch: workgroups one after the other, and the waves of each from barrier to barrier.

use crate::barriers::Barriers;
use crate::exec::{Surroundings, step};
use crate::family::Family;
use crate::listing::Kernel;
use crate::memory::{ARGUMENTS, Array, Lds, Memory, PACKET, address_of, private_offset, shared_descriptor};
use crate::operand::TRAP;
use crate::wave::{Counts, LANES, State, Wave};
use serde::Serialize;
use std::fmt;

/// An argument of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The address of an array, by its number.
    Array(usize),
    U32(u32),
    /// Eight bytes: a double, or an address where nothing lies.
    U64(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub workgroups: u32,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Bytes of the LDS that the launch adds.
    pub lds: u64,
    pub arguments: Vec<Argument>,
}

/// Options that go beyond the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Reciprocals and roots that the machine approximates are cut to what is documented of them, instead of exact.
    pub cut: bool,
}

/// Counts of what each wave executed, workgroup by workgroup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub waves: Vec<Counts>,
}

/// A fault, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hazard {
    pub workgroup: u32,
    pub wave: u16,
    pub line: u32,
    pub instruction: String,
    pub reason: String,
}

impl fmt::Display for Hazard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { workgroup, wave, line, instruction, reason } = self;
        write!(f, "workgroup {workgroup}, wave {wave}, line {line} of the listing, `{instruction}`: {reason}")
    }
}

/// Instructions of a wave beyond which it is taken to run forever.
const BUDGET: u64 = 100_000_000;

/// Runs a kernel.
///
/// # Errors
/// The first hazard; the contents of the arrays are then meaningless.
pub fn run(kernel: &Kernel, launch: &Launch, arrays: &mut [Array], options: Options) -> Result<Report, Box<Hazard>> {
    let Launch { workgroups, threads, .. } = *launch;
    let ahead = |reason: &str| {
        let reason = reason.to_owned();
        Box::new(Hazard { workgroup: 0, wave: 0, line: 0, instruction: kernel.symbol.clone(), reason })
    };
    if !(1..=1024).contains(&threads) {
        return Err(ahead("a launch with other than 1 to 1024 threads"));
    }
    let arguments = arguments(launch);
    if (arguments.len() as u64) < kernel.fact("kernarg_size") {
        return Err(ahead("a launch with fewer arguments than the kernel has"));
    }
    let packet = packet(workgroups, threads);
    let mut memory = Memory { arrays, data: &kernel.data, arguments, packet };
    let lds_bytes = kernel.fact("group_segment_fixed_size") + launch.lds;
    let mut counts = Vec::new();
    for workgroup in 0..workgroups {
        let mut waves = Vec::new();
        let most = kernel.lanes();
        for first in (0..threads).step_by(most) {
            let lanes = (threads - first).min(most as u32) as usize;
            let index = (first as usize / most) as u16;
            let mut wave = Wave::new(index, kernel.family, lanes, kernel.fact("private_segment_fixed_size"));
            start(&mut wave, kernel, workgroup, first).map_err(ahead)?;
            wave.next = kernel.entry;
            waves.push(wave);
        }
        let mut lds = Lds::new(lds_bytes);
        let mut barriers = Barriers::new(waves.len());
        while waves.iter().any(|wave| wave.state != State::Ended) {
            let mut goes_on = false;
            for wave in &mut waves {
                if let State::At(barrier) = wave.state
                    && barriers.passes(wave.index, barrier)
                {
                    wave.state = State::Running;
                }
                while wave.state == State::Running {
                    goes_on = true;
                    let at = wave.next;
                    let (memory, lds, barriers) = (&mut memory, &mut lds, &mut barriers);
                    let mut around = Surroundings { kernel, memory, lds, barriers, cut: options.cut };
                    let stepped = step(wave, &mut around);
                    let over = wave.counts.instructions > BUDGET;
                    let stepped = stepped.and(if over { Err("the wave does not end".to_owned()) } else { Ok(()) });
                    stepped.map_err(|reason| hazard(kernel, workgroup, wave.index, at, reason))?;
                }
            }
            if let (false, Some(wave)) = (goes_on, waves.iter().find(|wave| wave.state != State::Ended)) {
                let reason = "no wave can go on: this one waits for arrivals that do not come".to_owned();
                return Err(hazard(kernel, workgroup, wave.index, wave.next - 1, reason));
            }
        }
        counts.extend(waves.iter().map(|wave| wave.counts));
    }
    Ok(Report { waves: counts })
}

fn hazard(kernel: &Kernel, workgroup: u32, wave: u16, at: usize, reason: String) -> Box<Hazard> {
    let found = kernel.instructions.get(at);
    let (line, instruction) = found.map_or((0, String::new()), |i| (i.line, i.text.clone()));
    Box::new(Hazard { workgroup, wave, line, instruction, reason })
}

/// The kernel argument segment: each argument aligned to its size.
fn arguments(launch: &Launch) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for argument in &launch.arguments {
        let wide = match argument {
            Argument::U32(value) => {
                bytes.extend(value.to_le_bytes());
                continue;
            }
            Argument::Array(index) => address_of(*index),
            Argument::U64(value) => *value,
        };
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes.extend(wide.to_le_bytes());
    }
    bytes
}

/// The part of the dispatch packet that tells sizes (HSA Platform System Architecture, AQL kernel dispatch packet).
fn packet(workgroups: u32, threads: u32) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    for size in [threads as u16, 1, 1, 0] {
        bytes.extend(size.to_le_bytes());
    }
    for size in [workgroups.wrapping_mul(threads), 1, 1] {
        bytes.extend(size.to_le_bytes());
    }
    bytes
}

/// Content of the register of a cluster's numbers: it must not matter.
const CLUSTER: u32 = 0x5a5a_5a5a;

/// Registers as a wave begins with them (LLVM, "User Guide for AMDGPU Backend", "Initial Kernel Execution State").
fn start(wave: &mut Wave, kernel: &Kernel, workgroup: u32, first: u32) -> Result<(), &'static str> {
    let on = |name: &str| kernel.fact(name) != 0;
    let mut next = 0u16;
    if on("user_sgpr_private_segment_buffer") {
        for (place, word) in shared_descriptor().into_iter().enumerate() {
            wave.set(place as u16, word);
        }
        next += 4;
    }
    for (name, address) in [
        ("user_sgpr_dispatch_ptr", Some(PACKET)),
        ("user_sgpr_queue_ptr", None),
        ("user_sgpr_kernarg_segment_ptr", Some(ARGUMENTS)),
    ] {
        if on(name) {
            if let Some(address) = address {
                wave.set_wide(next, address);
            }
            next += 2;
        }
    }
    next += if on("user_sgpr_dispatch_id") { 2 } else { 0 };
    next += if on("user_sgpr_flat_scratch_init") { 2 } else { 0 };
    next += u16::from(on("user_sgpr_private_segment_size"));
    if u64::from(next) != kernel.fact("user_sgpr_count") {
        return Err("a kernel with arguments in registers, which are not known here");
    }
    // The numbers of the workgroup lie in registers of their own; the lower ones tell of clusters, in which no workgroup is here.
    if kernel.family == Family::Gfx1250 {
        wave.set(TRAP + 9, workgroup);
        wave.set(TRAP + 7, 0);
        wave.set(TRAP + 6, CLUSTER);
    }
    for (name, value) in [("x", workgroup), ("y", 0), ("z", 0)] {
        if kernel.family == Family::Cdna && on(&format!("system_sgpr_workgroup_id_{name}")) {
            wave.set(next, value);
            next += 1;
        }
    }
    next += u16::from(on("system_sgpr_workgroup_info"));
    if on("system_sgpr_private_segment_wavefront_offset") {
        wave.set(next, private_offset(wave.index));
    }
    for lane in 0..LANES {
        wave.vectors[0][lane] = first + lane as u32;
    }
    wave.defined[0] = u64::MAX;
    Ok(())
}

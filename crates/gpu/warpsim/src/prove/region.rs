//! Summary of a branch on data up to where its lanes meet again.

use super::known::results;
use crate::decode::{Code, Collective, EXIT, MemoryAccess, Micro};
use ptx::inst::{Callee, Op, Space};
use ptx::opcodes;
use std::collections::{BTreeSet, HashMap};

/// A summary of all ways from a branch to where its lanes meet.
#[derive(Clone)]
pub(super) struct Region {
    /// The first instruction that synchronises or calls, or that ends the thread where lanes meet again.
    pub harmful: Option<u32>,
    /// The first one that is not an exchange among the lanes of a warp.
    pub harmful_together: Option<u32>,
    /// Whether lanes exchange values or wait for each other.
    pub exchanges: bool,
    /// Whether something in it accesses shared memory, or may change a table: its sides must be executed.
    pub touches: bool,
    /// Number of instructions.
    pub size: usize,
    /// Whether there is a loop.
    pub cyclic: bool,
    /// Instructions that store to global memory.
    pub stores: Vec<u32>,
    /// Rows and predicates that are written.
    pub written: (Vec<u32>, Vec<u32>),
}

impl Region {
    pub(super) fn new(code: &Code, tables: bool, starts: &[u32], reconvergence: u32) -> Self {
        let (mut rows, mut preds) = (BTreeSet::new(), BTreeSet::new());
        let (mut harmful, mut harmful_together, mut exchanges) = (None, None, false);
        let (mut touching, mut stores) = (false, Vec::new());
        // 1: on the path, 2: done
        let mut marks: HashMap<u32, u8> = HashMap::new();
        let mut cyclic = false;
        let mut stack: Vec<(u32, bool)> = starts.iter().map(|pc| (*pc, false)).collect();
        while let Some((pc, leaving)) = stack.pop() {
            if leaving {
                marks.insert(pc, 2);
                continue;
            }
            if pc == reconvergence && pc != EXIT {
                continue;
            }
            match marks.get(&pc) {
                Some(1) => cyclic = true,
                Some(_) => {}
                None if pc == EXIT => {
                    harmful = harmful.or(Some(pc));
                    harmful_together = harmful_together.or(Some(pc));
                }
                None => {
                    marks.insert(pc, 1);
                    stack.push((pc, true));
                    let micro = &code.ops[pc as usize].micro;
                    let ends = match micro {
                        Micro::Ret => true,
                        // in a function the lanes do not go on behind the call
                        Micro::Exit => code.is_kernel(pc),
                        _ => false,
                    };
                    if matters(code, pc) && !(ends && reconvergence == EXIT) {
                        harmful = harmful.or(Some(pc));
                        if !matches!(micro, Micro::Collective(_)) {
                            harmful_together = harmful_together.or(Some(pc));
                        }
                    }
                    exchanges |= matches!(micro, Micro::Collective(_));
                    touching |= touches(code, tables, pc);
                    stores.extend(is_global_store(code, pc).then_some(pc));
                    let written = results(micro);
                    rows.extend(written.0);
                    preds.extend(written.1);
                    stack.extend(successors(micro, pc).into_iter().map(|next| (next, false)));
                }
            }
        }
        Self {
            harmful,
            harmful_together,
            exchanges,
            touches: touching,
            size: marks.len(),
            cyclic,
            stores,
            written: (rows.into_iter().collect(), preds.into_iter().collect()),
        }
    }
}

pub(super) fn is_global_store(code: &Code, pc: u32) -> bool {
    let Micro::MemoryAccess(access) = &code.ops[pc as usize].micro else { return is_global_atomic(code, pc) };
    access.space() == Space::Global && !matches!(access, MemoryAccess::Load { .. })
}

/// Returns the places where the lanes may go from an instruction, but for calls.
pub(super) fn successors(micro: &Micro, pc: u32) -> Vec<u32> {
    match micro {
        Micro::Jump { target } => vec![*target],
        Micro::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        Micro::Indirect { targets, .. } => targets.to_vec(),
        Micro::Ret | Micro::Exit | Micro::Trap => Vec::new(),
        _ => vec![pc + 1],
    }
}

/// Whether lanes wait at the instruction, or go where a summary does not follow.
pub(super) fn matters(code: &Code, pc: u32) -> bool {
    match &code.ops[pc as usize].micro {
        Micro::Bar { .. } | Micro::Call(_) | Micro::Ret | Micro::Exit | Micro::Copying(_) => true,
        // all lanes must come
        Micro::Collective(Collective::Matrix { .. } | Collective::Product(_) | Collective::Fragments(_)) => true,
        // lanes wait for each other there
        Micro::Collective(_) => code.independent_lanes(),
        Micro::Unknown { .. } => {
            !is_system_call(code, pc) && !is_global_atomic(code, pc) && !harmless(&code.site(0, pc).text)
        }
        _ => false,
    }
}

/// Whether the instruction accesses what the proof is about; `tables`: the module has tables that a store could reach.
pub(super) fn touches(code: &Code, tables: bool, pc: u32) -> bool {
    match &code.ops[pc as usize].micro {
        Micro::MemoryAccess(
            MemoryAccess::Store { space: Space::Global, .. } | MemoryAccess::Atomic { space: Space::Global, .. },
        ) => tables,
        Micro::MemoryAccess(
            MemoryAccess::Load { space, .. } | MemoryAccess::Store { space, .. } | MemoryAccess::Atomic { space, .. },
        ) => {
            matches!(space, Space::Shared | Space::Generic)
        }
        Micro::Collective(Collective::Fragments(_)) => true,
        _ => false,
    }
}

/// Whether the instruction calls a function of the driver that prints, or that ends the grid. Both read memory at most.
fn is_system_call(code: &Code, pc: u32) -> bool {
    fails_assertion(code, pc) || calls(code, pc, "vprintf")
}

/// Whether the instruction is an atomic of global memory that the simulator does not know, such as one of vectors.
pub(super) fn is_global_atomic(code: &Code, pc: u32) -> bool {
    let Some((_, data)) = code.instruction(pc) else { return false };
    let atomic = |opcode: &str| opcode.starts_with("atom.global.") || opcode.starts_with("red.global.");
    matches!(&code.ops[pc as usize].micro, Micro::Unknown { .. })
        && matches!(&data.op, Op::Opaque { opcode, .. } if atomic(opcode))
}

/// Whether the instruction ends the grid as an assertion failed.
pub(super) fn fails_assertion(code: &Code, pc: u32) -> bool {
    calls(code, pc, "__assertfail")
}

fn calls(code: &Code, pc: u32, wanted: &str) -> bool {
    let Some((_, data)) = code.instruction(pc) else { return false };
    matches!(&data.op, Op::Call { callee: Callee::Func(name), .. } if name == wanted)
}

fn harmless(text: &str) -> bool {
    let unguarded = if text.starts_with('@') { text.split_once(' ').map_or("", |(_, rest)| rest) } else { text };
    let name = unguarded.split(['.', ' ', ';']).next().unwrap_or_default();
    let elsewhere = [".global.", ".const.", ".param.", ".local."].iter().any(|space| unguarded.contains(space));
    let in_registers = name == "wmma" && unguarded.starts_with("wmma.mma");
    opcodes::is_harmless(name) || in_registers || matches!(name, "ld" | "ldu") && elsewhere
}

//! Features of gfx1250 that CDNA has not: after LLVM's back end, its guide, and its execution model of barriers.
//! No guide of its maker to its instructions is published.

mod high;
mod names;
mod pairs;

pub use high::HighBits;
pub use names::common_name;
pub use pairs::decode;

use crate::instruction::{Counter, Op, Split, Waits, When};

/// Instructions that CDNA has under no name.
pub fn op(name: &str, rest: &str) -> Option<Op> {
    Some(match name {
        // Pauses that the machine would make by itself, and groups of loads.
        "s_delay_alu" | "s_clause" => Op::Nothing,
        // The wave ends next.
        "s_sendmsg" if rest == "sendmsg(MSG_DEALLOC_VGPRS)" => Op::Nothing,
        // Far branches, as distances of labels.
        "s_add_pc_i64" => Op::Branch(When::Always),
        "s_barrier_init" => Op::Split(Split::Init),
        "s_barrier_join" => Op::Split(Split::Join),
        "s_barrier_signal" => Op::Split(Split::Signal),
        "s_barrier_wait" => Op::Split(Split::Wait),
        _ => Op::Wait(waits(name.strip_prefix("s_wait_")?, rest)?),
    })
}

fn waits(counters: &str, rest: &str) -> Option<Waits> {
    let left = rest.strip_prefix("0x").map_or_else(|| rest.parse().ok(), |hex| u16::from_str_radix(hex, 16).ok())?;
    let (high, low) = (Some((left >> 8) as u8), Some(left as u8));
    let mut waits = Waits::default();
    let mut set = |counter: Counter, left| waits.left[counter as usize] = left;
    match counters {
        "loadcnt" => set(Counter::Loads, low),
        "storecnt" => set(Counter::Stores, low),
        "dscnt" => set(Counter::Lds, low),
        "kmcnt" => set(Counter::Scalar, low),
        "loadcnt_dscnt" => {
            set(Counter::Loads, high);
            set(Counter::Lds, low);
        }
        "storecnt_dscnt" => {
            set(Counter::Stores, high);
            set(Counter::Lds, low);
        }
        "xcnt" => waits.addresses = low,
        _ => return None,
    }
    Some(waits)
}

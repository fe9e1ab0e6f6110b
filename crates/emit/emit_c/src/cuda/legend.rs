//! Legends for readers: the contents of slots, and the warps of a mask.

use crate::base::comment;
use lower::code::Code;

/// A paragraph in front of the declaration of the slots; empty where there are none.
pub fn slots(code: &Code) -> String {
    if code.contents.is_empty() {
        return String::new();
    }
    let held = |(name, phase): &(String, u32)| format!("{name} ({phase})");
    let slot = |(slot, values): &(u32, Vec<_>)| {
        let values: Vec<String> = values.iter().map(held).collect();
        format!("{}: {}", slot * code.points_per_lane, values.join(", "))
    };
    let list: Vec<String> = code.contents.iter().map(slot).collect();
    let points = match code.points_per_lane {
        1 => String::new(),
        points => format!(", of the first of {points} points of a lane"),
    };
    comment("  ", &format!("Slots, what they hold{points}, and the phase that stores it: {}", list.join("; ")))
}

/// The warps of a mask, such as `warps 0 to 3, 6`.
pub fn warps(mask: u32) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for warp in (0..32).filter(|warp| mask >> warp & 1 == 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == warp => *last = warp,
            _ => runs.push((warp, warp)),
        }
    }
    let run = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let names: Vec<String> = runs.iter().map(run).collect();
    format!("warp{} {}", if mask.is_power_of_two() { "" } else { "s" }, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::warps;

    #[test]
    fn masks_are_named() {
        let named = [0b1, 0b11, 0b1110, 0b1100_1011, u32::MAX].map(warps);
        assert_eq!(named, ["warp 0", "warps 0, 1", "warps 1 to 3", "warps 0, 1, 3, 6, 7", "warps 0 to 31"]);
    }
}

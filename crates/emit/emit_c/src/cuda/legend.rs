//! Legends for readers: the contents of slots, and the warps of a mask.

use crate::base::comment;
use lower::code::Code;

/// Longest list of slots, in characters: half a page. Who needs more reads the statements.
const LONGEST: usize = 4000;

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
    let list = within(code.contents.iter().map(slot).collect(), LONGEST);
    let points = match code.points_per_lane {
        1 => String::new(),
        points => format!(", of the first of {points} points of a lane"),
    };
    comment("  ", &format!("Slots, what they hold{points}, and the phase that stores it: {}", list.join("; ")))
}

/// The first entries of a list that have room, and how many more there are.
fn within(mut list: Vec<String>, longest: usize) -> Vec<String> {
    let mut length = 0;
    let has_room = |entry: &String| {
        length += entry.len() + 2;
        length <= longest
    };
    let kept = list.iter().map(has_room).take_while(|has_room| *has_room).count();
    let more = list.len() - kept;
    if more > 0 {
        list.truncate(kept);
        list.push(format!("and so on for {more} more"));
    }
    list
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
    use super::{warps, within};

    #[test]
    fn a_list_is_cut_where_it_is_longer_than_half_a_page() {
        let list = |count: usize| vec!["0: a".to_owned(); count];
        assert_eq!(within(list(3), 18), list(3));
        assert_eq!(within(list(4), 18), [&list(3)[..], &["and so on for 1 more".to_owned()]].concat());
    }

    #[test]
    fn masks_are_named() {
        let named = [0b1, 0b11, 0b1110, 0b1100_1011, u32::MAX].map(warps);
        assert_eq!(named, ["warp 0", "warps 0, 1", "warps 1 to 3", "warps 0, 1, 3, 6, 7", "warps 0 to 31"]);
    }
}

//! A C++ header with the versions of a kernel that finds the best one while the application runs.

use super::select::{Clock, Timed};
use super::split::split;
use super::{Direction, Selection, Version};
use diagnostics::Diagnostic;
use ptx::ir::Module;
use std::fmt::Write;

/// Part of the header that is the same for every kernel.
const ADAPT: &str = include_str!("adapt.hpp");

/// Versions of a kernel in the order of their occupancy.
#[derive(Debug, Clone)]
pub struct Ladder {
    pub versions: Vec<Timed>,
    /// The position of the one to begin with.
    pub original: usize,
    pub direction: Direction,
}

impl Ladder {
    /// Returns the versions for the application to choose from. Of padded levels that the model has timed, it keeps the one that was taken and
    /// the next below it, at which the application sees that it goes no lower. An estimate tells too little to leave any out.
    pub fn new(selection: &Selection) -> Self {
        let Selection { tried, chosen, .. } = selection;
        let taken = tried[*chosen].version.level;
        let below = tried.iter().filter(|timed| timed.padded && timed.version.level < taken);
        let below = below.map(|timed| timed.version.level).max();
        let matters = |at: usize, timed: &Timed| {
            let is_below = || Some(timed.version.level) == below;
            selection.clock == Clock::Estimate || !timed.padded || at == *chosen || is_below()
        };
        let kept = tried.iter().enumerate().filter(|(at, timed)| matters(*at, timed));
        let mut numbered: Vec<(usize, Timed)> = kept.map(|(at, timed)| (at, timed.clone())).collect();
        numbered.sort_by_key(|(_, timed)| timed.version.level);
        let original = numbered.iter().position(|(at, _)| *at == 0).expect("the original is never left out");
        let versions = numbered.into_iter().map(|(_, timed)| timed).collect();
        Self { versions, original, direction: selection.direction }
    }
}

/// The header. Its kernels take two more parameters, so that a launch can be split.
///
/// # Errors
/// `opt::split`
pub fn header(ladder: &Ladder, kernel: &str) -> Result<String, Diagnostic> {
    let mut versions = String::new();
    for Timed { version, .. } in &ladder.versions {
        let index =
            version.module.funcs.iter().position(|func| func.name == kernel).expect("all versions have the kernel");
        let text = literal(&split(&version.module, index)?);
        let Version { level, registers, launch_shared, .. } = version;
        let _ = write!(versions, "    {{{}, {registers}, {launch_shared}, \"{kernel}\",\n{text}    }},\n", level.warps);
    }
    Ok(format!(
        "// {kernel} at {count} levels of occupancy. The launch adds singe_first_cta and singe_ctas to the parameters.
#pragma once

namespace singe_occupancy {{

struct Version {{
    unsigned warps;         // resident per SM
    unsigned registers;     // per thread, at most
    unsigned launch_shared; // bytes of dynamic shared memory to launch with
    const char *kernel;
    const char *ptx;
}};

constexpr int count = {count};
constexpr int original = {original};
constexpr bool increasing = {increasing};

static const Version versions[count] = {{
{versions}}};

}} // namespace singe_occupancy

{ADAPT}",
        count = ladder.versions.len(),
        original = ladder.original,
        increasing = ladder.direction == Direction::Increasing,
    ))
}

/// A module as C++ text, a line of it in each line.
fn literal(module: &Module) -> String {
    let escaped = |line: &str| line.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
    module.to_string().lines().map(|line| format!("        \"{}\\n\"\n", escaped(line))).collect()
}

//! A C++ header with the versions of a kernel that finds the best one while the application runs.

use super::split::split;
use super::{Direction, Selection, Version};
use crate::ir::Module;
use diagnostics::Diagnostic;
use std::fmt::Write;

/// What the header does, whatever the kernel.
const ADAPT: &str = include_str!("adapt.hpp");

/// Versions of a kernel in the order of their occupancy.
#[derive(Debug, Clone)]
pub struct Ladder {
    pub versions: Vec<Version>,
    /// The position of the one to begin with.
    pub original: usize,
    pub direction: Direction,
}

impl Ladder {
    /// What a selection tried.
    pub fn of(selection: &Selection) -> Self {
        let mut versions: Vec<Version> = selection.tried.iter().map(|timed| timed.version.clone()).collect();
        let first = versions[0].level;
        versions.sort_by_key(|version| version.level);
        let original = versions.iter().position(|version| version.level == first).expect("it is one of them");
        Self { versions, original, direction: selection.direction }
    }
}

/// The header. Its kernels take two more parameters, so that a launch can be split.
///
/// # Errors
/// `opt::split`
pub fn header(ladder: &Ladder, kernel: &str) -> Result<String, Diagnostic> {
    let mut versions = String::new();
    for version in &ladder.versions {
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

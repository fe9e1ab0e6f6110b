//! Values of arguments, and the parsers of their texts.

use clap::ValueEnum;

use crate::fault::Fault;
use emit_c::base::names::identifier;
use overlay::Codegen;

/// Word of `--verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    States(usize),
    Off,
    NoCompilers,
    NoMachineCode,
    NoTime,
    Measure,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

/// Length of the printed report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportForm {
    /// About ten rows, and what to do next
    Brief,
    /// Every figure, as in report.txt
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// The fastest of data-parallel, overlay and those that stand beside it: by the model of time where compilers are found,
    /// else by the estimate.
    Auto,
    /// One copy of the code where warps agree.
    Overlay,
    /// One copy where that spares much code, straight code for each warp where the cache for instructions has room for it.
    Partial,
    /// Straight code for each warp, which adds up what it makes in registers of its own.
    Straight,
    /// One copy of the code per warp, behind a switch on the warp's number.
    Switch,
    /// One thread per point.
    DataParallel,
}

impl Layout {
    /// Among which the fastest is sought, where there are several.
    pub fn codegens(self) -> Vec<Codegen> {
        match self {
            Self::Auto => vec![Codegen::DataParallel, Codegen::Overlay],
            Self::Overlay => vec![Codegen::Overlay],
            Self::Partial => vec![Codegen::Partial],
            Self::Straight => vec![Codegen::Straight],
            Self::Switch => vec![Codegen::Switch],
            Self::DataParallel => vec![Codegen::DataParallel],
        }
    }
}

pub(in crate::cli) fn verify(text: &str) -> Result<Check, String> {
    match (text, text.parse()) {
        ("off", _) => Ok(Check::Off),
        ("no-compilers", _) => Ok(Check::NoCompilers),
        ("no-machine-code", _) => Ok(Check::NoMachineCode),
        ("no-time", _) => Ok(Check::NoTime),
        ("measure", _) => Ok(Check::Measure),
        (_, Ok(n)) if (1..=100_000).contains(&n) => Ok(Check::States(n)),
        _ => {
            Err("give a number of states from 1 to 100000 or off, no-compilers, no-machine-code, no-time, measure"
                .into())
        }
    }
}

/// Names of Fortran have 63 characters, of which the longest kernel's takes the rest.
const LONGEST_NAME: usize = 27;

pub(in crate::cli) fn name(text: &str) -> Result<String, String> {
    match identifier(text) {
        name if name == text && text.len() <= LONGEST_NAME => Ok(name),
        name if text.len() <= LONGEST_NAME => Err(format!("this is no identifier of C, or has a meaning; try {name}")),
        _ => Err(format!("give at most {LONGEST_NAME} characters")),
    }
}

pub(in crate::cli) fn fault(text: &str) -> Result<Fault, String> {
    let found = Fault::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, f)| *f).ok_or_else(|| format!("known faults: {}", Fault::ALL.map(|(name, _)| name).join(", ")))
}

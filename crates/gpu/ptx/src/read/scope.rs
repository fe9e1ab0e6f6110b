//! Names of registers and of places for arguments, which braces hide.

use crate::inst::Type;
use crate::ir::{Param, Reg};
use std::borrow::Cow;
use std::collections::HashMap;

/// The registers that one pair of braces declares.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// The number of the braces in the text.
    pub braces: usize,
    single: HashMap<Cow<'a, str>, Reg>,
    /// `%r<8>`: the prefix, its type, and the registers %r1, %r2 …; %r0 comes when it is used.
    ranges: HashMap<&'a str, Range>,
    places: HashMap<&'a str, Param>,
}

pub(super) struct Range {
    pub ty: Type,
    pub regs: Vec<Reg>,
    /// Register number 0.
    pub zero: Option<Reg>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(braces: usize) -> Self {
        Self { braces, ..Self::default() }
    }

    /// False when the name is taken.
    pub(super) fn declare(&mut self, name: Cow<'a, str>, reg: Reg) -> bool {
        self.single.insert(name, reg).is_none()
    }

    /// False when the name is taken.
    pub(super) fn declare_place(&mut self, name: &'a str, param: Param) -> bool {
        self.places.insert(name, param).is_none()
    }

    pub(super) fn place(&self, name: &str) -> Option<Param> {
        self.places.get(name).copied()
    }

    /// False when the prefix is taken.
    pub(super) fn declare_range(&mut self, prefix: &'a str, range: Range) -> bool {
        self.ranges.insert(prefix, range).is_none()
    }

    /// The register of that name; `make` makes the one with number 0.
    pub(super) fn find(&mut self, name: &str, make: impl FnOnce(Type) -> Reg) -> Option<Reg> {
        if let Some(reg) = self.single.get(name) {
            return Some(*reg);
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let range = self.ranges.get_mut(prefix)?;
        match &name[prefix.len()..] {
            "0" => Some(*range.zero.get_or_insert_with(|| make(range.ty))),
            digits if digits.starts_with('0') => None,
            digits => range.regs.get(digits.parse::<usize>().ok()?.checked_sub(1)?).copied(),
        }
    }
}

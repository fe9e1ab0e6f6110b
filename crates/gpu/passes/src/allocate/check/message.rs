//! Messages for faults of an allocation, in the registers and lines of the text that was allocated.

use super::{Kind, Violation};
use crate::allocate::Allocation;
use diagnostics::{Source, Span};
use ptx::ir::{Block, Inst, Reg};
use ptx::print::Quotes;
use std::sync::Arc;

/// The message, with the line of the text where that is given and has one.
pub fn describe(
    violation: &Violation,
    allocation: &Allocation,
    kernel: &str,
    text: Option<&Arc<Source>>,
) -> (String, Option<Span>) {
    let place = Place::new(violation, allocation);
    let quoted = place.quote(allocation);
    let line = place.inst.map_or_else(
        || allocation.prepared.lines.line(place.block, None),
        |inst| allocation.prepared.lines.line(place.block, Some(inst)),
    );
    let span = text.zip(line).map(|(text, line)| Span::of_line(text, line));
    let own = |reg: Reg| {
        let name = Quotes::new(&allocation.module, &allocation.prepared).register(reg);
        let written = span.as_ref().and_then(|span| name_in(span.text(), &quoted, &name));
        written.map_or_else(|| name.clone(), str::to_owned)
    };
    let given = |reg: Reg| Quotes::new(&allocation.module, allocation.func()).register(reg);
    let what = match violation.kind {
        Kind::Lost(reg) => format!("the value of {} is not where it is read", own(reg)),
        Kind::Assignment(reg) => format!("{} lies outside its file or is not aligned", given(reg)),
        Kind::Vector => "the elements of the vector are not consecutive and aligned".to_owned(),
        Kind::Overlap => "two results share a register".to_owned(),
        Kind::Changed => "something other than its registers was changed, left out or put in another order".to_owned(),
        Kind::Unordered => {
            "no bar.warp.sync of all lanes stands between two accesses to the warp's part of shared memory".to_owned()
        }
        Kind::Base => "the part of shared memory for spilling is not computed as it must be, or overlaps".to_owned(),
    };
    let number = line.map_or_else(String::new, |line| format!("line {line}, "));
    (format!("{kernel}: the allocation is wrong: {number}`{quoted}`: {what}"), span)
}

/// Where a violation showed, among the instructions of the kernel that was allocated.
struct Place {
    block: Block,
    /// `None` for the end of the block.
    inst: Option<Inst>,
}

impl Place {
    /// Spill code has no place in the text: the instruction behind it stands for it.
    fn new(violation: &Violation, allocation: &Allocation) -> Self {
        let block = violation.block;
        let own = |inst: &Inst| (inst.as_u32() as usize) < allocation.prepared.insts.len();
        let Some(inst) = violation.inst else { return Self { block, inst: None } };
        let insts = &allocation.func().blocks[block].insts;
        let at = insts.iter().position(|other| *other == inst);
        let behind = at.and_then(|at| insts[at..].iter().copied().find(own));
        Self { block, inst: if own(&inst) { Some(inst) } else { behind } }
    }

    fn quote(&self, allocation: &Allocation) -> String {
        Quotes::new(&allocation.module, &allocation.prepared).line(self.block, self.inst)
    }
}

/// The name that a line of the user's gives to a register of the printed instruction: the one at the same position. `None` where
/// the line holds other registers than the instruction, such as those of two statements.
fn name_in<'a>(line: &'a str, printed: &str, name: &str) -> Option<&'a str> {
    let (theirs, ours): (Vec<&str>, Vec<&str>) = (registers(line).collect(), registers(printed).collect());
    let at = ours.iter().position(|other| *other == name)?;
    (theirs.len() == ours.len()).then(|| theirs[at])
}

/// The names that begin with a percent sign.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('%').map(|(start, _)| {
        let rest = &text[start + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        &text[start..start + 1 + end]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_called_as_in_the_text() {
        let line = "@%idle add.s32 %sum, %left, %tid.x; // %left";
        assert_eq!(registers("@%idle add.s32 %sum, %tid.x").collect::<Vec<_>>(), ["%idle", "%sum", "%tid"]);
        assert_eq!(name_in("@%idle add.s32 %sum, %left, 1;", "@%p0 add.s32 %r4, %r2, 1;", "%r2"), Some("%left"));
        assert_eq!(name_in(line, "@%p0 add.s32 %r4, %r2, %tid.x;", "%r2"), None, "the comment has a register more");
    }
}

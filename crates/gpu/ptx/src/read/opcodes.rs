//! Texts that ptxas refuses although they look like statements: opcodes that PTX does not have, and statements that lack their semicolon.

use super::{Reader, Rule, first_line};
use pest::iterators::Pair;

/// The names of PTX ISA's instructions, from version 1.0 to 9.0.
const OPCODES: [&str; 135] = [
    "abs",
    "activemask",
    "add",
    "addc",
    "alloca",
    "and",
    "applypriority",
    "atom",
    "bar",
    "barrier",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "bra",
    "brev",
    "brkpt",
    "brx",
    "call",
    "clusterlaunchcontrol",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cp",
    "createpolicy",
    "cvt",
    "cvta",
    "discard",
    "div",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "exit",
    "fence",
    "fma",
    "fns",
    "getctarank",
    "griddepcontrol",
    "isspacep",
    "istypep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "mapa",
    "match",
    "max",
    "mbarrier",
    "membar",
    "min",
    "mma",
    "mov",
    "movmatrix",
    "mul",
    "mul24",
    "multimem",
    "nanosleep",
    "neg",
    "not",
    "or",
    "pmevent",
    "popc",
    "prefetch",
    "prefetchu",
    "prmt",
    "rcp",
    "red",
    "redux",
    "rem",
    "ret",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setmaxnreg",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "st",
    "stackrestore",
    "stacksave",
    "stmatrix",
    "sub",
    "subc",
    "suld",
    "suq",
    "sured",
    "sust",
    "szext",
    "tanh",
    "tcgen05",
    "tensormap",
    "testp",
    "tex",
    "tld4",
    "trap",
    "txq",
    "vabsdiff",
    "vabsdiff2",
    "vabsdiff4",
    "vadd",
    "vadd2",
    "vadd4",
    "vavrg2",
    "vavrg4",
    "vmad",
    "vmax",
    "vmax2",
    "vmax4",
    "vmin",
    "vmin2",
    "vmin4",
    "vote",
    "vset",
    "vset2",
    "vset4",
    "vshl",
    "vshr",
    "vsub",
    "vsub2",
    "vsub4",
    "wgmma",
    "wmma",
    "xor",
];

impl<'a> Reader<'a> {
    /// Whether PTX has the opcode; else an error.
    pub(super) fn has_opcode(&mut self, item: &Pair<'a, Rule>, opcode: &str) -> bool {
        let name = opcode.split(['.', ':']).next().unwrap_or_default();
        let known = OPCODES.contains(&name);
        if !known {
            self.error(item, "ptx::opcode", format!("PTX has no instruction {name}"));
        }
        known
    }

    /// Whether the statement is one: behind an operand comes a separator, not another operand. Else an error.
    pub(super) fn is_one(&mut self, item: &Pair<'a, Rule>) -> bool {
        let mut pieces = item.clone().into_inner().filter(|part| part.as_rule() == Rule::piece);
        // modifiers may stand apart from the opcode
        let (mut before, mut modifies, mut leads): (Option<Pair<'a, Rule>>, _, _) = (None, true, true);
        let mut open: i32 = 0;
        let misplaced = pieces.find(|piece| {
            let text = piece.as_str();
            let apart = before.as_ref().is_none_or(|before| before.as_span().end() < piece.as_span().start());
            let dot = before.as_ref().is_some_and(|before| before.as_str() == ".");
            modifies &= text == "." || dot && !apart;
            let closes = text.chars().any(|c| {
                open += i32::from(matches!(c, '{' | '[' | '(')) - i32::from(matches!(c, '}' | ']' | ')'));
                open < 0
            });
            // a dot behind a register selects a part of it; behind another name it begins the modifiers of a next instruction
            let dotted =
                text == "." && !modifies && before.as_ref().is_some_and(|before| !before.as_str().starts_with('%'));
            let follows = !leads && (dotted || begins_operand(text));
            leads = modifies || !ends_operand(text);
            before = Some(piece.clone());
            closes || follows
        });
        if let Some(piece) = &misplaced {
            let text = format!("a semicolon is missing in front of \"{}\"", first_line(piece.as_str()));
            self.error(piece, "ptx::semicolon", text);
        } else if open != 0 {
            self.error(item, "ptx::syntax", "a bracket is not closed");
        }
        misplaced.is_none() && open == 0
    }
}

/// Whether an operand may end with the text.
fn ends_operand(text: &str) -> bool {
    text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | ']' | '}' | ')' | '"'))
}

/// Whether the text, which blanks may stand in front of, begins an operand or a statement.
fn begins_operand(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '%' | '{' | '@' | '"'))
}

//! Texts that ptxas refuses although they look like statements: opcodes that PTX does not have, and statements that lack their semicolon.

use super::{Reader, Rule, first_line};
use crate::opcodes;
use pest::iterators::Pair;

impl<'a> Reader<'a> {
    /// Whether PTX has the opcode; else an error.
    pub(super) fn has_opcode(&mut self, item: &Pair<'a, Rule>, opcode: &str) -> bool {
        let name = opcode.split(['.', ':']).next().unwrap_or_default();
        let known = opcodes::exists(name);
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

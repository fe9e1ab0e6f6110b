//! Operands of instructions that are kept verbatim.

use super::inst::{Address, Base, Operand, Piece};
use super::ir::{Module, Reg};
use super::names::WARP_SIZE;

/// The operands between the commas that stand in no braces.
pub(super) fn operands(module: &Module, pieces: &[Piece]) -> Option<Vec<Item>> {
    let tokens = tokens(pieces);
    parts(&tokens).into_iter().map(|part| item(module, part)).collect()
}

/// A list of registers in braces, or something else.
pub(super) enum Part {
    List(Vec<Reg>),
    Item(Item),
}

/// The same, with lists of registers in braces.
pub(super) fn operands_with_lists(module: &Module, pieces: &[Piece]) -> Option<Vec<Part>> {
    let tokens = tokens(pieces);
    let operand = |part: &[Token]| match part {
        [Token::Mark('{'), inner @ .., Token::Mark('}')] => {
            let register = |part: &[Token]| match part {
                [Token::Reg(reg)] => Some(*reg),
                _ => None,
            };
            let registers = parts(inner).into_iter().map(register).collect::<Option<Vec<Reg>>>()?;
            Some(Part::List(registers))
        }
        other => Some(Part::Item(item(module, other)?)),
    };
    parts(&tokens).into_iter().map(operand).collect()
}

/// Splits the tokens at the commas outside of brackets and braces.
fn parts<'t, 'p>(tokens: &'t [Token<'p>]) -> Vec<&'t [Token<'p>]> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('[' | '{') => depth += 1,
            Token::Mark(']' | '}') => depth -= 1,
            Token::Mark(',') if depth == 0 => {
                parts.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !tokens.is_empty() {
        parts.push(&tokens[start..]);
    }
    parts
}

/// An operand of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Value(Operand),
    /// `_`
    Sink,
    At(Address),
    /// `[map, {coordinates}]`
    Tensor,
    /// `a|b`
    Pair(Option<Reg>, Option<Reg>),
}

impl Item {
    /// The operand, if it is a register, a number or the address of a variable.
    pub(super) fn value(&self) -> Option<Operand> {
        match self {
            Self::Value(operand) => Some(*operand),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    Reg(Reg),
    Word(&'a str),
    Mark(char),
}

fn tokens(pieces: &[Piece]) -> Vec<Token<'_>> {
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%'));
    let mut tokens = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Reg(reg) => tokens.push(Token::Reg(*reg)),
            Piece::Text(text) if is_word(text) => tokens.push(Token::Word(text)),
            Piece::Text(text) => tokens.extend(text.chars().map(Token::Mark)),
        }
    }
    tokens
}

fn item(module: &Module, tokens: &[Token]) -> Option<Item> {
    let variable =
        |name: &str| module.variables.iter().find(|(_, data)| data.name == name).map(|(variable, _)| variable);
    let base = |token: &Token| match token {
        Token::Reg(reg) => Some(Base::Reg(*reg)),
        Token::Word(name) => variable(name).map(Base::Variable),
        Token::Mark(_) => None,
    };
    let half = |token: &Token| match token {
        Token::Reg(reg) => Some(Some(*reg)),
        Token::Word("_") => Some(None),
        _ => None,
    };
    match tokens {
        [Token::Mark('['), .., Token::Mark('}'), Token::Mark(']')] => Some(Item::Tensor),
        [Token::Mark('['), inner, Token::Mark(']')] => Some(Item::At(Address { base: base(inner)?, offset: 0 })),
        [Token::Mark('['), inner, Token::Mark('+'), rest @ .., Token::Mark(']')] => {
            Some(Item::At(Address { base: base(inner)?, offset: number(rest)? as i64 }))
        }
        [a, Token::Mark('|'), b] => Some(Item::Pair(half(a)?, half(b)?)),
        [Token::Reg(reg)] => Some(Item::Value(Operand::Reg(*reg))),
        [Token::Word("_")] => Some(Item::Sink),
        [Token::Word(name)] if variable(name).is_some() => Some(Item::Value(Operand::Variable(variable(name)?))),
        rest => number(rest).map(|bits| Item::Value(Operand::Imm(bits))),
    }
}

/// The bits of an integer, or of a number in single precision.
fn number(tokens: &[Token]) -> Option<u64> {
    match tokens {
        [Token::Mark('-'), rest @ ..] => number(rest).map(u64::wrapping_neg),
        [Token::Word(name)] if *name == WARP_SIZE.0 => Some(WARP_SIZE.1),
        [Token::Word(digits)] => {
            if let Some(hex) = digits.strip_prefix("0f").or(digits.strip_prefix("0F")) {
                return u32::from_str_radix(hex, 16).ok().map(u64::from);
            }
            let digits = digits.trim_end_matches(['u', 'U']);
            match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                Some(hex) => u64::from_str_radix(hex, 16).ok(),
                None => digits.parse().ok(),
            }
        }
        _ => None,
    }
}

//! Reads operands from their text.

use crate::instruction::{File, Operand, Part, Register};

/// Splits the text behind an instruction's name. Commas separate operands; blanks do if the disassembler leaves the comma out.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let text = text.split_once("(*").map_or(text, |(before, _)| before);
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            ',' | ' ' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Reads the guard behind `@`.
pub(crate) fn guard(text: &str) -> Option<Operand> {
    let (negate, name) = text.strip_prefix('!').map_or((false, text), |name| (true, name));
    predicate(name, negate)
}

/// Reads an operand; `None` if a label has no place. `place` finds labels.
pub(crate) fn read(text: &str, place: &impl Fn(&str) -> Option<u32>) -> Option<Operand> {
    if let Some(label) = text.strip_prefix("`(").and_then(|rest| rest.strip_suffix(')')) {
        return place(label).map(Operand::Label);
    }
    let known = plain(text).or_else(|| signed(text)).or_else(|| address(text));
    Some(known.unwrap_or_else(|| Operand::Unknown(text.into())))
}

/// Reads operands that take no sign.
fn plain(text: &str) -> Option<Operand> {
    if let Some(rest) = text.strip_prefix("desc[") {
        let (_, rest) = rest.split_once(']')?;
        return memory(rest);
    }
    if text.starts_with('[') {
        return memory(text);
    }
    if let Some(name) = text.strip_prefix('!') {
        return predicate(name, true);
    }
    match text {
        "PR" => return Some(Operand::Predicates(File::General)),
        "CC" => return Some(Operand::ConditionCode("".into())),
        "UPR" => return Some(Operand::Predicates(File::Uniform)),
        _ => {}
    }
    if let Some(test) = text.strip_prefix("CC.") {
        return Some(Operand::ConditionCode(test.into()));
    }
    if text.starts_with("SR_") || text == "SRZ" {
        return Some(Operand::Special(text.into()));
    }
    let numbered = |prefix: &str| text.strip_prefix(prefix)?.parse::<u8>().ok();
    let barrier = numbered("B").map(Operand::Convergence);
    barrier.or_else(|| numbered("SB").map(Operand::Scoreboard)).or_else(|| predicate(text, false))
}

fn predicate(name: &str, negate: bool) -> Option<Operand> {
    let (file, rest) = match name.strip_prefix("UP") {
        Some(rest) => (File::Uniform, rest),
        None => (File::General, name.strip_prefix('P')?),
    };
    let number = match rest {
        "T" => None,
        rest => Some(rest.parse::<u8>().ok().filter(|number| *number < 7)?),
    };
    Some(Operand::Predicate { file, number, negate })
}

/// Reads registers, constants and numbers.
fn signed(text: &str) -> Option<Operand> {
    if let Some(number) = number(text) {
        return Some(number);
    }
    let (negate, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (invert, text) = text.strip_prefix('~').map_or((false, text), |rest| (true, rest));
    let inner = text.strip_prefix('|').and_then(|rest| rest.strip_suffix('|'));
    // the mark of the reuse cache may stand behind the bar
    let inner = inner.or_else(|| text.strip_prefix('|').and_then(|rest| rest.strip_suffix("|.reuse")));
    let (absolute, text) = inner.map_or((false, text), |inner| (true, inner));
    if let Some(rest) = text.strip_prefix("c[") {
        let (bank, rest) = rest.split_once("][")?;
        let (terms, offset) = sum(rest.strip_suffix(']')?)?;
        let bank = u8::try_from(integer(bank)?).ok()?;
        let index = match terms[..] {
            [] => None,
            [register] => Some(register),
            _ => return None,
        };
        return Some(Operand::Constant { bank, index, offset, negate, absolute, invert });
    }
    Some(Operand::Register(Register { negate, absolute, invert, ..register(text)? }))
}

fn number(text: &str) -> Option<Operand> {
    if let Some(integer) = integer(text) {
        return Some(Operand::Integer(integer));
    }
    let real = match text {
        "+INF" => f64::INFINITY,
        "-INF" => f64::NEG_INFINITY,
        // Only the encoding distinguishes the NaNs.
        "+QNAN" | "QNAN" | "+SNAN" | "SNAN" => f64::NAN,
        "-QNAN" | "-SNAN" => -f64::NAN,
        _ if text.trim_start_matches(['-', '+']).starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
            text.parse().ok()?
        }
        _ => return None,
    };
    Some(Operand::Real(real))
}

/// Reads an integer, which is hexadecimal.
fn integer(text: &str) -> Option<i64> {
    let (negate, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = i64::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
    Some(if negate { -value } else { value })
}

fn register(text: &str) -> Option<Register> {
    let mut words = text.split('.');
    let name = words.next()?;
    let (file, rest) = match name.strip_prefix("UR") {
        Some(rest) => (File::Uniform, rest),
        None => (File::General, name.strip_prefix('R')?),
    };
    let number = match rest {
        "Z" => None,
        rest => Some(rest.parse().ok()?),
    };
    let mut part = Part::Whole;
    for word in words {
        part = match word {
            "reuse" => part,
            "64" => Part::Wide,
            "U32" => Part::Unsigned,
            "CC" => Part::WithConditionCode,
            word => Part::Other(CUTS.iter().find(|cut| **cut == word)?),
        };
    }
    Some(Register { file, number, part, negate: false, absolute: false, invert: false })
}

/// Suffixes of scaled and cut registers.
const CUTS: [&str; 12] = ["X4", "X8", "X16", "H0", "H1", "H0_H0", "H1_H1", "H0_NH1", "B0", "B1", "B2", "B3"];

/// Reads `[R2.64+UR4+0x10]`.
fn memory(text: &str) -> Option<Operand> {
    let (terms, offset) = sum(text.strip_prefix('[')?.strip_suffix(']')?)?;
    Some(Operand::Memory { terms, offset })
}

/// Reads registers and numbers with signs between them.
fn sum(text: &str) -> Option<(Vec<Register>, i64)> {
    let (mut terms, mut offset) = (Vec::new(), 0i64);
    for term in text.split('+').map(str::trim) {
        match integer(term) {
            Some(number) => offset = offset.checked_add(number)?,
            None => terms.push(register(term)?),
        }
    }
    Some((terms, offset))
}

/// Reads `32@lo(table)`.
fn address(text: &str) -> Option<Operand> {
    let (high, rest) = match text.strip_prefix("32@hi(") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("32@lo(")?),
    };
    Some(Operand::Address { symbol: rest.strip_suffix(')')?.into(), high })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Operand {
        read(text, &|label| (label == ".L").then_some(0x40)).unwrap()
    }

    fn general(number: Option<u8>) -> Register {
        Register { file: File::General, number, part: Part::Whole, negate: false, absolute: false, invert: false }
    }

    #[test]
    fn operands_of_each_kind() {
        assert_eq!(one("R12.reuse"), Operand::Register(general(Some(12))));
        assert_eq!(one("-|R12|"), Operand::Register(Register { negate: true, absolute: true, ..general(Some(12)) }));
        assert_eq!(one("~RZ"), Operand::Register(Register { invert: true, ..general(None) }));
        assert_eq!(one("-UR4"), Operand::Register(Register { file: File::Uniform, negate: true, ..general(Some(4)) }));
        assert_eq!(one("!UPT"), Operand::Predicate { file: File::Uniform, number: None, negate: true });
        assert_eq!(
            [one("-0x858"), one("1"), one("-1e-3")],
            [Operand::Integer(-0x858), Operand::Real(1.0), Operand::Real(-0.001)]
        );
        assert_eq!(one("+INF"), Operand::Real(f64::INFINITY));
        assert!(matches!(one("-SNAN"), Operand::Real(nan) if nan.is_nan()));
        let index = Some(general(Some(0)));
        let constant = |bank, index, offset| Operand::Constant {
            bank,
            index,
            offset,
            negate: false,
            absolute: false,
            invert: false,
        };
        assert_eq!(one("c[0x2][R0+0x18]"), constant(2, index, 0x18));
        assert_eq!(one("c[0x0][0x210]"), constant(0, None, 0x210));
        let wide = Register { part: Part::Wide, ..general(Some(2)) };
        assert_eq!(one("desc[UR6][R2.64+-0x800]"), Operand::Memory { terms: vec![wide], offset: -0x800 });
        let uniform = Register { file: File::Uniform, ..general(Some(4)) };
        assert_eq!(one("[R2+UR4+0x8]"), Operand::Memory { terms: vec![general(Some(2)), uniform], offset: 8 });
        assert_eq!(one("32@hi(k_reals)"), Operand::Address { symbol: "k_reals".into(), high: true });
        assert_eq!(
            [one("`(.L)"), one("B3"), one("SB0")],
            [Operand::Label(0x40), Operand::Convergence(3), Operand::Scoreboard(0)]
        );
        let flagged = Register { part: Part::WithConditionCode, ..general(None) };
        assert_eq!([one("RZ.CC"), one("CC.NEU")], [Operand::Register(flagged), Operand::ConditionCode("NEU".into())]);
        assert_eq!(one("{5,4}"), Operand::Unknown("{5,4}".into()));
        assert_eq!(read("`(.nowhere)", &|_| None), None);
    }

    #[test]
    fn commas_and_blanks_part_operands() {
        assert_eq!(split("P1, `(.L_x_297) "), ["P1", "`(.L_x_297)"]);
        assert_eq!(split("R78 `(k)"), ["R78", "`(k)"]);
        assert_eq!(split("R2 -0x690   (*\"BRANCH_TARGETS a,b\"*)"), ["R2", "-0x690"]);
        assert_eq!(split(""), [""; 0]);
    }
}

//! Listings of nvdisasm: labels and instructions of each section with code.
//!
//! ```text
//!         .section        .text.kernel,"ax",@progbits
//! .L_x_1:
//!         /*0610*/               @P0 BRA `(.L_x_1) ;
//! ```

use crate::instruction::{Instruction, Operand};
use crate::operand;
use diagnostics::{Diagnostic, Source, Span};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Reads the instructions of each kernel, in the order of their addresses.
///
/// # Errors
/// Lines that are no instructions, and labels without a place.
pub(crate) fn read(listing: &Arc<Source>) -> Result<BTreeMap<String, Vec<Instruction>>, Vec<Diagnostic>> {
    let mut wrong = Vec::new();
    let mut codes: BTreeMap<String, Vec<Line<'_>>> = BTreeMap::new();
    // a label stands for the next instruction
    let mut labels: HashMap<(&str, &str), u32> = HashMap::new();
    let (mut section, mut open) = ("", Vec::new());
    for (number, text) in (1..).zip(listing.text.lines()) {
        let trimmed = text.trim();
        if let Some(rest) = trimmed.strip_prefix(".section").filter(|rest| rest.starts_with(char::is_whitespace)) {
            section = rest.trim_start().split([',', ' ']).next().unwrap_or_default();
            section = section.strip_prefix(".text.").unwrap_or("");
            open.clear();
        } else if section.is_empty() {
            continue;
        } else if let Some(label) = label(text) {
            open.push(label);
        } else if trimmed.starts_with("/*") && !trimmed.starts_with("/* ") {
            match line(trimmed, number) {
                Some(line) => {
                    labels.extend(open.drain(..).map(|label| ((section, label), line.address)));
                    codes.entry(section.to_owned()).or_default().push(line);
                }
                None => wrong.push(unreadable(listing, number)),
            }
        }
    }
    let mut read = BTreeMap::new();
    for (section, lines) in &codes {
        let place = |label: &str| {
            let place = labels.get(&(section.as_str(), label)).copied();
            place.or_else(|| (label == section).then_some(0))
        };
        let mut instructions = Vec::with_capacity(lines.len());
        for line in lines {
            match instruction(line, &place) {
                Some(instruction) => instructions.push(instruction),
                None => wrong.push(unreadable(listing, line.number)),
            }
        }
        read.insert(section.clone(), instructions);
    }
    if wrong.is_empty() { Ok(read) } else { Err(wrong) }
}

/// An instruction as it is in the listing.
struct Line<'t> {
    number: u32,
    address: u32,
    text: &'t str,
}

fn unreadable(listing: &Arc<Source>, line: u32) -> Diagnostic {
    let span = Span::of_line(listing, line);
    Diagnostic::error("sass::syntax", format!("`{}` cannot be read", span.text()))
        .at(span)
        .help("the listing must be what `nvdisasm -c` prints")
}

/// Returns the label at the start of a line.
fn label(text: &str) -> Option<&str> {
    text.strip_suffix(':').filter(|label| !label.is_empty() && !label.starts_with(char::is_whitespace))
}

/// Reads `/*0610*/ @P0 BRA … ; /* encoding */`.
fn line(text: &str, number: u32) -> Option<Line<'_>> {
    let (address, rest) = text.strip_prefix("/*")?.split_once("*/")?;
    let address = u32::from_str_radix(address, 16).ok()?;
    let (text, _) = rest.split_once(';')?;
    // two instructions that are issued together stand in braces
    let text = text.trim().trim_start_matches(['{', '}']).trim();
    Some(Line { number, address, text })
}

fn instruction(line: &Line<'_>, place: &impl Fn(&str) -> Option<u32>) -> Option<Instruction> {
    let (guard, text) = match line.text.strip_prefix('@') {
        Some(rest) => {
            let (guard, rest) = rest.split_once(' ')?;
            (Some(operand::guard(guard)?), rest.trim_start())
        }
        None => (None, line.text),
    };
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let operands: Option<Vec<Operand>> =
        operand::split(rest).into_iter().map(|text| operand::read(text, place)).collect();
    Some(Instruction {
        address: line.address,
        line: line.number,
        guard,
        name: name.into(),
        operands: operands?,
        joins: false,
        encoding: None,
        nan: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::{File, Part, Register};

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source { name: "k.cubin".to_owned(), text: text.to_owned() })
    }

    const LISTING: &str = "\t.headerflags\t@\"EF_CUDA_SM90\"\n\
        //--------------------- .text.k --------------------------\n\
        \t.section\t.text.k,\"ax\",@progbits\n\
        \t.sectionflags\t@\"SHF_BARRIERS=2\"\n\
        k:\n\
        .text.k:\n\
        \x20       /*0000*/                   LDC R1, c[0x0][0x28] ;  /* 0x00000a00ff017b82 */\n\
        \x20                                                           /* 0x000e240000000800 */\n\
        .L_x_1:\n\
        \x20       /*0010*/              @!P0 BRA `(.L_x_1) ;\n\
        .L_x_2:\n\
        \x20       /*0020*/                   BRX R2 -0x30  (*\"BRANCH_TARGETS .text.k\"*) ;\n\
        $k$slow:\n\
        \x20       /*0030*/                   RET.REL.NODEC R4 `(k) ;\n";

    #[test]
    fn labels_become_addresses() {
        let codes = read(&source(LISTING)).unwrap();
        let code = &codes["k"];
        assert_eq!(code.iter().map(|i| i.address).collect::<Vec<_>>(), [0, 0x10, 0x20, 0x30]);
        assert_eq!(code[1].operands, [Operand::Label(0x10)]);
        assert_eq!(code[1].guard, Some(Operand::Predicate { file: File::General, number: Some(0), negate: true }));
        let register = |number| {
            let file = File::General;
            Operand::Register(Register {
                file,
                number: Some(number),
                part: Part::Whole,
                negate: false,
                absolute: false,
                invert: false,
            })
        };
        assert_eq!(code[2].operands, [register(2), Operand::Integer(-0x30)]);
        assert_eq!(code[3].operands, [register(4), Operand::Label(0)]);
        assert_eq!((code[3].operation(), code[3].has("NODEC"), code[3].line), ("RET", true, 14));
    }

    #[test]
    fn what_cannot_be_read_is_quoted() {
        let text = LISTING.replace("`(.L_x_1)", "`(.L_x_9)").replace("/*0000*/", "/*00x0*/");
        let wrong = read(&source(&text)).unwrap_err();
        let said: Vec<_> = wrong.iter().map(|d| (d.id, d.span.as_ref().unwrap().line_column().0)).collect();
        assert_eq!(said, [("sass::syntax", 7), ("sass::syntax", 10)]);
    }
}

//! Operands of a body that become inputs of it, and those that stay.

use super::body::{Body, Inst};

/// Result of moving the operands of a body: sources that become inputs behind the others, and row operands that stay, in their new order.
#[derive(Debug, Clone)]
pub struct Moved<Source> {
    pub to_inputs: Vec<Source>,
    pub kept: Vec<u32>,
}

/// The body in which sources that `becomes` returns are inputs behind `inputs` others; an instruction that it returns stays as that, and
/// its row operands are numbered anew.
pub fn moved<Source: Copy + PartialEq>(
    body: &Body,
    inputs: usize,
    becomes: impl Fn(Inst) -> Result<Source, Inst>,
) -> (Body, Moved<Source>) {
    let mut moved = Moved { to_inputs: Vec::new(), kept: Vec::new() };
    let mut new = body.clone();
    for inst in &mut new.insts {
        *inst = match becomes(*inst) {
            Ok(source) => Inst::Input(inputs as u32 + place(&mut moved.to_inputs, source)),
            Err(Inst::Field { array, operand, share }) => {
                Inst::Field { array, operand: place(&mut moved.kept, operand), share }
            }
            Err(other) => other,
        };
    }
    (new, moved)
}

/// The place of an entry, which is added where it is not there yet.
fn place<T: Copy + PartialEq>(list: &mut Vec<T>, entry: T) -> u32 {
    let found = list.iter().position(|&known| known == entry);
    found.unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    }) as u32
}

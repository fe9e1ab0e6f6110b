//! Quotients, reciprocals and roots of singles without special cases, as device functions.

use graph::single::branch_free::{Operand, Sequence, Step};
pub use graph::single::branch_free::{QUOTIENT, RECIPROCAL, ROOT};

/// A variable for each step. The estimate is in assembly, as CUDA C++ has no function for it; its operand and its result are `b` and `y` in all of them.
pub fn definition(name: &str, sequence: Sequence) -> String {
    let reads_dividend = sequence.iter().any(|(_, step)| operands(step).contains(&Operand::A));
    let (about, parameters) = match reads_dividend {
        true => ("a/b, rounded correctly, where neither is special: from 2^-60 to 2^60.", "float a, float b"),
        false if sequence == ROOT => {
            ("The root of b, rounded correctly, where b is not special: from 2^-60 to 2^60.", "float b")
        }
        false => ("1/b, rounded correctly, where b is not special: from 2^-60 to 2^60.", "float b"),
    };
    let mut text = format!("// {about}\nINLINE float {name}({parameters})\n{{\n");
    let read = |operand: Operand| match operand {
        Operand::A => "a",
        Operand::B => "b",
        Operand::Step(n) => sequence[n].0,
        Operand::One => "1.0f",
        Operand::Half => "0.5f",
    };
    for (n, (name, step)) in sequence.iter().enumerate() {
        let value = match *step {
            Step::EstimateReciprocal | Step::EstimateReciprocalRoot => {
                let instruction = if *step == Step::EstimateReciprocal { "rcp" } else { "rsqrt" };
                text += &format!(
                    "  float {name};\n  asm(\"{instruction}.approx.ftz.f32 %0, %1;\" : \"=f\"({name}) : \"f\"(b));\n"
                );
                continue;
            }
            Step::Product([a, b]) => format!("__fmul_rn({}, {})", read(a), read(b)),
            Step::Fused([a, b, c]) => format!("__fmaf_rn({}, {}, {})", read(a), read(b), read(c)),
            Step::MinusFused([a, b, c]) => format!("__fmaf_rn(-{}, {}, {})", read(a), read(b), read(c)),
        };
        text += &match n + 1 == sequence.len() {
            true => format!("  return {value};\n"),
            false => format!("  const float {name} = {value};\n"),
        };
    }
    text + "}\n"
}

fn operands(step: &Step) -> &[Operand] {
    match step {
        Step::EstimateReciprocal | Step::EstimateReciprocalRoot => &[],
        Step::Product(operands) => operands,
        Step::Fused(operands) | Step::MinusFused(operands) => operands,
    }
}

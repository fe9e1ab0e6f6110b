//! Numbers and constant tables as text.

use super::body::Needs;
use super::decimal::is_near_a_middle;
use crate::graph::{exp2, log2};
use crate::overlay::program::{Constants, Program};

/// A double in the fewest digits that every compiler reads back as the same bits: 17 where fewer might be misread
/// ([`is_near_a_middle`]).
///
/// Numbers that are not finite have no literal in C; they are spelt as a device function of their bits, so they can stand
/// in code but not in tables, where the checked mechanism leaves none.
pub fn real(x: f64) -> String {
    if !x.is_finite() {
        format!("__longlong_as_double({:#018x}LL)", x.to_bits())
    } else if is_near_a_middle(x) {
        format!("{x:.16e}")
    } else {
        format!("{x:?}")
    }
}

/// The names of the banks of reals and of indices in shared memory.
pub const SHARED_BANKS: [&str; 2] = ["shared_reals", "shared_indices"];

/// The names of a kernel's tables.
#[derive(Debug, Clone)]
pub struct Names {
    pub reals: String,
    pub indices: String,
    pub real_bank: String,
    pub index_bank: String,
    pub powers: String,
    pub logarithms: String,
}

impl Names {
    pub fn new(symbol: &str) -> Self {
        Self {
            reals: format!("{symbol}_reals"),
            indices: format!("{symbol}_indices"),
            real_bank: format!("{symbol}_real_bank"),
            index_bank: format!("{symbol}_index_bank"),
            powers: format!("{symbol}_powers"),
            logarithms: format!("{symbol}_logarithms"),
        }
    }
}

/// The definitions of the tables that the body refers to, each followed by an empty line.
pub fn definitions(program: &Program, needs: &Needs, names: &Names) -> String {
    let Constants { reals, indices, real_bank, index_bank, real_registers, index_registers, .. } = &program.constants;
    // Banks are read by whole warps at one address, which is what constant memory is for; but it is small.
    let bank = if program.constants.in_constant_memory() { "__constant__" } else { "__device__" };
    let mut out = String::new();
    let register = |count: u32, length: usize| {
        let threads = length / count.max(1) as usize;
        format!("// Register r of thread t is at [{threads} * r + t]; the lanes of a warp share theirs by shuffles.\n")
    };
    if !needs.reals.is_empty() {
        out += &format!("// Constants.\n{}", register(*real_registers, reals.len()));
        out += &table("__device__", "double", &names.reals, reals.iter().map(|x| real(*x)));
    }
    if !needs.indices.is_empty() {
        out += &format!("// Rows, slots and numbers of rounds.\n{}", register(*index_registers, indices.len()));
        out += &table("__device__", "int", &names.indices, indices.iter().map(i32::to_string));
    }
    if needs.real_bank {
        out += "// Constants that all lanes of a warp read at one place\n";
        out += &table(bank, "double", &names.real_bank, real_bank.iter().map(|x| real(*x)));
    }
    if needs.index_bank {
        out += "// Rows, slots and numbers of rounds that all lanes of a warp read at one place\n";
        out += &table(bank, "int", &names.index_bank, index_bank.iter().map(i32::to_string));
    }
    if needs.helpers.iter().any(|helper| helper.reads_logarithms()) {
        let entries: Vec<String> = log2::ENTRIES.iter().flat_map(|&(c, l)| [real(c), real(l)]).collect();
        out += "// c and -log2 c by interval of the mantissa\n";
        out += &table("__device__", "double", &names.logarithms, entries.into_iter());
    }
    if needs.helpers.iter().any(|helper| helper.reads_powers()) {
        out += "// 2^(j/32)\n";
        out += &table("__device__", "double", &names.powers, exp2::TABLE.iter().map(|x| real(*x)));
    }
    out
}

fn table(space: &str, kind: &str, name: &str, items: impl ExactSizeIterator<Item = String>) -> String {
    format!("static {space} const {kind} {name}[{}] = {{\n{}\n}};\n\n", items.len(), wrapped(items))
}

/// Items with commas, in indented lines.
pub fn wrapped(items: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    let mut column = 1;
    for item in items {
        let width = item.len() + 2;
        if !out.is_empty() && column + width > 120 {
            out.push('\n');
            column = 1;
        }
        out.push_str(if column == 1 { "  " } else { " " });
        out.push_str(&item);
        out.push(',');
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_read_back_as_the_same_bits() {
        for x in [0.1, -0.0, 1e22, 5e-324, f64::MAX, 1.0 / 3.0, 6.02214076e23, -273.15] {
            assert_eq!(real(x).parse::<f64>().unwrap().to_bits(), x.to_bits());
            assert!(real(x).contains(['.', 'e']), "{} would be an integer", real(x));
        }
        // next to the middle between two doubles
        assert_eq!(real(-2.91861888317245e-9), "-2.9186188831724498e-9");
        assert_eq!([0.0, 1e-300, 2.220446049250313e-16].map(real), ["0.0", "1e-300", "2.220446049250313e-16"]);
        assert_eq!(real(f64::NEG_INFINITY), "__longlong_as_double(0xfff0000000000000LL)");
    }
}

//! Numbers and constant tables as text.

use super::decimal::is_near_a_middle;
use super::dialect::Dialect;
use super::numbers::Numbers;
use lower::code::{Code, Table, TableKind, Values};

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

/// The type and the name of a bank in shared memory.
pub fn shared_bank(bank: TableKind, numbers: Numbers) -> (&'static str, &'static str) {
    if bank == TableKind::RealBank { (numbers.real(), SHARED_BANKS[0]) } else { ("int", SHARED_BANKS[1]) }
}

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
        let name = |table: TableKind| format!("{symbol}_{}", table.name());
        Self {
            reals: name(TableKind::Reals),
            indices: name(TableKind::Indices),
            real_bank: name(TableKind::RealBank),
            index_bank: name(TableKind::IndexBank),
            powers: name(TableKind::Powers),
            logarithms: name(TableKind::Logarithms),
        }
    }

    pub fn name(&self, table: TableKind) -> &str {
        match table {
            TableKind::Reals => &self.reals,
            TableKind::Indices => &self.indices,
            TableKind::RealBank => &self.real_bank,
            TableKind::IndexBank => &self.index_bank,
            TableKind::Logarithms => &self.logarithms,
            TableKind::Powers => &self.powers,
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        [&self.reals, &self.indices, &self.real_bank, &self.index_bank, &self.powers, &self.logarithms]
            .into_iter()
            .map(String::as_str)
    }
}

/// The definitions of the tables, each followed by an empty line.
pub fn definitions(code: &Code, names: &Names, dialect: Dialect) -> String {
    code.tables.iter().map(|table| definition(code, table, names, dialect)).collect()
}

fn definition(code: &Code, Table { kind, is_constant, values }: &Table, names: &Names, dialect: Dialect) -> String {
    let threads = 32 * code.execution.warps();
    let register =
        format!("// Register r of thread t is at [{threads} * r + t]; the lanes of a warp share theirs by shuffles.\n");
    let about = match kind {
        TableKind::Reals => &format!("// Constants.\n{register}"),
        TableKind::Indices => &format!("// Rows, slots and numbers of rounds.\n{register}"),
        TableKind::RealBank => "// Constants that all lanes of a warp read at one place\n",
        TableKind::IndexBank => "// Rows, slots and numbers of rounds that all lanes of a warp read at one place\n",
        TableKind::Logarithms => "// c and -log2 c by interval of the mantissa\n",
        TableKind::Powers => "// 2^(j/256), j 2^44 less in its bits\n",
    };
    let (space, name) = (if *is_constant { "__constant__" } else { "static __device__" }, names.name(*kind));
    // Clang takes no constant that other files see for a literal.
    let space = if *is_constant && !dialect.is_hip() { "static __constant__" } else { space };
    let definition = match values {
        Values::Reals(values) => {
            let numbers = Numbers::from_code(code);
            table(space, numbers.real(), name, values.iter().map(|x| numbers.literal(*x)))
        }
        Values::Integers(values) => table(space, "int", name, values.iter().map(i32::to_string)),
    };
    format!("{about}{definition}")
}

fn table(space: &str, kind: &str, name: &str, items: impl ExactSizeIterator<Item = String>) -> String {
    // Reals in constant memory stay there: compilers would make literals of a `const` table that is read at known places, and
    // put them together again where they are used. Whole numbers they have room for.
    let constant = if space.ends_with("__constant__") && kind != "int" { "" } else { "const " };
    format!("{space} {constant}{kind} {name}[{}] = {{\n{}\n}};\n\n", items.len(), wrapped(items))
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

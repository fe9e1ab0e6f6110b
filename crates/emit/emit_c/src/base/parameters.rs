//! Parameters of kernels and functions, as C declares them.

use lower::code::Code;
use overlay::program::Array;

/// The declarations of all arrays, by their printed names.
pub(crate) fn pointers(code: &Code, names: &[String]) -> impl Iterator<Item = String> {
    code.arrays.iter().zip(names).map(|(array, name)| pointer(array, name))
}

/// The member of the mechanism's context that tells how many CTAs of a kernel the device holds.
pub(crate) fn context_member(symbol: &str, prefix: &str) -> String {
    let short = symbol.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).unwrap_or(symbol);
    format!("{short}_ctas")
}

/// The declaration of an array as a parameter.
pub(crate) fn pointer(array: &Array, name: &str) -> String {
    let constant = if array.output { "" } else { "const " };
    format!("{constant}{} *{name}", array.io.c_type())
}

pub(crate) fn sizes() -> [String; 2] {
    ["int points", "int stride"].map(str::to_owned)
}

/// A list of parameters that begins at this column, broken into lines.
pub(crate) fn list(mut column: usize, items: impl Iterator<Item = String>) -> String {
    let mut out = String::new();
    for item in items {
        column += item.len() + 2;
        if !out.is_empty() && column > 120 {
            out.push_str(",\n    ");
            column = 4 + item.len() + 2;
        } else if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&item);
    }
    out
}

//! Values that a search tries of a flag where nobody says.

use super::Common;
use kernels::{Form, Kernel};
use overlay::Codegen;

/// Values to try of one flag for a kernel in a layout; none where the flag keeps its default.
pub type Values = fn(Kernel, Codegen, &Common) -> Vec<String>;

pub fn nothing(_: Kernel, _: Codegen, _: &Common) -> Vec<String> {
    Vec::new()
}

pub fn warps(_: Kernel, codegen: Codegen, _: &Common) -> Vec<String> {
    if codegen == Codegen::Straight { texts([4, 8]) } else { texts([4, 8, 12, 16]) }
}

pub fn groups(_: Kernel, codegen: Codegen, _: &Common) -> Vec<String> {
    if codegen == Codegen::Straight { texts([1, 2, 3]) } else { Vec::new() }
}

pub fn ctas(_: Kernel, _: Codegen, _: &Common) -> Vec<String> {
    texts([1, 2])
}

pub fn points(_: Kernel, _: Codegen, _: &Common) -> Vec<String> {
    texts([1, 2])
}

/// Shared memory alone is what auto takes where it has room.
pub fn slots(_: Kernel, _: Codegen, _: &Common) -> Vec<String> {
    texts(["auto", "global"])
}

pub fn constants(_: Kernel, codegen: Codegen, _: &Common) -> Vec<String> {
    if codegen == Codegen::Overlay { texts(["stripe", "constant-bank", "shared"]) } else { Vec::new() }
}

pub fn forms(kernel: Kernel, _: Codegen, common: &Common) -> Vec<String> {
    texts(Form::allowed(kernel, common.fit_tolerance()))
}

pub fn matrices(kernel: Kernel, codegen: Codegen, common: &Common) -> Vec<String> {
    let has_matrices = Form::allowed(kernel, common.fit_tolerance()).iter().any(|form| form.has_matrices(kernel));
    let has_products = common.target.slots_per_matrix_product().is_some();
    match codegen {
        Codegen::Overlay | Codegen::Partial if has_matrices && has_products => texts(["dfma", "dmma"]),
        _ => Vec::new(),
    }
}

fn texts<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

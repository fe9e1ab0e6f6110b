//! Slots in global memory: rows of a workspace, which is a parameter.

use lower::code::Code;

/// The name of the workspace, and of the rows in it that the warp's group has.
pub const WORKSPACE: &str = "workspace";
pub const OWN_ROWS: &str = "own_rows";

/// The workspace as a parameter of the kernel, where there is one. Other warps write what a warp reads there, so that no cache for constants may have
/// it: the pointer is neither to constants nor the only way to what it points to.
pub fn parameter(code: &Code) -> Option<String> {
    code.slots.first_global.map(|_| format!("{} *{WORKSPACE}", code.slots.number.c_type()))
}

/// The declaration of the rows that a CTA with one group of warps has, a line where there are some.
pub fn rows_of_the_cta(code: &Code) -> String {
    let has_rows = code.slots.first_global.is_some() && code.execution.warp_groups() == 1;
    if has_rows { format!("  {}\n", own_rows(code)) } else { String::new() }
}

/// The declaration of the rows that the warp's group has.
pub fn own_rows(code: &Code) -> String {
    let ([_, rows], groups) = (code.rows_apart(), code.execution.warp_groups());
    let kind = code.slots.number.c_type();
    let part = if groups > 1 { format!("({groups} * blockIdx.x + warp_group)") } else { "blockIdx.x".to_owned() };
    format!("{kind} (*const {OWN_ROWS})[32] = ({kind} (*)[32]){WORKSPACE} + (size_t){rows} * {part};")
}

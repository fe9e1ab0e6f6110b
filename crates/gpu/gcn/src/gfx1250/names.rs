//! Names of gfx1250 for what CDNA does, too.

use crate::family::Family;
use std::borrow::Cow;

/// Returns CDNA's name of the same instruction, or the name itself.
pub fn common_name(name: &str, family: Family) -> Cow<'_, str> {
    if family == Family::Cdna {
        return Cow::Borrowed(name);
    }
    let base = name.strip_suffix("_e32").or_else(|| name.strip_suffix("_e64")).unwrap_or(name);
    if let Some((_, common)) = SAME.iter().find(|(own, _)| *own == base) {
        return Cow::Borrowed(common);
    }
    moving(base).map_or(Cow::Borrowed(name), Cow::Owned)
}

const SAME: [(&str, &str); 29] = [
    ("s_add_co_u32", "s_add_u32"),
    ("s_add_co_i32", "s_add_i32"),
    ("s_add_co_ci_u32", "s_addc_u32"),
    ("s_addk_co_i32", "s_addk_i32"),
    ("s_sub_co_u32", "s_sub_u32"),
    ("s_sub_co_i32", "s_sub_i32"),
    ("s_sub_co_ci_u32", "s_subb_u32"),
    ("s_and_not1_b32", "s_andn2_b32"),
    ("s_and_not1_b64", "s_andn2_b64"),
    ("s_or_not1_b32", "s_orn2_b32"),
    ("s_or_not1_b64", "s_orn2_b64"),
    ("s_and_not1_saveexec_b32", "s_andn2_saveexec_b32"),
    ("s_ctz_i32_b32", "s_ff1_i32_b32"),
    ("s_ctz_i32_b64", "s_ff1_i32_b64"),
    ("s_get_pc_i64", "s_getpc_b64"),
    ("s_set_pc_i64", "s_setpc_b64"),
    ("v_add_nc_u32", "v_add_u32"),
    ("v_sub_nc_u32", "v_sub_u32"),
    ("v_subrev_nc_u32", "v_subrev_u32"),
    ("v_add_co_ci_u32", "v_addc_co_u32"),
    ("v_sub_co_ci_u32", "v_subb_co_u32"),
    ("v_min_num_f64", "v_min_f64"),
    ("v_max_num_f64", "v_max_f64"),
    ("v_mad_co_u64_u32", "v_mad_u64_u32"),
    ("v_mad_co_i64_i32", "v_mad_i64_i32"),
    // The literal stands in the place of the operand that has its value.
    ("v_fmaak_f64", "v_fma_f64"),
    ("v_fmamk_f64", "v_fma_f64"),
    ("v_fmaak_f32", "v_fma_f32"),
    ("v_fmamk_f32", "v_fma_f32"),
];

/// Loads and stores, which tell bits where CDNA counts words.
fn moving(name: &str) -> Option<String> {
    let (space, rest) = name.split_once('_')?;
    let (direction, rest) = rest.split_once('_')?;
    match (space, direction) {
        ("s", "load") => Some(format!("s_load_{}", words(rest)?)),
        ("ds", "load" | "store") => {
            let direction = if direction == "load" { "read" } else { "write" };
            let rest = rest.replace("2addr_stride64_", "2st64_").replace("2addr_", "2_");
            Some(if rest.starts_with('2') { format!("ds_{direction}{rest}") } else { format!("ds_{direction}_{rest}") })
        }
        ("global" | "flat" | "scratch", "load" | "store") => {
            let size = match rest {
                "u8" => "ubyte",
                "i8" => "sbyte",
                "u16" => "ushort",
                "i16" => "sshort",
                "b8" => "byte",
                "b16" => "short",
                _ => return Some(format!("{space}_{direction}_{}", words(rest)?)),
            };
            Some(format!("{space}_{direction}_{size}"))
        }
        _ => None,
    }
}

fn words(bits: &str) -> Option<String> {
    let bits: u32 = bits.strip_prefix('b')?.parse().ok()?;
    match bits {
        32 => Some("dword".to_owned()),
        _ if bits.is_multiple_of(32) => Some(format!("dwordx{}", bits / 32)),
        _ => None,
    }
}

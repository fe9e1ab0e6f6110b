//! Assembly as LLVM prints it for AMD: the metadata that goes into the code object, the length of the code, and its instructions.

use serde::Serialize;
use std::collections::BTreeSet;

/// Resources and instructions of one kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Vector registers of a lane, accumulation registers included.
    pub vgprs: u32,
    /// Number of them that are accumulation registers.
    pub accumulation_vgprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Bytes of private memory of a lane, spills included.
    pub scratch_bytes: u32,
    /// Local memory (LDS) of a workgroup.
    pub lds_bytes: u32,
    pub spilled_vgprs: u32,
    pub spilled_sgprs: u32,
    pub code_bytes: u64,
    /// Waves of a SIMD, as reported by the compiler.
    pub waves_per_simd: u32,
    /// Instructions that a wave executes; `None` if the code has loops.
    pub instructions: Option<Counts>,
}

/// Instructions of a wave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Vector instructions: arithmetic and moves.
    pub vector: u64,
    /// Vector instructions that compute with doubles.
    pub doubles: u64,
    pub scalar: u64,
    /// Loads of constants by the scalar cache.
    pub scalar_loads: u64,
    /// Instructions on the LDS, permutations of lanes included.
    pub lds: u64,
    /// Loads and stores of global memory.
    pub global: u64,
    /// Loads and stores of private memory.
    pub scratch: u64,
}

/// Reads the figures of a kernel; `None` if the text has none.
pub fn read(text: &str, symbol: &str) -> Option<Listing> {
    let (_, metadata) = text.split_once(".amdgpu_metadata")?;
    let kernels = metadata.split("\n  - ").skip(1);
    let own = kernels.into_iter().find(|kernel| value(kernel, ".name").is_some_and(|name| name == symbol))?;
    let number = |key: &str| value(own, key).map_or(Some(0), |number| number.parse().ok());
    let body = body(text, symbol)?;
    let comment = |name: &str| -> Option<u64> {
        let (_, rest) = body.split_once(&format!("; {name}"))?;
        rest.trim_start_matches([' ', ':', '=']).split_whitespace().next()?.parse().ok()
    };
    Some(Listing {
        vgprs: number(".vgpr_count")?,
        accumulation_vgprs: number(".agpr_count")?,
        sgprs: number(".sgpr_count")?,
        scratch_bytes: number(".private_segment_fixed_size")?,
        lds_bytes: number(".group_segment_fixed_size")?,
        spilled_vgprs: number(".vgpr_spill_count")?,
        spilled_sgprs: number(".sgpr_spill_count")?,
        code_bytes: comment("codeLenInByte")?,
        waves_per_simd: u32::try_from(comment("Occupancy")?).ok()?,
        instructions: counts(body),
    })
}

/// Returns the value of a key in a kernel's part of the metadata, whose own keys are indented by four spaces.
fn value<'t>(kernel: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = kernel.lines().enumerate();
    let (_, line) = lines.find(|(at, line)| {
        let own = if *at == 0 { Some(*line) } else { line.strip_prefix("    ") };
        own.and_then(|own| own.strip_prefix(key)).is_some_and(|rest| rest.starts_with(':'))
    })?;
    line.split_once(':').map(|(_, value)| value.trim().trim_matches('\''))
}

/// Returns the text from the kernel's label to the next kernel.
fn body<'t>(text: &'t str, symbol: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("\n{symbol}:"))?;
    let end = rest.find("; -- Begin function").or_else(|| rest.find(".amdgpu_metadata"));
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// Counts instructions, each of which is executed once; `None` if a branch leads back.
fn counts(body: &str) -> Option<Counts> {
    let (mut counts, mut labels) = (Counts::default(), BTreeSet::new());
    for line in body.lines() {
        if let Some((label, _)) = line.split_once(':').filter(|(label, _)| label.starts_with(".LBB")) {
            labels.insert(label);
        }
        let mut words = line.split_whitespace();
        let Some(name) = words.next().filter(|_| line.starts_with('\t')) else { continue };
        let is_branch = name.starts_with("s_cbranch") || name == "s_branch";
        if is_branch && words.next().is_some_and(|label| labels.contains(label)) {
            return None;
        }
        match name {
            _ if name.starts_with("s_load") || name.starts_with("s_buffer_load") => counts.scalar_loads += 1,
            _ if name.starts_with("s_") => counts.scalar += 1,
            _ if name.starts_with("v_") => {
                counts.vector += 1;
                counts.doubles += u64::from(name.contains("_f64"));
            }
            _ if name.starts_with("ds_") => counts.lds += 1,
            _ if name.starts_with("scratch_") || name.starts_with("buffer_") => counts.scratch += 1,
            _ if name.starts_with("global_") || name.starts_with("flat_") => counts.global += 1,
            _ => {}
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"
other:                                  ; @other
\ts_endpgm
; codeLenInByte = 4
; Occupancy: 8
\t.protected\tk                       ; -- Begin function k
k:                                      ; @k
; %bb.0:
\ts_load_dwordx2 s[0:1], s[0:1], 0x0
\ts_cbranch_execz .LBB1_2
\tglobal_load_dwordx2 v[0:1], v2, s[0:1]
\tds_bpermute_b32 v4, v5, v6
\tv_fmac_f64_e32 v[0:1], v[0:1], v[2:3]
\tv_mov_b32_e32 v2, 0
\tscratch_store_dword off, v2, off
.LBB1_2:
\ts_endpgm
\t.section\t.rodata,\"a\",@progbits
\t.amdhsa_kernel k
; codeLenInByte = 48
; NumVgprs: 256
; Occupancy: 1
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .name:           other
    .vgpr_count:     1
  - .agpr_count:     182
    .args:
      - .name:           a
        .offset:         0
    .group_segment_fixed_size: 512
    .name:           k
    .private_segment_fixed_size: 16
    .sgpr_count:     106
    .sgpr_spill_count: 14
    .vgpr_count:     438
    .vgpr_spill_count: 3
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
";

    #[test]
    fn the_figures_of_one_kernel_are_read() {
        let counts = Counts { vector: 2, doubles: 1, scalar: 2, scalar_loads: 1, lds: 1, global: 1, scratch: 1 };
        let expected = Listing {
            vgprs: 438,
            accumulation_vgprs: 182,
            sgprs: 106,
            scratch_bytes: 16,
            lds_bytes: 512,
            spilled_vgprs: 3,
            spilled_sgprs: 14,
            code_bytes: 48,
            waves_per_simd: 1,
            instructions: Some(counts),
        };
        assert_eq!(read(TEXT, "k"), Some(expected));
        assert_eq!(read(TEXT, "absent"), None);
        assert_eq!(read("\ts_endpgm\n", "k"), None);
    }

    #[test]
    fn code_with_loops_is_not_counted() {
        let looping = TEXT.replace("\ts_endpgm\n\t.section", "\ts_branch .LBB1_2\n\ts_endpgm\n\t.section");
        assert_eq!(read(&looping, "k").unwrap().instructions, None);
    }
}

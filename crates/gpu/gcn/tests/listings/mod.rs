//! Listings for gfx1250 around a few instructions.

use gcn::{Argument, Array, Launch, Options, read, run};

/// A listing with these instructions. Registers s[0:1] have the address of the arguments: an input, an output and a number. Of
/// named barriers there are four.
fn listing(body: &str) -> String {
    format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1250\"\n\t.text\nk:\n{body}\n\ts_endpgm\n.Lfunc_end0:\n\
         \t.section\t.rodata,\"a\",@progbits\n\t.amdhsa_kernel k\n\t\t.amdhsa_group_segment_fixed_size 1024\n\
         \t\t.amdhsa_private_segment_fixed_size 16\n\t\t.amdhsa_kernarg_size 20\n\t\t.amdhsa_user_sgpr_count 2\n\
         \t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t\t.amdhsa_wavefront_size32 1\n\t\t.amdhsa_named_barrier_count 1\n\
         \t\t.amdhsa_system_sgpr_workgroup_id_x 1\n\t.end_amdhsa_kernel\n\t.p2align 3\ntable:\n\t.quad 0x3ff8000000000000\n\t.quad 2\n"
    )
}

/// Runs instructions between the load of a double per lane into v[0:1] and the store of v[2:3]; v10 has the number of the thread, v11 its
/// place in bytes, and s20 the number of the wave.
pub fn computed(threads: u32, middle: &str, input: impl Fn(usize) -> f64) -> Result<Vec<f64>, String> {
    let body = format!(
        "\tv_mov_b32_e32 v10, v0\n\tv_mov_b32_e32 v12, v0\n\tv_readfirstlane_b32 s20, v0\n\ts_lshr_b32 s20, s20, 5\n\t\
         s_load_b128 s[4:7], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v11, 3, v10\n\ts_wait_kmcnt 0x0\n\t\
         global_load_b64 v[0:1], v10, s[4:5] scale_offset\n\ts_wait_loadcnt 0x0\n{middle}\n\t\
         global_store_b64 v12, v[2:3], s[6:7] scale_offset"
    );
    let all = ran(threads, &body, input)?;
    if all.len() == threads as usize { Ok(all) } else { Err(format!("{} of {threads} are written", all.len())) }
}

/// Runs the body, and returns the numbers that it writes.
pub fn ran(threads: u32, body: &str, input: impl Fn(usize) -> f64) -> Result<Vec<f64>, String> {
    let kernel = read(&listing(body), "k").map_err(|refused| refused[0].to_string())?;
    let values: Vec<f64> = (0..threads as usize).map(input).collect();
    let mut arrays = [Array::input(&values), Array::output(threads as usize)];
    let arguments = vec![Argument::Array(0), Argument::Array(1), Argument::U32(7)];
    let launch = Launch { workgroups: 1, threads, lds: 0, arguments };
    run(&kernel, &launch, &mut arrays, Options::default()).map_err(|hazard| hazard.to_string())?;
    Ok((0..threads as usize).filter_map(|at| arrays[1].real(at)).collect())
}

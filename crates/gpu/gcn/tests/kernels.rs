//! Small listings by hand: what they compute, and what is found in broken ones.

use gcn::{Argument, Array, Launch, Options, read, run};

/// A listing with these instructions. Registers s[0:1] have the address of the arguments: an input, an output and a number.
fn listing(body: &str, lds: u32) -> String {
    format!(
        "\t.text\n\t.globl\tk\nk: ; @k\n{body}\n\ts_endpgm\n.Lfunc_end0:\n\t.section\t.rodata,\"a\",@progbits\n\
         \t.amdhsa_kernel k\n\t\t.amdhsa_group_segment_fixed_size {lds}\n\t\t.amdhsa_private_segment_fixed_size 16\n\
         \t\t.amdhsa_kernarg_size 20\n\t\t.amdhsa_user_sgpr_count 2\n\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
         \t\t.amdhsa_system_sgpr_workgroup_id_x 1\n\t.end_amdhsa_kernel\n\t.p2align 3\ntable:\n\t.quad 0x3ff8000000000000\n\
         \t.quad 2\n"
    )
}

/// Runs instructions between the loads of a double per lane into v[0:1] and the store of v[2:3]; v10 has the number of the thread.
fn computed(threads: u32, middle: &str, input: impl Fn(usize) -> f64) -> Result<Vec<f64>, String> {
    let body = format!(
        "\tv_mov_b32_e32 v10, v0\n\ts_load_dwordx4 s[4:7], s[0:1], 0x0\n\ts_load_dword s8, s[0:1], 0x10\n\
         \tv_lshlrev_b32_e32 v11, 3, v10\n\ts_waitcnt lgkmcnt(0)\n\tglobal_load_dwordx2 v[0:1], v11, s[4:5]\n\
         \ts_waitcnt vmcnt(0)\n{middle}\n\tglobal_store_dwordx2 v11, v[2:3], s[6:7]"
    );
    ran(threads, &listing(&body, 1024), input)
}

fn ran(threads: u32, text: &str, input: impl Fn(usize) -> f64) -> Result<Vec<f64>, String> {
    let kernel = read(text, "k").map_err(|refused| refused[0].to_string())?;
    let values: Vec<f64> = (0..threads as usize).map(input).collect();
    let mut arrays = [Array::input(&values), Array::output(threads as usize)];
    let arguments = vec![Argument::Array(0), Argument::Array(1), Argument::U32(7)];
    let launch = Launch { workgroups: 1, threads, lds: 0, arguments };
    run(&kernel, &launch, &mut arrays, Options::default()).map_err(|hazard| hazard.to_string())?;
    let value = |at| arrays[1].real(at).ok_or_else(|| format!("{at} is not written"));
    (0..threads as usize).map(value).collect()
}

/// Returns the result of each lane of a wave for doubles, as bits.
fn bits(middle: &str, input: impl Fn(usize) -> f64) -> Vec<u64> {
    let values = computed(64, middle, input).unwrap_or_else(|reason| panic!("{middle}: {reason}"));
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn doubles_are_computed_as_ieee_754_has_it() {
    let input = |lane: usize| (lane as f64 - 20.0) / 3.0;
    for (middle, expected) in [
        ("\tv_add_f64 v[2:3], v[0:1], 1.0", (|x| x + 1.0) as fn(f64) -> f64),
        ("\tv_add_f64 v[2:3], -v[0:1], |v[0:1]|", |x| x.abs() - x),
        ("\tv_mul_f64 v[2:3], v[0:1], v[0:1]", |x| x * x),
        ("\tv_fma_f64 v[2:3], v[0:1], v[0:1], -0.5", |x| x.mul_add(x, -0.5)),
        ("\tv_mov_b64_e32 v[2:3], v[0:1]\n\tv_fmac_f64_e32 v[2:3], 0x40080000, v[0:1]", |x| 3f64.mul_add(x, x)),
        ("\tv_max_f64 v[2:3], v[0:1], 0", |x| x.max(0.0)),
        ("\tv_ldexp_f64 v[2:3], v[0:1], -2", |x| x / 4.0),
        ("\tv_rndne_f64_e32 v[2:3], v[0:1]", f64::round_ties_even),
        ("\tv_cvt_i32_f64_e32 v4, v[0:1]\n\tv_cvt_f64_i32_e32 v[2:3], v4", f64::trunc),
        ("\tv_cvt_f32_f64_e32 v4, v[0:1]\n\tv_cvt_f64_f32_e32 v[2:3], v4", |x| f64::from(x as f32)),
        ("\tv_frexp_mant_f64_e32 v[2:3], v[0:1]", |x| {
            if x == 0.0 { x } else { x / 2f64.powf(x.abs().log2().floor() + 1.0) }
        }),
    ] {
        // The sign of zero is left to the sums below.
        let same = |a: f64, b: f64| a == b;
        let found = bits(middle, input);
        for (lane, found) in found.into_iter().map(f64::from_bits).enumerate() {
            assert!(same(found, expected(input(lane))), "{middle}, lane {lane}: {found}");
        }
    }
    assert_eq!(bits("\tv_fma_f64 v[2:3], v[0:1], 0, 0x80000000", |_| -1.0)[0], (-0.0f64).to_bits());
}

#[test]
fn integers_masks_and_carries_are_those_of_the_machine() {
    let lane = |value: u64| move |_: usize| f64::from_bits(value);
    for (middle, input, expected) in [
        // A carry from the low half to the high one, and back.
        (
            "\tv_add_co_u32_e32 v2, vcc, 1, v0\n\tv_addc_co_u32_e32 v3, vcc, 0, v1, vcc",
            0x1234_ffff_ffff,
            0x1235_0000_0000,
        ),
        (
            "\tv_sub_co_u32_e32 v2, vcc, v0, v10\n\tv_subrev_co_u32_e32 v2, vcc, 1, v0\n\tv_subbrev_co_u32_e32 v3, vcc, 0, v1, vcc",
            0x1234_0000_0000,
            0x1233_ffff_ffff,
        ),
        ("\tv_lshl_add_u64 v[2:3], v[0:1], 3, v[0:1]", 5, 45),
        ("\tv_mad_i64_i32 v[2:3], s[10:11], v0, -3, v[0:1]", 7, (7i64 - 21) as u64),
        ("\tv_mad_u64_u32 v[2:3], s[10:11], v0, v0, 1", 0xffff_ffff, 0xffff_fffe_0000_0002),
        ("\tv_mul_hi_u32 v2, v0, v0\n\tv_mul_lo_u32 v3, v0, v0", 0xffff_ffff, 0x1_ffff_fffe),
        ("\tv_bfe_u32 v2, v0, 8, 12\n\tv_bfe_i32 v3, v0, 8, 8", 0x000a_bcde, 0xffff_ffbc_0000_0abc),
        ("\tv_ashrrev_i32_e32 v2, 4, v0\n\tv_lshrrev_b32_e32 v3, 4, v0", 0x8000_0010, 0x0800_0001_f800_0001),
        ("\tv_and_or_b32 v2, v0, 15, 32\n\tv_lshl_or_b32 v3, v0, 4, 1", 0x7f, 0x7f1_0000_002f),
        (
            "\tv_accvgpr_write_b32 a3, v0\n\tv_accvgpr_read_b32 v2, a3\n\tv_mov_b32_e32 v3, 1.0",
            9,
            0x3f80_0000_0000_0009,
        ),
        (
            "\ts_mov_b64 s[10:11], s[4:5]\n\tv_pk_mov_b32 v[2:3], v[0:1], v[0:1] op_sel:[1,0]",
            0x2_0000_0001,
            0x1_0000_0002,
        ),
        // The mask of a wide sum of signed numbers tells its sign.
        ("\tv_mad_i64_i32 v[4:5], s[10:11], v0, -3, v[0:1]\n\tv_mov_b64_e32 v[2:3], s[10:11]", 7, u64::MAX),
        // A signalling NaN becomes quiet, and a quiet one gives way.
        ("\tv_max_f64 v[2:3], v[0:1], 1.0", 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001),
        ("\tv_ldexp_f64 v[2:3], v[0:1], 3", 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001),
        ("\tv_rndne_f64_e32 v[2:3], v[0:1]", 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001),
        ("\tv_floor_f64_e32 v[2:3], v[0:1]", 0xfff0_0000_0000_0001, 0xfff8_0000_0000_0001),
        ("\tv_ceil_f64_e32 v[2:3], v[0:1]", 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001),
        ("\tv_trunc_f64_e32 v[2:3], v[0:1]", 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0001),
        ("\tv_min_f64 v[2:3], 1.0, v[0:1]", 0x7ff8_0000_0000_0001, 0x3ff0_0000_0000_0000),
        // SCC tells that the first number is chosen, as it is of two that are equal.
        (
            "\ts_max_i32 s10, s8, 7\n\ts_cselect_b32 s11, 1, 2\n\ts_max_u32 s10, 7, s8\n\ts_cselect_b32 s10, 1, 2\n\t\
             v_mov_b64_e32 v[2:3], s[10:11]",
            0,
            0x1_0000_0001,
        ),
        (
            "\ts_min_i32 s10, s8, 7\n\ts_cselect_b32 s11, 1, 2\n\ts_min_u32 s10, 7, s8\n\ts_cselect_b32 s10, 1, 2\n\t\
             v_mov_b64_e32 v[2:3], s[10:11]",
            0,
            0x2_0000_0002,
        ),
        // Numbers of 16 bits have signs where they are multiplied, added, or compared with numbers that have some.
        (
            "\ts_mov_b32 s10, 7\n\ts_mulk_i32 s10, 0xfffe\n\ts_mov_b32 s11, 7\n\ts_addk_i32 s11, 0xfffe\n\t\
             v_mov_b64_e32 v[2:3], s[10:11]",
            0,
            0x5_ffff_fff2,
        ),
        (
            "\ts_cmpk_gt_i32 s8, 0xfff0\n\ts_cselect_b32 s10, 1, 2\n\ts_cmpk_gt_u32 s8, 0xfff0\n\ts_cselect_b32 s11, 1, 2\n\t\
             v_mov_b64_e32 v[2:3], s[10:11]",
            0,
            0x2_0000_0001,
        ),
        // Scalars: sums with carries, shifts, and what SCC chooses.
        (
            "\ts_add_u32 s10, -1, 1\n\ts_addc_u32 s11, 4, 0\n\ts_lshl_b64 s[10:11], s[10:11], 1\n\tv_mov_b64_e32 v[2:3], s[10:11]",
            0,
            10 << 32,
        ),
        (
            "\ts_cmp_lt_i32 s8, -1\n\ts_cselect_b32 s10, 1, 2\n\ts_movk_i32 s11, 0xfffe\n\tv_mov_b32_e32 v2, s10\n\tv_mov_b32_e32 v3, s11",
            0,
            0xffff_fffe_0000_0002,
        ),
        (
            "\ts_mov_b32 s12, 0x7ffffffd\n\ts_mov_b32 s13, 1\n\ts_bfe_i64 s[10:11], s[12:13], 0x1f0000\n\tv_mov_b64_e32 v[2:3], s[10:11]",
            0,
            0xffff_ffff_ffff_fffd,
        ),
        ("\ts_nor_b32 s10, 6, 1\n\tv_mov_b32_e32 v2, s10\n\tv_mov_b32_e32 v3, 0", 0, 0xffff_fff8),
        ("\ts_nor_b64 s[10:11], 6, 1\n\tv_mov_b64_e32 v[2:3], s[10:11]", 0, 0xffff_ffff_ffff_fff8),
        ("\tv_mov_b32_e32 v4, 6\n\tv_xad_u32 v2, v4, -1, s8\n\tv_mov_b32_e32 v3, 0", 0, 0),
        // The constants of the program, by an address relative to the code.
        (
            "\ts_getpc_b64 s[10:11]\n\ts_add_u32 s10, s10, table@rel32@lo+4\n\ts_addc_u32 s11, s11, table@rel32@hi+12\n\
             \ts_load_dwordx2 s[12:13], s[10:11], 0x8\n\ts_waitcnt lgkmcnt(0)\n\tv_mov_b64_e32 v[2:3], s[12:13]",
            0,
            2,
        ),
        // And by the table that has their address.
        (
            "\ts_getpc_b64 s[10:11]\n\ts_add_u32 s10, s10, table@gotpcrel32@lo+4\n\ts_addc_u32 s11, s11, table@gotpcrel32@hi+12\n\
             \ts_load_dwordx2 s[10:11], s[10:11], 0x0\n\ts_waitcnt lgkmcnt(0)\n\ts_load_dwordx2 s[12:13], s[10:11], 0x8\n\
             \ts_waitcnt lgkmcnt(0)\n\tv_mov_b64_e32 v[2:3], s[12:13]",
            0,
            2,
        ),
    ] {
        assert_eq!(bits(middle, lane(input)), vec![expected; 64], "{middle}");
    }
}

#[test]
fn lanes_are_switched_off_compared_and_exchanged() {
    // Even lanes give 1, odd ones 2: by EXEC, and by a mask.
    let by_exec = "\tv_and_b32_e32 v4, 1, v10\n\tv_cmp_eq_u32_e32 vcc, 0, v4\n\tv_mov_b64_e32 v[2:3], 2.0\n\
                   \ts_and_saveexec_b64 s[10:11], vcc\n\ts_cbranch_execz .LBB0_1\n\tv_mov_b64_e32 v[2:3], 1.0\n.LBB0_1:\n\
                   \ts_or_b64 exec, exec, s[10:11]";
    let by_mask = "\tv_and_b32_e32 v4, 1, v10\n\tv_cmp_ne_u32_e64 s[10:11], 0, v4\n\tv_mov_b32_e32 v2, 0\n\
                   \tv_mov_b32_e32 v5, 2.0\n\tv_mov_b32_e32 v6, 0x40000000\n\tv_cndmask_b32_e64 v3, v5, v6, s[10:11]\n\
                   \tv_mov_b32_e32 v5, 0x3ff00000\n\tv_cndmask_b32_e64 v3, v5, v6, s[10:11]";
    for middle in [by_exec, by_mask] {
        let expected: Vec<u64> = (0..64).map(|lane| (if lane % 2 == 0 { 1.0f64 } else { 2.0 }).to_bits()).collect();
        assert_eq!(bits(middle, |_| 0.0), expected, "{middle}");
    }
    // The neighbour's value; the last lane reads the first one's.
    let exchanged = "\tv_add_u32_e32 v4, 1, v10\n\tv_lshlrev_b32_e32 v4, 2, v4\n\tds_bpermute_b32 v2, v4, v0\n\
                     \tds_bpermute_b32 v3, v4, v1\n\ts_waitcnt lgkmcnt(0)";
    let expected: Vec<u64> = (0..64).map(|lane| f64::from((lane + 1) % 64).to_bits()).collect();
    assert_eq!(bits(exchanged, |lane| lane as f64), expected);
    let read = "\tv_readlane_b32 s10, v0, 5\n\tv_readlane_b32 s11, v1, 5\n\tv_mov_b64_e32 v[2:3], s[10:11]\n\
                \tv_writelane_b32 v2, s8, 3";
    let found = bits(read, |lane| lane as f64 / 3.0);
    let five = (5.0f64 / 3.0).to_bits();
    assert_eq!((found[0], found[3]), (five, five >> 32 << 32 | 7));
    assert_eq!(
        bits("\tv_cmp_class_f64_e64 s[10:11], v[0:1], 0x60\n\tv_mov_b64_e32 v[2:3], s[10:11]", |lane| (lane % 2)
            as f64)[0],
        0x5555_5555_5555_5555
    );
}

#[test]
fn private_memory_and_the_lds_keep_what_is_stored() {
    let scratch = "\tscratch_store_dwordx2 off, v[0:1], off offset:8\n\tscratch_load_dwordx2 v[2:3], off, off offset:8\n\ts_waitcnt vmcnt(0)";
    assert_eq!(bits(scratch, |lane| lane as f64)[9], 9f64.to_bits());
    let pair = "\tds_write2_b32 v11, v0, v1 offset0:1 offset1:2\n\ts_waitcnt lgkmcnt(0)\n\tds_read2_b32 v[2:3], v11 offset0:1 offset1:2\n\ts_waitcnt lgkmcnt(0)";
    assert!(computed(1, pair, |_| 4.0).is_ok_and(|found| found == [4.0]));
    // Offsets in units of 64 words: what one instruction writes, another one reads.
    let apart = "\tds_write2st64_b32 v11, v0, v1 offset0:1 offset1:2\n\ts_waitcnt lgkmcnt(0)\n\tds_read_b32 v2, v11 offset:256\n\tds_read_b32 v3, v11 offset:512\n\ts_waitcnt lgkmcnt(0)";
    assert!(computed(1, apart, |_| 4.5).is_ok_and(|found| found == [4.5]));
    let back = "\tds_write_b64 v11, v[0:1] offset:512\n\tds_write_b64 v11, v[0:1]\n\ts_waitcnt lgkmcnt(0)\n\tv_mov_b32_e32 v2, v11\n\tds_read2st64_b64 v[2:5], v2 offset0:1 offset1:0\n\ts_waitcnt lgkmcnt(0)";
    assert!(computed(1, back, |_| 5.5).is_ok_and(|found| found == [5.5]));
    assert!(
        computed(64, "\tscratch_load_dwordx2 v[2:3], off, off offset:12", |_| 0.0)
            .is_err_and(|e| e.contains("private memory"))
    );
}

/// Clang loads blocks of 16 bytes as a whole; what lies behind the data has no value.
/// Clang reads neighbours of 16 bits as one word, in global memory alone.
#[test]
fn global_memory_has_no_alignment() {
    let of_two = "\tv_mov_b32_e32 v3, 0\n\tglobal_load_dword v2, v11, s[4:5] offset:2\n\ts_waitcnt vmcnt(0)";
    let input = |lane: usize| 1.0 / (lane as f64 + 3.0);
    let expected = |lane: usize| input(lane).to_bits() >> 16 & 0xffff_ffff;
    assert_eq!(bits(of_two, input), (0..64).map(expected).collect::<Vec<_>>());
    let of_lds = "\tds_write_b32 v11, v0 offset:2\n\tv_mov_b64_e32 v[2:3], v[0:1]";
    let refused = computed(64, of_lds, input).unwrap_err();
    assert!(refused.contains("is not aligned"), "{refused}");
}

#[test]
fn loads_may_end_behind_the_data_but_not_use_what_is_there() {
    let load = |last: u32| {
        format!(
            "\ts_getpc_b64 s[20:21]\n\ts_add_u32 s20, s20, table@rel32@lo+4\n\ts_addc_u32 s21, s21, table@rel32@hi+12\n\t\
             s_load_dwordx8 s[24:31], s[20:21], 0x0\n\ts_waitcnt lgkmcnt(0)\n\tv_mov_b32_e32 v2, s24\n\tv_mov_b32_e32 v3, s{last}"
        )
    };
    let body = |middle: &str| {
        let text = format!(
            "\tv_mov_b32_e32 v10, v0\n\ts_load_dwordx4 s[4:7], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v11, 3, v10\n\ts_waitcnt lgkmcnt(0)\n\
             {middle}\n\tglobal_store_dwordx2 v11, v[2:3], s[6:7]"
        );
        // The data of a listing and four bytes: 20.
        listing(&text, 0) + "\t.long 5\n"
    };
    assert_eq!(ran(1, &body(&load(28)), |_| 0.0).unwrap()[0].to_bits(), 5 << 32);
    // A byte of something else behind them changes nothing.
    let with_byte = body(&load(28)) + "\t.byte 1\n";
    assert_eq!(ran(1, &with_byte, |_| 0.0).unwrap()[0].to_bits(), 5 << 32);
    assert!(ran(1, &body(&load(29)), |_| 0.0).is_err_and(|e| e.contains("reads v3, which has no value")));
    let beyond = load(28).replace("dwordx8 s[24:31]", "dwordx16 s[24:39]");
    assert!(ran(1, &body(&beyond), |_| 0.0).is_err_and(|e| e.contains("nothing lies at the address")));
    // Of the arguments there are 20 bytes, too.
    let arguments = |last: u32| {
        let load = "\ts_load_dwordx4 s[24:27], s[0:1], 0x8\n\ts_waitcnt lgkmcnt(0)";
        body(&format!("{load}\n\tv_mov_b32_e32 v2, s26\n\tv_mov_b32_e32 v3, s{last}"))
    };
    assert_eq!(ran(1, &arguments(26), |_| 0.0).unwrap()[0].to_bits(), 7 << 32 | 7);
    assert!(ran(1, &arguments(27), |_| 0.0).is_err_and(|e| e.contains("reads v3, which has no value")));
}

/// gfx90a reaches private memory by a descriptor, to whose address a wave adds its own offset.
#[test]
fn private_memory_is_reached_by_a_descriptor() {
    let own = "\ts_add_u32 s0, s0, s7\n\ts_addc_u32 s1, s1, 0\n";
    let spills = "\tbuffer_store_dword v0, off, s[0:3], 0 offset:8\n\ts_movk_i32 s20, 0x100\n\tv_mov_b32_e32 v4, 8\n\t\
                  buffer_store_dword v1, v4, s[0:3], s20 offen\n\tbuffer_load_dword v2, off, s[0:3], 0 offset:8\n\t\
                  buffer_load_dword a1, off, s[0:3], 0 offset:12\n\ts_waitcnt vmcnt(0)\n\tv_accvgpr_read_b32 v3, a1";
    let ran = |middle: &str| {
        let body = format!(
            "\tv_mov_b32_e32 v10, v0\n\ts_load_dwordx4 s[8:11], s[4:5], 0x0\n\tv_lshlrev_b32_e32 v11, 3, v10\n\t\
             s_waitcnt lgkmcnt(0)\n\tglobal_load_dwordx2 v[0:1], v11, s[8:9]\n\ts_waitcnt vmcnt(0)\n{middle}\n\t\
             global_store_dwordx2 v11, v[2:3], s[10:11]"
        );
        let text = listing(&body, 0)
            .replace("user_sgpr_count 2", "user_sgpr_count 6\n\t\t.amdhsa_user_sgpr_private_segment_buffer 1")
            .replace("\t.end_amdhsa", "\t\t.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n\t.end_amdhsa");
        ran(128, &text, |thread| thread as f64 / 3.0)
    };
    let found = ran(&format!("{own}{spills}")).unwrap();
    assert!(found.iter().enumerate().all(|(thread, value)| *value == thread as f64 / 3.0));
    for (middle, reason) in [
        (spills.to_owned(), "not that of the wave's private memory"),
        (format!("{own}{}", spills.replace("offset:12", "offset:16")), "beyond the 16 bytes"),
        (format!("{own}{}", spills.replace("0x100", "0x10")), "no multiple of 256"),
        (format!("{own}{}", spills.replace(" offen", "")), "the operands of"),
        (format!("{own}{}", spills.replace("\ts_waitcnt vmcnt(0)\n", "")), "uses a1 before"),
        (format!("{own}{}", spills.replace("store_dword v1", "store_short v1")), "`buffer_store_short` is not known"),
    ] {
        let found = ran(&middle);
        assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{reason}: {found:?}");
    }
}

/// Two waves exchange their values by the LDS.
const EXCHANGE: &str = "\tds_write_b64 v11, v[0:1]\n\ts_waitcnt lgkmcnt(0)\n\ts_barrier\n\tv_xor_b32_e32 v4, 0x200, v11\n\
                        \tds_read_b64 v[2:3], v4\n\ts_waitcnt lgkmcnt(0)";

#[test]
fn waves_meet_at_barriers() {
    let found = computed(128, EXCHANGE, |thread| thread as f64).unwrap();
    assert!(found.iter().enumerate().all(|(thread, value)| *value == (thread ^ 64) as f64));
}

#[test]
fn hazards_are_found() {
    let swapped = EXCHANGE.replace("\ts_barrier\n", "").replace("\tds_write", "\ts_barrier\n\tds_write");
    for (threads, middle, reason) in [
        // The address of what lies ahead of the constants.
        (64, "\ts_getpc_b64 s[10:11]\n\ts_add_u32 s10, s10, table@rel32@lo-4\n\ts_addc_u32 s11, s11, table@rel32@hi+4\n\ts_load_dwordx2 s[12:13], s[10:11], 0x0".to_owned(), "nothing lies at the address 0x7e00fffffef8"),
        (64, "\tglobal_load_dwordx2 v[2:3], v11, s[4:5]\n\tv_add_f64 v[2:3], v[2:3], 1.0".to_owned(), "uses v2 before an `s_wait…`"),
        (64, "\tglobal_load_dwordx2 v[2:3], v11, s[4:5]\n\tv_mov_b32_e32 v2, 0".to_owned(), "uses v2 before"),
        (64, "\tglobal_load_dwordx2 v[4:5], v11, s[4:5]\n\tglobal_load_dwordx2 v[2:3], v11, s[4:5]\n\ts_waitcnt vmcnt(1)".to_owned(), "uses v2 before"),
        // Scalar loads come in any order.
        (64, "\ts_load_dword s10, s[0:1], 0x10\n\ts_load_dword s11, s[0:1], 0x10\n\ts_waitcnt lgkmcnt(1)\n\tv_mov_b32_e32 v2, s10".to_owned(), "uses s10 before"),
        (64, "\tds_bpermute_b32 v2, v11, v0\n\tv_mov_b32_e32 v3, v2".to_owned(), "uses v2 before"),
        (64, "\tv_add_f64 v[2:3], v[0:1], v[20:21]".to_owned(), "reads v20, which has no value"),
        (64, "\tv_mov_b32_e32 v2, 0".to_owned(), "reads v3, which has no value"),
        (64, "\tv_mov_b64_e32 v[2:3], v[0:1]\n\tglobal_store_dwordx2 v11, v[2:3], s[4:5]".to_owned(), "writes array 0, which is an input"),
        (64, "\tglobal_load_dwordx2 v[2:3], v11, s[4:5] offset:8".to_owned(), "nothing lies at the address"),
        (64, "\tglobal_load_dwordx2 v[2:3], v11, s[6:7]".to_owned(), "never written"),
        (128, EXCHANGE.replace("\ts_barrier\n", ""), "never written"),
        (128, swapped, "never written"),
        (128, EXCHANGE.replacen("\ts_waitcnt lgkmcnt(0)\n", "", 1), "no `s_wait…` before it covers"),
        (128, format!("{EXCHANGE}\n\tds_write_b64 v11, v[0:1]"), "which another wave"),
        (128, format!("\tds_write_b64 v11, v[0:1]\n\ts_waitcnt lgkmcnt(0)\n\tv_xor_b32_e32 v4, 0x200, v11\n\ts_barrier\n{EXCHANGE}").replace("\ts_barrier\n\tv_xor", "\tv_xor"), "which another wave"),
        (64, ".LBB0_1:\n\ts_branch .LBB0_1".to_owned(), "does not end"),
    ] {
        let found = computed(threads, &middle, |thread| thread as f64);
        assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{middle}: {found:?}");
    }
}

/// So one may write what another one is to write, whose value nobody reads: Clang restores a register twice.
#[test]
fn loads_of_one_counter_come_in_their_order() {
    let load = "\tglobal_load_dwordx2 v[2:3], v11, s[4:5]\n";
    let found = computed(64, &format!("{load}{load}\ts_waitcnt vmcnt(0)"), |lane| lane as f64);
    assert_eq!(found, Ok((0..64).map(|lane| lane as f64).collect()));
    let share = "\tds_write_b64 v11, v[0:1]\n\ts_waitcnt lgkmcnt(0)\n\tds_read_b64 v[2:3], v11\n";
    for wrong in [
        format!("{load}{load}\ts_waitcnt vmcnt(1)"),
        format!("{share}{load}\ts_waitcnt vmcnt(0)\n\ts_waitcnt lgkmcnt(0)"),
        format!("{load}{share}\ts_waitcnt vmcnt(0)\n\ts_waitcnt lgkmcnt(0)"),
        format!("{load}\tglobal_load_dwordx2 v[2:3], v2, s[4:5]\n\ts_waitcnt vmcnt(0)"),
    ] {
        let found = computed(64, &wrong, |lane| lane as f64);
        assert!(found.as_ref().is_err_and(|e| e.contains("uses v2 before")), "{wrong}: {found:?}");
    }
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    for (line, reason) in [
        ("\tv_mfma_f64_16x16x4f64 a[0:7], v[0:1], v[2:3], a[0:7]", "`v_mfma_f64_16x16x4f64` is not known"),
        ("\tv_mov_b32_dpp v2, v0 row_shr:1", "`v_mov_b32_dpp` is not known"),
        ("\tv_add_f64 v[2:3], v[0:1], 1.0 clamp", "`clamp`"),
        ("\tv_add_f64 v[2:3], v[0:1], 1.0 mul:2", "`mul:2`"),
        ("\tv_add_f64 v[2:3], v0, 1.0", "the operands of"),
        ("\tv_add_f64 v[2:3], v[0:1]", "the operands of"),
        ("\tv_add_u32_e32 v2, -v0, v1", "the operands of"),
        ("\ts_and_b64 s[10:11], s[0:1], 0x80000000", "the operands of"),
        ("\tglobal_load_dwordx2 v[2:3], v[0:1], s[0:1]", "the operands of"),
        ("\ts_waitcnt tensorcnt(0)", "`s_waitcnt` is not known"),
        ("\ts_branch .LBB0_9", "`.LBB0_9` stands nowhere"),
        ("\ts_mov_b32 flat_scratch_lo, s0", "`flat_scratch_lo`"),
    ] {
        let found = read(&listing(line, 0), "k").map(|_| ());
        assert!(
            found.as_ref().is_err_and(|all| all.iter().any(|e| e.to_string().contains(reason))),
            "{line}: {found:?}"
        );
    }
    let text = |word: &str| listing("", 0) + &format!("\t.ascii \"{word}\"\n");
    assert!(read(&text(r"a\001\n"), "k").is_ok() && read(&text(r"a\x"), "k").is_err());
    assert!(read(&listing("", 0), "other").is_err_and(|all| all[0].reason.contains("no kernel `other`")));
}

/// SDWA takes a byte or a half of a source; other destinations than whole words are refused.
#[test]
fn parts_of_sources_are_taken() {
    let input = |lane: usize| 1.1 * lane as f64 - 7.0;
    let shifted = |part: &str| {
        format!(
            "\tv_mov_b32_e32 v12, 4\n\tv_mov_b32_e32 v3, 0\n\tv_lshlrev_b32_sdwa v2, v12, v1 dst_sel:DWORD \
             dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:{part}"
        )
    };
    for (part, first, mask) in [("BYTE_0", 0, 0xff), ("BYTE_3", 24, 0xff), ("WORD_1", 16, 0xffff)] {
        for (lane, found) in bits(&shifted(part), input).into_iter().enumerate() {
            assert_eq!(found, (input(lane).to_bits() >> 32 >> first & mask) << 4, "{part} {lane}");
        }
    }
    // The halves of 0x50003 are compared with each other, and both with 16 bits of a whole word.
    let compared = "\tv_mov_b32_e32 v4, 0x50003\n\tv_cmp_lt_u16_sdwa s[10:11], v4, v4 src0_sel:DWORD src1_sel:WORD_1\n\t\
                    v_mov_b32_e32 v3, 0\n\tv_cndmask_b32_e64 v2, 1, 2, s[10:11]";
    assert_eq!(bits(compared, input), vec![2; 64]);
    assert_eq!(bits(&compared.replace("lt", "gt"), input), vec![1; 64]);
    for wrong in [shifted("BYTE_4"), shifted("BYTE_0").replace("dst_sel:DWORD", "dst_sel:BYTE_0")] {
        assert!(computed(64, &wrong, input).is_err(), "{wrong}");
    }
}

/// The third argument is 7.
#[test]
fn bits_of_scalars_are_tested() {
    for (test, chosen) in [("s_bitcmp1_b32 s8, 2", 5), ("s_bitcmp1_b32 s8, 3", 6), ("s_bitcmp0_b32 s8, 3", 5)] {
        let middle = format!("\t{test}\n\ts_cselect_b32 s9, 5, 6\n\tv_mov_b32_e32 v2, s9\n\tv_mov_b32_e32 v3, 0");
        assert!(bits(&middle, |_| 0.0).into_iter().all(|found| found == chosen), "{test}");
    }
}

/// Moves count registers from an index, of their source or of their destination; nothing else does.
#[test]
fn registers_are_counted_from_an_index() {
    let input = |lane: usize| lane as f64 / 3.0;
    let held = "\tv_mov_b32_e32 v5, v0\n\tv_mov_b32_e32 v6, v1\n\ts_mov_b32 s9, 0x104\n";
    let read = format!(
        "{held}\ts_set_gpr_idx_on s9, gpr_idx(SRC0)\n\tv_mov_b32_e32 v2, v1\n\tv_mov_b32_e32 v3, v2\n\ts_set_gpr_idx_off"
    );
    let written = "\ts_mov_b32 s9, 2\n\ts_set_gpr_idx_on s9, gpr_idx(DST)\n\tv_mov_b32_e32 v0, v0\n\tv_mov_b32_e32 v1, v1\n\
                   \ts_set_gpr_idx_off";
    for middle in [read.as_str(), written] {
        let expected: Vec<u64> = (0..64).map(|lane| input(lane).to_bits()).collect();
        assert_eq!(bits(middle, input), expected, "{middle}");
    }
    let sum = read.replace("v_mov_b32_e32 v3, v2", "v_add_u32_e32 v3, v2, v2");
    assert!(computed(64, &sum, input).is_err_and(|reason| reason.contains("from an index")));
    let undefined = read.replace("0x104", "0x105");
    assert!(computed(64, &undefined, input).is_err_and(|reason| reason.contains("v3")));
}

/// A function that is no kernel is called, and returns.
#[test]
fn functions_are_called() {
    let function = "\t.text\ndouble_it:\n\tv_add_f64 v[2:3], v[0:1], v[0:1]\n\ts_setpc_b64 s[30:31]\n.Lfunc_end1:\n";
    let kernel = "\tv_mov_b32_e32 v10, v0\n\ts_load_dwordx4 s[4:7], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v11, 3, v10\n\
                  \ts_waitcnt lgkmcnt(0)\n\tglobal_load_dwordx2 v[0:1], v11, s[4:5]\n\ts_waitcnt vmcnt(0)\n\
                  \ts_getpc_b64 s[10:11]\n\ts_add_u32 s10, s10, double_it@rel32@lo+4\n\
                  \ts_addc_u32 s11, s11, double_it@rel32@hi+12\n\ts_swappc_b64 s[30:31], s[10:11]\n\
                  \tglobal_store_dwordx2 v11, v[2:3], s[6:7]";
    let found = ran(64, &(function.to_owned() + &listing(kernel, 0)), |lane| lane as f64).unwrap();
    assert_eq!(found, (0..64).map(|lane| 2.0 * f64::from(lane)).collect::<Vec<f64>>());
    // Other kernels of the text are not among its functions: what they have is not read.
    let other = function.replace("v_add_f64", "v_unknown") + "\t.amdhsa_kernel double_it\n\t.end_amdhsa_kernel\n";
    let refused = ran(64, &(other + &listing(kernel, 0)), |lane| lane as f64).unwrap_err();
    assert!(refused.contains("stands nowhere"), "{refused}");
}

/// Compilers merge masks of lanes whose first value is none: bits matter where they are used.
#[test]
fn masks_may_have_bits_without_a_value() {
    let merged = "\tv_cmp_gt_u32_e32 vcc, 32, v10\n\ts_andn2_b64 s[12:13], s[12:13], exec\n\ts_and_b64 s[14:15], vcc, exec\n\
                  \ts_or_b64 s[12:13], s[12:13], s[14:15]\n\tv_cndmask_b32_e64 v2, 1, 2, s[12:13]\n\tv_mov_b32_e32 v3, 0";
    assert_eq!(bits(merged, |_| 0.0), [[2; 32], [1; 32]].concat());
    for (broken, reason) in [
        (merged.replace("s_andn2_b64 s[12:13], s[12:13], exec", "s_nop 0"), "s12"),
        (merged.replace("v_cndmask_b32_e64 v2, 1, 2, s[12:13]", "s_add_u32 s9, s16, 1\n\tv_mov_b32_e32 v2, 0"), "s16"),
        (format!("\ts_xor_b64 s[12:13], s[16:17], s[16:17]\n\ts_cselect_b32 s9, 1, 2\n{merged}"), "SCC"),
        (format!("\ts_or_b64 exec, s[16:17], exec\n{merged}"), ""),
        (format!("\ts_and_b64 exec, s[16:17], exec\n{merged}"), "EXEC"),
    ] {
        let found = computed(64, &broken, |_| 0.0);
        assert_eq!(found.is_ok(), reason.is_empty(), "{broken}: {found:?}");
        assert!(found.err().unwrap_or_default().contains(reason), "{broken}");
    }
}

/// A product that is added to a number whose upper half has no value has a lower half.
#[test]
fn halves_of_sums_may_have_no_value() {
    let sum = "\tv_mov_b32_e32 v12, 5\n\tv_mad_u64_u32 v[14:15], s[12:13], v10, 3, v[12:13]\n\tv_mov_b32_e32 v2, v14\n\t\
               v_mov_b32_e32 v3, 0";
    assert_eq!(bits(sum, |_| 0.0), (0..64).map(|lane| 3 * lane + 5).collect::<Vec<u64>>());
    for broken in [sum.replace("v3, 0", "v3, v15"), sum.replace("v3, 0", "v3, s12"), sum.replace("v12, 5", "v13, 5")] {
        assert!(computed(64, &broken, |_| 0.0).is_err_and(|reason| reason.contains("no value")), "{broken}");
    }
}

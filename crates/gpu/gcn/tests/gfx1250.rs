//! Small listings for gfx1250: waves of 32 lanes, pairs of instructions, registers beyond 256, and a counter for each kind of memory.

mod listings;

use listings::computed;

/// Returns the results of the lanes of a wave for doubles, as bits.
fn bits(middle: &str, input: impl Fn(usize) -> f64) -> Vec<u64> {
    let values = computed(32, middle, input).unwrap_or_else(|reason| panic!("{middle}: {reason}"));
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn instructions_compute_what_their_names_say() {
    let lane = |value: u64| move |_: usize| f64::from_bits(value);
    for (middle, input, expected) in [
        // Both read before either writes.
        ("\tv_dual_mov_b32 v2, v1 :: v_dual_mov_b32 v3, v0", 0x1111_2222_3333_4444, 0x3333_4444_1111_2222),
        (
            "\tv_mov_b64_e32 v[2:3], v[0:1]\n\tv_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v3, v2",
            0x1111_2222_3333_4444,
            0x3333_4444_1111_2222,
        ),
        (
            "\tv_dual_add_f64 v[2:3], v[0:1], v[0:1] :: v_dual_lshlrev_b32 v0, 2, v0\n\tv_and_b32_e32 v0, 4, v0",
            2.5f64.to_bits(),
            5.0f64.to_bits(),
        ),
        // Literals of 64 bits and of the upper 32.
        ("\tv_fmaak_f64 v[2:3], v[0:1], v[0:1], 0x3fb999999999999a", 3f64.to_bits(), 9.1f64.to_bits()),
        ("\tv_fmamk_f64 v[2:3], v[0:1], 0x40080000, v[0:1]", 3f64.to_bits(), 12f64.to_bits()),
        ("\tv_mov_b64_e32 v[2:3], 0x123456789abcdef0", 0, 0x1234_5678_9abc_def0),
        ("\ts_mov_b64 s[8:9], 0x123456789abcdef0\n\tv_mov_b64_e32 v[2:3], s[8:9]", 0, 0x1234_5678_9abc_def0),
        // Masks have one register; the one beside VCC is free.
        (
            "\tv_mov_b64_e32 v[2:3], v[0:1]\n\ts_mov_b32 vcc_hi, 7\n\tv_cmp_eq_u32_e32 vcc_lo, v0, v0\n\t\
             v_dual_cndmask_b32 v2, 0, v1 :: v_dual_cndmask_b32 v3, v1, v0",
            0x1111_2222_3333_4444,
            0x3333_4444_1111_2222,
        ),
        ("\tv_cmp_eq_u32_e64 s9, v0, v0\n\ts_mov_b32 s8, exec_lo\n\tv_mov_b64_e32 v[2:3], s[8:9]", 5, u64::MAX),
        ("\tv_cmp_eq_u32_e64 vcc_lo, 6, v0\n\tv_cndmask_b32_e64 v2, 1, 2, vcc_lo\n\tv_mov_b32_e32 v3, 0", 5, 1),
        (
            "\tv_mov_b64_e32 v[2:3], 1\n\ts_mov_b32 s9, exec_lo\n\tv_cmpx_gt_u64_e64 v[0:1], 7\n\tv_mov_b64_e32 v[2:3], 2\n\t\
             s_mov_b32 exec_lo, s9",
            8,
            2,
        ),
        ("\tv_mov_b32_e32 v3, 0\n\ts_and_saveexec_b32 s9, exec_lo\n\tv_mov_b32_e32 v2, s9", 8, 0xffff_ffff),
        // Any function of bits; a pair has two sources.
        ("\tv_bitop3_b32 v2, v0, 12, 10 bitop3:0xe8\n\tv_mov_b32_e32 v3, 0", 0b0110, 0b1110),
        ("\tv_dual_mov_b32 v3, 0 :: v_dual_bitop2_b32 v2, 12, v0 bitop3:0x40", 0b0110, 0b0100),
        ("\tv_dual_mov_b32 v3, 0 :: v_dual_bitop2_b32 v2, 12, v0 bitop3:0x14", 0b0110, 0b1010),
        // Integers of 64 bits.
        ("\tv_add_nc_u64_e32 v[2:3], -1, v[0:1]", 0x1_0000_0000, 0xffff_ffff),
        ("\tv_mad_nc_i64_i32 v[2:3], v0, -3, v[0:1]", 7, (7i64 - 21) as u64),
        ("\tv_mad_nc_u64_u32 v[2:3], v0, v0, 1", 0xffff_ffff, 0xffff_fffe_0000_0002),
        ("\tv_mad_u32 v2, v0, -3, 5\n\tv_mov_b32_e32 v3, 0", 7, 0xffff_fff0),
        ("\tv_min_i64 v[2:3], v[0:1], -5", 3, (-5i64) as u64),
        ("\tv_max_u64 v[2:3], v[0:1], 7", 3, 7),
        (
            "\ts_mov_b64 s[8:9], 0x100000001\n\ts_mul_u64 s[8:9], s[8:9], s[8:9]\n\ts_sub_nc_u64 s[8:9], s[8:9], 2\n\t\
             s_add_nc_u64 s[8:9], s[8:9], 1\n\tv_mov_b64_e32 v[2:3], s[8:9]",
            0,
            0x2_0000_0000,
        ),
        (
            "\tv_add_co_u32 v2, vcc_lo, 1, v0\n\tv_add_co_ci_u32_e64 v3, null, 0, v1, vcc_lo",
            0x1234_ffff_ffff,
            0x1235_0000_0000,
        ),
        ("\tv_div_scale_f64 v[2:3], null, v[0:1], v[0:1], 1.0", 3f64.to_bits(), 3f64.to_bits()),
        // Constants behind the code, from the address of the instruction.
        (
            "\ts_get_pc_i64 s[8:9]\n\ts_add_nc_u64 s[8:9], s[8:9], table@rel64+4\n\ts_load_b64 s[8:9], s[8:9], 0x8\n\t\
             s_wait_kmcnt 0x0\n\tv_mov_b64_e32 v[2:3], s[8:9]",
            0,
            2,
        ),
        // A register's offset counts in units of what is loaded.
        (
            "\ts_get_pc_i64 s[8:9]\n\ts_add_nc_u64 s[8:9], s[8:9], table@rel64+4\n\ts_mov_b32 s10, 1\n\t\
             s_load_b64 s[8:9], s[8:9], s10 offset:0x0 scale_offset\n\ts_wait_kmcnt 0x0\n\tv_mov_b64_e32 v[2:3], s[8:9]",
            0,
            2,
        ),
        // A far branch.
        (
            "\tv_mov_b64_e32 v[2:3], 1\n\ts_add_pc_i64 .LBB0_7-.Lpost_addpc0\n.Lpost_addpc0:\n\tv_mov_b64_e32 v[2:3], 2\n\
             .LBB0_7:",
            0,
            1,
        ),
    ] {
        assert_eq!(bits(middle, lane(input)), vec![expected; 32], "{middle}");
    }
}

#[test]
fn lanes_are_those_of_a_wave_of_32() {
    let input = |lane: usize| lane as f64;
    // Lane 0 reads from the last one, as the address counts round.
    let found = computed(
        64,
        "\tv_lshlrev_b32_e32 v4, 2, v10\n\tv_add_nc_u32_e32 v4, 0x7c, v4\n\tds_bpermute_b32 v2, v4, v0\n\t\
         ds_bpermute_b32 v3, v4, v1\n\ts_wait_dscnt 0x0",
        input,
    );
    let expected = |lane: usize| (lane / 32 * 32 + (lane + 31) % 32) as f64;
    assert_eq!(found, Ok((0..64).map(expected).collect()));
    let found =
        computed(64, "\tv_readlane_b32 s8, v0, 33\n\tv_readlane_b32 s9, v1, 33\n\tv_mov_b64_e32 v[2:3], s[8:9]", input);
    assert_eq!(found.map(|all| [all[0], all[63]]), Ok([1.0, 33.0]));
    let found = computed(32, "\tv_mov_b64_e32 v[2:3], v[0:1]\n\tv_writelane_b32 v2, 1, 35", |_| 0.0);
    assert_eq!(found.map(|all| [all[2].to_bits(), all[3].to_bits()]), Ok([0, 1]));
}

#[test]
fn registers_beyond_256_are_those_that_were_set() {
    let through = |middle: &str| computed(32, middle, |lane| lane as f64);
    let right = "\ts_set_vgpr_msb 64\n\tv_mov_b64_e32 v[4:5] /*v[260:261]*/, v[0:1]\n\ts_set_vgpr_msb 0x4001\n\t\
                 v_add_f64_e32 v[2:3], v[4:5] /*v[260:261]*/, v[0:1]\n\ts_set_vgpr_msb 0x100";
    let doubled = Ok((0..32).map(|lane| 2.0 * lane as f64).collect());
    assert_eq!(through(right), doubled);
    // The mode's bits stand elsewhere.
    let mode = |bits: &str| format!("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), {bits}");
    let by_mode = |bits: &str| right.replace("s_set_vgpr_msb 64", &mode(bits));
    assert_eq!(through(&by_mode("0x1001")), doubled);
    for (wrong, reason) in [
        (by_mode("0x4001"), "v260 is not what"),
        (by_mode("1"), "v260 is not what"),
        (right.replacen("\ts_set_vgpr_msb 64\n", "", 1), "v260 is not what `s_set_vgpr_msb` says"),
        (right.replace("0x4001", "0x4004"), "v260 is not what"),
        (right.replace("0x4001", "0x4041"), "v2 is not what"),
        (
            right.replace(" /*v[260:261]*/, v[0:1]\n\ts_set_vgpr_msb 0x100", ", v[0:1]\n\ts_set_vgpr_msb 0x100"),
            "v4 is not",
        ),
        (right.replace("\n\ts_set_vgpr_msb 0x100", "\n.LBB0_1:\n\ts_set_vgpr_msb 0x100"), "`.LBB0_1` is come to with"),
        (
            right.replace("\n\ts_set_vgpr_msb 0x100", "\n\ts_branch .LBB0_1\n\ts_set_vgpr_msb 0\n.LBB0_1:"),
            "leaves with",
        ),
        (right.replace("0x4001", "high"), "`s_set_vgpr_msb high` is not known"),
    ] {
        let found = through(&wrong);
        assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{reason}: {found:?}");
    }
}

#[test]
fn each_counter_covers_its_own_memory() {
    let store = "\tds_store_b64 v11, v[0:1]\n\ts_wait_dscnt 0x0\n";
    for (middle, reason) in [
        ("\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_wait_dscnt 0x0", "uses v2 before an `s_wait…`"),
        ("\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_wait_storecnt 0x0", "uses v2 before"),
        (
            "\tglobal_load_b64 v[4:5], v10, s[4:5] scale_offset\n\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\t\
             s_wait_loadcnt 0x1",
            "uses v2 before",
        ),
        ("\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_wait_loadcnt_dscnt 0x100", "uses v2 before"),
        ("\tds_bpermute_b32 v2, v11, v0\n\ts_wait_loadcnt 0x0\n\tv_mov_b32_e32 v3, v2", "uses v2 before"),
        ("\ts_load_b32 s10, s[0:1], 0x10\n\ts_wait_dscnt 0x0\n\tv_mov_b32_e32 v2, s10", "uses s10 before"),
        (
            "\ts_load_b32 s10, s[0:1], 0x10\n\ts_load_b32 s11, s[0:1], 0x10\n\ts_wait_kmcnt 0x1\n\tv_mov_b32_e32 v2, s10",
            "uses s10 before",
        ),
        // Registers that an instruction on memory may read again stay until its address is translated.
        (
            "\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\tv_mov_b32_e32 v10, 0",
            "writes v10 before an `s_wait_xcnt`",
        ),
        ("\ts_load_b32 s10, s[0:1], 0x10\n\ts_mov_b32 s0, 0", "writes s0 before an `s_wait_xcnt`"),
        (
            "\tglobal_store_b64 v10, v[0:1], s[6:7] scale_offset\n\tv_mov_b32_e32 v0, 0",
            "writes v0 before an `s_wait_xcnt`",
        ),
        (
            "\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\tglobal_load_b64 v[4:5], v11, s[4:5]\n\ts_wait_xcnt 0x1\n\t\
             v_mov_b32_e32 v10, 0\n\tv_mov_b32_e32 v11, 0",
            "writes v11 before an `s_wait_xcnt`",
        ),
        ("\tv_mov_b32_e32 v4, -1\n\tglobal_load_b64 v[2:3], v4, s[4:5]", "whose sign is not known"),
        ("\ts_wait_tensorcnt 0x0", "`s_wait_tensorcnt` is not known"),
        ("\tv_dual_mov_b32 v2, v1 :: v_dual_rcp_f64 v[4:5], v[0:1]", "is not known"),
        ("\ts_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 1", "`s_setreg_imm32_b32` is not known"),
        ("\ts_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 3", "is not known"),
        ("\tv_mov_b32_e32 v256, 0", "is not what `s_set_vgpr_msb` says"),
        ("\tv_add_f64_e32 v[2:3], vcc, v[0:1]", "has no value"),
    ] {
        let found = computed(32, &format!("{store}{middle}"), |lane| lane as f64);
        assert!(found.as_ref().is_err_and(|e| e.contains(reason)), "{middle}: {found:?}");
    }
    // With waits, and where an order comes by itself.
    for middle in [
        "\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_wait_xcnt 0x0\n\tv_mov_b32_e32 v10, v10\n\ts_wait_loadcnt 0x0",
        "\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_wait_loadcnt 0x0\n\tv_mov_b32_e32 v10, v10",
        "\tds_load_b64 v[2:3], v11\n\ts_wait_loadcnt_dscnt 0x300",
        // The scope of agreeing caches does not matter in a thread's own memory.
        "\tscratch_store_b64 off, v[0:1], off offset:8 scope:SCOPE_SYS\n\ts_wait_storecnt 0x0\n\ts_wait_xcnt 0x0\n\t\
         scratch_load_b64 v[2:3], off, off offset:8 scope:SCOPE_SYS\n\ts_wait_loadcnt 0x0",
        // Vectors and scalars wait for each other's addresses.
        "\ts_load_b32 s10, s[0:1], 0x10\n\tglobal_load_b64 v[2:3], v10, s[4:5] scale_offset\n\ts_mov_b32 s0, 0\n\t\
         s_wait_loadcnt 0x0\n\ts_wait_kmcnt 0x0",
    ] {
        let found = computed(32, &format!("{store}{middle}"), |lane| lane as f64);
        assert_eq!(found, Ok((0..32).map(|lane| lane as f64).collect()), "{middle}");
    }
}

#[test]
fn a_workgroup_knows_its_number_in_no_cluster() {
    let body = "\ts_getreg_b32 s17, hwreg(HW_REG_IB_STS2, 6, 4)\n\ts_bfe_u32 s15, ttmp6, 0x4000c\n\ts_cmp_eq_u32 s17, 0\n\t\
                s_cselect_b32 s8, ttmp9, s15\n\ts_mov_b32 s9, 0\n\tv_mov_b64_e32 v[2:3], s[8:9]";
    assert_eq!(computed(32, body, |_| 1.0).map(|all| all[31].to_bits()), Ok(0));
}

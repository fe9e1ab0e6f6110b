//! A made-up kernel of any length.

/// Warps hand rows around in a ring, step by step: ten instructions each. For any number of warps up to 32.
pub fn ring(steps: usize) -> String {
    let mut text = String::from(
        ".version 6.0\n.target sm_35\n.address_size 64\n.shared .align 4 .b8 rows[8192];\n.visible .entry ring()\n{\n\t.reg .b32 \
         %r<8>;\n\t.reg .f32 %f<4>;\n\tmov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, 2;\n\tmov.u32 %r3, rows;\n\tadd.s32 %r4, %r3, \
         %r2;\n\tmov.f32 %f1, 0f3F800000;\n",
    );
    for step in 0..steps {
        let (half, shift) = (4096 * (step % 2), 128 * (1 + step % 31));
        text += &format!(
            "\tst.shared.f32 [%r4+{half}], %f1;\n\tbar.sync {};\n\tadd.s32 %r5, %r2, {shift};\n\tand.b32 %r5, %r5, \
             4095;\n\tadd.s32 %r6, %r3, %r5;\n\tld.shared.f32 %f2, [%r6+{half}];\n\tfma.rn.f32 %f1, %f2, %f1, %f2;\n\t\
             mul.rn.f32 %f1, %f1, 0f3F000000;\n\tadd.rn.f32 %f3, %f1, %f2;\n\tsub.rn.f32 %f1, %f3, %f2;\n",
            step % 3
        );
    }
    text + "\tret;\n}\n"
}

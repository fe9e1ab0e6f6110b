//! PTX as people write it by hand and in inline assembly: its meaning, the parts that survive printing, and that an assembler
//! takes the print.

use machine::target::ComputeCapability;
use machine::toolchain;
use ptx::inst::{Op, Type};
use ptx::{Module, check, read};
use warpsim::{self, Argument, Buffer, Launch, Options};

/// Reads it, and checks that printing loses nothing and that ptxas, if installed, takes the print.
fn parse(text: &str) -> Module {
    let text = format!(".version 7.8\n.target sm_80\n.address_size 64\n{text}");
    let read = |text: &str| read::text("k.ptx", text);
    let module = read(&text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    assert_eq!(check::check(&module), [], "{module}");
    let printed = module.to_string();
    assert_eq!(read(&printed).unwrap_or_else(|d| panic!("{d:?}\n{printed}")), module, "{printed}");
    match toolchain::find_for(ComputeCapability(8, 0)) {
        Ok(toolchain) => {
            let taken = toolchain.assemble(&printed, ComputeCapability(8, 0));
            taken.unwrap_or_else(|e| panic!("{e}\n{printed}"));
        }
        Err(absent) => println!("not assembled: {absent}"),
    }
    module
}

/// Returns the words, one per lane, that a warp's kernel `k(.param .u64 o)` leaves.
fn words(module: &Module) -> Vec<u64> {
    let mut buffers = vec![Buffer::unwritten(Type::U32, 128)];
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    warpsim::run(module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}\n{module}"));
    (0..32).map(|i| buffers[0].element(Type::U32, i).unwrap()).collect()
}

/// Makes a kernel that stores %r1, which its body computes from the lane in %r2.
fn kernel(head: &str, body: &str) -> Module {
    parse(&format!(
        "{head}\n.visible .entry k(.param .u64 o)\n{{\n.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n\
         ld.param.u64 %rd1, [o]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2;\n\
         {body}\nst.global.u32 [%rd1], %r1;\nret;\n}}\n"
    ))
}

fn lanes(f: impl Fn(u64) -> u64) -> Vec<u64> {
    (0..32).map(f).collect()
}

/// Inline assembly that is pasted twice has its labels twice; a branch goes to the innermost one.
#[test]
fn braces_hide_labels() {
    let wait = |step: u32, end: u32| {
        format!(
            "{{ .reg .pred P; AGAIN: add.u32 %r1, %r1, {step}; setp.gt.u32 P, %r1, {end}; @P bra DONE; bra AGAIN; DONE: }}\n"
        )
    };
    let module = kernel("", &format!("mov.u32 %r1, 0;\n{}{}DONE:", wait(7, 20), wait(10, 90)));
    assert_eq!(words(&module), lanes(|_| 91));
    let module = kernel(
        "",
        "mov.u32 %r1, 1; setp.lt.u32 %p1, %r2, 9;\n{ @%p1 bra OUT; { @!%p1 bra IN; IN: add.u32 %r1, %r1, 4; } IN: add.u32 %r1, %r1, 8; }\nOUT:",
    );
    assert_eq!(words(&module), lanes(|lane| if lane < 9 { 1 } else { 13 }));
    let table = "{ T: .branchtargets A, B; brx.idx %r3, T; A: add.u32 %r1, %r1, 1; B: add.u32 %r1, %r1, 1; }\n";
    let module = kernel("", &format!("mov.u32 %r1, 0; and.b32 %r3, %r2, 1;\n{table}{table}"));
    assert_eq!(words(&module), lanes(|lane| 4 - 2 * (lane & 1)));
}

#[test]
fn a_label_of_other_braces_is_unknown() {
    let text = ".version 7.0\n.target sm_70\n.entry k()\n{\nbra IN;\n{ IN: }\n{ bra IN; }\nret;\n}\n";
    let errors = read::text("k.ptx", text).unwrap_err();
    let places: Vec<_> = errors.iter().map(|d| (d.id, d.span.as_ref().unwrap().line_column())).collect();
    assert_eq!(places, [("ptx::label", (5, 5))]);
}

/// Functions whose addresses stand in a table are known before it.
#[test]
fn tables_of_functions_are_printed_behind_them() {
    let module = parse(
        ".func (.param .b32 r) twice(.param .b32 x);\n.extern .func (.param .b32 r) other(.param .b32 x);\n\
         .global .align 8 .u64 table[2] = {twice, twice};\n\
         .func (.param .b32 r) twice(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1; \
         st.param.b32 [r], %r2; ret; }\n.visible .entry k() { ret; }\n",
    );
    let printed = module.to_string();
    let at = |text: &str| printed.find(text).unwrap_or_else(|| panic!("no {text} in\n{printed}"));
    assert!(at("other(") < at("table[2]") && at("twice(") < at("table[2]"), "{printed}");
}

/// A call under a guard whose arguments stand in registers.
#[test]
fn guarded_calls_pass_registers() {
    let plus = ".func (.reg .u32 r) plus(.reg .u32 x, .reg .u32 y) { add.u32 r, x, y; ret; }";
    let module = kernel(
        plus,
        "mov.u32 %r1, 5; setp.lt.u32 %p1, %r2, 9;\n@%p1 call (%r1), plus, (%r2, 3);\n@!%p1 call (%r1), plus, (%r1, %r1);",
    );
    assert_eq!(words(&module), lanes(|lane| if lane < 9 { lane + 3 } else { 10 }));
}

/// Vectors and nested rows, whose missing values are zero.
#[test]
fn variables_have_vectors_and_rows() {
    let module = kernel(
        ".global .u32 rows[3][4] = {{1, 2}, {3, 4, 5, 6}};\n.const .v4 .f32 four[2] = {{1.0, 2.0, 3.0, 4.0}, {5.0, 6.0, 7.0, 8.0}};\n\
         .shared .v4 .f32 space[8];\n.global .v2 .u32 two = {7, 9};",
        "and.b32 %r3, %r2, 7; mul.wide.u32 %rd2, %r3, 4; mov.u64 %rd3, rows; add.s64 %rd3, %rd3, %rd2;\n\
         ld.global.u32 %r1, [%rd3]; ld.global.u32 %r4, [two+4]; add.u32 %r1, %r1, %r4;",
    );
    let rows = [1, 2, 0, 0, 3, 4, 5, 6];
    assert_eq!(words(&module), lanes(|lane| 9 + rows[lane as usize & 7]));
    let sizes: Vec<(u64, u32)> = module.variables.values().map(|v| (v.bytes, v.align)).collect();
    assert_eq!(sizes, [(48, 4), (32, 16), (128, 16), (8, 8)]);
    for wrong in
        [".global .u32 a[2][2] = {{1, 2, 3}};", ".global .u32 a[1][2] = {{1}, {2}};", ".global .u32 a[9] = {b, {c}};"]
    {
        let text = format!(".version 7.0\n.target sm_70\n{wrong}\n");
        let errors = read::text("k.ptx", &text).unwrap_err();
        assert_eq!(errors[0].id, "ptx::variable", "{wrong}");
    }
}

/// CUDA's headers write the order of an atomic behind its operation.
#[test]
fn qualifiers_of_atomics_come_in_any_order() {
    let module = kernel(
        "",
        "atom.add.release.gpu.u32 %r3, [%rd1], 2; atom.release.gpu.global.add.u32 %r3, [%rd1], 2; mov.u32 %r1, 1;",
    );
    let known = module.funcs[0].insts.values().filter(|data| matches!(data.op, Op::Atom { .. })).count();
    assert_eq!(known, 2, "{module}");
    assert_eq!(module.to_string().matches("atom.release.gpu.").count(), 2, "{module}");
}

/// A function whose local variable nobody mentions, in front of one whose is used.
#[test]
fn local_variables_keep_their_order() {
    parse(
        ".func f() { .reg .b64 %rd<2>; .local .b8 used[8]; mov.u64 %rd1, used; ret; }\n\
         .func g() { .local .b8 idle[4]; ret; }\n.func h() { ret; }\n\
         .visible .entry k() { .reg .b64 %rd<2>; .local .b8 last[16]; mov.u64 %rd1, last; ret; }\n",
    );
}

/// A struct that comes by value is loaded by vectors.
#[test]
fn parameters_are_loaded_by_vectors() {
    let module = kernel(
        ".func (.param .align 8 .b8 r[8]) swap(.param .align 8 .b8 s[8])\n{ .reg .b32 %r<3>; ld.param.v2.b32 {%r1, %r2}, [s]; \
         st.param.v2.b32 [r], {%r2, %r1}; ret; }",
        "{ .param .align 8 .b8 a[8]; .param .align 8 .b8 b[8]; .reg .b16 %h<5>; mov.u32 %r3, 0x04030201;\n\
         st.param.v2.b32 [a], {%r2, %r3}; call (b), swap, (a);\n\
         ld.param.v4.b8 {%h1, %h2, %h3, %h4}, [b]; ld.param.b32 %r4, [b+4];\n\
         cvt.u32.u16 %r1, %h4; mul.lo.u32 %r1, %r1, 100; cvt.u32.u16 %r3, %h2; mad.lo.u32 %r1, %r3, 1000, %r1; add.u32 %r1, %r1, %r4; }",
    );
    assert_eq!(words(&module), lanes(|lane| 2400 + lane));
}

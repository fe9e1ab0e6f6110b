//! Texts of old and of new compilers: they are read, printed alike, and analysed; most of them run.

use diagnostics::Diagnostic;
use ptx::inst::Type;
use ptx::{Module, check, read};
use warpsim::prove;
use warpsim::{Argument, Buffer, Launch, Options};

fn text_of(text: &str) -> Result<Module, Vec<Diagnostic>> {
    read::text("k.ptx", text)
}

/// Reads the module, and checks that its printed text says the same.
fn module(text: &str) -> Module {
    let module = text_of(text).unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    assert!(check::check(&module).is_empty(), "{:?}\n{text}", check::check(&module));
    let again = text_of(&module.to_string()).unwrap_or_else(|d| panic!("{d:?}\n{module}"));
    assert!(again == module, "{module}\n{again}");
    module
}

fn proven(text: &str) -> Module {
    let module = module(text);
    let arguments = prove::arguments(module.func("k").unwrap(), 3);
    let verdict = prove::prove(&module, "k", &Launch::linear(1, 64, arguments)).unwrap();
    assert!(verdict.proven(), "{verdict:?}");
    module
}

/// Returns the words that 32 lanes leave in a buffer whose address is in `%d1`; `%r1` is the lane.
fn words(sm: u32, params: &str, arguments: Vec<Argument>, body: &str) -> Vec<u32> {
    let text = format!(
        ".version 8.6\n.target sm_{sm}\n.address_size 64\n.const .align 4 .b8 table[8] = {{1, 0, 0, 0, 9, 0, 0, 0}};
         .visible .entry k(.param .u64 out{params})\n{{ .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>;
         .reg .f32 %f<4>; .reg .f64 %e<4>;
         ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;
         {body} st.global.u32 [%d1], %r7; ret; }}"
    );
    let module = module(&text);
    let mut buffers = [Buffer::unwritten(Type::U32, 32)];
    let launch = Launch::linear(1, 32, [vec![Argument::Buffer(0)], arguments].concat());
    warpsim::run(&module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}\n{body}"));
    (0..32).map(|i| buffers[0].element(Type::U32, i).unwrap() as u32).collect()
}

#[test]
fn registers_of_vectors_are_their_elements() {
    let body = "{ .reg .v2 .b32 pair; mov.u32 pair.x, 7; add.u32 pair.y, pair.x, %r1; add.u32 %r7, pair.x, pair.y; }
        { .reg .v4 .b32 pair; mov.u32 pair.w, 1; add.u32 %r7, %r7, pair.w; }";
    assert_eq!(words(80, "", Vec::new(), body), (0..32).map(|lane| 15 + lane).collect::<Vec<u32>>());
    for declared in [".v3 .b32 pair", ".v2 pair", ".v2 .b32 pair<3>"] {
        let text = format!(".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {{ .reg {declared}; ret; }}");
        assert!(text_of(&text).is_err(), "{declared}");
    }
}

#[test]
fn prototypes_without_semicolon_and_registers_of_the_module() {
    let text = ".version 1.4\n.target sm_10\n.reg .u32 %common<4>;
        .extern .func (.param .s32 out) other (.param .s32 in)
        .func (.param .s32 out) once_more (.param .s32 in)
        .global .s32 table[4];
        .shared .align 4 .b8 box[256];
        .entry k (.param .u64 p) { mov.u32 %common1, %tid.x; shl.b32 %common0, %common1, 2; mov.u32 %common3, box;
        add.u32 %common2, %common0, %common3; st.shared.u32 [%common2], %common1; bar.sync 0; exit; }
        .func (.param .s32 out) last (.param .s32 in)";
    let module = proven(text);
    assert_eq!((module.sm, module.funcs.len()), (10, 4));
    assert_eq!(module.funcs.iter().filter(|func| func.is_declaration()).count(), 3);
}

/// A value that goes from one function to another through a register of the module would be lost.
#[test]
fn functions_that_share_a_register_of_the_module_are_refused() {
    let text = |kind: &str| {
        format!(
            ".version 2.0\n.target sm_20\n.reg .u32 %c<4>;\n{kind} f () {{ mov.u32 %c1, 7; ret; }}
             .entry k () {{ mov.u32 %c1, 5; ret; }}"
        )
    };
    let told = text_of(&text(".func")).unwrap_err();
    assert_eq!(told[0].id, "ptx::unsupported");
    module(&text(".entry"));
    module(&text(".func").replacen("%c1", "%c2", 1));
}

/// Before PTX 1.4 a kernel's parameters stand in its body.
#[test]
fn parameters_in_the_body() {
    let text = ".version 1.3\n.target sm_11\n.shared .align 4 .b8 box[256];\n.entry k
        {\n.param .u64 p;\n.param .u32 n;\n.reg .u32 %r<4>; mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, box;
        add.u32 %r2, %r1, %r2; ld.param.u32 %r3, [n]; st.shared.u32 [%r2], %r3; bar.sync 0; exit; }";
    assert_eq!(proven(text).func("k").unwrap().params.len(), 2);
}

#[test]
fn sinks() {
    let body = "mov.u64 %d3, %d1; st.global.u32 [%d1], %r1; ld.global.u32 _, [%d1]; atom.global.add.u32 _, [%d1], 1;
        setp.lt.u32 %p1|_, %r1, 7; setp.lt.u32 _|%p2, %r1, 7; shfl.sync.idx.b32 %r2|_, %r1, 3, 31, -1;
        mul.wide.u32 _, %r1, 3; mov.b64 {_, %r4}, %d2; selp.u32 %r7, 100, 0, %p2; add.u32 %r7, %r7, %r2; @!%p1 add.u32 %r7, %r7, 1000;";
    assert_eq!(words(70, "", vec![], body)[6..8], [3, 1103]);
    // verbatim text keeps its `_`
    let text = ".version 8.0\n.target sm_90\n.shared .align 8 .b64 bar;\n.entry k () { .reg .b32 %r<2>;
        mbarrier.arrive.shared.b64 _, [bar]; ret; }";
    assert!(module(text).to_string().replace(' ', "").contains("mbarrier.arrive.shared.b64_,[bar];"));
}

#[test]
fn addresses_of_parameters() {
    // as NVRTC passes a structure that the kernel only reads
    let body =
        "mov.b64 %d3, s; cvta.param.u64 %d4, %d3; ld.u32 %r2, [%d4+4]; mov.b64 %d5, s+8; ld.param.u32 %r3, [%d5];
        isspacep.global %p1, %d4; selp.u32 %r4, 1000, 0, %p1; add.u32 %r7, %r2, %r3; add.u32 %r7, %r7, %r4;";
    let bytes = [1u32, 20, 300].iter().flat_map(|word| word.to_le_bytes()).collect();
    let params = ", .param .align 4 .b8 s[12]";
    assert_eq!(words(75, params, vec![Argument::Bytes(bytes)], body), [320; 32]);
    let constant = "mov.u64 %d3, table; cvta.const.u64 %d4, %d3; ld.u32 %r7, [%d4+4];";
    assert_eq!(words(75, "", vec![], constant), [9; 32]);
}

/// A barrier whose number lies in a structure: with its value proven, without it not.
#[test]
fn what_lies_at_the_address_of_a_parameter_is_known_to_the_prover() {
    let text = ".version 8.0\n.target sm_70\n.address_size 64\n.entry k (.param .align 4 .b8 s[16]) { .reg .b32 %r<8>;
        .reg .b64 %d<4>; mov.b64 %d1, s; ld.param.u32 %r1, [%d1+4]; bar.sync %r1, 64; ret; }";
    proven(text);
    let verdict = prove::prove(&module(text), "k", &Launch::linear(1, 64, vec![Argument::Any])).unwrap();
    assert!(!verdict.proven() && verdict.violations.is_empty(), "{verdict:?}");
}

#[test]
fn what_is_declared_nowhere() {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k (.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %d<4>;
        { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), elsewhere, (a); ld.param.b32 %r2, [b]; }
        mov.u64 %d1, somewhere; ld.global.u32 %r3, [somewhere_else+4]; ret; }";
    let module = module(text);
    let printed = module.to_string();
    assert!(printed.contains(".extern .func (") && printed.contains("elsewhere("), "{printed}");
    assert!(printed.replace(' ', "").contains("mov.u64%rd1,somewhere;"), "{printed}");
    let verdict = prove::prove(&module, "k", &Launch::linear(1, 64, vec![Argument::Buffer(0)])).unwrap();
    assert!(verdict.violations.is_empty(), "{verdict:?}");
}

#[test]
fn declarations_of_other_kinds() {
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .attribute(.managed) .align 4 .u32 unified;\n.surf .u64 plane;
        .sampler .u64 how;\n.entry k () { .reg .b64 %d<2>; mov.u64 %d1, unified; ret; }";
    assert!(module(text).to_string().contains(".attribute(.managed) .align 4 .u32 unified;"));
}

/// Every architecture since the first is a target.
#[test]
fn targets() {
    for sm in [
        10, 11, 12, 13, 20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 120,
        121,
    ] {
        let text = format!(".version 1.0\n.target sm_{sm}\n.entry k () {{ ret; }}");
        assert_eq!(proven(&text).sm, sm);
    }
}

/// 1.5, 2, -0.25 and 65504 in half precision are 0x3e00, 0x4000, 0xb400 and 0x7bff; in bfloat16 1.5 is 0x3fc0.
#[test]
fn half_precision() {
    let half = |body: &str| {
        let body =
            format!("mov.b16 %h1, 0x3E00; mov.b16 %h2, 0x4000; mov.b16 %h3, 0xB400; mov.b16 %h4, 0x7BFF; {body}");
        words(90, "", vec![], &body)[0]
    };
    let one = |text: &str| half(&format!("{text} cvt.u32.u16 %r7, %h7;"));
    assert_eq!(one("add.f16 %h7, %h1, %h2;"), 0x4300, "3.5");
    assert_eq!(one("sub.rn.f16 %h7, %h1, %h2;"), 0xb800, "-0.5");
    assert_eq!(one("mul.f16 %h7, %h4, %h2;"), 0x7c00, "infinite");
    assert_eq!(one("fma.rn.f16 %h7, %h1, %h2, %h3;"), 0x4180, "2.75");
    assert_eq!(one("fma.rn.relu.f16 %h7, %h3, %h2, %h3;"), 0, "below 0");
    assert_eq!(one("add.sat.f16 %h7, %h1, %h2;"), 0x3c00, "at most 1");
    assert_eq!(one("neg.f16 %h7, %h3;"), 0x3400);
    assert_eq!(one("max.f16 %h7, %h3, %h1;"), 0x3e00);
    assert_eq!(one("min.NaN.f16 %h7, %h3, %h1;"), 0xb400);
    assert_eq!(one("ex2.approx.f16 %h7, %h2;"), 0x4400, "4");
    assert_eq!(one("cvt.rn.f16.f32 %h7, 0f3DCCCCCD;"), 0x2e66, "0.1");
    assert_eq!(one("mov.f64 %e1, 0dC0F0000000000000; cvt.rz.f16.f64 %h7, %e1;"), 0xfbff, "-65536 towards 0");
    assert_eq!(one("cvt.rn.bf16.f32 %h7, 0f3F818000;"), 0x3f82, "a tie goes to the even neighbour");
    assert_eq!(one("mov.u32 %r2, -7; cvt.rn.f16.s32 %h7, %r2;"), 0xc700);
    assert_eq!(half("cvt.f32.f16 %f1, %h3; mov.b32 %r7, %f1;"), 0xbe80_0000);
    assert_eq!(half("cvt.rzi.s32.f16 %r7, %h1;"), 1);
    assert_eq!(half("mov.b16 %h5, 0x3FC0; cvt.f32.bf16 %f1, %h5; mov.b32 %r7, %f1;"), 0x3fc0_0000);
    assert_eq!(half("mov.b16 %h5, 0x3FC0; fma.rn.bf16 %h5, %h5, %h5, %h5; cvt.u32.u16 %r7, %h5;"), 0x4070, "3.75");
    assert_eq!(half("setp.gt.f16 %p1, %h1, %h3; selp.u32 %r7, 5, 6, %p1;"), 5);
}

/// The product of 1 + 2^-10 and 1 + 2^-10 lies just above the middle of two numbers only if its last bits count.
#[test]
fn fused_halves_are_rounded_once() {
    // 0x3c01 squared is 1 + 2^-9 + 2^-20; 2^-11 lies in the middle of two numbers there
    let body = "mov.b16 %h1, 0x3C01; mov.b16 %h2, 0x1000; fma.rn.f16 %h7, %h1, %h1, %h2; cvt.u32.u16 %r7, %h7;";
    assert_eq!(words(70, "", vec![], body)[0], 0x3c03);
    // the largest product and the smallest number
    let body = "mov.b16 %h1, 0x7BFF; mov.b16 %h2, 0xBC00; mov.b16 %h3, 0x0001; fma.rn.f16 %h7, %h1, %h2, %h3; cvt.u32.u16 %r7, %h7;";
    assert_eq!(words(70, "", vec![], body)[0], 0xfbff);
}

#[test]
fn packed_numbers() {
    let packed = |body: &str| words(100, "", vec![], body)[0];
    let halves = "mov.b32 %r2, 0x40003E00; mov.b32 %r3, 0xB4003C00;";
    assert_eq!(packed(&format!("{halves} add.f16x2 %r7, %r2, %r3;")), 0x3f00_4100);
    assert_eq!(packed(&format!("{halves} set.gt.f16x2.f16x2 %r7, %r3, %r2;")), 0);
    assert_eq!(packed(&format!("{halves} set.lt.u32.f16x2 %r7, %r3, %r2;")), 0xffff_ffff);
    assert_eq!(packed("cvt.rn.f16x2.f32 %r7, 0f40000000, 0f3F800000;"), 0x4000_3c00);
    assert_eq!(packed("cvt.rn.bf16x2.f32 %r7, 0f40000000, 0f3F800000;"), 0x4000_3f80);
    assert_eq!(packed("mov.b32 %r2, 0x7FFF0001; mov.b32 %r3, 0x00010001; add.sat.s16x2 %r7, %r2, %r3;"), 0x7fff_0002);
    assert_eq!(packed("mov.b32 %r2, 0xFFFF0005; mov.b32 %r3, 0xFFFE0003; max.relu.s16x2 %r7, %r2, %r3;"), 5);
    assert_eq!(packed("mov.b32 %r2, 0x00020003; mov.b32 %r3, 0x050406FF; dp2a.lo.u32.s32 %r7, %r2, %r3, 100;"), 109);
    assert_eq!(packed("mov.b32 %r2, 0xFFFE0003; mov.b32 %r3, 0x0504FFFF; dp2a.hi.s32.u32 %r7, %r2, %r3, 100;"), 102);
    for (text, expected) in [
        ("bmsk.clamp.b32 %r7, 4, 8;", 0xff0),
        ("bmsk.clamp.b32 %r7, 28, 8;", 0xf000_0000),
        ("bmsk.clamp.b32 %r7, 40, 8;", 0),
        ("bmsk.wrap.b32 %r7, 36, 40;", 0xff0),
        ("szext.clamp.s32 %r7, 0x12f8, 8;", 0xffff_fff8),
        ("szext.clamp.u32 %r7, 0x12f8, 8;", 0xf8),
        ("szext.clamp.s32 %r7, 0x12f8, 99;", 0x12f8),
        ("szext.wrap.s32 %r7, 0x12f8, 0;", 0),
        ("cvt.pack.sat.s16.s32 %r7, 70000, -5;", 0x7fff_fffb),
        ("mov.b32 %r2, 0x12345678; cvt.pack.sat.u8.s32.b32 %r7, 300, -5, %r2;", 0x5678_ff00),
    ] {
        assert_eq!(packed(text), expected, "{text}");
    }
    assert_eq!(packed("mov.b32 %r2, 0x01020304; mov.b32 %r3, 0xFF010101; dp4a.u32.s32 %r7, %r2, %r3, 100;"), 108);
    let pairs = "mov.b64 %d3, {%f1, %f2}; add.rn.f32x2 %d4, %d3, %d3; mov.b64 {%r2, %r7}, %d4;";
    assert_eq!(packed(&format!("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; {pairs}")), 0x4080_0000);
}

/// Up to PTX 2.1 constant memory has banks; here they are one.
#[test]
fn banks_of_constant_memory() {
    let text = ".version 2.1\n.target sm_13\n.const[2] .align 4 .b8 table[16];
        .const[3] .f32 factors[4] = {0f3F800000, 0f40000000, 0f40400000, 0f40800000};
        .entry k(.param .u64 out) { .reg .f32 %f<4>; .reg .u64 %d<4>; mov.u64 %d1, factors;
        ld.const[3].f32 %f1, [%d1+4]; ld.const[2].f32 %f2, [table]; ld.param.u64 %d2, [out]; st.global.f32 [%d2], %f1; exit; }";
    let module = proven(text);
    let mut buffers = [Buffer::unwritten(Type::F32, 1)];
    let launch = Launch::linear(1, 32, vec![Argument::Buffer(0)]);
    warpsim::run(&module, "k", &launch, &mut buffers, &Options::default()).unwrap_or_else(|h| panic!("{h}"));
    assert_eq!(buffers[0].element(Type::F32, 0), Some(2f32.to_bits().into()));
    assert!(module.to_string().contains("ld.const.f32"));
}

/// 32 lanes add 1.5, or 1.5 and 2 at once, to a place in memory, in half precision.
#[test]
fn atomics_on_halves() {
    let sum = |body: &str| words(90, "", vec![], &format!("ld.param.u64 %d3, [out]; {body}"));
    let both = "mov.u32 %r2, 0x40003E00; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%d3], 0; @%p1 mov.u32 %r3, 0;
        red.global.add.noftz.f16x2 [%d3], %r2; ld.global.u32 %r7, [%d3];";
    assert_eq!(sum(both)[0], 0x5400_5200, "64 and 48");
    let one = "mov.b16 %h1, 0x3FC0; mov.b16 %h2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%d3], 0;
        atom.add.noftz.bf16 %h3, [%d3], %h1; cvt.u32.u16 %r7, %h3;";
    assert_eq!(sum(one)[31], 0x423A, "31 times 1.5");
    let shared = |order: &str| {
        proven(&format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 box[4];\n.entry k() {{ .reg .b32 %r<4>;
             .reg .pred %p<2>; mov.u32 %r3, %tid.x; setp.eq.u32 %p1, %r3, 0; @%p1 st.shared.u32 [box], 0; bar.sync 0;
             mov.u32 %r1, 0x3C003C00; {order} atom.shared.add.noftz.f16x2 %r2, [box], %r1; }}"
        ))
    };
    shared("");
    shared("red.shared.add.noftz.bf16x2 [box], %r1;");
}

/// NVRTC counts the NUL at the end of its text, and programs write it to files.
#[test]
fn a_text_may_end_with_nul() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n";
    assert_eq!(text_of(&format!("{text}\0")), text_of(text));
    assert!(text_of(&format!("\0{text}")).is_err(), "in front of it stands no PTX");
}

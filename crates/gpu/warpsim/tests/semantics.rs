//! Results of single instructions in the simulator, bit by bit, and functions that call themselves.

use ptx::inst::Type;
use ptx::{Module, read};
use warpsim::{self, Argument, Buffer, Launch, Options};

fn read(text: &str) -> Module {
    read::text("k.ptx", text).unwrap_or_else(|d| panic!("{d:?}\n{text}"))
}

/// Runs `kernel(out, a, b, c)` on one warp; returns the words that it writes, one per lane.
fn run(module: &Module, inputs: [u32; 3]) -> Vec<u32> {
    let mut buffers = [Buffer::unwritten(Type::U32, 32)];
    let mut arguments = vec![Argument::Buffer(0)];
    arguments.extend(inputs.map(Argument::U32));
    let launch = Launch::linear(1, 32, arguments);
    let result = warpsim::run(module, "k", &launch, &mut buffers, &Options::default());
    result.unwrap_or_else(|hazards| panic!("{hazards}\n{module}"));
    (0..32).map(|lane| buffers[0].element(Type::U32, lane).unwrap() as u32).collect()
}

/// Makes a kernel around a statement that computes %d from %a, %b, %c; before it come functions.
fn module_with(functions: &str, statement: &str) -> Module {
    read(&format!(
        ".version 7.8\n.target sm_80\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 out, .param .u32 pa, .param .u32 pb, .param .u32 pc)\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %a, %b, %c, %d, %t<8>; .reg .b64 %x<8>;\n\
         ld.param.u32 %a, [pa]; ld.param.u32 %b, [pb]; ld.param.u32 %c, [pc]; ld.param.u64 %x0, [out];\n\
         {statement}\n\
         mov.u32 %t7, %tid.x; mul.wide.u32 %x7, %t7, 4; add.s64 %x0, %x0, %x7; st.global.u32 [%x0], %d; ret;\n}}\n"
    ))
}

#[test]
fn instructions_compute_what_ptx_says() {
    let f = |x: f32| x.to_bits();
    let tiny = 1u32;
    let cases: &[(&str, [u32; 3], u32)] = &[
        ("add.sat.s32 %d, %a, %b;", [0x7fff_ffff, 1, 0], 0x7fff_ffff),
        ("sub.sat.s32 %d, %a, %b;", [0x8000_0000, 1, 0], 0x8000_0000),
        ("mul.hi.u32 %d, %a, %b;", [u32::MAX, u32::MAX, 0], 0xffff_fffe),
        ("mul.hi.s32 %d, %a, %b;", [-2i32 as u32, 3, 0], u32::MAX),
        ("mul24.lo.u32 %d, %a, %b;", [0x0100_0002, 3, 0], 6),
        ("mad.hi.u32 %d, %a, %b, %c;", [0x8000_0000, 4, 5], 7),
        ("div.s32 %d, %a, %b;", [-7i32 as u32, 2, 0], -3i32 as u32),
        ("rem.s32 %d, %a, %b;", [-7i32 as u32, 2, 0], -1i32 as u32),
        ("abs.s32 %d, %a;", [0x8000_0000, 0, 0], 0x8000_0000),
        ("bfe.s32 %d, %a, %b, %c;", [0xf0, 4, 4], u32::MAX),
        ("bfe.u32 %d, %a, %b, %c;", [0xf0, 4, 4], 15),
        ("bfe.s32 %d, %a, %b, %c;", [0x8000_0000, 28, 16], 0xffff_fff8),
        ("prmt.b32 %d, %a, %b, %c;", [0x3322_1100, 0x7766_5544, 0x7531], 0x7755_3311),
        ("prmt.b32 %d, %a, %b, %c;", [0x0000_0080, 0, 0x8888], u32::MAX),
        ("shf.l.wrap.b32 %d, %a, %b, %c;", [0x8000_0000, 1, 33], 3),
        ("shf.r.clamp.b32 %d, %a, %b, %c;", [7, 9, 40], 9),
        ("lop3.b32 %d, %a, %b, %c, 0x96;", [0b1100, 0b1010, 0b1111], 0b1001),
        ("lop3.b32 %d, %a, %b, %c, 0xCA;", [0b1100, 0b1010, 0b0101], 0b1001),
        ("clz.b32 %d, %a;", [1, 0, 0], 31),
        ("popc.b32 %d, %a;", [0xf0f0, 0, 0], 8),
        ("brev.b32 %d, %a;", [1, 0, 0], 0x8000_0000),
        ("bfind.u32 %d, %a;", [0x10, 0, 0], 4),
        ("bfind.s32 %d, %a;", [u32::MAX, 0, 0], u32::MAX),
        ("bfind.shiftamt.u32 %d, %a;", [0x10, 0, 0], 27),
        ("cnot.b32 %d, %a;", [0, 0, 0], 1),
        ("sad.u32 %d, %a, %b, %c;", [3, 5, 10], 12),
        ("slct.b32.s32 %d, %a, %b, %c;", [1, 2, u32::MAX], 2),
        ("set.lt.u32.s32 %d, %a, %b;", [u32::MAX, 2, 0], u32::MAX),
        ("add.cc.u32 %t1, %a, %b; addc.u32 %d, %c, 0;", [u32::MAX, 1, 7], 8),
        ("sub.cc.u32 %t1, %a, %b; subc.u32 %d, %c, 0;", [0, 1, 7], 6),
        ("setp.lt.and.s32 %p1|%p2, %a, %b, !%p3; selp.u32 %d, 1, 0, %p2;", [5, 2, 0], 1),
        ("cvt.u16.u32 %h1, %a; mul.wide.s16 %d, %h1, %h1;", [0xffff, 0, 0], 1),
        ("cvt.u16.u32 %h1, %a; add.u16 %h1, %h1, %h1; cvt.u32.u16 %d, %h1;", [0x8001, 0, 0], 2),
        ("cvt.s8.s32 %d, %a;", [0x80, 0, 0], 0xffff_ff80),
        ("cvt.sat.u8.s32 %d, %a;", [300, 0, 0], 255),
        ("cvt.rni.s32.f32 %d, %a;", [f(2.5), 0, 0], 2),
        ("cvt.rpi.s32.f32 %d, %a;", [f(2.1), 0, 0], 3),
        ("cvt.rmi.s32.f32 %d, %a;", [f(-2.1), 0, 0], -3i32 as u32),
        ("cvt.rzi.u32.f32 %d, %a;", [f(-5.0), 0, 0], 0),
        ("cvt.rn.f32.s32 %d, %a;", [16_777_219, 0, 0], 0x4b80_0002),
        ("cvt.rz.f32.s32 %d, %a;", [16_777_219, 0, 0], 0x4b80_0001),
        ("cvt.rp.f32.u32 %d, %a;", [16_777_217, 0, 0], 0x4b80_0001),
        ("add.f32 %d, %a, %b;", [f(1.0), f(f32::EPSILON / 2.0), 0], f(1.0)),
        ("add.rp.f32 %d, %a, %b;", [f(1.0), f(1e-30), 0], 0x3f80_0001),
        ("add.rm.f32 %d, %a, %b;", [f(1.0), f(-1e-30), 0], 0x3f7f_ffff),
        ("sub.rz.f32 %d, %a, %b;", [f(1.0), f(1e-30), 0], 0x3f7f_ffff),
        ("mul.rz.f32 %d, %a, %b;", [f(f32::MAX), f(2.0), 0], f(f32::MAX)),
        ("div.rn.f32 %d, %a, %b;", [f(1.0), f(3.0), 0], f(1.0 / 3.0)),
        ("div.rp.f32 %d, %a, %b;", [f(1.0), f(3.0), 0], f(1.0 / 3.0)),
        ("div.rm.f32 %d, %a, %b;", [f(1.0), f(3.0), 0], f(1.0 / 3.0) - 1),
        ("mul.ftz.f32 %d, %a, %b;", [tiny, f(8.0), 0], 0),
        ("mul.rn.f32 %d, %a, %b;", [tiny, f(8.0), 0], 8),
        ("add.sat.f32 %d, %a, %b;", [f(0.75), f(0.75), 0], f(1.0)),
        (
            "fma.rn.f32 %d, %a, %b, %c;",
            [0x3f80_0001, 0x3f80_0001, f(-1.0)],
            f(1.000_000_1f32.mul_add(1.000_000_1, -1.0)),
        ),
        ("min.f32 %d, %a, %b;", [f(f32::NAN), f(2.0), 0], f(2.0)),
        ("max.f32 %d, %a, %b;", [f(-0.0), f(0.0), 0], 0),
        ("sub.f32 %d, %a, %b;", [f(f32::INFINITY), f(f32::INFINITY), 0], 0x7fff_ffff),
        ("neg.f32 %d, %a;", [f(2.0), 0, 0], f(-2.0)),
        ("sqrt.rn.f32 %d, %a;", [f(2.0), 0, 0], f(2f32.sqrt())),
        ("activemask.b32 %d;", [0, 0, 0], u32::MAX),
        ("redux.sync.add.u32 %d, %a, 0xffffffff;", [3, 0, 0], 96),
        ("setp.eq.u32 %p1, %a, 1; vote.sync.ballot.b32 %d, !%p1, 0xffffffff;", [1, 0, 0], 0),
        ("match.any.sync.b32 %d, %a, 0xffffffff;", [9, 0, 0], u32::MAX),
        ("setp.eq.u32 %p1, %a, 1; bar.red.popc.u32 %d, 0, %p1;", [1, 0, 0], 32),
        ("mov.b64 %x1, {%a, %b}; mov.b64 {_, %d}, %x1;", [1, 2, 0], 2),
        ("mov.b32 {%h1, %h2}, %a; mov.b32 %d, {%h2, %h1};", [0x0001_0002, 0, 0], 0x0002_0001),
    ];
    for (statement, inputs, expected) in cases {
        let found = run(&module_with("", statement), *inputs);
        assert_eq!(found, vec![*expected; 32], "{statement} of {inputs:x?}: {:x} for {expected:x}", found[0]);
    }
}

#[test]
fn lanes_see_each_other() {
    let shifted = run(
        &module_with(
            "",
            "mov.u32 %t1, %laneid; shfl.sync.up.b32 %d|%p1, %t1, 1, 0, 0xffffffff; selp.u32 %d, %d, 99, %p1;",
        ),
        [0; 3],
    );
    assert_eq!(shifted, [99].into_iter().chain(0..31).collect::<Vec<_>>());
    let pairs = run(
        &module_with("", "mov.u32 %t1, %laneid; shr.u32 %t1, %t1, 4; match.any.sync.b32 %d, %t1, 0xffffffff;"),
        [0; 3],
    );
    assert_eq!((pairs[3], pairs[20]), (0xffff, 0xffff_0000));
    // lanes take their turns in order
    let turns = run(
        &module_with(
            ".shared .align 4 .b8 cell[4];",
            "st.shared.u32 [cell], %a; bar.sync 0; atom.shared.add.u32 %d, [cell], %b;",
        ),
        [5, 2, 0],
    );
    assert_eq!(turns, (0..32).map(|lane| 5 + 2 * lane).collect::<Vec<_>>());
    let table = "{ .reg .u32 %i; mov.u32 %i, %laneid; and.b32 %i, %i, 1; $T: .branchtargets $EVEN, $ODD; brx.idx %i, $T; }\n\
                 $EVEN: mov.u32 %d, %a; bra.uni $END;\n$ODD: mov.u32 %d, %b;\n$END:";
    let ways = run(&module_with("", table), [4, 5, 0]);
    assert_eq!(ways, (0..32).map(|lane| 4 + lane % 2).collect::<Vec<_>>());
}

const FACTORIAL: &str = include_str!("semantics/factorial.ptx");

/// Each lane to its own depth, with a variable of its own in each call.
#[test]
fn functions_call_themselves() {
    let statement = "mov.u32 %t1, %laneid; and.b32 %t1, %t1, 7;\n\
                     { .param .b32 n0; .param .b32 r0; st.param.b32 [n0], %t1; call (r0), factorial, (n0); ld.param.b32 %t2, [r0]; }\n\
                     call (%d), total, (%t2, 1000);";
    let module = module_with(FACTORIAL, statement);
    let expected: Vec<u32> = (0..32).map(|lane| 1000 + (1..=lane % 8).product::<u32>()).collect();
    assert_eq!(run(&module, [0; 3]), expected);
    let again = read(&module.to_string());
    assert_eq!(again, module, "{module}");
    assert_eq!(run(&again, [0; 3]), expected);
    assert_eq!(ptx::check::check(&module), []);
}

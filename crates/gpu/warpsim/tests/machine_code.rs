//! Single instructions of PTX and their machine code by ptxas, for several architectures, on random values and on edges: the
//! simulator must compute the same bits from both. Skipped by name if ptxas or nvdisasm is absent.

use machine::target::ComputeCapability;
use ptx::inst::Type;
use testkit::compilers::Compilers;
use warpsim::machine_code::{self, Failure};
use warpsim::{Argument, Buffer, Launch, Options};

/// Statements that compute `%d` (32 bits) or `%x` (64 bits) from words %a, %b, %c, longs %i, %j and doubles %u, %v, %w, which
/// differ from lane to lane, and from the same of all lanes: %p, %q and %y.
const STATEMENTS: &[&str] = &[
    "add.s32 %d, %a, %b;",
    "sub.s32 %d, %a, %b;",
    "mad.lo.s32 %d, %a, %b, %c;",
    "mul.lo.s32 %d, %a, 12345;",
    "mul.hi.u32 %d, %a, %b;",
    "mul.hi.s32 %d, %a, %b;",
    "mad.hi.u32 %d, %a, %b, %c;",
    "mul.wide.s32 %x, %a, %b;",
    "mul.wide.u32 %x, %a, %b;",
    "mad.wide.s32 %x, %a, %b, %i;",
    "mad.wide.u32 %x, %a, 24, %i;",
    "add.s64 %x, %i, %j;",
    "sub.s64 %x, %i, %j;",
    "mul.lo.s64 %x, %i, %j;",
    "mul.hi.u64 %x, %i, %j;",
    "neg.s64 %x, %i;",
    "shl.b32 %d, %a, %b;",
    "shr.u32 %d, %a, %b;",
    "shr.s32 %d, %a, %b;",
    "shl.b32 %d, %a, 7;",
    "shr.s32 %d, %a, 31;",
    "shl.b64 %x, %i, %b;",
    "shr.u64 %x, %i, %b;",
    "shr.s64 %x, %i, %b;",
    "shl.b64 %x, %i, 13;",
    "shr.s64 %x, %i, 13;",
    "shf.l.clamp.b32 %d, %a, %b, %c;",
    "shf.l.wrap.b32 %d, %a, %b, %c;",
    "shf.r.clamp.b32 %d, %a, %b, %c;",
    "shf.r.wrap.b32 %d, %a, %b, %c;",
    "and.b32 %d, %a, %b;",
    "xor.b32 %d, %a, 0x5a5a5a5a;",
    "lop3.b32 %d, %a, %b, %c, 0x2d;",
    "lop3.b32 %d, %a, %b, %c, 0xe8;",
    "prmt.b32 %d, %a, %b, 0x3715;",
    "prmt.b32 %d, %a, %b, %c;",
    "min.s32 %d, %a, %b;",
    "max.s32 %d, %a, %b;",
    "min.u32 %d, %a, %b;",
    "max.u32 %d, %a, 77;",
    "abs.s32 %d, %a;",
    "popc.b32 %d, %a;",
    "brev.b32 %d, %a;",
    "setp.lt.s32 %k, %a, %b; selp.b32 %d, %a, %c, %k;",
    "setp.ge.u32 %k, %a, %b; selp.b32 %d, 1, 0, %k;",
    "setp.lt.s64 %k, %i, %j; selp.b32 %d, 1, 2, %k;",
    "setp.le.u64 %k, %i, %j; selp.b32 %d, 1, 2, %k;",
    "setp.gt.u64 %k, %i, %j; selp.b32 %d, 1, 2, %k;",
    "setp.eq.s64 %k, %i, %j; selp.b32 %d, 1, 2, %k;",
    "setp.ge.s64 %k, %i, 5; selp.b32 %d, 1, 2, %k;",
    "setp.lt.s32 %k, %a, %b; setp.gt.or.u32 %l, %b, %c, %k; selp.b32 %d, %a, %b, %l;",
    "setp.lt.s32 %k, %a, %b; setp.gt.s32 %l, %b, %c; xor.pred %k, %k, %l; selp.b32 %d, 3, 4, %k;",
    "setp.lt.s32 %k, %a, %b; setp.gt.s32 %l, %b, %c; not.pred %l, %l; and.pred %k, %k, %l; selp.b32 %d, 3, 4, %k;",
    "setp.lt.f64 %k, %u, %v; selp.f64 %x, %u, %v, %k;",
    "setp.gtu.f64 %k, %u, %v; selp.b32 %d, 1, 2, %k;",
    "setp.ne.f64 %k, %u, %v; selp.b32 %d, 1, 2, %k;",
    "setp.num.f64 %k, %u, %v; selp.b32 %d, 1, 2, %k;",
    "setp.nan.f64 %k, %u, %v; selp.b32 %d, 1, 2, %k;",
    "add.f64 %x, %u, %v;",
    "sub.f64 %x, %u, %v;",
    "mul.f64 %x, %u, %v;",
    "mul.f64 %x, %u, 0d40091EB851EB851F;",
    "fma.rn.f64 %x, %u, %v, %w;",
    "fma.rz.f64 %x, %u, %v, %w;",
    "add.rm.f64 %x, %u, %v;",
    "mul.rp.f64 %x, %u, %v;",
    "neg.f64 %x, %u;",
    "abs.f64 %x, %u;",
    "min.f64 %x, %u, %v;",
    "max.f64 %x, %u, %v;",
    "rcp.rn.f64 %x, %u;",
    "div.rn.f64 %x, %u, %v;",
    "sqrt.rn.f64 %x, %u;",
    "cvt.rn.f64.s32 %x, %a;",
    "cvt.rn.f64.u32 %x, %a;",
    "cvt.rn.f64.s64 %x, %i;",
    "cvt.rzi.s32.f64 %d, %u;",
    "cvt.rni.s32.f64 %d, %u;",
    "cvt.rzi.u32.f64 %d, %u;",
    "cvt.rzi.s64.f64 %x, %u;",
    "cvt.rn.f32.f64 %d, %u;",
    "cvt.s64.s32 %x, %a;",
    "div.u32 %d, %a, %b;",
    "div.s32 %d, %a, %b;",
    "rem.u32 %d, %a, 10;",
    "or.b32 %d, %b, 1; rem.s32 %d, %a, %d;",
    "div.u64 %x, %i, %j;",
    "or.b64 %x, %j, 1; rem.s64 %x, %i, %x;",
    "add.f32 %d, %a, %b;",
    "mul.f32 %d, %a, %b;",
    "fma.rn.f32 %d, %a, %b, %c;",
    "setp.lt.f32 %k, %a, %b; selp.b32 %d, 1, 2, %k;",
    "shfl.sync.idx.b32 %d, %a, 5, 31, -1;",
    "and.b32 %d, %b, 31; shfl.sync.idx.b32 %d, %a, %d, 31, -1;",
    "shfl.sync.bfly.b32 %d, %a, 3, 31, -1;",
    "shfl.sync.up.b32 %d|%k, %a, 3, 0, -1; @%k add.s32 %d, %d, 1;",
    "shfl.sync.down.b32 %d|%k, %a, 9, 0x1807, -1; @!%k add.s32 %d, %d, 7;",
    "setp.lt.s32 %k, %a, %b; vote.sync.ballot.b32 %d, %k, -1;",
    "setp.lt.s32 %k, %a, %b; vote.sync.any.pred %l, %k, -1; selp.b32 %d, 1, 0, %l;",
    "setp.lt.s32 %k, %a, %b; vote.sync.all.pred %l, %k, -1; selp.b32 %d, 1, 0, %l;",
    "mul.lo.s32 %d, %p, %q;",
    "add.s32 %d, %p, 9; shl.b32 %d, %d, 3; add.s32 %d, %d, %a;",
    "mad.lo.s32 %d, %p, %a, %q;",
    "fma.rn.f64 %x, %u, %y, %v;",
    "min.s32 %d, %p, %a;",
    "setp.lt.s32 %k, %p, %q; selp.b32 %d, %a, %b, %k;",
    "bfe.u32 %d, %a, 5, 9;",
    "bfe.s32 %d, %a, %b, %c;",
    "bfi.b32 %d, %a, %b, 3, 7;",
    "bfind.u32 %d, %a;",
    "min.f32 %d, %a, %b;",
    "div.rn.f32 %d, %a, %b;",
    "rcp.rn.f32 %d, %a;",
    "sqrt.rn.f32 %d, %a;",
    "setp.lt.ftz.f32 %k, %a, %b; selp.b32 %d, 1, 2, %k;",
    "cvt.rn.f32.u32 %d, %a;",
    "cvt.rn.f32.s32 %d, %a;",
    "setp.le.s64 %k, %i, %j; selp.b32 %d, 1, 2, %k;",
    "setp.eq.s64 %k, %i, %j; selp.b64 %x, %i, 7, %k;",
    "setp.ne.f32 %k, %a, %b; selp.b32 %d, %a, %b, %k;",
    "setp.gt.f64 %k, %u, %v; @%k add.f64 %x, %u, %v; @!%k mul.f64 %x, %u, %w;",
    // by a number that all lanes of the warp have
    "shfl.sync.idx.b32 %d, %c, 0, 31, -1; and.b32 %d, %d, 3; ways: .branchtargets A, B, C, D; brx.idx %d, ways;\n\
     A: mul.lo.s32 %d, %a, %b; bra.uni E;\nB: mul.hi.u32 %d, %a, %b; bra.uni E;\n\
     C: popc.b32 %d, %a; bra.uni E;\nD: xor.b32 %d, %a, %b;\nE:",
];

/// Statements on memory: `%m` is the generic address of the thread's own 32 bytes of shared memory, whose place there is %s (32
/// bits), `%n` that of its local memory, and `[%o]` the 8 bytes that it writes.
const MEMORY: &[&str] = &[
    "st.u32 [%m+4], %a; ld.shared.u32 %d, [%s+4];",
    "st.shared.u64 [%s+8], %i; ld.u64 %x, [%m+8];",
    "st.local.u32 [loc+4], %a; ld.u32 %d, [%n+4];",
    "st.u64 [%n+8], %j; ld.local.u64 %x, [loc+8];",
    "st.shared.u64 [%s], %i; st.local.u64 [loc], %j; setp.lt.s32 %k, %a, %b; selp.b64 %m, %m, %n, %k; ld.u64 %x, [%m];",
    "st.v2.u32 [%m], {%a, %b}; ld.shared.v2.u32 {%d, %a}, [%s]; xor.b32 %d, %d, %a;",
    "st.shared.u32 [%s], %a; isspacep.shared %k, %m; isspacep.local %l, %n; selp.b32 %d, 1, 0, %k; @%l add.u32 %d, %d, 2;",
    "cvta.to.shared.u64 %m, %m; st.shared.u32 [%m+8], %c; ld.shared.u32 %d, [%s+8];",
    "st.global.u64 [%o], %i; atom.global.add.u64 %x, [%o], %j;",
    "st.global.u64 [%o], %i; atom.global.add.u32 %d, [%o], %a; ld.global.u32 %a, [%o]; add.u32 %d, %d, %a;",
    "st.global.u64 [%o], %i; atom.global.exch.b64 %x, [%o], %j;",
    "st.global.u64 [%o], %i; atom.global.cas.b64 %x, [%o], %i, %j; ld.global.u64 %i, [%o]; xor.b64 %x, %x, %i;",
    "st.global.u64 [%o], %i; atom.global.max.s32 %d, [%o], %a; ld.global.u32 %a, [%o]; xor.b32 %d, %d, %a;",
    "st.global.u64 [%o], %i; atom.global.min.u32 %d, [%o], %a; ld.global.u32 %a, [%o]; xor.b32 %d, %d, %a;",
    "st.global.u64 [%o], %i; atom.global.inc.u32 %d, [%o], %a; ld.global.u32 %a, [%o]; xor.b32 %d, %d, %a;",
    "st.global.u64 [%o], %i; red.global.xor.b32 [%o], %a; ld.global.u32 %d, [%o];",
    "st.global.u64 [%o], %i; atom.and.b32 %d, [%o+4], %a; ld.global.u32 %a, [%o+4]; xor.b32 %d, %d, %a;",
    "st.shared.u32 [%s], %a; atom.shared.add.u32 %d, [%s], %b; ld.shared.u32 %a, [%s]; xor.b32 %d, %d, %a;",
    "st.shared.u32 [%s], %a; atom.shared.cas.b32 %d, [%s], %a, %b; ld.shared.u32 %a, [%s]; xor.b32 %d, %d, %a;",
    "st.shared.u32 [%s], %a; atom.shared.exch.b32 %d, [%s], %b;",
    "st.shared.u32 [%s], %a; bar.sync 0; setp.ne.u32 %k, %t, 0; @%k bra behind; atom.shared.add.u32 %d, [%s], 5; behind: ",
    "atom.shared.add.u32 %d, [all], %a; bar.sync 0; ld.shared.u32 %d, [all];",
];

/// Makes a kernel for each statement. Each reads its inputs from `in`, 64 bytes for each lane, and writes 8 bytes for each to `out`.
fn module(statements: &[&str], target: &str) -> String {
    let mut text = format!(".version 7.8\n.target {target}\n.address_size 64\n");
    for (number, statement) in statements.iter().enumerate() {
        let memory = if MEMORY.contains(statement) { PLACES } else { "" };
        text += &format!(
            ".visible .entry k{number}(.param .u64 in, .param .u64 out, .param .u32 p, .param .u32 q, .param .f64 y)\n{{\n\
             .reg .pred %k, %l; .reg .b32 %a, %b, %c, %d, %p, %q, %t; .reg .b64 %i, %j, %x, %o, %s; .reg .f64 %u, %v, %w, %y;\n\
             ld.param.u64 %i, [in]; ld.param.u64 %o, [out]; ld.param.u32 %p, [p]; ld.param.u32 %q, [q]; ld.param.f64 %y, [y];\n\
             mov.u32 %t, %tid.x; mul.wide.u32 %s, %t, 64; add.s64 %s, %s, %i; mul.wide.u32 %i, %t, 8; add.s64 %o, %o, %i;\n\
             ld.global.u32 %a, [%s]; ld.global.u32 %b, [%s+4]; ld.global.u32 %c, [%s+8];\n\
             ld.global.u64 %i, [%s+16]; ld.global.u64 %j, [%s+24]; ld.global.f64 %u, [%s+32]; ld.global.f64 %v, [%s+40];\n\
             ld.global.f64 %w, [%s+48]; mov.b32 %d, 0; mov.b64 %x, 0;\n{{\n{memory}{}\n}}\n{}\nst.global.b64 [%o], %x;\nret;\n}}\n",
            statement.replace("selp.f64 %x", "selp.b64 %x"),
            if statement.contains("%d") { "cvt.u64.u32 %x, %d;" } else { "" }
        );
    }
    text
}

/// The memories of [`MEMORY`]; `all` is shared by all threads and starts at 0.
const PLACES: &str = ".reg .b64 %m, %n; .reg .b32 %s; .shared .align 8 .b8 buf[1024]; .shared .align 8 .b32 all[2]; .local .align 8 .b8 \
                      loc[16];\nmov.u64 %m, buf; mul.wide.u32 %n, %t, 32; add.s64 %m, %m, %n; cvt.u32.u64 %s, %m; cvta.shared.u64 %m, \
                      %m; mov.u64 %n, loc; cvta.local.u64 %n, %n; st.shared.u64 [all], 0; bar.sync 0;\n";

/// Random words, with the edges among them.
struct Values(u64);

impl Values {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn word(&mut self) -> u64 {
        let edges = [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x3f80_0000, 0xff80_0000, 0x7f80_0000];
        let random = self.next() >> 32;
        match random % 4 {
            0 => edges[(random >> 3) as usize % edges.len()],
            1 => random & 63,
            _ => random,
        }
    }

    fn long(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.word(),
            1 => self.word() << 32 | self.word(),
            _ => self.next(),
        }
    }

    fn double(&mut self) -> f64 {
        let edges = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::MIN_POSITIVE, 5e-324, f64::MAX, f64::NAN, 4e9, -3e-310];
        let random = self.next();
        match random % 6 {
            0 => edges[(random >> 8) as usize % edges.len()],
            1 => (random >> 20) as f64 * 1e-9 - 5e3,
            2 => f64::from_bits(random),
            _ => (1.0 + (random >> 12) as f64 * 2f64.powi(-52)) * 2f64.powi((random % 61) as i32 - 30),
        }
    }
}

/// Returns the inputs of the kernels: 8 words of 8 bytes for each lane.
fn inputs(values: &mut Values) -> Vec<u64> {
    let lane = |values: &mut Values| {
        let [u, v, w] = [values.double(), values.double(), values.double()].map(f64::to_bits);
        // equal pairs are rare otherwise
        let v = if values.next().is_multiple_of(8) { u } else { v };
        [values.word() | values.word() << 32, values.word(), values.long(), values.long(), u, v, w, 0]
    };
    (0..32).flat_map(|_| lane(values)).collect()
}

fn agree(arch: ComputeCapability) {
    let Some(compilers) = Compilers::new(arch) else { return };
    // the logic of three words came with Maxwell
    let is_there = |statement: &&&str| arch >= ComputeCapability(5, 0) || !statement.contains("lop3");
    let statements: Vec<&str> = STATEMENTS.iter().chain(MEMORY).filter(is_there).copied().collect();
    let text = module(&statements, if arch < ComputeCapability(5, 0) { "sm_35" } else { "sm_70" });
    let module = ptx::read::text("k", &text).unwrap_or_else(|d| panic!("{d:?}"));
    let cubin = compilers.cubin(&text);
    let (mut wrong, mut values) = (Vec::new(), Values(0x9e37_79b9_7f4a_7c15));
    for (number, statement) in statements.iter().enumerate() {
        let name = format!("k{number}");
        for round in 0..8 {
            let input = Buffer::words(Type::U64, inputs(&mut values)).read_only();
            let uniform = [values.word(), values.word()].map(|word| Argument::U32(word as u32));
            let mut arguments = vec![Argument::Buffer(0), Argument::Buffer(1)];
            arguments.extend(uniform);
            arguments.push(Argument::U64(values.double().to_bits()));
            let launch = Launch::linear(1, 32, arguments);
            let [mut expected, mut found] = [(); 2].map(|()| [input.clone(), Buffer::unwritten(Type::U64, 32)]);
            let run = warpsim::run(&module, &name, &launch, &mut expected, &Options::default());
            run.unwrap_or_else(|hazards| panic!("{statement}: {hazards}"));
            match machine_code::run(&cubin, &name, &launch, &mut found, &Options::default()) {
                Ok(_) => {}
                Err(Failure::Unknown(unknown)) => {
                    wrong.push(format!("{statement} {}", unknown[0].message));
                    break;
                }
                Err(Failure::Hazards(hazards)) => panic!("{statement}: {hazards}"),
            }
            let of = |buffers: &[Buffer; 2], lane| buffers[1].element(Type::U64, lane).unwrap();
            if let Some(lane) = (0..32).find(|lane| !same(statement, of(&expected, *lane), of(&found, *lane))) {
                let read = |word| input.element(Type::U64, 8 * lane + word).unwrap();
                let (expected, found) = (of(&expected, lane), of(&found, lane));
                wrong.push(format!(
                    "{statement} round {round} lane {lane}: PTX {expected:#x}, machine code {found:#x} of {:x?}",
                    (0..7).map(read).collect::<Vec<_>>()
                ));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether two results are equal. No document tells the bits of a NaN that arithmetic makes.
fn same(statement: &str, expected: u64, found: u64) -> bool {
    let both = |is: fn(u64) -> bool| is(expected) && is(found);
    expected == found
        || statement.contains("f64 %x") && both(|bits| f64::from_bits(bits).is_nan())
        || statement.contains("f32") && both(|bits| f32::from_bits(bits as u32).is_nan())
}

#[test]
fn instructions_of_hopper() {
    agree(ComputeCapability(9, 0));
}

#[test]
fn instructions_of_ampere() {
    agree(ComputeCapability(8, 0));
}

#[test]
fn instructions_of_blackwell() {
    agree(ComputeCapability(10, 0));
}

#[test]
fn instructions_of_volta() {
    agree(ComputeCapability(7, 0));
}

#[test]
fn instructions_of_turing() {
    agree(ComputeCapability(7, 5));
}

#[test]
fn instructions_of_kepler() {
    agree(ComputeCapability(3, 5));
}

/// A cluster of two CTAs. Each warp stores a word per thread and comes to the barrier of the cluster. Then it passes two phases
/// of a barrier in shared memory, and loads the word that the other CTA's warp stored.
const CLUSTER: &str = ".version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_out) .reqntid 64 .reqnctapercluster 2
{
 .reg .b64 %out, %offset, %state;
 .reg .b32 %words, %bar, %t, %own, %there, %rank, %other, %value, %global;
 .reg .pred %p, %q;
 .shared .align 8 .b32 s_words[64];
 .shared .align 8 .b64 s_bar;
 mov.u32 %words, s_words;
 mov.u32 %bar, s_bar;
 mov.u32 %t, %tid.x;
 mov.u32 %rank, %cluster_ctarank;
 setp.ne.u32 %p, %t, 0;
 @%p bra ready;
 mbarrier.init.shared::cta.b64 [%bar], 64;
ready:
 mad.lo.u32 %own, %t, 4, %words;
 mad.lo.u32 %value, %rank, 100, %t;
 st.shared.u32 [%own], %value;
 barrier.cluster.arrive;
 barrier.cluster.wait;
 mbarrier.arrive.shared::cta.b64 %state, [%bar];
first:
 mbarrier.try_wait.shared::cta.b64 %q, [%bar], %state;
 @!%q bra first;
 mbarrier.arrive.shared::cta.b64 %state, [%bar];
second:
 mbarrier.test_wait.parity.shared::cta.b64 %q, [%bar], 1;
 @!%q bra second;
 xor.b32 %other, %rank, 1;
 mapa.shared::cluster.u32 %there, %own, %other;
 ld.shared::cluster.u32 %value, [%there];
 barrier.cluster.arrive;
 barrier.cluster.wait;
 ld.param.u64 %out, [k_out];
 mad.lo.u32 %global, %rank, 64, %t;
 mul.wide.u32 %offset, %global, 4;
 add.u64 %out, %out, %offset;
 st.global.u32 [%out], %value;
 ret;
}
";

/// Copies of 4, 8 and 16 bytes to shared memory, in two groups; the data of each group are combined when it is waited for.
const COPIES: &str = "
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 input, .param .u64 output)
{
    .reg .b32 %r<20>;
    .reg .b64 %rd<8>;
    .shared .align 16 .b8 rows[2048];
    mov.u32 %r1, %tid.x;
    ld.param.u64 %rd1, [input];
    ld.param.u64 %rd2, [output];
    cvta.to.global.u64 %rd1, %rd1;
    cvta.to.global.u64 %rd2, %rd2;
    mad.wide.u32 %rd3, %r1, 16, %rd1;
    mad.wide.u32 %rd4, %r1, 8, %rd2;
    mov.u32 %r2, rows;
    mad.lo.u32 %r3, %r1, 16, %r2;
    cp.async.ca.shared.global [%r3], [%rd3], 4;
    cp.async.ca.shared.global [%r3+4], [%rd3+4], 4;
    cp.async.ca.shared.global [%r3+8], [%rd3+8], 8;
    cp.async.commit_group;
    cp.async.cg.shared.global [%r3+1024], [%rd3+1024], 16;
    cp.async.commit_group;
    cp.async.wait_group 1;
    ld.shared.v2.u32 {%r4, %r5}, [%r3];
    ld.shared.v2.u32 {%r6, %r7}, [%r3+8];
    shl.b32 %r5, %r5, 1;
    shl.b32 %r6, %r6, 2;
    shl.b32 %r7, %r7, 3;
    add.u32 %r8, %r4, %r5;
    add.u32 %r9, %r6, %r7;
    add.u32 %r8, %r8, %r9;
    st.global.u32 [%rd4], %r8;
    cp.async.wait_group 0;
    ld.shared.v4.u32 {%r10, %r11, %r12, %r13}, [%r3+1024];
    shl.b32 %r11, %r11, 1;
    shl.b32 %r12, %r12, 2;
    shl.b32 %r13, %r13, 3;
    add.u32 %r14, %r10, %r11;
    add.u32 %r15, %r12, %r13;
    add.u32 %r14, %r14, %r15;
    st.global.u32 [%rd4+4], %r14;
    ret;
}
";

#[test]
fn copies_are_there_when_they_are_waited_for() {
    for arch in [(8, 0), (9, 0), (10, 0)].map(|(major, minor)| ComputeCapability(major, minor)) {
        let launch = Launch::linear(1, 64, vec![Argument::Buffer(0), Argument::Buffer(1)]);
        let words: Vec<u32> = (0..512u32).map(|word| word.wrapping_mul(2_654_435_761)).collect();
        let buffers =
            || vec![Buffer::words(Type::U32, words.iter().map(|&word| word.into())), Buffer::unwritten(Type::U32, 128)];
        let Some(outputs) = both(COPIES, arch, &launch, buffers) else { return };
        let combined = |first: usize| {
            let word = |at: usize| words[first + at] << at;
            (0..4).map(word).fold(0u32, u32::wrapping_add)
        };
        for at in 0..64 {
            let expected = [combined(4 * at), combined(256 + 4 * at)].map(|word| Some(u64::from(word)));
            for output in &outputs {
                assert_eq!([0, 1].map(|half| output[1].element(Type::U32, 2 * at + half)), expected, "{arch:?} {at}");
            }
        }
    }
}

#[test]
fn clusters_of_two() {
    for arch in [ComputeCapability(9, 0), ComputeCapability(10, 0)] {
        let launch = Launch::linear(4, 64, vec![Argument::Buffer(0)]);
        let buffers = || vec![Buffer::unwritten(Type::U32, 128)];
        let Some(outputs) = both(CLUSTER, arch, &launch, buffers) else { return };
        for at in 0..128 {
            let expected = Some(100 * (1 - at as u64 / 64) + at as u64 % 64);
            assert_eq!(outputs.each_ref().map(|output| output[0].element(Type::U32, at)), [expected; 2]);
        }
    }
}

/// Returns the contents of these buffers after the PTX and after its machine code; `None` if the tools are absent.
fn both(
    text: &str,
    arch: ComputeCapability,
    launch: &Launch,
    buffers: impl Fn() -> Vec<Buffer>,
) -> Option<[Vec<Buffer>; 2]> {
    let compilers = Compilers::new(arch)?;
    let module = ptx::read::text("k", text).unwrap_or_else(|d| panic!("{d:?}"));
    let cubin = compilers.cubin(text);
    let [mut expected, mut found] = [(); 2].map(|()| buffers());
    let options = Options::default();
    warpsim::run(&module, "k", launch, &mut expected, &options).unwrap_or_else(|hazards| panic!("{hazards}"));
    machine_code::run(&cubin, "k", launch, &mut found, &options).unwrap_or_else(|why| panic!("{why:?}"));
    Some([expected, found])
}

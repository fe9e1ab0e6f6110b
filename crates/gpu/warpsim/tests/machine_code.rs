//! Single instructions of PTX and their machine code by ptxas, for several architectures, on random values and on edges: the
//! simulator must compute the same bits from both. Skipped by name if ptxas or nvdisasm is absent.

use machine::target::ComputeCapability;
use ptx::inst::Type;
use testkit::compilers::Compilers;
use warpsim::machine_code::{self, Failure};
use warpsim::{Argument, Buffer, Launch, Options};

/// Statements, one a line, that compute `%d` (32 bits) or `%x` (64 bits) from words %a, %b, %c, longs %i, %j and doubles %u, %v, %w, which
/// differ from lane to lane, and from the same of all lanes: %p, %q and %y.
const STATEMENTS: &str = include_str!("machine_code/statements.txt");

/// Statements on memory, one a line: `%m` is the generic address of the thread's own 32 bytes of shared memory, whose place there is %s (32
/// bits), `%n` that of its local memory, and `[%o]` the 8 bytes that it writes.
const MEMORY: &str = include_str!("machine_code/memory.txt");

/// Makes a kernel for each statement. Each reads its inputs from `in`, 64 bytes for each lane, and writes 8 bytes for each to `out`.
fn module(statements: &[&str], target: &str) -> String {
    let mut text = format!(".version 7.8\n.target {target}\n.address_size 64\n");
    for (number, statement) in statements.iter().enumerate() {
        let memory = if MEMORY.lines().any(|line| line == *statement) { PLACES } else { "" };
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
    // the logic of three words came with Maxwell, the groups of equal lanes with Volta
    let is_there = |statement: &&str| {
        let since = [("lop3", ComputeCapability(5, 0)), ("match.", ComputeCapability(7, 0))];
        !statement.starts_with("//") && since.iter().all(|(word, since)| arch >= *since || !statement.contains(word))
    };
    let statements: Vec<&str> = STATEMENTS.lines().chain(MEMORY.lines()).filter(is_there).collect();
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
const CLUSTER: &str = include_str!("machine_code/cluster.ptx");

/// Copies of 4, 8 and 16 bytes to shared memory, in two groups; the data of each group are combined when it is waited for.
const COPIES: &str = include_str!("machine_code/copies.ptx");

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

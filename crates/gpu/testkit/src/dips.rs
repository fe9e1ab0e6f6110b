//! Kernels whose best occupancy is known by construction: at so many CTAs per SM their spills vanish, and one CTA less hides less latency.

use std::fmt::Write;
use std::sync::Arc;

use diagnostics::Source;
use ptx::{Module, read};
use warpsim::setup::Setup;
use warpsim::{Argument, Buffer, Launch, Schedule};

/// A kernel of 256 threads.
pub struct Dip {
    /// CTAs per SM at which the time is least.
    pub bound: u32,
    /// Floats that are alive through the loop.
    values: usize,
    /// Fused multiply-adds of an iteration, which keep an SM busy for as long as its load takes when `bound` CTAs are resident.
    sums: usize,
}

pub const DIPS: [Dip; 4] = [
    Dip { bound: 6, values: 26, sums: 30 },
    Dip { bound: 5, values: 36, sums: 51 },
    Dip { bound: 4, values: 46, sums: 65 },
    Dip { bound: 3, values: 60, sums: 89 },
];

/// CTAs of the launch, and iterations of the loop.
const CTAS: u32 = 24;
const ROUNDS: u32 = 8;
const THREADS: u32 = 256;

impl Dip {
    pub fn name(&self) -> String {
        format!("dip at {} CTAs", self.bound)
    }

    pub fn text(&self) -> String {
        let Self { values, sums, .. } = *self;
        let mut body = String::new();
        for i in 0..values {
            writeln!(body, "ld.global.f32 %f{i}, [%first+{}];", 4 * i).unwrap();
        }
        body += "mov.u32 %round, 0;\nAGAIN:\nld.global.u32 %word, [%at];\nmul.wide.u32 %step, %word, 128;\nadd.s64 %at, %at, %step;\nmov.b32 %x, %word;\n";
        for i in 0..sums {
            let i = i % values;
            writeln!(body, "fma.rn.f32 %f{i}, %f{i}, %x, %f{};", (i + 1) % values).unwrap();
        }
        body += "add.u32 %round, %round, 1;\nsetp.lt.u32 %again, %round, %count;\n@%again bra AGAIN;\nmov.f32 %x, 0f00000000;\n";
        for i in 0..values {
            writeln!(body, "fma.rn.f32 %x, %x, 0f3F000000, %f{i};").unwrap();
        }
        format!(
            ".version 6.0\n.target sm_70\n.address_size 64
.visible .entry dip(.param .u64 first, .param .u64 words, .param .u64 output, .param .u32 count)
.maxntid {THREADS}, 1, 1
{{
.reg .b32 %thread, %cta, %number, %warp, %round, %count, %word;
.reg .b64 %first, %at, %out, %step;
.reg .f32 %f<{values}>, %x;
.reg .pred %again;
ld.param.u64 %first, [first];
ld.param.u64 %at, [words];
ld.param.u64 %out, [output];
ld.param.u32 %count, [count];
mov.u32 %thread, %tid.x;
mov.u32 %cta, %ctaid.x;
mad.lo.u32 %number, %cta, {THREADS}, %thread;
shr.u32 %warp, %number, 5;
mul.wide.u32 %step, %warp, {};
add.s64 %at, %at, %step;
mul.wide.u32 %step, %number, 4;
add.s64 %out, %out, %step;
{body}st.global.f32 [%out], %x;
ret;
}}
",
            128 * ROUNDS
        )
    }

    pub fn module(&self) -> Module {
        read::read(&Arc::new(Source { name: self.name(), text: self.text() })).expect("this is PTX")
    }

    /// Every warp has lines of its own, so that no load finds what another one left in a cache.
    pub fn setup(&self) -> Setup {
        use ptx::inst::Type;
        let warps = (CTAS * THREADS / 32) as usize;
        let values = (0..self.values).map(|i| u64::from((0.5 + i as f32 / 128.0).to_bits()));
        let words = vec![1; 32 * ROUNDS as usize * warps];
        let outputs = Buffer::unwritten(Type::F32, (CTAS * THREADS) as usize);
        let buffers =
            vec![Buffer::words(Type::F32, values).read_only(), Buffer::words(Type::U32, words).read_only(), outputs];
        let arguments = (0..3).map(Argument::Buffer).chain([Argument::U32(ROUNDS)]).collect();
        let (launch, schedule) = (Launch::linear(CTAS, THREADS, arguments), Schedule::RoundRobin);
        Setup { kernel: None, launch, buffers, outputs: Vec::new(), schedule }
    }
}

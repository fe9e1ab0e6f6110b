//! The kernels as PTX.

use super::{Body, Series};
use machine::target::ComputeCapability;
use std::fmt::Write;

/// Source of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The GPU's clock.
    Device,
    /// No clock: the model of time counts itself.
    None,
}

/// Kernels for the whole board: an empty one, one that halves an array of doubles into another, and one of four warps of which
/// only the first works, at the full rate of a sub-partition.
pub fn of_board(arch: ComputeCapability) -> String {
    head(arch)
        + "\n.visible .entry nothing()\n{\nret;\n}\n\n\
         .visible .entry halve(.param .u64 halve_from, .param .u64 halve_to, .param .u32 halve_count)\n{\n\
         .reg .b64 %from, %to, %a, %b;\n.reg .b32 %i, %n, %step, %size, %id;\n.reg .f64 %x;\n.reg .pred %p;\n\
         ld.param.u64 %from, [halve_from];\ncvta.to.global.u64 %from, %from;\n\
         ld.param.u64 %to, [halve_to];\ncvta.to.global.u64 %to, %to;\nld.param.u32 %n, [halve_count];\n\
         mov.u32 %size, %ntid.x;\nmov.u32 %id, %ctaid.x;\nmov.u32 %i, %tid.x;\nmad.lo.u32 %i, %id, %size, %i;\n\
         mov.u32 %step, %nctaid.x;\nmul.lo.u32 %step, %step, %size;\n\
         again:\nsetp.ge.u32 %p, %i, %n;\n@%p bra done;\nmul.wide.u32 %a, %i, 8;\nadd.u64 %b, %a, %to;\nadd.u64 %a, %a, %from;\n\
         ld.global.f64 %x, [%a];\nmul.f64 %x, %x, 0d3FE0000000000000;\nst.global.f64 [%b], %x;\n\
         add.u32 %i, %i, %step;\nbra again;\ndone:\nret;\n}\n"
        + &format!(
            "\n.visible .entry places(.param .u64 places_out, .param .u32 places_rounds)\n.reqntid 128, 1, 1\n{{\n\
             .reg .b64 %out;\n.reg .b32 %i, %n, %t;\n.reg .f32 %f, %g, %s<8>;\n.reg .pred %p;\n\
             ld.param.u64 %out, [places_out];\ncvta.to.global.u64 %out, %out;\nld.param.u32 %n, [places_rounds];\n\
             mov.u32 %t, %tid.x;\nsetp.ge.u32 %p, %t, 32;\n@%p bra done;\n\
             cvt.rn.f32.u32 %f, %n;\nmul.f32 %g, %f, 0f3F000000;\n{}mov.u32 %i, 0;\n.pragma \"nounroll\";\nagain:\n{}\
             add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra again;\n{}st.global.f32 [%out], %f;\ndone:\nret;\n}}\n",
            links("add.f32 %s@, %f, %g;", 8),
            links("fma.rn.f32 %s@, %s@, %g, %g;", 128),
            links("add.f32 %f, %f, %s@;", 8),
        )
}

fn head(arch: ComputeCapability) -> String {
    let version = match arch.0 {
        ..=8 => "7.0",
        9 => "7.8",
        _ => "8.6",
    };
    format!(".version {version}\n.target {}\n.address_size 64\n", arch.sm())
}

/// The module with the kernels of all lengths. Each has parameters for its output, its data and the rounds. Every warp writes its clocks before and
/// behind the loop, 16 bytes for each from the beginning of the output; the result that keeps the loop alive follows from byte 512 on.
pub fn text(series: &Series, arch: ComputeCapability, clock: Clock) -> String {
    let mut text = head(arch) + &series.declarations;
    for length in &series.lengths {
        text += &kernel(series, *length, clock);
    }
    text
}

fn kernel(series: &Series, length: u32, clock: Clock) -> String {
    let Series { warps, before, after, .. } = series;
    let (name, threads) = (series.entry(length), 32 * warps);
    let now = match clock {
        Clock::Device => "%clock64",
        Clock::None => "0",
    };
    let body = match series.body {
        Body::Links(link) => links(link, length),
        Body::Jumps { over } => jumps(length, over),
    };
    // functions of the rounds, so that no compiler knows them: small numbers, and a condition that always holds
    format!(
        "\n.visible .entry {name}(.param .u64 {name}_out, .param .u64 {name}_data, .param .u32 {name}_rounds)\n\
         .reqntid {threads}, 1, 1\n{{\n\
         .reg .f64 %x, %y, %z, %d<8>, %e<8>;\n.reg .f32 %f, %g, %s<8>;\n.reg .b32 %r, %i, %n, %m, %w, %t, %k, %u<8>;\n\
         .reg .b64 %a, %b, %out, %data, %t0, %t1;\n.reg .pred %p, %q, %h;\n.shared .align 16 .b8 memory[8192];\n\
         ld.param.u64 %out, [{name}_out];\ncvta.to.global.u64 %out, %out;\n\
         ld.param.u64 %data, [{name}_data];\ncvta.to.global.u64 %data, %data;\n\
         ld.param.u32 %n, [{name}_rounds];\nmov.u32 %t, %tid.x;\n\
         cvt.rn.f64.u32 %x, %n;\nmul.f64 %x, %x, 0d3EB0000000000000;\nmul.f64 %y, %x, 0d3FE0000000000000;\n\
         cvt.rn.f32.f64 %f, %x;\ncvt.rn.f32.f64 %g, %y;\nadd.u32 %m, %n, %t;\nadd.u32 %w, %m, 77;\n\
         setp.gt.u32 %h, %n, 0;\n{before}\
         mov.u32 %i, 0;\nbar.sync 0;\nmov.u64 %t0, {now};\n.pragma \"nounroll\";\nagain:\n{body}\
         add.u32 %i, %i, 1;\nsetp.lt.u32 %p, %i, %n;\n@%p bra again;\n\
         mov.u64 %t1, {now};\n{after}\
         mul.wide.u32 %a, %t, 8;\nadd.u64 %a, %a, %out;\nst.global.f64 [%a+512], %x;\n\
         and.b32 %k, %t, 31;\nsetp.eq.u32 %q, %k, 0;\nshr.u32 %k, %t, 5;\nmul.wide.u32 %a, %k, 16;\nadd.u64 %a, %a, %out;\n\
         @%q st.global.u64 [%a], %t0;\n@%q st.global.u64 [%a+8], %t1;\nret;\n}}\n"
    )
}

fn links(link: &str, length: u32) -> String {
    (0..length).map(|at| format!("{}\n", link.replace('@', &(at % 8).to_string()))).collect()
}

/// Each line has a jump and seven instructions that are never reached.
fn jumps(lines: u32, over: u32) -> String {
    let mut text = String::new();
    for at in 0..lines {
        let next = (at + over) % lines;
        let to = if next == 0 { "done".to_owned() } else { format!("line{next}") };
        let _ = write!(text, "line{at}:\n@%h bra.uni {to};\n{}", links("fma.rn.f32 %s@, %s@, %g, %g;", 7));
    }
    text + "done:\n"
}

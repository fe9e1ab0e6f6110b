//! The series, in the order in which they run.

use super::{Body, Data, Series};

/// Sizes, in KiB, of the loops that look for the capacities of the instruction caches.
pub(super) const CODE: [u32; 26] =
    [4, 8, 12, 16, 20, 24, 28, 30, 31, 32, 33, 34, 36, 40, 48, 56, 64, 80, 96, 112, 120, 126, 128, 136, 160, 192];
/// Sizes, in bytes, of the tables that look for the capacity of the cache for constants.
pub(super) const CONSTANTS: [u32; 8] = [512, 1024, 1536, 2048, 2560, 3072, 4096, 8192];
/// Warps that meet at a barrier.
pub(super) const WARPS: [u32; 5] = [2, 4, 8, 16, 32];

/// All series.
pub fn all() -> Vec<Series> {
    let mut all = Vec::new();
    arithmetic(&mut all);
    memory(&mut all);
    constants(&mut all);
    synchronisation(&mut all);
    code(&mut all);
    all
}

fn series(name: &str, warps: u32, link: &'static str) -> Series {
    Series {
        name: name.to_owned(),
        warps,
        lengths: vec![32, 64],
        rounds: [10, 30],
        data: Data::default(),
        before: String::new(),
        body: Body::Links(link),
        after: String::new(),
        declarations: String::new(),
    }
}

/// Returns the text eight times, with 0 to 7 in place of `@`.
fn eight(text: &str) -> String {
    (0..8).map(|at| format!("{}\n", text.replace('@', &at.to_string()))).collect()
}

fn arithmetic(all: &mut Vec<Series>) {
    let doubles = || (eight("add.f64 %d@, %x, %y;"), eight("add.f64 %x, %x, %d@;"));
    let singles = || (eight("add.f32 %s@, %f, %g;"), eight("add.f32 %f, %f, %s@;") + "cvt.f64.f32 %x, %f;\n");
    let integers = || (eight("mad.lo.u32 %u@, %m, %w, @;"), eight("add.u32 %m, %m, %u@;") + "cvt.rn.f64.u32 %x, %m;\n");
    all.push(series("double", 1, "fma.rn.f64 %x, %x, %y, %y;"));
    let mut rate = |name: &str, link, (before, after): (String, String)| {
        all.push(Series { before, after, ..series(name, 16, link) });
    };
    rate("double-rate", "fma.rn.f64 %d@, %d@, %y, %y;", doubles());
    rate("single-rate", "fma.rn.f32 %s@, %s@, %g, %g;", singles());
    rate("logic-rate", "lop3.b32 %u@, %u@, %m, %w, 0xd8;", integers());
    rate("special-rate", "ex2.approx.ftz.f32 %s@, %s@;", singles());
    let product = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d@, %e@}, {%x}, {%y}, {%d@, %e@};";
    let both =
        || (eight("add.f64 %d@, %x, %y;\nadd.f64 %e@, %x, %x;"), eight("add.f64 %x, %x, %d@;\nadd.f64 %x, %x, %e@;"));
    rate("tensor-rate", product, both());
    let chain = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %e0}, {%x}, {%y}, {%d0, %e0};";
    let (before, after) = both();
    all.push(Series { before, after, ..series("tensor", 1, chain) });
    let after = "cvt.f64.f32 %x, %f;\n".to_owned();
    all.push(Series { after, ..series("special", 1, "ex2.approx.ftz.f32 %f, %f;") });
}

fn memory(all: &mut Vec<Series>) {
    let to_real = || "cvt.rn.f64.u32 %x, %r;\n".to_owned();
    let own = "mov.u32 %r, memory;\nst.shared.u32 [%r], %r;\nbar.sync 0;\n".to_owned();
    all.push(Series { before: own, after: to_real(), ..series("shared", 1, "ld.shared.u32 %r, [%r];") });
    // each lane has a word of its own, which holds its address
    let place = "mov.u32 %r, memory;\nmad.lo.u32 %r, %t, 4, %r;\nst.shared.u32 [%r], %r;\nbar.sync 0;\n";
    let before = place.to_owned() + &eight("mov.u32 %u@, %r;");
    let after = eight("add.u32 %r, %r, %u@;") + &to_real();
    all.push(Series { before, after, ..series("shared-rate", 16, "ld.shared.u32 %u@, [%u@];") });
    // nobody waits for a store, and none is left out that another program might see; of sub-partitions but the first each warp goes round once
    let before = "mov.u32 %r, memory;\nmad.lo.u32 %r, %t, 4, %r;\n\
                  shr.u32 %k, %t, 5;\nand.b32 %k, %k, 3;\nsetp.ne.u32 %q, %k, 0;\n@%q mov.u32 %n, 0;\n";
    let (before, after) = (before.to_owned(), to_real());
    all.push(Series { before, after, ..series("address-rate", 16, "st.volatile.shared.u32 [%r], %m;") });
    let shuffle = "shfl.sync.idx.b32 %r, %r, %m, 31, 0xffffffff;";
    all.push(Series { before: "mov.u32 %r, %t;\n".into(), after: to_real(), ..series("shuffle", 1, shuffle) });
    let shuffle = "shfl.sync.idx.b32 %u@, %u@, %m, 31, 0xffffffff;";
    let (before, after) = (eight("add.u32 %u@, %m, @;"), eight("add.u32 %m, %m, %u@;") + "cvt.rn.f64.u32 %x, %m;\n");
    all.push(Series { before, after, ..series("shuffle-rate", 16, shuffle) });
    for (name, bytes, stride, cold) in
        [("l1", 16 << 10, 128, false), ("l2", 512 << 10, 128, false), ("device", 4 << 20, 1152, true)]
    {
        let data = Data { bytes, stride, cold };
        let (before, after) = ("mov.b64 %a, %data;\n".to_owned(), "cvt.rn.f64.u64 %x, %a;\n".to_owned());
        // whole laps, but where nothing may be met twice
        let laps = if cold { [4, 12] } else { [bytes / stride / 32, 3 * (bytes / stride / 32)] };
        let rounds = laps.map(|laps| u32::try_from(laps).unwrap_or(u32::MAX));
        all.push(Series { before, after, data, rounds, ..series(name, 1, "ld.global.u64 %a, [%a];") });
    }
}

/// Tables of words, each the place of the one 64 bytes behind it.
fn constants(all: &mut Vec<Series>) {
    for bytes in [64].into_iter().chain(CONSTANTS) {
        let next = |word: u32| ((4 * word + 64) % bytes).to_string();
        let words: Vec<String> = (0..bytes / 4).map(next).collect();
        let declarations = format!(".const .align 64 .u32 table[{}] = {{{}}};\n", bytes / 4, words.join(", "));
        let (before, after) = ("shr.u32 %r, %w, 20;\n".to_owned(), "cvt.rn.f64.u32 %x, %r;\n".to_owned());
        let link = "cvt.u64.u32 %a, %r; mov.u64 %b, table; add.u64 %a, %a, %b; ld.const.u32 %r, [%a];";
        all.push(Series {
            before,
            after,
            declarations,
            lengths: vec![128, 256],
            ..series(&format!("constant-{bytes}"), 1, link)
        });
    }
}

fn synchronisation(all: &mut Vec<Series>) {
    let links = ["bar.sync 1, 64;", "bar.sync 1, 128;", "bar.sync 1, 256;", "bar.sync 1, 512;", "bar.sync 1, 1024;"];
    for (warps, link) in WARPS.into_iter().zip(links) {
        all.push(series(&format!("barrier-{warps}"), warps, link));
    }
    all.push(series("fence", 1, "membar.cta;"));
    all.push(series("fence-gpu", 1, "membar.gl;"));
}

fn code(all: &mut Vec<Series>) {
    for kib in CODE {
        let (before, after) = (
            eight("add.f32 %s@, %f, %g;\nadd.u32 %u@, %m, @;"),
            eight("add.f32 %f, %f, %s@;\nadd.u32 %m, %m, %u@;")
                + "cvt.f64.f32 %x, %f;\ncvt.rn.f64.u32 %y, %m;\nadd.f64 %x, %x, %y;\n",
        );
        // two instructions of 16 bytes, and room for those of the loop
        let lengths = vec![32 * kib - 4];
        let link = "fma.rn.f32 %s@, %s@, %g, %g;\nlop3.b32 %u@, %u@, %m, %w, 0xd8;";
        all.push(Series { before, after, lengths, rounds: [4, 8], ..series(&format!("code-{kib}"), 1, link) });
    }
    for (name, lines, over) in [("jump-near", 32, 11), ("jump-far", 512, 211)] {
        let (before, after) = (eight("add.f32 %s@, %f, %g;"), eight("add.f32 %f, %f, %s@;") + "cvt.f64.f32 %x, %f;\n");
        let body = Body::Jumps { over };
        all.push(Series { before, after, body, lengths: vec![lines], rounds: [4, 12], ..series(name, 1, "") });
    }
}

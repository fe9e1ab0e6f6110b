//! One kernel per class of error: tests/corpus/pipeline.ptx changed in one place, and what the verifier says of it.

use std::sync::Arc;

use diagnostics::Source;
use ptx::{Module, read};
use warpsim::{Launch, prove};

/// Class, the text replaced, its replacement.
const CHANGES: &[(&str, &str, &str)] = &[
    ("deadlock: an arrival is missing", "\tbar.arrive 1, 64;\n", ""),
    (
        "race: a store behind its arrival",
        "st.shared.f32 [%r6], %f1;\n\tbar.arrive 1, 64;",
        "bar.arrive 1, 64;\n\tst.shared.f32 [%r6], %f1;",
    ),
    ("phase: a warp arrives twice, as it waits for no answer", "bar.sync 2, 64;", ""),
    ("conflict: lanes write different values to one word", "st.shared.f32 [%r6], %f1", "st.shared.u32 [slots], %r4"),
    ("unwritten: shared memory is read before it is written", "\tst.shared.f32 [%r6], %f1;\n", ""),
    ("participants: more than the launch has, on arrival", "bar.arrive 1, 64", "bar.arrive 1, 96"),
    ("participants: more than the launch has, on waiting", "bar.sync 1, 64", "bar.sync 1, 128"),
    ("barrier: no such id", "bar.arrive 1, 64", "bar.arrive 16, 64"),
    ("barrier: only some lanes of a warp come", "setp.ne.u32 %p1, %r3, 0", "setp.gt.u32 %p1, %r1, 15"),
    (
        "not analysed: a branch on data before a barrier",
        "setp.lt.u32 %p2, %r7, %r2",
        "setp.lt.f32 %p2, %f1, 0f3F800000",
    ),
    (
        "not analysed: an address from data",
        "st.shared.f32 [%r6], %f1",
        "cvt.rzi.u32.f32 %r9, %f1;\n\tst.shared.f32 [%r9], %f1",
    ),
    ("not analysed: a barrier from data", "bar.sync 2, 64", "cvt.rzi.u32.f32 %r9, %f1;\n\tbar.sync %r9, 64"),
    ("not analysed: an instruction that nobody knows", "st.shared.f32 [%r6], %f1", "multimem.frob.f32 [%r6], %f1"),
];

/// (class, kernel, threads)
pub fn kernels() -> Vec<(&'static str, Module, u32)> {
    let text = |name: &str| {
        let path = crate::root().join("tests/corpus").join(name).with_extension("ptx");
        std::fs::read_to_string(path).expect("the corpus is there")
    };
    let parsed = |text: String| read::read(&Arc::new(Source { name: "k.ptx".to_owned(), text })).expect("PTX");
    let right = text("pipeline");
    let changed = |(class, from, to): &(&'static str, &str, &str)| {
        assert!(right.contains(from), "no {from}");
        (*class, parsed(right.replacen(from, to, 1)), 64)
    };
    let mut kernels: Vec<_> = CHANGES.iter().map(changed).collect();
    kernels.push(("participants: two counts for one barrier", parsed(text("pipeline-count")), 64));
    kernels.push(("recycling: a barrier is used again too early", parsed(text("pipeline-recycling")), 96));
    kernels
}

/// Lists the findings of the verifier, and the parts that it could not analyse.
pub fn words(module: &Module, threads: u32) -> Vec<String> {
    let func = module.entries().next().expect("an entry");
    let launch = Launch::linear(1, threads, prove::arguments(func, 4));
    let verdict = prove::prove(module, &func.name, &launch).expect("the launch fits");
    let found = verdict.violations.iter().map(ToString::to_string).chain(verdict.not_analysed);
    found.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

//! Tests that a round takes over from the one before only what it would find by itself.

use super::*;
use ptx::inst::Op;
use ptx::ir::Inst;
use std::cell::RefCell;
use std::path::Path;

/// The kernels of the corpus of divergent kernels.
fn corpus() -> Vec<Func> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpus/divergent");
    let files = std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ptx")).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let source = diagnostics::Source { name: path.display().to_string(), text };
        let module = ptx::read::read(&source.into()).expect("this is PTX");
        module.entries().next().expect("a kernel").clone()
    };
    files.iter().map(read).collect()
}

#[test]
fn each_round_finds_what_one_that_knows_nothing_finds() {
    let mut rounds = 0;
    for func in corpus() {
        let mut work = tidy(func);
        for _ in 0..most_rounds(&work.func) {
            let forgetful = Tidy { verdicts: RefCell::default(), ..tidy(work.func.clone()) };
            assert_eq!(forgetful.func, work.func, "{}: it was not tidy", work.func.name);
            let next = |from: &Tidy| {
                let mut place = None;
                let lowers = |at: Place, next: &Tidy| {
                    place = Some(at);
                    next.estimate() < from.estimate()
                };
                let made = first(from, &Options::default(), lowers);
                made.map(|(next, meld)| (next, meld, place))
            };
            let (found, expected) = (next(&work), next(&forgetful));
            let told = |made: &Option<(Tidy, Meld, Option<Place>)>| {
                made.as_ref().map(|(next, meld, place)| (next.func.clone(), meld.clone(), *place))
            };
            assert_eq!(told(&found), told(&expected), "{}", work.func.name);
            let Some((next, ..)) = found else { break };

            rounds += 1;
            work = next;
        }
    }
    assert!(rounds > 30, "{rounds} melds");
}

/// A kernel that reads a number and does this.
fn kernel(body: &str) -> Func {
    let text = format!(
        ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 out, .param .u32 n)\n{{\n.reg .pred %p<4>;\n\
         .reg .b32 %r<12>;\n.reg .b64 %o;\nld.param.u64 %o, [out];\nld.param.u32 %r9, [n];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}"
    );
    let module = ptx::read::text("k.ptx", &text).expect("this is PTX");
    module.funcs[0].clone()
}

/// Two sides that do the same but for these operands.
fn diamond(number: u32, condition: &str, operands: [&str; 2]) -> String {
    let side = |register: u32, operand: &str| {
        format!(
            "ld.global.u32 %r{register}, [%o];\nadd.u32 %r{register}, %r{register}, {operand};\n\
             st.global.u32 [%o+4], %r{register};\n"
        )
    };
    format!(
        "setp.eq.u32 %p{number}, {condition}, 0;\n@%p{number} bra EVEN{number};\n{}bra END{number};\nEVEN{number}:\n{}END{number}:\n",
        side(2 * number, operands[0]),
        side(2 * number + 1, operands[1])
    )
}

#[test]
fn melds_that_are_made_together_are_those_that_are_made_one_after_the_other() {
    let mut together = 0;
    for func in corpus() {
        let name = func.name.clone();
        let (_, found) = run(&func, &Options::default());
        assert!(found.refused.is_empty(), "{:?}", found.refused);
        let given = func.clone();
        let mut work = tidy(func);
        for meld in &found.melds {
            let cycles = work.estimate();
            let lowers = |_: Place, next: &Tidy| next.estimate() < cycles;
            let (next, one) = first(&work, &Options::default(), lowers).expect("one more");
            assert!(found.melds.contains(&one), "{name}: {one:?} instead of {meld:?}");
            work = next;
        }
        assert_eq!(work.estimate(), found.after, "{name}");
        let (mut work, mut refused) = (tidy_to_meld(given, &Options::default()), Vec::new());
        while let Some((next, melds, _)) = round(&work, &Options::default(), work.estimate(), &mut refused) {
            together += melds.len() - 1;
            assert_eq!(tidy(next.func.clone()).func, next.func, "{name}: it was not tidy");
            work = next;
        }
        assert!(refused.is_empty(), "{name}: {refused:?}");
    }
    assert!(together > 5, "{together} melds more than rounds");
}

#[test]
fn uniform_branches_stay_in_every_round() {
    let body = [diamond(1, "%r1", ["3", "5"]), diamond(2, "%r9", ["3", "5"]), diamond(3, "%r1", ["7", "5"])].concat();
    let (func, melded) = run(&kernel(&body), &Options::default());
    assert_eq!(melded.melds.len(), 2);
    let branches = func.layout.iter().filter(|block| func.blocks[**block].terminator.targets().len() > 1);
    assert_eq!(branches.count(), 1);
}

#[test]
fn a_condition_that_nobody_needs_any_more_goes() {
    let (func, melded) = run(&kernel(&diamond(1, "%r1", ["5", "5"])), &Options::default());
    assert_eq!(melded.melds.len(), 1);
    let insts: Vec<Inst> = func.layout.iter().flat_map(|block| func.blocks[*block].insts.clone()).collect();
    assert!(insts.iter().all(|inst| !matches!(func.insts[*inst].op, Op::Setp { .. })));
    assert_eq!(insts.len(), 4, "two loads, an addition and a store");
}

/// A loop of one block, and a region whose block has an instruction in common with it.
#[test]
fn a_loop_of_one_block_does_not_take_the_place_of_a_block() {
    let body = "setp.eq.u32 %p1, %r1, 0;\nsetp.gt.u32 %p2, %r1, 9;\n@%p1 bra LOOP;\n@!%p2 bra AROUND;\nst.global.u32 [%o+12], %r1;\n\
        AROUND:\nbra END;\nLOOP:\nst.global.u32 [%o+28], %r9;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p3, %r2, 3;\n@%p3 bra LOOP;\nEND:\n";
    let (_, melded) = run(&kernel(body), &Options::default());
    assert_eq!(melded.melds, []);
}

/// The condition of the outer branch is needed behind the inner one, which has the same condition and is melded at the same time.
#[test]
fn a_branch_by_the_condition_of_the_one_around_it() {
    let body = "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra SIDE;\nFIRST:\nld.global.u32 %r5, [%o+24];\n@%p2 bra FIRST;\nbra END;\n\
        SIDE:\n@%p1 bra INNER;\nst.global.u32 [%o+16], %r4;\nbra BOTH;\nINNER:\nst.global.u32 [%o+16], %r4;\nBOTH:\n\
        mov.u32 %r7, 0;\nAGAIN:\nld.global.u32 %r6, [%o+12];\nsetp.lt.u32 %p2, %r7, 2;\n@%p2 bra AGAIN;\nEND:\n\
        mul.lo.u32 %r8, %r5, %r3;\nst.global.u32 [%o+24], %r6;\nst.global.u32 [%o+28], %r8;\n";
    let (_, melded) = run(&kernel(body), &Options::default());
    assert_eq!(melded.melds.len(), 2);
}

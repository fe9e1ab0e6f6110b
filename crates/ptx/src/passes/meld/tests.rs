//! What a round takes over from the one before is what it would find by itself.

use super::*;
use std::path::Path;

/// The kernels of the corpus of divergent kernels.
fn corpus() -> Vec<Func> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/divergent");
    let files = std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "ptx")).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("it can be read");
        let source = diagnostics::Source { name: path.display().to_string(), text };
        let module = crate::read::read(&source.into()).expect("this is PTX");
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
            let forgetful = Tidy { verdicts: Verdicts::default(), ..tidy(work.func.clone()) };
            assert_eq!(forgetful.func, work.func, "{}: it was not tidy", work.func.name);
            let next = |from: &Tidy| {
                let mut place = None;
                let lowers = |at: Place, next: &Tidy| {
                    place = Some(at);
                    next.estimate() < from.estimate()
                };
                let made = first(from, &Options::default(), lowers).expect("melds are right");
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

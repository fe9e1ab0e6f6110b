//! Any module survives printing: reading its text gives the module again.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use ptx::{Module, read};
use testkit::random_module::{self, Choices};

fn parse(text: String) -> Result<Module, String> {
    read::text("random.ptx", &text).map_err(|diagnostics| format!("{diagnostics:?}"))
}

#[test]
fn reading_what_was_printed_gives_the_same() {
    let mut opcodes: BTreeSet<String> = BTreeSet::new();
    let mut instructions = 0;
    let mut runner = TestRunner::new_with_rng(
        Config { cases: 450, failure_persistence: None, ..Config::default() },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let found = std::cell::RefCell::new((&mut opcodes, &mut instructions));
    let tried = runner.run(&proptest::collection::vec(any::<u64>(), 0..700), |choices| {
        let module = random_module::module(&mut Choices(choices.iter()));
        let text = module.to_string();
        let again = parse(text.clone()).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert!(again == module.canonical(), "{}\nbecomes\n{}", text, again);
        prop_assert_eq!(&again.canonical(), &again);
        let (opcodes, instructions) = &mut *found.borrow_mut();
        let lines = text.lines().filter(|line| line.starts_with('\t') && line.ends_with(';'));
        opcodes.extend(
            lines.filter_map(|line| line.split_whitespace().find(|word| !word.starts_with('@')).map(str::to_owned)),
        );
        **instructions += again.funcs.iter().map(|func| func.insts.len()).sum::<usize>();
        Ok(())
    });
    tried.unwrap_or_else(|e| panic!("{e}"));
    println!("{instructions} instructions with {} different opcodes", opcodes.len());
    assert!(opcodes.len() > 2000, "{}", opcodes.len());
}
